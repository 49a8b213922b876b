/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/ecn_path.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    const char *text;
} paths[] = {
    [WEIR_ECN_PATH_OFF] = {"off", "ECN is off"},
    [WEIR_ECN_PATH_TESTING] = {"testing", "ECN is sent, and no report tells yet how it arrives"},
    [WEIR_ECN_PATH_CAPABLE] = {"capable", "The path carries ECN"},
    [WEIR_ECN_PATH_UNREPORTED] = {"unreported", "Nobody reports ECN (RFC 8888 feedback does)"},
    [WEIR_ECN_PATH_BLEACHED] = {"bleached",
                                "ECN is cleared on the path, or the receiver does not read it"},
    [WEIR_ECN_PATH_REMARKED] = {"remarked", "ECT(0) and ECT(1) are exchanged on the path"},
    [WEIR_ECN_PATH_MANGLED] = {"mangled", "The path or the receiver marks what no queue marks"},
    [WEIR_ECN_PATH_DROPPED] = {"dropped", "The path drops ECN-capable packets"},
};

static bool is_path(enum weir_ecn_path path)
{
    return (size_t)path < sizeof(paths) / sizeof(paths[0]);
}

const char *weir_ecn_path_name(enum weir_ecn_path path)
{
    return is_path(path) ? paths[path].name : "unknown";
}

const char *weir_ecn_path_text(enum weir_ecn_path path)
{
    return is_path(path) ? paths[path].text : "Unknown";
}

void weir__ecn_path_start(struct weir__ecn_path *self, enum weir_ecn wish)
{
    self->wish = wish;
    self->state = wish == WEIR_ECN_NOT_ECT ? WEIR_ECN_PATH_OFF : WEIR_ECN_PATH_TESTING;
    self->tested_ns = 0;
    self->heard = false;
    self->marked_first = 0;
}

static bool is_under_test(const struct weir__ecn_path *self)
{
    return self->state == WEIR_ECN_PATH_TESTING || self->state == WEIR_ECN_PATH_CAPABLE;
}

enum weir_ecn weir__ecn_path_next(const struct weir__ecn_path *self)
{
    return is_under_test(self) ? self->wish : WEIR_ECN_NOT_ECT;
}

static enum weir_ecn last_sent(const struct weir__ecn_path *self)
{
    return self->n_changes > 0 ? self->changes[self->n_changes - 1].ecn : WEIR_ECN_NOT_ECT;
}

static void note_change(struct weir__ecn_path *self, int64_t seq, enum weir_ecn ecn)
{
    if (self->n_changes == WEIR__ECN_CHANGES) {
        memmove(self->changes, self->changes + 1, sizeof self->changes - sizeof *self->changes);
        self->n_changes--;
    }
    self->changes[self->n_changes].seq = seq;
    self->changes[self->n_changes++].ecn = ecn;
}

static void give_up(struct weir__ecn_path *self, int64_t now_ns)
{
    if (self->state == WEIR_ECN_PATH_TESTING && self->tested_ns != 0 && self->marked_first == 0 &&
        now_ns - self->tested_ns >= WEIR__ECN_TEST_NS) {
        self->state = self->heard ? WEIR_ECN_PATH_DROPPED : WEIR_ECN_PATH_UNREPORTED;
    }
}

void weir__ecn_path_on_sent(struct weir__ecn_path *self, int64_t now_ns, int64_t seq,
                            enum weir_ecn ecn)
{
    give_up(self, now_ns);
    if (ecn != last_sent(self)) {
        note_change(self, seq, ecn);
    }
    if (self->state == WEIR_ECN_PATH_TESTING && self->tested_ns == 0 && ecn == self->wish) {
        self->tested_ns = now_ns;
    }
}

/* What a packet left with. *certain: no change is near. Of one that left before the changes which
 * are remembered nothing is known. */
static enum weir_ecn sent_with(const struct weir__ecn_path *self, int64_t seq, bool *certain)
{
    enum weir_ecn ecn = WEIR_ECN_NOT_ECT;
    *certain = self->n_changes < WEIR__ECN_CHANGES || seq >= self->changes[0].seq;
    for (uint32_t i = 0; i < self->n_changes; i++) {
        int64_t after = seq - self->changes[i].seq;
        if (after >= 0) {
            ecn = self->changes[i].ecn;
        }
        if (after > -WEIR__ECN_SLACK_PACKETS && after < WEIR__ECN_SLACK_PACKETS) {
            *certain = false;
        }
    }
    return ecn;
}

/* What is wrong with a packet that left with one codepoint and arrived with another. */
static enum weir_ecn_path contradiction(enum weir_ecn sent, enum weir_ecn arrived)
{
    if (sent == arrived || (sent != WEIR_ECN_NOT_ECT && arrived == WEIR_ECN_CE)) {
        return WEIR_ECN_PATH_CAPABLE;
    }
    if (arrived == WEIR_ECN_NOT_ECT) {
        return WEIR_ECN_PATH_BLEACHED;
    }
    return sent == WEIR_ECN_NOT_ECT ? WEIR_ECN_PATH_MANGLED : WEIR_ECN_PATH_REMARKED;
}

/* Until one arrives unmarked; marks alone may be the work of a box that marks all. */
static void go_on_testing(struct weir__ecn_path *self, enum weir_ecn arrived)
{
    if (arrived == self->wish) {
        self->state = WEIR_ECN_PATH_CAPABLE;
    } else if (arrived == WEIR_ECN_CE && ++self->marked_first == WEIR__ECN_ALL_MARKED_PACKETS) {
        self->state = WEIR_ECN_PATH_MANGLED;
    }
}

static void hear(struct weir__ecn_path *self)
{
    if (self->state == WEIR_ECN_PATH_UNREPORTED) {
        self->state = WEIR_ECN_PATH_TESTING;
        self->tested_ns = 0;
        self->heard = true;
    }
}

/* A packet that left with one codepoint arrived with another, or the same. Returns what of it is to
 * be believed. */
static enum weir_ecn judge(struct weir__ecn_path *self, enum weir_ecn sent, bool certain,
                           enum weir_ecn ecn)
{
    enum weir_ecn_path found = contradiction(sent, ecn);
    if (found != WEIR_ECN_PATH_CAPABLE) {
        self->packets_wrong += certain;
        if (certain && is_under_test(self)) {
            self->state = found;
        }
        return WEIR_ECN_NOT_ECT;
    }
    if (sent != WEIR_ECN_NOT_ECT && self->state == WEIR_ECN_PATH_TESTING) {
        go_on_testing(self, ecn);
    }
    self->packets_ce += ecn == WEIR_ECN_CE;
    return ecn;
}

enum weir_ecn weir__ecn_path_on_received(struct weir__ecn_path *self, int64_t seq,
                                         enum weir_ecn ecn)
{
    hear(self);
    bool certain;
    enum weir_ecn sent = sent_with(self, seq, &certain);
    return judge(self, sent, certain, ecn);
}

void weir__ecn_path_on_untold(struct weir__ecn_path *self)
{
    if (self->state == WEIR_ECN_PATH_CAPABLE) {
        self->state = WEIR_ECN_PATH_UNREPORTED;
    }
}

static bool has_change_between(const struct weir__ecn_path *self, int64_t first_seq,
                               int64_t last_seq)
{
    uint32_t i = 0;
    while (i < self->n_changes &&
           (self->changes[i].seq <= first_seq || self->changes[i].seq > last_seq)) {
        i++;
    }
    return i < self->n_changes;
}

uint32_t weir__ecn_path_on_counts(struct weir__ecn_path *self, int64_t first_seq, int64_t last_seq,
                                  const uint32_t packets[4])
{
    hear(self);
    if (has_change_between(self, first_seq, last_seq)) {
        if (self->state == WEIR_ECN_PATH_TESTING && packets[self->wish] > 0) {
            go_on_testing(self, self->wish);
        }
        return 0;
    }
    bool first_certain, last_certain;
    enum weir_ecn sent = sent_with(self, first_seq, &first_certain);
    uint32_t marked = 0;
    sent_with(self, last_seq, &last_certain);
    for (enum weir_ecn ecn = WEIR_ECN_NOT_ECT; ecn <= WEIR_ECN_CE; ecn++) {
        for (uint32_t n = packets[ecn]; n > 0; n--) {
            marked += judge(self, sent, first_certain && last_certain, ecn) == WEIR_ECN_CE;
        }
    }
    return marked;
}
