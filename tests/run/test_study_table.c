/* test_study_table.c -- questions to a catalogue: means against sums of our own, conditions that
 * try to do more than to read. */
#include "study_support.h"

static struct trop_study_table *ask(const char *by, const char *mean, const char *where)
{
    const struct trop_study_table_options options = {
        .by = by, .mean = mean, .where = where, .deviation = 1
    };
    struct trop_study_table *table = NULL;

    if (trop_study_table_of(&table, dir_a, &options) != TROP_OK) {
        fail_msg("%s", trop_error());
    }
    return table;
}

static enum trop_status refused(const char *by, const char *mean, const char *where)
{
    const struct trop_study_table_options options = { .by = by, .mean = mean, .where = where };
    struct trop_study_table *table = NULL;
    const enum trop_status status = trop_study_table_of(&table, dir_a, &options);

    if (status == TROP_OK) {
        trop_study_table_free(table);
    }
    return status;
}

static struct trop_value cell(const struct trop_study_table *table, int64_t row, const char *name)
{
    struct trop_value value = { 0 };
    int64_t k = 0;

    while (trop_study_table_column(table, k) &&
           strcmp(trop_study_table_column(table, k), name) != 0) {
        k++;
    }
    if (trop_study_table_cell(&value, table, row, k) != TROP_OK) {
        fail_msg("%s: %s", name, trop_error());
    }
    return value;
}

/* ---- means ---- */

/* Two passes in long double, over the points of a row, from what the records say; of what they are
 * above 1e15, which is exact. */
static void sums(int64_t rule, int64_t epsilon, int64_t *known, double *mean, double *deviation)
{
    long double sum = 0, squares = 0, middle = 0;

    for (int pass = 0; pass < 2; pass++) {
        *known = 0;
        for (int64_t seed = 0; seed < SEEDS; seed++) {
            const int64_t point = (rule * EPSILONS + epsilon) * SEEDS + seed;
            if (point % 16 != 0 && point % 10 != 9) {
                const long double away = (long double)(diameter_at(point) - 1e15) - middle;
                *known += 1;
                sum += away;
                squares += away * away;
            }
        }
        if (pass == 0) {
            middle = sum / (long double)*known;
            sum = squares = 0;
        }
    }
    *mean = (double)(1e15L + middle);
    *deviation = (double)sqrtl(squares / (long double)(*known - 1));
}

static void means_and_deviations_have_all_their_digits(void **state)
{
    struct trop_study_table *table = ask("rule,epsilon", "clusters,diameter", NULL);
    static const int64_t order[] = { 2, 0, 1 }; /* hardmax, localmax, softmax */

    (void)state;
    assert_int_equal(trop_study_table_rows(table), 3 * EPSILONS);
    for (int64_t row = 0; row < 3 * EPSILONS; row++) {
        const int64_t rule = order[row / EPSILONS], epsilon = row % EPSILONS;
        int64_t known, count = 0;
        double mean, deviation;
        sums(rule, epsilon, &known, &mean, &deviation);
        for (int64_t seed = 0; seed < SEEDS; seed++) {
            count += ((rule * EPSILONS + epsilon) * SEEDS + seed) % 16 != 0;
        }
        assert_true(cell(table, row, "epsilon").number == (double)(2 * epsilon) / 10);
        assert_int_equal(cell(table, row, "count").integer, count);
        assert_int_equal(cell(table, row, "diameter_count").integer, known);
        assert_true(cell(table, row, "diameter_mean").number == mean);
        assert_true(fabs(cell(table, row, "diameter_deviation").number / deviation - 1) < 1e-12);
    }
    trop_study_table_free(table);
}

static void few_numbers_and_none(void **state)
{
    struct trop_study_table *table = ask("seed", "diameter", "point IN (9, 1, 16)");

    (void)state;
    /* Point 16 failed; 9 has no diameter; 1 has one, and one number has no deviation. */
    assert_int_equal(trop_study_table_rows(table), 2);
    assert_int_equal(cell(table, 0, "seed").integer, 2);
    assert_true(cell(table, 0, "diameter_mean").number == diameter_at(1));
    assert_int_equal(cell(table, 0, "diameter_deviation").kind, TROP_KIND_NULL);
    assert_int_equal(cell(table, 1, "diameter_mean").kind, TROP_KIND_NULL);
    assert_int_equal(cell(table, 1, "diameter_count").integer, 0);
    trop_study_table_free(table);
    table = ask("state", NULL, NULL);
    assert_int_equal(trop_study_table_rows(table), 2);
    assert_string_equal(cell(table, 1, "state").text, "failed");
    assert_int_equal(cell(table, 1, "count").integer, (POINTS + 15) / 16);
    trop_study_table_free(table);
    table = ask(NULL, "clusters", "state = 'failed'");
    assert_int_equal(cell(table, 0, "count").integer, (POINTS + 15) / 16);
    assert_int_equal(cell(table, 0, "clusters_mean").kind, TROP_KIND_NULL);
    trop_study_table_free(table);
    table = ask("rule", "clusters", "epsilon > 5");
    assert_int_equal(trop_study_table_rows(table), 0);
    assert_string_equal(trop_study_table_column(table, 1), "count");
    trop_study_table_free(table);
}

static void a_row_for_each_point(void **state)
{
    struct trop_study_table *table = ask(NULL, NULL, "seed <= 3 and rule = 'softmax'");

    (void)state;
    assert_int_equal(trop_study_table_rows(table), 3 * EPSILONS);
    assert_string_equal(cell(table, 5, "state").text, "failed"); /* point 352 */
    assert_string_equal(cell(table, 5, "sentence").text, "1-0");
    assert_int_equal(cell(table, 1, "point").integer, 301);
    assert_int_equal(cell(table, 1, "clusters").integer, clusters_at(301));
    assert_string_equal(cell(table, 2, "certificate.kind").text, "it's \"T5\", or so");
    assert_string_equal(trop_study_table_column(table, 8), "diameter");
    trop_study_table_free(table);
}

static void names_have_dots_and_dashes(void **state)
{
    struct trop_study_table *table =
        ask("certificate.kind", "clusters", "certificate.kind <> 'theorem 4.2' AND converged = 1");

    (void)state;
    assert_int_equal(trop_study_table_rows(table), 1); /* point % 3 decides both */
    assert_string_equal(cell(table, 0, "certificate.kind").text, "consensus");
    trop_study_table_free(table);
    table = ask("points.rule", "results.clusters", "results.certificate.kind = 'consensus'");
    assert_int_equal(trop_study_table_rows(table), 3);
    trop_study_table_free(table);
}

/* ---- refusals ---- */

static void unknown_names_are_hinted_at(void **state)
{
    (void)state;
    assert_sentence(refused("epsilo", NULL, NULL), TROP_ERR_ARG,
                    "by = epsilo: the study has no such column; did you mean epsilon?");
    assert_sentence(refused("n", NULL, NULL), TROP_ERR_ARG,
                    "by = n: the study has no such column; n is the same at every point");
    assert_sentence(refused("rule,", NULL, NULL), TROP_ERR_ARG, "by = rule,: a name is missing");
    assert_sentence(refused("rule", "width", NULL), TROP_ERR_ARG,
                    "there are point, rule, epsilon, seed, state, sentence, run, clusters,");
    assert_sentence(refused("rule", "certificate.kind", NULL), TROP_ERR_ARG,
                    "mean = certificate.kind: has texts, such as consensus");
    assert_sentence(refused("rule", NULL, "clusterz = 1"), TROP_ERR_ARG,
                    "where = clusterz = 1: no such column: clusterz; did you mean clusters?");
    /* No column may be taken for a text. */
    assert_sentence(refused("rule", NULL, "\"localmax\" = rule"), TROP_ERR_ARG, "no such column");
    assert_sentence(refused("rule", NULL, ""), TROP_ERR_ARG, "where = : ");
}

static void conditions_only_read_columns(void **state)
{
    static const char *const tries[][2] = {
        { "1); DROP TABLE results", "closes a bracket" },
        { "1; DROP TABLE results", "without a semicolon" },
        { "1 --", "without comments" },
        { "1 /*", "without comments" },
        { "1) OR (1", "closes a bracket" },
        { "(1", "opens a bracket" },
        { "rule = 'x", "opens a quotation" },
        { "'", "opens a quotation" },
        { "point IN (SELECT point FROM results)", "" },
        { "EXISTS (SELECT 1)", "" },
        { "(SELECT count(*) FROM sqlite_master) > 0", "" },
        { "point IN runs", "" },
        { "point IN sqlite_master", "" },
        { "(WITH x AS (SELECT 1) SELECT * FROM x)", "" },
        { "load_extension('x.so')", "" },
        { "readfile('/etc/passwd')", "" },
        { "writefile('x', 'y')", "" },
        { "randomblob(1000000000) IS NULL", "" },
        { "zeroblob(1000000000) IS NULL", "" },
        { "printf('%1000000000d', 1) = ''", "" },
        { "sqlite_version() = ''", "" },
        { "count(*) > 0", "" },
        { "runs.command = ''", "" },
        { "about.value = ''", "" },
        { "1 GROUP BY 1", "" },
        { "1 LIMIT 1", "" },
        { "raise(abort, 'x')", "" },
        { "clusters = ?", "without parameters" },
        { "clusters = :x", "without parameters" },
        { "clusters COLLATE nothing = 1", "" },
    };
    struct trop_study_table *table;

    (void)state;
    char *before = dump(dir_a);
    for (size_t k = 0; k < sizeof tries / sizeof tries[0]; k++) {
        const enum trop_status status = refused("rule", NULL, tries[k][0]);
        if (status != TROP_ERR_ARG || !strstr(trop_error(), tries[k][1]) ||
            strncmp(trop_error(), "where = ", 8) != 0) {
            fail_msg("%s: %d, %s", tries[k][0], (int)status, trop_error());
        }
    }
    assert_same_dump(dir_a, before);
    free(before);
    /* What is only odd works. */
    table = ask("rule", NULL, "rule = 'a) or (b; -- /*' or (\"epsilon\" >= .5e0 and [seed] < 4)");
    assert_int_equal(trop_study_table_rows(table), 3);
    trop_study_table_free(table);
    table = ask("rule", NULL, "rule LIKE 'soft%' AND abs(round(epsilon, 1)) BETWEEN .1 AND .3");
    assert_int_equal(trop_study_table_rows(table), 1);
    trop_study_table_free(table);
}

/* The file can be from anybody. */
static void a_view_is_no_table(void **state)
{
    struct trop_sqlite *db = NULL;

    (void)state;
    assert_int_equal(trop_sqlite_open(&db, scratch("a/catalogue.sqlite"), TROP_SQLITE_WRITE), 0);
    assert_int_equal(trop_sqlite_run(db, "ALTER TABLE results RENAME TO kept; CREATE VIEW results "
                                         "AS SELECT * FROM kept WHERE randomblob(9) IS NOT NULL"),
                     TROP_OK);
    trop_sqlite_close(db);
    assert_int_not_equal(refused("rule", NULL, NULL), TROP_OK);
    unlink(scratch("a/catalogue.sqlite"));
    assert_sentence(refused("rule", NULL, NULL), TROP_ERR_IO, "has no catalogue.sqlite");
    fake_logs = told_once;
    merged(dir_a, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_and_deviations_have_all_their_digits),
        cmocka_unit_test(few_numbers_and_none),
        cmocka_unit_test(a_row_for_each_point),
        cmocka_unit_test(names_have_dots_and_dashes),
        cmocka_unit_test(unknown_names_are_hinted_at),
        cmocka_unit_test(conditions_only_read_columns),
        cmocka_unit_test(a_view_is_no_table),
    };
    return cmocka_run_group_tests(tests, merge_study, drop_study);
}
