/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A scenario, read and checked: everything is resolved (base, profiles, variables, copies, spreads,
 * routes) and in the library's units. docs/scenarios.md describes the file. */
#ifndef WEIR_LAB_SCENARIO_SCENARIO_H
#define WEIR_LAB_SCENARIO_SCENARIO_H

#include "sim/network/link.h"
#include "sim/traffic/media_flow.h"
#include "sim/traffic/tcp_app.h"
#include "sim/traffic/udp_flow.h"
#include <glib.h>
#include <jansson.h>

#define LAB_MOST_RISES 8

enum lab_flow_kind { LAB_FLOW_TCP, LAB_FLOW_UDP, LAB_FLOW_MEDIA };

/* One direction. */
struct lab_link {
    const char *name; /* names and texts, here and below, are those of the JSON */
    const char *from;
    const char *to;
    json_t *node;                    /* has the names; a reference */
    struct weir__link_config config; /* seed and stream set; steps are those below */
    struct weir__schedule_step *steps;
    struct weir__schedule_step *delay_steps;
    int64_t *trace_ms;      /* of the capacity */
    int64_t *trace_packets; /* of the loss model */
};

/* One flow, not a list of copies. */
struct lab_flow {
    const char *name;
    const char *group;
    const char
        *algorithm; /* as in results: the profile's name if one was used, else the algorithm's */
    enum lab_flow_kind kind;
    bool tested;
    int64_t weight;  /* of its share of its group's sending session; 0: has a session of its own */
    uint32_t *links; /* of the data, numbers in lab_scenario.links */
    size_t n_links;
    uint32_t *back_links; /* of ACKs and RTCP */
    size_t n_back_links;
    /* Pure delays outside the links: access_ms, or half of what rtt_ms lacks, split between the two
     * ends by receiver_access_share. */
    int64_t entry_ns; /* of the data, at the sender */
    int64_t entry_jitter_ns;
    bool jitters_bursts;   /* network.h */
    int64_t exit_ns;       /* of the data, at the receiver */
    int64_t back_entry_ns; /* of what comes back, at the receiver */
    int64_t back_exit_ns;  /* of what comes back, at the sender */
    int64_t start_ns;
    int64_t stop_ns; /* WEIR_NEVER_NS = none */
    int64_t packet_bytes;
    int64_t header_bytes;
    /* What of it applies is set, but for routes and what only the network knows. */
    struct weir__tcp_app_config tcp;
    struct weir__udp_flow_config udp;
    struct weir__media_flow_config media;
    struct weir_param_value *params;   /* media.sender.params points here */
    struct weir__schedule_step *steps; /* of the source */
    int64_t *frame_bytes;              /* of the source */
    int64_t *prebuffers_ns;            /* playout_prebuffer_s */
    size_t n_prebuffers;
};

struct lab_scenario {
    char *name;
    const char *description;
    int64_t duration_ns;
    int64_t sample_ns;
    int64_t from_ns; /* measured window */
    int64_t to_ns;
    int64_t bin_ns;
    int64_t fair_bps;                     /* 0 = none */
    int64_t rise_from_ns[LAB_MOST_RISES]; /* ascending */
    guint n_rises;
    uint64_t seed;
    struct lab_link **links;
    guint n_links;
    struct lab_flow **flows;
    guint n_flows;
    json_t *resolved; /* without base, profiles and vars: texts and numbers only */
};

/* What the command line changes. */
struct lab_overrides {
    const char *algorithm;     /* of the tested flows; NULL = none */
    const char *const *params; /* "K=V" of the tested flows, NULL-terminated, or NULL */
    const char *const *sets;   /* "PATH=VALUE", NULL-terminated, or NULL */
    const char *seed;          /* a whole number; NULL = the scenario's */
    double duration_s;         /* 0 = the scenario's */
};

struct lab_scenario *lab_scenario_load(const char *name, const struct lab_overrides *overrides,
                                       GError **error);
void lab_scenario_free(struct lab_scenario *scenario);

/* The resolved scenario as JSON, which is a scenario that means the same. Free with g_free. */
char *lab_scenario_text(const struct lab_scenario *scenario);

#endif
