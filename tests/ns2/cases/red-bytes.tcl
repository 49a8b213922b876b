# SPDX-License-Identifier: LGPL-2.1-or-later
# Ten Reno flows through RED that counts bytes
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use queue red red_min 30 red_max 90 red_bytes 1 red_mean 500 bin 0.25 duration 400
begin
bottleneck bottleneck R1 R2 1e7 0.001 624
group flow reno 10 0.0125 {R1 R2}
run
