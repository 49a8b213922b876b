/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A congestion-controlled RTP sender with the library alone: one UDP socket, poll, 30 frames per
 * second of made-up media as large as the target allows.
 *
 *   cc minimal_sender.c $(pkg-config --cflags --libs weir) -o minimal_sender
 *   ./minimal_sender 127.0.0.1 5004 10        # host, port, seconds; RTCP comes back to the same
 * socket
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <weir/weir.h>

#define FRAME_NS      (WEIR_SECONDS(1) / 30)
#define PAYLOAD_BYTES 1100
#define HEADER_BYTES  12

struct network {
    int fd;
    struct sockaddr_in peer;
};

static int64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return WEIR_SECONDS(t.tv_sec) + t.tv_nsec;
}

/* What is left of the frame being sent. */
struct source {
    int64_t next_frame_ns;
    uint32_t timestamp;
    uint32_t packets;
    uint16_t seq;
};

/* Starts a frame that spends the target's share of one frame interval. */
static void next_frame(struct source *source, int64_t target_media_bps)
{
    int64_t bytes = target_media_bps / 8 / 30;
    int64_t packets = (bytes + PAYLOAD_BYTES - 1) / PAYLOAD_BYTES;
    source->packets = (uint32_t)weir_clamp_i64(packets, 1, 1000);
    source->timestamp += 3000; /* 90 kHz */
    source->next_frame_ns += FRAME_NS;
}

static void send_datagram(const struct network *network, const uint8_t *data, size_t len)
{
    if (sendto(network->fd, data, len, 0, (const struct sockaddr *)&network->peer,
               sizeof network->peer) < 0) {
        perror("sendto");
    }
}

static void send_packet(const struct network *network, struct weir_sender *sender,
                        struct source *source)
{
    uint8_t packet[HEADER_BYTES + PAYLOAD_BYTES] = {0x80, 96};
    uint16_t seq = htons(source->seq);
    uint32_t timestamp = htonl(source->timestamp);
    uint32_t ssrc = htonl(0xcafe);
    source->packets--;
    packet[1] |= source->packets == 0 ? 0x80 : 0; /* marker: the frame ends */
    memcpy(packet + 2, &seq, 2);
    memcpy(packet + 4, &timestamp, 4);
    memcpy(packet + 8, &ssrc, 4);
    send_datagram(network, packet, sizeof packet);
    weir_sender_on_sent(sender, clock_ns(CLOCK_MONOTONIC),
                        &(struct weir_sent){.ssrc = 0xcafe,
                                            .rtp_seq = source->seq++,
                                            .rtp_timestamp = source->timestamp,
                                            .rtp_bytes = sizeof packet,
                                            .payload_bytes = PAYLOAD_BYTES,
                                            .queued_bytes = source->packets * sizeof packet});
}

/* Waits for RTCP, at most until at_ns (whole milliseconds, rounded down); it goes to the session.
 */
static void wait_for_rtcp(int fd, struct weir_sender *sender, int64_t at_ns)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    int64_t wait_ns = at_ns - clock_ns(CLOCK_MONOTONIC);
    int wait_ms = wait_ns <= 0 ? 0 : (int)(weir_min_i64(wait_ns, WEIR_SECONDS(1)) / WEIR_MS(1));
    if (poll(&poll_fd, 1, wait_ms) > 0) {
        uint8_t rtcp[1500];
        ssize_t len = recv(fd, rtcp, sizeof rtcp, 0);
        if (len > 0) {
            weir_sender_on_rtcp(sender, clock_ns(CLOCK_MONOTONIC), rtcp, (size_t)len);
        }
    }
}

static void send_report(const struct network *network, struct weir_sender *sender, int64_t now_ns)
{
    uint8_t report[512];
    size_t len = 0;
    uint64_t ntp_time = weir_ntp_from_unix_ns(clock_ns(CLOCK_REALTIME));
    if (weir_sender_build_report(sender, now_ns, ntp_time, report, sizeof report, &len) ==
        WEIR_OK) {
        send_datagram(network, report, len);
    }
}

int main(int argc, char **argv)
{
    struct network network = {.fd = socket(AF_INET, SOCK_DGRAM, 0),
                              .peer = {.sin_family = AF_INET}};
    if (argc != 4 || inet_pton(AF_INET, argv[1], &network.peer.sin_addr) != 1) {
        fprintf(stderr, "usage: minimal_sender IPV4-ADDRESS PORT SECONDS\n");
        return 2;
    }
    network.peer.sin_port = htons((uint16_t)atoi(argv[2]));
    struct sockaddr_in local = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)(atoi(argv[2]) + 1))};
    if (network.fd < 0 || bind(network.fd, (struct sockaddr *)&local, sizeof local) < 0) {
        perror("cannot listen for RTCP on PORT + 1");
        return 1;
    }

    int64_t start_ns = clock_ns(CLOCK_MONOTONIC);
    int64_t end_ns = start_ns + WEIR_SECONDS(atoi(argv[3]));
    struct weir_sender_config config;
    weir_sender_config_init(&config);
    struct weir_sender *sender = weir_sender_create(&config, start_ns, NULL);
    weir_sender_set_clock_rate(sender, 0xcafe, 90000);

    struct source source = {.next_frame_ns = start_ns};
    int64_t next_line_ns = start_ns + WEIR_SECONDS(1);
    for (int64_t now_ns = start_ns; now_ns < end_ns; now_ns = clock_ns(CLOCK_MONOTONIC)) {
        struct weir_output output;
        weir_sender_get_output(sender, &output);
        if (source.packets == 0 && now_ns >= source.next_frame_ns) {
            next_frame(&source, output.target_media_bps);
        }
        int64_t send_ns =
            source.packets == 0
                ? source.next_frame_ns
                : weir_sender_next_send_ns(sender, now_ns, HEADER_BYTES + PAYLOAD_BYTES);
        if (source.packets > 0 && send_ns <= now_ns) {
            send_packet(&network, sender, &source);
            continue;
        }
        if (weir_sender_next_report_ns(sender) <= now_ns) {
            send_report(&network, sender, now_ns);
        }
        if (weir_sender_next_timer_ns(sender) <= now_ns) {
            weir_sender_on_timer(sender, now_ns);
        }
        if (now_ns >= next_line_ns) {
            printf("%2.0f s: target %.0f kbit/s, rtt %.1f ms\n", (double)(now_ns - start_ns) / 1e9,
                   (double)output.target_media_bps / 1e3,
                   (double)weir_max_i64(output.rtt_ns, 0) / 1e6); /* 0: not known yet */
            next_line_ns += WEIR_SECONDS(1);
        }
        wait_for_rtcp(network.fd, sender, weir_min_i64(send_ns, weir_sender_next_timer_ns(sender)));
    }
    weir_sender_destroy(sender);
    close(network.fd);
    return 0;
}
