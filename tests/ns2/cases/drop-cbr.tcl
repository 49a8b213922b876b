# SPDX-License-Identifier: LGPL-2.1-or-later
# Two NewReno flows and 0.2 Mbit/s of CBR while 2 Mbit/s become 0.5
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 0.5 from 20 duration 600
begin
bottleneck bottleneck R1 R2 2e6 0.001 50
group flow newreno 2 0.05 {R1 R2}
flow cbr cbr {R1 R2} rate 0.2e6
capacity_at 300 bottleneck 0.5e6
run
