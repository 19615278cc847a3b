/* test_selection.c -- which tokens a direction selects, against brute force in long double and
 * whole numbers. */
#include "support.h"

#include "margin/model/selection.h"

#include "alloc_failing.c"

#define MOST 2048

static double x[MOST], z[MOST], w[MOST], scores[MOST], margins[MOST];
static int64_t alpha[MOST], neighbour[MOST];

static const struct trop_selection_found found = { alpha, margins, neighbour };

/* ---- directions ------------------------------------------------------------------------------ */

/* Model k = 0 .. 4: prompt, cross, self, sequence, causal sequence. */
static struct trop_selection_view view_of(int k, int64_t n, int64_t T, int64_t d, int64_t row)
{
    static const int64_t models[] = { TROP_MODEL_PROMPT, TROP_MODEL_CROSS, TROP_MODEL_SELF,
                                      TROP_MODEL_SEQUENCE, TROP_MODEL_SEQUENCE };
    struct trop_data data = { .n = n, .T = T, .d = d, .x = x, .z = z, .queries = k < 3 ? 1 : T };

    return trop_selection_view_of(&data, models[k], k == 4 ? TROP_MASK_CAUSAL : TROP_MASK_FULL,
                                  row);
}

/* The logit of token t of input i (place i % T of input i / T, of sequences) of model k. */
static long double logit(int k, int64_t T, int64_t d, int64_t row, int64_t i, int64_t t)
{
    const int64_t from = k < 3 ? i : i / T;
    long double sum = 0;
    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = 0; b < (k == 0 ? 1 : d); b++) {
            double asking = k == 0 ? 1 : k == 2 ? x[(i * T + row) * d + b] : z[i * d + b];
            sum += (long double)x[(from * T + t) * d + a] * w[a * (k == 0 ? 1 : d) + b] * asking;
        }
    }
    return sum;
}

/* Draws data; whole numbers from -1 to 1 when lattice, so that long double sums are exact. */
static void draw(int lattice, int64_t n, int64_t T, int64_t d, uint64_t seed)
{
    double *arrays[] = { x, z, w, scores };
    int64_t counts[] = { n * T * d, n * T * d, d * d, n * T * T };
    for (int k = 0; k < 4; k++) {
        normals(arrays[k], counts[k], 4 * seed + (uint64_t)k);
        for (int64_t c = 0; lattice && c < counts[k]; c++) {
            arrays[k][c] = (double)(whole(4 * seed + (uint64_t)k, (uint64_t)c, 3) - 1);
        }
    }
}

/* Against the definitions. Returns how many inputs are tied. */
static int64_t check_look(int k, int64_t n, int64_t T, int64_t d, uint64_t seed)
{
    const int64_t row = whole(seed, 7, T);
    const struct trop_selection_view view = view_of(k, n, T, d, row);
    struct trop_selection_direction out;
    long double least = INFINITY, norm = 0;
    int64_t tied = 0, neighbours = 0, lower = 1;

    for (int64_t c = 0; c < (k == 0 ? d : d * d); c++) {
        norm += (long double)w[c] * w[c];
    }
    norm = sqrtl(norm);
    assert_int_equal(view.inputs, k < 3 ? n : n * T);
    assert_ok(trop_selection_look(&out, &found, &view, w, (double)norm, 1e-9, scores, 0));
    for (int64_t i = 0; i < view.inputs; i++) {
        const int64_t seen = k == 4 ? i % T + 1 : T;
        int64_t first = 0, many = 0;
        for (int64_t t = 0; t < seen; t++) {
            first = logit(k, T, d, row, i, t) > logit(k, T, d, row, i, first) ? t : first;
        }
        for (int64_t t = 0; t < seen; t++) {
            many += logit(k, T, d, row, i, t) == logit(k, T, d, row, i, first);
        }
        tied += many > 1;
        assert_int_equal(alpha[i], many > 1 ? -1 : first);
        for (int64_t t = 0; t < T; t++) {
            if (many > 1 || t >= seen) {
                assert_true(isnan(margins[i * T + t]));
                continue;
            }
            long double lead = logit(k, T, d, row, i, first) - logit(k, T, d, row, i, t);
            /* Terms of size below 100, 2 d roundings. */
            assert_near(margins[i * T + t], norm > 0 ? (double)(lead / norm) : 0, 1e-12);
            least = t != first && lead < least ? lead : least;
        }
    }
    assert_int_equal(out.undecided, tied);
    if (tied > 0) {
        assert_true(out.margin == 0 && out.neighbours == 0);
        assert_int_equal(out.optimal, TROP_SELECTION_UNDECIDABLE);
        return tied;
    }
    for (int64_t j = 0; j < view.inputs * T; j++) {
        const int64_t i = j / T;
        int near = j % T != alpha[i] && !isnan(margins[j]) &&
                   (logit(k, T, d, row, i, alpha[i]) - logit(k, T, d, row, i, j % T)) <=
                       least * (1 + 1e-9L) + 1e-14L;
        assert_int_equal(neighbour[j], near);
        neighbours += near;
        lower &= !near || scores[j] < scores[i * T + alpha[i]];
    }
    assert_int_equal(out.neighbours, neighbours);
    assert_int_equal(out.optimal, lower ? TROP_SELECTION_YES : TROP_SELECTION_NO);
    if (neighbours > 0) {
        assert_near(out.margin, (double)(least / norm), 1e-12);
        assert_true(neighbour[out.input * T + out.token]);
        assert_true(out.gap ==
                    scores[out.input * T + alpha[out.input]] - scores[out.input * T + out.token]);
    } else {
        assert_true(isinf(out.margin) && isinf(out.gap) && out.input == -1);
    }
    return 0;
}

static void a_direction_selects_what_brute_force_selects(void **state)
{
    (void)state;
    int64_t ties = 0;
    for (uint64_t seed = 0; seed < (uint64_t)cases(60, 3000); seed++) {
        for (int k = 0; k < 5; k++) {
            const int64_t n = 1 + whole(seed, 1, 4), T = 1 + whole(seed, 2, 5);
            const int64_t d = 1 + whole(seed, 3, 5);
            draw(0, n, T, d, seed);
            assert_int_equal(check_look(k, n, T, d, seed), 0);
            draw(1, n, T, d, seed);
            ties += check_look(k, n, T, d, seed);
        }
    }
    assert_true(ties > 100);
}

/* Logits 2^53 + 1 + e and 2^53 + 1 of terms that double adds up to the same. */
static void a_lead_below_rounding_is_decided(void **state)
{
    (void)state;
    double key[] = { 1, 1, 1, 1, 1 + 0x1p-52, 1, 1, 1 - 0x1p-53, 1 };
    const struct trop_selection_view view = {
        .inputs = 1, .T = 3, .rows = 3, .columns = 3, .places = 1, .key = key, .query = z, .step = 3
    };
    struct trop_selection_direction out;
    double sums[] = { 0x1p70, 1, -0x1p70 };

    for (int64_t c = 0; c < 9; c++) {
        w[c] = sums[c / 3];
        z[c] = 1;
    }
    assert_ok(trop_selection_look(&out, &found, &view, w, 1, 0, NULL, 0));
    assert_int_equal(alpha[0], 1);
    assert_int_equal(out.optimal, TROP_SELECTION_UNDECIDABLE);
    key[4] = 1;
    assert_ok(trop_selection_look(&out, &found, &view, w, 1, 0, NULL, 0));
    assert_int_equal(alpha[0], -1);
    assert_int_equal(out.undecided, 1);
    /* Logits that overflow are compared all the same. */
    key[4] = 1 + 0x1p-52;
    w[0] = w[1] = w[2] = 1e308;
    w[6] = w[7] = w[8] = -1e308;
    assert_ok(trop_selection_look(&out, &found, &view, w, 1, 0, NULL, 0));
    assert_int_equal(alpha[0], 1);
    /* Every array may be left out. */
    const struct trop_selection_found nothing = { 0 };
    assert_ok(trop_selection_look(&out, &nothing, &view, w, 1, 0, NULL, 0));
}

static enum trop_status attempt_look(void)
{
    const struct trop_selection_found nothing = { 0 };
    const struct trop_selection_view view = view_of(1, 2, 3, 2, 0);
    struct trop_selection_direction out;

    return trop_selection_look(&out, &nothing, &view, w, 1, 0, scores, 0);
}

static enum trop_status attempt_step(void)
{
    static const int64_t zeros[2] = { 0 };
    const struct trop_selection_view view = view_of(1, 2, 3, 2, 0);
    struct trop_selection_step out;

    return trop_selection_step(&out, &view, scores, zeros, NULL);
}

static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    alloc_refuse_each(attempt_look);
    alloc_refuse_each(attempt_step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_direction_selects_what_brute_force_selects),
        cmocka_unit_test(a_lead_below_rounding_is_decided),
        cmocka_unit_test(every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
