/* test_tree_softmax_bits.c -- softmax through a tree: notes and bits, the constants of its near
 * sums and of its interpolation, its cost. */
#include "tree_clouds.h"

static double other[MOST * 6];
static struct trop_attend_note direct_notes[MOST];

/* ---- notes and bits -------------------------------------------------------------------------- */

static void notes_are_those_of_the_direct_path(void **state)
{
    (void)state;
    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        for (int64_t d = 1; d <= 6; d += 1 + d / 3) {
            struct tried t = { .n = 700, .d = d, .cloud = (enum cloud)cloud, .beta = 2 };
            struct trop_attend *attend = NULL;
            struct trop_tree_softmax_work work;
            t.accuracy = 1e-8;
            t.scale = cloud % 2 ? -1 : 1;
            t.threads = 1;
            fill(t.cloud, t.n, d);
            assert_ok(step(&attend, &work, &t));
            assert_ok(trop_attend_rows(other, direct_notes, attend, 0));
            for (int64_t i = 0; i < t.n; i++) {
                const struct trop_attend_note *a = notes + i, *b = direct_notes + i;
                assert_int_equal(a->best, b->best);
                assert_int_equal(a->unique, b->unique);
                assert_int_equal(a->alone, b->alone);
                assert_int_equal(a->only, b->only);
                assert_true(a->gap == b->gap && a->energy == b->energy && a->margin == b->margin);
                assert_true(a->set == b->set);
                assert_near(a->scale, b->scale, 1e-8 + 1e-14 * fabs(b->scale));
            }
            trop_attend_free(attend);
        }
    }
}

static void threads_and_instruction_sets_change_no_bit(void **state)
{
    (void)state;
    int64_t threads[] = { 1, 2, 3, 7 };
    double betas[] = { 1, 30 };

    for (int64_t d = 1; d <= 5; d++) {
        for (int k = 0; k < 2; k++) {
            struct tried t = { .n = d > 3 ? 400 : 2500, .d = d, .cloud = GAUSS, .scale = 1 };
            struct trop_attend *attend = NULL;
            struct trop_tree_softmax_work work, first;
            static double kept[MOST];
            size_t bytes = (size_t)(t.n * d) * sizeof *out;
            t.beta = betas[k];
            t.accuracy = d == 3 ? 1e-5 : 1e-8;
            t.threads = 1;
            fill(t.cloud, t.n, d);
            assert_ok(step(&attend, &first, &t));
            trop_attend_free(attend);
            memcpy(other, out, bytes);
            memcpy(direct_notes, notes, (size_t)t.n * sizeof *notes);
            memcpy(kept, bounds, (size_t)t.n * sizeof *bounds);
            for (int64_t kernel = 0; trop_kernel_names()[kernel]; kernel++) {
                for (int n = 0; n < 4; n++) {
                    t.threads = threads[n];
                    t.kernel = kernel;
                    if (!trop_kernel_choose(kernel) || (kernel > 0 && n != 1)) {
                        continue; /* not on this machine */
                    }
                    memset(out, 0, bytes);
                    assert_ok(step(&attend, &work, &t));
                    trop_attend_free(attend);
                    assert_memory_equal(out, other, bytes);
                    assert_memory_equal(notes, direct_notes, (size_t)t.n * sizeof *notes);
                    assert_memory_equal(bounds, kept, (size_t)t.n * sizeof *bounds);
                    assert_memory_equal(&work, &first, sizeof work);
                }
            }
        }
    }
}

/* Rows in blocks, with tokens in single and in double precision, by every instruction set. */
static void blocks_of_rows_change_no_bit(void **state)
{
    (void)state;
    struct tried t = { .n = 4600, .d = 3, .cloud = GAUSS, .scale = 1, .beta = 5 };
    struct trop_attend *attend = NULL;
    struct trop_tree_softmax_work work;
    size_t bytes = (size_t)(t.n * t.d) * sizeof *out;

    t.accuracy = 1e-8;
    t.threads = 1;
    fill(t.cloud, t.n, t.d);
    for (int64_t kernel = 0; trop_kernel_names()[kernel]; kernel++) {
        t.kernel = kernel;
        if (trop_kernel_choose(kernel)) {
            assert_ok(step(&attend, &work, &t));
            trop_attend_free(attend);
            assert_true(work.faint > 0.1 * work.direct && work.direct > 0);
            assert_true(kernel == 0 || memcmp(out, other, bytes) == 0);
            memcpy(other, out, bytes);
        }
    }
}

/* ---- near tokens --------------------------------------------------------------------------- */

/* A power in double precision is off by at most BRIEF of itself, and one in single precision, of
 * small exponents, by (4 + 1 + 4 (1/2 + 2)) 2^-24 (tree_softmax_near.c, one token: no sums): on
 * places all over [-60, 0]. */
static void near_sums_are_within_what_is_proved_of_them(void **state)
{
    (void)state;
    const struct trop_kernel_tree *kernel = trop_kernel_choose(0)->tree;
    double worst = 0, rough = 0;

    for (int k = 0; k < 20000; k++) {
        double y[8], t[8], one = 1, sum[16] = { 0 }, wide[32] = { 0 };
        float single[16], token[4] = { (float)(0.5 - k % 7 / 6.0), 1, 1, 1 };
        for (int l = 0; l < 16; l++) {
            y[l % 8] = 8 * (-60.0 * (k * 8 + l % 8) / 160000);
            t[l % 8] = 0;
            single[l] = (float)(2.0 * ((k * 16 + l) % 997) / 996 - 1);
        }
        kernel->brief(sum, y, t, &one, 1, &one, 1, 1);
        kernel->faint(wide, single, token, 1, 1);
        for (int l = 0; l < 16; l++) {
            worst = fmax(worst, fabs(sum[l % 8] / exp2(y[l % 8] / 8) - 1));
            rough = fmax(rough, fabs(wide[l] / exp2((double)token[0] + (double)single[l]) - 1));
        }
    }
    assert_true(worst > 1e-13 && worst <= TROP_KERNEL_TREE_BRIEF);
    assert_true(rough > 1e-8 && rough <= 15 * 0x1p-24);
}

/* ---- interpolation ------------------------------------------------------------------------- */

/* max over t of sum_a |l_a(t)| exp(rho (tau_a - t)), on a grid that is fine for p <= 16. */
static double lebesgue(int64_t p, double rho)
{
    double node[TROP_KERNEL_TREE_ORDER], scale[TROP_KERNEL_TREE_ORDER], most = 0;

    trop_tree_softmax_order_nodes(node, scale, p);
    for (int k = 0; k <= 2000; k++) {
        double t = cos(3.141592653589793 * k / 2000), sum = 0;
        for (int64_t a = 0; a < p; a++) {
            double l = scale[a];
            for (int64_t b = 0; b < p; b++) {
                l *= b == a ? 1 : t - node[b];
            }
            sum += fabs(l) * exp(rho * (node[a] - t));
        }
        most = fmax(most, sum);
    }
    return most;
}

static double cardinal(const double *node, const double *scale, int64_t p, int64_t a, double t)
{
    double l = scale[a];
    for (int64_t b = 0; b < p; b++) {
        l *= b == a ? 1 : t - node[b];
    }
    return l;
}

/* sum_a |(I' - 1) [E l_a] (t)| / E(t) exp(rho |tau_a - t|), at t = c + h k. */
static double drift_at(int64_t p, double rho, double c, double h, double g, double k)
{
    double node[TROP_KERNEL_TREE_ORDER], scale[TROP_KERNEL_TREE_ORDER], sum = 0;

    trop_tree_softmax_order_nodes(node, scale, p);
    for (int64_t a = 0; a < p; a++) {
        double t = c + h * k, off = -cardinal(node, scale, p, a, t);
        for (int64_t b = 0; b < p; b++) {
            off += cardinal(node, scale, p, b, k) * exp(g * (node[b] - k)) *
                   cardinal(node, scale, p, a, c + h * node[b]);
        }
        sum += fabs(off) * exp(rho * fabs(node[a] - t));
    }
    return sum;
}

static double drift(int64_t p, double rho)
{
    double most = 0;

    for (double h = 0.25; h > 0.06; h /= 2) {
        for (double c = 0; c <= 1 - h; c += (1 - h) / 4) {
            for (int g = -3; g <= 3; g++) {
                for (int k = 0; k <= 20; k++) {
                    double place = cos(3.141592653589793 * k / 20);
                    most = fmax(most, drift_at(p, rho, c, h, (1 + h) * rho * g / 3, place));
                }
            }
        }
    }
    return most;
}

/* The columns of the table, by their formulas; and the error itself, at the worst place. */
static void orders_have_the_constants_that_are_proved(void **state)
{
    (void)state;
    for (const struct trop_tree_softmax_order *o = trop_tree_softmax_orders; o->p > 0; o++) {
        double p = (double)o->p, half = o->rho / 2;
        double error = 4 * exp(o->rho + o->rho * o->rho / (4 * (p + 1))) * pow(half, p) /
                       tgamma(p + 1) / (1 - half / (p + 1));
        assert_true(o->error >= error && o->error <= 1.1 * error);
        assert_true(o->lebesgue >= lebesgue(o->p, o->rho));
        assert_true(o->lebesgue <= 1.03 * lebesgue(o->p, o->rho));
        assert_true(o->drift >= drift(o->p, o->rho) && o->drift <= 1.1 * drift(o->p, o->rho));
    }
}

/* ---- the cost ------------------------------------------------------------------------------ */

/* A cost counted on a sample is that of the whole, within a factor of 3; less than direct
 * where there are many tokens, and no more than a few times direct where there are few. */
static void the_cost_is_about_what_is_done(void **state)
{
    (void)state;
    double betas[] = { 0.1, 1, 10, 100 };

    for (int k = 0; k < 4; k++) {
        struct tried t = { .n = MOST, .d = 2, .cloud = GAUSS, .beta = betas[k], .scale = 1 };
        struct trop_rule_numbers numbers = { .rule = &trop_rule_softmax, .beta = t.beta };
        struct trop_matrix matrix = { .scale = 1 };
        struct trop_attend *attend = NULL;
        void *softmax = NULL;
        double cost = 0, again = 0;
        fill(t.cloud, t.n, t.d);
        assert_ok(trop_attend_create(&attend, t.n, t.d, 1, trop_kernel_choose(0), 0));
        assert_ok(trop_tree_softmax_engine.create(&softmax, t.n, t.d, 2, trop_kernel_choose(0)));
        assert_ok(trop_attend_load(attend, x, NULL, t.n, &matrix, &numbers));
        assert_ok(trop_tree_softmax_engine.cost(&cost, softmax, attend, 1e-8));
        assert_ok(trop_tree_softmax_engine.cost(&again, softmax, attend, 1e-8));
        assert_true(cost == again);
        assert_ok(trop_tree_softmax_engine.rows(out, NULL, NULL, softmax, attend, 1e-8));
        double done = trop_tree_softmax_done(softmax)->cost;
        assert_true(cost < 3 * done && done < 3 * cost);
        assert_true(cost < (double)t.n * (double)t.n);
        trop_tree_softmax_engine.free(softmax);
        trop_attend_free(attend);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_sums_are_within_what_is_proved_of_them),
        cmocka_unit_test(notes_are_those_of_the_direct_path),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(blocks_of_rows_change_no_bit),
        cmocka_unit_test(orders_have_the_constants_that_are_proved),
        cmocka_unit_test(the_cost_is_about_what_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
