/* test_tolerance.c -- thresholds of epsilon against rational numbers, sets and runs. */
#include "support.h"

#include "alloc_failing.c"
#include "shape/graph.h"
#include "shape/tolerance.h"

#include <gmp.h>

#define MOST 40
#define WIDE 70

static double x[MOST * WIDE], b[WIDE * WIDE], shares[MOST];
static struct trop_attend *attend;

static void load(int64_t n, int64_t d, const struct trop_matrix *matrix, double epsilon)
{
    struct trop_rule_numbers numbers = { .rule = &trop_rule_localmax, .epsilon = epsilon };
    assert_ok(trop_attend_create(&attend, n, d, 1, trop_kernel_choose(0), 0));
    assert_ok(trop_attend_load(attend, x, NULL, n, matrix, &numbers));
}

static struct trop_tolerance thresholds(int64_t n, int64_t d, const struct trop_matrix *matrix)
{
    struct trop_tolerance out;
    load(n, d, matrix, 1);
    assert_ok(trop_tolerance_find(&out, attend, matrix));
    trop_attend_free(attend);
    return out;
}

/* Pairs (i, j), j in C_i, at epsilon. */
static int64_t pairs_at(int64_t n, int64_t d, const struct trop_matrix *matrix, double epsilon)
{
    int64_t pairs = 0;
    load(n, d, matrix, epsilon);
    for (int64_t i = 0; i < n; i++) {
        assert_ok(trop_attend_weights(shares, attend, i));
        for (int64_t j = 0; j < n; j++) {
            pairs += shares[j] > 0;
        }
    }
    trop_attend_free(attend);
    return pairs;
}

/* 0: Gaussian, 1: a lattice with ties and duplicates, 2: tiny and far, in ulps, 3: huge, 4: tiny,
 * 5: one point. */
static void fill(int kind, int64_t n, int64_t d, uint64_t seed)
{
    normals(x, n * d, seed);
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = kind == 1   ? floor(2 * x[k])
               : kind == 2 ? 1 + 0x1p-52 * floor(3 * x[k]) /* scores tie but for rounding */
               : kind == 3 ? 1e150 * x[k]
               : kind == 4 ? 1e-158 * x[k] /* scores are subnormal */
               : kind == 5 ? 0.1
                           : x[k];
    }
}

/* Exact scores of row i; B = I, or whole numbers on a lattice, so that B x is exact. */
static void exact_row(mpq_t *score, int64_t n, int64_t d, const struct trop_matrix *matrix,
                      int64_t i)
{
    mpq_t y, t;
    mpq_inits(y, t, NULL);
    for (int64_t j = 0; j < n; j++) {
        mpq_set_ui(score[j], 0, 1);
        for (int64_t a = 0; a < d; a++) {
            mpq_set_d(y, matrix->values ? 0 : x[i * d + a]);
            for (int64_t c = 0; matrix->values && c < d; c++) {
                mpq_set_d(t, matrix->values[a * d + c] * x[i * d + c]);
                mpq_add(y, y, t);
            }
            mpq_set_d(t, x[j * d + a]);
            mpq_mul(t, t, y);
            mpq_add(score[j], score[j], t);
        }
    }
    mpq_clears(y, t, NULL);
}

/* value is the least double that is not below exact. */
static void assert_rounded_up(double value, mpq_t exact)
{
    mpq_t t;
    mpq_init(t);
    mpq_set_d(t, value);
    assert_true(mpq_cmp(t, exact) >= 0);
    if (value > 0) {
        mpq_set_d(t, nextafter(value, -INFINITY));
        assert_true(mpq_cmp(t, exact) < 0);
    }
    mpq_clear(t);
}

static void check_exactly(int64_t n, int64_t d, const struct trop_matrix *matrix)
{
    struct trop_tolerance found = thresholds(n, d, matrix);
    mpq_t score[MOST], complete, first, gap;
    int any = 0;

    mpq_inits(complete, first, gap, NULL);
    for (int64_t j = 0; j < n; j++) {
        mpq_init(score[j]);
    }
    for (int64_t i = 0; i < n; i++) {
        exact_row(score, n, d, matrix, i);
        int64_t best = 0;
        for (int64_t j = 1; j < n; j++) {
            best = mpq_cmp(score[j], score[best]) > 0 ? j : best;
        }
        for (int64_t j = 0; j < n; j++) {
            mpq_sub(gap, score[best], score[j]);
            if (mpq_cmp(gap, complete) > 0) {
                mpq_set(complete, gap);
            }
            if (mpq_sgn(gap) > 0 && (!any || mpq_cmp(gap, first) < 0)) {
                mpq_set(first, gap);
                any = 1;
            }
        }
    }
    assert_rounded_up(found.complete, complete);
    assert_true(any || found.first == INFINITY);
    if (any) {
        assert_rounded_up(found.first, first);
    }
    for (int64_t j = 0; j < n; j++) {
        mpq_clear(score[j]);
    }
    mpq_clears(complete, first, gap, NULL);
}

static void gaps_are_those_of_rational_numbers(void **state)
{
    (void)state;
    struct trop_matrix identity = { .scale = 1 };
    for (uint64_t seed = 0; seed < (uint64_t)cases(120, 3000); seed++) {
        int64_t n = 1 + whole(seed, 0, 14), d = 1 + whole(seed, 1, 4);
        int kind = (int)(seed % 6);
        struct trop_matrix matrix = { .scale = NAN, .values = b };
        fill(kind, n, d, seed);
        for (int64_t k = 0; k < d * d; k++) {
            b[k] = (double)(whole(seed, (uint64_t)(50 + k), 7) - 3);
        }
        check_exactly(n, d, kind == 1 && seed % 4 ? &matrix : &identity);
    }
}

static void sets_change_where_the_thresholds_say(void **state)
{
    (void)state;
    struct trop_matrix identity = { .scale = 1 };
    for (uint64_t seed = 0; seed < (uint64_t)cases(120, 3000); seed++) {
        int64_t n = 2 + whole(seed, 0, 30), d = 1 + whole(seed, 1, 5);
        int kind = (int)(seed % 5);
        fill(kind, n, d, seed);
        struct trop_tolerance t = thresholds(n, d, &identity);
        assert_int_equal(pairs_at(n, d, &identity, t.complete), n * n);
        if (t.complete > 0) {
            assert_true(pairs_at(n, d, &identity, nextafter(t.complete, 0)) < n * n);
        }
        int64_t hard = pairs_at(n, d, &identity, 0);
        if (t.first < INFINITY) {
            assert_true(pairs_at(n, d, &identity, t.first) > hard);
            assert_int_equal(pairs_at(n, d, &identity, nextafter(t.first, 0)), hard);
        }
    }
}

/* ---- consensus ------------------------------------------------------------------- */

/* max (x_i - x_j)' B (x_i - x_j) / 2 in long double. */
static long double plain_bound(int64_t n, int64_t d, const struct trop_matrix *matrix)
{
    long double most = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            long double form = 0;
            for (int64_t a = 0; a < d; a++) {
                long double y = 0;
                for (int64_t c = 0; c < d; c++) {
                    long double e =
                        matrix->values ? matrix->values[a * d + c] : (a == c ? matrix->scale : 0);
                    y += e * ((long double)x[i * d + c] - x[j * d + c]);
                }
                form += y * ((long double)x[i * d + a] - x[j * d + a]);
            }
            most = form > most ? form : most;
        }
    }
    return most / 2;
}

/* B = G'G + a skew part, for G (rank, d). */
static void positive(int64_t d, int64_t rank, double skew, uint64_t seed)
{
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) {
            double sum = 0;
            for (int64_t k = 0; k < rank; k++) {
                sum += normal(seed, (uint64_t)(900 + k * d + i)) *
                       normal(seed, (uint64_t)(900 + k * d + j));
            }
            b[i * d + j] = sum + (i < j ? skew : i > j ? -skew : 0);
        }
    }
}

static void positive_forms_are_largest_at_tokens(void **state)
{
    (void)state;
    struct trop_matrix matrix = { .scale = NAN, .values = b }, identity = { .scale = 1.7 };
    int wide = strcmp(trop_lapack_core(), "none") != 0;
    for (uint64_t seed = 0; seed < (uint64_t)cases(60, 1500); seed++) {
        int64_t n = 1 + whole(seed, 0, 20),
                d = wide && seed % 20 == 0 ? WIDE : 1 + whole(seed, 1, 6);
        int kind = (int)(seed % 3);
        fill(kind, n, d, seed);
        /* Of full rank, or singular: then it takes the margin of the eigenvalues. */
        positive(d, 1 + whole(seed, 2, d), seed % 2 ? 0.3 : 0, seed);
        for (int k = 0; k < 2; k++) {
            const struct trop_matrix *at = k ? &identity : &matrix;
            long double truth = plain_bound(n, d, at), diameter = 0, size = k ? 1.7L : 0;
            struct trop_matrix unit = { .scale = 1 };
            for (int64_t c = 0; !k && c < d * d; c++) {
                size += (long double)b[c] * b[c];
            }
            size = k ? size : sqrtl(size);
            diameter = plain_bound(n, d, &unit);
            double found = thresholds(n, d, at).consensus;
            /* Above the truth, by no more than the margins of the file's comment: 64 d u |B|
             * for the eigenvalues, twice (8 d + 20) u d with row sums of at most sqrt(d) |B|. */
            double margin = (double)((64 * d + 2 * (8 * d + 40) * d * sqrtl((long double)d)) *
                                     0x1p-53L * size * 4 * diameter) +
                            0x1p-1050;
            assert_true(found >= truth * (1 - 0x1p-60L));
            assert_true(found <= truth * (1 + (double)(d + 8) * 0x1p-49L) + margin);
        }
    }
}

static void other_forms_are_bounded(void **state)
{
    (void)state;
    struct trop_matrix matrix = { .scale = NAN, .values = b }, minus = { .scale = -2 };
    int64_t n = 12, d = 3;
    double skew[] = { 0, 1, -2, -1, 0, 3, 2, -3, 0 }, saddle[] = { 1, 0, 0, 0, -4, 0, 0, 0, 0 };

    fill(0, n, d, 3);
    assert_true(thresholds(n, d, &minus).consensus == 0);
    memcpy(b, skew, sizeof skew);
    assert_true(thresholds(n, d, &matrix).consensus == 0);
    positive(d, d, 0.5, 4);
    for (int k = 0; k < 9; k++) {
        b[k] = -b[k];
    }
    assert_true(thresholds(n, d, &matrix).consensus == 0);
    /* A saddle: the form over K, sampled, stays below, and the bound below lambda diam^2/2. */
    for (uint64_t seed = 0; seed < (uint64_t)cases(20, 200); seed++) {
        struct trop_matrix unit = { .scale = 1 };
        fill(0, n, d, seed);
        memcpy(b, saddle, sizeof saddle);
        for (int k = 0; seed % 2 && k < 9; k++) {
            b[k] += 0.5 * normal(seed, (uint64_t)(700 + k));
        }
        double found = thresholds(n, d, &matrix).consensus, size = 0;
        for (int k = 0; k < 9; k++) {
            size += b[k] * b[k];
        }
        assert_true(found <= sqrt(size) * (double)plain_bound(n, d, &unit) * 1.001);
        for (uint64_t sample = 0; sample < 400; sample++) {
            double t[3] = { 0 }, weights = 0, form = 0;
            for (int side = -1; side <= 1; side += 2) {
                double w[12], total = 0;
                for (int i = 0; i < n; i++) {
                    /* Near faces: most weights are small. */
                    double u = uniform(seed * 1000 + sample, (uint64_t)(i + 20 * (side + 1)));
                    w[i] = u * u * u * u * u * u * u * u;
                    total += w[i];
                }
                for (int i = 0; i < n; i++) {
                    for (int c = 0; c < d; c++) {
                        t[c] += side * w[i] / total * x[i * d + c];
                    }
                }
                weights += total;
            }
            for (int a = 0; a < d; a++) {
                for (int c = 0; c < d; c++) {
                    form += t[a] * b[a * d + c] * t[c];
                }
            }
            assert_true(weights > 0 && form / 2 <= found);
        }
    }
    /* On the diagonal saddle alone: sup of t_1^2 / 2, from the widest in the first coordinate. */
    double low = INFINITY, high = -INFINITY;
    fill(0, n, d, 77);
    memcpy(b, saddle, sizeof saddle);
    for (int i = 0; i < n; i++) {
        low = fmin(low, x[i * d]);
        high = fmax(high, x[i * d]);
    }
    double found = thresholds(n, d, &matrix).consensus, wide = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double p = x[i * d] - x[j * d], r = x[i * d + 2] - x[j * d + 2];
            wide = fmax(wide, (5 * p * p + 4 * r * r) / 2); /* A + 4 I */
        }
    }
    struct trop_matrix unit = { .scale = 1 };
    double truth = fmin(wide, (double)plain_bound(n, d, &unit));
    assert_near(found / truth, 1, 1e-12);
    assert_true(found >= (high - low) * (high - low) / 2);
}

static void above_the_bound_tokens_meet(void **state)
{
    (void)state;
    /* lm-thm-t4b, lm-thm-t4c: constant epsilon just above the bound, or small with A <= 0. */
    double start[20];
    for (uint64_t seed = 0; seed < (uint64_t)cases(60, 1500); seed++) {
        struct trop_matrix matrix = { .scale = NAN, .values = b };
        struct trop_matrix skew = { .scale = NAN, .values = (double[]){ -0.2, 1, -1, 0 } };
        int negative = seed % 3 == 2;
        fill(0, 10, 2, seed);
        positive(2, 2, seed % 3 ? 0.4 : 0, seed);
        memcpy(start, x, sizeof start);
        const struct trop_matrix *at = negative ? &skew : &matrix;
        double bound = thresholds(10, 2, at).consensus;
        struct trop_flow_options o = options_of(start, 10, 2, "localmax");
        o.epsilon = constant(negative ? 0.05 : bound * 1.0001);
        o.cloud.key_query = *at;
        o.until = TROP_UNTIL_CONVERGED;
        o.steps = (struct trop_count){ 20000, 4.3 };
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_run(flow, NULL, NULL));
        assert_true(number_of(flow, "converged") == 1);
        assert_true(number_of(flow, "clusters") == 1);
        assert_true(!negative || bound == 0);
        trop_flow_free(flow);
    }
}

/* ---- refusals -------------------------------------------------------------------- */

static void one_token_changes_its_mind_never(void **state)
{
    (void)state;
    struct trop_matrix identity = { .scale = 1 };
    fill(0, 1, 3, 1);
    struct trop_tolerance t = thresholds(1, 3, &identity);
    assert_true(t.complete == 0 && t.consensus == 0 && t.first == INFINITY);
}

static void numbers_past_double_are_infinite(void **state)
{
    (void)state;
    struct trop_matrix identity = { .scale = 1 };
    double far[] = { 1e200, -1e200 }, wide[] = { 1.5e308, -1.5e308 };
    memcpy(x, far, sizeof far);
    struct trop_tolerance t = thresholds(2, 1, &identity);
    assert_true(t.complete == INFINITY && t.consensus == INFINITY && t.first == INFINITY);
    memcpy(x, wide, sizeof wide);
    t = thresholds(2, 1, &identity);
    assert_true(t.complete == INFINITY && t.consensus == INFINITY && t.first == INFINITY);
}

static void masks_and_forms_without_thresholds_are_refused(void **state)
{
    (void)state;
    struct trop_matrix identity = { .scale = 1 };
    struct trop_tolerance out = { .complete = 7, .consensus = 7, .first = 7 };
    struct trop_rule_numbers numbers = { .rule = &trop_rule_localmax, .mask = TROP_MASK_CAUSAL };
    fill(0, 4, 2, 1);
    assert_ok(trop_attend_create(&attend, 4, 2, 1, trop_kernel_choose(0), 1));
    assert_ok(trop_attend_load(attend, x, NULL, 4, &identity, &numbers));
    assert_int_equal(trop_tolerance_find(&out, attend, &identity), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "mask = causal"));
    numbers.mask = TROP_MASK_FULL;
    numbers.form = TROP_FORM_COSINE;
    assert_ok(trop_attend_load(attend, x, NULL, 4, &identity, &numbers));
    assert_int_equal(trop_tolerance_find(&out, attend, &identity), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "form = cosine"));
    assert_true(out.complete == 7 && out.first == 7);
    trop_attend_free(attend);
}

static enum trop_status attempt(void)
{
    struct trop_matrix matrix = { .scale = NAN, .values = b };
    struct trop_tolerance out;
    return trop_tolerance_find(&out, attend, &matrix);
}

static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    struct trop_matrix matrix = { .scale = NAN, .values = b };
    fill(0, 9, 3, 1);
    positive(3, 3, 0.1, 1);
    load(9, 3, &matrix, 1);
    alloc_refuse_each(attempt);
    trop_attend_free(attend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_those_of_rational_numbers),
        cmocka_unit_test(sets_change_where_the_thresholds_say),
        cmocka_unit_test(positive_forms_are_largest_at_tokens),
        cmocka_unit_test(other_forms_are_bounded),
        cmocka_unit_test(above_the_bound_tokens_meet),
        cmocka_unit_test(one_token_changes_its_mind_never),
        cmocka_unit_test(numbers_past_double_are_infinite),
        cmocka_unit_test(masks_and_forms_without_thresholds_are_refused),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
