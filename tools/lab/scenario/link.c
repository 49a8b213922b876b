/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/link.h"
#include "scenario/loss.h"
#include "scenario/queue.h"
#include "scenario/schedule.h"
#include "scenario/walk.h"
#include "sim/base/random.h"
#include <string.h>

#define FALLBACK_RATE_BPS 1000000

/* A link as it is read. */
struct draft {
    struct lab_link link;
    uint64_t seed; /* of the scenario */
    int64_t count;
    bool duplex;
};

#define BUCKET(member)    .offset = offsetof(struct weir__token_bucket_config, member)
#define AGGREGATE(member) .offset = offsetof(struct weir__aggregation_config, member)
#define DRAFT(member)     .offset = offsetof(struct draft, member)
#define LINK(member)      DRAFT(link.config.member)
#define ANY               .kind = LAB_FIELD_ANY
#define OPTIONAL(table)   .kind = LAB_FIELD_OPTIONAL, LAB_FIELDS(table)

static const struct lab_field bucket_fields[] = {
    {.name = "rate_bps", LAB_BPS, .required = TRUE, BUCKET(rate_bps)},
    {.name = "burst_bytes", LAB_WHOLE(1, 1e9), .required = TRUE, BUCKET(burst_bytes)},
};

static const struct lab_field aggregation_fields[] = {
    {.name = "packets", LAB_WHOLE(1, 65536), .initial = 64, AGGREGATE(packets)},
    {.name = "airtime_ms", LAB_MS(1e-3, LAB_LONGEST_MS), .initial = 4, AGGREGATE(airtime_ns)},
    {.name = "access_ms", LAB_MS(0, LAB_LONGEST_MS), .required = TRUE, AGGREGATE(access_ns)},
};

/* In the order of enum weir__jitter_model. */
static const char *const jitter_names[] = {"uniform", "rfc8868", NULL};
/* In the order of enum weir__link_ecn. */
static const char *const ecn_names[] = {"keeps", "bleaches", "to_ect0", "to_ect1",
                                        "marks", "drops",    NULL};

const struct lab_field lab_link_fields[] = {
    {.name = "name", LAB_NAME, .required = TRUE, DRAFT(link.name)},
    {.name = "from", LAB_NAME, .required = TRUE, DRAFT(link.from)},
    {.name = "to", LAB_NAME, .required = TRUE, DRAFT(link.to)},
    {.name = "count", LAB_WHOLE(0, 10000), .initial = 1, DRAFT(count)},
    {.name = "duplex", LAB_BOOL, .initial = 1, DRAFT(duplex)},
    {.name = "reverse", .kind = LAB_FIELD_OBJECT},
    {.name = "capacity_bps", LAB_BPS, LINK(capacity_bps)},
    {.name = "schedule", ANY},
    {.name = "schedule_repeat_s", LAB_SECONDS(1e-6, LAB_LONGEST_S), LINK(period_ns)},
    {.name = "trace_ms", ANY},
    {.name = "delay_ms", LAB_MS(0, LAB_LONGEST_MS), LINK(delay_ns)},
    {.name = "delay_schedule", ANY},
    {.name = "delay_schedule_repeat_s", LAB_SECONDS(1e-6, LAB_LONGEST_S), LINK(delay_period_ns)},
    {.name = "jitter_ms", LAB_MS(0, LAB_LONGEST_MS), LINK(jitter_ns)},
    {.name = "jitter", LAB_CHOICE(jitter_names), LINK(jitter_model)},
    {.name = "ecn", LAB_CHOICE(ecn_names), LINK(ecn)},
    {.name = "reorder", LAB_NUMBER(0, 1), LINK(reorder)},
    {.name = "reorder_delay_ms", LAB_MS(0, LAB_LONGEST_MS), .initial = 10, LINK(reorder_delay_ns)},
    {.name = "duplicate", LAB_NUMBER(0, 1), LINK(duplicate)},
    {.name = "policer", OPTIONAL(bucket_fields), LINK(policer)},
    {.name = "shaper", OPTIONAL(bucket_fields), LINK(shaper)},
    {.name = "aggregation", OPTIONAL(aggregation_fields), LINK(aggregation)},
    {.name = "queue", .kind = LAB_FIELD_OBJECT},
    {.name = "loss", .kind = LAB_FIELD_OBJECT},
};
const gsize lab_n_link_fields = G_N_ELEMENTS(lab_link_fields);

/* What the reverse direction has from the forward one and cannot change. */
static const char *const not_of_reverse[] = {"name",   "from",    "to", "count",
                                             "duplex", "reverse", NULL};

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
static int64_t nominal_bps(const struct weir__link_config *config)
{
    if (config->n_trace > 0) {
        return weir__capacity_trace_mean_bps(config->trace_ms, config->n_trace);
    }
    for (gsize i = 0; config->capacity_bps == 0 && i < config->n_steps; i++) {
        if (config->steps[i].rate_bps > 0) {
            return config->steps[i].rate_bps;
        }
    }
    return config->capacity_bps > 0 ? config->capacity_bps : FALLBACK_RATE_BPS;
}

static gboolean check_service(const struct lab_place *link)
{
    static const char *const services[] = {"trace_ms", "shaper", "aggregation"};
    struct lab_place place = {.up = link->up, .name = link->name, .error = link->error};
    int n = 0;
    for (gsize i = 0; i < G_N_ELEMENTS(services); i++) {
        n += json_object_get(link->node, services[i]) != NULL ? 1 : 0;
    }
    return n <= 1 || lab_fail(&place, "has more than one of trace_ms, shaper and aggregation");
}

/* The period `name` ends after the last of the steps. */
static gboolean check_period(const char *name, int64_t period_ns,
                             const struct weir__schedule_step *steps, gsize n_steps,
                             const struct lab_place *link)
{
    if (period_ns > 0 && (n_steps == 0 || steps[n_steps - 1].at_ns >= period_ns)) {
        return lab_fail_at(link, name, "must be later than the last step of a schedule");
    }
    return TRUE;
}

static gboolean read_delay_schedule(struct lab_link *link, const struct lab_place *place)
{
    struct lab_place schedule = lab_at(place, "delay_schedule");
    struct weir__link_config *config = &link->config;
    if (schedule.node != NULL &&
        !lab_schedule_read("delay_ms", &schedule, &link->delay_steps, &config->n_delay_steps)) {
        return FALSE;
    }
    config->delay_steps = link->delay_steps;
    return check_period("delay_schedule_repeat_s", config->delay_period_ns, config->delay_steps,
                        config->n_delay_steps, place);
}

static gboolean read_capacity_trace(struct lab_link *link, const struct lab_place *link_place)
{
    const struct lab_field opportunity = {LAB_WHOLE(0, 1e9)};
    struct lab_place place = lab_at(link_place, "trace_ms");
    struct weir__link_config *config = &link->config;
    if (place.node == NULL) {
        return TRUE;
    }
    if (!json_is_array(place.node)) {
        return lab_fail(&place, "must be the name of a file or a list of milliseconds");
    }
    if (!lab_numbers_read(&opportunity, &place, &link->trace_ms, &config->n_trace)) {
        return FALSE;
    }
    config->trace_ms = link->trace_ms;
    return weir__capacity_trace_check(config->trace_ms, config->n_trace) == WEIR_OK ||
           lab_fail(&place, "must be milliseconds that never descend and end later than 0");
}

/* A walk that is over begins again. */
static gboolean read_walk(struct draft *draft, const struct lab_place *place)
{
    struct weir__link_config *config = &draft->link.config;
    struct lab_walk walk;
    if (!lab_walk_read(place, &walk)) {
        return FALSE;
    }
    draft->link.steps = lab_walk_steps(&walk, lab_seed_for(draft->seed, "walk", draft->link.name));
    config->n_steps = (gsize)walk.n_steps;
    if (config->period_ns == 0) {
        config->period_ns = walk.n_steps * walk.step_ns;
    }
    return TRUE;
}

static gboolean read_steps(struct draft *draft, const struct lab_place *place)
{
    return place->node == NULL ||
           (json_object_get(place->node, "kind") != NULL
                ? read_walk(draft, place)
                : lab_schedule_read("capacity_bps", place, &draft->link.steps,
                                    &draft->link.config.n_steps));
}

static gboolean read_schedule(struct draft *draft, const struct lab_place *link)
{
    struct lab_place place = lab_at(link, "schedule");
    struct weir__link_config *config = &draft->link.config;
    if (!read_steps(draft, &place)) {
        return FALSE;
    }
    config->steps = draft->link.steps;
    if (config->capacity_bps == 0 && config->n_trace == 0 &&
        (config->n_steps == 0 || config->steps[0].at_ns > 0)) {
        return lab_fail_at(link, "capacity_bps",
                           "is missing; it must be a number from 1 to 1000000000000, unless a "
                           "schedule begins at 0 or there is trace_ms");
    }
    return check_period("schedule_repeat_s", config->period_ns, config->steps, config->n_steps,
                        link);
}

static gboolean read_draft(struct draft *draft, const struct lab_place *place)
{
    struct lab_link *link = &draft->link;
    struct lab_place queue = lab_at(place, "queue");
    struct lab_place loss = lab_at(place, "loss");
    if (!lab_fields_read(lab_link_fields, lab_n_link_fields, place, draft)) {
        return FALSE;
    }
    link->node = json_incref(place->node);
    if (strcmp(link->from, link->to) == 0) {
        return lab_fail_at(place, "to", "must be another node than `from`: a link joins two nodes");
    }
    link->config.seed = lab_seed_for(draft->seed, "link", link->name);
    return read_capacity_trace(link, place) && read_schedule(draft, place) &&
           read_delay_schedule(link, place) && check_service(place) &&
           lab_queue_read(&queue, nominal_bps(&link->config), link->config.delay_ns,
                          &link->config.queue) &&
           lab_loss_read(&loss, &link->config.loss, &link->trace_packets);
}

/* What the reverse direction may say: all of a link but those. */
static gboolean check_reverse(const struct lab_place *reverse)
{
    struct lab_field fields[G_N_ELEMENTS(lab_link_fields)];
    gsize n = 0;
    for (gsize i = 0; i < lab_n_link_fields; i++) {
        if (!g_strv_contains(not_of_reverse, lab_link_fields[i].name)) {
            fields[n++] = lab_link_fields[i];
        }
    }
    return reverse->node == NULL || lab_fields_check_names(fields, n, reverse);
}

/* The reverse direction as a link of its own. A capacity or a delay ends the schedule that it has
 * from the forward direction, a capacity the trace too. */
static json_t *make_reverse(const struct lab_link *forward, json_t *reverse)
{
    json_t *link = json_copy(forward->node);
    json_object_set_new(link, "name", json_sprintf("%s.reverse", forward->name));
    json_object_set_new(link, "from", json_string(forward->to));
    json_object_set_new(link, "to", json_string(forward->from));
    json_object_del(link, "reverse");
    if (json_object_get(reverse, "capacity_bps") != NULL) {
        json_object_del(link, "schedule");
        json_object_del(link, "schedule_repeat_s");
        json_object_del(link, "trace_ms");
    }
    if (json_object_get(reverse, "delay_ms") != NULL) {
        json_object_del(link, "delay_schedule");
        json_object_del(link, "delay_schedule_repeat_s");
    }
    json_object_update(link, reverse);
    return link;
}

/* Appends the link of a place, also one that is not good. */
static gboolean add_link(struct draft *draft, const struct lab_place *place, GPtrArray *links)
{
    gboolean good = read_draft(draft, place);
    struct lab_link *link = g_new(struct lab_link, 1);
    *link = draft->link;
    g_ptr_array_add(links, link);
    return good;
}

/* Appends one or (duplex) two struct lab_link; none when `count` is 0. */
gboolean lab_link_read(const struct lab_place *place, uint64_t seed, GPtrArray *links)
{
    struct draft forward = {.seed = seed};
    struct draft backward = {.seed = seed};
    struct lab_place reverse = lab_at(place, "reverse");
    guint before = links->len;
    gboolean good = add_link(&forward, place, links);
    if (good && forward.duplex) {
        good = check_reverse(&reverse);
        reverse.node = make_reverse(&forward.link, reverse.node);
        good = good && add_link(&backward, &reverse, links);
        json_decref(reverse.node);
    }
    if (!good || forward.count == 0) {
        g_ptr_array_set_size(links, (gint)before);
    }
    return good;
}

/* Accepts NULL. */
void lab_link_free(struct lab_link *link)
{
    if (link != NULL) {
        json_decref(link->node);
        g_free(link->steps);
        g_free(link->delay_steps);
        g_free(link->trace_ms);
        g_free(link->trace_packets);
        g_free(link);
    }
}
