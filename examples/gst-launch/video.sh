#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Video one way, without an RTP session: weirrecv reports each packet (RFC 8888), weirsend paces and drives x264enc.
# For a camera put v4l2src ! videoconvert in place of videotestsrc. PORT=5004 and the one after it are used.
#
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/video.sh receive 127.0.0.1
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/video.sh send 127.0.0.1
set -eu
port=${PORT:-5004}
case "${1:-}:${2:-}" in
send:?*)
    exec gst-launch-1.0 videotestsrc is-live=true pattern=smpte ! video/x-raw,width=640,height=360,framerate=30/1 \
        ! x264enc tune=zerolatency speed-preset=superfast ! rtph264pay config-interval=-1 mtu=1200 \
        ! weirsend name=s min-bitrate=150000 max-bitrate=4000000 \
        ! udpsink host="$2" port="$port" sync=false \
        udpsrc port=$((port + 1)) ! s.rtcp_sink
    ;;
receive:?*)
    exec gst-launch-1.0 udpsrc port="$port" \
        caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96" \
        ! weirrecv name=r ! rtpjitterbuffer latency=100 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink \
        r.rtcp_src ! udpsink host="$2" port=$((port + 1)) sync=false async=false
    ;;
*)
    echo "usage: $0 send RECEIVER | receive SENDER" >&2
    exit 2
    ;;
esac
