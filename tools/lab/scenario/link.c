/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/link.h"
#include "scenario/json.h"
#include "scenario/loss.h"
#include "scenario/queue.h"
#include "scenario/schedule.h"
#include "scenario/service.h"
#include "scenario/walk.h"
#include "sim/base/random.h"
#include <string.h>

#define LONGEST_MS        3600000.0
#define HIGHEST_BPS       1e12
#define FALLBACK_RATE_BPS 1000000

/* A link as it is read: pointers into JSON are only valid meanwhile. */
struct draft {
    uint64_t seed; /* of the scenario */
    char *name;
    char *from;
    char *to;
    int64_t count;
    bool duplex;
    JsonNode *reverse;
    JsonNode *schedule;
    JsonNode *delay_schedule;
    JsonNode *trace;
    JsonNode *policer;
    JsonNode *shaper;
    JsonNode *aggregation;
    JsonNode *queue;
    JsonNode *loss;
    struct weir__link_config config;
    struct weir__schedule_step *steps;
    gsize n_steps;
    struct weir__schedule_step *delay_steps;
    gsize n_delay_steps;
    int64_t *trace_ms;
    int64_t *trace_packets;
};

#define DRAFT(member) offsetof(struct draft, member)

/* In the order of enum weir__jitter_model. */
static const char *const jitter_names[] = {"uniform", "rfc8868", NULL};

const struct lab_field lab_link_fields[] = {
    {.name = "name", .kind = LAB_FIELD_NAME, .required = TRUE, .offset = DRAFT(name)},
    {.name = "from", .kind = LAB_FIELD_NAME, .required = TRUE, .offset = DRAFT(from)},
    {.name = "to", .kind = LAB_FIELD_NAME, .required = TRUE, .offset = DRAFT(to)},
    {.name = "count", .kind = LAB_FIELD_WHOLE, .max = 10000, .initial = 1, .offset = DRAFT(count)},
    {.name = "duplex", .kind = LAB_FIELD_BOOL, .initial = 1, .offset = DRAFT(duplex)},
    {.name = "reverse", .kind = LAB_FIELD_OBJECT, .offset = DRAFT(reverse)},
    {.name = "capacity_bps",
     .kind = LAB_FIELD_SCALED,
     .scale = 1.0,
     .min = 1,
     .max = HIGHEST_BPS,
     .offset = DRAFT(config.capacity_bps)},
    {.name = "schedule", .kind = LAB_FIELD_ANY, .offset = DRAFT(schedule)},
    {.name = "schedule_repeat_s",
     .kind = LAB_FIELD_SCALED,
     .scale = LAB_NS_PER_S,
     .min = 1e-6,
     .max = 1e6,
     .offset = DRAFT(config.period_ns)},
    {.name = "trace_ms", .kind = LAB_FIELD_ANY, .offset = DRAFT(trace)},
    {.name = "delay_ms",
     .kind = LAB_FIELD_SCALED,
     .scale = LAB_NS_PER_MS,
     .max = LONGEST_MS,
     .offset = DRAFT(config.delay_ns)},
    {.name = "delay_schedule", .kind = LAB_FIELD_ANY, .offset = DRAFT(delay_schedule)},
    {.name = "delay_schedule_repeat_s",
     .kind = LAB_FIELD_SCALED,
     .scale = LAB_NS_PER_S,
     .min = 1e-6,
     .max = 1e6,
     .offset = DRAFT(config.delay_period_ns)},
    {.name = "jitter_ms",
     .kind = LAB_FIELD_SCALED,
     .scale = LAB_NS_PER_MS,
     .max = LONGEST_MS,
     .offset = DRAFT(config.jitter_ns)},
    {.name = "jitter",
     .kind = LAB_FIELD_CHOICE,
     .choices = jitter_names,
     .offset = DRAFT(config.jitter_model)},
    {.name = "reorder", .kind = LAB_FIELD_NUMBER, .max = 1, .offset = DRAFT(config.reorder)},
    {.name = "reorder_delay_ms",
     .kind = LAB_FIELD_SCALED,
     .scale = LAB_NS_PER_MS,
     .max = LONGEST_MS,
     .initial = 10,
     .offset = DRAFT(config.reorder_delay_ns)},
    {.name = "duplicate", .kind = LAB_FIELD_NUMBER, .max = 1, .offset = DRAFT(config.duplicate)},
    {.name = "policer", .kind = LAB_FIELD_OBJECT, .offset = DRAFT(policer)},
    {.name = "shaper", .kind = LAB_FIELD_OBJECT, .offset = DRAFT(shaper)},
    {.name = "aggregation", .kind = LAB_FIELD_OBJECT, .offset = DRAFT(aggregation)},
    {.name = "queue", .kind = LAB_FIELD_OBJECT, .offset = DRAFT(queue)},
    {.name = "loss", .kind = LAB_FIELD_OBJECT, .offset = DRAFT(loss)},
};
const gsize lab_n_link_fields = G_N_ELEMENTS(lab_link_fields);

/* Only names: what is behind them is checked when the reverse direction is read as a link. */
static const struct lab_field reverse_fields[] = {
    {.name = "capacity_bps"}, {.name = "schedule"},         {.name = "schedule_repeat_s"},
    {.name = "delay_ms"},     {.name = "delay_schedule"},   {.name = "delay_schedule_repeat_s"},
    {.name = "jitter_ms"},    {.name = "jitter"},           {.name = "reorder"},
    {.name = "duplicate"},    {.name = "reorder_delay_ms"}, {.name = "queue"},
    {.name = "loss"},         {.name = "trace_ms"},         {.name = "policer"},
    {.name = "shaper"},       {.name = "aggregation"},
};

/* 64 bits of FNV-1a over "kind/name", as the number of a stream of random numbers. */
uint64_t lab_seed_for(uint64_t seed, const char *kind, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *const parts[] = {kind, "/", name};
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
        for (const char *c = parts[i]; *c != '\0'; c++) {
            hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
        }
    }
    struct weir__random random;
    weir__random_init(&random, seed, hash);
    return weir__random_u64(&random);
}

/* The rate that times are converted with: capacity_bps, or the schedule's first that is not 0, or
 * the mean of the trace. */
static int64_t nominal_bps(const struct draft *draft)
{
    if (draft->config.n_trace > 0) {
        return weir__capacity_trace_mean_bps(draft->trace_ms, draft->config.n_trace);
    }
    if (draft->config.capacity_bps > 0) {
        return draft->config.capacity_bps;
    }
    for (gsize i = 0; i < draft->n_steps; i++) {
        if (draft->steps[i].rate_bps > 0) {
            return draft->steps[i].rate_bps;
        }
    }
    return FALLBACK_RATE_BPS;
}

static gboolean read_service(struct draft *draft, const struct lab_place *link, GError **error)
{
    struct lab_place policer = {.up = link, .name = "policer"};
    struct lab_place shaper = {.up = link, .name = "shaper"};
    struct lab_place aggregation = {.up = link, .name = "aggregation"};
    struct weir__link_config *config = &draft->config;
    if (!lab_token_bucket_read(&policer, draft->policer, &config->policer, error) ||
        !lab_token_bucket_read(&shaper, draft->shaper, &config->shaper, error) ||
        !lab_aggregation_read(&aggregation, draft->aggregation, &config->aggregation, error)) {
        return FALSE;
    }
    if ((draft->trace != NULL) + (draft->shaper != NULL) + (draft->aggregation != NULL) > 1) {
        return lab_fail(error, link, NULL, "has more than one of trace_ms, shaper and aggregation");
    }
    return TRUE;
}

static gboolean read_queue(struct draft *draft, const struct lab_place *link, GError **error)
{
    struct lab_place place = {.up = link, .name = "queue"};
    return lab_queue_read(&place, draft->queue, nominal_bps(draft), draft->config.delay_ns,
                          &draft->config.queue, error);
}

static gboolean read_loss(struct draft *draft, const struct lab_place *link, GError **error)
{
    struct lab_place place = {.up = link, .name = "loss"};
    return lab_loss_read(&place, draft->loss, &draft->config.loss, &draft->trace_packets, error);
}

/* The period `name` ends after the last of the steps. */
static gboolean check_period(const char *name, int64_t period_ns,
                             const struct weir__schedule_step *steps, gsize n_steps,
                             const struct lab_place *link, JsonNode *node, GError **error)
{
    struct lab_place repeat = {.up = link, .name = name};
    if (period_ns > 0 && (n_steps == 0 || steps[n_steps - 1].at_ns >= period_ns)) {
        return lab_fail(error, &repeat, lab_json_get(node, name),
                        "must be later than the last step of a schedule");
    }
    return TRUE;
}

static gboolean read_delay_schedule(struct draft *draft, const struct lab_place *link,
                                    JsonNode *node, GError **error)
{
    struct lab_place place = {.up = link, .name = "delay_schedule"};
    if (draft->delay_schedule != NULL &&
        !lab_schedule_read("delay_ms", &place, draft->delay_schedule, &draft->delay_steps,
                           &draft->n_delay_steps, error)) {
        return FALSE;
    }
    draft->config.delay_steps = draft->delay_steps;
    draft->config.n_delay_steps = draft->n_delay_steps;
    return check_period("delay_schedule_repeat_s", draft->config.delay_period_ns,
                        draft->delay_steps, draft->n_delay_steps, link, node, error);
}

static gboolean read_capacity_trace(struct draft *draft, const struct lab_place *link,
                                    GError **error)
{
    const struct lab_field opportunity = {.kind = LAB_FIELD_WHOLE, .max = 1e9};
    struct lab_place place = {.up = link, .name = "trace_ms"};
    gsize n = 0;
    if (draft->trace == NULL) {
        return TRUE;
    }
    if (!JSON_NODE_HOLDS_ARRAY(draft->trace)) {
        return lab_fail(error, &place, draft->trace,
                        "must be the name of a file or a list of milliseconds");
    }
    if (!lab_numbers_read(&opportunity, &place, draft->trace, &draft->trace_ms, &n, error)) {
        return FALSE;
    }
    if (weir__capacity_trace_check(draft->trace_ms, n) != WEIR_OK) {
        return lab_fail(error, &place, draft->trace,
                        "must be milliseconds that never descend and end later than 0");
    }
    draft->config.trace_ms = draft->trace_ms;
    draft->config.n_trace = n;
    return TRUE;
}

/* A walk that is over begins again. */
static gboolean read_walk(struct draft *draft, const struct lab_place *place, GError **error)
{
    struct lab_walk walk;
    if (!lab_walk_read(place, draft->schedule, &walk, error)) {
        return FALSE;
    }
    draft->steps = lab_walk_steps(&walk, lab_seed_for(draft->seed, "walk", draft->name));
    draft->n_steps = (gsize)walk.n_steps;
    if (draft->config.period_ns == 0) {
        draft->config.period_ns = walk.n_steps * walk.step_ns;
    }
    return TRUE;
}

static gboolean read_steps(struct draft *draft, const struct lab_place *place, GError **error)
{
    if (draft->schedule == NULL) {
        return TRUE;
    }
    if (lab_json_get(draft->schedule, "kind") != NULL) {
        return read_walk(draft, place, error);
    }
    return lab_schedule_read("capacity_bps", place, draft->schedule, &draft->steps, &draft->n_steps,
                             error);
}

static gboolean read_schedule(struct draft *draft, const struct lab_place *link, JsonNode *node,
                              GError **error)
{
    struct lab_place place = {.up = link, .name = "schedule"};
    struct lab_place capacity = {.up = link, .name = "capacity_bps"};
    if (!read_steps(draft, &place, error)) {
        return FALSE;
    }
    if (draft->config.capacity_bps == 0 && draft->trace == NULL &&
        (draft->n_steps == 0 || draft->steps[0].at_ns > 0)) {
        return lab_fail(error, &capacity, NULL,
                        "is missing; it must be a number from 1 to 1000000000000, unless a "
                        "schedule begins at 0 or there is trace_ms");
    }
    draft->config.steps = draft->steps;
    draft->config.n_steps = draft->n_steps;
    return check_period("schedule_repeat_s", draft->config.period_ns, draft->steps, draft->n_steps,
                        link, node, error);
}

static gboolean read_draft(struct draft *draft, const struct lab_place *place, JsonNode *node,
                           GError **error)
{
    struct lab_place to = {.up = place, .name = "to"};
    if (!lab_fields_read(lab_link_fields, lab_n_link_fields, place, node, draft, error)) {
        return FALSE;
    }
    if (strcmp(draft->from, draft->to) == 0) {
        return lab_fail(error, &to, lab_json_get(node, "to"),
                        "must be another node than `from`: a link joins two nodes");
    }
    return read_capacity_trace(draft, place, error) && read_schedule(draft, place, node, error) &&
           read_delay_schedule(draft, place, node, error) && read_service(draft, place, error) &&
           read_queue(draft, place, error) && read_loss(draft, place, error);
}

static void clear_draft(struct draft *draft)
{
    g_free(draft->name);
    g_free(draft->from);
    g_free(draft->to);
    g_free(draft->steps);
    g_free(draft->delay_steps);
    g_free(draft->trace_ms);
    g_free(draft->trace_packets);
}

/* What the draft owns goes to the link. */
static struct lab_link *finish_draft(struct draft *draft)
{
    struct lab_link *link = g_new0(struct lab_link, 1);
    *link = (struct lab_link){
        .name = draft->name,
        .from = draft->from,
        .to = draft->to,
        .config = draft->config,
        .steps = draft->steps,
        .delay_steps = draft->delay_steps,
        .trace_ms = draft->trace_ms,
        .trace_packets = draft->trace_packets,
    };
    link->config.seed = lab_seed_for(draft->seed, "link", link->name);
    return link;
}

static void remove_members(JsonNode *link, const char *first, const char *second)
{
    json_object_remove_member(json_node_get_object(link), first);
    json_object_remove_member(json_node_get_object(link), second);
}

/* The reverse direction as a link of its own. A capacity or a delay ends the schedule that it has
 * from the forward direction, a capacity the trace too. */
static JsonNode *make_reverse(const struct draft *forward, JsonNode *node)
{
    JsonNode *link = lab_json_copy_object(node);
    char *name = g_strconcat(forward->name, ".reverse", NULL);
    lab_json_set(link, "name", lab_json_text(name));
    lab_json_set(link, "from", lab_json_text(forward->to));
    lab_json_set(link, "to", lab_json_text(forward->from));
    g_free(name);
    json_object_remove_member(json_node_get_object(link), "reverse");
    if (lab_json_get(forward->reverse, "capacity_bps") != NULL) {
        remove_members(link, "schedule", "schedule_repeat_s");
        json_object_remove_member(json_node_get_object(link), "trace_ms");
    }
    if (lab_json_get(forward->reverse, "delay_ms") != NULL) {
        remove_members(link, "delay_schedule", "delay_schedule_repeat_s");
    }
    for (gsize i = 0; i < G_N_ELEMENTS(reverse_fields); i++) {
        JsonNode *value = lab_json_get(forward->reverse, reverse_fields[i].name);
        if (value != NULL) {
            lab_json_set(link, reverse_fields[i].name, json_node_ref(value));
        }
    }
    return link;
}

static gboolean read_reverse(const struct draft *forward, const struct lab_place *place,
                             JsonNode *node, GPtrArray *links, GError **error)
{
    struct lab_place reverse = {.up = place, .name = "reverse"};
    if (forward->reverse != NULL &&
        !lab_fields_check_names(reverse_fields, G_N_ELEMENTS(reverse_fields), &reverse,
                                forward->reverse, error)) {
        return FALSE;
    }
    JsonNode *link = make_reverse(forward, node);
    struct draft draft = {.seed = forward->seed};
    gboolean good = read_draft(&draft, &reverse, link, error);
    if (good) {
        g_ptr_array_add(links, finish_draft(&draft));
    } else {
        clear_draft(&draft);
    }
    json_node_unref(link);
    return good;
}

/* Appends one or (duplex) two struct lab_link; none when `count` is 0. */
gboolean lab_link_read(const struct lab_place *place, JsonNode *node, uint64_t seed,
                       GPtrArray *links, GError **error)
{
    struct draft draft = {.seed = seed};
    if (!read_draft(&draft, place, node, error)) {
        clear_draft(&draft);
        return FALSE;
    }
    guint before = links->len;
    struct draft forward = draft;
    struct lab_link *link = finish_draft(&draft);
    g_ptr_array_add(links, link);
    gboolean good = !forward.duplex || read_reverse(&forward, place, node, links, error);
    if (forward.count == 0) {
        g_ptr_array_set_size(links, (gint)before);
    }
    return good;
}

/* Accepts NULL. */
void lab_link_free(struct lab_link *link)
{
    if (link != NULL) {
        g_free(link->name);
        g_free(link->from);
        g_free(link->to);
        g_free(link->steps);
        g_free(link->delay_steps);
        g_free(link->trace_ms);
        g_free(link->trace_packets);
        g_free(link);
    }
}
