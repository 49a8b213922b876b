/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lives the cases of the fault table and prints what was measured, one line for each demand:
 * case, algorithm, seed, demand, figure. tools/faults runs it, judges and writes the page. */
#include "fault_apart.h"
#include "fault_cases.h"
#include "fault_sluice.h"

/* Of enum fault_figure: its word, its unit, and whether the bound is the least that is demanded. */
static const struct {
    const char *name, *unit;
    bool is_least;
} figures[FAULT_FIGURES] = {
    [FAULT_USE] = {"use", "of the capacity", true},
    [FAULT_OF_TWIN] = {"of-twin", "of the twin's", true},
    [FAULT_OVER] = {"allowed", "of the capacity", false},
    [FAULT_LOSS] = {"loss", "of the packets", false},
    [FAULT_Q95_MS] = {"queue", "ms, 95 %", false},
    [FAULT_GAP_S] = {"gap", "s without a packet", false},
    [FAULT_HALF_S] = {"half", "s until half the rate", false},
    [FAULT_MIN_S] = {"minimum", "s until the minimum", false},
    [FAULT_AT_MIN_S] = {"at-minimum", "s at the minimum", false},
    [FAULT_REACH_S] = {"reach", "s until half is used", false},
    [FAULT_DEVIATION] = {"deviation", "of the twin's rate", false},
    [FAULT_FLAT] = {"flat", "of the first hour's rate", false},
    [FAULT_GROWN_KB] = {"grown", "kB", false},
    [FAULT_BROKEN] = {"broken", "invariants", false},
};

static const struct fault_demand holds = {
    FAULT_BROKEN, 0.0, 0.0, 0.0,
    "limits, counters, finite variables, and no rate above twice what was proved"};

/* A short life each time. */
static const struct fault_case fault_cases_apart[] = {
    {.name = "F26/no_memory", PATH, .format = WEIR_FEEDBACK_TWCC, .seconds = 10},
    {.name = "F27/configurations", PATH, .source_kbps = 5000, .seconds = 10}};

static const struct {
    const struct fault_case *cases;
    size_t n;
} tables[] = {{fault_cases_apart, G_N_ELEMENTS(fault_cases_apart)},
              {fault_cases, G_N_ELEMENTS(fault_cases)},
              {fault_sluice_cases, G_N_ELEMENTS(fault_sluice_cases)}};

static const struct fault_case *find_case(const char *name)
{
    for (size_t t = 0; t < G_N_ELEMENTS(tables); t++) {
        for (size_t i = 0; i < tables[t].n; i++) {
            if (strcmp(tables[t].cases[i].name, name) == 0) {
                return &tables[t].cases[i];
            }
        }
    }
    g_error("there is no case %s", name);
}

/* With the format that the i-th bit of the case's stands for; false when there are fewer. */
static bool nth_format(const struct fault_case *c, size_t i, uint32_t *format)
{
    uint32_t left = c->format;
    for (; i > 0 && left != 0; i--) {
        left &= left - 1;
    }
    *format = left & (~left + 1u);
    return *format != 0 || (c->format == 0 && i == 0);
}

static char *row_name(const struct fault_case *c, uint32_t format)
{
    struct weir_feedback_info info = {.name = "results"};
    for (size_t i = 0; format != 0 && weir_feedback_get_info(i, &info); i++) {
        if (info.format == format) {
            break;
        }
    }
    bool is_named = c->algorithm != NULL && !c->is_soak; /* those have the format in their names */
    return is_named ? g_strdup(c->name) : g_strdup_printf("%s/%s", c->name, info.name);
}

/* An algorithm that cannot run from receiver reports is not asked to. */
static bool can_run(const struct fault_case *c, const char *algorithm, uint32_t format)
{
    struct weir_algorithm_info info;
    g_assert_cmpint(weir_algorithm_get_info(algorithm, &info), ==, WEIR_OK);
    bool needs_packets = (info.needs & WEIR_NEEDS_PACKETS) && !(info.needs & WEIR_HAS_REPORT_FORM);
    bool is_meant = c->algorithm == NULL || strcmp(c->algorithm, algorithm) == 0;
    return is_meant && !(format == WEIR_FEEDBACK_RR && needs_packets);
}

static void print_figure(const struct fault_run *run, const char *row, size_t i,
                         const struct fault_demand *demand, double figure)
{
    printf("%s\t%s\t%u\t%zu\t%s\t%.6g\n", row, run->algorithm, run->seed, i,
           figures[demand->figure].name, figure);
}

static void live(const struct fault_run *run, const char *row)
{
    struct fault_rig *rig = rig_new_run(run);
    rig_run(rig);
    for (size_t i = 0; i < FAULT_DEMANDS && run->c->demands[i].figure != FAULT_NONE; i++) {
        print_figure(run, row, i, &run->c->demands[i], rig_figure(rig, i));
    }
    print_figure(run, row, FAULT_DEMANDS, &holds, (double)rig->n_broken);
    rig_free(rig);
}

static void live_days(const struct fault_run *run, const char *row)
{
    struct soak soak = live_soak(run, row);
    print_figure(run, row, 0, &run->c->demands[0], soak.flat);
    print_figure(run, row, 1, &run->c->demands[1], (double)soak.grown_kb);
    print_figure(run, row, FAULT_DEMANDS, &holds, (double)soak.n_broken);
}

static void live_apart(const struct fault_run *run, const char *row)
{
    if (run->c->is_soak) {
        live_days(run, row);
    } else {
        int64_t n =
            run->c == &fault_cases_apart[0] ? live_without_memory(run) : live_configurations(run);
        print_figure(run, row, FAULT_DEMANDS, &holds, (double)n);
    }
}

static bool is_apart(const struct fault_case *c)
{
    return c->is_soak ||
           (c >= fault_cases_apart && c < fault_cases_apart + G_N_ELEMENTS(fault_cases_apart));
}

/* What the twin leaves: the same peer and seed without the fault, lived once in a process. */
static const struct rig_trail *trail_of_twin(const struct fault_run *run, GHashTable *twins)
{
    char *key =
        g_strdup_printf("%s %s %u %u", run->c->twin, run->algorithm, run->format, run->seed);
    struct rig_trail *trail = g_hash_table_lookup(twins, key);
    if (trail == NULL) {
        struct fault_run other = *run;
        other.c = find_case(run->c->twin);
        struct fault_rig *rig = rig_new_run(&other);
        rig_run(rig);
        trail = g_memdup2(&rig->trail, sizeof(rig->trail));
        rig->trail = (struct rig_trail){g_array_new(FALSE, FALSE, 1), g_array_new(FALSE, FALSE, 1)};
        rig_free(rig);
        g_hash_table_insert(twins, key, trail);
    } else {
        g_free(key);
    }
    return trail;
}

static void list_case(const struct fault_case *c, const char *row)
{
    for (size_t i = 0; i <= FAULT_DEMANDS; i++) {
        const struct fault_demand *demand = i < FAULT_DEMANDS ? &c->demands[i] : &holds;
        if (demand->figure != FAULT_NONE) {
            printf("%s\t%zu\t%s\t%s\t%g\t%g\t%s\t%g\t%s\n", row, i, figures[demand->figure].name,
                   figures[demand->figure].unit, demand->from_s, demand->to_s,
                   figures[demand->figure].is_least ? "least" : "most", demand->bound,
                   demand->why ? demand->why : "promised on the page of sluice");
        }
    }
}

static void free_trail(gpointer data)
{
    struct rig_trail *trail = data;
    g_array_free(trail->allowed_bps, TRUE);
    g_array_free(trail->delivered, TRUE);
    g_free(trail);
}

struct options {
    char *row, *algorithm;
    int first, seeds;
    gboolean list, algorithms;
    GHashTable *twins; /* of struct rig_trail */
};

static void run_row(const struct options *options, const struct fault_case *c, uint32_t format,
                    const char *row)
{
    for (size_t a = 0; a < weir_algorithm_count(); a++) {
        const char *algorithm = weir_algorithm_name(a);
        bool is_asked = options->algorithm == NULL || strcmp(options->algorithm, algorithm) == 0;
        for (int i = 0; i < options->seeds && is_asked && can_run(c, algorithm, format); i++) {
            struct fault_run run = {.c = c,
                                    .algorithm = algorithm,
                                    .format = format,
                                    .seed = (unsigned)(options->first + i)};
            if (is_apart(c)) {
                live_apart(&run, row);
            } else {
                run.twin = c->twin ? trail_of_twin(&run, options->twins) : NULL;
                live(&run, row);
            }
        }
    }
}

/* F05 stands for F05/blackout/ccfb. Without a name the soak rests. */
static bool is_asked_for(const struct options *options, const struct fault_case *c, const char *row)
{
    size_t n = options->row ? strlen(options->row) : 0;
    bool is_whole =
        n > 0 && strncmp(row, options->row, n) == 0 && (row[n] == '/' || row[n] == '\0');
    return options->row ? is_whole : options->list || !c->is_soak;
}

static void each_row(const struct options *options, const struct fault_case *c)
{
    uint32_t format;
    for (size_t i = 0; nth_format(c, i, &format); i++) {
        char *row = row_name(c, format);
        bool is_asked = is_asked_for(options, c, row);
        if (is_asked && options->list) {
            list_case(c, row);
        } else if (is_asked) {
            run_row(options, c, format, row);
        }
        g_free(row);
    }
}

int main(int argc, char **argv)
{
    struct options options = {.first = 1, .seeds = 1};
    const GOptionEntry entries[] = {
        {"row", 'r', 0, G_OPTION_ARG_STRING, &options.row, "one row, or F05 for all of F05", "ROW"},
        {"algorithm", 'a', 0, G_OPTION_ARG_STRING, &options.algorithm, "this one alone", "NAME"},
        {"first", 'f', 0, G_OPTION_ARG_INT, &options.first, "the first seed; default 1", "SEED"},
        {"seeds", 's', 0, G_OPTION_ARG_INT, &options.seeds, "how many; default 1", "N"},
        {"list", 'l', 0, G_OPTION_ARG_NONE, &options.list, "the demands, without a run", NULL},
        {"algorithms", 0, 0, G_OPTION_ARG_NONE, &options.algorithms, "their names", NULL},
        G_OPTION_ENTRY_NULL};
    GOptionContext *context = g_option_context_new(NULL);
    GError *error = NULL;
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error)) {
        g_printerr("%s\n", error->message);
        return 2;
    }
    for (size_t a = 0; options.algorithms && a < weir_algorithm_count(); a++) {
        puts(weir_algorithm_name(a));
    }
    options.twins = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_trail);
    for (size_t t = 0; t < G_N_ELEMENTS(tables) && !options.algorithms; t++) {
        for (size_t i = 0; i < tables[t].n; i++) {
            each_row(&options, &tables[t].cases[i]);
        }
    }
    g_hash_table_unref(options.twins);
    g_option_context_free(context);
    g_free(options.row);
    g_free(options.algorithm);
    return 0;
}
