/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/histogram.h"
#include "sim/base/bits.h"
#include <math.h>
#include <stdlib.h>

enum {
    SUB_BITS = 6,
    PER = WEIR__HISTOGRAM_OCTAVE_BINS, /* values below this have a bin each */
    BINS = WEIR__HISTOGRAM_OCTAVES * PER,
    LAST_BIN = BINS - 1
};

_Static_assert(PER == 1 << SUB_BITS, "bins of an octave");

/* Empty, in memory that holds no other. */
void weir__histogram_init(struct weir__histogram *histogram)
{
    *histogram = (struct weir__histogram){.n = 0};
}

/* Makes it empty, and gives its memory back. */
void weir__histogram_clear(struct weir__histogram *histogram)
{
    for (int octave = 0; octave < WEIR__HISTOGRAM_OCTAVES; octave++) {
        free(histogram->octaves[octave]);
    }
    weir__histogram_init(histogram);
}

/* An empty one; WEIR_ERROR_NO_MEMORY. */
enum weir_status weir__histogram_create(struct weir__histogram **histogram)
{
    *histogram = calloc(1, sizeof **histogram);
    return *histogram ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
}

/* NULL is none. */
void weir__histogram_destroy(struct weir__histogram *histogram)
{
    if (histogram) {
        weir__histogram_clear(histogram);
        free(histogram);
    }
}

/* Of a value above 0. Exact below PER; above, PER bins of equal width to an octave. */
static int bin_of(int64_t value)
{
    if (value < PER) {
        return (int)value;
    }
    unsigned octaves = weir__highest_bit((uint64_t)value) - SUB_BITS; /* above PER */
    int64_t bin = (int64_t)octaves * PER + (value >> octaves);
    return bin < LAST_BIN ? (int)bin : LAST_BIN;
}

/* The largest value of a bin but the last. */
static int64_t largest_of(int bin)
{
    if (bin < 2 * PER) {
        return bin;
    }
    int octaves = bin / PER - 1;
    return (((int64_t)(bin % PER) + PER + 1) << octaves) - 1;
}

static uint64_t count_of(const struct weir__histogram *histogram, int bin)
{
    const uint32_t *octave = histogram->octaves[bin / PER];
    return bin == 0 ? histogram->zeros : octave ? octave[bin % PER] : 0;
}

static uint32_t *create_octave(void)
{
    return calloc(PER, sizeof(uint32_t));
}

/* NULL without memory for its octave. */
static uint32_t *find_count(struct weir__histogram *histogram, int bin)
{
    uint32_t **octave = &histogram->octaves[bin / PER];
    if (!*octave) {
        *octave = create_octave();
    }
    return *octave ? *octave + bin % PER : NULL;
}

static void count(struct weir__histogram *histogram, int64_t value)
{
    histogram->n++;
    histogram->sum += (double)value;
    if (value > histogram->max) {
        histogram->max = value;
    }
}

/* One sample, left out without memory for it; above the last bin only its rank and the maximum are
 * exact. */
void weir__histogram_add(struct weir__histogram *histogram, int64_t value)
{
    if (value <= 0) {
        histogram->zeros++;
        histogram->negative += value < 0;
        count(histogram, value);
        return;
    }
    uint32_t *bin = find_count(histogram, bin_of(value));
    if (bin && *bin < UINT32_MAX) {
        ++*bin;
        count(histogram, value);
    }
}

/* n samples of 0 at once: what is nearly always 0 need not be added one by one. */
void weir__histogram_add_zeros(struct weir__histogram *histogram, uint64_t n)
{
    histogram->zeros += n;
    histogram->n += n;
}

/* The smallest of the samples that is not exceeded by this share of them (nearest rank), rounded up
 * to the end of its bin, but never above the largest sample: for 1 - r the least bound that a share
 * of r exceeds at most. share is limited to [0, 1]; 0 without samples. */
int64_t weir__histogram_percentile(const struct weir__histogram *histogram, double share)
{
    double limited = share > 0.0 ? (share < 1.0 ? share : 1.0) : 0.0;
    double rank = ceil(limited * (double)histogram->n);
    uint64_t wanted = rank > 1.0 ? (uint64_t)rank : 1;
    uint64_t seen = 0;
    for (int bin = 0; bin < LAST_BIN; bin++) {
        seen += count_of(histogram, bin);
        if (seen >= wanted) {
            int64_t largest = largest_of(bin);
            return largest < histogram->max ? largest : histogram->max;
        }
    }
    return histogram->max;
}

/* Share of the samples above value, which is rounded up to the end of its bin; 0 without samples.
 * Of negative samples only the sign is known: below 0 none of them counts as above. */
double weir__histogram_above(const struct weir__histogram *histogram, int64_t value)
{
    if (histogram->n == 0) {
        return 0.0;
    }
    if (value < 0) {
        return (double)(histogram->n - histogram->negative) / (double)histogram->n;
    }
    uint64_t above = 0;
    for (int bin = (value > 0 ? bin_of(value) : 0) + 1; bin <= LAST_BIN; bin++) {
        above += count_of(histogram, bin);
    }
    return (double)above / (double)histogram->n;
}

/* Of the samples as they are, negative ones too; 0 without samples. */
double weir__histogram_mean(const struct weir__histogram *histogram)
{
    return histogram->n > 0 ? histogram->sum / (double)histogram->n : 0.0;
}
