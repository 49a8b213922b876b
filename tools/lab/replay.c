/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab replay: runs an algorithm again on a trace of weirsend. */
#include "command.h"
#include "replay/trace_replay.h"

static const char summary[] =
    "Runs an algorithm again on what weirsend recorded (trace-location). The recorded algorithm "
    "must\ngive the same answers, bit for bit (exit status 1 if not); another one shows what it "
    "would\nhave answered to the same packets, feedback and limits.";
static const char description[] = "Examples:\n"
                                  "  weir-lab replay trace.jsonl\n"
                                  "  weir-lab replay trace.jsonl --algorithm tfrc --param "
                                  "profile=rfc3448 --out DIR";

static void print_result(const struct lab_replay_result *result, gboolean json)
{
    g_autofree char *text = json ? lab_replay_to_json(result) : lab_replay_to_text(result);
    lab_command_print(text);
}

int lab_replay_main(int argc, char **argv)
{
    struct lab_replay_result result = {.algorithm = NULL};
    g_autofree char *algorithm = NULL, *out = NULL;
    g_auto(GStrv) params = NULL, operands = NULL;
    gboolean json = FALSE;
    GError *error = NULL;
    const GOptionEntry entries[] = {
        {"algorithm", 'a', 0, G_OPTION_ARG_FILENAME, &algorithm,
         "Run this algorithm instead of the recorded one (weir-lab list algorithms)", "NAME"},
        {"param", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &params,
         "Parameter of that algorithm (weir-lab list params NAME); may be repeated", "K=V"},
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "Write replay.csv there: both rates over time",
         "DIR"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &json, "Print one JSON object", NULL},
        G_OPTION_ENTRY_NULL};
    gboolean good = lab_command_parse(argc, argv, "TRACE", summary, description, entries, NULL,
                                      &operands, &error) &&
                    lab_command_expect(operands, 1,
                                       "one TRACE, please: what weirsend "
                                       "trace-location=TRACE wrote",
                                       &error);
    if (good) {
        struct lab_replay_options options = {.location = operands[0],
                                             .algorithm = algorithm,
                                             .params = (const char *const *)params,
                                             .out = out};
        good = lab_replay_run(&options, &result, &error);
    }
    if (good) {
        print_result(&result, json);
    }
    lab_replay_result_clear(&result);
    if (!good) {
        return lab_command_fail(error, LAB_EXIT_WRONG);
    }
    return result.differences > 0 ? LAB_EXIT_FAILED : LAB_EXIT_OK;
}
