#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The receiver knows nothing but RTCP receiver reports: every RTP receiver since 1996. weirsend writes the sender reports that
# give it the round-trip time. The receiver's settings ask for ten reports a second; its default of one in 5 s is too rare for
# any algorithm, and weirsend says so.
#
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/rr-only.sh receive 127.0.0.1
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/rr-only.sh send 127.0.0.1
set -eu
port=${PORT:-5004}
case "${1:-}:${2:-}" in
send:?*)
    exec gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=30/1 \
        ! x264enc tune=zerolatency speed-preset=superfast ! rtph264pay config-interval=-1 mtu=1200 \
        ! weirsend name=s min-bitrate=150000 max-bitrate=4000000 ! udpsink host="$2" port="$port" sync=false \
        s.rtcp_src ! udpsink host="$2" port=$((port + 1)) sync=false async=false \
        udpsrc port=$((port + 2)) ! s.rtcp_sink
    ;;
receive:?*)
    exec gst-launch-1.0 rtpbin name=rb rtpsession0::rtcp-min-interval=100000000 rtpsession0::rtcp-fraction=0.5 \
        udpsrc port="$port" caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96" \
        ! rb.recv_rtp_sink_0 rb. ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink \
        udpsrc port=$((port + 1)) ! rb.recv_rtcp_sink_0 \
        rb.send_rtcp_src_0 ! udpsink host="$2" port=$((port + 2)) sync=false async=false
    ;;
*)
    echo "usage: $0 send RECEIVER | receive SENDER" >&2
    exit 2
    ;;
esac
