/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An input as a file, for what reads files. In memory; Linux has that. */
#ifndef WEIR_TESTS_FUZZ_MEMORY_FILE_H
#define WEIR_TESTS_FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

struct memory_file {
    int descriptor;
    char path[40];
};

/* Needs _GNU_SOURCE. */
static inline struct memory_file memory_file_new(const void *data, size_t size)
{
    struct memory_file file = {.descriptor = memfd_create("input", MFD_CLOEXEC)};
    CHECK(file.descriptor >= 0);
    CHECK(write(file.descriptor, data, size) == (ssize_t)size);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

static inline void memory_file_remove(struct memory_file *file)
{
    close(file->descriptor);
}

#endif
