#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The other side of examples/minimal_sender.c: decrypts what comes to PORT (5004), reports by SRTCP to PORT + 1.
# With the key of that example; it needs a secret one in earnest.
#
# Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/minimal_receiver.sh
# Run: build/examples/minimal_sender 127.0.0.1 5004 8
set -eu
port=${PORT:-5004}
key=$(printf 'a key of 16 bytes, and 14 salt' | od -An -tx1 | tr -d ' \n')
srtp="srtp-key=(buffer)$key,srtp-cipher=aes-128-icm,srtp-auth=hmac-sha1-80,srtcp-cipher=aes-128-icm,srtcp-auth=hmac-sha1-80"
exec gst-launch-1.0 udpsrc port="$port" \
    caps="application/x-srtp,media=video,clock-rate=90000,payload=96,ssrc=(uint)51966,$srtp" \
    ! srtpdec ! weirrecv name=r srtp-key="$key" ! fakesink sync=false \
    r.rtcp_src ! udpsink host=127.0.0.1 port=$((port + 1)) sync=false async=false
