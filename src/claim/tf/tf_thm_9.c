/* tf_thm_9.c -- the local regularisation path turns to W_mm(alpha) (theorem 9, linear heads).
 *
 * Over cone_eps(alpha) and |W|_F <= R, alpha locally optimal, minimisers of L turn to W_mm(alpha)
 * as R grows. In the cone some token that scores lower than alpha_i leads every higher one by eps
 * |W|. With k_i low and high tokens of input i, e_i = gamma_alpha - gamma' s, m the least lead of
 * alpha over the low tokens, g the least gap to a low token, Gamma the largest spread,
 *
 *   e_i >= s_t g - T Gamma e^(-eps |W|) s_t   for the leading low token t of the worst input,
 *
 * so that with T Gamma e^(-eps R) <= g/2 the argument of theorem 2 goes through: a W of the cone
 * with L(W) <= L(R W_mm/|W_mm|) has leads over low tokens of at least R Theta - log C, C = 4 n T^2
 * Gamma / (g min |l'|), hence over all tokens, and
 *
 *   1 - cos(W, W_mm(alpha)) <= log C / (R Theta).
 *
 * What is checked: the point of the local path that trop_path finds (in its own, narrower cone
 * around W_mm(alpha)) has at most the loss of R W_mm/|W_mm| and obeys this bound,
 * where it is in cone_eps(alpha) too, whose minimiser it stands for; and of random
 * directions of cone_eps(alpha), scaled to R, every one that bends more than the bound has a larger
 * loss. Losses are compared as L - (1/n) sum l(gamma_alpha), evaluated without cancellation; the
 * logits, at most 600, round by trop_tf_rounding.
 */
#include "claim/tf/tf.h"

#include "claim/tokens.h"

#include <math.h>

#define RIVALS 60
#define CONE .05 /* 1 - cos, of the library's local path */

static void draw(struct trop_case *c)
{
    trop_tf_draw(c, 2, 3, 3);
    trop_tf_selections_pick(c);
}

/* log C of the bound. */
static double log_constant(const struct trop_tf *m)
{
    return trop_tf_log_constant(m, 4 * m->n * m->T * m->T);
}

/* Directions near W_mm at several distances, and anywhere: "rivals" (RIVALS, d, d), of norm R. */
static void draw_rivals(struct trop_case *c, const struct trop_tf *m, double radius)
{
    const double *mm = trop_case_array(c, "W_mm");
    double *w = trop_case_zeros(c, "rivals", RIVALS, m->d, m->d);

    for (int64_t r = 0; r < RIVALS; r++, w += m->size) {
        const double far =
            (double)(r % 6) * .5 * trop_tokens_norm(mm, m->size) / sqrt((double)m->size);
        for (int64_t k = 0; k < m->size; k++) {
            w[k] = mm[k] * (r % 6 == 5 ? 0 : 1) + far * trop_case_normal(c, 50 + r, k);
        }
        const double scale = radius / trop_tokens_norm(w, m->size);
        for (int64_t k = 0; k < m->size; k++) {
            w[k] *= scale;
        }
    }
}

/* "W" (d, d), the local path at R Theta = 8 log C, where it is inside its cone. */
static void work(struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);

    trop_tf_solution(c, "W_mm", NULL, "l2");
    if (trop_case_number(c, "W_mm_local") != 1) {
        return;
    }
    const double radius = 8 * log_constant(&m) * trop_case_number(c, "W_mm_upper");
    trop_case_put(c, "radius", radius);
    trop_case_radii(c, "weights=W", "model=cross radius=@radius local=1 cone=%g select=@alpha",
                    CONE);
    if (trop_case_size(c, "W", 1) == m.size) {
        trop_case_reshape(c, "W", m.d, m.d, 0);
    } else {
        trop_case_drop(c, "W");
    }
    draw_rivals(c, &m, radius);
}

/* ---- hypotheses ---- */

/* eps = half of what W_mm has. */
static double half_width(const struct trop_tf *m, const double *mm)
{
    return trop_tf_selections_cone(m, mm) / trop_tokens_norm(mm, m->size) / 2;
}

/* R is so large that higher tokens do not count. */
static void large(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);

    if (trop_case_has(c, "radius")) {
        trop_judge_at_least(judge, "eps R against log C", -1,
                            half_width(&m, trop_case_array(c, "W_mm")) *
                                trop_case_number(c, "radius"),
                            log_constant(&m), 0);
    }
}

/* ---- the conclusion ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm"), *w = trop_case_array(c, "W");
    const struct trop_view rivals = trop_case_view(c, "rivals");
    const struct trop_tf m = trop_tf_of(c);
    const double radius = trop_case_number(c, "radius"), eps = half_width(&m, mm);
    const double bound = log_constant(&m) * trop_case_number(c, "W_mm_upper") / radius;

    if (!w) {
        trop_judge_truth(judge, "the local path has a point at this radius", -1, -1);
        return;
    }
    const double loss = trop_tf_gap(&m, w);
    /* The point is in its cone, and has no larger loss than W_mm, the axis of both cones. */
    const double *ray = trop_tf_scaled(c, mm, m.size, radius), least = trop_tf_gap(&m, ray);
    trop_judge_at_most(judge, "L(W(R)) against L(R W_mm/|W_mm|), above their limit", -1, loss,
                       least, 16 * trop_tf_rounding(&m, ray) * fabs(least));
    const double bend = trop_tf_bend(w, mm, m.size);
    trop_judge_at_most(judge, "1 - cos(W(R), W_mm), against its own cone", -1, bend, CONE, 1e-12);
    if (trop_tf_selections_cone(&m, w) < eps * trop_tokens_norm(w, m.size)) {
        trop_judge_truth(judge, "the point of the local path is in cone_eps", -1, -1);
        return;
    }
    trop_judge_at_most(judge, "1 - cos(W(R), W_mm)", -1, bend, bound, 1e-12);
    for (int64_t r = 0; r < rivals.rows; r++) {
        const double *rival = trop_case_view_row(rivals, r);
        if (trop_tf_selections_cone(&m, rival) >= eps * radius &&
            trop_tf_bend(rival, mm, m.size) > bound) {
            trop_judge_at_least(judge, "loss of another direction of the cone", r,
                                trop_tf_gap(&m, rival), loss, 0);
        }
    }
}

const struct trop_claim trop_tf_thm_9 = {
    .id = "tf-thm-9",
    .title = "the local regularisation path",
    .statement =
        "With a linear head and a locally optimal selection alpha, the minimisers of the loss "
        "over cone_eps(alpha) and |W|_F <= R turn to W_mm(alpha) as R grows, for small eps.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Read as 1 - cos <= |W_mm| log C / R at one radius, with eps half of what W_mm(alpha) "
        "has, for the point that is found around W_mm(alpha), and as a larger loss of every "
        "other drawn direction of the cone beyond that bound.",
    .inputs = "X y v z alpha",
    .hypotheses = TROP_HYPOTHESES(
        TROP_TF_LOCAL,
        { "large-radius", "higher tokens do not count in the cone at this radius", .judge = large,
          .late = 1, .broken = "R is a hundredth", .edit = "radius /= 100" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "the point of another selection", NULL },
                          { "the point is at half of the radius", NULL, .edit = "W /= 2" }),
    .trials = 20,
};
