/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "namespaces.h"
#include "error.h"
#include "tun.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_NAMESPACE "/proc/self/ns/net"
#define PATIENCE_US   20000 /* between two looks at processes that were asked to end ... */
#define PATIENCE      50    /* ... and looks until they are killed */

static char *path_of(const char *name)
{
    return g_build_filename("/run/netns", name, NULL);
}

/* Names with the number of the process, so that several links can run side by side. */
void link_namespaces_init(struct link_namespaces *namespaces)
{
    memset(namespaces, 0, sizeof *namespaces);
    namespaces->prefix_bits = 30;
    for (int i = 0; i < 2; i++) {
        namespaces->ends[i].tun_fd = -1;
        namespaces->ends[i].name = g_strdup_printf("weir-%d-%c", (int)getpid(), 'a' + i);
        namespaces->ends[i].address = g_strdup_printf("10.77.0.%d", i + 1);
    }
}

static gboolean is_name(const char *name)
{
    gsize length = strlen(name);
    return length >= 1 && length <= 64 && name[0] != '-' && name[0] != '.' &&
           strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-") == length;
}

/* "A,B" */
gboolean link_namespaces_set_names(struct link_namespaces *namespaces, const char *text,
                                   GError **error)
{
    g_auto(GStrv) names = g_strsplit(text, ",", 0);
    gboolean good = g_strv_length(names) == 2 && is_name(names[0]) && is_name(names[1]) &&
                    strcmp(names[0], names[1]) != 0;
    for (int i = 0; i < 2 && good; i++) {
        g_free(namespaces->ends[i].name);
        namespaces->ends[i].name = g_strdup(names[i]);
    }
    if (!good) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG,
                    "netns '%s' is not two different names A,B of letters, digits, . _ and -",
                    text);
    }
    return good;
}

/* The longest network, up to /30, that holds both; 0 when they are equal or no addresses. */
static int common_bits(const char *a, const char *b)
{
    struct in_addr in_a, in_b;
    if (inet_pton(AF_INET, a, &in_a) != 1 || inet_pton(AF_INET, b, &in_b) != 1) {
        return 0;
    }
    uint32_t differ = ntohl(in_a.s_addr) ^ ntohl(in_b.s_addr);
    int bits = differ == 0 ? 0 : 30;
    while (bits > 0 && differ >> (32 - bits) != 0) {
        bits--;
    }
    return bits;
}

/* "A,B", IPv4 */
gboolean link_namespaces_set_addresses(struct link_namespaces *namespaces, const char *text,
                                       GError **error)
{
    g_auto(GStrv) addresses = g_strsplit(text, ",", 0);
    int bits = g_strv_length(addresses) == 2 ? common_bits(addresses[0], addresses[1]) : 0;
    for (int i = 0; i < 2 && bits > 0; i++) {
        g_free(namespaces->ends[i].address);
        namespaces->ends[i].address = g_strdup(addresses[i]);
    }
    if (bits > 0) {
        namespaces->prefix_bits = bits;
    } else {
        g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG,
                    "addresses '%s' are not two different IPv4 addresses A,B, as in "
                    "10.77.0.1,10.77.0.2",
                    text);
    }
    return bits > 0;
}

static gboolean fail(GError **error, const char *what)
{
    gboolean refused = errno == EPERM || errno == EACCES;
    g_set_error(error, LINK_ERROR, refused ? LINK_EXIT_NOT_PERMITTED : LINK_EXIT_FAILED, "%s%s: %s",
                refused ? "needs root (CAP_SYS_ADMIN, CAP_NET_ADMIN): " : "", what,
                g_strerror(errno));
    return FALSE;
}

/* Opens a TUN device in a network namespace, or in a new one that vanishes at once (NULL), and goes
 * back. -1: failed. */
static int open_tun(const char *path, GError **error)
{
    int tun_fd = -1;
    int own_fd = open(OWN_NAMESPACE, O_RDONLY | O_CLOEXEC);
    int there_fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    /* Who may not enter its own namespace cannot come back to it. */
    if (own_fd >= 0 && setns(own_fd, CLONE_NEWNET) == 0 &&
        (path ? there_fd >= 0 && setns(there_fd, CLONE_NEWNET) == 0 : unshare(CLONE_NEWNET) == 0)) {
        tun_fd = link_tun_open(LINK_NAMESPACES_DEVICE, error);
        if (setns(own_fd, CLONE_NEWNET) < 0) {
            g_error("cannot return to its own network namespace: %s", g_strerror(errno));
        }
    } else {
        fail(error, path ? path : "network namespaces cannot be created");
    }
    if (own_fd >= 0) {
        close(own_fd);
    }
    if (there_fd >= 0) {
        close(there_fd);
    }
    return tun_fd;
}

/* Tries what will be needed. */
gboolean link_namespaces_permitted(GError **error)
{
    int fd = open_tun(NULL, error);
    return fd >= 0 && close(fd) == 0;
}

static gboolean is_refusal(const char *said)
{
    return strstr(said, "not permitted") || strstr(said, "ermission denied");
}

/* Runs ip with these words, separated by blanks. TRUE when it said that it worked; else the error
 * is what it said. */
gboolean link_namespaces_run_ip(GError **error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *rest = g_strdup_vprintf(format, values);
    va_end(values);
    g_autofree char *line = g_strconcat("ip ", rest, NULL);
    g_auto(GStrv) words = g_strsplit(line, " ", 0);
    g_autofree char *said = NULL;
    GError *failure = NULL;
    int status = 0;
    gboolean good =
        g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL,
                     NULL, NULL, &said, &status, &failure);
    if (!good) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_NOT_PERMITTED, "needs ip (iproute2): %s",
                    failure->message);
        g_error_free(failure);
    } else if (!g_spawn_check_wait_status(status, NULL)) {
        good = FALSE;
        g_set_error(error, LINK_ERROR,
                    is_refusal(said) ? LINK_EXIT_NOT_PERMITTED : LINK_EXIT_FAILED, "%s: %s", line,
                    g_strstrip(said));
    }
    return good;
}

/* No IPv6 address of its own: the kernel's talk about it would cross the link. */
static gboolean configure(const struct link_end *end, int prefix_bits, int64_t mtu_bytes,
                          GError **error)
{
    const char *name = end->name, *device = LINK_NAMESPACES_DEVICE;
    return link_namespaces_run_ip(error, "-n %s link set lo up", name) &&
           link_namespaces_run_ip(error, "-n %s link set %s addrgenmode none", name, device) &&
           link_namespaces_run_ip(error, "-n %s addr add %s/%d dev %s", name, end->address,
                                  prefix_bits, device) &&
           link_namespaces_run_ip(error, "-n %s link set %s mtu %" G_GINT64_FORMAT " up", name,
                                  device, mtu_bytes) &&
           link_namespaces_run_ip(error, "-n %s route add default dev %s", name, device);
}

static gboolean make_end(struct link_end *end, int prefix_bits, int64_t mtu_bytes, GError **error)
{
    if (end->device) {
        end->tun_fd = link_tun_open(end->device, error);
        return end->tun_fd >= 0;
    }
    g_autofree char *path = path_of(end->name);
    gboolean taken = g_file_test(path, G_FILE_TEST_EXISTS);
    if (taken) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED,
                    "there is already a network namespace '%s': choose another name, or remove it "
                    "(ip netns del %s)",
                    end->name, end->name);
        return FALSE;
    }
    end->made = link_namespaces_run_ip(error, "netns add %s", end->name);
    end->tun_fd = end->made ? open_tun(path, error) : -1;
    return end->tun_fd >= 0 && configure(end, prefix_bits, mtu_bytes, error);
}

/* On FALSE link_namespaces_finish() removes what there is by then. */
gboolean link_namespaces_make(struct link_namespaces *namespaces, int64_t mtu_bytes, GError **error)
{
    for (int i = 0; i < 2; i++) {
        if (!make_end(&namespaces->ends[i], namespaces->prefix_bits, mtu_bytes, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean is_in(const char *pid, const struct stat *namespace)
{
    struct stat other;
    g_autofree char *path = g_build_filename("/proc", pid, "ns", "net", NULL);
    return stat(path, &other) == 0 && other.st_ino == namespace->st_ino &&
           other.st_dev == namespace->st_dev;
}

/* Sends a signal (0: none) to each process in the namespace, except this one; their number. */
guint link_namespaces_signal(const char *name, int number)
{
    struct stat namespace;
    guint n = 0;
    g_autofree char *path = path_of(name);
    GDir *processes = stat(path, &namespace) == 0 ? g_dir_open("/proc", 0, NULL) : NULL;
    for (const char *entry = processes ? g_dir_read_name(processes) : NULL; entry;
         entry = g_dir_read_name(processes)) {
        gint64 pid = g_ascii_strtoll(entry, NULL, 10);
        if (pid > 0 && pid != (gint64)getpid() && is_in(entry, &namespace)) {
            n += kill((pid_t)pid, number) == 0;
        }
    }
    if (processes) {
        g_dir_close(processes);
    }
    return n;
}

/* Processes still inside are asked to end, and after a second killed. */
static void empty(const char *name)
{
    guint left = link_namespaces_signal(name, SIGTERM);
    for (int i = 0; i < PATIENCE && left > 0; i++) {
        g_usleep(PATIENCE_US);
        left = link_namespaces_signal(name, 0);
    }
    if (left > 0) {
        link_namespaces_signal(name, SIGKILL);
    }
}

/* Removes the namespaces that were made, and the devices in them. */
void link_namespaces_finish(struct link_namespaces *namespaces)
{
    for (int i = 0; i < 2; i++) {
        struct link_end *end = &namespaces->ends[i];
        GError *error = NULL;
        if (end->tun_fd >= 0) {
            close(end->tun_fd);
        }
        if (end->made) {
            empty(end->name);
            if (!link_namespaces_run_ip(&error, "netns del %s", end->name)) {
                g_printerr("weir-link: %s\n", error->message);
                g_error_free(error);
            }
        }
        g_free(end->name);
        g_free(end->address);
        g_free(end->device);
        *end = (struct link_end){.tun_fd = -1};
    }
}
