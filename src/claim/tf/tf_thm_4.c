/* tf_thm_4.c -- gradient descent under equal scores goes to W_mm (theorems 4 and 5).
 *
 * As printed it is for any n, and false: with one query z for all inputs the model is that of a
 * prompt p = W z, and of n = T = d = 2
 *
 *   input 0: (1, 0) best, (0, 0);   input 1: (0, 0) best, (2, 1);   v = (1, -1), y = (1, -1),
 *
 * every input has one token besides the best, whose score is then trivially equal to all others.
 * W_mm = (1, -3) z', but from W(0) = (3, 0) z' descent goes to (1, 0) z', the solution for the
 * tokens (1, 0) and (2, 1), which is locally optimal.
 *
 * It holds for n = 1, with a rate. Then -grad L is a positive number times sum_t q_t A_t, A_t =
 * (x_opt - x_t) z', q the softmax over the other tokens: minus the gradient of the convex f(W) =
 * log sum_t e^-<A_t, W>, whose Hessian, a covariance of the A_t, is at most B^2 = max |A_t - A|^2
 * around any A, and whose gradient is at least Theta = 1/|W_mm|. Normalised steps eta_k give
 * f(W(k)) <= f(W(0)) - Theta S + B^2 Q / 2, with S = sum eta_k, Q = sum eta_k^2; the least lead is
 * at least -f, W_mm is a combination of the A_t with weights >= 0 of the sum |W_mm|^2, and so
 *
 *   cos(W(k), W_mm) >= (Theta S - f(W(0)) - B^2 Q / 2) / (Theta |W(k)|).
 *
 * With eta_k = eta / sqrt(k + 1) and |W(k)| <= |W(0)| + S the right side goes to 1. It is what is
 * checked at the end of the run, for any n; where it is below -1 it says nothing. A is the mean of
 * the A_t for n = 1, and 0 otherwise.
 *
 * Scores that differ by delta, or by their rounding, take 2 delta max |A_t| / (g s_opt) from what a
 * step gains, g the gap of the best. As long as that is at most Theta/2, f stays below f(W(0)) +
 * max_k (B^2 Q_k - Theta S_k)/2, and s_opt = 1/(1 + e^f) above what follows from that. Where it is
 * more nothing is proved, and the line is open: after a start at which the best token has next to
 * no attention, the differences of the others decide where descent goes. What rounding
 * may do is at rounding().
 */
#include "claim/tf/tf.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define ETA 2.

/* ---- the instance ---- */

static void draw_inputs(struct trop_case *c, int64_t n, double spread)
{
    const int64_t T = 2 + trop_case_pick(c, 41, 1, 3);
    const int is_new = !trop_case_has(c, "X");

    trop_tf_draw(c, n, T, n + T);
    if (is_new) {
        trop_tf_equal_scores(c);
        const struct trop_view x = trop_case_view(c, "X");
        for (int64_t k = 0; k < x.rows * x.columns * x.depth; k++) {
            const double by = spread * trop_case_uniform(c, 47, k / x.depth);
            x.at[k] += k / x.depth % x.columns == 0 ? 0 : by * trop_case_array(c, "v")[k % x.depth];
        }
    }
    trop_tf_draw_start(c, .3);
    trop_case_default(c, "delta", spread);
    trop_tokens_count(c, "steps", c->effort == TROP_CASE_TINY ? 20000 : 40000, 1, 1e9);
}

static void draw_any(struct trop_case *c)
{
    draw_inputs(c, 1 + trop_case_pick(c, 41, 0, 3), 0);
}

static void draw_one(struct trop_case *c)
{
    draw_inputs(c, 1, 0);
}

static void draw_any_near(struct trop_case *c)
{
    draw_inputs(c, 1 + trop_case_pick(c, 41, 0, 3), 1e-7);
}

static void draw_one_near(struct trop_case *c)
{
    draw_inputs(c, 1, 1e-7);
}

static void work(struct trop_case *c)
{
    trop_tf_solution(c, "W_mm", NULL, "l2");
    trop_tf_path(c, "path", "eta=%g eta_schedule=power:1,.5 steps=%lld records=1", ETA,
                 (long long)trop_case_integer(c, "steps"));
}

/* ---- hypotheses ---- */

static void equal_scores(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_truth(judge, "the other tokens of an input score the same", i,
                         trop_tf_is_level(&m, i));
    }
}

static void near_scores(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    const double delta = trop_case_number(c, "delta");

    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_truth(judge, "other scores of an input differ by delta at most", i,
                         trop_tf_spread(&m, i) <= delta + 1e-13);
    }
    trop_judge_truth(judge, "delta is small", -1, delta <= 1e-6);
}

static void one_input(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "n = 1", -1, trop_case_size(c, "X", 0) == 1);
}

/* Two equal tokens that are best would leave "equal-scores" too. */
#define UNIQUE \
    { \
        "unique", "one token of every input scores highest", .judge = trop_tf_has_best \
    }
#define EQUAL \
    { \
        "equal-scores", "tokens of an input other than the best score the same", \
            .judge = equal_scores, .broken = "a further token whose score is lower by .01" \
    }
#define NEAR \
    { \
        "near-scores", "scores of an input other than the best differ by delta <= 1e-6 at most", \
            .judge = near_scores, .broken = "a further token whose score is lower by .01" \
    }
#define ONE \
    { \
        "one-input", "n = 1", .judge = one_input, .broken = "the input twice" \
    }

static const struct trop_hypothesis equal_any[] = { UNIQUE, TROP_TF_FEASIBLE, EQUAL, { 0 } },
                                    equal_one[] = { UNIQUE, TROP_TF_FEASIBLE, EQUAL, ONE, { 0 } },
                                    near_any[] = { UNIQUE, TROP_TF_FEASIBLE, NEAR, { 0 } },
                                    near_one[] = { UNIQUE, TROP_TF_FEASIBLE, NEAR, ONE, { 0 } };

/* ---- the conclusion ---- */

struct sums {
    double start, square; /* f(W(0)), B^2 */
    double loss;          /* 2 delta max |A_t| / g */
};

/* The mean of the tokens of input i besides the best, or the best. */
static void middle(double *out, const struct trop_tf *m, int64_t i)
{
    const double *x = m->data.x + i * m->T * m->d;

    for (int64_t k = 0; k < m->T * m->d; k++) {
        const int64_t t = k / m->d;
        out[k % m->d] +=
            m->n > 1 ? (t == m->best[i]) * x[k] : (t != m->best[i]) * x[k] / (double)(m->T - 1);
    }
}

/* The sums over all constraints together; with n = 1 they are those of the proof. */
static struct sums sums_of(const struct trop_case *c, const struct trop_tf *m, const double *w)
{
    struct sums out = { 0 };
    double parts = 0;

    for (int64_t i = 0; i < m->n; i++) {
        const double z = trop_tokens_norm(m->data.z + i * m->d, m->d),
                     *x = m->data.x + i * m->T * m->d;
        /* One token has nothing to differ from. */
        const double delta = m->T > 2 ? trop_tf_spread(m, i) + trop_tf_score_rounding(m) : 0;
        double *centre = trop_case_scratch(c, m->d), longest = 0;
        middle(centre, m, i);
        for (int64_t t = 0; t < m->T; t++) {
            const double far =
                t == m->best[i] ? 0 : z * trop_tokens_distance(x + t * m->d, centre, m->d);
            out.square = fmax(out.square, far * far);
            longest =
                fmax(longest, z * trop_tokens_distance(x + t * m->d, x + m->best[i] * m->d, m->d));
            parts += t == m->best[i] ? 0 : trop_exp(-trop_tf_lead(&m->data, w, i, m->best[i], t));
        }
        out.loss = fmax(out.loss, 2 * delta * longest / trop_tf_score_gap(&m->data, i, m->best[i]));
    }
    out.start = trop_log(parts);
    return out;
}

/* The lower bound of cos(W, W_mm) |W|; -INFINITY when the proof gives none. */
static double least_along(const struct sums *of, int64_t steps, double theta)
{
    double s = 0, q = 0, most = 0;

    for (int64_t k = 0; k < steps; k++) {
        s += ETA / sqrt((double)k + 1);
        q += ETA * ETA / ((double)k + 1);
        most = fmax(most, (of->square * q - theta * s) / 2);
    }
    const double lost = of->loss > 0 ? of->loss * (1 + trop_exp(of->start + most)) : 0;
    return lost <= theta / 2 ? (theta * s - of->start - of->square * q / 2 - lost * s) / theta
                             : -(double)INFINITY;
}

/* Of K steps, of f(W(0)) as a part of |W(K)| Theta, and of W_mm: a proved gap g of its length
 * leaves an angle of sqrt(2 g), which moves 1 - cos by its product with the sine, and by its
 * square. */
static double rounding(const struct trop_case *c, const struct trop_tf *m, double bend,
                       double steps)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double upper = trop_case_number(c, "W_mm_upper"),
                 lower = trop_case_number(c, "W_mm_lower");
    const double angle = sqrt(2 * fmax(upper / lower - 1, DBL_EPSILON));

    return steps * DBL_EPSILON + angle * (sqrt(2 * bend) + angle) +
           trop_tf_rounding(m, path.at) * upper /
               trop_tokens_norm(trop_case_view_row(path, -1), m->size);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), step = trop_case_view(c, "path_step");
    const struct trop_tf m = trop_tf_of(c);
    const double *end = trop_case_view_row(path, -1);
    const int64_t steps = trop_case_integer(c, "steps");
    const struct sums of = sums_of(c, &m, path.at);
    const double least = least_along(&of, steps, 1 / trop_case_number(c, "W_mm_upper")) /
                         trop_tokens_norm(end, m.size);

    if (!(least > -1)) {
        trop_judge_truth(judge, "the bound of the proof says something after these steps", -1, -1);
        return;
    }
    /* The cosine is compared as 1 - cos, which does not cancel. */
    const double bend = trop_tf_bend(end, trop_case_array(c, "W_mm"), m.size);
    trop_judge_at_most(judge, "1 - cos(W, W_mm) at the end", (int64_t)step.at[step.rows - 1], bend,
                       1 - least, rounding(c, &m, bend, fmax(1e5, (double)steps)));
}

/* Enough steps for the bound to be well below the 1 - 1/sqrt(10) that separates the two limits. */
static const char *const exhibited[] = {
    TROP_TF_COUNTEREXAMPLE "; W0 = {3 0; 0 0}; delta = 0; steps = 400000",
};

static const struct trop_spoil spoils[] = {
    { "the last weights are reversed", NULL, .edit = "path[-1] *= -1" },
    { "the path of training with the labels exchanged", NULL, .edit = "work path with y *= -1" },
    { 0 },
};

#define IN_COMMON .inputs = "X y v z W0 steps delta", .spoils = spoils, .trials = 20
#define READING \
    "Read with normalised steps 2/sqrt(k + 1), for which the proof with one input bounds 1 - cos " \
    "at every step."

const struct trop_claim trop_tf_thm_4 = {
    .id = "tf-thm-4",
    .title = "equal scores: descent goes to W_mm, any n",
    .statement =
        "If the tokens of every input other than its best have equal scores, gradient "
        "descent goes to the direction of W_mm from every start, for any number of inputs.",
    .status = TROP_CLAIM_FALSE,
    .remark =
        "Two inputs of two tokens with one query, (1, 0) | (0, 0) and (0, 0) | (2, 1), best "
        "first: from W(0) = (3, 0) z' descent goes to (1, 0) z', which is locally optimal, and "
        "not to (1, -3) z'. It holds for n = 1. " READING,
    .repaired = "tf-thm-4-repaired",
    .hypotheses = equal_any,
    .run = { draw_any, work, conclude },
    .exhibited = exhibited,
    .exhibits = 1,
    .asymptotic = 1,
    IN_COMMON,
};

const struct trop_claim trop_tf_thm_4_repaired = {
    .id = "tf-thm-4-repaired",
    .title = "equal scores: descent goes to W_mm, n = 1",
    .statement =
        "If the tokens of one input other than its best have equal scores, gradient descent "
        "on this input alone goes to the direction of W_mm from every start.",
    .status = TROP_CLAIM_PROVED,
    .remark = READING,
    .hypotheses = equal_one,
    .run = { draw_one, work, conclude },
    IN_COMMON,
};

const struct trop_claim trop_tf_thm_5 = {
    .id = "tf-thm-5",
    .title = "nearly equal scores: descent goes to W_mm, any n",
    .statement = "For every start there is a delta > 0 such that gradient descent goes to the "
                 "direction of W_mm when the scores of an input other than its best differ by at "
                 "most delta, for any number of inputs.",
    .status = TROP_CLAIM_FALSE,
    .remark = "The counterexample to theorem 4 has equal scores, which are within every delta. "
              "Read with delta <= 1e-6. " READING,
    .repaired = "tf-thm-5-repaired",
    .hypotheses = near_any,
    .run = { draw_any_near, work, conclude },
    .exhibited = exhibited,
    .exhibits = 1,
    .asymptotic = 1,
    IN_COMMON,
};

const struct trop_claim trop_tf_thm_5_repaired = {
    .id = "tf-thm-5-repaired",
    .title = "nearly equal scores: descent goes to W_mm, n = 1",
    .statement =
        "For every start there is a delta > 0 such that gradient descent on one input goes "
        "to the direction of W_mm when its scores other than the best differ by at most "
        "delta.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read with delta <= 1e-6, whose effect on the directions of the steps is part of the "
              "bound. " READING,
    .hypotheses = near_one,
    .run = { draw_one_near, work, conclude },
    IN_COMMON,
};
