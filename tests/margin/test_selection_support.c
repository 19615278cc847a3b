/* test_selection_support.c -- support tokens, local optimality and cones, against the published
 * examples and problems in the plane that are solved by trying every set of tight constraints. */
#include "support.h"

#include "margin/model/model.h"
#include "margin/model/selection.h"

#include "alloc_failing.c"

#define MOST 64

static double x[MOST], margins[MOST];
static int64_t alpha[MOST], neighbour[MOST], support[MOST];

static const struct trop_selection_found found = { alpha, margins, neighbour };

/* ---- published examples ---------------------------------------------------------------------- */

/* The problem of a prompt and everything about a solution that is exact. */
static struct trop_selection_counts solve(struct trop_model_problem *made, struct trop_data *data,
                                          const int64_t *select, const double *p, double norm)
{
    const struct trop_model_choice choice = { .model = TROP_MODEL_PROMPT, .select = select };
    const struct trop_selection_proof proof = { .w = p, .lower = norm, .upper = norm, .scale = 1 };
    struct trop_selection_counts counts;

    assert_ok(trop_model_build(made, data, &choice));
    assert_ok(trop_selection_support(&counts, support, margins, &made->problem, &proof, 1e-6));
    return counts;
}

/* P1, figure 1: (a) the global solution, of token 0, is (-0.1, 1)/1.01 and its only support token
 * is 2; (b) with score 0 for token 2, the local one of token 1 is (1, 0), its support token
 * is 2, and token 0, of a higher score, is at margin 1.1. */
static void figure_1_of_p1_is_locally_optimal_as_published(void **state)
{
    (void)state;
    double key[] = { -0.1, 1, 1, 0, 0, 0 }, a[] = { 1, 0.9, 0.9 }, b[] = { 1, 0.9, 0 };
    double global[] = { -0.1 / 1.01, 1 / 1.01 }, local[] = { 1, 0 };
    int64_t first = 0, second = 1;
    struct trop_data data = { .n = 1, .T = 3, .d = 2, .x = key };
    struct trop_selection_view view = trop_selection_view_of(&data, TROP_MODEL_PROMPT, 0, 0);
    struct trop_model_problem made;
    struct trop_selection_local out;
    struct trop_selection_direction seen;

    struct trop_selection_counts counts = solve(&made, &data, &first, global, 1 / sqrt(1.01));
    assert_true(support[0] == TROP_SELECTION_NOT && support[1] == TROP_SELECTION_SUPPORT);
    assert_true(counts.support == 1 && counts.others == 1 && counts.either == 0);
    assert_near(counts.average, (1.11 / 1.01 + 1) / 2, 1e-15);
    assert_int_equal(trop_selection_all_support(&counts), TROP_SELECTION_NO);
    trop_selection_local(&out, &made.problem, support, &first, a, 3, 0);
    assert_true(out.answer == TROP_SELECTION_YES && out.input == 0 && out.token == 2);
    assert_true(out.gap == 1 - 0.9);
    trop_model_free(&made);
    assert_ok(trop_selection_look(&seen, &found, &view, global, 1 / sqrt(1.01), 1e-9, a, 0));
    assert_true(alpha[0] == 0 && seen.neighbours == 1 && neighbour[2] == 1);
    assert_near(seen.margin, sqrt(1.01), 1e-15);

    solve(&made, &data, &second, local, 1);
    assert_true(support[0] == TROP_SELECTION_NOT && support[1] == TROP_SELECTION_SUPPORT);
    assert_near(margins[0], 1.1, 1e-15);
    trop_selection_local(&out, &made.problem, support, &second, b, 3, 0);
    assert_true(out.answer == TROP_SELECTION_YES && out.token == 2 && out.gap == 0.9);
    /* Equal scores, as in (a), are not enough. */
    trop_selection_local(&out, &made.problem, support, &second, a, 3, 0);
    assert_true(out.answer == TROP_SELECTION_NO && out.gap == 0);
    trop_selection_local(&out, &made.problem, support, &second, a, 3, 1e-9);
    assert_true(out.answer == TROP_SELECTION_AMBIGUOUS);

    /* Cone: theta 1, T = {2}, other = {0}: delta = (1.1 - 1)/2, A = |(-0.1, 1)|. */
    struct trop_selection_cone cone;
    trop_selection_cone(&cone, &view, &made.problem, support, margins, &second, b, 1);
    assert_true(cone.theta == 1 && cone.gamma == 1 && cone.gap == 0.9);
    assert_near(cone.delta, 0.05, 1e-15);
    assert_near(cone.A, sqrt(1.01), 1e-15);
    assert_near(cone.mu, 0.0025 / 1.01 / 8, 1e-17); /* 2 (1.1 - 1) / 0.1 ulp: 40 u of 3e-4 */
    assert_near(cone.R, 20 * log(64 * 3 * sqrt(1.01) / 0.9), 1e-11); /* 1/delta has 20 ulp */
    trop_selection_cone(&cone, &view, &made.problem, support, margins, &second, a, 1);
    assert_true(isnan(cone.R));
    /* Token 0 as one that may be support: then others may be next to it, and no cone is known. */
    support[0] = TROP_SELECTION_EITHER;
    trop_selection_cone(&cone, &view, &made.problem, support, margins, &second, b, 1);
    assert_true(isnan(cone.delta) && isnan(cone.mu) && isnan(cone.R));
    trop_model_free(&made);
}

/* n = T = d = 2: the optimal tokens give (1, -3); optimal and other give (1, 0), where input 1 has
 * no neighbour, at margin 2. Both are locally optimal, and assumption B holds. */
static void the_counterexample_has_two_local_optima(void **state)
{
    (void)state;
    double key[] = { 1, 0, 0, 0, 0, 0, 2, 1 }, values[] = { 1, 0, 1, 0 };
    double global[] = { 1, -3 }, local[] = { 1, 0 };
    int64_t opt[] = { 0, 0 }, other[] = { 0, 1 };
    struct trop_data data = { .n = 2, .T = 2, .d = 2, .x = key };
    struct trop_selection_view view = trop_selection_view_of(&data, TROP_MODEL_PROMPT, 0, 0);
    struct trop_model_problem made;
    struct trop_selection_local out;
    struct trop_selection_level level;
    struct trop_selection_cone cone;

    struct trop_selection_counts counts = solve(&made, &data, opt, global, sqrt(10));
    assert_true(counts.support == 2 && counts.average == 1);
    assert_int_equal(trop_selection_all_support(&counts), TROP_SELECTION_YES);
    trop_selection_local(&out, &made.problem, support, opt, values, 2, 0);
    assert_int_equal(out.answer, TROP_SELECTION_YES);
    /* No token is left over: delta infinite; A = sqrt(5) sqrt(10). */
    trop_selection_cone(&cone, &view, &made.problem, support, margins, opt, values, sqrt(10));
    assert_true(isinf(cone.delta) && cone.gap == 1);
    assert_near(cone.mu, 0.25 / 50 / 8, 1e-18);
    assert_near(cone.R, 2 * sqrt(10) * log(128 * sqrt(50)), 1e-13);
    trop_model_free(&made);

    solve(&made, &data, other, local, 1);
    assert_true(support[0] == TROP_SELECTION_SUPPORT && support[1] == TROP_SELECTION_NOT);
    assert_true(margins[0] == 1 && margins[1] == 2);
    trop_selection_local(&out, &made.problem, support, other, values, 2, 0);
    assert_int_equal(out.answer, TROP_SELECTION_YES);
    assert_true(out.input == 0 && out.token == 1 && out.gap == 1);
    /* Assumption D of P2 fails here: nothing blocks the other selection. */
    assert_int_equal(trop_selection_blocked(&made.problem, support, other, opt), TROP_SELECTION_NO);
    support[1] = TROP_SELECTION_EITHER;
    assert_int_equal(trop_selection_blocked(&made.problem, support, other, opt),
                     TROP_SELECTION_AMBIGUOUS);
    support[1] = TROP_SELECTION_SUPPORT;
    assert_int_equal(trop_selection_blocked(&made.problem, support, other, opt),
                     TROP_SELECTION_YES);
    trop_model_free(&made);
    trop_selection_level(&level, &view, values, 0);
    assert_true(level.answer == TROP_SELECTION_YES && level.spread == 0 && level.gap == 1);
}

/* ---- support --------------------------------------------------------------------------------- */

/* min |w| s.t. row_j . w >= 1 in the plane, by trying every one and every two tight rows. Returns 0
 * when there is no solution. */
static int plane_solve(long double *best_w, const double *rows, int64_t count)
{
    long double least = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = i; j < count; j++) {
            const double *a = rows + 2 * i, *b = rows + 2 * j;
            long double det = (long double)a[0] * b[1] - (long double)a[1] * b[0], p[2];
            if (i == j) {
                long double size = (long double)a[0] * a[0] + (long double)a[1] * a[1];
                p[0] = a[0] / size;
                p[1] = a[1] / size;
            } else {
                p[0] = ((long double)b[1] - a[1]) / det;
                p[1] = ((long double)a[0] - b[0]) / det;
            }
            int feasible = i == j || fabsl(det) > 1e-9L;
            for (int64_t k = 0; k < count && feasible; k++) {
                feasible = rows[2 * k] * p[0] + rows[2 * k + 1] * p[1] >= 1 - 1e-15L;
            }
            if (feasible && p[0] * p[0] + p[1] * p[1] < least) {
                least = p[0] * p[0] + p[1] * p[1];
                best_w[0] = p[0];
                best_w[1] = p[1];
            }
        }
    }
    return least < INFINITY;
}

/* Rows as constraints over the origin. */
static struct trop_problem plane_problem(const double *rows, int64_t count)
{
    static int64_t plus[64], minus[64], zero[64], token[64];
    static double one[64];
    static const double query[] = { 1 };
    for (int64_t j = 0; j < count; j++) {
        plus[j] = token[j] = j;
        minus[j] = -1;
        one[j] = 1;
    }
    return (struct trop_problem){ .rows = 2,
                                  .columns = 1,
                                  .points = count,
                                  .queries = 1,
                                  .count = count,
                                  .point = rows,
                                  .query = query,
                                  .plus = plus,
                                  .minus = minus,
                                  .asked = zero,
                                  .equal = zero,
                                  .right = one,
                                  .input = zero,
                                  .token = token };
}

/* Whatever the accuracy of a feasible W, what it proves of the optimum is true. */
static void support_is_what_the_optimum_has(void **state)
{
    (void)state;
    int64_t proved[3] = { 0 }, solved = 0;
    for (uint64_t seed = 0; seed < (uint64_t)cases(2000, 50000); seed++) {
        const int64_t count = 1 + whole(seed, 1, 8);
        double rows[16], p[2];
        long double truth[2];
        normals(rows, 2 * count, seed);
        for (int64_t j = 0; j < count; j++) {
            rows[2 * j] += 2;
            if (seed % 3 == 0) { /* a lattice: weakly active rows abound */
                rows[2 * j] = (double)(1 + whole(seed, 20 + (uint64_t)j, 2));
                rows[2 * j + 1] = (double)(whole(seed, 40 + (uint64_t)j, 5) - 2);
            }
        }
        if (!plane_solve(truth, rows, count)) {
            continue;
        }
        const double noise = pow(10, -(double)whole(seed, 2, 16));
        long double least = INFINITY, norm = sqrtl(truth[0] * truth[0] + truth[1] * truth[1]);
        for (int c = 0; c < 2; c++) {
            p[c] = (double)truth[c] + noise * normal(seed, 90 + (uint64_t)c);
        }
        for (int64_t j = 0; j < count; j++) {
            long double value =
                (long double)rows[2 * j] * p[0] + (long double)rows[2 * j + 1] * p[1];
            least = value < least ? value : least;
        }
        if (!(least > 0.1L)) {
            continue;
        }
        p[0] = (double)(p[0] / least) * (1 + 4 * 0x1p-53);
        p[1] = (double)(p[1] / least) * (1 + 4 * 0x1p-53);
        const double upper = hypot(p[0], p[1]) * (1 + 4 * 0x1p-53);
        const double lower = (double)norm * (1 - 4 * 0x1p-53);
        struct trop_problem problem = plane_problem(rows, count);
        struct trop_selection_proof proof = { .w = p, .lower = lower, .upper = upper, .scale = 1 };
        struct trop_selection_counts counts;
        proof.far = trop_selection_far(2, lower, upper);
        assert_true(hypotl(p[0] - truth[0], p[1] - truth[1]) <= proof.far);
        assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-6));
        for (int64_t j = 0; j < count; j++) {
            long double value = rows[2 * j] * truth[0] + rows[2 * j + 1] * truth[1];
            assert_true(support[j] != TROP_SELECTION_NOT || value > 1);
            assert_true(support[j] != TROP_SELECTION_SUPPORT || value <= 1 + 1e-6L);
            proved[support[j]]++;
        }
        solved++;
        assert_int_equal(counts.support + counts.either + counts.others, count);
    }
    assert_true(solved > 500 && proved[0] > 500 && proved[1] > 500 && proved[2] > 500);
}

/* Margins of cross attention, where every input asks its own query, and of an optimal token that
 * blocks: only its own constraint counts. */
static void margins_are_those_of_the_query_that_is_asked(void **state)
{
    (void)state;
    const int64_t n = 3, T = 3, d = 2, opt[] = { 0, 0, 0 };
    int64_t select[] = { 1, 0, 2 };
    double queries[6], w[4];
    struct trop_data data = { .n = n, .T = T, .d = d, .x = x, .z = queries, .queries = 1 };
    const struct trop_model_choice choice = { .model = TROP_MODEL_CROSS, .select = select };
    const struct trop_selection_proof proof = { .w = w, .lower = 1, .upper = 1, .scale = 1 };
    struct trop_selection_counts counts;
    struct trop_model_problem made;

    normals(x, n * T * d, 1);
    normals(queries, n * d, 2);
    normals(w, d * d, 3);
    assert_ok(trop_model_build(&made, &data, &choice));
    assert_ok(trop_selection_support(&counts, support, margins, &made.problem, &proof, 0));
    for (int64_t j = 0; j < made.problem.count; j++) {
        const int64_t i = j / 2, t = made.problem.token[j];
        long double value = 0;
        for (int64_t k = 0; k < 4; k++) {
            long double left =
                (long double)x[(i * T + select[i]) * d + k / 2] - x[(i * T + t) * d + k / 2];
            value += left * w[k] * queries[i * d + k % 2];
        }
        assert_near(margins[j], (double)value, 1e-14); /* ten roundings of numbers below 10 */
        support[j] = TROP_SELECTION_NOT;
    }
    /* Constraints in order: input 0 against 0, 2; 1 against 1, 2; 2 against 0, 1. */
    support[1] = support[2] = support[3] = support[5] = TROP_SELECTION_SUPPORT;
    assert_int_equal(trop_selection_blocked(&made.problem, support, select, opt),
                     TROP_SELECTION_NO);
    support[4] = TROP_SELECTION_SUPPORT;
    assert_int_equal(trop_selection_blocked(&made.problem, support, select, opt),
                     TROP_SELECTION_YES);
    trop_model_free(&made);
}

/* Three rows at margin 1 of which one multiplier is enough: with W known, margins show all three;
 * with W known only by its bounds, the multiplier shows one. */
static void weakly_active_constraints_are_support(void **state)
{
    (void)state;
    double rows[] = { 1, 0, 1, 1, 1, -1, 2, 0 }, p[] = { 1, 0 }, lambda[] = { 1, 0, 0, 0 };
    struct trop_problem problem = plane_problem(rows, 4);
    struct trop_selection_proof proof = { .w = p, .lower = 1, .upper = 1, .scale = 1 };
    struct trop_selection_counts counts;

    proof.lambda = lambda;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-9));
    assert_true(counts.support == 3 && support[3] == TROP_SELECTION_NOT);
    proof.lower = 1 - 1e-10;
    proof.far = trop_selection_far(2, proof.lower, proof.upper); /* 1.4e-5 */
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-9));
    assert_true(support[0] == TROP_SELECTION_SUPPORT && support[3] == TROP_SELECTION_NOT);
    assert_true(support[1] == TROP_SELECTION_EITHER && support[2] == TROP_SELECTION_EITHER);
    proof.far = INFINITY;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-9));
    assert_true(support[0] == TROP_SELECTION_SUPPORT && counts.either == 3);
    /* Another scale of the multipliers, and too weak a one. */
    lambda[0] = 10;
    proof.scale = 0.1;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1.1e-10));
    assert_int_equal(counts.support, 1);
    proof.scale = 0.05;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1.1e-10));
    assert_int_equal(counts.support, 0);

    /* Of W itself, margins within the tolerance are support, whatever is known of optima. */
    double near[] = { 1 + 1e-10, 0 };
    proof = (struct trop_selection_proof){ .w = near, .far = INFINITY, .own = 1 };
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-9));
    assert_true(counts.support == 3 && counts.others == 1);
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-11));
    assert_true(counts.support == 0 && counts.others == 4);
    /* Between equality and what is clear of it lies doubt; nothing is known of an early end. */
    proof.clear = 1e-6;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-11));
    assert_true(counts.support == 0 && counts.either == 3 && counts.others == 1);
    proof.near = 2e-10;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-11));
    assert_true(counts.support == 3 && counts.others == 1);
    proof.open = 1;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-11));
    assert_int_equal(counts.either, 4);
    proof.open = 0;
    proof.near = 0;
    proof.own = 0;
    proof.far = 0;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-9));
    assert_int_equal(counts.others, 4);
    /* A computed margin is enough where nothing is proved, and not against a proof. */
    proof.near = 2e-10;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-11));
    assert_int_equal(counts.others, 4);
    proof.far = 1e-5;
    assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-11));
    assert_true(counts.support == 3 && counts.others == 1);

    /* A score that does not pass counts against the answer as far as the support is known. */
    struct trop_selection_local out;
    int64_t none[] = { 4 };
    double values[] = { 1, 3, 0, 9, 2 };
    const int64_t known[] = { TROP_SELECTION_SUPPORT, TROP_SELECTION_EITHER, TROP_SELECTION_EITHER,
                              TROP_SELECTION_NOT };
    trop_selection_local(&out, &problem, known, none, values, 5, 0);
    assert_true(out.answer == TROP_SELECTION_AMBIGUOUS && out.doubtful == 1);
    assert_true(out.token == 1 && out.gap == -1);
    values[1] = 1.5;
    trop_selection_local(&out, &problem, known, none, values, 5, 0);
    assert_true(out.answer == TROP_SELECTION_YES && out.doubtful == 0 && out.gap == 0.5);
    values[0] = 2.25;
    trop_selection_local(&out, &problem, known, none, values, 5, 0);
    assert_true(out.answer == TROP_SELECTION_NO && out.gap == -0.25);
    trop_selection_local(&out, &problem, known, none, values, 5, 0.25);
    assert_int_equal(out.answer, TROP_SELECTION_AMBIGUOUS);
    const int64_t empty[] = { 0, 0, 0, 0 };
    trop_selection_local(&out, &problem, empty, none, values, 5, 0);
    assert_true(out.answer == TROP_SELECTION_YES && isinf(out.gap) && out.input == -1);
}

/* p = (1, 0): of the rows that ask for 0, (0, 1) holds with equality. It is support with a
 * multiplier, open without one, and so for one that is next to 0; (1, 1) is far from it. An
 * equation is none, and the mean is that of the row that asks for 1. */
static void right_sides_of_0_are_support_by_value_and_multiplier(void **state)
{
    (void)state;
    double rows[] = { 1, 0, 0, 1, 1, 1, 0, 1 }, p[] = { 1, 0 };
    double right[] = { 1, 0, 0, 0 }, lambda[] = { 1, 0.5, 0, 0 };
    const int64_t equal[] = { 0, 0, 0, 1 };
    struct trop_problem problem = plane_problem(rows, 4);
    struct trop_selection_counts counts;

    problem.right = right;
    problem.equal = equal;
    for (int own = 0; own < 2; own++) {
        struct trop_selection_proof proof = {
            .w = p,
            .lower = 1 - 1e-10,
            .upper = 1,
            .scale = 1,
            .far = 1e-5,
            .near = 1e-11,
            .clear = 1e-6,
            .own = own,
            .lambda = lambda,
        };
        lambda[1] = 0.5;
        assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-11));
        assert_true(support[0] == TROP_SELECTION_SUPPORT && support[1] == TROP_SELECTION_SUPPORT);
        assert_true(support[2] == TROP_SELECTION_NOT && support[3] == TROP_SELECTION_NOT);
        assert_true(counts.support == 2 && counts.others == 1 && counts.average == 1);
        lambda[1] = own ? 0 : 1e-150;
        assert_ok(trop_selection_support(&counts, support, margins, &problem, &proof, 1e-11));
        assert_true(support[1] == TROP_SELECTION_EITHER && counts.either == 1);
    }
}

/* min |w|_p s.t. a . w >= 1 is w_c = sign(a_c) |a_c|^(q-1) / |a|_q^q, of norm 1 / |a|_q. */
static void distances_from_the_optimum_are_bounded_in_every_norm(void **state)
{
    (void)state;
    const double exponents[] = { 1.05, 1.5, 2, 3, 8, 40 };
    for (uint64_t seed = 0; seed < (uint64_t)cases(300, 10000); seed++) {
        for (int k = 0; k < 6; k++) {
            const double p = exponents[k];
            const long double q = p / (p - 1.0L);
            double a[3], noise = pow(10, -(double)whole(seed, 1, 8));
            long double sum = 0, point[3], optimum[3], value = 0, norm = 0, distance = 0;
            normals(a, 3, seed);
            for (int c = 0; c < 3; c++) {
                sum += powl(fabsl(a[c]), q);
            }
            for (int c = 0; c < 3; c++) {
                optimum[c] = copysignl(powl(fabsl(a[c]), q - 1), a[c]) / sum;
                point[c] = optimum[c] + noise * powl(sum, -1 / q) * normal(seed, 50 + (uint64_t)c);
                value += a[c] * point[c];
            }
            if (value < 0.1L) {
                continue;
            }
            for (int c = 0; c < 3; c++) {
                norm += powl(fabsl(point[c] / value), p);
                distance += powl(fabsl(point[c] / value - optimum[c]), p);
            }
            norm = powl(norm, 1.0L / p);
            distance = powl(distance, 1.0L / p);
            assert_true(distance <= trop_selection_far(p, (double)powl(sum, -1 / q) * (1 - 1e-15),
                                                       (double)norm * (1 + 1e-15)));
        }
    }
    assert_true(isinf(trop_selection_far(1, 1, 1)) && isinf(trop_selection_far(INFINITY, 1, 1)));
    assert_true(trop_selection_far(2, 0, 3) >= 3 && trop_selection_far(5, 0, 3) >= 6);
    assert_true(trop_selection_far(2, 3, 3) == 0 && trop_selection_far(5, 3, 3) == 0);
    assert_true(isinf(trop_selection_far(2, 1, INFINITY)));
}

/* ---- the cone -------------------------------------------------------------------------------- */

/* Inside the cone, at the norm of the solution, support tokens stay within 1/2 of margin 1 and the
 * others at 1 + delta or more (P1, proof of theorem 3): so the constants are those of equation 32,
 * since with another mu a direction on the rim would leave these bounds or not reach them. */
static void directions_in_the_cone_keep_their_neighbours(void **state)
{
    (void)state;
    double nearest = INFINITY;
    for (uint64_t seed = 0; seed < (uint64_t)cases(2000, 50000); seed++) {
        const int64_t n = 1 + whole(seed, 1, 2), T = 2 + whole(seed, 2, 3);
        struct trop_data data = { .n = n, .T = T, .d = 2, .x = x };
        struct trop_selection_view view = trop_selection_view_of(&data, TROP_MODEL_PROMPT, 0, 0);
        const int64_t zeros[2] = { 0 };
        struct trop_model_problem made;
        struct trop_selection_cone cone;
        double rows[32], p[2];
        long double truth[2];
        normals(x, n * T * 2, seed);
        for (int64_t k = 0; k < n * (T - 1) * 2; k++) {
            int64_t i = k / (2 * (T - 1)), t = 1 + k / 2 % (T - 1);
            rows[k] = x[i * T * 2 + k % 2] - x[(i * T + t) * 2 + k % 2];
        }
        if (!plane_solve(truth, rows, n * (T - 1))) {
            continue;
        }
        p[0] = (double)truth[0];
        p[1] = (double)truth[1];
        const double norm = hypot(p[0], p[1]);
        solve(&made, &data, zeros, p, norm);
        for (int64_t j = 0; j < made.problem.count; j++) {
            support[j] = margins[j] < 1 + 1e-9;
        }
        trop_selection_cone(&cone, &view, &made.problem, support, margins, zeros, x, norm);
        for (int side = -1; side <= 1; side += 2) {
            const double turn = side * acos(1 - cone.mu);
            const double q[] = { p[0] * cos(turn) - p[1] * sin(turn),
                                 p[0] * sin(turn) + p[1] * cos(turn) };
            for (int64_t j = 0; j < made.problem.count; j++) {
                double value = rows[2 * j] * q[0] + rows[2 * j + 1] * q[1];
                double room = support[j] ? 0.5 - fabs(value - 1) : value - 1 - cone.delta;
                assert_true(room >= -1e-9);
                nearest = fmin(nearest, room / (support[j] ? 1 : cone.delta));
            }
        }
        trop_model_free(&made);
    }
    /* The bounds are nearly attained in the sample: mu four times as large would break them. */
    assert_true(nearest < 0.5);
}

static enum trop_status attempt_support(void)
{
    static const double rows[] = { 1, 0, 0, 1 }, p[] = { 1, 1 };
    const struct trop_problem problem = plane_problem(rows, 2);
    const struct trop_selection_proof proof = { .w = p, .lower = 1, .upper = 2, .scale = 1 };
    struct trop_selection_counts out;

    return trop_selection_support(&out, support, margins, &problem, &proof, 0);
}

static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    alloc_refuse_each(attempt_support);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_of_p1_is_locally_optimal_as_published),
        cmocka_unit_test(the_counterexample_has_two_local_optima),
        cmocka_unit_test(support_is_what_the_optimum_has),
        cmocka_unit_test(margins_are_those_of_the_query_that_is_asked),
        cmocka_unit_test(weakly_active_constraints_are_support),
        cmocka_unit_test(right_sides_of_0_are_support_by_value_and_multiplier),
        cmocka_unit_test(distances_from_the_optimum_are_bounded_in_every_norm),
        cmocka_unit_test(directions_in_the_cone_keep_their_neighbours),
        cmocka_unit_test(every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
