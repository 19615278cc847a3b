/* flow_consensus.c -- the least tolerance epsilon that brings a cloud to consensus.
 *
 * Localmax with epsilon = 0 keeps its leaders apart; from the threshold T12 on everybody hears
 * everybody and the cloud meets at its mean. Between the two a bisection runs the flow to its
 * certificate. Consensus need not be monotone in epsilon, so what comes out is a bracket: at
 * `low` this cloud does not come to consensus, at `high` it does, both by proof; nothing is
 * said of other values.
 */
#include "base/status.h"
#include "flow/flow.h"
#include "shape/cloud.h"
#include "shape/threshold.h"

#include <math.h>

/* 1: consensus, 0: several limits, both proved; -1 with a sentence otherwise. */
static int meets(const struct trop_flow_options *options, double epsilon, enum trop_status *status)
{
    struct trop_flow_options o = *options;
    struct trop_flow *flow = NULL;
    int answer = -1;

    o.epsilon = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = epsilon };
    o.until = TROP_UNTIL_CONVERGED;
    *status = trop_flow_create(&flow, &o);
    if (*status == TROP_OK) {
        *status = trop_flow_run(flow, NULL, NULL);
    }
    if (*status == TROP_OK && flow->converged) {
        answer = flow->clusters == 1;
    } else if (*status == TROP_OK) {
        *status =
            trop_fail(TROP_ERR_NUMERIC, "epsilon = %.17g: the flow has not converged in %lld steps",
                      epsilon, (long long)flow->step);
    }
    trop_flow_free(flow);
    return answer;
}

static enum trop_status find_thresholds(struct trop_threshold *out,
                                        const struct trop_flow_options *options)
{
    struct trop_flow *flow = NULL;
    enum trop_status status = trop_flow_create(&flow, options);

    if (status == TROP_OK) {
        status = trop_flow_load(flow, flow->x, 0);
    }
    if (status == TROP_OK) {
        status = trop_threshold_find(out, flow->attend, &flow->options.key_query);
    }
    trop_flow_free(flow);
    return status;
}

enum trop_status trop_flow_consensus(struct trop_flow_consensus *out,
                                     const struct trop_flow_options *options, double width,
                                     trop_progress *progress, void *context)
{
    struct trop_threshold threshold;
    enum trop_status status = TROP_OK;

    if (trop_rule_at(options->rule) != &trop_rule_localmax ||
        options->dynamics != TROP_DYNAMICS_LAYER || options->form != TROP_FORM_ADDITIVE ||
        options->mask != TROP_MASK_FULL) {
        return trop_fail(TROP_ERR_ARG, "consensus: needs rule = localmax, form = additive, "
                                       "dynamics = layer and mask = full");
    }
    status = find_thresholds(&threshold, options);
    if (status != TROP_OK) {
        return status;
    }
    double low = 0, high = threshold.complete;
    int64_t runs = 1;
    int at_zero = meets(options, 0, &status);
    if (at_zero == 1) {
        high = 0;
    }
    while (status == TROP_OK && high - low > width * threshold.complete) {
        double middle = low + 0.5 * (high - low);
        if (progress && progress(context, runs, 60)) {
            return trop_fail(TROP_ERR_STOPPED, "stopped after %lld runs", (long long)runs);
        }
        if (!(middle > low && middle < high)) {
            break;
        }
        int answer = meets(options, middle, &status);
        low = answer == 0 ? middle : low;
        high = answer == 1 ? middle : high;
        runs++;
    }
    if (status == TROP_OK) {
        *out = (struct trop_flow_consensus){
            low, high, runs, threshold.complete, threshold.consensus, threshold.first
        };
    }
    return status;
}
