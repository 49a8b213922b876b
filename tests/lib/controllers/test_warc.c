/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* warc as a session sees it. */
#include "../../controller_flow.h"
#include "vectors.h"

#include <math.h>

static struct weir__vector_run run;

static void known_answers_are_given(void)
{
    const struct weir_controller *warc = weir__controller_find("warc");
    g_assert_cmpuint(warc->n_vectors, >=, 5);
    for (size_t i = 0; i < warc->n_vectors; i++) {
        enum weir_status status = weir__vector_run(warc, &warc->vectors[i], &run);
        g_test_message("%s: %s", warc->vectors[i].name, run.why);
        g_assert_cmpint(status, ==, WEIR_OK);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/warc/" #name, name)
    ADD(known_answers_are_given);
    return g_test_run();
}
