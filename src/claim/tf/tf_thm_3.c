/* tf_thm_3.c -- no stationary point under assumption B (theorem 3), and the smoothness of the loss.
 *
 * With a_t = x_t' W_mm z and S' = diag(s) - s s', -<grad L(W), W_mm> = (1/n) sum |l'_i| a_i' S'_i
 * gamma_i. If all tokens are support vectors (B.1), a_i is constant but for a_opt, which is larger
 * by 1; if the scores of the others are equal (B.2), gamma_i is, and a_opt - a_t >= 1. In both
 * cases
 *
 *   -<grad L(W), W_mm> >= (1/n) sum_i |l'_i| s_i,opt (1 - s_i,opt) min_t (gamma_i,opt - gamma_it)
 *
 * > 0: no W is stationary. The right side is evaluated from the data, the left from the library's
 * gradients. These come from one step of length 1, so they carry u |W| of rounding, and that of
 * their logits in every term s_t |gamma_t - gamma's| |a_t - a's|; W_mm has the leads 1 up to its
 * gap. What is constant is so up to e, 1e-7 of leads and the rounding of scores, and S' makes at
 * most e sum_t s_t |gamma_t - gamma's|, or e sum_t s_t |a_t - a's|, of that over the other tokens:
 * more than the bound where s_opt is small, and then the line is open.
 *
 *   |grad L(W) - grad L(W')| <= L_W |W - W'|,
 *   L_W = (1/n) sum_i |v| |z_i|^2 |X_i|^3 (M0 |v| |X_i| + 3 M1),
 *
 * spectral norms, M0 = 1/4 and M1 = 1 of the logistic loss. A gradient is (1/n) sum_i l'_i sum_t
 * s_t (gamma_t - gamma's)(x_t - x_m) z_i', terms of at most 4 |v| |X|^2 |z_i| together, X the
 * longest token: relative to that it is off by the rounding of leads, twice, by (2 d + T + n + 16)
 * u of scores and sums, and by u (|W| + |G|) of the step that it is read from.
 */
#include "claim/tf/tf.h"

#include "claim/sample.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POINTS 6

/* ---- the instance: B.2 by construction, or B.1 by many dimensions ---- */

static void draw_points(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2);

    if (trop_case_has(c, "W")) {
        trop_sample_shape(c, "W", trop_case_size(c, "W", 0), d, d);
        return;
    }
    double *w = trop_case_zeros(c, "W", POINTS, d, d);
    for (int64_t k = 0; k < POINTS * d * d; k++) {
        w[k] = (double)(1 << k / (d * d)) / 8 * trop_case_normal(c, 46, k);
    }
}

static void draw(struct trop_case *c)
{
    const int by_scores = c->trial % 2 == 0, is_new = !trop_case_has(c, "X");
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 3), T = 3 + trop_case_pick(c, 41, 1, 2);

    trop_tf_draw(c, n, T, by_scores ? n + T : 30);
    if (is_new && by_scores) {
        trop_tf_equal_scores(c);
    }
    draw_points(c);
}

static void draw_any(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 41, 0, 3), T = 2 + trop_case_pick(c, 41, 1, 3);

    trop_tf_draw(c, n, T, 2 + trop_case_pick(c, 41, 2, 4));
    draw_points(c);
}

static void work_gradients(struct trop_case *c)
{
    trop_tf_gradients(c, "G", "W");
}

static void work(struct trop_case *c)
{
    trop_tf_solution(c, "W_mm", NULL, "l2");
    work_gradients(c);
}

/* ---- hypotheses ---- */

/* B.1: every lead of W_mm is 1, up to the accuracy of W_mm. */
static void assumption(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm");
    const struct trop_tf m = trop_tf_of(c);
    double widest = 0;
    int has_equal = 1;

    for (int64_t k = 0; k < m.n * m.T; k++) {
        const int64_t i = k / m.T, t = k % m.T;
        has_equal = has_equal && trop_tf_is_level(&m, i);
        widest = t == m.alpha[i] ? widest : fmax(widest, trop_tf_lead_over(&m, mm, i, t));
    }
    trop_judge_truth(judge, "all leads of W_mm are 1, or the other scores of an input equal", -1,
                     has_equal || widest <= 1 + 1e-7);
}

static void measurable(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W");

    /* Beyond this the gradient is lost beside W in a step of length 1. */
    for (int64_t k = 0; k < w.rows; k++) {
        trop_judge_at_most(judge, "|W|", k,
                           trop_tokens_norm(trop_case_view_row(w, k), w.columns * w.depth), 1e6, 0);
    }
}

/* ---- conclusions ---- */

static double bound(const struct trop_tf *m, const double *w)
{
    double s[TROP_TF_MOST], sum = 0;

    for (int64_t i = 0; i < m->n; i++) {
        const int64_t alpha = m->alpha[i];
        const double less = trop_tf_loss_of_score(m, w, i);
        const double gap = trop_tf_score_gap(&m->data, i, alpha);
        double rest = 0;
        trop_tf_softmax(s, &m->data, w, i);
        for (int64_t t = 0; t < m->T; t++) {
            rest += t == alpha ? 0 : s[t];
        }
        sum += trop_tf_slope(trop_tf_score(&m->data, i, alpha) - less) * s[alpha] *
               fmin(rest, less / gap) * gap;
    }
    return sum / (double)m->n;
}

/* What an input moves the line by: all of it is relative to |l'_i| s_t. */
static double doubt_of(const struct trop_tf *m, const double *mm, const double *s, int64_t i,
                       double relative)
{
    const int64_t alpha = m->alpha[i];
    double score = 0, lead = 0, off = 0, scores = 0, leads = 0, both = 0;

    for (int64_t t = 0; t < m->T; t++) {
        score += s[t] * (trop_tf_score(&m->data, i, t) - trop_tf_score(&m->data, i, alpha));
        lead += s[t] * trop_tf_lead_over(m, mm, i, t);
    }
    for (int64_t t = 0; t < m->T; t++) {
        const double ahead = trop_tf_lead_over(m, mm, i, t);
        const double by =
            fabs(trop_tf_score(&m->data, i, t) - trop_tf_score(&m->data, i, alpha) - score);
        off = t == alpha ? off : fmax(off, fabs(ahead - 1));
        scores += t == alpha ? 0 : s[t] * by;
        leads += t == alpha ? 0 : s[t] * fabs(ahead - lead);
        both += s[t] * by * fabs(ahead - lead);
    }
    const double constant = trop_tf_is_level(m, i)
                                ? (trop_tf_spread(m, i) + trop_tf_score_rounding(m)) * leads
                                : (off + trop_tf_rounding(m, mm)) * scores;
    return constant + relative * both;
}

static double doubt(const struct trop_tf *m, const double *w, const double *mm)
{
    const double relative = 16 * (double)m->d * DBL_EPSILON + 2 * trop_tf_rounding(m, w);
    double s[TROP_TF_MOST], sum = 0;

    for (int64_t i = 0; i < m->n; i++) {
        const double less = trop_tf_loss_of_score(m, w, i);
        trop_tf_softmax(s, &m->data, w, i);
        sum += trop_tf_slope(trop_tf_score(&m->data, i, m->alpha[i]) - less) *
               doubt_of(m, mm, s, i, relative);
    }
    return sum / (double)m->n;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W"), g = trop_case_view(c, "G");
    const double *mm = trop_case_array(c, "W_mm");
    const struct trop_tf m = trop_tf_of(c);
    const double gap = trop_case_number(c, "W_mm_upper") / trop_case_number(c, "W_mm_lower") - 1;

    for (int64_t k = 0; k < w.rows; k++) {
        const double *at = trop_case_view_row(w, k), least = bound(&m, at);
        const double *gradient = trop_case_view_row(g, k);
        const double lengths = trop_tokens_norm(at, m.size) + trop_tokens_norm(gradient, m.size);
        const double rounding =
            16 * (double)m.d * DBL_EPSILON * (lengths + 1) * trop_tokens_norm(mm, m.size) +
            doubt(&m, at, mm) + (2 * gap + 1e-12) * least;
        trop_judge_at_least(judge, "-<grad L(W), W_mm>", k, -trop_tokens_dot(gradient, mm, m.size),
                            least, rounding <= least / 2 ? rounding : (double)INFINITY);
    }
}

/* L_W. */
static double smoothness(const struct trop_case *c, const struct trop_tf *m)
{
    const int64_t size = m->T * m->d;
    double *values = trop_case_scratch(c, m->d), *tokens = trop_case_scratch(c, size);
    const double v = trop_tokens_norm(m->data.v, m->d);
    double out = 0;

    for (int64_t i = 0; i < m->n; i++) {
        memcpy(tokens, m->data.x + i * size, (size_t)size * sizeof *tokens);
        memset(values, 0, (size_t)m->d * sizeof *values);
        trop_tf_singular(values, tokens, m->T, m->d);
        const double x = values[0], z = trop_tokens_norm(m->data.z + i * m->d, m->d);
        out += v * z * z * x * x * x * (v * x / 4 + 3) / (double)m->n;
    }
    return out;
}

/* How far rounding moves a gradient at w, as above. */
static double blur(const struct trop_tf *m, const double *w, const double *gradient)
{
    const double x = trop_tokens_radius(m->data.x, m->n * m->T, m->d);
    const double z = trop_tokens_radius(m->data.z, m->n, m->d);
    const double terms = 4 * trop_tokens_norm(m->data.v, m->d) * x * x * z;
    const double sums = (double)(2 * m->d + m->T + m->n + 16) * DBL_EPSILON;

    return (2 * trop_tf_rounding(m, w) + sums) * terms +
           DBL_EPSILON * (trop_tokens_norm(w, m->size) + trop_tokens_norm(gradient, m->size));
}

static void conclude_smooth(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W"), g = trop_case_view(c, "G");
    const struct trop_tf m = trop_tf_of(c);
    const double constant = smoothness(c, &m);

    for (int64_t k = 0; k < w.rows * w.rows; k++) {
        const int64_t i = k / w.rows, j = k % w.rows;
        const double *a = trop_case_view_row(w, i), *b = trop_case_view_row(w, j);
        const double *of_a = trop_case_view_row(g, i), *of_b = trop_case_view_row(g, j);
        if (i < j) {
            trop_judge_at_most(judge, "|grad L(W) - grad L(W')| against L_W |W - W'|", k,
                               trop_tokens_distance(of_a, of_b, m.size),
                               constant * trop_tokens_distance(a, b, m.size),
                               blur(&m, a, of_a) + blur(&m, b, of_b));
        }
    }
}

const struct trop_claim trop_tf_thm_3 = {
    .id = "tf-thm-3",
    .title = "no stationary point under assumption B",
    .statement = "If every token is a support vector of W_mm, or the tokens of an input other than "
                 "the best have equal scores, then <grad L(W), W_mm> < 0 at every W, so that no "
                 "finite W is stationary.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Against the lower bound of -<grad L(W), W_mm> that the proof gives, at six random W of "
        "growing norm; half of the draws have B.1, half B.2.",
    .inputs = "X y v z W",
    .hypotheses = TROP_HYPOTHESES(
        TROP_TF_UNIQUE, TROP_TF_FEASIBLE,
        { "assumption-B", "all tokens are support vectors, or scores other than the best are equal",
          .judge = assumption, .late = 1, .broken = "scores differ by .1 and leads are 1.1" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "one gradient is reversed", NULL, .edit = "G[0] *= -1" },
                          { "one gradient is 0", NULL, .edit = "G[0] = 0" }),
    .trials = 50,
};

const struct trop_claim trop_tf_rem_smooth = {
    .id = "tf-rem-smooth",
    .title = "the gradient is Lipschitz",
    .statement = "The gradient of the logistic loss in W is Lipschitz in the Frobenius norm with "
                 "constant L_W = (1/n) sum_i |v| |z_i|^2 |X_i|^3 (M0 |v| |X_i| + 3 M1), M0 = 1/4, "
                 "M1 = 1.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "X y v z W",
    .hypotheses = TROP_HYPOTHESES(
        { "measurable", "|W| <= 1e6, so that gradients can be told from W", .judge = measurable,
          .broken = "a weight of 1e9", .edit = "W[0,0,0] = 1e9" }),
    .run = { draw_any, work_gradients, conclude_smooth },
    .spoils =
        TROP_SPOILS({ "the gradients of two points at one point", NULL, .edit = "W[1] = W[0]" }),
    .trials = 50,
};
