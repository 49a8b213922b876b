/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/copies.h"
#include "scenario/json.h"
#include "scenario/link.h"
#include "sim/base/random.h"
#include <math.h>
#include <string.h>

struct copier {
    struct lab_vars *vars;
    const struct lab_place *element;
    guint64 seed;
    guint64 count;     /* 1 or more */
    gboolean numbered; /* ".i" behind the name, which does not tell copies apart itself */
};

/* The numbers of a field that may differ between copies. */
struct spread {
    enum { ONE, EVEN, UNIFORM, TURNS } form;
    json_t *node;
    double first;
    double last;
    struct weir__random random;
};

static gboolean read_range(struct spread *spread, const struct lab_place *place)
{
    struct lab_place even = lab_at(place, "even");
    struct lab_place pair = even.node != NULL ? even : lab_at(place, "uniform");
    if (json_object_size(place->node) != 1 || pair.node == NULL) {
        return lab_fail(place,
                        "must be a number, {\"even\": [first, last]}, {\"uniform\": [low, high]} "
                        "or a list of numbers");
    }
    json_t *first = json_array_get(pair.node, 0);
    json_t *last = json_array_get(pair.node, 1);
    spread->form = even.node != NULL ? EVEN : UNIFORM;
    spread->first = json_number_value(first);
    spread->last = json_number_value(last);
    if (json_array_size(pair.node) != 2 || !json_is_number(first) || !json_is_number(last)) {
        return lab_fail(&pair, "must be a list of two numbers");
    }
    return spread->form == EVEN || spread->first <= spread->last ||
           lab_fail(&pair, "must be [low, high] with low <= high");
}

static gboolean read_turns(struct spread *spread, const struct lab_place *place)
{
    struct lab_place inner = *place;
    size_t i;
    json_array_foreach(place->node, i, inner.node)
    {
        if (!json_is_number(inner.node)) {
            return lab_fail(&inner, "must be a number");
        }
    }
    spread->form = TURNS;
    return json_array_size(place->node) > 0 || lab_fail(place, "must have a number at least");
}

/* What is no spread is left to the reader of the field. */
static gboolean spread_init(struct spread *spread, const struct lab_place *place, guint64 seed)
{
    *spread = (struct spread){.form = ONE, .node = place->node};
    g_autofree char *path = lab_place_text(place);
    weir__random_init(&spread->random, lab_seed_for(seed, "spread", path), 0);
    return json_is_object(place->node)  ? read_range(spread, place)
           : json_is_array(place->node) ? read_turns(spread, place)
                                        : TRUE;
}

/* Puts the value of copy i of n, from 1, asked for in this order. */
static void spread_put(struct spread *spread, json_t *object, const char *name, guint64 i,
                       guint64 n)
{
    double width = spread->last - spread->first;
    if (spread->form == EVEN) {
        double value = i == n && n > 1
                           ? spread->last
                           : spread->first + width * (double)(i - 1) / (double)MAX(n - 1, 1);
        json_object_set_new(object, name, lab_json_number(value));
    } else if (spread->form == UNIFORM) {
        double value = spread->first + width * weir__random_uniform(&spread->random);
        json_object_set_new(object, name, lab_json_number(value));
    } else if (spread->form == TURNS) {
        size_t turn = (size_t)((i - 1) % json_array_size(spread->node));
        json_object_set(object, name, json_array_get(spread->node, turn));
    }
}

static const char *const spread_names[][4] = {
    [LAB_LIST_LINKS] = {"delay_ms"},
    [LAB_LIST_FLOWS] = {"start_s", "stop_s", "rtt_ms", "access_ms"},
};
#define MOST_SPREADS G_N_ELEMENTS(spread_names[0])

struct spreads {
    const char *const *names; /* NULL: no more */
    struct spread each[MOST_SPREADS];
    struct spread reverse_delay; /* of links */
};

static gboolean spreads_init(struct spreads *spreads, const struct copier *copier,
                             enum lab_list_kind kind)
{
    struct lab_place reverse = lab_at(copier->element, "reverse");
    struct lab_place delay = lab_at(&reverse, "delay_ms");
    *spreads = (struct spreads){.names = spread_names[kind]};
    for (gsize i = 0; i < MOST_SPREADS && spreads->names[i] != NULL; i++) {
        struct lab_place inner = lab_at(copier->element, spreads->names[i]);
        if (!spread_init(&spreads->each[i], &inner, copier->seed)) {
            return FALSE;
        }
    }
    return kind != LAB_LIST_LINKS || spread_init(&spreads->reverse_delay, &delay, copier->seed);
}

static void put_spreads(struct spreads *spreads, json_t *copy, guint64 i, guint64 n)
{
    for (gsize k = 0; k < MOST_SPREADS && spreads->names[k] != NULL; k++) {
        spread_put(&spreads->each[k], copy, spreads->names[k], i, n);
    }
    if (spreads->reverse_delay.form != ONE) {
        json_t *reverse = json_copy(json_object_get(copy, "reverse"));
        spread_put(&spreads->reverse_delay, reverse, "delay_ms", i, n);
        json_object_set_new(copy, "reverse", reverse);
    }
}

/* Puts what stands in braces into one name. */
static gboolean put_name(const struct copier *copier, json_t *copy, const char *field, guint64 i)
{
    struct lab_place place = lab_at(copier->element, field);
    json_t *name = lab_vars_name(copier->vars, &place, i);
    if (name != NULL && copier->numbered && strcmp(field, "name") == 0) {
        json_auto_t *plain = name;
        name = json_sprintf("%s.%" G_GUINT64_FORMAT, json_string_value(plain), i);
    }
    return json_object_set_new(copy, field, name) == 0 || !json_is_string(place.node);
}

static gboolean put_via(const struct copier *copier, json_t *copy, guint64 i)
{
    struct lab_place place = lab_at(copier->element, "via");
    json_t *names = json_array();
    json_t *stop;
    size_t k;
    if (!json_is_array(place.node)) {
        json_decref(names);
        return TRUE;
    }
    json_object_set_new(copy, "via", names);
    json_array_foreach(json_object_get(copier->element->node, "via"), k, stop)
    {
        place.node = stop;
        json_t *name =
            json_is_string(stop) ? lab_vars_name(copier->vars, &place, i) : json_incref(stop);
        if (json_array_append_new(names, name) != 0) {
            return FALSE;
        }
    }
    return TRUE;
}

/* The name without the number of the copy: "cross-{i}" is of the group "cross". */
static gboolean put_group(const struct copier *copier, json_t *copy)
{
    struct lab_place place = lab_at(copier->element, "name");
    if (!json_is_string(place.node) || json_object_get(copier->element->node, "group") != NULL) {
        return TRUE;
    }
    json_t *name = lab_vars_name(copier->vars, &place, 0);
    if (name == NULL) {
        return FALSE;
    }
    const char *group = json_string_value(name);
    gsize n = strlen(group);
    while (n > 1 && strchr("-_. ", group[n - 1]) != NULL) {
        n--;
    }
    json_object_set_new(copy, "group", n > 0 ? json_stringn(group, n) : json_string("flows"));
    json_decref(name);
    return TRUE;
}

static gboolean put_names(const struct copier *copier, json_t *copy, enum lab_list_kind kind,
                          guint64 i)
{
    return put_name(copier, copy, "name", i) && put_name(copier, copy, "from", i) &&
           put_name(copier, copy, "to", i) &&
           (kind == LAB_LIST_LINKS || (put_name(copier, copy, "group", i) &&
                                       put_via(copier, copy, i) && put_group(copier, copy)));
}

/* Whether copies need ".1", ".2" ... because their names are all the same. */
static gboolean find_numbered(struct copier *copier)
{
    struct lab_place place = lab_at(copier->element, "name");
    if (copier->count == 1 || !json_is_string(place.node)) {
        return TRUE;
    }
    json_auto_t *one = lab_vars_name(copier->vars, &place, 1);
    json_auto_t *two = one != NULL ? lab_vars_name(copier->vars, &place, 2) : NULL;
    gboolean good = two != NULL;
    copier->numbered = json_equal(one, two);
    return good;
}

/* What is no number is left to the reader of the field. */
static gboolean read_count(const struct lab_place *element, guint most, gsize already,
                           guint64 *count)
{
    struct lab_place place = lab_at(element, "count");
    double number = json_is_number(place.node) ? json_number_value(place.node) : 1.0;
    if (!(number >= 0.0 && number <= most) || floor(number) != number) {
        return lab_fail(&place, "must be a whole number from 0 to %u", most);
    }
    *count = (guint64)number;
    return *count + already <= most || lab_fail(&place, "makes more than %u in all", most);
}

/* Appends the copies of an element (without variables but in names) to `list`, of which `most` may
 * be there in the end. An element with `count` 0 is kept, as a single one, for its fields to be
 * checked. */
gboolean lab_copies_add(enum lab_list_kind kind, struct lab_vars *vars, guint64 seed, guint most,
                        const struct lab_place *element, json_t *list)
{
    struct copier copier = {.vars = vars, .element = element, .seed = seed};
    struct spreads spreads;
    guint64 count = 0;
    if (!read_count(element, most, json_array_size(list), &count)) {
        return FALSE;
    }
    copier.count = MAX(count, 1);
    if (!find_numbered(&copier) || !spreads_init(&spreads, &copier, kind)) {
        return FALSE;
    }
    for (guint64 i = 1; i <= copier.count; i++) {
        json_t *copy = json_copy(element->node);
        json_array_append_new(list, copy);
        if (count > 0 && json_is_number(json_object_get(copy, "count"))) {
            json_object_del(copy, "count");
        }
        put_spreads(&spreads, copy, i, copier.count);
        if (!put_names(&copier, copy, kind, i)) {
            return FALSE;
        }
    }
    return TRUE;
}
