/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/members.h"

#define MAX_WEIGHT 1000000u
/* Shared by all for whom no other transport is left. */
#define LEFT_OVER WEIR_RTP_SESSIONS

_Static_assert((int)WEIR_MEMBERS == (int)WEIR_SHARES_MAX, "each member has a share");

bool weir__members_has(const struct weir__members *members, uint32_t member)
{
    return member < members->n_places && members->places[member].in_use;
}

/* --- Transports --- */

/* That of an RTP session is the session's number; that of a member alone cannot be one. */
static uint64_t key_of(const struct weir__members *members, uint32_t member)
{
    uint64_t session = members->places[member].config.rtp_session;
    return session != 0 ? session : UINT64_MAX - member;
}

/* That of the same key, or a free one: the one behind that given out last, since reports on the
 * former user of a transport may still be on their way. */
static uint8_t find_transport(const struct weir__members *members, uint64_t key)
{
    uint32_t found = LEFT_OVER;
    for (uint32_t i = 0; i < LEFT_OVER; i++) {
        uint32_t k = (members->next_transport + i) % LEFT_OVER;
        if (members->transport_users[k] > 0 && members->transport_key[k] == key) {
            return (uint8_t)k;
        }
        found = members->transport_users[k] == 0 && found == LEFT_OVER ? k : found;
    }
    return (uint8_t)found;
}

static void take_transport(struct weir__members *members, uint32_t member)
{
    uint64_t key = key_of(members, member);
    uint8_t transport = find_transport(members, key);
    members->places[member].transport = transport;
    if (members->transport_users[transport]++ == 0 && transport != LEFT_OVER) {
        members->transport_key[transport] = key;
        members->transport_is_new[transport] = true;
        members->next_transport = members->n_members > 1 ? (transport + 1u) % LEFT_OVER : 0;
    }
}

static void put_transport(struct weir__members *members, uint32_t member)
{
    members->transport_users[members->places[member].transport]--;
}

bool weir__transport_counts(uint32_t transport)
{
    return transport != LEFT_OVER;
}

bool weir__members_counts_transport(const struct weir__members *members, uint32_t member)
{
    return weir__transport_counts(members->places[member].transport);
}

bool weir__members_hear(const struct weir__members *members, uint32_t transport, uint32_t ssrc)
{
    bool is_known = false;
    for (uint32_t i = 0; i < members->n_places; i++) {
        const struct weir__member *member = &members->places[i];
        uint32_t named = member->config.reporter_ssrc;
        bool names = member->in_use && member->transport == transport && named != 0;
        if (names && named == ssrc) {
            return true;
        }
        is_known |= names;
    }
    return !is_known;
}

/* --- Who is there --- */

static bool are_limits_valid(const struct weir_limits *limits)
{
    return limits->min_bps > 0 && limits->min_bps <= limits->start_bps &&
           limits->start_bps <= limits->max_bps && limits->max_bps <= WEIR_MAX_BPS;
}

/* member: whose place config takes. */
static enum weir_status check(const struct weir__members *members, uint32_t member,
                              const struct weir_member *config)
{
    if (!are_limits_valid(&config->limits)) {
        return WEIR_ERROR_ARGUMENT;
    }
    int64_t min_bps = config->limits.min_bps;
    for (uint32_t i = 0; i < members->n_places; i++) {
        const struct weir__member *other = &members->places[i];
        min_bps += i != member && other->in_use ? other->config.limits.min_bps : 0;
    }
    bool in_range = config->weight >= 1 && config->weight <= MAX_WEIGHT && min_bps <= WEIR_MAX_BPS;
    return in_range ? WEIR_OK : WEIR_ERROR_RANGE;
}

static struct weir_share_config share_config(const struct weir_member *config)
{
    struct weir_share_config share;
    weir_share_config_init(&share);
    share.weight = config->weight;
    share.min_media_bps = config->limits.min_bps;
    share.max_media_bps = config->limits.max_bps;
    return share;
}

enum weir_status weir__members_add(struct weir__members *members, int64_t now_ns,
                                   const struct weir_member *config, uint32_t *member)
{
    enum weir_status status = check(members, WEIR_MEMBERS, config);
    if (status != WEIR_OK) {
        return status;
    }
    struct weir_share_config share = share_config(config);
    status = weir_shares_add(&members->shares, now_ns, &share, member);
    if (status == WEIR_OK) {
        members->n_members++;
        members->n_places = *member < members->n_places ? members->n_places : *member + 1;
        members->places[*member] = (struct weir__member){.config = *config, .in_use = true};
        members->changed = true;
        take_transport(members, *member);
    }
    return status;
}

enum weir_status weir__members_set(struct weir__members *members, uint32_t member,
                                   const struct weir_member *config)
{
    enum weir_status status =
        weir__members_has(members, member) ? check(members, member, config) : WEIR_ERROR_ARGUMENT;
    if (status != WEIR_OK) {
        return status;
    }
    struct weir_share_config share = share_config(config);
    weir_shares_set(&members->shares, member, &share);
    bool moved = config->rtp_session != members->places[member].config.rtp_session;
    members->places[member].config = *config;
    members->changed = true;
    if (moved) {
        put_transport(members, member);
        take_transport(members, member);
    }
    return WEIR_OK;
}

enum weir_status weir__members_remove(struct weir__members *members, uint32_t member)
{
    if (!weir__members_has(members, member) || members->n_members == 1) {
        return WEIR_ERROR_ARGUMENT;
    }
    put_transport(members, member);
    weir_shares_remove(&members->shares, member);
    members->places[member].in_use = false;
    members->n_members--;
    members->changed = true;
    return WEIR_OK;
}

/* --- All together --- */

struct weir_limits weir__members_limits(const struct weir__members *members)
{
    struct weir_limits sum = {.min_bps = 0};
    for (uint32_t i = 0; i < members->n_places; i++) {
        const struct weir__member *member = &members->places[i];
        if (member->in_use) {
            const struct weir_limits *limits = &member->config.limits;
            sum.min_bps += limits->min_bps;
            sum.max_bps += limits->max_bps;
            sum.start_bps += limits->start_bps;
        }
    }
    sum.max_bps = weir_min_i64(sum.max_bps, WEIR_MAX_BPS);
    sum.start_bps = weir_min_i64(sum.start_bps, sum.max_bps);
    return sum;
}

uint32_t weir__members_overhead_bytes(const struct weir__members *members)
{
    uint32_t largest_bytes = 0;
    for (uint32_t i = 0; i < members->n_places; i++) {
        const struct weir__member *member = &members->places[i];
        if (member->in_use && member->config.overhead_bytes > largest_bytes) {
            largest_bytes = member->config.overhead_bytes;
        }
    }
    return largest_bytes;
}

int64_t weir__members_queued_bytes(const struct weir__members *members)
{
    int64_t sum_bytes = 0;
    for (uint32_t i = 0; i < members->n_places; i++) {
        const struct weir__member *member = &members->places[i];
        sum_bytes += member->in_use ? member->queued_bytes : 0;
    }
    return sum_bytes;
}

int64_t weir__members_set_queued(struct weir__members *members, uint32_t member,
                                 int64_t queued_bytes)
{
    members->places[member].queued_bytes = weir_max_i64(queued_bytes, 0);
    return members->n_members == 1 ? members->places[member].queued_bytes
                                   : weir__members_queued_bytes(members);
}

/* --- Shares --- */

void weir__members_on_media(struct weir__members *members, int64_t now_ns, uint32_t member,
                            uint32_t payload_bytes, uint32_t wire_bytes)
{
    members->changed |=
        weir_shares_on_media(&members->shares, now_ns, member, payload_bytes, wire_bytes);
}

int64_t weir__members_next_timer_ns(const struct weir__members *members)
{
    return members->n_members > 1 ? weir_shares_next_timer_ns(&members->shares) : WEIR_NEVER_NS;
}

void weir__members_split(struct weir__members *members, int64_t now_ns, int64_t budget_wire_bps)
{
    if (members->n_members > 1 && (members->changed || budget_wire_bps != members->budget_bps ||
                                   weir_shares_next_timer_ns(&members->shares) <= now_ns)) {
        weir_shares_split(&members->shares, now_ns, budget_wire_bps);
        members->budget_bps = budget_wire_bps;
        members->changed = false;
    }
}

/* What all are counted with. */
static int64_t counted_bps(const struct weir__members *members)
{
    int64_t sum_bps = 0;
    for (uint32_t i = 0; i < members->n_places; i++) {
        sum_bps += members->places[i].in_use ? weir_shares_get_wire_bps(&members->shares, i) : 0;
    }
    return sum_bps;
}

void weir__members_get_share(const struct weir__members *members, uint32_t member,
                             const struct weir_output *output, struct weir_share *share)
{
    *share = (struct weir_share){.target_media_bps = output->target_media_bps,
                                 .wire_bps = output->target_wire_bps,
                                 .drain_wire_bps = output->pacing_wire_bps,
                                 .numbers_count = weir__members_counts_transport(members, member)};
    if (members->n_members > 1) {
        bool ceased = (output->state & WEIR_STATE_BREAKER_CEASED) != 0;
        share->wire_bps = weir_shares_get_wire_bps(&members->shares, member);
        share->target_media_bps = ceased ? 0 : weir_shares_get_media_bps(&members->shares, member);
        double part = (double)share->wire_bps / (double)weir_max_i64(counted_bps(members), 1);
        share->drain_wire_bps = (int64_t)((double)output->pacing_wire_bps * part);
    }
}
