/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A trace file, as weirsend would have written it: a session with losses, and optionally parts. */
#ifndef WEIR_TESTS_TRACE_LIFE_H
#define WEIR_TESTS_TRACE_LIFE_H

#include "lib/session/sender_rig.h"
#include "weir/trace.h"
#include <glib/gstdio.h>

static inline void life_on_trace(void *user, const struct weir_trace_record *record)
{
    char line[WEIR_TRACE_LINE_BYTES];
    g_assert_cmpuint(weir_trace_format(record, line, sizeof line), >, 0);
    g_string_append((GString *)user, line);
}

/* The lines of some seconds with `algorithm`. Free with g_string_free. */
static inline GString *life_lines(const char *algorithm)
{
    GString *text = g_string_new(NULL);
    struct weir_sender_config config = rig_config();
    config.algorithm = algorithm;
    config.seed = UINT64_C(0xfedcba9876543210); /* more than a signed number holds */
    config.on_trace = life_on_trace;
    config.trace_user = text;
    struct rig rig = {.sender = weir_sender_create(&config, WEIR_SECONDS(1), NULL),
                      .now_ns = WEIR_SECONDS(1),
                      .rtp_bytes = 1200};
    for (int round = 0; round < 60; round++) {
        uint16_t begin = rig.rtp_seq;
        rig_send(&rig, 8, WEIR_MS(3));
        rig.now_ns += WEIR_MS(20);
        rig_ccfb(&rig, begin, round % 7 == 3 ? "rr.rrrrr" : "rrrrrrrr");
        if (weir_sender_next_timer_ns(rig.sender) <= rig.now_ns) {
            weir_sender_on_timer(rig.sender, rig.now_ns);
        }
    }
    weir_sender_destroy(rig.sender);
    return text;
}

/* A file of that content in a directory of its own; life_remove() takes both away. */
static inline char *life_file(const char *text, gssize length)
{
    char *directory = g_dir_make_tmp("weir-trace-XXXXXX", NULL);
    char *path = g_build_filename(directory, "trace.jsonl", NULL);
    g_assert_true(g_file_set_contents(path, text, length, NULL));
    g_free(directory);
    return path;
}

static inline void life_remove(char *path)
{
    char *directory = g_path_get_dirname(path);
    GDir *dir = g_dir_open(directory, 0, NULL);
    for (const char *name = g_dir_read_name(dir); name; name = g_dir_read_name(dir)) {
        char *file = g_build_filename(directory, name, NULL);
        g_unlink(file);
        g_free(file);
    }
    g_dir_close(dir);
    g_rmdir(directory);
    g_free(directory);
    g_free(path);
}

#endif
