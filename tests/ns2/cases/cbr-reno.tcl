# SPDX-License-Identifier: LGPL-2.1-or-later
# One Reno flow and 0.7 Mbit/s on and off over 1 Mbit/s
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 0.25
begin
single reno 21
flow cbr cbr {R1 R2} rate 0.7e6 on {200 400 600 800}
run
