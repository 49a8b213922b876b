/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/transport_numbers.h"

#include "base/unwrap.h"

/* The last step of splitmix64: every bit of the result depends on every bit of value. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static bool is_left_out(const struct weir__transport_numbers *numbers, int64_t number)
{
    return mix(mix((uint64_t)number ^ numbers->key) + numbers->key) % WEIR__NUMBERS_SPACING == 0;
}

/* The numbers of two sessions begin apart, as RTP's do: what is still reported of the one before
 * is about others. */
void weir__transport_numbers_init(struct weir__transport_numbers *numbers, uint64_t key)
{
    *numbers = (struct weir__transport_numbers){.first = -1};
    numbers->key = mix(key + UINT64_C(0x9e3779b97f4a7c15));
    numbers->next = 65536 + (int64_t)(mix(numbers->key) & 0xffff);
}

uint16_t weir__transport_numbers_take(struct weir__transport_numbers *numbers)
{
    while (is_left_out(numbers, numbers->next)) {
        numbers->next++;
    }
    return (uint16_t)(uint64_t)numbers->next++;
}

void weir__transport_numbers_on_sent(struct weir__transport_numbers *numbers, bool has_number,
                                     uint16_t number)
{
    int64_t newest = numbers->next - 1;
    bool ours = has_number && number == (uint16_t)(uint64_t)newest;
    if (!ours) {
        numbers->first = -1;
    } else if (numbers->first < 0) {
        numbers->first = newest;
    }
}

bool weir__transport_numbers_was_left_out(const struct weir__transport_numbers *numbers,
                                          uint16_t number)
{
    int64_t unwrapped = weir__unwrap_not_newer(numbers->next - 1, number, 16);
    return numbers->first >= 0 && unwrapped >= numbers->first && is_left_out(numbers, unwrapped);
}

static bool is_recent(const struct weir__transport_numbers *numbers, int64_t now_ns)
{
    return numbers->has_invented && now_ns - numbers->invented_ns < WEIR__NUMBERS_DISBELIEF_NS;
}

void weir__transport_numbers_on_invented(struct weir__transport_numbers *numbers, int64_t now_ns,
                                         uint16_t number)
{
    bool recent = is_recent(numbers, now_ns);
    numbers->has_lied = recent && (numbers->has_lied || number != numbers->invented);
    numbers->has_invented = true;
    numbers->invented = number;
    numbers->invented_ns = now_ns;
}

bool weir__transport_numbers_is_disbelieved(const struct weir__transport_numbers *numbers,
                                            int64_t now_ns)
{
    return numbers->has_lied && is_recent(numbers, now_ns);
}
