#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The receiver has no element of ours: a stock rtpbin that answers with transport-wide feedback (TWCC). Its two rtpsession0
# settings make the feedback prompt; without them it comes in bunches, and weirsend copes.
#
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/twcc-stock-receiver.sh receive 127.0.0.1
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/twcc-stock-receiver.sh send 127.0.0.1
set -eu
port=${PORT:-5004}
twcc="extmap-3=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
case "${1:-}:${2:-}" in
send:?*)
    exec gst-launch-1.0 rtpbin name=rb videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=30/1 \
        ! x264enc tune=zerolatency speed-preset=superfast ! rtph264pay config-interval=-1 mtu=1200 \
        ! "application/x-rtp,$twcc" ! weirsend min-bitrate=150000 max-bitrate=4000000 ! rb.send_rtp_sink_0 \
        rb.send_rtp_src_0 ! udpsink host="$2" port="$port" sync=false \
        rb.send_rtcp_src_0 ! udpsink host="$2" port=$((port + 1)) sync=false async=false \
        udpsrc port=$((port + 2)) ! rb.recv_rtcp_sink_0
    ;;
receive:?*)
    exec gst-launch-1.0 rtpbin name=rb rtpsession0::rtp-profile=avpf rtpsession0::rtcp-fraction=0.5 \
        udpsrc port="$port" caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96,$twcc" \
        ! rb.recv_rtp_sink_0 rb. ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink \
        udpsrc port=$((port + 1)) ! rb.recv_rtcp_sink_0 \
        rb.send_rtcp_src_0 ! udpsink host="$2" port=$((port + 2)) sync=false async=false
    ;;
*)
    echo "usage: $0 send RECEIVER | receive SENDER" >&2
    exit 2
    ;;
esac
