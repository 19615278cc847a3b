/* flow_rules.c -- what attention is told at a given time: schedules become numbers. */
#include "flow/flow.h"

#include "base/math/log.h"
#include "base/status.h"

#include <math.h>

enum trop_status trop_flow_numbers(struct trop_rule_numbers *out, const struct trop_flow *flow,
                                   double t)
{
    const struct trop_flow_options *o = &flow->options;
    double beta = trop_schedule_at(&o->beta, t), epsilon = trop_schedule_at(&o->epsilon, t);
    int uses_beta = flow->rule->uses & TROP_RULE_USES_BETA;
    int uses_epsilon = flow->rule->uses & TROP_RULE_USES_EPSILON;

    if (uses_beta && !isfinite(beta)) {
        return trop_fail(TROP_ERR_ARG, "beta = %g at time %g: must be finite", beta, t);
    }
    if (uses_epsilon && !(epsilon >= 0 && isfinite(epsilon))) {
        return trop_fail(TROP_ERR_ARG, "epsilon = %g at time %g: must be at least 0", epsilon, t);
    }
    if (uses_epsilon && o->form == TROP_FORM_PROBABILITY) {
        if (!(epsilon > 0 && epsilon <= 1) || !(beta > 0)) {
            return trop_fail(TROP_ERR_ARG,
                             "form = probability: needs epsilon in (0, 1] and beta above 0, not %g "
                             "and %g",
                             epsilon, beta);
        }
        /* -log(epsilon) / beta, rounded once: log in twice the precision, and the quotient
         * corrected by its remainder. */
        double hi, lo;
        trop_log_pair(&hi, &lo, epsilon);
        double quotient = -hi / beta;
        double remainder = fma(-quotient, beta, -hi) - lo;
        epsilon = epsilon == 1 ? 0 : quotient + remainder / beta;
    }
    *out = (struct trop_rule_numbers){
        .rule = flow->rule,
        .beta = beta,
        .epsilon = epsilon,
        .form = o->form,
        .k = o->k,
        .a = o->a,
        .confidence = o->confidence,
        .ties = o->ties,
        .mask = o->mask,
    };
    return TROP_OK;
}

enum trop_status trop_flow_gamma(double *out, const struct trop_flow *flow)
{
    double gamma = trop_schedule_at(&flow->gamma, (double)flow->state.step);
    int free = !isnan(flow->options.value.scale); /* V = h I: any h/(1+h) */
    /* A falling schedule may underflow: its steps are above 0 all the same. */
    int falls =
        flow->gamma.kind == TROP_SCHEDULE_GEOMETRIC || flow->gamma.kind == TROP_SCHEDULE_POWER;
    int vanished = gamma == 0 && falls && flow->gamma.a > 0;

    if (!free && !vanished && !(gamma > 0 && gamma <= 1)) {
        return trop_fail(TROP_ERR_ARG, "gamma = %g at step %lld: must be above 0 and at most 1",
                         gamma, (long long)flow->state.step);
    }
    *out = gamma;
    return TROP_OK;
}

enum trop_status trop_flow_load(struct trop_flow *flow, const double *x, double t)
{
    struct trop_rule_numbers numbers;
    enum trop_status status = trop_flow_numbers(&numbers, flow, t);

    if (status != TROP_OK) {
        return status;
    }
    /* Unit masses need no array until tokens merge. */
    const double *mass =
        flow->options.cloud.masses || flow->state.live < flow->n ? flow->state.mass : NULL;
    return trop_attend_load(flow->engines.attend, x, mass, flow->state.live,
                            &flow->options.cloud.key_query, &numbers);
}
