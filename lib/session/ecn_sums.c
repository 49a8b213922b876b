/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/ecn_sums.h"

#include "weir/ecn.h"

/* Packets that had been told missing and arrived since (MAX_MISORDER of RFC 3550 A.1). */
enum { MOST_LATE = 100 };

static int64_t count_between(const struct weir__ecn_counts *before,
                             const struct weir__ecn_counts *now, uint32_t packets[4])
{
    packets[WEIR_ECN_NOT_ECT] = (uint16_t)(now->not_ect_packets - before->not_ect_packets);
    packets[WEIR_ECN_ECT1] = now->ect1_packets - before->ect1_packets;
    packets[WEIR_ECN_ECT0] = now->ect0_packets - before->ect0_packets;
    packets[WEIR_ECN_CE] = (uint16_t)(now->ce_packets - before->ce_packets);
    return (int64_t)packets[WEIR_ECN_NOT_ECT] + packets[WEIR_ECN_ECT1] + packets[WEIR_ECN_ECT0] +
           packets[WEIR_ECN_CE];
}

enum weir_status weir__ecn_sums_on_feedback(struct weir__ecn_sums *sums,
                                            const struct weir__ecn_feedback *feedback, int64_t seq,
                                            struct weir__ecn_arrivals *arrivals)
{
    struct weir__ecn_sums before = *sums;
    bool continues = before.known && before.reporter_ssrc == feedback->sender_ssrc;
    *sums = (struct weir__ecn_sums){.known = true,
                                    .reporter_ssrc = feedback->sender_ssrc,
                                    .seq = seq,
                                    .counts = feedback->counts};
    struct weir__ecn_arrivals found = {.first_seq = continues ? before.seq + 1 : seq,
                                       .last_seq = seq};
    int64_t n = continues ? count_between(&before.counts, &feedback->counts, found.packets) : 0;
    if (seq + 1 < found.first_seq || n > seq + 1 - found.first_seq + MOST_LATE) {
        return WEIR_ERROR_REJECTED;
    }
    *arrivals = found;
    return WEIR_OK;
}
