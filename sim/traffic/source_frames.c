/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Video frames of listed sizes at even intervals, in a loop; and a list that stands for the trace
 * of the bursty-media paper, which was not published. */
#include "sim/traffic/source_kind.h"
#include "weir/units.h"

static void set_defaults(struct weir__source_config *config)
{
    config->interval_ns = WEIR_MS(40);
}

static bool is_valid(const struct weir__source_config *c)
{
    for (size_t i = 0; i < c->n_frames; i++) {
        if (c->frame_bytes[i] < 1 || c->frame_bytes[i] > WEIR__SOURCE_MAX_FRAME) {
            return false;
        }
    }
    return c->n_frames > 0 && weir__source_is_duration(c->interval_ns);
}

static void begin(struct weir__source *source)
{
    source->next_ns = source->config.start_ns;
}

static void next(struct weir__source *source, struct weir__unit *unit)
{
    size_t *frame = &source->state.frame;
    unit->frame = true;
    unit->bytes = source->config.frame_bytes[*frame];
    *frame = *frame + 1 < source->config.n_frames ? *frame + 1 : 0;
    source->next_ns = weir_time_add_ns(source->next_ns, source->config.interval_ns);
}

const struct weir__source_methods weir__source_frames = {
    .set_defaults = set_defaults, .is_valid = is_valid, .begin = begin, .next = next};

#define FPS        25
#define MEAN_KBPS  456 /* of the published figures; other means scale the whole trace */
#define LEAST_KBPS 8
#define PEAK_KBPS  1500
#define PEAK_FIRST (19 * FPS + FPS / 2) /* frames of the second around 20 s */
#define PEAK_END   (PEAK_FIRST + FPS)
#define CALM_END   (15 * FPS)
#define RAMP_KBPS  INT64_C(1350) /* where the ramp to the peak ends, before scaling */

/* Bytes of a frame at this many kbit/s in the trace of the published mean. */
static int64_t fixed_frame_bytes(int64_t kbps, int64_t mean_bps)
{
    return weir_max_i64(kbps * mean_bps / MEAN_KBPS / (8 * FPS), 1);
}

/* Relative size of frame i before scaling, in kbit/s: scenes of a second each around 290 that never
 * pass 400; from 15 s a ramp; after the peak 500, from 25 s 700, all with noise. */
static int64_t shape_kbps(struct weir__random *random, int i, int64_t scene_kbps)
{
    if (i < CALM_END) {
        return scene_kbps - 20 + weir__random_below(random, 41);
    }
    if (i < PEAK_FIRST) {
        return 300 + (RAMP_KBPS - 300) * (i - CALM_END) / (PEAK_FIRST - CALM_END);
    }
    return i < CALM_END + 10 * FPS ? 400 + weir__random_below(random, 201)
                                   : 560 + weir__random_below(random, 281);
}

/* Frames below 0 get left_bytes, in proportion to their size and to the byte: each is the
 * difference of two rounded partial sums. */
static void scale(int64_t frame_bytes[WEIR__VBR_FRAMES], int64_t shape_sum, int64_t left_bytes)
{
    int64_t partial_sum = 0;
    for (int i = 0; i < WEIR__VBR_FRAMES; i++) {
        if (frame_bytes[i] < 0) {
            int64_t before_bytes = partial_sum * left_bytes / shape_sum;
            partial_sum -= frame_bytes[i];
            frame_bytes[i] = weir_max_i64(partial_sum * left_bytes / shape_sum - before_bytes, 1);
        }
    }
}

/* The second around 20 s is the peak and one drawn second of the first 15 is the minimum; all other
 * frames share what is then left of the mean. mean_bps 1 .. 10^12. */
void weir__vbr_trace(int64_t frame_bytes[WEIR__VBR_FRAMES], int64_t mean_bps, uint64_t seed)
{
    struct weir__random random;
    weir__random_init(&random, seed, 0);
    int64_t least_second = weir__random_below(&random, CALM_END / FPS);
    int64_t left_bytes = mean_bps * (WEIR__VBR_FRAMES / FPS) / 8;
    int64_t shape_sum = 0;
    int64_t scene_kbps = 0;
    for (int i = 0; i < WEIR__VBR_FRAMES; i++) {
        bool peak = i >= PEAK_FIRST && i < PEAK_END;
        scene_kbps = i % FPS == 0 ? 200 + weir__random_below(&random, 181) : scene_kbps;
        int64_t kbps = shape_kbps(&random, i, scene_kbps);
        if (peak || i / FPS == least_second) {
            frame_bytes[i] = fixed_frame_bytes(peak ? PEAK_KBPS : LEAST_KBPS, mean_bps);
            left_bytes -= frame_bytes[i];
        } else {
            frame_bytes[i] = -kbps;
            shape_sum += kbps;
        }
    }
    scale(frame_bytes, shape_sum, weir_max_i64(left_bytes, 0));
}
