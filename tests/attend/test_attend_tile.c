/* test_attend_tile.c -- tiles of rows: the same bits as single rows, on every instruction set,
 * in either precision, and errors within their bounds. */
#include "support.h"

#include "attend/attend_internal.h"
#include "attend/decide.h"
#include "base/math/exp.h"

#define MOST 700
#define WIDEST 40

static double x[MOST * WIDEST], mass[MOST], one[MOST * WIDEST], two[MOST * WIDEST];
static struct trop_attend_note note_one[MOST], note_two[MOST];

/* ---- exponentials ---------------------------------------------------------------------------- */

static void exponentials_of_lanes_have_the_bits_of_the_scalar_one(void **state)
{
    (void)state;
    double special[16] = {
        0,    -0.0, -INFINITY, 700,    -708,       -708.0000001, -745.13, -745.2,
        -746, -799, -801,      -1e300, -0x1p-1074, 1e-17,        0.34657, -744.44
    };
    for (int k = 0; trop_kernel_list[k]; k++) {
        if (!trop_kernel_list[k]->available()) {
            continue;
        }
        for (int64_t t = 0; t < cases(20000, 2000000); t++) {
            double a[16], b[16];
            for (int l = 0; l < 16; l++) {
                double u = uniform(7, (uint64_t)(16 * t + l));
                double range = t % 3 == 0 ? 1 : t % 3 == 1 ? 760 : 40;
                a[l] = t == 0 ? special[l] : range * (0.02 - u);
                b[l] = trop_exp(a[l]);
            }
            trop_kernel_list[k]->tile->exponential(a, 16);
            assert_memory_equal(a, b, sizeof a);
        }
        double none[8] = { NAN, -INFINITY, NAN, 0, 0, 0, 0, 0 };
        trop_kernel_list[k]->tile->exponential(none, 8);
        assert_true(none[0] == 0 && none[1] == 0 && none[2] == 0 && none[3] == 1);
    }
}

static void powers_in_single_precision_are_off_by_less_than_2_to_the_minus_22(void **state)
{
    (void)state;
    for (int64_t t = 0; t < cases(20000, 4000000); t++) {
        float a[16], b[16];
        for (int l = 0; l < 16; l++) {
            double u = uniform(8, (uint64_t)(16 * t + l));
            a[l] = b[l] = (float)(t % 2 ? 126 * (0.3 - u) : u - 0.5);
        }
        a[0] = b[0] = t % 2 ? -125.0f : -125.00001f;
        a[1] = b[1] = -INFINITY;
        trop_kernel_list[0]->single->power(a, 16);
        for (int l = 0; l < 16; l++) {
            double exact = b[l] >= -125.0f ? exp2((double)b[l]) : 0;
            assert_true(fabs((double)a[l] - exact) <= 0x1p-22 * exact);
        }
        for (int k = 1; trop_kernel_list[k]; k++) {
            float c[16];
            memcpy(c, b, sizeof c);
            if (trop_kernel_list[k]->available()) {
                trop_kernel_list[k]->single->power(c, 16);
                assert_memory_equal(a, c, sizeof a);
            }
        }
    }
}

/* ---- sweeps -------------------------------------------------------------------------------- */

struct problem {
    int64_t n, d;
    const double *mass;
    struct trop_matrix matrix;
    struct trop_rule_numbers numbers;
};

static struct trop_attend *loaded(const struct problem *p, int64_t workers,
                                  const struct trop_kernel *kernel)
{
    struct trop_attend *attend;
    int unit = p->numbers.form == TROP_FORM_COSINE;
    assert_ok(trop_attend_create(&attend, p->n, p->d, workers, kernel, unit));
    assert_ok(trop_attend_load(attend, x, p->mass, p->n, &p->matrix, &p->numbers));
    return attend;
}

/* Rows and notes, all at once; returns the error. */
static double sweep(double *out, struct trop_attend_note *notes, const struct problem *p,
                    int64_t workers, const struct trop_kernel *kernel, int single)
{
    struct trop_attend *attend = loaded(p, workers, kernel);
    memset(notes, 0, (size_t)p->n * sizeof *notes);
    trop_attend_precision(attend, single);
    assert_ok(trop_attend_rows(out, notes, attend, 0));
    double error = trop_attend_error(attend);
    trop_attend_free(attend);
    return error;
}

/* The same, one row at a time, by what the rules without tiles use. */
static void sweep_alone(double *out, struct trop_attend_note *notes, const struct problem *p)
{
    struct trop_attend *attend = loaded(p, 1, trop_kernel_choose(0));
    struct trop_attend_sweep alone = { .attend = attend, .displacement = out, .notes = notes };
    memset(notes, 0, (size_t)p->n * sizeof *notes);
    for (int64_t i = 0; i < p->n; i++) {
        trop_attend_row_alone(&alone, i, 0);
    }
    trop_attend_free(attend);
}

/* Notes are compared by their members: there are holes between those of a struct. */
static void assert_notes(const struct trop_attend_note *a, const struct trop_attend_note *b,
                         int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(a[i].best, b[i].best);
        assert_int_equal(a[i].unique, b[i].unique);
        assert_int_equal(a[i].alone, b[i].alone);
        assert_int_equal(a[i].only, b[i].only);
        assert_memory_equal(&a[i].gap, &b[i].gap, sizeof a[i].gap);
        assert_memory_equal(&a[i].energy, &b[i].energy, sizeof a[i].energy);
        assert_true(a[i].set == b[i].set);
    }
}

static const struct trop_rule *const tiled[] = { &trop_rule_softmax, &trop_rule_hardmax,
                                                 &trop_rule_localmax };

/* Problems of every size, dimension, rule, mask, mass and form; 0 at the end. */
static int problem_at(struct problem *p, int k)
{
    static const int64_t sizes[] = { 1, 5, 31, 49, 64, 257, 300 }, dims[] = { 1, 2, 3, 5, 16, 33 };
    if (k >= 7 * 6 * 3 * 2) {
        return 0;
    }
    *p = (struct problem){ .n = sizes[k % 7], .d = dims[k / 7 % 6], .matrix = { .scale = 1 } };
    p->numbers.rule = tiled[k / 42 % 3];
    p->numbers.mask = k / 126 % 2 ? TROP_MASK_CAUSAL : TROP_MASK_FULL;
    p->numbers.beta = 0.8;
    p->numbers.epsilon = 0.6 * (double)p->d;
    p->mass = k % 2 ? mass : NULL;
    if (k % 5 == 0 && p->numbers.rule == &trop_rule_localmax) {
        p->numbers.form = TROP_FORM_COSINE;
        p->numbers.epsilon = 0.2;
    }
    if (k % 4 == 1 && p->numbers.form != TROP_FORM_COSINE) {
        p->matrix.scale = -1;
    }
    normals(x, p->n * p->d, (uint64_t)k);
    for (int64_t j = 0; j < p->n; j++) {
        mass[j] = 0.1 + uniform(9, (uint64_t)j);
    }
    return 1;
}

static void no_bit_of_a_tile_depends_on_threads_or_instruction_sets(void **state)
{
    (void)state;
    struct problem p;
    for (int k = 0; problem_at(&p, k); k++) {
        size_t bytes = (size_t)(p.n * p.d) * sizeof *one;
        for (int single = 0; single < 2; single++) {
            double error = sweep(one, note_one, &p, 1, trop_kernel_list[0], single);
            for (int m = 0; trop_kernel_list[m]; m++) {
                if (trop_kernel_list[m]->available()) {
                    int64_t workers = k % 16 == 0 ? 1 + m : 1;
                    assert_true(sweep(two, note_two, &p, workers, trop_kernel_list[m], single) ==
                                error);
                    assert_memory_equal(one, two, bytes);
                    assert_notes(note_one, note_two, p.n);
                    assert_memory_equal(&note_one[p.n - 1].scale, &note_two[p.n - 1].scale,
                                        sizeof note_one->scale);
                }
            }
        }
    }
}

static void tiles_decide_as_single_rows_do(void **state)
{
    (void)state;
    struct problem p;
    for (int k = 0; problem_at(&p, k); k++) {
        sweep_alone(one, note_one, &p);
        for (int single = 0; single < 2; single++) {
            sweep(two, note_two, &p, 1, trop_kernel_choose(0), single);
            assert_notes(note_one, note_two, p.n);
            if (p.numbers.rule != &trop_rule_softmax) {
                assert_memory_equal(one, two, (size_t)(p.n * p.d) * sizeof *one);
            }
        }
    }
}

static void a_causal_row_is_the_last_row_of_its_past(void **state)
{
    (void)state;
    /* Not a bit of a row depends on the rows beside it, or on tokens it does not see. */
    struct problem p = { .n = 300, .d = 3, .mass = mass, .matrix = { .scale = 1 } }, past;
    for (int r = 0; r < 3; r++) {
        p.numbers = (struct trop_rule_numbers){ .rule = tiled[r], .beta = 2, .epsilon = 0.5 };
        normals(x, p.n * p.d, 3);
        p.numbers.mask = TROP_MASK_CAUSAL;
        sweep(one, note_one, &p, 1, trop_kernel_choose(0), 0);
        past = p;
        past.numbers.mask = TROP_MASK_FULL;
        for (past.n = 1; past.n <= 300; past.n += 13) {
            sweep(two, note_two, &past, 1, trop_kernel_choose(0), 0);
            int64_t i = past.n - 1;
            assert_memory_equal(one + i * 3, two + i * 3, 3 * sizeof *one);
            assert_int_equal(note_one[i].best, note_two[i].best);
            assert_int_equal(note_one[i].only, note_two[i].only);
        }
    }
}

/* ---- collapsed clouds, circles, ties ------------------------------------------------------- */

/* Clouds on which most scores are within the bound of each other; 0 at the end. */
static int hard_cloud(int64_t n, int64_t d, int kind)
{
    for (int64_t j = 0; j < n; j++) {
        double angle = 6.283185307179586 * uniform(5, (uint64_t)j);
        for (int64_t c = 0; c < d; c++) {
            double g = normal(4, (uint64_t)(j * d + c)), *to = x + j * d + c;
            switch (kind) {
            case 0: /* collapsed, far from 0 */
                *to = 1 + 0.1 * (double)c + 1e-13 * g;
                break;
            case 1: /* collapsed to a few ulp: points coincide */
                *to = 1 + 0.1 * (double)c + 4e-16 * g;
                break;
            case 2: /* three collapsed clusters */
                *to = (double)((j % 3 + c) % 3) - 0.7 + 1e-14 * g;
                break;
            case 3: /* a lattice: exact ties of distinct points */
                *to = floor(3 * uniform(6, (uint64_t)(j * d + c)));
                break;
            case 4: /* a circle */
                *to = c == 0 ? cos(angle) : c == 1 ? sin(angle) : 0;
                break;
            case 5: /* collapsed and mirrored: ties of distinct points for rows with y_0 = y_1 */
                *to = 1 + 1e-15 * (j % 3 && c == 1 ? normal(3, (uint64_t)j) : g);
                break;
            default:
                return 0;
            }
        }
        for (int64_t c = 0; kind == 5 && c < d; c++) {
            double *to = x + j * d;
            if (j % 3 == 0) { /* on the mirror, and never the largest */
                to[0] = to[1] = 1 - fabs(to[0] - 1);
            } else if (j % 3 == 2) { /* the image of the token before */
                to[c] = to[(c < 2 ? 1 - c : c) - d];
            }
        }
    }
    return 1;
}

static void clouds_inside_the_bound_are_decided_exactly(void **state)
{
    (void)state;
    for (int kind = 0; hard_cloud(2, 2, kind); kind++) {
        for (int64_t d = 2; d <= 17; d += 15) {
            for (int r = 1; r < 3; r++) {
                for (int form = 0; form < 2; form++) {
                    struct problem p = { .n = 500, .d = d, .matrix = { .scale = 1 } };
                    p.numbers.rule = tiled[r];
                    p.numbers.ties = form ? TROP_TIES_INDICES : TROP_TIES_POINTS;
                    p.numbers.form = form ? TROP_FORM_RELATIVE : TROP_FORM_ADDITIVE;
                    p.numbers.epsilon = kind < 3 ? 1e-14 : form ? 0 : 0.01;
                    hard_cloud(p.n, d, kind);
                    sweep_alone(one, note_one, &p);
                    for (int single = 0; single < 2; single++) {
                        sweep(two, note_two, &p, 1, trop_kernel_choose(0), single);
                        assert_notes(note_one, note_two, p.n);
                        assert_memory_equal(one, two, (size_t)(p.n * d) * sizeof *one);
                    }
                }
            }
        }
    }
}

/* ---- softmax against its definition -------------------------------------------------------- */

/* The row by its definition, in the 64 bits of long double; returns max |x_j - x_i|. */
static double definition(long double *out, const struct problem *p, int64_t i, const double *y)
{
    long double top = -INFINITY, total = 0, far = 0;
    int64_t n = p->numbers.mask == TROP_MASK_CAUSAL ? i + 1 : p->n;
    static long double s[MOST];

    for (int64_t j = 0; j < n; j++) {
        s[j] = 0;
        for (int64_t c = 0; c < p->d; c++) {
            s[j] += (long double)y[c] * x[j * p->d + c];
        }
        s[j] *= p->numbers.beta;
        top = s[j] > top ? s[j] : top;
    }
    memset(out, 0, (size_t)p->d * sizeof *out);
    for (int64_t j = 0; j < n; j++) {
        long double w = expl(s[j] - top) * (p->mass ? p->mass[j] : 1), square = 0;
        total += w;
        for (int64_t c = 0; c < p->d; c++) {
            long double v = (long double)x[j * p->d + c] - x[i * p->d + c];
            out[c] += w * v;
            square += v * v;
        }
        far = square > far ? square : far;
    }
    for (int64_t c = 0; c < p->d; c++) {
        out[c] /= total;
    }
    return (double)sqrtl(far);
}

static double off(const long double *exact, const double *row, int64_t d)
{
    long double square = 0;
    for (int64_t c = 0; c < d; c++) {
        square += (exact[c] - row[c]) * (exact[c] - row[c]);
    }
    return (double)sqrtl(square);
}

/* What double can promise for row i, of D_i: beta times the error of a score, 2 u beta b, an
 * exponential, and sums of 35 numbers in each block, twice. */
static double promise(const struct trop_attend *attend, int64_t i)
{
    const struct trop_scene *s = &attend->scene;
    const double *y = s->y + i * s->d;
    double bound = trop_decide_bound(y, s->reach, s->d), square = 0;
    for (int64_t c = 0; c < s->d; c++) {
        square += y[c] * y[c];
    }
    double b = sqrt(square * attend->norm[s->n - 1]);
    return 1.01 * s->numbers.beta * (bound + 0x1p-52 * b) +
           0x1p-53 * (double)(4 + 2 * (36 + s->n / 256 + 1));
}

static void check_softmax(const struct problem *p, int single)
{
    struct trop_attend *attend = loaded(p, 1, trop_kernel_choose(0));
    double most = 0;

    trop_attend_precision(attend, single);
    assert_ok(trop_attend_rows(one, note_one, attend, 0));
    for (int64_t i = 0; i < p->n; i += 1 + i % 3) {
        long double exact[WIDEST];
        double far = definition(exact, p, i, attend->scene.y + i * p->d);
        double error = single ? attend->error[i] : 0;
        if (!(off(exact, one + i * p->d, p->d) <= (error + promise(attend, i)) * far)) {
            fail_msg("row %d of n %d d %d beta %g single %d: off by %g, more than %g + %g", (int)i,
                     (int)p->n, (int)p->d, p->numbers.beta, single,
                     off(exact, one + i * p->d, p->d) / far, error, promise(attend, i));
        }
        most = fmax(most, error);
    }
    assert_true(trop_attend_error(attend) >= most && trop_attend_error(attend) < 0.02);
    trop_attend_free(attend);
}

static void softmax_is_as_near_to_its_definition_as_it_says(void **state)
{
    (void)state;
    /* One pass and two, rows in single precision and rows that must be done in double,
     * B = -I and B = 0, clouds far from 0, masses, the mask. */
    static const double betas[] = { 0, 0.1, 1, 12, 400, 1e5 }, scales[] = { 1, -1, 0 };
    for (int k = 0; k < 6 * 3 * 4; k++) {
        struct problem p = { .n = k % 3 ? 300 : 61, .d = k % 5 == 0 ? 17 : 2 + k % 2 };
        p.matrix.scale = scales[k / 6 % 3];
        p.numbers = (struct trop_rule_numbers){ .rule = &trop_rule_softmax, .beta = betas[k % 6] };
        p.numbers.mask = k / 36 ? TROP_MASK_CAUSAL : TROP_MASK_FULL;
        p.mass = k % 2 ? mass : NULL;
        normals(x, p.n * p.d, (uint64_t)k);
        for (int64_t j = 0; j < p.n; j++) {
            mass[j] = 0.1 + uniform(10, (uint64_t)j);
            x[j * p.d] += k / 18 % 2 ? 100 : 0;
        }
        check_softmax(&p, 0);
        check_softmax(&p, 1);
    }
}

/* What is subtracted from the logits of the first rows, as the last sweep left it; -1: not one
 * number for all of them. */
static double common_shift(const struct trop_attend *attend)
{
    const struct trop_tile *tile = attend->tiles;

    for (int64_t r = 1; r < tile->rows; r++) {
        if (tile->shift[r] != tile->shift[0]) {
            return -1;
        }
    }
    return tile->shift[0];
}

/* u times the largest logit below the shift, and an exponential: how far off a weight is. */
static double weight_error(const struct trop_attend *attend, int64_t i, double shift)
{
    const struct trop_scene *s = &attend->scene;
    double least = INFINITY;

    for (int64_t j = 0; j < s->n; j++) {
        double score = 0;
        for (int64_t c = 0; c < s->d; c++) {
            score += s->y[i * s->d + c] * x[j * s->d + c];
        }
        least = fmin(least, score);
    }
    return 0x1p-53 * (1.01 * (shift - s->numbers.beta * least) + 4);
}

/* B = I given as a matrix has the same queries, to the bit, and a shift for every row; where
 * lengths are alike, B = I has one for all. Averages of weights that are off by e and f,
 * relatively, differ by 2 (e + f) of D_i at most, and by what the sums lose: 38 roundings of each
 * of two. */
static void one_shift_for_all_rows_agrees_with_one_for_each(void **state)
{
    (void)state;
    static const double identity[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const double betas[] = { 0.25, 1, 3, 60 };
    int commons = 0;

    for (int k = 0; k < 8; k++) {
        struct problem p = { .n = 201, .d = 3, .matrix = { .scale = 1 } }, q = p;
        p.numbers = (struct trop_rule_numbers){ .rule = &trop_rule_softmax, .beta = betas[k % 4] };
        q.numbers = p.numbers;
        q.matrix = (struct trop_matrix){ .values = identity };
        normals(x, p.n * p.d, (uint64_t)k);
        double most = 0, least = INFINITY;
        for (int64_t i = 0; i < p.n; i++) {
            double square = 0;
            for (int c = 0; c < 3; c++) {
                x[3 * i + c] = k < 4 && c == 0 ? 1 : x[3 * i + c]; /* longer than 1 */
                square += x[3 * i + c] * x[3 * i + c];
            }
            most = fmax(most, square);
            least = fmin(least, square);
        }
        struct trop_attend *a = loaded(&p, 1, trop_kernel_choose(0));
        struct trop_attend *b = loaded(&q, 1, trop_kernel_choose(0));
        assert_ok(trop_attend_rows(one, note_one, a, 0));
        assert_ok(trop_attend_rows(two, note_two, b, 0));
        double beta = p.numbers.beta, shift = beta * most;
        assert_true(fabs(beta * (most - least) - 32) > 1e-3); /* no matter of rounding */
        int common = beta * (most - least) < 32;
        commons += common;
        assert_true(common_shift(b) == -1);
        assert_near(common_shift(a), common ? shift : -1, 1e-13 * shift);
        for (int64_t i = 0; i < p.n && common; i++) {
            long double exact[WIDEST];
            double far = definition(exact, &p, i, x + 3 * i), square = 0;
            for (int c = 0; c < 3; c++) {
                square += x[3 * i + c] * x[3 * i + c];
                exact[c] = two[3 * i + c];
            }
            double own = beta * sqrt(square * most);
            double error = weight_error(a, i, shift) + weight_error(b, i, own);
            assert_true(off(exact, one + 3 * i, 3) <= (2 * error + 0x1p-53 * 4 * 38) * far);
            /* c + log of the sum: u of each, of the logarithm and of their sum */
            assert_near(note_one[i].scale, note_two[i].scale,
                        error + 0x1p-53 * (2 * 38 + 8 * (shift + log(201.0))));
        }
        trop_attend_free(a);
        trop_attend_free(b);
    }
    assert_true(commons >= 3 && commons <= 6);
}

static void single_precision_is_used_where_it_is_good_and_says_so(void **state)
{
    (void)state;
    struct problem p = { .n = 300, .d = 3, .matrix = { .scale = 1 } };
    p.numbers = (struct trop_rule_numbers){ .rule = &trop_rule_softmax, .beta = 1 };
    normals(x, p.n * p.d, 77);
    assert_true(sweep(one, note_one, &p, 1, trop_kernel_choose(0), 0) == 0);
    double error = sweep(two, note_two, &p, 1, trop_kernel_choose(0), 1);
    assert_true(error > 1e-7 && error < 1e-4);
    assert_memory_not_equal(one, two, (size_t)(p.n * p.d) * sizeof *one);
    for (int64_t i = 0; i < p.n; i++) {
        assert_near(note_one[i].scale, note_two[i].scale, 1e-4);
    }
    /* At this temperature no row is: the bits are those of double. */
    p.numbers.beta = 1e7;
    sweep(one, note_one, &p, 1, trop_kernel_choose(0), 0);
    assert_true(sweep(two, note_two, &p, 1, trop_kernel_choose(0), 1) == 0);
    assert_memory_equal(one, two, (size_t)(p.n * p.d) * sizeof *one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_of_lanes_have_the_bits_of_the_scalar_one),
        cmocka_unit_test(powers_in_single_precision_are_off_by_less_than_2_to_the_minus_22),
        cmocka_unit_test(no_bit_of_a_tile_depends_on_threads_or_instruction_sets),
        cmocka_unit_test(tiles_decide_as_single_rows_do),
        cmocka_unit_test(a_causal_row_is_the_last_row_of_its_past),
        cmocka_unit_test(clouds_inside_the_bound_are_decided_exactly),
        cmocka_unit_test(softmax_is_as_near_to_its_definition_as_it_says),
        cmocka_unit_test(one_shift_for_all_rows_agrees_with_one_for_each),
        cmocka_unit_test(single_precision_is_used_where_it_is_good_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
