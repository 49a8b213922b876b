/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/loss_model.h"

#include <math.h>
#include <stddef.h>

#include "weir/units.h"

/* libwebrtc's defaults. */
#define OBSERVATION_NS        WEIR_MS(250)
#define AGE_WEIGHT            0.9 /* per observation */
#define INHERENT_LOSS_START   0.01
#define INHERENT_LOSS_MIN     1e-3
#define INHERENT_LOSS_OFFSET  0.05    /* q <= this + ... */
#define INHERENT_LOSS_BALANCE 75000.0 /* ... this / B, bit/s */
#define NEWTON_STEP           0.75
#define PROBABILITY_MIN       1e-6
#define BIAS_PER_KBPS         0.0002
#define BIAS_OF_LOG           0.02
#define BIAS_LOSS             0.15 /* more loss than this prefers less */
#define BIAS_SMOOTHING        0.002
#define BOUND_LOSS            0.05 /* above it the rate is at most ... */
#define BOUND_BALANCE         75000.0
#define GROWTH                1.3 /* per ... */
#define GROWTH_WINDOW_NS      WEIR_MS(300)
#define FLOOR_BPS             5000.0

enum { MAX_CANDIDATES = 5 };

void weir__loss_model_init(struct weir__loss_model *model)
{
    *model = (struct weir__loss_model){.inherent_loss = INHERENT_LOSS_START};
}

void weir__loss_model_add(struct weir__loss_model *model, int64_t sent_ns, int64_t wire_bytes,
                          bool lost)
{
    if (!model->has_begun) {
        model->has_begun = true;
        model->begun_ns = sent_ns;
        model->last_sent_ns = sent_ns;
    }
    model->last_sent_ns = weir_max_i64(model->last_sent_ns, sent_ns);
    model->bytes += wire_bytes;
    model->packets++;
    model->lost += lost ? 1 : 0;
}

static const struct weir__loss_observation *observed(const struct weir__loss_model *model,
                                                     int32_t age)
{
    int32_t i = model->newest - age + WEIR__LOSS_MODEL_OBSERVATIONS;
    return &model->observations[i % WEIR__LOSS_MODEL_OBSERVATIONS];
}

static void measure_average_loss(struct weir__loss_model *model)
{
    double packets = 0.0, lost = 0.0, weight = 1.0;
    for (int32_t age = 0; age < model->n; age++, weight *= AGE_WEIGHT) {
        packets += weight * observed(model, age)->packets;
        lost += weight * observed(model, age)->lost;
    }
    model->average_loss = lost / packets;
}

/* Closes the observation once it is long enough. */
static bool observe(struct weir__loss_model *model)
{
    int64_t duration_ns = model->last_sent_ns - model->begun_ns;
    if (model->packets == 0 || duration_ns < OBSERVATION_NS) {
        return false;
    }
    model->newest = (model->newest + 1) % WEIR__LOSS_MODEL_OBSERVATIONS;
    model->n += model->n < WEIR__LOSS_MODEL_OBSERVATIONS ? 1 : 0;
    model->observations[model->newest] = (struct weir__loss_observation){
        .rate_bps = 8e9 * (double)model->bytes / (double)duration_ns,
        .packets = model->packets,
        .lost = model->lost,
    };
    model->begun_ns = model->last_sent_ns;
    model->bytes = 0;
    model->packets = 0;
    model->lost = 0;
    measure_average_loss(model);
    return true;
}

static double loss_probability(double inherent_loss, double capacity_bps, double rate_bps)
{
    double loss = inherent_loss;
    if (rate_bps > capacity_bps) {
        loss += (1.0 - inherent_loss) * (rate_bps - capacity_bps) / rate_bps;
    }
    return fmin(fmax(loss, PROBABILITY_MIN), 1.0 - PROBABILITY_MIN);
}

static double feasible_loss(double inherent_loss, double capacity_bps)
{
    double most = fmin(INHERENT_LOSS_OFFSET + INHERENT_LOSS_BALANCE / capacity_bps, 1.0);
    return fmin(fmax(inherent_loss, INHERENT_LOSS_MIN), most);
}

/* One step towards the q that makes the observations most likely. As in libwebrtc, the derivatives
 * are those by the loss probability, not by q. */
static double newton_step(const struct weir__loss_model *model, double capacity_bps,
                          double inherent_loss)
{
    double first = 0.0, second = 0.0, weight = 1.0;
    for (int32_t age = 0; age < model->n; age++, weight *= AGE_WEIGHT) {
        const struct weir__loss_observation *o = observed(model, age);
        double p = loss_probability(inherent_loss, capacity_bps, o->rate_bps);
        double lost = o->lost, received = o->packets - o->lost;
        first += weight * (lost / p - received / (1.0 - p));
        second -= weight * (lost / (p * p) + received / ((1.0 - p) * (1.0 - p)));
    }
    return feasible_loss(inherent_loss - NEWTON_STEP * first / second, capacity_bps);
}

/* How much a packet counts for a capacity, whatever becomes of it. */
static double bias(const struct weir__loss_model *model, double capacity_bps)
{
    double spare = BIAS_LOSS - model->average_loss;
    double scale = spare / (BIAS_SMOOTHING + fabs(spare));
    double kbps = capacity_bps / 1000.0;
    return scale * (BIAS_PER_KBPS * kbps + BIAS_OF_LOG * log(1.0 + kbps));
}

double weir__loss_model_objective(const struct weir__loss_model *model, double capacity_bps,
                                  double *inherent_loss)
{
    double objective = 0.0, weight = 1.0;
    double per_packet = bias(model, capacity_bps);
    *inherent_loss = newton_step(model, capacity_bps, feasible_loss(*inherent_loss, capacity_bps));
    for (int32_t age = 0; age < model->n; age++, weight *= AGE_WEIGHT) {
        const struct weir__loss_observation *o = observed(model, age);
        double p = loss_probability(*inherent_loss, capacity_bps, o->rate_bps);
        double received = o->packets - o->lost;
        objective += weight * (o->lost * log(p) + received * log(1.0 - p));
        objective += weight * per_packet * o->packets;
    }
    return objective;
}

static size_t propose(const struct weir__loss_model *model,
                      const struct weir__loss_model_input *input, double candidates[MAX_CANDIDATES])
{
    double now_bps = model->capacity_bps;
    bool limited = model->state != WEIR__LOSS_FREE && model->has_window;
    double most_bps = fmax(now_bps, limited ? model->window_limit_bps : input->max_bps);
    size_t n = 0;
    candidates[n++] = 1.02 * now_bps;
    candidates[n++] = now_bps;
    candidates[n++] = 0.95 * now_bps;
    if (input->acked_bps > 0.0) {
        candidates[n++] = input->acked_bps;
    }
    if (isfinite(input->delay_bps) && input->delay_bps > now_bps) {
        candidates[n++] = input->delay_bps;
    }
    for (size_t i = 0; i < n; i++) {
        candidates[i] = fmin(candidates[i], most_bps);
    }
    return n;
}

/* The most likely capacity, the first of equals. */
static double choose(const struct weir__loss_model *model,
                     const struct weir__loss_model_input *input, double *inherent_loss)
{
    double candidates[MAX_CANDIDATES];
    size_t n = propose(model, input, candidates);
    double best_bps = model->capacity_bps, best_loss = model->inherent_loss;
    double highest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double loss = model->inherent_loss;
        double objective = weir__loss_model_objective(model, candidates[i], &loss);
        if (objective > highest) {
            highest = objective;
            best_bps = candidates[i];
            best_loss = loss;
        }
    }
    *inherent_loss = best_loss;
    return best_bps;
}

/* No growth while more is lost than the path loses anyway, and a bounded one after that. */
static double bound_growth(const struct weir__loss_model *model, double best_bps,
                           double inherent_loss)
{
    if (model->average_loss > inherent_loss && best_bps > model->capacity_bps) {
        return model->capacity_bps;
    }
    bool in_window = model->state != WEIR__LOSS_FREE && model->has_window &&
                     model->last_sent_ns < model->window_ns + GROWTH_WINDOW_NS;
    return in_window ? fmin(best_bps, model->window_limit_bps) : best_bps;
}

static double upper_bound_bps(const struct weir__loss_model *model, double max_bps)
{
    double excess = model->average_loss - BOUND_LOSS;
    return excess > 0.0 ? BOUND_BALANCE / excess : max_bps;
}

static void set_result(struct weir__loss_model *model, const struct weir__loss_model_input *input,
                       double bounded_bps)
{
    bool limited = model->state != WEIR__LOSS_FREE;
    bool grows = bounded_bps > model->result_bps ||
                 (bounded_bps == model->result_bps && model->state == WEIR__LOSS_INCREASING);
    if (bounded_bps >= input->delay_bps || bounded_bps >= input->max_bps) {
        model->state = WEIR__LOSS_FREE;
    } else {
        model->state = limited && grows ? WEIR__LOSS_INCREASING : WEIR__LOSS_DECREASING;
    }
    model->result_bps = bounded_bps;
    bool over = !model->has_window || model->window_ns + GROWTH_WINDOW_NS < model->last_sent_ns;
    if (model->state != WEIR__LOSS_FREE && over) {
        model->has_window = true;
        model->window_limit_bps = fmax(FLOOR_BPS, GROWTH * model->capacity_bps);
        model->window_ns = model->last_sent_ns;
    }
}

void weir__loss_model_update(struct weir__loss_model *model,
                             const struct weir__loss_model_input *input)
{
    if (!observe(model)) {
        return;
    }
    if (!model->has_estimate) {
        if (!isfinite(input->delay_bps)) {
            return;
        }
        model->has_estimate = true;
        model->capacity_bps = input->delay_bps;
        model->result_bps = input->delay_bps;
    }
    double inherent_loss;
    double best_bps = choose(model, input, &inherent_loss);
    best_bps = bound_growth(model, best_bps, inherent_loss);
    double most_bps = fmin(upper_bound_bps(model, input->max_bps), input->delay_bps);
    model->capacity_bps = best_bps;
    model->inherent_loss = inherent_loss;
    set_result(model, input, fmax(input->min_bps, fmin(best_bps, most_bps)));
}

double weir__loss_model_bps(const struct weir__loss_model *model)
{
    bool ready = model->has_estimate && model->n >= WEIR__LOSS_MODEL_READY;
    return ready ? model->result_bps : INFINITY;
}
