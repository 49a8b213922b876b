/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/sender_steering.h"

#include "weir/units.h"

#define SILENT_NS WEIR_SECONDS(1)
#define DENIED_NS WEIR_SECONDS(60)
/* RFC 3550 6.2: the longest interval that is usual; what is longer is a pause of the media. */
#define MAX_INTERVAL_NS WEIR_SECONDS(5)

enum { SILENT_INTERVALS = 3 };

/* A longer interval counts at once; packets of one feedback that come together do not shorten it.
 */
void weir__pulse_on_news(struct weir__pulse *pulse, int64_t now_ns)
{
    int64_t since_ns = weir_min_i64(now_ns - pulse->news_ns, MAX_INTERVAL_NS);
    if (since_ns <= 0) {
        return;
    }
    int64_t fallen_ns = pulse->interval_ns + (since_ns - pulse->interval_ns) / 8;
    pulse->interval_ns = weir_max_i64(since_ns, fallen_ns);
    pulse->news_ns = now_ns;
}

bool weir__pulse_is_silent(const struct weir__pulse *pulse, int64_t now_ns)
{
    int64_t silent_ns = weir_max_i64(SILENT_NS, SILENT_INTERVALS * pulse->interval_ns);
    return now_ns - pulse->news_ns >= silent_ns;
}

static bool is_same(const struct weir__steering *steering, const struct weir__steerer *steerer)
{
    return steering->known && steering->steerer.format == steerer->format &&
           steering->steerer.ssrc == steerer->ssrc;
}

bool weir__steering_is_denied(const struct weir__steering *steering, int64_t now_ns)
{
    return steering->has_been_denied && now_ns - steering->denied_ns < DENIED_NS;
}

bool weir__steering_deny(struct weir__steering *steering, uint32_t ssrc, int64_t now_ns)
{
    bool is_its = steering->steerer.format == 0 || steering->steerer.ssrc == ssrc;
    if (!steering->known || !is_its || weir__steering_is_denied(steering, now_ns)) {
        return false;
    }
    steering->has_been_denied = true;
    steering->denied_ns = now_ns;
    return true;
}

bool weir__steering_admits(const struct weir__steering *steering,
                           const struct weir__steerer *steerer, int64_t now_ns)
{
    if (weir__steering_is_denied(steering, now_ns)) {
        return false;
    }
    return !steering->known || is_same(steering, steerer) ||
           (steerer->has_proved && !steering->steerer.has_proved) ||
           weir__pulse_is_silent(&steering->pulse, now_ns);
}

void weir__steering_on_news(struct weir__steering *steering, const struct weir__steerer *steerer,
                            int64_t now_ns)
{
    if (!is_same(steering, steerer)) {
        *steering = (struct weir__steering){
            .known = true, .steerer = *steerer, .pulse = {.news_ns = now_ns}};
        return;
    }
    steering->steerer.has_proved |= steerer->has_proved;
    weir__pulse_on_news(&steering->pulse, now_ns);
}
