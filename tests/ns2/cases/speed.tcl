# SPDX-License-Identifier: LGPL-2.1-or-later
# Twenty Reno flows and ten in the other direction: the case of speed.py
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 1
begin
bottleneck bottleneck R1 R2 1e7 0.001 208
group flow reno 20 0.0125 {R1 R2}
reverse_traffic
run
