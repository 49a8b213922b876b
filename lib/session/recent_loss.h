/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many of the packets reported in the last ten seconds were lost. */
#ifndef WEIR_SESSION_RECENT_LOSS_H
#define WEIR_SESSION_RECENT_LOSS_H

#include <stdint.h>

enum { WEIR__RECENT_LOSS_SECONDS = 10 };

struct weir__recent_loss {
    struct weir__loss_second {
        int64_t second; /* whose counts these are */
        int64_t received_packets, lost_packets;
    } seconds[WEIR__RECENT_LOSS_SECONDS];
};

void weir__recent_loss_init(struct weir__recent_loss *loss);
/* lost_packets < 0: so many that were taken for lost have arrived. */
void weir__recent_loss_add(struct weir__recent_loss *loss, int64_t now_ns, int64_t received_packets,
                           int64_t lost_packets);
/* Of the ten seconds that end at until_ns: 0 to 1 000 000; 0 when nothing was reported. */
int64_t weir__recent_loss_ppm(const struct weir__recent_loss *loss, int64_t until_ns);

#endif
