# SPDX-License-Identifier: LGPL-2.1-or-later
# One SACK flow among 8 Pareto sources
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 0.25 window 100 bytes 1460 delayed_ack 0 duration 1000 from 20
begin
bottleneck bottleneck R1 R2 1.5e6 0.024 50
flow flow sack {R1 R2} rtt 0.056
for {set i 1} {$i <= 8} {incr i} {
    flow pareto.$i pareto {R1 R2} rtt 0.056 rate 500e3
}
run
