# SPDX-License-Identifier: LGPL-2.1-or-later
# Eight SACK flows, droptail
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use queue droptail jitter 0.008
begin
eight sack sack
run
