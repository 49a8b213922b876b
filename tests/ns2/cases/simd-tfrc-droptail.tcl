# SPDX-License-Identifier: LGPL-2.1-or-later
# One TFRC flow among seven SACK flows, droptail
source [file join [file dirname [info script]] .. lib.tcl]
use queue droptail
begin
eight tfrc sack
run
