// SPDX-License-Identifier: LGPL-2.1-or-later

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/cc"
	"github.com/pion/interceptor/pkg/gcc"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
)

const payloadBytes = 1100

// estimating is a peer whose rate pion's GCC estimates, with the pacer that comes with it.
func estimating(asked options) (*webrtc.PeerConnection, cc.BandwidthEstimator) {
	engine, registry := defaultEngine(), &interceptor.Registry{}
	factory, err := cc.NewInterceptor(func() (cc.BandwidthEstimator, error) {
		return gcc.NewSendSideBWE(gcc.SendSideBWEInitialBitrate(asked.start),
			gcc.SendSideBWEMinBitrate(asked.minimum), gcc.SendSideBWEMaxBitrate(asked.maximum))
	})
	check(err)
	estimators := make(chan cc.BandwidthEstimator, 1)
	factory.OnNewPeerConnection(func(_ string, one cc.BandwidthEstimator) { estimators <- one })
	registry.Add(factory)
	check(webrtc.ConfigureTWCCHeaderExtensionSender(engine, registry))
	peer := newPeer(engine, registry, webrtc.SettingEngine{})
	return peer, <-estimators
}

// connect offers to the receiver, and returns when media can be sent.
func connect(peer *webrtc.PeerConnection, address string) {
	connected := make(chan struct{})
	peer.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		if state == webrtc.PeerConnectionStateConnected {
			close(connected)
		}
	})
	offer, err := peer.CreateOffer(nil)
	check(err)
	gathered := webrtc.GatheringCompletePromise(peer)
	check(peer.SetLocalDescription(offer))
	<-gathered
	text, err := json.Marshal(peer.LocalDescription())
	check(err)
	reply, err := http.Post("http://"+address, "application/json", bytes.NewReader(text))
	check(err)
	var answer webrtc.SessionDescription
	check(json.NewDecoder(reply.Body).Decode(&answer))
	check(peer.SetRemoteDescription(answer))
	<-connected
}

// countReports reads RTCP, which the interceptors need, and counts transport-wide feedback.
func countReports(sender *webrtc.RTPSender, reports *atomic.Int64) {
	for {
		packets, _, err := sender.ReadRTCP()
		if err != nil {
			return
		}
		for _, packet := range packets {
			if _, is := packet.(*rtcp.TransportLayerCC); is {
				reports.Add(1)
			}
		}
	}
}

// framing makes frames of exactly the wanted size, and packets of them.
type framing struct {
	track     *webrtc.TrackLocalStaticRTP
	sequence  uint16
	owedBytes float64
}

// write sends one frame; returns its bytes. Each packet says how many there are.
func (f *framing) write(timestamp uint32, bps int) int {
	f.owedBytes += float64(bps) / 8 / framesPerSecond
	left := max(int(f.owedBytes), 8)
	f.owedBytes -= float64(left)
	size, count := left, (left+payloadBytes-1)/payloadBytes
	for k := range count {
		payload := make([]byte, max(8, min(left, payloadBytes)))
		binary.BigEndian.PutUint32(payload, uint32(count))
		left -= len(payload)
		check(f.track.WriteRTP(&rtp.Packet{Header: rtp.Header{Version: 2, Timestamp: timestamp,
			SequenceNumber: f.sequence, Marker: k == count-1}, Payload: payload}))
		f.sequence++
	}
	return size
}

func send(asked options) {
	peer, estimator := estimating(asked)
	track, err := webrtc.NewTrackLocalStaticRTP(
		webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8}, "video", "race")
	check(err)
	sender, err := peer.AddTrack(track)
	check(err)
	var reports atomic.Int64
	go countReports(sender, &reports)
	connect(peer, asked.address)
	note("ready")
	frames := framing{track: track}
	madeBytes := 0
	for k := int64(0); ; k++ {
		dueNs := asked.startNs + k*1_000_000_000/framesPerSecond
		time.Sleep(time.Duration(dueNs - monotonicNs()))
		nowNs := monotonicNs()
		if nowNs < asked.silentFrom || nowNs >= asked.silent {
			timestamp := uint32(k * clockRateHz / framesPerSecond)
			note("capture %d %d", timestamp, nowNs)
			madeBytes += frames.write(timestamp, estimator.GetTargetBitrate())
		}
		if k%framesPerSecond == framesPerSecond-1 {
			note(`{"target_bps": %d, "made_bps": %d, "reports": %d}`,
				estimator.GetTargetBitrate(), 8*madeBytes, reports.Load())
			madeBytes = 0
		}
	}
}
