# SPDX-License-Identifier: LGPL-2.1-or-later
# The same with a small buffer
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 0.25
begin
single reno 5
run
