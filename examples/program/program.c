/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The smallest program with libweir: it prints the version, and the bitrate to start with.
 *
 * Build: cc program.c $(pkg-config --cflags --libs weir) -o program
 * Build: cmake -B build && cmake --build build
 * Build: meson setup build && ninja -C build, with Weir installed or in subprojects/weir
 */
#include <inttypes.h>
#include <stdio.h>
#include <weir/weir.h>

int main(void)
{
    struct weir_sender_config config;
    weir_sender_config_init(&config);
    struct weir_sender *sender = weir_sender_create(&config, 0, NULL);
    if (!sender) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    struct weir_share share;
    enum weir_status status = weir_sender_get_share(sender, 0, &share);
    printf("%s: start at %" PRId64 " bit/s\n", weir_version(), status ? 0 : share.target_media_bps);
    weir_sender_destroy(sender);
    return 0;
}
