/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/account.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/unwrap.h"
#include "session/gaps.h"
#include "weir/units.h"

/* RFC 3550 6.2: the usual interval of reports, until the account's own is known. */
#define USUAL_INTERVAL_NS WEIR_SECONDS(5)

/* Of fewer packets that are missing nothing follows. */
enum { LOSS_GAIN = 4, ONE_Q16 = 65536, DENIED_AT_LEAST = 16, DENIED_SHARE = 8 };

/* A block, and where its highest number lies among the packets really sent. The cycles are the
 * receiver's. */
struct telling {
    const struct weir__report_origin *origin;
    const struct weir__report_block *block;
    int64_t highest_rtp;
    uint32_t skipped_packets;
    const struct weir__history *history;
    unsigned stream;
    int64_t compared_after_rtp;
};

static bool is_of(const struct weir__account *account, const struct telling *telling)
{
    return account->known && account->transport == telling->origin->transport &&
           account->ssrc == telling->origin->ssrc;
}

static void set_base(struct weir__account *account, const struct telling *telling)
{
    account->cumulative_lost = telling->block->cumulative_lost;
    account->skipped_packets = telling->skipped_packets;
    account->lsr_mid32 = telling->block->lsr_mid32;
    account->dlsr_mid32 = telling->block->dlsr_mid32;
    account->highest_rtp = telling->highest_rtp;
    weir__pulse_on_news(&account->pulse, telling->origin->now_ns);
}

static void open_account(struct weir__account *account, const struct telling *telling)
{
    *account = (struct weir__account){
        .known = true,
        .transport = telling->origin->transport,
        .ssrc = telling->origin->ssrc,
        .pulse = {.interval_ns = USUAL_INTERVAL_NS, .news_ns = telling->origin->now_ns},
    };
    set_base(account, telling);
    account->before_rtp = telling->highest_rtp;
}

/* Numbers that were never sent are taken from both: to the receiver they are expected and lost. */
static int64_t skipped_since(const struct weir__account *account, const struct telling *telling)
{
    uint32_t skipped = telling->skipped_packets - account->skipped_packets;
    return weir_max_i64((int32_t)skipped, 0);
}

static int64_t lost_since(const struct weir__account *account, const struct telling *telling)
{
    return (int64_t)telling->block->cumulative_lost - account->cumulative_lost -
           skipped_since(account, telling);
}

/* Between two blocks no more can be lost than was expected, nor arrive twice: whether this one can
 * follow (sign 1) or have come before (-1), since reports overtake each other. */
static bool fits(const struct weir__account *account, const struct telling *telling, int sign)
{
    int64_t step = sign * (telling->highest_rtp - account->highest_rtp);
    return is_of(account, telling) && step >= 0 && llabs(lost_since(account, telling)) <= step;
}

/* Of those that the block can follow, the one whose count of losses is nearest, or the newest;
 * NULL. */
static struct weir__account *find_followed(struct weir__accounts *accounts,
                                           const struct telling *telling)
{
    struct weir__account *best = NULL;
    for (int i = 0; i < WEIR__ACCOUNTS; i++) {
        struct weir__account *account = &accounts->entries[i];
        if (!fits(account, telling, 1)) {
            continue;
        }
        int64_t lost = llabs(lost_since(account, telling));
        int64_t best_lost = best ? llabs(lost_since(best, telling)) : INT64_MAX;
        bool newer = best && account->highest_rtp > best->highest_rtp;
        best = lost < best_lost || (lost == best_lost && newer) ? account : best;
    }
    return best;
}

/* The newest of the same reporter; NULL. */
static struct weir__account *find_newest(struct weir__accounts *accounts,
                                         const struct telling *telling)
{
    struct weir__account *newest = NULL;
    for (int i = 0; i < WEIR__ACCOUNTS; i++) {
        struct weir__account *account = &accounts->entries[i];
        if (is_of(account, telling) && (!newest || account->highest_rtp > newest->highest_rtp)) {
            newest = account;
        }
    }
    return newest;
}

static bool is_told(const struct weir__account *account, int64_t now_ns)
{
    return account->known && !weir__pulse_is_silent(&account->pulse, now_ns);
}

/* A free one, or one no longer told, or the one with the least loss but for the one that steers. */
static struct weir__account *find_place(struct weir__accounts *accounts, int64_t now_ns)
{
    struct weir__account *place = NULL;
    for (int i = 0; i < WEIR__ACCOUNTS; i++) {
        struct weir__account *account = &accounts->entries[i];
        if (!is_told(account, now_ns)) {
            return account;
        }
        if (i != accounts->steers && (!place || account->loss_q16 <= place->loss_q16)) {
            place = account;
        }
    }
    return place;
}

static bool is_any_told(const struct weir__accounts *accounts, int64_t now_ns)
{
    for (int i = 0; i < WEIR__ACCOUNTS; i++) {
        if (is_told(&accounts->entries[i], now_ns)) {
            return true;
        }
    }
    return false;
}

/* Differences of two blocks. The highest number did arrive. */
static void measure(struct weir__account *account, const struct telling *telling,
                    struct weir__interval_loss *loss)
{
    int64_t step = telling->highest_rtp - account->highest_rtp;
    int64_t expected = weir_max_i64(step - skipped_since(account, telling), 1);
    int64_t lost = weir_clamp_i64(lost_since(account, telling), 0, expected);
    loss->expected_packets = (uint32_t)expected;
    loss->lost_packets = (uint32_t)lost;
    account->loss_q16 += ((int32_t)(lost * ONE_Q16 / expected) - account->loss_q16) / LOSS_GAIN;
}

/* What arrived of an interval by feedback on packets, less what did by the reports, of which a
 * little may differ. */
static int64_t hidden_packets(const struct telling *telling, int64_t after_rtp, int64_t to_rtp,
                              int64_t arrived_packets)
{
    int64_t margin = (to_rtp - after_rtp) * WEIR__ACCOUNT_MARGIN_Q16 / ONE_Q16;
    return weir__history_count_received(telling->history, telling->stream, after_rtp, to_rtp) -
           arrived_packets - margin;
}

static bool is_much(int64_t packets, int64_t numbers)
{
    return packets > weir_max_i64(DENIED_AT_LEAST, numbers / DENIED_SHARE);
}

/* Counts the interval before the one that a block ends. Of this one feedback on packets may not
 * have told all yet, but what it hides already, it hides. */
static bool denies(struct weir__account *account, const struct telling *telling)
{
    int64_t before = account->before_rtp, middle = account->highest_rtp;
    int64_t highest = telling->highest_rtp;
    int64_t arrived =
        highest - middle - skipped_since(account, telling) - lost_since(account, telling);
    int64_t denied = 0, newest = 0;
    if (before >= telling->compared_after_rtp) {
        denied = account->denied_packets +
                 hidden_packets(telling, before, middle, account->arrived_packets);
        newest = hidden_packets(telling, middle, highest, arrived);
    }
    account->denied_packets = weir_max_i64(denied, 0);
    account->before_rtp = middle;
    account->arrived_packets = arrived;
    return is_much(account->denied_packets, middle - before) ||
           is_much(account->denied_packets + newest, highest - middle);
}

/* A reporter whose sender reports stand still has nothing new to say either. */
static bool is_repeated(const struct weir__account *account, const struct telling *telling)
{
    return account->lsr_mid32 != 0 && account->lsr_mid32 == telling->block->lsr_mid32 &&
           account->dlsr_mid32 == telling->block->dlsr_mid32;
}

static enum weir__report_kind go_on(struct weir__account *account, const struct telling *telling,
                                    struct weir__interval_loss *loss, bool *denied)
{
    if (telling->highest_rtp < account->highest_rtp) {
        return WEIR__REPORT_OLD;
    }
    if (telling->highest_rtp == account->highest_rtp) {
        if (is_repeated(account, telling)) {
            return WEIR__REPORT_OLD;
        }
        weir__pulse_on_news(&account->pulse, telling->origin->now_ns);
        return WEIR__REPORT_UNCHANGED;
    }
    *denied = denies(account, telling);
    measure(account, telling, loss);
    set_base(account, telling);
    return WEIR__REPORT_ADVANCED;
}

/* Whether the account steers after what it has told; *begins when it did not before. */
static bool steers(struct weir__accounts *accounts, const struct weir__account *account,
                   const struct weir__report_origin *origin, bool *begins)
{
    const struct weir__account *steering = &accounts->entries[accounts->steers];
    bool is_other = account->ssrc != steering->ssrc || account->transport != steering->transport;
    bool worse = account->loss_q16 > steering->loss_q16 + WEIR__ACCOUNT_MARGIN_Q16;
    worse &= !(is_other && origin->first_steers);
    *begins = account != steering && (worse || !is_told(steering, origin->now_ns));
    accounts->steers = *begins ? (uint8_t)(account - accounts->entries) : accounts->steers;
    return *begins || account == steering;
}

/* The account that a block belongs to; NULL when it is not believed. */
static struct weir__account *find_account(struct weir__accounts *accounts,
                                          const struct telling *telling, bool *is_new)
{
    int64_t now_ns = telling->origin->now_ns;
    struct weir__account *account = find_followed(accounts, telling);
    bool is_late = false;
    for (int i = 0; i < WEIR__ACCOUNTS; i++) {
        is_late |= fits(&accounts->entries[i], telling, -1);
    }
    *is_new = !account && !is_late && (telling->origin->is_fresh || !is_any_told(accounts, now_ns));
    if (*is_new) {
        account = find_place(accounts, now_ns);
        open_account(account, telling);
    }
    return account ? account : find_newest(accounts, telling);
}

/* Numbers that jump too far begin anew: what was told of those before is told. */
static void forget_before(struct weir__accounts *accounts, uint32_t ssrc, int64_t first_rtp)
{
    for (int i = 0; i < WEIR__ACCOUNTS; i++) {
        struct weir__account *account = &accounts->entries[i];
        account->known &= accounts->ssrc == ssrc && account->highest_rtp >= first_rtp;
    }
    accounts->compared_after_rtp =
        accounts->ssrc == ssrc ? accounts->compared_after_rtp : first_rtp;
    accounts->ssrc = ssrc;
}

void weir__accounts_on_new_reporter(struct weir__accounts *all, const struct weir__history *history)
{
    for (unsigned i = 0; i < history->n_streams; i++) {
        all[i].compared_after_rtp = history->streams[i].last_rtp;
        for (unsigned k = 0; k < WEIR__ACCOUNTS; k++) {
            all[i].entries[k].denied_packets = 0;
        }
    }
}

enum weir__report_kind weir__accounts_on_block(struct weir__accounts *all,
                                               const struct weir__history *history,
                                               const struct weir__report_origin *origin,
                                               const struct weir__report_block *block,
                                               struct weir__interval_loss *loss)
{
    unsigned index = weir__history_find_stream(history, block->ssrc);
    if (index == WEIR__STREAM_OTHER) {
        return WEIR__REPORT_NOT_OURS;
    }
    const struct weir__history_stream *stream = &history->streams[index];
    struct telling telling = {
        .origin = origin,
        .block = block,
        .highest_rtp = weir__unwrap_not_newer(stream->last_rtp, block->highest_seq & 0xffff, 16),
        .history = history,
        .stream = index,
    };
    if (telling.highest_rtp < stream->first_rtp) {
        return WEIR__REPORT_NOT_OURS;
    }
    telling.skipped_packets = weir__gaps_before(&history->gaps[index], telling.highest_rtp);
    struct weir__accounts *accounts = &all[index];
    forget_before(accounts, block->ssrc, stream->first_rtp);
    telling.compared_after_rtp = accounts->compared_after_rtp;
    bool is_new, begins;
    accounts->denies = false;
    struct weir__account *account = find_account(accounts, &telling, &is_new);
    if (!account) {
        return WEIR__REPORT_OLD;
    }
    struct weir__interval_loss told = {0, 0};
    int64_t before_rtp = account->highest_rtp;
    enum weir__report_kind kind =
        is_new ? WEIR__REPORT_FIRST : go_on(account, &telling, &told, &accounts->denies);
    if (kind == WEIR__REPORT_OLD) {
        return kind;
    }
    if (!steers(accounts, account, origin, &begins)) {
        return WEIR__REPORT_IGNORED;
    }
    if (begins || is_new) {
        accounts->untaken = 0;
        return WEIR__REPORT_FIRST;
    }
    if (kind == WEIR__REPORT_ADVANCED) {
        *loss = told;
        accounts->untaken = (uint16_t)weir_min_i64(
            accounts->untaken + account->highest_rtp - before_rtp, UINT16_MAX);
    }
    return kind;
}
