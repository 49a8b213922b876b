/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/admission.h"

#include "codec/bytes.h"
#include "codec/format.h"
#include "codec/rtcp.h"

/* Whether anything here reads such a packet. */
static bool is_read(const struct weir__rtcp_packet *packet)
{
    bool is_feedback = packet->type == WEIR__RTCP_RTPFB || packet->type == WEIR__RTCP_PSFB;
    return weir__format_of(packet) < WEIR__FORMATS || packet->type == WEIR__RTCP_SDES ||
           packet->type == WEIR__RTCP_BYE || is_feedback;
}

bool weir__admission_take(struct weir__guard *guard, struct weir__reporters *reporters,
                          int64_t now_ns, uint32_t transport, const uint8_t *data, size_t len)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    weir__rtcp_walk_init(&walk, data, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        if (is_read(&packet)) {
            uint32_t ssrc = packet.body_bytes >= 4 ? weir__get_u32(packet.body) : 0;
            struct weir__reporter *who = weir__reporters_find(reporters, transport, ssrc);
            return who && who->has_proved
                       ? weir__budget_take(&who->budget, now_ns, WEIR__GUARD_REPORTER_PER_S)
                       : weir__budget_take(&guard->strangers, now_ns, WEIR__GUARD_STRANGERS_PER_S);
        }
    }
    return true;
}
