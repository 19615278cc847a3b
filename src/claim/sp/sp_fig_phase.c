/* sp_fig_phase.c -- phase diagrams of "A mathematical perspective on transformers".
 *
 *   sp-fig-phase   SA by the authors' step, dt = .1 up to t = 30, d = 2, 8, 32, 128;
 *   sp-fig-usa     USA up to t = 1, d = 2 and 32, steps dt = .1/max(sqrt(beta) e^(beta - 1/2), 1);
 *   sp-fig-random  SA with a B, and a V, of each run's own, d = 8.
 *
 * 32 uniform tokens, beta from .1 to 9; as colours the mean fraction of pairs with <x_i, x_j> >
 * .999. The authors take 2048 runs everywhere; in high dimension runs differ little and fewer are
 * taken here.
 *
 * The curve is that of equal angles. Tokens with <x_i, x_j> = c for all pairs keep that form, so
 * that a step is a recursion of c alone. With weights a on itself and b on each other one, x + h
 * avg = M X, M = (1 + h a - h b) I + h b J, and of the Gram matrix G = (1 - c) I + c J the new one,
 * M G M, has the eigenvalues (1 + h a + h (n - 1) b)^2 (1 + (n - 1) c) along (1, ..., 1) and
 * (1 + h a - h b)^2 (1 - c) across. Uniform tokens of high dimension start near c = 0, and half of
 * their pairs are one about when c passes .999: at d = 128 within 5% where that is before t = 10.
 * Later, clusters form first from what is random in the start, as they do under USA at large beta,
 * where a difference of 1/sqrt(d) counts e^(beta/sqrt(d)).
 */
#include "claim/sp/sp.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

/* ---- equal angles ---- */

/* The weights of a token on itself and on each of the others, over exp(beta). */
static void weights(double *own, double *other, double n, double beta, double c)
{
    *own = 1;
    *other = trop_exp(beta * (c - 1));
    const double sum = *own + (n - 1) * *other;
    *own /= sum;
    *other /= sum;
}

static double by_steps(const struct trop_case *c, double beta)
{
    const double n = trop_case_number(c, "n"), h = .1;
    double cosine = 0;
    int64_t steps = 0;

    for (; cosine <= TROP_SP_ALIGNED && steps < 1000; steps++) {
        double own, other;
        weights(&own, &other, n, beta, cosine);
        const double along = 1 + h * own + h * (n - 1) * other, across = 1 + h * own - h * other;
        const double most = along * along * (1 + (n - 1) * cosine);
        const double least = across * across * (1 - cosine);
        cosine = (most - least) / (most + (n - 1) * least);
    }
    return steps < 1000 ? h * (double)steps : INFINITY;
}

/* Of USA dc/dt = (2/n) e^(beta c) (1 - c) ((n - 1) c + 1): the integral of dc over it, in u =
 * -log(1 - c), by Simpson's rule. */
static double by_integral(const struct trop_case *c, double beta)
{
    const double n = trop_case_number(c, "n"), last = -trop_log(1 - TROP_SP_ALIGNED);
    const int64_t parts = 2000;
    double sum = 0;

    for (int64_t k = 0; k <= parts; k++) {
        const double cosine = -trop_expm1(-last * (double)k / (double)parts);
        const double weight = k == 0 || k == parts ? 1 : k % 2 ? 4 : 2;
        sum += weight * trop_exp(-beta * cosine) / ((n - 1) * cosine + 1);
    }
    return sum * last / (double)parts / 3 * n / 2;
}

static double tenth(double beta)
{
    (void)beta;
    return .1;
}

static double small(double beta)
{
    return .1 / fmax(sqrt(beta) * trop_exp(beta - .5), 1);
}

/* ---- lines ---- */

/* Calls line with the time of the curve for each beta where half of the pairs of the last panel,
 * the one of most dimensions, should be one before the end, and before time most. */
static void conclude(struct trop_judge *judge, const struct trop_case *c,
                     const struct trop_sp_phase *phase, double most,
                     void (*line)(struct trop_judge *judge, const char *name, double half,
                                  double time))
{
    const double *betas = trop_case_array(c, "betas");
    const int64_t last = phase->count - 1;
    const double end = phase->spacing * (double)(trop_case_size(c, "density", 2) - 1);

    trop_sp_phase_start(judge, c, phase->panels, 0);
    for (int64_t row = 0; row < trop_case_size(c, "betas", 0); row++) {
        const double time = phase->curve(c, betas[row]);
        if (time < .9 * end && time < most) {
            line(judge,
                 trop_judge_name(judge, "d = %lld, beta = %.3g: half of the pairs are one at t",
                                 (long long)phase->panels[last].d, betas[row]),
                 trop_sp_phase_half(phase, c, last, row), time);
        }
    }
}

/* ---- SA ---- */

static const struct trop_sp_panel panels[] = {
    { "d = 2", 2, "dynamics=sa-step", 1 },
    { "d = 8", 8, "dynamics=sa-step", 4 },
    { "d = 32", 32, "dynamics=sa-step", 16 },
    { "d = 128", 128, "dynamics=sa-step", 64 },
};

static const struct trop_sp_phase phase = {
    .panels = panels,
    .count = 4,
    .across = 2,
    .spacing = .3,
    .times = { 40, 100, 100 },
    .betas = { 4, 12, 90 },
    .runs = { 32, 64, 2048 },
    .most = { 9, 9, 9 },
    .step = tenth,
    .curve = by_steps,
};

static void draw(struct trop_case *c)
{
    trop_sp_phase_draw(&phase, c);
}

static void work(struct trop_case *c)
{
    trop_sp_phase_work(&phase, c);
}

/* Up to 5% off, and by the step of the times. */
static void on_the_curve(struct trop_judge *judge, const char *name, double half, double time)
{
    trop_judge_near(judge, name, -1, half, time, .05 * time + phase.spacing);
}

static void conclude_sa(struct trop_judge *judge, const struct trop_case *c)
{
    conclude(judge, c, &phase, 10, on_the_curve);
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    trop_sp_phase_picture(&phase, figure, c);
}

const struct trop_claim trop_sp_fig_phase = {
    .id = "sp-fig-phase",
    .title = "pairs that are one under SA, over beta and time",
    .statement =
        "Of 32 uniform tokens on the sphere under SA pairs become one by t = 6 at small "
        "beta, later as beta grows, and at large beta not within t = 30; in high dimension "
        "the change is sharp, on the curve of equal angles.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "The paper shows colours. Compared are the start on the circle, where the fraction is "
        "arccos(.999)/pi, and at d = 128 the time when half of the pairs are one with the "
        "recursion of equal angles. The step is the authors', x + dt avg brought to length 1.",
    .inputs = "n betas times runs",
    .hypotheses = TROP_HYPOTHESES(TROP_SP_ENOUGH),
    .run = { draw, work, conclude_sa, picture },
    .spoils =
        TROP_SPOILS({ "the flow is run at beta + 3/2", .edit = "work density with betas += 1.5" },
                    { "a token is counted as a pair with itself",
                      .edit = "density *= 31/32; density += 1/32" }),
    .size = { 460, 400 },
};

/* ---- USA ---- */

static const struct trop_sp_panel usa_panels[] = {
    { "d = 2", 2, "dynamics=usa integrator=euler", 1 },
    { "d = 32", 32, "dynamics=usa integrator=euler", 4 },
};

static const struct trop_sp_phase usa = {
    .panels = usa_panels,
    .count = 2,
    .across = 2,
    .spacing = .01,
    .times = { 100, 100, 100 },
    .betas = { 3, 10, 45 },
    .runs = { 16, 32, 64 },
    .most = { 6.5, 7, 9 },
    .step = small,
    .curve = by_integral,
};

static void draw_usa(struct trop_case *c)
{
    trop_sp_phase_draw(&usa, c);
}

static void work_usa(struct trop_case *c)
{
    trop_sp_phase_work(&usa, c);
}

static void before_the_curve(struct trop_judge *judge, const char *name, double half, double time)
{
    trop_judge_at_most(judge, name, -1, half, time, usa.spacing);
}

static void conclude_usa(struct trop_judge *judge, const struct trop_case *c)
{
    conclude(judge, c, &usa, INFINITY, before_the_curve);
}

static void picture_usa(struct trop_figure *figure, const struct trop_case *c)
{
    trop_sp_phase_picture(&usa, figure, c);
}

const struct trop_claim trop_sp_fig_usa = {
    .id = "sp-fig-usa",
    .title = "pairs that are one under USA, over beta and time",
    .statement =
        "Under USA uniform tokens become one within t = 1 at large beta alone, and in high "
        "dimension no later than the curve of equal angles, whose time falls with beta.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "As sp-fig-phase; the curve is the integral of its ODE. Steps are Euler's, projected, "
        "as long as the authors'.",
    .inputs = "n betas times runs",
    .hypotheses = TROP_HYPOTHESES(TROP_SP_ENOUGH),
    .run = { draw_usa, work_usa, conclude_usa, picture_usa },
    .spoils = TROP_SPOILS(
        { "the flow is run at a third of beta", .edit = "work density with betas /= 3" },
        { "a token is counted as a pair with itself",
          .edit = "density *= 31/32; density += 1/32" }),
    .size = { 460, 220 },
};

/* ---- B and V drawn ---- */

static const struct trop_sp_panel random_panels[] = {
    { "B Gaussian, V = I", 8, "dynamics=sa-step draw_key_query=gaussian", 1 },
    { "B of GOE, V = I", 8, "dynamics=sa-step draw_key_query=goe", 1 },
    { "B of GOE, V = B/3", 8, "dynamics=sa-step draw_key_query=goe draw_value=ascent", 1 },
    { "B Gaussian, V = G Gᵀ/√8", 8,
      "dynamics=sa integrator=euler draw_key_query=gaussian draw_value=gram", 1 },
};

static const struct trop_sp_phase drawn = {
    .panels = random_panels,
    .count = 4,
    .across = 2,
    .spacing = .6,
    .times = { 20, 50, 50 },
    .betas = { 3, 12, 30 },
    .runs = { 8, 8, 64 },
    .most = { 9, 9, 9 },
    .step = tenth,
};

static void draw_random(struct trop_case *c)
{
    trop_sp_phase_draw(&drawn, c);
}

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    trop_sp_phase_one(out, &drawn, c, row, run);
}

static void work_random(struct trop_case *c)
{
    trop_sample_runs(c, "sample", drawn.count * trop_case_size(c, "betas", 0),
                     trop_case_integer(c, "runs"), trop_case_integer(c, "times") + 1, one);
    trop_sp_phase_means(&drawn, c);
}

/* As beta goes to 0 all tokens see the same average, whatever B is. */
static void conclude_random(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < 2; k++) {
        const double *density = trop_sp_phase_row(c, k, 0);
        trop_judge_at_least(judge, "pairs that are one at the end, at the least beta", -1,
                            density[trop_case_size(c, "density", 2) - 1], .9, 0);
    }
}

static void picture_random(struct trop_figure *figure, const struct trop_case *c)
{
    trop_sp_phase_picture(&drawn, figure, c);
}

const struct trop_claim trop_sp_fig_random = {
    .id = "sp-fig-random",
    .title = "pairs that are one with random B and V",
    .statement = "With a random B of each run's own, and V = I, tokens still gather at small beta, "
                 "and a random V changes where and how fast.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "The paper shows colours. Compared is what is clear without it: as beta goes to 0 the "
        "average is the same for all tokens, B does not matter, and with V = I all pairs "
        "become one.",
    .inputs = "n betas times runs",
    .hypotheses = TROP_HYPOTHESES(TROP_SP_ENOUGH),
    .run = { draw_random, work_random, conclude_random, picture_random },
    .spoils = TROP_SPOILS(
        { "the flow is run at ten times beta and more", .edit = "work density with betas += 6" }),
    .size = { 460, 400 },
};
