/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target without libFuzzer: over every input of a corpus, and over N mutated copies of
 * those. Speaks TAP.
 *
 *   fuzz_NAME_driver CORPUS N [SEED]
 *
 * The same corpus, N and seed give the same inputs. When the target crashes, the input it was given
 * is printed as hex: make it a line of the corpus, together with the fix. */
#include <signal.h>

#include "check.h"
#include "mutate.h"

static const struct input *volatile current; /* for the report of a crash */

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

/* The target gets a block of exactly the right size, so that a sanitizer sees any overread. */
static void run(const struct input *input)
{
    uint8_t *exact = g_malloc(input->size + (input->size == 0));
    memcpy(exact, input->bytes, input->size);
    current = input;
    LLVMFuzzerTestOneInput(exact, input->size);
    g_free(exact);
}

static void run_mutations(uint64_t n)
{
    static struct input input;
    for (uint64_t i = 0; i < n; i++) {
        next_input(&input);
        run(&input);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s CORPUS N [SEED]\n", argv[0]);
        return 2;
    }
    uint64_t n = g_ascii_strtoull(argv[2], NULL, 10);
    uint64_t seed = argc > 3 ? g_ascii_strtoull(argv[3], NULL, 10) : DEFAULT_SEED;
    seed_random(seed);
    report_crashes();
    load_corpus(argv[1]);
    printf("1..2\n");
    if (fuzz.n_seeds == 0) {
        printf("not ok 1 - no inputs in %s\n", argv[1]);
        return 1;
    }
    for (size_t i = 0; i < fuzz.n_seeds; i++) {
        run(&fuzz.seeds[i]);
    }
    printf("ok 1 - %zu inputs of the corpus\n", fuzz.n_seeds);
    printf("# seed %" G_GUINT64_FORMAT "\n", seed);
    fflush(stdout);
    run_mutations(n);
    printf("ok 2 - %" G_GUINT64_FORMAT " mutations\n", n);
    g_free(fuzz.seeds);
    return 0;
}
