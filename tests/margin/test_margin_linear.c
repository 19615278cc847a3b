/* test_margin_linear.c -- min |W|_1 and min |W|_inf: closed forms, and optima found by listing all
 * bases in rational arithmetic.
 *
 * Tolerances, with u = 2^-53 and kappa = max_j |A_j|_dual |W|: storing W in double moves its norm
 * by u and every margin by u kappa, storing lambda moves |A' lambda|_dual by u load, where
 * load = sum_j lambda_j |A_j|_dual, at most kappa when all right sides are 1; the solver leaves 1/8
 * of either, and the judge rounds outwards a few times: a proved gap of 2.25 u kappa and a few u.
 * Rows kept inside by 4 u |A_j|_dual |W| cost 4 u load. */
#include "margin/linear/basis.h"
#include "margin/linear/clp.h"
#include "margin/check/margin_check.h"
#include "margin/norm.h"

#include "margin_support.h"
#include "rational_linear.h"

#include "alloc_failing.c"

#define UNIT 0x1p-53
/* Ten roundings outwards of 3 u each; it was 20 u for pairs that are exact. */
#define ROUNDINGS (30 * UNIT)

/* ---- solving and judging -------------------------------------------------------------------- */

struct result {
    double *w, *lambda;
    struct trop_norm_answer answer;
    struct trop_margin_proof proof;
    enum trop_status status;
};

static void result_free(struct result *r)
{
    free(r->w);
    free(r->lambda);
}

static const struct trop_norm *norm_of(int64_t k)
{
    return k == 0 ? &trop_norm_l1 : &trop_norm_linf;
}

/* The l2 solution first, as the driver does, then norm k, then the judge. */
static struct result solve_within(const struct trop_problem *problem, int64_t k, int64_t iterations,
                                  trop_progress *progress, void *context)
{
    const size_t size = (size_t)(problem->rows * problem->columns), m = (size_t)problem->count;
    double *start = calloc(size + m, sizeof *start);
    struct result r = { .w = calloc(size, sizeof *r.w), .lambda = calloc(m, sizeof *r.lambda) };
    struct trop_rows *rows = NULL;
    struct trop_norm_answer first = { .w = start, .lambda = start + size };
    struct trop_norm_task task = {
        .problem = problem, .tolerance = 1e-10, .iterations = 1000000, .threads = 1
    };

    assert_ok(trop_rows_create(&rows, problem, 1));
    task.rows = rows;
    assert_ok(trop_norm_l2.solve(&first, &task));
    task.w = start;
    task.lambda = start + size;
    task.tolerance = 1e-9;
    task.iterations = iterations;
    task.progress = progress;
    task.context = context;
    r.answer = (struct trop_norm_answer){ .w = r.w, .lambda = r.lambda };
    r.status = norm_of(k)->solve(&r.answer, &task);
    if (r.status == TROP_OK) {
        const struct trop_margin_claim claim = { .norm = k == 0 ? TROP_MARGIN_CHECK_L1
                                                                : TROP_MARGIN_CHECK_LINF,
                                                 .w = r.w,
                                                 .lambda = r.lambda };
        assert_ok(trop_margin_check(&r.proof, problem, &claim));
    }
    trop_rows_free(rows);
    free(start);
    return r;
}

static struct result solve(const struct trop_problem *problem, int64_t k)
{
    struct result r = solve_within(problem, k, 1000000, NULL, NULL);

    assert_int_equal(r.status, TROP_OK);
    return r;
}

static int is_absent(void)
{
    const int start[2] = { 0, 0 }, index[1] = { 0 };
    const double value[1] = { 0 }, lower[2] = { 0, 0 }, upper[2] = { 1, 1 }, cost[1] = { 1 };
    const struct trop_clp task = { .rows = 1,
                                   .columns = 1,
                                   .start = start,
                                   .index = index,
                                   .value = value,
                                   .lower = lower,
                                   .upper = upper,
                                   .cost = cost,
                                   .iterations = 10 };
    int64_t state[2], made;

    return trop_clp_solve(state, &made, &task) == TROP_ERR_UNSUPPORTED;
}

#define NEEDS_CLP() \
    do { \
        if (is_absent()) { \
            skip(); \
        } \
    } while (0)

/* ---- comparing ------------------------------------------------------------------------------- */

/* x / exact - 1, to double. */
static double off(double x, struct rational *q)
{
    if (isinf(x)) {
        return x;
    }
    mpq_set_d(q->term, x);
    mpq_div(q->term, q->term, q->best);
    mpq_set_ui(q->sum, 1, 1);
    mpq_sub(q->term, q->term, q->sum);
    return mpq_get_d(q->term);
}

static double norm_at(const double *w, int64_t size, int64_t k)
{
    long double sum = 0, most = 0;

    for (int64_t c = 0; c < size; c++) {
        sum += fabsl(w[c]);
        most = fmaxl(most, fabsl(w[c]));
    }
    return (double)(k == 0 ? sum : most);
}

/* sum_j lambda_j |A_j|_dual. */
static double load_of(const struct trop_problem *p, const double *lambda, int64_t k)
{
    const int64_t size = p->rows * p->columns;
    double *row = calloc((size_t)size, sizeof *row), load = 0;

    for (int64_t j = 0; j < p->count; j++) {
        sample_row(row, p, j);
        load += fabs(lambda[j]) * norm_at(row, size, 1 - k);
    }
    free(row);
    return load;
}

static double largest_gap, largest_off; /* over the cases of a test */

/* What a comparison allows: of the norm and of the gap, in units of u load; of the gap besides. */
struct allowed {
    double load, gap;
};

/* All right sides 1 and rows of one size; with rows kept inside; with equalities: the contract. */
static const struct allowed plain = { 0, 0 }, inside = { 6, 0 }, fixed = { 6, 1e-9 };

/* 1 when no W satisfies the inequalities by 1/1024 more: together with the equalities they fix
 * some combination of W exactly, and a W in double proves nothing. */
static int is_thin(const struct trop_problem *p)
{
    double right[SIDE];
    struct trop_problem narrow = *p;
    struct rational q;

    for (int64_t j = 0; j < p->count; j++) {
        right[j] = p->right[j] + (p->equal[j] ? 0 : 0x1p-10);
    }
    narrow.right = right;
    rational_open(&q, &narrow);
    const int feasible = rational_solve(&q, &narrow, 0);
    rational_each(&q, rational_clear);
    return !feasible;
}

/* Solves p in norm k and compares with the enumerated optimum; returns 0 when p is infeasible or
 * its solution is 0 or out of reach. */
static int agrees(const struct trop_problem *p, int64_t k, struct allowed allowed)
{
    struct rational q;

    rational_open(&q, p);
    /* Beyond 1e12 the rounding of W, u kappa, leaves nothing to compare. */
    const int feasible = rational_solve(&q, p, k) && mpq_get_d(q.best) < 1e12;
    if (feasible) {
        struct result r = solve(p, k);
        assert_int_equal(r.answer.end, TROP_NORM_DONE);
        assert_true(off(r.proof.lower, &q) <= 0);
        assert_true(off(r.proof.upper, &q) >= 0);
        const double away = off(norm_at(r.w, p->rows * p->columns, k), &q);
        const double more = allowed.load * UNIT * load_of(p, r.lambda, k);
        assert_near(away, 0, 1e-15 + more);
        const double within = allowed.gap + more + 2.5 * UNIT * r.proof.kappa + ROUNDINGS;
        assert_true(r.proof.gap <= within || (isinf(r.proof.gap) && is_thin(p)));
        largest_off = fmax(largest_off, fabs(away));
        largest_gap = isinf(r.proof.gap) ? largest_gap : fmax(largest_gap, r.proof.gap);
        result_free(&r);
    }
    rational_each(&q, rational_clear);
    return feasible;
}

/* Runs agrees on samples until `wanted` of them were feasible, and says how near they were. */
static void compare(void (*make)(struct sample *s, uint64_t seed), struct allowed allowed,
                    int64_t wanted)
{
    for (int64_t k = 0; k < 2; k++) {
        int64_t done = 0;
        largest_gap = largest_off = 0;
        for (uint64_t seed = 1; done < wanted; seed++) {
            struct sample s;
            make(&s, seed);
            done += agrees(&s.problem, k, allowed);
            sample_free(&s);
        }
        print_message("%s: off by at most %.2g, gaps up to %.2g\n", norm_of(k)->name, largest_off,
                      largest_gap);
    }
}

/* Small whole numbers for tokens and queries: two inputs of three tokens (or one of five) in R^2
 * or R^3 with queries in R^2 or R^1. */
static void sample_whole(struct sample *s, uint64_t seed)
{
    const int64_t two = whole(seed, 1, 2), d = 2 + whole(seed, 2, 2), e = 1 + whole(seed, 3, 2);

    sample_make(s, two ? 2 : 1, two ? 3 : 5, d, e);
    for (int64_t i = 0; i < s->problem.points * d; i++) {
        s->point[i] = (double)(whole(seed + 77, (uint64_t)i, 11) - 5);
    }
    for (int64_t i = 0; i < s->problem.queries * e; i++) {
        s->query[i] = (double)(whole(seed + 78, (uint64_t)i, 9) - 4);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void one_constraint_has_a_closed_form(void **state)
{
    (void)state;
    NEEDS_CLP();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sample s;
        double row[12], most = 0, sum = 0;
        sample_cross(&s, 1, 2, 3, seed);
        s.problem.columns = 3;
        sample_row(row, &s.problem, 0);
        for (int c = 0; c < 9; c++) {
            most = fmax(most, fabs(row[c]));
            sum += fabs(row[c]);
        }
        struct result l1 = solve(&s.problem, 0), linf = solve(&s.problem, 1);
        /* row is rounded twice, the sum eight times. */
        assert_near(norm_at(l1.w, 9, 0) * most, 1, 4 * UNIT);
        assert_near(norm_at(linf.w, 9, 1) * sum, 1, 12 * UNIT);
        assert_true(l1.answer.iterations >= 1 && l1.answer.iterations <= 2);
        for (int c = 0; c < 9; c++) {
            assert_near(l1.w[c] * row[c], fabs(row[c]) == most ? 1 : 0, 4 * UNIT);
            assert_near(linf.w[c] * sum, row[c] < 0 ? -1 : 1, 12 * UNIT);
        }
        result_free(&l1);
        result_free(&linf);
        sample_free(&s);
    }
}

/* w_k >= 1 (or = 1) for k = 0 .. d - 1. */
static void an_orthant_has_its_corner(void **state)
{
    (void)state;
    NEEDS_CLP();
    for (int64_t equal = 0; equal < 2; equal++) {
        const int64_t d = 7;
        struct sample s;
        sample_make(&s, 1, d + 1, d, 1);
        s.query[0] = 1;
        for (int64_t k = 0; k < d; k++) {
            s.point[(k + 1) * d + k] = -1;
            s.equal[k] = equal;
        }
        struct result l1 = solve(&s.problem, 0), linf = solve(&s.problem, 1);
        for (int64_t k = 0; k < d; k++) {
            assert_true(l1.w[k] == 1);
            assert_true(linf.w[k] == 1);
            assert_true(l1.lambda[k] == 1);
        }
        /* One pivot for each entry of W. */
        assert_int_equal(l1.answer.iterations, d);
        assert_near(l1.proof.gap, 0, ROUNDINGS);
        assert_near(linf.proof.gap, 0, ROUNDINGS);
        result_free(&l1);
        result_free(&linf);
        sample_free(&s);
    }
}

static void make_plain(struct sample *s, uint64_t seed)
{
    sample_whole(s, 1000 * seed);
}

static void random_problems_agree_with_rational_enumeration(void **state)
{
    (void)state;
    NEEDS_CLP();
    compare(make_plain, plain, cases(30, 300));
}

/* A row once more, coordinates that are copies of others or that no row sees. */
static void make_degenerate(struct sample *s, uint64_t seed)
{
    sample_whole(s, 5000000 + 1000 * seed);
    const int64_t d = s->problem.rows;
    s->minus[1] = s->minus[0];
    for (int64_t i = 0; i < s->problem.points; i++) {
        double *x = s->point + i * d;
        x[0] = seed % 3 == 0 ? 1.0 : seed % 3 == 1 ? -x[1] : x[0];
    }
}

static void degenerate_problems_agree_with_rational_enumeration(void **state)
{
    (void)state;
    NEEDS_CLP();
    compare(make_degenerate, plain, cases(30, 300));
}

/* 1 when A_i = -t A_j for some t > 0. */
static int is_opposed(const struct trop_problem *p, int64_t i, int64_t j)
{
    double one[SIDE], other[SIDE], dot = 0, first = 0, second = 0;

    sample_row(one, p, i);
    sample_row(other, p, j);
    for (int64_t c = 0; c < p->rows * p->columns; c++) {
        dot += one[c] * other[c];
        first += one[c] * one[c];
        second += other[c] * other[c];
    }
    return dot < 0 && dot * dot == first * second; /* whole numbers */
}

/* Some right sides 0, but no two rows that ask for 0 together. */
static void make_zero(struct sample *s, uint64_t seed)
{
    sample_whole(s, 9000000 + 1000 * seed);
    for (int64_t j = 1; j < s->problem.count; j++) {
        s->right[j] = (double)whole(seed, (uint64_t)(100 + j), 2);
        for (int64_t i = 1; i < j; i++) {
            s->right[j] = is_opposed(&s->problem, i, j) ? 1 : s->right[j];
        }
    }
}

static void zero_right_sides_agree_too(void **state)
{
    (void)state;
    NEEDS_CLP();
    compare(make_zero, inside, cases(30, 300));
}

static void make_equal(struct sample *s, uint64_t seed)
{
    make_zero(s, seed);
    const int64_t last = s->problem.count - 1;
    s->equal[last] = 1;
    s->right[last] = (double)(whole(seed, 99, 5) - 2);
    for (int64_t i = 0; i < last; i++) {
        s->right[i] = is_opposed(&s->problem, i, last) ? 1 : s->right[i];
    }
}

static void equalities_agree_too(void **state)
{
    (void)state;
    NEEDS_CLP();
    compare(make_equal, fixed, cases(30, 300));
}

/* 2 w_1 >= 1, 4 w_1 + 2 w_2 >= 0, and the same negated: no W is strictly inside. */
static void two_rows_may_ask_for_zero_together(void **state)
{
    (void)state;
    NEEDS_CLP();
    struct sample s;
    sample_make(&s, 1, 4, 2, 1);
    const double points[] = { 0, 0, -2, 0, -4, -2, 4, 2 };
    memcpy(s.point, points, sizeof points);
    s.query[0] = 1;
    s.right[1] = s.right[2] = 0;
    for (int64_t k = 0; k < 2; k++) {
        struct result r = solve(&s.problem, k);
        assert_int_equal(r.answer.end, TROP_NORM_DONE);
        assert_true(r.w[0] == 0.5 && r.w[1] == -1.0);
        assert_near(r.proof.lower, k == 0 ? 1.5 : 1, 2 * ROUNDINGS);
        result_free(&r);
    }
    sample_free(&s);
}

/* Queries of 2^-27 to 2^27, so that rows differ by 1e16 in size. */
static void make_uneven(struct sample *s, uint64_t seed)
{
    sample_whole(s, 13000000 + 1000 * seed);
    const int64_t e = s->problem.columns;
    for (int64_t i = 0; i < s->problem.queries * e; i++) {
        s->query[i] = ldexp(s->query[i], i / e == 0 ? -27 : 27);
    }
}

static void badly_scaled_rows_agree_too(void **state)
{
    (void)state;
    NEEDS_CLP();
    compare(make_uneven, inside, cases(30, 300));
}

/* The last coordinate in units of 1e-7: where it is needed the norm is about 1e7. Tokens are off
 * the whole numbers by 0.1, so that their differences are no doubles: rounding them would move
 * the norm by 1e-9. */
static void make_narrow(struct sample *s, uint64_t seed)
{
    sample_whole(s, 17000000 + 1000 * seed);
    const int64_t d = s->problem.rows;
    for (int64_t i = 0; i < s->problem.points * d; i++) {
        s->point[i] = i % d == d - 1 ? s->point[i] * 1e-7 : s->point[i] + 0.1;
    }
}

static void nearly_infeasible_problems_agree_too(void **state)
{
    (void)state;
    NEEDS_CLP();
    compare(make_narrow, plain, cases(30, 300));
}

/* Sizes beyond enumeration: the judge is the test. */
static void larger_problems_are_proved(void **state)
{
    (void)state;
    NEEDS_CLP();
    for (uint64_t seed = 1; seed <= (uint64_t)cases(15, 300); seed++) {
        const int64_t n = 1 + whole(seed, 1, 6), T = 2 + whole(seed, 2, 6);
        const int64_t least = n > T - 1 ? n : T - 1;
        struct sample s;
        if (seed % 3 == 0) {
            sample_prompt(&s, n, T, n * (T - 1) + whole(seed, 4, 4), seed);
        } else {
            sample_cross(&s, n, T, least + whole(seed, 3, 4), seed);
        }
        for (int64_t k = 0; k < 2; k++) {
            struct result r = solve(&s.problem, k);
            assert_int_equal(r.answer.end, TROP_NORM_DONE);
            const double more = UNIT * (2.5 * r.proof.kappa + 6 * load_of(&s.problem, r.lambda, k));
            assert_near(r.proof.gap, 0, more + ROUNDINGS);
            result_free(&r);
        }
        sample_free(&s);
    }
}

/* A basis of any kind is led to the optimum by basis.c alone. */
static void any_basis_leads_to_the_optimum(void **state)
{
    (void)state;
    int64_t done = 0;
    for (uint64_t seed = 1; done < cases(50, 500); seed++) {
        struct sample s;
        struct rational q;
        struct trop_rows *rows = NULL;
        struct trop_basis *b = NULL;
        sample_whole(&s, 21000000 + seed * 1000);
        rational_open(&q, &s.problem);
        if (rational_solve(&q, &s.problem, 0)) {
            assert_ok(trop_rows_create(&rows, &s.problem, 1));
            assert_ok(trop_basis_create(&b, rows, 1));
            for (int64_t v = 0; v < b->columns + b->count; v++) {
                const int row = v >= b->columns;
                b->lower[v] = row ? 1 : 0;
                b->upper[v] = row ? 1e6 : 1e3;
                b->state[v] = seed % 2 ? (row ? TROP_CLP_BASIC : TROP_CLP_LOWER)
                                       : whole(seed, (uint64_t)(500 + v), 3);
            }
            for (int64_t k = 0; k < b->columns; k++) {
                b->cost[k] = 1;
            }
            for (int64_t j = 0; j < b->count; j++) {
                b->scale[j] = 1;
            }
            int64_t pivots = 1000;
            assert_int_equal(trop_basis_pivot(b, &pivots, NULL, NULL), TROP_BASIS_OPTIMAL);
            assert_true(pivots < 40);
            struct trop_dd sum = { 0 };
            for (int64_t k = 0; k < b->columns; k++) {
                sum = trop_dd_add(sum, b->x[k]);
            }
            assert_near(off(sum.high, &q), 0, UNIT);
            done++;
        }
        trop_basis_free(b);
        trop_rows_free(rows);
        rational_each(&q, rational_clear);
        sample_free(&s);
    }
}

static int stop_at(void *context, int64_t done, int64_t total)
{
    int64_t *left = context;

    (void)done;
    (void)total;
    return (*left)-- == 0;
}

/* From the point where no row is active, at a size where that takes more pivots than basis_pivot.c
 * makes before it turns to Bland's rule (3 times 25 + 10 here): linf, |V| <= 1, max s, against
 * CLP's way. */
static void blands_rule_leads_to_the_optimum(void **state)
{
    (void)state;
    NEEDS_CLP();
    int64_t longest = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)cases(4, 40); seed++) {
        struct sample s;
        struct trop_rows *rows = NULL;
        struct trop_basis *b = NULL;
        sample_cross(&s, 5, 6, 7, seed);
        struct result r = solve(&s.problem, 1);
        assert_ok(trop_rows_create(&rows, &s.problem, 1));
        assert_ok(trop_basis_create(&b, rows, 0));
        for (int64_t v = 0; v < b->columns + b->count; v++) {
            const int row = v >= b->columns;
            b->lower[v] = row || v == b->coordinates ? 0 : -1;
            b->upper[v] = row || v == b->coordinates ? 1e6 : 1;
            b->state[v] = row ? TROP_CLP_BASIC : TROP_CLP_LOWER;
        }
        b->cost[b->coordinates] = -1;
        for (int64_t j = 0; j < b->count; j++) {
            b->scale[j] = 1;
            b->extra[j] = -1;
        }
        int64_t pivots = 100000, calls = 3;
        assert_int_equal(trop_basis_pivot(b, &pivots, stop_at, &calls), TROP_BASIS_STOPPED);
        assert_int_equal(pivots, 3);
        pivots = 2;
        assert_int_equal(trop_basis_pivot(b, &pivots, NULL, NULL), TROP_BASIS_LIMIT);
        assert_int_equal(pivots, 2);
        pivots = 100000;
        assert_int_equal(trop_basis_pivot(b, &pivots, NULL, NULL), TROP_BASIS_OPTIMAL);
        longest = pivots > longest ? pivots : longest;
        const double norm = 1 / b->x[b->coordinates].high;
        assert_true(r.proof.lower <= norm && norm <= r.proof.upper);
        result_free(&r);
        trop_basis_free(b);
        trop_rows_free(rows);
        sample_free(&s);
    }
    assert_true(longest > 3 * (25 + 10));
}

/* n = 10, T = 10, d = 40: 90 constraints, 1600 coordinates. */
static void the_size_that_is_promised_is_solved(void **state)
{
    (void)state;
    NEEDS_CLP();
    struct sample s;
    sample_cross(&s, 10, 10, 40, 1);
    for (int64_t k = 0; k < 2; k++) {
        struct result r = solve(&s.problem, k);
        assert_int_equal(r.answer.end, TROP_NORM_DONE);
        assert_true(r.proof.gap <= 2.5 * UNIT * r.proof.kappa + ROUNDINGS);
        /* 148 and 393; the kernels of BLAS, which CLP calls, change the path a little. */
        assert_true(r.answer.iterations < (k == 0 ? 300 : 800));
        result_free(&r);
    }
    sample_free(&s);
}

static void a_limit_of_iterations_leaves_bounds_that_hold(void **state)
{
    (void)state;
    NEEDS_CLP();
    struct sample s;
    sample_cross(&s, 4, 5, 6, 3);
    for (int64_t k = 0; k < 2; k++) {
        struct result best = solve(&s.problem, k);
        struct result r = solve_within(&s.problem, k, 2, NULL, NULL);
        assert_int_equal(r.status, TROP_OK);
        assert_int_equal(r.answer.end, TROP_NORM_LIMIT);
        assert_true(r.answer.iterations <= 2);
        assert_true(r.proof.lower > 0 && r.proof.lower < best.proof.upper);
        assert_true(isfinite(r.proof.upper) && r.proof.upper > best.proof.lower);
        result_free(&r);
        result_free(&best);
    }
    sample_free(&s);
}

/* One constraint in 4096 x 2049 coordinates is more than CLP is given: the start comes back. */
static void what_is_too_large_is_not_begun(void **state)
{
    (void)state;
    const int64_t size = 4096 * 2049;
    struct sample s;
    struct trop_rows *rows = NULL;
    double *memory = calloc((size_t)(2 * size), sizeof *memory), lambda = 0.25, given = 0;
    sample_make(&s, 1, 2, 4096, 2049);
    assert_ok(trop_rows_create(&rows, &s.problem, 1));
    memory[7] = 0.5;
    for (int64_t k = 0; k < 2; k++) {
        struct trop_norm_answer answer = { .w = memory + size, .lambda = &given };
        const struct trop_norm_task task = {
            .problem = &s.problem, .rows = rows, .iterations = 10, .w = memory, .lambda = &lambda
        };
        memory[size + 7] = 0;
        given = 0;
        assert_ok(norm_of(k)->solve(&answer, &task));
        assert_int_equal(answer.end, TROP_NORM_LARGE);
        assert_int_equal(answer.iterations, 0);
        assert_true(memory[size + 7] == 0.5 && given == 0.25);
    }
    free(memory);
    trop_rows_free(rows);
    sample_free(&s);
}

static void progress_is_told_and_can_stop(void **state)
{
    (void)state;
    NEEDS_CLP();
    struct sample s;
    sample_cross(&s, 4, 5, 6, 3);
    for (int64_t k = 0; k < 2; k++) {
        int64_t left = 100;
        struct result r = solve_within(&s.problem, k, 1000, stop_at, &left);
        assert_int_equal(r.status, TROP_OK);
        assert_true(left <= 98);
        result_free(&r);
        for (int64_t calls = 0; calls < 2; calls++) {
            left = calls;
            r = solve_within(&s.problem, k, 1000, stop_at, &left);
            assert_int_equal(r.status, TROP_ERR_STOPPED);
            assert_non_null(strstr(trop_error(), "stopped after"));
            result_free(&r);
        }
    }
    sample_free(&s);
}

static void right_sides_all_zero_ask_for_nothing(void **state)
{
    (void)state;
    struct sample s;
    sample_cross(&s, 2, 3, 3, 5);
    for (int64_t j = 0; j < s.problem.count; j++) {
        s.right[j] = 0;
    }
    for (int64_t k = 0; k < 2; k++) {
        struct result r = solve(&s.problem, k);
        assert_int_equal(r.answer.end, TROP_NORM_DONE);
        assert_true(norm_at(r.w, 9, 0) == 0);
        result_free(&r);
    }
    sample_free(&s);
}

static struct sample refused;
static struct trop_rows *refused_rows;
static const double *refused_start;
static int64_t refused_norm;

static enum trop_status attempt(void)
{
    double w[9], lambda[8];
    struct trop_norm_answer answer = { .w = w, .lambda = lambda };
    const struct trop_norm_task task = { .problem = &refused.problem,
                                         .rows = refused_rows,
                                         .tolerance = 1e-9,
                                         .iterations = 1000,
                                         .threads = 1,
                                         .w = refused_start,
                                         .lambda = refused_start + 9 };

    return norm_of(refused_norm)->solve(&answer, &task);
}

static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    NEEDS_CLP();
    sample_cross(&refused, 2, 3, 3, 9);
    struct result r = solve(&refused.problem, 0);
    double start[17] = { 0 };
    memcpy(start, r.w, 9 * sizeof *start);
    memcpy(start + 9, r.lambda, 4 * sizeof *start);
    refused_start = start;
    assert_ok(trop_rows_create(&refused_rows, &refused.problem, 1));
    for (refused_norm = 0; refused_norm < 2; refused_norm++) {
        alloc_refuse_each(attempt);
    }
    trop_rows_free(refused_rows);
    result_free(&r);
    sample_free(&refused);
}

static void a_build_without_clp_says_so(void **state)
{
    (void)state;
    if (!is_absent()) {
        skip();
    }
    struct sample s;
    sample_cross(&s, 2, 3, 3, 5);
    for (int64_t k = 0; k < 2; k++) {
        struct result r = solve_within(&s.problem, k, 1000, NULL, NULL);
        assert_int_equal(r.status, TROP_ERR_UNSUPPORTED);
        assert_non_null(strstr(trop_error(), "this build has no CLP"));
        result_free(&r);
    }
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_constraint_has_a_closed_form),
        cmocka_unit_test(an_orthant_has_its_corner),
        cmocka_unit_test(random_problems_agree_with_rational_enumeration),
        cmocka_unit_test(degenerate_problems_agree_with_rational_enumeration),
        cmocka_unit_test(zero_right_sides_agree_too),
        cmocka_unit_test(equalities_agree_too),
        cmocka_unit_test(two_rows_may_ask_for_zero_together),
        cmocka_unit_test(badly_scaled_rows_agree_too),
        cmocka_unit_test(nearly_infeasible_problems_agree_too),
        cmocka_unit_test(larger_problems_are_proved),
        cmocka_unit_test(any_basis_leads_to_the_optimum),
        cmocka_unit_test(blands_rule_leads_to_the_optimum),
        cmocka_unit_test(the_size_that_is_promised_is_solved),
        cmocka_unit_test(a_limit_of_iterations_leaves_bounds_that_hold),
        cmocka_unit_test(what_is_too_large_is_not_begun),
        cmocka_unit_test(progress_is_told_and_can_stop),
        cmocka_unit_test(right_sides_all_zero_ask_for_nothing),
        cmocka_unit_test(every_refused_allocation_is_reported),
        cmocka_unit_test(a_build_without_clp_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
