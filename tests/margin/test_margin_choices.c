/* test_margin_choices.c -- the noun margin: which tokens win. Several that may (ATT-SVM'), and what
 * a direction selects.
 *
 * In the plane the largest margin of any choice is known: the margin f(u) of a unit vector u is
 * made of maxima and minima of linear functions d'u, d a difference of two keys of one input, so
 * its largest value is at some d / |d| or where two of them are equal, u orthogonal to d - d'. */
#include "margin_noun.h"

/* ---- the plane ------------------------------------------------------------------------------- */

enum { N = 3, T = 4 };

/* Tokens that may win, as bits for each input. */
static double margin_of(const double *x, const int *picks, const double *u)
{
    double least = INFINITY;

    for (int i = 0; i < N; i++) {
        double best = -INFINITY;
        for (int a = 0; a < T; a++) {
            double lead = INFINITY;
            for (int b = 0; b < T; b++) {
                const double *p = x + 2 * (T * i + a), *m = x + 2 * (T * i + b);
                if (!(picks[i] >> b & 1)) {
                    lead = fmin(lead, (p[0] - m[0]) * u[0] + (p[1] - m[1]) * u[1]);
                }
            }
            best = picks[i] >> a & 1 ? fmax(best, lead) : best;
        }
        least = fmin(least, best);
    }
    return least;
}

/* The margin of the tokens won over those that may not win. */
static double margin_of_these(const double *x, const int *picks, const int *won, const double *u)
{
    double least = INFINITY;

    for (int k = 0; k < N * T; k++) {
        const double *p = x + 2 * (T * (k / T) + won[k / T]), *m = x + 2 * k;
        if (!(picks[k / T] >> k % T & 1)) {
            least = fmin(least, (p[0] - m[0]) * u[0] + (p[1] - m[1]) * u[1]);
        }
    }
    return least;
}

static double try_line(const double *x, const int *picks, double a, double b)
{
    const double size = hypot(a, b);
    const double up[2] = { a / size, b / size }, down[2] = { -a / size, -b / size };

    return size > 0 ? fmax(margin_of(x, picks, up), margin_of(x, picks, down)) : -INFINITY;
}

/* The largest margin over all directions. */
static double largest_margin(const double *x, const int *picks)
{
    double d[N * T * T][2], best = -INFINITY;
    int count = 0;

    for (int i = 0; i < N; i++) {
        for (int a = 0; a < T; a++) {
            for (int b = 0; b < T; b++) {
                const double *p = x + 2 * (T * i + a), *m = x + 2 * (T * i + b);
                if ((picks[i] >> a & 1) && !(picks[i] >> b & 1)) {
                    d[count][0] = p[0] - m[0];
                    d[count++][1] = p[1] - m[1];
                }
            }
        }
    }
    for (int k = 0; k < count; k++) {
        best = fmax(best, try_line(x, picks, d[k][0], d[k][1]));
        for (int l = 0; l < k; l++) {
            best = fmax(best, try_line(x, picks, d[l][1] - d[k][1], d[k][0] - d[l][0]));
        }
    }
    return best;
}

/* "0|2,1,3" from bits. */
static int64_t write_picks(char *out, const int *picks)
{
    int64_t combinations = 1;

    for (int i = 0; i < N; i++) {
        int64_t count = 0;
        for (int t = 0; t < T; t++) {
            if (picks[i] >> t & 1) {
                out += sprintf(out, "%s%d", count ? "|" : i ? "," : "", t);
                count++;
            }
        }
        combinations *= count;
    }
    return combinations;
}

static void any_of_several_tokens_may_win(void **state)
{
    static struct set s;
    int64_t infeasible = 0, solved = 0;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(150, 3000); seed++) {
        int picks[N];
        char text[64];
        set_draw(&s, N, T, 2, 0, 1000 + seed);
        for (int i = 0; i < N; i++) {
            picks[i] = 1 + (int)whole(seed, (uint64_t)i, (1 << T) - 2); /* not none, not all */
        }
        struct trop_margin_options o = noun_options(&s);
        const int64_t combinations = write_picks(text, picks);
        const double best = largest_margin(s.x, picks);
        o.select = text;
        struct trop_margin *margin = noun_run(&o);
        assert_int_equal(noun_integer(margin, "combinations"), combinations);
        if (best > 1e-9) {
            const double *w = trop_margin_weights(margin), norm = noun_number(margin, "norm");
            const double unit[2] = { w[0] / norm, w[1] / norm };
            /* The margin of a unit vector is off by a few u of the tokens' size, below 8; the norm
             * is larger by the gap of the solution, 1e-10 at most. */
            assert_near(norm * best, 1, 1e-10 + 1e-14 * norm);
            assert_true(noun_number(margin, "lower") * best <= 1 + 1e-14 * norm);
            assert_near(margin_of(s.x, picks, unit), best, 1e-10 * best + 1e-14);
            assert_string_equal(noun_text(margin, "outcome"), "solved");
            assert_true(noun_number(margin, "gap") <= noun_number(margin, "tolerance"));
            assert_true(noun_integer(margin, "feasible") >= 1);
            int won[N]; /* the tokens that are told, one of each input: with all others that may */
            for (int i = 0; i < N; i++) {
                const int64_t a = noun_value(margin, "alpha").integers[i];
                assert_true(picks[i] >> a & 1);
                won[i] = (int)a;
            }
            assert_near(margin_of_these(s.x, picks, won, unit), best, 1e-10 * best + 1e-14);
            solved++;
        } else if (best < -1e-9) {
            assert_string_equal(noun_text(margin, "outcome"), "infeasible");
            assert_int_equal(noun_integer(margin, "feasible"), 0);
            infeasible++;
        }
        trop_margin_free(margin);
    }
    assert_true(solved > 20 && infeasible > 5);
}

/* Several best tokens (claim mm-thm-8): keys 1 and -1 are optimal, 0 is not: the solutions are 1
 * and -1. */
static void opposite_tokens_have_two_solutions(void **state)
{
    static const double k[3] = { 1, -1, 0 }, x[3] = { 1, 1, 0 }, one[1] = { 1 };
    static const char *const select[] = { NULL, "optimal", "0|1", "1|0" };
    static struct set s;
    (void)state;

    set_hand(&s, 1, 3, 1, x);
    s.data.k = k;
    s.data.dk = 1;
    s.data.v = one;
    for (int c = 0; c < 4; c++) {
        struct trop_margin_options o = noun_options(&s);
        o.select = select[c];
        struct trop_margin *margin = noun_run(&o);
        noun_certify(margin);
        assert_near(noun_number(margin, "norm"), 1, 4e-15); /* rounded up, some 7 ulp */
        assert_near(fabs(trop_margin_weights(margin)[0]), 1, 1e-15);
        assert_int_equal(noun_integer(margin, "combinations"), 2);
        assert_int_equal(noun_integer(margin, "feasible"), 2);
        assert_int_equal(noun_integer(margin, "constraints"), 1);
        trop_margin_free(margin);
    }
}

/* Far from the origin kappa is a million, and with it what can be told. Of the two choices for
 * input 1, the better one has the smaller kappa: the other does not loosen what it is held to. */
static void the_tolerance_is_that_of_the_choice_taken(void **state)
{
    static const double x[20] = { 0, 1,  1,  0,  1,  0,  -1, 1,  0,  0,
                                  1, -1, -2, -1, -2, -1, -1, -1, -2, 0 };
    static const double y[2] = { 1, -1 };
    static const char *const select[] = { "1,0", "1,0|1", "1,1" };
    static struct set s;
    double tolerance[3], kappa[3], far[20];
    (void)state;

    for (int k = 0; k < 20; k++) {
        far[k] = x[k] + 0x1p20;
    }
    set_hand(&s, 2, 2, 5, far);
    s.data.y = y;
    s.data.labels = 1;
    for (int c = 0; c < 3; c++) {
        struct trop_margin_options o = noun_options(&s);
        o.model = TROP_MODEL_LABEL;
        o.select = select[c];
        struct trop_margin *margin = noun_run(&o);
        tolerance[c] = noun_number(margin, "tolerance");
        kappa[c] = noun_number(margin, "kappa");
        trop_margin_free(margin);
    }
    assert_true(kappa[1] == kappa[0] && kappa[2] > 1.5 * kappa[0]);
    assert_true(tolerance[1] == tolerance[0] && tolerance[2] > tolerance[0]);
}

/* Nothing is left to lose: W = 0 for any choice, and a gap of 0. */
static void a_choice_among_all_tokens_asks_nothing(void **state)
{
    static struct set s;
    (void)state;

    set_draw(&s, 1, 2, 2, 0, 5);
    struct trop_margin_options o = noun_options(&s);
    o.select = "0|1";
    struct trop_margin *margin = noun_run(&o);
    assert_string_equal(noun_text(margin, "outcome"), "solved");
    assert_true(noun_number(margin, "norm") == 0 && noun_number(margin, "gap") == 0);
    assert_true(isinf(noun_number(margin, "margin")));
    trop_margin_free(margin);
}

/* ---- stopping among choices ------------------------------------------------------------------ */

static int stop(void *context, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return (*(int64_t *)context)-- <= 0;
}

/* Token 0 is in the middle of its rivals and cannot win; token 1 can. However early the search
 * ends, it must not say that no choice can win, and its bounds hold. */
static void a_search_that_is_stopped_does_not_call_a_choice_infeasible(void **state)
{
    static const double x[4] = { 0, 3, 1, -1 };
    static struct set s;
    (void)state;

    set_hand(&s, 1, 4, 1, x);
    for (int64_t calls = 0; calls < 12; calls++) {
        struct trop_margin_options o = noun_options(&s);
        int64_t left = calls;
        o.select = "0|1";
        struct trop_margin *margin = noun_make(&o);
        enum trop_status status = trop_margin_run(margin, stop, &left);
        const int over = strcmp(noun_text(margin, "outcome"), "solved") == 0;
        assert_int_equal(status, over ? TROP_OK : TROP_ERR_STOPPED);
        assert_true(over || strcmp(noun_text(margin, "outcome"), "iteration-limit") == 0);
        assert_true(noun_number(margin, "lower") <= 0.5);
        assert_true(noun_number(margin, "upper") >= 0.5);
        assert_true(over || noun_is_null(margin, "certificate.rows"));
        assert_true(calls < 11 || over);
        assert_int_equal(trop_margin_run(margin, NULL, NULL), status); /* the answer stays */
        trop_margin_free(margin);
    }
}

static void a_list_that_is_stopped_says_how_far_it_came(void **state)
{
    static struct set s;
    int64_t stopped = 0;
    (void)state;

    set_draw(&s, 2, 3, 3, 0, 8);
    for (int64_t calls = 0; calls < 60; calls++) {
        struct trop_margin_options o = noun_options(&s);
        int64_t left = calls;
        o.enumerate = 1;
        struct trop_margin *margin = noun_make(&o);
        enum trop_status status = trop_margin_run(margin, stop, &left);
        if (status == TROP_ERR_STOPPED && strcmp(noun_text(margin, "outcome"), "solved") == 0) {
            char sentence[64];
            sprintf(sentence, "stopped after %d selections",
                    (int)noun_integer(margin, "combinations"));
            assert_non_null(strstr(trop_error(), sentence));
            assert_true(noun_integer(margin, "combinations") < 9);
            assert_int_equal(trop_margin_run(margin, NULL, NULL), TROP_ERR_STOPPED);
            stopped++;
        } else if (status == TROP_OK) {
            assert_int_equal(noun_integer(margin, "combinations"), 9);
        }
        trop_margin_free(margin);
    }
    assert_true(stopped > 0);
}

/* ---- a direction ----------------------------------------------------------------------------- */

static void a_direction_selects_its_largest_logits(void **state)
{
    static struct set s;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(20, 300); seed++) {
        double w[9], least = INFINITY;
        int64_t expected[3];
        set_draw(&s, 3, 4, 3, 1, 3000 + seed);
        normals(w, 9, 77 + seed);
        for (int64_t i = 0; i < 3; i++) {
            double logit[4];
            for (int64_t t = 0; t < 4; t++) {
                logit[t] = 0;
                for (int64_t e = 0; e < 9; e++) {
                    logit[t] += s.x[(4 * i + t) * 3 + e / 3] * w[e] * s.z[3 * i + e % 3];
                }
            }
            expected[i] = 0;
            for (int64_t t = 1; t < 4; t++) {
                expected[i] = logit[t] > logit[expected[i]] ? t : expected[i];
            }
            for (int64_t t = 0; t < 4; t++) {
                least = t == expected[i] ? least : fmin(least, logit[expected[i]] - logit[t]);
            }
        }
        struct trop_margin_options o = noun_options(&s);
        o.direction = w;
        struct trop_margin *margin = noun_run(&o);
        assert_memory_equal(noun_value(margin, "direction.alpha").integers, expected,
                            sizeof expected);
        /* Sums of 9 products below 100, rounded: 1e-13. */
        assert_near(noun_number(margin, "direction.margin"), least / noun_frobenius(w, 9), 1e-13);
        assert_int_equal(noun_integer(margin, "direction.neighbours"), 1);
        trop_margin_free(margin);
    }
}

/* Two tokens of the same logit: -1, and no margin. A direction of 0 selects nothing. */
static void tied_tokens_are_not_selected(void **state)
{
    static const double x[12] = { 1, 5, 1, -5, 0, 0, 2, 0, 1, 0, 0, 0 }, v[2] = { 1, 0.1 };
    static const double along[2] = { 3, 0 }, nowhere[2] = { 0, 0 };
    static struct set s;
    (void)state;

    set_hand(&s, 2, 3, 2, x);
    s.data.v = v;
    struct trop_margin_options o = noun_options(&s);
    o.direction = along;
    struct trop_margin *margin = noun_run(&o);
    assert_int_equal(noun_value(margin, "direction.alpha").integers[0], -1);
    assert_int_equal(noun_value(margin, "direction.alpha").integers[1], 0);
    assert_true(noun_number(margin, "direction.margin") == 0);
    assert_int_equal(noun_integer(margin, "direction.neighbours"), 0);
    assert_true(noun_is_null(margin, "direction.optimal"));
    trop_margin_free(margin);
    o.direction = nowhere;
    margin = noun_run(&o);
    assert_int_equal(noun_value(margin, "direction.alpha").integers[0], -1);
    assert_int_equal(noun_value(margin, "direction.alpha").integers[1], -1);
    trop_margin_free(margin);
}

/* The only solution of (1, 0)' p >= 1 is (1, 0) in every norm; 1 - cos is the divergence of p = 2,
 * and for w = (1, 1) that of p is 1 - 2^(1/p - 1). */
static void a_direction_is_compared_with_the_solution(void **state)
{
    static const double x[4] = { 1, 0, 0, 0 }, w[2] = { 3, 3 }, zero[2] = { 0, 0 };
    static const double twice[4] = { 1, 0, 1, 0 };
    const double expected[2] = { 1 - sqrt(0.5), 1 - exp2(-2.0 / 3) };
    static struct set s;
    (void)state;

    set_hand(&s, 1, 2, 2, x);
    struct trop_margin_options o = noun_options(&s);
    o.select = "0";
    o.direction = w;
    o.p = 3;
    for (int64_t norm = TROP_MARGIN_L2; norm <= TROP_MARGIN_LINF; norm++) {
        o.norm = norm;
        struct trop_margin *margin = noun_make(&o);
        enum trop_status status = trop_margin_run(margin, NULL, NULL);
        if (status == TROP_ERR_UNSUPPORTED &&
            (norm == TROP_MARGIN_L1 || norm == TROP_MARGIN_LINF)) {
            trop_margin_free(margin); /* a build without CLP */
            continue;
        }
        assert_ok(status);
        if (norm != TROP_MARGIN_LINF) { /* where (1, y) is a solution for |y| <= 1 */
            assert_near(noun_number(margin, "direction.cosine"), sqrt(0.5), 1e-9);
        }
        if (norm == TROP_MARGIN_L2 || norm == TROP_MARGIN_LP) {
            assert_near(noun_number(margin, "direction.bregman"), expected[norm == TROP_MARGIN_LP],
                        1e-9);
        } else {
            assert_true(noun_is_null(margin, "direction.bregman"));
        }
        trop_margin_free(margin);
    }
    o.norm = TROP_MARGIN_L2;
    o.direction = zero;
    struct trop_margin *margin = noun_run(&o);
    assert_true(noun_is_null(margin, "direction.cosine"));
    trop_margin_free(margin);
    set_hand(&s, 1, 2, 2, twice); /* no solution: the tokens are one */
    o.direction = w;
    margin = noun_run(&o);
    assert_true(noun_is_null(margin, "direction.cosine"));
    trop_margin_free(margin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_of_several_tokens_may_win),
        cmocka_unit_test(opposite_tokens_have_two_solutions),
        cmocka_unit_test(the_tolerance_is_that_of_the_choice_taken),
        cmocka_unit_test(a_choice_among_all_tokens_asks_nothing),
        cmocka_unit_test(a_search_that_is_stopped_does_not_call_a_choice_infeasible),
        cmocka_unit_test(a_list_that_is_stopped_says_how_far_it_came),
        cmocka_unit_test(a_direction_selects_its_largest_logits),
        cmocka_unit_test(tied_tokens_are_not_selected),
        cmocka_unit_test(a_direction_is_compared_with_the_solution),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
