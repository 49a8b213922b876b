/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/resend.h"

#include <stdlib.h>
#include <string.h>

#include "weir/units.h"

/* rtprtxsend with max-size-time=1000. */
#define KEEP_NS WEIR_SECONDS(1)
/* rtpjitterbuffer before it knows the jitter, and before it knows how long an answer takes. */
#define FIRST_DELAY_NS  WEIR_MS(20)
#define FIRST_REPEAT_NS WEIR_MS(40)
/* Answers over which that time is smoothed. */
#define RTT_ANSWERS 8

struct weir__resend *weir__resend_create(int64_t wait_ns)
{
    struct weir__resend *resend = calloc(1, sizeof *resend);
    if (resend) {
        resend->wait_ns = wait_ns;
        for (int i = 0; i < WEIR__RESEND_PACKETS; i++) {
            resend->kept[i].number = -1;
        }
    }
    return resend;
}

void weir__resend_destroy(struct weir__resend *resend)
{
    free(resend);
}

static void put_on_way(struct weir__resend *resend, int64_t index, int64_t number, int64_t rtp_seq)
{
    resend->ways[index % WEIR__RESEND_PACKETS] =
        (struct weir__resend_way){.number = number, .rtp_seq = (uint16_t)(uint64_t)rtp_seq};
}

void weir__resend_on_sent(struct weir__resend *resend, int64_t index,
                          const struct weir__resend_packet *packet)
{
    int64_t number = resend->sent++;
    struct weir__resend_packet *kept = &resend->kept[number % WEIR__RESEND_PACKETS];
    *kept = *packet;
    kept->number = number;
    put_on_way(resend, index, number, number);
}

void weir__resend_on_copy(struct weir__resend *resend, int64_t index, int64_t number)
{
    put_on_way(resend, index, number, resend->copies++);
}

uint16_t weir__resend_rtp_seq(const struct weir__resend *resend, int64_t index)
{
    return resend->ways[index % WEIR__RESEND_PACKETS].rtp_seq;
}

struct weir__resend_packet weir__resend_kept(const struct weir__resend *resend, int64_t number)
{
    const struct weir__resend_packet *kept = &resend->kept[(uint64_t)number % WEIR__RESEND_PACKETS];
    bool is_it = number >= 0 && kept->number == number;
    return is_it ? *kept : (struct weir__resend_packet){.number = -1};
}

struct weir__resend_packet weir__resend_requested(const struct weir__resend *resend, int64_t now_ns,
                                                  uint16_t rtp_seq)
{
    int64_t newest = resend->sent - 1;
    int64_t number = newest - (uint16_t)((uint64_t)newest - rtp_seq);
    struct weir__resend_packet packet = weir__resend_kept(resend, number);
    packet.number = now_ns - packet.sent_ns <= KEEP_NS ? packet.number : -1;
    return packet;
}

/* Out of order is not lost: twice the jitter, as rtpjitterbuffer. */
static int64_t patience_ns(const struct weir__resend *resend)
{
    return resend->jitter_ns > 0 ? 2 * resend->jitter_ns : FIRST_DELAY_NS;
}

static void give_up(struct weir__resend *resend, size_t i)
{
    resend->n_missed--;
    memmove(&resend->missed[i], &resend->missed[i + 1],
            (resend->n_missed - i) * sizeof *resend->missed);
}

static void miss(struct weir__resend *resend, int64_t now_ns, int64_t number)
{
    if (resend->n_missed == WEIR__RESEND_MISSED) {
        give_up(resend, 0);
    }
    resend->missed[resend->n_missed++] =
        (struct weir__resend_missed){.number = number,
                                     .noticed_ns = now_ns,
                                     .asked_ns = WEIR_NEVER_NS,
                                     .ask_ns = now_ns + patience_ns(resend)};
}

static void learn_rtt(struct weir__resend *resend, int64_t took_ns)
{
    resend->rtt_ns =
        resend->rtt_ns == 0 ? took_ns : resend->rtt_ns + (took_ns - resend->rtt_ns) / RTT_ANSWERS;
}

bool weir__resend_on_arrival(struct weir__resend *resend, int64_t now_ns, int64_t index)
{
    int64_t number = resend->ways[index % WEIR__RESEND_PACKETS].number;
    if (number >= resend->end) {
        int64_t first = weir_max_i64(resend->end, number - WEIR__RESEND_MISSED);
        for (int64_t missed = first; missed < number; missed++) {
            miss(resend, now_ns, missed);
        }
        resend->end = number + 1;
        return true;
    }
    for (size_t i = 0; i < resend->n_missed; i++) {
        if (resend->missed[i].number == number) {
            if (resend->missed[i].asked_ns != WEIR_NEVER_NS) {
                learn_rtt(resend, now_ns - resend->missed[i].asked_ns);
            }
            give_up(resend, i);
            return true;
        }
    }
    return false;
}

int64_t weir__resend_next_ns(const struct weir__resend *resend)
{
    int64_t next_ns = WEIR_NEVER_NS;
    for (size_t i = 0; i < resend->n_missed; i++) {
        next_ns = weir_min_i64(next_ns, resend->missed[i].ask_ns);
    }
    return next_ns;
}

size_t weir__resend_ask(struct weir__resend *resend, int64_t now_ns, uint16_t *rtp_seqs,
                        size_t capacity)
{
    int64_t repeat_ns = resend->rtt_ns > 0 ? resend->rtt_ns + patience_ns(resend) : FIRST_REPEAT_NS;
    size_t n = 0;
    while (resend->n_missed > 0 && now_ns - resend->missed[0].noticed_ns > resend->wait_ns) {
        give_up(resend, 0);
    }
    for (size_t i = 0; i < resend->n_missed && n < capacity; i++) {
        struct weir__resend_missed *missed = &resend->missed[i];
        if (missed->ask_ns <= now_ns) {
            rtp_seqs[n++] = (uint16_t)(uint64_t)missed->number;
            missed->asked_ns = weir_min_i64(missed->asked_ns, now_ns);
            missed->ask_ns = now_ns + repeat_ns;
        }
    }
    return n;
}
