/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-link: an emulated bottleneck for real packets. docs/link.md describes it. */
#include "error.h"
#include "loop.h"
#include "options.h"
#include "weir/units.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* Everything that exists while the link does; zeroed parts are not there. */
struct link {
    struct link_options options;
    struct link_direction directions[2];
    struct link_report report;
    struct link_control control;
    struct link_loop loop;
};

static int fail(GError *error)
{
    int status = error->domain == LINK_ERROR ? error->code : LINK_EXIT_WRONG;
    g_autofree char *line = g_strdelimit(g_strdup(error->message), "\r\n", ' ');
    fprintf(stderr, "weir-link: %s\n", line);
    g_error_free(error);
    return status;
}

/* The paths first: a value they refuse costs nothing. */
static gboolean prepare(struct link *link, GError **error)
{
    struct link_options *options = &link->options;
    for (int i = 0; i < 2; i++) {
        if (!link_direction_init(&link->directions[i], &options->directions[i], options->mtu_bytes,
                                 error)) {
            g_prefix_error(error, "%s", i == 1 ? "reverse: " : "");
            return FALSE;
        }
    }
    link_report_init(&link->report, &link->directions[0], &link->directions[1],
                     options->stats_interval_ns);
    if (options->packet_log_location) {
        link->directions[0].packet_log = link_packet_log_open(options->packet_log_location, error);
        if (!link->directions[0].packet_log) {
            return FALSE;
        }
    }
    return !options->log_location || link_report_open_log(&link->report, options->log_location,
                                                          options->log_interval_ns, error);
}

static gboolean make_ends(struct link_options *options, GError **error)
{
    return (options->namespaces.ends[0].device || link_namespaces_permitted(error)) &&
           link_namespaces_make(&options->namespaces, options->mtu_bytes, error);
}

static void print_ends(const struct link_options *options)
{
    printf("{\"ready\":{");
    for (int i = 0; i < 2; i++) {
        const struct link_end *end = &options->namespaces.ends[i];
        printf("%s\"%c\":{", i > 0 ? "," : "", 'a' + i);
        if (end->device) {
            printf("\"device\":\"%s\"}", end->device);
        } else {
            printf("\"netns\":\"%s\",\"device\":\"" LINK_NAMESPACES_DEVICE "\",\"address\":\"%s\"}",
                   end->name, end->address);
        }
    }
    puts("}}");
    fflush(stdout);
}

static int join(struct link *link, GError **error)
{
    struct link_options *options = &link->options;
    struct link_loop *loop = &link->loop;
    *loop = (struct link_loop){.directions = {&link->directions[0], &link->directions[1]},
                               .report = &link->report,
                               .duration_ns = options->duration_ns};
    link->control =
        (struct link_control){.directions = {&link->directions[0], &link->directions[1]},
                              .own_reverse_delay = options->own_reverse_delay};
    if (!options->command) {
        print_ends(options);
        loop->control = &link->control;
    } else if (!link_loop_start_command(loop, options, error)) {
        return LINK_EXIT_FAILED;
    }
    gboolean good = link_loop_run(loop, options->namespaces.ends[0].tun_fd,
                                  options->namespaces.ends[1].tun_fd, error);
    return good ? link_loop_exit_status(loop) : LINK_EXIT_FAILED;
}

static void finish(struct link *link)
{
    link_report_finish(&link->report);
    link_direction_finish(&link->directions[0]);
    link_direction_finish(&link->directions[1]);
    link_options_finish(&link->options);
    g_free(link);
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    struct link *link = g_new0(struct link, 1);
    int status = LINK_EXIT_OK;
    setlocale(LC_CTYPE, ""); /* numbers stay as in C */
    if (link_options_parse(&link->options, argc, argv, &error)) {
        if (link->options.version) {
            puts("weir-link " LINK_VERSION);
        } else {
            link_loop_block_signals();
            if (prepare(link, &error) && make_ends(&link->options, &error)) {
                status = join(link, &error);
            }
        }
    }
    finish(link);
    return error ? fail(error) : status;
}
