/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/queue_policy.h"

#include "send_queue.h"

#define KEY     WEIR_QUEUE_KEY_FRAME
#define AUDIO   WEIR_QUEUE_AUDIO
#define CONTROL WEIR_QUEUE_CONTROL
#define REPAIR  WEIR_QUEUE_REPAIR

/* A script: each push is {ssrc, frame, bytes, flags}, or pops `pops` items first. Bytes are ms at
 * the tests' rate. */
struct step {
    uint32_t pops, ssrc, frame, bytes, flags;
};

struct script {
    const char *promise;
    enum weir_queue_policy policy;
    int max_time_ms;
    uint32_t max_packets;
    struct step steps[12];
    const char *outcome; /* dropped, in order | left in the queue */
    bool need_key_frame; /* after the last push */
};

static const struct script scripts[] = {
    {"newest: what comes is refused",
     WEIR_QUEUE_DROP_NEWEST,
     200,
     99,
     {{0, 1, 1, 100, 0}, {0, 1, 2, 100, 0}, {0, 1, 3, 100, 0}},
     "3 | 1 2",
     true},
    {"newest: the bound in packets",
     WEIR_QUEUE_DROP_NEWEST,
     9999,
     2,
     {{0, 1, 1, 1, 0}, {0, 1, 2, 1, 0}, {0, 1, 3, 1, 0}},
     "3 | 1 2",
     true},
    {"newest: a smaller packet may still fit",
     WEIR_QUEUE_DROP_NEWEST,
     200,
     99,
     {{0, 1, 1, 150, 0}, {0, 1, 2, 100, 0}, {0, 1, 3, 50, 0}},
     "2 | 1 3",
     false},
    {"newest: audio takes the place of video",
     WEIR_QUEUE_DROP_NEWEST,
     200,
     99,
     {{0, 1, 1, 100, 0}, {0, 1, 2, 100, 0}, {0, 2, 3, 50, AUDIO}},
     "2 | 3 1",
     true},
    {"newest: audio alone is bounded, the oldest goes, and needs no key frame",
     WEIR_QUEUE_DROP_NEWEST,
     100,
     99,
     {{0, 2, 1, 50, AUDIO}, {0, 2, 2, 50, AUDIO}, {0, 2, 3, 50, AUDIO}},
     "1 | 2 3",
     false},
    {"newest: one packet longer than the bound goes through",
     WEIR_QUEUE_DROP_NEWEST,
     10,
     99,
     {{0, 1, 1, 500, 0}, {0, 1, 2, 500, 0}},
     "2 | 1",
     true},

    {"oldest: the front makes room",
     WEIR_QUEUE_DROP_OLDEST,
     200,
     99,
     {{0, 1, 1, 100, 0}, {0, 1, 2, 100, 0}, {0, 1, 3, 150, 0}},
     "1 2 | 3",
     true},
    {"oldest: the bound in packets",
     WEIR_QUEUE_DROP_OLDEST,
     9999,
     2,
     {{0, 1, 1, 1, 0}, {0, 1, 2, 1, 0}, {0, 1, 3, 1, 0}},
     "1 | 2 3",
     true},
    {"oldest: audio stays while there is video",
     WEIR_QUEUE_DROP_OLDEST,
     100,
     99,
     {{0, 2, 1, 40, AUDIO}, {0, 1, 1, 40, 0}, {0, 2, 2, 40, AUDIO}, {0, 1, 2, 40, 0}},
     "2 | 1 3 4",
     true},
    {"oldest: one packet longer than the bound goes through",
     WEIR_QUEUE_DROP_OLDEST,
     10,
     99,
     {{0, 1, 1, 500, 0}, {0, 1, 2, 500, 0}},
     "1 | 2",
     true},
    {"oldest: control items keep their place",
     WEIR_QUEUE_DROP_OLDEST,
     100,
     99,
     {{0, 0, 0, 0, CONTROL}, {0, 1, 1, 60, 0}, {0, 0, 0, 0, CONTROL}, {0, 1, 2, 60, 0}},
     "2 | 1 3 4",
     true},

    {"frame: within the bound nothing goes",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 100, 0}, {0, 1, 2, 100, 0}},
     "| 1 2",
     false},
    {"frame: all that wait but the newest, whole",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 40, 0}, {0, 1, 1, 40, 0}, {0, 1, 2, 40, 0}, {0, 1, 2, 40, 0}, {0, 1, 3, 50, 0}},
     "1 2 3 4 | 5",
     true},
    {"frame: up to the newest key frame, without asking for one",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 60, 0}, {0, 1, 2, 60, KEY}, {0, 1, 3, 60, 0}, {0, 1, 4, 60, KEY}},
     "1 2 3 | 4",
     false},
    {"frame: a key frame stays, what refers to it goes",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 150, KEY}, {0, 1, 2, 40, 0}, {0, 1, 3, 40, 0}},
     "2 | 1 3",
     true},
    {"frame: a started frame goes on, the newest goes",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 100, 0}, {0, 1, 1, 190, 0}, {1, 1, 2, 20, 0}},
     "3 | 2",
     true},
    {"frame: the rest of a dropped frame is refused",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 100, 0}, {0, 1, 1, 190, 0}, {1, 1, 2, 20, 0}, {0, 1, 2, 1, 0}, {0, 1, 3, 5, 0}},
     "3 4 | 2 5",
     false},
    {"frame: the rest of a started frame goes when a key frame waits",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 100, 0}, {0, 1, 1, 90, 0}, {1, 1, 2, 190, KEY}},
     "2 | 3",
     false},
    {"frame: a started key frame is not cut off by the next",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 100, KEY}, {0, 1, 1, 190, KEY}, {1, 1, 2, 190, KEY}},
     "3 | 2",
     true},
    {"frame: a key frame longer than the bound goes through",
     WEIR_QUEUE_DROP_FRAME,
     10,
     99,
     {{0, 1, 1, 500, KEY}, {0, 1, 1, 500, KEY}, {0, 1, 2, 50, 0}},
     "3 | 1 2",
     true},
    {"frame: any frame longer than the bound goes through",
     WEIR_QUEUE_DROP_FRAME,
     10,
     99,
     {{0, 1, 1, 500, 0}, {0, 1, 1, 500, 0}},
     "| 1 2",
     false},
    {"frame: a key frame alone in its stream stays",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 90, 0}, {0, 1, 1, 90, 0}, {1, 7, 1, 180, KEY}},
     "| 2 3",
     false},
    {"frame: what still comes of a started frame stays",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 10, 0}, {1, 7, 1, 150, KEY}, {0, 1, 1, 100, 0}},
     "| 2 3",
     false},
    {"frame: only the stream that waits longest suffers",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 7, 1, 50, 0}, {0, 1, 1, 50, 0}, {0, 7, 2, 50, 0}, {0, 1, 2, 70, 0}},
     "1 3 | 2 4",
     true},
    {"frame: audio stays while a long frame waits",
     WEIR_QUEUE_DROP_FRAME,
     100,
     99,
     {{0, 1, 1, 500, KEY}, {0, 2, 1, 50, AUDIO}, {0, 2, 2, 50, AUDIO}},
     "| 2 3 1",
     false},
    {"frame: audio alone is bounded",
     WEIR_QUEUE_DROP_FRAME,
     100,
     99,
     {{0, 2, 1, 50, AUDIO}, {0, 2, 2, 50, AUDIO}, {0, 2, 3, 50, AUDIO}},
     "1 | 2 3",
     false},
    {"frame: control items keep their place",
     WEIR_QUEUE_DROP_FRAME,
     100,
     99,
     {{0, 0, 0, 0, CONTROL}, {0, 1, 1, 60, 0}, {0, 0, 0, 0, CONTROL}, {0, 1, 2, 60, 0}},
     "2 | 1 3 4",
     true},
    {"frame: more packets than slots go whole, and whatever comes of them",
     WEIR_QUEUE_DROP_FRAME,
     9999,
     2,
     {{0, 1, 1, 1, KEY}, {0, 1, 1, 1, KEY}, {0, 1, 1, 1, KEY}, {0, 1, 1, 1, KEY}},
     "1 2 3 4 |",
     false},
    {"frame: audio needs a slot: video goes first",
     WEIR_QUEUE_DROP_FRAME,
     9999,
     2,
     {{0, 1, 1, 1, KEY}, {0, 2, 1, 1, AUDIO}, {0, 2, 2, 1, AUDIO}, {0, 2, 3, 1, AUDIO}},
     "1 2 | 3 4",
     false},
    {"frames: repair up to half the bound stays, and goes first",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 50, 0}, {0, 2, 1, 50, REPAIR}, {0, 2, 2, 50, REPAIR}},
     "| 2 3 1",
     false},
    {"frames: more repair is given up for a key frame",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 50, 0}, {0, 2, 1, 50, REPAIR}, {0, 2, 2, 60, REPAIR}},
     "2 3 | 1",
     true},
    {"frames: one packet of repair goes through, however long it takes",
     WEIR_QUEUE_DROP_FRAME,
     10,
     99,
     {{0, 2, 1, 500, REPAIR}},
     "| 1",
     false},
    {"frames: repair goes before frames do, and is no newest frame",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 1, 1, 100, 0}, {0, 2, 1, 20, REPAIR}, {0, 1, 2, 100, 0}},
     "2 | 1 3",
     true},
    {"frames: repair is no other frame for the newest, even if some of it left",
     WEIR_QUEUE_DROP_FRAME,
     200,
     99,
     {{0, 2, 1, 10, REPAIR}, {0, 2, 1, 10, REPAIR}, {1, 1, 1, 300, 0}},
     "| 2 3",
     false},
};

static void run_script(const struct script *script)
{
    struct send_queue *test =
        send_queue_new(script->policy, script->max_time_ms, script->max_packets);
    g_test_message("%s", script->promise);
    for (size_t i = 0; i < G_N_ELEMENTS(script->steps) &&
                       (i == 0 || script->steps[i].bytes > 0 || script->steps[i].flags != 0);
         i++) {
        const struct step *step = &script->steps[i];
        for (uint32_t k = 0; k < step->pops; k++) {
            g_assert_cmpuint(send_queue_pop(test), >, 0);
        }
        send_queue_push(test, step->ssrc, step->frame, step->bytes, step->flags);
    }
    g_assert_true(test->need_key_frame == script->need_key_frame);
    send_queue_expect(test, script->outcome);
    send_queue_free(test);
}

static void test_scripts(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(scripts); i++) {
        run_script(&scripts[i]);
    }
}

static void test_nothing_leaves_at_rate_zero_so_only_one_frame_stays(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_FRAME, 1000, 99);
    for (uint32_t frame = 1; frame <= 5; frame++) {
        struct weir_queue_item item = {
            .packet = (void *)(uintptr_t)frame, .size_bytes = 1, .ssrc = 1, .rtp_timestamp = frame};
        g_assert_cmpint(weir_queue_push(test->queue, &item, 0, NULL), ==, WEIR_OK);
    }
    send_queue_expect(test, "1 2 3 4 | 5");
    send_queue_free(test);
}

/* Some payloaders (rtpmp4vpay behind certain encoders) never change the timestamp. */
static void test_a_marker_ends_a_frame_whose_timestamp_stands_still(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_FRAME, 100, 4096);
    struct weir_queue_stats stats;
    for (int frame = 0; frame < 100; frame++) {
        send_queue_push(test, 1, 7, 10, 0);
        send_queue_push(test, 1, 7, 10, WEIR_QUEUE_FRAME_END);
        struct weir_queue_item item;
        g_assert_true(frame % 4 != 0 || weir_queue_pop(test->queue, &item));
        weir_queue_get_stats(test->queue, &stats);
        g_assert_cmpuint(stats.queued_packets, <=, 12);
    }
    g_assert_cmpuint(stats.dropped_frames, >, 50);
    send_queue_free(test);
}

static void test_key_frames_come_through_however_low_the_rate(void)
{
    /* Each key frame takes 10 times the bound; the encoder answers each request with the next. */
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_FRAME, 100, 4096);
    uint32_t last_popped_frame = 0;
    uint32_t packets_of_frame = 0;
    int whole_frames = 0;
    bool want_key_frame = true;
    for (uint32_t frame = 1; frame < 400; frame++) {
        bool key_frame = want_key_frame;
        want_key_frame = false;
        for (int i = 0; i < (key_frame ? 10 : 1); i++) {
            send_queue_push(test, 1, frame, 100, key_frame ? KEY : 0);
            want_key_frame |= test->need_key_frame;
        }
        struct weir_queue_item item;
        if (weir_queue_pop(test->queue, &item)) { /* one packet per frame interval */
            packets_of_frame = item.rtp_timestamp == last_popped_frame ? packets_of_frame + 1 : 1;
            last_popped_frame = item.rtp_timestamp;
            whole_frames += (item.flags & KEY) && packets_of_frame == 10;
        }
    }
    g_assert_cmpint(whole_frames, >=, 30);
    send_queue_free(test);
}

static void test_more_streams_than_are_followed_are_still_bounded(void)
{
    struct send_queue *test = send_queue_new(WEIR_QUEUE_DROP_FRAME, 100, 4096);
    for (uint32_t i = 0; i < 1000; i++) {
        send_queue_push(test, i % 40, i, 10, i % 7 == 0 ? KEY : 0);
        struct weir_queue_stats stats;
        weir_queue_get_stats(test->queue, &stats);
        g_assert_cmpint(stats.queued_bytes, <=, 100 + 40 * 10);
    }
    send_queue_free(test);
}

/* ------- any traffic: a naive record of what happened to each packet ------- */

enum fate { QUEUED, POPPED, DROPPED };

struct record {
    uint32_t ssrc, frame, bytes, flags;
    enum fate fate;
};

struct model {
    struct send_queue *test;
    GRand *random;
    struct record records[30001]; /* by number, from 1 */
    uint32_t frame_of_ssrc[4];
    bool key_frame[4];
    size_t n_seen_dropped;
};

/* The next packet of a random stream: 1 and 2 video, 3 audio, 0 control. */
static struct record next_packet(struct model *model)
{
    uint32_t ssrc = (uint32_t)g_rand_int_range(model->random, 0, 4);
    struct record record = {.ssrc = ssrc,
                            .bytes = (uint32_t)g_rand_int_range(model->random, 1, 60)};
    if (ssrc == 0) {
        record = (struct record){.flags = CONTROL};
    } else if (ssrc == 3) {
        record.flags = AUDIO;
        record.frame = ++model->frame_of_ssrc[3];
    } else {
        if (g_rand_int_range(model->random, 0, 4) == 0) {
            model->frame_of_ssrc[ssrc]++;
            model->key_frame[ssrc] = g_rand_int_range(model->random, 0, 6) == 0;
        }
        record.frame = model->frame_of_ssrc[ssrc];
        record.flags = model->key_frame[ssrc] ? KEY : 0;
    }
    return record;
}

static bool is_video(const struct record *record)
{
    return !(record->flags & (AUDIO | CONTROL));
}

/* What is known of the dropped packets since the last look. */
static void note_dropped(struct model *model)
{
    for (; model->n_seen_dropped < model->test->n_dropped; model->n_seen_dropped++) {
        struct record *record = &model->records[model->test->dropped[model->n_seen_dropped]];
        g_assert_cmpint(record->fate, ==, QUEUED); /* exactly once */
        g_assert_false(record->flags & CONTROL);
        record->fate = DROPPED;
    }
}

/* Whether a key frame of the same stream is queued behind the record. */
static bool key_frame_follows(const struct model *model, uintptr_t number)
{
    const struct record *record = &model->records[number];
    for (uintptr_t i = number + 1; i <= model->test->pushed; i++) {
        const struct record *later = &model->records[i];
        if (later->ssrc == record->ssrc && later->fate == QUEUED && later->flags & KEY &&
            later->frame != record->frame) {
            return true;
        }
    }
    return false;
}

/* Whether a packet of the same frame was dropped before. */
static bool has_earlier_drop(const struct model *model, uintptr_t number)
{
    const struct record *record = &model->records[number];
    for (uintptr_t i = number - 1; i >= 1; i--) {
        const struct record *earlier = &model->records[i];
        if (earlier->ssrc == record->ssrc && earlier->frame == record->frame) {
            return earlier->fate == DROPPED;
        }
    }
    return false;
}

/* drop-frame: after a push, what was dropped in it either has a key frame behind it, or one was
 * asked for, or it is the rest of a frame for which that has happened before. */
static void check_key_frame_request(const struct model *model, size_t first_dropped, bool asked)
{
    for (size_t i = first_dropped; i < model->test->n_dropped; i++) {
        uintptr_t number = model->test->dropped[i];
        const struct record *record = &model->records[number];
        bool rest = i > 0 && has_earlier_drop(model, number);
        if (is_video(record)) {
            g_assert_true(asked || key_frame_follows(model, number) || rest);
        }
    }
}

/* drop-frame: of each frame, what left came before all that was dropped, and nothing is queued
 * behind something dropped. */
static void check_frames_are_whole(const struct model *model)
{
    uint32_t cut_frame[4] = {0};
    bool cut[4] = {false};
    for (uintptr_t i = 1; i <= model->test->pushed; i++) {
        const struct record *record = &model->records[i];
        if (!is_video(record)) {
            continue;
        }
        if (record->fate == DROPPED) {
            cut[record->ssrc] = true;
            cut_frame[record->ssrc] = record->frame;
        } else {
            g_assert_false(cut[record->ssrc] && cut_frame[record->ssrc] == record->frame);
        }
    }
}

/* Bytes queued, by what the records say: all, or audio only. */
static int64_t queued_bytes(const struct model *model, uint32_t mask, uint32_t flags,
                            uint32_t *packets)
{
    int64_t bytes = 0;
    *packets = 0;
    for (uintptr_t i = 1; i <= model->test->pushed; i++) {
        const struct record *record = &model->records[i];
        if (record->fate == QUEUED && (record->flags & mask) == flags) {
            bytes += record->bytes;
            (*packets)++;
        }
    }
    return bytes;
}

/* Over the bound only with one frame left per stream, or audio within the bound of its own. */
static void check_bound(const struct model *model, enum weir_queue_policy policy, int64_t max_bytes)
{
    uint32_t packets = 0;
    uint32_t audio_packets = 0;
    uint32_t control = 0;
    struct weir_queue_stats stats;
    weir_queue_get_stats(model->test->queue, &stats);
    int64_t bytes = queued_bytes(model, CONTROL, 0, &packets);
    int64_t audio_bytes = queued_bytes(model, CONTROL | AUDIO, AUDIO, &audio_packets);
    queued_bytes(model, CONTROL, CONTROL, &control);
    g_assert_cmpint(stats.queued_bytes, ==, bytes);
    g_assert_cmpuint(stats.queued_packets, ==, packets);
    g_assert_cmpuint(packets + control, <=, 40);
    if (audio_packets > 1) {
        g_assert_cmpint(audio_bytes, <=, max_bytes);
    }
    if (bytes > max_bytes && policy != WEIR_QUEUE_DROP_FRAME) {
        g_assert_cmpuint(packets - audio_packets, <=, 1);
    }
}

static void push_random(struct model *model, enum weir_queue_policy policy, int64_t max_bytes)
{
    struct record record = next_packet(model);
    size_t first_dropped = model->test->n_dropped;
    model->records[model->test->pushed + 1] = record;
    enum weir_status status =
        send_queue_push(model->test, record.ssrc, record.frame, record.bytes, record.flags);
    note_dropped(model);
    bool refused = model->records[model->test->pushed].fate == DROPPED;
    g_assert_cmpint(status, ==, refused ? WEIR_ERROR_NO_SPACE : WEIR_OK);
    if (policy == WEIR_QUEUE_DROP_FRAME) {
        check_key_frame_request(model, first_dropped, model->test->need_key_frame);
    }
    check_bound(model, policy, max_bytes);
}

/* Whether an earlier item is still queued, other than video if that may wait. */
static bool has_passed(const struct model *model, uintptr_t number, bool video_may_wait)
{
    for (uintptr_t i = 1; i < number; i++) {
        const struct record *record = &model->records[i];
        if (record->fate == QUEUED && !(video_may_wait && is_video(record))) {
            return true;
        }
    }
    return false;
}

/* Audio passes video; else all leave in the order they came, and control is passed by nothing. */
static void pop_one(struct model *model)
{
    uintptr_t number = send_queue_pop(model->test);
    if (number == 0) {
        return;
    }
    const struct record *record = &model->records[number];
    g_assert_cmpint(record->fate, ==, QUEUED);
    g_assert_false(has_passed(model, number, record->flags & AUDIO));
    model->records[number].fate = POPPED;
}

static void run_model(enum weir_queue_policy policy, guint32 seed)
{
    struct model *model = g_new0(struct model, 1);
    g_test_message("policy %d seed %u", (int)policy, seed);
    model->test = send_queue_new(policy, 300, 40);
    model->random = g_rand_new_with_seed(seed);
    for (int i = 0; i < 2500; i++) {
        if (g_rand_int_range(model->random, 0, 100) < 58) {
            push_random(model, policy, 300);
        } else {
            pop_one(model);
        }
    }
    if (policy == WEIR_QUEUE_DROP_FRAME) {
        check_frames_are_whole(model);
    }
    while (weir_queue_peek(model->test->queue) != NULL) {
        pop_one(model);
    }
    for (uintptr_t i = 1; i <= model->test->pushed; i++) {
        g_assert_cmpint(model->records[i].fate, !=, QUEUED);
    }
    g_assert_cmpuint(model->test->n_dropped, >, 50); /* the policy was at work */
    g_rand_free(model->random);
    send_queue_free(model->test);
    g_free(model);
}

static void test_any_traffic_keeps_order_bound_frames_and_key_frame_requests(void)
{
    for (guint32 seed = 1; seed <= 12; seed++) {
        run_model(WEIR_QUEUE_DROP_NEWEST, seed);
        run_model(WEIR_QUEUE_DROP_OLDEST, seed);
        run_model(WEIR_QUEUE_DROP_FRAME, seed);
    }
}

/* ------- every short interleaving against a list ------- */

/* What the queue holds, by number; kinds[number] is 'v', 'a' or 'c'. */
struct list {
    unsigned numbers[16];
    size_t n;
    char kinds[16];
    unsigned dropped; /* 0 = none */
};

static void list_remove(struct list *list, size_t at)
{
    memmove(&list->numbers[at], &list->numbers[at + 1],
            (list->n - at - 1) * sizeof(list->numbers[0]));
    list->n--;
}

static void list_insert(struct list *list, unsigned number, char kind)
{
    size_t at = list->n++;
    while (kind == 'a' && at > 0 && list->kinds[list->numbers[at - 1]] == 'v') {
        list->numbers[at] = list->numbers[at - 1];
        at--;
    }
    list->numbers[at] = number;
    list->kinds[number] = kind;
}

/* Drops the first or last item of a kind, if there is one. */
static bool list_drop(struct list *list, char kind, bool last)
{
    for (size_t k = 0; k < list->n; k++) {
        size_t i = last ? list->n - 1 - k : k;
        if (list->kinds[list->numbers[i]] == kind) {
            list->dropped = list->numbers[i];
            list_remove(list, i);
            return true;
        }
    }
    return false;
}

static void list_push(struct list *list, unsigned number, char kind, size_t max_packets,
                      bool newest)
{
    list->dropped = 0;
    list_insert(list, number, kind);
    if (list->n > max_packets && !list_drop(list, 'v', newest) && !list_drop(list, 'a', false)) {
        list_drop(list, 'c', true);
    }
}

static unsigned list_pop(struct list *list)
{
    if (list->n == 0) {
        return 0;
    }
    unsigned number = list->numbers[0];
    list_remove(list, 0);
    return number;
}

enum { SHORT_STEPS = TEST_IS_SANITIZED ? 6 : 7, SHORT_PACKETS = 3 };

static const char kinds[] = "vac";
static const uint32_t flags_of_kind[] = {0, AUDIO, CONTROL};

/* Each step is one of: push video, audio, control; pop. */
static void run_interleaving(enum weir_queue_policy policy, unsigned code)
{
    struct send_queue *test = send_queue_new(policy, 1000, SHORT_PACKETS);
    struct list list = {.n = 0};
    for (unsigned step = 1; step <= SHORT_STEPS; step++, code /= 4) {
        unsigned kind = code % 4;
        size_t n_dropped = test->n_dropped;
        if (kind == 3) {
            g_assert_cmpuint(send_queue_pop(test), ==, list_pop(&list));
            continue;
        }
        enum weir_status status = send_queue_push(test, kind, step, 1, flags_of_kind[kind]);
        unsigned number = (unsigned)test->pushed;
        list_push(&list, number, kinds[kind], SHORT_PACKETS, policy == WEIR_QUEUE_DROP_NEWEST);
        g_assert_cmpuint(test->n_dropped - n_dropped, ==, list.dropped != 0);
        g_assert_true(list.dropped == 0 || test->dropped[n_dropped] == list.dropped);
        g_assert_cmpint(status, ==, list.dropped == number ? WEIR_ERROR_NO_SPACE : WEIR_OK);
    }
    for (unsigned number = list_pop(&list); number != 0; number = list_pop(&list)) {
        g_assert_cmpuint(send_queue_pop(test), ==, number);
    }
    g_assert_cmpuint(send_queue_pop(test), ==, 0);
    send_queue_free(test);
}

static void test_every_short_interleaving_is_as_in_a_list(void)
{
    for (unsigned code = 0; code < 1u << 2 * SHORT_STEPS; code++) {
        run_interleaving(WEIR_QUEUE_DROP_NEWEST, code);
        run_interleaving(WEIR_QUEUE_DROP_OLDEST, code);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/queue_policy/what_goes_first", test_scripts);
    g_test_add_func("/queue_policy/nothing_leaves_at_rate_zero_so_only_one_frame_stays",
                    test_nothing_leaves_at_rate_zero_so_only_one_frame_stays);
    g_test_add_func("/queue_policy/a_marker_ends_a_frame_whose_timestamp_stands_still",
                    test_a_marker_ends_a_frame_whose_timestamp_stands_still);
    g_test_add_func("/queue_policy/key_frames_come_through_however_low_the_rate",
                    test_key_frames_come_through_however_low_the_rate);
    g_test_add_func("/queue_policy/more_streams_than_are_followed_are_still_bounded",
                    test_more_streams_than_are_followed_are_still_bounded);
    g_test_add_func("/queue_policy/any_traffic_keeps_order_bound_frames_and_key_frame_requests",
                    test_any_traffic_keeps_order_bound_frames_and_key_frame_requests);
    g_test_add_func("/queue_policy/every_short_interleaving_is_as_in_a_list",
                    test_every_short_interleaving_is_as_in_a_list);
    return g_test_run();
}
