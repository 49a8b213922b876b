/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/delivery.h"

#include <math.h>

#define STEP_BACK_NS WEIR_SECONDS(1)
#define LEAST_SPAN_S 1e-3 /* of a rate: less is a burst and a rounding of time stamps */
/* What a link of its own serves comes evenly: of so many groups none takes more than twice as long
 * for its bytes as another. A shared channel has waits between, and few of them make no rate. */
#define EVEN_GROUPS 3
#define EVEN_RATIO  2.0

static const struct weir__delivery_group *peek(const struct weir__delivery *delivery, size_t age)
{
    return &delivery
                ->groups[(delivery->newest + WEIR__DELIVERY_GROUPS - age) % WEIR__DELIVERY_GROUPS];
}

static void open_group(struct weir__delivery *delivery, int64_t arrived_ns)
{
    delivery->newest = (delivery->newest + 1) % WEIR__DELIVERY_GROUPS;
    delivery->n += delivery->n < WEIR__DELIVERY_GROUPS;
    delivery->groups[delivery->newest] = (struct weir__delivery_group){.first_ns = arrived_ns,
                                                                       .last_ns = arrived_ns,
                                                                       .sent_ns = INT64_MIN,
                                                                       .least_delay_ns = INT64_MAX};
}

bool weir__delivery_on_arrival(struct weir__delivery *delivery, int64_t sent_ns, int64_t arrived_ns,
                               int64_t wire_bytes)
{
    bool restarted = delivery->n > 0 && arrived_ns < peek(delivery, 0)->last_ns - STEP_BACK_NS;
    if (restarted) {
        delivery->n = 0;
    }
    if (delivery->n == 0 || arrived_ns - peek(delivery, 0)->first_ns > WEIR__DELIVERY_GROUP_NS) {
        open_group(delivery, arrived_ns);
    }
    struct weir__delivery_group *group = &delivery->groups[delivery->newest];
    group->last_ns = weir_max_i64(group->last_ns, arrived_ns);
    group->sent_ns = weir_max_i64(group->sent_ns, sent_ns);
    group->least_delay_ns = weir_min_i64(group->least_delay_ns, arrived_ns - sent_ns);
    group->bytes += wire_bytes;
    group->packets++;
    return restarted;
}

/* How many groups, from the newest, are in the window. */
static size_t groups_in_window(const struct weir__delivery *delivery)
{
    int64_t from_ns = peek(delivery, 0)->last_ns - WEIR__DELIVERY_WINDOW_NS;
    int64_t packets = 0;
    size_t age = 0;
    for (; age < delivery->n; age++) {
        const struct weir__delivery_group *group = peek(delivery, age);
        bool enough = packets >= WEIR__DELIVERY_LEAST_PACKETS && age >= WEIR__DELIVERY_LEAST_GROUPS;
        if (group->last_ns < from_ns && enough) {
            break;
        }
        packets += group->packets;
    }
    return age;
}

/* What arrived after the first of the newest groups. */
struct arrived {
    int64_t bytes;
    int64_t least_delay_ns;
};

static struct arrived with(struct arrived newer, const struct weir__delivery_group *group)
{
    return (struct arrived){newer.bytes + group->bytes,
                            weir_min_i64(newer.least_delay_ns, group->least_delay_ns)};
}

/* Of the newest n >= 2 groups, without the delay of the first. */
static struct weir__delivery_rates rates_of(const struct weir__delivery *delivery, size_t n,
                                            struct arrived arrived)
{
    struct weir__delivery_rates rates = {.least_delay_ns = arrived.least_delay_ns};
    const struct weir__delivery_group *first = peek(delivery, n - 1);
    const struct weir__delivery_group *last = peek(delivery, 0);
    rates.span_ns = last->last_ns - first->last_ns;
    double arrived_s = (double)rates.span_ns * 1e-9;
    double sent_s = (double)(last->sent_ns - first->sent_ns) * 1e-9;
    rates.known = arrived_s >= LEAST_SPAN_S && sent_s >= LEAST_SPAN_S;
    if (rates.known) {
        rates.delivered_bps = 8.0 * (double)arrived.bytes / arrived_s;
        rates.sent_bps = 8.0 * (double)arrived.bytes / sent_s;
    }
    return rates;
}

struct weir__delivery_rates weir__delivery_get(const struct weir__delivery *delivery)
{
    size_t n = groups_in_window(delivery);
    struct arrived arrived = {.least_delay_ns = INT64_MAX};
    if (n < 2) {
        return (struct weir__delivery_rates){.least_delay_ns = INT64_MAX};
    }
    for (size_t age = 0; age < n - 1; age++) {
        arrived = with(arrived, peek(delivery, age));
    }
    struct weir__delivery_rates rates = rates_of(delivery, n, arrived);
    rates.least_delay_ns =
        weir_min_i64(rates.least_delay_ns, peek(delivery, n - 1)->least_delay_ns);
    return rates;
}

/* Whether the second of the newest n >= 2 groups had been sent, and waited, when the first arrived:
 * the link was not idle between them. */
static bool is_continued(const struct weir__delivery *delivery, size_t n, int64_t empty_delay_ns)
{
    return peek(delivery, n - 1)->last_ns - peek(delivery, n - 2)->sent_ns > empty_delay_ns;
}

static bool have_waited(const struct weir__delivery_rates *rates, int64_t empty_delay_ns,
                        double packet_bytes)
{
    double serving_ns = 8e9 * packet_bytes / rates->delivered_bps;
    return (double)(rates->least_delay_ns - empty_delay_ns) > serving_ns;
}

/* The rates of single groups, in bytes per ns. */
struct pace {
    double slowest;
    double fastest;
};

static struct pace pace_with(struct pace pace, const struct weir__delivery_group *group,
                             const struct weir__delivery_group *before)
{
    double taken_ns = (double)weir_max_i64(group->last_ns - before->last_ns, 1);
    double rate = (double)group->bytes / taken_ns;
    return (struct pace){fmin(pace.slowest, rate), fmax(pace.fastest, rate)};
}

struct weir__delivery_rates weir__delivery_get_queued(const struct weir__delivery *delivery,
                                                      int64_t empty_delay_ns, double packet_bytes)
{
    size_t n_most = groups_in_window(delivery);
    struct weir__delivery_rates longest = {.least_delay_ns = INT64_MAX};
    struct arrived arrived = {.least_delay_ns = INT64_MAX};
    struct pace pace = {.slowest = INFINITY};
    for (size_t n = 2; n <= n_most; n++) {
        arrived = with(arrived, peek(delivery, n - 2));
        pace = pace_with(pace, peek(delivery, n - 2), peek(delivery, n - 1));
        if (arrived.least_delay_ns <= empty_delay_ns || pace.fastest > EVEN_RATIO * pace.slowest) {
            break;
        }
        struct weir__delivery_rates rates = rates_of(delivery, n, arrived);
        if (n > EVEN_GROUPS && rates.known && rates.span_ns >= WEIR__DELIVERY_NEWEST_NS &&
            have_waited(&rates, empty_delay_ns, packet_bytes) &&
            is_continued(delivery, n, empty_delay_ns)) {
            longest = rates;
        }
    }
    return longest;
}

int64_t weir__delivery_newest_delay_ns(const struct weir__delivery *delivery)
{
    int64_t least_ns = INT64_MAX;
    for (size_t age = 0; age < delivery->n; age++) {
        const struct weir__delivery_group *group = peek(delivery, age);
        if (group->last_ns < peek(delivery, 0)->last_ns - WEIR__DELIVERY_NEWEST_NS) {
            break;
        }
        least_ns = weir_min_i64(least_ns, group->least_delay_ns);
    }
    return delivery->n > 0 ? least_ns : WEIR_UNKNOWN_NS;
}
