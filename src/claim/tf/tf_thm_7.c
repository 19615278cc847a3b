/* tf_thm_7.c -- gradient descent stays in the cone of a locally optimal direction (theorem 7).
 *
 * Equation 67, with Theta = 1/|W_mm(alpha)|, delta half the least lead of support vectors over the
 * other tokens, A the largest |x| |z| over Theta, Gamma the largest spread of scores, g the least
 * gap to a support vector:
 *
 *   mu = (min(1/2, delta)/A)^2 / 8,   R = max(2, 1/delta)/Theta log(64 T Gamma A / g),
 *   C = { W : cos(W, W_mm) >= 1 - mu, |W| >= R }.
 *
 * The proof compares the other tokens of an input with its own support vectors, so every input is
 * to have one. Without: X_0 = (-1, 1, 3), (1, 0, 0), (1, 0, 0), X_1 = (-1, 1, 1), (-2, 1, -2),
 * (-3, 0, -1), v = (-4, -2, 1), y = (-1, 1), z_0 = (-7, 0, -7), z_1 = (-4, 0, -7), alpha = (0, 2).
 * alpha is locally optimal, as input 0 has leads of 1.18; but the loss has slope .99 at its score
 * of -5 and 2e-5 at the 11 of input 1. From W(0) = (2, 0, 3.5), (1.6, 0, 2.9), (-.6, 0, -1.13), in
 * the cone, descent leaves W_mm for the better tokens of input 0, also with steps of R/10000.
 * Equation 67 has no ratio of slopes in R; a larger R would do. Within the cone, at (1.9568, 0,
 * 3.4552), (1.6859, 0, 2.9349), (-.6062, 0, -1.107), <grad L(W), W_mm> is 3.0e-34 > 0, to 80
 * digits.
 *
 * Inside, leads of alpha over its support vectors are between 1/2 and 3/2 for W scaled to |W_mm|,
 * there is no stationary point, and the direction of gradient descent converges to W_mm(alpha). It
 * may leave this very cone on the way: near its edge the gradient belongs to the nearest support
 * vector alone, and turns W away from W_mm before the others are felt. The run starts at nine
 * tenths of mu and at R and takes normalised steps of R/100. What is checked: leads at the start;
 * at every record the selected tokens lead, and W has moved along W_mm since the last one, as no
 * stationary point demands; and in the end, with |W| more than eight times larger, 1 - cos is below
 * a quarter of its start, or below the square of the angle that one step can turn. The length of
 * the run is 16 R, enough for that after a start of 1.5 R at most.
 */
#include "claim/tf/tf.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define STEPS 1600

static void draw(struct trop_case *c)
{
    trop_tf_draw(c, 2, 3, 3);
    trop_tf_selections_pick(c);
}

/* "W0" in the cone: R (cos W_mm/|W_mm| + sin U), U a random unit matrix across W_mm. */
static void place(struct trop_case *c, const double *mm, int64_t d)
{
    const double cosine = 1 - .9 * trop_case_number(c, "W_mm_mu");
    const double radius = 1.001 * trop_case_number(c, "W_mm_radius");
    const int64_t size = d * d;

    if (trop_case_has(c, "W0")) {
        return;
    }
    double *w = trop_case_zeros(c, "W0", d, d, 0);
    for (int64_t k = 0; k < size; k++) {
        w[k] = trop_case_normal(c, 48, k);
    }
    const double along = trop_tokens_dot(w, mm, size) / trop_tokens_dot(mm, mm, size);
    for (int64_t k = 0; k < size; k++) {
        w[k] -= along * mm[k];
    }
    const double across = trop_tokens_norm(w, size), length = trop_tokens_norm(mm, size);
    for (int64_t k = 0; k < size; k++) {
        w[k] = radius * (cosine * mm[k] / length + sqrt(1 - cosine * cosine) * w[k] / across);
    }
}

static void work(struct trop_case *c)
{
    trop_tf_solution(c, "W_mm", NULL, "l2");
    if (trop_case_number(c, "W_mm_local") == 1) {
        place(c, trop_case_array(c, "W_mm"), trop_case_size(c, "X", 2));
    }
    if (trop_case_has(c, "W0")) {
        trop_tf_path(c, "path", "eta=%.17g steps=%d", trop_case_number(c, "W_mm_radius") / 100,
                     STEPS);
    }
}

static void inside(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view mm = trop_case_view(c, "W_mm");
    const double *w = trop_case_array(c, "path");
    const int64_t size = mm.rows * mm.columns;

    if (w) {
        trop_judge_at_most(judge, "1 - cos at the start, against mu", 0,
                           trop_tf_bend(w, mm.at, size), trop_case_number(c, "W_mm_mu"), 0);
        trop_judge_at_least(judge, "|W| at the start, against R", 0, trop_tokens_norm(w, size),
                            trop_case_number(c, "W_mm_radius"), 0);
        trop_judge_at_most(judge, "|W| at the start, against 1.5 R", 0, trop_tokens_norm(w, size),
                           1.5 * trop_case_number(c, "W_mm_radius"), 0);
    }
}

static void supported(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm");
    const struct trop_tf m = trop_tf_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        double least = INFINITY;
        for (int64_t t = 0; t < m.T; t++) {
            least = t == m.alpha[i] ? least : fmin(least, trop_tf_lead_over(&m, mm, i, t));
        }
        trop_judge_truth(judge, "an input has a support vector", i, least <= 1 + 1e-7);
    }
}

/* Leads over the support vectors of W(0) scaled to |W_mm|. */
static void conclude_leads(struct trop_judge *judge, const struct trop_tf *m, const double *mm,
                           const double *w)
{
    const double scale = trop_tokens_norm(mm, m->size) / trop_tokens_norm(w, m->size);
    const double rounding = trop_tf_rounding(m, mm);

    for (int64_t k = 0; k < m->n * m->T; k++) {
        const int64_t i = k / m->T, t = k % m->T;
        if (t != m->alpha[i] && trop_tf_lead_over(m, mm, i, t) <= 1 + 1e-7) {
            const double lead = scale * trop_tf_lead_over(m, w, i, t);
            trop_judge_at_least(judge, "lead over a support vector, from below", 0, lead, .5,
                                rounding);
            trop_judge_at_most(judge, "lead over a support vector, from above", 0, lead, 1.5,
                               rounding);
        }
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double *mm = trop_case_array(c, "W_mm"), *step = trop_case_array(c, "path_step");
    const struct trop_tf m = trop_tf_of(c);

    conclude_leads(judge, &m, mm, path.at);
    for (int64_t k = 1; k < path.rows; k++) {
        const double *w = trop_case_view_row(path, k);
        const double along =
            trop_tokens_dot(w, mm, m.size) - trop_tokens_dot(w - m.size, mm, m.size);
        trop_judge_at_least(
            judge, "<W(k) - W(k'), W_mm>, k' the record before", (int64_t)step[k], along, 0,
            STEPS * DBL_EPSILON * trop_tokens_norm(w, m.size) * trop_tokens_norm(mm, m.size));
        trop_judge_at_least(judge, "least lead of the selected tokens", (int64_t)step[k],
                            trop_tf_margin(&m, w), 0, trop_tf_rounding(&m, w));
    }
    /* One step across W turns it by the length of the step over |W|: a finer comparison would be
     * meaningless. */
    const double *end = trop_case_view_row(path, -1), length = trop_tokens_norm(end, m.size);
    const double turn = trop_case_number(c, "W_mm_radius") / 100 / length;
    trop_judge_at_most(judge, "1 - cos at the end, against 1/4 of that at the start", STEPS,
                       trop_tf_bend(end, mm, m.size),
                       fmax(trop_tf_bend(path.at, mm, m.size) / 4, turn * turn),
                       STEPS * DBL_EPSILON);
    trop_judge_at_least(judge, "|W| at the end, against 8 |W(0)|", STEPS, length,
                        8 * trop_tokens_norm(path.at, m.size), 0);
}

const struct trop_claim trop_tf_thm_7 = {
    .id = "tf-thm-7",
    .title = "local convergence of gradient descent",
    .statement =
        "Around the solution of a locally optimal selection alpha, of which every input has a "
        "support vector, there is a cone, of the width mu and from the radius R of equation 67 on, "
        "without stationary points, from which the direction of gradient descent converges to "
        "W_mm(alpha).",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Read with normalised steps of R/100: leads over support vectors are between 1/2 and 3/2 "
        "at the start, every record is further along W_mm, the selected tokens lead, and 1 - "
        "cos falls below 1/4 of its start, or what one step can turn, while |W| grows more than "
        "eightfold. Runs can leave the cone for a while before they turn to W_mm. An input without "
        "support vectors, of which "
        "equation 67 takes no account, can turn descent to its better tokens for good.",
    .inputs = "X y v z alpha W0",
    .hypotheses = TROP_HYPOTHESES(
        TROP_TF_LOCAL,
        { "supported", "every input has a support vector", .judge = supported, .late = 1,
          .broken = "leads are larger by a half", .edit = "W_mm *= 1.5" },
        { "in-cone", "W(0) is in the cone of equation 67, of a length of 1.5 R at most",
          .judge = inside, .late = 1, .broken = "the start is twice as far from the ray" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "the last direction is that of another selection", NULL },
                    { "the direction does not change", NULL, .edit = "path[-1] = 16 * path[0]" }),
    .asymptotic = 1,
    .trials = 30,
};
