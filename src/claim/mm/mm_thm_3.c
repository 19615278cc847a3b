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
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POINTS 6

/* ---- instances ---- */

/* A selection that is locally optimal, the best tokens if no other is found in 8 tries. */
static enum trop_status draw(struct trop_case *c)
{
    struct trop_mm m;
    double *alpha = NULL;
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 2);
    enum trop_status status = trop_mm_draw(c, n, 3, 2 * n + trop_case_pick(c, 16, 1, 2), 0);

    trop_mm_open(&m, c);
    if (status != TROP_OK || trop_case_has(c, "alpha")) {
        return status;
    }
    status = trop_case_make(&alpha, c, "alpha", m.n, 0, 0);
    for (int64_t attempt = 0; attempt < 8 && status == TROP_OK; attempt++) {
        for (int64_t i = 0; i < m.n; i++) {
            alpha[i] = (double)(attempt < 7 ? trop_case_pick(c, 17, attempt * m.n + i, m.T)
                                            : trop_mm_optimal(&m, i));
        }
        status = trop_mm_solve(c, "alpha", "p_mm");
        if (trop_case_number(c, "p_mm_local") == 1) {
            break;
        }
    }
    return status;
}

static enum trop_status draw_run(struct trop_case *c)
{
    struct trop_mm m;
    enum trop_status status = draw(c);

    trop_mm_open(&m, c);
    status = status == TROP_OK ? trop_case_default(c, "eta", .999 / trop_mm_smoothness(&m, .25, 1))
                               : status;
    return status == TROP_OK
               ? trop_tokens_count(c, "steps", c->effort == TROP_CASE_FULL ? 100000 : 2000, 1, 1e9)
               : status;
}

/* ---- the lemma ---- */

static enum trop_status work_cone(struct trop_case *c)
{
    struct trop_mm m;
    double *points = NULL, *turned = NULL, *gradients = NULL, *moves = NULL;
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");
    const double mu = trop_case_number(c, "p_mm_mu"), R = trop_case_number(c, "p_mm_radius");

    trop_mm_open(&m, c);
    if (status != TROP_OK || !(mu > 0 && R < 1e5)) {
        return status;
    }
    const double size = trop_tokens_norm(trop_case_array(c, "p_mm"), m.dk);
    status = trop_case_make(&points, c, "points", POINTS, m.dk, 0);
    status = status == TROP_OK ? trop_case_make(&turned, c, "q", POINTS, m.dk, 0) : status;
    status =
        status == TROP_OK ? trop_case_make(&gradients, c, "gradients", POINTS, m.dk, 0) : status;
    status = status == TROP_OK ? trop_case_make(&moves, c, "moves", POINTS, m.dk, 0) : status;
    for (int64_t j = 0; j < POINTS && status == TROP_OK; j++) {
        const double share = j < 2 ? .999 : trop_case_uniform(c, 18, j);
        trop_mm_place(points + j * m.dk, c, j, share * mu,
                      R * (1.001 + trop_case_uniform(c, 19, j)));
        trop_mm_place(turned + j * m.dk, c, POINTS + j, share * mu, size);
        trop_mm_gradient(gradients + j * m.dk, &m, points + j * m.dk);
        status = trop_mm_move(moves + j * m.dk, c, points + j * m.dk, "ngd");
    }
    return status;
}

/* The numbers that the constants c and C are made of: the least and largest |l'| over the scores,
 * and differences of the scores. */
struct constants {
    double least, largest; /* |l'| */
    double gap, drop;      /* min_i (g_alpha - max over neighbours), max_i (g_alpha - min) */
};

/* Support tokens are those whose lead is at most 1 + 1e-7: a solution is good to 1e-10. */
static int is_neighbour(const struct trop_mm *m, const double *alpha, const double *p, int64_t i,
                        int64_t t)
{
    const int64_t a = (int64_t)alpha[i];

    return t != a && trop_mm_lead(m, i, a, t, p) <= 1 + 1e-7;
}

static struct constants measure(const struct trop_mm *m, const double *alpha, const double *p)
{
    struct constants out = { INFINITY, 0, INFINITY, 0 };

    for (int64_t i = 0; i < m->n; i++) {
        for (int64_t t = 0; t < m->T; t++) {
            const double slope = trop_mm_slope(trop_mm_score(m, i, t));
            const double lead = trop_mm_score(m, i, (int64_t)alpha[i]) - trop_mm_score(m, i, t);
            out.least = fmin(out.least, slope);
            out.largest = fmax(out.largest, slope);
            if (is_neighbour(m, alpha, p, i, t)) {
                out.gap = fmin(out.gap, lead);
                out.drop = fmax(out.drop, lead);
            }
        }
    }
    return out;
}

static void judge_leads(struct trop_judge *judge, const struct trop_mm *m, const double *alpha,
                        const double *p, const double *q, int64_t j)
{
    /* Support tokens of the solution in the case lead by 1 to within 1e-7. */
    const double rounding = 1e-6;
    double behind = INFINITY, delta = INFINITY;

    for (int64_t i = 0; i < m->n; i++) {
        for (int64_t t = 0; t < m->T; t++) {
            if (!is_neighbour(m, alpha, p, i, t)) {
                continue;
            }
            const double lead = trop_mm_lead(m, i, (int64_t)alpha[i], t, q);
            trop_judge_at_least(judge, "lead over a neighbour", j, lead, .5, rounding);
            trop_judge_at_most(judge, "lead over a neighbour", j, lead, 1.5, rounding);
            for (int64_t s = 0; s < m->T; s++) {
                if (s != (int64_t)alpha[i] && !is_neighbour(m, alpha, p, i, s)) {
                    behind = fmin(behind, trop_mm_lead(m, i, t, s, q));
                    delta = fmin(delta, trop_mm_lead(m, i, t, s, p) / 2);
                }
            }
        }
    }
    if (delta < INFINITY) {
        trop_judge_at_least(judge, "neighbours before the others, against delta", j, behind, delta,
                            rounding);
    }
}

static enum trop_status conclude_cone(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha"), *best = trop_case_array(c, "p_mm");
    const double *points = trop_case_array(c, "points"), *moves = trop_case_array(c, "moves");

    trop_mm_open(&m, c);
    const struct constants k = measure(&m, alpha, best);
    for (int64_t j = 0; j < trop_case_size(c, "points", 0); j++) {
        const double *p = points + j * m.dk, *q = trop_case_array(c, "q") + j * m.dk;
        const double *gradient = trop_case_array(c, "gradients") + j * m.dk;
        const double along = -trop_tokens_dot(gradient, q, m.dk);
        double rest = 0, most = 0;
        for (int64_t i = 0; i < m.n; i++) {
            rest += trop_mm_rest(&m, i, (int64_t)alpha[i], p) / (double)m.n;
        }
        const double rounding = 64 * DBL_EPSILON * trop_tokens_norm(p, m.dk) * trop_mm_reach(&m);
        judge_leads(judge, &m, alpha, best, q, j);
        trop_judge_at_most(judge, "-<grad, q> over mean(1 - s)", j, along / rest,
                           2 * k.largest * k.drop, rounding);
        trop_judge_at_least(judge, "-<grad, q> over mean(1 - s)", j, along / rest,
                            k.least * k.gap / 8, rounding);
        for (int64_t a = 0; a < m.dk; a++) {
            const double unit = gradient[a] / trop_tokens_norm(gradient, m.dk);
            most = fmax(most, fabs(moves[j * m.dk + a] + unit));
        }
        trop_judge_at_most(judge, "the library's unit step against the formula", j, most, 0,
                           rounding * (double)(m.n * m.T));
    }
    return TROP_OK;
}

/* ---- the theorem ---- */

static enum trop_status train_from(struct trop_case *c, const char *optimizer, double eta,
                                   int64_t steps, const char *name)
{
    struct trop_train_options o;
    enum trop_status status = trop_mm_options(&o, optimizer, eta, steps);

    if (status == TROP_OK) {
        o.start = TROP_TRAIN_GIVEN;
        o.start_weights = trop_case_array(c, "p0");
        status = trop_mm_train(c, &o, name);
    }
    return status;
}

static enum trop_status work_run(struct trop_case *c)
{
    double *p = NULL;
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");
    const double mu = trop_case_number(c, "p_mm_mu"), R = trop_case_number(c, "p_mm_radius");

    if (status != TROP_OK || !(mu > 0 && R < 1e5)) {
        return status;
    }
    if (!trop_case_has(c, "p0")) {
        status = trop_case_make(&p, c, "p0", trop_case_size(c, "p_mm", 0), 0, 0);
        if (status == TROP_OK) {
            trop_mm_place(p, c, 0, .8 * mu, 1.01 * R);
        }
    }
    status = status == TROP_OK ? train_from(c, "gd", trop_case_number(c, "eta"),
                                            trop_case_integer(c, "steps"), "gd")
                               : status;
    /* Steps of a twentieth of the cone's width, and of a tenth of |p_mm|, the width of the valley
     * that attention leaves, in which longer ones go to and fro; 9 R of way in all. */
    const double eta = fmin(R * sqrt(2 * mu) / 20, trop_case_number(c, "p_mm_upper") / 10);
    return status == TROP_OK ? train_from(c, "ngd", eta, (int64_t)(9 * R / eta), "ngd") : status;
}

static void judge_stay(struct trop_judge *judge, const struct trop_case *c, const struct trop_mm *m,
                       const char *name, int64_t row)
{
    const double *p = trop_case_array(c, name) + row * m->dk, *before = p - m->dk;
    const double *best = trop_case_array(c, "p_mm");

    /* Every step rounds p. */
    const double *step = trop_case_array(c, "gd_step");
    const double rounding =
        DBL_EPSILON * (8 + step[row] - step[row - 1]) * trop_tokens_norm(p, m->dk);

    trop_judge_at_least(judge, "lead of the selected tokens", row, trop_mm_margin(m, p),
                        trop_tokens_norm(p, m->dk) / trop_tokens_norm(best, m->dk) / 2, 0);
    trop_judge_at_least(judge, "norm against the record before", row, trop_tokens_norm(p, m->dk),
                        trop_tokens_norm(before, m->dk), rounding);
    trop_judge_at_most(judge, "log of the loss above its limit, against before", row,
                       trop_log(trop_mm_excess(m, p)),
                       trop_log(trop_mm_excess(m, before)),
                       64 * DBL_EPSILON + 8 * rounding * trop_mm_reach(m));
}

static enum trop_status conclude_run(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *best = trop_case_array(c, "p_mm"), *fast = trop_case_array(c, "ngd");
    const int64_t rows = trop_case_size(c, "gd", 0), last = trop_case_size(c, "ngd", 0) - 1;

    trop_mm_open(&m, c);
    for (int64_t row = 1; row < rows; row++) {
        judge_stay(judge, c, &m, "gd", row);
    }
    trop_judge_at_most(judge, "normalised: 1 - cos at the end, against the start", last,
                       trop_mm_turn(fast + last * m.dk, best, m.dk),
                       trop_mm_turn(fast, best, m.dk) / 4, 64 * DBL_EPSILON);
    return TROP_OK;
}

/* ---- hypotheses ---- */

static enum trop_status locally_optimal(struct trop_judge *judge, const struct trop_case *c)
{
    const double local = trop_case_number(c, "p_mm_local");

    trop_judge_truth(judge, "selected tokens score above their neighbours", -1,
                     isnan(local) ? -1 : (int64_t)local);
    return TROP_OK;
}

static enum trop_status neighbours(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha"), *best = trop_case_array(c, "p_mm");

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n; i++) {
        int64_t count = 0;
        for (int64_t t = 0; t < m.T; t++) {
            count += is_neighbour(&m, alpha, best, i, t);
        }
        trop_judge_at_least(judge, "neighbours of an input", i, (double)count, 1, 0);
    }
    return TROP_OK;
}

static enum trop_status inside(struct trop_judge *judge, const struct trop_case *c)
{
    const double *p = trop_case_array(c, "p0");
    const int64_t dk = trop_case_size(c, "p_mm", 0);

    if (!p) {
        trop_judge_truth(judge, "there is a cone", -1, -1);
        return TROP_OK;
    }
    trop_judge_at_most(judge, "1 - cos of the start against mu", -1,
                       trop_mm_turn(p, trop_case_array(c, "p_mm"), dk),
                       trop_case_number(c, "p_mm_mu"), 64 * DBL_EPSILON);
    trop_judge_at_least(judge, "norm of the start against R", -1, trop_tokens_norm(p, dk),
                        trop_case_number(c, "p_mm_radius"), 1e-9);
    return TROP_OK;
}

/* The farthest point is at 2 R, where e^-(|p| Theta) must be in the range of double. */
static enum trop_status in_range(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "R over |p_mm|", -1,
                       trop_case_number(c, "p_mm_radius") / trop_case_number(c, "p_mm_upper"), 300,
                       0);
    return TROP_OK;
}

static const struct trop_hypothesis cone_hypotheses[] = {
    { "range", "e^(-2 R/|p_mm|) is a number of double", in_range, 1 },
    { "locally-optimal", "selected tokens score above their neighbours", locally_optimal, 1 },
    { "neighbours", "every input has one", neighbours, 1 },
    { 0 },
};

/* Normalised steps may go to and fro across a narrow valley: then |p| has not grown enough. */
static enum trop_status far(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t dk = trop_case_size(c, "ngd", 1), last = trop_case_size(c, "ngd", 0) - 1;
    const double *p = trop_case_array(c, "ngd");

    trop_judge_at_least(judge, "norm at the end over that at the start", last,
                        trop_tokens_norm(p + last * dk, dk) / trop_tokens_norm(p, dk), 4, 0);
    return TROP_OK;
}

static const struct trop_hypothesis run_hypotheses[] = {
    { "small-step", "eta <= 1/L_p", trop_mm_old_small_step, 0 },
    { "range", "e^(-2 R/|p_mm|) is a number of double", in_range, 1 },
    { "locally-optimal", "selected tokens score above their neighbours", locally_optimal, 1 },
    { "inside", "the start is in the cone, and long enough", inside, 1 },
    { "far", "normalised steps made |p| four times as long", far, 1 },
    { 0 },
};

/* ---- spoils ---- */

/* Raises the score of a neighbour above that of the selected token, and solves the problem
 * again. */
static enum trop_status better_neighbour(struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha"), *best = trop_case_array(c, "p_mm");

    trop_mm_open(&m, c);
    for (int64_t at = 0; at < m.n * m.T; at++) {
        const int64_t i = at / m.T;
        if (is_neighbour(&m, alpha, best, i, at % m.T)) {
            trop_case_array(c, "X")[at * m.d + m.d - 1] =
                m.x[(i * m.T + (int64_t)alpha[i]) * m.d + m.d - 1] + .1 * m.y[i];
            break;
        }
    }
    return trop_mm_solve(c, "alpha", "p_mm");
}

static enum trop_status out_of_cone(struct trop_case *c)
{
    trop_mm_place(trop_case_array(c, "q"), c, 0, .9,
                  trop_tokens_norm(trop_case_array(c, "p_mm"), trop_case_size(c, "p_mm", 0)));
    return TROP_OK;
}

static enum trop_status hundredfold(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "gradients", 1); k++) {
        trop_case_array(c, "gradients")[k] *= 100;
    }
    return TROP_OK;
}

static enum trop_status turn_step(struct trop_case *c)
{
    trop_case_array(c, "moves")[0] += 1e-6;
    return TROP_OK;
}

static enum trop_status step_back(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "gd", 0), dk = trop_case_size(c, "gd", 1);
    double *p = trop_case_array(c, "gd") + (rows - 1) * dk;

    for (int64_t k = 0; k < dk; k++) {
        p[k] = p[k - dk] * (1 - 1e-9);
    }
    return TROP_OK;
}

static enum trop_status freeze(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "ngd", 0), dk = trop_case_size(c, "ngd", 1);
    double *p = trop_case_array(c, "ngd") + (rows - 1) * dk;

    trop_mm_place(p, c, 1, .5 * trop_case_number(c, "p_mm_mu"), trop_tokens_norm(p, dk));
    return TROP_OK;
}

static enum trop_status shorter(struct trop_case *c)
{
    const int64_t dk = trop_case_size(c, "p0", 0);

    for (int64_t k = 0; k < dk; k++) {
        trop_case_array(c, "p0")[k] *= .5;
    }
    return TROP_OK;
}

static const struct trop_spoil cone_spoils[] = {
    { "one q is out of the cone: 1 - cos = .9", NULL, out_of_cone },
    { "a gradient is a hundred times as long", NULL, hundredfold },
    { "the library's step at one point moved by 1e-6", NULL, turn_step },
    { "a neighbour scores .1 more than its selected token", "locally-optimal", better_neighbour },
    { 0 },
};

static const struct trop_spoil run_spoils[] = {
    { "the last point of gradient descent is the one before, shorter by 1e-9", NULL, step_back },
    { "the normalised run ends with 1 - cos = mu/2", NULL, freeze },
    { "eta = 4/L_p", "small-step", trop_mm_spoil_step },
    { "the start is at half its norm", "inside", shorter },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, -1 or 1" },
    { "v", "(d)", "decoder" },
    { "K", "(n, T, dk)", "keys; the tokens when absent" },
    { "alpha", "(n)", "the selected token of each input" },
    { 0 },
};

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
    .old_inputs = inputs,
    .hypotheses = run_hypotheses,
    .old_draw = draw_run,
    .old_work = work_run,
    .old_conclude = conclude_run,
    .spoils = run_spoils,
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
    .old_inputs = inputs,
    .hypotheses = cone_hypotheses,
    .old_draw = draw,
    .old_work = work_cone,
    .old_conclude = conclude_cone,
    .spoils = cone_spoils,
    .trials = 50,
};
