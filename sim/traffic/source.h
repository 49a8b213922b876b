/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application offers over time: units of media, one or several packets each. A source
 * knows nothing of networks or rates allowed; what takes its units (a UDP flow, a TCP connection, a
 * media flow) decides what becomes of them.
 *
 * One table of kinds, no callbacks per kind: the kinds are in source_*.c. Always-greedy
 * applications need no source. */
#ifndef WEIR_SIM_SOURCE_H
#define WEIR_SIM_SOURCE_H

#include "sim/base/event.h"
#include "sim/base/schedule.h"
#include "weir/picture.h"
#include "weir/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir__source_kind {
    WEIR__SOURCE_CBR,    /* even packets, on and off in turns, the rate by a schedule */
    WEIR__SOURCE_PARETO, /* even packets; on and off times Pareto, as ns-2's
                            Application/Traffic/Pareto */
    WEIR__SOURCE_VOIP,   /* G.711: exponential talk spurts and silences; padded = always talking */
    WEIR__SOURCE_FRAMES, /* video frames of listed or constant sizes */
    WEIR__SOURCE_ENCODER /* RFC 8593: frames that follow a target bitrate */
};

/* What a source hands over at one moment: one packet, or a frame to be split. */
struct weir__unit {
    int64_t bytes; /* payload */
    bool frame;    /* a video frame: may be split into packets, the last gets the marker */
    bool key_frame;
    bool skipped;          /* ENCODER: a frame that was not made, of no bytes */
    bool starts_talk;      /* first packet of a talk spurt */
    bool resized;          /* the picture is another than that of the frame before */
    int64_t pixels;        /* ENCODER with a picture: of this frame, ... */
    int64_t source_pixels; /* ... and of the frames of the source that it stands for */
};

/* Fill with weir__source_config_default() first. Only the fields of the chosen kind are read. */
struct weir__source_config {
    enum weir__source_kind kind;
    int64_t start_ns;
    int64_t stop_ns; /* WEIR_NEVER_NS = none */
    uint64_t seed;
    uint64_t stream; /* number of the source in the simulation: sources draw independently */

    int64_t rate_bps;   /* CBR, PARETO: of unit_bytes, while on; 1 .. 10^12 */
    int64_t unit_bytes; /* CBR, PARETO, VOIP */
    int64_t on_ns; /* CBR, ENCODER: square wave, both 0 = always on; PARETO, VOIP: means, > 0 */
    int64_t off_ns;
    bool begins_off;                         /* CBR, ENCODER */
    const struct weir__schedule_step *steps; /* CBR: changes of rate_bps since time 0 (not
                                                start_ns), 0 = silent; must outlive the source */
    size_t n_steps;
    double shape;        /* PARETO, > 1 */
    int64_t interval_ns; /* VOIP: between packets; FRAMES, ENCODER: between frames */
    bool padded;         /* VOIP: talks always */

    const int64_t *frame_bytes; /* FRAMES: in a loop; must outlive the source */
    size_t n_frames;

    int64_t min_bps; /* ENCODER: bounds of what it follows */
    int64_t max_bps;
    int64_t reaction_ns;       /* ENCODER: tau_v, least time between changes of rate */
    int64_t lag_ns;            /* ENCODER: time constant with which frames follow the rate up ... */
    int64_t lag_down_ns;       /* ENCODER: ... and down */
    int64_t key_interval_ns;   /* ENCODER: between large frames; 0 = only at abrupt changes */
    int64_t burst_frames;      /* ENCODER: K_d; 0 = no large frames */
    int64_t first_frame_bytes; /* ENCODER: K_B */
    double scale_time;         /* ENCODER: Laplace scales, SCALE_t and SCALE_B */
    double scale_bytes;
    int32_t width_pixels; /* ENCODER: of the source, both 0 = bits alone are known */
    int32_t height_pixels;
    int64_t floor_ubits_per_pixel; /* ENCODER with a picture: it never makes less, 10^-6 bit */
    bool scales; /* ENCODER with a picture: it becomes smaller when bits are short */
    enum weir_degradation degradation; /* ... and this gives way (weir/picture.h) */

    bool (*skips_frame)(void *target); /* ENCODER: asked before each frame; NULL = no */
    void (*on_unit)(void *target, const struct weir__unit *unit);
    void *target;
};

struct weir__source; /* opaque here: see source_kind.h; no allocation but the object itself */

void weir__source_config_default(struct weir__source_config *config, enum weir__source_kind kind);
enum weir_status weir__source_check(const struct weir__source_config *config);
enum weir_status weir__source_create(struct weir__source **source, struct weir__sim *sim,
                                     const struct weir__source_config *config);
void weir__source_destroy(struct weir__source *source); /* NULL is allowed */
void weir__source_set_target(struct weir__source *source, int64_t target_bps);
void weir__source_ask_key_frame(struct weir__source *source);
int64_t weir__source_bytes(const struct weir__source *source);

/* The synthetic 30 s of video that stands for the bursty-media paper's trace: 25 frames/s, and for
 * mean_bps 456000 a minimum of 8 and at about 20 s a peak of 1500 kbit/s, each for a second; other
 * means scale the whole. */
#define WEIR__VBR_FRAMES 750
void weir__vbr_trace(int64_t frame_bytes[WEIR__VBR_FRAMES], int64_t mean_bps, uint64_t seed);

#endif
