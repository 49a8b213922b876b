# SPDX-License-Identifier: LGPL-2.1-or-later
# 20 flows with round trips of 12.5 i ms, 10 Mbit/s, buffer 208
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 0.25 duration 400
begin
bottleneck bottleneck R1 R2 1e7 0.001 208
group flow reno 20 0.0125 {R1 R2}
run
