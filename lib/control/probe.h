/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A probe: the packets that leave from the moment a controller asked for so many bytes at such a
 * rate, media first and what the program sends in addition (repair, padding) behind it, and what
 * became of them.
 *
 * Made of nothing but the events that controllers get, so a replay has the same probes. Zero means
 * none so far. Plain struct, no pointers.
 *
 * Invariants, whatever is asked for and whatever is reported:
 *   - a probe ends with the packet that completes WEIR__PROBE_MAX_BYTES, or 100 ms of the maximum
 *     rate if that is less, WEIR__PROBE_FILL_NS after it began at the latest, and
 *     WEIR__PROBE_SLACK_NS after its last packet was due;
 *   - in every interval of t seconds, probes have begun with less than
 *     (t + 1) * WEIR__PROBE_BYTES_PER_S + WEIR__PROBE_MAX_BYTES sent in those before. */
#ifndef WEIR_PROBE_H
#define WEIR_PROBE_H

#include "control/controller.h"

/* Ten full packets: enough of them to measure a rate by, and at 1 Mbit/s a queue of 120 ms. */
#define WEIR__PROBE_MAX_BYTES 15000
#define WEIR__PROBE_MAX_NS    WEIR_MS(100) /* of the maximum rate */
/* In the mean. Who forges reports can ask for as many probes as the controller has reasons for. */
#define WEIR__PROBE_BYTES_PER_S 15000
/* A program that has nothing to send in addition fills a probe with its frames, or not. */
#define WEIR__PROBE_FILL_NS WEIR_MS(200)
/* Beside the time that it takes at its rate: two pacing quanta. What leaves later has waited for
 * the next frame, and says nothing of the rate. */
#define WEIR__PROBE_SLACK_NS WEIR_MS(10)
/* After its last packet left: later answers tell of another time (libwebrtc waits as long). */
#define WEIR__PROBE_ANSWER_NS WEIR_SECONDS(1)

enum weir__probe_stage { WEIR__PROBE_NONE, WEIR__PROBE_FILLS, WEIR__PROBE_WAITS };

struct weir__probe {
    enum weir__probe_stage stage;
    int64_t asked_bytes;
    int64_t asked_bps;
    int64_t deadline_ns;
    int64_t first_seq;
    int64_t n_sent;
    int64_t n_told; /* reported received or lost */
    int64_t sent_bytes;
    int64_t received_bytes;
    /* Of the packets whose arrival times are known. */
    int64_t timed_bytes;
    int64_t first_sent_ns, last_sent_ns, last_sent_bytes;
    int64_t first_arrived_ns, last_arrived_ns, first_arrived_bytes;
    int64_t paid_ns; /* until then, probes so far are paid for at WEIR__PROBE_BYTES_PER_S */
};

/* A controller asks, after a packet has left: the probe begins with the next one, next_seq. While
 * there is one, or too many bytes were spent lately, nothing happens. */
void weir__probe_ask(struct weir__probe *probe, const struct weir_control *control, int64_t max_bps,
                     int64_t next_seq, int64_t now_ns);
/* Without a result: another controller, another path. */
void weir__probe_cancel(struct weir__probe *probe);

void weir__probe_on_sent(struct weir__probe *probe, const struct weir_sent_packet *sent);
void weir__probe_on_feedback(struct weir__probe *probe, const struct weir_feedback *feedback);

/* Bytes that are still to be sent; 0 = no more. */
int64_t weir__probe_left_bytes(const struct weir__probe *probe);
/* When finish is to be called at the latest; WEIR_NEVER_NS. */
int64_t weir__probe_deadline_ns(const struct weir__probe *probe);
/* True once for each probe, with its result: all of it is reported, or the time is over. */
bool weir__probe_finish(struct weir__probe *probe, int64_t now_ns,
                        struct weir_probe_result *result);

#endif
