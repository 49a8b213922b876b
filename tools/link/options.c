/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "options.h"
#include "error.h"
#include "tun.h"
#include "weir/units.h"
#include <string.h>

#define LEAST_MTU_BYTES 576 /* what every IPv4 host takes, RFC 791 3.1 */
#define MOST_MTU_BYTES  65535
#define DEFAULT_MTU     1500

/* GOptionEntry holds a function as a pointer to data, to which ISO C has no way but an integer. */
#define READER(function) ((gpointer)(guintptr)(function))

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

static gboolean wrong(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean wrong(GError **error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_propagate_error(error, g_error_new_valist(LINK_ERROR, LINK_EXIT_WRONG, format, values));
    va_end(values);
    return FALSE;
}

/* --- one option each: its name as on the command line, its value, the options -------------------
 */

static gboolean read_setting(const char *name, const char *text, gpointer user, GError **error)
{
    struct link_options *options = user;
    gboolean reverse = g_str_has_prefix(name, "--reverse-");
    const char *prefix = reverse ? "--reverse-" : "--";
    const struct link_setting *setting = link_settings_find(name + strlen(prefix));
    if (!link_settings_set(&options->directions[reverse], setting, text, error)) {
        g_prefix_error(error, "%s", prefix);
        return FALSE;
    }
    options->own_reverse_delay |= reverse && g_str_has_prefix(setting->name, "delay");
    return TRUE;
}

static gboolean read_netns(const char *name, const char *text, gpointer user, GError **error)
{
    struct link_options *options = user;
    (void)name;
    options->own_namespaces = TRUE;
    return link_namespaces_set_names(&options->namespaces, text, error);
}

static gboolean read_addresses(const char *name, const char *text, gpointer user, GError **error)
{
    struct link_options *options = user;
    (void)name;
    options->own_namespaces = TRUE;
    return link_namespaces_set_addresses(&options->namespaces, text, error);
}

static gboolean read_tun(const char *name, const char *text, gpointer user, GError **error)
{
    struct link_options *options = user;
    g_auto(GStrv) devices = g_strsplit(text, ",", 0);
    if (g_strv_length(devices) != 2 || strcmp(devices[0], devices[1]) == 0) {
        return wrong(error, "%s '%s' is not two different names A,B", name, text);
    }
    for (int i = 0; i < 2; i++) {
        if (!link_tun_check_name(devices[i], error)) {
            return FALSE;
        }
        g_free(options->namespaces.ends[i].device);
        options->namespaces.ends[i].device = g_strdup(devices[i]);
    }
    return TRUE;
}

static gboolean read_mtu(const char *name, const char *text, gpointer user, GError **error)
{
    struct link_options *options = user;
    return (link_value_whole(text, &options->mtu_bytes) && options->mtu_bytes >= LEAST_MTU_BYTES &&
            options->mtu_bytes <= MOST_MTU_BYTES) ||
           wrong(error, "%s '%s' is not bytes from %d to %d", name, text, LEAST_MTU_BYTES,
                 MOST_MTU_BYTES);
}

static gboolean read_time(const char *name, const char *text, gpointer user, GError **error)
{
    struct link_options *options = user;
    int64_t *time_ns = strcmp(name, "--duration") == 0         ? &options->duration_ns
                       : strcmp(name, "--stats-interval") == 0 ? &options->stats_interval_ns
                                                               : &options->log_interval_ns;
    return (link_value_time(text, time_ns) && *time_ns >= WEIR_MS(1) &&
            *time_ns <= WEIR_SECONDS(1000000)) ||
           wrong(error,
                 "%s '%s' is not a time from 1ms to 1000000s with its unit, as in 100ms, 60s", name,
                 text);
}

/* --- all of them --------------------------------------------------------------------------------
 */

static void add_settings(GOptionGroup *group, const char *prefix)
{
    for (gsize i = 0; i < link_settings_count; i++) {
        const struct link_setting *setting = &link_settings_table[i];
        g_autofree char *name = g_strconcat(prefix, setting->name, NULL);
        GOptionEntry entries[] = {{g_intern_string(name), 0, G_OPTION_FLAG_FILENAME,
                                   G_OPTION_ARG_CALLBACK, READER(read_setting), setting->help,
                                   setting->form},
                                  G_OPTION_ENTRY_NULL};
        g_option_group_add_entries(group, entries);
    }
}

static GOptionContext *make_context(struct link_options *options)
{
    const GOptionEntry entries[] = {
        {"netns", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, READER(read_netns),
         "Names of the namespaces to make (default weir-PID-a,weir-PID-b)", "A,B"},
        {"addresses", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, READER(read_addresses),
         "Their IPv4 addresses (default 10.77.0.1,10.77.0.2)", "A,B"},
        {"tun", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, READER(read_tun),
         "Make two TUN devices here instead of namespaces; addresses are up to you", "A,B"},
        {"mtu", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, READER(read_mtu),
         "Largest packet in bytes (default 1500)", "N"},
        {"duration", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, READER(read_time),
         "End after this time", "TIME"},
        {"stats-interval", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, READER(read_time),
         "Print a line of JSON this often, and one at the end", "TIME"},
        {"log", 0, 0, G_OPTION_ARG_FILENAME, &options->log_location,
         "Write a CSV log of the forward direction", "FILE"},
        {"log-interval", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, READER(read_time),
         "A line this often (default 100ms)", "TIME"},
        {"packet-log", 0, 0, G_OPTION_ARG_FILENAME, &options->packet_log_location,
         "Write a CSV row for each packet of the forward direction", "FILE"},
        {"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "Print the version", NULL},
        G_OPTION_ENTRY_NULL};
    GOptionContext *context = g_option_context_new("[-- COMMAND ...]");
    GOptionGroup *forward = g_option_group_new("link", "", "", options, NULL);
    GOptionGroup *reverse =
        g_option_group_new("reverse",
                           "The other direction: 1 Gbit/s and the delay of the forward "
                           "one with its schedule, unless said otherwise",
                           "The same for the other direction", options, NULL);
    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    g_option_group_add_entries(forward, entries);
    add_settings(forward, "");
    add_settings(reverse, "reverse-");
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

static gboolean read_words(struct link_options *options, int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = make_context(options);
    g_auto(GStrv) all = g_new0(char *, (gsize)argc + 1);
    for (int i = 0; i < argc; i++) {
        all[i] = g_strdup(argv[i]);
    }
    options->command = take_command(all);
    if (!g_option_context_parse_strv(context, &all, error)) {
        return FALSE;
    }
    if (all[0] && all[1]) {
        return wrong(error, "'%s': a command goes after --", all[1]);
    }
    if (options->command && !options->command[0]) {
        return wrong(error, "--: which command?");
    }
    return TRUE;
}

/* --help prints and ends the program. link_options_finish() is due in any case. */
gboolean link_options_parse(struct link_options *options, int argc, char **argv, GError **error)
{
    struct weir__path_config *paths[] = {&options->directions[0].path,
                                         &options->directions[1].path};
    const struct link_end *ends = options->namespaces.ends;
    *options = (struct link_options){.mtu_bytes = DEFAULT_MTU,
                                     .duration_ns = WEIR_NEVER_NS,
                                     .stats_interval_ns = WEIR_NEVER_NS,
                                     .log_interval_ns = WEIR_MS(100)};
    link_settings_init(&options->directions[0]);
    link_settings_init(&options->directions[1]);
    link_namespaces_init(&options->namespaces);
    if (!read_words(options, argc, argv, error)) {
        return FALSE;
    }
    if (!options->own_reverse_delay) {
        paths[1]->link.delay_ns = paths[0]->link.delay_ns;
        paths[1]->delay_schedule = g_strdup(paths[0]->delay_schedule);
    }
    return !ends[0].device || !options->own_namespaces ||
           wrong(error, "--tun %s,%s: --netns and --addresses are for namespaces, without --tun",
                 ends[0].device, ends[1].device);
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
