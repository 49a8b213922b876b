/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The algorithms there are. controllers.def lists the library's own, here and in the build; nothing
 * else does. Behind them come those that the program brought. */
#include "control/registry.h"
#include <string.h>

#define WEIR_CONTROLLER(id, file) extern const struct weir_controller weir_##id;
#include "controllers/controllers.def"
#undef WEIR_CONTROLLER

#define WEIR_CONTROLLER(id, file) &weir_##id,
static const struct weir_controller *const controllers[] = {
#include "controllers/controllers.def"
};
#undef WEIR_CONTROLLER

#define N_CONTROLLERS (sizeof(controllers) / sizeof(controllers[0]))

/* Of the process: written before there is a session, read ever after. */
static const struct weir_controller *registered[WEIR_REGISTERED_MAX];
static size_t n_registered;

bool weir__registry_add(const struct weir_controller *controller)
{
    bool has_room = n_registered < WEIR_REGISTERED_MAX;
    if (has_room) {
        registered[n_registered++] = controller;
    }
    return has_room;
}

const struct weir_controller *weir__controller_at(size_t i)
{
    if (i < N_CONTROLLERS) {
        return controllers[i];
    }
    return i - N_CONTROLLERS < n_registered ? registered[i - N_CONTROLLERS] : NULL;
}

const struct weir_controller *weir__controller_find(const char *name)
{
    for (size_t i = 0; name != NULL && i < weir_algorithm_count(); i++) {
        const struct weir_controller *controller = weir__controller_at(i);
        if (strcmp(controller->name, name) == 0) {
            return controller;
        }
    }
    return NULL;
}

size_t weir_algorithm_count(void)
{
    return N_CONTROLLERS + n_registered;
}

const char *weir_algorithm_name(size_t i)
{
    const struct weir_controller *controller = weir__controller_at(i);
    return controller ? controller->name : NULL;
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
