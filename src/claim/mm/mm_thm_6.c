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

#include "tropism_lab.h"

#include <float.h>
#include <math.h>

static void draw(struct trop_case *c)
{
    const int given = trop_case_has(c, "X");

    trop_case_try(c, trop_examples_named(c, "mm-fig-3b", 0, 0, 0, TROP_DATASET_SEED));
    double *x = trop_case_array(c, "X");
    if (!given) {
        x[2] += .2 * trop_case_uniform(c, 16, 0);
        x[6] += .2 * trop_case_uniform(c, 16, 1);
        x[10] = .3 + .2 * trop_case_uniform(c, 16, 2);
        x[11] = 1.4 + .3 * trop_case_uniform(c, 16, 3);
    }
    double *alpha = trop_case_zeros(c, "alpha", trop_case_size(c, "X", 0), 0, 0);
    for (int64_t i = 0; i < trop_case_size(c, "X", 0); i++) {
        alpha[i] = 1;
    }
}

static void work(struct trop_case *c)
{
    static const double radius[] = { 10, 40, 80, 160 }, decoder[] = { 100, 1600, 6400, 25600 };

    trop_mm_solve(c, "alpha", "p_mm");
    trop_case_solve(c, "v_mm", "", "model=label select=@alpha");
    trop_case_solve(c, "p_relax", "upper", "model=prompt select=@alpha relaxed=auto");
    trop_case_copy_in(c, "radius", radius, 4, 0, 0);
    trop_case_copy_in(c, "decoder_radius", decoder, 4, 0, 0);
    trop_case_radii(c, "weights=path",
                    "model=joint radius=@radius decoder_radius=@decoder_radius starts=2 seed=1");
}

static void matters(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    trop_judge_at_least(judge, "1 - cos between p_relax and p_mm", -1,
                        trop_mm_turn(trop_case_array(c, "p_relax"), m.p_mm, m.dk), .002, 0);
}

static void selected(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_at_most(judge, "attention that is not selected at the last R", i,
                           trop_mm_rest(&m, i, (int64_t)m.alpha[i],
                                        trop_case_view_row(trop_case_view(c, "path"), -1)),
                           1e-3, 0);
    }
}

/* sigma r against R/|p_relax| at every radius, sigma the least label slack of inputs that do not
 * support v_mm: those whose slack is not 0. */
static void fast_decoder(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct trop_view radius = trop_case_view(c, "radius");
    const double *v = trop_case_array(c, "v_mm"), size = trop_tokens_norm(v, m.d);
    double slack = INFINITY;

    for (int64_t i = 0; i < m.n; i++) {
        const double *x = m.x + (i * m.T + (int64_t)m.alpha[i]) * m.d;
        const double own = (m.y[i] * trop_tokens_dot(v, x, m.d) - 1) / size;
        slack = own > 1e-6 ? fmin(slack, own) : slack;
    }
    for (int64_t row = 0; row < radius.rows; row++) {
        trop_judge_at_least(judge, "label slack times r", row,
                            slack * trop_case_array(c, "decoder_radius")[row],
                            1.2 * radius.at[row] / trop_case_number(c, "p_relax_upper"), 0);
    }
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MM_SEPARABLE("the selection has a max-margin solution"),
    { "matters", "p_relax and p_mm differ", .judge = matters, .late = 1 },
    { "selected", "the selected tokens have the attention at the last R", .judge = selected,
      .late = 1, .broken = "p is a hundredth as long", .edit = "path[-1,0:2] *= .01" },
    { "fast-decoder", "r is 1.2 R/|p_relax| over the label slack or more", .judge = fast_decoder,
      .late = 1, .broken = "r = R", .edit = "decoder_radius = radius" },
    { 0 },
};

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct trop_view path = trop_case_view(c, "path");
    const double *relaxed = trop_case_array(c, "p_relax"), *last = trop_case_view_row(path, -1);
    const double end = trop_mm_turn(last, relaxed, m.dk);

    trop_judge_at_most(judge, "1 - cos to p_relax at R = 160, against R = 10", -1, end,
                       trop_mm_turn(path.at, relaxed, m.dk) / 16, 64 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos to p_relax, against that of p_mm", -1, end,
                       trop_mm_turn(m.p_mm, relaxed, m.dk) / 20, 64 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos of v to v_mm", -1,
                       trop_mm_turn(last + m.dk, trop_case_array(c, "v_mm"), m.d), 1e-6, 0);
}

static const struct trop_spoil spoils[] = {
    /* As if every input supported the label problem. */
    { "the path ends along p_mm", NULL, .edit = "path[-1,0:2] = 100 * p_mm" },
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
    .inputs = "X y",
    .hypotheses = hypotheses,
    .draw = draw,
    .work = work,
    .conclude = conclude,
    .spoils = spoils,
    .trials = 10,
};
