/* mm_thm_6.c -- the joint path where inputs do not support (max-margin paper, theorem 6).
 *
 * Where only some inputs support the label problem, p tends to p_relax, in whose problem the others
 * have to lead by 0 only. The family of figure 3(b): tokens (0, 0) and about (1, 1), (1, -1) and
 * (.4, 1.5); the third does not support v_mm.
 *
 * It depends on how r and R grow. An input with label slack sigma contributes e^(-r sigma) times
 * its attention outside, so that it has to lead by 1 - sigma r |p_relax| / R instead of 1, and by 0
 * only where sigma r >= R/|p_relax|. With r = R, as one may take it, the limit is in general
 * neither p_mm nor p_relax (figure 3(b) itself does not show it). So r = R^2, R from 10 to 160: 1 -
 * cos to p_relax falls by a factor of 16 at least (256 is what 1/R^2 gives) and ends below a
 * twentieth of that between p_relax and p_mm; v is along v_mm to 1e-6.
 */
#include "claim/mm/mm.h"

#include "claim/tokens.h"

#include "tropism_lab.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define RADII 4

static enum trop_status draw(struct trop_case *c)
{
    double *alpha = NULL;
    const int given = trop_case_has(c, "X");
    enum trop_status status = trop_examples_named(c, "mm-fig-3b", 0, 0, 0, UINT64_MAX);
    double *x = trop_case_array(c, "X");

    if (status == TROP_OK && !given) {
        x[2] += .2 * trop_case_uniform(c, 16, 0);
        x[6] += .2 * trop_case_uniform(c, 16, 1);
        x[10] = .3 + .2 * trop_case_uniform(c, 16, 2);
        x[11] = 1.4 + .3 * trop_case_uniform(c, 16, 3);
    }
    status = status == TROP_OK ? trop_case_make(&alpha, c, "alpha", trop_case_size(c, "X", 0), 0, 0)
                               : status;
    for (int64_t i = 0; i < trop_case_size(c, "X", 0) && status == TROP_OK; i++) {
        alpha[i] = 1;
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    static const double radius[RADII] = { 10, 40, 80, 160 };
    static const double decoder[RADII] = { 100, 1600, 6400, 25600 };
    struct trop_margin_options o = trop_margin_options_default();
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");

    o.select = "1,1,1";
    o.model = TROP_MODEL_LABEL;
    status = status == TROP_OK ? trop_mm_solve_with(c, &o, "v_mm") : status;
    o.model = TROP_MODEL_PROMPT;
    o.relaxed = "auto";
    status = status == TROP_OK ? trop_mm_solve_with(c, &o, "p_relax") : status;
    return status == TROP_OK ? trop_mm_path_joint(c, radius, decoder, RADII, 1) : status;
}

static enum trop_status matters(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "1 - cos between p_relax and p_mm", -1,
                        trop_mm_turn(trop_case_array(c, "p_relax"), trop_case_array(c, "p_mm"),
                                     trop_case_size(c, "p_mm", 0)),
                        .002, 0);
    return TROP_OK;
}

static enum trop_status selected(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha"), *path = trop_case_array(c, "path");

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_at_most(
            judge, "attention that is not selected at the last R", i,
            trop_mm_rest(&m, i, (int64_t)alpha[i], path + (RADII - 1) * (m.dk + m.d)), 1e-3, 0);
    }
    return TROP_OK;
}

/* sigma r against R/|p_relax| at every radius, sigma the least label slack of inputs that do not
 * support v_mm: those whose slack is not 0. */
static enum trop_status fast_decoder(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha"), *v = trop_case_array(c, "v_mm");
    double slack = INFINITY;

    trop_mm_open(&m, c);
    const double size = trop_tokens_norm(v, m.d);
    for (int64_t i = 0; i < m.n; i++) {
        const double *x = m.x + (i * m.T + (int64_t)alpha[i]) * m.d;
        const double own = (m.y[i] * trop_tokens_dot(v, x, m.d) - 1) / size;
        slack = own > 1e-6 ? fmin(slack, own) : slack;
    }
    for (int64_t row = 0; row < RADII; row++) {
        const double R = trop_case_array(c, "radius")[row];
        trop_judge_at_least(judge, "label slack times r", row,
                            slack * trop_case_array(c, "decoder_radius")[row],
                            1.2 * R / trop_case_number(c, "p_relax_upper"), 0);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "separable", "the selection has a max-margin solution", trop_mm_old_separable, 1 },
    { "matters", "p_relax and p_mm differ", matters, 1 },
    { "selected", "the selected tokens have the attention at the last R", selected, 1 },
    { "fast-decoder", "r is 1.2 R/|p_relax| over the label slack or more", fast_decoder, 1 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t dk = trop_case_size(c, "p_mm", 0), d = trop_case_size(c, "v_mm", 0);
    const double *path = trop_case_array(c, "path"), *relaxed = trop_case_array(c, "p_relax");
    const double *last = path + (RADII - 1) * (dk + d);
    const double end = trop_mm_turn(last, relaxed, dk);

    trop_judge_at_most(judge, "1 - cos to p_relax at R = 160, against R = 10", -1, end,
                       trop_mm_turn(path, relaxed, dk) / 16, 64 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos to p_relax, against that of p_mm", -1, end,
                       trop_mm_turn(trop_case_array(c, "p_mm"), relaxed, dk) / 20,
                       64 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos of v to v_mm", -1,
                       trop_mm_turn(last + dk, trop_case_array(c, "v_mm"), d), 1e-6, 0);
    return TROP_OK;
}

/* ---- spoils ---- */

/* The path ends along p_mm, as if every input supported the label problem. */
static enum trop_status strict(struct trop_case *c)
{
    const int64_t dk = trop_case_size(c, "p_mm", 0);
    double *p = trop_case_array(c, "path") + (RADII - 1) * trop_case_size(c, "path", 1);

    for (int64_t k = 0; k < dk; k++) {
        p[k] = 100 * trop_case_array(c, "p_mm")[k];
    }
    return TROP_OK;
}

/* With short weights attention is spread over several tokens. */
static enum trop_status short_weights(struct trop_case *c)
{
    double *p = trop_case_array(c, "path") + (RADII - 1) * trop_case_size(c, "path", 1);

    p[0] *= .01;
    p[1] *= .01;
    return TROP_OK;
}

static enum trop_status slow_decoder(struct trop_case *c)
{
    memcpy(trop_case_array(c, "decoder_radius"), trop_case_array(c, "radius"),
           RADII * sizeof(double));
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the path ends along p_mm", NULL, strict },
    { "p is a hundredth as long", "selected", short_weights },
    { "r = R", "fast-decoder", slow_decoder },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(3, 2, 2)", "tokens, of which the second is selected" },
    { "y", "(3)", "labels, -1 or 1" },
    { 0 },
};

const struct trop_claim trop_mm_thm_6 = {
    .id = "mm-thm-6",
    .title = "inputs that do not support the label problem relax",
    .statement =
        "On the joint path p tends in direction to p_relax, in whose problem inputs that do "
        "not support the label problem need a lead of 0 instead of 1.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Only when r grows faster than R: an input with label slack sigma has to lead by 1 - "
        "sigma r |p_relax| / R, and with r = R the limit is in general neither p_mm nor "
        "p_relax. Read on inputs like those of figure 3(b), r = R^2, R from 10 to 160: 1 - cos "
        "to p_relax falls by a factor of 16 at least and ends below a twentieth of that "
        "between p_relax and p_mm.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 10,
};
