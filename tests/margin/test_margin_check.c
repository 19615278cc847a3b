/* test_margin_check.c -- the judge of max-margin problems: what always holds, and what is
 * refused. */
#include "margin_check_support.h"

#include "alloc_failing.c"

/* ---- what always holds ---------------------------------------------------------------------- */

/* Tokens are swapped so that W0 selects token 0 of each input: the problem is feasible. */
static void make_feasible(struct sample *s, const double *w0, int64_t n, int64_t T)
{
    const int64_t d = s->problem.rows, columns = s->problem.columns;

    for (int64_t i = 0; i < n; i++) {
        double best = -(double)INFINITY;
        int64_t at = 0;
        for (int64_t t = 0; t < T; t++) {
            double score = 0.0;
            for (int64_t a = 0; a < d; a++) {
                for (int64_t b = 0; b < columns; b++) {
                    score += s->point[(i * T + t) * d + a] * w0[a * columns + b] *
                             s->query[i * columns + b];
                }
            }
            if (score > best) {
                best = score;
                at = t;
            }
        }
        for (int64_t a = 0; a < d; a++) {
            const double kept = s->point[(i * T + at) * d + a];
            s->point[(i * T + at) * d + a] = s->point[i * T * d + a];
            s->point[i * T * d + a] = kept;
        }
    }
}

static void test_lower_never_exceeds_upper(void **state)
{
    const double exponents[] = { 1.01, 1.5, 2.0, 4.0, 64.0 };
    int64_t proved = 0;

    for (uint64_t seed = 0; seed < (uint64_t)cases(300, 20000); seed++) {
        struct sample s;
        double w[36], lambda[32];
        const int64_t n = 1 + whole(seed, 1, 3), T = 2 + whole(seed, 2, 4),
                      d = 2 + (int64_t)(seed % 4);
        struct trop_margin_claim claim = {
            (int64_t)(seed % 5), exponents[seed / 5 % 5], w, NULL, NULL, 0, lambda
        };
        struct trop_margin_proof proof;
        sample_cross(&s, n, T, d, 3 * seed);
        normals(w, d * d, seed);
        make_feasible(&s, w, n, T);
        for (int64_t k = 0; k < d * d; k++) {
            w[k] += 0.05 * normal(seed + 9, (uint64_t)k);
        }
        for (int64_t j = 0; j < s.problem.count; j++) {
            lambda[j] = normal(seed + 4, (uint64_t)j);
        }
        assert_ok(trop_margin_check(&proof, &s.problem, &claim));
        assert_true(proof.lower <= proof.upper);
        proved += proof.upper < (double)INFINITY;
        sample_free(&s);
    }
    assert_true(proved > 50);
    (void)state;
}

static void test_extreme_scales_give_valid_bounds(void **state)
{
    const double scales[] = { 1.0, 1e150, 1e-150, 1e-200, 1e300, 1e-300 };

    for (int k = 0; k < 6; k++) {
        for (int l = 0; l < 6; l++) {
            struct sample s;
            double w[2] = { scales[l], 0.0 }, lambda[2] = { scales[5 - l], scales[5 - l] };
            struct trop_margin_proof proof;
            sample_make(&s, 2, 2, 2, 1);
            s.point[0] = 3.0 * scales[k]; /* rows (3, 4) and (3, -4): W = (1/3, 0) */
            s.point[1] = 4.0 * scales[k];
            s.point[4] = 3.0 * scales[k];
            s.point[5] = -4.0 * scales[k];
            s.query[0] = s.query[1] = 1.0;
            check_l2(&proof, &s.problem, w, lambda);
            const double exact = 1.0 / (3.0 * scales[k]);
            assert_true(proof.lower <= exact * (1.0 + 4.0 * UNIT));
            assert_true(proof.upper >= exact * (1.0 - 4.0 * UNIT));
            if (exact < 1e300) {
                assert_true(proof.gap < 32.0 * UNIT);
            }
            sample_free(&s);
        }
    }
    (void)state;
}

/* Products that vanish: 2^-1000 beside 1, and W and lambda alike. */
static void test_underflow_proves_nothing_wrong(void **state)
{
    struct sample s;
    double w[2] = { 0x1p-1000, 1.0 }, lambda[1] = { 1.0 };
    struct trop_margin_proof proof;

    sample_make(&s, 1, 2, 2, 1);
    s.point[0] = 0x1p-100; /* <A, W> = 2^-1100 - 0x1p-1074 2 < 0 */
    s.point[1] = 0.0;
    s.point[2] = 0.0;
    s.point[3] = 0x1p-1073;
    s.query[0] = 1.0;
    check_l2(&proof, &s.problem, w, lambda);
    assert_true(proof.margin <= 0.0 && proof.upper == (double)INFINITY);
    w[0] = 1.0; /* now 2^-100 - 2^-1073 */
    check_l2(&proof, &s.problem, w, lambda);
    assert_true(proof.margin < 0x1p-100 && proof.margin > 0.99 * 0x1p-100);
    sample_free(&s);
    (void)state;
}

static void test_claims_that_are_not_numbers_prove_nothing(void **state)
{
    struct sample s;
    double w[4] = { 1.0, 2.0, 3.0, 4.0 }, lambda[2] = { 1.0, 1.0 };
    struct trop_margin_proof proof;

    sample_cross(&s, 1, 3, 2, 5);
    for (int64_t norm = 0; norm < 5; norm++) {
        struct trop_margin_claim claim = { norm, 3.0, w, NULL, NULL, 0, lambda };
        w[1] = (double)NAN;
        lambda[0] = (double)NAN;
        assert_ok(trop_margin_check(&proof, &s.problem, &claim));
        assert_true(proof.lower == 0.0 && proof.upper == (double)INFINITY);
        w[1] = (double)INFINITY;
        lambda[0] = (double)INFINITY;
        assert_ok(trop_margin_check(&proof, &s.problem, &claim));
        assert_true(proof.lower == 0.0 && proof.upper == (double)INFINITY);
        lambda[0] = -1.0; /* counts as 0 */
        assert_ok(trop_margin_check(&proof, &s.problem, &claim));
        assert_true(proof.lower > 0.0 && proof.lower < 10.0);
        s.point[0] = (double)NAN;
        assert_ok(trop_margin_check(&proof, &s.problem, &claim));
        assert_true(proof.lower == 0.0 && proof.upper == (double)INFINITY);
        s.point[0] = 1.0;
        claim.w = claim.lambda = NULL;
        assert_ok(trop_margin_check(&proof, &s.problem, &claim));
        assert_true(proof.lower == 0.0 && proof.upper == (double)INFINITY);
    }
    struct trop_margin_claim claim = { TROP_MARGIN_CHECK_LP, 1.0, w, NULL, NULL, 0, lambda };
    assert_int_equal(trop_margin_check(&proof, &s.problem, &claim), TROP_ERR_ARG);
    sample_free(&s);
    (void)state;
}

/* Equal rows are one equality, dependent ones prove nothing. */
static void test_dependent_equalities_prove_no_upper_bound(void **state)
{
    struct sample s;
    double w[2] = { 1.0, 1.0 / 3.0 }, lambda[3] = { 1.0, 1.0, 1.0 };
    struct trop_margin_proof proof;

    sample_make(&s, 3, 2, 2, 1);
    for (int64_t j = 0; j < 3; j++) {
        s.asked[j] = 0;
        s.equal[j] = 1;
        s.right[j] = 1.0;
        s.point[2 * (2 * j) + 1] = 3.0; /* the same row (0, 3), three times */
    }
    s.query[0] = 1.0;
    check_l2(&proof, &s.problem, w, lambda);
    assert_true(proof.upper >= 1.0 / 3.0 && proof.upper < 1.1);
    s.point[2 * 2 + 1] = 6.0; /* twice as long: dependent, and satisfied up to rounding */
    s.right[1] = 2.0;
    check_l2(&proof, &s.problem, w, lambda);
    assert_true(proof.upper == (double)INFINITY);
    sample_free(&s);
    (void)state;
}

/* (1, 0) w >= 1, (0, 1) w >= 0, (0, -2) w >= 0, (0, 3) w >= 0: w = (1, 0) meets the last three
 * with 0, exactly, though they are dependent. */
static void test_right_sides_0_that_are_met_exactly_need_no_mending(void **state)
{
    const double second[] = { 0.0, 1.0, -2.0, 3.0 };
    struct trop_margin_proof proof;
    struct sample s;
    double w[2] = { 1.0, 0.0 }, lambda[4] = { 1.0, 0.0, 0.0, 0.0 };

    sample_make(&s, 4, 2, 2, 1);
    s.query[0] = 1.0;
    for (int64_t j = 0; j < 4; j++) {
        s.asked[j] = 0;
        s.right[j] = j == 0 ? 1.0 : 0.0;
        s.point[4 * j] = j == 0 ? 1.0 : 0.0;
        s.point[4 * j + 1] = second[j];
    }
    check_l2(&proof, &s.problem, w, lambda);
    /* At most sixteen roundings outwards, of 2 u each. */
    assert_true(proof.lower <= 1.0 && proof.upper >= 1.0 && proof.gap < 32.0 * UNIT);
    w[1] = 0x1p-60; /* now one is missed, and the three are dependent */
    check_l2(&proof, &s.problem, w, lambda);
    assert_true(proof.upper == (double)INFINITY);
    sample_free(&s);
    (void)state;
}

/* W is too short by a factor: only the distance to a solution makes up for it. */
static void test_a_short_solution_of_equalities_is_paid_for(void **state)
{
    const double factor = 1.0 - 0x1p-20;
    struct trop_margin_proof proof;
    struct sample s;
    double w[16] = { 0 };

    /* <(1, 1, 1, 1), w> = 1: least l1 norm 1, and the bound is sharp. */
    sample_make(&s, 1, 2, 4, 1);
    s.equal[0] = 1;
    s.query[0] = 1.0;
    for (int64_t a = 0; a < 4; a++) {
        s.point[a] = 1.0;
        w[a] = 0.25 * factor;
    }
    struct trop_margin_claim claim = { .norm = TROP_MARGIN_CHECK_L1, .w = w };
    assert_ok(trop_margin_check(&proof, &s.problem, &claim));
    assert_true(proof.upper >= 1.0 && proof.upper < 1.0 + 0x1p-19);
    sample_free(&s);

    /* W_kk = 1 for k < 4: least nuclear norm 4. */
    sample_make(&s, 4, 2, 4, 4);
    memset(w, 0, sizeof w);
    for (int64_t k = 0; k < 4; k++) {
        s.equal[k] = 1;
        s.point[2 * k * 4 + k] = 1.0;
        s.query[k * 4 + k] = 1.0;
        w[k * 4 + k] = factor;
    }
    claim.norm = TROP_MARGIN_CHECK_NUCLEAR;
    assert_ok(trop_margin_check(&proof, &s.problem, &claim));
    assert_true(proof.upper >= 4.0 && proof.upper < 4.0 + 0x1p-16);
    sample_free(&s);

    /* Nearly parallel rows (1, 0) and (1, 1e-5), right sides 0 and 1: w = (0, 1e5). */
    sample_make(&s, 2, 2, 2, 1);
    s.equal[0] = s.equal[1] = 1;
    s.right[0] = 0.0;
    s.asked[1] = 0;
    s.query[0] = 1.0;
    s.point[0] = 1.0;
    s.point[4] = 1.0;
    s.point[5] = 1e-5;
    w[0] = 0.0;
    w[1] = 1e5 * factor;
    check_l2(&proof, &s.problem, w, NULL);
    assert_true(proof.upper >= 1.0 / 1e-5 * (1.0 - 4.0 * UNIT) && proof.upper < 1.1e5);
    sample_free(&s);
    (void)state;
}

/* (1, -1) w = 0 and (1, -0.9) w >= 1: w = (10, 10). A W off the first line has a larger margin. */
static void test_a_margin_from_breaking_an_equality_does_not_count(void **state)
{
    struct trop_margin_proof proof;
    struct sample s;
    double w[2] = { 1.01, 0.99 };

    sample_make(&s, 2, 2, 2, 1);
    s.equal[0] = 1;
    s.right[0] = 0.0;
    s.asked[1] = 0;
    s.query[0] = 1.0;
    s.point[0] = 1.0;
    s.point[1] = -1.0;
    s.point[4] = 1.0;
    s.point[5] = -0.9;
    check_l2(&proof, &s.problem, w, NULL);
    assert_true(proof.upper >= sqrt(200.0) * (1.0 - 1e-15));
    w[0] = w[1] = 3.0;
    check_l2(&proof, &s.problem, w, NULL);
    assert_true(proof.upper >= sqrt(200.0) * (1.0 - 1e-15) && proof.upper < 14.15);
    sample_free(&s);
    (void)state;
}

static struct sample refused;
static int64_t refused_norm;

static enum trop_status attempt(void)
{
    double w[9] = { 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9 }, lambda[4] = { 1, 1, 1, 1 };
    struct trop_margin_proof proof;
    struct trop_margin_claim claim = { refused_norm, 1.5, w, NULL, NULL, 0, lambda };
    return trop_margin_check(&proof, &refused.problem, &claim);
}

static void test_every_refused_allocation_is_reported(void **state)
{
    sample_cross(&refused, 2, 3, 3, 8);
    refused.equal[0] = 1;
    refused.right[0] = 0.5;
    for (refused_norm = 0; refused_norm < 5; refused_norm++) {
        alloc_refuse_each(attempt);
    }
    sample_free(&refused);
    (void)state;
}

/* Of a W that is scaled only rows that may be the least are evaluated in double-double. What is
 * proved of it is what all rows prove of the scaled W, bit by bit. */
static void test_rows_that_are_left_out_prove_the_same(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 20; k++) {
        struct sample s;
        struct trop_margin_proof part, whole;
        sample_cross(&s, 4, 6, 5, 7000 + k);
        const int64_t size = s.problem.rows * s.problem.columns;
        double *w = calloc((size_t)size, sizeof *w), *row = calloc((size_t)size, sizeof *row);
        for (int64_t j = 0; j < s.problem.count; j++) { /* about the middle of the rows */
            sample_row(row, &s.problem, j);
            for (int64_t i = 0; i < size; i++) {
                w[i] += row[i];
            }
        }
        struct trop_margin_claim claim = { .norm = TROP_MARGIN_CHECK_LP, .p = 2, .w = w };
        assert_ok(trop_margin_check_scaling(&part, &s.problem, &claim, w, NULL));
        assert_ok(trop_margin_check(&whole, &s.problem, &claim));
        assert_memory_equal(&part, &whole, sizeof part);
        assert_true(!(part.margin > 0) || fabs(part.margin - 1) < 1e-12);
        free(w);
        free(row);
        sample_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_are_left_out_prove_the_same),
        cmocka_unit_test(test_lower_never_exceeds_upper),
        cmocka_unit_test(test_extreme_scales_give_valid_bounds),
        cmocka_unit_test(test_underflow_proves_nothing_wrong),
        cmocka_unit_test(test_claims_that_are_not_numbers_prove_nothing),
        cmocka_unit_test(test_dependent_equalities_prove_no_upper_bound),
        cmocka_unit_test(test_right_sides_0_that_are_met_exactly_need_no_mending),
        cmocka_unit_test(test_a_short_solution_of_equalities_is_paid_for),
        cmocka_unit_test(test_a_margin_from_breaking_an_equality_does_not_count),
        cmocka_unit_test(test_every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
