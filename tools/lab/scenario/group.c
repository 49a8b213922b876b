/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/group.h"
#include <string.h>

const struct lab_flow *lab_group_first(struct lab_flow *const *flows, gsize n,
                                       const struct lab_flow *flow)
{
    for (gsize i = 0; i < n && flow->weight > 0 && flows[i] != flow; i++) {
        if (flows[i]->weight > 0 && strcmp(flows[i]->group, flow->group) == 0) {
            return flows[i];
        }
    }
    return NULL;
}

static gboolean has_same_route(const struct lab_flow *a, const struct lab_flow *b)
{
    return a->n_links == b->n_links && a->n_back_links == b->n_back_links &&
           memcmp(a->links, b->links, a->n_links * sizeof *a->links) == 0 &&
           memcmp(a->back_links, b->back_links, a->n_back_links * sizeof *a->back_links) == 0;
}

static gboolean has_same_delays(const struct lab_flow *a, const struct lab_flow *b)
{
    return a->entry_ns == b->entry_ns && a->exit_ns == b->exit_ns &&
           a->back_entry_ns == b->back_entry_ns && a->back_exit_ns == b->back_exit_ns;
}

static gboolean has_same_params(const struct weir_sender_config *a,
                                const struct weir_sender_config *b)
{
    gboolean same = a->n_params == b->n_params;
    for (size_t i = 0; same && i < a->n_params; i++) {
        same = strcmp(a->params[i].name, b->params[i].name) == 0 &&
               memcmp(&a->params[i].value, &b->params[i].value, sizeof a->params[i].value) == 0;
    }
    return same;
}

/* The field in which two flows differ although they share a session, or NULL. */
static const char *find_difference(const struct lab_flow *a, const struct lab_flow *b)
{
    const struct weir_sender_config *x = &a->media.sender;
    const struct weir_sender_config *y = &b->media.sender;
    const struct {
        const char *field;
        gboolean same;
    } all[] = {
        {"algorithm", strcmp(x->algorithm, y->algorithm) == 0},
        {"params", has_same_params(x, y)},
        {"pacing", x->pacing == y->pacing},
        {"pacing_quantum_ms", x->pacing_quantum_ns == y->pacing_quantum_ns},
        {"circuit_breaker", x->circuit_breaker == y->circuit_breaker},
        {"reorder_packets", x->reorder_packets == y->reorder_packets},
        {"header_bytes", a->header_bytes == b->header_bytes},
        {"from", has_same_route(a, b)},
        {"access_ms", has_same_delays(a, b)},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
        if (!all[i].same) {
            return all[i].field;
        }
    }
    return NULL;
}

static gboolean check_same(const struct lab_place *place, const struct lab_flow *first,
                           const struct lab_flow *flow)
{
    static const char text[] = "must %s \"%s\", with which it shares the session of group \"%s\"";
    const char *field = find_difference(first, flow);
    if (field != NULL) {
        bool is_route = strcmp(field, "from") == 0;
        return lab_fail_at(place, field, text,
                           is_route ? "be the route of" : "be the same as that of", first->name,
                           flow->group);
    }
    return flow->start_ns >= first->start_ns ||
           lab_fail_at(place, "start_s", text, "not be earlier than that of", first->name,
                       flow->group);
}

gboolean lab_group_check(const struct lab_place *place, const GPtrArray *flows,
                         const struct lab_flow *flow)
{
    if (flow->weight == 0) {
        return TRUE;
    }
    if (flow->kind != LAB_FLOW_MEDIA) {
        return lab_fail_at(place, "priority",
                           "only flows of the library's algorithms share a session");
    }
    if (flow->media.greedy) {
        return lab_fail_at(place, "source",
                           "must not be greedy in a group, where nobody else would get a turn; "
                           "\"encoder\" makes what it may");
    }
    if (flow->media.media_when_allowed) {
        return lab_fail_at(place, "media_start", "must be \"at-once\" in a group");
    }
    const struct lab_flow *first =
        lab_group_first((struct lab_flow *const *)flows->pdata, flows->len, flow);
    return first == NULL || check_same(place, first, flow);
}
