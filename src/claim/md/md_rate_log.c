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

static void draw(struct trop_case *c)
{
    static const double steps[] = { 1e5, 1e5, 1e6 };

    trop_md_draw(c, 2, 3, 3);
    trop_tokens_count(c, "steps", steps[c->effort], 1, 1e9);
}

/* "gain": growth from a hundredth to a tenth of the steps, divided by log 10. */
static void work(struct trop_case *c)
{
    trop_md_solution(c, "W_mm", trop_case_number(c, "p"));
    trop_md_run(c, "run", "optimizer=mirror p=@p eta=4 steps=@steps");
    trop_case_put(c, "gain", trop_md_gain(c, trop_case_integer(c, "steps") / 10));
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");
    const double *steps = trop_case_array(c, "run_step"), *norm = trop_case_array(c, "run_norm");
    const double least = trop_case_number(c, "W_mm_lower");
    const int64_t K = (int64_t)steps[w.rows - 1], before = trop_case_row(c, "run_step", K / 10);

    for (int64_t row = 0; row < w.rows; row++) {
        const double margin =
            trop_md_least(c, trop_case_view_row(w, row), trop_case_array(c, "alpha"));
        if (margin > 0) {
            trop_judge_at_least(judge, "|W|_p against m |W_mm|_p", (int64_t)steps[row], norm[row],
                                margin * least, (double)(w.columns + 64) * DBL_EPSILON * norm[row]);
        }
    }
    trop_judge_near(judge, "gain of the least margin over log 10", K, trop_md_gain(c, K), 1, .25);
    trop_judge_near(judge, "gain of the norm over |W_mm|_p log 10", K,
                    (norm[w.rows - 1] - norm[before]) / (least * trop_log(10)), 1, 1. / 3);
}

const struct trop_claim trop_md_rate_log = {
    .id = "md-rate-log",
    .title = "norms grow as |W_mm|_p log k",
    .statement = "The norm of unnormalised lp mirror descent grows as the norm of the max-margin "
                 "solution times the logarithm of the number of steps.",
    .status = TROP_CLAIM_CONJECTURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Measured. Read over the last factor of ten of the steps: margins gain log 10 within "
              "1/4 of it and norms |W_mm|_p log 10 within 1/3; that |W|_p is at least the least "
              "margin times |W_mm|_p is proved, and judged at every record.",
    .inputs = "X y v z p steps",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_EXPONENT, TROP_MD_UNIQUE, TROP_MD_LONG, TROP_MD_SOLVED,
        { "logarithmic", "margins grew as log k in the factor of ten before the last",
          .holds = "gain over log 10: gain >= .75; gain over log 10: gain <= 1.35", .late = 1,
          .broken = "margins that stood still", .edit = "gain = 0" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "the run of the normalised method", NULL }, /* whose norms are powers of k */
                    { "the last norm smaller by a quarter", NULL, .edit = "run_norm[-1] *= .75" }),
    .asymptotic = 1,
    .trials = 12,
};
