/* flow_judge.c -- has the run converged, and what proves it.
 *
 * A small residual alone is metastability: at inverse temperature beta a cloud can
 * sit still for exp(c beta) steps. Converged means a residual of at most tolerance
 * times the initial diameter and one of these:
 *
 *   consensus     the diameter is as small. The hull never grows under averages of
 *                 non-negative weights and a step size in (0, 1] (T1), so every later
 *                 state stays within that diameter.
 *   theorem 4.2, quiescence, fixed point
 *                 the neighbour sets never change again (shape/quiescence.c), and the
 *                 limits are known.
 *   fixed point   also: no token moves by a bit, nothing varies in time, and no weight
 *                 can have underflowed, so the state repeats for ever.
 */
#include "flow/flow.h"

#include "base/pow.h"
#include "base/schedule.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

/* 1 when the step is x + gamma (avg - x) with gamma in (0, 1], or its ODE: then T1 holds. */
static int averages(const struct trop_flow *f)
{
    double low, high;

    if (trop_flow_is_ode(f)) {
        /* A long fixed step is no ODE any more; up to 1 an Euler step is an average. */
        int fine = trop_flow_is_piecewise(f) || f->integrator->order == 0 || f->options.dt <= 1;
        int bounded = f->options.dynamics != TROP_DYNAMICS_USA || f->integrator->order == 0;
        return fine && bounded && isnan(f->options.value.scale) && !f->value;
    }
    if (f->options.dynamics == TROP_DYNAMICS_RESIDUAL || f->step_map) {
        return 0;
    }
    trop_schedule_range(&low, &high, &f->gamma, (double)f->step);
    return low >= 0 && high <= 1;
}

/* 1 when no number of the rule or step changes from now on. */
static int settled(const struct trop_flow *f)
{
    double t = trop_flow_clock(f);
    int uses = f->rule->uses;

    return ((uses & TROP_RULE_USES_BETA) == 0 || trop_schedule_settled(&f->options.beta, t)) &&
           ((uses & TROP_RULE_USES_EPSILON) == 0 || trop_schedule_settled(&f->options.epsilon, t));
}

/* The bounds of all later steps; 0 when there are none to build on. */
static int future(struct trop_quiescence_future *out, const struct trop_flow *f)
{
    const struct trop_flow_options *o = &f->options;
    struct trop_rule_numbers now;
    double t = (double)f->step;

    if (trop_flow_is_ode(f)) {
        *out = (struct trop_quiescence_future){ .gamma_low = 1, .gamma_high = 0.5 };
        return 1; /* hardmax: the segment towards a leader, never its end */
    }
    trop_schedule_range(&out->gamma_low, &out->gamma_high, &f->gamma, t);
    if (!trop_schedule_diverges(&f->gamma)) {
        return 0; /* tokens stop short of their limits */
    }
    if (f->rule == &trop_rule_hardmax) {
        out->epsilon_now = out->epsilon_low = out->epsilon_high = 0;
        out->decays_slowly = 0;
        return 1;
    }
    if (trop_flow_numbers(&now, f, t) != TROP_OK) {
        return 0;
    }
    out->epsilon_now = now.epsilon;
    if (o->form == TROP_FORM_PROBABILITY) {
        out->epsilon_low = out->epsilon_high = now.epsilon;
        return settled(f) && trop_schedule_settled(&o->beta, t);
    }
    trop_schedule_range(&out->epsilon_low, &out->epsilon_high, &o->epsilon, t);
    out->decays_slowly = out->gamma_low == out->gamma_high &&
                         trop_schedule_decay(&o->epsilon, t) >= 1 - out->gamma_low;
    return out->epsilon_low >= 0;
}

static int proved(struct trop_flow *f)
{
    struct trop_quiescence_future later;
    int localmax = f->rule == &trop_rule_localmax && (f->options.form == TROP_FORM_ADDITIVE ||
                                                      f->options.form == TROP_FORM_PROBABILITY);

    if (!averages(f) || f->options.dynamics == TROP_DYNAMICS_CHAIN ||
        !(localmax || f->rule == &trop_rule_hardmax) || !future(&later, f)) {
        return 0;
    }
    trop_quiescence_check(&f->proof, f->centres, f->quiescence, f->attend, f->notes,
                          &f->options.key_query, &later);
    for (int64_t i = 0; f->proof.kind != TROP_QUIESCENCE_NONE && i < f->n; i++) {
        memcpy(f->limits + i * f->d, f->centres + f->owner[i] * f->d,
               (size_t)f->d * sizeof *f->limits);
        f->has_limits = 1;
    }
    return f->proof.kind != TROP_QUIESCENCE_NONE;
}

/* Sparsemax and entmax give nothing to a score that is 1/((a-1) beta) below the best, for
 * mass m of the best m^(1-a) times that: 1 when every token is that far ahead at its own
 * place. */
static int isolated(struct trop_flow *f)
{
    double a = f->rule == &trop_rule_sparsemax ? 2 : f->options.a;
    double beta = trop_schedule_at(&f->options.beta, trop_flow_clock(f));

    if (!(a > 1 && beta > 0) ||
        trop_attend_rows(f->displacement, f->notes, f->attend, 1) != TROP_OK) {
        return 0;
    }
    for (int64_t i = 0; i < f->live; i++) {
        double need = trop_pow(f->mass[i], 1 - a) / ((a - 1) * beta) * (1 + 0x1p-20);
        if (!f->notes[i].unique || f->notes[i].gap != 0 || !(f->notes[i].margin > need)) {
            return 0;
        }
    }
    return 1;
}

/* 1 when no token will ever move. A displacement of zero proves it for rules whose
 * weights are ratios of masses; exponentials may only have underflowed. */
static int rests(struct trop_flow *f)
{
    if (f->residual != 0 || !settled(f) || f->options.dynamics == TROP_DYNAMICS_CHAIN) {
        return 0;
    }
    if (f->rule == &trop_rule_sparsemax || f->rule == &trop_rule_entmax) {
        return isolated(f);
    }
    return (f->rule->uses & TROP_RULE_USES_BETA) == 0;
}

/* A proof of before, with the distances of now. */
static void recall(struct trop_flow *f)
{
    f->certificate = f->proved;
    f->proof.distance = 0;
    for (int64_t i = 0; f->has_limits && i < f->n; i++) {
        double distance =
            trop_cloud_distance(f->x + f->owner[i] * f->d, f->limits + i * f->d, f->d);
        f->proof.distance = fmax(f->proof.distance, distance);
    }
}

static void search(struct trop_flow *f)
{
    static const int64_t kinds[] = {
        [TROP_QUIESCENCE_NONE] = TROP_FLOW_CERTIFICATE_NONE,
        [TROP_QUIESCENCE_THEOREM_4_2] = TROP_FLOW_CERTIFICATE_THEOREM_4_2,
        [TROP_QUIESCENCE_T5] = TROP_FLOW_CERTIFICATE_QUIESCENCE,
        [TROP_QUIESCENCE_FIXED] = TROP_FLOW_CERTIFICATE_FIXED_POINT,
    };

    f->certificate = TROP_FLOW_CERTIFICATE_NONE;
    f->proof = (struct trop_quiescence){ 0 };
    f->has_limits = 0;
    if (f->outcome == TROP_FLOW_SLIDING) {
        f->certificate = TROP_FLOW_CERTIFICATE_SLIDING;
    } else if (f->diameter <= f->options.tolerance * f->diameter0 && averages(f)) {
        f->certificate = TROP_FLOW_CERTIFICATE_CONSENSUS;
    } else if (proved(f)) {
        f->certificate = kinds[f->proof.kind];
    } else if (rests(f)) {
        f->certificate = TROP_FLOW_CERTIFICATE_FIXED_POINT;
    }
}

void trop_flow_certify(struct trop_flow *f)
{
    int still = f->residual <= f->options.tolerance * f->diameter0;

    f->converged = 0;
    if (f->options.dynamics == TROP_DYNAMICS_RESIDUAL) {
        f->certificate = TROP_FLOW_CERTIFICATE_NONE; /* x + V avg moves where avg = x */
        return;
    }
    if (f->proved) {
        recall(f);
    } else {
        search(f);
    }
    f->converged = still && f->certificate != TROP_FLOW_CERTIFICATE_NONE &&
                   f->certificate != TROP_FLOW_CERTIFICATE_SLIDING;
    if (still && f->certificate == TROP_FLOW_CERTIFICATE_NONE) {
        f->certificate = TROP_FLOW_CERTIFICATE_METASTABLE;
    }
}

enum trop_status trop_flow_judge(struct trop_flow *f)
{
    if (f->judged) {
        return TROP_OK;
    }
    enum trop_status status = trop_flow_look(f);
    if (status != TROP_OK) {
        return status;
    }
    f->diameter = trop_cloud_diameter(f->x, f->live, f->d, f->order, f->far, f->attend);
    status = trop_flow_load(f, f->x, trop_flow_clock(f)); /* what the diameter unloaded */
    if (status != TROP_OK) {
        return status;
    }
    trop_flow_certify(f);
    trop_flow_expand(f);
    f->clusters = trop_cloud_clusters(f->labels, f->full, f->n, f->d,
                                      f->options.cluster * f->diameter0, f->order, f->parent);
    f->judged = 1;
    return TROP_OK;
}
