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
 * around W_mm(alpha)) has at most the loss of R W_mm/|W_mm| and obeys this bound; and of random
 * directions of cone_eps(alpha), scaled to R, every one that bends more than the bound has a larger
 * loss. Losses are compared as L - (1/n) sum l(gamma_alpha), evaluated without cancellation; the
 * logits, at most 600, round by trop_tf_rounding.
 */
#include "claim/tf/tf.h"

#include "base/alloc.h"
#include "base/math/log.h"
#include "claim/examples.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RIVALS 60

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_tf_draw(c, 2, 3, 3);

    return status == TROP_OK ? trop_tf_selections_pick(c) : status;
}

/* log C of the bound. */
static double log_constant(const struct trop_data *data, const int64_t *alpha)
{
    double least = INFINITY, spread = 0, slope = 1;

    for (int64_t i = 0; i < data->n; i++) {
        const double own = trop_tf_score(data, i, alpha[i]);
        for (int64_t t = 0; t < data->T; t++) {
            const double gap = own - trop_tf_score(data, i, t);
            least = gap > 0 ? fmin(least, gap) : least;
            spread = fmax(spread, fabs(gap));
            slope = fmin(slope, trop_tf_slope(fmax(own, own - gap)));
        }
    }
    return trop_log(4 * (double)(data->n * data->T * data->T) * spread / (least * slope));
}

/* The local path at one radius, as "W" (1, d, d), where it is inside its cone. */
static enum trop_status run_path(struct trop_case *c, double radius)
{
    struct trop_path_options o = trop_path_options_default();
    struct trop_path *path = NULL;
    struct trop_value weights = { 0 };
    struct trop_data data;
    int64_t alpha[64];
    char text[40], select[8 * 64];
    double *w = NULL;

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    trop_examples_select(select, alpha, data.n);
    snprintf(text, sizeof text, "%.17g", radius);
    o.data = &data;
    o.model = TROP_TRAIN_CROSS;
    o.radius = text;
    o.local = 1;
    o.select = select;
    o.cone = .05;
    o.threads = c->threads;
    enum trop_status status = trop_path_create(&path, &o);
    if (status == TROP_OK) {
        status = trop_path_run(path, NULL, NULL);
    }
    if (status == TROP_OK || status == TROP_ERR_STOPPED) {
        status = trop_field_cell(&weights, trop_path_field_table(), path, "radii", "weights", 0);
    }
    if (status == TROP_OK && weights.kind == TROP_KIND_NUMBERS) {
        status = trop_case_make(&w, c, "W", 1, data.d, data.d);
    }
    if (w) {
        memcpy(w, weights.numbers, (size_t)(data.d * data.d) * sizeof *w);
    }
    trop_path_free(path);
    return status;
}

/* Directions near W_mm at several distances, and anywhere: "rivals" (RIVALS, d, d), of norm R. */
static enum trop_status draw_rivals(struct trop_case *c, double radius)
{
    const int64_t d = trop_case_size(c, "X", 2), size = d * d;
    const double *mm = trop_case_array(c, "W_mm");
    double *w = NULL;
    enum trop_status status = trop_case_make(&w, c, "rivals", RIVALS, d, d);

    for (int64_t r = 0; status == TROP_OK && r < RIVALS; r++) {
        const double far = (double)(r % 6) * .5 * trop_tokens_norm(mm, size) / sqrt((double)size);
        for (int64_t k = 0; k < size; k++) {
            w[r * size + k] = mm[k] * (r % 6 == 5 ? 0 : 1) + far * trop_case_normal(c, 50 + r, k);
        }
        const double scale = radius / trop_tokens_norm(w + r * size, size);
        for (int64_t k = 0; k < size; k++) {
            w[r * size + k] *= scale;
        }
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];
    enum trop_status status = trop_tf_solve(c, NULL, TROP_MARGIN_L2, "W_mm");

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    if (status != TROP_OK || trop_case_number(c, "W_mm_local") != 1) {
        return status;
    }
    /* R Theta = 8 log C. */
    const double radius = 8 * log_constant(&data, alpha) * trop_case_number(c, "W_mm_upper");
    status = trop_case_put(c, "radius", radius);
    if (status == TROP_OK) {
        status = run_path(c, radius);
    }
    return status == TROP_OK ? draw_rivals(c, radius) : status;
}

/* ---- hypotheses ---- */

static enum trop_status local(struct trop_judge *judge, const struct trop_case *c)
{
    const double value = trop_case_number(c, "W_mm_local");

    trop_judge_truth(judge, "alpha is locally optimal", -1, value == 1 ? 1 : value == 0 ? 0 : -1);
    return TROP_OK;
}

/* eps = half of what W_mm has, and R so large that higher tokens do not count. */
static enum trop_status large(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    if (!trop_case_has(c, "radius")) {
        return TROP_OK;
    }
    const double *mm = trop_case_array(c, "W_mm");
    const double eps =
        trop_tf_selections_cone(&data, mm, alpha) / trop_tokens_norm(mm, data.d * data.d);
    trop_judge_at_least(judge, "eps R against log C", -1, eps / 2 * trop_case_number(c, "radius"),
                        log_constant(&data, alpha), 0);
    return TROP_OK;
}

static double loss(const struct trop_data *data, const double *w, const int64_t *alpha)
{
    return trop_tf_gap(data, w, alpha);
}

/* Judges that the point has no larger loss than W_mm at its norm. */
static enum trop_status conclude_minimal(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    const int64_t size = data.d * data.d;
    double *ray = trop_alloc(size, sizeof *ray);
    if (!ray) {
        return TROP_ERR_MEMORY;
    }
    for (int64_t k = 0; trop_case_has(c, "W") && k < size; k++) {
        const double *mm = trop_case_array(c, "W_mm");
        ray[k] = mm[k] * trop_case_number(c, "radius") / trop_tokens_norm(mm, size);
    }
    if (trop_case_has(c, "W")) {
        const double one = loss(&data, trop_case_array(c, "W"), alpha);
        const double two = loss(&data, ray, alpha);
        trop_judge_at_most(judge, "L(W(R)) against L(R W_mm/|W_mm|), above their limit", -1, one,
                           two, 16 * trop_tf_rounding(&data, ray) * fabs(two));
    }
    trop_alloc_free(ray);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "locally-optimal", "alpha has a solution and scores higher than its support vectors", local,
      1 },
    { "large-radius", "higher tokens do not count in the cone at this radius", large, 1 },
    { 0 },
};

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *mm = trop_case_array(c, "W_mm"), *w = trop_case_array(c, "W");
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_tf_alpha(alpha, c);
    const int64_t size = data.d * data.d;
    const double radius = trop_case_number(c, "radius");
    const double bound = log_constant(&data, alpha) * trop_case_number(c, "W_mm_upper") / radius;
    const double eps = trop_tf_selections_cone(&data, mm, alpha) / trop_tokens_norm(mm, size) / 2;
    trop_judge_at_most(judge, "1 - cos(W(R), W_mm)", -1, trop_tf_bend(w, mm, size), bound, 1e-12);
    trop_judge_at_least(judge, "W(R) against cone_eps", -1,
                        trop_tf_selections_cone(&data, w, alpha), eps * trop_tokens_norm(w, size),
                        trop_tf_rounding(&data, w));
    for (int64_t r = 0; r < RIVALS; r++) {
        const double *rival = trop_case_array(c, "rivals") + r * size;
        if (trop_tf_selections_cone(&data, rival, alpha) >= eps * radius &&
            trop_tf_bend(rival, mm, size) > bound) {
            trop_judge_at_least(judge, "loss of another direction of the cone", r,
                                loss(&data, rival, alpha), loss(&data, w, alpha), 0);
        }
    }
    return conclude_minimal(judge, c);
}

/* ---- ways to be wrong ---- */

static enum trop_status not_local(struct trop_case *c)
{
    return trop_case_put(c, "W_mm_local", 0);
}

/* The path stops at half of its radius. */
static enum trop_status half(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "W", 1) * trop_case_size(c, "W", 2); k++) {
        trop_case_array(c, "W")[k] /= 2;
    }
    return TROP_OK;
}

/* The point belongs to the selection that takes another token of input 0. */
static enum trop_status other(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "W", 1) * trop_case_size(c, "W", 2);
    int64_t alpha[64];

    trop_tf_alpha(alpha, c);
    alpha[0] = alpha[0] == 0 ? 1 : 0;
    enum trop_status status = trop_tf_solve(c, alpha, TROP_MARGIN_L2, "one");
    for (int64_t k = 0; status == TROP_OK && k < size; k++) {
        trop_case_array(c, "W")[k] = trop_case_array(c, "one")[k] * trop_case_number(c, "radius") /
                                     trop_case_number(c, "one_upper");
    }
    return status;
}

static const struct trop_spoil spoils[] = {
    { "the point of another selection", NULL, other },
    { "the point is at half of the radius", NULL, half },
    { "alpha is called not locally optimal", "locally-optimal", not_local },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, 1 or -1" },
    { "v", "(d)", "decoder" },
    { "z", "(n, d)", "queries" },
    { "alpha", "(n)", "a locally optimal selection" },
    { 0 },
};

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
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 20,
};
