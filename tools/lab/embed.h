/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `weir-lab run` as a function, for the Python package (libweirlab). One run at a time. */
#ifndef WEIR_LAB_EMBED_H
#define WEIR_LAB_EMBED_H

#include "weir/contract.h"

/* NULL or 0: the scenario's own. What each means is in docs/lab.md. */
struct weir_lab_run {
    const char *scenario;      /* a file, or the name of an installed one; required */
    const char *algorithm;     /* of the tested flows */
    const char *const *params; /* "K=V" of their algorithm, NULL-terminated */
    const char *const *sets;   /* "PATH=VALUE", NULL-terminated */
    const char *seed;          /* a whole number below 2^53 */
    double duration_s;
    const char *out;              /* directory for the time series; NULL = none */
    const char *const *variables; /* columns of flows.csv, NULL-terminated */
};

/* The result as weir-lab run --json --no-wall-time prints it, or NULL and *wrong, a sentence. Both
 * are to be freed with weir_lab_free. */
WEIR_API char *weir_lab_simulate(const struct weir_lab_run *run, char **wrong);
/* Called within a run, by an algorithm: it ends soon, "complete": false. */
WEIR_API void weir_lab_stop(void);
WEIR_API void weir_lab_free(char *text);

#endif
