/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text form of crosstraffic.h. */
#include "sim/base/text.h"
#include "sim/path/crosstraffic.h"
#include "weir/units.h"
#include <string.h>

#define DEFAULT_SIZE_BYTES 1500
#define LONGEST_RTT_NS     WEIR_SECONDS(60)
#define ITEM_SHOWN         40 /* characters of a wrong item repeated in the error */

static const struct {
    const char *name;
    enum weir__cross_kind kind;
    enum weir__tcp_variant variant;
} kinds[] = {
    {"reno", WEIR__CROSS_TCP, WEIR__TCP_RENO},
    {"newreno", WEIR__CROSS_TCP, WEIR__TCP_NEWRENO},
    {"sack", WEIR__CROSS_TCP, WEIR__TCP_SACK},
    {"vegas", WEIR__CROSS_TCP, WEIR__TCP_VEGAS},
    {"westwood", WEIR__CROSS_TCP, WEIR__TCP_WESTWOOD},
    {"cubic", WEIR__CROSS_TCP, WEIR__TCP_CUBIC},
    {"prague", WEIR__CROSS_TCP, WEIR__TCP_PRAGUE},
    {"linux-reno", WEIR__CROSS_LINUX, WEIR__TCP_SACK},
    {"linux-cubic", WEIR__CROSS_LINUX, WEIR__TCP_CUBIC},
    {"cbr", WEIR__CROSS_CBR, 0},
};

enum { TCP = 1, CBR = 2 };

#define ITEM(member) offsetof(struct weir__cross_item, member)

static const struct option {
    const char *name;
    int users;
    size_t offset; /* of an int64_t in struct weir__cross_item */
    int64_t scale; /* what 1 of the text is there */
    int64_t low;
    int64_t high;
    const char *range;
} options[] = {
    {"start", TCP | CBR, ITEM(start_ns), WEIR_SECONDS(1), 0, INT64_MAX,
     "start takes seconds, for example start=5"},
    {"stop", TCP | CBR, ITEM(stop_ns), WEIR_SECONDS(1), 0, INT64_MAX,
     "stop takes seconds, for example stop=60"},
    {"size", TCP | CBR, ITEM(size_bytes), 1, 41, 65535,
     "size takes 41 to 65535 bytes, for example size=1500"},
    {"rtt", TCP, ITEM(rtt_ns), WEIR_SECONDS(1), 0, LONGEST_RTT_NS,
     "rtt takes 0 to 60 seconds, for example rtt=0.1"},
    {"on", CBR, ITEM(on_ns), WEIR_SECONDS(1), 1, INT64_MAX,
     "on takes seconds above 0, for example on=20"},
    {"off", CBR, ITEM(off_ns), WEIR_SECONDS(1), 1, INT64_MAX,
     "off takes seconds above 0, for example off=20"},
};

/* Whether the text at *at begins with this word and the word ends there; then steps over it. */
static bool eat_word(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0 || ((*at)[length] >= 'a' && (*at)[length] <= 'z')) {
        return false;
    }
    *at += length;
    return true;
}

static const char *read_kind(struct weir__cross_item *item, const char **at)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (eat_word(at, kinds[i].name)) {
            item->kind = kinds[i].kind;
            item->variant = kinds[i].variant;
            return NULL;
        }
    }
    return "unknown kind; allowed are reno, newreno, sack, vegas, westwood, cubic, prague, "
           "linux-reno, linux-cubic and cbr:RATE";
}

/* ":RATE", which cbr must and the others may not have. */
static const char *read_rate(struct weir__cross_item *item, const char **at)
{
    if (item->kind != WEIR__CROSS_CBR) {
        return **at == ':' ? "only cbr takes a rate; TCP flows take what they get" : NULL;
    }
    if (**at != ':') {
        return "cbr needs a rate in bit/s, for example cbr:700000";
    }
    (*at)++;
    return weir__text_rate(at, &item->rate_bps) && item->rate_bps > 0
               ? NULL
               : "the rate of cbr must be 1 to 1000G bit/s, for example cbr:700000 or cbr:1.5M";
}

static const char *read_count(struct weir__cross_item *item, const char **at)
{
    if (**at != '*') {
        return NULL;
    }
    (*at)++;
    return weir__text_number(at, 1, &item->count) && item->count >= 1 &&
                   item->count <= WEIR__CROSS_FLOWS
               ? NULL
               : "the count behind * must be 1 to 1000, for example reno*2";
}

/* "NAME=VALUE". */
static const char *read_option(struct weir__cross_item *item, const char **at)
{
    bool is_cbr = item->kind == WEIR__CROSS_CBR;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const struct option *option = &options[i];
        if (!(option->users & (is_cbr ? CBR : TCP)) || !eat_word(at, option->name)) {
            continue;
        }
        const char *text = *at + 1;
        int64_t value = 0;
        if (**at != '=' || !weir__text_number(&text, option->scale, &value) ||
            value < option->low || value > option->high) {
            return option->range;
        }
        *at = text;
        memcpy((char *)item + option->offset, &value, sizeof value);
        return NULL;
    }
    return is_cbr ? "unknown option; cbr takes start, stop, size, on and off"
                  : "unknown option; TCP kinds take start, stop, size and rtt";
}

static const char *check_item(const struct weir__cross_item *item)
{
    if (item->stop_ns <= item->start_ns) {
        return "stop must be later than start";
    }
    if ((item->on_ns > 0) != (item->off_ns > 0)) {
        return "on and off only work together, for example on=20,off=20";
    }
    return NULL;
}

/* One item up to ';' or the end; NULL, or what is wrong. */
static const char *read_item(struct weir__cross_item *item, const char **at)
{
    *item = (struct weir__cross_item){.count = 1,
                                      .stop_ns = WEIR_NEVER_NS,
                                      .rtt_ns = WEIR_UNKNOWN_NS,
                                      .size_bytes = DEFAULT_SIZE_BYTES};
    const char *wrong = read_kind(item, at);
    if (!wrong) {
        wrong = read_rate(item, at);
    }
    if (!wrong) {
        wrong = read_count(item, at);
    }
    while (!wrong && **at == ',') {
        (*at)++;
        wrong = read_option(item, at);
    }
    if (!wrong && **at != ';' && **at != '\0') {
        wrong = "expected *COUNT, ,OPTION=VALUE, ; or the end";
    }
    return wrong ? wrong : check_item(item);
}

static enum weir_status fail(char *error, size_t error_size, size_t number, const char *item,
                             const char *wrong)
{
    int length = (int)strcspn(item, ";");
    weir__text_error(error, error_size, "cross traffic item %zu \"%.*s\": %s", number,
                     length < ITEM_SHOWN ? length : ITEM_SHOWN, item, wrong);
    return WEIR_ERROR_MALFORMED;
}

/* Parses the text form; an empty text is no traffic. Errors: WEIR_ERROR_MALFORMED with a sentence
 * in error (may be NULL); *n_items is then untouched, items may be written. */
enum weir_status weir__crosstraffic_parse(const char *text, struct weir__cross_item *items,
                                          size_t capacity, size_t *n_items, char *error,
                                          size_t error_size)
{
    size_t n = 0;
    int64_t n_flows = 0;
    for (const char *at = text; *at != '\0';) {
        const char *item = at;
        const char *wrong = n < capacity ? read_item(&items[n], &at) : "too many items";
        if (!wrong) {
            n_flows += items[n].count;
            wrong = n_flows <= WEIR__CROSS_FLOWS ? NULL : "more than 1000 flows in total";
        }
        n++;
        if (wrong) {
            return fail(error, error_size, n, item, wrong);
        }
        at += *at == ';';
    }
    *n_items = n;
    return WEIR_OK;
}
