/* test_margin_linear_exact.c -- min |W|_1 and min |W|_inf against optima found by listing all
 * bases in rational arithmetic. */
#include "margin/linear/basis.h"

#include "margin_linear_support.h"
#include "rational_linear.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_agree_with_rational_enumeration),
        cmocka_unit_test(degenerate_problems_agree_with_rational_enumeration),
        cmocka_unit_test(zero_right_sides_agree_too),
        cmocka_unit_test(equalities_agree_too),
        cmocka_unit_test(two_rows_may_ask_for_zero_together),
        cmocka_unit_test(badly_scaled_rows_agree_too),
        cmocka_unit_test(nearly_infeasible_problems_agree_too),
        cmocka_unit_test(any_basis_leads_to_the_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
