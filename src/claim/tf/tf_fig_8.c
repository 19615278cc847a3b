/* tf_fig_8.c -- several tokens with a ReLU head (figure 8).
 *
 * h(o) = sum_k max(0, v_k'o), v = randn (d, d) over its Frobenius norm; n = 3, T = 4, d = 4 .. 10,
 * at least one label -1; 2000 normalised steps of .1. A run is accepted when no attention is
 * between 1e-6 and 1e-3 and some is below 1e-6. Printed: the means over 500 accepted runs of 1 -
 * correlation of W with W_fin + R W_mm (Gen-SVM), and with W_mm.
 *
 * With exact gradients few runs are accepted, 27 of 100 at d = 4 and 2 of 100 at d = 10: steps of
 * .1 go to and fro around W_fin, and attention is masked slowly. What is accepted is then another
 * sample than the authors', whose gradients round.
 *
 * Allowance: four standard errors of the difference of two means with our variance, theirs of 500
 * runs, half a unit of the last digit.
 */
#include "claim/tf/tf_figures.h"

#include "base/rng.h"
#include "claim/examples.h"

#include <math.h>

#define INPUTS 3
#define TOKENS 4

enum { ACCEPTED, BOTH, DIRECTION, COLUMNS };

static const double sizes[] = { 4, 6, 8, 10 };

static void draw_data(struct trop_case *own, int64_t d, int64_t run)
{
    const uint64_t seed = own->seed, from = (uint64_t)(3000000 + run * 1000);
    double *x = trop_case_zeros(own, "X", INPUTS, TOKENS, d),
           *z = trop_case_zeros(own, "z", INPUTS, d, 0),
           *y = trop_case_zeros(own, "y", INPUTS, 0, 0), *v = trop_case_zeros(own, "v", d, d, 0);
    double squares = 0;
    int64_t negative = 0;

    for (int64_t k = 0; k < INPUTS * TOKENS; k++) {
        trop_rng_sphere(x + k * d, d, seed, TROP_RNG_CLAIMS, from + (uint64_t)k);
    }
    for (int64_t i = 0; i < INPUTS; i++) {
        trop_rng_sphere(z + i * d, d, seed, TROP_RNG_CLAIMS, from + 100 + (uint64_t)i);
        y[i] = trop_rng_uniform(seed, TROP_RNG_CLAIMS, from + 200, (uint64_t)i) < .5 ? -1 : 1;
        negative += y[i] < 0;
    }
    y[0] = negative ? y[0] : -1;
    for (int64_t k = 0; k < d * d; k++) {
        v[k] = trop_rng_normal(seed, TROP_RNG_CLAIMS, from + 300, (uint64_t)k);
        squares += v[k] * v[k];
    }
    for (int64_t k = 0; k < d * d; k++) {
        v[k] /= sqrt(squares);
    }
}

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const struct trop_field *table = trop_train_field_table();
    const int64_t d = (int64_t)sizes[row], k = row * trop_case_integer(c, "runs") + run;
    struct trop_case *own = trop_case_apart(c);
    struct trop_data data;
    const double *w = NULL;
    double scale = 0, s[TOKENS];
    int64_t shape[2], between = 0, masked = 0;

    draw_data(own, d, k);
    trop_examples_data(&data, own);
    const struct trop_train *train = trop_case_train(
        own,
        "optimizer=ngd eta=.1 steps=2000 head=relu start=uniform start_scale=%.17g seed=%llu "
        "records=1 compare=final",
        1 / sqrt((double)d), (unsigned long long)c->seed + (unsigned long long)k);
    trop_train_tensor(&w, &scale, shape, train, 0);
    for (int64_t t = 0; t < INPUTS * TOKENS; t++) {
        trop_tf_softmax(s, &data, w, t / TOKENS);
        between += s[t % TOKENS] > 1e-6 && s[t % TOKENS] <= 1e-3;
        masked += s[t % TOKENS] <= 1e-6;
    }
    const double both = trop_case_told(own, table, train, "several.both");
    out[ACCEPTED] = !between && masked && !isnan(both);
    out[BOTH] = out[ACCEPTED] > 0 ? 1 - both : NAN;
    out[DIRECTION] =
        out[ACCEPTED] > 0 ? 1 - trop_case_told(own, table, train, "several.direction") : NAN;
}

static const double both[] = { .0304, .0172, .0074, .0058 };
static const double direction[] = { .0586, .0351, .0199, .0165 };

static const struct trop_table_column shown[] = {
    { "1 - corr with W_fin + R W_mm, d = %g", both, .judge = trop_sample_few, .column = BOTH,
      .theirs = 500, .unit = 1e-4, .label = "1 \u2212 corr(W, W_fin + R W_mm)",
      .scale = TROP_SCALE_LOG },
    { "1 - corr with W_mm, d = %g", direction, .judge = trop_sample_few, .column = DIRECTION,
      .theirs = 500, .unit = 1e-4, .label = "1 \u2212 corr(W, W_mm)", .scale = TROP_SCALE_LOG },
    { 0 },
};

static const struct trop_table table = {
    .entry = "end",
    .one = one,
    .columns = COLUMNS,
    .runs = { 40, 700, 1000 },
    .rows_entry = "dims",
    .rows = { 1, 1, 4 },
    .x = sizes,
    .x_label = "dimension d",
    .shown = shown,
};

static void has_accepted(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_sample_summary s;

    for (int64_t row = 0; row < trop_case_size(c, "end", 0); row++) {
        trop_sample_summary(&s, c, "end", row, BOTH);
        trop_judge_at_least(judge, "accepted runs", row, (double)s.runs, 5, 0);
    }
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_SAMPLE_FIVE("at least five runs"),
    { "enough-accepted", "at least five runs of each size meet the criteria", .late = 1,
      .judge = has_accepted, .broken = "no run is accepted", .edit = "end = 0; end /= 0" },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "weights at a right angle", .edit = "end[0,*,1] += 1" },
    { 0 },
};

const struct trop_claim trop_tf_fig_8 = {
    .id = "tf-fig-8",
    .title = "several tokens with a ReLU head",
    .statement =
        "With a ReLU head, where training keeps several tokens of an input, W is described by "
        "W_fin + R W_mm to 1 - correlation = .030, .017, .007 and .006 for d = 4, 6, 8 and 10, "
        "twice as well as by W_mm alone.",
    .status = TROP_CLAIM_MEASURED,
    .remark =
        "Differs: of 2000 runs of each size ours have .103, .076, .067 and .059. With exact "
        "gradients "
        "few runs meet the criteria of acceptance, 27 of 100 at d = 4 and 2 of 100 at d = 10, so "
        "that ours are another sample.",
    .inputs = "runs dims",
    .hypotheses = hypotheses,
    .table = &table,
    .spoils = spoils,
    .trials = 1,
    .width = 640,
};
