/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "known_answers.h"

#include <string.h>

#define WEIR_CONTROLLER(id, file) extern const struct weir_controller weir_##id;
#include "controllers/controllers.def"
#undef WEIR_CONTROLLER

#define WEIR_CONTROLLER(id, file) {&weir_##id, &known_answers_##id},
static const struct {
    const struct weir_controller *controller;
    const struct known_answers *answers;
} all[] = {
#include "controllers/controllers.def"
};
#undef WEIR_CONTROLLER

const struct known_answers *known_answers_find(const char *name)
{
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (strcmp(all[i].controller->name, name) == 0) {
            return all[i].answers;
        }
    }
    return NULL;
}
