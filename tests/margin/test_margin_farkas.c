/* test_margin_farkas.c -- proofs of infeasibility, of problems that CLP finds infeasible, and no
 * proof of feasible ones. What is proved is looked at again in rational arithmetic (GMP). */
#include "margin/check/margin_check.h"

#include "margin/farkas/margin_farkas_internal.h"
#include "margin_support.h"
#include "rational_row.h"

#include <coin/Clp_C_Interface.h>
#include <gmp.h>

#include "alloc_failing.c"

#define MOST 64 /* constraints */

/* ---- candidates ------------------------------------------------------------------------------ */

/* lambda with A'lambda = 0 and r'lambda = 1 that minimises a random objective; 0: there is none. */
static int clp_candidate(double *lambda, const struct trop_problem *p, uint64_t seed)
{
    const int columns = (int)p->count, entries = (int)(p->rows * p->columns), rows = entries + 1;
    double *value = calloc((size_t)(columns * rows), sizeof *value);
    int *index = calloc((size_t)(columns * rows), sizeof *index);
    CoinBigIndex start[MOST + 1];
    double low[MOST], high[MOST], cost[MOST], bounds[257] = { 0 };
    Clp_Simplex *model = Clp_newModel();

    for (int j = 0; j < columns; j++) {
        start[j] = j * rows;
        sample_row(value + j * rows, p, j);
        value[j * rows + entries] = p->right[j];
        for (int c = 0; c < rows; c++) {
            index[j * rows + c] = c;
        }
        low[j] = p->equal[j] ? -1e30 : 0.0;
        high[j] = 1e30;
        cost[j] = p->equal[j] ? 0.0 : uniform(seed, (uint64_t)j);
    }
    start[columns] = columns * rows;
    bounds[entries] = 1.0;
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, columns, rows, start, index, value, low, high, cost, bounds, bounds);
    Clp_initialSolve(model);
    const int found = Clp_status(model) == 0;
    if (found) {
        memcpy(lambda, Clp_primalColumnSolution(model), (size_t)columns * sizeof *lambda);
    }
    Clp_deleteModel(model);
    free(value);
    free(index);
    return found;
}

/* A vertex, the mean of several vertices, or a vertex with noise on every row. */
static int candidate(double *lambda, const struct trop_problem *p, uint64_t seed)
{
    double other[MOST];
    const int64_t mixed = (int64_t)(seed % 3) == 1 ? 5 : 1;

    if (!clp_candidate(lambda, p, seed)) {
        return 0;
    }
    for (int64_t k = 1; k < mixed; k++) {
        if (clp_candidate(other, p, seed + 1000 * (uint64_t)k)) {
            for (int64_t j = 0; j < p->count; j++) {
                lambda[j] += other[j];
            }
        }
    }
    for (int64_t j = 0; seed % 3 == 2 && j < p->count; j++) {
        lambda[j] += p->equal[j] ? 0.0 : 1e-13 * uniform(seed + 7, (uint64_t)j);
    }
    return 1;
}

/* ---- proofs, looked at again ----------------------------------------------------------------- */

/* sum weight A = 0 and r'weight > 0 in rationals. */
static void assert_exact(const struct trop_problem *p, const int64_t *rows, const double *weights,
                         int64_t count)
{
    mpq_t sum, x, y;

    mpq_inits(sum, x, y, NULL);
    for (int64_t c = 0; c < p->rows * p->columns; c++) {
        mpq_set_ui(sum, 0, 1);
        for (int64_t i = 0; i < count; i++) {
            entry_of(x, p, rows[i], c / p->columns, c % p->columns);
            mpq_set_d(y, weights[i]);
            mpq_mul(x, x, y);
            mpq_add(sum, sum, x);
        }
        assert_int_equal(mpq_sgn(sum), 0);
    }
    mpq_set_ui(sum, 0, 1);
    for (int64_t i = 0; i < count; i++) {
        mpq_set_d(x, p->right[rows[i]]);
        mpq_set_d(y, weights[i]);
        mpq_mul(x, x, y);
        mpq_add(sum, sum, x);
        assert_true(p->equal[rows[i]] || weights[i] > 0.0);
    }
    assert_true(mpq_sgn(sum) > 0);
    mpq_clears(sum, x, y, NULL);
}

/* The null vector of the rows, when there is just one: all its inequalities of one sign, and
 * r'lambda of that sign. 0: there are several. */
static int assert_null_vector(const struct trop_problem *p, const int64_t *rows, int64_t count)
{
    const int64_t entries = p->rows * p->columns;
    mpq_t *m = calloc((size_t)(entries * count), sizeof *m), x, y;
    int64_t pivot[MOST], rank = 0, open = -1, opens = 0;

    mpq_inits(x, y, NULL);
    for (int64_t c = 0; c < entries; c++) {
        for (int64_t i = 0; i < count; i++) {
            mpq_init(m[c * count + i]);
            entry_of(m[c * count + i], p, rows[i], c / p->columns, c % p->columns);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t at = rank;
        while (at < entries && mpq_sgn(m[at * count + i]) == 0) {
            at++;
        }
        if (at == entries) {
            open = i;
            opens++;
            continue;
        }
        for (int64_t l = 0; l < count; l++) {
            mpq_swap(m[at * count + l], m[rank * count + l]);
        }
        mpq_set(x, m[rank * count + i]);
        for (int64_t l = 0; l < count; l++) {
            mpq_div(m[rank * count + l], m[rank * count + l], x);
        }
        for (int64_t c = 0; c < entries; c++) {
            mpq_set(x, m[c * count + i]);
            for (int64_t l = 0; c != rank && mpq_sgn(x) != 0 && l < count; l++) {
                mpq_mul(y, x, m[rank * count + l]);
                mpq_sub(m[c * count + l], m[c * count + l], y);
            }
        }
        pivot[rank++] = i;
    }
    if (opens == 1) { /* lambda_open = 1, lambda_pivot = -m[., open] */
        mpq_set_d(x, p->right[rows[open]]);
        int sign = p->equal[rows[open]] ? 0 : 1;
        for (int64_t k = 0; k < rank; k++) {
            const int own = -mpq_sgn(m[k * count + open]);
            mpq_set_d(y, p->right[rows[pivot[k]]]);
            mpq_mul(y, y, m[k * count + open]);
            mpq_sub(x, x, y);
            if (!p->equal[rows[pivot[k]]]) {
                assert_true(own != 0 && (sign == 0 || own == sign));
                sign = own;
            }
        }
        assert_true(mpq_sgn(x) != 0 && (sign == 0 || mpq_sgn(x) == sign));
    }
    for (int64_t k = 0; k < entries * count; k++) {
        mpq_clear(m[k]);
    }
    mpq_clears(x, y, NULL);
    free(m);
    return opens == 1;
}

/* Proves it from the candidate and looks at the proof; returns its kind. */
static int64_t proof_of(const struct trop_problem *p, const double *lambda)
{
    int64_t rows[MOST];
    double weights[MOST];
    struct trop_margin_farkas found;

    assert_ok(trop_margin_farkas(&found, rows, weights, p, lambda));
    assert_true(found.count >= 0 && found.count <= p->count);
    assert_true(found.tau >= 0.0);
    if (found.kind == TROP_MARGIN_FARKAS_EXACT || found.kind == TROP_MARGIN_FARKAS_ROW) {
        assert_exact(p, rows, weights, found.count);
    }
    if (found.kind == TROP_MARGIN_FARKAS_SOLVE) {
        assert_true(found.tau < 1e-6);
        if (found.count <= p->rows * p->columns + 1) {
            (void)assert_null_vector(p, rows, found.count);
        }
    }
    return found.kind;
}

/* ---- infeasible problems --------------------------------------------------------------------- */

static void sample_of(struct sample *s, int64_t family, uint64_t seed)
{
    switch (family) {
    case 0:
        sample_cross(s, 5, 5, 2, seed);
        break;
    case 1:
        sample_prompt(s, 3, 5, 2, seed);
        break;
    case 2: /* one input, pairs of tokens opposite each other about token 0, and others */
        sample_cross(s, 1, 8, 3, seed);
        for (int64_t a = 0; a < 3; a++) {
            s->point[a] = 0.0;
            s->point[2 * 3 + a] = -s->point[3 + a];
        }
        break;
    case 3: /* whole numbers in a plane of R^4 */
        sample_make(s, 1, 7, 4, 1);
        s->query[0] = 1.0;
        for (int64_t t = 1; t < 7; t++) {
            const double x = (double)(whole(seed, (uint64_t)t, 9) - 4);
            const double y = (double)(whole(seed, 20 + (uint64_t)t, 9) - 4);
            for (int64_t a = 0; a < 4; a++) {
                s->point[4 * t + a] = x * (double)whole(seed, 40 + (uint64_t)a, 7) +
                                      y * (double)whole(seed, 50 + (uint64_t)a, 7);
            }
        }
        break;
    case 4: /* a token that repeats the one to win */
        sample_cross(s, 2, 4, 6, seed);
        memcpy(s->point + 6 * 6, s->point + 4 * 6, 6 * sizeof *s->point);
        break;
    case 5: /* four equations for three numbers */
        sample_prompt(s, 4, 2, 3, seed);
        for (int64_t j = 0; j < 4; j++) {
            s->equal[j] = 1;
            s->right[j] = normal(seed + 3, (uint64_t)j);
        }
        break;
    case 6: /* equalities and right sides 0 among others */
        sample_cross(s, 3, 5, 2, seed);
        for (int64_t j = 0; j < s->problem.count; j++) {
            s->equal[j] = whole(seed, (uint64_t)j, 4) == 0;
            s->right[j] = s->equal[j] ? 0.0 : (double)whole(seed, 30 + (uint64_t)j, 2);
        }
        break;
    case 7: /* many inputs in three dimensions: mostly the queries are dependent */
        sample_cross(s, 10, 3, 3, seed);
        break;
    case 8: /* one input among feasible ones */
        sample_cross(s, 3, 12, 4, seed);
        break;
    case 9: /* whole numbers for tokens and queries */
        sample_cross(s, 4, 4, 2, seed);
        for (int64_t k = 0; k < 4 * 4 * 2; k++) {
            s->point[k] = (double)(whole(seed, (uint64_t)k, 7) - 3);
        }
        for (int64_t k = 0; k < 4 * 2; k++) {
            s->query[k] = (double)(whole(seed, 100 + (uint64_t)k, 7) - 3);
        }
        break;
    case 10: /* first coordinates constant, as with a bias */
        sample_cross(s, 2, 9, 4, seed);
        for (int64_t k = 0; k < 18; k++) {
            s->point[4 * k] = 0.1;
        }
        break;
    default: /* badly scaled rows */
        sample_prompt(s, 3, 5, 3, seed);
        for (int64_t k = 0; k < 15 * 3; k++) {
            s->point[k] *= pow(10.0, -8.0 * uniform(seed, (uint64_t)(k / 3)));
        }
        break;
    }
}

static void test_infeasible_problems_are_proved(void **state)
{
    const int64_t wanted = cases(8, 300);

    for (int64_t family = 0; family < 12; family++) {
        int64_t kinds[4] = { 0 };
        uint64_t seed = 0;
        for (int64_t done = 0; done < wanted; seed++) {
            struct sample s;
            double lambda[MOST];
            sample_of(&s, family, 1000 * seed);
            if (candidate(lambda, &s.problem, seed)) {
                kinds[proof_of(&s.problem, lambda)]++;
                done++;
            }
            sample_free(&s);
        }
        assert_int_equal(kinds[TROP_MARGIN_FARKAS_NONE], 0);
    }
    (void)state;
}

/* Three rows that nearly cancel by themselves, off by rounding in a direction in which nothing is
 * proved, among others all round: only with these it is. */
static void test_a_candidate_on_a_face_is_completed_by_other_rows(void **state)
{
    int64_t proved = 0;

    for (uint64_t seed = 0; seed < (uint64_t)cases(40, 1000); seed++) {
        struct sample s;
        double lambda[MOST] = { 0.3, 0.7, 1.0 };
        sample_prompt(&s, 1, 16, 3, seed);
        for (int64_t a = 0; a < 3; a++) {
            double *x = s.point + a;
            x[0] = 0.0;
            x[9] = -(0.3 * x[3] + 0.7 * x[6]);
        }
        if (clp_candidate(lambda + 20, &s.problem, seed)) {
            const int64_t kind = proof_of(&s.problem, lambda);
            assert_int_not_equal(kind, TROP_MARGIN_FARKAS_NONE);
            proved++;
        }
        sample_free(&s);
    }
    assert_true(proved > 10);
    (void)state;
}

/* Rows a, -a - t b' and t b of the plane, t down to 2^-44: what the first two leave is as small as
 * the third, and all three have multipliers of one size. Only together they contradict. */
static void test_two_rows_that_nearly_cancel_and_a_tiny_one_are_proved(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(200, 20000); seed++) {
        const double t = ldexp(1.0, -20 - (int)(seed % 25)), angle = 6.0 * uniform(seed, 0);
        const double none[MOST] = { 0 }, ones[MOST] = { 1.0, 1.0, 1.0 };
        struct sample s;
        sample_prompt(&s, 3, 2, 2, seed);
        memset(s.point, 0, 12 * sizeof *s.point);
        s.point[0] = cos(angle);
        s.point[1] = sin(angle);
        s.point[4] = -s.point[0];
        s.point[5] = -s.point[1];
        for (int64_t a = 0; a < 2; a++) { /* b' = b + half of a, along which the first gives way */
            s.point[8 + a] = t * (a == 0 ? -s.point[1] : s.point[0]);
            s.point[6 + a] = s.point[8 + a] + 0.5 * t * s.point[a];
        }
        assert_int_not_equal(proof_of(&s.problem, seed % 2 ? none : ones), TROP_MARGIN_FARKAS_NONE);
        sample_free(&s);
    }
    (void)state;
}

/* ---- at the edge ----------------------------------------------------------------------------- */

/* Three rows in two coordinates, looked at as a set by hand. */
struct edge {
    struct sample s;
    struct trop_margin_check_data data;
    struct trop_margin_farkas_set set;
    struct trop_margin_farkas_guess guess;
    double point[12], query[3], sign[3], size[3], weight[3];
    int64_t row[3], place[3], across[2], down[2];
};

/* Rows (1, 1/3) z0, (-1, -1/3 - t) z1 and (0.3, 0.7) z2: lambda is (1/z0, 1/z1, x/z2) with x
 * about t / 0.6. For t > 0 they contradict each other, else they do not. */
static void edge_make(struct edge *edge, double t, int alone, uint64_t seed)
{
    *edge = (struct edge){ .across = { 0, 1 } };
    sample_make(&edge->s, 3, 2, 2, 1);
    edge->s.point[0] = 1.0;
    edge->s.point[1] = 1.0 / 3.0;
    edge->s.point[4] = -1.0;
    edge->s.point[5] = -1.0 / 3.0;
    edge->s.point[7] = t; /* x_minus */
    edge->s.point[8] = 0.3;
    edge->s.point[9] = 0.7;
    for (int64_t i = 0; i < 3; i++) {
        edge->s.query[i] = alone ? 1.0 : 0.5 + uniform(seed, (uint64_t)i);
        edge->row[i] = edge->place[i] = i;
        edge->sign[i] = edge->size[i] = edge->weight[i] = 1.0;
    }
    edge->data.problem = &edge->s.problem;
    edge->data.point.memory = edge->point;
    edge->data.query.memory = edge->query;
    edge->set = (struct trop_margin_farkas_set){ .data = &edge->data,
                                                 .count = 3,
                                                 .row = edge->row,
                                                 .sign = edge->sign,
                                                 .alone = alone,
                                                 .k = 2,
                                                 .across = edge->across,
                                                 .down = edge->down,
                                                 .size = edge->size };
    edge->guess = (struct trop_margin_farkas_guess){ 3, 0, edge->place, edge->weight };
    assert_true(trop_margin_check_scale(&edge->data.point, edge->s.point, 12));
    assert_true(trop_margin_check_scale(&edge->data.query, edge->s.query, 3));
}

/* Proved only where it is true, and down to 2^-80 (errors are 2^-106 times small constants). */
static void test_a_solve_tells_signs_far_below_rounding(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(3000, 100000); seed++) {
        const int e = 4 + (int)(seed % 150), negative = (int)(seed / 150 % 2);
        struct edge edge;
        int proved;
        edge_make(&edge, ldexp(negative ? -1.0 : 1.0, -e), seed % 4 == 0, seed);
        if (seed % 3 == 0) {
            edge.weight[2] = ldexp(1.0, -e);
        }
        assert_ok(trop_margin_farkas_solve(&proved, &edge.guess, &edge.set));
        if (negative) {
            assert_int_equal(proved, 0);
        } else if (e <= 80) {
            assert_int_equal(proved, 1);
        }
        sample_free(&edge.s);
    }
    (void)state;
}

static void test_the_exact_test_asks_for_signs_too(void **state)
{
    struct edge edge;
    int proved;

    edge_make(&edge, 0.0, 1, 0); /* rows 0 and 1 are opposite */
    edge.guess.count = 2;
    assert_ok(trop_margin_farkas_vanishes(&proved, &edge.guess, &edge.set));
    assert_int_equal(proved, 1);
    edge.weight[0] = edge.weight[1] = -1.0; /* r'lambda < 0 */
    assert_ok(trop_margin_farkas_vanishes(&proved, &edge.guess, &edge.set));
    assert_int_equal(proved, 0);
    edge.s.right[0] = edge.s.right[1] = -1.0; /* r'lambda > 0, but lambda < 0 */
    assert_ok(trop_margin_farkas_vanishes(&proved, &edge.guess, &edge.set));
    assert_int_equal(proved, 0);
    edge.s.equal[0] = edge.s.equal[1] = 1; /* which equalities may have */
    assert_ok(trop_margin_farkas_vanishes(&proved, &edge.guess, &edge.set));
    assert_int_equal(proved, 1);
    edge.s.right[0] = 1.0; /* r'lambda = 0: they agree */
    assert_ok(trop_margin_farkas_vanishes(&proved, &edge.guess, &edge.set));
    assert_int_equal(proved, 0);
    sample_free(&edge.s);
    (void)state;
}

/* Nothing is known beforehand: the whole problem is searched, equalities both ways. */
static void test_no_candidate_is_needed_for_small_problems(void **state)
{
    const double none[MOST] = { 0 };

    for (int64_t family = 0; family < 12; family++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct sample s;
            double lambda[MOST];
            sample_of(&s, family, 500 * seed + 3);
            if (candidate(lambda, &s.problem, 0)) {
                assert_int_not_equal(proof_of(&s.problem, none), TROP_MARGIN_FARKAS_NONE);
            }
            sample_free(&s);
        }
    }
    (void)state;
}

static void test_a_query_of_zeros_is_a_contradiction(void **state)
{
    struct sample s;
    const double none[MOST] = { 0 };

    sample_cross(&s, 2, 3, 4, 1);
    memset(s.query + 4, 0, 4 * sizeof *s.query);
    assert_int_equal(proof_of(&s.problem, none), TROP_MARGIN_FARKAS_ROW);
    s.right[2] = s.right[3] = 0.0; /* 0 >= 0 is none */
    assert_int_equal(proof_of(&s.problem, none), TROP_MARGIN_FARKAS_NONE);
    sample_free(&s);
    (void)state;
}

/* ---- feasible problems ----------------------------------------------------------------------- */

/* d rows in R^d that are independent, so that A w = 1 has a solution, of length about norm. lambda:
 * the multipliers of the smallest |A'lambda|, which is 1 / norm. */
static void test_feasible_problems_are_never_proved_infeasible(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(200, 10000); seed++) {
        struct sample s;
        double lambda[MOST], weights[MOST], last[8] = { 0 };
        int64_t rows[MOST];
        struct trop_margin_farkas found;
        const int64_t d = 2 + whole(seed, 1, 4);
        const double norm = pow(10.0, 14.0 * uniform(seed, 999));
        sample_make(&s, d, 2, d, 1);
        s.query[0] = 1.0;
        for (int64_t j = 0; j < d; j++) {
            s.asked[j] = 0;
            lambda[j] = j + 1 < d ? 0.5 + uniform(seed, (uint64_t)j) : 1.0;
            for (int64_t a = 0; a + 1 < d; a++) {
                const double x = j + 1 < d ? normal(seed, (uint64_t)(j * d + a)) : last[a];
                last[a] -= x * lambda[j];
                s.point[2 * j * d + a] = x;
            }
            s.point[2 * j * d + d - 1] = (0.5 + uniform(seed, (uint64_t)(j + 50))) / norm;
        }
        assert_ok(trop_margin_farkas(&found, rows, weights, &s.problem, lambda));
        assert_int_equal(found.kind, TROP_MARGIN_FARKAS_NONE);
        /* tau proves a bound of the norm, and no wrong one: |w| <= sqrt(d) / least entry. */
        assert_true(1.0 / found.tau <= 2.0 * norm * sqrt((double)d) * (1.0 + 1e-3) * 10.0);
        sample_free(&s);
    }
    (void)state;
}

/* Lattice problems with a known solution on the boundary of feasibility, any candidate. */
static void test_feasible_lattices_are_never_proved_infeasible(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(300, 20000); seed++) {
        struct sample s;
        double lambda[MOST], weights[MOST];
        int64_t rows[MOST];
        struct trop_margin_farkas found;
        sample_make(&s, 1, 12, 3, 1);
        s.query[0] = 1.0;
        for (int64_t t = 1; t < 12; t++) {
            double *x = s.point + 3 * t;
            x[0] = (double)(whole(seed, (uint64_t)t, 9) - 4);
            x[1] = (double)(whole(seed, 20 + (uint64_t)t, 9) - 4);
            x[2] =
                -1.0 - (double)whole(seed, 40 + (uint64_t)t, 2); /* w = (0, 0, 1) satisfies all */
            lambda[t - 1] = (double)whole(seed, 60 + (uint64_t)t, 5);
        }
        assert_ok(trop_margin_farkas(&found, rows, weights, &s.problem, lambda));
        assert_int_equal(found.kind, TROP_MARGIN_FARKAS_NONE);
        sample_free(&s);
    }
    (void)state;
}

static void test_a_candidate_that_is_no_number_proves_nothing(void **state)
{
    struct sample s;
    double lambda[2] = { (double)NAN, (double)INFINITY }, weights[2];
    int64_t rows[2];
    struct trop_margin_farkas found;

    sample_cross(&s, 1, 3, 3, 4);
    assert_ok(trop_margin_farkas(&found, rows, weights, &s.problem, lambda));
    assert_int_equal(found.kind, TROP_MARGIN_FARKAS_NONE);
    s.point[0] = (double)NAN;
    assert_ok(trop_margin_farkas(&found, rows, weights, &s.problem, lambda));
    assert_int_equal(found.kind, TROP_MARGIN_FARKAS_NONE);
    assert_true(found.tau == (double)INFINITY);
    sample_free(&s);
    (void)state;
}

static struct sample refused;
static double refused_lambda[MOST];

static enum trop_status attempt(void)
{
    int64_t rows[MOST];
    double weights[MOST];
    struct trop_margin_farkas found;
    return trop_margin_farkas(&found, rows, weights, &refused.problem, refused_lambda);
}

static void test_every_refused_allocation_is_reported(void **state)
{
    sample_of(&refused, 3, 0);
    for (uint64_t seed = 1; !candidate(refused_lambda, &refused.problem, 0); seed++) {
        sample_free(&refused);
        sample_of(&refused, 3, seed);
    }
    alloc_refuse_each(attempt);
    sample_free(&refused);
    sample_of(&refused, 0, 0);
    alloc_refuse_each(attempt);
    sample_free(&refused);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_infeasible_problems_are_proved),
        cmocka_unit_test(test_a_candidate_on_a_face_is_completed_by_other_rows),
        cmocka_unit_test(test_two_rows_that_nearly_cancel_and_a_tiny_one_are_proved),
        cmocka_unit_test(test_a_solve_tells_signs_far_below_rounding),
        cmocka_unit_test(test_the_exact_test_asks_for_signs_too),
        cmocka_unit_test(test_no_candidate_is_needed_for_small_problems),
        cmocka_unit_test(test_a_query_of_zeros_is_a_contradiction),
        cmocka_unit_test(test_feasible_problems_are_never_proved_infeasible),
        cmocka_unit_test(test_feasible_lattices_are_never_proved_infeasible),
        cmocka_unit_test(test_a_candidate_that_is_no_number_proves_nothing),
        cmocka_unit_test(test_every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
