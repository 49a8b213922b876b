/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/format.h"

#define WEIR_FORMAT(id, file) extern const struct weir__format weir__format_##id;
#include "codec/formats.def"
#undef WEIR_FORMAT

#define WEIR_FORMAT(id, file) &weir__format_##id,
static const struct weir__format *const formats[] = {
#include "codec/formats.def"
};
#undef WEIR_FORMAT

_Static_assert(WEIR_FEEDBACK_CCFB == 1 << WEIR__FORMAT_INDEX_ccfb, "place of ccfb");
_Static_assert(WEIR_FEEDBACK_TWCC == 1 << WEIR__FORMAT_INDEX_twcc, "place of twcc");
_Static_assert(WEIR_FEEDBACK_RR == 1 << WEIR__FORMAT_INDEX_rr, "place of rr");
_Static_assert(WEIR_FEEDBACK_XR == 1 << WEIR__FORMAT_INDEX_xr, "place of xr");
_Static_assert(WEIR_FEEDBACK_REMB == 1 << WEIR__FORMAT_INDEX_remb, "place of remb");
_Static_assert((int)WEIR__FORMATS <= (int)WEIR_FEEDBACK_FORMATS_MAX, "no flag is left");

const struct weir__format *weir__format_at(size_t i)
{
    return i < WEIR__FORMATS ? formats[i] : NULL;
}

static bool matches(const struct weir__format *format, const struct weir__rtcp_packet *packet)
{
    bool is_type = packet->type == format->types[0] || packet->type == format->types[1];
    return packet->type != 0 && is_type && (format->fmt == 0 || packet->count == format->fmt);
}

size_t weir__format_of(const struct weir__rtcp_packet *packet)
{
    size_t i = 0;
    while (i < WEIR__FORMATS && !matches(formats[i], packet)) {
        i++;
    }
    return i;
}

size_t weir__format_index(uint32_t flag)
{
    size_t i = 0;
    while (i < WEIR__FORMATS && flag != UINT32_C(1) << i) {
        i++;
    }
    return i;
}

bool weir__format_is_written(const struct weir__format *format)
{
    return format->kind == WEIR__FORMAT_SUMS || format->build != NULL ||
           format->build_bound != NULL;
}

bool weir_feedback_get_info(size_t i, struct weir_feedback_info *info)
{
    const struct weir__format *format = weir__format_at(i);
    if (format == NULL || info == NULL) {
        return false;
    }
    *info = (struct weir_feedback_info){
        .name = format->name,
        .description = format->description,
        .format = UINT32_C(1) << i,
        .tells_packets = format->kind == WEIR__FORMAT_PACKETS,
        .transport_wide = format->transport_wide,
        .is_written = weir__format_is_written(format),
    };
    return true;
}
