/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/schedule.h"
#include "sim/base/text.h"
#include <string.h>

#define ENTRY_SHOWN 24 /* characters of a wrong entry repeated in the error */

/* Upper bound of the number of steps in the text. */
size_t weir__schedule_count(const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++) {
        count += *c == ',';
    }
    return count;
}

/* One sentence: which entry, what it says, what was expected. */
static enum weir_status fail(char *error, size_t error_size, const char *name, size_t number,
                             const char *entry, const char *expected)
{
    int length = (int)strcspn(entry, ",");
    weir__text_error(error, error_size, "%s entry %zu \"%.*s\": %s", name, number,
                     length < ENTRY_SHOWN ? length : ENTRY_SHOWN, entry, expected);
    return WEIR_ERROR_MALFORMED;
}

static const char *read_rate(const char **at, struct weir__schedule_step *step)
{
    return weir__text_rate(at, &step->rate_bps)
               ? NULL
               : "expected a rate in bit/s from 0 to 1000G behind the colon, for example 1500k";
}

static const char *read_delay(const char **at, struct weir__schedule_step *step)
{
    return weir__text_duration(at, &step->delay_ns) && weir__is_delay(step->delay_ns)
               ? NULL
               : "expected a delay from 0 to 3600s with its unit behind the colon, for example "
                 "90ms";
}

static const struct {
    const char *name; /* in errors */
    /* Reads the value of an entry; NULL, or what was expected instead. */
    const char *(*read_value)(const char **at, struct weir__schedule_step *step);
    const char *example; /* of an entry */
} kinds[] = {
    [WEIR__SCHEDULE_OF_RATES] = {"schedule", read_rate,
                                 "expected SECONDS:RATE, for example 20:1000000"},
    [WEIR__SCHEDULE_OF_DELAYS] = {"delay schedule", read_delay,
                                  "expected SECONDS:DELAY, for example 20:90ms"},
};

struct reader {
    enum weir__schedule_kind kind;
    struct weir__schedule_step *steps;
    size_t n_steps;
    int64_t last_ns;
    int64_t period_ns;
};

/* Reads the entry at *at into the reader; NULL, or what was expected instead. */
static const char *read_entry(struct reader *reader, const char **at)
{
    struct weir__schedule_step step = {.at_ns = 0};
    if (!weir__text_seconds(at, &step.at_ns) || **at != ':') {
        return kinds[reader->kind].example;
    }
    if (step.at_ns <= reader->last_ns) {
        return "its time must be later than that of the entry before";
    }
    reader->last_ns = step.at_ns;
    (*at)++;
    if (strncmp(*at, "repeat", 6) == 0) {
        *at += 6;
        reader->period_ns = step.at_ns;
        return reader->n_steps > 0 && **at == '\0' ? NULL
                                                   : "repeat must be the last entry, after a value";
    }
    const char *expected = kinds[reader->kind].read_value(at, &step);
    if (expected) {
        return expected;
    }
    if (**at != ',' && **at != '\0') {
        return "expected a comma or the end behind the value";
    }
    reader->steps[reader->n_steps++] = step;
    return NULL;
}

/* Parses the text form. Errors: WEIR_ERROR_MALFORMED with a sentence in error (may be NULL), and
 * WEIR_ERROR_NO_SPACE; *n_steps and *period_ns are then untouched, steps may be written. */
enum weir_status weir__schedule_parse(const char *text, enum weir__schedule_kind kind,
                                      struct weir__schedule_step *steps, size_t capacity,
                                      size_t *n_steps, int64_t *period_ns, char *error,
                                      size_t error_size)
{
    struct reader reader = {.kind = kind, .steps = steps, .last_ns = -1};
    const char *name = kinds[kind].name;
    if (capacity < weir__schedule_count(text)) {
        weir__text_error(error, error_size, "%s: more than %zu entries", name, capacity);
        return WEIR_ERROR_NO_SPACE;
    }
    const char *at = text;
    for (size_t number = 1;; number++) {
        const char *entry = at;
        const char *expected = read_entry(&reader, &at);
        if (expected) {
            return fail(error, error_size, name, number, entry, expected);
        }
        if (*at == '\0') {
            break;
        }
        at++;
    }
    *n_steps = reader.n_steps;
    *period_ns = reader.period_ns;
    return WEIR_OK;
}

static void find_next_change(struct weir__schedule *schedule)
{
    schedule->next_change_ns =
        schedule->next < schedule->n_steps
            ? weir_time_add_ns(schedule->period_start_ns, schedule->steps[schedule->next].at_ns)
            : WEIR_NEVER_NS;
}

/* `value`, a rate or a delay, holds until the first step (which may be at 0). n_steps 0 = constant
 * for ever. */
void weir__schedule_init(struct weir__schedule *schedule, int64_t value,
                         const struct weir__schedule_step *steps, size_t n_steps, int64_t period_ns)
{
    *schedule = (struct weir__schedule){
        .steps = steps, .n_steps = n_steps, .period_ns = period_ns, .rate_bps = value};
    find_next_change(schedule);
}

/* Skips whole periods, so that a long silence costs no more than a short one. */
static void skip_periods(struct weir__schedule *schedule, int64_t now_ns)
{
    int64_t behind_ns = now_ns - schedule->period_start_ns;
    if (schedule->period_ns > 0 && behind_ns / schedule->period_ns > 1) {
        schedule->period_start_ns += (behind_ns / schedule->period_ns - 1) * schedule->period_ns;
        find_next_change(schedule);
    }
}

/* Takes the steps up to and including now_ns; returns the value. */
int64_t weir__schedule_advance(struct weir__schedule *schedule, int64_t now_ns)
{
    skip_periods(schedule, now_ns);
    while (schedule->next_change_ns <= now_ns) {
        schedule->rate_bps = schedule->steps[schedule->next].rate_bps;
        schedule->next++;
        if (schedule->next == schedule->n_steps && schedule->period_ns > 0) {
            schedule->next = 0;
            schedule->period_start_ns =
                weir_time_add_ns(schedule->period_start_ns, schedule->period_ns);
        }
        find_next_change(schedule);
    }
    return schedule->rate_bps;
}
