// SPDX-License-Identifier: LGPL-2.1-or-later

package main

import (
	"encoding/binary"
	"encoding/json"
	"net/http"

	"github.com/pion/interceptor"
	"github.com/pion/webrtc/v4"
)

const remembered = 1024 // packets and frames, far more than any are late

// readFrames says when the last missing packet of each frame has come. Nothing is decoded.
func readFrames(track *webrtc.TrackRemote) {
	seen, missing := map[uint16]bool{}, map[uint32]uint32{}
	for {
		packet, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		if len(packet.Payload) < 8 || seen[packet.SequenceNumber] {
			continue
		}
		seen[packet.SequenceNumber] = true
		delete(seen, packet.SequenceNumber-remembered)
		if _, known := missing[packet.Timestamp]; !known {
			missing[packet.Timestamp] = binary.BigEndian.Uint32(packet.Payload)
		}
		missing[packet.Timestamp]--
		if missing[packet.Timestamp] == 0 {
			note("render %d %d", packet.Timestamp, monotonicNs())
		}
		delete(missing, packet.Timestamp-remembered*clockRateHz/framesPerSecond)
	}
}

func answer(peer *webrtc.PeerConnection,
	offer webrtc.SessionDescription) *webrtc.SessionDescription {
	check(peer.SetRemoteDescription(offer))
	made, err := peer.CreateAnswer(nil)
	check(err)
	gathered := webrtc.GatheringCompletePromise(peer)
	check(peer.SetLocalDescription(made))
	<-gathered
	return peer.LocalDescription()
}

func receive(asked options) {
	var settings webrtc.SettingEngine
	check(settings.SetEphemeralUDPPortRange(uint16(asked.port), uint16(asked.port+9)))
	peer := newPeer(defaultEngine(), &interceptor.Registry{}, settings)
	peer.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { readFrames(track) })
	http.HandleFunc("/", func(reply http.ResponseWriter, request *http.Request) {
		var offer webrtc.SessionDescription
		check(json.NewDecoder(request.Body).Decode(&offer))
		check(json.NewEncoder(reply).Encode(answer(peer, offer)))
	})
	note("ready")
	check(http.ListenAndServe(asked.address, nil))
}
