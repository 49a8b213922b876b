/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/reception.h"

#include "base/unwrap.h"

#define EIGHTH_NS      WEIR_MS(125)
#define JUMP_NS        WEIR_SECONDS(10)
#define WINDOW_SECONDS (WEIR__RECEPTION_SECONDS - 1)
#define WINDOW_EIGHTHS (WEIR__RECEPTION_EIGHTHS - 1)

/* Number of the interval a time lies in; times before 0 count as 0. */
static int64_t interval_of(int64_t now_ns, int64_t length_ns)
{
    return weir_max_i64(now_ns, 0) / length_ns;
}

void weir__reception_on_packet(struct weir__reception *reception, int64_t now_ns,
                               int64_t expected_packets, int64_t received_packets)
{
    int64_t number = interval_of(now_ns, WEIR_SECONDS(1));
    struct weir__reception_second *second = &reception->seconds[number % WEIR__RECEPTION_SECONDS];
    if (second->second != number) {
        *second = (struct weir__reception_second){.second = number};
    }
    second->expected_packets += expected_packets;
    second->received_packets += received_packets;
    if (received_packets > 0) {
        reception->heard_ns = now_ns;
    }
}

/* A packet later than the longest buffer is heard by nobody. */
static void count_delay(struct weir__reception_second *second, int64_t delay_ns)
{
    int64_t step = (weir_max_i64(delay_ns, 1) - 1) / WEIR__PLAYOUT_STEP_NS;
    if (step < WEIR__PLAYOUT_STEPS) {
        second->delayed_packets[step]++;
    }
}

void weir__reception_on_delay(struct weir__reception *reception, int64_t now_ns, int64_t delay_ns)
{
    int64_t number = interval_of(now_ns, EIGHTH_NS);
    struct weir__reception_eighth *eighth = &reception->eighths[number % WEIR__RECEPTION_EIGHTHS];
    if (eighth->eighth != number) {
        *eighth = (struct weir__reception_eighth){.eighth = number};
    }
    eighth->sum_ns += delay_ns;
    eighth->n_samples++;
    number = interval_of(now_ns, WEIR_SECONDS(1));
    struct weir__reception_second *second = &reception->seconds[number % WEIR__RECEPTION_SECONDS];
    if (second->second == number) {
        count_delay(second, delay_ns);
    }
}

/* What was counted in the window that ends now. */
struct totals {
    int64_t expected_packets;
    int64_t received_packets;
    int64_t in_time_packets; /* with a delay of n_steps at most */
};

static struct totals sum_seconds(const struct weir__reception *reception, int64_t now_ns,
                                 int64_t n_steps)
{
    int64_t now = interval_of(now_ns, WEIR_SECONDS(1));
    struct totals sum = {0};
    for (int i = 0; i < WEIR__RECEPTION_SECONDS; i++) {
        const struct weir__reception_second *second = &reception->seconds[i];
        if (second->second > now || second->second < now - WINDOW_SECONDS) {
            continue;
        }
        sum.expected_packets += second->expected_packets;
        sum.received_packets += second->received_packets;
        for (int64_t step = 0; step < n_steps; step++) {
            sum.in_time_packets += second->delayed_packets[step];
        }
    }
    return sum;
}

double weir__reception_loss_ratio(const struct weir__reception *reception, int64_t now_ns)
{
    struct totals sum = sum_seconds(reception, now_ns, 0);
    if (sum.expected_packets <= 0 || sum.received_packets >= sum.expected_packets) {
        return 0.0;
    }
    return 1.0 - (double)sum.received_packets / (double)sum.expected_packets;
}

double weir__reception_unheard_ratio(const struct weir__reception *reception, int64_t playout_ns)
{
    int64_t n_steps = weir_clamp_i64(playout_ns / WEIR__PLAYOUT_STEP_NS, 0, WEIR__PLAYOUT_STEPS);
    struct totals sum = sum_seconds(reception, reception->heard_ns, n_steps);
    int64_t expected = weir_max_i64(sum.expected_packets, sum.received_packets);
    int64_t heard = weir_min_i64(sum.in_time_packets, expected);
    return expected > 0 ? 1.0 - (double)heard / (double)expected : 0.0;
}

double weir__reception_delay_ns(const struct weir__reception *reception, int64_t now_ns)
{
    int64_t now = interval_of(now_ns, EIGHTH_NS);
    double sum_ns = 0.0;
    int64_t n_samples = 0;
    for (int i = 0; i < WEIR__RECEPTION_EIGHTHS; i++) {
        const struct weir__reception_eighth *eighth = &reception->eighths[i];
        if (eighth->eighth >= now - WINDOW_EIGHTHS) {
            sum_ns += (double)eighth->sum_ns;
            n_samples += eighth->n_samples;
        }
    }
    return n_samples > 0 ? sum_ns / (double)n_samples : 0.0;
}

/* An unwrapped timestamp in ns. */
static int64_t media_time_ns(int64_t timestamp, uint32_t clock_rate_hz)
{
    int64_t hz = clock_rate_hz;
    return timestamp / hz * WEIR_SECONDS(1) + timestamp % hz * WEIR_SECONDS(1) / hz;
}

/* The smallest transit of the window, this one included. */
static int64_t minimum_with(struct weir__transit *transit, int64_t number, int64_t sample_ns)
{
    struct weir__transit_second *now = &transit->minima[number % WEIR__RECEPTION_SECONDS];
    if (!now->used || now->second != number || sample_ns < now->min_ns) {
        *now = (struct weir__transit_second){.second = number, .min_ns = sample_ns, .used = true};
    }
    int64_t minimum_ns = sample_ns;
    for (int i = 0; i < WEIR__RECEPTION_SECONDS; i++) {
        const struct weir__transit_second *second = &transit->minima[i];
        if (second->used && second->second >= number - WINDOW_SECONDS) {
            minimum_ns = weir_min_i64(minimum_ns, second->min_ns);
        }
    }
    return minimum_ns;
}

/* Transit = arrival - media time, of which only differences mean something (RFC 3550 6.4.1). */
int64_t weir__transit_sample(struct weir__transit *transit, uint32_t timestamp,
                             uint32_t clock_rate_hz, int64_t arrival_ns)
{
    if (transit->clock_rate_hz != clock_rate_hz) {
        *transit = (struct weir__transit){.clock_rate_hz = clock_rate_hz, .timestamp = timestamp};
    }
    transit->timestamp = weir__unwrap_closest(transit->timestamp, timestamp, 32);
    int64_t sample_ns = arrival_ns - media_time_ns(transit->timestamp, clock_rate_hz);
    int64_t step_ns = sample_ns - transit->previous_ns;
    if (transit->started && (step_ns > JUMP_NS || step_ns < -JUMP_NS)) {
        *transit = (struct weir__transit){.clock_rate_hz = clock_rate_hz, .timestamp = timestamp};
        sample_ns = arrival_ns - media_time_ns(transit->timestamp, clock_rate_hz);
    }
    transit->started = true;
    transit->previous_ns = sample_ns;
    int64_t number = interval_of(arrival_ns, WEIR_SECONDS(1));
    return sample_ns - minimum_with(transit, number, sample_ns);
}
