/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/files.h"
#include "scenario/scenario.h"
#include "scenario_fixture.h"
#include "test.h"
#include <inttypes.h>

static void test_the_example_of_the_docs_is_read(void)
{
    GError *error = NULL;
    struct lab_scenario *s = lab_scenario_load("call", NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(s->name, ==, "call");
    g_assert_cmpint(s->duration_ns, ==, WEIR_SECONDS(120));
    g_assert_cmpint(s->sample_ns, ==, WEIR_MS(100));
    g_assert_cmpint(s->from_ns, ==, 0);
    g_assert_cmpint(s->to_ns, ==, WEIR_SECONDS(120));
    g_assert_cmpint(s->bin_ns, ==, WEIR_SECONDS(1));
    g_assert_cmpint(s->fair_bps, ==, 0);
    g_assert_cmpuint(s->seed, ==, 1);
    g_assert_cmpuint(s->n_links, ==, 2);
    g_assert_cmpuint(s->n_flows, ==, 3);
    g_assert_cmpstr(s->links[1]->name, ==, "bottleneck.reverse");
    g_assert_cmpint(s->links[1]->config.capacity_bps, ==, 2000000);
    g_assert_cmpint(s->links[0]->config.queue.limit.bytes, ==, 75000);
    g_assert_cmpint(s->links[0]->config.delay_ns, ==, WEIR_MS(20));
    g_assert_cmpint(s->flows[0]->kind, ==, LAB_FLOW_MEDIA);
    g_assert_true(s->flows[0]->tested);
    g_assert_cmpstr(s->flows[0]->algorithm, ==, "sluice");
    g_assert_cmpint(s->flows[0]->media.source.max_bps, ==, 1500000);
    g_assert_cmpint(s->flows[1]->kind, ==, LAB_FLOW_TCP);
    g_assert_cmpint(s->flows[1]->tcp.start_ns, ==, WEIR_SECONDS(20));
    g_assert_cmpint(s->flows[1]->tcp.stop_ns, ==, WEIR_NEVER_NS);
    g_assert_cmpint(s->flows[2]->udp.source.unit_bytes, ==, 1460);
    lab_scenario_free(s);
}

/* One thing wrong in the small scenario, and the line that says so. */
static const struct {
    const char *from, *to, *message;
} mistakes[] = {
    {"\"capacity_bps\"", "\"capacity\"",
     "links.b.capacity = 1000000: unknown field; did you mean capacity_bps?"},
    {"\"delay_ms\"", "\"delay_s\"", "links.b.delay_s = 20: unknown field; did you mean delay_ms?"},
    {"\"duration_s\"", "\"duration\"", "duration = 10: unknown field; did you mean duration_s?"},
    {"\"tested\": true", "\"tseted\": true",
     "flows.call.tseted = true: unknown field; did you mean tested?"},
    {"\"rate_bps\"", "\"rate_kbps\"",
     "flows.call.source.rate_kbps = 500000: unknown field; did you mean rate_bps?"},
    {"1000000", "0", "links.b.capacity_bps = 0: must be a number from 1 to 1000000000000"},
    {"1000000", "\"fast\"",
     "links.b.capacity_bps = \"fast\": must be a number from 1 to 1000000000000"},
    {"1000000", "1e400", NULL},
    {"\"capacity_bps\": 1000000, ", "",
     "links.b.capacity_bps: is missing; it must be a number from 1 to 1000000000000, unless a "
     "schedule begins at 0 or there is trace_ms"},
    {"\"delay_ms\": 20", "\"delay_ms\": -1",
     "links.b.delay_ms = -1: must be a number from 0 to 3600000"},
    {"500000", "-5", "flows.call.source.rate_bps = -5: must be a number from 1 to 1000000000000"},
    {"\"duration_s\": 10, ", "",
     "duration_s: is missing; it must be a number from 1e-06 to 1000000"},
    {"10", "0", "duration_s = 0: must be a number from 1e-06 to 1000000"},
    {"10", "null", "duration_s = null: must be a number from 1e-06 to 1000000"},
    {"\"kind\": \"cbr\"", "\"kind\": \"cbx\"",
     "flows.call.source.kind = \"cbx\": must be one of greedy, finite, cbr, pareto, voip, "
     "video, vbr, encoder, web, bursts, stream"},
    {"tcp-reno", "tcp-renno",
     "flows.tcp.algorithm = \"tcp-renno\": there is no such algorithm or profile; there are "
     "tcp-reno, tcp-newreno, tcp-sack, tcp-vegas, tcp-westwood, tcp-cubic, tcp-prague, udp, "
     "sluice, ..."},
    {"\"to\": \"R2\", \"tested\"", "\"to\": \"R22\", \"tested\"",
     "flows.call.to = \"R22\": no link leads to a node of this name; did you mean R2?"},
    {"\"to\": \"R2\", \"tested\"", "\"to\": \"Z\", \"tested\"",
     "flows.call.to = \"Z\": no link leads to a node of this name; there are R1, R2"},
    {"\"to\": \"R2\", \"capacity", "\"to\": \"R1\", \"capacity",
     "links.b.to = \"R1\": must be another node than `from`: a link joins two nodes"},
    {"\"to\": \"R2\", \"tested\"", "\"to\": \"R1\", \"tested\"",
     "flows.call.to = \"R1\": must be another node than `from`"},
    {"20}", "20, \"duplex\": false}", "flows.call.to = \"R2\": no links lead from R2 to R1"},
    {"\"name\": \"tcp\"", "\"name\": \"call\"", "flows.call: the name \"call\" is used twice"},
    {"\"name\": \"tcp\"", "\"name\": \"a,b\"",
     "flows.a,b.name = \"a,b\": must be a name of 1 to 200 characters without commas and "
     "quotes"},
    {"\"name\": \"tcp\"", "\"name\": \"x\", \"count\": 1000000000",
     "flows.x.count = 1000000000: must be a whole number from 0 to 100000"},
    {"\"name\": \"tcp\"", "\"name\": \"x\", \"count\": 100000",
     "flows.x.count = 100000: makes more than 100000 in all"},
    {"\"name\": \"b\"", "\"name\": \"b\", \"count\": 10001",
     "links.b.count = 10001: must be a whole number from 0 to 10000"},
    {"\"name\": \"tcp\"", "\"name\": \"x\", \"count\": 1.5",
     "flows.x.count = 1.5: must be a whole number from 0 to 100000"},
    {"1000000", "\"=2*x\"",
     "links.b.capacity_bps = \"=2*x\": character 3: there is no variable \"x\"; there are n, "
     "tested"},
    {"1000000", "\"=1/(n-3)\"",
     "links.b.capacity_bps = \"=1/(n-3)\": character 2: division by zero"},
    {"1000000", "\"=tested\"",
     "links.b.capacity_bps = \"=tested\": character 1: the variable \"tested\" is a text"},
    {"\"n\": 3", "\"n\": \"=n+1\"",
     "vars.n = \"=n+1\": character 1: the variable \"n\" refers to itself"},
    {"\"n\": 3", "\"n\": [3]", "vars.n = [...]: must be a number or a text"},
    {"\"algorithm\": \"$tested\"", "\"algorithm\": \"$test\"",
     "flows.call.algorithm = \"$test\": there is no variable \"test\"; there are n, tested"},
    {"\"name\": \"tcp\"", "\"name\": \"t{k}\"",
     "flows.t{k}.name = \"t{k}\": character 1: there is no variable \"k\"; there are n, "
     "tested"},
    {"\"name\": \"tcp\"", "\"name\": \"t{i\"", "flows.t{i.name = \"t{i\": a '}' is missing"},
    {"\"tested\": true", "\"params\": {\"sp\": 2}",
     "flows.call.params.sp = 2: tfrc: sp=2 is not true or false"},
    {"\"tested\": true", "\"params\": {\"x\": 2}", NULL},
    {"\"tested\": true", "\"feedback\": {\"format\": \"rx\"}",
     "flows.call.feedback.format = \"rx\": must be one of ccfb, twcc, rr, ..."},
    {"\"algorithm\": \"tcp-reno\"", "\"algorithm\": \"udp\"",
     "flows.tcp.source.kind: udp has no control that could say how fast: it needs a source "
     "with "
     "a rate, for example {\"kind\": \"cbr\", \"rate_bps\": 500000}"},
    {"\"kind\": \"cbr\", \"rate_bps\": 500000", "\"kind\": \"web\"",
     "flows.call.source.kind = \"web\": only TCP flows have this source"},
    {"tcp-reno\"", "tcp-reno\", \"source\": {\"kind\": \"encoder\"}",
     "flows.tcp.source.kind = \"encoder\": an encoder follows the target bitrate, which only "
     "algorithms of the library have"},
    {"tcp-reno\"", "tcp-reno\", \"params\": {\"sp\": true}",
     "flows.tcp.params = {...}: tcp-reno has no parameters"},
    {"tcp-reno\"", "tcp-reno\", \"rtt_ms\": 39",
     "flows.tcp.rtt_ms = 39: must be at least 40, which the links alone take"},
    {"tcp-reno\"", "tcp-reno\", \"rtt_ms\": 50, \"access_ms\": 1",
     "flows.tcp.rtt_ms = 50: either rtt_ms or access_ms, not both"},
    {"tcp-reno\"", "tcp-reno\", \"via\": [\"R2\", \"R1\"]",
     "flows.tcp.via = [...]: the way goes round: it comes to R1 twice"},
    {"tcp-reno\"", "tcp-reno\", \"via\": [\"R3\"]", NULL},
    {"tcp-reno\"", "tcp-reno\", \"via\": [\"R1\"]",
     "flows.tcp.via = [...]: R1 is where the way is already"},
    {"tcp-reno\"", "tcp-reno\", \"via\": [\"R2\"]",
     "flows.tcp.via = [...]: R2 is where the way is already"},
    {"tcp-reno\"", "tcp-reno\", \"stop_s\": 0", "flows.tcp.stop_s = 0: must be later than start_s"},
    {"tcp-reno\"", "tcp-reno\", \"start_s\": {\"uniform\": [2, 1]}",
     "flows.tcp.start_s.uniform = [...]: must be [low, high] with low <= high"},
    {"tcp-reno\"", "tcp-reno\", \"start_s\": {\"random\": [2, 1]}",
     "flows.tcp.start_s = {...}: must be a number, {\"even\": [first, last]}, {\"uniform\": "
     "[low, high]} or a list of numbers"},
    {"tcp-reno\"", "tcp-reno\", \"start_s\": []",
     "flows.tcp.start_s = [...]: must have a number at least"},
    {"tcp-reno\"", "tcp-reno\", \"tcp\": {\"rto_min_ms\": 9e4}",
     "flows.tcp.tcp.rto_max_ms: must be at least rto_min_ms"},
    {"\"tested\": true", "\"limits\": {\"min_bps\": 10, \"max_bps\": 9}",
     "flows.call.limits = {...}: must be min_bps <= start_bps <= max_bps"},
    {"20}", "20, \"queue\": {\"packets\": 0}}",
     "links.b.queue.packets = 0: must be a whole number from 1 to 1000000000"},
    {"20}", "20, \"queue\": {\"discipline\": \"codel\", \"target_ms\": 0}}",
     "links.b.queue.target_ms = 0: must be a number from 0.001 to 3600000"},
    {"20}", "20, \"queue\": {\"discipline\": \"fq_codel\", \"flows\": 0}}",
     "links.b.queue.flows = 0: must be a whole number from 1 to 65536"},
    {"20}", "20, \"queue\": {\"max_p\": 1}}",
     "links.b.queue.max_p = 1: unknown field; there are discipline, packets, bytes, time_ms, "
     "comment"},
    {"\"rate_bps\": 500000", "\"rate_bps\": 1, \"quux\": 1",
     "flows.call.source.quux = 1: unknown field; there are kind, rate_bps, on_s, off_s, begin, "
     "packet_bytes, schedule, comment"},
    {"\"links\"", "\"quux\": 1, \"links\"",
     "quux = 1: unknown field; there are description, duration_s, seed, sample_s, measure, links, "
     "flows, base, vars, profiles, comment"},
    {"tcp-reno\"", "tcp-reno\", \"packet_size\": 1000",
     "flows.tcp.packet_size = 1000: unknown field; did you mean packet_bytes?"},
    {"\"links\"", "\"comment\": 5, \"links\"", "comment = 5: must be a text"},
    {"tcp-reno\"", "tcp-reno\", \"comment\": {}", "flows.tcp.comment = {...}: must be a text"},
    {"\"n\": 3", "\"n\": 3, \"comment\": 5", "vars.comment = 5: must be a text"},
    {"\"links\"", "\"description\": \"a\\nb\", \"links\"",
     "description = \"a\\nb\": must be one line"},
    {"\"links\"", "\"seed\": -1, \"links\"",
     "seed = -1: must be a whole number from 0 to 9007199254740991"},
    {"1000000", "18446744073709551617",
     "line 1, column 141: not JSON: too big integer near '18446744073709551617'"},
    {"20}", "20, \"queue\": {\"discipline\": \"red\", \"min_packets\": 9, \"max_packets\": 8}}",
     "links.b.queue = {...}: RED needs min_packets less than max_packets (0 = automatic)"},
    {"20}", "20, \"loss\": {\"p\": 1}}",
     "links.b.loss.model: is missing; it must be one of none, bernoulli, gilbert, periodic, "
     "timed, counted, trace"},
    {"20}", "20, \"loss\": {\"model\": \"bernoulli\", \"p\": 1.5}}",
     "links.b.loss.p = 1.5: must be a number from 0 to 1"},
    {"20}", "20, \"loss\": {\"model\": \"trace\", \"packets\": [2, 2]}}",
     "links.b.loss.packets = [...]: must be ascending, which 2 is not"},
    {"20}", "20, \"reverse\": {\"name\": \"x\"}}", NULL},
    {"20}", "20, \"reverse\": {\"capacity_bps\": 0}}",
     "links.b.reverse.capacity_bps = 0: must be a number from 1 to 1000000000000"},
    {"20}",
     "20, \"schedule\": [{\"at_s\": 1, \"capacity_bps\": 1}, {\"at_s\": 1, "
     "\"capacity_bps\": 2}]}",
     "links.b.schedule.1.at_s = 1: must be later than that of the step before"},
    {"20}", "20, \"schedule\": [{\"at_s\": 1}]}",
     "links.b.schedule.0.capacity_bps: is missing; it must be a number from 0 to "
     "1000000000000"},
    {"\"capacity_bps\": 1000000, ", "\"trace_ms\": [5, 4], ",
     "links.b.trace_ms = [...]: must be milliseconds that never descend and end later than 0"},
    {"\"capacity_bps\": 1000000, ", "\"trace_ms\": 5, ",
     "links.b.trace_ms = 5: must be the name of a file or a list of milliseconds"},
    {"20}", "20, \"policer\": {\"rate_bps\": 1e6}}",
     "links.b.policer.burst_bytes: is missing; it must be a whole number from 1 to 1000000000"},
    {"20}",
     "20, \"shaper\": {\"rate_bps\": 1, \"burst_bytes\": 1}, \"aggregation\": {\"access_ms\": 1}}",
     "links.b: has more than one of trace_ms, shaper and aggregation"},
    {"20}", "20, \"aggregation\": {\"packets\": 0, \"access_ms\": 1}}",
     "links.b.aggregation.packets = 0: must be a whole number from 1 to 65536"},
    {"20}", "20, \"delay_schedule\": 5}",
     "links.b.delay_schedule = 5: must be a list of {\"at_s\": ..., \"delay_ms\": ...}"},
    {"20}",
     "20, \"delay_schedule\": [{\"at_s\": 5, \"delay_ms\": 1}], "
     "\"delay_schedule_repeat_s\": 5}",
     "links.b.delay_schedule_repeat_s = 5: must be later than the last step of a schedule"},
    {"20}", "20, \"schedule_repeat_s\": 5}",
     "links.b.schedule_repeat_s = 5: must be later than the last step of a schedule"},
    {"\"links\"", "\"measure\": {\"from_s\": 10}, \"links\"",
     "measure.from_s = 10: must be before the end of the window, at 10"},
    {"\"duration_s\": 10, ", "\"duration_s\": 1e6, \"measure\": {\"from_s\": 1e6}, ",
     "measure.from_s = 1000000: must be before the end of the window, at 1000000"},
    {"\"links\"", "\"measure\": {\"rise_from_s\": [2, 1]}, \"links\"",
     "measure.rise_from_s = [...]: must be 8 ascending times at most"},
    {"\"links\"", "\"measure\": {\"rise_from_s\": [1,2,3,4,5,6,7,8,9]}, \"links\"",
     "measure.rise_from_s = [...]: must be 8 ascending times at most"},
    {"\"links\"", "\"measure\": {\"to_s\": 11}, \"links\"",
     "measure.to_s = 11: must be at most duration_s, 10"},
    {"\"links\"", "\"base\": \"nosuch\", \"links\"",
     "base = \"nosuch\": there is no file and no installed scenario of this name"},
    {"\"links\"", "\"base\": \"./test.json\", \"links\"",
     "base = \"./test.json\": goes round: a scenario is its own base"},
    {"\"links\"", "\"profiles\": {\"A\": {\"parms\": {}}}, \"links\"",
     "profiles.A.parms = {...}: unknown field; did you mean params?"},
    {"\"links\"", "\"profiles\": {\"tfrc\": {\"algorithm\": \"fixed\"}}, \"links\"",
     "profiles.tfrc: an algorithm has this name: a profile needs another"},
    {"\"links\"", "\"profiles\": {\"udp\": {}}, \"links\"",
     "profiles.udp: an algorithm has this name: a profile needs another"},
    {"\"links\"",
     "\"profiles\": {\"P\": {\"algorithm\": \"Q\"}, \"Q\": {\"algorithm\": \"P\"}}, \"links\"",
     "profiles.P.algorithm = \"Q\": the algorithm of a profile is not another profile"},
    {"\"links\"", "\"profiles\": {\"comment\": 5}, \"links\"",
     "profiles.comment = 5: must be a text"},
    {"\"links\"", "\"profiles\": \"nosuch\", \"links\"",
     "profiles = \"nosuch\": there is no file of this name in profiles of the scenarios"},
    {"20}", "20, \"policer\": {\"rate_bps\": 1}}",
     "links.b.policer.burst_bytes: is missing; it must be a whole number from 1 to 1000000000"},
    {"20}", "20, \"shaper\": {\"rate_bps\": 0, \"burst_bytes\": 1}}",
     "links.b.shaper.rate_bps = 0: must be a number from 1 to 1000000000000"},
    {"20}", "20, \"aggregation\": {}}",
     "links.b.aggregation.access_ms: is missing; it must be a number from 0 to 3600000"},
    {"20}", "20, \"aggregation\": {\"packets\": 65537, \"access_ms\": 1}}",
     "links.b.aggregation.packets = 65537: must be a whole number from 1 to 65536"},
    {"[{\"name\": \"b\"", "[7, {\"name\": \"b\"", "links.0 = 7: must be an object, {...}"},
    {"\"n\": 3", "\"n\": 3, \"n\": 4",
     "line 1, column 39: not JSON: duplicate object key near '\"n\"'"},
};

/* What ends in "..." goes on: with all algorithms of the registry. */
static void assert_message(const char *message, const char *expected)
{
    if (g_str_has_suffix(expected, "...")) {
        g_assert_cmpint(strncmp(message, expected, strlen(expected) - 3), ==, 0);
        g_assert_cmpuint(strlen(message), >, strlen(expected));
    } else {
        g_assert_cmpstr(message, ==, expected);
    }
}

static void test_every_error_names_field_value_and_what_is_allowed(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        char *content = text_replace(SMALL, mistakes[i].from, mistakes[i].to);
        char *message = load_bad(content, NULL);
        g_test_message("%s", message);
        if (mistakes[i].message != NULL) {
            assert_message(message, mistakes[i].message);
        }
        g_free(message);
        g_free(content);
    }
}

static void test_what_is_no_json_is_named_by_line_and_column(void)
{
    static const struct {
        const char *content, *message;
    } cases[] = {
        {"", "line 1, column 0: not JSON: unexpected token near end of file"},
        {"[]", "must be an object, {...}"},
        {"{\n\"a\": 'b'}", "line 2, column 6: not JSON: invalid token near '''"},
        {"{\"a\": \xff}", "line 1, column 6: not JSON: unable to decode byte 0xff"},
        {"{\"a\": \"\xff\"}", "line 1, column 7: not JSON: unable to decode byte 0xff near '\"'"},
        {"var x = {};", "line 1, column 3: not JSON: invalid token near 'var'"},
        {"{} /* no */", "line 1, column 4: not JSON: end of file expected near '/'"},
        {"{\"a\": \"b\\u0000\"}", "line 1, column 15: not JSON: \\u0000 is not allowed without "
                                  "JSON_ALLOW_NUL near '\"b\\u0000\"'"},
        {"{\"a\": 012}", "line 1, column 7: not JSON: invalid token near '0'"},
        {"{\"a\": -012}", "line 1, column 8: not JSON: invalid token near '-0'"},
        {"{} {}", "line 1, column 4: not JSON: end of file expected near '{'"},
        {"{\"a\": \"b\nc\"}", "line 1, column 8: not JSON: unexpected newline near '\"b'"},
        {"{\"a\": 0x10}", "line 1, column 8: not JSON: '}' expected near 'x'"},
        {"{\"a\": \"\\q\"}", "line 1, column 9: not JSON: invalid escape near '\"\\q'"},
        {"{\"a\": 9223372036854775808}",
         "line 1, column 25: not JSON: too big integer near '9223372036854775808'"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *message = load_bad(cases[i].content, NULL);
        g_test_message("%s", message);
        if (cases[i].message != NULL) {
            g_assert_cmpstr(message, ==, cases[i].message);
        }
        g_free(message);
    }
    char *message = load_bad("{\"a\": 1,\n \"b\"", NULL);
    g_assert_true(g_str_has_prefix(message, "line 2, column 4: not JSON: "));
    g_free(message);
}

static void test_nesting_and_size_have_an_end(void)
{
    GString *deep = g_string_new("{\"a\": ");
    for (guint i = 0; i < 1000000; i++) {
        g_string_append_c(deep, '[');
    }
    char *message = load_bad(deep->str, NULL);
    g_assert_cmpstr(message, ==,
                    "line 1, column 2054: not JSON: maximum parsing depth reached near '['");
    g_free(message);
    g_string_assign(deep, SMALL);
    for (guint i = 0; i <= 16 * 1024; i++) {
        for (guint k = 0; k < 1024; k += 16) {
            g_string_append(deep, "                ");
        }
    }
    message = load_bad(deep->str, NULL);
    g_assert_cmpstr(message, ==, "larger than 16 MiB, which is all that is read");
    g_free(message);
    g_string_free(deep, TRUE);
}

/* However long what is quoted. */
static void test_an_error_is_a_line_that_can_be_read(void)
{
    char *name = g_strnfill(100000, 'x');
    char *key = g_strdup_printf("\"%s\": 1, \"links\"", name);
    const char *const changes[][2] = {{"b\"", name}, {"\"links\"", key}, {"R2", name}};
    for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
        char *quoted = i == 0 ? g_strconcat(name, "\"", NULL) : g_strdup(changes[i][1]);
        char *content = text_replace(SMALL, changes[i][0], quoted);
        char *message = load_bad(content, NULL);
        g_test_message("%s", message);
        g_assert_cmpuint(strlen(message), <, 1200);
        g_free(message);
        g_free(content);
        g_free(quoted);
    }
    g_free(key);
    g_free(name);
}

static void load_and_free(const char *content, gssize length)
{
    GError *error = NULL;
    struct lab_scenario *scenario = load_text(content, length, NULL, &error);
    g_assert_true((scenario != NULL) == (error == NULL));
    if (error != NULL) {
        g_assert_cmpuint(strlen(error->message), >, 0);
        g_assert_null(strchr(error->message, '\n'));
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
    }
    g_clear_error(&error);
    lab_scenario_free(scenario);
}

static void test_a_part_of_a_file_is_an_error(void)
{
    for (gsize n = 0; n < strlen(SMALL); n++) {
        char *part = g_strndup(SMALL, n);
        g_free(load_bad(part, NULL));
        g_free(part);
    }
}

static void test_a_file_without_one_character_never_crashes(void)
{
    for (gsize n = 0; n < strlen(SMALL); n++) {
        char *content = g_strconcat(SMALL, NULL);
        memmove(content + n, content + n + 1, strlen(content + n));
        load_and_free(content, -1);
        g_free(content);
    }
}

static void test_a_mutated_file_never_crashes(void)
{
    static const char letters[] = "{}[]\":,.0123456789-+eEnulltruefals=$*/ \\\xff";
    for (guint i = 0; i < 3000; i++) {
        char *content = g_strdup(SMALL);
        gsize length = strlen(content);
        gint changes = g_test_rand_int_range(1, 6);
        for (gint k = 0; k < changes; k++) {
            content[(gsize)g_test_rand_int_range(0, (gint32)length)] =
                letters[g_test_rand_int_range(0, sizeof letters - 1)];
        }
        load_and_free(content, (gssize)length);
        g_free(content);
    }
}

/* Members swapped for values of another kind, everywhere. */
static void test_a_value_of_another_kind_never_crashes(void)
{
    static const char *const values[] = {"null",   "true", "-1", "1e300", "\"\"",      "\"=1/0\"",
                                         "\"$n\"", "[]",   "{}", "[[]]",  "{\"a\": 1}"};
    for (const char *at = strchr(SMALL, ':'); at != NULL; at = strchr(at + 1, ':')) {
        gsize length = strcspn(at + 2, ",}]");
        for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
            char *content = g_strdup_printf("%.*s%s%s", (int)(at + 2 - SMALL), SMALL, values[i],
                                            at + 2 + length);
            load_and_free(content, -1);
            g_free(content);
        }
    }
}

/* Everything that a struct lab_scenario says, but for pointers. */
static void describe_link(GString *text, const struct lab_link *l)
{
    const struct weir__link_config *c = &l->config;
    g_string_append_printf(
        text, "%s %s %s %" PRId64 " %" PRId64 " %" PRId64 " %d %zu %" PRId64 " %" PRIu64 "\n",
        l->name, l->from, l->to, c->capacity_bps, c->delay_ns, c->jitter_ns, c->jitter_model,
        c->n_steps, c->period_ns, c->seed);
    g_string_append_printf(text, "%d %" PRId64 " %" PRId64 " %g %g %g %g %d %g %" PRId64 " %zu\n",
                           c->queue.discipline, c->queue.limit.packets, c->queue.limit.bytes,
                           c->queue.red.min_packets, c->queue.red.weight, c->reorder, c->duplicate,
                           c->loss.model, c->loss.p, c->loss.mean_ns, c->loss.n_trace);
    for (gsize i = 0; i < c->n_steps; i++) {
        g_string_append_printf(text, "%" PRId64 ":%" PRId64 " ", c->steps[i].at_ns,
                               c->steps[i].rate_bps);
    }
}

static void describe_source(GString *text, const struct weir__source_config *c)
{
    g_string_append_printf(
        text, "%d %" PRId64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %zu %zu ",
        c->kind, c->start_ns, c->seed, c->rate_bps, c->unit_bytes, c->on_ns, c->interval_ns,
        c->n_steps, c->n_frames);
    for (gsize i = 0; i < c->n_frames; i++) {
        g_string_append_printf(text, "%" PRId64 " ", c->frame_bytes[i]);
    }
}

static void describe_flow(GString *text, const struct lab_flow *f)
{
    g_string_append_printf(text, "%s %s %s %d %d ", f->name, f->group, f->algorithm, f->kind,
                           f->tested);
    for (gsize i = 0; i < f->n_links + f->n_back_links; i++) {
        g_string_append_printf(text, "%u ",
                               i < f->n_links ? f->links[i] : f->back_links[i - f->n_links]);
    }
    g_string_append_printf(text, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " ",
                           f->entry_ns, f->back_exit_ns, f->start_ns, f->stop_ns, f->packet_bytes);
    for (gsize i = 0; i < f->media.sender.n_params; i++) {
        g_string_append_printf(text, "%s=%g ", f->params[i].name, f->params[i].value);
    }
    g_string_append_printf(text, "%d %u %" PRIu64 " %d %u\n", f->tcp.kind, f->tcp.n_connections,
                           f->tcp.seed, f->tcp.tcp.tcp.variant, f->media.receiver.format);
    describe_source(text, f->kind == LAB_FLOW_TCP   ? &f->tcp.source
                          : f->kind == LAB_FLOW_UDP ? &f->udp.source
                                                    : &f->media.source);
}

static char *describe(const struct lab_scenario *s)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n",
                           s->description, s->duration_ns, s->sample_ns, s->from_ns, s->to_ns,
                           s->seed);
    for (guint i = 0; i < s->n_links; i++) {
        describe_link(text, s->links[i]);
    }
    for (guint i = 0; i < s->n_flows; i++) {
        describe_flow(text, s->flows[i]);
    }
    return g_string_free(text, FALSE);
}

/* Loads what `resolved` says, and compares scenario and JSON. */
static void check_round_trip(const struct lab_scenario *scenario)
{
    char *json = lab_scenario_text(scenario);
    g_assert_null(strstr(json, "\"="));
    g_assert_null(strstr(json, "\"$"));
    struct lab_scenario *again = load_good(json);
    char *json_again = lab_scenario_text(again);
    char *text = describe(scenario);
    char *text_again = describe(again);
    g_assert_cmpstr(text_again, ==, text);
    g_assert_cmpstr(json_again, ==, json);
    g_free(text);
    g_free(text_again);
    g_free(json);
    g_free(json_again);
    lab_scenario_free(again);
}

static void test_every_scenario_survives_being_resolved(void)
{
    GPtrArray *names = lab_scenario_names();
    g_assert_cmpuint(names->len, >=, 5);
    for (guint i = 0; i < names->len; i++) {
        GError *error = NULL;
        g_test_message("%s", (char *)names->pdata[i]);
        struct lab_scenario *scenario = lab_scenario_load(names->pdata[i], NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(scenario->description, !=, "");
        check_round_trip(scenario);
        lab_scenario_free(scenario);
    }
    g_ptr_array_unref(names);
}

/* The examples: whole scenarios, or a link or flow per line. Free with g_free. */
static char *scenario_around(const char *example, const char *section)
{
    static const char link[] = "{\"name\": \"l\", \"from\": \"R1\", \"to\": \"R2\", "
                               "\"capacity_bps\": 1e6}";
    static const char flow[] = "{\"name\": \"f\", \"from\": \"R1\", \"to\": \"R2\", "
                               "\"algorithm\": \"tcp-reno\"}";
    gboolean is_link = strcmp(section, "Links") == 0;
    return g_strdup_printf("{\"duration_s\": 100, \"links\": [%s%s%s], \"flows\": [%s]}", link,
                           is_link ? ", " : "", is_link ? example : "", is_link ? flow : example);
}

static void test_the_examples_of_the_page_are_read(void)
{
    char *page = NULL;
    guint n = 0;
    g_assert_true(g_file_get_contents(SCENARIO_PAGE, &page, NULL, NULL));
    char **lines = g_strsplit(page, "\n", -1);
    const char *section = "";
    gboolean inside = FALSE;
    for (guint i = 0; lines[i] != NULL; i++) {
        section = g_str_has_prefix(lines[i], "## ") ? lines[i] + 3 : section;
        if (g_str_has_prefix(lines[i], "```")) {
            inside = !inside;
        } else if (inside && section[0] != '\0') {
            char *content = scenario_around(lines[i], section);
            g_test_message("%s", lines[i]);
            struct lab_scenario *scenario = load_good(content);
            check_round_trip(scenario);
            lab_scenario_free(scenario);
            g_free(content);
            n++;
        }
    }
    g_assert_cmpuint(n, >=, 15);
    const char *json = strstr(page, "```json\n");
    const char *end = strstr(json, "\n```\n");
    char *whole = g_strndup(json + 8, (gsize)(end - json - 8));
    struct lab_scenario *scenario = load_good(whole);
    g_assert_cmpuint(scenario->n_flows, ==, 3);
    lab_scenario_free(scenario);
    g_free(whole);
    g_strfreev(lines);
    g_free(page);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario/the_example_of_the_docs_is_read",
                    test_the_example_of_the_docs_is_read);
    g_test_add_func("/scenario/every_error_names_field_value_and_what_is_allowed",
                    test_every_error_names_field_value_and_what_is_allowed);
    g_test_add_func("/scenario/what_is_no_json_is_named_by_line_and_column",
                    test_what_is_no_json_is_named_by_line_and_column);
    g_test_add_func("/scenario/nesting_and_size_have_an_end", test_nesting_and_size_have_an_end);
    g_test_add_func("/scenario/an_error_is_a_line_that_can_be_read",
                    test_an_error_is_a_line_that_can_be_read);
    g_test_add_func("/scenario/a_part_of_a_file_is_an_error", test_a_part_of_a_file_is_an_error);
    g_test_add_func("/scenario/a_file_without_one_character_never_crashes",
                    test_a_file_without_one_character_never_crashes);
    g_test_add_func("/scenario/a_mutated_file_never_crashes", test_a_mutated_file_never_crashes);
    g_test_add_func("/scenario/a_value_of_another_kind_never_crashes",
                    test_a_value_of_another_kind_never_crashes);
    g_test_add_func("/scenario/every_scenario_survives_being_resolved",
                    test_every_scenario_survives_being_resolved);
    g_test_add_func("/scenario/the_examples_of_the_page_are_read",
                    test_the_examples_of_the_page_are_read);
    return g_test_run();
}
