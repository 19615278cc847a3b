/* tf_fig_10.c -- how many columns K and Q need (figure 10).
 *
 * d = 20, T = 5, n = 5: 1 - cos of K Q' and the nuclear solution of what is selected, K and Q
 * having m = 1, 2, ... columns. Printed: .494, .060, .0031, then .0024: m near the rank of the
 * nuclear solution, 2.5 in the mean, is enough. The number of steps is not printed; here it is
 * 2000.
 *
 * The printed numbers are those of a regulariser. The authors trained K, Q with 2.2e-16 (|K|^2 +
 * |Q|^2) in the loss, whose least value over the factors of W is twice its nuclear norm, and with
 * plain gradients. Of 100 runs each, for m = 1, 2, 3, 4 and 6:
 *
 *   exact gradients, decay     .473  .060  .0049  .0043  .0042
 *   plain gradients, decay     .473  .060  .0048  .0041  .0042
 *   exact gradients, none      .476  .153  .082   .058   .040    (.131, .061, .039, .026 after
 * 10^4) plain gradients, none      .495  .254  .195   .159   .133
 *
 * So the gradient's arithmetic matters only where there is no decay. Those with decay are compared;
 * that decay brings K Q' nearer to the solution is judged for m > 1.
 *
 * Allowance: four standard errors of the difference of two means, theirs of 100 runs with our
 * variance, half a unit of the last digit.
 */
#include "claim/tf/tf_figures.h"

#include <math.h>
#include <stdio.h>

enum way { DECAY, PLAIN_DECAY, EXACT, PLAIN, WAYS };

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    static const char *const ways[WAYS] = { TROP_TF_RUNS_DECAY,
                                            TROP_TF_RUNS_PLAIN TROP_TF_RUNS_DECAY, "",
                                            TROP_TF_RUNS_PLAIN };
    struct trop_case *own = trop_tf_runs_data(c, 5, 5, 20, run, 0);
    char more[160];

    for (int k = 0; k < WAYS; k++) {
        snprintf(more, sizeof more, "model=kq width=%lld%s", (long long)row + 1, ways[k]);
        const struct trop_train *train = trop_tf_runs_train(own, 2000, more);
        out[k] =
            trop_tf_runs_end(own, train).decided
                ? 1 - trop_tf_runs_cosine(own, train, trop_tf_runs_solve(own, "@alpha", "nuclear"))
                : NAN;
    }
}

/* Column EXACT less DECAY, or PLAIN less PLAIN_DECAY. */
static void judge_gain(struct trop_judge *judge, const char *line, const struct trop_case *c,
                       const char *name, int64_t row, int64_t column,
                       struct trop_sample_published published)
{
    trop_judge_at_least(judge, line, -1,
                        trop_sample_of(c, name, row, column).mean -
                            trop_sample_of(c, name, row, column - 2).mean,
                        published.value, 0);
}

static const double widths[] = { 1, 2, 3, 4, 5, 6 };
static const double published[] = { .494, .060, .0031, .0024, .0024, .0024 };
static const double gain[] = { NAN, 0, 0, 0, 0, 0 };

static const struct trop_table_column shown[] = {
    { "1 - cos, m = %g", published, .judge = trop_sample_few, .column = DECAY, .theirs = 100,
      .unit = 1e-4, .label = "1 \u2212 cos(K Q', nuclear solution)", .scale = TROP_SCALE_LOG },
    { "plain gradients: 1 - cos, m = %g", published, .judge = trop_sample_few,
      .column = PLAIN_DECAY, .theirs = 100, .unit = 1e-4 },
    { "exact gradients: gain of the decay, m = %g", gain, .judge = judge_gain, .column = EXACT },
    { "plain gradients: gain of the decay, m = %g", gain, .judge = judge_gain, .column = PLAIN },
    { "exact gradients without decay: 1 - cos, m = %g", published, .judge = trop_sample_beside,
      .column = EXACT },
    { "plain gradients without decay: 1 - cos, m = %g", published, .judge = trop_sample_beside,
      .column = PLAIN, .label = "without decay, plain gradients", .scale = TROP_SCALE_LOG },
    { 0 },
};

static const struct trop_table table = {
    .entry = "bend",
    .one = one,
    .columns = WAYS,
    .runs = { 8, 40, 100 },
    .rows_entry = "dims",
    .rows = { 3, 4, 6 },
    .x = widths,
    .x_label = "columns m of K and Q",
    .shown = shown,
};

static const struct trop_hypothesis hypotheses[] = { TROP_SAMPLE_FIVE("at least five runs"),
                                                     { 0 } };

/* K Q' with one column would be the solution, whose rank is above 1 as a rule. */
static const struct trop_spoil spoils[] = {
    { "one column is enough for every run", .edit = "bend[0] = 0" },
    { "runs with decay and without change places", .edit = "swap bend[*,*,0] bend[*,*,2]" },
    { "the same of plain gradients", .edit = "swap bend[*,*,1] bend[*,*,3]" },
    { 0 },
};

const struct trop_claim trop_tf_fig_10 = {
    .id = "tf-fig-10",
    .title = "correlation against the columns of K and Q",
    .statement =
        "K Q' with m columns, trained with a small weight decay, aligns with the nuclear "
        "max-margin "
        "solution ever better as m grows to the rank of that solution, from 1 - cos = .494 at m = "
        "1, for n = T = 5, d = 20.",
    .status = TROP_CLAIM_MEASURED,
    .remark =
        "The printed numbers are due to the authors' regulariser, 2.2e-16 (|K|^2 + |Q|^2) in the "
        "loss: with it 100 runs of 2000 steps give .060, .0049 and .0043 for m = 2, 3, 4, with "
        "exact as with plain gradients; without it .153, .082 and .058 with exact and .254, .195 "
        "and .159 with plain ones.",
    .inputs = "runs dims",
    .hypotheses = hypotheses,
    .table = &table,
    .spoils = spoils,
    .size[0] = 640,
};
