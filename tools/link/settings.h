/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one direction of the link is like. The names are those of the properties of weirlink. */
#ifndef WEIR_LINK_SETTINGS_H
#define WEIR_LINK_SETTINGS_H

#include "sim/path/path.h"
#include <glib.h>
#include <stdint.h>

#define LINK_MAX_INSIDE 32768 /* packets in one direction at one time */

/* Where no limit of the queue is set, its time is WEIR_UNKNOWN_NS: link_settings_config() sets the
 * default. */
struct link_settings {
    struct weir__path_config path; /* owns its texts; but for the trace, and for the loss: */
    double loss;
    double loss_burst;
};

/* A setting by its name. */
struct link_setting {
    const char *name;
    enum {
        LINK_RATE,
        LINK_TIME,
        LINK_WHOLE,
        LINK_REAL,
        LINK_DISCIPLINE,
        LINK_SWITCH,
        LINK_TEXT
    } kind;
    size_t offset;
    double least, most;
    gboolean live;    /* may change while packets flow */
    const char *form; /* of the value, for --help */
    const char *help;
    const char *range; /* for complaints */
};

extern const struct link_setting link_settings_table[];
extern const gsize link_settings_count;

void link_settings_init(struct link_settings *settings);
void link_settings_finish(struct link_settings *settings);
const struct link_setting *link_settings_find(const char *name);
gboolean link_settings_set(struct link_settings *settings, const struct link_setting *setting,
                           const char *text, GError **error);
gboolean link_settings_read_trace(const struct link_settings *settings, char **text,
                                  GError **error);
void link_settings_config(const struct link_settings *settings, struct weir__path_config *config);

/* Values with units, as people write them: "2.5M", "20ms". The same in every locale. */
gboolean link_value_rate(const char *text, int64_t *rate_bps);
gboolean link_value_time(const char *text, int64_t *time_ns);
gboolean link_value_whole(const char *text, int64_t *value);
gboolean link_value_real(const char *text, double *value);

#endif
