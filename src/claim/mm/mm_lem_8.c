/* mm_lem_8.c -- rays compared (max-margin paper, lemmas 8 and 9).
 *
 * A unit vector q selects in each input the token alpha_i of the largest logit, with margin G the
 * least lead over any other token; the tokens that attain it are its neighbours, and G' is the next
 * lead. Along the ray L(R q) tends to L_alpha = mean of l(g_alpha). With b_i the selected scores, s
 * = |l'|, Gamma the largest difference of scores and gap the least one between selected token and
 * neighbour:
 *
 *   L(R q) - L_alpha <= Gamma (T - 1) e^(-R G)                                     always;
 *   L(R q) - L_alpha >= min s(b_i) gap e^(-R G) / (2 n T)                          (8)
 * when neighbours score less and R >= log(2 n T (T-1) Gamma max s(b_i) / (gap min s(b_i))) / (G' -
 * G); L(R q) - L_alpha <= - min s(b_i + Gamma) gap e^(-R G) / (2 n T)                (9) when they
 * score more and R >= log(2 n T (T-1) Gamma / (gap min s(b_i + Gamma))) / (G' - G).
 *
 * (l is convex with |l'| <= 1; a neighbour has attention e^(-R G)/T at least, tokens that are none
 * e^(-R G') at most.) Lemma 8: of two vectors with the same selection the one with the larger
 * margin G_1 > G_2 has the smaller loss, for R above the first bound and log(2 n T (T-1) Gamma /
 * (gap min s)) / (G_1 - G_2). Lemma 9: a ray whose neighbours all score higher is below its limit:
 * the minimum along it is at a finite R.
 *
 * L(R q) - L_alpha is computed without cancellation (mm.c), relatively to 64 u (1 + R |k|).
 */
#include "claim/mm/mm.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>

/* ---- what a direction sees ---- */

struct view {
    double margin, next; /* G and G' */
    double low, high;    /* least and largest g_alpha - g over neighbours */
    double weak, strong; /* least and largest s(b_i) */
    double weakest;      /* least s(b_i + Gamma) */
};

static struct view look(const struct trop_mm *m, const double *q)
{
    struct view out = { trop_mm_margin(m, q), INFINITY, INFINITY, -INFINITY, 1, 0, 1 };
    const double spread = trop_mm_spread(m);

    for (int64_t at = 0; at < m->n * m->T; at++) {
        const int64_t i = at / m->T, t = at % m->T, a = (int64_t)m->alpha[i];
        const double best = trop_mm_score(m, i, a), lead = trop_mm_lead(m, i, a, t, q);
        out.weak = fmin(out.weak, trop_mm_slope(best));
        out.strong = fmax(out.strong, trop_mm_slope(best));
        out.weakest = fmin(out.weakest, trop_mm_slope(best + spread));
        if (t != a && lead <= out.margin + 1e-9) {
            out.low = fmin(out.low, best - trop_mm_score(m, i, t));
            out.high = fmax(out.high, best - trop_mm_score(m, i, t));
        } else if (t != a) {
            out.next = fmin(out.next, lead);
        }
    }
    return out;
}

/* What q2 of the case sees. */
static struct view second(const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    return look(&m, trop_case_array(c, "q2"));
}

static double first_margin(const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    return trop_mm_margin(&m, trop_case_array(c, "q1"));
}

static double pairs(const struct trop_mm *m)
{
    return 2 * (double)(m->n * m->T * (m->T - 1)) * trop_mm_spread(m);
}

/* ---- instances ---- */

/* q2 at random, alpha what it selects. Scores: selected .6; neighbours of q2 lower (side 1) or
 * higher (-1); others anywhere. */
static void draw_side(struct trop_case *c, double side)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 2), T = 3 + trop_case_pick(c, 16, 1, 2);
    const int given = trop_case_has(c, "X");

    trop_mm_draw(c, n, T, n * (T - 1) + 1, 0);
    double *drawn = trop_case_absent(c, "q2", trop_mm_of(c).dk, 0, 0);
    if (drawn) {
        trop_mm_unit(drawn, c, 0, trop_mm_of(c).dk);
    }
    const double *q = trop_case_array(c, "q2");
    trop_mm_select(c, q);
    const struct trop_mm m = trop_mm_of(c);
    const double margin = trop_mm_margin(&m, q);
    for (int64_t at = 0; at < m.n * m.T && !given; at++) {
        const int64_t i = at / m.T, a = (int64_t)m.alpha[i];
        const int near = trop_mm_lead(&m, i, a, at % m.T, q) <= margin + 1e-9;
        const double u = trop_case_uniform(c, 17, at);
        const double score = at % m.T == a ? .6 : near ? .6 - side * (.1 + .3 * u) : u;
        trop_case_array(c, "X")[at * m.d + m.d - 1] = m.y[i] * score;
    }
}

/* q1 is along the max-margin solution of alpha. */
static void draw_lower(struct trop_case *c)
{
    draw_side(c, 1);
    if (trop_case_has(c, "q1")) {
        return;
    }
    trop_mm_solve(c);
    const struct trop_mm m = trop_mm_of(c);
    double *q = trop_case_zeros(c, "q1", m.dk, 0, 0);
    for (int64_t k = 0; k < m.dk; k++) {
        q[k] = m.p_mm[k] / trop_tokens_norm(m.p_mm, m.dk);
    }
}

static void draw_higher(struct trop_case *c)
{
    draw_side(c, -1);
}

/* ---- what is judged: R, and L(R q) - L_alpha ---- */

static void put_excess(struct trop_case *c, const char *q, double R, const char *name)
{
    const struct trop_mm m = trop_mm_of(c);
    double *p = trop_case_scratch(c, m.dk);

    for (int64_t k = 0; k < m.dk; k++) {
        p[k] = R * trop_case_array(c, q)[k];
    }
    trop_case_put(c, "R", R);
    trop_case_put(c, name, trop_mm_excess(&m, p));
}

static void work_lower(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct view v = second(c);
    const double base = pairs(&m) / (v.low * v.weak);
    const double R = fmax(trop_log(base * v.strong) / (v.next - v.margin),
                          trop_log(base) / (first_margin(c) - v.margin));

    put_excess(c, "q1", R, "excess1");
    put_excess(c, "q2", R, "excess2");
}

static void work_higher(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct view v = second(c);

    put_excess(c, "q2", trop_log(pairs(&m) / (-v.high * v.weakest)) / (v.next - v.margin),
               "excess2");
}

/* ---- hypotheses ---- */

static void same_selection(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "margin of q1", -1, first_margin(c), 0, 1e-9);
    trop_judge_at_least(judge, "margin of q2", -1, second(c).margin, 0, 1e-9);
}

static void larger_margin(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "margin of q1 less that of q2", -1,
                        first_margin(c) - second(c).margin, .05, 1e-9);
}

static void clear(struct trop_judge *judge, const struct trop_case *c)
{
    const struct view v = second(c);

    trop_judge_at_least(judge, "next lead less the margin of q2", -1, v.next - v.margin, .05, 1e-9);
}

static void lower(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "selected score above the neighbours of q2", -1, second(c).low, .01,
                        1e-9);
}

static void higher(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "selected score less that of neighbours of q2", -1, second(c).high,
                       -.01, 1e-9);
}

/* ---- conclusions ---- */

static void conclude_lower(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct view v = second(c);
    const double one = trop_case_number(c, "excess1"), two = trop_case_number(c, "excess2");
    const double R = trop_case_number(c, "R");
    const double rounding = 64 * DBL_EPSILON * (1 + R * trop_mm_reach(&m));

    trop_judge_at_most(judge, "L(R q1) - limit over L(R q2) - limit", -1, one / two, 1, rounding);
    trop_judge_at_least(judge, "log(L(R q2) - limit)", -1, trop_log(two),
                        trop_log(v.weak * v.low / (2 * (double)(m.n * m.T))) - R * v.margin,
                        rounding);
    trop_judge_at_most(judge, "L(R q1) - limit over its bound", -1,
                       one * trop_exp(R * first_margin(c)) /
                           (trop_mm_spread(&m) * (double)(m.T - 1)),
                       1, rounding);
}

static void conclude_higher(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct view v = second(c);
    const double R = trop_case_number(c, "R");
    const double rounding = 64 * DBL_EPSILON * (1 + R * trop_mm_reach(&m));

    trop_judge_at_least(judge, "log(limit - L(R q))", -1, trop_log(-trop_case_number(c, "excess2")),
                        trop_log(-v.high * v.weakest / (2 * (double)(m.n * m.T))) - R * v.margin,
                        rounding);
}

const struct trop_claim trop_mm_lem_8 = {
    .id = "mm-lem-8",
    .title = "the larger margin wins far out",
    .statement =
        "Of two unit vectors that select the same tokens, the one with the larger margin has "
        "the smaller loss at all large R, when the neighbours of the other score less than "
        "what is selected.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Judged at an R from which on it must hold, which we derived (the paper says that one "
        "exists), with the two bounds that give it.",
    .inputs = "X y v K q1 q2",
    .hypotheses = TROP_HYPOTHESES(
        { "selection", "q1 and q2 select the same tokens", .judge = same_selection },
        { "larger-margin", "the margin of q1 is larger by .05", .judge = larger_margin,
          .broken = "q1 is q2", .edit = "q1 = q2" },
        { "clear", "other leads of q2 are larger than its margin by .05", .judge = clear },
        { "neighbours", "the neighbours of q2 score less than what is selected", .judge = lower,
          .broken = "all scores change their sign", .edit = "v *= -1" }),
    .run = { draw_lower, work_lower, conclude_lower },
    .spoils = TROP_SPOILS({ "the two losses are exchanged", NULL, .edit = "swap excess1 excess2" }),
    .trials = 100,
};

const struct trop_claim trop_mm_lem_9 = {
    .id = "mm-lem-9",
    .title = "better neighbours keep the optimum finite",
    .statement =
        "Along a unit vector whose neighbours all score more than what it selects, the loss "
        "is below its limit at some R, so that its minimum along the ray is at a finite R.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Judged at an R that we derived, with the amount by which the loss is below.",
    .inputs = "X y v K q2",
    .hypotheses = TROP_HYPOTHESES(
        { "clear", "other leads of q are larger than its margin by .05", .judge = clear },
        { "neighbours", "the neighbours of q score more than what is selected", .judge = higher,
          .broken = "all scores change their sign", .edit = "v *= -1" }),
    .run = { draw_higher, work_higher, conclude_higher },
    .spoils = TROP_SPOILS(
        { "the loss is nearer to its limit by a factor of 100", NULL, .edit = "excess2 *= .01" }),
    .trials = 100,
};
