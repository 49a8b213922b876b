/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Big-endian loads and stores. The caller has compared against the bytes left before each call. */
#ifndef WEIR_CODEC_BYTES_H
#define WEIR_CODEC_BYTES_H

#include <stdint.h>

static inline uint16_t weir__get_u16(const uint8_t *p)
{
    return (uint16_t)((unsigned)p[0] << 8 | p[1]);
}

static inline uint32_t weir__get_u24(const uint8_t *p)
{
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t weir__get_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | weir__get_u24(p + 1);
}

static inline uint64_t weir__get_u64(const uint8_t *p)
{
    return (uint64_t)weir__get_u32(p) << 32 | weir__get_u32(p + 4);
}

/* Two's complement, without relying on a conversion that C leaves to the compiler. */
static inline int16_t weir__get_s16(const uint8_t *p)
{
    int32_t value = weir__get_u16(p);
    return (int16_t)(value < 0x8000 ? value : value - 0x10000);
}

static inline int32_t weir__get_s24(const uint8_t *p)
{
    int32_t value = (int32_t)weir__get_u24(p);
    return value < 0x800000 ? value : value - 0x1000000;
}

static inline void weir__put_u16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

/* The low 24 bits; a negative number converted to uint32_t is stored as s24. */
static inline void weir__put_u24(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 16);
    weir__put_u16(p + 1, value);
}

static inline void weir__put_u32(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)(value >> 24);
    weir__put_u24(p + 1, value);
}

static inline void weir__put_u64(uint8_t *p, uint64_t value)
{
    weir__put_u32(p, (uint32_t)(value >> 32));
    weir__put_u32(p + 4, (uint32_t)value);
}

#endif
