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

#include "base/math/log.h"

#include <float.h>
#include <math.h>

#define TOSSES 400

static void draw(struct trop_case *c)
{
    const double N = 100 + (double)trop_case_pick(c, 16, 0, TOSSES);
    const double M = 1 + (double)trop_case_pick(c, 16, 1, 8);

    trop_case_default(c, "N", N);
    trop_case_default(c, "M", M);
    trop_case_default(c, "p", .1 * trop_case_uniform(c, 16, 2) * M / N);
}

/* P[Bin(N, p) >= M]: the last of M + 1 places gathers M and more. */
static void work(struct trop_case *c)
{
    const int64_t N = trop_case_integer(c, "N"), M = trop_case_integer(c, "M");
    const double p = trop_case_number(c, "p");
    double *q = trop_case_scratch(c, M + 1);

    q[0] = 1;
    for (int64_t toss = 0; toss < N; toss++) {
        q[M] += p * q[M - 1];
        for (int64_t k = M - 1; k > 0; k--) {
            q[k] = (1 - p) * q[k] + p * q[k - 1];
        }
        q[0] *= 1 - p;
    }
    trop_case_put(c, "tail", q[M]);
}

/* Logarithms: M log(e N p/M) has an error of a few u of its terms. */
static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double N = trop_case_number(c, "N"), M = trop_case_number(c, "M");
    const double bound = M * (1 + trop_log(N * trop_case_number(c, "p") / M));

    trop_judge_at_most(judge, "log of the tail", -1, trop_log(trop_case_number(c, "tail")), bound,
                       2 * DBL_EPSILON * (N + M * (4 + fabs(bound))));
}

const struct trop_claim trop_fw_lem_tail = {
    .id = "fw-lem-tail",
    .title = "many bad steps are unlikely",
    .statement = "The probability of at least M successes in N independent trials of probability p "
                 "is at most (e N p/M)^M.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The tail is exact up to rounding: the law of the sum, toss by toss.",
    .inputs = "N p M",
    .hypotheses = TROP_HYPOTHESES(
        { "probability", "p is in [0, 1]", .holds = "p >= 0; p <= 1", .broken = "p = 3/2",
          .edit = "p = 1.5" },
        { "counts", "M >= 1 and N are whole numbers",
          .holds = "M >= 1 and M < 1e6 and M == floor(M); N >= 0 and N < 1e9 and N == floor(N)",
          .broken = "M = 0", .edit = "M = 0" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "the tail of a coin with 8 p", NULL, .edit = "work with p *= 8" }),
    .trials = 200,
};
