/* test_selection_scores.c -- what scores say: best tokens, assumptions, the first step. */
#include "support.h"

#include "margin/model/selection.h"

#define MOST 1024

static double x[MOST], z[MOST], scores[MOST];
static int64_t opt[MOST];

/* n inputs of T tokens of whom only scores matter. */
static struct trop_selection_view plain(int64_t n, int64_t T)
{
    return (struct trop_selection_view){
        .inputs = n, .T = T, .rows = 1, .columns = 1, .places = 1, .key = x
    };
}

static void equal_scores_below_the_best_are_assumption_b(void **state)
{
    (void)state;
    struct trop_selection_view view = plain(2, 3);
    struct trop_selection_level out;
    double good[] = { 1, 0.5, 0.5, -2, -2, 0 }, uneven[] = { 1, 0.5, 0.5, -2, -2.5, 0 };
    double tied[] = { 1, 0.5, 0.5, 0, 0, -2 }, flat[] = { 1, 0.5, 0.5, 0, 0, 0 };

    trop_selection_level(&out, &view, good, 0);
    assert_true(out.answer == TROP_SELECTION_YES && out.spread == 0 && out.gap == 0.5);
    trop_selection_level(&out, &view, good, 1e-12);
    assert_int_equal(out.answer, TROP_SELECTION_AMBIGUOUS);
    trop_selection_level(&out, &view, uneven, 0);
    assert_true(out.answer == TROP_SELECTION_NO && out.spread == 0.5);
    trop_selection_level(&out, &view, uneven, 0.5);
    assert_int_equal(out.answer, TROP_SELECTION_AMBIGUOUS);
    trop_selection_level(&out, &view, tied, 0);
    assert_true(out.answer == TROP_SELECTION_NO && out.gap == 0);
    trop_selection_level(&out, &view, flat, 0);
    assert_true(out.answer == TROP_SELECTION_NO && out.gap == 0);
    view.T = 2; /* two tokens: nothing to be equal to */
    trop_selection_level(&out, &view, uneven, 1e-12);
    assert_int_equal(out.answer, TROP_SELECTION_YES);
    view.T = 1;
    trop_selection_level(&out, &view, good, 0);
    assert_true(out.answer == TROP_SELECTION_YES && isinf(out.gap));
}

/* The loss of uniform mixtures lies where the constants say. */
static void mixing_hurts_a_linear_head(void **state)
{
    (void)state;
    struct trop_selection_view view = plain(2, 4);
    struct trop_selection_mixing out;
    double values[] = { 3, 1, 3, 2.5, -1, -4, -2, -1 };

    trop_selection_mixing(&out, &view, values, 0);
    assert_true(out.answer == TROP_SELECTION_YES && out.low == 0.5 && out.high == 3);
    trop_selection_mixing(&out, &view, values, 0.5);
    assert_int_equal(out.answer, TROP_SELECTION_AMBIGUOUS);
    memset(values, 0, sizeof values);
    trop_selection_mixing(&out, &view, values, 0);
    assert_true(out.answer == TROP_SELECTION_YES && isinf(out.low) && out.high == 0);
}

/* P1's example of assumption C: tokens y_i a, and shorter ones: nu = |a| - max |x|. */
static void the_label_margin_shrinks_by_the_difference_of_lengths(void **state)
{
    (void)state;
    double tokens[] = { 3, 4, 1, 1, 0, -2, -3, -4 }, labels[] = { 1, -1 };
    int64_t select[] = { 0, 1 };
    struct trop_data data = { .n = 2, .T = 2, .d = 2, .x = tokens, .y = labels, .labels = 1 };
    struct trop_selection_shrinkage out;

    trop_selection_shrinkage(&out, &data, select, 2);
    assert_int_equal(out.answer, TROP_SELECTION_YES);
    assert_near(out.nu, 3, 1e-15);
    trop_selection_shrinkage(&out, &data, select, 1);
    assert_near(out.nu, 5, 1e-15);
    trop_selection_shrinkage(&out, &data, select, INFINITY);
    assert_true(out.answer == TROP_SELECTION_YES && out.nu == 2);
    trop_selection_shrinkage(&out, &data, select, 3);
    assert_near(out.nu, cbrt(27 + 64) - 2, 1e-14);
    tokens[2] = 5;
    tokens[3] = 0;
    trop_selection_shrinkage(&out, &data, select, 2);
    assert_true(out.answer == TROP_SELECTION_AMBIGUOUS && isnan(out.nu));
    tokens[3] = 1;
    trop_selection_shrinkage(&out, &data, select, 2);
    assert_true(out.answer == TROP_SELECTION_UNDECIDABLE && isnan(out.nu));
    tokens[2] = 1;
    labels[1] = 1;
    trop_selection_shrinkage(&out, &data, select, 2);
    assert_int_equal(out.answer, TROP_SELECTION_UNDECIDABLE);
    data.y = NULL;
    trop_selection_shrinkage(&out, &data, select, 2);
    assert_int_equal(out.answer, TROP_SELECTION_UNDECIDABLE);
}

/* ---- the first step -------------------------------------------------------------------------- */

static double exponential(double u)
{
    return -exp(-u);
}

static double correlation(double u)
{
    (void)u;
    return -1;
}

/* (x_t - x_opt)' grad L(0) z_i by the definition of the gradient, sum_j l'_j X_j' S'(0) gamma_j
 * z_j', S'(0) = I/T - 1 1'/T^2 written out. */
static long double parting(int64_t n, int64_t T, int64_t d, int64_t i, int64_t t, int loss)
{
    long double total = 0;
    for (int64_t j = 0; j < n; j++) {
        long double mean = 0, inner = 0, along = 0;
        for (int64_t s = 0; s < T; s++) {
            mean += (long double)scores[j * T + s] / T;
        }
        for (int64_t c = 0; c < d; c++) {
            inner += (long double)z[j * d + c] * z[i * d + c];
        }
        for (int64_t s = 0; s < T; s++) {
            for (int64_t r = 0; r < T; r++) {
                long double soft = (s == r ? 1.0L / T : 0) - 1.0L / (T * T);
                for (int64_t c = 0; c < d; c++) {
                    long double step =
                        (long double)x[(i * T + t) * d + c] - x[(i * T + opt[i]) * d + c];
                    along += step * x[(j * T + s) * d + c] * soft * scores[j * T + r];
                }
            }
        }
        long double slope = loss == 0 ? -1 / (1 + expl(mean)) : loss == 1 ? -expl(-mean) : -1;
        total += slope * along * inner / n;
    }
    return total;
}

static void the_first_step_separates_as_its_definition_says(void **state)
{
    (void)state;
    double (*const slopes[])(double) = { NULL, exponential, correlation };
    int64_t yes = 0, no = 0;
    for (uint64_t seed = 0; seed < (uint64_t)cases(300, 10000); seed++) {
        const int64_t n = 1 + whole(seed, 1, 4), T = 1 + whole(seed, 2, 4);
        const int64_t d = 1 + whole(seed, 3, 12);
        const int loss = (int)(seed % 3);
        struct trop_data data = { .n = n, .T = T, .d = d, .x = x, .z = z, .queries = 1 };
        struct trop_selection_view view = trop_selection_view_of(&data, TROP_MODEL_CROSS, 0, 0);
        struct trop_selection_step out;
        long double least = INFINITY;
        normals(x, n * T * d, seed);
        normals(z, n * d, seed + 1000000);
        normals(scores, n * T, seed + 2000000);
        for (int64_t i = 0; i < n; i++) {
            opt[i] = 0;
            for (int64_t t = 1; t < T; t++) {
                opt[i] = scores[i * T + t] > scores[i * T + opt[i]] ? t : opt[i];
            }
        }
        for (int64_t k = 0; k < n * T; k++) {
            long double value =
                k % T == opt[k / T] ? INFINITY : parting(n, T, d, k / T, k % T, loss);
            least = value < least ? value : least;
        }
        assert_ok(trop_selection_step(&out, &view, scores, opt, slopes[loss]));
        if (T == 1) {
            assert_true(out.answer == TROP_SELECTION_YES && isinf(out.least) && out.input == -1);
            continue;
        }
        /* A few hundred roundings of numbers below 100. */
        assert_near(out.least, (double)least, 1e-11);
        assert_near((double)parting(n, T, d, out.input, out.token, loss), (double)least, 1e-11);
        assert_int_equal(out.answer, least > 0 ? TROP_SELECTION_YES : TROP_SELECTION_NO);
        yes += least > 0;
        no += least < 0;
    }
    assert_true(yes > 30 && no > 30);
}

/* Two tokens x and -x of one input: the first step moves along x gamma, whatever the loss; with
 * equal scores it does not move, and with scores that differ by rounding nobody can say. */
static void a_first_step_within_rounding_is_ambiguous(void **state)
{
    (void)state;
    struct trop_data data = { .n = 1, .T = 2, .d = 1, .x = x, .z = z, .queries = 1 };
    struct trop_selection_view view = trop_selection_view_of(&data, TROP_MODEL_CROSS, 0, 0);
    struct trop_selection_step out;

    x[0] = 1;
    x[1] = -1;
    z[0] = 1;
    opt[0] = 0;
    scores[0] = 1;
    scores[1] = 0;
    assert_ok(trop_selection_step(&out, &view, scores, opt, correlation));
    /* grad = -(1/2)(1/2 (1) + (-1/2)(-1)) = -1/2; (x_1 - x_0) grad = 1. */
    assert_true(out.answer == TROP_SELECTION_YES && out.least == 1 && out.token == 1);
    scores[1] = 1 - 0x1p-53;
    assert_ok(trop_selection_step(&out, &view, scores, opt, NULL));
    assert_int_equal(out.answer, TROP_SELECTION_AMBIGUOUS);
    scores[1] = 1;
    assert_ok(trop_selection_step(&out, &view, scores, opt, NULL));
    assert_int_equal(out.answer, TROP_SELECTION_AMBIGUOUS);
    x[1] = 1; /* the same token twice: no step parts them */
    assert_ok(trop_selection_step(&out, &view, scores, opt, NULL));
    assert_int_equal(out.answer, TROP_SELECTION_NO);
}

/* ---- all selections -------------------------------------------------------------------------- */

static void every_selection_comes_once(void **state)
{
    (void)state;
    struct trop_selection_view view = plain(4, 3);
    int64_t alpha[4] = { 0 }, number = 0;

    assert_int_equal(trop_selection_count(&view, 1000000), 81);
    assert_int_equal(trop_selection_count(&view, 81), 81);
    assert_int_equal(trop_selection_count(&view, 80), -1);
    do {
        /* In the order of the numbers they write in base 3. */
        assert_int_equal(27 * alpha[0] + 9 * alpha[1] + 3 * alpha[2] + alpha[3], number);
        number++;
    } while (trop_selection_next(alpha, &view));
    assert_int_equal(number, 81);
    assert_true(!alpha[0] && !alpha[1] && !alpha[2] && !alpha[3]);
    view = plain(400, 1000);
    assert_int_equal(trop_selection_count(&view, INT64_MAX), -1);
    view = plain(3, 3);
    view.places = 3;
    view.causal = 1;
    assert_int_equal(trop_selection_count(&view, 100), 6);
    for (number = 1; trop_selection_next(alpha, &view); number++) {
        assert_true(alpha[0] == 0 && alpha[1] <= 1 && alpha[2] <= 2);
    }
    assert_int_equal(number, 6);
}

static void answers_join(void **state)
{
    (void)state;
    const int64_t order[] = { TROP_SELECTION_NO, TROP_SELECTION_UNDECIDABLE,
                              TROP_SELECTION_AMBIGUOUS, TROP_SELECTION_YES };
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            assert_int_equal(trop_selection_both(order[a], order[b]), order[a < b ? a : b]);
        }
    }
    assert_int_equal(trop_selection_passes(0, 0), TROP_SELECTION_NO);
    assert_int_equal(trop_selection_passes(0x1p-1074, 0), TROP_SELECTION_YES);
    assert_int_equal(trop_selection_passes(-0.5, 0.5), TROP_SELECTION_AMBIGUOUS);
    assert_int_equal(trop_selection_passes(-0.6, 0.5), TROP_SELECTION_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_scores_below_the_best_are_assumption_b),
        cmocka_unit_test(mixing_hurts_a_linear_head),
        cmocka_unit_test(the_label_margin_shrinks_by_the_difference_of_lengths),
        cmocka_unit_test(the_first_step_separates_as_its_definition_says),
        cmocka_unit_test(a_first_step_within_rounding_is_ambiguous),
        cmocka_unit_test(every_selection_comes_once),
        cmocka_unit_test(answers_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
