/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "options.h"
#include "error.h"
#include "tun.h"
#include "weir/units.h"
#include <string.h>

#define LEAST_MTU_BYTES 576 /* what every IPv4 host takes, RFC 791 3.1 */
#define MOST_MTU_BYTES  65535
#define DEFAULT_MTU     1500

/* What stands on the command line, before it is understood. */
struct words {
    char *directions[2][32]; /* by the table of settings */
    char *netns, *addresses, *tun, *mtu, *duration, *stats_interval, *log_interval, *log,
        *packet_log;
    gboolean version;
};

static void clear_words(struct words *words)
{
    for (int direction = 0; direction < 2; direction++) {
        for (gsize i = 0; i < link_settings_count; i++) {
            g_free(words->directions[direction][i]);
        }
    }
    g_free(words->netns);
    g_free(words->addresses);
    g_free(words->tun);
    g_free(words->mtu);
    g_free(words->duration);
    g_free(words->stats_interval);
    g_free(words->log_interval);
    g_free(words->log);
    g_free(words->packet_log);
}

/* One option per setting; `prefix` is kept alive by `names`. */
static void add_settings(GOptionGroup *group, const char *prefix, char **texts, GPtrArray *names)
{
    for (gsize i = 0; i < link_settings_count; i++) {
        const struct link_setting *setting = &link_settings_table[i];
        char *name = g_strconcat(prefix, setting->name, NULL);
        GOptionEntry entries[] = {
            {name, 0, 0, G_OPTION_ARG_FILENAME, &texts[i], setting->help, setting->form},
            G_OPTION_ENTRY_NULL};
        g_ptr_array_add(names, name);
        g_option_group_add_entries(group, entries);
    }
}

static const char summary[] =
    "Puts an emulated bottleneck between two network namespaces that it makes, each with a TUN\n"
    "device weir0: real IP packets cross a queue, a capacity, delay and loss. Forward is from the\n"
    "first to the second. Prints a line of JSON with their names and addresses. With a COMMAND, "
    "runs\n"
    "it (WEIR_LINK_A and WEIR_LINK_B are the namespaces) and ends with it and its status; else "
    "ends\n"
    "with SIGINT, SIGTERM, or the end of stdin. Removes what it made, and ends what still runs "
    "there.";

static const char description[] =
    "While it runs without a COMMAND, lines on stdin change the link: \"capacity 800k\", \"delay "
    "50ms\",\n"
    "\"loss 0.01\", \"jitter 2ms\", \"loss-burst 3\"; with \"reverse-\" in front, the other "
    "direction.\n\n"
    "Example:\n"
    "  weir-link --capacity 4M --delay 20ms -- \\\n"
    "      sh -c 'ip netns exec $WEIR_LINK_A ping -c 3 $WEIR_LINK_B_ADDRESS'\n\n"
    "Exit status: 0; that of COMMAND; 1 failed; 2 wrong usage; 77 not permitted (needs root).";

static GOptionContext *make_context(struct words *words, GPtrArray *names)
{
    const GOptionEntry entries[] = {
        {"netns", 0, 0, G_OPTION_ARG_FILENAME, &words->netns,
         "Names of the namespaces to make (default weir-PID-a,weir-PID-b)", "A,B"},
        {"addresses", 0, 0, G_OPTION_ARG_FILENAME, &words->addresses,
         "Their IPv4 addresses (default 10.77.0.1,10.77.0.2)", "A,B"},
        {"tun", 0, 0, G_OPTION_ARG_FILENAME, &words->tun,
         "Make two TUN devices here instead of namespaces; addresses are up to you", "A,B"},
        {"mtu", 0, 0, G_OPTION_ARG_FILENAME, &words->mtu, "Largest packet in bytes (default 1500)",
         "N"},
        {"duration", 0, 0, G_OPTION_ARG_FILENAME, &words->duration, "End after this time", "TIME"},
        {"stats-interval", 0, 0, G_OPTION_ARG_FILENAME, &words->stats_interval,
         "Print a line of JSON this often, and one at the end", "TIME"},
        {"log", 0, 0, G_OPTION_ARG_FILENAME, &words->log,
         "Write a CSV log of the forward direction", "FILE"},
        {"log-interval", 0, 0, G_OPTION_ARG_FILENAME, &words->log_interval,
         "A line this often (default 100ms)", "TIME"},
        {"packet-log", 0, 0, G_OPTION_ARG_FILENAME, &words->packet_log,
         "Write a CSV row for each packet of the forward direction", "FILE"},
        {"version", 0, 0, G_OPTION_ARG_NONE, &words->version, "Print the version", NULL},
        G_OPTION_ENTRY_NULL};
    GOptionContext *context = g_option_context_new("[-- COMMAND ...]");
    GOptionGroup *forward = g_option_group_new("link", "", "", NULL, NULL);
    GOptionGroup *reverse =
        g_option_group_new("reverse",
                           "The other direction: 1 Gbit/s and the delay of the forward "
                           "one with its schedule, unless said otherwise",
                           "The same for the other direction", NULL, NULL);
    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    g_option_group_add_entries(forward, entries);
    add_settings(forward, "", words->directions[0], names);
    add_settings(reverse, "reverse-", words->directions[1], names);
    g_option_context_set_main_group(context, forward);
    g_option_context_add_group(context, reverse);
    return context;
}

/* What stands behind "--" is the command, and its options are its own. */
static char **take_command(char **all)
{
    for (char **word = all; *word; word++) {
        if (strcmp(*word, "--") == 0) {
            char **command = g_strdupv(word + 1);
            for (; *word; word++) {
                g_free(*word);
                *word = NULL;
            }
            return command;
        }
    }
    return NULL;
}

static gboolean wrong(GError **error, const char *sentence, const char *word)
{
    g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG, sentence, word);
    return FALSE;
}

static gboolean read_words(struct link_options *options, struct words *words, int argc, char **argv,
                           GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GOptionContext) context = make_context(words, names);
    g_auto(GStrv) all = g_new0(char *, (gsize)argc + 1);
    for (int i = 0; i < argc; i++) {
        all[i] = g_strdup(argv[i]);
    }
    options->command = take_command(all);
    gboolean good = g_option_context_parse_strv(context, &all, error);
    if (good && all[0] && all[1]) {
        good = wrong(error, "'%s': a command goes after --", all[1]);
    } else if (good && options->command && !options->command[0]) {
        good = wrong(error, "%s: which command?", "--");
    }
    return good;
}

static gboolean is_given(char *const *texts, const char *name)
{
    return texts[link_settings_find(name) - link_settings_table] != NULL;
}

static gboolean parse_directions(struct link_options *options, const struct words *words,
                                 GError **error)
{
    for (int direction = 0; direction < 2; direction++) {
        for (gsize i = 0; i < link_settings_count; i++) {
            const struct link_setting *setting = &link_settings_table[i];
            const char *text = words->directions[direction][i];
            if (text && !link_settings_set(&options->directions[direction], setting, text, error)) {
                g_prefix_error(error, "--%s", direction == 1 ? "reverse-" : "");
                return FALSE;
            }
        }
    }
    options->own_reverse_delay =
        is_given(words->directions[1], "delay") || is_given(words->directions[1], "delay-schedule");
    if (!options->own_reverse_delay) {
        options->directions[1].path.link.delay_ns = options->directions[0].path.link.delay_ns;
        options->directions[1].path.delay_schedule =
            g_strdup(options->directions[0].path.delay_schedule);
    }
    return TRUE;
}

/* A time of at least 1 ms; NULL leaves it. */
static gboolean parse_time(const char *name, const char *text, int64_t *time_ns, GError **error)
{
    int64_t value_ns = 0;
    if (!text) {
        return TRUE;
    }
    if (!link_value_time(text, &value_ns) || value_ns < WEIR_MS(1) ||
        value_ns > WEIR_SECONDS(1000000)) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG,
                    "--%s '%s' is not a time from 1ms to 1000000s with its unit, as in 100ms, 60s",
                    name, text);
        return FALSE;
    }
    *time_ns = value_ns;
    return TRUE;
}

static gboolean parse_mtu(struct link_options *options, const char *text, GError **error)
{
    int64_t bytes = DEFAULT_MTU;
    if (text &&
        (!link_value_whole(text, &bytes) || bytes < LEAST_MTU_BYTES || bytes > MOST_MTU_BYTES)) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG, "--mtu '%s' is not bytes from %d to %d",
                    text, LEAST_MTU_BYTES, MOST_MTU_BYTES);
        return FALSE;
    }
    options->mtu_bytes = bytes;
    return TRUE;
}

static gboolean parse_devices(struct link_options *options, const struct words *words,
                              GError **error)
{
    if (!words->tun) {
        return TRUE;
    }
    if (words->netns || words->addresses) {
        return wrong(error, "--tun %s: --netns and --addresses are for namespaces, without --tun",
                     words->tun);
    }
    g_auto(GStrv) names = g_strsplit(words->tun, ",", 0);
    gboolean good = g_strv_length(names) == 2 && strcmp(names[0], names[1]) != 0;
    if (!good) {
        wrong(error, "--tun '%s' is not two different names A,B", words->tun);
    }
    for (int i = 0; i < 2 && good; i++) {
        good = link_tun_check_name(names[i], error);
        options->namespaces.ends[i].device = g_strdup(names[i]);
    }
    return good;
}

static gboolean parse(struct link_options *options, struct words *words, GError **error)
{
    struct link_namespaces *namespaces = &options->namespaces;
    options->version = words->version;
    options->log_location = g_steal_pointer(&words->log);
    options->packet_log_location = g_steal_pointer(&words->packet_log);
    return parse_directions(options, words, error) &&
           (!words->netns || link_namespaces_set_names(namespaces, words->netns, error)) &&
           (!words->addresses ||
            link_namespaces_set_addresses(namespaces, words->addresses, error)) &&
           parse_devices(options, words, error) && parse_mtu(options, words->mtu, error) &&
           parse_time("duration", words->duration, &options->duration_ns, error) &&
           parse_time("stats-interval", words->stats_interval, &options->stats_interval_ns,
                      error) &&
           parse_time("log-interval", words->log_interval, &options->log_interval_ns, error);
}

/* --help prints and ends the program. link_options_finish() is due in any case. */
gboolean link_options_parse(struct link_options *options, int argc, char **argv, GError **error)
{
    struct words words = {.netns = NULL};
    *options = (struct link_options){.duration_ns = WEIR_NEVER_NS,
                                     .stats_interval_ns = WEIR_NEVER_NS,
                                     .log_interval_ns = WEIR_MS(100)};
    g_assert(link_settings_count <= G_N_ELEMENTS(words.directions[0]));
    link_settings_init(&options->directions[0]);
    link_settings_init(&options->directions[1]);
    link_namespaces_init(&options->namespaces);
    gboolean good = read_words(options, &words, argc, argv, error) && parse(options, &words, error);
    clear_words(&words);
    return good;
}

void link_options_finish(struct link_options *options)
{
    link_settings_finish(&options->directions[0]);
    link_settings_finish(&options->directions[1]);
    link_namespaces_finish(&options->namespaces);
    g_free(options->log_location);
    g_free(options->packet_log_location);
    g_strfreev(options->command);
}
