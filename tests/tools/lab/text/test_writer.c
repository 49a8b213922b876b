/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text/writer.h"
#include "tools/lab/lab_fixture.h"
#include <math.h>

static void test_lines_are_members_and_elements(void)
{
    struct lab_writer writer;
    lab_writer_init(&writer);
    lab_write_int(&writer, "a", 1);
    lab_write_list(&writer, "list");
    for (int i = 0; i < 2; i++) {
        lab_write_object(&writer, NULL);
        lab_write_int(&writer, "x", i);
        lab_write_bool(&writer, "y", i == 0);
        lab_write_end_object(&writer);
    }
    lab_write_end_list(&writer);
    lab_write_list(&writer, "empty");
    lab_write_end_list(&writer);
    lab_write_seconds(&writer, "s", WEIR_MS(1500));
    char *text = lab_writer_finish(&writer);
    g_assert_cmpstr(text, ==,
                    "{\n  \"a\": 1,\n  \"list\": [\n    {\"x\": 0, \"y\": true},\n"
                    "    {\"x\": 1, \"y\": false}\n  ],\n  \"empty\": [],\n  \"s\": 1.5\n}\n");
    g_free(text);
}

static void test_any_text_comes_back_from_a_reader(void)
{
    static const char *const texts[] = {"", "plain", "\"quoted\" \\ back", "tab\tline\n\x01 end",
                                        "\xc3\xbc\xe2\x82\xac"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct lab_writer writer;
        lab_writer_init(&writer);
        lab_write_text(&writer, texts[i], texts[i]);
        char *text = lab_writer_finish(&writer);
        json_t *node = fixture_json(text);
        g_assert_cmpstr(json_string_value(json_object_get(node, texts[i])), ==, texts[i]);
        json_decref(node);
        g_free(text);
    }
}

static void test_what_is_unknown_is_null(void)
{
    struct lab_writer writer;
    lab_writer_init(&writer);
    lab_write_text(&writer, "text", NULL);
    lab_write_real(&writer, "number", (double)NAN);
    lab_write_unsigned(&writer, "seed", UINT64_MAX);
    char *text = lab_writer_finish(&writer);
    g_assert_cmpstr(text, ==,
                    "{\n  \"text\": null,\n  \"number\": null,\n"
                    "  \"seed\": 18446744073709551615\n}\n");
    g_free(text);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/writer/lines_are_members_and_elements", test_lines_are_members_and_elements);
    g_test_add_func("/writer/any_text_comes_back_from_a_reader",
                    test_any_text_comes_back_from_a_reader);
    g_test_add_func("/writer/what_is_unknown_is_null", test_what_is_unknown_is_null);
    return g_test_run();
}
