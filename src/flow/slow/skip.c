/* skip.c -- the random chain (SA_P) without its waiting: skips that are exact in law.
 *
 * In one step every token i picks a token j, independently, with probability
 * softmax_j(beta <B x_i, x_j>), and goes to x_i + gamma (x_j - x_i) (Alcalde, Geshkovski,
 * Ruiz-Balet, eq. softmax.process). A pick of an equal token moves nothing. Tokens that are equal
 * are one place with a mass; the state stays the same until some token picks another place, which
 * token i does with probability p_i in every step (skip_rates.c). Hence, exactly and in any state:
 *
 *   - the waiting W is geometric: P(W > k) = (1 - P)^k = e^(-k H), H = sum_i h_i,
 *     h_i = -log(1 - p_i). With U uniform and E = -log U, W = ceil(E / H), at least 1. Where H or
 *     W leave double, log W = log E - log H.
 *   - Who moves: the trials of tokens 0, 1, ... in the last step are independent, given that one
 *     of them succeeds. Token i is the first with probability e^-(h_0 + .. + h_(i-1)) (1 - e^-h_i)
 *     / P. With E' = -log(1 - U P) it is the first i with h_0 + .. + h_i >= E'. Trials after the
 *     first success are free: the next success is where their sum reaches a new E, and so on.
 *   - Where to: another place b, with probabilities w_ab of its place a.
 *
 * A token on its way is a place of its own, with a large hazard, so that relaxing needs no other
 * rule: its waits are mostly 1. A plain step is the same thing without skipping the steps in
 * which nothing moves.
 *
 * Draws are named (seed, TROP_RNG_CHAIN, number of the change, purpose), and a waiting that is
 * cut by log_most is not drawn again: how calls are cut changes no bit. The purposes lie above
 * 2^55, out of the way of the plain steps of a flow, which name draws by the token. Uniform
 * numbers have 52 bits: each probability above, and P(W <= k), is right to about 2^-52,
 * absolutely.
 *
 * Freezing (skip_groups.c) is the only thing that changes the law. Let X be the true chain and Y
 * this one, and D a bound of all |X_i - Y_i|. Let them make the same moves between Y's places:
 *
 *   - D does not grow. Without a move, a token of X goes to a mean of itself and of a token of the
 *     same place of Y, both within D of that place; with one, X_i' - Y_i' is a mean of two
 *     differences. Freezing adds at most the distance by which it moves a token: D is the sum of
 *     these.
 *   - Up to a constant of i, <B X_i, X_j> - <B Y_i, Y_j> = <B (X_i - Y_i), X_j - Y_0> +
 *     <B Y_i, X_j - Y_j>. Both chains stay in the hull of the start, of radius R about 0 and
 *     diameter S, so exponents differ by at most eta = |beta| |B| D (R + S), and the probability
 *     that i moves to place b by a factor within e^(+-2 eta).
 *   - So in one step the laws of what token i does differ in total variation by at most
 *     (e^(2 eta) - 1) p_i, and those of all tokens by the sum over i. A change takes 1 / P steps
 *     in the mean. The moves of X and Y can be drawn together so that they part before this
 *     change is done with probability at most (e^(2 eta) - 1) sum_i p_i / P.
 *
 * The sum of that over the changes bounds the distance in law of all waits, movers and targets
 * together, and places differ by at most D besides. sum p / P is 1 for rare changes and at most
 * 1 + sum p. For delta near gamma times the distance of two groups the bound says so: it is 1.
 * The rounding of places, u R per change, acts as a drift too and is not in the bound.
 *
 * Cost of a change: with m places, m^2 (d + 1) multiplications and m^2 exponentials.
 */
#include "flow/slow/skip_internal.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/math/log.h"
#include "base/rng.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define LARGEST 0x1p62 /* waits in steps, before only their logarithm is kept */

/* What a draw is for: these and, for token i, i and i + n after them. */
enum purpose { WAITING, FIRST, TOKENS };

static double draw(const struct trop_skip *skip, int64_t purpose)
{
    return trop_rng_uniform(skip->model.seed, TROP_RNG_CHAIN, (uint64_t)skip->changes,
                            (UINT64_C(1) << 55) + (uint64_t)purpose);
}

/* ---- the clock ------------------------------------------------------------------------------- */

static const struct trop_skip_clock start = { 0, -INFINITY, 0 };

static struct trop_skip_clock clock_of(int64_t steps)
{
    return (struct trop_skip_clock){ steps, trop_log((double)steps), 0 };
}

/* A wait of E / H steps, rounded up. */
static struct trop_skip_clock waiting(const struct trop_skip *skip)
{
    double e = -trop_log(draw(skip, WAITING));

    /* H = 0: it has underflown, and waits are enormous. */
    if (e < LARGEST * skip->total) {
        return clock_of(e > skip->total ? (int64_t)ceil(e / skip->total) : 1);
    }
    return (struct trop_skip_clock){ INT64_MAX, trop_log(e) - skip->log_total, 0 };
}

/* a + b: exact while it fits, and then by the logarithm, whose low part keeps what additions
 * far below an ulp of it amount to. */
static struct trop_skip_clock later(struct trop_skip_clock a, struct trop_skip_clock b)
{
    if (a.steps < INT64_MAX && b.steps <= INT64_MAX - 1 - a.steps) {
        return clock_of(a.steps + b.steps);
    }
    struct trop_skip_clock more = a.log > b.log ? a : b, less = a.log > b.log ? b : a;
    double add = more.low + trop_log1p(trop_exp(less.log - more.log));
    double sum = more.log + add;
    return (struct trop_skip_clock){ INT64_MAX, sum, add - (sum - more.log) };
}

/* The clock stands at log_most; never back. */
static void stand(struct trop_skip *skip, double log_most)
{
    if (!(log_most > skip->now.log)) {
        return;
    }
    double steps = trop_exp(log_most);
    if (steps >= LARGEST) {
        skip->now = (struct trop_skip_clock){ INT64_MAX, log_most, 0 };
        return;
    }
    /* The largest number whose logarithm is not above. */
    double whole = floor(steps + 0.5);
    whole -= whole > 0 && trop_log(whole) > log_most;
    skip->now = (struct trop_skip_clock){ (int64_t)whole, log_most, 0 };
}

/* ---- a change -------------------------------------------------------------------------------- */

/* E' / H for the first that moves: -log(1 - u P) / H, P = 1 - e^-H. */
static double first_target(const struct trop_skip *skip, double u)
{
    double h = skip->total;

    /* u + (u^2 - u) H / 2; what is left out is below u H^2 / 6, 2^-54 u. */
    if (skip->log_total < -18) {
        return fma(u * u - u, 0.5 * h, u);
    }
    return skip->log_total < 600 ? -trop_log1p(u * trop_expm1(-h)) / h
                                 : trop_exp(trop_log(-trop_log1p(-u)) - skip->log_total);
}

/* The first token, from `from` on, at which the sum of value[its place] reaches target. When it
 * never does: n, or, with `sure`, the last token that adds to it (rounding alone did it). */
static int64_t reaches(const struct trop_skip *skip, const double *value, double target,
                       int64_t from, int sure)
{
    int64_t n = skip->model.n, last = n;
    double sum = 0;

    for (int64_t i = from; i < n; i++) {
        double add = value[skip->place[i]];
        sum += add;
        if (add > 0 && sum >= target) {
            return i;
        }
        last = add > 0 ? i : last;
    }
    return sure ? last : n;
}

/* Token i picks another place and goes towards it. Places are those before the step. */
static void move(struct trop_skip *skip, int64_t i)
{
    int64_t d = skip->model.d, n = skip->model.n, a = skip->place[i];
    int64_t b = trop_skip_pick(skip, a, draw(skip, TOKENS + n + i));
    double *x = skip->x + i * d;

    for (int64_t c = 0; c < d; c++) {
        x[c] = fma(skip->model.gamma, skip->at[b * d + c] - x[c], x[c]);
    }
    skip->moved[i] = 1;
    if (skip->label[a] != skip->label[b]) {
        skip->token[skip->crossings] = i;
        skip->towards[skip->crossings++] = skip->first[b];
    }
}

static void change(struct trop_skip *skip)
{
    int64_t n = skip->model.n;

    /* Not 0 times infinity, for beta = 1e308. */
    if (skip->drift > 0) {
        double apart = trop_expm1(2 * skip->slope * skip->drift) * trop_skip_crowd(skip);
        skip->distance = fmin(1, skip->distance + apart);
    }
    skip->crossings = 0;
    double target = first_target(skip, draw(skip, FIRST));
    for (int64_t i = reaches(skip, skip->share, target, 0, 1); i < n;) {
        move(skip, i);
        target = -trop_log(draw(skip, TOKENS + i));
        i = reaches(skip, skip->rate, target, i + 1, 0);
    }
    skip->changes++;
    trop_skip_settle(skip);
    trop_skip_rates(skip);
}

enum trop_status trop_skip_next(struct trop_skip *skip, double log_most)
{
    if (skip->overflow) {
        return trop_fail(TROP_ERR_NUMERIC,
                         "beta = %g: a score beta <B x_i, x_j - x_i> overflows, tokens are too "
                         "large",
                         skip->model.beta);
    }
    /* H = 0: nothing ever changes. */
    if (skip->log_total == -INFINITY) {
        stand(skip, log_most);
        return TROP_OK;
    }
    struct trop_skip_clock due = later(skip->then, waiting(skip));
    if (!(due.log <= log_most)) {
        stand(skip, log_most);
        return TROP_OK;
    }
    skip->then = due;
    skip->now = due;
    change(skip);
    return TROP_OK;
}

/* ---- the handle ------------------------------------------------------------------------------ */

/* Everything that was allocated, but for the matrix, which may be absent. */
void trop_skip_free(struct trop_skip *skip)
{
    if (skip) {
        TROP_FREE(skip->x, skip->moved, skip->place, skip->first, skip->mass, skip->at, skip->label,
                  skip->group, skip->order, skip->parent, skip->wide, skip->mean, skip->odds,
                  skip->rate, skip->share, skip->query, skip->row, skip->token, skip->towards,
                  skip->from, skip->values, skip);
    }
}

/* Returns 0 when there was no memory for something. */
static int allocate(struct trop_skip *skip)
{
    int64_t n = skip->model.n, d = skip->model.d, size = trop_alloc_product(n, d);

    skip->stride = (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
    return TROP_ALLOC(
        TROP_PART(skip->x, size), TROP_PART(skip->moved, n), TROP_PART(skip->place, n),
        TROP_PART(skip->first, n), TROP_PART(skip->mass, skip->stride), TROP_PART(skip->at, size),
        TROP_PART(skip->label, n), TROP_PART(skip->group, n), TROP_PART(skip->order, n),
        TROP_PART(skip->parent, n), TROP_PART(skip->wide, n), TROP_PART(skip->mean, d),
        TROP_PART(skip->from, trop_alloc_product(d, skip->stride)), TROP_PART(skip->odds, n),
        TROP_PART(skip->rate, n), TROP_PART(skip->share, n), TROP_PART(skip->query, d),
        TROP_PART(skip->row, skip->stride), TROP_PART(skip->token, n), TROP_PART(skip->towards, n));
}

/* The matrix is copied; returns 0 when there is no memory. */
static int copy_matrix(struct trop_skip *skip, const struct trop_matrix *matrix)
{
    int64_t square = trop_alloc_product(skip->model.d, skip->model.d);

    skip->key_query = *matrix;
    if (!matrix->values) {
        return 1;
    }
    skip->values = trop_alloc(square, sizeof *skip->values);
    if (!skip->values) {
        return 0;
    }
    memcpy(skip->values, matrix->values, (size_t)square * sizeof *skip->values);
    skip->key_query.values = skip->values;
    return 1;
}

static enum trop_status check(const struct trop_skip_model *model)
{
    if (model->n < 1 || model->d < 1) {
        return trop_fail(TROP_ERR_ARG, "n = %lld, d = %lld: must be at least 1",
                         (long long)model->n, (long long)model->d);
    }
    if (!isfinite(model->beta)) {
        return trop_fail(TROP_ERR_ARG, "beta = %g: must be finite", model->beta);
    }
    if (!(model->gamma > 0 && model->gamma <= 1)) {
        return trop_fail(TROP_ERR_ARG, "gamma = %g: must be above 0 and at most 1", model->gamma);
    }
    if (!(model->delta >= 0 && model->delta < INFINITY)) {
        return trop_fail(TROP_ERR_ARG, "delta = %g: must be finite and not negative", model->delta);
    }
    return TROP_OK;
}

enum trop_status trop_skip_create(struct trop_skip **out, const struct trop_skip_model *model,
                                  const double *x)
{
    enum trop_status status = check(model);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_skip *skip = trop_alloc(1, sizeof *skip);
    if (!skip) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a chain");
    }
    skip->model = *model;
    skip->kernel = trop_kernel_choose(0);
    if (!allocate(skip) || !copy_matrix(skip, model->key_query)) {
        trop_skip_free(skip);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a chain of %lld tokens of dimension %lld",
                         (long long)model->n, (long long)model->d);
    }
    skip->model.key_query = &skip->key_query;
    trop_skip_restart(skip, x, model->seed);
    *out = skip;
    return TROP_OK;
}

/* Finds the places, groups and rates of the tokens x, of which nothing is known. */
static void start_over(struct trop_skip *skip)
{
    for (int64_t i = 0; i < skip->model.n; i++) {
        skip->moved[i] = 1;
        skip->place[i] = 0;
    }
    skip->crossings = 0;
    trop_skip_settle(skip);
    trop_skip_rates(skip);
}

void trop_skip_restart(struct trop_skip *skip, const double *x, uint64_t seed)
{
    int64_t n = skip->model.n, d = skip->model.d;

    memcpy(skip->x, x, (size_t)(n * d) * sizeof *x);
    skip->model.seed = seed;
    skip->then = start;
    skip->now = start;
    skip->changes = 0;
    skip->drift = 0;
    skip->distance = 0;
    double radius = trop_cloud_radius(skip->x, n, d);
    /* |beta| |B| (R + S), in the norm of Frobenius: how fast exponents change with places. */
    double span = 0;
    for (int64_t i = 1; i < n; i++) {
        span = fmax(span, trop_cloud_distance(skip->x + i * d, skip->x, d));
    }
    double size =
        skip->values ? trop_linalg_norm(skip->values, d * d) : fabs(skip->key_query.scale);
    skip->slope = fabs(skip->model.beta) * size * (radius + 2 * fmin(span, radius));
    /* What rounding needs (skip_groups.c), also where numbers are subnormal. */
    skip->delta = fmax(skip->model.delta, (4 * UNIT * radius + 0x1p-1060) / skip->model.gamma);
    start_over(skip);
}

/* Members of one list, in and out. */
static void list_state(void *out[TROP_SKIP_WORDS], struct trop_skip *skip)
{
    void *members[TROP_SKIP_WORDS] = {
        &skip->then.steps, &skip->then.log, &skip->then.low, &skip->now.steps, &skip->now.log,
        &skip->now.low,    &skip->changes,  &skip->drift,    &skip->distance,
    };
    memcpy(out, members, sizeof members);
}

void trop_skip_save(int64_t words[TROP_SKIP_WORDS], const struct trop_skip *skip)
{
    void *members[TROP_SKIP_WORDS];

    list_state(members, (struct trop_skip *)skip);
    for (int k = 0; k < TROP_SKIP_WORDS; k++) {
        memcpy(words + k, members[k], sizeof *words);
    }
}

void trop_skip_load(struct trop_skip *skip, const double *x, const int64_t words[TROP_SKIP_WORDS])
{
    void *members[TROP_SKIP_WORDS];

    memcpy(skip->x, x, (size_t)(skip->model.n * skip->model.d) * sizeof *x);
    start_over(skip); /* its groups are frozen already: nothing moves */
    list_state(members, skip);
    for (int k = 0; k < TROP_SKIP_WORDS; k++) {
        memcpy(members[k], words + k, sizeof *words);
    }
}

/* ---- what it tells --------------------------------------------------------------------------- */

const double *trop_skip_tokens(const struct trop_skip *skip)
{
    return skip->x;
}

double trop_skip_log_steps(const struct trop_skip *skip)
{
    return skip->now.log;
}

int64_t trop_skip_steps(const struct trop_skip *skip)
{
    return skip->now.steps;
}

int64_t trop_skip_changes(const struct trop_skip *skip)
{
    return skip->changes;
}

int64_t trop_skip_groups(const int64_t **group, const struct trop_skip *skip)
{
    if (group) {
        *group = skip->group;
    }
    return skip->groups;
}

int trop_skip_frozen(const struct trop_skip *skip)
{
    return skip->frozen;
}

int64_t trop_skip_crossed(const int64_t **token, const int64_t **towards,
                          const struct trop_skip *skip)
{
    *token = skip->token;
    *towards = skip->towards;
    return skip->crossings;
}

double trop_skip_distance(const struct trop_skip *skip)
{
    return skip->distance;
}
