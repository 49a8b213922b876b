#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Video both ways between two machines, each line sender and receiver at once: RTP to PORT, its reports to PORT + 1.
# On one machine give the two sides ports of their own: the last two arguments are here and there.
#
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/both-directions.sh 127.0.0.1 5004 5014
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/both-directions.sh 127.0.0.1 5014 5004
set -eu
if [ $# -lt 1 ]; then
    echo "usage: $0 PEER [PORT-HERE [PORT-THERE]]" >&2
    exit 2
fi
here=${2:-5004}
there=${3:-$here}
exec gst-launch-1.0 \
    videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=30/1 \
    ! x264enc tune=zerolatency speed-preset=superfast ! rtph264pay config-interval=-1 mtu=1200 \
    ! weirsend name=s min-bitrate=150000 max-bitrate=2000000 \
    ! udpsink host="$1" port="$there" sync=false async=false \
    udpsrc port=$((here + 1)) ! s.rtcp_sink \
    udpsrc port="$here" caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96" \
    ! weirrecv name=r ! rtpjitterbuffer latency=100 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink \
    r.rtcp_src ! udpsink host="$1" port=$((there + 1)) sync=false async=false
