# SPDX-License-Identifier: LGPL-2.1-or-later
# One TFRC flow among seven SACK flows, red
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use queue red jitter 0.008
begin
eight tfrc sack
run
