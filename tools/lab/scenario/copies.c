/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/copies.h"
#include "scenario/json.h"
#include "scenario/link.h"
#include "sim/base/random.h"
#include <math.h>
#include <string.h>

struct copier {
    struct lab_vars *vars;
    const struct lab_place *place;
    JsonNode *element;
    guint64 seed;
    guint64 count;     /* 1 or more */
    gboolean numbered; /* ".i" behind the name, which does not tell copies apart itself */
};

/* The numbers of a field that may differ between copies. */
struct spread {
    enum { ONE, EVEN, UNIFORM, TURNS } form;
    JsonNode *node;
    double first;
    double last;
    struct weir__random random;
};

static gboolean read_pair(struct spread *spread, JsonNode *pair, const struct lab_place *place,
                          GError **error)
{
    JsonArray *list = JSON_NODE_HOLDS_ARRAY(pair) ? json_node_get_array(pair) : NULL;
    if (list == NULL || json_array_get_length(list) != 2 ||
        !lab_json_is_number(json_array_get_element(list, 0)) ||
        !lab_json_is_number(json_array_get_element(list, 1))) {
        return lab_fail(error, place, pair, "must be a list of two numbers");
    }
    spread->first = json_array_get_double_element(list, 0);
    spread->last = json_array_get_double_element(list, 1);
    return spread->form == EVEN || spread->first <= spread->last ||
           lab_fail(error, place, pair, "must be [low, high] with low <= high");
}

static gboolean read_range(struct spread *spread, JsonNode *node, const struct lab_place *place,
                           GError **error)
{
    JsonNode *even = lab_json_get(node, "even");
    JsonNode *uniform = lab_json_get(node, "uniform");
    struct lab_place inner = {.up = place, .name = even != NULL ? "even" : "uniform"};
    if (json_object_get_size(json_node_get_object(node)) != 1 ||
        (even == NULL && uniform == NULL)) {
        return lab_fail(error, place, node,
                        "must be a number, {\"even\": [first, last]}, {\"uniform\": [low, high]} "
                        "or a list of numbers");
    }
    spread->form = even != NULL ? EVEN : UNIFORM;
    return read_pair(spread, even != NULL ? even : uniform, &inner, error);
}

static gboolean read_turns(struct spread *spread, JsonNode *node, const struct lab_place *place,
                           GError **error)
{
    JsonArray *list = json_node_get_array(node);
    guint n = json_array_get_length(list);
    for (guint i = 0; i < n; i++) {
        if (!lab_json_is_number(json_array_get_element(list, i))) {
            return lab_fail(error, place, json_array_get_element(list, i), "must be a number");
        }
    }
    spread->form = TURNS;
    return n > 0 || lab_fail(error, place, node, "must have a number at least");
}

/* What is no spread is left to the reader of the field. */
static gboolean spread_init(struct spread *spread, JsonNode *node, const struct lab_place *place,
                            guint64 seed, GError **error)
{
    *spread = (struct spread){.form = ONE, .node = node};
    char *path = lab_place_text(place);
    weir__random_init(&spread->random, lab_seed_for(seed, "spread", path), 0);
    g_free(path);
    if (node != NULL && JSON_NODE_HOLDS_OBJECT(node)) {
        return read_range(spread, node, place, error);
    }
    return node == NULL || !JSON_NODE_HOLDS_ARRAY(node) || read_turns(spread, node, place, error);
}

/* The value of copy i of n, from 1, asked for in this order. A new reference. */
static JsonNode *spread_next(struct spread *spread, guint64 i, guint64 n)
{
    JsonArray *list = spread->form == TURNS ? json_node_get_array(spread->node) : NULL;
    double width = spread->last - spread->first;
    switch (spread->form) {
    case EVEN:
        return lab_json_number(i == n && n > 1 ? spread->last
                                               : spread->first + width * (double)(i - 1) /
                                                                     (double)MAX(n - 1, 1));
    case UNIFORM:
        return lab_json_number(spread->first + width * weir__random_uniform(&spread->random));
    case TURNS:
        return json_node_ref(
            json_array_get_element(list, (guint)((i - 1) % json_array_get_length(list))));
    case ONE:
        break;
    }
    return json_node_ref(spread->node);
}

static const char *const flow_spreads[] = {"start_s", "stop_s", "rtt_ms", "access_ms"};
static const char *const link_spreads[] = {"delay_ms"};
#define MOST_SPREADS 4

struct spreads {
    const char *const *names;
    gsize n;
    struct spread each[MOST_SPREADS];
    struct spread reverse_delay; /* of links */
};

static gboolean spreads_init(struct spreads *spreads, const struct copier *copier,
                             enum lab_list_kind kind, GError **error)
{
    struct lab_place reverse = {.up = copier->place, .name = "reverse"};
    struct lab_place delay = {.up = &reverse, .name = "delay_ms"};
    spreads->names = kind == LAB_LIST_FLOWS ? flow_spreads : link_spreads;
    spreads->n = kind == LAB_LIST_FLOWS ? G_N_ELEMENTS(flow_spreads) : G_N_ELEMENTS(link_spreads);
    for (gsize i = 0; i < spreads->n; i++) {
        struct lab_place inner = {.up = copier->place, .name = spreads->names[i]};
        if (!spread_init(&spreads->each[i], lab_json_get(copier->element, spreads->names[i]),
                         &inner, copier->seed, error)) {
            return FALSE;
        }
    }
    JsonNode *node = kind == LAB_LIST_LINKS ? lab_json_get(copier->element, "reverse") : NULL;
    return spread_init(&spreads->reverse_delay, lab_json_get(node, "delay_ms"), &delay,
                       copier->seed, error);
}

static void put_spreads(struct spreads *spreads, JsonNode *copy, guint64 i, guint64 n)
{
    for (gsize k = 0; k < spreads->n; k++) {
        if (spreads->each[k].node != NULL) {
            lab_json_set(copy, spreads->names[k], spread_next(&spreads->each[k], i, n));
        }
    }
    if (spreads->reverse_delay.node != NULL) {
        JsonNode *reverse = lab_json_copy_object(lab_json_get(copy, "reverse"));
        lab_json_set(reverse, "delay_ms", spread_next(&spreads->reverse_delay, i, n));
        lab_json_set(copy, "reverse", reverse);
    }
}

/* Puts what stands in braces into one name. */
static gboolean put_name(const struct copier *copier, JsonNode *copy, const char *field, guint64 i,
                         GError **error)
{
    JsonNode *node = lab_json_get(copier->element, field);
    struct lab_place place = {.up = copier->place, .name = field};
    if (!lab_json_is_text(node)) {
        return TRUE;
    }
    char *name = lab_vars_name(copier->vars, &place, json_node_get_string(node), i, error);
    if (name == NULL) {
        return FALSE;
    }
    if (copier->numbered && strcmp(field, "name") == 0) {
        char *numbered = g_strdup_printf("%s.%" G_GUINT64_FORMAT, name, i);
        g_free(name);
        name = numbered;
    }
    lab_json_set(copy, field, lab_json_text(name));
    g_free(name);
    return TRUE;
}

static gboolean put_via(const struct copier *copier, JsonNode *copy, guint64 i, GError **error)
{
    JsonNode *node = lab_json_get(copier->element, "via");
    struct lab_place place = {.up = copier->place, .name = "via"};
    if (node == NULL || !JSON_NODE_HOLDS_ARRAY(node)) {
        return TRUE;
    }
    JsonArray *list = json_node_get_array(node);
    JsonArray *names = json_array_new();
    gboolean good = TRUE;
    for (guint k = 0; good && k < json_array_get_length(list); k++) {
        JsonNode *stop = json_array_get_element(list, k);
        char *name = lab_json_is_text(stop)
                         ? lab_vars_name(copier->vars, &place, json_node_get_string(stop), i, error)
                         : NULL;
        good = name != NULL || !lab_json_is_text(stop);
        if (good) {
            json_array_add_element(names, name != NULL ? lab_json_text(name) : json_node_ref(stop));
        }
        g_free(name);
    }
    JsonNode *via = json_node_init_array(json_node_alloc(), names);
    json_array_unref(names);
    lab_json_set(copy, "via", via);
    return good;
}

/* The name without the number of the copy: "cross-{i}" is of the group "cross". */
static gboolean put_group(const struct copier *copier, JsonNode *copy, GError **error)
{
    JsonNode *node = lab_json_get(copier->element, "name");
    struct lab_place place = {.up = copier->place, .name = "name"};
    if (!lab_json_is_text(node) || lab_json_get(copier->element, "group") != NULL) {
        return TRUE;
    }
    char *group = lab_vars_name(copier->vars, &place, json_node_get_string(node), 0, error);
    if (group == NULL) {
        return FALSE;
    }
    for (gsize n = strlen(group); n > 1 && strchr("-_. ", group[n - 1]) != NULL; n--) {
        group[n - 1] = '\0';
    }
    lab_json_set(copy, "group", lab_json_text(group[0] != '\0' ? group : "flows"));
    g_free(group);
    return TRUE;
}

static gboolean put_names(const struct copier *copier, JsonNode *copy, enum lab_list_kind kind,
                          guint64 i, GError **error)
{
    return put_name(copier, copy, "name", i, error) && put_name(copier, copy, "from", i, error) &&
           put_name(copier, copy, "to", i, error) &&
           (kind == LAB_LIST_LINKS ||
            (put_name(copier, copy, "group", i, error) && put_via(copier, copy, i, error) &&
             put_group(copier, copy, error)));
}

/* Whether copies need ".1", ".2" ... because their names are all the same. */
static gboolean find_numbered(struct copier *copier, GError **error)
{
    JsonNode *node = lab_json_get(copier->element, "name");
    struct lab_place place = {.up = copier->place, .name = "name"};
    if (copier->count == 1 || !lab_json_is_text(node)) {
        return TRUE;
    }
    char *one = lab_vars_name(copier->vars, &place, json_node_get_string(node), 1, error);
    char *two = one != NULL
                    ? lab_vars_name(copier->vars, &place, json_node_get_string(node), 2, error)
                    : NULL;
    gboolean good = two != NULL;
    copier->numbered = good && strcmp(one, two) == 0;
    g_free(one);
    g_free(two);
    return good;
}

/* The count of the element; what is no number is left to the reader of the field. */
static gboolean read_count(const struct lab_place *element, JsonNode *node, guint most,
                           guint already, guint64 *count, GError **error)
{
    struct lab_place place = {.up = element, .name = "count"};
    double number = lab_json_is_number(node) ? json_node_get_double(node) : 1.0;
    if (!(number >= 0.0 && number <= most) || floor(number) != number) {
        return lab_fail(error, &place, node, "must be a whole number from 0 to %u", most);
    }
    *count = (guint64)number;
    return *count + already <= most ||
           lab_fail(error, &place, node, "makes more than %u in all", most);
}

/* Appends the copies of an element (without variables but in names) to `list`, of which `most` may
 * be there in the end. An element with `count` 0 is kept, as a single one, for its fields to be
 * checked. */
gboolean lab_copies_add(enum lab_list_kind kind, struct lab_vars *vars, guint64 seed, guint most,
                        const struct lab_place *place, JsonNode *element, JsonArray *list,
                        GError **error)
{
    struct copier copier = {.vars = vars, .place = place, .element = element, .seed = seed};
    struct spreads spreads;
    guint64 count = 0;
    if (!JSON_NODE_HOLDS_OBJECT(element)) {
        return lab_fail(error, place, element, "must be an object, {...}");
    }
    if (!read_count(place, lab_json_get(element, "count"), most, json_array_get_length(list),
                    &count, error)) {
        return FALSE;
    }
    copier.count = MAX(count, 1);
    if (!find_numbered(&copier, error) || !spreads_init(&spreads, &copier, kind, error)) {
        return FALSE;
    }
    for (guint64 i = 1; i <= copier.count; i++) {
        JsonNode *copy = lab_json_copy_object(element);
        if (count > 0 && lab_json_is_number(lab_json_get(element, "count"))) {
            json_object_remove_member(json_node_get_object(copy), "count");
        }
        put_spreads(&spreads, copy, i, copier.count);
        json_array_add_element(list, copy);
        if (!put_names(&copier, copy, kind, i, error)) {
            return FALSE;
        }
    }
    return TRUE;
}
