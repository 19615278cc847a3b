/* test_train_norms.c -- each optimiser leads in its own norm: claim md-tab-optimisers.
 *
 * attsvm, seed 1, from zero, 1e5 steps of .3 / sqrt(k); normalised mirror descent with steps of
 * .3; hypentropy with steps of .005, 6e4 of them. What is compared is least margin / norm. */
#include "train_support.h"

#include "tropism_lab.h"

enum { L1, L15, L2, L3, LINF, SPECTRAL, NORMS };

struct line {
    const char *title, *optimizer;
    double p;
    int constant; /* steps do not shrink */
    double margins[NORMS];
};

static const struct line table[] = {
    { "NGD", "ngd", 2, 0, { .0478, .1899, .3608, .6405, 1.119, .4877 } },
    { "sign", "sign", 2, 0, { .0278, .1272, .2712, .5768, 2.548, .4699 } },
    { "Signum", "signum", 2, 0, { .0280, .1278, .2726, .5798, 2.544, .4677 } },
    { "Adam", "adam", 2, 0, { .0353, .1524, .3106, .6163, 1.522, .5117 } },
    { "spectral", "spectral", 2, 0, { .0342, .1424, .2813, .5318, 1.328, .6145 } },
    { "Muon", "muon", 2, 0, { .0342, .1424, .2814, .5317, 1.327, .6141 } },
    { "l3 steepest", "steepest", 3, 0, { .0405, .1750, .3547, .6914, 1.603, .5174 } },
    { "MD 3", "nmirror", 3, 1, { .0402, .1743, .3537, .6904, 1.606, .5175 } },
    { "l1.5 steepest", "steepest", 1.5, 0, { .0547, .1888, .3252, .5085, .733, .4156 } },
    { "MD 1.5", "nmirror", 1.5, 1, { .0595, .2059, .3566, .5610, .803, .4645 } },
    { "greedy", "greedy", 2, 0, { .0535, .1244, .1797, .2444, .335, .2447 } },
    { "hypentropy", "hypentropy", 2, 1, { .0764, .1645, .2297, .3021, .370, NAN } },
};
enum { LINES = sizeof table / sizeof table[0] };

static int is_hypentropy(const struct line *line)
{
    return strcmp(line->optimizer, "hypentropy") == 0;
}

/* The margins that many steps before the last. */
static void measure(double margins[NORMS], const struct line *line, const struct trop_data *data,
                    int64_t before)
{
    static const double exponents[NORMS] = { 1, 1.5, 2, 3, 0, 0 };
    const int64_t steps = is_hypentropy(line) ? cases(20000, 60000) : cases(10000, 100000);
    struct trop_train_options o =
        training(data, line->optimizer, is_hypentropy(line) ? 0.005 : 0.3, steps - before);
    char text[64];

    if (!line->constant) {
        o.eta_schedule = (struct trop_schedule){ .kind = TROP_SCHEDULE_POWER, .a = 1, .b = 0.5 };
    }
    o.p = line->p;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    struct trop_train *train = trained(&o);
    selection_of(text, sizeof text, train);
    if (strcmp(line->optimizer, "greedy") != 0 || o.steps >= 100000) { /* the slowest */
        assert_string_equal(text, "3,2,6,2,6,2");
    }
    const double *w = value_of(train, "weights.W").numbers;
    const double least = result_of(train, "margins.l2") * lp_norm(w, 100, 2);
    for (int k = 0; k < NORMS; k++) {
        margins[k] = exponents[k] > 0 ? least / lp_norm(w, 100, exponents[k]) : 0;
    }
    margins[LINF] = result_of(train, "margins.linf");
    margins[SPECTRAL] = result_of(train, "margins.spectral");
    assert_near(margins[L1], result_of(train, "margins.l1"), 1e-12);
    trop_train_free(train);
}

/* The line that has the largest margin in a norm. */
static int leader(double margins[LINES][NORMS], int norm)
{
    int best = 0;
    for (int k = 1; k < LINES; k++) {
        best = margins[k][norm] > margins[best][norm] ? k : best;
    }
    return best;
}

/* Half a unit of the last digit, and 1e-4 of the number: a last step is 1e-5 to 1e-3 of the
 * weights, and goes to and fro. Entries of sign descent do so by all of it: a unit more.
 *
 * Spectral and Muon are not golden. The table's polar factors have no singular values below 1e-8 of
 * the largest (its numbers are met to the last digit but one when ours are cut there, as happens to
 * a polar factor from eigenvalues of G'G); ours are cut at 1e-14, and their margins are smaller by
 * .3%, in other norms by up to 7%. */
static double allowance(const struct line *line, int norm)
{
    const double half = norm == LINF ? 5e-4 : 5e-5, value = line->margins[norm];

    if (strcmp(line->optimizer, "spectral") == 0 || strcmp(line->optimizer, "muon") == 0) {
        return (norm == SPECTRAL ? 0.005 : 0.08) * value;
    }
    return (strncmp(line->optimizer, "sign", 4) == 0 ? 3 * half : half) + 1e-4 * value;
}

static void each_optimiser_leads_in_its_own_norm(void **state)
{
    static const char *const leaders[NORMS] = { "hypentropy",  "MD 1.5", "NGD",
                                                "l3 steepest", "sign",   "spectral" };
    struct trop_dataset *set = dataset_of("attsvm", TROP_DATASET_SEED);
    const int full = cases(0, 1) == 1;
    double margins[LINES][NORMS];

    (void)state;
    for (int k = 0; k < LINES; k++) {
        measure(margins[k], table + k, trop_dataset_data(set), 0);
        for (int e = 0; full && e < NORMS; e++) {
            print_message("%s%s %.4f/%.4f", e ? "" : table[k].title, e ? "" : ":", margins[k][e],
                          table[k].margins[e]);
        }
        print_message(full ? "\n" : "");
    }
    for (int e = 0; e < NORMS; e++) {
        /* After 1e4 steps normalised gradient descent does not lead in l2 yet. */
        if (full || e != L2) {
            assert_string_equal(table[leader(margins, e)].title, leaders[e]);
        }
    }
    for (int k = 0; full && k < LINES; k++) {
        for (int e = 0; e < NORMS; e++) {
            if (!is_hypentropy(table + k)) {
                assert_near(margins[k][e], table[k].margins[e], allowance(table + k, e));
            }
        }
    }
    trop_dataset_free(set);
}

/* A step of hypentropy changes each large weight by up to .5%, and margins go to and fro with it:
 * those of twenty steps in a row span .3%. Runs whose rounding differs agree to the last bit after
 * 1e3 steps, to 2% in the norm after 2e4, and are elsewhere in that span at the end. The table
 * shows one of them. */
static void hypentropy_goes_to_and_fro_about_the_table(void **state)
{
    const struct line *line = table + LINES - 1;
    struct trop_dataset *set = dataset_of("attsvm", TROP_DATASET_SEED);
    double low[NORMS], high[NORMS];

    (void)state;
    assert_true(is_hypentropy(line));
    for (int64_t before = 0; before < cases(2, 20); before++) {
        double margins[NORMS];
        measure(margins, line, trop_dataset_data(set), before);
        for (int e = 0; e < NORMS; e++) {
            low[e] = before > 0 ? fmin(low[e], margins[e]) : margins[e];
            high[e] = before > 0 ? fmax(high[e], margins[e]) : margins[e];
        }
    }
    for (int e = 0; e < SPECTRAL; e++) {
        const double half = e == LINF ? 5e-4 : 5e-5, value = line->margins[e];
        assert_true(high[e] > low[e] && high[e] - low[e] < 0.005 * value);
        if (cases(0, 1) == 1) {
            assert_true(value > low[e] - half && value < high[e] + half);
        }
    }
    trop_dataset_free(set);
}

/* No weights have a larger margin than the max-margin solution: .20593, .37592, .70528 in l1.5, l2
 * and l3, and l1.5 is nearly reached. */
static void no_margin_exceeds_the_largest(void **state)
{
    static const int norms[] = { L15, L2, L3 };
    static const double exponents[] = { 1.5, 2, 3 }, largest[] = { .20593, .37592, .70528 };
    struct trop_dataset *set = dataset_of("attsvm", TROP_DATASET_SEED);

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct trop_margin *margin =
            solution_of(trop_dataset_data(set), TROP_MODEL_CROSS, "3,2,6,2,6,2", exponents[k]);
        struct trop_value norm = { 0 };
        assert_ok(trop_margin_value(&norm, margin, "norm"));
        assert_near(1 / norm.number, largest[k], 5e-6);
        for (int l = 0; l < LINES; l++) {
            double margins[NORMS];
            if (table[l].p == exponents[k] && strcmp(table[l].optimizer, "nmirror") == 0) {
                measure(margins, table + l, trop_dataset_data(set), 0);
                assert_true(margins[norms[k]] <= (1 + 1e-9) / norm.number);
                assert_true(margins[norms[k]] > 0.93 / norm.number);
            }
        }
        trop_margin_free(margin);
    }
    trop_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_optimiser_leads_in_its_own_norm),
        cmocka_unit_test(hypentropy_goes_to_and_fro_about_the_table),
        cmocka_unit_test(no_margin_exceeds_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
