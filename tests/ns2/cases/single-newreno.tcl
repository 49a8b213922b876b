# SPDX-License-Identifier: LGPL-2.1-or-later
# One newreno flow, 1 Mbit/s, 250 ms, buffer of one bandwidth-delay product
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 0.25
begin
single newreno 21
run
