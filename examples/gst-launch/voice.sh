#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Voice one way: Opus with DTX, so that silence sends next to nothing and speech starts again without delay.
# For a microphone put autoaudiosrc ! audioconvert ! audioresample in place of audiotestsrc.
#
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/voice.sh receive 127.0.0.1
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/voice.sh send 127.0.0.1
set -eu
port=${PORT:-5004}
case "${1:-}:${2:-}" in
send:?*)
    exec gst-launch-1.0 audiotestsrc is-live=true wave=ticks ! audio/x-raw,rate=48000,channels=1 \
        ! opusenc audio-type=voice bitrate=24000 dtx=true inband-fec=true ! rtpopuspay pt=97 dtx=true \
        ! weirsend name=s min-bitrate=8000 max-bitrate=64000 start-bitrate=24000 \
        ! udpsink host="$2" port="$port" sync=false \
        udpsrc port=$((port + 1)) ! s.rtcp_sink
    ;;
receive:?*)
    exec gst-launch-1.0 udpsrc port="$port" \
        caps="application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=97" \
        ! weirrecv name=r ! rtpjitterbuffer latency=60 ! rtpopusdepay ! opusdec plc=true ! audioconvert ! autoaudiosink \
        r.rtcp_src ! udpsink host="$2" port=$((port + 1)) sync=false async=false
    ;;
*)
    echo "usage: $0 send RECEIVER | receive SENDER" >&2
    exit 2
    ;;
esac
