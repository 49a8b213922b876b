/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "direction.h"
#include "error.h"
#include "weir/units.h"
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The monotonic clock, which the timers use too. */
int64_t link_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Less than 0 counts as 0. */
void link_lateness_add(struct link_lateness *lateness, int64_t late_ns)
{
    int64_t step = weir_clamp_i64(late_ns / LINK_LATENESS_STEP_NS, 0, LINK_LATENESS_STEPS - 1);
    lateness->counts[step]++;
    lateness->n++;
    lateness->most_ns = weir_max_i64(lateness->most_ns, late_ns);
}

/* The upper edge of the step in which the quantile (0 to 1) lies, or the most if that is less; 0
 * when nothing was added. */
int64_t link_lateness_quantile_ns(const struct link_lateness *lateness, double quantile)
{
    double wanted = quantile * (double)lateness->n;
    int64_t seen = 0;
    for (int64_t step = 0; step < LINK_LATENESS_STEPS - 1; step++) {
        seen += lateness->counts[step];
        if ((double)seen >= wanted) {
            return weir_min_i64((step + 1) * LINK_LATENESS_STEP_NS, lateness->most_ns);
        }
    }
    return lateness->most_ns;
}

/* A damaged packet has one bit flipped, as the path's noise says. */
static const uint8_t *damage(struct link_direction *direction, const uint8_t *bytes,
                             size_t size_bytes, uint64_t noise)
{
    uint64_t bit = noise % (8 * size_bytes);
    memmove(direction->damaged, bytes, size_bytes);
    direction->damaged[bit / 8] ^= (uint8_t)(1u << bit % 8);
    return direction->damaged;
}

static const uint8_t *mark(struct link_direction *direction, const uint8_t *bytes,
                           size_t size_bytes)
{
    memmove(direction->damaged, bytes, size_bytes);
    link_packet_mark(direction->damaged, size_bytes);
    return direction->damaged;
}

static void deliver(struct link_direction *direction, const struct weir__path_outcome *outcome,
                    const uint8_t *bytes, size_t size_bytes)
{
    if (outcome->ecn != link_packet_ecn(bytes, size_bytes)) {
        bytes = mark(direction, bytes, size_bytes);
    }
    if (outcome->corrupt) {
        bytes = damage(direction, bytes, size_bytes, outcome->noise);
    }
    link_lateness_add(&direction->lateness,
                      link_clock_ns() - direction->origin_ns - outcome->at_ns);
    direction->unwritten += write(direction->out_fd, bytes, size_bytes) != (ssize_t)size_bytes;
}

static void on_outcome(void *user, const struct weir__path_outcome *outcome)
{
    struct link_direction *direction = user;
    size_t size_bytes = 0;
    const uint8_t *bytes = weir__datagram_pool_get(&direction->pool, outcome->token, &size_bytes);
    if (bytes && outcome->verdict == WEIR__PATH_DELIVERED) {
        deliver(direction, outcome, bytes, size_bytes);
    }
    if (bytes && direction->packet_log) {
        link_packet_log_add(direction->packet_log, outcome, bytes, size_bytes);
    }
    if (outcome->last) {
        weir__datagram_pool_give(&direction->pool, outcome->token);
    }
}

static gboolean make_path(struct link_direction *direction, GError **error)
{
    struct weir__path_config config;
    char why[256] = "";
    char *trace = NULL;
    if (!link_settings_read_trace(&direction->settings, &trace, error)) {
        return FALSE;
    }
    link_settings_config(&direction->settings, &config);
    config.trace = trace;
    enum weir_status status =
        weir__path_create(&direction->path, &config, on_outcome, direction, why, sizeof why);
    g_free(trace);
    for (int protocol = 0; protocol < LINK_PROTOCOLS && status == WEIR_OK; protocol++) {
        status = weir__path_add_flow(direction->path, &direction->flows[protocol]);
    }
    if (status != WEIR_OK) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG, "%s",
                    why[0] ? why : weir_status_text(status));
    }
    return status == WEIR_OK;
}

/* Takes the settings over. FALSE with a sentence when no path can be like that. */
gboolean link_direction_init(struct link_direction *direction, struct link_settings *settings,
                             int64_t mtu_bytes, GError **error)
{
    memset(direction, 0, sizeof *direction);
    direction->settings = *settings;
    link_settings_init(settings);
    if (!make_path(direction, error)) {
        return FALSE;
    }
    if (weir__datagram_pool_init(&direction->pool, (size_t)mtu_bytes, LINK_MAX_INSIDE + 1) !=
        WEIR_OK) { /* one more than the path takes, so that it is the path that refuses */
        g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED, "not enough memory");
        return FALSE;
    }
    return TRUE;
}

/* Accepts a zeroed direction, and one whose init failed. */
void link_direction_finish(struct link_direction *direction)
{
    weir__path_destroy(direction->path);
    weir__datagram_pool_finish(&direction->pool);
    link_settings_finish(&direction->settings);
    if (direction->packet_log) {
        fclose(direction->packet_log);
        direction->packet_log = NULL;
    }
    direction->path = NULL;
}

/* The path's time begins at origin_ns. */
void link_direction_start(struct link_direction *direction, int in_fd, int out_fd,
                          int64_t origin_ns)
{
    direction->in_fd = in_fd;
    direction->out_fd = out_fd;
    direction->origin_ns = origin_ns;
}

static void offer(struct link_direction *direction, size_t size_bytes)
{
    uint64_t token = 0;
    int64_t now_ns = link_clock_ns() - direction->origin_ns;
    if (size_bytes > direction->pool.most_bytes) {
        direction->too_large++;
        return;
    }
    uint32_t flow = direction->flows[link_packet_protocol(direction->buffer, size_bytes)];
    if (weir__datagram_pool_add(&direction->pool, direction->buffer, size_bytes, &token)) {
        const struct weir__path_packet packet = {
            .token = token,
            .size_bytes = (int64_t)size_bytes,
            .flow = flow,
            .subflow = link_packet_flow_hash(direction->buffer, size_bytes),
            .ecn = link_packet_ecn(direction->buffer, size_bytes),
        };
        weir__path_offer(direction->path, now_ns, &packet);
    }
}

/* Up to `most` packets that are waiting at the entrance. FALSE: the entrance is gone. */
gboolean link_direction_read(struct link_direction *direction, guint most, GError **error)
{
    for (guint i = 0; i < most; i++) {
        ssize_t n = read(direction->in_fd, direction->buffer, sizeof direction->buffer);
        if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == EIO)) {
            return TRUE; /* EIO: the device is down */
        }
        if (n <= 0) {
            g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED, "the TUN device cannot be read: %s",
                        n < 0 ? g_strerror(errno) : "it has ended");
            return FALSE;
        }
        offer(direction, (size_t)n);
    }
    return TRUE;
}

/* Writes what has arrived by now_ns, on the path's clock. */
void link_direction_run(struct link_direction *direction, int64_t now_ns)
{
    weir__path_run_until(direction->path, now_ns);
}

/* When there is something to run, on the path's clock. */
int64_t link_direction_next_ns(const struct link_direction *direction)
{
    return weir__path_next_event_ns(direction->path);
}

/* Changes a setting of the running path. */
gboolean link_direction_set(struct link_direction *direction, const struct link_setting *setting,
                            const char *text, GError **error)
{
    struct weir__link_loss_config loss;
    if (!setting->live) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG, "%s cannot change while the link runs",
                    setting->name);
        return FALSE;
    }
    if (!link_settings_set(&direction->settings, setting, text, error)) {
        return FALSE;
    }
    link_direction_run(direction, link_clock_ns() - direction->origin_ns);
    if (setting->kind == LINK_RATE) {
        weir__path_set_capacity(direction->path, direction->settings.path.link.capacity_bps);
    } else if (setting->offset == offsetof(struct link_settings, path.link.delay_ns)) {
        weir__path_set_delay(direction->path, direction->settings.path.link.delay_ns);
    } else if (setting->kind == LINK_TIME) {
        weir__path_set_jitter(direction->path, direction->settings.path.link.jitter_ns);
    } else {
        weir__link_loss_in_bursts(&loss, direction->settings.loss, direction->settings.loss_burst);
        weir__path_set_loss(direction->path, &loss);
    }
    return TRUE;
}
