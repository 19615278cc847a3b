/* test_tree_softmax.c -- softmax through a tree against a direct sum in double-double.
 *
 * The oracle takes logits beta (<y, x_j> - max) in double-double, exponentials of their two
 * halves (e^high of the project's pair, 2^-60, times 1 + low), and sums in double-double: off
 * by less than 2^-57, far below any bound. Every row must satisfy its own bound. */
#include "base/math/dd.h"
#include "base/math/exp.h"
#include "base/parallel.h"

#include "tree_clouds.h"

static double mass[MOST];

/* ---- the oracle -------------------------------------------------------------------------- */

/* e^(a.high + a.low) as a double-double, good to 2^-59; 0 below -700. */
static struct trop_dd dd_exp(struct trop_dd a)
{
    double high, low;

    if (a.high < -700) {
        return trop_dd_of(0);
    }
    int64_t k = trop_exp_parts(&high, &low, a.high, a.low);
    return (struct trop_dd){ ldexp(high, (int)k), ldexp(low, (int)k) };
}

static struct trop_dd score(const double *y, const double *p, int64_t d)
{
    struct trop_dd s = trop_dd_of(0);
    for (int64_t c = 0; c < d; c++) {
        s = trop_dd_add(s, trop_dd_product(y[c], p[c]));
    }
    return s;
}

static double plain_score(const double *y, const double *p, int64_t d)
{
    double sum = 0;
    for (int64_t c = 0; c < d; c++) {
        sum += y[c] * p[c];
    }
    return sum;
}

/* A token that is the best up to rounding: any shift near its score would do. */
static int64_t about_the_best(const struct trop_scene *s, int64_t i)
{
    double most = -INFINITY;
    int64_t best = 0;

    for (int64_t j = 0; j < s->n; j++) {
        double a = plain_score(s->y + i * s->d, s->x + j * s->d, s->d);
        best = a > most ? j : best;
        most = a > most ? a : most;
    }
    return best;
}

/* The distance of row i from the truth, over max_j |x_j - x_i|; 0 for one point. Weights below
 * e^-80, 20,000 of mass e^15 at the most, are less than 2^-57 together. */
static double distance(const double *row, const struct trop_scene *s, int64_t i)
{
    const double *y = s->y + i * s->d, *best = s->x + about_the_best(s, i) * s->d;
    struct trop_dd top = score(y, best, s->d), total = trop_dd_of(0), sum[6];
    double radius = 0, square = 0, most = plain_score(y, best, s->d);

    memset(sum, 0, sizeof sum);
    for (int64_t j = 0; j < s->n; j++) {
        const double *xj = s->x + j * s->d, *xi = s->x + i * s->d;
        double m = s->mass ? s->mass[j] : 1, far = 0;
        for (int64_t c = 0; c < s->d; c++) {
            far += (xj[c] - xi[c]) * (xj[c] - xi[c]);
        }
        radius = fmax(radius, far);
        if (s->numbers.beta * (plain_score(y, xj, s->d) - most) < -80) {
            continue;
        }
        struct trop_dd a = trop_dd_less(score(y, xj, s->d), top);
        a = trop_dd_times(a, trop_dd_of(s->numbers.beta));
        struct trop_dd w = trop_dd_times(dd_exp(a), trop_dd_of(m));
        total = trop_dd_add(total, w);
        for (int64_t c = 0; c < s->d; c++) {
            sum[c] = trop_dd_fma(w, trop_dd_sum(xj[c], -xi[c]), sum[c]);
        }
    }
    for (int64_t c = 0; c < s->d; c++) {
        double off = trop_dd_less(trop_dd_over(sum[c], total), trop_dd_of(row[c])).high;
        square += off * off;
    }
    return radius > 0 ? sqrt(square / radius) : square > 0 ? INFINITY : 0;
}

/* A bound of the same distance, by sums in double: some times quicker, and enough where it is below
 * the bound of the row. With X the longest token, |y| X d u errs a score at the most, and the
 * argument of an exponential, down to -80, by
 *
 *   e = beta (2 |y| X d u + 3 u |s - top|) + 80 u,
 *
 * the exponential of libm by u more. Sums of BLOCK terms lose BLOCK u of their moduli, and those of
 * blocks, in double-double, nothing: each component of the average is off by 2 (e + BLOCK u) of the
 * radius. */
#define BLOCK 100

static double distance_at_most(const double *row, const struct trop_scene *s, int64_t i)
{
    const double u = 0x1p-53, beta = s->numbers.beta, *y = s->y + i * s->d, *xi = s->x + i * s->d;
    const double top = plain_score(y, s->x + about_the_best(s, i) * s->d, s->d);
    struct trop_dd total = trop_dd_of(0), sum[6];
    double radius = 0, longest = 0, square = 0;

    memset(sum, 0, sizeof sum);
    for (int64_t first = 0; first < s->n; first += BLOCK) {
        double part = 0, parts[6] = { 0 };
        for (int64_t j = first; j < s->n && j < first + BLOCK; j++) {
            const double *xj = s->x + j * s->d;
            double far = 0, own = 0, a = 0;
            for (int64_t c = 0; c < s->d; c++) {
                a += y[c] * xj[c];
                far += (xj[c] - xi[c]) * (xj[c] - xi[c]);
                own += xj[c] * xj[c];
            }
            radius = fmax(radius, far);
            longest = fmax(longest, own);
            if (beta * (a - top) < -80) {
                continue;
            }
            const double w = exp(beta * (a - top)) * (s->mass ? s->mass[j] : 1);
            part += w;
            for (int64_t c = 0; c < s->d; c++) {
                parts[c] += w * (xj[c] - xi[c]);
            }
        }
        total = trop_dd_add(total, trop_dd_of(part));
        for (int64_t c = 0; c < s->d; c++) {
            sum[c] = trop_dd_add(sum[c], trop_dd_of(parts[c]));
        }
    }
    for (int64_t c = 0; c < s->d; c++) {
        double off = trop_dd_less(trop_dd_over(sum[c], total), trop_dd_of(row[c])).high;
        square += off * off;
    }
    if (!(radius > 0)) {
        return INFINITY;
    }
    const double size = sqrt(plain_score(y, y, s->d) * longest), d = (double)s->d;
    const double e = fabs(beta) * size * (2 * d + 6) * u + 90 * u;
    return sqrt(square / radius) + 2.1 * sqrt(d) * (e + (BLOCK + 8) * u);
}

/* ---- a case ---------------------------------------------------------------------------------- */

static double worst_off; /* of the rows that judge looked at last */
static double offs[MOST];

struct looked {
    const struct trop_scene *scene;
    int64_t stride;
};

static int64_t exactly[2]; /* rows that took double-double, of each worker */

static void look(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct looked *l = context;

    for (int64_t k = first; k < last; k++) {
        int64_t i = k * l->stride;
        const double *row = out + i * l->scene->d;
        /* Of every row a bound is enough; of few, what it is. */
        offs[i] = l->stride == 1 ? distance_at_most(row, l->scene, i) : INFINITY;
        if (!(offs[i] <= bounds[i])) {
            offs[i] = distance(row, l->scene, i);
            exactly[worker]++;
        }
    }
}

static struct trop_tree_softmax_work last_work;

/* Every stride-th row within its own bound; returns the largest part of it. */
static double judge(const struct tried *t, int64_t stride)
{
    struct trop_attend *attend = NULL;
    struct trop_tree_softmax_work work;
    double part = 0, largest = 0;

    worst_off = 0;
    fill(t->cloud, t->n, t->d);
    if (step(&attend, &work, t) != TROP_OK) {
        fail_msg("cloud %d n %lld d %lld beta %g: %s", (int)t->cloud, (long long)t->n,
                 (long long)t->d, t->beta, trop_error());
    }
    for (int64_t i = 0; i < t->n; i++) {
        largest = fmax(largest, bounds[i]);
        assert_true(bounds[i] <= t->accuracy);
    }
    last_work = work;
    assert_true(work.bound == largest);
    assert_true(work.floor <= work.bound);
    struct looked looked = { .scene = trop_attend_scene(attend), .stride = stride };
    trop_parallel(2, (t->n + stride - 1) / stride, look, &looked);
    for (int64_t i = 0; i < t->n; i += stride) {
        double off = offs[i];
        if (!(off <= bounds[i])) {
            fail_msg("cloud %d n %lld d %lld beta %g: row %lld is off by %g, its bound is %g",
                     (int)t->cloud, (long long)t->n, (long long)t->d, t->beta, (long long)i, off,
                     bounds[i]);
        }
        part = fmax(part, off / bounds[i]);
        worst_off = fmax(worst_off, off);
    }
    trop_attend_free(attend);
    return part;
}

static void every_row_is_within_its_own_bound(void **state)
{
    (void)state;
    double betas[] = { 0, 0.3, 1, 10, 100, 1000 };
    int64_t n = cases(2500, MOST), stride = cases(193, 1);
    static double b[16];

    normals(b, 16, 12);
    for (int64_t j = 0; j < n; j++) {
        mass[j] = exp(3 * normal(13, (uint64_t)j));
    }
    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        for (int k = 0; k < 6; k++) {
            for (int64_t d = 1; d <= 4; d++) {
                struct tried t = { .n = d == 4 ? n / 4 : n, .d = d, .cloud = (enum cloud)cloud };
                int kind = (cloud + k + (int)d) % 4;
                t.beta = betas[k];
                t.accuracy = d == 3 ? 1e-8 : 1e-10;
                t.scale = kind == 1 ? -1 : 1;
                t.b = kind == 2 ? b : NULL;
                t.mass = kind == 3 ? mass : NULL;
                t.threads = 1;
                /* Logits of 1e5 are not known to 1e-10. */
                t.accuracy = (cloud == FAR && k > 3) || (d == 4 && k > 4) ? 1e-8 : t.accuracy;
                judge(&t, stride);
            }
        }
    }
}

/* The light far cluster looks at itself by weights of 1e-200 and less of the largest there
 * are: exp(beta (100 - -100)) with beta = 2.5 apart. */
static void a_light_far_cluster_keeps_its_accuracy(void **state)
{
    (void)state;
    struct tried t = { .n = cases(3000, MOST), .d = 2, .cloud = FAR, .beta = 2.5 };
    t.accuracy = 1e-10;
    t.scale = 1;
    t.threads = 1;
    judge(&t, 100); /* the rows of that cluster */
    t.scale = -1;
    judge(&t, 100);
}

static void bounds_are_near_enough_to_the_errors_to_mean_something(void **state)
{
    (void)state;
    double accuracies[] = { 1e-3, 1e-5, 1e-8, 1e-10, 1e-11 };

    for (int k = 0; k < 5; k++) {
        struct tried t = { .n = cases(3000, MOST), .d = 2, .cloud = GAUSS, .beta = 3 };
        t.accuracy = accuracies[k];
        t.scale = 1;
        t.threads = 1;
        double part = judge(&t, cases(61, 7));
        assert_true(part > 1e-6);
    }
}

/* ---- refusals ------------------------------------------------------------------------------ */

static enum trop_status try_accuracy(struct tried *t, double accuracy)
{
    struct trop_attend *attend = NULL;
    struct trop_tree_softmax_work work;

    t->accuracy = accuracy;
    enum trop_status status = step(&attend, &work, t);
    trop_attend_free(attend);
    assert_true((status == TROP_OK) == (work.bound <= accuracy));
    return status;
}

/* Just above the least accuracy that is given, found by halving, every row is within its
 * bound; just below, the sentence names the floor; and that is not far from the rounding of
 * logits, beta u times a few products of coordinates. */
static void the_rounding_floor_is_refused_and_named(void **state)
{
    (void)state;
    double betas[] = { 1, 1000, 1e5, 1e9 };

    for (int k = 0; k < 8; k++) {
        int64_t n = cases(800, k == 1 ? MOST : 800); /* one of them with all rows */
        struct tried t = { .n = n, .d = k < 4 ? 2 : 4, .cloud = GAUSS, .scale = 1 };
        double low = 1e-17, high = 0.5;
        t.beta = betas[k % 4];
        t.threads = 1;
        fill(t.cloud, t.n, t.d);
        assert_ok(try_accuracy(&t, high));
        while (high > 1.3 * low) {
            double middle = sqrt(low * high);
            if (try_accuracy(&t, middle) == TROP_OK) {
                high = middle;
            } else {
                low = middle;
            }
        }
        /* Sums of 256, four times; logits, 2 (d + 4) beta |y| |x_j - w| <= 16 beta 5 10. */
        assert_true(high > 1e-14 && high < 0x1p-53 * (2000 + 800 * t.beta));
        t.accuracy = high;
        judge(&t, cases(97, k == 1 ? 1 : 97));
        assert_int_equal(try_accuracy(&t, low), TROP_ERR_NUMERIC);
        assert_non_null(strstr(trop_error(), "rounding floor"));
        assert_non_null(strstr(trop_error(), "accuracy = "));
    }
}

/* At a beta whose logits overflow there is no bound, and the sentence has no "nan". */
static void an_overflow_is_refused_in_words(void **state)
{
    (void)state;
    struct tried t = {
        .n = 300, .d = 2, .cloud = GAUSS, .scale = 1e10, .beta = 1e300, .threads = 1
    };

    fill(t.cloud, t.n, t.d);
    assert_int_equal(try_accuracy(&t, 1e-8), TROP_ERR_NUMERIC);
    assert_null(strstr(trop_error(), "nan"));
    assert_null(strstr(trop_error(), "inf "));
    assert_non_null(strstr(trop_error(), "accuracy = 1e-08"));
}

/* Queries along (1, 1) on tokens along (1, -1): logits of size 1 are differences of products of
 * size 1e6, and their rounding is the error. What a row is off by with room to spare cannot
 * be promised: asked for as the accuracy, it is refused. */
static void rounding_of_logits_is_in_the_bound(void **state)
{
    (void)state;
    static const double b[4] = { 1, -1, 1, -1 };
    struct tried t = { .n = 600, .d = 2, .cloud = CANCEL, .beta = 1e6, .accuracy = 1e-6, .b = b };

    t.threads = 1;
    judge(&t, 7);
    assert_true(worst_off > 1e-12);
    assert_int_equal(try_accuracy(&t, worst_off), TROP_ERR_NUMERIC);
}

static void what_a_tree_cannot_do_is_refused(void **state)
{
    (void)state;
    struct trop_rule_numbers numbers = { .rule = &trop_rule_softmax, .beta = 1 };
    struct trop_matrix matrix = { .scale = 1 };
    const struct trop_kernel *kernel = trop_kernel_choose(0);
    void *softmax = NULL;
    struct trop_attend *attend = NULL;

    assert_int_equal(trop_tree_softmax_engine.create(&softmax, 10, 7, 1, kernel), TROP_ERR_ARG);
    assert_ok(trop_tree_softmax_engine.create(&softmax, 10, 2, 1, kernel));
    assert_ok(trop_attend_create(&attend, 20, 2, 1, kernel, 0));
    fill(GAUSS, 20, 2);
    assert_ok(trop_attend_load(attend, x, NULL, 10, &matrix, &numbers));
    assert_int_equal(trop_tree_softmax_engine.rows(out, NULL, NULL, softmax, attend, 0),
                     TROP_ERR_ARG);
    assert_int_equal(trop_tree_softmax_engine.rows(out, NULL, NULL, softmax, attend, 1),
                     TROP_ERR_ARG);
    assert_ok(trop_tree_softmax_engine.rows(out, NULL, NULL, softmax, attend, 1e-10));
    assert_ok(trop_attend_load(attend, x, NULL, 11, &matrix, &numbers));
    assert_int_equal(trop_tree_softmax_engine.rows(out, NULL, NULL, softmax, attend, 1e-9),
                     TROP_ERR_ARG);
    numbers.mask = TROP_MASK_CAUSAL;
    assert_ok(trop_attend_load(attend, x, NULL, 10, &matrix, &numbers));
    assert_int_equal(trop_tree_softmax_engine.rows(out, NULL, NULL, softmax, attend, 1e-9),
                     TROP_ERR_ARG);
    numbers.mask = TROP_MASK_FULL;
    x[3] = 1e200;
    assert_ok(trop_attend_load(attend, x, NULL, 10, &matrix, &numbers));
    assert_int_equal(trop_tree_softmax_engine.rows(out, NULL, NULL, softmax, attend, 1e-9),
                     TROP_ERR_NUMERIC);
    trop_attend_free(attend);
    trop_tree_softmax_engine.free(softmax);
}

/* ---- the cost ------------------------------------------------------------------------------ */

/* Tokens run together, x <- x + displacement / 2. In the end a token goes onto about one grid
 * and a row reads about one; what the tree counts, all but moves, has fallen below a tenth,
 * and rows stay within their bounds all the way. */
static void steps_get_cheaper_as_tokens_run_together(void **state)
{
    (void)state;
    struct tried t = { .n = MOST, .d = 2, .beta = 4, .accuracy = 1e-10, .scale = 1 };
    struct trop_tree_softmax_work work = { 0 };
    double first = 0, counted = 0, n = (double)t.n;

    t.threads = 1;
    fill(GAUSS, t.n, t.d);
    for (int k = 0; k <= 12; k++) {
        struct trop_attend *attend = NULL;
        assert_ok(step(&attend, &work, &t));
        counted = work.direct + work.spread + work.read + work.pruned + work.kept;
        first = k == 0 ? counted : first;
        for (int64_t i = k; i < t.n && k % 4 == 0; i += cases(3989, 7)) {
            assert_true(distance(out + i * t.d, trop_attend_scene(attend), i) <= bounds[i]);
        }
        trop_attend_free(attend);
        for (int64_t j = 0; j < t.n * t.d; j++) {
            x[j] += 0.5 * out[j];
        }
    }
    assert_true(work.spread <= 3 * n && work.read <= 3 * n);
    assert_true(counted < 0.1 * first);
}

/* Where most pairs are summed up in single precision. */
static void faint_tokens_keep_their_bounds(void **state)
{
    (void)state;
    double accuracies[] = { 1e-4, 1e-8, 1e-10 };

    for (int k = 0; k < 3; k++) {
        struct tried t = { .n = cases(8000, MOST), .d = 3, .cloud = GAUSS, .beta = 5, .scale = 1 };
        t.accuracy = accuracies[k];
        t.threads = 2;
        judge(&t, cases(61, 1));
        assert_true(last_work.faint > 0.1 * last_work.direct);
    }
}

/* In three dimensions, where grids are made and moved. */
static void grids_in_space_keep_their_bounds(void **state)
{
    (void)state;
    double accuracies[] = { 1e-4, 1e-6 };

    for (int k = 0; k < 2; k++) {
        struct tried t = { .n = MOST, .d = 3, .cloud = GAUSS, .beta = 0.5, .scale = 1 };
        t.accuracy = accuracies[k];
        t.threads = 2;
        judge(&t, cases(1999, 1));
        assert_true(last_work.spread >= MOST && last_work.merged > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_within_its_own_bound),
        cmocka_unit_test(a_light_far_cluster_keeps_its_accuracy),
        cmocka_unit_test(bounds_are_near_enough_to_the_errors_to_mean_something),
        cmocka_unit_test(rounding_of_logits_is_in_the_bound),
        cmocka_unit_test(the_rounding_floor_is_refused_and_named),
        cmocka_unit_test(an_overflow_is_refused_in_words),
        cmocka_unit_test(what_a_tree_cannot_do_is_refused),
        cmocka_unit_test(faint_tokens_keep_their_bounds),
        cmocka_unit_test(steps_get_cheaper_as_tokens_run_together),
        cmocka_unit_test(grids_in_space_keep_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
