/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the records of a trace hold, in one table: who writes a trace and who reads one use it. */
#ifndef WEIR_SESSION_TRACE_H
#define WEIR_SESSION_TRACE_H

#include "weir/trace.h"

enum weir__trace_type {
    WEIR__TRACE_INTEGER, /* int64_t, as the next four */
    WEIR__TRACE_TIME,    /* null: WEIR_UNKNOWN_NS */
    WEIR__TRACE_WINDOW,  /* null: WEIR_NEVER_NS */
    WEIR__TRACE_ECN,     /* enum weir_ecn */
    WEIR__TRACE_STATUS,  /* as one of weir__trace_statuses */
    WEIR__TRACE_STATE,   /* uint32_t */
    WEIR__TRACE_NUMBER,  /* double */
    WEIR__TRACE_NAME,    /* const char * */
    WEIR__TRACE_VERSION  /* WEIR_TRACE_VERSION; in no record */
};

struct weir__trace_field {
    const char *name;
    enum weir__trace_type type;
    size_t offset; /* in struct weir_trace_record */
};

struct weir__trace_kind {
    const char *name;
    const struct weir__trace_field *fields;
    size_t n_fields;
};

enum { WEIR__TRACE_KINDS = WEIR_TRACE_VARIABLE + 1, WEIR__TRACE_STATUSES = 3 };

extern const struct weir__trace_kind weir__trace_kinds[WEIR__TRACE_KINDS]; /* by weir_trace_kind */
extern const char *const weir__trace_statuses[WEIR__TRACE_STATUSES];

#endif
