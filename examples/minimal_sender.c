/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A congestion-controlled SRTP sender with the library alone: one UDP socket, poll, libsrtp, 30
 * frames per second of made-up media as large as the target allows. SRTCP comes to PORT + 1.
 *
 * Build: cc minimal_sender.c $(pkg-config --cflags --libs weir libsrtp2) -o minimal_sender
 * Run: GST_PLUGIN_PATH=build/gst examples/gst-launch/minimal_receiver.sh
 * Run: build/examples/minimal_sender 127.0.0.1 5004 10
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <poll.h>
#include <srtp2/srtp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <weir/weir.h>
enum { SSRC = 0xcafe, PAYLOAD_BYTES = 1100, RTP_BYTES = 12 + PAYLOAD_BYTES, FRAME_NS = 33333333 };

struct network {
    int fd;
    struct sockaddr_in peer;
    srtp_t out, in; /* for RTP that we send, for RTCP that comes back */
};

struct source {
    int64_t next_frame_ns, owed_bytes;
    uint32_t packets_left, timestamp;
    uint16_t seq;
};

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return WEIR_SECONDS(t.tv_sec) + t.tv_nsec;
}

/* With the key of an example: a real one comes from the signalling, and is secret. */
static srtp_t create_srtp(srtp_ssrc_type_t direction)
{
    unsigned char key[SRTP_MAX_KEY_LEN] = "a key of 16 bytes, and 14 salt";
    srtp_policy_t policy = {.ssrc = {.type = direction}, .key = key, .window_size = 128};
    srtp_crypto_policy_set_rtp_default(&policy.rtp); /* AES-128-ICM, HMAC-SHA1-80 */
    srtp_crypto_policy_set_rtcp_default(&policy.rtcp);
    srtp_t srtp = NULL;
    return srtp_create(&srtp, &policy) == srtp_err_status_ok ? srtp : NULL;
}

/* Starts a frame of the target's share. Live media does not wait: frames are skipped, not late. */
static void next_frame(struct source *source, int64_t now_ns, int64_t target_bps)
{
    int64_t frames = 1 + (now_ns - source->next_frame_ns) / FRAME_NS;
    source->owed_bytes = source->owed_bytes % PAYLOAD_BYTES + target_bps / 8 / 30;
    source->packets_left = (uint32_t)weir_clamp_i64(source->owed_bytes / PAYLOAD_BYTES, 0, 1000);
    source->timestamp += (uint32_t)frames * 3000; /* 90 kHz */
    source->next_frame_ns += frames * FRAME_NS;
}

static void send_packet(const struct network *net, struct weir_sender *sender,
                        struct source *source)
{
    bool marker = --source->packets_left == 0;                          /* the frame ends */
    uint32_t first = 0x80600000 | (uint32_t)marker << 23 | source->seq; /* version 2, type 96 */
    uint32_t header[3] = {htonl(first), htonl(source->timestamp), htonl(SSRC)};
    _Alignas(4) uint8_t packet[RTP_BYTES + SRTP_MAX_TRAILER_LEN] = {0};
    int len = RTP_BYTES;
    memcpy(packet, header, sizeof header);
    if (srtp_protect(net->out, packet, &len) != srtp_err_status_ok ||
        sendto(net->fd, packet, (size_t)len, 0, (const struct sockaddr *)&net->peer,
               sizeof net->peer) < 0) {
        perror("minimal_sender: a packet did not leave");
    }
    struct weir_sent sent = {.ssrc = SSRC,
                             .rtp_seq = source->seq++,
                             .rtp_timestamp = source->timestamp,
                             .rtp_bytes = RTP_BYTES,
                             .payload_bytes = PAYLOAD_BYTES,
                             .queued_bytes = source->packets_left * RTP_BYTES};
    weir_sender_on_sent(sender, clock_ns(), &sent);
}

/* Waits for SRTCP, until at_ns at most; what is genuine goes to the session. */
static void wait_for_rtcp(const struct network *net, struct weir_sender *sender, int64_t at_ns)
{
    struct pollfd poll_fd = {.fd = net->fd, .events = POLLIN};
    if (poll(&poll_fd, 1, (int)weir_clamp_i64((at_ns - clock_ns()) / WEIR_MS(1), 0, 1000)) > 0) {
        _Alignas(4) uint8_t rtcp[1500];
        int len = (int)recv(net->fd, rtcp, sizeof rtcp, 0);
        if (len > 0 && srtp_unprotect_rtcp(net->in, rtcp, &len) == srtp_err_status_ok) {
            weir_sender_on_rtcp(sender, clock_ns(), 0, rtcp, (size_t)len);
        }
    }
}

static void turn(const struct network *net, struct weir_sender *sender, struct source *source,
                 int64_t now_ns)
{
    struct weir_output output;
    weir_sender_get_output(sender, &output);
    if (weir_sender_next_timer_ns(sender) <= now_ns) {
        weir_sender_on_timer(sender, now_ns);
    }
    if (source->packets_left == 0 && now_ns >= source->next_frame_ns) {
        next_frame(source, now_ns, output.target_media_bps);
    }
    int64_t due_ns = source->packets_left == 0
                         ? source->next_frame_ns
                         : weir_sender_next_send_ns(sender, now_ns, RTP_BYTES);
    if (source->packets_left > 0 && due_ns <= now_ns) {
        send_packet(net, sender, source);
    } else {
        wait_for_rtcp(net, sender, weir_min_i64(due_ns, weir_sender_next_timer_ns(sender)));
    }
}

int main(int argc, char **argv)
{
    int port = argc == 4 && atoi(argv[3]) > 0 ? atoi(argv[2]) : 0;
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(port + 1))};
    struct network net = {.fd = socket(AF_INET, SOCK_DGRAM, 0), .peer = local};
    net.peer.sin_port = htons((uint16_t)port);
    if (port <= 0 || port > 65534 || inet_pton(AF_INET, argv[1], &net.peer.sin_addr) != 1 ||
        bind(net.fd, (const struct sockaddr *)&local, sizeof local) < 0 || srtp_init() ||
        !(net.out = create_srtp(ssrc_any_outbound)) || !(net.in = create_srtp(ssrc_any_inbound))) {
        fprintf(stderr, "usage: minimal_sender IPV4-ADDRESS PORT SECONDS; PORT + 1 must be free\n");
        return 2;
    }
    struct weir_sender_config config;
    weir_sender_config_init(&config);
    config.overhead_bytes = 20 + 8 + 10; /* IPv4, UDP, the authentication tag */
    int64_t start_ns = clock_ns(), line_ns = start_ns;
    int64_t end_ns = start_ns + WEIR_SECONDS(atoi(argv[3]));
    struct weir_sender *sender = weir_sender_create(&config, start_ns, NULL);
    struct source source = {.next_frame_ns = start_ns};
    for (int64_t now_ns = start_ns; now_ns < end_ns; now_ns = clock_ns()) {
        turn(&net, sender, &source, now_ns);
        if (now_ns >= line_ns) {
            struct weir_sender_stats stats;
            weir_sender_get_stats(sender, &stats);
            fprintf(stderr, "%2d s: sent %5d, delivered %5d kbit/s\n",
                    (int)((now_ns - start_ns) / 1000000000), (int)(stats.sent_wire_bps / 1000),
                    (int)(stats.delivered_wire_bps / 1000));
            line_ns += WEIR_SECONDS(1);
        }
    }
    weir_sender_destroy(sender);
    return 0;
}
