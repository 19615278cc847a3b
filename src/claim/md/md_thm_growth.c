/* md_thm_growth.c -- mirror descent inside the cone of a locally optimal selection (mirror-descent
 * paper, theorems 2, 3 and 4).
 *
 * W(0) lies in the cone C = {D(W_mm, W) <= mu, |W|_p >= R} around the max-margin solution for a
 * locally optimal selection alpha; then |W(k)|_p -> infinity, W(k)/|W(k)|_p -> W_mm/|W_mm|_p, and D
 * decays poly-logarithmically. The theorems say that such mu and R exist and give neither: here
 * they are MU and RADIUS |W_mm|_p.
 *
 * How limits are read on a run of K steps:
 *
 *   regime      the least margin gains .6 log 10 or more in each of the last two factors of ten: a
 *               run that has not come there is no instance;
 *   growth      |W(k)|_p does not fall from record to record, and gains at least |W_mm|_p log(10)/2
 *               in the last factor of ten: in the limit it is |W_mm|_p log 10 (md-rate-log);
 *   direction   D is smaller after K steps than after K/10 and K/100, and the margin ratio
 *               min A W |W_mm|_p / |W|_p is at most 1;
 *   rate        D over the rate is at most 1/2, or at most what it was after K/100 steps: the
 *               constant of the O(). Printed are log log k / log k for p > 2, (log log k)^2 / log k
 *               for p = 2 and (log k)^-(p-1) for p < 2.
 *
 * Natural logarithms. Nothing here is close to rounding: D is above 1e-5.
 */
#include "claim/md/md.h"

#include "base/math/log.h"
#include "base/math/pow.h"
#include "claim/tokens.h"

#include <math.h>

#define USE 76
#define MU 0.25    /* the cone: D is at most this */
#define RADIUS 0.5 /* and |W|_p at least this times |W_mm|_p */

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
    const double factor = 1.1 * RADIUS * trop_md_norm(solution, n, p) / trop_md_norm(start, n, p);
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
            .8 * MU) {
            break;
        }
    }
}

/* The run starts from W0 or from zero, where the best tokens take over. "gains" (2): growth of the
 * least margin over each of the last two factors of ten in the steps, divided by log 10. */
static void train(struct trop_case *c)
{
    const double *alpha = trop_case_array(c, "alpha");
    int64_t k = trop_case_integer(c, "steps");

    trop_md_run(c, "run", "optimizer=mirror p=@p eta=4 steps=@steps start_weights=@W0");
    double *gains = trop_case_zeros(c, "gains", 2, 0, 0);
    for (int64_t at = 0; at < 2; at++, k /= 10) {
        gains[at] = (trop_md_least(c, trop_md_after(c, k), alpha) -
                     trop_md_least(c, trop_md_after(c, k / 10), alpha)) /
                    trop_log(10);
    }
}

static void work_from_zero(struct trop_case *c)
{
    trop_md_solution(c, "W_mm", trop_case_number(c, "p"));
    train(c);
}

static void work(struct trop_case *c)
{
    trop_md_solution(c, "W_mm", trop_case_number(c, "p"));
    if (!trop_case_has(c, "W0")) {
        draw_start(c);
    }
    train(c);
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
                trop_judge_truth(judge, "support is told from other tokens", -1,
                                 margin <= 1 + 1e-6 ? 1 : -1);
                trop_judge_at_least(judge, "lead over a support token", -1,
                                    trop_md_score(c, i, at) - trop_md_score(c, i, t), 1e-9, 0);
            }
        }
    }
}

/* D at a row. */
static double divergence_at(const struct trop_case *c, int64_t row)
{
    const struct trop_view w = trop_case_view(c, "run_weights");

    return trop_md_direction(trop_case_array(c, "W_mm"), trop_case_view_row(w, row), w.columns,
                             trop_case_number(c, "p"));
}

static void is_in_cone(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");

    trop_judge_at_most(judge, "D of the first weights", 0, divergence_at(c, 0), MU, 0);
    trop_judge_at_least(judge, "norm of the first weights over that of the solution", 0,
                        trop_md_norm(w.at, w.columns, trop_case_number(c, "p")) /
                            trop_case_number(c, "W_mm_upper"),
                        RADIUS, 0);
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

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    TROP_MD_LONG,
    TROP_MD_SOLVED,
    LOCAL,
    { "in-cone", "the first weights lie in the cone", .judge = is_in_cone, .late = 1,
      .broken = "the first weights with the other sign", .edit = "run_weights[0] *= -1" },
    LOGARITHMIC,
    { 0 },
};

static const struct trop_hypothesis zero_hypotheses[] = {
    TROP_MD_EXPONENT, TROP_MD_LONG, TROP_MD_SOLVED, LOCAL, LOGARITHMIC, { 0 },
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
        trop_judge_at_least(judge, "|W|_p against the record before", (int64_t)steps[row], norm,
                            last, 0);
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
    return divergence_at(c, trop_case_row(c, "run_step", k));
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
    trop_judge_at_most(judge, "D against a tenth of the steps", K, divergence(c, K),
                       divergence(c, K / 10), 0);
    trop_judge_at_most(judge, "D against a hundredth of the steps", K, divergence(c, K),
                       divergence(c, K / 100), 0);
}

static double printed_rate(double k, double p)
{
    const double l = trop_log(k), ll = trop_log(l);

    return p > 2 ? ll / l : p == 2 ? ll * ll / l : trop_pow(l, 1 - p);
}

static double logarithmic_rate(double k, double p)
{
    (void)p;
    return 1 / trop_log(k);
}

/* D over a rate is at most 1/2, or what it was at a hundredth of the steps. */
static void conclude_by(struct trop_judge *judge, const struct trop_case *c,
                        double (*rate)(double k, double p))
{
    const double p = trop_case_number(c, "p");
    const int64_t K = (int64_t)*trop_case_view_row(trop_case_view(c, "run_step"), -1);
    const double first = divergence(c, K / 100) / rate((double)K / 100, p);

    for (int64_t k = K / 10; k <= K; k *= 10) {
        trop_judge_at_most(judge, "D over its rate", k, divergence(c, k) / rate((double)k, p),
                           fmax(.5, first), 0);
    }
}

static void conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_by(judge, c, printed_rate);
}

static void conclude_logarithmic(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_by(judge, c, logarithmic_rate);
}

static const struct trop_spoil growth_spoils[] = {
    { "the weights stand still for the last third of the records", NULL },
    { 0 },
};

static const struct trop_spoil direction_spoils[] = {
    { "the last weights transposed", NULL }, /* another direction */
    { 0 },
};

#define SETTING \
    .inputs = "X y v z p alpha W0 steps", .hypotheses = hypotheses, .draw = draw, .work = work, \
    .trials = 12

/* The numbers that is_in_cone asks for, as text. */
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number
#define CONE \
    "The cone is D <= " TEXT(MU) " and |W|_p >= " TEXT( \
        RADIUS) " |W_mm|_p; the paper says that one exists and not which. "

const struct trop_claim trop_md_thm_2 = {
    .id = "md-thm-2",
    .title = "norms grow without bound inside the cone",
    .statement = "From weights in a cone around the max-margin solution of a locally optimal "
                 "selection, lp mirror descent with small steps has norms that grow without "
                 "bound.",
    .status = TROP_CLAIM_PROVED,
    .remark = CONE "Read as norms that never fall and gain at least |W_mm|_p log(10)/2 in the last "
                   "factor of ten of the steps.",
    .conclude = conclude_growth,
    .spoils = growth_spoils,
    SETTING,
};

const struct trop_claim trop_md_thm_3 = {
    .id = "md-thm-3",
    .title = "the direction goes to the lp max-margin solution",
    .statement = "From weights in a cone around the max-margin solution of a locally optimal "
                 "selection, the direction of lp mirror descent converges to that solution.",
    .status = TROP_CLAIM_PROVED,
    .remark = CONE "Read as a divergence that is smaller than at a tenth and at a hundredth of the "
                   "steps.",
    .conclude = conclude_direction,
    .spoils = direction_spoils,
    SETTING,
};

const struct trop_claim trop_md_thm_4 = {
    .id = "md-thm-4",
    .title = "the poly-logarithmic rate",
    .statement = "In the setting of theorem 3 the divergence is O(log log k / log k) for p > 2, "
                 "O((log log k)^2 / log k) for p = 2 and O((log k)^-(p-1)) for 1 < p < 2.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark = CONE
    "Read as D over the rate, which over the last two factors of ten is at most 1/2, "
    "or at most what it was before them. The paper proves a poly-logarithmic rate; its log-log "
    "factors could not be compared with these.",
    .conclude = conclude_printed,
    .spoils = direction_spoils,
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
    .hypotheses = zero_hypotheses,
    .draw = draw,
    .work = work_from_zero,
    .conclude = conclude_logarithmic,
    .spoils = direction_spoils,
    .trials = 12,
};
