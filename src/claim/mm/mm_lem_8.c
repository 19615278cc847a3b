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

#include "claim/tokens.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- what a direction sees ---- */

struct view {
    double margin, next; /* G and G' */
    double low, high;    /* least and largest g_alpha - g over neighbours */
    double weak, strong; /* least and largest s(b_i) */
    double weakest;      /* least s(b_i + Gamma) */
};

static struct view look(const struct trop_mm *m, const double *alpha, const double *q)
{
    struct view out = { INFINITY, INFINITY, INFINITY, -INFINITY, 1, 0, 1 };
    const double spread = trop_mm_spread(m);

    out.margin = trop_mm_margin(m, alpha, q);
    for (int64_t at = 0; at < m->n * m->T; at++) {
        const int64_t i = at / m->T, t = at % m->T, a = (int64_t)alpha[i];
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

static double pairs(const struct trop_mm *m)
{
    return 2 * (double)(m->n * m->T * (m->T - 1)) * trop_mm_spread(m);
}

/* ---- instances ---- */

/* q2 at random, alpha what it selects, q1 along the max-margin solution of alpha. */
static enum trop_status draw_directions(struct trop_case *c)
{
    const int64_t n = 1 + trop_case_pick(c, 16, 0, 2), T = 3 + trop_case_pick(c, 16, 1, 2);
    struct trop_mm m;
    double *q = NULL, *alpha = NULL;
    enum trop_status status = trop_mm_draw(c, n, T, n * (T - 1) + 1, 0);

    trop_mm_open(&m, c);
    if (status == TROP_OK && !trop_case_has(c, "q2")) {
        status = trop_case_make(&q, c, "q2", m.dk, 0, 0);
        if (status == TROP_OK) {
            trop_mm_unit(q, c, 0, m.dk);
        }
    }
    status = status == TROP_OK ? trop_case_make(&alpha, c, "alpha", m.n, 0, 0) : status;
    for (int64_t i = 0; i < m.n && status == TROP_OK; i++) {
        alpha[i] = (double)trop_mm_selected(&m, i, trop_case_array(c, "q2"));
    }
    return status;
}

static enum trop_status draw_best(struct trop_case *c)
{
    struct trop_mm m;
    double *q = NULL;

    if (trop_case_has(c, "q1")) {
        return TROP_OK;
    }
    trop_mm_open(&m, c);
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");
    status = status == TROP_OK ? trop_case_make(&q, c, "q1", m.dk, 0, 0) : status;
    const double *p = trop_case_array(c, "p_mm");
    for (int64_t k = 0; k < m.dk && status == TROP_OK; k++) {
        q[k] = p[k] / trop_tokens_norm(p, m.dk);
    }
    return status;
}

/* Scores: selected .6; neighbours of q2 lower (side 1) or higher (-1); others anywhere. */
static void set_scores(struct trop_case *c, double side)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha"), *q = trop_case_array(c, "q2");

    trop_mm_open(&m, c);
    const double margin = trop_mm_margin(&m, alpha, q);
    for (int64_t at = 0; at < m.n * m.T; at++) {
        const int64_t i = at / m.T, a = (int64_t)alpha[i];
        const int near = trop_mm_lead(&m, i, a, at % m.T, q) <= margin + 1e-9;
        const double u = trop_case_uniform(c, 17, at);
        const double score = at % m.T == a ? .6 : near ? .6 - side * (.1 + .3 * u) : u;
        trop_case_array(c, "X")[at * m.d + m.d - 1] = m.y[i] * score;
    }
}

static enum trop_status draw_lower(struct trop_case *c)
{
    const int given = trop_case_has(c, "X");
    enum trop_status status = draw_directions(c);

    if (status == TROP_OK && !given) {
        set_scores(c, 1);
    }
    return status == TROP_OK ? draw_best(c) : status;
}

static enum trop_status draw_higher(struct trop_case *c)
{
    const int given = trop_case_has(c, "X");
    enum trop_status status = draw_directions(c);

    if (status == TROP_OK && !given) {
        set_scores(c, -1);
    }
    return status;
}

/* ---- what is judged: R, and L(R q) - L_alpha ---- */

static enum trop_status put_excess(struct trop_case *c, const char *q, double R, const char *name)
{
    struct trop_mm m;
    double *p = NULL;

    trop_mm_open(&m, c);
    enum trop_status status = trop_case_make(&p, c, "scaled", m.dk, 0, 0);
    for (int64_t k = 0; k < m.dk && status == TROP_OK; k++) {
        p[k] = R * trop_case_array(c, q)[k];
    }
    return status == TROP_OK
               ? trop_case_put(c, name, trop_mm_excess(&m, trop_case_array(c, "alpha"), p))
               : status;
}

static enum trop_status work_lower(struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha");

    trop_mm_open(&m, c);
    const struct view second = look(&m, alpha, trop_case_array(c, "q2"));
    const double first = trop_mm_margin(&m, alpha, trop_case_array(c, "q1"));
    const double base = pairs(&m) / (second.low * second.weak);
    const double R = fmax(trop_log(base * second.strong) / (second.next - second.margin),
                          trop_log(base) / (first - second.margin));
    enum trop_status status = trop_case_put(c, "R", R);
    status = status == TROP_OK ? put_excess(c, "q1", R, "excess1") : status;
    return status == TROP_OK ? put_excess(c, "q2", R, "excess2") : status;
}

static enum trop_status work_higher(struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    const struct view v = look(&m, trop_case_array(c, "alpha"), trop_case_array(c, "q2"));
    const double R = trop_log(pairs(&m) / (-v.high * v.weakest)) / (v.next - v.margin);
    enum trop_status status = trop_case_put(c, "R", R);
    return status == TROP_OK ? put_excess(c, "q2", R, "excess2") : status;
}

/* ---- hypotheses ---- */

static enum trop_status same_selection(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha");

    trop_mm_open(&m, c);
    trop_judge_at_least(judge, "margin of q1", -1,
                        trop_mm_margin(&m, alpha, trop_case_array(c, "q1")), 0, 1e-9);
    trop_judge_at_least(judge, "margin of q2", -1,
                        trop_mm_margin(&m, alpha, trop_case_array(c, "q2")), 0, 1e-9);
    return TROP_OK;
}

static enum trop_status larger_margin(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha");

    trop_mm_open(&m, c);
    trop_judge_at_least(judge, "margin of q1 less that of q2", -1,
                        trop_mm_margin(&m, alpha, trop_case_array(c, "q1")) -
                            trop_mm_margin(&m, alpha, trop_case_array(c, "q2")),
                        .05, 1e-9);
    return TROP_OK;
}

static enum trop_status clear(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    const struct view v = look(&m, trop_case_array(c, "alpha"), trop_case_array(c, "q2"));
    trop_judge_at_least(judge, "next lead less the margin of q2", -1, v.next - v.margin, .05, 1e-9);
    return TROP_OK;
}

static enum trop_status lower(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    const struct view v = look(&m, trop_case_array(c, "alpha"), trop_case_array(c, "q2"));
    trop_judge_at_least(judge, "selected score above the neighbours of q2", -1, v.low, .01, 1e-9);
    return TROP_OK;
}

static enum trop_status higher(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    const struct view v = look(&m, trop_case_array(c, "alpha"), trop_case_array(c, "q2"));
    trop_judge_at_most(judge, "selected score less that of neighbours of q2", -1, v.high, -.01,
                       1e-9);
    return TROP_OK;
}

static const struct trop_hypothesis lower_hypotheses[] = {
    { "selection", "q1 and q2 select the same tokens", same_selection, 0 },
    { "larger-margin", "the margin of q1 is larger by .05", larger_margin, 0 },
    { "clear", "other leads of q2 are larger than its margin by .05", clear, 0 },
    { "neighbours", "the neighbours of q2 score less than what is selected", lower, 0 },
    { 0 },
};

static const struct trop_hypothesis higher_hypotheses[] = {
    { "clear", "other leads of q are larger than its margin by .05", clear, 0 },
    { "neighbours", "the neighbours of q score more than what is selected", higher, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static enum trop_status conclude_lower(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha"), R = trop_case_number(c, "R");

    trop_mm_open(&m, c);
    const struct view second = look(&m, alpha, trop_case_array(c, "q2"));
    const double first = trop_mm_margin(&m, alpha, trop_case_array(c, "q1"));
    const double one = trop_case_number(c, "excess1"), two = trop_case_number(c, "excess2");
    const double rounding = 64 * DBL_EPSILON * (1 + R * trop_mm_reach(&m));
    trop_judge_at_most(judge, "L(R q1) - limit over L(R q2) - limit", -1, one / two, 1, rounding);
    trop_judge_at_least(judge, "log(L(R q2) - limit)", -1, trop_log(two),
                        trop_log(second.weak * second.low / (2 * (double)(m.n * m.T))) -
                            R * second.margin,
                        rounding);
    trop_judge_at_most(judge, "L(R q1) - limit over its bound", -1,
                       one * trop_exp(R * first) / (trop_mm_spread(&m) * (double)(m.T - 1)), 1,
                       rounding);
    return TROP_OK;
}

static enum trop_status conclude_higher(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double R = trop_case_number(c, "R");

    trop_mm_open(&m, c);
    const struct view v = look(&m, trop_case_array(c, "alpha"), trop_case_array(c, "q2"));
    const double rounding = 64 * DBL_EPSILON * (1 + R * trop_mm_reach(&m));
    trop_judge_at_least(judge, "log(limit - L(R q))", -1, trop_log(-trop_case_number(c, "excess2")),
                        trop_log(-v.high * v.weakest / (2 * (double)(m.n * m.T))) - R * v.margin,
                        rounding);
    return TROP_OK;
}

/* ---- spoils ---- */

static enum trop_status swap(struct trop_case *c)
{
    const double kept = trop_case_number(c, "excess1");
    enum trop_status status = trop_case_put(c, "excess1", trop_case_number(c, "excess2"));

    return status == TROP_OK ? trop_case_put(c, "excess2", kept) : status;
}

static enum trop_status negative(struct trop_case *c)
{
    return trop_case_put(c, "excess2", .01 * trop_case_number(c, "excess2"));
}

/* q1 becomes q2, whose margin is too small. */
static enum trop_status smaller_margin(struct trop_case *c)
{
    memcpy(trop_case_array(c, "q1"), trop_case_array(c, "q2"),
           (size_t)trop_case_size(c, "q1", 0) * sizeof(double));
    return TROP_OK;
}

static enum trop_status raise(struct trop_case *c)
{
    set_scores(c, -1);
    return TROP_OK;
}

static enum trop_status lower_scores(struct trop_case *c)
{
    set_scores(c, 1);
    return TROP_OK;
}

static const struct trop_spoil lower_spoils[] = {
    { "the two losses are exchanged", NULL, swap },
    { "q1 is q2", "larger-margin", smaller_margin },
    { "the neighbours of q2 score more", "neighbours", raise },
    { 0 },
};

static const struct trop_spoil higher_spoils[] = {
    { "the loss is nearer to its limit by a factor of 100", NULL, negative },
    { "the neighbours score less", "neighbours", lower_scores },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, -1 or 1" },
    { "v", "(d)", "decoder" },
    { "K", "(n, T, dk)", "keys; the tokens when absent" },
    { "q1", "(dk)", "unit vector, of lemma 8" },
    { "q2", "(dk)", "unit vector" },
    { 0 },
};

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
    .old_inputs = inputs,
    .hypotheses = lower_hypotheses,
    .old_draw = draw_lower,
    .old_work = work_lower,
    .old_conclude = conclude_lower,
    .spoils = lower_spoils,
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
    .old_inputs = inputs,
    .hypotheses = higher_hypotheses,
    .old_draw = draw_higher,
    .old_work = work_higher,
    .old_conclude = conclude_higher,
    .spoils = higher_spoils,
    .trials = 100,
};
