/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a scenario: resolve.c makes a tree of JSON that says everything itself, and here and in
 * link.c and flow.c that tree becomes the library's structs. */
#include "scenario/scenario.h"
#include "scenario/flow.h"
#include "scenario/link.h"
#include "scenario/resolve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO(member) .offset = offsetof(struct lab_scenario, member)

static const struct lab_field measure_fields[] = {
    {.name = "from_s", LAB_SECONDS(0, LAB_LONGEST_S), SCENARIO(from_ns)},
    {.name = "to_s", LAB_SECONDS(0, LAB_LONGEST_S), .initial = INFINITY, SCENARIO(to_ns)},
    {.name = "bin_s", LAB_SECONDS(1e-3, 3600), .initial = 1, SCENARIO(bin_ns)},
    {.name = "fair_bps", LAB_BPS, SCENARIO(fair_bps)},
    {.name = "rise_from_s", .kind = LAB_FIELD_LIST},
};

/* base, vars and profiles were put in before. */
static const struct lab_field top_fields[] = {
    {.name = "description", .kind = LAB_FIELD_TEXT, SCENARIO(description)},
    {.name = "duration_s",
     LAB_SECONDS(1e-6, LAB_LONGEST_S),
     .required = TRUE,
     SCENARIO(duration_ns)},
    {.name = "seed", LAB_WHOLE(0, 9007199254740991.0), .initial = 1, SCENARIO(seed)},
    {.name = "sample_s", LAB_SECONDS(1e-3, 3600), .initial = 0.1, SCENARIO(sample_ns)},
    {.name = "measure", .kind = LAB_FIELD_OBJECT, LAB_FIELDS(measure_fields)},
    {.name = "links", .kind = LAB_FIELD_LIST, .required = TRUE},
    {.name = "flows", .kind = LAB_FIELD_LIST, .required = TRUE},
    {.name = "base", .kind = LAB_FIELD_ANY},
    {.name = "vars", .kind = LAB_FIELD_ANY},
    {.name = "profiles", .kind = LAB_FIELD_ANY},
};

static gboolean read_rises(struct lab_scenario *scenario, const struct lab_place *measure)
{
    const struct lab_field seconds = {LAB_SECONDS(0, LAB_LONGEST_S)};
    struct lab_place place = lab_at(measure, "rise_from_s");
    gint64 *times_ns = NULL;
    gsize n = 0;
    if (place.node == NULL) {
        return TRUE;
    }
    if (!lab_numbers_read(&seconds, &place, &times_ns, &n)) {
        return FALSE;
    }
    gboolean good = n <= LAB_MOST_RISES;
    for (gsize i = 0; i < n && good; i++) {
        good = i == 0 || times_ns[i] > times_ns[i - 1];
        scenario->rise_from_ns[i] = times_ns[i];
    }
    scenario->n_rises = (guint)n;
    g_free(times_ns);
    return good || lab_fail(&place, "must be %d ascending times at most", LAB_MOST_RISES);
}

static gboolean read_measure(struct lab_scenario *scenario, const struct lab_place *file)
{
    struct lab_place place = lab_at(file, "measure");
    if (scenario->to_ns == G_MAXINT64) {
        scenario->to_ns = scenario->duration_ns;
    }
    if (scenario->to_ns > scenario->duration_ns) {
        return lab_fail_at(&place, "to_s", "must be at most duration_s, %.15g",
                           (double)scenario->duration_ns / LAB_NS_PER_S);
    }
    if (scenario->from_ns >= scenario->to_ns) {
        return lab_fail_at(&place, "from_s", "must be before the end of the window, at %.15g",
                           (double)scenario->to_ns / LAB_NS_PER_S);
    }
    return read_rises(scenario, &place);
}

/* Appends what an element of a list becomes: none, one or several. */
typedef gboolean read_element(const struct lab_place *place, const struct lab_flow_world *world,
                              GPtrArray *into);

/* Both kinds of elements begin with their name. */
G_STATIC_ASSERT(offsetof(struct lab_link, name) == 0 && offsetof(struct lab_flow, name) == 0);

static gboolean are_new(const GPtrArray *elements, guint first, GHashTable *names,
                        const struct lab_place *element)
{
    struct lab_place place = {.up = element->up, .name = element->name};
    for (guint i = first; i < elements->len; i++) {
        const char *name = *(const char *const *)elements->pdata[i];
        if (!g_hash_table_add(names, (gpointer)(guintptr)name)) {
            return lab_fail(&place, "the name \"%s\" is used twice", name);
        }
    }
    return TRUE;
}

static gboolean read_list(const struct lab_place *list, guint most, read_element *read,
                          const struct lab_flow_world *world, GPtrArray *into)
{
    struct lab_place place = {.up = list->up, .name = list->name};
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    gsize n = json_array_size(list->node);
    gboolean good =
        (n >= 1 && n <= most) || lab_fail(&place, "must have 1 to %u elements, not %zu", most, n);
    for (gsize i = 0; good && i < n; i++) {
        char number[16];
        struct lab_place inner = lab_element(list, i, number);
        guint before = into->len;
        good = read(&inner, world, into) && are_new(into, before, names, &inner);
    }
    return good;
}

static gboolean read_link(const struct lab_place *place, const struct lab_flow_world *world,
                          GPtrArray *links)
{
    return lab_link_read(place, world->seed, links);
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

/* Moves the elements out of the list. */
static gpointer *take_list(GPtrArray *list, guint *n)
{
    g_ptr_array_set_free_func(list, NULL);
    *n = list->len;
    return g_ptr_array_free(list, FALSE);
}

static gboolean read_network(struct lab_scenario *scenario, const struct lab_place *file)
{
    struct lab_place links_place = lab_at(file, "links");
    struct lab_place flows_place = lab_at(file, "flows");
    GPtrArray *links = g_ptr_array_new_with_free_func((GDestroyNotify)lab_link_free);
    GPtrArray *flows = g_ptr_array_new_with_free_func((GDestroyNotify)lab_flow_free);
    struct lab_flow_world world = {.links = links, .seed = scenario->seed};
    gboolean good = read_list(&links_place, LAB_MOST_LINKS, read_link, &world, links);
    world.topology = make_topology(links);
    good = good && read_list(&flows_place, LAB_MOST_FLOWS, lab_flow_read, &world, flows);
    lab_topology_free(world.topology);
    scenario->links = (struct lab_link **)take_list(links, &scenario->n_links);
    scenario->flows = (struct lab_flow **)take_list(flows, &scenario->n_flows);
    return good;
}

static gboolean read_tree(struct lab_scenario *scenario, const struct lab_place *file)
{
    scenario->description = "";
    if (!lab_fields_read(top_fields, G_N_ELEMENTS(top_fields), file, scenario)) {
        return FALSE;
    }
    if (strpbrk(scenario->description, "\r\n") != NULL) {
        return lab_fail_at(file, "description", "must be one line");
    }
    return read_measure(scenario, file) && read_network(scenario, file);
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
    json_t *tree = lab_resolve(name, overrides, error);
    if (tree == NULL) {
        return NULL;
    }
    struct lab_place file = {.name = name, .node = tree, .error = error};
    struct lab_scenario *scenario = g_new0(struct lab_scenario, 1);
    scenario->resolved = tree;
    scenario->name = short_name(name);
    if (!read_tree(scenario, &file)) {
        g_clear_pointer(&scenario, lab_scenario_free);
    }
    return scenario;
}

/* See the header. */
char *lab_scenario_text(const struct lab_scenario *scenario)
{
    char *json = json_dumps(scenario->resolved, JSON_INDENT(2));
    char *text = g_strconcat(json, "\n", NULL);
    free(json);
    return text;
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
    json_decref(scenario->resolved);
    g_free(scenario);
}
