/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "residents.h"
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean is_in(const char *pid, const struct stat *space)
{
    struct stat other;
    char *path = g_build_filename("/proc", pid, "ns", "net", NULL);
    gboolean same =
        stat(path, &other) == 0 && other.st_ino == space->st_ino && other.st_dev == space->st_dev;
    g_free(path);
    return same;
}

/* Sends a signal (0: none) to each process in the namespace, except this one; their number. */
guint link_residents_signal(const char *name, int number)
{
    struct stat space;
    guint n = 0;
    char *path = g_build_filename("/run/netns", name, NULL);
    GDir *processes = stat(path, &space) == 0 ? g_dir_open("/proc", 0, NULL) : NULL;
    for (const char *entry = processes ? g_dir_read_name(processes) : NULL; entry;
         entry = g_dir_read_name(processes)) {
        gint64 pid = g_ascii_strtoll(entry, NULL, 10);
        if (pid > 0 && pid != (gint64)getpid() && is_in(entry, &space)) {
            n += kill((pid_t)pid, number) == 0;
        }
    }
    if (processes) {
        g_dir_close(processes);
    }
    g_free(path);
    return n;
}
