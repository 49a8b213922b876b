/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The algorithms there are. controllers.def lists them, here and in the build; nothing else does.
 */
#include <string.h>

#include "control/controller.h"

#define WEIR_CONTROLLER(id, file) extern const struct weir_controller weir_##id;
#include "controllers/controllers.def"
#undef WEIR_CONTROLLER

#define WEIR_CONTROLLER(id, file) &weir_##id,
static const struct weir_controller *const controllers[] = {
#include "controllers/controllers.def"
};
#undef WEIR_CONTROLLER

#define N_CONTROLLERS (sizeof(controllers) / sizeof(controllers[0]))

const struct weir_controller *weir__controller_at(size_t i)
{
    return i < N_CONTROLLERS ? controllers[i] : NULL;
}

const struct weir_controller *weir__controller_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < N_CONTROLLERS; i++) {
        if (strcmp(controllers[i]->name, name) == 0) {
            return controllers[i];
        }
    }
    return NULL;
}

size_t weir_algorithm_count(void)
{
    return N_CONTROLLERS;
}

const char *weir_algorithm_name(size_t i)
{
    return i < N_CONTROLLERS ? controllers[i]->name : NULL;
}

enum weir_status weir_algorithm_get_info(const char *name, struct weir_algorithm_info *info)
{
    const struct weir_controller *controller = weir__controller_find(name);
    if (info == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (controller == NULL) {
        return WEIR_ERROR_UNKNOWN_ALGORITHM;
    }
    *info = (struct weir_algorithm_info){
        .name = controller->name,
        .description = controller->description,
        .spec = controller->spec,
        .for_live_media = controller->for_live_media,
        .needs = controller->needs,
        .params = controller->params,
        .n_params = controller->n_params,
    };
    return WEIR_OK;
}
