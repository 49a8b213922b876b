/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What registration adds to. */
#ifndef WEIR_REGISTRY_H
#define WEIR_REGISTRY_H

#include "control/controller.h"

/* False: there are WEIR_REGISTERED_MAX. */
bool weir__registry_add(const struct weir_controller *controller);

#endif
