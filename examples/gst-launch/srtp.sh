#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Encrypted video: srtpenc and srtpdec take the media, weirsend and weirrecv the reports (SRTCP): a forged one is dropped and
# counted. KEY is 30 bytes in hexadecimal digits (AES-128-ICM); make your own: openssl rand -hex 30
#
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/srtp.sh receive 127.0.0.1
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/srtp.sh send 127.0.0.1
set -eu
port=${PORT:-5004}
key=${KEY:-000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d}
ssrc=305419896
case "${1:-}:${2:-}" in
send:?*)
    exec gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=30/1 \
        ! x264enc tune=zerolatency speed-preset=superfast ! rtph264pay config-interval=-1 mtu=1200 ssrc=$ssrc \
        ! weirsend name=s srtp-key="$key" min-bitrate=150000 max-bitrate=4000000 ! srtpenc key="$key" \
        ! udpsink host="$2" port="$port" sync=false \
        udpsrc port=$((port + 1)) ! s.rtcp_sink
    ;;
receive:?*)
    srtp="srtp-key=(buffer)$key,srtp-cipher=aes-128-icm,srtp-auth=hmac-sha1-80,srtcp-cipher=aes-128-icm,srtcp-auth=hmac-sha1-80"
    exec gst-launch-1.0 udpsrc port="$port" \
        caps="application/x-srtp,media=video,clock-rate=90000,encoding-name=H264,payload=96,ssrc=(uint)$ssrc,$srtp" \
        ! srtpdec ! weirrecv name=r srtp-key="$key" ! rtpjitterbuffer latency=100 ! rtph264depay ! avdec_h264 \
        ! videoconvert ! autovideosink \
        r.rtcp_src ! udpsink host="$2" port=$((port + 1)) sync=false async=false
    ;;
*)
    echo "usage: $0 send RECEIVER | receive SENDER" >&2
    exit 2
    ;;
esac
