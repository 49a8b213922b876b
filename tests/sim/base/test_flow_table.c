/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/flow_table.h"

#define FLOWS 1000

static void count_packet(void *target, struct weir__packet *packet)
{
    int *count = target;
    (*count)++;
    packet->ack++;
}

static void test_flows_are_numbered_from_zero(void)
{
    struct weir__flow_table table;
    int count = 0;
    weir__flow_table_init(&table);
    for (uint32_t i = 0; i < FLOWS; i++) {
        uint32_t flow = UINT32_MAX;
        struct weir__port port = {.on_packet = count_packet, .target = &count};
        g_assert_cmpint(weir__flow_table_add(&table, port, &flow), ==, WEIR_OK);
        g_assert_cmpuint(flow, ==, i);
    }
    g_assert_cmpuint(table.n_flows, ==, FLOWS);
    weir__flow_table_finish(&table);
    g_assert_cmpuint(table.n_flows, ==, 0);
    weir__flow_table_finish(&table);
}

static void test_each_packet_goes_to_the_port_of_its_flow(void)
{
    struct weir__flow_table table;
    int counts[FLOWS] = {0};
    weir__flow_table_init(&table);
    struct weir__port entrance = weir__flow_table_port(&table);
    for (uint32_t i = 0; i < FLOWS; i++) {
        uint32_t flow = 0;
        struct weir__port port = {.on_packet = count_packet, .target = &counts[i]};
        g_assert_cmpint(weir__flow_table_add(&table, port, &flow), ==, WEIR_OK);
    }
    struct weir__packet packet = {.ack = 0};
    for (uint32_t i = 0; i < FLOWS; i++) {
        for (uint32_t n = 0; n < i % 5; n++) {
            packet.flow = i;
            weir__port_send(&entrance, &packet);
        }
    }
    int total = 0;
    for (uint32_t i = 0; i < FLOWS; i++) {
        g_assert_cmpint(counts[i], ==, i % 5);
        total += counts[i];
    }
    g_assert_cmpint(packet.ack, ==, total);
    weir__flow_table_finish(&table);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/flow_table/flows_are_numbered_from_zero",
                    test_flows_are_numbered_from_zero);
    g_test_add_func("/sim/flow_table/each_packet_goes_to_the_port_of_its_flow",
                    test_each_packet_goes_to_the_port_of_its_flow);
    return g_test_run();
}
