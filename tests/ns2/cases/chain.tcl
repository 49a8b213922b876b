# SPDX-License-Identifier: LGPL-2.1-or-later
# A Reno flow over three hops, and one on each hop
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 1
begin
foreach i {1 2 3} { bottleneck hop.$i R$i R[expr {$i + 1}] 1e6 0.01 12 }
flow long reno {R1 R2 R3 R4} rtt 0.1 start 10
foreach i {1 2 3} { flow cross.$i reno [list R$i R[expr {$i + 1}]] rtt 0.06 start [uniform 0 1] }
run
