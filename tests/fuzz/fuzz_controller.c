/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: the life of a controller, two bytes for each event of ../conformance/events.h, which are
 * what the contract allows a session to do. Between them the algorithm or its limits change. */
#include "../conformance/events.h"
#include "check.h"
#include "input.h"

enum { SWITCH = 251 }; /* what a pair begins with that is no event */

static const struct weir_controller *controller_at(size_t i)
{
    const char *name = weir_algorithm_name(i % weir_algorithm_count());
    const struct weir_controller *controller = weir__controller_find(name);
    CHECK(controller != NULL);
    return controller;
}

/* Another algorithm takes over, with packets in flight and the path as it is known. */
static void switch_algorithm(struct events *e, const struct weir_limits *limits, size_t i)
{
    const struct weir_config config = {
        .params = e->params, .limits = *limits, .packet_bytes = 1000, .seed = i};
    e->controller = controller_at(i);
    events_random_params(e);
    weir__driver_start(&e->driver, e->controller, &config, WEIR_UNKNOWN_NS, e->now_ns);
}

/* Limits of every size, from 1 bit/s to the largest allowed. */
static void change_limits(struct events *e, struct weir_limits *limits, unsigned value)
{
    limits->min_bps = INT64_C(1) << value % 16;
    limits->start_bps = limits->min_bps << value / 64;
    limits->max_bps = weir_min_i64(limits->start_bps << value % 24, INT64_C(100000000000));
    weir__driver_set_limits(&e->driver, limits, e->now_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct events e;
    struct fuzz_input input = {data, size};
    struct weir_limits limits = {.min_bps = 1, .max_bps = 100000000, .start_bps = 300000};
    const struct weir_controller *first = controller_at(fuzz_take(&input));
    events_begin(&e, first, fuzz_take(&input));
    while (input.left > 0) {
        unsigned kind = fuzz_take(&input);
        unsigned value = fuzz_take(&input);
        e.random = kind << 8 | value;
        if (kind < SWITCH) {
            events_step(&e);
        } else if (kind == SWITCH) {
            switch_algorithm(&e, &limits, value);
        } else {
            change_limits(&e, &limits, value);
        }
        const char *wrong = events_check_output(&e);
        if (wrong != NULL) {
            fprintf(stderr, "%s: %s\n", e.controller->name, wrong);
        }
        CHECK(wrong == NULL);
    }
    return 0;
}
