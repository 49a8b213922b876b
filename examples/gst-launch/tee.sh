#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# One encoder, two receivers: a tee behind weirsend, links of 2 and 0.5 Mbit/s, and the reports of both to one weirsend.
# `worst` (the default of weirsend): all can follow; `first`: whoever reports first sets the rate, the other gets what it
# can take. In place of weirlink and weirrecv put udpsink: the reports then come from two hosts. PORT=5004 is used.
#
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/tee.sh worst
# Run: GST_PLUGIN_PATH=build/gst PORT=5006 examples/gst-launch/tee.sh first
set -eu
port=${PORT:-5004}
case "${1:-}" in
worst | first)
    exec gst-launch-1.0 videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 kt=1 \
        ! video/x-raw,width=640,height=360,framerate=30/1 \
        ! x264enc tune=zerolatency speed-preset=superfast ! rtph264pay config-interval=-1 mtu=1200 \
        ! weirsend name=s receivers="$1" min-bitrate=150000 max-bitrate=4000000 ! tee name=t \
        t. ! queue ! weirlink name=wide capacity=2000000 queue-time=100000000 delay=25000000 \
        ! weirrecv name=a ! fakesink sync=false async=false \
        t. ! queue ! weirlink name=narrow capacity=500000 queue-time=100000000 delay=50000000 \
        ! weirrecv name=b ! fakesink sync=false async=false \
        a.rtcp_src ! weirlink delay=25000000 ! udpsink host=127.0.0.1 port="$port" sync=false async=false \
        b.rtcp_src ! weirlink delay=25000000 ! udpsink host=127.0.0.1 port="$port" sync=false async=false \
        udpsrc port="$port" ! s.rtcp_sink
    ;;
*)
    echo "usage: $0 worst | first" >&2
    exit 2
    ;;
esac
