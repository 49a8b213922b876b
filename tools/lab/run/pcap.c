/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/pcap.h"
#include "scenario/error.h"
#include "sim/traffic/media_flow_state.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* The format is draft-ietf-opsawg-pcap. */
#define MAGIC_NANOSECONDS 0xa1b23c4dU
#define LINKTYPE_RAW      101U
#define SNAP_BYTES        65535
#define FILE_HEADER_BYTES 24
#define HEADER_BYTES      16 /* of a packet */

#define IP_BYTES        20
#define UDP_BYTES       8
#define TCP_BYTES       20 /* without options */
#define MOST_TCP_BYTES  60
#define MOST_HEAD_BYTES (IP_BYTES + MOST_TCP_BYTES)
#define PROTOCOL_TCP    6
#define PROTOCOL_UDP    17
#define TTL             64
#define DONT_FRAGMENT   0x4000
#define FLAG_ACK        0x10
#define OPTION_NOP      1

#define SENDERS      0x0a000000U /* 10.0.0.0/9 */
#define RECEIVERS    0x0a800000U /* 10.128.0.0/9 */
#define PORT_RTP     5004
#define PORT_RTCP    5005
#define PORT_TCP     5001
#define PORT_UDP     5002
#define FIRST_PORT   10000 /* of connections at the sender */
#define N_PORTS      50000
#define WINDOW_FIELD 65535

#define FORETOLD_PART 16 /* of the most, after which its length is foretold */
#define FAR_TOO_MUCH  4

struct lab_pcap {
    const struct lab_scenario *scenario;
    struct lab_world *world;
    struct lab_world_route *routes;
    char *path;
    FILE *file;
    volatile sig_atomic_t *stop;
    int64_t bytes;
    int64_t most_bytes;
    int64_t full_ns; /* until when most_bytes would do; WEIR_NEVER_NS: they do, as far as known */
    bool foretold;
    int error; /* errno of the first write that failed */
};

/* What is written of a packet. */
struct head {
    uint8_t bytes[MOST_HEAD_BYTES];
    size_t n_bytes;
    const uint8_t *data; /* behind them */
    size_t n_data;
    size_t on_wire; /* with what is not written */
};

static void put_u16(uint8_t *at, uint16_t value)
{
    uint16_t big = GUINT16_TO_BE(value);
    memcpy(at, &big, sizeof big);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    uint32_t big = GUINT32_TO_BE(value);
    memcpy(at, &big, sizeof big);
}

static void write_bytes(struct lab_pcap *pcap, const void *bytes, size_t n)
{
    if (n > 0 && pcap->error == 0 && fwrite(bytes, 1, n, pcap->file) != n) {
        pcap->error = errno ? errno : EIO;
        *pcap->stop = 1;
    }
    pcap->bytes += (int64_t)n;
}

static void write_words(struct lab_pcap *pcap, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t little = GUINT32_TO_LE(words[i]);
        write_bytes(pcap, &little, sizeof little);
    }
}

/* Nobody has to wait for a gigabyte to hear that ten would be needed. Later flows may be fewer, so
 * what is only somewhat too much shows when it is. */
static gboolean is_too_much(struct lab_pcap *pcap, int64_t now_ns, int64_t size)
{
    if (!pcap->foretold && pcap->bytes > pcap->most_bytes / FORETOLD_PART) {
        double part = (double)now_ns / (double)pcap->scenario->duration_ns;
        pcap->foretold = true;
        return (double)pcap->bytes > FAR_TOO_MUCH * part * (double)pcap->most_bytes;
    }
    return pcap->bytes + size > pcap->most_bytes;
}

static void write_packet(struct lab_pcap *pcap, int64_t now_ns, const struct head *head)
{
    int64_t at_ns = WEIR__MEDIA_UNIX_START_NS + now_ns;
    const uint32_t words[] = {(uint32_t)(at_ns / WEIR_SECONDS(1)),
                              (uint32_t)(at_ns % WEIR_SECONDS(1)),
                              (uint32_t)(head->n_bytes + head->n_data), (uint32_t)head->on_wire};
    int64_t size = HEADER_BYTES + (int64_t)(head->n_bytes + head->n_data);
    if (pcap->full_ns == WEIR_NEVER_NS && is_too_much(pcap, now_ns, size)) {
        pcap->full_ns = (int64_t)((double)now_ns * (double)pcap->most_bytes / (double)pcap->bytes);
        *pcap->stop = 1;
    }
    if (pcap->full_ns == WEIR_NEVER_NS) {
        write_words(pcap, words, G_N_ELEMENTS(words));
        write_bytes(pcap, head->bytes, head->n_bytes);
        write_bytes(pcap, head->data, head->n_data);
    }
}

static void add_ip(struct head *head, const struct lab_world_route *route,
                   const struct weir__packet *packet, uint8_t protocol)
{
    uint8_t *ip = head->bytes;
    uint32_t sender = SENDERS + route->flow + 1, receiver = RECEIVERS + route->flow + 1;
    ip[0] = 0x45;
    ip[1] = packet->ecn;
    put_u16(ip + 2, (uint16_t)head->on_wire);
    put_u16(ip + 6, DONT_FRAGMENT);
    ip[8] = TTL;
    ip[9] = protocol;
    put_u32(ip + 12, route->is_back ? receiver : sender);
    put_u32(ip + 16, route->is_back ? sender : receiver);
}

static void add_ports(struct head *head, const struct lab_world_route *route, uint16_t sender,
                      uint16_t receiver)
{
    put_u16(head->bytes + IP_BYTES, route->is_back ? receiver : sender);
    put_u16(head->bytes + IP_BYTES + 2, route->is_back ? sender : receiver);
}

/* The size on the wire is the simulator's, but for what it makes smaller than its headers. */
static void set_sizes(struct head *head, size_t n_bytes, const struct weir__packet *packet)
{
    size_t least = n_bytes + head->n_data;
    head->n_bytes = n_bytes;
    head->on_wire = CLAMP((size_t)packet->size_bytes, least, SNAP_BYTES);
}

static void make_udp(struct head *head, const struct lab_world_route *route,
                     const struct weir__packet *packet, uint16_t port)
{
    set_sizes(head, IP_BYTES + UDP_BYTES, packet);
    add_ip(head, route, packet, PROTOCOL_UDP);
    add_ports(head, route, port, port);
    put_u16(head->bytes + IP_BYTES + 4, (uint16_t)(head->on_wire - IP_BYTES));
}

static void make_media(struct lab_pcap *pcap, struct head *head,
                       const struct lab_world_route *route, const struct weir__packet *packet)
{
    struct weir__media_flow *flow = lab_world_media(pcap->world, route->flow);
    head->n_data = weir__media_flow_read(flow, packet, &head->data);
    make_udp(head, route, packet, packet->seq == WEIR__MEDIA_RTCP_SEQ ? PORT_RTCP : PORT_RTP);
}

/* The simulator numbers packets, TCP bytes: from 1, as behind a SYN. What the flow's headers have
 * beyond IP and TCP is there as options without meaning; SACK blocks are not. */
static void make_tcp(const struct lab_flow *flow, struct head *head,
                     const struct lab_world_route *route, const struct weir__packet *packet)
{
    int64_t payload_bytes = flow->packet_bytes - flow->header_bytes;
    size_t tcp_bytes =
        CLAMP((size_t)flow->header_bytes, IP_BYTES + TCP_BYTES, MOST_HEAD_BYTES) / 4 * 4 - IP_BYTES;
    uint8_t *tcp = head->bytes + IP_BYTES;
    set_sizes(head, IP_BYTES + tcp_bytes, packet);
    add_ip(head, route, packet, PROTOCOL_TCP);
    add_ports(head, route, (uint16_t)(FIRST_PORT + route->connection % N_PORTS), PORT_TCP);
    put_u32(tcp + 4, (uint32_t)(1 + (route->is_back ? 0 : packet->seq * payload_bytes)));
    put_u32(tcp + 8, (uint32_t)(1 + (route->is_back ? (packet->ack + 1) * payload_bytes : 0)));
    tcp[12] = (uint8_t)(tcp_bytes / 4 << 4);
    tcp[13] = FLAG_ACK;
    put_u16(tcp + 14, WINDOW_FIELD);
    memset(tcp + TCP_BYTES, OPTION_NOP, tcp_bytes - TCP_BYTES);
}

static void on_packet(void *target, const struct weir__packet *packet, bool arrives)
{
    struct lab_pcap *pcap = target;
    const struct lab_world_route *route = &pcap->routes[packet->flow];
    const struct lab_flow *flow = pcap->scenario->flows[route->flow];
    struct head head = {.n_bytes = 0};
    if (arrives != (route->is_back != FALSE)) {
        return;
    }
    if (flow->kind == LAB_FLOW_MEDIA) {
        make_media(pcap, &head, route, packet);
    } else if (flow->kind == LAB_FLOW_TCP) {
        make_tcp(flow, &head, route, packet);
    } else {
        make_udp(&head, route, packet, PORT_UDP);
    }
    write_packet(pcap, lab_world_sim(pcap->world)->now_ns, &head);
}

/* See the header. */
struct lab_pcap *lab_pcap_create(const char *path, const struct lab_scenario *scenario,
                                 struct lab_world *world, int64_t most_bytes,
                                 volatile sig_atomic_t *stop, GError **error)
{
    static const uint32_t words[] = {MAGIC_NANOSECONDS, 2 | 4 << 16, 0, 0,
                                     SNAP_BYTES,        LINKTYPE_RAW};
    FILE *file = g_fopen(path, "wb");
    if (!file) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "--pcap %s: %s", path, g_strerror(errno));
        return NULL;
    }
    struct lab_pcap *pcap = g_new0(struct lab_pcap, 1);
    *pcap = (struct lab_pcap){.scenario = scenario,
                              .world = world,
                              .routes = lab_world_list_routes(world, scenario),
                              .path = g_strdup(path),
                              .file = file,
                              .stop = stop,
                              .most_bytes = most_bytes,
                              .full_ns = WEIR_NEVER_NS};
    write_words(pcap, words, G_N_ELEMENTS(words));
    lab_world_observe(world,
                      &(struct weir__network_observer){.on_packet = on_packet, .target = pcap});
    return pcap;
}

static gboolean judge(struct lab_pcap *pcap, GError **error)
{
    if (fclose(pcap->file) != 0 && pcap->error == 0) {
        pcap->error = errno;
    }
    if (pcap->error != 0) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "--pcap %s: %s", pcap->path,
                    g_strerror(pcap->error));
    } else if (pcap->full_ns != WEIR_NEVER_NS) {
        double most_s = (double)pcap->full_ns * 1e-9;
        double duration_s = (double)pcap->scenario->duration_ns * 1e-9;
        g_set_error(
            error, LAB_ERROR, LAB_ERROR_INPUT,
            "--pcap %s: %.1f s need about %.3g MB, and %.3g MB are the most; a --duration of "
            "at most %.3g s, or fewer flows",
            pcap->path, duration_s, (double)pcap->most_bytes * duration_s / most_s * 1e-6,
            (double)pcap->most_bytes * 1e-6, most_s);
    }
    return pcap->error == 0 && pcap->full_ns == WEIR_NEVER_NS;
}

/* See the header. */
gboolean lab_pcap_finish(struct lab_pcap *pcap, GError **error)
{
    if (!pcap) {
        return TRUE;
    }
    lab_world_observe(pcap->world, &(struct weir__network_observer){.on_packet = NULL});
    gboolean good = judge(pcap, error);
    if (!good && g_file_test(pcap->path, G_FILE_TEST_IS_REGULAR)) { /* no device */
        g_unlink(pcap->path);
    }
    g_free(pcap->routes);
    g_free(pcap->path);
    g_free(pcap);
    return good;
}
