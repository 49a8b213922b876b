/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the known datagrams of tests/vectors as seeds of the corpora. Run by hand after adding
 * one:
 *
 *   write_seeds tests/fuzz/corpora
 */
#include <glib.h>
#include <stdbool.h>

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

static void write_seed(const char *folder, const char *corpus, const char *name,
                       const uint8_t *data, size_t size_bytes)
{
    char *path = g_build_filename(folder, corpus, NULL);
    char *file = g_build_filename(path, name, NULL);
    GError *error = NULL;
    g_mkdir_with_parents(path, 0755);
    if (!g_file_set_contents(file, (const char *)data, (gssize)size_bytes, &error)) {
        g_error("%s", error->message);
    }
    g_free(file);
    g_free(path);
}

static void write_vector(const char *folder, const struct test_vector *vector)
{
    uint8_t data[TEST_VECTOR_MAX_BYTES];
    size_t size_bytes = test_hex(vector->hex, data, sizeof data);
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        struct weir__rtcp_walk walk;
        struct weir__rtcp_packet packet = {.body = data, .body_bytes = size_bytes};
        if (!g_str_has_prefix(vector->name, rules[i].prefix)) {
            continue;
        }
        weir__rtcp_walk_init(&walk, data, size_bytes);
        if (!rules[i].body_only || weir__rtcp_walk_next(&walk, &packet)) {
            write_seed(folder, rules[i].corpus, vector->name, packet.body, packet.body_bytes);
        }
    }
    if (!g_str_has_prefix(vector->name, "rtp_")) {
        write_seed(folder, "codec_rtcp", vector->name, data, size_bytes);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        g_printerr("usage: %s CORPORA_FOLDER\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(test_vectors); i++) {
        write_vector(argv[1], &test_vectors[i]);
    }
    return 0;
}
