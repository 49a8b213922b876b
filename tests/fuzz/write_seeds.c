/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the known datagrams of tests/vectors as lines of a corpus. Run by hand after adding one:
 *
 *   write_seeds codec_rtcp >> tests/fuzz/corpora/codec_rtcp.hex && tools/fuzz --minimise
 */
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "../vectors/datagrams.h"
#include "codec/rtcp.h"

/* Which corpora a datagram belongs to, by the start of its name. Those of one format take the body
 * of a packet only. */
static const struct {
    const char *prefix;
    const char *corpus;
    bool body_only;
} rules[] = {
    {"rtp_", "codec_rtp", false},      {"twcc_", "codec_twcc", true},
    {"bad_twcc_", "codec_twcc", true}, {"ccfb_", "codec_ccfb", true},
    {"bad_ccfb_", "codec_ccfb", true}, {"xr_", "codec_xr", true},
    {"bad_xr_", "codec_xr", true},
};

static void write_vector(const char *corpus, const struct test_vector *vector)
{
    uint8_t data[TEST_VECTOR_MAX_BYTES];
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet = {.body = data,
                                       .body_bytes = test_hex(vector->hex, data, sizeof data)};
    bool wanted = g_strcmp0(corpus, "codec_rtcp") == 0 && !g_str_has_prefix(vector->name, "rtp_");
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (g_str_has_prefix(vector->name, rules[i].prefix) &&
            g_strcmp0(corpus, rules[i].corpus) == 0) {
            weir__rtcp_walk_init(&walk, data, packet.body_bytes);
            wanted = !rules[i].body_only || weir__rtcp_walk_next(&walk, &packet);
        }
    }
    for (size_t i = 0; wanted && i < packet.body_bytes; i++) {
        printf("%02x", packet.body[i]);
    }
    if (wanted) {
        printf(" %s\n", vector->name);
    }
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < G_N_ELEMENTS(test_vectors); i++) {
        write_vector(argv[1], &test_vectors[i]);
    }
    return argc == 2 ? 0 : 2;
}
