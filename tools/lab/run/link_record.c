/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/link_record.h"
#include "weir/units.h"

/* At time 0. The configuration must outlive it. */
void lab_link_record_init(struct lab_link_record *record, const struct weir__link_config *config)
{
    *record = (struct lab_link_record){.config = config};
    weir__schedule_init(&record->schedule, config->capacity_bps, config->steps, config->n_steps,
                        config->period_ns);
    weir__histogram_init(&record->queue_packets);
    weir__histogram_init(&record->wait_ns);
}

/* Gives its memory back. */
void lab_link_record_finish(struct lab_link_record *record)
{
    weir__histogram_clear(&record->queue_packets);
    weir__histogram_clear(&record->wait_ns);
}

static void note_in_window(struct lab_link_record *record, const struct weir__link_look *look)
{
    weir__histogram_add(&record->queue_packets, look->packets);
    if (look->wait_ns != WEIR_NEVER_NS) {
        weir__histogram_add(&record->wait_ns, look->wait_ns);
    }
}

/* Notes the queue as it is now. */
void lab_link_record_look(struct lab_link_record *record, struct weir__link *link,
                          gboolean in_window)
{
    struct weir__link_look look = weir__link_look(link);
    record->bin.looks++;
    if (look.packets == 0 && look.wait_ns == 0) {
        record->bin.wait_looks++;
        record->idle_looks += in_window ? 1 : 0;
        return;
    }
    record->bin.queue_packets_sum += look.packets;
    record->bin.queue_packets_max = weir_max_i64(record->bin.queue_packets_max, look.packets);
    if (look.wait_ns != WEIR_NEVER_NS) {
        record->bin.wait_looks++;
        record->bin.wait_sum_ns += (double)look.wait_ns;
    }
    if (in_window) {
        note_in_window(record, &look);
    }
}

/* Integrates the capacity up to now_ns. */
void lab_link_record_advance(struct lab_link_record *record, int64_t now_ns)
{
    if (record->config->n_trace > 0) {
        record->capacity_bits =
            weir__capacity_trace_bits(record->config->trace_ms, record->config->n_trace, now_ns);
        return;
    }
    while (record->integrated_ns < now_ns) {
        int64_t rate_bps = weir__link_usable_bps(
            record->config, weir__schedule_value(&record->schedule, record->integrated_ns));
        int64_t end_ns = weir_min_i64(now_ns, record->schedule.next_change_ns);
        record->capacity_bits +=
            (double)rate_bps * ((double)(end_ns - record->integrated_ns) / 1e9);
        record->integrated_ns = end_ns;
    }
}

/* Completes the histograms, at the end of the window. */
void lab_link_record_settle(struct lab_link_record *record)
{
    weir__histogram_add_zeros(&record->queue_packets, record->idle_looks);
    weir__histogram_add_zeros(&record->wait_ns, record->idle_looks);
    record->idle_looks = 0;
}

/* A bin begins now; the record has advanced to now. */
void lab_link_bin_start(struct lab_link_bin *bin, const struct lab_link_record *record,
                        struct weir__link *link)
{
    *bin = (struct lab_link_bin){.capacity_bits = record->capacity_bits,
                                 .counters = *weir__link_counters(link),
                                 .dualpi2 = link->queue.dualpi2.counts};
}

static void subtract_queue(struct weir__dualpi2_queue_counts *counts,
                           const struct weir__dualpi2_queue_counts *before)
{
    counts->sent_packets -= before->sent_packets;
    counts->marked_packets -= before->marked_packets;
    counts->dropped_packets -= before->dropped_packets;
    counts->waited_ns -= before->waited_ns;
}

/* What happened since the bin began; the record has advanced to now. */
struct lab_link_difference lab_link_bin_end(const struct lab_link_bin *bin,
                                            const struct lab_link_record *record,
                                            struct weir__link *link)
{
    struct lab_link_difference difference = {.counters = *weir__link_counters(link),
                                             .dualpi2 = link->queue.dualpi2.counts,
                                             .capacity_bits =
                                                 record->capacity_bits - bin->capacity_bits};
    weir__packet_counters_add(&difference.counters, &bin->counters, -1);
    subtract_queue(&difference.dualpi2.l4s, &bin->dualpi2.l4s);
    subtract_queue(&difference.dualpi2.classic, &bin->dualpi2.classic);
    difference.dualpi2.overload_ns -= bin->dualpi2.overload_ns;
    return difference;
}
