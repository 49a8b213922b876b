# SPDX-License-Identifier: LGPL-2.1-or-later
# Scenarios of the laboratory for ns-2. A case (tests/ns2/cases/*.tcl, or what ns2.py writes) sources this
# file, describes its network and calls `run`; stdout gets one JSON object: per flow and per queue what
# happened between `from` and `to`. Or it calls `run_recorded`: see there. Times in seconds, rates in bit/s,
# sizes in bytes on the wire.
#
#   ns CASE.tcl SEED ?SETTING=VALUE ...?     of ::settings below, or CLASS.VARIABLE=VALUE for ns-2's own
#
# Sizes have no header on top (useHeaders_ false), connections start without SYN, and access links are so
# fast that they are pure delays: the laboratory's flows are like that.

remove-all-packet-headers
add-packet-header IP TCP TFRC TFRC_ACK Flags RTP

array set settings {duration 1000 from 100 bin 1 access_bps 1e10 far_delay 0 delayed_ack 1 jitter 0 window 1000 bytes 1500
                    queue droptail red_min 10 red_max 40 red_weight 0.002 red_bytes 0 red_mean 1500 red_gentle 1
                    keep 0.9375 alpha_i 0 per_ack 0 whole_packets 0 monitor 1 spare 1}
set overrides {}

# What the case wants unless the command line says otherwise: use NAME VALUE ...
proc use {args} {
    foreach {name value} $args {
        if {![info exists ::fixed($name)]} {
            set ::settings($name) $value
        }
    }
}

proc setting {name} { return $::settings($name) }

proc read_command_line {} {
    set ::seed [lindex $::argv 0]
    if {$::seed eq ""} { set ::seed 1 }
    foreach word [lrange $::argv 1 end] {
        regexp {^([^=]*)=(.*)$} $word - name value
        if {[string match *.* $name]} {
            lappend ::overrides [split $name .] $value
        } else {
            set ::fixed($name) 1
            set ::settings($name) $value
        }
    }
}

proc set_defaults {} {
    Agent/TCP set useHeaders_ false
    Agent/TCP set syn_ false
    Agent/TCP set delay_growth_ false
    Agent/TFRC set useHeaders_ false
    Queue set limit_ 1000000
    foreach {where value} $::overrides {
        [lindex $where 0] set [lindex $where 1] $value
    }
}

proc begin {} {
    global ns random
    set ns [new Simulator]
    $::defaultRNG seed [expr {7919 * $::seed}]
    set random [new RNG]
    $random seed [expr {104729 * $::seed}]
    set_defaults
    set ::flows {}
    set ::links {}
}

# U(low, high), of the seed.
proc uniform {low high} { return [$::random uniform $low $high] }

proc node {name} {
    if {![info exists ::nodes($name)]} {
        set ::nodes($name) [$::ns node]
    }
    return $::nodes($name)
}

# As defaults of the class: a queue computes what is automatic while it is made.
proc set_red {} {
    if {[setting red_min] >= 0} {
        Queue/RED set thresh_ [setting red_min]
        Queue/RED set maxthresh_ [setting red_max]
        Queue/RED set q_weight_ [setting red_weight]
    }
    Queue/RED set bytes_ [setting red_bytes]
    Queue/RED set queue_in_bytes_ [setting red_bytes]
    Queue/RED set mean_pktsize_ [setting red_mean]
    Queue/RED set gentle_ [setting red_gentle]
}

# One direction of a link that is measured: a flow monitor that also integrates the queue's length.
proc watch {name from to} {
    global ns
    set monitor [$ns makeflowmon Fid 1009]
    $ns attach-fmon [$ns link [node $from] [node $to]] $monitor
    set integral [new Integrator]
    $monitor set-pkts-integrator $integral
    lappend ::links $name
    set ::link($name) [dict create monitor $monitor integral $integral from $from to $to]
}

# A duplex link between routers with a queue of `packets` (besides the one in service) each way. The drop-tail
# queue of ns-2 drops when length + 1 >= limit, and so never holds as many packets as its limit says: hence the
# `spare` place.
proc bottleneck {name from to bps delay packets} {
    global ns
    set discipline [expr {[setting queue] eq "red" ? "RED" : "DropTail"}]
    $ns duplex-link [node $from] [node $to] $bps $delay DropTail
    foreach {a b} [list $from $to $to $from] {
        $ns queue-limit [node $a] [node $b] [expr {$packets + [setting spare]}]
    }
    if {$discipline eq "RED"} {
        replace_queue $from $to $packets $bps $delay
    }
    set ::delay($from:$to) $delay
    set ::delay($to:$from) $delay
    if {[setting monitor]} {
        watch $name $from $to
        watch $name.reverse $to $from
    }
}

# RED in the forward direction only; the way back keeps its drop-tail queue.
proc replace_queue {from to packets bps delay} {
    global ns
    set_red
    $ns simplex-link [node $from] [node $to] $bps $delay RED
    $ns queue-limit [node $from] [node $to] $packets
}

# Loses packets behind the queue of a link, independently with probability p.
proc lossy {name p} {
    global ns
    set model [new ErrorModel]
    $model unit pkt
    $model set rate_ $p
    set draws [new RandomVariable/Uniform]
    $draws use-rng $::random
    $model ranvar $draws
    set from [dict get $::link($name) from]
    set to [dict get $::link($name) to]
    $ns link-lossmodel $model [node $from] [node $to]
    set count [new Agent/LossMonitor]
    $model drop-target $count
    dict set ::link($name) lost $count
}

proc capacity_at {time name bps} {
    global ns
    set link [$ns link [node [dict get $::link($name) from]] [node [dict get $::link($name) to]]]
    $ns at $time "[$link link] set bandwidth_ $bps"
}

proc make_tcp {kind} {
    array set class {reno Reno newreno Newreno sack Sack1 vegas Vegas simd Reno simdnr Sack1}
    set tcp [new Agent/TCP/$class($kind)]
    $tcp set packetSize_ [setting bytes]
    $tcp set window_ [setting window]
    $tcp set overhead_ [setting jitter]
    set sink [expr {$kind in {sack simdnr} ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]
    set sink [new $sink[expr {[setting delayed_ack] ? "/DelAck" : ""}]]
    if {$kind in {simd simdnr}} { follow_simd $tcp }
    return [list $tcp $sink]
}

# The window law of SIMD on a TCP of ns-2, from which its authors made theirs: what remains after a loss, and the
# increase per RTT, of now.
proc follow_simd {tcp} {
    set keep [setting keep]
    set taken [expr {1.0 - $keep}]
    set alpha_i [setting alpha_i]
    if {$alpha_i == 0} { set alpha_i [expr {3.0 * sqrt($keep * $taken) / (1.0 - 2.0 * $taken / 3.0)}] }
    $tcp set decrease_num_ $keep
    $tcp set precisionReduce_ [expr {![setting whole_packets]}]
    set gain [expr {$alpha_i / sqrt(2.0 * $keep)}]
    $::ns at 0 [list step_simd [$::ns set scheduler_] 0.0 $tcp $gain [setting per_ack] 0 0 1 1 1]
}

# cuts: of the window until now; before: the window a step ago; w_m, w0: before and after the last cut, or w0 where
# slow start ended. A step is half of the time that a packet of 1500 bytes takes at 1.5 Mbit/s; most of them find
# nothing changed.
proc step_simd {clock now tcp gain per_ack cuts before w_m w0 slow} {
    set w [$tcp set cwnd_]
    set cuts_now [$tcp set ncwndcuts_]
    if {$w != $before || $cuts_now != $cuts} {
        if {$cuts_now != $cuts} { set w_m $before }
        if {$cuts_now != $cuts || $slow} { set w0 $w }
        set alpha [expr {$gain / sqrt($w_m)}]
        set above [expr {max($w - $w0, 0.0)}]
        if {$per_ack} {
            $tcp set increase_num_ [expr {$above > 0 ? $alpha * sqrt($above) : 1.0}]
        } else {
            $tcp set increase_num_ [expr {$alpha * sqrt($above) + $alpha * $alpha / (4.0 * $w)}]
        }
        set slow [expr {$w < [$tcp set ssthresh_]}]
    }
    set next [expr {$now + 0.004}]
    $clock at $next [list step_simd $clock $next $tcp $gain $per_ack $cuts_now $w $w_m $w0 $slow]
}

proc make_agents {kind} {
    switch $kind {
        tfrc - tfrc-media {
            set agents [list [new Agent/TFRC] [new Agent/TFRCSink]]
            [lindex $agents 0] set packetSize_ [setting bytes]
            [lindex $agents 0] set SndrType_ [expr {$kind eq "tfrc-media"}]
        }
        cbr - pareto {
            set agents [list [new Agent/UDP] [new Agent/Null]]
            [lindex $agents 0] set packetSize_ [setting bytes]
        }
        default { set agents [make_tcp $kind] }
    }
    return $agents
}

# What starts and stops: the agent itself or an application on it.
proc make_source {kind agent rate} {
    switch $kind {
        tfrc { return $agent }
        cbr - tfrc-media { set source [new Application/Traffic/CBR] }
        pareto {
            set source [new Application/Traffic/Pareto]
            $source set burst_time_ 1s
            $source set idle_time_ 2s
            $source set shape_ 1.5
        }
        default { set source [new Application/FTP] }
    }
    if {$rate > 0} {
        $source set packetSize_ [setting bytes]
        $source set rate_ $rate
    }
    $source attach-agent $agent
    return $source
}

# path: names of the nodes, each pair a link made by `bottleneck`. Options: rtt (round trip without queues),
# start, rate (cbr, pareto), on {start stop ...} (instead of start).
proc flow {name kind path args} {
    global ns
    array set option {rtt 0 start 0 rate 0 on {}}
    array set option $args
    set id [llength $::flows]
    set one_way 0
    set hops {}
    foreach a [lrange $path 0 end-1] b [lrange $path 1 end] {
        set one_way [expr {$one_way + $::delay($a:$b)}]
        lappend hops $a:$b
    }
    set source_node [$ns node]
    set sink_node [$ns node]
    set extra [expr {max(0, $option(rtt) / 2.0 - $one_way - [setting far_delay])}]
    $ns duplex-link $source_node [node [lindex $path 0]] [setting access_bps] $extra DropTail
    $ns duplex-link [node [lindex $path end]] $sink_node [setting access_bps] [setting far_delay] DropTail
    lassign [make_agents $kind] agent sink
    $agent set fid_ $id
    $sink set fid_ $id
    $ns attach-agent $source_node $agent
    $ns attach-agent $sink_node $sink
    $ns connect $agent $sink
    set source [make_source $kind $agent $option(rate)]
    if {$option(on) eq ""} { set option(on) $option(start) }
    foreach {start stop} $option(on) {
        $ns at $start "$source start"
        if {$stop ne ""} { $ns at $stop "$source stop" }
    }
    set received ""
    if {[setting monitor]} {
        set received [$ns monitor-queue [node [lindex $path end]] $sink_node ""]
    }
    lappend ::flows $name
    set ::flow($name) [dict create id $id kind $kind agent $agent received $received hops $hops \
                           bins {} sent_bins {}]
}

# The flow's counter of the monitor of a link; 0 before its first packet.
proc flow_counter {link id counter} {
    if {![info exists ::entry($link,$id)]} {
        set entry [[[dict get $::link($link) monitor] classifier] lookup auto 0 0 $id]
        if {$entry eq ""} { return 0 }
        set ::entry($link,$id) $entry
    }
    return [$::entry($link,$id) set $counter]
}

proc on_path {name} {
    if {[dict exists $::flow($name) on_path]} { return [dict get $::flow($name) on_path] }
    set hops [dict get $::flow($name) hops]
    set found {}
    foreach link $::links {
        if {"[dict get $::link($link) from]:[dict get $::link($link) to]" in $hops} { lappend found $link }
    }
    dict set ::flow($name) on_path $found
    return $found
}

proc is_tcp {flow} { return [expr {[dict get $flow kind] in {reno newreno sack vegas simd simdnr}}] }

proc flow_state {name} {
    set flow $::flow($name)
    set id [dict get $flow id]
    set links [on_path $name]
    set dropped 0
    foreach link $links {
        set dropped [expr {$dropped + [flow_counter $link $id pdrops_]}]
        if {[dict exists $::link($link) lost]} {
            set dropped [expr {$dropped + [[dict get $::link($link) lost] set npkts_]}]
        }
    }
    set received [dict get $flow received]
    set acked [$received set bdepartures_]
    if {[is_tcp $flow]} {
        set acked [expr {[[dict get $flow agent] set ack_] * double([setting bytes])}]
    }
    set sent [flow_counter [lindex $links 0] $id parrivals_]
    # What SimdNR sends in place of what was lost is new.
    set again [expr {[is_tcp $flow] && [dict get $flow kind] ne "simdnr"}]
    set new [expr {$again ? [[dict get $flow agent] set maxseq_] + 1 : $sent}]
    return [dict create sent $sent new $new dropped $dropped delivered [$received set pdepartures_] acked_bytes $acked]
}

proc queue_sum {name} {
    set integral [dict get $::link($name) integral]
    $integral newpoint [$::ns now] [$integral set lasty_]
    return [$integral set sum_]
}

proc start_window {} {
    foreach name $::flows {
        dict set ::flow($name) first [lindex [on_path $name] 0]
        dict set ::flow($name) before [flow_state $name]
    }
    foreach name $::links { dict set ::link($name) before [queue_sum $name] }
    next_bin
}

proc next_bin {} {
    foreach name $::flows {
        set flow $::flow($name)
        dict lappend ::flow($name) bins [[dict get $flow received] set bdepartures_]
        dict lappend ::flow($name) sent_bins [flow_counter [dict get $flow first] [dict get $flow id] barrivals_]
    }
    $::ns at [expr {[$::ns now] + [setting bin]}] next_bin
}

proc differences {list} {
    set result {}
    foreach a [lrange $list 0 end-1] b [lrange $list 1 end] { lappend result [expr {int($b - $a)}] }
    return $result
}

proc flow_json {name seconds} {
    set flow $::flow($name)
    foreach {key value} [flow_state $name] {
        set $key [expr {$value - [dict get $flow before $key]}]
    }
    return [format {{"name": "%s", "sent": %.0f, "dropped": %.0f, "delivered": %.0f, "goodput_bps": %.3f,
 "bins": [%s],
 "sent_bins": [%s]}} $name $sent $dropped $delivered [expr {8.0 * $acked_bytes / $seconds}] \
                [join [differences [dict get $flow bins]] ,] [join [differences [dict get $flow sent_bins]] ,]]
}

proc finish {} {
    if {![setting monitor]} { exit 0 }
    set seconds [expr {double([setting duration]) - [setting from]}]
    set flows {}
    foreach name $::flows { lappend flows [flow_json $name $seconds] }
    set queues {}
    foreach name $::links {
        set mean [expr {([queue_sum $name] - [dict get $::link($name) before]) / $seconds}]
        lappend queues [format {{"name": "%s", "mean_packets": %.6f}} $name $mean]
    }
    puts "{\"flows\": \[[join $flows ",\n"]\],\n\"queues\": \[[join $queues ", "]\]}"
    exit 0
}

proc run {} {
    if {[setting monitor]} { $::ns at [setting from] start_window }
    $::ns at [setting duration] finish
    $::ns run
}

# The rate at which a flow may send, bit/s: cwnd/RTT of a TCP, 0 until its first RTT; what TFRC allows; else 0.
proc allowed_bps {flow} {
    dict with flow {}
    if {$kind in {tfrc tfrc-media}} { return [expr {8 * [$agent set rate_]}] }
    if {![is_tcp $flow] || [$agent set srtt_] == 0} { return 0 }
    set rtt_s [expr {[$agent set srtt_] / 8.0 * [$agent set tcpTick_]}] ;# srtt_: eighths of a tick
    return [expr {8 * [$agent set packetSize_] * [$agent set cwnd_] / $rtt_s}]
}

# What happened until now, on one line: of each flow, in the order in which they were made, sent_bytes sent_packets
# dropped received_bytes acked_bytes new_packets (TCP: sent for the first time), and what it is allowed now; of each
# link, without its way back, offered dropped, and the queue's integral.
proc record {} {
    set line {}
    foreach name $::flows {
        dict with ::flow($name) {}
        array set state [flow_state $name]
        lappend line [flow_counter [lindex [on_path $name] 0] $id barrivals_] $state(sent) $state(dropped) \
            [$received set bdepartures_] $state(acked_bytes) $state(new) [allowed_bps $::flow($name)]
    }
    foreach {name back} $::links {
        set monitor [dict get $::link($name) monitor]
        lappend line [$monitor set parrivals_] [$monitor set pdrops_] [queue_sum $name]
    }
    puts $line
}

# Instead of `run`: a line at `from`, one each `bin` after it, one at the end.
proc run_recorded {} {
    set end [setting duration]
    for {set i 0} {[setting from] + $i * [setting bin] < $end - 1e-6} {incr i} {
        $::ns at [expr {[setting from] + $i * [setting bin]}] record
    }
    $::ns at $end "record; exit 0"
    $::ns run
}

# Sets of flows that several cases share.

# n flows of a kind, round trips of step * i, over one bottleneck.
proc group {name kind n step path {first_start 0}} {
    for {set i 1} {$i <= $n} {incr i} {
        flow $name.$i $kind $path rtt [expr {$step * $i}] start [expr {$first_start + [uniform 0 1]}]
    }
}

# Ten Reno flows against the direction of the others, round trips of 25 to 250 ms.
proc reverse_traffic {} { group reverse reno 10 0.025 {R2 R1} }

# One flow over 1 Mbit/s with a round trip of 250 ms and `buffer` packets.
proc single {kind buffer {start 0}} {
    bottleneck bottleneck R1 R2 1e6 0.001 $buffer
    flow flow $kind {R1 R2} rtt 0.25 start $start
}

# Eight flows over 1.5 Mbit/s, round trip 56 ms, buffer 50: seven of `kind` and the last of `last`.
proc eight {last kind} {
    use window 100 bytes 1460 delayed_ack 0 duration 500 from 20
    use bin [expr {[setting queue] eq "red" ? 0.28 : 0.4}]
    bottleneck bottleneck R1 R2 1.5e6 0.024 50
    for {set i 1} {$i <= 7} {incr i} {
        flow flow.$i $kind {R1 R2} rtt 0.056 start [uniform 1 3]
    }
    flow [expr {$last eq $kind ? "flow.8" : "tested"}] $last {R1 R2} rtt 0.056 start [uniform 1 3]
}

read_command_line
