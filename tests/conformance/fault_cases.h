/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every algorithm has to live with. Each demand has its bound and the reason for it. */
#ifndef WEIR_TESTS_FAULT_CASES_H
#define WEIR_TESTS_FAULT_CASES_H

#include "fault_clocks.h"

#define CCFB    WEIR_FEEDBACK_CCFB
#define TWCC    WEIR_FEEDBACK_TWCC
#define RR      WEIR_FEEDBACK_RR
#define FORMATS (CCFB | TWCC | RR)

#define AT(mbps, delay_ms)                                                                         \
    {                                                                                              \
        {                                                                                          \
            0, mbps, delay_ms                                                                      \
        }                                                                                          \
    }
/* 1 Mbit/s, RTT 100 ms, a drop-tail queue of 200 ms; the session may use ten times as much. */
#define PATH .phases = AT(1, 50), .max_mbps = 10, .start_kbps = 300, .circuit_breaker = true

#define LIVE(from, to)                                                                             \
    {                                                                                              \
        FAULT_USE, from, to, 0.5,                                                                  \
            "AIMD between half and all of the rate uses 3/4; a third less for encoder and "        \
            "feedback"                                                                             \
    }
#define SAFE(from, to)                                                                             \
    {                                                                                              \
        FAULT_OVER, from, to, 1.5, "a mean of 1.5 loses a third of the packets"                    \
    }
/* Half of what TCP gets by the equation of RFC 5348 3.1 with packets of 1228 bytes. R: 100 ms, and
 * 100 ms at most until the receiver reports. */
#define TCP_HALF(from, to, use, p)                                                                 \
    {                                                                                              \
        FAULT_USE, from, to, use, "half of RFC 5348's X_Bps at p = " p ", R = 200 ms"              \
    }
#define NOTHING_CHANGES(from, to)                                                                  \
    {                                                                                              \
        FAULT_DEVIATION, from, to, 0.0, "it says nothing new: the rate is the twin's, bit by bit"  \
    }
#define AS_TWIN(from, to)                                                                          \
    {                                                                                              \
        FAULT_OF_TWIN, from, to, 0.9,                                                              \
            "steers nothing: the twin's, less a tenth that seeds differ by"                        \
    }
#define HALVED(from, to)                                                                           \
    {                                                                                              \
        FAULT_HALF_S, from, to, 2.0, "the no-feedback timer begins with 2 s (RFC 5348 4.2)"        \
    }
#define DOWN(from, to)                                                                             \
    {                                                                                              \
        FAULT_MIN_S, from, to, 10.0, "five halvings of 2 s each from 1 Mbit/s to 30 kbit/s"        \
    }
#define NO_GAP(from, to)                                                                           \
    {                                                                                              \
        FAULT_GAP_S, from, to, 1.0, "three packets at the minimum of 30 kbit/s"                    \
    }
#define PROVED(from, to)                                                                           \
    {                                                                                              \
        FAULT_OVER, from, to, 2.0, "twice what was proved (SECURITY.md): the path carries 1"       \
    }

#define ROW(id, ...)                                                                               \
    {                                                                                              \
        .name = id, PATH, .seconds = 120, __VA_ARGS__                                              \
    }
#define DEMANDS(...) .demands = {__VA_ARGS__}
#define LIVES        DEMANDS(LIVE(60, 120), SAFE(60, 120))
#define WRAP(id, of, ...)                                                                          \
    ROW(id, .twin = "F00/no_fault", .format = (of), .origin = {__VA_ARGS__},                       \
        DEMANDS(NOTHING_CHANGES(0, 120)))
/* At our time 20 s; the wall clocks begin at 1.7e9 s, the peer's monotonic clock at 5000 s. */
#define MID_32_UNIX_S (INT64_C(65536) * 59650 - 2208988800 - 1700000000 - 20)
#define ERA_UNIX_S    (INT64_C(2085978496) - 1700000000 - 20)
#define TWCC_TURN_NS  (WEIR_MS(64) * (1 << 24) - WEIR_SECONDS(5000) - WEIR_MS(20480))
#define TICKS_53_NS   ((INT64_C(1) << 53) - WEIR_SECONDS(20))

/* 60 days of 20 frames/s across every wrap: RTP sequence and time stamps, transport-wide numbers,
 * the 24 bits of TWCC's reference time, NTP's middle 32 bits and its era (on day 30), 2^53 ns of
 * the sender's clock (on day 30), and 2^32 bytes of sender reports. */
#define DAYS_S(n) ((n)*INT64_C(86400))
#define SOAK                                                                                       \
    {                                                                                              \
        .name = "F29/soak", .algorithm = "sluice", PATH, .format = FORMATS, .is_soak = true,       \
        .loss = 0.01, .source_kbps = 50, .frame_ms = 50,                                           \
        .origin = {.unix_s = ERA_UNIX_S - DAYS_S(30),                                              \
                   .local_ns = TICKS_53_NS - DAYS_S(30) * WEIR_SECONDS(1)},                        \
        .seconds = DAYS_S(60),                                                                     \
        DEMANDS({FAULT_FLAT, 0, 0, 0.005,                                                          \
                 "an hour has 72 000 frames of sigma 12 %, 1 % lost: six sigmas of the change "    \
                 "are 0.5 %"},                                                                     \
                {FAULT_GROWN_KB, 0, 0, 220, "less than one session allocates"})                    \
    }

static const struct fault_case fault_cases[] = {
    ROW("F00/no_fault", .format = FORMATS, LIVES),
    ROW("F00/results", .format = 0, LIVES),

    ROW("F01/loss_1_percent", .format = FORMATS, .loss = 0.01,
        DEMANDS(TCP_HALF(60, 120, 0.27, "0.01"), SAFE(60, 120))),
    /* A source of 30 frames/s has packets of 360 bytes where the equation gives half of 87 kbit/s
     * to those of 1228; so it gives less, and so on to the minimum. */
    ROW("F01/loss_10_percent", .format = FORMATS, .loss = 0.1,
        DEMANDS(
            {FAULT_USE, 60, 120, 0.03,
             "the minimum, which RFC 5348's equation falls to for packets as small as frames are"},
            SAFE(60, 120))),
    /* one loss event in 5 s: the equation gives more than the link */
    ROW("F02/bursts_200_ms_each_5_s", .format = FORMATS, .burst_s = 5, .burst_ms = 200, LIVES),
    ROW("F03/packets_twice", .format = FORMATS, .duplicate = 10, LIVES),
    ROW("F03/feedback_twice", .twin = "F00/no_fault", .format = FORMATS, .feedback_twice = true,
        DEMANDS(NOTHING_CHANGES(0, 120))),
    ROW("F04/reorder_10_ms", .format = FORMATS, .reorder_ms = 10, LIVES),
    /* six packets late: a loss to whom three later ones prove one */
    ROW("F04/reorder_60_ms", .format = FORMATS, .reorder_ms = 60,
        DEMANDS(TCP_HALF(60, 120, 0.09, "0.05"), SAFE(60, 120))),
    ROW("F04/feedback_reordered", .format = FORMATS, .feedback_jitter_ms = 100, LIVES),

    {.name = "F05/blackout",
     .phases = {{0, 1, 50}, {60, 0, 50}, {90, 1, 50}},
     .max_mbps = 10,
     .start_kbps = 300,
     .circuit_breaker = true,
     .format = FORMATS,
     .mute_from_s = 60,
     .mute_to_s = 90,
     .seconds = 150,
     DEMANDS(HALVED(60, 90), DOWN(60, 90), LIVE(120, 150), SAFE(120, 150))},
    {.name = "F05/feedback_stops",
     PATH,
     .format = FORMATS,
     .mute_from_s = 60,
     .mute_to_s = 90,
     .seconds = 150,
     DEMANDS(HALVED(60, 90), DOWN(60, 90), LIVE(120, 150), SAFE(120, 150))},
    {.name = "F05/blackout_5_min",
     .phases = {{0, 1, 50}, {60, 0, 50}, {360, 1, 50}},
     .max_mbps = 10,
     .start_kbps = 300,
     .circuit_breaker = true,
     .format = CCFB,
     .mute_from_s = 60,
     .mute_to_s = 360,
     .seconds = 420,
     DEMANDS(HALVED(60, 90), DOWN(60, 90), LIVE(390, 420))},

#define REPLAY(id, per_s)                                                                          \
    ROW(id, .twin = "F00/no_fault", .format = FORMATS, .forger = FAULT_REPLAYS,                    \
        .forger_from_s = 60, .forger_to_s = 100, .forger_per_s = (per_s),                          \
        DEMANDS(AS_TWIN(60, 120), SAFE(60, 120)))
    REPLAY("F06/replay_10_per_s", 10),
    REPLAY("F06/replay_100_per_s", 100),
    ROW("F07/receiver_restarts", .format = FORMATS, .reset_s = 40,
        DEMANDS(LIVE(60, 120), SAFE(40, 120))),
    ROW("F07/sender_restarts", .format = FORMATS, .restart_s = 40,
        DEMANDS(LIVE(100, 120), SAFE(40, 120))),

    WRAP("F08/rtp_sequence", FORMATS, .rtp_seq = 65000),
    ROW("F09/numbers_of_another_stack", .format = FORMATS, .own_numbers = true, LIVES),
    ROW("F09/transport_sequence", .twin = "F09/numbers_of_another_stack", .format = FORMATS,
        .own_numbers = true, .origin = {.transport_seq = 65000}, DEMANDS(NOTHING_CHANGES(0, 120))),
    WRAP("F10/rtp_timestamp", FORMATS, .timestamp = UINT32_MAX - 20 * 90000 + 1),
    WRAP("F11/ntp_16_bits_of_sender", FORMATS, .unix_s = MID_32_UNIX_S),
    WRAP("F11/ntp_16_bits_of_peer", FORMATS, .unix_s = MID_32_UNIX_S - 5000),
    WRAP("F11/ntp_era", FORMATS, .unix_s = ERA_UNIX_S),
    WRAP("F12/twcc_reference_time", TWCC, .peer_ns = TWCC_TURN_NS),
    ROW("F12/104_days_of_ns", .twin = "F00/no_fault", .format = FORMATS,
        .origin = {.local_ns = TICKS_53_NS},
        DEMANDS(NOTHING_CHANGES(0, 120), LIVE(60, 120), SAFE(60, 120))),

#define JUMP(id, s)                                                                                \
    ROW(id, .format = FORMATS, .jump_at_s = 60, .jump_s = (s),                                     \
        DEMANDS(NO_GAP(60, 90), LIVE(90, 120), SAFE(60, 120)))
    JUMP("F13/clock_back_1_s", -1),
    JUMP("F13/clock_back_1_h", -3600),
    JUMP("F14/clock_forward_5_s", 5),
    JUMP("F14/clock_forward_1_h", 3600),

#define PEER_CLOCK(id, of) ROW(id, .format = CCFB | TWCC, .clock = (of), LIVES)
    PEER_CLOCK("F15/drift_fast_100_ppm", fast_100),
    PEER_CLOCK("F15/drift_slow_100_ppm", slow_100),
    PEER_CLOCK("F15/drift_fast_1000_ppm", fast_1000),
    PEER_CLOCK("F15/drift_slow_1000_ppm", slow_1000),
    PEER_CLOCK("F15/step_forward_100_ms", forward_100_ms),
    PEER_CLOCK("F15/step_back_100_ms", back_100_ms),
    PEER_CLOCK("F15/step_forward_1_h", forward_1_h),
    PEER_CLOCK("F15/step_back_1_h", back_1_h),
    ROW("F15/stands", .format = CCFB | TWCC, .clock = stands, DEMANDS(SAFE(60, 120))),

#define FORGED(id, of, name, ...)                                                                  \
    ROW(id, .twin = "F00/no_fault", .format = FORMATS, .forger = (of), .forges_name = (name),      \
        .forger_from_s = 40, .forger_to_s = 80, DEMANDS(__VA_ARGS__))
    FORGED("F16/unsent_acknowledged", FAULT_SEES_UNSENT, true, AS_TWIN(40, 120), SAFE(40, 120)),
    ROW("F17/liar", .format = FORMATS, .claims_all = true, DEMANDS(PROVED(60, 120))),
    ROW("F17/liar_in_results", .format = 0, .claims_all = true, .clock = flat,
        DEMANDS(PROVED(60, 120))),
    FORGED("F18/high_by_a_stranger", FAULT_SEES_ALL, false, PROVED(40, 80), LIVE(90, 120)),
    FORGED("F18/high_in_its_name", FAULT_SEES_ALL, true, PROVED(40, 80), LIVE(90, 120)),
    FORGED("F18/low_by_a_stranger", FAULT_SEES_FEW, false, SAFE(40, 120), LIVE(100, 120)),
    FORGED("F18/low_in_its_name", FAULT_SEES_FEW, true, SAFE(40, 120), LIVE(100, 120)),

/* the least that is legal is no news of losses: what the path carried from the start stays */
#define SELDOM(id, of, ...)                                                                        \
    ROW(id, .format = (of), __VA_ARGS__,                                                           \
        DEMANDS({FAULT_USE, 60, 120, 0.15, "half of the start rate, which loses nothing"},         \
                SAFE(60, 120)))
    SELDOM("F19/reports_each_5_s", RR, .feedback_ms = 5000),
    SELDOM("F19/feedback_each_s", CCFB | TWCC, .feedback_ms = 1000),
    SELDOM("F19/half_of_the_feedback_lost", FORMATS, .lose_feedback = 2),

#define FLOOD(id, of)                                                                              \
    ROW(id, .twin = "F00/no_fault", .format = FORMATS, .forger = (of), .forger_from_s = 40,        \
        .forger_to_s = 80, .forger_per_s = 2000, DEMANDS(AS_TWIN(40, 100), NO_GAP(40, 100)))
    FLOOD("F20/unknown_2000_per_s", FAULT_UNKNOWN),
    FLOOD("F20/malformed_2000_per_s", FAULT_MALFORMED),
    FLOOD("F20/strangers_2000_per_s", FAULT_STRANGERS),

    {.name = "F21/rtt_20_to_300_to_20_ms",
     .phases = {{0, 1, 10}, {60, 1, 150}, {100, 1, 10}},
     .max_mbps = 10,
     .start_kbps = 300,
     .circuit_breaker = true,
     .format = FORMATS,
     .seconds = 140,
     DEMANDS(LIVE(80, 100), LIVE(120, 140), SAFE(60, 140))},
    {.name = "F21/four_times_on_a_longer_path",
     .phases = {{0, 1, 20}, {60, 4, 100}},
     .max_mbps = 10,
     .start_kbps = 300,
     .circuit_breaker = true,
     .format = FORMATS,
     .seconds = 140,
     DEMANDS(
         {FAULT_REACH_S, 60, 140, 60,
          "AIMD with a = 0.31 (b = 1/8) adds 30 packets in 100 round trips of 0.3 s; twice that"})},

#define STEP_DOWN(id, to)                                                                          \
    {                                                                                              \
        .name = id, .phases = {{0, 2, 50}, {60, to, 50}}, .queue_ms = 300, .max_mbps = 10,         \
        .start_kbps = 300, .circuit_breaker = true, .format = FORMATS, .seconds = 120,             \
        DEMANDS({FAULT_AT_MIN_S, 60, 90, 3.0,                                                      \
                 "the full queue, 75 kB, drains in 2 s at 0.3 Mbit/s; a second more"},             \
                LIVE(90, 120), SAFE(90, 120))                                                      \
    }
    STEP_DOWN("F22/2_to_0.5_mbps", 0.5),
    STEP_DOWN("F22/2_to_0.3_mbps", 0.3),
    {.name = "F22/0.5_to_10_mbps",
     .phases = {{0, 0.5, 50}, {30, 10, 50}},
     .max_mbps = 10,
     .start_kbps = 300,
     .circuit_breaker = true,
     .format = CCFB,
     .seconds = 120,
     DEMANDS({FAULT_REACH_S, 30, 120, 60,
              "AIMD with a = 0.31 adds 47 packets in 150 round trips of 0.2 s; twice that"})},
    {.name = "F22/sawtooth",
     .phases = AT(2, 50),
     .saw_s = 20,
     .saw_mbps = 0.5,
     .max_mbps = 10,
     .start_kbps = 300,
     .circuit_breaker = true,
     .format = FORMATS,
     .seconds = 120,
     DEMANDS({FAULT_USE, 40, 120, 0.4, "the least capacity at all times is 0.4 of the mean"},
             SAFE(40, 120))},

    ROW("F23/jitter_30_ms", .format = FORMATS, .jitter_ms = 30, LIVES),
    ROW("F23/jitter_100_ms", .format = FORMATS, .jitter_ms = 100, LIVES),
    ROW("F24/ecn_marked", .format = CCFB, .ecn = FAULT_MARKS, LIVES),
    ROW("F24/ecn_bleached", .twin = "F00/no_fault", .format = CCFB, .ecn = FAULT_BLEACHES,
        DEMANDS(NOTHING_CHANGES(0, 120))),
    ROW("F24/ecn_mangled", .twin = "F00/no_fault", .format = CCFB, .ecn = FAULT_MANGLES,
        DEMANDS(NOTHING_CHANGES(0, 120))),
    ROW("F24/ecn_all_ce", .format = CCFB, .ecn = FAULT_ALL_CE, .forger_from_s = 40,
        .forger_to_s = 60, DEMANDS(SAFE(40, 120), LIVE(90, 120))),
    ROW("F25/idle_20_s", .format = FORMATS, .pause_from_s = 40, .pause_to_s = 60,
        DEMANDS(LIVE(80, 120), SAFE(61, 120))),
    {.name = "F25/idle_5_min",
     PATH,
     .format = FORMATS,
     .pause_from_s = 40,
     .pause_to_s = 340,
     .seconds = 400,
     DEMANDS(LIVE(370, 400), SAFE(341, 400))},
    ROW("F25/key_frames", .format = FORMATS, .key_s = 3, LIVES),
    /* a receiver rejects the 17th (weir/receiver.h), so most packets are never reported */
    ROW("F28/1000_streams", .format = FORMATS, .n_streams = 1000,
        DEMANDS(NO_GAP(10, 120), SAFE(60, 120))),
    SOAK,
};

#endif
