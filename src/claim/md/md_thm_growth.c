/* md_thm_growth.c -- mirror descent inside the cone of a locally optimal selection (mirror-descent
 * paper, theorems 2, 3 and 4).
 *
 * W(0) lies in the cone C = {D(W_mm, W) <= mu, |W|_p >= R} around the max-margin solution for a
 * locally optimal selection alpha; then |W(k)|_p -> infinity, W(k)/|W(k)|_p -> W_mm/|W_mm|_p, and D
 * decays poly-logarithmically. The theorems say that such mu and R exist and give neither: here R
 * is radius |W_mm|_p, with mu = .1 and radius = 2 for theorem 2, and 1/4 and 1/2 for the others.
 *
 * How limits are read on a run of K steps:
 *
 *   growth      |W(k)|_p does not fall from record to record, and gains at least |W_mm|_p log(10)/2
 *               in the last factor of ten: in the limit it is |W_mm|_p log 10 (md-rate-log). Of
 *               the run it is supposed that it is long for its start, and nothing later: eta K
 *               <-G(0), W_mm> >= 1000 |W(0)|_p^(p-1) |W_mm|_p, so that K steps as the first one
 *               would go a thousand times as far as the start is from zero. In the wider cone 4 of
 *               509 such runs leave it for another selection; of 450 in this one none does;
 *   direction   a limit of 0 as (log k)^-e approaches it, e = 1/4, and (p - 1)/2 below p = 3/2,
 *               slower than the rate of theorem 4: where D = a + b (log k)^-e through two records,
 *               K/10 or K/100 and K, a <= 0. A direction that converges to anything else has a > 0
 *               in the end. The margin ratio min A W |W_mm|_p / |W|_p is at most 1;
 *   rate        D over the rate is not larger after K steps than after K/10 and K/100. Printed are
 *               log log k / log k for p > 2, (log log k)^2 / log k for p = 2, which falls from k =
 *               1619 on, and (log k)^-(p-1) for p < 2.
 *
 * The last two are read in the regime where the least margin gains .6 log 10 or more in each of the
 * last two factors of ten: a run that has not come there is no instance. Of 552 drawn ones (28
 * seeds, 1e5 steps) the direction holds on all; of the rate 15 are still on their way, where a
 * token nearly supports or an entry of W_mm is nearly 0.
 *
 * Natural logarithms. Nothing here is close to rounding: D is above 1e-5.
 */
#include "claim/md/md.h"

#include "base/math/log.h"
#include "base/math/pow.h"
#include "claim/tokens.h"

#include <math.h>

#define USE 76
#define ETA 4.

/* ---- the instance ---- */

/* On every eighth trial input 0 selects its second best token, which may or may not be locally
 * optimal. */
static void second_best(struct trop_case *c)
{
    double *alpha = trop_case_array(c, "alpha");
    int64_t second = -1;

    for (int64_t t = 0; t < trop_case_size(c, "X", 1); t++) {
        if (t != (int64_t)alpha[0] &&
            (second < 0 || trop_md_score(c, 0, t) > trop_md_score(c, 0, second))) {
            second = t;
        }
    }
    alpha[0] = (double)second;
}

static void draw(struct trop_case *c)
{
    static const double steps[] = { 1e4, 1e5, 1e6 };
    const int is_given = trop_case_has(c, "alpha");

    trop_md_draw(c, 2, 3, 3);
    if (!is_given && c->trial % 8 == 6) {
        second_best(c);
    }
    trop_md_check_matrix(c, "W0", trop_case_size(c, "X", 2), trop_case_size(c, "X", 2));
    trop_tokens_count(c, "steps", steps[c->effort], 1, 1e9);
}

/* The cone: D is at most mu, and |W|_p at least radius |W_mm|_p. */
static void draw_cone(struct trop_case *c, double mu, double radius)
{
    trop_case_default(c, "mu", mu);
    trop_case_default(c, "radius", radius);
    trop_case_default(c, "steps", c->effort == TROP_CASE_FULL ? 1e6 : 1e5);
    draw(c);
}

static void draw_narrow(struct trop_case *c)
{
    draw_cone(c, .1, 2);
}

static void draw_wide(struct trop_case *c)
{
    draw_cone(c, .25, .5);
}

/* A direction around that of the solution, with noise of that share of its largest entry. */
static void fill_start(double *start, const struct trop_case *c, double noise)
{
    const double *solution = trop_case_array(c, "W_mm"), p = trop_case_number(c, "p");
    const int64_t n = trop_case_size(c, "W0", 0) * trop_case_size(c, "W0", 1);
    double most = 0;

    for (int64_t k = 0; k < n; k++) {
        most = fmax(most, fabs(solution[k]));
    }
    for (int64_t k = 0; k < n; k++) {
        start[k] = solution[k] + noise * most * (2 * trop_case_uniform(c, USE, k) - 1);
    }
    const double factor = 1.1 * trop_case_number(c, "radius") * trop_md_norm(solution, n, p) /
                          trop_md_norm(start, n, p);
    for (int64_t k = 0; k < n; k++) {
        start[k] *= factor;
    }
}

static void draw_start(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2);
    double *start = trop_case_zeros(c, "W0", d, d, 0);

    /* A third less until it is inside the cone. */
    for (double noise = .5; noise > 1e-3; noise *= .7) {
        fill_start(start, c, noise);
        if (trop_md_direction(trop_case_array(c, "W_mm"), start, d * d, trop_case_number(c, "p")) <
            .8 * trop_case_number(c, "mu")) {
            break;
        }
    }
}

/* The run starts from W0 or from zero, where the best tokens take over. "gains" (2): growth of the
 * least margin over each of the last two factors of ten in the steps, divided by log 10. */
static void train(struct trop_case *c)
{
    int64_t k = trop_case_integer(c, "steps");

    trop_md_run(c, "run", "optimizer=mirror p=@p eta=%g steps=@steps start_weights=@W0", ETA);
    double *gains = trop_case_zeros(c, "gains", 2, 0, 0);
    for (int64_t at = 0; at < 2; at++, k /= 10) {
        gains[at] = trop_md_gain(c, k);
    }
}

static void work_from_zero(struct trop_case *c)
{
    trop_md_solution(c, "W_mm", trop_case_number(c, "p"));
    train(c);
}

/* "way": what the first step adds to <W_mm, grad psi(W)>, K times, over the size of that at the
 * start. */
static void put_way(struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");
    const double p = trop_case_number(c, "p");
    double *g = trop_case_scratch(c, w.columns);

    trop_md_gradient(g, c, w.at);
    trop_case_put(c, "way",
                  -ETA * trop_case_number(c, "steps") *
                      trop_tokens_dot(g, trop_case_array(c, "W_mm"), w.columns) /
                      (trop_pow(trop_md_norm(w.at, w.columns, p), p - 1) *
                       trop_case_number(c, "W_mm_upper")));
}

static void work(struct trop_case *c)
{
    trop_md_solution(c, "W_mm", trop_case_number(c, "p"));
    if (!trop_case_has(c, "W0")) {
        draw_start(c);
    }
    train(c);
    put_way(c);
}

/* ---- hypotheses ---- */

/* Support tokens, whose margins are within 1e-6 of 1, must score lower; with a margin between 1e-6
 * and 1e-3 above 1 it is undecided. */
static void is_local(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "X");
    const double *alpha = trop_case_array(c, "alpha"), *w = trop_case_array(c, "W_mm");

    trop_judge_truth(judge, "there is a selection", -1, x.rows > 0);
    for (int64_t i = 0; i < x.rows; i++) {
        const int64_t at = (int64_t)alpha[i];
        for (int64_t t = 0; t < x.columns; t++) {
            const double margin = trop_md_logit(c, w, i, at) - trop_md_logit(c, w, i, t);
            if (t != at && margin < 1 + 1e-3) {
                trop_judge_truth(judge, "support is distinguished from other tokens", -1,
                                 margin <= 1 + 1e-6 ? 1 : -1);
                trop_judge_at_least(judge, "lead over a support token", -1,
                                    trop_md_score(c, i, at) - trop_md_score(c, i, t), 1e-9, 0);
            }
        }
    }
}

static void is_in_cone(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");

    trop_judge_at_most(judge, "D of the first weights", 0, trop_md_distance(c, 0),
                       trop_case_number(c, "mu"), 0);
    trop_judge_at_least(judge, "norm of the first weights over that of the solution", 0,
                        trop_md_norm(w.at, w.columns, trop_case_number(c, "p")) /
                            trop_case_number(c, "W_mm_upper"),
                        trop_case_number(c, "radius"), 0);
}

#define LOCAL \
    { \
        "locally-optimal", "support tokens score lower than the selected ones", \
            .judge = is_local, .late = 1, .broken = "every label changed", .edit = "y *= -1" \
    }
#define LOGARITHMIC \
    { \
        "logarithmic", "margins grow as the logarithm of the steps already", \
            .holds = "gain over log 10: gains[0] >= .6; gain over log 10: gains[1] >= .6", \
            .late = 1, .broken = "margins that stood still", .edit = "gains[0] = 0" \
    }

#define CONE \
    { \
        "in-cone", "the first weights lie in the cone", \
            .judge = is_in_cone, .late = 1, .broken = "the first weights with the other sign", \
            .edit = "run_weights[0] *= -1" \
    }

static const struct trop_hypothesis regime[] = {
    TROP_MD_EXPONENT, TROP_MD_LONG, TROP_MD_SOLVED, LOCAL, CONE, LOGARITHMIC, { 0 },
};

/* ---- conclusions ---- */

static void conclude_growth(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");
    const double *steps = trop_case_array(c, "run_step"), p = trop_case_number(c, "p");
    const int64_t K = (int64_t)steps[w.rows - 1];
    double last = 0;

    for (int64_t row = 0; row < w.rows; row++) {
        const double norm = trop_md_norm(trop_case_view_row(w, row), w.columns, p);
        /* The first steps may turn W more than they lengthen it. */
        if (steps[row] >= (double)K / 100) {
            trop_judge_at_least(judge, "|W|_p against the record before", (int64_t)steps[row], norm,
                                last, 0);
        }
        last = norm;
    }
    trop_judge_at_least(judge, "gain in the last factor of ten over |W_mm|_p log 10", K,
                        (last - trop_md_norm(trop_md_after(c, K / 10), w.columns, p)) /
                            (trop_case_number(c, "W_mm_upper") * trop_log(10)),
                        .5, 0);
}

/* D after k steps. */
static double divergence(const struct trop_case *c, int64_t k)
{
    return trop_md_distance(c, trop_case_row(c, "run_step", k));
}

static void conclude_direction(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");
    const double *steps = trop_case_array(c, "run_step"), p = trop_case_number(c, "p");
    const int64_t K = (int64_t)steps[w.rows - 1];

    for (int64_t row = 0; row < w.rows; row++) {
        const double *at = trop_case_view_row(w, row);
        trop_judge_at_most(judge, "margin ratio", (int64_t)steps[row],
                           trop_md_least(c, at, trop_case_array(c, "alpha")) *
                               trop_case_number(c, "W_mm_lower") / trop_md_norm(at, w.columns, p),
                           1, 1e-9);
    }
    for (int64_t k = K / 10; k >= K / 100; k /= 10) {
        const double slow =
            trop_pow(trop_log((double)k) / trop_log((double)K), fmin(.25, (p - 1) / 2));
        trop_judge_at_most(judge, "what D tends to, from two records", k,
                           (divergence(c, K) - slow * divergence(c, k)) / (1 - slow), 0, 0);
    }
}

static double printed_rate(double k, double p)
{
    const double l = trop_log(k), ll = trop_log(l);

    return p > 2 ? ll / l : p == 2 ? ll * ll / l : trop_pow(l, 1 - p);
}

static void conclude_rate(struct trop_judge *judge, const struct trop_case *c)
{
    const double p = trop_case_number(c, "p");
    const int64_t K = (int64_t)*trop_case_view_row(trop_case_view(c, "run_step"), -1);

    for (int64_t k = K / 10; k >= K / 100; k /= 10) {
        trop_judge_at_most(judge, "D over its rate after K steps against k", k,
                           divergence(c, K) / printed_rate((double)K, p),
                           divergence(c, k) / printed_rate((double)k, p), 0);
    }
}

/* D log k is at most 1/2, or what it was at a hundredth of the steps. */
static void conclude_logarithmic(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t K = (int64_t)*trop_case_view_row(trop_case_view(c, "run_step"), -1);
    const double first = divergence(c, K / 100) / (1 / trop_log((double)K / 100));

    for (int64_t k = K / 10; k <= K; k *= 10) {
        trop_judge_at_most(judge, "D over its rate", k,
                           divergence(c, k) / (1 / trop_log((double)k)), fmax(.5, first), 0);
    }
}

#define STANDS \
    { \
        "the direction stands still for the last two factors of ten", NULL, \
            .edit = "run_weights[-1] = run_weights[-21]; run_weights[-11] = run_weights[-21]" \
    }

#define SETTING .inputs = "X y v z p alpha W0 steps mu radius", .trials = 12, .asymptotic = 1
#define EXISTS "; the paper says that one exists and not which. "

const struct trop_claim trop_md_thm_2 = {
    .id = "md-thm-2",
    .title = "norms grow without bound inside the cone",
    .statement = "From weights in a cone around the max-margin solution of a locally optimal "
                 "selection, lp mirror descent with small steps has norms that grow without "
                 "bound.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The cone is D <= 0.1 and |W|_p >= 2 |W_mm|_p" EXISTS
              "Read as norms that never fall from a hundredth of the steps on, and gain at least "
              "|W_mm|_p log(10)/2 in the last "
              "factor of ten of the steps. Of the run it is supposed that K steps as its first "
              "one would go a thousand times as far as its start is from zero, and nothing later.",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_EXPONENT, TROP_MD_LONG, TROP_MD_SOLVED, LOCAL, CONE,
        { "long-for-start", "K steps as the first one go a thousand times as far as the start is",
          .holds = "way >= 1000", .late = 1, .broken = "a start where steps are short",
          .edit = "way = 100" }),
    .run = { draw_narrow, work, conclude_growth },
    .spoils = TROP_SPOILS({ "the weights stand still for the last third of the records", NULL }),
    SETTING,
};

const struct trop_claim trop_md_thm_3 = {
    .id = "md-thm-3",
    .title = "the direction goes to the lp max-margin solution",
    .statement = "From weights in a cone around the max-margin solution of a locally optimal "
                 "selection, the direction of lp mirror descent converges to that solution.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The cone is D <= 0.25 and |W|_p >= 0.5 |W_mm|_p" EXISTS
              "Read as a divergence whose limit is not above 0, extrapolated as (log k)^(-1/4) "
              "from K/10 and from K/100 to K steps, slower than the rate of theorem 4 (below p = "
              "3/2 with the power (p - 1)/2).",
    .hypotheses = regime,
    .run = { draw_wide, work, conclude_direction },
    .spoils = TROP_SPOILS({ "the last weights transposed", NULL }, STANDS,
                          { "a run whose D is .1 from a hundredth of the steps on", NULL }),
    SETTING,
};

const struct trop_claim trop_md_thm_4 = {
    .id = "md-thm-4",
    .title = "the poly-logarithmic rate",
    .statement = "In the setting of theorem 3 the divergence is O(log log k / log k) for p > 2, "
                 "O((log log k)^2 / log k) for p = 2 and O((log k)^-(p-1)) for 1 < p < 2.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark =
        "The cone is D <= 0.25 and |W|_p >= 0.5 |W_mm|_p" EXISTS
        "Read as D over the rate, which is not larger after K steps than after K/10 and "
        "K/100. The paper proves a poly-logarithmic rate; its log-log factors could not be "
        "compared with these. On what is drawn D falls faster: with the power -1.3, -1.7, -2.0 "
        "and -2.1 of log k for p = 1.5, 1.75, 2 and 3, medians of 552 runs, against -.5, "
        "-.75, -.1 and -.5 of the rates; 15 of these runs are not there after 1e5 steps.",
    .hypotheses = regime,
    .run = { draw_wide, work, conclude_rate },
    .spoils = TROP_SPOILS({ "the last weights transposed", NULL }, STANDS,
                          { "a run whose D is .1 from a hundredth of the steps on", NULL }),
    SETTING,
};

const struct trop_claim trop_md_rate_t4 = {
    .id = "md-rate-t4",
    .title = "D log k is bounded",
    .statement = "From zero weights the divergence of lp mirror descent from the max-margin "
                 "solution is O(1/log k) for every p.",
    .status = TROP_CLAIM_CONJECTURED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "Measured: over the last two factors of ten D log k is at most 1/2, or at most what it "
        "was before them. It does not always fall: for p = 2 it rises slowly on one instance "
        "in eight, as the square of log log k in theorem 4 allows.",
    .inputs = "X y v z p alpha W0 steps",
    .hypotheses =
        TROP_HYPOTHESES(TROP_MD_EXPONENT, TROP_MD_LONG, TROP_MD_SOLVED, LOCAL, LOGARITHMIC),
    .run = { draw, work_from_zero, conclude_logarithmic },
    .spoils = TROP_SPOILS({ "the last weights transposed", NULL }),
    .asymptotic = 1,
    .trials = 12,
};
