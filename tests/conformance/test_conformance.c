/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every controller of the registry must do, whatever its algorithm: sane tables, its own known
 * answers, finite answers to extreme inputs, the same life after its state was copied, no rise
 * during silence, timers that move on. */
#include "../controller_flow.h"
#include "events.h"
#include "vectors/assert_known_answers.h"

#define N_LIVES (TEST_IS_SANITIZED ? 5000 : 20000)
#define N_STEPS 25

/* Lives per algorithm; WEIR_LIVES asks for more. */
static uint64_t n_lives(void)
{
    const char *text = g_getenv("WEIR_LIVES");
    return text != NULL ? g_ascii_strtoull(text, NULL, 10) : N_LIVES;
}

typedef void (*check_fn)(const struct weir_controller *controller);

static bool is_name(const char *name)
{
    return name != NULL && g_regex_match_simple("^[a-z][a-z0-9]*(-[a-z0-9]+)*$", name, 0, 0);
}

static void table_is_sane(const struct weir_controller *c)
{
    g_assert_true(is_name(c->name));
    g_assert_cmpuint(strlen(c->description), >=, 20);
    g_assert_cmpuint(strlen(c->spec), >=, 3);
    g_assert_cmpuint(c->state_bytes, >, 0);
    g_assert_cmpuint(c->state_bytes, <=, WEIR_STATE_MAX_BYTES);
    g_assert_nonnull(c->init);
    g_assert_nonnull(c->get_output);
    g_assert_true(c->on_report != NULL || c->on_feedback != NULL);
    g_assert_true(c->on_feedback != NULL ||
                  !(c->needs & (WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS)));
    for (size_t i = 0; weir__controller_at(i) != NULL; i++) {
        const struct weir_controller *other = weir__controller_at(i);
        g_assert_true(other == c || strcmp(other->name, c->name) != 0);
    }
}

static void params_are_sane(const struct weir_controller *c)
{
    g_assert_cmpuint(c->n_params, <=, WEIR_MAX_PARAMS);
    for (size_t i = 0; i < c->n_params; i++) {
        const struct weir_param *p = &c->params[i];
        g_test_message("%s", p->name);
        g_assert_true(is_name(p->name));
        g_assert_nonnull(p->unit);
        g_assert_cmpuint(strlen(p->description), >=, 15);
        g_assert_true(g_str_has_suffix(p->description, "."));
        g_assert_cmpfloat(p->min, <, p->max);
        for (size_t k = 0; k < i; k++) {
            g_assert_cmpstr(c->params[k].name, !=, p->name);
        }
        double edges[] = {p->default_value, p->min, p->max};
        for (size_t k = 0; k < 3; k++) {
            struct weir_param_value value = {.name = p->name, .value = edges[k]};
            g_assert_cmpint(weir_param_check(c->name, &value, NULL, NULL, 0), ==, WEIR_OK);
        }
        g_assert_true((p->kind == WEIR_PARAM_CHOICE) == (p->choices != NULL));
        if (p->choices != NULL) {
            size_t n = 0;
            while (p->choices[n] != NULL) {
                g_assert_true(is_name(p->choices[n++]));
            }
            g_assert_cmpfloat(p->min, ==, 0.0);
            g_assert_cmpfloat(p->max, ==, (double)(n - 1));
        }
    }
}

/* One step outside the range at either end: refused, by name, value and range. */
static void params_outside_their_range_are_refused(const struct weir_controller *c)
{
    for (size_t i = 0; i < c->n_params; i++) {
        const struct weir_param *p = &c->params[i];
        double outside[] = {p->min - fmax(1.0, fabs(p->min)), p->max + fmax(1.0, fabs(p->max))};
        for (size_t k = 0; k < 2; k++) {
            struct weir_param_value value = {.name = p->name, .value = outside[k]};
            double checked = -1.0;
            char why[400] = "";
            g_assert_cmpint(weir_param_check(c->name, &value, &checked, why, sizeof(why)), ==,
                            WEIR_ERROR_RANGE);
            g_assert_cmpfloat(checked, ==, -1.0);
            char *begin = g_strdup_printf("%s: %s=", c->name, p->name);
            g_assert_true(g_str_has_prefix(why, begin));
            g_assert_true(strstr(why, "is out of range, ") != NULL || p->kind != WEIR_PARAM_NUMBER);
            g_free(begin);
        }
    }
}

static void known_answers_are_given(const struct weir_controller *c)
{
    assert_known_answers(c->name);
}

static void random_lives_stay_finite(const struct weir_controller *c)
{
    static struct events e;
    uint64_t last = n_lives();
    for (uint64_t seed = 1; seed <= last; seed++) {
        events_begin(&e, c, seed);
        for (int step = 0; step < N_STEPS; step++) {
            events_step(&e);
            const char *wrong = events_check_output(&e);
            if (wrong != NULL) {
                g_test_message("seed %u, step %d: %s", (unsigned)seed, step, wrong);
                g_test_fail();
                return;
            }
        }
    }
}

static void long_lives_stay_finite(const struct weir_controller *c)
{
    static struct events e;
    uint64_t last = n_lives() / 1000;
    for (uint64_t seed = 1; seed <= last; seed++) {
        events_begin(&e, c, seed << 32);
        for (int step = 0; step < 10000; step++) {
            events_step(&e);
            const char *wrong = events_check_output(&e);
            g_assert_cmpstr(wrong, ==, NULL);
        }
    }
}

/* A copy lives on as the original does, and the original does not notice. */
static void copies_live_the_same_life(const struct weir_controller *c)
{
    static struct events e, copy;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        events_begin(&e, c, seed);
        for (int step = 0; step < 60; step++) {
            events_step(&e);
        }
        memset(&copy, 0xa5, sizeof(copy));
        memcpy(&copy, &e, sizeof(copy));
        memset(copy.driver.state + c->state_bytes, 0x5a, WEIR_STATE_MAX_BYTES - c->state_bytes);
        for (int step = 0; step < 60; step++) {
            events_step(&e);
            events_step(&copy);
            g_assert_true(events_hash(&e, 1) == events_hash(&copy, 1));
        }
        g_assert_true(memcmp(e.driver.state, copy.driver.state, c->state_bytes) == 0);
    }
}

/* init uses nothing that was in its memory before. */
static void old_memory_does_not_matter(const struct weir_controller *c)
{
    static struct events e;
    uint64_t hashes[2] = {1, 1};
    for (int turn = 0; turn < 2; turn++) {
        events_begin(&e, c, 7);
        memset(e.driver.state, turn ? 0xff : 0x00, sizeof(e.driver.state));
        struct weir_config config = {
            .params = e.params,
            .limits = {.min_bps = 30000, .max_bps = 10000000, .start_bps = 300000},
            .packet_bytes = 1000,
            .seed = 7,
            .path = &e.driver.path.now};
        c->init(e.driver.state, &config);
        for (int step = 0; step < 500; step++) {
            events_step(&e);
            hashes[turn] = events_hash(&e, hashes[turn]);
        }
    }
    g_assert_true(hashes[0] == hashes[1]);
}

static void rate_never_rises_during_silence(const struct weir_controller *c)
{
    for (int reports = 0; reports < (c->needs & WEIR_HAS_REPORT_FORM ? 2 : 1); reports++) {
        struct flow *f = flow_new(c->name, NULL, 0);
        f->capacity_bps = WEIR_MBPS(1);
        f->reports = reports;
        f->feedback_ns = reports ? WEIR_SECONDS(1) : WEIR_MS(50);
        flow_run_until(f, WEIR_SECONDS(20));
        int64_t last_bps = flow_silence_until(f, WEIR_SECONDS(200));
        g_test_message("%s: %d bit/s after 180 s of silence", reports ? "reports" : "packets",
                       (int)last_bps);
        if (strcmp(c->name, "fixed") != 0) {
            g_assert_cmpint(last_bps, <, WEIR_KBPS(100));
        }
        flow_free(f);
    }
}

/* Time that stands still, and time that jumps by a day. */
static void clocks_may_stall_and_jump(const struct weir_controller *c)
{
    static struct events e;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        events_begin(&e, c, seed);
        for (int step = 0; step < 300; step++) {
            e.frozen = step % 3 != 0;
            e.now_ns += step % 100 == 99 ? WEIR_SECONDS(86400) : 0;
            events_step(&e);
            g_assert_cmpstr(events_check_output(&e), ==, NULL);
        }
    }
}

/* Left alone, timers come to rest or keep a distance: not more than 1000 a second for long. */
static void timers_move_on(const struct weir_controller *c)
{
    static struct events e;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        events_begin(&e, c, seed);
        for (int step = 0; step < 50; step++) {
            events_step(&e);
        }
        int64_t start_ns = e.now_ns;
        int64_t last_ns = start_ns;
        int n = 0;
        for (; n < 100000; n++) {
            int64_t due_ns = weir__driver_next_timer_ns(&e.driver);
            if (due_ns > start_ns + WEIR_SECONDS(100)) {
                break;
            }
            last_ns = weir_max_i64(due_ns, last_ns);
            weir__driver_on_timer(&e.driver, last_ns);
        }
        g_assert_cmpint(n, <, 100000);
    }
}

static void add(const char *promise, check_fn check)
{
    for (size_t i = 0; weir__controller_at(i) != NULL; i++) {
        char *path = g_strdup_printf("/%s/%s", weir__controller_at(i)->name, promise);
        g_test_add_data_func(path, weir__controller_at(i), (GTestDataFunc)(void (*)(void))check);
        g_free(path);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) add(#name, name)
    ADD(table_is_sane);
    ADD(params_are_sane);
    ADD(params_outside_their_range_are_refused);
    ADD(known_answers_are_given);
    ADD(random_lives_stay_finite);
    ADD(long_lives_stay_finite);
    ADD(copies_live_the_same_life);
    ADD(old_memory_does_not_matter);
    ADD(rate_never_rises_during_silence);
    ADD(clocks_may_stall_and_jump);
    ADD(timers_move_on);
    return g_test_run();
}
