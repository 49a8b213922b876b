/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of add_a_controller.c, one per branch: packets of 1000 bytes, an RTT of 100 ms,
 * 300 kbit/s to begin with. */
#include "steps.h"

static const struct vector_step steps_start[] = {EXPECT(0, 300000), END};
static const struct vector_step steps_increase[] = {SEND(0, 10, 10000), ACK(200000, 0, 9),
                                                    EXPECT(200000, 380000), END};
static const struct vector_step steps_data_limited[] = {SEND_IDLE(0, 10, 10000), ACK(200000, 0, 9),
                                                        EXPECT(200000, 300000), END};
static const struct vector_step steps_decrease_once[] = {
    SEND(0, 10, 10000),   LOSE(200000, 2, 3),     EXPECT(200000, 150000),
    LOSE(210000, 7, 7),   EXPECT(210000, 150000), SEND(220000, 5, 10000),
    LOSE(400000, 12, 12), EXPECT(400000, 75000),  END};
static const struct vector_step steps_silence[] = {SEND(0, 10, 10000), TIMERS(2100000),
                                                   EXPECT(2100000, 150000), END};

static const struct vector example_vectors[] = {
    {.name = "the start bitrate", .steps = steps_start},
    {.name = "one packet per RTT more", .steps = steps_increase},
    {.name = "no more for a source that uses less", .steps = steps_data_limited},
    {.name = "half, once per window", .steps = steps_decrease_once},
    {.name = "half in silence", .steps = steps_silence},
};

KNOWN_ANSWERS(example, example_vectors);
