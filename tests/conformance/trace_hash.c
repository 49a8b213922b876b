/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints one hash per controller over all answers of a thousand random lives. test_determinism.py
 * builds this with more than one compiler and level of optimisation, and compares. */
#include "events.h"

#include <stdio.h>

int main(void)
{
    static struct events e;
    for (size_t i = 0; weir__controller_at(i) != NULL; i++) {
        const struct weir_controller *controller = weir__controller_at(i);
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
        for (uint64_t seed = 1; seed <= 1000; seed++) {
            events_begin(&e, controller, seed);
            for (int step = 0; step < 200; step++) {
                events_step(&e);
                hash = events_hash(&e, hash);
            }
        }
        printf("%s %016llx\n", controller->name, (unsigned long long)hash);
    }
    return 0;
}
