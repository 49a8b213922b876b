/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/sent_ring.h"

#include "test.h"

static struct weir__sent_ring ring;

static void add(uint16_t rtp_seq, unsigned stream, uint16_t transport_seq)
{
    unsigned slot = weir__sent_ring_slot(&ring, ring.next_seq++);
    *weir__sent_ring_at(&ring, slot) =
        (struct weir__sent_record){.sent_ns = ring.next_seq - 1,
                                   .rtp_seq = rtp_seq,
                                   .stream_and_state = (uint8_t)(stream << 3),
                                   .transport_seq = transport_seq};
    weir__sent_ring_link(&ring, WEIR__HISTORY_BY_RTP, slot);
    weir__sent_ring_link(&ring, WEIR__HISTORY_BY_TRANSPORT, slot);
}

static void remove_oldest(void)
{
    unsigned slot = weir__sent_ring_slot(&ring, ring.oldest_seq++);
    weir__sent_ring_unlink(&ring, WEIR__HISTORY_BY_RTP, slot);
    weir__sent_ring_unlink(&ring, WEIR__HISTORY_BY_TRANSPORT, slot);
    weir__sent_ring_set_summed(&ring, slot, false);
}

/* The packets of a number in the order of their chain; returns how many. */
static size_t chain(enum weir__history_number number, unsigned source, uint16_t value,
                    int64_t *seqs)
{
    size_t n = 0;
    unsigned link = weir__sent_ring_first(&ring, number, source, value);
    for (; link != 0; link = weir__sent_ring_next(&ring, number, link - 1)) {
        const struct weir__sent_record *record = weir__sent_ring_peek(&ring, link - 1);
        bool by_rtp = number == WEIR__HISTORY_BY_RTP;
        if ((by_rtp ? record->rtp_seq : record->transport_seq) == value &&
            (!by_rtp || record->stream_and_state >> 3 == source)) {
            g_assert_cmpint(weir__sent_ring_seq(&ring, link - 1), ==, record->sent_ns);
            seqs[n++] = record->sent_ns;
        }
    }
    return n;
}

static void test_it_doubles_up_to_its_limit(void)
{
    memset(&ring, 0, sizeof ring);
    for (unsigned slots = WEIR__SENT_BLOCK_PACKETS;; slots *= 2) {
        g_assert_cmpuint(weir__sent_ring_slots(&ring), ==, slots);
        while (!weir__sent_ring_is_full(&ring)) {
            g_assert_cmpint(ring.next_seq - ring.oldest_seq, <, slots);
            add((uint16_t)ring.next_seq, 0, (uint16_t)ring.next_seq);
        }
        g_assert_cmpint(ring.next_seq - ring.oldest_seq, ==, slots);
        if (!weir__sent_ring_grow(&ring)) {
            g_assert_cmpuint(slots, ==, WEIR__HISTORY_PACKETS);
            return;
        }
    }
}

static void test_what_was_never_used_is_never_touched(void)
{
    static const struct weir__sent_block untouched;
    memset(&ring, 0, sizeof ring);
    for (int i = 0; i < 100000; i++) {
        if (weir__sent_ring_is_full(&ring)) {
            remove_oldest();
        }
        add((uint16_t)(7 * i), (unsigned)i % 16, (uint16_t)(3 * i));
    }
    for (size_t i = 1; i < G_N_ELEMENTS(ring.blocks); i++) {
        g_assert_true(memcmp(&ring.blocks[i], &untouched, sizeof untouched) == 0);
    }
}

/* Few numbers, so that many packets share one: the newest first, also when a ring has grown that
 * began anywhere; and each keeps what it was told. */
static void test_growth_keeps_chains_in_order(void)
{
    enum { VALUES = 40, STREAMS = 3 };
    static int64_t seqs[WEIR__HISTORY_PACKETS];
    for (guint32 seed = 1; seed <= 10; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        memset(&ring, 0, sizeof ring);
        int evicted = g_rand_int_range(rand, 0, 500);
        do {
            while (!weir__sent_ring_is_full(&ring) || evicted-- > 0) {
                if (weir__sent_ring_is_full(&ring)) {
                    remove_oldest();
                }
                int64_t seq = ring.next_seq;
                add((uint16_t)(seq * seq % VALUES), (unsigned)(seq % STREAMS),
                    (uint16_t)(seq * 65521 % VALUES));
                weir__sent_ring_set_summed(&ring, weir__sent_ring_slot(&ring, seq), seq % 5 == 0);
            }
            size_t n[WEIR__HISTORY_NUMBERS] = {0};
            for (uint16_t value = 0; value < VALUES; value++) {
                for (unsigned source = 0; source < STREAMS; source++) {
                    size_t found = chain(WEIR__HISTORY_BY_RTP, source, value, seqs);
                    n[WEIR__HISTORY_BY_RTP] += found;
                    for (size_t i = 1; i < found; i++) {
                        g_assert_cmpint(seqs[i], <, seqs[i - 1]);
                    }
                }
                size_t found = chain(WEIR__HISTORY_BY_TRANSPORT, 0, value, seqs);
                n[WEIR__HISTORY_BY_TRANSPORT] += found;
                for (size_t i = 1; i < found; i++) {
                    g_assert_cmpint(seqs[i], <, seqs[i - 1]);
                }
            }
            g_assert_cmpint((int64_t)n[WEIR__HISTORY_BY_RTP], ==, ring.next_seq - ring.oldest_seq);
            g_assert_cmpint((int64_t)n[WEIR__HISTORY_BY_TRANSPORT], ==,
                            ring.next_seq - ring.oldest_seq);
            for (int64_t seq = ring.oldest_seq; seq < ring.next_seq; seq++) {
                g_assert_true(weir__sent_ring_is_summed(&ring, weir__sent_ring_slot(&ring, seq)) ==
                              (seq % 5 == 0));
            }
            evicted = g_rand_int_range(rand, 0, 500);
        } while (weir__sent_ring_grow(&ring));
        g_rand_free(rand);
    }
}

/* As those of a number that was given to an older packet later. */
static void test_growth_keeps_an_order_that_is_not_that_of_sending(void)
{
    int64_t seqs[2];
    memset(&ring, 0, sizeof ring);
    while (!weir__sent_ring_is_full(&ring)) {
        add((uint16_t)ring.next_seq, 0, (uint16_t)(ring.next_seq / 2));
    }
    weir__sent_ring_unlink(&ring, WEIR__HISTORY_BY_TRANSPORT, 40);
    weir__sent_ring_link(&ring, WEIR__HISTORY_BY_TRANSPORT, 40);
    for (int grown = 0; grown < 2; grown++) {
        g_assert_cmpuint(chain(WEIR__HISTORY_BY_TRANSPORT, 0, 20, seqs), ==, 2);
        g_assert_cmpint(seqs[0], ==, 40);
        g_assert_cmpint(seqs[1], ==, 41);
        g_assert_true(weir__sent_ring_grow(&ring) || grown == 1);
        while (grown == 0 && !weir__sent_ring_is_full(&ring)) {
            add((uint16_t)ring.next_seq, 0, (uint16_t)ring.next_seq);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sent_ring/it_doubles_up_to_its_limit", test_it_doubles_up_to_its_limit);
    g_test_add_func("/sent_ring/what_was_never_used_is_never_touched",
                    test_what_was_never_used_is_never_touched);
    g_test_add_func("/sent_ring/growth_keeps_chains_in_order", test_growth_keeps_chains_in_order);
    g_test_add_func("/sent_ring/growth_keeps_an_order_that_is_not_that_of_sending",
                    test_growth_keeps_an_order_that_is_not_that_of_sending);
    return g_test_run();
}
