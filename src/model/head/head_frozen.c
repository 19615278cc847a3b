/* head_frozen.c -- the flow of head_frozen.h, made and followed.
 *
 * In the coordinates (2^e q, 2^-e k), of dimension 2 d, the scores are <B x_i, x_j> with B (q, k) =
 * (0, scale q): no rounding comes between the head and its flow. e makes both parts about as long:
 * leaps are as long as |B| |x|^2 allows. The budget is in moves, not seconds, so that the answer
 * depends on the head alone. */
#include "model/head/head_frozen.h"

#include "base/alloc.h"
#include "base/status.h"
#include "flow/flow.h"
#include "flow/slow/slow.h"

#include <math.h>

void trop_head_frozen_close(struct trop_head_frozen *frozen)
{
    TROP_FREE(frozen->merge_log10_steps, frozen->merge_clusters);
    *frozen = (struct trop_head_frozen){ .log10_steps = NAN };
}

static double largest(const double *x, int64_t count)
{
    double most = 0;

    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

/* tokens (n, 2 d), key_query (2 d, 2 d). */
static void lay_out(double *tokens, double *key_query, const struct trop_head_input *input)
{
    const int64_t d = input->d, count = trop_alloc_product(input->n, d);
    int of_q, of_k;

    frexp(largest(input->q, count), &of_q);
    frexp(largest(input->k, count), &of_k);
    const int e = (of_k - of_q) / 2;
    for (int64_t i = 0; i < input->n; i++) {
        for (int64_t c = 0; c < d; c++) {
            tokens[2 * d * i + c] = ldexp(input->q[d * i + c], e);
            tokens[2 * d * i + d + c] = ldexp(input->k[d * i + c], -e);
        }
    }
    for (int64_t c = 0; c < d; c++) {
        key_query[(d + c) * 2 * d + c] = input->scale;
    }
}

static enum trop_status make(struct trop_flow **out, const struct trop_head_input *input,
                             const double *tokens, const double *key_query)
{
    struct trop_flow_options options = trop_flow_options_default();

    options.cloud.n = input->n;
    options.cloud.d = 2 * input->d;
    options.cloud.tokens = tokens;
    options.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = key_query };
    options.rule = TROP_RULE_SOFTMAX;
    options.beta = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = 1 };
    options.gamma =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = TROP_HEAD_FROZEN_GAMMA };
    options.steps = (struct trop_count){ INT64_MAX, INFINITY };
    options.until = TROP_UNTIL_CONVERGED;
    options.leap = 1;
    options.threads = 1;
    return trop_flow_create(out, &options);
}

static enum trop_status keep(struct trop_head_frozen *frozen, const struct trop_flow *flow)
{
    const struct trop_slow *slow = flow->engines.slow;
    const double log_ten = log(10);

    frozen->there = 1;
    frozen->clusters = slow->live;
    frozen->merges = slow->merged;
    if (!TROP_ALLOC(TROP_PART(frozen->merge_log10_steps, slow->merged + 1),
                    TROP_PART(frozen->merge_clusters, slow->merged + 1))) {
        trop_head_frozen_close(frozen);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the merges of a head");
    }
    for (int64_t k = 0; k < slow->merged; k++) {
        frozen->merge_log10_steps[k] = slow->merges[k].log / log_ten;
        frozen->merge_clusters[k] = slow->merges[k].live;
    }
    frozen->log10_steps = slow->live > 1     ? slow->clock.log / log_ten
                          : slow->merged > 0 ? frozen->merge_log10_steps[slow->merged - 1]
                                             : 0;
    return TROP_OK;
}

enum trop_status trop_head_frozen(struct trop_head_frozen *frozen,
                                  const struct trop_head_input *input)
{
    double *tokens = NULL, *key_query = NULL;
    struct trop_flow *flow = NULL;
    enum trop_status status = TROP_OK;

    trop_head_frozen_close(frozen);
    if (input->angle || input->causal || input->window > 0) {
        return TROP_OK;
    }
    if (!TROP_ALLOC(TROP_PART(tokens, trop_alloc_product(input->n, 2 * input->d)),
                    TROP_PART(key_query, trop_alloc_product(2 * input->d, 2 * input->d)))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the flow of a head");
        goto done;
    }
    lay_out(tokens, key_query, input);
    status = make(&flow, input, tokens, key_query);
    if (status != TROP_OK) {
        status = status == TROP_ERR_MEMORY ? status : TROP_OK;
        goto done;
    }
    status = trop_flow_step(flow, TROP_HEAD_FROZEN_MOVES);
    if (status == TROP_OK) {
        status = keep(frozen, flow);
    }
done:
    trop_flow_free(flow);
    TROP_FREE(tokens, key_query);
    return status;
}
