/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/reporter_path.h"

#include "weir/units.h"

enum { REMEMBERED = 64, FEW_PACKETS = 16, ONE_Q16 = 65536, ONE_PPM = 1000000 };

/* Where packets are few, that many of them end a half. */
#define LONG_HALF_NS WEIR_SECONDS(1)

/* Makes seq the highest one; what lies between has not been told of. */
static void advance(struct weir__reporter_path *path, int64_t seq)
{
    int64_t step = seq - path->highest_seq;
    bool far = step >= REMEMBERED;
    path->told = far ? 0 : path->told << step;
    path->received = far ? 0 : path->received << step;
    path->highest_seq = seq;
    path->has_news = true;
}

/* What was missing in one report and has arrived in the next, was late at its end. */
void weir__reporter_path_on_packet(struct weir__reporter_path *path, int64_t seq, bool received)
{
    if (path->told == 0 || seq > path->highest_seq) {
        advance(path, seq);
    }
    int64_t back = path->highest_seq - seq;
    if (back >= REMEMBERED) {
        return;
    }
    uint64_t bit = UINT64_C(1) << back;
    path->halves[0].told_packets += !(path->told & bit);
    path->halves[0].received_packets += received && !(path->received & bit);
    path->told |= bit;
    path->received |= received ? bit : 0;
}

static void turn_half(struct weir__reporter_path *path, int64_t now_ns)
{
    uint32_t told = path->halves[0].told_packets;
    int64_t since_ns = now_ns - path->halves[0].began_ns;
    if ((told >= WEIR__REPORTER_PATH_PACKETS && since_ns >= WEIR__REPORTER_PATH_HALF_NS) ||
        (told >= FEW_PACKETS && since_ns >= LONG_HALF_NS)) {
        path->halves[1] = path->halves[0];
        path->halves[0].told_packets = 0;
        path->halves[0].received_packets = 0;
        path->halves[0].began_ns = now_ns;
    }
}

bool weir__reporter_path_on_report(struct weir__reporter_path *path, int64_t now_ns,
                                   int64_t delay_ns)
{
    bool has_news = path->has_news;
    path->has_news = false;
    if (has_news) {
        path->pulse.news_ns = path->pulse.news_ns == 0 ? now_ns : path->pulse.news_ns;
        weir__pulse_on_news(&path->pulse, now_ns);
        if (delay_ns != WEIR_UNKNOWN_NS) {
            weir__queueing_sample(&path->queueing, now_ns, delay_ns);
        }
    }
    turn_half(path, now_ns);
    return has_news;
}

static int64_t loss_ppm(int64_t told, int64_t received)
{
    return weir_max_i64(told - received, 0) * ONE_PPM / told;
}

bool weir__reporter_path_get(const struct weir__reporter_path *path, int64_t now_ns,
                             struct weir__reporter_figures *figures)
{
    int64_t told = (int64_t)path->halves[0].told_packets + path->halves[1].told_packets;
    int64_t received = (int64_t)path->halves[0].received_packets + path->halves[1].received_packets;
    if (told < WEIR__REPORTER_PATH_PACKETS) {
        return false;
    }
    figures->loss_ppm = loss_ppm(told, received);
    figures->queueing_ns = weir__queueing_ns(&path->queueing, now_ns);
    return true;
}

/* Of the half at hand, or of the one before while it is short. Of a path that has figures: one of
 * its halves has enough of them. */
static int64_t newest_loss_ppm(const struct weir__reporter_path *path)
{
    int i = path->halves[0].told_packets < FEW_PACKETS;
    return loss_ppm(path->halves[i].told_packets, path->halves[i].received_packets);
}

/* The share of the rate that gets through. */
static int64_t share_q16(int64_t lost_ppm, int64_t queueing_ns)
{
    int64_t waits_ns = weir_clamp_i64(queueing_ns, 0, WEIR_SECONDS(60));
    int64_t arrived_q16 = (ONE_PPM - lost_ppm) * ONE_Q16 / ONE_PPM;
    return arrived_q16 * WEIR_MS(1000) / (WEIR_MS(1000) + waits_ns);
}

bool weir__reporter_path_is_worse(const struct weir__reporter_path *path,
                                  const struct weir__reporter_path *other, int64_t now_ns)
{
    struct weir__reporter_figures figures, others;
    if (!weir__reporter_path_get(path, now_ns, &figures) ||
        !weir__reporter_path_get(other, now_ns, &others)) {
        return false;
    }
    int64_t least_lost_ppm = weir_min_i64(figures.loss_ppm, newest_loss_ppm(path));
    return share_q16(least_lost_ppm, figures.queueing_ns) + WEIR__REPORTER_PATH_MARGIN_Q16 <
           share_q16(newest_loss_ppm(other), others.queueing_ns);
}
