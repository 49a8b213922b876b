/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algorithms that a program brings: their tables are checked as the build checks our own. */
#include "control/registry.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static bool is_name(const char *name)
{
    return name && name[0] != '\0' && strspn(name, LOWER DIGITS "-") == strlen(name);
}

/* Whether the value may be given: in range, and whole where that is asked for. */
static bool allows(const struct weir_param *param, double value)
{
    bool is_whole = param->kind == WEIR_PARAM_NUMBER || value == floor(value);
    return value >= param->min && value <= param->max && is_whole;
}

/* As many names as the range says. */
static bool has_choices(const struct weir_param *param)
{
    double n = 0.0;
    if (param->kind != WEIR_PARAM_CHOICE) {
        return param->choices == NULL;
    }
    for (; param->choices && param->choices[(size_t)n]; n += 1.0) {
    }
    return param->min == 0.0 && n > 0.0 && param->max == n - 1.0;
}

static bool is_param(const struct weir_param *param)
{
    return is_name(param->name) && param->unit && param->description && isfinite(param->min) &&
           isfinite(param->max) && allows(param, param->default_value) && has_choices(param);
}

/* What is wrong: "of: text". */
struct fault {
    enum weir_status status;
    const char *of;
    const char *text;
};

static struct fault fault_of_params(const struct weir_controller *c)
{
    for (size_t i = 0; i < c->n_params; i++) {
        const struct weir_param *param = &c->params[i];
        if (!is_param(param)) {
            return (struct fault){WEIR_ERROR_ARGUMENT, param->name ? param->name : "a parameter",
                                  "needs a name of lower case letters, digits and '-', a unit, a "
                                  "description, min <= default <= max, and as a choice a name for "
                                  "each of 0 to max"};
        }
    }
    return (struct fault){WEIR_OK, NULL, NULL};
}

static struct fault fault_of(const struct weir_controller *c)
{
    const struct {
        bool is_so;
        enum weir_status status;
        const char *text;
    } faults[] = {
        {!is_name(c->name), WEIR_ERROR_ARGUMENT,
         "a name is made of lower case letters, digits and '-'"},
        {!c->description || !c->spec, WEIR_ERROR_ARGUMENT, "has no description, or no spec"},
        {!c->init || !c->get_output, WEIR_ERROR_ARGUMENT, "has no init, or no get_output"},
        {c->state_bytes > WEIR_STATE_MAX_BYTES, WEIR_ERROR_RANGE,
         "its state has more than 4096 bytes"},
        {c->n_params > WEIR_MAX_PARAMS || (c->n_params > 0 && !c->params), WEIR_ERROR_RANGE,
         "has more than 32 parameters, or no table of them"},
        {weir__controller_find(c->name) != NULL, WEIR_ERROR_ARGUMENT,
         "an algorithm of that name is there already"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (faults[i].is_so) {
            return (struct fault){faults[i].status, c->name ? c->name : "a controller",
                                  faults[i].text};
        }
    }
    return fault_of_params(c);
}

_Static_assert(WEIR_STATE_MAX_BYTES == 4096 && WEIR_MAX_PARAMS == 32 && WEIR_REGISTERED_MAX == 64,
               "as the sentences say");

static enum weir_status answer(const struct fault *fault, char *why, size_t n_why)
{
    if (fault->status != WEIR_OK && why && n_why > 0) {
        snprintf(why, n_why, "%s: %s", fault->of, fault->text);
    }
    return fault->status;
}

enum weir_status weir_register_controller(const struct weir_controller *controller,
                                          uint32_t contract_version, char *why, size_t n_why)
{
    struct fault fault = {WEIR_ERROR_ARGUMENT, "a controller", "is missing"};
    char made_for[64];
    if (contract_version != WEIR_CONTRACT_VERSION) {
        snprintf(made_for, sizeof made_for, "made for version %lu of the contract",
                 (unsigned long)contract_version);
        fault = (struct fault){WEIR_ERROR_UNSUPPORTED, made_for,
                               "this libweir has another; compile it with this one's headers"};
    } else if (controller) {
        fault = fault_of(controller);
    }
    if (fault.status == WEIR_OK && !weir__registry_add(controller)) {
        fault = (struct fault){WEIR_ERROR_NO_SPACE, controller->name,
                               "64 algorithms are registered already"};
    }
    return answer(&fault, why, n_why);
}
