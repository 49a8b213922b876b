/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The policy of libwebrtc's media optimisation, by other means: there tables of a rate and a loss
 * give the protection; here it is the least that the model of the channel (frame_loss.h) says keeps
 * the share of lost frames. As there, nothing is protected that can be sent again in time. */
#include "weir/repair.h"

#include <stdlib.h>

#include "estimators/frame_loss.h"

/* Steps of what is advised: finer ones are within the error of the loss that was measured. */
#define STEP_PERCENT 5
/* Until a receiver asks for a packet: the next one has to come first, and what is out of order gets
 * some time. */
#define NOTICE_NS WEIR_MS(40)
/* Losses of chance come and go; loss_ppm is of ten seconds too. */
#define KEEP_NS WEIR_SECONDS(10)
/* Beyond what is needed more repair has to save this much of what stays lost. */
#define WORTH_IT 1.25
/* Repair that leaves more than this of the lost frames is not worth a worse picture. */
#define LEAST_USE (2.0 / 3.0)
/* A codec that repairs within its packets begins there. */
#define LEAST_LOSS_PPM 5000
#define MOST_LOSS      0.9

enum { MEAN_FRAMES = 64 };

/* What is wanted, and the most that was since low_ns. */
struct level {
    uint32_t now;
    uint32_t most;
    int64_t low_ns; /* since when less than now is wanted; WEIR_NEVER_NS: it is not */
};

struct weir_repair {
    struct weir_repair_config config;
    int64_t now_ns;  /* never goes back */
    int64_t packets; /* of the last frames */
    int64_t frames;
    struct level percent;
    struct level loss_percent;
};

void weir_repair_config_init(struct weir_repair_config *config)
{
    *config = (struct weir_repair_config){
        .size = sizeof(*config), .frame_loss_ppm = 10000, .max_percent = 50};
}

static enum weir_status check(const struct weir_repair_config *config)
{
    if (!config || config->size != sizeof(*config)) {
        return WEIR_ERROR_ARGUMENT;
    }
    bool in_range = config->frame_loss_ppm >= 1 && config->frame_loss_ppm <= 1000000 &&
                    config->max_percent <= 100 && config->wait_ns >= 0;
    return in_range ? WEIR_OK : WEIR_ERROR_RANGE;
}

struct weir_repair *weir_repair_create(const struct weir_repair_config *config,
                                       enum weir_status *status)
{
    enum weir_status result = check(config);
    struct weir_repair *repair = result == WEIR_OK ? calloc(1, sizeof(*repair)) : NULL;
    if (repair) {
        repair->config = *config;
        repair->now_ns = INT64_MIN;
        repair->percent.low_ns = WEIR_NEVER_NS;
        repair->loss_percent.low_ns = WEIR_NEVER_NS;
    } else if (result == WEIR_OK) {
        result = WEIR_ERROR_NO_MEMORY;
    }
    if (status) {
        *status = result;
    }
    return repair;
}

void weir_repair_destroy(struct weir_repair *repair)
{
    free(repair);
}

enum weir_status weir_repair_set(struct weir_repair *repair,
                                 const struct weir_repair_config *config)
{
    enum weir_status status = check(config);
    if (status == WEIR_OK) {
        repair->config = *config;
    }
    return status;
}

void weir_repair_on_media(struct weir_repair *repair, bool ends_frame)
{
    repair->packets++;
    repair->frames += ends_frame;
    if (repair->frames >= 2 * MEAN_FRAMES) {
        repair->packets /= 2;
        repair->frames /= 2;
    }
}

/* Packets of a frame and its repair: both share one rate, so the sum stays when the part of repair
 * changes. */
static double frame_packets(const struct weir_repair *repair)
{
    double media = repair->frames > 0 ? (double)repair->packets / (double)repair->frames : 1.0;
    return media * (1.0 + repair->percent.now / 100.0);
}

static double lost_with(const struct weir__lossy_channel *channel, double packets, uint32_t percent)
{
    double share = percent / 100.0;
    double media = packets / (1.0 + share);
    media = media < 1.0 ? 1.0 : media;
    return weir__frame_loss(channel, media, media * share);
}

static struct weir__lossy_channel as_measured(const struct weir_repair_view *view)
{
    double loss = (double)weir_clamp_i64(view->loss_ppm, 0, 1000000) / 1e6;
    return (struct weir__lossy_channel){.loss = loss > MOST_LOSS ? MOST_LOSS : loss,
                                        .burst = (double)view->burst_milli / 1e3};
}

/* What is lost in spite of what is sent again: a packet can be asked for, sent and lost again as
 * often as the time that the receiver waits allows. */
static struct weir__lossy_channel after_resending(const struct weir_repair *repair,
                                                  const struct weir_repair_view *view)
{
    struct weir__lossy_channel channel = as_measured(view);
    double loss = channel.loss;
    int64_t round_ns = view->rtt_ns == WEIR_UNKNOWN_NS
                           ? WEIR_NEVER_NS
                           : weir_time_add_ns(weir_max_i64(view->rtt_ns, 0), NOTICE_NS);
    int64_t left_ns = repair->config.wait_ns;
    for (; left_ns >= round_ns && channel.loss > 1e-9; left_ns -= round_ns) {
        channel.loss *= loss;
        channel.burst = 1.0;
    }
    return channel;
}

/* The most that leaves the encoder its minimum, when repair and media keep their sum. */
static uint32_t most_of_budget(const struct weir_repair *repair,
                               const struct weir_repair_view *view)
{
    double both_bps = (double)view->target_media_bps * (1.0 + repair->percent.now / 100.0);
    double spare = view->min_media_bps > 0 ? both_bps / (double)view->min_media_bps - 1.0 : 1.0;
    return spare <= 0.0 ? 0 : spare >= 1.0 ? 100 : (uint32_t)(spare * 100.0);
}

/* The least that keeps the share of lost frames, or else what is worth it; not above `most`. */
static uint32_t needed(const struct weir__lossy_channel *channel, double packets, double keep,
                       uint32_t most)
{
    double best = 1.0;
    for (uint32_t percent = 0; percent <= most; percent += STEP_PERCENT) {
        double lost = lost_with(channel, packets, percent);
        if (lost <= keep) {
            return percent;
        }
        best = lost < best ? lost : best;
    }
    for (uint32_t percent = 0; percent < most; percent += STEP_PERCENT) {
        if (lost_with(channel, packets, percent) <= WORTH_IT * best) {
            return percent;
        }
    }
    return most - most % STEP_PERCENT;
}

static void follow(struct level *level, uint32_t wanted, int64_t now_ns)
{
    if (wanted >= level->now) {
        *level = (struct level){.now = wanted, .low_ns = WEIR_NEVER_NS};
        return;
    }
    if (level->low_ns == WEIR_NEVER_NS) {
        level->low_ns = now_ns;
        level->most = 0;
    }
    level->most = wanted > level->most ? wanted : level->most;
    if (now_ns - level->low_ns >= KEEP_NS) {
        *level = (struct level){.now = level->most, .low_ns = WEIR_NEVER_NS};
    }
}

static uint32_t loss_percent(const struct weir__lossy_channel *channel)
{
    double loss_ppm = channel->loss * 1e6;
    return loss_ppm < LEAST_LOSS_PPM ? 0 : (uint32_t)((loss_ppm + 9999.0) / 1e4);
}

/* wanted is what is needed within `most`, and then what is advised: repair that saves too few
 * frames (LEAST_USE) is not worth a worse picture. */
static enum weir_repair_reason judge(const struct weir_repair *repair,
                                     const struct weir_repair_view *view,
                                     const struct weir__lossy_channel *channel, uint32_t most,
                                     uint32_t *wanted)
{
    double keep = repair->config.frame_loss_ppm / 1e6;
    double packets = frame_packets(repair);
    struct weir__lossy_channel measured = as_measured(view);
    double without = lost_with(channel, packets, 0);
    *wanted = needed(channel, packets, keep, most);
    double lost = lost_with(channel, packets, *wanted);
    if (without <= keep) {
        bool was_few = lost_with(&measured, packets, 0) <= keep;
        return was_few ? WEIR_REPAIR_NO_LOSS : WEIR_REPAIR_RESENT;
    }
    if (lost <= keep) {
        return WEIR_REPAIR_LOSS;
    }
    bool is_worth_it = lost <= without * LEAST_USE;
    *wanted = is_worth_it ? *wanted : 0;
    if (most < repair->config.max_percent) {
        return WEIR_REPAIR_BUDGET;
    }
    return is_worth_it ? WEIR_REPAIR_MAXIMUM : WEIR_REPAIR_NO_USE;
}

void weir_repair_update(struct weir_repair *repair, int64_t now_ns,
                        const struct weir_repair_view *view, struct weir_repair_advice *advice)
{
    struct weir__lossy_channel channel = after_resending(repair, view);
    uint32_t most = most_of_budget(repair, view);
    most = most < repair->config.max_percent ? most : repair->config.max_percent;
    uint32_t wanted = 0;
    enum weir_repair_reason reason = judge(repair, view, &channel, most, &wanted);
    double packets = frame_packets(repair);
    if (repair->percent.now > most) {
        repair->percent.now = wanted; /* at once */
    }
    repair->now_ns = weir_max_i64(repair->now_ns, now_ns);
    follow(&repair->percent, wanted, repair->now_ns);
    follow(&repair->loss_percent, loss_percent(&channel), repair->now_ns);
    double lost = lost_with(&channel, packets, repair->percent.now);
    *advice = (struct weir_repair_advice){
        .percent = repair->percent.now,
        .loss_percent = repair->loss_percent.now,
        .frame_loss_ppm = (uint32_t)(lost * 1e6 + 0.5),
        .reason = reason,
    };
}

const char *weir_repair_reason_name(enum weir_repair_reason reason)
{
    static const char *const names[] = {
        [WEIR_REPAIR_NO_LOSS] = "no-loss", [WEIR_REPAIR_RESENT] = "resent",
        [WEIR_REPAIR_LOSS] = "loss",       [WEIR_REPAIR_MAXIMUM] = "maximum",
        [WEIR_REPAIR_BUDGET] = "budget",   [WEIR_REPAIR_NO_USE] = "no-use",
    };
    return (size_t)reason < sizeof(names) / sizeof(*names) ? names[reason] : "unknown";
}
