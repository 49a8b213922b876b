/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a source and its kinds tell each other; for source.c and source_*.c alone. */
#ifndef WEIR_SIM_SOURCE_KIND_H
#define WEIR_SIM_SOURCE_KIND_H

#include "sim/base/random.h"
#include "sim/traffic/source.h"

#define WEIR__SOURCE_MAX_BPS   INT64_C(1000000000000)
#define WEIR__SOURCE_MAX_BYTES INT64_C(1000000)             /* of a packet */
#define WEIR__SOURCE_MAX_FRAME INT64_C(1000000000)          /* bytes */
#define WEIR__SOURCE_MAX_NS    INT64_C(4000000000000000000) /* 126 years: sums of two fit */

struct weir__source_cbr_state {
    struct weir__schedule schedule;
    int64_t at_ns;       /* of the last packet */
    int64_t left_bit_ns; /* 10^-9 bit until the next one is due, from then on */
};

struct weir__source_pareto_state {
    int64_t left_packets; /* of this burst */
    int64_t remainder;    /* of a nanosecond, in 1/rate_bps, < rate_bps */
};

struct weir__source_voip_state {
    int64_t talk_end_ns;
    bool starts_talk;
};

struct weir__source_encoder_state {
    int64_t target_bps; /* asked for last */
    int64_t rate_bps;   /* followed now; 0 = no frame yet */
    double frame_bps;   /* what the frames have, which lags behind it */
    int64_t changed_ns; /* when rate_bps changed last */
    int64_t frame_ns;   /* the last frame */
    int64_t key_ns;     /* the last large one */
    int64_t burst_left; /* frames of the transition still to come */
    double debt_bytes;  /* sent too much in the transition, to be made up for */
    bool is_key_asked;
    int64_t unit_bytes;    /* of the last frame that was made ... */
    int64_t skipped_bytes; /* ... and what those that were not would have had, at that size */
    uint32_t step;         /* of pictures ... */
    uint32_t made_step;    /* ... and of the last frame that was made */
};

struct weir__source {
    struct weir__source_config config;
    struct weir__sim *sim;
    struct weir__timer timer;
    struct weir__random random;
    int64_t next_ns; /* of the next unit, WEIR_NEVER_NS = none */
    int64_t bytes;
    struct weir_pictures *pictures; /* ENCODER with a picture, else NULL */
    union {
        struct weir__source_cbr_state cbr;
        struct weir__source_pareto_state pareto;
        struct weir__source_voip_state voip;
        size_t frame; /* FRAMES: number of the next one in the list */
        struct weir__source_encoder_state encoder;
    } state;
};

struct weir__source_methods {
    void (*set_defaults)(struct weir__source_config *config);
    bool (*is_valid)(const struct weir__source_config *config);
    void (*begin)(struct weir__source *source); /* sets next_ns of the first unit */
    /* It is next_ns: fills the (zeroed) unit of now and sets next_ns of the one after. */
    void (*next)(struct weir__source *source, struct weir__unit *unit);
};

extern const struct weir__source_methods weir__source_cbr;
extern const struct weir__source_methods weir__source_pareto;
extern const struct weir__source_methods weir__source_voip;
extern const struct weir__source_methods weir__source_frames;
extern const struct weir__source_methods weir__source_encoder;

void weir__source_picture(const struct weir__source_config *c, struct weir_picture_source *picture);

static inline bool weir__source_is_duration(int64_t duration_ns)
{
    return duration_ns > 0 && duration_ns <= WEIR__SOURCE_MAX_NS;
}

static inline bool weir__source_is_rate(int64_t rate_bps)
{
    return rate_bps > 0 && rate_bps <= WEIR__SOURCE_MAX_BPS;
}

static inline bool weir__source_is_packet(int64_t bytes)
{
    return bytes > 0 && bytes <= WEIR__SOURCE_MAX_BYTES;
}

/* On and off in turns, or always on. */
static inline bool weir__source_is_wave(const struct weir__source_config *c)
{
    return (c->on_ns == 0 && c->off_ns == 0 && !c->begins_off) ||
           (weir__source_is_duration(c->on_ns) && weir__source_is_duration(c->off_ns));
}

#endif
