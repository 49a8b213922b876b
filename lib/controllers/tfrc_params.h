/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameter table of tfrc, for tfrc.c alone. */
#ifndef WEIR_CONTROLLERS_TFRC_PARAMS_H
#define WEIR_CONTROLLERS_TFRC_PARAMS_H

#include "controllers/tfrc_rate.h"

static const char *const tfrc_profiles[] = {"rfc5348", "rfc3448", "ns2", NULL};
static const char *const tfrc_initials[] = {"start-rate", "rfc", NULL};
static const char *const tfrc_switches[] = {"auto", "off", "on", NULL};
static const char *const tfrc_sp_inits[] = {"packets", "bytes", NULL};

#define TFRC_CHOICE(names, text)                                                                   \
    .unit = "1", .description = (text), .kind = WEIR_PARAM_CHOICE,                                 \
    .max = (double)(sizeof(names) / sizeof((names)[0]) - 2), .choices = (names)
#define TFRC_BOOL(text) .unit = "1", .description = (text), .kind = WEIR_PARAM_BOOL, .max = 1.0

static const struct weir_param tfrc_params[N_PARAMS] = {
    [PARAM_PROFILE] = {.name = "profile",
                       TFRC_CHOICE(tfrc_profiles, "Revision of TFRC: RFC 5348, RFC 3448, or the "
                                                  "behaviour of ns-2 for published figures.")},
    [PARAM_INITIAL] = {.name = "initial",
                       TFRC_CHOICE(tfrc_initials,
                                   "Rate before the first RTT sample: the start bitrate, or one "
                                   "packet per second (RFC 5348 4.2).")},
    [PARAM_LOSS_INTERVALS] = {.name = "loss-intervals",
                              .unit = "intervals",
                              .description = "Loss intervals in the average (RFC 5348 5.4).",
                              .kind = WEIR_PARAM_INTEGER,
                              .min = 1.0,
                              .max = 32.0,
                              .default_value = 8.0},
    [PARAM_DISCOUNT_THRESHOLD] =
        {.name = "discount-threshold",
         .unit = "1",
         .description = "Lowest discount of old loss intervals (RFC 5348 5.5); 1 = no discounting, "
                        "0 = the profile's: 0.25, or 0.5 for rfc3448 and ns2.",
         .kind = WEIR_PARAM_NUMBER,
         .max = 1.0},
    [PARAM_OSCILLATION_REDUCTION] =
        {.name = "oscillation-reduction",
         TFRC_CHOICE(tfrc_switches, "Pace by the instantaneous RTT (RFC 5348 4.5); auto = on, but "
                                    "off in profile rfc3448.")},
    [PARAM_EQUATION_CAP] = {.name = "equation-cap",
                            TFRC_CHOICE(
                                tfrc_switches,
                                "Limit the timeout term of the equation as the model of Padhye "
                                "et al. does; auto = only in profile ns2.")},
    [PARAM_PACKETS_PER_ACK] = {.name = "packets-per-ack",
                               .unit = "packets",
                               .description = "b of the equation (RFC 5348 3.1).",
                               .kind = WEIR_PARAM_INTEGER,
                               .min = 1.0,
                               .max = 2.0,
                               .default_value = 1.0},
    [PARAM_MAX_INTERVAL] =
        {.name = "max-interval",
         .unit = "s",
         .description = "t_mbi: the rate never falls below one packet in this time (RFC 5348 4.3).",
         .kind = WEIR_PARAM_NUMBER,
         .min = 0.1,
         .max = 3600.0,
         .default_value = 64.0},
    [PARAM_NOFEEDBACK_MIN] =
        {.name = "nofeedback-min",
         .unit = "ms",
         .description =
             "Minimum of the nofeedback timer (RFC 5348 4.4 has none; 0 for reproduction).",
         .kind = WEIR_PARAM_NUMBER,
         .max = 10000.0,
         .default_value = 20.0},
    [PARAM_SP] = {.name = "sp", TFRC_BOOL("Small-packet variant TFRC-SP (RFC 4828).")},
    [PARAM_SP_INIT] = {.name = "sp-init",
                       TFRC_CHOICE(tfrc_sp_inits, "Initial rate of TFRC-SP per RTT: four real "
                                                  "packets, or 4380 bytes.")},
    [PARAM_FASTER_RESTART] =
        {.name = "faster-restart",
         TFRC_BOOL("Quadruple the rate after idle times up to what was achieved before "
                   "(draft-ietf-dccp-tfrc-faster-restart-06).")},
    [PARAM_CWV_DECAY] = {.name = "cwv-decay",
                         TFRC_BOOL("Let the remembered receive rate decay while the source limits "
                                   "the flow (RFC 5348 appendix C).")},
    [PARAM_SELF_CLOCKED] =
        {.name = "self-clocked",
         TFRC_BOOL("After slow start limit the rate to the receive rate in a round with loss, else "
                   "to self-clocked-multiplier times it (Bansal et al. 2001).")},
    [PARAM_SELF_CLOCKED_MULTIPLIER] =
        {.name = "self-clocked-multiplier",
         .unit = "1",
         .description = "Receive-rate multiple of self-clocked TFRC in a round without loss; 1.5 "
                        "in ns-2.",
         .kind = WEIR_PARAM_NUMBER,
         .min = 1.0,
         .max = 10.0,
         .default_value = 1.5},
    [PARAM_VENO] =
        {.name = "veno",
         TFRC_BOOL(
             "Treat losses with a short queue as random and react less to them (TFRC-Veno).")},
};

#endif
