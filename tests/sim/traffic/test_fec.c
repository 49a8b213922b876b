/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames become whole, with what parity brings back; as rtpulpfecenc makes it. */
#include "../../test.h"
#include "estimators/frame_loss.h"
#include "sim/base/random.h"
#include "sim/traffic/fec.h"

enum { MOST = 64 };

#define FRAME_NS WEIR_MS(40)

struct sent {
    uint32_t names[MOST];
    uint32_t n_media, n;
};

/* A frame of so many packets; what is to be sent, in order. */
static struct sent make(struct weir__fec *fec, int64_t now_ns, uint32_t media, bool is_key)
{
    struct sent sent = {.n_media = media};
    uint32_t name;
    for (uint32_t i = 0; i < media; i++) {
        sent.names[sent.n++] = weir__fec_on_media(fec, now_ns, i == media - 1, is_key);
    }
    while ((name = weir__fec_next_repair(fec)) != 0) {
        sent.names[sent.n++] = name;
    }
    return sent;
}

static struct sent make_frame(struct weir__fec *fec, int64_t now_ns, uint32_t media)
{
    return make(fec, now_ns, media, false);
}

static void arrive_but(struct weir__fec *fec, const struct sent *sent, int64_t now_ns,
                       uint32_t lost_bits)
{
    for (uint32_t i = 0; i < sent->n; i++) {
        if (!(lost_bits >> i & 1)) {
            weir__fec_on_arrival(fec, now_ns, sent->names[i]);
        }
    }
}

static void a_frame_is_whole_when_all_its_packets_are_there(void)
{
    struct weir__fec *fec = weir__fec_create(0, false, FRAME_NS, 0, 0);
    struct sent first = make_frame(fec, 1000, 4);
    struct sent second = make_frame(fec, 2000, 4);
    g_assert_cmpuint(first.n, ==, 4);
    arrive_but(fec, &second, 7000, 1 << 2);
    arrive_but(fec, &first, 5000, 0);
    g_assert_cmpint(fec->frames, ==, 2);
    g_assert_cmpint(fec->whole_frames, ==, 1);
    g_assert_cmpint(fec->delay.max, ==, 4000);
    weir__fec_on_arrival(fec, 9000, second.names[2]);
    weir__fec_on_arrival(fec, 9500, second.names[2]); /* a copy */
    g_assert_cmpint(fec->whole_frames, ==, 2);
    g_assert_cmpint(fec->delay.max, ==, 7000);
    weir__fec_destroy(fec);
}

/* A freeze is a picture that stands longer than a frame and 150 ms; nothing is known before the
 * first one. */
static void pictures_that_stand_too_long_are_a_freeze(void)
{
    static const struct {
        int64_t at_ns, frozen_ns;
    } rows[] = {
        {WEIR_SECONDS(1), 0},
        {WEIR_MS(1040), 0},
        {WEIR_MS(1230), 0},
        {WEIR_MS(1421), WEIR_MS(191)},
        {WEIR_MS(1500), WEIR_MS(191)},
        {WEIR_MS(2500), WEIR_MS(1191)},
    };
    struct weir__fec *fec = weir__fec_create(0, false, FRAME_NS, 0, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct sent frame = make_frame(fec, WEIR_MS(10), 1);
        arrive_but(fec, &frame, rows[i].at_ns, 0);
        g_assert_cmpint(fec->frozen_ns, ==, rows[i].frozen_ns);
    }
    weir__fec_destroy(fec);
}

/* What refers to a lost frame is not shown, until it is there after all, or a key frame is. */
static void a_lost_frame_stops_the_picture(void)
{
    for (int by_key = 0; by_key < 2; by_key++) {
        int64_t wait_ns = by_key ? 0 : WEIR_MS(500);
        struct weir__fec *fec = weir__fec_create(0, false, FRAME_NS, wait_ns, 0);
        struct sent first = make_frame(fec, 0, 2);
        struct sent lost = make_frame(fec, 0, 2);
        struct sent third = make_frame(fec, 0, 2);
        struct sent fourth = make(fec, 0, 2, by_key);
        arrive_but(fec, &first, WEIR_MS(100), 0);
        arrive_but(fec, &lost, WEIR_MS(140), 1 << 0);
        g_assert_cmpint(fec->gives_up_ns, ==, WEIR_NEVER_NS);
        arrive_but(fec, &third, WEIR_MS(180), 0);
        g_assert_cmpint(fec->gives_up_ns, ==, WEIR_MS(180) + wait_ns);
        g_assert_cmpint(fec->shown_frames, ==, 1);
        arrive_but(fec, &fourth, WEIR_MS(300), 0);
        g_assert_cmpint(fec->shown_frames, ==, by_key ? 4 : 1);
        weir__fec_on_arrival(fec, WEIR_MS(400), lost.names[0]);
        g_assert_cmpint(fec->shown_frames, ==, 4);
        g_assert_cmpint(fec->gives_up_ns, ==, WEIR_NEVER_NS);
        g_assert_cmpint(fec->frozen_ns, ==, by_key ? WEIR_MS(200) : WEIR_MS(300));
        g_assert_cmpint(fec->delay.max, ==, WEIR_MS(400));
        g_assert_cmpint(fec->shown_delay.max, ==, by_key ? WEIR_MS(300) : WEIR_MS(400));
        g_assert_cmpuint(fec->shown_delay.n, ==, by_key ? 2 : 4);
        weir__fec_destroy(fec);
    }
}

/* One of a part and its repair packet may be missing, no more. */
static void each_part_brings_back_one_packet(void)
{
    for (uint32_t lost = 0; lost < 1 << 6; lost++) {
        struct weir__fec *fec = weir__fec_create(50, false, FRAME_NS, 0, 0);
        struct sent sent = make_frame(fec, 0, 4);
        g_assert_cmpuint(sent.n, ==, 6);
        arrive_but(fec, &sent, 1, lost);
        uint32_t first = (lost & 1) + (lost >> 1 & 1) + (lost >> 4 & 1);
        uint32_t second = (lost >> 2 & 1) + (lost >> 3 & 1) + (lost >> 5 & 1);
        bool first_whole = first <= 1;
        bool second_whole = second <= 1;
        g_assert_cmpint(fec->whole_frames, ==, first_whole && second_whole);
        weir__fec_destroy(fec);
    }
}

/* A frame of 4 packets and 2 of repair, of which the second is lost, on a path that took 50 ms: it
 * is repaired 100 ms later than a frame takes at the least, from what is there. */
static void a_jitter_buffer_makes_fec_wait(void)
{
    static const struct {
        int64_t at_ms[6]; /* of each packet, 0: lost */
        int64_t whole_ms; /* 0: never */
    } rows[] = {
        {{250, 0, 252, 253, 254, 255}, 350},   /* given up then */
        {{250, 0, 252, 253, 340, 349}, 350},   /* its repair is just in time ... */
        {{250, 0, 252, 253, 351, 352}, 0},     /* ... or not */
        {{250, 300, 252, 253, 254, 255}, 300}, /* sent again, before that */
        {{250, 400, 252, 253, 352, 353}, 400}, /* and after */
        {{360, 0, 362, 363, 364, 365}, 0},     /* noticed late, its repair comes behind */
        {{360, 361, 362, 0, 364, 365}, 0},     /* as that of the other part */
        {{360, 0, 363, 364, 362, 365}, 364},   /* but for one that overtakes */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__fec *fec = weir__fec_create(50, false, FRAME_NS, 0, WEIR_MS(100));
        struct sent first = make_frame(fec, 0, 1);
        weir__fec_on_arrival(fec, WEIR_MS(50), first.names[0]);
        struct sent sent = make_frame(fec, WEIR_MS(200), 4);
        g_assert_cmpuint(sent.n, ==, 6);
        int64_t whole_ms = 0;
        for (int64_t now_ms = 200; now_ms < 500; now_ms++) {
            for (uint32_t k = 0; k < sent.n; k++) {
                if (rows[i].at_ms[k] == now_ms) {
                    weir__fec_on_arrival(fec, WEIR_MS(now_ms), sent.names[k]);
                }
            }
        }
        /* What is due is seen to when the next packet comes, and counted as it was. */
        struct sent last = make_frame(fec, WEIR_MS(450), 1);
        weir__fec_on_arrival(fec, WEIR_MS(500), last.names[0]);
        whole_ms = fec->whole_frames == 3 ? fec->delay.max / WEIR_MS(1) + 200 : 0;
        g_assert_cmpint(whole_ms, ==, rows[i].whole_ms);
        weir__fec_destroy(fec);
    }
}

/* A jitter buffer keeps the order of packets, and does not know which are of repair. */
static void frames_wait_for_repair_that_is_sent_again(void)
{
    static const struct {
        int64_t fec_wait_ms, comes_ms, shown_ms;
        uint32_t media; /* of the next frame; of 3 is one of repair */
    } rows[] = {
        {0, 0, 90, 1},      /* at once: nobody waits */
        {100, 200, 200, 1}, /* until it comes ... */
        {100, 0, 550, 1},   /* ... or is given up, 500 ms after the fastest */
        {100, 0, 99, 3},    /* or that of the next frame tells */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__fec *fec =
            weir__fec_create(50, false, FRAME_NS, WEIR_MS(500), WEIR_MS(rows[i].fec_wait_ms));
        struct sent first = make_frame(fec, 0, 2);
        struct sent second = make_frame(fec, WEIR_MS(40), rows[i].media);
        g_assert_cmpuint(first.n, ==, 3);
        g_assert_cmpuint(second.n, ==, rows[i].media == 1 ? 1 : 4);
        arrive_but(fec, &first, WEIR_MS(50), 1 << 2);
        arrive_but(fec, &second, WEIR_MS(90), 1 << 3);
        if (second.n > 3) {
            weir__fec_on_arrival(fec, WEIR_MS(99), second.names[3]);
        }
        if (rows[i].comes_ms > 0) {
            weir__fec_on_arrival(fec, WEIR_MS(rows[i].comes_ms), first.names[2]);
        }
        for (int64_t at_ms = 540; at_ms <= 560; at_ms += 10) {
            struct sent more = make_frame(fec, WEIR_MS(at_ms - 50), 1);
            arrive_but(fec, &more, WEIR_MS(at_ms), 0);
        }
        g_assert_cmpint(fec->whole_frames, ==, 5);
        g_assert_cmpint(fec->shown_delay.max, ==, WEIR_MS(rows[i].shown_ms - 40));
        weir__fec_destroy(fec);
    }
}

/* 3 packets and 2 of repair share the middle one: one that is back brings back another. */
static void uneven_parts_help_each_other(void)
{
    struct weir__fec *fec = weir__fec_create(67, false, FRAME_NS, 0, 0);
    struct sent sent = make_frame(fec, 0, 3);
    g_assert_cmpuint(sent.n, ==, 5);
    arrive_but(fec, &sent, 1, 1 << 0 | 1 << 1);
    g_assert_cmpint(fec->whole_frames, ==, 1);
    weir__fec_destroy(fec);
}

static void what_is_saved_makes_the_percentage(void)
{
    for (uint32_t percent = 0; percent <= 100; percent++) {
        struct weir__fec *fec = weir__fec_create(percent, false, FRAME_NS, 0, 0);
        for (int i = 0; i < 1000; i++) {
            make_frame(fec, i, 1 + (uint32_t)i % 5);
        }
        assert_near(fec->repair_packets, 3000 * percent / 100.0,
                    1.5); /* what is left, and rounding */
        weir__fec_destroy(fec);
    }
}

/* Random losses: frames of one size are lost as often as the model says. */
static void frames_are_lost_as_the_model_says(void)
{
    static const struct {
        double loss;
        uint32_t media, percent;
    } rows[] = {{0.01, 4, 0}, {0.05, 4, 25}, {0.05, 4, 50}, {0.2, 6, 50}, {0.1, 1, 100}};
    struct weir__random random;
    weir__random_init(&random, 1, 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__fec *fec = weir__fec_create(rows[i].percent, false, FRAME_NS, 0, 0);
        enum { FRAMES = 200000 };
        for (int k = 0; k < FRAMES; k++) {
            struct sent sent = make_frame(fec, k, rows[i].media);
            uint32_t lost = 0;
            for (uint32_t j = 0; j < sent.n; j++) {
                lost |= weir__random_uniform(&random) < rows[i].loss ? 1u << j : 0;
            }
            arrive_but(fec, &sent, k, lost);
        }
        struct weir__lossy_channel channel = {rows[i].loss, 1.0};
        double expected =
            weir__frame_loss(&channel, rows[i].media, rows[i].media * rows[i].percent / 100.0);
        double measured = 1.0 - (double)fec->whole_frames / FRAMES;
        g_test_message("%g of %u packets, %u %%: %g, expected %g", rows[i].loss, rows[i].media,
                       rows[i].percent, measured, expected);
        assert_near(measured, expected, 0.05 * expected + 1e-4);
        weir__fec_destroy(fec);
    }
}

static void large_and_old_frames_do_no_harm(void)
{
    struct weir__fec *fec = weir__fec_create(100, false, FRAME_NS, 0, 0);
    for (int i = 0; i < 3000; i++) {
        weir__fec_on_media(fec, 0, i == 2999, false);
    }
    while (weir__fec_next_repair(fec) != 0) {
    }
    g_assert_cmpint(fec->repair_packets, ==, WEIR__FEC_PACKETS);
    struct sent old = make_frame(fec, 0, 2);
    for (int i = 0; i < WEIR__FEC_FRAMES; i++) {
        make_frame(fec, 0, 2);
    }
    arrive_but(fec, &old, 1, 0);
    weir__fec_on_arrival(fec, 1, 0);
    weir__fec_on_arrival(fec, 1, UINT32_MAX);
    g_assert_cmpint(fec->whole_frames, ==, 0);
    weir__fec_destroy(fec);
    weir__fec_destroy(NULL);
}

static void the_policy_is_asked_once_a_second(void)
{
    struct weir__fec *fec = weir__fec_create(0, true, FRAME_NS, 0, 0);
    struct weir_repair_view view = {.loss_ppm = 30000,
                                    .burst_milli = 1000,
                                    .rtt_ns = WEIR_MS(50),
                                    .target_media_bps = 1000000,
                                    .min_media_bps = 1000};
    make_frame(fec, 0, 4);
    g_assert_false(weir__fec_is_due(fec, WEIR_MS(999)));
    g_assert_true(weir__fec_is_due(fec, WEIR_SECONDS(1)));
    weir__fec_look(fec, WEIR_SECONDS(1), &view);
    g_assert_false(weir__fec_is_due(fec, WEIR_MS(1999)));
    g_assert_cmpuint(fec->percent, >, 0);
    weir__fec_destroy(fec);
}

/* A request and its answer take the round trip and 40 ms; a picture may stand for a frame and 150
 * ms (W3C freezeCount), so 150 ms are left. */
static void packets_sent_again_are_counted_on_while_no_picture_freezes(void)
{
    static const struct {
        int64_t wait_ms, rtt_ms;
        bool repairs;
    } rows[] = {{500, 110, false}, {500, 111, true}, {100, 60, false}, {100, 61, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__fec *fec = weir__fec_create(0, true, FRAME_NS, WEIR_MS(rows[i].wait_ms), 0);
        struct weir_repair_view view = {.loss_ppm = 30000,
                                        .burst_milli = 1000,
                                        .rtt_ns = WEIR_MS(rows[i].rtt_ms),
                                        .target_media_bps = 1000000,
                                        .min_media_bps = 1000};
        make_frame(fec, 0, 4);
        weir__fec_look(fec, WEIR_SECONDS(1), &view);
        g_assert_cmpint(fec->percent > 0, ==, rows[i].repairs);
        weir__fec_destroy(fec);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/fec/" #name, name)
    ADD(a_frame_is_whole_when_all_its_packets_are_there);
    ADD(pictures_that_stand_too_long_are_a_freeze);
    ADD(a_lost_frame_stops_the_picture);
    ADD(each_part_brings_back_one_packet);
    ADD(a_jitter_buffer_makes_fec_wait);
    ADD(frames_wait_for_repair_that_is_sent_again);
    ADD(uneven_parts_help_each_other);
    ADD(what_is_saved_makes_the_percentage);
    ADD(frames_are_lost_as_the_model_says);
    ADD(large_and_old_frames_do_no_harm);
    ADD(the_policy_is_asked_once_a_second);
    ADD(packets_sent_again_are_counted_on_while_no_picture_freezes);
    return g_test_run();
}
