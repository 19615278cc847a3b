/* md_growth.c -- runs of mirror descent inside a cone, or from zero: what theorems 2, 3 and 4 are
 * judged on (md_thm_growth.c says how).
 */
#include "claim/md/md.h"

#include "base/math/log.h"
#include "claim/tokens.h"

#include <math.h>

#define USE 76
#define ETA 4.

/* ---- the instance ---- */

/* On every eighth trial input 0 selects its second best token, which may or may not be locally
 * optimal. */
static void second_best(struct trop_case *c)
{
    const int64_t T = trop_case_size(c, "X", 1);
    double *alpha = trop_case_array(c, "alpha");
    int64_t second = -1;

    for (int64_t t = 0; t < T; t++) {
        if (t != (int64_t)alpha[0] &&
            (second < 0 || trop_md_score(c, 0, t) > trop_md_score(c, 0, second))) {
            second = t;
        }
    }
    alpha[0] = (double)second;
}

enum trop_status trop_md_growth_draw(struct trop_case *c)
{
    static const double steps[] = { 1e4, 1e5, 1e6 };
    const int is_given = trop_case_has(c, "alpha");
    enum trop_status status = trop_md_draw(c, 2, 3, 3);

    if (status == TROP_OK && !is_given && c->trial % 8 == 6) {
        second_best(c);
    }
    if (status == TROP_OK) {
        const int64_t d = trop_case_size(c, "X", 2);
        status = trop_md_check_matrix(c, "W0", d, d);
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", steps[c->effort], 1, 1e9) : status;
}

/* A direction around that of the solution, with noise of that share of its largest entry. */
static void fill_start(double *start, const struct trop_case *c, double noise)
{
    const double *solution = trop_case_array(c, "W_mm"), p = trop_case_number(c, "p");
    const int64_t d = trop_case_size(c, "X", 2);
    double most = 0;

    for (int64_t k = 0; k < d * d; k++) {
        most = fmax(most, fabs(solution[k]));
    }
    for (int64_t k = 0; k < d * d; k++) {
        start[k] = solution[k] + noise * most * (2 * trop_case_uniform(c, USE, k) - 1);
    }
    const double factor = 1.1 * TROP_MD_GROWTH_RADIUS * trop_md_norm(solution, d * d, p) /
                          trop_md_norm(start, d * d, p);
    for (int64_t k = 0; k < d * d; k++) {
        start[k] *= factor;
    }
}

static enum trop_status put_start(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2);
    double *start = NULL;

    if (trop_case_has(c, "W0")) {
        return TROP_OK;
    }
    const enum trop_status status = trop_case_make(&start, c, "W0", d, d, 0);
    /* A third less until it is inside the cone. */
    for (double noise = .5; status == TROP_OK && noise > 1e-3; noise *= .7) {
        fill_start(start, c, noise);
        if (trop_md_direction(trop_case_array(c, "W_mm"), start, d * d, trop_case_number(c, "p")) <
            .8 * TROP_MD_GROWTH_MU) {
            break;
        }
    }
    return status;
}

static enum trop_status train(struct trop_case *c, double p)
{
    struct trop_train_options o = trop_md_options(p, "mirror", ETA, trop_case_integer(c, "steps"));

    o.start_weights = trop_case_array(c, "W0");
    o.start = o.start_weights ? TROP_TRAIN_GIVEN : TROP_TRAIN_ZEROS;
    return trop_md_train(c, &o, "run");
}

/* "gains" (2): growth of the least margin over each of the last two factors of ten in the steps,
 * divided by log 10. */
static enum trop_status put_gains(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "run_weights", 1), K = trop_case_integer(c, "steps");
    const double *w = trop_case_array(c, "run_weights"), *alpha = trop_case_array(c, "alpha");
    double *gains = NULL;
    const enum trop_status status = trop_case_make(&gains, c, "gains", 2, 0, 0);

    for (int64_t k = K, at = 0; status == TROP_OK && at < 2; k /= 10, at++) {
        const int64_t row = trop_md_row(c, "run", k), before = trop_md_row(c, "run", k / 10);
        gains[at] =
            (trop_md_least(c, w + row * n, alpha) - trop_md_least(c, w + before * n, alpha)) /
            trop_log(10);
    }
    return status;
}

static enum trop_status work_from(struct trop_case *c)
{
    const enum trop_status status = train(c, trop_case_number(c, "p"));

    return status == TROP_OK ? put_gains(c) : status;
}

enum trop_status trop_md_growth_work(struct trop_case *c)
{
    const double p = trop_case_number(c, "p");
    enum trop_status status = trop_md_solve(c, p, TROP_MODEL_CROSS, "W_mm");

    if (status == TROP_OK) {
        status = put_start(c);
    }
    return status == TROP_OK ? work_from(c) : status;
}

/* The run starts from zero, where the best tokens take over. */
enum trop_status trop_md_growth_work_from_zero(struct trop_case *c)
{
    const double p = trop_case_number(c, "p");
    const enum trop_status status = trop_md_solve(c, p, TROP_MODEL_CROSS, "W_mm");

    return status == TROP_OK ? work_from(c) : status;
}

/* ---- hypotheses ---- */

/* Support tokens, whose margins are within 1e-6 of 1, must score lower; with a margin between 1e-6
 * and 1e-3 above 1 it is undecided. */
static enum trop_status is_local(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    const double *alpha = trop_case_array(c, "alpha"), *w = trop_case_array(c, "W_mm");

    trop_judge_truth(judge, "there is a selection", -1, n > 0);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (int64_t)alpha[i];
        for (int64_t t = 0; t < T; t++) {
            const double margin = trop_md_logit(c, w, i, at) - trop_md_logit(c, w, i, t);
            if (t != at && margin < 1 + 1e-3) {
                trop_judge_truth(judge, "support is told from other tokens", -1,
                                 margin <= 1 + 1e-6 ? 1 : -1);
                trop_judge_at_least(judge, "lead over a support token", -1,
                                    trop_md_score(c, i, at) - trop_md_score(c, i, t), 1e-9, 0);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status is_in_cone(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "run_weights"), p = trop_case_number(c, "p");
    const int64_t n = trop_case_size(c, "run_weights", 1);

    trop_judge_at_most(judge, "D of the first weights", 0,
                       trop_md_direction(trop_case_array(c, "W_mm"), w, n, p), TROP_MD_GROWTH_MU,
                       0);
    trop_judge_at_least(judge, "norm of the first weights over that of the solution", 0,
                        trop_md_norm(w, n, p) / trop_case_number(c, "W_mm_upper"),
                        TROP_MD_GROWTH_RADIUS, 0);
    return TROP_OK;
}

/* Margins grow by log 10 in a factor of ten, once the start is forgotten. */
static enum trop_status is_logarithmic(struct trop_judge *judge, const struct trop_case *c)
{
    const double *gains = trop_case_array(c, "gains");

    for (int64_t k = 0; k < trop_case_size(c, "gains", 0); k++) {
        trop_judge_at_least(judge, "gain of the least margin over log 10", -1, gains[k], .6, 0);
    }
    return TROP_OK;
}

const struct trop_hypothesis trop_md_growth_hypotheses[] = {
    TROP_MD_EXPONENT,
    TROP_MD_LONG,
    TROP_MD_SOLVED,
    { "locally-optimal", "support tokens score lower than the selected ones", is_local, 1 },
    { "in-cone", "the first weights lie in the cone", is_in_cone, 1 },
    { "logarithmic", "margins grow as the logarithm of the steps already", is_logarithmic, 1 },
    { 0 },
};

const struct trop_hypothesis trop_md_growth_zero_hypotheses[] = {
    TROP_MD_EXPONENT,
    TROP_MD_LONG,
    TROP_MD_SOLVED,
    { "locally-optimal", "support tokens score lower than the selected ones", is_local, 1 },
    { "logarithmic", "margins grow as the logarithm of the steps already", is_logarithmic, 1 },
    { 0 },
};
