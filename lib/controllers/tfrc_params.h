/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameter table of tfrc, for tfrc.c alone. */
#ifndef WEIR_CONTROLLERS_TFRC_PARAMS_H
#define WEIR_CONTROLLERS_TFRC_PARAMS_H

#include "controllers/tfrc_rate.h"

static const struct weir_param tfrc_params[N_PARAMS] = {
    [PARAM_PROFILE] = WEIR__CHOICE(
        "profile", 0,
        "Revision of TFRC: RFC 5348, RFC 3448, or the behaviour of ns-2 for published figures.",
        "rfc5348", "rfc3448", "ns2"),
    [PARAM_INITIAL] = WEIR__CHOICE("initial", 0,
                                   "Rate before the first RTT sample: the start bitrate, or one "
                                   "packet per second (RFC 5348 4.2).",
                                   "start-rate", "rfc"),
    [PARAM_LOSS_INTERVALS] = WEIR__INTEGER("loss-intervals", "intervals", 1.0, 32.0, 8.0,
                                           "Loss intervals in the average (RFC 5348 5.4)."),
    [PARAM_DISCOUNT_THRESHOLD] =
        WEIR__NUMBER("discount-threshold", "1", 0.0, 1.0, 0.0,
                     "Lowest discount of old loss intervals (RFC 5348 5.5); 1 = no discounting, 0 "
                     "= the profile's: 0.25, or 0.5 for rfc3448 and ns2."),
    [PARAM_OSCILLATION_REDUCTION] = WEIR__CHOICE(
        "oscillation-reduction", 0,
        "Pace by the instantaneous RTT (RFC 5348 4.5); auto = on, but off in profile rfc3448.",
        "auto", "off", "on"),
    [PARAM_EQUATION_CAP] = WEIR__CHOICE("equation-cap", 0,
                                        "Limit the timeout term of the equation as the model of "
                                        "Padhye et al. does; auto = only in profile ns2.",
                                        "auto", "off", "on"),
    [PARAM_PACKETS_PER_ACK] = WEIR__INTEGER("packets-per-ack", "packets", 1.0, 2.0, 1.0,
                                            "b of the equation (RFC 5348 3.1)."),
    [PARAM_MAX_INTERVAL] =
        WEIR__NUMBER("max-interval", "s", 0.1, 3600.0, 64.0,
                     "t_mbi: the rate never falls below one packet in this time (RFC 5348 4.3)."),
    [PARAM_NOFEEDBACK_MIN] = WEIR__NUMBER(
        "nofeedback-min", "ms", 0.0, 10000.0, 20.0,
        "Minimum of the nofeedback timer (RFC 5348 4.4 has none; 0 for reproduction)."),
    [PARAM_SP] = WEIR__SWITCH("sp", false, "Small-packet variant TFRC-SP (RFC 4828)."),
    [PARAM_SP_INIT] = WEIR__CHOICE(
        "sp-init", 0, "Initial rate of TFRC-SP per RTT: four real packets, or 4380 bytes.",
        "packets", "bytes"),
    [PARAM_FASTER_RESTART] =
        WEIR__SWITCH("faster-restart", false,
                     "Quadruple the rate after idle times up to what was achieved before "
                     "(draft-ietf-dccp-tfrc-faster-restart-06)."),
    [PARAM_CWV_DECAY] = WEIR__SWITCH("cwv-decay", false,
                                     "Let the remembered receive rate decay while the source "
                                     "limits the flow (RFC 5348 appendix C)."),
    [PARAM_SELF_CLOCKED] =
        WEIR__SWITCH("self-clocked", false,
                     "After slow start limit the rate to the receive rate in a round with loss, "
                     "else to self-clocked-multiplier times it (Bansal et al. 2001)."),
    [PARAM_SELF_CLOCKED_MULTIPLIER] = WEIR__NUMBER(
        "self-clocked-multiplier", "1", 1.0, 10.0, 1.5,
        "Receive-rate multiple of self-clocked TFRC in a round without loss; 1.5 in ns-2."),
    [PARAM_VENO] = WEIR__SWITCH(
        "veno", false,
        "Treat losses with a short queue as random and react less to them (TFRC-Veno)."),
};

#endif
