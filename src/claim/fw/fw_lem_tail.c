/* fw_lem_tail.c -- the tail of a binomial law (Frank-Wolfe paper, section 5).
 *
 *   P[Bin(N, p) >= M] <= C(N, M) p^M <= (e N p/M)^M,
 *
 * by the union of the C(N, M) ways to choose M successes, and M! >= (M/e)^M. In the proof of
 * theorem 5.4 N is the number of steps, p bounds the chance of a bad one, and M bad steps are
 * what an exit takes at least.
 *
 * The tail is computed exactly, up to rounding, from the law of a sum of N coin tosses, toss by
 * toss: q_k <- (1 - p) q_k + p q_(k-1). Every operation is on positive numbers, so that the
 * relative error is below 3 N u.
 */
#include "claim/fw/fw_beta.h"

#include "base/alloc.h"
#include "base/math/log.h"
#include "base/status.h"

#include <float.h>
#include <math.h>

#define TOSSES 400

static enum trop_status draw(struct trop_case *c)
{
    const double N = 100 + (double)trop_case_pick(c, 16, 0, TOSSES);
    const double M = 1 + (double)trop_case_pick(c, 16, 1, 8);
    enum trop_status status = trop_case_default(c, "N", N);

    if (status == TROP_OK) {
        status = trop_case_default(c, "M", M);
    }
    return status == TROP_OK ? trop_case_default(c, "p", .1 * trop_case_uniform(c, 16, 2) * M / N)
                             : status;
}

/* P[Bin(N, p) >= M]: the last of M + 1 places gathers M and more. */
static enum trop_status find_tail(struct trop_case *c, double p)
{
    const int64_t N = trop_case_integer(c, "N"), M = trop_case_integer(c, "M");
    double *q = trop_alloc(M + 1, sizeof *q);

    if (!q) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld successes", (long long)M);
    }
    q[0] = 1;
    for (int64_t toss = 0; toss < N; toss++) {
        q[M] += p * q[M - 1];
        for (int64_t k = M - 1; k > 0; k--) {
            q[k] = (1 - p) * q[k] + p * q[k - 1];
        }
        q[0] *= 1 - p;
    }
    const double tail = q[M];
    trop_alloc_free(q);
    return trop_case_put(c, "tail", tail);
}

static enum trop_status work(struct trop_case *c)
{
    return find_tail(c, trop_case_number(c, "p"));
}

static enum trop_status probability(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "p", -1, trop_case_number(c, "p"), 0, 0);
    trop_judge_at_most(judge, "p", -1, trop_case_number(c, "p"), 1, 0);
    return TROP_OK;
}

static enum trop_status counts(struct trop_judge *judge, const struct trop_case *c)
{
    const double M = trop_case_number(c, "M"), N = trop_case_number(c, "N");

    trop_judge_truth(judge, "M is a whole number from 1", -1, M >= 1 && M == floor(M) && M < 1e6);
    trop_judge_truth(judge, "N is a whole number", -1, N >= 0 && N == floor(N) && N < 1e9);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "probability", "p is in [0, 1]", probability, 0 },
    { "counts", "M >= 1 and N are whole numbers", counts, 0 },
    { 0 },
};

/* Logarithms: M log(e N p/M) has an error of a few u of its terms. */
static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double N = trop_case_number(c, "N"), M = trop_case_number(c, "M");
    const double bound = M * (1 + trop_log(N * trop_case_number(c, "p") / M));

    trop_judge_at_most(judge, "log of the tail", -1, trop_log(trop_case_number(c, "tail")), bound,
                       2 * DBL_EPSILON * (N + M * (4 + fabs(bound))));
    return TROP_OK;
}

static enum trop_status other_coin(struct trop_case *c)
{
    return find_tail(c, 8 * trop_case_number(c, "p"));
}

static enum trop_status no_probability(struct trop_case *c)
{
    return trop_case_put(c, "p", 1.5);
}

static enum trop_status no_count(struct trop_case *c)
{
    return trop_case_put(c, "M", 0);
}

static const struct trop_spoil spoils[] = {
    { "the tail of a coin with 8 p", NULL, other_coin },
    { "p = 3/2", "probability", no_probability },
    { "M = 0", "counts", no_count },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "N", "", "tosses" },
    { "p", "", "chance of a success" },
    { "M", "", "successes" },
    { 0 },
};

const struct trop_claim trop_fw_lem_tail = {
    .id = "fw-lem-tail",
    .title = "many bad steps are unlikely",
    .statement = "The probability of at least M successes in N independent trials of probability p "
                 "is at most (e N p/M)^M.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The tail is exact up to rounding: the law of the sum, toss by toss.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 200,
};
