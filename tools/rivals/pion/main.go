// SPDX-License-Identifier: LGPL-2.1-or-later

// One end of a call of pion: `pion send|receive OPTION ...`. What both print is as live_media.py
// prints it: `capture TIMESTAMP NS` for a frame that is made, `render TIMESTAMP NS` for one whose
// packets have all come, and the sender a line of JSON per second.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/pion/interceptor"
	"github.com/pion/webrtc/v4"
)

const (
	framesPerSecond = 30
	clockRateHz     = 90000
)

type options struct {
	address            string // of the receiver's signalling
	port               int    // the first of ten, to which media is sent
	minimum, maximum   int    // bit/s
	start              int    // bit/s
	startNs            int64
	silenceNs          string
	silentFrom, silent int64 // when the camera gives nothing, and until when
}

// monotonicNs is CLOCK_MONOTONIC, which the program that starts us reads as well.
func monotonicNs() int64 {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

var output sync.Mutex

func note(format string, words ...any) {
	output.Lock()
	defer output.Unlock()
	fmt.Printf(format+"\n", words...)
}

func check(err error) {
	if err != nil {
		log.Fatal("pion: ", err)
	}
}

// newPeer has pion's default codecs and interceptors, behind those already in the registry.
func newPeer(engine *webrtc.MediaEngine, registry *interceptor.Registry,
	settings webrtc.SettingEngine) *webrtc.PeerConnection {
	check(webrtc.RegisterDefaultInterceptors(engine, registry))
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	api := webrtc.NewAPI(webrtc.WithMediaEngine(engine), webrtc.WithInterceptorRegistry(registry),
		webrtc.WithSettingEngine(settings))
	peer, err := api.NewPeerConnection(webrtc.Configuration{})
	check(err)
	return peer
}

func defaultEngine() *webrtc.MediaEngine {
	engine := &webrtc.MediaEngine{}
	check(engine.RegisterDefaultCodecs())
	return engine
}

func parse(words []string) options {
	var asked options
	flags := flag.NewFlagSet("pion", flag.ExitOnError)
	flags.StringVar(&asked.address, "address", "", "HOST:PORT of the receiver's signalling")
	flags.IntVar(&asked.port, "port", 5004, "first of ten UDP ports of the receiver")
	flags.IntVar(&asked.minimum, "min-bitrate", 150000, "bit/s")
	flags.IntVar(&asked.maximum, "max-bitrate", 5000000, "bit/s")
	flags.IntVar(&asked.start, "start-bitrate", 500000, "bit/s")
	flags.Int64Var(&asked.startNs, "start-ns", 0, "when media begins, on CLOCK_MONOTONIC")
	flags.StringVar(&asked.silenceNs, "silence-ns", "0,0", "FROM,TO: the camera gives nothing")
	check(flags.Parse(words))
	from, to, _ := strings.Cut(asked.silenceNs, ",")
	var err error
	asked.silentFrom, err = strconv.ParseInt(from, 10, 64)
	check(err)
	asked.silent, err = strconv.ParseInt(to, 10, 64)
	check(err)
	return asked
}

func main() {
	if len(os.Args) < 2 || (os.Args[1] != "send" && os.Args[1] != "receive") {
		log.Fatal("pion: want send or receive, and options")
	}
	asked := parse(os.Args[2:])
	if os.Args[1] == "send" {
		send(asked)
	} else {
		receive(asked)
	}
}
