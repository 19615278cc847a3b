/* tf_runs.c -- one training run on random data, as the figures count them.
 *
 * The authors train with normalised gradient descent, steps of .1, on unit vectors, and compare
 * with max-margin solutions afterwards.
 */
#include "claim/tf/tf_figures.h"

#include "claim/examples.h"
#include "claim/tokens.h"
#include "tropism_lab.h"

#include <math.h>
#include <string.h>

static int leads(const struct trop_data *data, int64_t i, double by)
{
    int64_t best = 0;

    for (int64_t t = 1; t < data->T; t++) {
        best = trop_tf_score(data, i, t) > trop_tf_score(data, i, best) ? t : best;
    }
    return trop_tf_score_gap(data, i, best) >= by;
}

/* Moves the inputs that lead to the front; returns how many there are. */
static int64_t choose(struct trop_case *own, double by)
{
    static const char *const names[] = { "X", "y", "z" };
    struct trop_data data;
    int64_t found = 0;

    trop_examples_data(&data, own);
    for (int64_t i = 0; i < data.n; i++) {
        const int is_chosen = leads(&data, i, by);
        for (int k = 0; k < 3 && is_chosen; k++) {
            const struct trop_view v = trop_case_view(own, names[k]);
            memmove(trop_case_view_row(v, found), trop_case_view_row(v, i),
                    (size_t)(v.columns * v.depth) * sizeof *v.at);
        }
        found += is_chosen;
    }
    return found;
}

/* Given v, inputs are independent, so inputs chosen from a larger set have the law of sets that are
 * drawn again until all of them lead, at a cost that does not grow exponentially with n. */
struct trop_case *trop_tf_runs_data(const struct trop_case *c, int64_t n, int64_t T, int64_t d,
                                    int64_t seed, double lead)
{
    struct trop_case *own = trop_case_apart(c);
    int64_t found = 0;

    for (int64_t more = lead > 0 ? 8 : 1; found < n; more *= 4) {
        trop_case_drop(own, "X");
        trop_case_try(own, trop_examples_named(own, "attsvm", n * more, T, d, (uint64_t)seed));
        found = choose(own, lead > 0 ? lead : -INFINITY);
    }
    trop_case_reshape(own, "X", n, T, d);
    trop_case_reshape(own, "y", n, 0, 0);
    trop_case_reshape(own, "z", n, d, 0);
    trop_case_put(own, "seed", (double)seed);
    return own;
}

struct trop_train *trop_tf_runs_train(const struct trop_case *own, int64_t steps, const char *more)
{
    return trop_case_train(
        own,
        "optimizer=ngd eta=.1 steps=%lld start=uniform start_scale=%.17g seed=%lld records=1 %s",
        (long long)steps, 1 / sqrt((double)trop_case_size(own, "X", 2)),
        (long long)trop_case_integer(own, "seed") + 1, more);
}

struct trop_tf_runs_end trop_tf_runs_end(struct trop_case *own, const struct trop_train *train)
{
    struct trop_tf_runs_end end = { .decided = 1, .best = 1 };
    struct trop_data data;

    trop_examples_data(&data, own);
    trop_case_take(own, "alpha", trop_train_field_table(), train, "alpha");
    end.saturation = trop_case_told(own, trop_train_field_table(), train, "saturation");
    for (int64_t i = 0; i < data.n; i++) {
        const int64_t a = (int64_t)trop_case_array(own, "alpha")[i];
        end.decided = end.decided && a >= 0;
        end.best = end.best && a >= 0 && trop_tf_score_gap(&data, i, a) > 0;
    }
    return end;
}

const struct trop_margin *trop_tf_runs_solve(struct trop_case *own, const char *select,
                                             const char *norm)
{
    return trop_case_solve(own, "solution", "", "model=cross select=%s norm=%s", select, norm);
}

double trop_tf_runs_cosine(const struct trop_case *own, const struct trop_train *train,
                           const struct trop_margin *margin)
{
    const int64_t d = trop_margin_problem(margin)->rows;
    const double *k = NULL, *q = NULL;
    double *w = trop_case_scratch(own, d * d), scale = 0;
    int64_t shape[2] = { 0 };

    if (trop_case_told(own, trop_margin_field_table(), margin, "outcome") ==
        TROP_OUTCOME_INFEASIBLE) {
        return NAN;
    }
    trop_train_tensor(&k, &scale, shape, train, 0);
    if (!trop_train_tensor(&q, &scale, shape, train, 1)) {
        return 1 - trop_tf_bend(k, trop_margin_weights(margin), d * d);
    }
    for (int64_t e = 0; e < d * d; e++) {
        w[e] = trop_tokens_dot(k + e / d * shape[1], q + e % d * shape[1], shape[1]);
    }
    return 1 - trop_tf_bend(w, trop_margin_weights(margin), d * d);
}

/* ---- shares ---- */

double trop_tf_runs_share_of(const struct trop_case *c, const char *name, int64_t row,
                             int64_t column, double whole)
{
    const struct trop_view runs = trop_case_view_part(trop_case_view(c, name), row);
    double sum = 0;

    for (int64_t run = 0; run < runs.rows; run++) {
        sum += whole * trop_case_view_row(runs, run)[column] / (double)runs.rows;
    }
    return sum;
}

double trop_tf_runs_share_error(double p, double ours, double theirs)
{
    /* Shares near 0 and 1 have a variance of their own size: at least that of one trial. */
    const double share = fmin(fmax(p, 1 / theirs), 1 - 1 / theirs);

    return 4 * sqrt(share * (1 - share) * (1 / ours + 1 / theirs)) + 1 / ours;
}

void trop_tf_runs_share(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        const char *name, int64_t row, int64_t column,
                        struct trop_sample_published published)
{
    const double whole = published.unit, runs = trop_case_number(c, "runs");

    trop_judge_near(
        judge, line, -1, trop_tf_runs_share_of(c, name, row, column, whole), published.value,
        whole * trop_tf_runs_share_error(published.value / whole, runs, published.runs));
}
