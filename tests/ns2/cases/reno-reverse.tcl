# SPDX-License-Identifier: LGPL-2.1-or-later
# One Reno flow against ten in the other direction
source [file join [file dirname [info script]] .. .. .. tools reproduce ns2.tcl]
use bin 0.25
begin
single reno 21
reverse_traffic
run
