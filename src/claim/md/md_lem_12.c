/* md_lem_12.c -- entrywise norms of a matrix (mirror-descent paper, lemma 12).
 *
 *   p >= 2:  d^(2/p - 1) |W|_F <= |W|_p <= |W|_F,     1 < p <= 2:  |W|_F <= |W|_p <= d^(2/p - 1)
 * |W|_F
 *
 * A d x d matrix has N = d^2 entries, and N^(1/p - 1/2) = d^(2/p - 1): the exponent is that of the
 * matrix size d, and would be half of it in the number of entries. One end is attained by a matrix
 * of entries of equal size, the other by a single entry; both are among what is drawn, so that a
 * norm that is wrong in the ninth digit is seen.
 *
 * The norms are the library's own, of the weights with which a training run starts. Each is a sum
 * of N powers and a root: (N + 8) u, relative.
 */
#include "claim/md/md.h"

#include "base/math/pow.h"

#include <float.h>
#include <math.h>

#define USE 48

enum { EQUAL, SINGLE, RANDOM }; /* trial 0, 1, 2, ... */

static enum trop_status draw(struct trop_case *c)
{
    static const double exponents[] = { 3, 1.25, 1.75, 2, 4, 1.1, 8 };
    const int64_t kind = c->trial % 3, d = 2 + trop_case_pick(c, USE, 0, 7);
    double *w = NULL;
    enum trop_status status = trop_case_default(c, "p", exponents[c->trial % 7]);

    if (status != TROP_OK || trop_case_has(c, "W")) {
        return status == TROP_OK ? trop_md_check_matrix(c, "W", 0, 0) : status;
    }
    status = trop_case_make(&w, c, "W", d, d, 0);
    for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
        const double normal = trop_case_normal(c, USE + 1, k);
        w[k] = kind == EQUAL ? copysign(.7, normal) : kind == RANDOM ? normal : k == 1 ? -3 : 0;
    }
    return status;
}

/* |W|_p as a training run with that potential measures it. */
static enum trop_status measure(double *out, struct trop_case *c, double p)
{
    struct trop_train_options o = trop_md_options(p, "mirror", 1, 0);
    struct trop_train *train = NULL;

    o.start = TROP_TRAIN_GIVEN;
    o.start_weights = trop_case_array(c, "W");
    enum trop_status status = trop_md_trained(&train, c, &o);
    if (status == TROP_OK) {
        status = trop_md_record(out, train, 0, "norm");
    }
    trop_train_free(train);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    double norm = 0, frobenius = 0;
    /* The run needs data of the right size, but does not use them. */
    enum trop_status status = trop_examples_sphere(c, 1, 2, trop_case_size(c, "W", 0), 1);

    if (status == TROP_OK) {
        status = measure(&norm, c, trop_case_number(c, "p"));
    }
    if (status == TROP_OK) {
        status = measure(&frobenius, c, 2);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "norm", norm);
    }
    return status == TROP_OK ? trop_case_put(c, "frobenius", frobenius) : status;
}

static enum trop_status is_square(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "W is square", -1,
                     trop_case_size(c, "W", 0) == trop_case_size(c, "W", 1));
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    { "square", "W has as many rows as columns", is_square, 0 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double p = trop_case_number(c, "p"), norm = trop_case_number(c, "norm");
    const double frobenius = trop_case_number(c, "frobenius");
    const double d = (double)trop_case_size(c, "W", 0);
    const double other = trop_pow(d, 2 / p - 1) * frobenius;
    const double allowance = (d * d + 8) * DBL_EPSILON * norm;

    trop_judge_at_least(judge, "|W|_p from below", -1, norm, p >= 2 ? other : frobenius, allowance);
    trop_judge_at_most(judge, "|W|_p from above", -1, norm, p >= 2 ? frobenius : other, allowance);
    return TROP_OK;
}

/* Trial 0: entries of equal size, where the factor d^(2/p - 1) is attained. */
static enum trop_status beyond(struct trop_case *c)
{
    const double p = trop_case_number(c, "p"), norm = trop_case_number(c, "norm");

    return trop_case_put(c, "norm", norm * (p >= 2 ? 1 - 1e-9 : 1 + 1e-9));
}

static enum trop_status by_rows(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "W", 0);
    double *w = NULL;
    const enum trop_status status = trop_case_make(&w, c, "W", d, d + 1, 0);

    if (status == TROP_OK) {
        w[0] = 1;
    }
    return status;
}

static const struct trop_spoil spoils[] = {
    { "|W|_p wrong by 1e-9 of it, of a matrix of equal entries", NULL, beyond },
    { "p = 1", "exponent", trop_md_spoil_exponent },
    { "W has a column more", "square", by_rows },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "W", "(d, d)", "the matrix" },
    { "p", "", "exponent of the norm" },
    { 0 },
};

const struct trop_claim trop_md_lem_12 = {
    .id = "md-lem-12",
    .title = "entrywise norms against the Frobenius norm",
    .statement = "For a d x d matrix and p >= 2, the entrywise p-norm is at most the Frobenius "
                 "norm and at least d^(2/p - 1) times it, and for 1 < p <= 2 the two ends change "
                 "places.",
    .status = TROP_CLAIM_PROVED,
    .remark = "d is the number of rows; matrices that attain either end are among the trials.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
