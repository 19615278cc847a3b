/* flow_leap.c -- flows that leap over slow times.
 *
 * Softmax layers and the flows on the sphere are followed by flow/slow/slow.c, the random chain by
 * flow/slow/skip.c; both keep a logarithmic clock. Here a move of theirs becomes the state of a
 * flow: tokens, merged tokens, steps or time. A move counts as one where a run is looked at or
 * recorded, since its steps may be more than there are numbers for.
 */
#include "flow/flow_read.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/status.h"
#include "flow/slow/skip.h"
#include "flow/slow/slow.h"

#include <math.h>
#include <string.h>

#define LOG_TEN 2.302585092994045684
#define LOG_TWO 0.69314718055994531
#define FOR_EVER 1e300 /* an end time that is none */

enum trop_status trop_flow_leap_create(struct trop_flow *f)
{
    if (!f->options.leap) {
        return TROP_OK;
    }
    if (f->dynamics->random) {
        struct trop_skip_model model = {
            .n = f->n,
            .d = f->d,
            .beta = f->options.beta.a,
            .gamma = f->gamma.a,
            .key_query = &f->options.cloud.key_query,
            .seed = f->options.cloud.seed,
            .delta = f->options.leap_tolerance * 1e-6 * f->radius0,
        };
        return trop_skip_create(&f->engines.skip, &model, f->state.x);
    }
    double ulp = 0x1p-52 * f->radius0;
    struct trop_slow_options options = {
        .x = f->state.x,
        .mass = f->options.cloud.masses,
        .model = { .n = f->n,
                   .d = f->d,
                   .beta = f->options.beta.a,
                   .gamma = f->gamma.a,
                   .key_query = &f->options.cloud.key_query,
                   .sphere = f->dynamics->sphere,
                   .unnormalised = f->dynamics->unnormalised,
                   .shift = f->options.usa == TROP_USA_SHIFTED ? f->options.beta.a : 0 },
        .tolerance = f->options.leap_tolerance,
        .merge = 8 * ulp / (f->dynamics->sphere ? 1 : f->gamma.a),
    };
    f->verdict.plateaus = trop_alloc(f->n, sizeof *f->verdict.plateaus);
    if (!f->verdict.plateaus) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for plateaus of %lld tokens", (long long)f->n);
    }
    enum trop_status status = trop_slow_create(&f->engines.slow, &options);
    f->engines.merge_list = status == TROP_OK ? f->engines.slow->merges : NULL;
    return status;
}

void trop_flow_leap_free(struct trop_flow *f)
{
    trop_slow_free(f->engines.slow);
    trop_skip_free(f->engines.skip);
    trop_alloc_free(f->verdict.plateaus);
}

/* ---- from their state to the flow's ---------------------------------------------------------- */

static void take_slow(struct trop_flow *f)
{
    const struct trop_slow *s = f->engines.slow;

    memcpy(f->state.x, s->x, (size_t)(s->live * f->d) * sizeof *f->state.x);
    memcpy(f->state.mass, s->mass, (size_t)s->live * sizeof *f->state.mass);
    memcpy(f->state.owner, s->owner, (size_t)f->n * sizeof *f->state.owner);
    f->state.merges += f->state.live - s->live;
    f->state.live = s->live;
    memset(f->state.crowd, 0, (size_t)f->n * sizeof *f->state.crowd);
    for (int64_t i = f->n - 1; i >= 0; i--) {
        f->state.crowd[f->state.owner[i]]++;
        f->state.head[f->state.owner[i]] = i;
    }
    if (f->dynamics->sphere) {
        f->state.step = s->leaps;
        f->state.time = s->clock.log < 709 ? trop_exp(s->clock.log) : INFINITY;
        f->state.log10_time = s->clock.log / LOG_TEN;
    } else {
        /* Steps as a number where they are one, and by their logarithm beyond. */
        double count = s->clock.count, log = s->clock.log;
        count = floor((count < 0x1p53 || log > 50 ? count : trop_exp(log)) + 0.5);
        f->state.step = count < 0x1p63 ? (int64_t)count : INT64_MAX;
        f->state.log10_steps = count < 0x1p53 ? NAN : log / LOG_TEN;
    }
}

void trop_flow_leap_resume(struct trop_flow *f)
{
    struct trop_slow *s = f->engines.slow;

    if (f->engines.skip) {
        trop_skip_load(f->engines.skip, f->state.x, f->state.skip_words);
    }
    if (!s) {
        return;
    }
    memcpy(s->x, f->state.x, (size_t)(f->state.live * f->d) * sizeof *s->x);
    memcpy(s->mass, f->state.mass, (size_t)f->state.live * sizeof *s->mass);
    memcpy(s->owner, f->state.owner, (size_t)f->n * sizeof *s->owner);
    s->live = s->model.n = f->state.live;
}

/* ---- moves ----------------------------------------------------------------------- */

/* The logarithm of the last step or time. */
static double log_end(const struct trop_flow *f)
{
    const struct trop_count *steps = &f->options.steps;

    if (f->dynamics->sphere) {
        return f->options.time < FOR_EVER ? trop_log(f->options.time) : INFINITY;
    }
    return steps->value < INT64_MAX ? trop_log((double)steps->value) : steps->log10 * LOG_TEN;
}

/* The end, or nothing will ever move again: the clock stands there. */
static void finish(struct trop_flow *f, double end)
{
    if (f->dynamics->sphere) {
        f->state.time = f->options.time < FOR_EVER ? f->options.time : INFINITY;
        f->state.log10_time = end / LOG_TEN;
    } else {
        f->state.step = f->options.steps.value;
        f->state.log10_steps = f->state.step < (int64_t)1 << 53 ? NAN : f->options.steps.log10;
    }
    f->state.over = 1;
}

enum trop_status trop_flow_leap(struct trop_flow *f)
{
    double end = log_end(f);

    f->state.moves++;
    f->state.leapt = 1;
    if (f->engines.skip) {
        enum trop_status status = trop_skip_next(f->engines.skip, end);
        if (status != TROP_OK) {
            return status;
        }
        memcpy(f->state.x, trop_skip_tokens(f->engines.skip),
               (size_t)(f->n * f->d) * sizeof *f->state.x);
        f->state.step = trop_skip_steps(f->engines.skip);
        f->state.log10_steps =
            f->state.step < (int64_t)1 << 53 ? NAN : trop_skip_log_steps(f->engines.skip) / LOG_TEN;
        if (trop_skip_log_steps(f->engines.skip) >= end) {
            finish(f, end);
        }
        return TROP_OK;
    }
    enum trop_status status = trop_slow_move(f->engines.slow, end, NULL);
    if (status == TROP_OK) {
        take_slow(f);
    }
    if (status == TROP_OK &&
        (f->engines.slow->resting || trop_slow_is_over(f->engines.slow, end))) {
        finish(f, end);
    }
    return status;
}

/* ---- what leaps tell ------------------------------------------------------------- */

int64_t trop_flow_plateaus(struct trop_flow *f)
{
    const struct trop_slow *s = f->engines.slow;
    int64_t count = 0;

    for (int64_t k = 0; k <= s->merged; k++) {
        const struct trop_slow_merge *before = k > 0 ? s->merges + k - 1 : NULL;
        double in = before ? before->log : -INFINITY;
        double out = k < s->merged ? s->merges[k].log : s->clock.log;
        if (out - in >= LOG_TWO) { /* it lasts longer than all the time before it */
            f->verdict.plateaus[count++] = (struct trop_flow_plateau){
                .merge = k,
                .live = before ? before->live : f->n,
                .in = in,
                .out = k < s->merged ? s->merges[k].log : INFINITY,
                .energy = before ? before->energy : 0,
            };
        }
    }
    return count;
}

int64_t trop_flow_moves(const struct trop_flow *flow)
{
    return flow->options.leap ? flow->state.moves : flow->state.step;
}

#define MERGE(member) \
    TROP_FIELD_THROUGH(struct trop_flow, engines.merge_list, struct trop_slow_merge, member)
#define PLATEAU(member) \
    TROP_FIELD_THROUGH(struct trop_flow, verdict.plateaus, struct trop_flow_plateau, member)

static void decimal(struct trop_value *out, const void *member)
{
    trop_field_number(out, *(const double *)member / LOG_TEN);
}

static int has_begun(const void *handle, int64_t row)
{
    return ((const struct trop_flow *)handle)->verdict.plateaus[row].merge > 0;
}

static int has_ended(const void *handle, int64_t row)
{
    const struct trop_flow *f = handle;

    return f->verdict.plateaus[row].merge < f->engines.slow->merged;
}

const struct trop_field trop_flow_merge_columns[] = {
    { "log10_time", "decimal logarithm of the steps (sphere: the time) at the merge", MERGE(log),
      .form = decimal },
    { "clusters", "number of tokens that are left", .kind = TROP_KIND_INTEGER, MERGE(live) },
    { "energy", "mean of J by mass, just after", .kind = TROP_KIND_NUMBER, MERGE(energy) },
    { 0 },
};

const struct trop_field trop_flow_plateau_columns[] = {
    { "clusters", "number of tokens on the plateau", .kind = TROP_KIND_INTEGER, PLATEAU(live) },
    { "log10_in", "decimal logarithm of the time when the plateau begins", PLATEAU(in),
      .form = decimal },
    { "log10_out", "decimal logarithm of the time when it ends; null: the run ended first",
      PLATEAU(out), .form = decimal, .when = has_ended },
    { "energy", "mean of J by mass when the plateau begins; null for the first plateau",
      .kind = TROP_KIND_NUMBER, PLATEAU(energy), .when = has_begun },
    { 0 },
};
