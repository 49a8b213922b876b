/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The payload type in a RED payload is that of its newest block, and nothing is read behind it. */
#include "codec/red.h"
#include "test.h"

static void test_the_newest_block_tells_the_type(void)
{
    static const struct {
        uint8_t bytes[10];
        size_t n;
        int type; /* -1: the headers do not end */
    } cases[] = {
        {{0x60, 1, 2}, 3, 96},
        {{0x60}, 1, 96},
        {{0x80 | 96, 0, 0, 4, 0x61, 9}, 6, 97},
        {{0x80 | 96, 0, 0, 4, 0x80 | 97, 0, 0, 4, 0x62, 9}, 10, 98},
        {{0x80 | 96, 0, 0, 4}, 4, -1},
        {{0x80 | 96}, 1, -1},
        {{0}, 0, -1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint8_t *exact = g_memdup2(cases[i].bytes, cases[i].n); /* a sanitizer sees its end */
        uint8_t type = 55;
        enum weir_status status = weir__red_payload_type(exact, cases[i].n, &type);
        g_assert_cmpint(status, ==, cases[i].type < 0 ? WEIR_ERROR_TRUNCATED : WEIR_OK);
        g_assert_cmpint(type, ==, cases[i].type < 0 ? 55 : cases[i].type);
        g_free(exact);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/red/the_newest_block_tells_the_type", test_the_newest_block_tells_the_type);
    return g_test_run();
}
