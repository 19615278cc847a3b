/* test_margin_check_rational.c -- the judge of max-margin problems against optima in rational
 * arithmetic, of l2 by active sets, and of l1 and l-infinity in the plane. */
#include "margin_check_support.h"
#include "rational_row.h"

/* ---- rational solutions of l2 ------------------------------------------------------------- */

struct rational {
    int64_t n;
    mpq_t gram[MOST * MOST], lambda[MOST], square, a, b;
};

static void rational_init(struct rational *r)
{
    for (int k = 0; k < MOST * MOST; k++) {
        mpq_init(r->gram[k]);
    }
    for (int k = 0; k < MOST; k++) {
        mpq_init(r->lambda[k]);
    }
    mpq_inits(r->square, r->a, r->b, NULL);
}

static void rational_clear(struct rational *r)
{
    for (int k = 0; k < MOST * MOST; k++) {
        mpq_clear(r->gram[k]);
    }
    for (int k = 0; k < MOST; k++) {
        mpq_clear(r->lambda[k]);
    }
    mpq_clears(r->square, r->a, r->b, NULL);
}

/* <A_j, A_k>. */
static void inner(mpq_t out, struct rational *r, const struct trop_problem *p, int64_t j, int64_t k)
{
    mpq_t x, y, left;

    mpq_inits(x, y, left, NULL);
    for (int64_t a = 0; a < p->rows; a++) {
        left_of(x, p, j, a);
        left_of(y, p, k, a);
        mpq_mul(x, x, y);
        mpq_add(left, left, x);
    }
    mpq_set_ui(out, 0, 1);
    for (int64_t b = 0; b < p->columns; b++) {
        mpq_set_d(x, p->query[p->asked[j] * p->columns + b]);
        mpq_set_d(y, p->query[p->asked[k] * p->columns + b]);
        mpq_mul(x, x, y);
        mpq_add(out, out, x);
    }
    mpq_mul(out, out, left);
    mpq_clears(x, y, left, NULL);
    (void)r;
}

/* Gauss: gram lambda = lambda, in place. 0: singular. */
static int solve(struct rational *r)
{
    const int64_t n = r->n;

    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        while (best < n && mpq_sgn(r->gram[best * MOST + k]) == 0) {
            best++;
        }
        if (best == n) {
            return 0;
        }
        for (int64_t c = 0; c < n; c++) {
            mpq_swap(r->gram[k * MOST + c], r->gram[best * MOST + c]);
        }
        mpq_swap(r->lambda[k], r->lambda[best]);
        for (int64_t i = 0; i < n; i++) {
            if (i == k || mpq_sgn(r->gram[i * MOST + k]) == 0) {
                continue;
            }
            mpq_div(r->a, r->gram[i * MOST + k], r->gram[k * MOST + k]);
            for (int64_t c = k; c < n; c++) {
                mpq_mul(r->b, r->a, r->gram[k * MOST + c]);
                mpq_sub(r->gram[i * MOST + c], r->gram[i * MOST + c], r->b);
            }
            mpq_mul(r->b, r->a, r->lambda[k]);
            mpq_sub(r->lambda[i], r->lambda[i], r->b);
        }
    }
    for (int64_t k = 0; k < n; k++) {
        mpq_div(r->lambda[k], r->lambda[k], r->gram[k * MOST + k]);
    }
    return 1;
}

/* The optimum when every constraint is active: G lambda = r, |W|^2 = r'lambda, W = A'lambda, if no
 * multiplier of an inequality is negative. 0: it is not like that. */
static int active_optimum(struct rational *r, const struct trop_problem *p)
{
    r->n = p->count;
    for (int64_t j = 0; j < r->n; j++) {
        for (int64_t k = 0; k < r->n; k++) {
            inner(r->gram[j * MOST + k], r, p, j, k);
        }
        mpq_set_d(r->lambda[j], p->right[j]);
    }
    if (!solve(r)) {
        return 0;
    }
    mpq_set_ui(r->square, 0, 1);
    for (int64_t j = 0; j < r->n; j++) {
        if (!p->equal[j] && mpq_sgn(r->lambda[j]) < 0) {
            return 0;
        }
        mpq_set_d(r->a, p->right[j]);
        mpq_mul(r->a, r->a, r->lambda[j]);
        mpq_add(r->square, r->square, r->a);
    }
    return mpq_sgn(r->square) > 0;
}

/* W = A'lambda and lambda, rounded to double. */
static void rounded(double *w, double *lambda, struct rational *r, const struct trop_problem *p)
{
    mpq_t sum;

    mpq_init(sum);
    for (int64_t a = 0; a < p->rows; a++) {
        for (int64_t b = 0; b < p->columns; b++) {
            mpq_set_ui(sum, 0, 1);
            for (int64_t j = 0; j < p->count; j++) {
                left_of(r->a, p, j, a);
                mpq_set_d(r->b, p->query[p->asked[j] * p->columns + b]);
                mpq_mul(r->a, r->a, r->b);
                mpq_mul(r->a, r->a, r->lambda[j]);
                mpq_add(sum, sum, r->a);
            }
            w[a * p->columns + b] = mpq_get_d(sum);
        }
    }
    for (int64_t j = 0; j < p->count; j++) {
        lambda[j] = mpq_get_d(r->lambda[j]);
    }
    mpq_clear(sum);
}

/* The sign of x^2 - square. */
static int compare_square(double x, mpq_t square)
{
    mpq_t y;

    mpq_init(y);
    mpq_set_d(y, x);
    mpq_mul(y, y, y);
    const int sign = mpq_cmp(y, square);
    mpq_clear(y);
    return sign;
}

/* r'lambda / |A'lambda| and |W| / least margin in plain double: no judge. */
static void plain(double *lower, double *upper, const struct trop_problem *p, const double *w,
                  const double *lambda)
{
    double row[64], sum[64] = { 0 }, paid = 0.0, size = 0.0, norm = 0.0, margin = (double)INFINITY;
    const int64_t n = p->rows * p->columns;

    for (int64_t j = 0; j < p->count; j++) {
        double value = 0.0;
        sample_row(row, p, j);
        for (int64_t k = 0; k < n; k++) {
            value += row[k] * w[k];
            sum[k] += row[k] * lambda[j];
        }
        margin = value < margin ? value : margin;
        paid += lambda[j];
    }
    for (int64_t k = 0; k < n; k++) {
        size += sum[k] * sum[k];
        norm += w[k] * w[k];
    }
    *lower = paid / sqrt(size);
    *upper = sqrt(norm) / margin;
}

/* n rows in R^d, of which the last is nearly minus a positive combination of the others, lifted by
 * about 1 / norm: the solution is that long. As tokens around a point that is not 0. */
static void near_parallel(struct sample *s, int64_t n, int64_t d, int64_t columns, double norm,
                          uint64_t seed)
{
    double last[16] = { 0 };

    sample_make(s, n, 2, d, columns);
    normals(s->query, n * columns, seed + 5);
    for (int64_t j = 0; j < n; j++) {
        double *to = s->point + 2 * j * d, *from = to + d;
        s->asked[j] = 0; /* one query for all */
        normals(from, d, seed + 100 + (uint64_t)j);
        for (int64_t a = 0; a + 1 < d; a++) {
            const double x = j + 1 < n ? normal(seed, (uint64_t)(j * d + a)) : last[a];
            last[a] -= x * (0.5 + uniform(seed, (uint64_t)j));
            to[a] = from[a] + x;
        }
        to[d - 1] = from[d - 1] + (0.5 + uniform(seed, (uint64_t)(j + 50))) / norm;
    }
}

/* lower <= exact <= upper for the rounded solution and for disturbed ones. */
static void sandwich(struct rational *r, const struct trop_problem *p, double disturb,
                     uint64_t seed)
{
    double w[64], lambda[MOST];
    struct trop_margin_proof proof;

    rounded(w, lambda, r, p);
    for (int64_t k = 0; k < p->rows * p->columns; k++) {
        w[k] *= 1.0 + disturb * normal(seed, (uint64_t)k);
    }
    for (int64_t j = 0; j < p->count; j++) {
        lambda[j] *= 1.0 + disturb * normal(seed + 1, (uint64_t)j);
    }
    check_l2(&proof, p, w, lambda);
    assert_true(compare_square(proof.lower, r->square) <= 0);
    if (proof.upper < (double)INFINITY) {
        assert_true(compare_square(proof.upper, r->square) >= 0);
    }
    if (disturb == 0.0) {
        assert_true(proof.gap <= 8.0 * UNIT * proof.kappa); /* what the driver accepts */
    }
}

static void test_l2_bounds_enclose_rational_optima_at_norms_up_to_1e8(void **state)
{
    struct rational r;
    int64_t done = 0, wrong = 0;

    rational_init(&r);
    for (uint64_t seed = 0; done < cases(120, 3000); seed++) {
        struct sample s;
        const double norm = pow(10.0, 3.0 + 5.0 * uniform(seed, 999));
        const int64_t d = 2 + whole(seed, 1, 3);
        near_parallel(&s, d, d, 1 + whole(seed, 2, 3), norm, 7 * seed);
        if (active_optimum(&r, &s.problem)) {
            double w[64], lambda[MOST], lower, upper;
            done++;
            sandwich(&r, &s.problem, 0.0, seed);
            sandwich(&r, &s.problem, 1e-16 * norm, seed);
            sandwich(&r, &s.problem, 1e-4, seed);
            rounded(w, lambda, &r, &s.problem);
            plain(&lower, &upper, &s.problem, w, lambda);
            wrong += compare_square(lower, r.square) > 0 || compare_square(upper, r.square) < 0;
        }
        sample_free(&s);
    }
    assert_true(wrong > done / 4); /* a judge in plain double is none */
    rational_clear(&r);
    (void)state;
}

static void test_plain_double_is_above_the_optimum_at_norm_3e7(void **state)
{
    struct rational r;
    int64_t above = 0;

    rational_init(&r);
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct sample s;
        double w[64], lambda[MOST], lower, upper;
        struct trop_margin_proof proof;
        near_parallel(&s, 3, 3, 1, 3e7, 11 * seed);
        if (active_optimum(&r, &s.problem)) {
            rounded(w, lambda, &r, &s.problem);
            plain(&lower, &upper, &s.problem, w, lambda);
            above += compare_square(lower, r.square) > 0;
            check_l2(&proof, &s.problem, w, lambda);
            assert_true(compare_square(proof.lower, r.square) <= 0);
            assert_true(compare_square(proof.upper, r.square) >= 0);
        }
        sample_free(&s);
    }
    assert_true(above > 0);
    rational_clear(&r);
    (void)state;
}

/* Equalities, right sides 0 and other numbers: every constraint active, in general position. */
static void test_equalities_and_right_sides_0_are_mended(void **state)
{
    struct rational r;
    int64_t done = 0, proved = 0;

    rational_init(&r);
    for (uint64_t seed = 0; done < cases(200, 5000); seed++) {
        struct sample s;
        double w[64], lambda[MOST];
        struct trop_margin_proof proof;
        const int64_t n = 2 + whole(seed, 3, 3);
        const int numbers = (int)whole(seed, 4, 2);
        sample_cross(&s, n, 2, 4, 31 * seed);
        for (int64_t j = 0; j < n; j++) {
            s.equal[j] = whole(seed, 10 + (uint64_t)j, 2);
            s.right[j] = (double)whole(seed, 20 + (uint64_t)j, 2);
            if (s.equal[j] && numbers) {
                s.right[j] = normal(seed, 77 + (uint64_t)j);
            } else if (s.equal[j]) {
                s.right[j] = 0.0;
            }
        }
        if (active_optimum(&r, &s.problem)) {
            done++;
            rounded(w, lambda, &r, &s.problem);
            check_l2(&proof, &s.problem, w, lambda);
            assert_true(compare_square(proof.lower, r.square) <= 0);
            proved += proof.upper < (double)INFINITY;
            if (proof.upper < (double)INFINITY) {
                assert_true(compare_square(proof.upper, r.square) >= 0);
                /* kappa times the loss of sigma_min, at most about 100 here. */
                assert_true(proof.gap <= 1e-11 * proof.kappa);
            }
            w[0] *= 1.0 + 1e-7;
            check_l2(&proof, &s.problem, w, lambda);
            assert_true(proof.upper == (double)INFINITY ||
                        compare_square(proof.upper, r.square) >= 0);
        }
        sample_free(&s);
    }
    assert_int_equal(proved, done);
    rational_clear(&r);
    (void)state;
}

/* ---- l1 and l-infinity in the plane --------------------------------------------------------- */

struct plane {
    int64_t n;
    mpq_t row[MOST][2], w[2], lambda[MOST], best, a, b, c;
};

static void plane_init(struct plane *p)
{
    for (int j = 0; j < MOST; j++) {
        mpq_inits(p->row[j][0], p->row[j][1], p->lambda[j], NULL);
    }
    mpq_inits(p->w[0], p->w[1], p->best, p->a, p->b, p->c, NULL);
}

static void plane_clear(struct plane *p)
{
    for (int j = 0; j < MOST; j++) {
        mpq_clears(p->row[j][0], p->row[j][1], p->lambda[j], NULL);
    }
    mpq_clears(p->w[0], p->w[1], p->best, p->a, p->b, p->c, NULL);
}

/* |x| + |y| or max(|x|, |y|). */
static void plane_norm(mpq_t out, mpq_t x, mpq_t y, int sum)
{
    mpq_t u, v;

    mpq_inits(u, v, NULL);
    mpq_abs(u, x);
    mpq_abs(v, y);
    if (sum) {
        mpq_add(out, u, v);
    } else {
        mpq_set(out, mpq_cmp(u, v) > 0 ? u : v);
    }
    mpq_clears(u, v, NULL);
}

/* w with row_j w = 1 and <f, w> = g; 0: none. */
static int crossing(mpq_t x, mpq_t y, struct plane *p, int64_t j, mpq_t f0, mpq_t f1, long g)
{
    mpq_mul(p->a, p->row[j][0], f1);
    mpq_mul(p->b, p->row[j][1], f0);
    mpq_sub(p->c, p->a, p->b);
    if (mpq_sgn(p->c) == 0) {
        return 0;
    }
    mpq_set_si(p->b, g, 1);
    mpq_mul(p->a, p->row[j][1], p->b);
    mpq_sub(x, f1, p->a);
    mpq_div(x, x, p->c);
    mpq_mul(p->a, p->row[j][0], p->b);
    mpq_sub(y, p->a, f0);
    mpq_div(y, y, p->c);
    return 1;
}

static int plane_feasible(struct plane *p, mpq_t x, mpq_t y)
{
    for (int64_t j = 0; j < p->n; j++) {
        mpq_mul(p->a, p->row[j][0], x);
        mpq_mul(p->b, p->row[j][1], y);
        mpq_add(p->a, p->a, p->b);
        if (mpq_cmp_ui(p->a, 1, 1) < 0) {
            return 0;
        }
    }
    return 1;
}

/* The optimum is where two constraints meet, or one meets a kink of the norm: the axes of l1, the
 * diagonals of l-infinity. */
static int plane_primal(struct plane *p, int sum)
{
    mpq_t x, y, f0, f1, norm;
    int found = 0;

    mpq_inits(x, y, f0, f1, norm, NULL);
    for (int64_t j = 0; j < p->n; j++) {
        for (int64_t k = 0; k < p->n + 2; k++) {
            const long kink = k - p->n;
            if (kink >= 0) {
                mpq_set_si(f0, sum ? kink : 1, 1);
                mpq_set_si(f1, sum ? 1 - kink : 2 * kink - 1, 1);
            } else {
                mpq_set(f0, p->row[k][0]);
                mpq_set(f1, p->row[k][1]);
            }
            if (!crossing(x, y, p, j, f0, f1, kink >= 0 ? 0 : 1) || !plane_feasible(p, x, y)) {
                continue;
            }
            plane_norm(norm, x, y, sum);
            if (!found || mpq_cmp(norm, p->best) < 0) {
                mpq_set(p->best, norm);
                mpq_set(p->w[0], x);
                mpq_set(p->w[1], y);
            }
            found = 1;
        }
    }
    mpq_clears(x, y, f0, f1, norm, NULL);
    return found;
}

/* The dual optimum: the best of single rows and of pairs at a kink of the dual norm. Returns 1
 * when it equals the primal one. */
static int plane_dual(struct plane *p, int sum)
{
    mpq_t s, t, x, y, value, best;
    const int64_t n = p->n;
    int64_t at = -1, beside = -1;

    mpq_inits(s, t, x, y, value, best, NULL);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t k = 0; k < n; k++) {
            for (long kink = 0; kink < 2; kink++) {
                /* f(row_j), f(row_k) with f the coordinates (dual of l-infinity) or sums. */
                const long c1 = sum ? 2 * kink - 1 : kink, c0 = sum ? 1 : 1 - kink;
                mpq_set_si(p->a, c0, 1);
                mpq_set_si(p->b, c1, 1);
                mpq_mul(s, p->row[k][0], p->a);
                mpq_mul(p->c, p->row[k][1], p->b);
                mpq_add(s, s, p->c);
                mpq_mul(t, p->row[j][0], p->a);
                mpq_mul(p->c, p->row[j][1], p->b);
                mpq_add(t, t, p->c);
                mpq_neg(t, t);
                if (j == k) {
                    mpq_set_ui(s, 1, 1);
                    mpq_set_ui(t, 0, 1);
                } else if (mpq_sgn(s) < 0) {
                    mpq_neg(s, s);
                    mpq_neg(t, t);
                }
                if (mpq_sgn(s) < 0 || mpq_sgn(t) < 0) {
                    continue;
                }
                mpq_mul(x, s, p->row[j][0]);
                mpq_mul(p->a, t, p->row[k][0]);
                mpq_add(x, x, p->a);
                mpq_mul(y, s, p->row[j][1]);
                mpq_mul(p->a, t, p->row[k][1]);
                mpq_add(y, y, p->a);
                plane_norm(value, x, y, !sum);
                mpq_add(p->a, s, t);
                if (mpq_sgn(value) == 0 || mpq_sgn(p->a) == 0) {
                    continue;
                }
                mpq_div(value, p->a, value);
                if (mpq_cmp(value, best) > 0) {
                    mpq_set(best, value);
                    at = j;
                    beside = k;
                    for (int64_t l = 0; l < n; l++) {
                        mpq_set_ui(p->lambda[l], 0, 1);
                    }
                    mpq_set(p->lambda[at], s);
                    mpq_add(p->lambda[beside], p->lambda[beside], t);
                }
            }
        }
    }
    const int same = mpq_equal(best, p->best);
    mpq_clears(s, t, x, y, value, best, NULL);
    return same;
}

static void test_l1_and_linf_bounds_enclose_rational_vertices(void **state)
{
    struct plane p;
    int64_t done = 0;
    mpq_t bound;

    plane_init(&p);
    mpq_init(bound);
    for (uint64_t seed = 0; done < cases(200, 4000); seed++) {
        struct sample s;
        const int sum = (int)(seed % 2);
        const double norm = pow(10.0, 3.0 + 5.0 * uniform(seed, 999));
        near_parallel(&s, 2 + whole(seed, 1, 4), 2, 1, norm, 13 * seed + 1);
        s.query[0] = 1.0;
        p.n = s.problem.count;
        for (int64_t j = 0; j < p.n; j++) {
            left_of(p.row[j][0], &s.problem, j, 0);
            left_of(p.row[j][1], &s.problem, j, 1);
        }
        if (plane_primal(&p, sum)) {
            double w[2] = { mpq_get_d(p.w[0]), mpq_get_d(p.w[1]) }, lambda[MOST];
            assert_true(plane_dual(&p, sum)); /* strong duality: the oracle is right */
            for (int64_t j = 0; j < p.n; j++) {
                lambda[j] = mpq_get_d(p.lambda[j]);
            }
            for (int k = 0; k < 3; k++) {
                struct trop_margin_proof proof;
                struct trop_margin_claim claim = { .norm = sum ? TROP_MARGIN_CHECK_L1
                                                               : TROP_MARGIN_CHECK_LINF,
                                                   .w = w,
                                                   .lambda = lambda };
                assert_ok(trop_margin_check(&proof, &s.problem, &claim));
                mpq_set_d(bound, proof.lower);
                assert_true(mpq_cmp(bound, p.best) <= 0);
                if (proof.upper < (double)INFINITY) {
                    mpq_set_d(bound, proof.upper);
                    assert_true(mpq_cmp(bound, p.best) >= 0);
                }
                if (k == 0) {
                    assert_true(proof.gap <= 8.0 * UNIT * proof.kappa);
                }
                w[0] *= 1.0 + 1e-12 * normal(seed, 5 + (uint64_t)k);
                lambda[0] *= 1.0 + 1e-12 * normal(seed, 9 + (uint64_t)k);
            }
            done++;
        }
        sample_free(&s);
    }
    mpq_clear(bound);
    plane_clear(&p);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_l2_bounds_enclose_rational_optima_at_norms_up_to_1e8),
        cmocka_unit_test(test_plain_double_is_above_the_optimum_at_norm_3e7),
        cmocka_unit_test(test_equalities_and_right_sides_0_are_mended),
        cmocka_unit_test(test_l1_and_linf_bounds_enclose_rational_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
