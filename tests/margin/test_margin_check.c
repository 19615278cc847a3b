/* test_margin_check.c -- the judge of max-margin problems against rational arithmetic.
 *
 * Exact optima come from GMP (Gram systems, vertices of plane problems) and from MPFR (closed
 * forms with roots), never from the judge. */
#include "margin/check/margin_check.h"

#include "margin_support.h"

#include <gmp.h>
#include <mpfr.h>

#include "alloc_failing.c"

#define UNIT 0x1p-53
#define MOST 8 /* constraints of an exact problem */
#define BITS 400

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

/* (x_plus - x_minus)_a of row j. */
static void left_of(mpq_t out, const struct trop_problem *p, int64_t j, int64_t a)
{
    mpq_t less;

    mpq_init(less);
    mpq_set_d(out, p->plus[j] < 0 ? 0.0 : p->point[p->plus[j] * p->rows + a]);
    mpq_set_d(less, p->minus[j] < 0 ? 0.0 : p->point[p->minus[j] * p->rows + a]);
    mpq_sub(out, out, less);
    mpq_clear(less);
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

static void check_l2(struct trop_margin_proof *out, const struct trop_problem *p, const double *w,
                     const double *lambda)
{
    struct trop_margin_claim claim = {
        .norm = TROP_MARGIN_CHECK_LP, .p = 2.0, .w = w, .lambda = lambda
    };
    assert_ok(trop_margin_check(out, p, &claim));
    assert_true(out->lower >= 0.0 && out->upper >= 0.0 && out->gap >= 0.0);
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
        cmocka_unit_test(test_l2_bounds_enclose_rational_optima_at_norms_up_to_1e8),
        cmocka_unit_test(test_plain_double_is_above_the_optimum_at_norm_3e7),
        cmocka_unit_test(test_equalities_and_right_sides_0_are_mended),
        cmocka_unit_test(test_l1_and_linf_bounds_enclose_rational_vertices),
        cmocka_unit_test(test_lp_bounds_enclose_the_optimum_of_one_constraint),
        cmocka_unit_test(test_schatten_norms_with_multiple_singular_values),
        cmocka_unit_test(test_margins_that_cancel_are_bounded),
        cmocka_unit_test(test_combinations_that_cancel_are_bounded),
        cmocka_unit_test(test_payoffs_that_cancel_are_bounded),
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
