/* test_margin_limits.c -- the noun margin where it ends early or at the edge of double: problems
 * without a solution, limits of iterations, huge and tiny data, no constraints, repeated and
 * parallel runs. Bounds hold always; nothing is ever not a number. */
#include "margin_noun.h"

static const int64_t all_norms[] = { TROP_MARGIN_L2,   TROP_MARGIN_LP,      TROP_MARGIN_L1,
                                     TROP_MARGIN_LINF, TROP_MARGIN_NUCLEAR, TROP_MARGIN_SPECTRAL };
#define NORMS 6

/* An outcome, whichever it is, with the status that goes with it. */
static struct trop_margin *try_run(const struct trop_margin_options *o, trop_progress *progress,
                                   void *context)
{
    struct trop_margin *margin = noun_make(o);
    const enum trop_status status = trop_margin_run(margin, progress, context);
    const char *outcome = noun_text(margin, "outcome");
    const int ended = strcmp(outcome, "solved") == 0 || strcmp(outcome, "infeasible") == 0;

    assert_int_equal(status, ended ? TROP_OK : TROP_ERR_STOPPED);
    return margin;
}

/* No field of the result is NaN, nor any number of its arrays. */
static void assert_numbers(const struct trop_margin *margin)
{
    for (const struct trop_field *f = trop_margin_field_table(); f->name; f++) {
        const struct trop_value value = noun_value(margin, f->name);
        int64_t count = value.kind == TROP_KIND_NUMBERS ? 1 : 0;
        for (int64_t k = 0; k < value.rank; k++) {
            count *= value.shape[k];
        }
        for (int64_t k = 0; k < count; k++) {
            if (!isfinite(value.numbers[k])) {
                fail_msg("%s[%d] is %g", f->name, (int)k, value.numbers[k]);
            }
        }
        if (value.kind == TROP_KIND_NUMBER && isnan(value.number)) {
            fail_msg("%s is not a number", f->name);
        }
    }
}

/* ---- no solution ----------------------------------------------------------------------------- */

/* Multipliers >= 0 of the rows that are named, with r' lambda > 0 and A' lambda = 0 but for the
 * rounding of lambda to double: u |A_j| lambda_j each. */
static void assert_contradiction(const struct trop_margin *margin)
{
    const struct trop_problem *p = trop_margin_problem(margin);
    const struct trop_value rows = noun_value(margin, "certificate.rows");
    const double *lambda = noun_value(margin, "multipliers").numbers;
    double total = 0, rounding = 0;
    int64_t used = 0;

    for (int64_t j = 0; j < p->count; j++) {
        double size = 0;
        for (int64_t e = 0; e < p->rows * p->columns; e++) {
            size += fabs((double)noun_entry(p, j, e / p->columns, e % p->columns));
        }
        assert_true(lambda[j] >= 0);
        total += lambda[j] * p->right[j];
        rounding += lambda[j] * size * 0x1p-52;
        used += lambda[j] > 0;
    }
    assert_int_equal(used, rows.shape[0]);
    assert_true(rows.shape[0] >= 1 && rows.shape[0] <= p->rows * p->columns + 1);
    for (int64_t k = 0; k < rows.shape[0]; k++) {
        assert_true(lambda[rows.integers[k]] > 0);
    }
    assert_true(total > 0);
    assert_true(noun_dual(p, lambda) <= rounding);
    assert_true(noun_number(margin, "norm") == INFINITY &&
                noun_number(margin, "upper") == INFINITY);
    assert_true(noun_number(margin, "margin") == 0);
    assert_true(noun_number(margin, "lower") >= 0);
    assert_true(noun_is_null(margin, "weights.W") && noun_is_null(margin, "weights.p"));
    assert_true(noun_is_null(margin, "gap") && noun_is_null(margin, "support"));
    assert_int_equal(noun_integer(margin, "feasible"), 0);
}

static void infeasible_problems_name_rows_that_contradict_each_other(void **state)
{
    static struct set s;
    int64_t infeasible = 0;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(60, 600); seed++) {
        set_draw(&s, 5, 5, 2, (int64_t)(seed % 2), 100 + seed);
        struct trop_margin_options o = noun_options(&s);
        o.norm = noun_norm(all_norms[seed / 2 % NORMS]);
        o.p = 3;
        struct trop_margin *margin = try_run(&o, NULL, NULL);
        assert_numbers(margin);
        if (strcmp(noun_text(margin, "outcome"), "infeasible") == 0) {
            assert_contradiction(margin);
            assert_int_equal(strncmp(noun_text(margin, "certificate.kind"), "farkas", 6), 0);
            infeasible++;
        }
        trop_margin_free(margin);
    }
    assert_true(infeasible > 20);
}

/* A token that has a copy cannot win over it. */
static void equal_tokens_are_a_contradiction_of_one_row(void **state)
{
    static const double x[6] = { 1, 2, 0, 1, 1, 2 };
    static struct set s;
    (void)state;

    set_hand(&s, 1, 3, 2, x);
    for (int k = 0; k < NORMS; k++) {
        struct trop_margin_options o = noun_options(&s);
        o.select = "0";
        o.norm = noun_norm(all_norms[k]);
        o.p = 3;
        struct trop_margin *margin = noun_run(&o);
        assert_string_equal(noun_text(margin, "outcome"), "infeasible");
        assert_string_equal(noun_text(margin, "certificate.kind"), "zero-row");
        assert_int_equal(noun_value(margin, "certificate.rows").shape[0], 1);
        assert_int_equal(noun_value(margin, "certificate.rows").integers[0], 1);
        assert_contradiction(margin);
        trop_margin_free(margin);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static int stop_at(void *context, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return (*(int64_t *)context)-- <= 0;
}

static void solve_first(struct trop_margin **out, double *low, double *high,
                        const struct trop_margin_options *o)
{
    *out = noun_run(o);
    assert_string_equal(noun_text(*out, "outcome"), "solved");
    *low = noun_number(*out, "lower");
    *high = noun_number(*out, "upper");
}

/* However early a solver ends, the optimum is between its bounds. */
static void bounds_hold_at_every_limit(void **state)
{
    static struct set s;
    int64_t limited = 0, stopped = 0;
    (void)state;

    for (int k = 0; k < NORMS; k++) {
        struct trop_margin *margin;
        double low, high;
        set_draw(&s, 4, 4, 4, 1, 300 + (uint64_t)k);
        struct trop_margin_options o = noun_options(&s);
        o.norm = noun_norm(all_norms[k]);
        o.p = 3;
        solve_first(&margin, &low, &high, &o);
        trop_margin_free(margin);
        for (int64_t calls = 0; calls < 10; calls++) {
            int64_t left = calls;
            o.iterations = calls < 5 ? calls + 1 : 100000;
            margin = calls < 5 ? try_run(&o, NULL, NULL)
                               : try_run(&o, stop_at, (left = calls - 5, &left));
            const char *outcome = noun_text(margin, "outcome");
            assert_numbers(margin);
            assert_true(noun_number(margin, "lower") <= high);
            assert_true(noun_number(margin, "upper") >= low);
            assert_true(strcmp(outcome, "infeasible") != 0 && strcmp(outcome, "stalled") != 0);
            if (strcmp(outcome, "iteration-limit") == 0) {
                limited += calls < 5;
                stopped += calls >= 5;
                assert_true(noun_value(margin, "upper").number == INFINITY ||
                            noun_number(margin, "gap") > noun_number(margin, "tolerance"));
                assert_int_equal(trop_margin_run(margin, NULL, NULL), TROP_ERR_STOPPED);
                assert_non_null(strstr(trop_error(), "the solver was stopped"));
            }
            trop_margin_free(margin);
        }
    }
    assert_true(limited >= 4 && stopped >= 4);
}

static int count_calls(void *context, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    ++*(int64_t *)context;
    return 0;
}

/* The solver of a norm starts from the l2 solution: wherever it is stopped, its bounds are no
 * worse than those it started with, and its iterations come on top. */
static void bounds_do_not_get_worse_than_those_of_l2(void **state)
{
    static struct set s;
    (void)state;

    for (uint64_t seed = 0; seed < 5; seed++) {
        set_draw(&s, 4, 4, 4, 1, 320 + seed);
        for (int k = 1; k < NORMS; k++) {
            struct trop_margin_options o = noun_options(&s);
            int64_t calls = 0;
            o.tolerance = 1e-7; /* for both, so that l2 takes the same steps */
            struct trop_margin *l2 = noun_make(&o);
            assert_ok(trop_margin_run(l2, count_calls, &calls));
            o.norm = noun_norm(all_norms[k]);
            o.p = 3;
            double low = 0, high = INFINITY;
            for (int64_t more = 0; more < 12; more++) {
                int64_t left = calls + more;
                struct trop_margin *margin = try_run(&o, stop_at, &left);
                if (more == 0) {
                    low = noun_number(margin, "lower");
                    high = noun_number(margin, "upper");
                    assert_true(low > 0 && isfinite(high));
                }
                assert_true(noun_number(margin, "lower") >= low);
                /* The nuclear norm of one W, from factors or from its entries: 1e-14 apart. */
                assert_true(noun_number(margin, "upper") <= high * (1 + 1e-13));
                trop_margin_free(margin);
            }
            struct trop_margin *whole_run = noun_run(&o);
            assert_true(noun_integer(whole_run, "iterations") > noun_integer(l2, "iterations"));
            trop_margin_free(whole_run);
            trop_margin_free(l2);
        }
    }
}

/* Of the nuclear norm: W = K Q' with as many columns as the rank, and its singular values add up to
 * the norm: |K|_F |Q|_F is at least that. */
static void factors_multiply_to_the_weights(void **state)
{
    static struct set s;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(10, 100); seed++) {
        set_draw(&s, 3, 4, 5, 1, 350 + seed);
        struct trop_margin_options o = noun_options(&s);
        o.norm = TROP_MARGIN_NUCLEAR;
        struct trop_margin *margin = noun_run(&o);
        const struct trop_value k = noun_value(margin, "factors.K"),
                                q = noun_value(margin, "factors.Q");
        const int64_t rank = noun_integer(margin, "rank");
        const double norm = noun_number(margin, "norm");
        assert_int_equal(k.shape[1], rank);
        assert_int_equal(q.shape[1], rank);
        assert_true(noun_integer(margin, "rank_upper") >= 1 && rank >= 1 && rank <= 5);
        for (int64_t e = 0; e < 25; e++) {
            long double sum = 0;
            for (int64_t c = 0; c < rank; c++) {
                sum += (long double)k.numbers[e / 5 * rank + c] *
                       (long double)q.numbers[e % 5 * rank + c];
            }
            /* Sums of at most 5 products, none above the norm: 5 u and the rounding of W. */
            assert_near(trop_margin_weights(margin)[e], (double)sum, 1e-14 * norm);
        }
        assert_true(noun_frobenius(k.numbers, 5 * rank) * noun_frobenius(q.numbers, 5 * rank) >=
                    norm * (1 - 1e-12));
        trop_margin_free(margin);
    }
}

/* What has no bounds yet has no norm, and no certificate but the lower bound. */
static void an_unknown_norm_is_not_told(void **state)
{
    static struct set s;
    int64_t left = 0, unknown = 0;
    (void)state;

    for (uint64_t seed = 0; seed < 20; seed++) {
        set_draw(&s, 6, 6, 6, 1, 400 + seed);
        struct trop_margin_options o = noun_options(&s);
        left = 0;
        struct trop_margin *margin = try_run(&o, stop_at, &left);
        if (noun_number(margin, "upper") == INFINITY) {
            assert_true(noun_is_null(margin, "norm") && noun_is_null(margin, "margin"));
            assert_true(noun_is_null(margin, "gap"));
            assert_true(noun_is_null(margin, "weights.W"));
            assert_string_equal(noun_text(margin, "certificate.kind"), "lower-bound");
            assert_true(noun_is_null(margin, "certificate.tau") ||
                        noun_number(margin, "certificate.tau") > 0);
            unknown++;
        }
        trop_margin_free(margin);
    }
    assert_true(unknown > 0);
}

/* A wider tolerance is kept to, and a solution may be coarser. */
static void a_tolerance_is_what_was_asked_for(void **state)
{
    static struct set s;
    (void)state;

    set_draw(&s, 4, 4, 4, 1, 420);
    struct trop_margin_options o = noun_options(&s);
    o.norm = TROP_MARGIN_LP;
    o.p = 3;
    o.tolerance = 1e-2;
    struct trop_margin *coarse = noun_run(&o);
    assert_string_equal(noun_text(coarse, "outcome"), "solved");
    assert_true(noun_number(coarse, "tolerance") == 1e-2);
    assert_true(noun_number(coarse, "gap") <= 1e-2);
    o.tolerance = 1e-300; /* rounding allows no less than 8 u kappa */
    struct trop_margin *fine = try_run(&o, NULL, NULL);
    const double rounding = 8 * 0x1p-53 * noun_number(fine, "kappa");
    assert_true(noun_number(fine, "tolerance") == rounding);
    assert_true((noun_number(fine, "gap") <= rounding) ==
                (strcmp(noun_text(fine, "outcome"), "solved") == 0));
    trop_margin_free(coarse);
    trop_margin_free(fine);
}

/* ---- the edges of double --------------------------------------------------------------------- */

static double scaled_norm(const struct set *s, int64_t norm, double *gap)
{
    struct trop_margin_options o = noun_options(s);

    o.norm = norm;
    o.p = 3;
    struct trop_margin *margin = try_run(&o, NULL, NULL);
    assert_numbers(margin);
    const int solved = strcmp(noun_text(margin, "outcome"), "solved") == 0;
    const double value = solved ? noun_number(margin, "norm") : NAN;
    *gap = solved ? noun_number(margin, "gap") : NAN;
    assert_true(strcmp(noun_text(margin, "outcome"), "infeasible") != 0);
    trop_margin_free(margin);
    return value;
}

/* Tokens times c have a norm divided by c. Powers of two change no digit of the data. */
static void huge_and_tiny_data_are_solved_or_the_end_is_told(void **state)
{
    static const int powers[] = { 100, 500, 700, 1000, 1020, -100, -500, -660, -1000, -1040 };
    static struct set s, scaled;
    int64_t solved = 0;
    (void)state;

    set_draw(&s, 2, 3, 6, 0, 500);
    for (int k = 0; k < NORMS; k++) {
        double gap, own, plain = scaled_norm(&s, noun_norm(all_norms[k]), &gap);
        assert_true(plain > 0);
        for (size_t c = 0; c < sizeof powers / sizeof *powers; c++) {
            scaled = s;
            scaled.data.x = scaled.x;
            scaled.data.y = scaled.y;
            scaled.data.v = scaled.v;
            for (int64_t e = 0; e < 36; e++) {
                scaled.x[e] = ldexp(s.x[e], powers[c]);
            }
            const double norm = scaled_norm(&scaled, noun_norm(all_norms[k]), &own);
            if (!isnan(norm)) {
                /* Both are upper bounds of the same optimum, within their gaps. */
                assert_near(ldexp(norm, powers[c]) / plain, 1, gap + own + 1e-15);
                solved++;
            }
        }
    }
    assert_true(solved >= 24); /* what a power of two does not push beyond double */
}

static void data_of_many_sizes_are_never_not_a_number(void **state)
{
    static const double sizes[][2] = { { 1e150, 1 },       { 1e-200, 1 },     { 1e150, 1e150 },
                                       { 1e-200, 1e-200 }, { 1e300, 1e-300 }, { 1e-320, 1 },
                                       { 1e154, 1e154 },   { 1e-150, 1e150 }, { 4e307, 1 },
                                       { 4e307, 4e307 } };
    static struct set s;
    (void)state;

    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        for (int k = 0; k < NORMS; k++) {
            set_draw(&s, 2, 3, 3, 1, 600);
            for (int64_t e = 0; e < 18; e++) {
                s.x[e] *= sizes[c][e % 2];
            }
            for (int64_t e = 0; e < 6; e++) {
                s.z[e] *= sizes[c][0];
            }
            struct trop_margin_options o = noun_options(&s);
            struct trop_margin *margin = NULL;
            o.norm = noun_norm(all_norms[k]);
            o.p = 3;
            assert_ok(trop_margin_create(&margin, &o));
            enum trop_status status = trop_margin_run(margin, NULL, NULL);
            if (status == TROP_OK || status == TROP_ERR_STOPPED) {
                assert_numbers(margin);
                assert_true(noun_number(margin, "lower") <= noun_number(margin, "upper"));
                assert_true(strcmp(noun_text(margin, "outcome"), "infeasible") != 0);
                assert_true(strcmp(noun_text(margin, "outcome"), "solved") != 0 ||
                            noun_number(margin, "gap") <= 1);
            } else {
                assert_int_equal(status, TROP_ERR_NUMERIC);
            }
            trop_margin_free(margin);
        }
    }
}

/* One token of each input: nothing has to lose. */
static void one_token_asks_for_nothing(void **state)
{
    static struct set s;
    (void)state;

    set_draw(&s, 3, 1, 2, 1, 700);
    for (int k = 0; k < NORMS; k++) {
        struct trop_margin_options o = noun_options(&s);
        o.norm = noun_norm(all_norms[k]);
        o.p = 3;
        struct trop_margin *margin = noun_run(&o);
        assert_string_equal(noun_text(margin, "outcome"), "solved");
        assert_int_equal(noun_integer(margin, "constraints"), 0);
        assert_true(noun_number(margin, "norm") == 0 && noun_number(margin, "lower") == 0);
        assert_true(noun_number(margin, "gap") == 0);
        for (int e = 0; e < 4; e++) {
            assert_true(trop_margin_weights(margin)[e] == 0);
        }
        if (!noun_is_null(margin, "rank")) {
            assert_int_equal(noun_integer(margin, "rank"), 0);
            assert_int_equal(noun_integer(margin, "rank_upper"), 0);
        }
        assert_numbers(margin);
        trop_margin_free(margin);
    }
}

/* One input of two tokens: W = A / |A|^2 of rank 1, in closed form for every norm. */
static void one_constraint_has_its_closed_form(void **state)
{
    static struct set s;
    (void)state;

    for (uint64_t seed = 0; seed < 20; seed++) {
        double d[3], l1 = 0, l2 = 0, most = 0, cube = 0;
        set_draw(&s, 1, 2, 3, 1, 710 + seed);
        struct trop_margin_options o = noun_options(&s);
        o.select = "0";
        for (int e = 0; e < 9; e++) {
            d[e / 3] = s.x[e / 3] - s.x[3 + e / 3];
            const double a = fabs(d[e / 3] * s.z[e % 3]);
            l1 += a;
            l2 += a * a;
            most = fmax(most, a);
            cube += pow(a, 1.5);
        }
        /* min |W| s.t. <A, W> = 1 is 1 / |A|_dual; nuclear and spectral of rank 1 are l2. */
        const double expected[NORMS] = { 1 / sqrt(l2), 1 / pow(cube, 1 / 1.5), 1 / most,
                                         1 / l1,       1 / sqrt(l2),           1 / sqrt(l2) };
        for (int k = 0; k < NORMS; k++) {
            o.norm = all_norms[k];
            if (noun_is_missing(o.norm)) {
                continue;
            }
            o.p = 3;
            struct trop_margin *margin = noun_run(&o);
            assert_near(noun_number(margin, "norm") / expected[k], 1,
                        1e-14 + noun_number(margin, "gap"));
            if (o.norm == TROP_MARGIN_NUCLEAR) {
                assert_int_equal(noun_integer(margin, "rank"), 1);
                assert_int_equal(noun_value(margin, "factors.K").shape[1], 1);
            }
            trop_margin_free(margin);
        }
    }
}

/* ---- the same again ------------------------------------------------------------------------ */

static void threads_change_no_bit(void **state)
{
    static const int64_t threads[] = { 1, 2, 7 };
    static struct set s;
    (void)state;

    set_draw(&s, 5, 6, 7, 1, 800);
    for (int k = 0; k < NORMS; k++) {
        struct trop_margin *margins[3];
        struct trop_margin_options o = noun_options(&s);
        o.norm = noun_norm(all_norms[k]);
        o.p = 1.5;
        for (int c = 0; c < 3; c++) {
            o.threads = threads[c];
            margins[c] = noun_run(&o);
            assert_memory_equal(trop_margin_weights(margins[0]), trop_margin_weights(margins[c]),
                                49 * sizeof(double));
            assert_memory_equal(noun_value(margins[0], "multipliers").numbers,
                                noun_value(margins[c], "multipliers").numbers, 25 * sizeof(double));
            assert_true(noun_number(margins[0], "lower") == noun_number(margins[c], "lower"));
            assert_true(noun_number(margins[0], "upper") == noun_number(margins[c], "upper"));
            assert_int_equal(noun_integer(margins[0], "iterations"),
                             noun_integer(margins[c], "iterations"));
        }
        for (int c = 0; c < 3; c++) {
            trop_margin_free(margins[c]);
        }
    }
}

/* A second call returns the answer that is there; a second handle finds the same bits. */
static void running_again_gives_the_same(void **state)
{
    static struct set s;
    double first[16];
    (void)state;

    set_draw(&s, 3, 4, 4, 1, 810);
    struct trop_margin_options o = noun_options(&s);
    o.enumerate = 1;
    struct trop_margin *one = noun_run(&o), *two = noun_run(&o);
    memcpy(first, trop_margin_weights(one), sizeof first);
    const int64_t iterations = noun_integer(one, "iterations");
    assert_ok(trop_margin_run(one, NULL, NULL));
    assert_memory_equal(first, trop_margin_weights(one), sizeof first);
    assert_memory_equal(first, trop_margin_weights(two), sizeof first);
    assert_int_equal(noun_integer(one, "iterations"), iterations);
    assert_int_equal(noun_integer(two, "iterations"), iterations);
    assert_int_equal(noun_value(one, "selections").shape[0],
                     noun_value(two, "selections").shape[0]);
    trop_margin_free(one);
    trop_margin_free(two);
}

/* The caller's arrays and texts may go after create. */
static void options_are_copied(void **state)
{
    static struct set s;
    double w[9], direction[9];
    char select[] = "0,1";
    (void)state;

    set_draw(&s, 2, 3, 3, 1, 820);
    normals(direction, 9, 1);
    struct trop_margin_options o = noun_options(&s);
    o.select = select;
    o.direction = direction;
    struct trop_margin *one = noun_run(&o), *two = noun_make(&o);
    memcpy(w, trop_margin_weights(one), sizeof w);
    memset(&s, 0xff, sizeof s);
    memset(direction, 0xff, sizeof direction);
    memset(select, 'x', sizeof select - 1);
    memset(&o, 0xff, sizeof o);
    assert_ok(trop_margin_run(two, NULL, NULL));
    assert_memory_equal(w, trop_margin_weights(two), sizeof w);
    assert_true(noun_number(one, "direction.margin") == noun_number(two, "direction.margin"));
    trop_margin_free(one);
    trop_margin_free(two);
}

/* 2 x 1,501 rows: too many for the solver of the nuclear norm, which is not started. x_a - x_t and
 * z are e_1, e_1 and e_2, e_1 + e_2: l2 has W = [[1, 0], [1/2, 1/2]], nuclear a smaller one. */
static void a_problem_too_large_for_a_solver_says_so(void **state)
{
    static double tokens[2 * 1502 * 2], queries[] = { 1, 0, 1, 1 };
    const struct trop_data data = {
        .n = 2, .T = 1502, .d = 2, .x = tokens, .z = queries, .queries = 1
    };
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    (void)state;

    tokens[0] = 1;
    tokens[2 * 1502 + 1] = 1;
    o.data = &data;
    o.select = "0,0";
    o.norm = TROP_MARGIN_NUCLEAR;
    assert_ok(trop_margin_create(&margin, &o));
    assert_int_equal(trop_margin_run(margin, NULL, NULL), TROP_ERR_STOPPED);
    assert_non_null(strstr(trop_error(), "the linear system would have more than 3000 rows"));
    assert_string_equal(noun_text(margin, "outcome"), "iteration-limit");
    trop_margin_free(margin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infeasible_problems_name_rows_that_contradict_each_other),
        cmocka_unit_test(equal_tokens_are_a_contradiction_of_one_row),
        cmocka_unit_test(bounds_hold_at_every_limit),
        cmocka_unit_test(bounds_do_not_get_worse_than_those_of_l2),
        cmocka_unit_test(factors_multiply_to_the_weights),
        cmocka_unit_test(an_unknown_norm_is_not_told),
        cmocka_unit_test(a_tolerance_is_what_was_asked_for),
        cmocka_unit_test(huge_and_tiny_data_are_solved_or_the_end_is_told),
        cmocka_unit_test(data_of_many_sizes_are_never_not_a_number),
        cmocka_unit_test(one_token_asks_for_nothing),
        cmocka_unit_test(one_constraint_has_its_closed_form),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(running_again_gives_the_same),
        cmocka_unit_test(options_are_copied),
        cmocka_unit_test(a_problem_too_large_for_a_solver_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
