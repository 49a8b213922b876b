/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command that uses the link. */
#ifndef WEIR_LINK_COMMAND_H
#define WEIR_LINK_COMMAND_H

#include "options.h"
#include <sys/types.h>

gboolean link_command_start(const struct link_options *options, pid_t *pid, GError **error);
void link_command_stop(pid_t pid);
int link_command_exit_status(int wait_status);

#endif
