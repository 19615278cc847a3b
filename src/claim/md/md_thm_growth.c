/* md_thm_growth.c -- mirror descent inside the cone of a locally optimal selection (mirror-descent
 * paper, theorems 2, 3 and 4).
 *
 * W(0) lies in the cone C = {D(W_mm, W) <= mu, |W|_p >= R} around the max-margin solution for a
 * locally optimal selection alpha; then |W(k)|_p -> infinity, W(k)/|W(k)|_p -> W_mm/|W_mm|_p, and D
 * decays poly-logarithmically. The theorems say that such mu and R exist and give neither: here
 * they are TROP_MD_GROWTH_MU and TROP_MD_GROWTH_RADIUS |W_mm|_p.
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

#include <math.h>
#include <string.h>

/* ---- conclusions ---- */

/* D, and the margin ratio, at a row. */
static double divergence_at(const struct trop_case *c, int64_t row)
{
    const int64_t n = trop_case_size(c, "run_weights", 1);

    return trop_md_direction(trop_case_array(c, "W_mm"),
                             trop_case_array(c, "run_weights") + row * n, n,
                             trop_case_number(c, "p"));
}

static double ratio_at(const struct trop_case *c, int64_t row)
{
    const int64_t n = trop_case_size(c, "run_weights", 1);
    const double *w = trop_case_array(c, "run_weights") + row * n;

    return trop_md_least(c, w, trop_case_array(c, "alpha")) * trop_case_number(c, "W_mm_lower") /
           trop_md_norm(w, n, trop_case_number(c, "p"));
}

static enum trop_status conclude_growth(struct trop_judge *judge, const struct trop_case *c)
{
    const double *steps = trop_case_array(c, "run_step");
    const double p = trop_case_number(c, "p");
    const int64_t n = trop_case_size(c, "run_weights", 1), rows = trop_case_size(c, "run_step", 0);
    const int64_t K = (int64_t)steps[rows - 1], before = trop_md_row(c, "run", K / 10);
    const double *w = trop_case_array(c, "run_weights");
    double last = 0;

    for (int64_t row = 0; row < rows; row++) {
        const double norm = trop_md_norm(w + row * n, n, p);
        trop_judge_at_least(judge, "|W|_p against the record before", (int64_t)steps[row], norm,
                            last, 0);
        last = norm;
    }
    trop_judge_at_least(judge, "gain in the last factor of ten over |W_mm|_p log 10", K,
                        (last - trop_md_norm(w + before * n, n, p)) /
                            (trop_case_number(c, "W_mm_upper") * trop_log(10)),
                        .5, 0);
    return TROP_OK;
}

static enum trop_status conclude_direction(struct trop_judge *judge, const struct trop_case *c)
{
    const double *steps = trop_case_array(c, "run_step");
    const int64_t rows = trop_case_size(c, "run_step", 0), K = (int64_t)steps[rows - 1];

    for (int64_t row = 0; row < rows; row++) {
        trop_judge_at_most(judge, "margin ratio", (int64_t)steps[row], ratio_at(c, row), 1, 1e-9);
    }
    trop_judge_at_most(judge, "D against a tenth of the steps", K, divergence_at(c, rows - 1),
                       divergence_at(c, trop_md_row(c, "run", K / 10)), 0);
    trop_judge_at_most(judge, "D against a hundredth of the steps", K, divergence_at(c, rows - 1),
                       divergence_at(c, trop_md_row(c, "run", K / 100)), 0);
    return TROP_OK;
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
    const double *steps = trop_case_array(c, "run_step"), p = trop_case_number(c, "p");
    const int64_t rows = trop_case_size(c, "run_step", 0), K = (int64_t)steps[rows - 1];
    const double first =
        divergence_at(c, trop_md_row(c, "run", K / 100)) / rate((double)K / 100, p);

    for (int64_t k = K / 10; k <= K; k *= 10) {
        trop_judge_at_most(judge, "D over its rate", k,
                           divergence_at(c, trop_md_row(c, "run", k)) / rate((double)k, p),
                           fmax(.5, first), 0);
    }
}

static enum trop_status conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_by(judge, c, printed_rate);
    return TROP_OK;
}

static enum trop_status conclude_logarithmic(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_by(judge, c, logarithmic_rate);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The last third of the records repeats the one before it. */
static enum trop_status stand_still(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "run_weights", 1), rows = trop_case_size(c, "run_step", 0);
    double *w = trop_case_array(c, "run_weights");

    for (int64_t row = 2 * rows / 3; row < rows; row++) {
        memcpy(w + row * n, w + (2 * rows / 3 - 1) * n, (size_t)n * sizeof *w);
    }
    return TROP_OK;
}

/* The last weights transposed: another direction. */
static enum trop_status transpose(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2), rows = trop_case_size(c, "run_step", 0);
    double *w = trop_case_array(c, "run_weights") + (rows - 1) * d * d;

    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = 0; b < a; b++) {
            const double kept = w[a * d + b];
            w[a * d + b] = w[b * d + a];
            w[b * d + a] = kept;
        }
    }
    return TROP_OK;
}

/* Changes the labels: every gap of scores has the other sign. */
static enum trop_status other_labels(struct trop_case *c)
{
    double *y = trop_case_array(c, "y");

    for (int64_t i = 0; i < trop_case_size(c, "y", 0); i++) {
        y[i] = -y[i];
    }
    return TROP_OK;
}

static enum trop_status start_outside(struct trop_case *c)
{
    double *w = trop_case_array(c, "run_weights");

    for (int64_t k = 0; k < trop_case_size(c, "run_weights", 1); k++) {
        w[k] = -w[k];
    }
    return TROP_OK;
}

static enum trop_status no_gain(struct trop_case *c)
{
    trop_case_array(c, "gains")[0] = 0;
    return TROP_OK;
}

#define LEAVING \
    { "p = 1", "exponent", trop_md_spoil_exponent }, \
        { "a run of 1000 steps", "long-run", trop_md_spoil_long }, \
        { "the gap of the solution is not proved", "solved", trop_md_spoil_solved }, \
        { "every label changed", "locally-optimal", other_labels }, \
        { "margins that stood still", "logarithmic", no_gain }, \
        { "the first weights with the other sign", "in-cone", start_outside }, \
    { \
        0 \
    }

static const struct trop_spoil growth_spoils[] = {
    { "the weights stand still for the last third of the records", NULL, stand_still },
    LEAVING,
};

static const struct trop_spoil direction_spoils[] = {
    { "the last weights transposed", NULL, transpose },
    LEAVING,
};

static const struct trop_spoil zero_spoils[] = {
    { "the last weights transposed", NULL, transpose },
    { "p = 1", "exponent", trop_md_spoil_exponent },
    { "a run of 1000 steps", "long-run", trop_md_spoil_long },
    { "every label changed", "locally-optimal", other_labels },
    { 0 },
};

static const struct trop_input inputs[] = {
    TROP_MD_INPUTS,
    { "alpha", "(n)", "the token that each input selects" },
    { "W0", "(d, d)", "the first weights" },
    { "steps", "", "of the run, a power of ten" },
    { 0 },
};

#define SETTING \
    .old_inputs = inputs, .hypotheses = trop_md_growth_hypotheses, \
    .old_draw = trop_md_growth_draw, .old_work = trop_md_growth_work, .trials = 12

/* The numbers that is_in_cone asks for, as text. */
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number
#define CONE \
    "The cone is D <= " TEXT(TROP_MD_GROWTH_MU) " and |W|_p >= " TEXT( \
        TROP_MD_GROWTH_RADIUS) " |W_mm|_p; the paper says that one exists and not which. "

const struct trop_claim trop_md_thm_2 = {
    .id = "md-thm-2",
    .title = "norms grow without bound inside the cone",
    .statement = "From weights in a cone around the max-margin solution of a locally optimal "
                 "selection, lp mirror descent with small steps has norms that grow without "
                 "bound.",
    .status = TROP_CLAIM_PROVED,
    .remark = CONE "Read as norms that never fall and gain at least |W_mm|_p log(10)/2 in the last "
                   "factor of ten of the steps.",
    .old_conclude = conclude_growth,
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
    .old_conclude = conclude_direction,
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
    .old_conclude = conclude_printed,
    .spoils = direction_spoils,
    SETTING,
};

const struct trop_claim trop_md_rate_t4 = {
    .id = "md-rate-t4",
    .title = "D log k is bounded",
    .statement = "From zero weights the divergence of lp mirror descent from the max-margin "
                 "solution is O(1/log k) for every p.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark =
        "Measured: over the last two factors of ten D log k is at most 1/2, or at most what it "
        "was before them. It does not always fall: for p = 2 it rises slowly on one instance "
        "in eight, as the square of log log k in theorem 4 allows.",
    .old_inputs = inputs,
    .hypotheses = trop_md_growth_zero_hypotheses,
    .old_draw = trop_md_growth_draw,
    .old_work = trop_md_growth_work_from_zero,
    .old_conclude = conclude_logarithmic,
    .spoils = zero_spoils,
    .trials = 12,
};
