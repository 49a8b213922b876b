/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/queue_check.h"

#include <string.h>

#define SECOND_NS WEIR_SECONDS(1)
/* Smallest delays are believed for one to two minutes, as those of the queueing delay. */
#define FLOOR_NS WEIR_SECONDS(60)
#define RATE_NS  WEIR_SECONDS(2)
#define BIN_NS   (RATE_NS / WEIR__QUEUE_CHECK_BINS)
/* How long the rate rises slowly: by an eighth in RATE_NS. */
#define SLOW_NS WEIR_SECONDS(60)

/* A queue that rises no more at half of 1.1 C falls by 0.45 of a second in each. */
enum { TEST_TIMES = 3 };

static const struct weir__queue_floor none = {.age_ns = INT64_MAX, .delay_ns = INT64_MAX};

void weir__queue_check_init(struct weir__queue_check *check)
{
    memset(check, 0, sizeof(*check));
    check->floors[0] = check->floors[1] = none;
    check->least_ns = INT64_MAX;
    check->second_ns = WEIR_UNKNOWN_NS;
    check->caught_ns = WEIR_UNKNOWN_NS;
}

void weir__queue_check_on_delivered(struct weir__queue_check *check, int64_t sent_ns,
                                    int64_t wire_bytes)
{
    int64_t bin = sent_ns / BIN_NS;
    int64_t steps = weir_clamp_i64(bin - check->newest_bin, 0, WEIR__QUEUE_CHECK_BINS);
    for (int64_t i = 0; i < steps; i++) {
        check->sent_bytes[(uint64_t)(bin - i) % WEIR__QUEUE_CHECK_BINS] = 0;
    }
    check->newest_bin = weir_max_i64(check->newest_bin, bin);
    if (check->newest_bin - bin < WEIR__QUEUE_CHECK_BINS) {
        check->sent_bytes[(uint64_t)bin % WEIR__QUEUE_CHECK_BINS] += wire_bytes;
    }
}

/* Of the bins until the newest packet left. */
static int64_t sent_bps(const struct weir__queue_check *check, int64_t sent_ns)
{
    int64_t first_ns = (check->newest_bin - WEIR__QUEUE_CHECK_BINS + 1) * BIN_NS;
    int64_t bytes = 0;
    for (int i = 0; i < WEIR__QUEUE_CHECK_BINS; i++) {
        bytes += check->sent_bytes[i];
    }
    return weir_rate_bps(bytes, weir_max_i64(sent_ns - first_ns, RATE_NS - BIN_NS));
}

static void note_floor(struct weir__queue_check *check, const struct weir__queue_sample *sample)
{
    if (sample->now_ns - check->floor_ns >= FLOOR_NS) {
        bool recent = sample->now_ns - check->floor_ns < 2 * FLOOR_NS;
        check->floors[1] = recent ? check->floors[0] : none;
        check->floors[0] = none;
        check->floor_ns = sample->now_ns;
    }
    struct weir__queue_floor *floor = &check->floors[0];
    floor->age_ns = weir_min_i64(floor->age_ns, sample->now_ns - sample->sent_ns);
    floor->delay_ns = weir_min_i64(floor->delay_ns, sample->delay_ns);
}

/* By how much the round trip has grown beyond what the delays tell. The packet after the newest had
 * not arrived when this was written: its age is less than a round trip, however rare reports and
 * packets are. The clocks' difference may be anything. */
static int64_t denied_ns(struct weir__queue_check *check, const struct weir__queue_sample *sample)
{
    if (sample->delay_ns == WEIR_UNKNOWN_NS) { /* nor is it comparable with those before */
        check->floors[0].delay_ns = check->floors[1].delay_ns = INT64_MAX;
        return 0;
    }
    note_floor(check, sample);
    const struct weir__queue_floor *floors = check->floors;
    int64_t floor_ns = weir_min_i64(floors[0].age_ns, floors[1].age_ns);
    int64_t delay_ns = weir_min_i64(floors[0].delay_ns, floors[1].delay_ns);
    uint64_t told_ns = (uint64_t)sample->delay_ns - (uint64_t)delay_ns;
    if (sample->next_sent_ns == WEIR_UNKNOWN_NS || told_ns > (uint64_t)WEIR_SECONDS(3600)) {
        return 0;
    }
    return sample->now_ns - sample->next_sent_ns - floor_ns - (int64_t)told_ns;
}

static int64_t *slot(struct weir__queue_check *check, int64_t second)
{
    return &check->clear_bps[(uint64_t)second % WEIR__QUEUE_CHECK_SECONDS];
}

static void note_clear(struct weir__queue_check *check, int64_t now_ns, int64_t bps)
{
    int64_t second = now_ns / SECOND_NS;
    int64_t steps = weir_clamp_i64(second - check->newest_second, 0, WEIR__QUEUE_CHECK_SECONDS);
    for (int64_t i = 0; i < steps; i++) {
        *slot(check, second - i) = 0;
    }
    check->newest_second = second;
    *slot(check, second) = weir_max_i64(*slot(check, second), bps);
}

static int64_t clear_bps(const struct weir__queue_check *check)
{
    int64_t best_bps = 0;
    for (int i = 0; i < WEIR__QUEUE_CHECK_SECONDS; i++) {
        best_bps = weir_max_i64(best_bps, check->clear_bps[i]);
    }
    return best_bps;
}

/* What comes on top of a queue that is not ours. */
static int64_t own_ns(const struct weir__queue_check *check, int64_t queue_ns)
{
    return queue_ns - check->elsewhere_ns;
}

/* In a test it stays what it was. */
static void measure_clear(struct weir__queue_check *check, const struct weir__queue_sample *sample,
                          int64_t queue_ns)
{
    if (!check->in_test && own_ns(check, queue_ns) <= WEIR__QUEUE_CHECK_DOUBT_NS / 2) {
        note_clear(check, sample->now_ns, sent_bps(check, sample->sent_ns));
    }
}

static void begin_test(struct weir__queue_check *check, int64_t now_ns, int64_t queue_ns)
{
    check->in_test = true;
    check->tested_ns = queue_ns;
    check->since_ns = now_ns;
}

static void end_test(struct weir__queue_check *check, int64_t now_ns)
{
    check->in_test = false;
    note_clear(check, now_ns, check->doubted_bps);
}

/* What was sent before the cut still makes it longer; then it goes away, or is not ours, even if it
 * grows. */
static void look_at_test(struct weir__queue_check *check, const struct weir__queue_sample *sample,
                         int64_t queue_ns)
{
    if (sample->sent_ns < check->since_ns) {
        check->tested_ns = weir_max_i64(check->tested_ns, queue_ns);
    }
    int64_t left_ns = own_ns(check, queue_ns), tested_ns = own_ns(check, check->tested_ns);
    bool over = sample->now_ns - check->since_ns >= TEST_TIMES * check->tested_ns + SECOND_NS;
    if (left_ns < WEIR__QUEUE_CHECK_DOUBT_NS / 2) {
        check->caught_ns = sample->now_ns;
        end_test(check, sample->now_ns);
    } else if (over && left_ns < tested_ns / 2) {
        begin_test(check, sample->now_ns, queue_ns);
    } else if (over) {
        check->elsewhere_ns = queue_ns;
        end_test(check, sample->now_ns);
    }
}

/* Once a second, with the least that was denied in it. */
static bool judge(struct weir__queue_check *check, const struct weir__queue_sample *sample,
                  int64_t queue_ns)
{
    if (check->in_test) {
        look_at_test(check, sample, queue_ns);
        return false;
    }
    if (queue_ns < WEIR__QUEUE_CHECK_DOUBT_NS / 2) {
        check->elsewhere_ns = 0;
    }
    if (own_ns(check, queue_ns) <= WEIR__QUEUE_CHECK_DOUBT_NS) {
        return false;
    }
    check->doubted_bps = clear_bps(check);
    begin_test(check, sample->now_ns, queue_ns);
    return true;
}

bool weir__queue_check_on_feedback(struct weir__queue_check *check,
                                   const struct weir__queue_sample *sample)
{
    if (check->second_ns == WEIR_UNKNOWN_NS) {
        check->second_ns = check->floor_ns = sample->now_ns;
    }
    int64_t queue_ns = denied_ns(check, sample);
    measure_clear(check, sample, queue_ns);
    check->least_ns = weir_min_i64(check->least_ns, queue_ns);
    if (sample->now_ns - check->second_ns < SECOND_NS) {
        return false;
    }
    int64_t least_ns = check->least_ns;
    check->least_ns = INT64_MAX;
    check->second_ns = sample->now_ns;
    return judge(check, sample, least_ns);
}

int64_t weir__queue_check_ceiling_bps(const struct weir__queue_check *check, int64_t now_ns)
{
    if (check->in_test) {
        return check->doubted_bps / 2;
    }
    bool caught = check->caught_ns != WEIR_UNKNOWN_NS && now_ns - check->caught_ns < SLOW_NS;
    if (!caught && check->elsewhere_ns == 0) {
        return INT64_MAX;
    }
    int64_t bps = clear_bps(check);
    int64_t slow_bps = bps + bps / 8;
    return check->elsewhere_ns > 0 ? weir_max_i64(slow_bps, check->doubted_bps) : slow_bps;
}
