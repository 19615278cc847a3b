/* mm_thm_3.c -- gradient descent in the cone of a locally optimal selection (max-margin paper,
 * theorem 3 with the cone of equation 32, and the lemma behind it).
 *
 *   Theta = 1/|p_mm|,   A = max|k_it| / Theta,   delta = half the least of (k_it - k_is)'p_mm over
 *   neighbours t and other tokens s,   mu = (min(1/2, delta)/A)^2 / 8,
 *   R = max(2, 1/delta)/Theta log(64 T Gamma A / gap)
 *
 * Lemma: for q in the cone 1 - cos(q, p_mm) <= mu with |q| = |p_mm|, neighbours have a lead between
 * 1/2 and 3/2 to make up, others are behind them by delta at least; and where |p| >= R too,
 *
 *   C mean(1 - s_alpha) >= -<grad L(p), q> >= c mean(1 - s_alpha),
 *   C = 2 max|l'| max_i (g_alpha - min over neighbours),   c = min|l'| min_i gap_i / 8.
 *
 * mu and R are those that the library reports with a solution; the lemma is judged on gradients by
 * the formula of mm.c, and the library's step is compared with them. Leads of points of norm |p|
 * round by u |p| |k|, and gradients relatively by that.
 *
 * In a gradient that is so for every term l'_i s_t (g_t - f)(k_t - k_alpha), where g_t - f rounds
 * by its scores, 3 (d + 1) u |v| |x|, and adding them up by T + n + 8 u; all terms together have
 * the length max|l'| Gamma A' mean(1 - s_alpha), Gamma the spread of the scores and A' that of the
 * keys. The unit vector moves by twice that over |grad|, and as much for the library's. A step of
 * length 1 has the rounding of p + 1 besides.
 *
 * Theorem: from a start in the cone with |p| >= R, gradient descent with eta <= 1/L_p grows without
 * bound and its direction tends to p_mm. At such norms gradients are around e^-20: a run sees p
 * move by 1e-6. So the theorem is read on gradient descent (selection kept, loss falling, norm
 * rising at every record), and its limit on the normalised one, the same curve with another clock,
 * until |p| has grown fourfold: 1 - cos has then fallen to a quarter at least. (The part of p
 * across p_mm tends to a constant, so that 1 - cos falls as 1/|p|^2 in the end.) The cone itself
 * need not be kept: that constant over R can be wider than it. Of 400 draws 19 left it, by up to 3
 * mu, with any step size.
 */
#include "claim/mm/mm.h"

#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define POINTS 6

/* ---- instances ---- */

/* A selection that is locally optimal, the best tokens if no other is found in 8 tries. */
static void draw(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 2);

    trop_mm_draw(c, n, 3, 2 * n + trop_case_pick(c, 16, 1, 2), 0);
    const struct trop_mm m = trop_mm_of(c);
    double *alpha = trop_case_absent(c, "alpha", m.n, 0, 0);
    for (int64_t attempt = 0; alpha && attempt < 8; attempt++) {
        for (int64_t i = 0; i < m.n; i++) {
            alpha[i] = (double)(attempt < 7 ? trop_case_pick(c, 17, attempt * m.n + i, m.T)
                                            : trop_mm_optimal(&m, i));
        }
        trop_mm_solve(c);
        if (trop_case_number(c, "p_mm_local") == 1) {
            break;
        }
    }
}

static void draw_run(struct trop_case *c)
{
    draw(c);
    const struct trop_mm m = trop_mm_of(c);
    trop_case_default(c, "eta", .999 / trop_mm_smoothness(&m, .25, 1));
    trop_tokens_count(c, "steps", c->effort == TROP_CASE_FULL ? 100000 : 2000, 1, 1e9);
}

/* Solves the problem of alpha; 1 when there is a cone. */
static int solve(struct trop_case *c, double *mu, double *R)
{
    trop_mm_solve(c);
    *mu = trop_case_number(c, "p_mm_mu");
    *R = trop_case_number(c, "p_mm_radius");
    return *mu > 0 && *R < 1e5;
}

/* ---- the lemma ---- */

static void work_cone(struct trop_case *c)
{
    double mu = 0, R = 0;

    if (!solve(c, &mu, &R)) {
        return;
    }
    const struct trop_mm m = trop_mm_of(c);
    double *points = trop_case_zeros(c, "points", POINTS, m.dk, 0);
    double *turned = trop_case_zeros(c, "q", POINTS, m.dk, 0);
    double *gradients = trop_case_zeros(c, "gradients", POINTS, m.dk, 0);
    for (int64_t j = 0; j < POINTS; j++) {
        const double share = j < 2 ? .999 : trop_case_uniform(c, 18, j);
        trop_mm_place(points + j * m.dk, c, j, share * mu,
                      R * (1.001 + trop_case_uniform(c, 19, j)));
        trop_mm_place(turned + j * m.dk, c, POINTS + j, share * mu, trop_tokens_norm(m.p_mm, m.dk));
        trop_mm_gradient(gradients + j * m.dk, &m, points + j * m.dk);
    }
    trop_mm_moves(c, "points", "moves", "ngd");
}

/* Support tokens are those whose lead is at most 1 + 1e-7: a solution is good to 1e-10. */
static int is_neighbour(const struct trop_mm *m, int64_t i, int64_t t)
{
    const int64_t a = (int64_t)m->alpha[i];

    return t != a && trop_mm_lead(m, i, a, t, m->p_mm) <= 1 + 1e-7;
}

/* The numbers that the constants c and C are made of: the least and largest |l'| over the scores,
 * and differences of the scores. */
struct constants {
    double least, largest; /* |l'| */
    double gap, drop;      /* min_i (g_alpha - max over neighbours), max_i (g_alpha - min) */
};

static struct constants measure(const struct trop_mm *m)
{
    struct constants out = { INFINITY, 0, INFINITY, 0 };

    for (int64_t at = 0; at < m->n * m->T; at++) {
        const int64_t i = at / m->T, t = at % m->T;
        const double slope = trop_mm_slope(trop_mm_score(m, i, t));
        const double lead = trop_mm_score(m, i, (int64_t)m->alpha[i]) - trop_mm_score(m, i, t);
        out.least = fmin(out.least, slope);
        out.largest = fmax(out.largest, slope);
        if (is_neighbour(m, i, t)) {
            out.gap = fmin(out.gap, lead);
            out.drop = fmax(out.drop, lead);
        }
    }
    return out;
}

/* Leads at q, |q| = |p_mm|; delta is half the least of p_mm itself. */
static void judge_leads(struct trop_judge *judge, const struct trop_mm *m, const double *q,
                        int64_t j)
{
    /* Support tokens of the solution in the case lead by 1 to within 1e-7. */
    const double rounding = 1e-6;
    double behind = INFINITY, delta = INFINITY;

    for (int64_t at = 0; at < m->n * m->T; at++) {
        const int64_t i = at / m->T, t = at % m->T, a = (int64_t)m->alpha[i];
        if (!is_neighbour(m, i, t)) {
            continue;
        }
        const double lead = trop_mm_lead(m, i, a, t, q);
        trop_judge_at_least(judge, "lead over a neighbour", j, lead, .5, rounding);
        trop_judge_at_most(judge, "lead over a neighbour", j, lead, 1.5, rounding);
        for (int64_t s = 0; s < m->T; s++) {
            if (s != a && !is_neighbour(m, i, s)) {
                behind = fmin(behind, trop_mm_lead(m, i, t, s, q));
                delta = fmin(delta, trop_mm_lead(m, i, t, s, m->p_mm) / 2);
            }
        }
    }
    if (delta < INFINITY) {
        /* Where others are behind by so little, rounding has said which tokens are neighbours. */
        trop_judge_at_least(judge, "neighbours before the others, against delta", j, behind, delta,
                            delta > rounding ? rounding : INFINITY);
    }
}

/* How far rounding moves the unit gradient at p, as above; rest: mean(1 - s_alpha). */
static double blur(const struct trop_mm *m, double slope, const double *p, const double *gradient,
                   double rest)
{
    const double size = trop_tokens_norm(p, m->dk), reach = trop_mm_reach(m);
    const double scores = 3 * (double)(m->d + 1) * trop_tokens_norm(m->v, m->d) *
                          trop_tokens_radius(m->x, m->n * m->T, m->d);
    const double relative = (double)(m->dk + 2) * reach * size + (double)(m->T + m->n + 8);
    const double terms = slope * reach * rest * (trop_mm_spread(m) * relative + scores);

    return DBL_EPSILON * (2 * terms / trop_tokens_norm(gradient, m->dk) + size + 1);
}

static void conclude_cone(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct constants k = measure(&m);
    const double *points = trop_case_array(c, "points"), *moves = trop_case_array(c, "moves");

    for (int64_t j = 0; j < trop_case_size(c, "points", 0); j++) {
        const double *p = points + j * m.dk, *q = trop_case_array(c, "q") + j * m.dk;
        const double *gradient = trop_case_array(c, "gradients") + j * m.dk;
        const double along = -trop_tokens_dot(gradient, q, m.dk);
        double rest = 0, most = 0;
        for (int64_t i = 0; i < m.n; i++) {
            rest += trop_mm_rest(&m, i, (int64_t)m.alpha[i], p) / (double)m.n;
        }
        const double rounding = 64 * DBL_EPSILON * trop_tokens_norm(p, m.dk) * trop_mm_reach(&m);
        judge_leads(judge, &m, q, j);
        trop_judge_at_most(judge, "-<grad, q> over mean(1 - s)", j, along / rest,
                           2 * k.largest * k.drop, rounding);
        trop_judge_at_least(judge, "-<grad, q> over mean(1 - s)", j, along / rest,
                            k.least * k.gap / 8, rounding);
        for (int64_t a = 0; a < m.dk; a++) {
            const double unit = gradient[a] / trop_tokens_norm(gradient, m.dk);
            most = fmax(most, fabs(moves[j * m.dk + a] + unit));
        }
        trop_judge_at_most(judge, "the library's unit step against the formula", j, most, 0,
                           blur(&m, k.largest, p, gradient, rest));
    }
}

/* ---- the theorem ---- */

static void work_run(struct trop_case *c)
{
    double mu = 0, R = 0;

    if (!solve(c, &mu, &R)) {
        return;
    }
    double *p = trop_case_absent(c, "p0", trop_case_size(c, "p_mm", 0), 0, 0);
    if (p) {
        trop_mm_place(p, c, 0, .8 * mu, 1.01 * R);
    }
    /* Steps of a twentieth of the cone's width, and of a tenth of |p_mm|, the width of the valley
     * that attention leaves, in which longer ones go to and fro; 9 R of way in all. */
    const double eta = fmin(R * sqrt(2 * mu) / 20, trop_case_number(c, "p_mm_upper") / 10);
    trop_case_records(c,
                      trop_case_train(c, "model=prompt optimizer=gd eta=@eta steps=@steps "
                                         "start_weights=@p0"),
                      "weights=gd step=gd_step");
    trop_case_records(c,
                      trop_case_train(c,
                                      "model=prompt optimizer=ngd eta=%.17g steps=%lld "
                                      "start_weights=@p0",
                                      eta, (long long)(9 * R / eta)),
                      "weights=ngd");
}

/* A record of gradient descent and the one before. */
static void judge_stay(struct trop_judge *judge, const struct trop_case *c, int64_t row)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *p = trop_case_array(c, "gd") + row * m.dk, *before = p - m.dk;
    const double *step = trop_case_array(c, "gd_step"), size = trop_tokens_norm(p, m.dk);
    /* Every step rounds p. */
    const double rounding = DBL_EPSILON * (8 + step[row] - step[row - 1]) * size;

    trop_judge_at_least(judge, "lead of the selected tokens", row, trop_mm_margin(&m, p),
                        size / trop_tokens_norm(m.p_mm, m.dk) / 2, 0);
    trop_judge_at_least(judge, "norm against the record before", row, size,
                        trop_tokens_norm(before, m.dk), rounding);
    trop_judge_at_most(judge, "log of the loss above its limit, against before", row,
                       trop_log(trop_mm_excess(&m, p)), trop_log(trop_mm_excess(&m, before)),
                       64 * DBL_EPSILON + 8 * rounding * trop_mm_reach(&m));
}

static void conclude_run(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view fast = trop_case_view(c, "ngd");
    const double *best = trop_case_array(c, "p_mm");

    for (int64_t row = 1; row < trop_case_size(c, "gd", 0); row++) {
        judge_stay(judge, c, row);
    }
    trop_judge_at_most(judge, "normalised: 1 - cos at the end, against the start", fast.rows - 1,
                       trop_mm_turn(trop_case_view_row(fast, -1), best, fast.columns),
                       trop_mm_turn(fast.at, best, fast.columns) / 4, 64 * DBL_EPSILON);
}

/* ---- hypotheses ---- */

static void locally_optimal(struct trop_judge *judge, const struct trop_case *c)
{
    const double local = trop_case_number(c, "p_mm_local");

    trop_judge_truth(judge, "selected tokens score above their neighbours", -1,
                     isnan(local) ? -1 : (int64_t)local);
}

static void neighbours(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        int64_t count = 0;
        for (int64_t t = 0; t < m.T; t++) {
            count += is_neighbour(&m, i, t);
        }
        trop_judge_at_least(judge, "neighbours of an input", i, (double)count, 1, 0);
    }
}

static void inside(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "p0");

    if (!p.at) {
        trop_judge_truth(judge, "there is a cone", -1, -1);
        return;
    }
    trop_judge_at_most(judge, "1 - cos of the start against mu", -1,
                       trop_mm_turn(p.at, trop_case_array(c, "p_mm"), p.rows),
                       trop_case_number(c, "p_mm_mu"), 64 * DBL_EPSILON);
    trop_judge_at_least(judge, "norm of the start against R", -1, trop_tokens_norm(p.at, p.rows),
                        trop_case_number(c, "p_mm_radius"), 1e-9);
}

/* The farthest point is at 2 R: gradients there are l' of a score, which is e^-g of a large one,
 * times e^-(|p| Theta), and must be in the range of double. */
static void in_range(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    double largest = 0;

    for (int64_t i = 0; i < m.n; i++) {
        largest = fmax(largest, trop_mm_score(&m, i, trop_mm_optimal(&m, i)));
    }
    trop_judge_at_most(judge, "2 R over |p_mm|, and the largest score", -1,
                       2 * trop_case_number(c, "p_mm_radius") / trop_case_number(c, "p_mm_upper") +
                           largest,
                       600, 0);
}

#define RANGE \
    { \
        "range", "e^(-2 R/|p_mm|) times |l'| of every score is a number of double", \
            .judge = in_range, .late = 1 \
    }
#define LOCALLY_OPTIMAL \
    { \
        "locally-optimal", "selected tokens score above their neighbours", \
            .judge = locally_optimal, .late = 1 \
    }

/* ---- the claims ---- */

const struct trop_claim trop_mm_thm_3 = {
    .id = "mm-thm-3",
    .title = "gradient descent from inside the cone",
    .statement =
        "From a start in the cone 1 - cos(p, p_mm) <= mu with |p| >= R of a locally optimal "
        "selection, gradient descent with eta <= 1/L_p grows without bound and tends in "
        "direction to the max-margin solution of that selection.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "mu and R of equation 32. Gradients are around e^-20 there, so the limit is read on "
        "normalised steps, the same curve with another clock: when |p| has grown fourfold, "
        "1 - cos is at most a quarter of what it was. The cone is not kept on the way: in one "
        "draw of twenty the curve leaves it, by up to 3 mu, and still converges. As printed "
        "delta says nothing of an input without neighbours; ours counts one at margin 1.",
    .inputs = "X y v K alpha p0 eta steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MM_SMALL_STEP, RANGE, LOCALLY_OPTIMAL,
        { "inside", "the start is in the cone, and long enough", .judge = inside, .late = 1,
          .broken = "the start is at half its norm", .edit = "p0 *= .5" },
        /* Normalised steps may go to and fro across a narrow valley: then |p| has not grown. */
        { "far", "normalised steps made |p| four times as long",
          .holds = "norm at the end over that at the start: norm(ngd[-1]) / norm(ngd[0]) >= 4",
          .late = 1 }),
    .run = { draw_run, work_run, conclude_run },
    .spoils = TROP_SPOILS({ "the last point of gradient descent is the one before, shorter by 1e-9",
                            NULL, .edit = "gd[-1] = (1 - 1e-9) * gd[-2]" },
                          { "the normalised run ends in the direction of its start", NULL,
                            .edit = "ngd[-1] = 5 * ngd[0]" }),
    .asymptotic = 1,
    .trials = 20,
};

const struct trop_claim trop_mm_lem_cone = {
    .id = "mm-lem-cone",
    .title = "leads and gradients in the cone",
    .statement = "In the cone of a locally optimal selection neighbours have leads between 1/2 and "
                 "3/2 against them, others are behind by delta, and for |p| >= R the gradient "
                 "satisfies c mean(1 - s) <= -<grad, q> <= C mean(1 - s).",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "q is any point of the cone with |q| = |p_mm|. C = 2 max|l'| max(g_alpha - g) and c = "
        "min|l'| min gap / 8 over neighbours. Judged where every input has a neighbour, as "
        "the constants take it.",
    .inputs = "X y v K alpha",
    .hypotheses =
        TROP_HYPOTHESES(RANGE, LOCALLY_OPTIMAL,
                        { "neighbours", "every input has one", .judge = neighbours, .late = 1 }),
    .run = { draw, work_cone, conclude_cone },
    .spoils = TROP_SPOILS(
        { "one q is at two fifths of its length, which leads by .4", NULL, .edit = "q[0] *= .4" },
        { "a gradient is a hundred times as long", NULL, .edit = "gradients[0] *= 100" },
        { "the library's step at one point moved by 1e-6", NULL, .edit = "moves[0,0] += 1e-6" },
        { "all scores change their sign", "locally-optimal", .edit = "v *= -1; work" }),
    .trials = 50,
};
