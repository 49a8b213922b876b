# SPDX-License-Identifier: LGPL-2.1-or-later
# Ten Reno flows through RED that finds its own parameters
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use queue red red_min -1 red_max -1 red_weight -1 bin 0.25 duration 400
begin
bottleneck bottleneck R1 R2 1e7 0.001 208
group flow reno 10 0.0125 {R1 R2}
run
