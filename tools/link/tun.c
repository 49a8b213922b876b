/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tun.h"
#include "error.h"
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
/* In this order: the kernel's header repeats the C library's. */
#include <linux/if_tun.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEVICE "/dev/net/tun"

/* The kernel would take more characters, but no shell. */
gboolean link_tun_check_name(const char *name, GError **error)
{
    gsize length = strlen(name);
    if (length >= 1 && length < IFNAMSIZ && name[0] != '-' && name[0] != '.' &&
        strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-") == length) {
        return TRUE;
    }
    g_set_error(error, LINK_ERROR, LINK_EXIT_WRONG,
                "'%s' is not a valid device name: 1 to %d letters, digits, . _ and -", name,
                IFNAMSIZ - 1);
    return FALSE;
}

static void say_why(const char *name, int number, GError **error)
{
    if (number == EBUSY) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED,
                    "there is already a device '%s': choose another name", name);
    } else if (number == EPERM || number == EACCES) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_NOT_PERMITTED,
                    "needs root (CAP_NET_ADMIN): " DEVICE " does not let it make '%s': %s", name,
                    g_strerror(number));
    } else if (number == ENOENT || number == ENODEV || number == ENXIO) {
        g_set_error(error, LINK_ERROR, LINK_EXIT_NOT_PERMITTED,
                    "no TUN devices here: " DEVICE ": %s (modprobe tun, or in a container "
                    "--device=" DEVICE ")",
                    g_strerror(number));
    } else {
        g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED, DEVICE ": cannot make '%s': %s", name,
                    g_strerror(number));
    }
}

/* Makes a device in the network namespace of the moment; it lives until the descriptor is closed.
 * One that exists is never taken. -1: the error says why. */
int link_tun_open(const char *name, GError **error)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    request.ifr_flags |= (short)IFF_TUN_EXCL;
    if (!link_tun_check_name(name, error)) {
        return -1;
    }
    memcpy(request.ifr_name, name, strlen(name));
    int fd = open(DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request) < 0) {
        say_why(name, errno, error);
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    return fd;
}
