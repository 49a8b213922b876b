/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one thread: packets, the paths' deadlines, signals, lines on stdin and reports, and the
 * command that uses the link. */
#ifndef WEIR_LINK_LOOP_H
#define WEIR_LINK_LOOP_H

#include "control.h"
#include "direction.h"
#include "options.h"
#include "report.h"
#include <poll.h>
#include <sys/types.h>

/* What is waited for; the first two are read by the directions. */
enum link_loop_fd { LINK_LOOP_A, LINK_LOOP_B, LINK_LOOP_SIGNALS, LINK_LOOP_CONTROL, LINK_LOOP_FDS };

struct link_loop {
    struct link_direction *directions[2]; /* forward, reverse */
    struct link_control *control;         /* NULL: stdin belongs to somebody else */
    struct link_report *report;
    int64_t duration_ns; /* WEIR_NEVER_NS: none */
    pid_t command;       /* 0: none */
    int command_status;  /* of wait(), when the command has ended */
    int64_t origin_ns;   /* set by run */
    struct pollfd fds[LINK_LOOP_FDS];
    gboolean ended;
};

void link_loop_block_signals(void);
gboolean link_loop_start_command(struct link_loop *loop, const struct link_options *options,
                                 GError **error);
gboolean link_loop_run(struct link_loop *loop, int a_fd, int b_fd, GError **error);
int link_loop_exit_status(const struct link_loop *loop);

#endif
