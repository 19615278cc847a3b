/* tf_lem_2.c -- the infimum of the loss is not attained (lemma 2).
 *
 *   L* = (1/n) sum_i l(gamma_i,opt) < L(W)  for every W,   L(R W) -> L*  for W that separates.
 *
 * With e_i = gamma_i,opt - gamma_i' s_i = sum_t s_it (gamma_i,opt - gamma_it) > 0 and l convex,
 *
 *   (1/n) sum |l'(gamma_i,opt)| e_i <= L(W) - L* <= (1/n) sum |l'(gamma_i,opt - e_i)| e_i,
 *
 * which proves the first part, and for R W_mm, where e_i <= max gap (T - 1) e^-R, the second. The
 * library's log(L - L*) is held between the two, and along R W_mm below log(max gap (T - 1)) - R.
 * Logits round by trop_tf_rounding, and so does the logarithm of e_i, twice. Sums of numbers near
 * 2^-1022 lose up to half of 2^-1074 in each of their 4 T products, quotients and terms, on either
 * side of the comparison, and s_it is multiplied by the difference of scores after that: log(e_i)
 * moves by 1 + max gap of it over e_i. Scores round by trop_tf_score_rounding,
 * and their differences, of which e_i is a mean, by twice as much: log(e_i) by that over the least.
 * Where it would move by more than .01 the line is open.
 */
#include "claim/tf/tf.h"

#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define RANDOM 4
#define ALONG 5

static const double radii[ALONG] = { 1, 4, 16, 64, 256 };

static void draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 3), T = 2 + trop_case_pick(c, 41, 1, 3);

    trop_tf_draw(c, n, T, (n > T - 1 ? n : T - 1) + 1);
}

/* "W": random ones, and R W_mm; "log_gap": log(L - L*) of each, by a run of no steps. */
static void work(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2), size = d * d;
    double *w = trop_case_zeros(c, "W", RANDOM + ALONG, d, d);
    double *gap = trop_case_zeros(c, "log_gap", RANDOM + ALONG, 0, 0);

    trop_tf_solution(c, "W_mm", NULL, "l2");
    struct trop_case *aside = trop_case_aside(c);
    for (int64_t k = 0; k < (RANDOM + ALONG) * size; k++) {
        const int64_t row = k / size;
        w[k] = row < RANDOM ? radii[row] / 4 * trop_case_normal(c, 43 + row, k % size)
                            : radii[row - RANDOM] * trop_case_array(c, "W_mm")[k % size];
    }
    for (int64_t row = 0; row < RANDOM + ALONG; row++) {
        trop_case_copy_in(aside, "start", w + row * size, d, d, 0);
        gap[row] =
            trop_case_told(c, trop_train_field_table(),
                           trop_case_train(aside, "eta=1 steps=0 start_weights=@start"), "log_gap");
    }
}

/* The two sides of L - L*, by convexity. */
static void sides(double out[2], const struct trop_tf *m, const double *w)
{
    out[0] = out[1] = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const double top = trop_tf_score(&m->data, i, m->best[i]);
        const double less = trop_tf_loss_of_score(m, w, i);
        out[0] += trop_tf_slope(top) * less / (double)m->n;
        out[1] += trop_tf_slope(top - less) * less / (double)m->n;
    }
}

/* What rounding may do to the logarithm of a sum of n inputs, for logits that round by this. */
static double allow(const struct trop_tf *m, double logits, double sum)
{
    double gap = INFINITY, largest = 0;

    for (int64_t k = 0; k < m->n * m->T; k++) {
        const int64_t i = k / m->T;
        const double by =
            trop_tf_score(&m->data, i, m->best[i]) - trop_tf_score(&m->data, i, k % m->T);
        gap = k % m->T == m->best[i] ? gap : fmin(gap, by);
        largest = fmax(largest, by);
    }
    const double lost = 4 * (double)(m->n * m->T) * (1 + largest) * DBL_TRUE_MIN / sum +
                        2 * trop_tf_score_rounding(m) / gap;
    return lost <= .01 ? 1e-13 + 2 * logits + 2 * lost : (double)INFINITY;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W");
    const double *gap = trop_case_array(c, "log_gap");
    const struct trop_tf m = trop_tf_of(c);
    double largest = 0;

    for (int64_t k = 0; k < m.n * m.T; k++) {
        const int64_t i = k / m.T;
        largest = fmax(largest,
                       trop_tf_score(&m.data, i, m.best[i]) - trop_tf_score(&m.data, i, k % m.T));
    }
    for (int64_t row = 0; row < w.rows; row++) {
        const double logits = trop_tf_rounding(&m, trop_case_view_row(w, row));
        double side[2];
        sides(side, &m, trop_case_view_row(w, row));
        const double rounding = allow(&m, logits, side[0]);
        trop_judge_at_least(judge, "log(L - L*), from below", row, gap[row], trop_log(side[0]),
                            rounding);
        trop_judge_at_most(judge, "log(L - L*), from above", row, gap[row], trop_log(side[1]),
                           rounding);
        if (row >= RANDOM) {
            trop_judge_at_most(judge, "log(L(R W_mm) - L*) against log C - R", row, gap[row],
                               trop_log(largest * (double)(m.T - 1)) - radii[row - RANDOM],
                               rounding);
        }
    }
}

const struct trop_claim trop_tf_lem_2 = {
    .id = "tf-lem-2",
    .title = "the infimum of the loss is not attained",
    .statement = "With a unique best token in every input, L(W) > L* = (1/n) sum_i l(gamma_i,opt) "
                 "for every finite W, and L(R W) -> L* as R grows for every W that separates the "
                 "best tokens.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "The limit is read as the bound log(L(R W_mm) - L*) <= log C - R with its constant, at "
        "R = 1 to 256.",
    .inputs = "X y v z",
    .hypotheses = TROP_HYPOTHESES(TROP_TF_UNIQUE, TROP_TF_FEASIBLE),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "log(L - L*) at R = 256 is lower by 1e-6", NULL, .edit = "log_gap[-1] -= 1e-6" },
        { "L = L* at a random W", NULL, .edit = "log_gap[0] = -1/0" }),
    .trials = 50,
};
