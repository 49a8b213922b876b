/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a scenario: resolve.c makes a tree of JSON that says everything itself, and here and in
 * link.c and flow.c that tree becomes the library's structs. */
#include "scenario/scenario.h"
#include "scenario/flow.h"
#include "scenario/json.h"
#include "scenario/link.h"
#include "scenario/resolve.h"
#include <math.h>
#include <string.h>

#define LONGEST_S 1e6

/* A scenario as it is read: pointers into JSON are only valid meanwhile. */
struct draft {
    struct lab_scenario scenario;
    int64_t seed;
    JsonNode *measure;
    JsonNode *rises;
    JsonNode *links;
    JsonNode *flows;
    JsonNode *spent; /* put in before, never here */
};

#define DRAFT(member) .offset = offsetof(struct draft, member)
#define SECONDS(least, most)                                                                       \
    .kind = LAB_FIELD_SCALED, .scale = LAB_NS_PER_S, .min = (least), .max = (most)

static const struct lab_field top_fields[] = {
    {.name = "description", .kind = LAB_FIELD_TEXT, DRAFT(scenario.description)},
    {.name = "duration_s", SECONDS(1e-6, LONGEST_S), .required = TRUE, DRAFT(scenario.duration_ns)},
    {.name = "seed", .kind = LAB_FIELD_WHOLE, .max = 9007199254740991.0, .initial = 1, DRAFT(seed)},
    {.name = "sample_s", SECONDS(1e-3, 3600), .initial = 0.1, DRAFT(scenario.sample_ns)},
    {.name = "measure", .kind = LAB_FIELD_OBJECT, DRAFT(measure)},
    {.name = "links", .kind = LAB_FIELD_LIST, .required = TRUE, DRAFT(links)},
    {.name = "flows", .kind = LAB_FIELD_LIST, .required = TRUE, DRAFT(flows)},
    {.name = "base", .kind = LAB_FIELD_ANY, DRAFT(spent)},
    {.name = "vars", .kind = LAB_FIELD_ANY, DRAFT(spent)},
    {.name = "profiles", .kind = LAB_FIELD_ANY, DRAFT(spent)},
};

static const struct lab_field measure_fields[] = {
    {.name = "from_s", SECONDS(0, LONGEST_S), DRAFT(scenario.from_ns)},
    {.name = "to_s", SECONDS(0, LONGEST_S), .initial = INFINITY, DRAFT(scenario.to_ns)},
    {.name = "bin_s", SECONDS(1e-3, 3600), .initial = 1, DRAFT(scenario.bin_ns)},
    {.name = "fair_bps",
     .kind = LAB_FIELD_SCALED,
     .scale = 1.0,
     .min = 1,
     .max = 1e12,
     DRAFT(scenario.fair_bps)},
    {.name = "rise_from_s", .kind = LAB_FIELD_LIST, DRAFT(rises)},
};

static gboolean read_rises(struct draft *draft, const struct lab_place *measure, GError **error)
{
    const struct lab_field seconds = {SECONDS(0, LONGEST_S)};
    struct lab_place place = {.up = measure, .name = "rise_from_s"};
    struct lab_scenario *scenario = &draft->scenario;
    gint64 *times_ns = NULL;
    gsize n = 0;
    if (draft->rises == NULL) {
        return TRUE;
    }
    if (!lab_numbers_read(&seconds, &place, draft->rises, &times_ns, &n, error)) {
        return FALSE;
    }
    gboolean good = n <= LAB_MOST_RISES;
    for (gsize i = 0; i < n && good; i++) {
        good = i == 0 || times_ns[i] > times_ns[i - 1];
        scenario->rise_from_ns[i] = times_ns[i];
    }
    scenario->n_rises = (guint)n;
    g_free(times_ns);
    return good || lab_fail(error, &place, draft->rises, "must be %d ascending times at most",
                            LAB_MOST_RISES);
}

static gboolean read_measure(struct draft *draft, const struct lab_place *file, GError **error)
{
    struct lab_place place = {.up = file, .name = "measure"};
    struct lab_place from = {.up = &place, .name = "from_s"};
    struct lab_place to = {.up = &place, .name = "to_s"};
    struct lab_scenario *scenario = &draft->scenario;
    double duration_s = (double)scenario->duration_ns / LAB_NS_PER_S;
    if (!lab_fields_read(measure_fields, G_N_ELEMENTS(measure_fields), &place, draft->measure,
                         draft, error) ||
        !read_rises(draft, &place, error)) {
        return FALSE;
    }
    if (scenario->to_ns == G_MAXINT64) {
        scenario->to_ns = scenario->duration_ns;
    }
    if (scenario->to_ns > scenario->duration_ns) {
        return lab_fail(error, &to, lab_json_get(draft->measure, "to_s"),
                        "must be at most duration_s, %.15g", duration_s);
    }
    return scenario->from_ns < scenario->to_ns ||
           lab_fail(error, &from, lab_json_get(draft->measure, "from_s"),
                    "must be before the end of the window, at %.15g",
                    (double)scenario->to_ns / LAB_NS_PER_S);
}

static gboolean check_size(JsonArray *list, const struct lab_place *place, guint most,
                           GError **error)
{
    guint n = json_array_get_length(list);
    return (n >= 1 && n <= most) ||
           lab_fail(error, place, NULL, "must have 1 to %u elements, not %u", most, n);
}

static gboolean check_twice(GHashTable *names, const char *name, const struct lab_place *place,
                            GError **error)
{
    if (!g_hash_table_contains(names, name)) {
        g_hash_table_add(names, (gpointer)(guintptr)name);
        return TRUE;
    }
    return lab_fail(error, place, NULL, "the name \"%s\" is used twice", name);
}

/* Appends what an element of a list becomes: none, one or several. */
typedef gboolean read_element(const struct lab_place *place, JsonNode *node,
                              const struct lab_flow_world *world, GPtrArray *into, GError **error);

/* Both kinds of elements begin with their name. */
G_STATIC_ASSERT(offsetof(struct lab_link, name) == 0 && offsetof(struct lab_flow, name) == 0);

static gboolean are_new(const GPtrArray *elements, guint first, GHashTable *names,
                        const struct lab_place *place, GError **error)
{
    for (guint i = first; i < elements->len; i++) {
        if (!check_twice(names, *(char *const *)elements->pdata[i], place, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean read_list(JsonNode *node, const struct lab_place *place, guint most,
                          read_element *read, const struct lab_flow_world *world, GPtrArray *into,
                          GError **error)
{
    JsonArray *list = json_node_get_array(node);
    GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
    gboolean good = check_size(list, place, most, error);
    for (guint i = 0; good && i < json_array_get_length(list); i++) {
        char number[16];
        JsonNode *element = json_array_get_element(list, i);
        struct lab_place inner = {.up = place, .name = lab_element_name(element, i, number)};
        guint before = into->len;
        good = read(&inner, element, world, into, error) &&
               are_new(into, before, names, &inner, error);
    }
    g_hash_table_unref(names);
    return good;
}

static gboolean read_link(const struct lab_place *place, JsonNode *node,
                          const struct lab_flow_world *world, GPtrArray *links, GError **error)
{
    return lab_link_read(place, node, world->seed, links, error);
}

static struct lab_topology *make_topology(const GPtrArray *links)
{
    struct lab_topology *topology = lab_topology_new();
    for (guint i = 0; i < links->len; i++) {
        const struct lab_link *link = links->pdata[i];
        lab_topology_add_link(topology, link->from, link->to);
    }
    return topology;
}

static gboolean read_network(struct draft *draft, const struct lab_place *file, GPtrArray *links,
                             GPtrArray *flows, GError **error)
{
    struct lab_place links_place = {.up = file, .name = "links"};
    struct lab_place flows_place = {.up = file, .name = "flows"};
    struct lab_flow_world world = {.links = links, .seed = draft->scenario.seed};
    if (!read_list(draft->links, &links_place, LAB_MOST_LINKS, read_link, &world, links, error)) {
        return FALSE;
    }
    world.topology = make_topology(links);
    gboolean good =
        read_list(draft->flows, &flows_place, LAB_MOST_FLOWS, lab_flow_read, &world, flows, error);
    lab_topology_free(world.topology);
    return good;
}

static void free_link(gpointer link)
{
    lab_link_free(link);
}

static void free_flow(gpointer flow)
{
    lab_flow_free(flow);
}

/* Moves the elements into the scenario. */
static void take_lists(struct lab_scenario *scenario, GPtrArray *links, GPtrArray *flows)
{
    g_ptr_array_set_free_func(links, NULL);
    g_ptr_array_set_free_func(flows, NULL);
    scenario->n_links = links->len;
    scenario->n_flows = flows->len;
    scenario->links = (struct lab_link **)g_ptr_array_free(links, FALSE);
    scenario->flows = (struct lab_flow **)g_ptr_array_free(flows, FALSE);
}

static gboolean check_description(const struct draft *draft, const struct lab_place *file,
                                  JsonNode *tree, GError **error)
{
    struct lab_place place = {.up = file, .name = "description"};
    const char *text = draft->scenario.description;
    return text == NULL || strpbrk(text, "\r\n") == NULL ||
           lab_fail(error, &place, lab_json_get(tree, "description"), "must be one line");
}

static gboolean read_tree(struct draft *draft, const struct lab_place *file, JsonNode *tree,
                          GError **error)
{
    if (!lab_fields_read(top_fields, G_N_ELEMENTS(top_fields), file, tree, draft, error) ||
        !check_description(draft, file, tree, error)) {
        return FALSE;
    }
    draft->scenario.seed = (uint64_t)draft->seed;
    GPtrArray *links = g_ptr_array_new_with_free_func(free_link);
    GPtrArray *flows = g_ptr_array_new_with_free_func(free_flow);
    if (!read_measure(draft, file, error) || !read_network(draft, file, links, flows, error)) {
        g_ptr_array_unref(links);
        g_ptr_array_unref(flows);
        return FALSE;
    }
    take_lists(&draft->scenario, links, flows);
    return TRUE;
}

/* "call" of "call.json" and "dir/call.json"; an installed one keeps its folder: "live/const". */
static char *short_name(const char *name)
{
    if (!g_str_has_suffix(name, ".json") && !g_file_test(name, G_FILE_TEST_IS_REGULAR)) {
        return g_strdup(name);
    }
    char *base = g_path_get_basename(name);
    if (g_str_has_suffix(base, ".json")) {
        base[strlen(base) - strlen(".json")] = '\0';
    }
    return base;
}

/* NULL and *error (one line: file or name, field, its value, what is allowed) when anything is
 * wrong. `name` is a file or the name of an installed scenario. */
struct lab_scenario *lab_scenario_load(const char *name, const struct lab_overrides *overrides,
                                       GError **error)
{
    JsonNode *tree = lab_resolve(name, overrides, error);
    if (tree == NULL) {
        return NULL;
    }
    struct lab_place file = {.name = name};
    struct draft *draft = g_new0(struct draft, 1);
    gboolean good = read_tree(draft, &file, tree, error);
    struct lab_scenario *scenario = g_new(struct lab_scenario, 1);
    *scenario = draft->scenario;
    scenario->resolved = tree;
    scenario->name = short_name(name);
    if (scenario->description == NULL) {
        scenario->description = g_strdup("");
    }
    g_free(draft);
    if (!good) {
        lab_scenario_free(scenario);
        return NULL;
    }
    return scenario;
}

/* Accepts NULL. */
void lab_scenario_free(struct lab_scenario *scenario)
{
    if (scenario == NULL) {
        return;
    }
    for (guint i = 0; i < scenario->n_links; i++) {
        lab_link_free(scenario->links[i]);
    }
    for (guint i = 0; i < scenario->n_flows; i++) {
        lab_flow_free(scenario->flows[i]);
    }
    g_free(scenario->links);
    g_free(scenario->flows);
    g_free(scenario->name);
    g_free(scenario->description);
    json_node_unref(scenario->resolved);
    g_free(scenario);
}
