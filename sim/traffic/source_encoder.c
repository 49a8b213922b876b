/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A live video encoder that follows a target bitrate: the statistical model of RFC 8593, section 5.
 * In the steady state intervals and sizes of frames vary around their means with Laplace noise; an
 * abrupt change of rate begins with one large frame and makes up for it within the frames of the
 * transition. So does the stream itself, as in the implementation of the RFC's authors.
 *
 * Beyond the RFC, all off by default: frames that follow the rate with a first-order lag, as those
 * of rate-controlled encoders do (burst_frames = 0 is one that needs no large frame for it), large
 * frames at regular intervals, silence in turns with media, and a picture: then no frame has fewer
 * bits per pixel than the quantizer's end leaves, and the picture may become smaller before it is
 * encoded, by the rule of weir/picture.h.
 *
 * Differs from the RFC:
 *   - A target that comes within the reaction time of the last change is not forgotten, but
 *     followed when that time is over: here it is set once, not repeated.
 *   - "Abrupt" is a change by a tenth or more.
 *   - When the frames of the transition are too small to make up for the large one, the frames
 *     after it do, and no other transition begins before: the mean rate is kept. */
#include "sim/base/elementary.h"
#include "sim/traffic/source_kind.h"
#include "weir/units.h"

#define ABRUPT         0.1 /* of the rate before */
#define LEAST_INTERVAL 0.1 /* of the mean */
#define LEAST_REPAYING 0.1 /* of the mean size, for a frame that makes up for the large one */

static void set_defaults(struct weir__source_config *config)
{
    config->interval_ns = WEIR_SECONDS(1) / 30;
    config->min_bps = 150000;
    config->max_bps = 1500000;
    config->reaction_ns = WEIR_MS(200);
    config->burst_frames = 8;
    config->first_frame_bytes = 13500;
    config->scale_time = 0.15;
    config->scale_bytes = 0.15;
}

/* The picture of the source, for weir_pictures_set_source(). */
void weir__source_picture(const struct weir__source_config *c, struct weir_picture_source *picture)
{
    weir_picture_source_init(picture);
    picture->degradation = c->degradation;
    picture->width_pixels = c->width_pixels;
    picture->height_pixels = c->height_pixels;
    picture->fps_n = (int32_t)weir_clamp_i64(1000 * WEIR_SECONDS(1) / c->interval_ns, 1, 1000000);
    picture->fps_d = 1000;
}

static bool is_side(int32_t pixels)
{
    return pixels >= 1 && pixels <= 65535;
}

static bool is_picture(const struct weir__source_config *c)
{
    bool none = c->width_pixels == 0 && c->height_pixels == 0;
    return c->floor_ubits_per_pixel >= 0 && c->floor_ubits_per_pixel <= 1000000000 &&
           (none ? !c->scales && c->floor_ubits_per_pixel == 0
                 : is_side(c->width_pixels) && is_side(c->height_pixels));
}

static bool is_scale(double scale)
{
    return scale >= 0.0 && scale <= 1.0;
}

static bool is_valid(const struct weir__source_config *c)
{
    return weir__source_is_duration(c->interval_ns) && weir__source_is_rate(c->min_bps) &&
           weir__source_is_rate(c->max_bps) && c->min_bps <= c->max_bps && c->reaction_ns >= 0 &&
           c->lag_ns >= 0 && c->lag_down_ns >= 0 && c->key_interval_ns >= 0 &&
           weir__source_is_wave(c) && c->burst_frames >= 0 && c->first_frame_bytes >= 1 &&
           c->first_frame_bytes <= WEIR__SOURCE_MAX_FRAME && is_scale(c->scale_time) &&
           is_scale(c->scale_bytes) && is_picture(c);
}

/* 1 + Laplace noise of the given scale. */
static double draw_factor(struct weir__source *source, double scale)
{
    double u = weir__random_uniform(&source->random) - 0.5;
    double size = -scale * weir__log(1.0 - 2.0 * (u < 0.0 ? -u : u));
    return u < 0.0 ? 1.0 - size : 1.0 + size;
}

/* What the encoder gets now; NULL: bits alone are known. */
static const struct weir_picture *picture_of(const struct weir__source *source)
{
    return source->pictures ? weir_pictures_get(source->pictures, source->state.encoder.step)
                            : NULL;
}

/* Between frames, with those that are left out. */
static int64_t mean_interval_ns(const struct weir__source *source)
{
    const struct weir_picture *picture = picture_of(source);
    int64_t interval_ns = source->config.interval_ns;
    return picture ? interval_ns * picture->keep_d / picture->keep_n : interval_ns;
}

static double mean_frame_bytes(const struct weir__source *source)
{
    double interval_s = (double)mean_interval_ns(source) * 1e-9;
    return source->state.encoder.frame_bps * interval_s / 8.0;
}

/* Follows the target as far as the reaction time allows. True when that is an abrupt change
 * that the stream can afford. */
static bool follow_target(struct weir__source *source, int64_t now_ns)
{
    struct weir__source_encoder_state *encoder = &source->state.encoder;
    const struct weir__source_config *c = &source->config;
    int64_t before_bps = encoder->rate_bps;
    int64_t wanted_bps = weir_clamp_i64(encoder->target_bps, c->min_bps, c->max_bps);
    if (wanted_bps == before_bps ||
        (before_bps > 0 && now_ns - encoder->changed_ns < c->reaction_ns)) {
        return false;
    }
    encoder->rate_bps = wanted_bps;
    encoder->changed_ns = now_ns;
    double change_bps = (double)(wanted_bps - before_bps);
    double abrupt_bps = ABRUPT * (double)before_bps;
    return encoder->burst_left == 0 && (change_bps >= abrupt_bps || change_bps <= -abrupt_bps);
}

/* Part of the way to the rate that is followed: 1 - 1/e of it within the lag. The first frame has
 * the rate. */
static void move_frames(struct weir__source *source, int64_t now_ns)
{
    struct weir__source_encoder_state *encoder = &source->state.encoder;
    double rate_bps = (double)encoder->rate_bps;
    double too_much_bps = encoder->frame_bps - rate_bps;
    int64_t lag_ns = too_much_bps > 0.0 ? source->config.lag_down_ns : source->config.lag_ns;
    bool follows = lag_ns > 0 && encoder->frame_bps > 0.0;
    double passed = follows ? (double)(now_ns - encoder->frame_ns) / (double)lag_ns : 0.0;
    encoder->frame_bps = follows ? rate_bps + too_much_bps * weir__exp(-passed) : rate_bps;
    encoder->frame_ns = now_ns;
}

static bool is_key_frame_due(const struct weir__source *source, int64_t now_ns)
{
    const struct weir__source_encoder_state *encoder = &source->state.encoder;
    int64_t interval_ns = source->config.key_interval_ns;
    return interval_ns > 0 && encoder->burst_left == 0 && now_ns - encoder->key_ns >= interval_ns;
}

/* The large frame: the others of the transition owe what it has above the mean. */
static double first_of_burst(struct weir__source *source)
{
    double bytes = (double)source->config.first_frame_bytes;
    source->state.encoder.burst_left = weir_max_i64(source->config.burst_frames - 1, 1);
    source->state.encoder.debt_bytes = bytes - mean_frame_bytes(source);
    return bytes;
}

/* A frame that pays its part of the debt. The transition lasts until all is paid. */
static double later_of_burst(struct weir__source *source)
{
    struct weir__source_encoder_state *encoder = &source->state.encoder;
    double mean_bytes = mean_frame_bytes(source);
    double part_bytes = encoder->debt_bytes / (double)encoder->burst_left;
    double most_bytes = (1.0 - LEAST_REPAYING) * mean_bytes;
    bool too_much = part_bytes > most_bytes;
    if (too_much) {
        part_bytes = most_bytes;
    }
    encoder->debt_bytes -= part_bytes;
    if (encoder->burst_left > 1 || !too_much) {
        encoder->burst_left--;
    }
    return mean_bytes - part_bytes;
}

/* The first moment from at_ns on that is not within a silence. */
static int64_t skip_silence(const struct weir__source_config *c, int64_t at_ns)
{
    if (c->off_ns == 0 || at_ns == WEIR_NEVER_NS) {
        return at_ns;
    }
    int64_t period_ns = c->on_ns + c->off_ns;
    int64_t shift_ns = c->begins_off ? c->on_ns : 0;
    int64_t phase_ns = ((at_ns - c->start_ns) % period_ns + shift_ns) % period_ns;
    return phase_ns < c->on_ns ? at_ns : weir_time_add_ns(at_ns, period_ns - phase_ns);
}

static void begin(struct weir__source *source)
{
    source->next_ns = skip_silence(&source->config, source->config.start_ns);
}

/* As weirscale, before each frame, also before those that the encoder does not get. */
static void choose_picture(struct weir__source *source, int64_t now_ns)
{
    struct weir__source_encoder_state *encoder = &source->state.encoder;
    if (source->config.scales) {
        encoder->step = weir_pictures_choose(source->pictures, now_ns, encoder->target_bps,
                                             (uint64_t)(source->bytes + encoder->skipped_bytes));
    }
}

/* Whether the picture is another than that of the frame before. */
static bool is_resized(struct weir__source_encoder_state *encoder)
{
    bool resized = encoder->step != encoder->made_step;
    encoder->made_step = encoder->step;
    return resized;
}

/* Large when the rate changes abruptly, when the picture does, or when it is time. */
static bool is_large(struct weir__source *source, int64_t now_ns, bool is_key)
{
    bool is_abrupt = follow_target(source, now_ns);
    bool is_due = is_key || is_key_frame_due(source, now_ns);
    bool large = (is_abrupt || is_due) && source->config.burst_frames > 0;
    if (large) {
        source->state.encoder.key_ns = now_ns;
    }
    return large;
}

/* The picture's part of a frame that would have so many bytes: returns how many it has. */
static double fill_picture(const struct weir__source *source, struct weir__unit *unit, double bytes)
{
    const struct weir_picture *picture = picture_of(source);
    const struct weir__source_config *c = &source->config;
    if (!picture) {
        return bytes;
    }
    unit->pixels = (int64_t)picture->width_pixels * picture->height_pixels;
    unit->source_pixels =
        (int64_t)c->width_pixels * c->height_pixels * picture->keep_d / picture->keep_n;
    double least_bytes = (double)c->floor_ubits_per_pixel * (double)unit->pixels / 8e6;
    return bytes < least_bytes ? least_bytes : bytes;
}

static void plan_next(struct weir__source *source)
{
    const struct weir__source_config *c = &source->config;
    double factor = draw_factor(source, c->scale_time);
    factor = factor < LEAST_INTERVAL ? LEAST_INTERVAL : factor;
    int64_t interval_ns = (int64_t)((double)mean_interval_ns(source) * factor);
    source->next_ns = weir_time_add_ns(source->next_ns, weir_max_i64(interval_ns, 1));
    source->next_ns = skip_silence(c, source->next_ns);
}

/* What a frame of another picture would have had is not known before there is one. */
static void skip(struct weir__source *source, struct weir__unit *unit)
{
    struct weir__source_encoder_state *encoder = &source->state.encoder;
    fill_picture(source, unit, 0.0);
    unit->pixels = 0;
    unit->skipped = true;
    encoder->skipped_bytes += encoder->step == encoder->made_step ? encoder->unit_bytes : 0;
    plan_next(source);
}

/* A request waits for the end of a transition: no other large frame begins before. */
static bool takes_request(struct weir__source_encoder_state *encoder)
{
    bool takes = encoder->is_key_asked && encoder->burst_left == 0;
    encoder->is_key_asked &= !takes;
    return takes;
}

static void next(struct weir__source *source, struct weir__unit *unit)
{
    const struct weir__source_config *c = &source->config;
    double bytes = 0.0;
    unit->frame = true;
    choose_picture(source, source->next_ns);
    if (c->skips_frame && c->skips_frame(c->target)) {
        skip(source, unit);
        return;
    }
    unit->resized = is_resized(&source->state.encoder);
    bool is_asked = takes_request(&source->state.encoder);
    bool is_large_one = is_large(source, source->next_ns, unit->resized || is_asked);
    unit->key_frame = is_large_one || is_asked;
    move_frames(source, source->next_ns);
    if (is_large_one) {
        bytes = first_of_burst(source);
    } else if (source->state.encoder.burst_left > 0) {
        bytes = later_of_burst(source);
    } else {
        bytes = mean_frame_bytes(source) * draw_factor(source, c->scale_bytes);
    }
    bytes = fill_picture(source, unit, bytes);
    unit->bytes = bytes < 1.0 ? 1 : (int64_t)(bytes + 0.5);
    source->state.encoder.unit_bytes = unit->bytes;
    plan_next(source);
}

const struct weir__source_methods weir__source_encoder = {
    .set_defaults = set_defaults, .is_valid = is_valid, .begin = begin, .next = next};
