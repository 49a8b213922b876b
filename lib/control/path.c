/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "control/path.h"

#include <math.h>
#include <string.h>

#define LEAST_RTT_WINDOW_NS WEIR_SECONDS(600)
#define LEAST_SILENCE_NS    WEIR_MS(500)
#define REPORT_MAX_NS       WEIR_SECONDS(60)
#define LOOP_NS             WEIR_MS(100) /* of a rate window, beside the round-trip time */
#define STANDING_FLOOR_NS   WEIR_MS(10)  /* a delay that no algorithm minds */
#define RTT_NOISE_NS        WEIR_MS(5)   /* rounding of hold times and delays, threads */
#define BEYOND_FOR_NS       WEIR_MS(200) /* frames and bunches of feedback come and go sooner */
#define STEP_BACK_NS        WEIR_MS(50)
#define FAR_NS              WEIR_SECONDS(70)
#define BUNCH_NS            WEIR_MS(10) /* feedback closer than this belongs together */

static void forget_arrivals(struct weir__path_meter *path)
{
    memset(&path->clock, 0, sizeof(path->clock));
    memset(&path->base, 0, sizeof(path->base));
    memset(&path->delivery, 0, sizeof(path->delivery));
    memset(&path->standing, 0, sizeof(path->standing));
    path->now.base_delay_ns = WEIR_UNKNOWN_NS;
    path->now.queue_ns = WEIR_UNKNOWN_NS;
    path->now.least_queue_ns = WEIR_UNKNOWN_NS;
    path->now.delivered_bps = 0.0;
    path->now.sent_bps = 0.0;
    path->now.rate_span_ns = 0;
    path->now.standing_ns = 0;
    path->beyond_ns = 0;
    path->untimed_from_ns = WEIR_UNKNOWN_NS;
}

void weir__path_meter_on_change(struct weir__path_meter *path)
{
    forget_arrivals(path);
    weir__rtt_init(&path->now.rtt, LEAST_RTT_WINDOW_NS);
    weir__silence_init(&path->silence);
    weir__data_limited_init(&path->limited);
    memset(&path->marking, 0, sizeof(path->marking));
    path->now.marks_are_l4s = false;
    path->now.least_wait_ns = 0;
    path->now.newest_sent_ns = WEIR_UNKNOWN_NS;
    path->now.feedback_interval_ns = WEIR_UNKNOWN_NS;
    path->now.feedback_pause_ns = 0;
    path->now.silent_at_ns = WEIR_NEVER_NS;
    path->now.data_limited = false;
    path->now.is_silent = false;
    path->has_heard = false;
}

void weir__path_meter_init(struct weir__path_meter *path, int64_t packet_bytes)
{
    memset(path, 0, sizeof(*path));
    path->now.packet_bytes = (double)weir_max_i64(packet_bytes, 1);
    path->last_sent_ns = WEIR_UNKNOWN_NS;
    path->last_seq = -1;
    path->heard_seq = -1;
    weir__path_meter_on_change(path);
}

void weir__path_meter_on_rtt(struct weir__path_meter *path, int64_t rtt_ns, int64_t now_ns)
{
    if (rtt_ns != WEIR_UNKNOWN_NS) {
        weir__rtt_sample(&path->now.rtt, now_ns, rtt_ns);
    }
}

/* Four round trips, as TFRC waits (RFC 5348 4.4), and half a second for peers that may report
 * seldom; three intervals of receiver reports. */
int64_t weir__path_meter_silence_timeout_ns(const struct weir__path_meter *path)
{
    int64_t srtt_ns = weir__rtt_srtt_ns(&path->now.rtt);
    int64_t rounds_ns = srtt_ns == WEIR_UNKNOWN_NS ? WEIR_SECONDS(1) : 4 * srtt_ns;
    int64_t reports_ns = path->now.reports_only ? 3 * path->now.report_interval_ns : 0;
    return weir_max_i64(weir_max_i64(rounds_ns, LEAST_SILENCE_NS), reports_ns);
}

static void measure_size(struct weir__path_meter *path, int64_t wire_bytes)
{
    double bytes = fmax((double)wire_bytes, 1.0);
    double mean = path->now.packet_bytes;
    path->now.packet_bytes = path->has_sent ? mean + (bytes - mean) / 16.0 : bytes;
    path->now.largest_packet_bytes = weir_max_i64(path->now.largest_packet_bytes, wire_bytes);
    path->has_sent = true;
}

void weir__path_meter_on_sent(struct weir__path_meter *path, const struct weir_sent_packet *sent)
{
    measure_size(path, sent->wire_bytes);
    path->now.in_flight_bytes = sent->in_flight_bytes;
    path->now.app_limited = !sent->network_limited;
    path->last_sent_ns = sent->sent_ns;
    path->last_seq = weir_max_i64(path->last_seq, sent->seq);
    weir__data_limited_on_sent(&path->limited, sent->sent_ns, sent->network_limited);
}

void weir__path_meter_begin_wait(struct weir__path_meter *path, int64_t timeout_ns)
{
    weir__silence_on_sent_anew(&path->silence, path->last_sent_ns, timeout_ns, path->now.is_silent);
    path->now.silent_at_ns = path->silence.timer_ns;
}

void weir__path_meter_restart_wait(struct weir__path_meter *path, int64_t now_ns,
                                   int64_t timeout_ns)
{
    if (path->now.is_alive) {
        weir__silence_restart(&path->silence, now_ns, timeout_ns, path->is_awaiting);
        path->now.silent_at_ns = path->silence.timer_ns;
    }
}

/* The newest packet of a feedback that has an arrival time; NULL. */
static const struct weir_packet_report *newest_arrival(const struct weir_feedback *feedback)
{
    for (size_t i = feedback->n_packets; i-- > 0;) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status == WEIR_PACKET_RECEIVED && packet->arrived_ns != WEIR_UNKNOWN_NS) {
            return packet;
        }
    }
    return NULL;
}

/* On our clock; UNKNOWN: not told, or on another clock than the newest. */
static int64_t arrival_ns(const struct weir__path_meter *path,
                          const struct weir_packet_report *packet, int64_t now_ns)
{
    if (packet->status == WEIR_PACKET_LOST || packet->arrived_ns == WEIR_UNKNOWN_NS) {
        return WEIR_UNKNOWN_NS;
    }
    int64_t arrived_ns = weir__peer_clock_map_ns(&path->clock, packet->arrived_ns);
    bool is_far = arrived_ns < now_ns - FAR_NS || arrived_ns > now_ns + FAR_NS;
    return is_far ? WEIR_UNKNOWN_NS : arrived_ns;
}

static void take_arrival(struct weir__path_meter *path, const struct weir_packet_report *packet,
                         int64_t now_ns)
{
    int64_t arrived_ns = arrival_ns(path, packet, now_ns);
    if (arrived_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    int64_t delay_ns = arrived_ns - packet->sent_ns;
    int64_t base_ns = weir__base_delay_ns(&path->base);
    if (weir__delivery_on_arrival(&path->delivery, packet->sent_ns, arrived_ns,
                                  packet->wire_bytes)) {
        memset(&path->base, 0, sizeof(path->base));
    } else if (base_ns != WEIR_UNKNOWN_NS && delay_ns < base_ns - STEP_BACK_NS) {
        weir__peer_clock_on_step_back(&path->clock);
    }
    weir__base_delay_sample(&path->base, now_ns, delay_ns);
}

static int64_t above_base_ns(const struct weir__path_meter *path, int64_t delay_ns)
{
    return weir_max_i64(delay_ns - weir__base_delay_ns(&path->base), 0);
}

/* When a queue has begun within the window, the link's rate is that since then, and the least delay
 * says so. Few packets tell that rate, so it counts only where it is the higher one: the rate of a
 * link that has become slower is neared from above. Whoever sends less than allowed has not made
 * the queue: it may be a burst of others', and has the whole window to pass. */
static struct weir__delivery_rates measure_rates(const struct weir__path_meter *path)
{
    struct weir__delivery_rates rates = weir__delivery_get(&path->delivery);
    int64_t empty_ns = weir__base_delay_ns(&path->base) + STANDING_FLOOR_NS;
    if (!rates.known || path->now.data_limited || rates.least_delay_ns > empty_ns) {
        return rates;
    }
    struct weir__delivery_rates queued =
        weir__delivery_get_queued(&path->delivery, empty_ns, path->now.packet_bytes);
    if (queued.known && queued.delivered_bps > rates.delivered_bps) {
        return queued;
    }
    rates.least_delay_ns = queued.known ? queued.least_delay_ns : rates.least_delay_ns;
    return rates;
}

static void measure_queue(struct weir__path_meter *path)
{
    struct weir__delivery_rates rates = measure_rates(path);
    int64_t newest_ns = weir__delivery_newest_delay_ns(&path->delivery);
    if (newest_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    path->now.base_delay_ns = weir__base_delay_ns(&path->base);
    path->now.queue_ns = above_base_ns(path, newest_ns);
    if (rates.known) {
        path->now.least_queue_ns = above_base_ns(path, rates.least_delay_ns);
        path->now.delivered_bps = rates.delivered_bps;
        path->now.sent_bps = rates.sent_bps;
        path->now.rate_span_ns = rates.span_ns;
    }
}

/* What queues on one way makes the round trip longer by as much: a delay that has grown by more is
 * the peer's clock, that drifts or stepped. */
static void bound_by_rtt(struct weir__path_meter *path, int64_t rtt_ns, int64_t now_ns)
{
    if (rtt_ns == WEIR_UNKNOWN_NS || path->now.queue_ns == WEIR_UNKNOWN_NS) {
        return;
    }
    int64_t most_ns = rtt_ns - weir__rtt_min_ns(&path->now.rtt) + RTT_NOISE_NS;
    int64_t beyond_ns = path->now.queue_ns - most_ns;
    if (beyond_ns <= 0 || path->beyond_ns <= 0) {
        path->beyond_ns = beyond_ns;
        path->beyond_from_ns = now_ns;
        return;
    }
    path->beyond_ns = weir_min_i64(path->beyond_ns, beyond_ns);
    if (now_ns - path->beyond_from_ns >= BEYOND_FOR_NS) {
        weir__base_delay_raise(&path->base, path->beyond_ns);
        path->beyond_ns = 0;
        measure_queue(path);
    }
}

/* A delay that stands still whatever we send is the path's. */
static bool find_reroute(struct weir__path_meter *path, int64_t now_ns, int64_t most_queue_ns)
{
    int64_t srtt_ns = weir_max_i64(weir__rtt_srtt_ns(&path->now.rtt), 0);
    int64_t reports_ns = path->now.reports_only ? path->now.report_interval_ns : 0;
    struct weir__delay_range queue = {path->now.queue_ns, most_queue_ns};
    if (path->now.queue_ns == WEIR_UNKNOWN_NS) {
        return false;
    }
    bool stands =
        weir__standing_delay_sample(&path->standing, now_ns, &queue, path->now.sent_bps,
                                    STANDING_FLOOR_NS, srtt_ns + weir_max_i64(LOOP_NS, reports_ns));
    if (stands) {
        weir__base_delay_raise(&path->base, path->standing.least_ns);
        path->now.n_reroutes++;
        path->now.rerouted_bps = path->standing.most_bps;
    }
    path->now.standing_ns = path->standing.known ? now_ns - path->standing.from_ns : 0;
    return stands;
}

static void take_arrivals(struct weir__path_meter *path, const struct weir_feedback *feedback)
{
    const struct weir_packet_report *newest = newest_arrival(feedback);
    if (!newest) {
        return;
    }
    double grown = weir__peer_clock_on_feedback(&path->clock, feedback->now_ns, newest->arrived_ns);
    if (grown != 0.0) {
        weir__base_delay_on_drift(&path->base, feedback->now_ns, grown);
    }
    for (size_t i = 0; i < feedback->n_packets; i++) {
        take_arrival(path, &feedback->packets[i], feedback->now_ns);
    }
    measure_queue(path);
    bound_by_rtt(path, feedback->rtt_ns, feedback->now_ns);
    if (find_reroute(path, feedback->now_ns, path->now.queue_ns)) {
        measure_queue(path);
    }
}

/* For how long a packet has waited, as far as that is known. */
static int64_t wait_ns(const struct weir__path_meter *path, const struct weir_packet_report *packet,
                       int64_t now_ns)
{
    int64_t arrived_ns = arrival_ns(path, packet, now_ns);
    bool knows = arrived_ns != WEIR_UNKNOWN_NS && path->now.base_delay_ns != WEIR_UNKNOWN_NS;
    return knows ? above_base_ns(path, arrived_ns - packet->sent_ns) : 0;
}

/* For how long each has waited, and so what a mark means. What is delivered to us is the link's, or
 * less where others have a part. */
static void measure_waits(struct weir__path_meter *path, const struct weir_feedback *feedback)
{
    int64_t least_ns = WEIR_NEVER_NS;
    int64_t packet_ns = llround(8e9 * path->now.packet_bytes / fmax(path->now.delivered_bps, 1.0));
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        if (packet->status != WEIR_PACKET_LOST) {
            int64_t waited_ns = wait_ns(path, packet, feedback->now_ns);
            weir__l4s_queue_on_packet(&path->marking, packet->ecn, waited_ns, packet_ns);
            least_ns = weir_min_i64(least_ns, waited_ns);
        }
    }
    weir__l4s_queue_step(&path->marking, feedback->now_ns, weir_path_srtt_ns(&path->now));
    path->now.marks_are_l4s = weir__l4s_queue_is(&path->marking);
    path->now.least_wait_ns = least_ns == WEIR_NEVER_NS ? 0 : least_ns;
}

/* Something arrived: a sign of life. A pause after a silence says how rare feedback is only if it
 * is about packets older than that. */
static void on_life(struct weir__path_meter *path, int64_t now_ns, bool is_about_newer)
{
    if (path->has_heard && path->silence.heard_ns != WEIR_UNKNOWN_NS) {
        int64_t since_ns = now_ns - path->silence.heard_ns; /* without our own pauses */
        int64_t *mean_ns = &path->now.feedback_interval_ns;
        bool counts = since_ns >= BUNCH_NS && !path->now.is_silent;
        if (counts) {
            *mean_ns =
                *mean_ns == WEIR_UNKNOWN_NS ? since_ns : *mean_ns + (since_ns - *mean_ns) / 8;
        }
    }
    path->has_heard = true;
    if (path->now.is_silent && is_about_newer) {
        path->silence.heard_ns = WEIR_UNKNOWN_NS;
    }
    path->now.is_silent = false;
    weir__silence_note_life(&path->silence, now_ns);
    path->now.feedback_pause_ns = path->silence.pause_ns;
}

/* The newest packet that feedback tells to have arrived; NULL. */
static const struct weir_packet_report *newest_received(const struct weir_feedback *feedback)
{
    for (size_t i = feedback->n_packets; i-- > 0;) {
        if (feedback->packets[i].status != WEIR_PACKET_LOST) {
            return &feedback->packets[i];
        }
    }
    return NULL;
}

static void take_newest(struct weir__path_meter *path, const struct weir_packet_report *newest,
                        int64_t now_ns)
{
    path->now.newest_sent_ns = weir_max_i64(path->now.newest_sent_ns, newest->sent_ns);
    path->heard_seq = weir_max_i64(path->heard_seq, newest->seq);
    on_life(path, now_ns, newest->seq > path->silent_seq);
}

static void measure_rtt_queue(struct weir__path_meter *path)
{
    path->now.queue_ns = weir__rtt_latest_ns(&path->now.rtt) - weir__rtt_min_ns(&path->now.rtt);
    path->now.least_queue_ns = path->now.queue_ns;
}

/* The receiver waited with its report, so the age of the newest packet is a round trip and more:
 * the least of many is the empty path's. The packet behind it was still on its way, so its round
 * trip is more than its age: what that is above the least has queued, for one packet more at most.
 */
static void measure_age_queue(struct weir__path_meter *path, const struct weir_report *report)
{
    weir__base_delay_sample(&path->base, report->now_ns, report->newest_age_ns);
    path->now.queue_ns = above_base_ns(path, report->missing_age_ns);
    path->now.least_queue_ns = path->now.queue_ns;
    path->now.newest_sent_ns = report->now_ns - report->newest_age_ns;
}

static void set_rates(struct weir__path_meter *path, double received_bytes, int64_t span_ns,
                      double sent_bytes, int64_t sent_ns)
{
    path->now.delivered_bps = 8.0 * received_bytes / ((double)span_ns * 1e-9);
    path->now.sent_bps = 8.0 * sent_bytes / ((double)sent_ns * 1e-9);
    path->now.rate_span_ns = span_ns;
}

static void begin_untimed(struct weir__path_meter *path, int64_t now_ns)
{
    path->untimed_bytes = 0;
    path->told_bytes = 0;
    path->untimed_from_ns = now_ns;
    path->untimed_sent_ns = path->now.newest_sent_ns;
}

/* Feedback that tells what arrived and never when: it came when it came, at what rate is seen over
 * a rate window, and the queue is what round trips are above their least. */
static void take_untimed(struct weir__path_meter *path, const struct weir_feedback *feedback)
{
    int64_t now_ns = feedback->now_ns;
    if (path->untimed_from_ns == WEIR_UNKNOWN_NS) {
        begin_untimed(path, now_ns);
        return;
    }
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        bool arrived = packet->status != WEIR_PACKET_LOST;
        path->untimed_bytes += arrived ? (double)packet->wire_bytes : 0.0;
    }
    int64_t span_ns = now_ns - path->untimed_from_ns;
    int64_t sent_ns = path->now.newest_sent_ns - path->untimed_sent_ns;
    if (span_ns < LOOP_NS || sent_ns <= 0 || !path->now.rtt.has_sample) {
        return;
    }
    measure_rtt_queue(path);
    set_rates(path, path->untimed_bytes, span_ns, path->untimed_bytes, sent_ns);
    begin_untimed(path, now_ns);
}

/* Where it is not known when the packets had left that a report tells of, those sent since the
 * report before stand for them. */
static void measure_interval(struct weir__path_meter *path, const struct weir_report *report)
{
    int64_t received = report->expected_packets - report->lost_packets;
    double sent_bytes = (double)report->sent_bytes;
    double received_bytes = fmin((double)received * (double)report->packet_bytes, sent_bytes);
    set_rates(path, received_bytes, report->interval_ns, sent_bytes, report->interval_ns);
}

/* The packets that a report tells of arrived since the report before, and had left between the
 * newest ones of both: a round trip earlier, when the rate was another. */
static void measure_told(struct weir__path_meter *path, const struct weir_report *report)
{
    int64_t now_ns = report->now_ns;
    int64_t from_ns = path->untimed_from_ns;
    if (report->newest_age_ns <= 0 || from_ns == WEIR_UNKNOWN_NS ||
        now_ns - report->interval_ns < from_ns) {
        measure_interval(path, report);
        begin_untimed(path, report->newest_age_ns > 0 ? now_ns : WEIR_UNKNOWN_NS);
        return;
    }
    double bytes = (double)report->packet_bytes;
    path->untimed_bytes += (double)(report->expected_packets - report->lost_packets) * bytes;
    path->told_bytes += (double)report->expected_packets * bytes;
    int64_t span_ns = now_ns - from_ns;
    int64_t sent_ns = path->now.newest_sent_ns - path->untimed_sent_ns;
    if (span_ns < LOOP_NS || sent_ns <= 0) {
        return;
    }
    set_rates(path, path->untimed_bytes, span_ns, path->told_bytes, sent_ns);
    begin_untimed(path, now_ns);
}

void weir__path_meter_on_feedback(struct weir__path_meter *path,
                                  const struct weir_feedback *feedback)
{
    const struct weir_packet_report *newest = newest_received(feedback);
    path->now.reports_only = false;
    path->now.in_flight_bytes = feedback->in_flight_bytes;
    path->now.is_alive = newest != NULL;
    weir__path_meter_on_rtt(path, feedback->rtt_ns, feedback->now_ns);
    if (newest && newest->sent_ns > path->limited.newest_ns) {
        path->now.data_limited = weir__data_limited_on_feedback(&path->limited, newest->sent_ns,
                                                                weir_path_srtt_ns(&path->now));
    }
    take_arrivals(path, feedback);
    if (newest) {
        take_newest(path, newest, feedback->now_ns);
        if (!path->clock.known) {
            take_untimed(path, feedback);
        }
    }
    measure_waits(path, feedback);
    path->is_awaiting = path->last_seq > path->heard_seq;
}

/* Without arrival times the queue is what round trips are above their least, whichever way it lies.
 * Those of sender reports are as old as those: a session of rtpbin sends one each 5 s. */
void weir__path_meter_on_report(struct weir__path_meter *path, const struct weir_report *report)
{
    int64_t received = report->expected_packets - report->lost_packets;
    if (!path->now.reports_only) {
        forget_arrivals(path);
        path->now.reports_only = true;
    }
    path->now.report_interval_ns = weir_clamp_i64(report->interval_ns, 1, REPORT_MAX_NS);
    weir__path_meter_on_rtt(path, report->rtt_ns, report->now_ns);
    if (report->newest_age_ns > 0) {
        measure_age_queue(path, report);
    } else if (path->now.rtt.has_sample) {
        measure_rtt_queue(path);
        path->now.newest_sent_ns = report->now_ns - weir__rtt_latest_ns(&path->now.rtt);
    }
    measure_told(path, report);
    if (report->newest_age_ns > 0 &&
        find_reroute(path, report->now_ns, above_base_ns(path, report->newest_age_ns))) {
        measure_age_queue(path, report);
    }
    if (report->expected_packets > 0) {
        path->now.data_limited = !report->network_limited;
    }
    path->now.is_alive = received > 0 || report->sent_bytes <= 0;
    path->is_awaiting = report->sent_bytes > 0;
    if (path->now.is_alive) {
        on_life(path, report->now_ns, false);
    }
}

bool weir__path_meter_is_silent(struct weir__path_meter *path, int64_t now_ns)
{
    if (!weir__silence_is_over(&path->silence, now_ns)) {
        return false;
    }
    path->now.is_silent = true;
    path->silent_seq = path->last_seq;
    path->now.silent_at_ns = path->silence.timer_ns;
    return true;
}
