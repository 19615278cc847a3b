/* md_rate_log.c -- norms of unnormalised mirror descent (mirror-descent paper, measured).
 *
 *   |W(k)|_p ~ |W_mm|_p log k
 *
 * because the least margin m(k) = min A W(k) grows as log k: the gradient is e^(-m). Three things
 * are judged. Every W has |W|_p >= m |W_mm|_p, since W/m is feasible: proved, and judged with the
 * solver's lower bound at every record with m > 0. Over the last factor of ten of the steps the
 * margin gains log 10 within a quarter. And the norm gains |W_mm|_p log 10 within a third: entries
 * that do not matter to the margin still move, as 1/log k.
 */
#include "claim/md/md.h"

#include "base/math/log.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

static enum trop_status train(struct trop_case *c, const char *optimizer)
{
    struct trop_train_options o =
        trop_md_options(trop_case_number(c, "p"), optimizer, 4, trop_case_integer(c, "steps"));

    return trop_md_train(c, &o, "run");
}

static enum trop_status draw(struct trop_case *c)
{
    static const double steps[] = { 1e5, 1e5, 1e6 };
    const enum trop_status status = trop_md_draw(c, 2, 3, 3);

    return status == TROP_OK ? trop_tokens_count(c, "steps", steps[c->effort], 1, 1e9) : status;
}

/* "gain": growth of the least margin from a hundredth to a tenth of the steps, divided by log
 * 10. */
static enum trop_status put_gain(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "run_weights", 1), K = trop_case_integer(c, "steps");
    const double *w = trop_case_array(c, "run_weights"), *alpha = trop_case_array(c, "alpha");
    const int64_t row = trop_md_row(c, "run", K / 10), before = trop_md_row(c, "run", K / 100);

    return trop_case_put(
        c, "gain",
        (trop_md_least(c, w + row * n, alpha) - trop_md_least(c, w + before * n, alpha)) /
            trop_log(10));
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_md_solve(c, trop_case_number(c, "p"), TROP_MODEL_CROSS, "W_mm");

    if (status == TROP_OK) {
        status = train(c, "mirror");
    }
    return status == TROP_OK ? put_gain(c) : status;
}

static enum trop_status is_logarithmic(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "gain of the least margin over log 10", -1,
                        trop_case_number(c, "gain"), .75, 0);
    trop_judge_at_most(judge, "gain of the least margin over log 10", -1,
                       trop_case_number(c, "gain"), 1.35, 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    TROP_MD_UNIQUE,
    TROP_MD_LONG,
    TROP_MD_SOLVED,
    { "logarithmic", "margins grew as log k in the factor of ten before the last", is_logarithmic,
      1 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *steps = trop_case_array(c, "run_step"), *alpha = trop_case_array(c, "alpha");
    const double *w = trop_case_array(c, "run_weights"), *norm = trop_case_array(c, "run_norm");
    const double least = trop_case_number(c, "W_mm_lower");
    const int64_t n = trop_case_size(c, "run_weights", 1), rows = trop_case_size(c, "run_step", 0);
    const int64_t K = (int64_t)steps[rows - 1], before = trop_md_row(c, "run", K / 10);

    for (int64_t row = 0; row < rows; row++) {
        const double margin = trop_md_least(c, w + row * n, alpha);
        if (margin > 0) {
            trop_judge_at_least(judge, "|W|_p against m |W_mm|_p", (int64_t)steps[row], norm[row],
                                margin * least, (double)(n + 64) * DBL_EPSILON * norm[row]);
        }
    }
    const double gain =
        trop_md_least(c, w + (rows - 1) * n, alpha) - trop_md_least(c, w + before * n, alpha);
    trop_judge_near(judge, "gain of the least margin over log 10", K, gain / trop_log(10), 1, .25);
    trop_judge_near(judge, "gain of the norm over |W_mm|_p log 10", K,
                    (norm[rows - 1] - norm[before]) / (least * trop_log(10)), 1, 1. / 3);
    return TROP_OK;
}

/* The normalised method, whose norms are powers of k. */
static enum trop_status normalised(struct trop_case *c)
{
    return train(c, "nmirror");
}

static enum trop_status smaller_norms(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "run_norm", 0);

    trop_case_array(c, "run_norm")[rows - 1] *= .75;
    return TROP_OK;
}

static enum trop_status no_gain(struct trop_case *c)
{
    return trop_case_put(c, "gain", 0);
}

static const struct trop_spoil spoils[] = {
    { "the run of the normalised method", NULL, normalised },
    { "the last norm smaller by a quarter", NULL, smaller_norms },
    { "p = 1", "exponent", trop_md_spoil_exponent },
    { "all scores equal", "unique-best", trop_md_spoil_scores },
    { "a run of 1000 steps", "long-run", trop_md_spoil_long },
    { "the gap of the solution is not proved", "solved", trop_md_spoil_solved },
    { "margins that stood still", "logarithmic", no_gain },
    { 0 },
};

static const struct trop_input inputs[] = {
    TROP_MD_INPUTS,
    { "steps", "", "of the run, a power of ten" },
    { 0 },
};

const struct trop_claim trop_md_rate_log = {
    .id = "md-rate-log",
    .title = "norms grow as |W_mm|_p log k",
    .statement = "The norm of unnormalised lp mirror descent grows as the norm of the max-margin "
                 "solution times the logarithm of the number of steps.",
    .status = TROP_CLAIM_CONJECTURED,
    .remark = "Measured. Read over the last factor of ten of the steps: margins gain log 10 within "
              "1/4 of it and norms |W_mm|_p log 10 within 1/3; that |W|_p is at least the least "
              "margin times |W_mm|_p is proved, and judged at every record.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 12,
};
