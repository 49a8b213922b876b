/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two questions that only packets can answer which leave faster than the rate, while the queue is
 * empty.
 *
 * Is the capacity that was last known still all there is? Once a second half a frame leaves at
 * twice that rate, which queues for half a frame's time if nothing has changed.
 *
 * The link spreads them to its own pace. When they arrive at 1.7 times what was known, or more, the
 * capacity is another, and what they proved holds for a second. A radio that sends many
 * packets at once, a token bucket, or other flows that pause for a moment can make it look so: when
 * the link, once busy, gives no quarter more than before, the next probe waits for twice as long,
 * 30 s at the most. So it does when one of its packets is lost: they may be too many for the
 * buffer. One that was right brings the second back. A frame that ends too soon leaves nothing to
 * be measured: then the next one is not far.
 *
 * Where none is known, is there twice the rate? Probe after probe, four packets or a quarter of a
 * frame: on a link that carries just the rate they queue for half of that. What arrives says what
 * may be sent, less a part, because so few packets tell it. */
#ifndef WEIR_ESTIMATORS_CAPACITY_PROBE_H
#define WEIR_ESTIMATORS_CAPACITY_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* weir__capacity_probe_forget begins. */
struct weir__capacity_probe {
    double bps;         /* > 0: packets shall leave at it */
    bool is_ahead;      /* no capacity is known */
    int64_t asked_ns;   /* the last one */
    double apart_s;     /* the next one not before */
    double proved_bps;  /* what the last one proved ... */
    int64_t proved_ns;  /* ... and when */
    double doubted_bps; /* the capacity that it disproved; 0 = the link has shown who is right */
};

void weir__capacity_probe_forget(struct weir__capacity_probe *probe);
/* The queue is empty, and the rate near this capacity: a probe if it is time. */
void weir__capacity_probe_ask(struct weir__capacity_probe *probe, int64_t now_ns,
                              double capacity_bps);
/* The queue is empty, and nobody knows how much more there is. Nothing while another is under way.
 */
void weir__capacity_probe_ask_ahead(struct weir__capacity_probe *probe, double rate_bps);
/* The link is busy and tells its capacity by itself. */
void weir__capacity_probe_on_busy(struct weir__capacity_probe *probe, double capacity_bps);
struct weir__capacity_answer {
    int64_t now_ns;
    bool lost; /* some of it */
    double sent_bytes;
    double sent_bps; /* at which it left ... */
    double bps;      /* ... and arrived, the lower of both */
};

/* True: the answer disproves this capacity. One that nobody waits for proves nothing, nor one that
 * comes when none is known any more (0). */
bool weir__capacity_probe_take(struct weir__capacity_probe *probe,
                               const struct weir__capacity_answer *answer, double capacity_bps);
/* The answer to one that is ahead: what it proves that may be sent, bit/s; 0 = nothing. */
double weir__capacity_probe_take_ahead(struct weir__capacity_probe *probe,
                                       const struct weir__capacity_answer *answer);
/* What was proved in the last second, bit/s; 0 = nothing. */
double weir__capacity_probe_proved_bps(const struct weir__capacity_probe *probe, int64_t now_ns);
/* Wire bytes to ask for; 0 = none. */
int64_t weir__capacity_probe_bytes(const struct weir__capacity_probe *probe);

#endif
