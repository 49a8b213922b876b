/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weir: congestion control for live media over RTP. This header includes all the others. */
#ifndef WEIR_H
#define WEIR_H

#include "contract.h"
#include "controller.h"
#include "ecn.h"
#include "picture.h"
#include "quality.h"
#include "queue.h"
#include "receiver.h"
#include "repair.h"
#include "rtcp.h"
#include "sender.h"
#include "shares.h"
#include "status.h"
#include "trace.h"
#include "units.h"
#include "version.h"

#endif
