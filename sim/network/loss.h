/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss that is not queue overflow: which packets does the link itself lose? */
#ifndef WEIR_SIM_LOSS_H
#define WEIR_SIM_LOSS_H

#include "sim/base/random.h"
#include "weir/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir__link_loss_model {
    WEIR__LOSS_NONE,
    WEIR__LOSS_BERNOULLI, /* each packet with probability p */
    WEIR__LOSS_GILBERT,   /* Gilbert-Elliott: a good and a bad state */
    WEIR__LOSS_PERIODIC,  /* packets N, 2N, 3N ... */
    WEIR__LOSS_TIMED,     /* the first packet after instants a shifted exponential apart */
    WEIR__LOSS_COUNTED,   /* the same, the distance counted in packets */
    WEIR__LOSS_TRACE      /* the packets with the listed numbers, counted from 1 */
};

/* Zeroed = no loss. Only the fields of the chosen model are read. */
struct weir__link_loss_config {
    enum weir__link_loss_model model;
    double p;                     /* BERNOULLI, [0, 1] */
    double p_good_to_bad;         /* GILBERT, per packet, [0, 1] */
    double p_bad_to_good;         /* GILBERT, per packet, [0, 1]; mean burst = 1/p packets */
    double p_loss_good;           /* GILBERT, [0, 1] */
    double p_loss_bad;            /* GILBERT, [0, 1]; 1 is the classic burst model */
    int64_t every_packets;        /* PERIODIC, >= 1 */
    int64_t mean_ns;              /* TIMED, > 0, mean time between losses */
    int64_t mean_packets;         /* COUNTED, >= 1 */
    double variation;             /* TIMED, COUNTED: coefficient of variation, [0, 1] */
    const int64_t *trace_packets; /* TRACE, ascending, >= 1; must outlive the user */
    size_t n_trace;
};

struct weir__link_loss {
    struct weir__link_loss_config config;
    struct weir__random random;
    int64_t seen_packets;
    int64_t next_loss; /* an instant in ns (TIMED) or a packet number (COUNTED) */
    size_t trace_at;
    bool bad;
};

/* The model that loses `ratio` of the packets, on the average so many in a row. */
void weir__link_loss_in_bursts(struct weir__link_loss_config *config, double ratio,
                               double burst_packets);
enum weir_status weir__link_loss_check(const struct weir__link_loss_config *config);
void weir__link_loss_init(struct weir__link_loss *loss, const struct weir__link_loss_config *config,
                          const struct weir__random *random, int64_t now_ns);
bool weir__link_loss_takes(struct weir__link_loss *loss, int64_t now_ns);

#endif
