/* flow_proof.c -- what is proved of all later steps, and the jump that it allows.
 *
 * When the neighbour sets of the present state are proved to last (shape/quiescence.c:
 * theorem 4.2 of the Frank-Wolfe paper, claim lm-thm-t5), every token goes
 * straight to a known point l_i, and with the step sizes gamma^s
 *
 *   x_i^t = l_i + prod_{s=from}^{t-1} (1 - gamma^s) (x_i^from - l_i),
 *
 * for the ODE exp(-(t - from)) instead of the product. The product costs the same for any t
 * (base/schedule_left.c), so t may be 1e18 or infinite.
 *
 * Rounding: l_i is a token, exactly, or a mean within a few u R; the product has a relative
 * error of a few u log(1/product); so x_i^t is off by a few u R in all, for every t. Stepping
 * adds u R in every step, of which the step s keeps prod_{tau > s} (1 - gamma^tau), and stalls
 * where gamma |avg - x| is below half an ulp: the two agree within
 *
 *   4 u R sum_s prod_{tau > s} (1 - gamma^tau) + u R / gamma      (tests/flow/test_closed_form.c).
 *
 * The state of a jump is always made from the state of the proof, so it does not depend on how
 * a run is cut into calls.
 */
#include "flow/flow.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/math/pow.h"
#include "base/schedule.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define MEASURED (1 << 17) /* tokens */

/* ---- what later steps are like ------------------------------------------------------------ */

int trop_flow_averages(const struct trop_flow *f)
{
    double low, high;

    if (f->dynamics->continuous) {
        /* A long fixed step is no ODE any more; up to 1 an Euler step is an average. Leaps take no
         * step of an integrator. */
        int fixed = f->integrator->order != 0 && !f->options.leap;
        int fine = trop_flow_is_piecewise(f) || !fixed || f->options.dt <= 1;
        int bounded = !f->dynamics->unnormalised || !fixed;
        return fine && bounded && isnan(f->options.value.scale) && !f->options.value.values;
    }
    if (!f->dynamics->averages || f->step_map) {
        return 0;
    }
    trop_schedule_range(&low, &high, &f->gamma, (double)f->state.step);
    return low >= 0 && high <= 1;
}

int trop_flow_settled(const struct trop_flow *f)
{
    double t = trop_flow_clock(f);
    int uses = f->rule->uses;

    return ((uses & TROP_RULE_USES_BETA) == 0 || trop_schedule_settled(&f->options.beta, t)) &&
           ((uses & TROP_RULE_USES_EPSILON) == 0 || trop_schedule_settled(&f->options.epsilon, t));
}

int trop_flow_future(struct trop_quiescence_future *out, const struct trop_flow *f, double t)
{
    const struct trop_flow_options *o = &f->options;
    struct trop_rule_numbers now;

    if (f->dynamics->continuous) {
        *out = (struct trop_quiescence_future){ .gamma_low = 1, .gamma_high = 0.5 };
        return 1; /* hardmax: the segment towards a leader, never its end */
    }
    trop_schedule_range(&out->gamma_low, &out->gamma_high, &f->gamma, t);
    if (f->rule->best_only) {
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
        return trop_flow_settled(f) && trop_schedule_settled(&o->beta, t);
    }
    trop_schedule_range(&out->epsilon_low, &out->epsilon_high, &o->epsilon, t);
    out->decays_slowly = out->gamma_low == out->gamma_high &&
                         trop_schedule_decay(&o->epsilon, t) >= 1 - out->gamma_low;
    return out->epsilon_low >= 0;
}

/* Why nothing can be proved of this kind of flow, or NULL. */
static const char *unsuited(const struct trop_flow *f)
{
    if (!f->dynamics->closed_form && !trop_flow_is_piecewise(f)) {
        return "it is known for dynamics = layer and for the hardmax ODE";
    }
    if (!trop_flow_has_sets(f)) {
        return "it is known for rule = hardmax, and for localmax in its additive and probability "
               "forms";
    }
    return trop_flow_averages(f) ? NULL : "the step must be x + gamma (avg - x), gamma in (0, 1]";
}

/* ---- the proof ------------------------------------------------------------------------------ */

int trop_flow_prove(struct trop_flow *f)
{
    struct trop_quiescence_future later = { 0 }; /* not every form sets all of it */
    /* The slacks need every pair of tokens once more, which many tokens get only where the user
     * insists. */
    int measure = f->state.live <= MEASURED || f->options.closed_form == TROP_CLOSED_FORM_ONLY;

    f->state.proof = (struct trop_quiescence){ 0 };
    f->state.has_limits = 0;
    if (unsuited(f) || !trop_flow_future(&later, f, (double)f->state.step)) {
        return 0;
    }
    trop_quiescence_check(&f->state.proof, f->verdict.centres, f->engines.quiescence,
                          f->engines.attend, f->seen.notes, &f->options.cloud.key_query, &later,
                          measure);
    if (f->state.proof.kind == TROP_QUIESCENCE_NONE) {
        return 0;
    }
    for (int64_t i = 0; i < f->n; i++) {
        memcpy(f->state.limits + i * f->d, f->verdict.centres + f->state.owner[i] * f->d,
               (size_t)f->d * sizeof *f->state.limits);
    }
    f->state.has_limits = 1;
    return 1;
}

int64_t trop_flow_certificate_of(int64_t kind)
{
    static const int64_t kinds[] = {
        [TROP_QUIESCENCE_NONE] = TROP_FLOW_CERTIFICATE_NONE,
        [TROP_QUIESCENCE_THEOREM_4_2] = TROP_FLOW_CERTIFICATE_THEOREM_4_2,
        [TROP_QUIESCENCE_T5] = TROP_FLOW_CERTIFICATE_QUIESCENCE,
        [TROP_QUIESCENCE_FIXED] = TROP_FLOW_CERTIFICATE_FIXED_POINT,
    };

    return kinds[kind];
}

/* The step (of the ODE: the time) from which on the residual, prod |x - l|, is below the
 * tolerance; infinity when that never comes. */
static double still_from(const struct trop_flow *f)
{
    double far = 0, goal = f->options.tolerance * f->diameter0;

    for (int64_t g = 0; g < f->state.live; g++) {
        const double *limit = f->state.limits + f->state.head[g] * f->d;
        far = fmax(far, trop_cloud_distance(f->state.x + g * f->d, limit, f->d));
    }
    double log_ratio = far <= goal ? 0 : goal > 0 ? trop_log(goal / far) : -INFINITY;
    if (f->dynamics->continuous) {
        return f->state.time - log_ratio;
    }
    return trop_schedule_reach(&f->gamma, (double)f->state.step, log_ratio);
}

/* Where all is settled, the one a token follows listens to a closed group, and so does the one
 * that this one follows: their sets are equal. The first token for which they are not, -1: none.
 * Cheap, and seldom -1 before its time. */
static int64_t unsettled(const struct trop_flow *f)
{
    for (int64_t i = 0; i < f->state.live; i++) {
        const struct trop_attend_note *followed = f->seen.notes + f->seen.notes[i].best;
        if (followed->set != f->seen.notes[followed->best].set) {
            return i;
        }
    }
    return -1;
}

enum trop_status trop_flow_foresee(struct trop_flow *f)
{
    if (f->options.closed_form == TROP_CLOSED_FORM_NEVER || f->state.proved ||
        f->state.step < f->state.next_proof || unsuited(f)) {
        return TROP_OK;
    }
    enum trop_status status = trop_flow_look(f);
    if (status != TROP_OK) {
        return status;
    }
    if (unsettled(f) < 0 && trop_flow_prove(f)) {
        /* The state of the proof is kept: jumps start from it. */
        f->state.proved = trop_flow_certificate_of(f->state.proof.kind);
        f->state.from = f->state.step;
        f->state.closed = f->state.proof.plain && f->dynamics->closed_form &&
                          !isnan(trop_schedule_left(&f->gamma, (double)f->state.from, INFINITY));
        f->state.still = still_from(f);
        memcpy(f->state.base, f->state.x, (size_t)(f->state.live * f->d) * sizeof *f->state.base);
    }
    f->state.next_proof = trop_flow_later(f);
    f->seen.judged = 0;
    return TROP_OK;
}

enum trop_status trop_flow_insist(struct trop_flow *f)
{
    const char *why = unsuited(f);

    if (f->options.closed_form != TROP_CLOSED_FORM_ONLY || f->state.step > 0 ||
        trop_flow_jumps(f) || (f->state.proved && trop_flow_is_piecewise(f))) {
        return TROP_OK;
    }
    if (!why && f->state.proved) {
        why = f->state.proof.plain
                  ? "the product of 1 - gamma has none for this schedule"
                  : "the limits are proved, but not every token goes to its own on a "
                    "straight line at one rate";
    }
    if (why) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "closed_form = only: there is none, %s", why);
    }
    int64_t i = unsettled(f);
    if (i < 0) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "closed_form = only: no certificate, the sets of "
                                               "the first step are not proved to last");
    }
    return trop_fail(TROP_ERR_UNSUPPORTED,
                     "closed_form = only: no certificate, token %lld follows token %lld, which "
                     "does not stay with its own set",
                     (long long)f->state.head[i], (long long)f->state.head[f->seen.notes[i].best]);
}

/* ---- the jump -------------------------------------------------------------------------------- */

int trop_flow_jumps(const struct trop_flow *f)
{
    return f->state.closed != 0;
}

/* Steps are counted as whole numbers: beyond 2^53 doubles pass over some, and a run whose last step
 * is one of those would never come to it. */
int64_t trop_flow_jump(struct trop_flow *f, int64_t steps)
{
    int64_t before = f->state.step, end = f->options.steps.value, to = end;
    /* The last step of the run as a number; infinite beyond what double holds. */
    double log10 = f->options.steps.log10, last = end < INT64_MAX ? (double)end
                                                  : log10 < 308   ? trop_pow(10, log10)
                                                                  : INFINITY;
    double goal = last;

    if (steps < end - before) {
        to = before + steps;
    }
    if (trop_flow_observes_each(f)) {
        to = before + 1;
    }
    goal = to < end ? (double)to : last;
    if (f->options.until == TROP_UNTIL_CONVERGED) {
        /* Rounding decides when exactly the residual is small; from then on, step by step. */
        double still = f->state.still > (double)before ? f->state.still : (double)before + 1;
        if (still < goal) {
            goal = still;
            to = still < 0x1p63 ? (int64_t)still : INT64_MAX;
        }
    }
    f->state.step = to > before ? to : before + 1;
    double left = trop_exp(trop_schedule_left(&f->gamma, (double)f->state.from, goal));
    for (int64_t g = 0; g < f->state.live; g++) {
        const double *limit = f->state.limits + f->state.head[g] * f->d,
                     *base = f->state.base + g * f->d;
        for (int64_t c = 0; c < f->d; c++) {
            double x = fma(left, base[c] - limit[c], limit[c]);
            f->state.x[g * f->d + c] = left == 1 ? base[c] : x;
        }
    }
    f->state.jumped = 1;
    if (f->state.step == INT64_MAX) { /* known by its logarithm */
        f->state.log10_steps = goal == last ? f->options.steps.log10 : trop_log10(goal);
    }
    return f->state.step - before;
}
