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

/* Trials 0, 1 and 2: entries of equal size, a single one, random ones. */
static double entry(const struct trop_case *c, int64_t k)
{
    const double normal = trop_case_normal(c, USE + 1, k);

    return c->trial % 3 == 0 ? copysign(.7, normal) : c->trial % 3 == 2 ? normal : k == 1 ? -3 : 0;
}

static void draw(struct trop_case *c)
{
    static const double exponents[] = { 3, 1.25, 1.75, 2, 4, 1.1, 8 };

    trop_case_default(c, "p", exponents[c->trial % 7]);
    trop_md_check_matrix(c, "W", 0, 0);
    trop_md_draw_matrix(c, "W", 2 + trop_case_pick(c, USE, 0, 7), entry);
}

/* |W|_p as a training run with that potential measures it, which needs data of the right size but
 * does not use them. */
static void work(struct trop_case *c)
{
    trop_case_try(c, trop_examples_sphere(c, 1, 2, trop_case_size(c, "W", 0), 1));
    trop_case_records(c, trop_case_train(c, "optimizer=mirror p=@p steps=0 start_weights=@W"),
                      "norm");
    trop_case_records(c, trop_case_train(c, "optimizer=mirror p=2 steps=0 start_weights=@W"),
                      "norm=frobenius");
}

static void is_square(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "W is square", -1,
                     trop_case_size(c, "W", 0) == trop_case_size(c, "W", 1));
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double p = trop_case_number(c, "p"), norm = trop_case_array(c, "norm")[0];
    const double frobenius = trop_case_array(c, "frobenius")[0];
    const double d = (double)trop_case_size(c, "W", 0);
    const double other = trop_pow(d, 2 / p - 1) * frobenius;
    const double allowance = (d * d + 8) * DBL_EPSILON * norm;

    trop_judge_at_least(judge, "|W|_p from below", -1, norm, p >= 2 ? other : frobenius, allowance);
    trop_judge_at_most(judge, "|W|_p from above", -1, norm, p >= 2 ? frobenius : other, allowance);
}

const struct trop_claim trop_md_lem_12 = {
    .id = "md-lem-12",
    .title = "entrywise norms against the Frobenius norm",
    .statement = "For a d x d matrix and p >= 2, the entrywise p-norm is at most the Frobenius "
                 "norm and at least d^(2/p - 1) times it, and for 1 < p <= 2 the two ends change "
                 "places.",
    .status = TROP_CLAIM_PROVED,
    .remark = "d is the number of rows; matrices that attain either end are among the trials.",
    .inputs = "W p",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_EXPONENT, { "square", "W has as many rows as columns", .judge = is_square,
                            .broken = "W has a column more", .edit = "W = {1 0 0; 0 1 0}" }),
    .run = { draw, work, conclude },
    /* Trial 0: p = 3 and entries of equal size, where the factor d^(2/p - 1) is attained. */
    .spoils = TROP_SPOILS({ "|W|_p wrong by 1e-9 of it, of a matrix of equal entries", NULL,
                            .edit = "norm *= 1 - 1e-9" }),
    .trials = 100,
};
