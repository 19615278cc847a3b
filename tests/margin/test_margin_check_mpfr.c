/* test_margin_check_mpfr.c -- the judge of max-margin problems against closed forms in MPFR, and
 * on sums that cancel beyond double-double. */
#include <mpfr.h>

#include "margin_check_support.h"
#include "rational_row.h"

/* ---- closed forms in MPFR ------------------------------------------------------------------- */

/* 1 / |A|_s of one constraint, s = p / (p - 1), from the exact entries. */
static void one_constraint(mpfr_t out, const struct trop_problem *problem, double p)
{
    mpfr_t q, t, z;
    mpq_t left;

    mpq_init(left);
    mpfr_inits2(BITS, q, t, z, NULL);
    mpfr_set_d(q, p, MPFR_RNDN);
    mpfr_sub_ui(t, q, 1, MPFR_RNDN);
    mpfr_div(q, q, t, MPFR_RNDN);
    mpfr_set_ui(out, 0, MPFR_RNDN);
    for (int64_t a = 0; a < problem->rows; a++) {
        for (int64_t b = 0; b < problem->columns; b++) {
            left_of(left, problem, 0, a);
            mpfr_set_q(t, left, MPFR_RNDN);
            mpfr_mul_d(t, t, problem->query[b], MPFR_RNDN);
            mpfr_abs(t, t, MPFR_RNDN);
            mpfr_pow(t, t, q, MPFR_RNDN);
            mpfr_add(out, out, t, MPFR_RNDN);
        }
    }
    mpfr_ui_div(q, 1, q, MPFR_RNDN);
    mpfr_pow(out, out, q, MPFR_RNDN);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
    mpfr_clears(q, t, z, NULL);
    mpq_clear(left);
}

static void test_lp_bounds_enclose_the_optimum_of_one_constraint(void **state)
{
    const double exponents[] = { 1.001, 1.01, 1.05, 1.3, 1.5, 1.9, 2.0, 3.0, 4.0, 8.0, 64.0, 1e3 };
    const double scales[] = { 1.0, 1e100, 1e-120 };
    mpfr_t exact;

    mpfr_init2(exact, BITS);
    for (uint64_t seed = 0; seed < (uint64_t)cases(60, 2000); seed++) {
        struct sample s;
        const double p = exponents[seed % 12], q = p / (p - 1.0);
        double row[64], w[64], lambda = 1.0 + uniform(seed, 3), top = 0.0;
        const int64_t d = 1 + whole(seed, 1, 6), columns = 1 + whole(seed, 2, 6);
        struct trop_margin_proof proof;
        struct trop_margin_claim claim = { TROP_MARGIN_CHECK_LP, p, w, NULL, NULL, 0, &lambda };
        sample_make(&s, 1, 2, d, columns);
        normals(s.point, 2 * d, seed);
        normals(s.query, columns, seed + 5000);
        for (int64_t a = 0; a < 2 * d; a++) {
            /* Entries far apart, so that powers of them vanish. */
            s.point[a] *= scales[seed % 3] * pow(10.0, -8.0 * uniform(seed, (uint64_t)a));
        }
        sample_row(row, &s.problem, 0);
        for (int64_t k = 0; k < d * columns; k++) {
            top = fabs(row[k]) > top ? fabs(row[k]) : top;
        }
        for (int64_t k = 0; k < d * columns; k++) {
            w[k] = copysign(pow(fabs(row[k]) / top, q - 1.0), row[k]);
        }
        assert_ok(trop_margin_check(&proof, &s.problem, &claim));
        one_constraint(exact, &s.problem, p);
        assert_true(mpfr_cmp_d(exact, proof.lower) >= 0);
        assert_true(mpfr_cmp_d(exact, proof.upper) <= 0);
        /* W is rounded, with an error of q u from the power; the gap is of second order in it. */
        assert_true(proof.gap < 64.0 * UNIT);
        sample_free(&s);
    }
    mpfr_clear(exact);
    (void)state;
}

/* n constraints q_j p_j' with q_j, p_j columns of integer matrices Q, P with Q'Q = v^2 I: nuclear
 * optimum n / (v w), spectral 1 / (v w), lambda equal, every singular value the same. */
static void orthogonal(double *q, int64_t n, uint64_t seed, double *length)
{
    double v[16], square = 0.0;

    for (int64_t k = 0; k < n; k++) {
        v[k] = (double)(1 + whole(seed, (uint64_t)k, 9));
        square += v[k] * v[k];
    }
    for (int64_t k = 0; k < n; k++) {
        for (int64_t l = 0; l < n; l++) {
            q[k * n + l] = (k == l ? square : 0.0) - 2.0 * v[k] * v[l];
        }
    }
    *length = square;
}

static void test_schatten_norms_with_multiple_singular_values(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(30, 600); seed++) {
        const int64_t n = 2 + whole(seed, 1, 14);
        double lambda[16], w[256], left[256], right[256], v, u;
        struct sample s;
        sample_make(&s, n, 2, n, n);
        orthogonal(left, n, 2 * seed, &v);
        orthogonal(right, n, 2 * seed + 1, &u);
        for (int64_t j = 0; j < n; j++) {
            s.plus[j] = j;
            s.minus[j] = -1;
            lambda[j] = 1.0;
        }
        memcpy(s.point, left, (size_t)(n * n) * sizeof *left);
        memcpy(s.query, right, (size_t)(n * n) * sizeof *right);
        for (int64_t a = 0; a < n; a++) {
            for (int64_t b = 0; b < n; b++) {
                w[a * n + b] = 0.0;
                for (int64_t j = 0; j < n; j++) {
                    w[a * n + b] += left[j * n + a] * right[j * n + b];
                }
            }
        }
        for (int64_t k = 0; k < 3; k++) {
            const int nuclear = k > 0;
            struct trop_margin_proof proof;
            struct trop_margin_claim claim = { .norm = nuclear ? TROP_MARGIN_CHECK_NUCLEAR
                                                               : TROP_MARGIN_CHECK_SPECTRAL,
                                               .w = w,
                                               .lambda = lambda };
            if (k == 2) { /* factors; both symmetric, so rows are columns */
                claim.left = left;
                claim.right = right;
                claim.rank = n;
            }
            assert_ok(trop_margin_check(&proof, &s.problem, &claim));
            /* lower <= top / (v u) <= upper with integers: compared by exact products. */
            const double top = nuclear ? (double)n : 1.0;
            mpq_t bound, exact;
            mpq_inits(bound, exact, NULL);
            mpq_set_d(exact, top);
            mpq_set_d(bound, v * u); /* below 2^53 */
            mpq_div(exact, exact, bound);
            mpq_set_d(bound, proof.lower);
            assert_true(mpq_cmp(bound, exact) <= 0);
            mpq_set_d(bound, proof.upper);
            assert_true(mpq_cmp(bound, exact) >= 0);
            mpq_clears(bound, exact, NULL);
            /* Products, the sums of rows and V'V - I, of W and of A'lambda, are each allowed
             * n (n + 10) u or less. */
            assert_true(proof.gap < 8.0 * (double)(n * (n + 10)) * UNIT);
        }
        sample_free(&s);
    }
    (void)state;
}

/* ---- sums that cancel beyond double-double --------------------------------------------------- */

/* y = W z, or L R' z, exactly. */
static void image(mpq_t *y, const struct trop_problem *p, const struct trop_margin_claim *claim)
{
    mpq_t a, b;

    mpq_inits(a, b, NULL);
    for (int64_t k = 0; k < p->rows; k++) {
        mpq_set_ui(y[k], 0, 1);
        for (int64_t c = 0; c < p->columns; c++) {
            mpq_set_ui(a, 0, 1);
            for (int64_t l = 0; claim->left && l < claim->rank; l++) {
                mpq_t r;
                mpq_init(r);
                mpq_set_d(b, claim->left[k * claim->rank + l]);
                mpq_set_d(r, claim->right[c * claim->rank + l]);
                mpq_mul(b, b, r);
                mpq_add(a, a, b);
                mpq_clear(r);
            }
            if (!claim->left) {
                mpq_set_d(a, claim->w[k * p->columns + c]);
            }
            mpq_set_d(b, p->query[c]);
            mpq_mul(a, a, b);
            mpq_add(y[k], y[k], a);
        }
    }
    mpq_clears(a, b, NULL);
}

/* sum += x y. */
static void accumulate(mpq_t sum, double x, mpq_t y)
{
    mpq_t a;

    mpq_init(a);
    mpq_set_d(a, x);
    mpq_mul(a, a, y);
    mpq_add(sum, sum, a);
    mpq_clear(a);
}

/* sum_ab |x_plus - x_minus|_a |W|_ab |z|_b in double. */
static double terms_of(const struct trop_problem *p, const struct trop_margin_claim *claim)
{
    double sum = 0.0;

    for (int64_t k = 0; k < p->rows; k++) {
        for (int64_t c = 0; c < p->columns; c++) {
            double entry = claim->left ? 0.0 : fabs(claim->w[k * p->columns + c]);
            for (int64_t l = 0; claim->left && l < claim->rank; l++) {
                entry += fabs(claim->left[k * claim->rank + l] * claim->right[c * claim->rank + l]);
            }
            sum += fabs(p->point[k] - p->point[p->rows + k]) * entry * fabs(p->query[c]);
        }
    }
    return sum;
}

/* The double nearest to -sum / y. */
static double against(mpq_t sum, mpq_t y)
{
    mpq_t a;

    mpq_init(a);
    mpq_div(a, sum, y);
    const double x = -mpq_get_d(a);
    mpq_clear(a);
    return x;
}

/* One constraint whose value is about 2^-106 of its terms: two coordinates cancel 53 bits each. */
static void test_margins_that_cancel_are_bounded(void **state)
{
    int64_t near = 0;

    for (uint64_t seed = 0; seed < (uint64_t)cases(400, 20000); seed++) {
        const int64_t d = 3 + whole(seed, 1, 4), columns = 1 + whole(seed, 2, 4), rank = 2;
        double w[64], left[32], right[32];
        struct trop_margin_claim claim = { TROP_MARGIN_CHECK_LP, 2.0, w, NULL, NULL, rank, NULL };
        struct trop_margin_proof proof;
        struct sample s;
        mpq_t y[8], sum, bound;
        sample_make(&s, 1, 2, d, columns);
        normals(w, d * columns, seed);
        normals(left, d * rank, seed + 1);
        normals(right, columns * rank, seed + 2);
        normals(s.query, columns, seed + 3);
        normals(s.point, d, seed + 4);
        if (seed % 2) {
            claim.left = left;
            claim.right = right;
        }
        mpq_inits(sum, bound, NULL);
        for (int64_t a = 0; a < d; a++) {
            mpq_init(y[a]);
        }
        image(y, &s.problem, &claim);
        for (int64_t a = 0; a < d; a++) {
            accumulate(sum, s.point[a], y[a]);
        }
        for (int64_t a = 0; a < 2; a++) { /* x_minus */
            s.point[d + a] = -against(sum, y[a]);
            accumulate(sum, -s.point[d + a], y[a]);
        }
        assert_ok(trop_margin_check(&proof, &s.problem, &claim));
        mpq_set_d(bound, proof.margin);
        assert_true(mpq_cmp(bound, sum) <= 0);
        /* At most twice the (3 (rows + columns + rank + 3) + 16) u^2 of the file comment, and an
         * ulp of the result. */
        mpq_sub(bound, sum, bound);
        assert_true(mpq_get_d(bound) < 2.1 * (3.0 * (double)(d + columns + rank + 3) + 16.0) *
                                               UNIT * UNIT * terms_of(&s.problem, &claim) +
                                           4.0 * UNIT * fabs(mpq_get_d(sum)));
        near += fabs(mpq_get_d(sum)) < 1e-30;
        for (int64_t a = 0; a < d; a++) {
            mpq_clear(y[a]);
        }
        mpq_clears(sum, bound, NULL);
        sample_free(&s);
    }
    assert_true(near > 50);
    (void)state;
}

/* A'lambda, a single number, of about 2^-106 of its terms: lower |A'lambda| <= r'lambda. */
static void test_combinations_that_cancel_are_bounded(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(400, 20000); seed++) {
        const int64_t n = 3 + whole(seed, 1, 5);
        double lambda[MOST];
        struct trop_margin_proof proof;
        struct sample s;
        mpq_t sum, weight, paid, bound;
        sample_make(&s, n, 2, 1, 1);
        mpq_inits(sum, weight, paid, bound, NULL);
        for (int64_t j = n - 1; j >= 0; j--) {
            lambda[j] = uniform(seed, (uint64_t)j) + 0.1;
            s.query[j] = seed % 2 ? 1.0 : normal(seed + 1, (uint64_t)j);
            s.point[2 * j] = normal(seed, (uint64_t)j);
            mpq_set_d(weight, lambda[j]);
            mpq_set_d(bound, s.query[j]);
            mpq_mul(weight, weight, bound);
            if (j < 2) {
                s.point[2 * j] = against(sum, weight);
            }
            accumulate(sum, s.point[2 * j], weight);
            mpq_set_d(weight, lambda[j]);
            mpq_add(paid, paid, weight);
        }
        check_l2(&proof, &s.problem, NULL, lambda);
        mpq_abs(sum, sum);
        mpq_set_d(bound, proof.lower);
        mpq_mul(bound, bound, sum);
        assert_true(mpq_cmp(bound, paid) <= 0);
        assert_true(proof.lower > 1e25); /* and it is no trivial bound */
        mpq_clears(sum, weight, paid, bound, NULL);
        sample_free(&s);
    }
    (void)state;
}

/* r'lambda of equalities, of about 2^-106 of its terms. */
static void test_payoffs_that_cancel_are_bounded(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(400, 20000); seed++) {
        const int64_t n = 3 + whole(seed, 1, 5);
        double lambda[MOST];
        struct trop_margin_proof proof;
        struct sample s;
        mpq_t sum, weight, paid, bound;
        sample_make(&s, n, 2, 1, 1);
        mpq_inits(sum, weight, paid, bound, NULL);
        for (int64_t j = n - 1; j >= 0; j--) {
            lambda[j] = uniform(seed, (uint64_t)j) + 0.1;
            s.equal[j] = 1;
            s.query[j] = 1.0;
            s.point[2 * j] = 1.0;
            s.right[j] = normal(seed, (uint64_t)j);
            mpq_set_d(weight, lambda[j]);
            if (j < 2) {
                s.right[j] = against(paid, weight);
            }
            accumulate(paid, s.right[j], weight);
            mpq_add(sum, sum, weight);
        }
        check_l2(&proof, &s.problem, NULL, lambda);
        mpq_set_d(bound, proof.lower);
        mpq_mul(bound, bound, sum);
        assert_true(proof.lower == 0.0 || mpq_cmp(bound, paid) <= 0);
        mpq_clears(sum, weight, paid, bound, NULL);
        sample_free(&s);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lp_bounds_enclose_the_optimum_of_one_constraint),
        cmocka_unit_test(test_schatten_norms_with_multiple_singular_values),
        cmocka_unit_test(test_margins_that_cancel_are_bounded),
        cmocka_unit_test(test_combinations_that_cancel_are_bounded),
        cmocka_unit_test(test_payoffs_that_cancel_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
