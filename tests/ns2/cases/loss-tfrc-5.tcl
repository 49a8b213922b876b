# SPDX-License-Identifier: LGPL-2.1-or-later
# One tfrc flow over a link that loses 5 %
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 1 from 20
begin
bottleneck bottleneck R1 R2 1e8 0.001 1000
lossy bottleneck 0.05
flow flow tfrc {R1 R2} rtt 0.1
run
