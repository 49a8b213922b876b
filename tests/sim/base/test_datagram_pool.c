/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/datagram_pool.h"

enum { MOST = 37, SLOT_BYTES = 64 };

static bool add(struct weir__datagram_pool *pool, uint32_t value, uint64_t *token)
{
    uint8_t data[sizeof value];
    memcpy(data, &value, sizeof value);
    return weir__datagram_pool_add(pool, data, sizeof data, token);
}

static void assert_holds(const struct weir__datagram_pool *pool, uint64_t token, uint32_t value)
{
    size_t size = 0;
    const uint8_t *data = weir__datagram_pool_get(pool, token, &size);
    g_assert_nonnull(data);
    g_assert_cmpuint(size, ==, sizeof value);
    g_assert_cmpint(memcmp(data, &value, sizeof value), ==, 0);
}

static void assert_gone(const struct weir__datagram_pool *pool, uint64_t token)
{
    size_t size = 77;
    g_assert_null(weir__datagram_pool_get(pool, token, &size));
    g_assert_cmpuint(size, ==, 77);
}

static void test_holds_as_many_as_it_may_and_no_more(void)
{
    struct weir__datagram_pool pool;
    uint64_t tokens[MOST + 1];
    g_assert_cmpint(weir__datagram_pool_init(&pool, SLOT_BYTES, MOST), ==, WEIR_OK);
    for (uint32_t i = 0; i < MOST; i++) {
        g_assert_true(add(&pool, i, &tokens[i]));
        g_assert_cmpuint(pool.n_in_use, ==, i + 1);
    }
    g_assert_false(add(&pool, MOST, &tokens[MOST]));
    for (uint32_t i = 0; i < MOST; i++) {
        assert_holds(&pool, tokens[i], i);
    }
    weir__datagram_pool_give(&pool, tokens[5]);
    g_assert_true(add(&pool, 1000, &tokens[MOST]));
    assert_gone(&pool, tokens[5]);
    assert_holds(&pool, tokens[MOST], 1000);
    weir__datagram_pool_finish(&pool);
}

static void test_a_copy_finds_the_bytes_until_the_place_is_taken(void)
{
    struct weir__datagram_pool pool;
    uint64_t first, second;
    g_assert_cmpint(weir__datagram_pool_init(&pool, SLOT_BYTES, MOST), ==, WEIR_OK);
    g_assert_true(add(&pool, 1, &first));
    weir__datagram_pool_give(&pool, first);
    assert_holds(&pool, first, 1);
    weir__datagram_pool_give(&pool, first); /* the copy's */
    g_assert_cmpuint(pool.n_in_use, ==, 0);
    g_assert_true(add(&pool, 2, &second));
    assert_gone(&pool, first);
    weir__datagram_pool_give(&pool, first); /* a late copy's: the place is another's now */
    assert_holds(&pool, second, 2);
    g_assert_cmpuint(pool.n_in_use, ==, 1);
    weir__datagram_pool_finish(&pool);
}

static void test_refuses_what_is_too_large_and_tokens_of_nobody(void)
{
    struct weir__datagram_pool pool;
    uint8_t data[SLOT_BYTES + 1] = {0};
    uint64_t token = 0;
    g_assert_cmpint(weir__datagram_pool_init(&pool, SLOT_BYTES, 1), ==, WEIR_OK);
    g_assert_false(weir__datagram_pool_add(&pool, data, sizeof data, &token));
    g_assert_true(weir__datagram_pool_add(&pool, data, SLOT_BYTES, &token));
    assert_gone(&pool, token + 1);
    assert_gone(&pool, UINT64_MAX);
    weir__datagram_pool_finish(&pool);
}

/* Random adds and gives against an array of what should be inside. */
static void test_keeps_apart_whatever_the_order(void)
{
    struct weir__datagram_pool pool;
    struct {
        uint64_t token;
        uint32_t value;
    } inside[MOST];
    guint n = 0;
    GRand *random = g_rand_new_with_seed(7);
    g_assert_cmpint(weir__datagram_pool_init(&pool, SLOT_BYTES, MOST), ==, WEIR_OK);
    for (uint32_t step = 0; step < 20000; step++) {
        if (n < MOST && g_rand_boolean(random)) {
            inside[n].value = step;
            g_assert_true(add(&pool, step, &inside[n].token));
            n++;
        } else if (n > 0) {
            guint at = (guint)g_rand_int_range(random, 0, (gint32)n);
            assert_holds(&pool, inside[at].token, inside[at].value);
            weir__datagram_pool_give(&pool, inside[at].token);
            inside[at] = inside[--n];
        }
        g_assert_cmpuint(pool.n_in_use, ==, n);
    }
    g_rand_free(random);
    weir__datagram_pool_finish(&pool);
    weir__datagram_pool_finish(&pool); /* a zeroed one */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/datagram_pool/bound", test_holds_as_many_as_it_may_and_no_more);
    g_test_add_func("/datagram_pool/copy", test_a_copy_finds_the_bytes_until_the_place_is_taken);
    g_test_add_func("/datagram_pool/refused", test_refuses_what_is_too_large_and_tokens_of_nobody);
    g_test_add_func("/datagram_pool/random", test_keeps_apart_whatever_the_order);
    return g_test_run();
}
