# SPDX-License-Identifier: LGPL-2.1-or-later
# One TFRC flow, 1 Mbit/s, 250 ms
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 0.25
begin
single tfrc 21 10
run
