/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target without libFuzzer: over every file of a corpus, and over N mutated copies of
 * those. Speaks TAP.
 *
 *   fuzz_NAME_driver CORPUS_FOLDER N [SEED]
 *
 * The same corpus, N and seed give the same inputs. When the target crashes, the input it was given
 * is printed as hex: make it a file of the corpus, together with the fix. */
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"

enum { MAX_INPUT_BYTES = 1600, MAX_SEED_FILES = 1000, DEFAULT_SEED = 20240229 };

struct input {
    size_t size;
    uint8_t bytes[MAX_INPUT_BYTES];
};

static struct {
    struct input *files;
    size_t n_files;
    uint64_t random; /* state of xorshift64* */
} fuzz;

static const struct input *volatile current; /* for the report of a crash */

static uint32_t next_random(void)
{
    fuzz.random ^= fuzz.random >> 12;
    fuzz.random ^= fuzz.random << 25;
    fuzz.random ^= fuzz.random >> 27;
    return (uint32_t)(fuzz.random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

/* 0 .. n - 1; n >= 1. */
static size_t below(size_t n)
{
    return (size_t)(((uint64_t)next_random() * n) >> 32);
}

static void print_input(void)
{
    const struct input *input = current;
    fprintf(stderr, "input: ");
    for (size_t i = 0; input != NULL && i < input->size; i++) {
        fprintf(stderr, "%02x", input->bytes[i]);
    }
    fprintf(stderr, "\n");
}

/* Not async-signal-safe, but the process is lost anyway and the input is worth more. */
static void report_crash(int signal_number)
{
    signal(signal_number, SIG_DFL);
    print_input();
    raise(signal_number);
}

/* There only in a build with a sanitizer, which ends the process without a signal. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void report_crashes(void)
{
    signal(SIGABRT, report_crash);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(print_input);
    } else {
        signal(SIGSEGV, report_crash);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names in order, so that the numbering does not depend on the file system. */
static GPtrArray *list_files(const char *folder)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    }
    if (dir != NULL) {
        g_dir_close(dir);
    }
    g_ptr_array_sort(paths, compare_names);
    return paths;
}

static void load_corpus(const char *folder)
{
    GPtrArray *paths = list_files(folder);
    fuzz.files = g_new0(struct input, MAX_SEED_FILES);
    for (guint i = 0; i < paths->len && fuzz.n_files < MAX_SEED_FILES; i++) {
        char *contents;
        gsize size;
        if (g_file_get_contents(g_ptr_array_index(paths, i), &contents, &size, NULL)) {
            struct input *input = &fuzz.files[fuzz.n_files++];
            input->size = MIN(size, MAX_INPUT_BYTES);
            memcpy(input->bytes, contents, input->size);
            g_free(contents);
        }
    }
    g_ptr_array_unref(paths);
}

/* The target gets a block of exactly the right size, so that a sanitizer sees any overread. */
static void run(const struct input *input)
{
    uint8_t *exact = g_malloc(input->size + (input->size == 0));
    memcpy(exact, input->bytes, input->size);
    current = input;
    LLVMFuzzerTestOneInput(exact, input->size);
    g_free(exact);
}

static void overwrite(struct input *input)
{
    static const uint8_t interesting[] = {0, 1, 2, 0x0f, 0x10, 0x1f, 0x20, 0x7f, 0x80, 0xfe, 0xff};
    size_t at = below(input->size);
    switch (below(4)) {
    case 0:
        input->bytes[at] ^= (uint8_t)(1U << below(8));
        break;
    case 1:
        input->bytes[at] = (uint8_t)next_random();
        break;
    case 2:
        input->bytes[at] = interesting[below(G_N_ELEMENTS(interesting))];
        break;
    default:
        input->bytes[at] = (uint8_t)(input->bytes[at] + below(9) - 4);
        break;
    }
}

/* Copies a piece of any file over or behind what is there. */
static void splice(struct input *input)
{
    const struct input *other = &fuzz.files[below(fuzz.n_files)];
    size_t to = below(input->size + 1) & ~(size_t)1;
    size_t from = other->size > 0 ? below(other->size) & ~(size_t)1 : 0;
    size_t n = MIN(other->size - from, 2 * below(33));
    n = MIN(n, MAX_INPUT_BYTES - to);
    memcpy(input->bytes + to, other->bytes + from, n);
    input->size = MAX(input->size, to + n);
}

static void append(struct input *input)
{
    size_t n = MIN(below(16), MAX_INPUT_BYTES - input->size);
    bool zeros = below(2);
    for (size_t i = 0; i < n; i++) {
        input->bytes[input->size++] = zeros ? 0 : (uint8_t)next_random();
    }
}

/* One to six changes; most keep the size, because that leaves more of the structure alive. */
static void mutate(struct input *input)
{
    for (size_t n = 1 + below(6); n > 0; n--) {
        size_t kind = below(32);
        if (kind == 0) {
            input->size = below(input->size + 1);
        } else if (kind == 1) {
            append(input);
        } else if (kind < 5) {
            splice(input);
        } else if (input->size > 0) {
            overwrite(input);
        }
    }
}

static void run_mutations(uint64_t n)
{
    static struct input input;
    for (uint64_t i = 0; i < n; i++) {
        const struct input *seed = &fuzz.files[below(fuzz.n_files)];
        input.size = seed->size;
        memcpy(input.bytes, seed->bytes, seed->size);
        mutate(&input);
        run(&input);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER N [SEED]\n", argv[0]);
        return 2;
    }
    uint64_t n = g_ascii_strtoull(argv[2], NULL, 10);
    uint64_t seed = argc > 3 ? g_ascii_strtoull(argv[3], NULL, 10) : DEFAULT_SEED;
    fuzz.random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    report_crashes();
    load_corpus(argv[1]);
    printf("1..2\n");
    if (fuzz.n_files == 0) {
        printf("not ok 1 - no files in %s\n", argv[1]);
        return 1;
    }
    for (size_t i = 0; i < fuzz.n_files; i++) {
        run(&fuzz.files[i]);
    }
    printf("ok 1 - %zu files of the corpus\n", fuzz.n_files);
    printf("# seed %" G_GUINT64_FORMAT "\n", seed);
    fflush(stdout);
    run_mutations(n);
    printf("ok 2 - %" G_GUINT64_FORMAT " mutations\n", n);
    g_free(fuzz.files);
    return 0;
}
