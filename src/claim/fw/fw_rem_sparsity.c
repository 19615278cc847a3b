/* fw_rem_sparsity.c -- how many initial tokens a token is made of.
 *
 * A Frank-Wolfe method over a fixed set adds one atom a step: after t steps an iterate is a convex
 * combination of t + 1 atoms. Hardmax moves the set along. The leader of x_i at step t is x_l^t,
 * which is itself a combination of initial tokens:
 *
 *   x_i^{t+1} = (1 - gamma) x_i^t + gamma x_l^t,   W^{t+1}_i = (1 - gamma) W^t_i + gamma W^t_l,
 *
 * x^t = W^t x^0, so the number of tokens may double at each step. With the unit vectors of R^4 for
 * tokens and a B that sends 0 after 1, 1 after 2, 2 after 3, and x_0^1 after x_2^1, token 0 is
 * (e_0 + e_1 + e_2 + e_3)/4 after two steps of gamma = 1/2: four tokens, and not by choice, since
 * the tokens are affinely independent and the combination is the only one. What holds is 2^t; and
 * t + 1 when every leader stays where it is.
 *
 * Rounding: x^t and W^t x^0 differ by the rounding of each step, at most 8 u R sqrt(d) as in
 * theorem 4.2, and by that of W, (t + 1) u in each of its entries: 4 (t + 1) (n + 4) u R sqrt(d).
 */
#include "claim/fw/fw.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 3

/* Affinely independent tokens: one more dimension than differences. By turns a B for which most
 * tokens follow themselves, and one for which none does. */
static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 4 + trop_case_pick(c, 18, 0, 3);
    const int stays = c->trial % 2 == 0;
    enum trop_status status = trop_tokens_gaussian(c, n, trop_fw_draw_dimension(c, n));

    if (status == TROP_OK) {
        status = trop_fw_draw_matrix(c, stays ? .9 : -2, stays ? 1.1 : -.2);
    }
    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS, .2, .8) : status;
}

static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    /* Row i: the scores of token i with 0, 1, 2, 3. */
    static const double score[4][4] = {
        { 0, 1, 0, 0 }, { 0, -10, 10, 9 }, { 0, 0, .5, 1 }, { 0, 0, 0, 1 }
    };
    double *x = NULL, *b = NULL;
    enum trop_status status = trop_case_make(&x, c, "tokens", 4, 4, 0);

    (void)k;
    if (status == TROP_OK) {
        status = trop_case_make(&b, c, "B", 4, 4, 0);
    }
    for (int64_t i = 0; i < 16 && status == TROP_OK; i++) {
        x[i] = i % 5 == 0;
        b[i] = score[i % 4][i / 4]; /* <B e_i, e_j> is entry (j, i) */
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "steps", 2);
    }
    return status == TROP_OK ? trop_case_put(c, "gamma", .5) : status;
}

/* ---- work: the path, and the combinations along it ---- */

static void combine(double *after, const double *before, const double *x, const struct trop_case *c,
                    int64_t t)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double gamma = trop_fw_gamma(c, t);

    for (int64_t i = 0; i < n; i++) {
        double lead = 0;
        const int64_t l = trop_fw_leader(&lead, trop_case_array(c, "B"), x + i * d, x, n, d);
        for (int64_t j = 0; j < n; j++) {
            after[i * n + j] = (1 - gamma) * before[i * n + j] + gamma * before[l * n + j];
        }
    }
}

static enum trop_status work(struct trop_case *c)
{
    double *w = NULL;
    enum trop_status status = trop_fw_work(c);

    if (status != TROP_OK) {
        return status;
    }
    const int64_t rows = trop_case_size(c, "path", 0), n = trop_case_size(c, "path", 1),
                  d = trop_case_size(c, "path", 2);
    status = trop_case_make(&w, c, "weights", rows, n, n);
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        w[i * n + i] = 1;
    }
    for (int64_t t = 0; t + 1 < rows && status == TROP_OK; t++) {
        combine(w + (t + 1) * n * n, w + t * n * n, trop_case_array(c, "path") + t * n * d, c, t);
    }
    return status;
}

/* ---- hypotheses ---- */

/* The differences x_i - x_0 have a Gram matrix with no eigenvalue near 0. */
static enum trop_status independent(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    struct trop_case *scratch = NULL;
    double *gram = NULL, low = 0, high = 0;

    if (n < 2) {
        trop_judge_truth(judge, "there are two tokens or more", -1, 0);
        return TROP_OK;
    }
    enum trop_status status = trop_case_create(&scratch, 0, 0, 0, 1);
    if (status == TROP_OK) {
        status = trop_case_make(&gram, scratch, "gram", n - 1, n - 1, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < (n - 1) * (n - 1); k++) {
        const double *p = x + (1 + k / (n - 1)) * d, *q = x + (1 + k % (n - 1)) * d;
        for (int64_t a = 0; a < d; a++) {
            gram[k] += (p[a] - x[a]) * (q[a] - x[a]);
        }
    }
    if (status == TROP_OK) {
        status = trop_fw_spectrum(&low, &high, gram, n - 1);
    }
    if (status == TROP_OK) {
        trop_judge_at_least(judge, "least over largest eigenvalue of the Gram matrix", -1,
                            high > 0 ? low / high : 0, 1e-8, 1e-12);
    }
    trop_case_free(scratch);
    return status;
}

static enum trop_status one_leader(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *b = trop_case_array(c, "B");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double error = 4 * trop_fw_score_error(b, trop_tokens_radius(path, n, d), d);

    for (int64_t k = 0; k < steps * n; k++) {
        const double *x = path + k / n * n * d;
        double lead = 0;
        trop_fw_leader(&lead, b, x + k % n * d, x, n, d);
        trop_judge_at_least(judge, "lead of a token's leader", k / n, lead, DBL_MIN, error);
    }
    return TROP_OK;
}

/* ---- conclusions ---- */

/* Judges that the weights yield the token and form a convex combination, and how many there are. */
static void judge_token(struct trop_judge *judge, const struct trop_case *c, int64_t t, int64_t i,
                        double most)
{
    const double *path = trop_case_array(c, "path");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *x = path + (t * n + i) * d, *w = trop_case_array(c, "weights") + (t * n + i) * n;
    const double unit = 2 * (double)((t + 1) * (n + 4)) * DBL_EPSILON;
    double squares = 0, sum = 0, least = INFINITY;
    int64_t count = 0;

    for (int64_t a = 0; a < d; a++) {
        double made = 0;
        for (int64_t j = 0; j < n; j++) {
            made += w[j] * path[j * d + a];
        }
        squares += (made - x[a]) * (made - x[a]);
    }
    for (int64_t j = 0; j < n; j++) {
        sum += w[j];
        least = fmin(least, w[j]);
        count += w[j] != 0;
    }
    trop_judge_at_most(judge, "distance of a token from the combination", t, sqrt(squares), 0,
                       unit * sqrt((double)d) * trop_tokens_radius(path, n, d));
    trop_judge_near(judge, "sum of the weights", t, sum, 1, unit);
    trop_judge_at_least(judge, "least weight", t, least, 0, 0);
    trop_judge_at_most(judge, "initial tokens in the combination", t, (double)count, most, 0);
}

static enum trop_status conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "path", 0), n = trop_case_size(c, "path", 1);

    for (int64_t k = 0; k < rows * n; k++) {
        judge_token(judge, c, k / n, k % n, (double)(k / n + 1));
    }
    return TROP_OK;
}

static enum trop_status conclude_doubling(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "path", 0), n = trop_case_size(c, "path", 1);

    for (int64_t k = 0; k < rows * n; k++) {
        judge_token(judge, c, k / n, k % n, ldexp(1, (int)(k / n)));
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The first step's token 0 is the mean of all. */
static enum trop_status mean_of_all(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *path = trop_case_array(c, "path"), *w = trop_case_array(c, "weights") + n * n;

    memset(path + n * d, 0, (size_t)d * sizeof *path);
    for (int64_t j = 0; j < n; j++) {
        w[j] = 1. / (double)n;
        for (int64_t a = 0; a < d; a++) {
            path[n * d + a] += path[j * d + a] / (double)n;
        }
    }
    return TROP_OK;
}

/* The last token becomes the middle of the first two. */
static enum trop_status middle(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *x = trop_case_array(c, "tokens");

    for (int64_t a = 0; a < d; a++) {
        x[(n - 1) * d + a] = .5 * (x[a] + x[d + a]);
    }
    return TROP_OK;
}

static const struct trop_hypothesis printed_hypotheses[] = {
    { "independent", "the tokens are affinely independent: combinations are unique", independent,
      0 },
    { "step-sizes", "every gamma is between 0 and 1", trop_fw_assume_steps, 0 },
    { "one-leader", "every token has one leader at every step", one_leader, 1 },
    { 0 },
};

static const struct trop_hypothesis doubling_hypotheses[] = {
    { "step-sizes", "every gamma is between 0 and 1", trop_fw_assume_steps, 0 },
    { "one-leader", "every token has one leader at every step", one_leader, 1 },
    { 0 },
};

static const struct trop_spoil printed_spoils[] = {
    { "a token of step 1 is the mean of all", NULL, mean_of_all },
    { "one token of the last step moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "the last token is the middle of two", "independent", middle },
    { "one gamma is 1", "step-sizes", trop_fw_assume_not_steps },
    { 0 },
};

static const struct trop_spoil doubling_spoils[] = {
    { "a token of step 1 is the mean of all", NULL, mean_of_all },
    { "one token of the last step moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "one gamma is 1", "step-sizes", trop_fw_assume_not_steps },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_rem_sparsity = {
    .id = "fw-rem-sparsity",
    .title = "t + 1 initial tokens after t steps",
    .statement = "After t hardmax layers every token is a convex combination of at most t + 1 "
                 "initial tokens.",
    .status = TROP_CLAIM_FALSE,
    .remark = "Not a sentence of the paper but what is known of Frank-Wolfe over a fixed set; here "
              "leaders move and are combinations "
              "themselves. Four unit vectors and a suitable B give a token that is the mean of all "
              "four after two steps. Tokens are affinely independent, so that the combination is "
              "unique.",
    .repaired = "fw-rem-sparsity-repaired",
    .old_inputs = inputs,
    .hypotheses = printed_hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_printed,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = printed_spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_sparsity_repaired = {
    .id = "fw-rem-sparsity-repaired",
    .title = "2^t initial tokens after t steps",
    .statement = "After t hardmax layers every token is a convex combination of at most 2^t "
                 "initial tokens.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = doubling_hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_doubling,
    .spoils = doubling_spoils,
    .trials = 60,
};
