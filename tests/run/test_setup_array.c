/* test_setup_array.c -- arrays in memory in the place of files: the same results, the same
 * refusals; entries of tables and values by calls; flows step by step.
 *
 * The reference is the same option read from a file. */
#include "support.h"

#include <unistd.h>

#include "io/npy.h"
#include "scratch.h"
#include "tropism_lab.h"

#define N 12

/* Whatever may differ: the clock. */
static void without_seconds(char out[65536], const char *json)
{
    const char *at = strstr(json, "\"seconds\"");

    assert_non_null(at);
    snprintf(out, 65536, "%.*s", (int)(at - json), json);
}

static struct trop_setup *flow_setup(void)
{
    struct trop_setup *setup = NULL;

    assert_ok(trop_setup_create(&setup, "flow"));
    assert_ok(trop_setup_set(setup, "rule", "softmax"));
    assert_ok(trop_setup_set(setup, "steps", "7"));
    return setup;
}

static void run_json(char out[65536], struct trop_setup *setup)
{
    struct trop_job *run = NULL;
    const char *json = NULL;

    assert_ok(trop_job_create(&run, setup));
    assert_ok(trop_job_run(run, NULL, NULL));
    assert_ok(trop_job_json(&json, run));
    without_seconds(out, json);
    trop_job_free(run);
    trop_setup_free(setup);
}

static void give(struct trop_setup *setup, const char *name, const char *prefix,
                 const double *values, int64_t rank, const int64_t *shape, int by_file)
{
    if (!by_file) {
        assert_ok(trop_setup_array(setup, name, values, rank, shape));
        return;
    }
    char file[64], text[300];
    snprintf(file, sizeof file, "%s.npy", name);
    assert_ok(trop_npy_write(scratch(file), values, rank, shape));
    snprintf(text, sizeof text, "%s%s", prefix, scratch(file));
    assert_ok(trop_setup_set(setup, name, text));
}

/* Tokens, masses, a matrix and a schedule, by file and by array. */
static void test_flow_arrays(void **state)
{
    double x[N * 2], masses[N], b[4] = { 1, .5, -.25, 2 }, beta[3] = { 1, 2, 4 };
    char text[2][65536];
    const int64_t cloud[] = { N, 2 }, two[] = { 2, 2 }, three[] = { 3 };

    (void)state;
    normals(x, N * 2, 1);
    for (int k = 0; k < N; k++) {
        masses[k] = 1 + uniform(2, (uint64_t)k);
    }
    for (int by_file = 0; by_file < 2; by_file++) {
        struct trop_setup *setup = flow_setup();
        give(setup, "tokens", "", x, 2, cloud, by_file);
        give(setup, "masses", "", masses, 1, cloud, by_file);
        give(setup, "key_query", "", b, 2, two, by_file);
        give(setup, "beta", "@", beta, 1, three, by_file);
        run_json(text[by_file], setup);
    }
    assert_string_equal(text[0], text[1]);
    assert_non_null(strstr(text[0], "\"steps\": 7"));
    unlink(scratch("tokens.npy"));
    unlink(scratch("masses.npy"));
    unlink(scratch("key_query.npy"));
    unlink(scratch("beta.npy"));
}

static void refused(const char *sentence, enum trop_status status)
{
    if (status == TROP_OK || !strstr(trop_error(), sentence)) {
        fail_msg("refused by \"%s\", not by \"%s\"", trop_error(), sentence);
    }
}

static void test_refusals(void **state)
{
    const int64_t vector[] = { 3 }, table[] = { 3, 2 }, empty[] = { 0, 2 };
    double x[6] = { 0, 1, 2, 3, 4, NAN };
    struct trop_job *run = NULL;
    struct trop_setup *setup = flow_setup();

    (void)state;
    refused("steps: takes no array", trop_setup_array(setup, "steps", x, 1, vector));
    refused("did you mean tokens", trop_setup_array(setup, "token", x, 2, table));
    refused("unknown option", trop_setup_array(setup, "start.W", x, 2, table));
    refused("0 to 4 dimensions", trop_setup_array(setup, "tokens", x, 5, vector));
    refused("no numbers", trop_setup_array(setup, "tokens", NULL, 1, vector));
    assert_ok(trop_setup_array(setup, "tokens", x, 1, vector));
    refused("array: is 3, must be n x d", trop_job_create(&run, setup));
    assert_ok(trop_setup_array(setup, "tokens", NULL, 2, empty));
    refused("is 0 x 2", trop_job_create(&run, setup));
    assert_ok(trop_setup_array(setup, "tokens", x, 2, table));
    refused("nan", trop_job_create(&run, setup));
    x[5] = 5;
    assert_ok(trop_setup_array(setup, "tokens", x, 2, table));
    assert_ok(trop_setup_set(setup, "n", "4"));
    refused("n = 4: but array has n = 3", trop_job_create(&run, setup));
    assert_ok(trop_setup_set(setup, "n", "3"));
    assert_ok(trop_setup_array(setup, "masses", x, 2, table));
    refused("masses: array: is 3 x 2", trop_job_create(&run, setup));
    /* A text afterwards takes the place of an array. */
    assert_ok(trop_setup_set(setup, "masses", "nowhere.npy"));
    refused("nowhere.npy", trop_job_create(&run, setup));
    trop_setup_free(setup);
}

/* The margin problem and training of a named set, and of the same arrays handed over; a start and
 * a direction likewise. */
static struct trop_job *studied(const char *verb, const struct trop_dataset *data,
                                const double *start)
{
    const int64_t square[] = { 10, 10 };
    struct trop_setup *setup = NULL;
    struct trop_job *study = NULL;

    assert_ok(trop_setup_create(&setup, verb));
    if (data) {
        assert_ok(trop_setup_data(setup, data));
    } else {
        assert_ok(trop_setup_set(setup, "data", "attsvm"));
    }
    if (start) {
        assert_ok(trop_setup_set(setup, "steps", "20"));
        assert_ok(trop_setup_array(setup, "start.W", start, 2, square));
    }
    assert_ok(trop_job_create(&study, setup));
    assert_ok(trop_job_run(study, NULL, NULL));
    trop_setup_free(setup);
    return study;
}

static void assert_same_study(struct trop_job *a, struct trop_job *b)
{
    const char *json = NULL;
    char one[65536], two[65536];

    assert_ok(trop_job_json(&json, a));
    without_seconds(one, json);
    assert_ok(trop_job_json(&json, b));
    without_seconds(two, json);
    assert_string_equal(one, two);
    trop_job_free(a);
    trop_job_free(b);
}

static void test_data(void **state)
{
    struct trop_dataset *named = NULL, *made = NULL;
    const char *keys[9] = { 0 };
    const double *values[8];
    int64_t ranks[8], shapes[32] = { 0 }, count = 0;
    double start[100];

    (void)state;
    normals(start, 100, 5);
    assert_ok(trop_dataset_create(&named, "attsvm", 0, 0, 0, TROP_DATASET_SEED));
    for (const char *const *key = trop_dataset_keys(); *key; key++) {
        struct trop_value value;
        assert_ok(trop_dataset_value(&value, named, *key));
        if (value.kind != TROP_KIND_NULL) {
            keys[count] = *key;
            values[count] = value.numbers;
            ranks[count] = value.rank;
            memcpy(shapes + 4 * count++, value.shape, sizeof value.shape);
        }
    }
    assert_true(count >= 3);
    assert_ok(trop_dataset_create_arrays(&made, keys, values, ranks, shapes));
    assert_same_study(studied("margin", NULL, NULL), studied("margin", made, NULL));
    assert_same_study(studied("train", NULL, start), studied("train", made, start));
    keys[1] = keys[0];
    refused("twice", trop_dataset_create_arrays(&made, keys, values, ranks, shapes));
    keys[1] = "Q";
    refused("Q: is not an array", trop_dataset_create_arrays(&made, keys, values, ranks, shapes));
    trop_dataset_free(named);
    trop_dataset_free(made);
}

/* The weights at the start are those that were given: no step is taken. */
static void test_start(void **state)
{
    const int64_t square[] = { 10, 10 };
    struct trop_setup *setup = NULL;
    struct trop_job *study = NULL;
    struct trop_value value;
    double start[100];

    (void)state;
    normals(start, 100, 6);
    assert_ok(trop_setup_create(&setup, "train"));
    assert_ok(trop_setup_set(setup, "data", "attsvm"));
    assert_ok(trop_setup_set(setup, "steps", "0"));
    assert_ok(trop_setup_array(setup, "start.W", start, 2, square));
    refused("start.X", trop_setup_array(setup, "start.X", start, 2, square));
    assert_ok(trop_job_create(&study, setup));
    assert_ok(trop_job_run(study, NULL, NULL));
    assert_ok(trop_train_value(&value, trop_job_result(study), "weights.W"));
    assert_memory_equal(value.numbers, start, sizeof start);
    trop_job_free(study);
    assert_ok(trop_setup_array(setup, "start.p", start, 1, square));
    refused("has p, which this model does not", trop_job_create(&study, setup));
    trop_setup_free(setup);
}

/* A run in strides of any length is the run in one go, records included. */
static void test_steps(void **state)
{
    struct trop_setup *setup[2];
    struct trop_job *run[2];
    struct trop_value one, two;

    (void)state;
    for (int k = 0; k < 2; k++) {
        setup[k] = flow_setup();
        assert_ok(trop_setup_set(setup[k], "n", "20"));
        assert_ok(trop_setup_set(setup[k], "rule", "localmax"));
        assert_ok(trop_setup_set(setup[k], "steps", "50"));
        assert_ok(trop_setup_set(setup[k], "record", "diameter,tokens"));
        assert_ok(trop_setup_set(setup[k], "every", "5"));
        assert_ok(trop_job_create(&run[k], setup[k]));
    }
    assert_ok(trop_job_run(run[0], NULL, NULL));
    for (int64_t steps = 1, done = 0; done < 50; done += steps++) {
        assert_ok(trop_job_step(run[1], steps, NULL, NULL));
        double taken = 0;
        assert_ok(trop_flow_number(&taken, trop_job_result(run[1]), "steps"));
        assert_int_equal((int64_t)taken, done + steps < 50 ? done + steps : 50);
    }
    assert_ok(trop_job_run(run[1], NULL, NULL));
    refused("steps = -1", trop_job_step(run[1], -1, NULL, NULL));
    assert_memory_equal(trop_flow_tokens(trop_job_result(run[0])),
                        trop_flow_tokens(trop_job_result(run[1])), 40 * sizeof(double));
    int64_t columns = 0;
    for (const char *name; (name = trop_job_record(&one, run[0], columns)); columns++) {
        assert_string_equal(trop_job_record(&two, run[1], columns), name);
        assert_int_equal(one.shape[0], 11);
        assert_memory_equal(one.shape, two.shape, sizeof one.shape);
        int64_t width = one.rank == 3 ? one.shape[1] * one.shape[2] : 1;
        assert_memory_equal(
            one.kind == TROP_KIND_NUMBERS ? (const void *)one.numbers : (const void *)one.integers,
            two.kind == TROP_KIND_NUMBERS ? (const void *)two.numbers : (const void *)two.integers,
            (size_t)(11 * width) * 8);
    }
    assert_int_equal(columns, 3);
    for (int k = 0; k < 2; k++) {
        trop_job_free(run[k]);
        trop_setup_free(setup[k]);
    }
}

/* What is saved is what the option out would have written. */
static void test_save(void **state)
{
    struct trop_job *study = studied("margin", NULL, NULL);

    (void)state;
    refused("saved.txt", trop_job_save(study, scratch("saved.txt")));
    assert_ok(trop_job_save(study, scratch("saved.h5")));
    trop_job_free(study);
    struct trop_dataset *data = NULL, *named = NULL;
    struct trop_value one, two;
    assert_ok(trop_dataset_create(&named, "attsvm", 0, 0, 0, TROP_DATASET_SEED));
    char path[300];
    snprintf(path, sizeof path, "%s", scratch("saved.h5"));
    assert_ok(trop_dataset_create(&data, path, 0, 0, 0, 0));
    assert_ok(trop_dataset_value(&one, named, "X"));
    assert_ok(trop_dataset_value(&two, data, "X"));
    assert_memory_equal(one.numbers, two.numbers, 6 * 8 * 10 * sizeof(double));
    trop_dataset_free(data);
    trop_dataset_free(named);
    unlink(path);
}

/* Tables by calls say what the structs say. */
static void test_entries(void **state)
{
    const struct trop_option *table = trop_flow_option_table();
    const struct trop_field *fields = trop_flow_field_table();
    int64_t k = 0;

    (void)state;
    for (; table[k].name; k++) {
        const struct trop_option *option = trop_option_at(table, k);
        assert_ptr_equal(option, table + k);
        assert_ptr_equal(trop_option_name(option), option->name);
        assert_ptr_equal(trop_option_meaning(option), option->meaning);
        assert_int_equal(trop_option_type(option), option->type);
    }
    assert_null(trop_option_at(table, k));
    assert_null(trop_option_at(table, k + 1));
    assert_null(trop_option_at(table, -1));
    const struct trop_option *mask = trop_option_find(table, "mask");
    assert_string_equal(trop_option_choice(mask, 0), "full");
    assert_string_equal(trop_option_choice(mask, 1), "causal");
    assert_null(trop_option_choice(mask, 2));
    assert_null(trop_option_choice(mask, 3));
    assert_null(trop_option_choice(trop_option_find(table, "n"), 0));
    for (k = 0; fields[k].name; k++) {
        assert_ptr_equal(trop_field_at(fields, k), fields + k);
        assert_ptr_equal(trop_field_name(fields + k), fields[k].name);
        assert_ptr_equal(trop_field_meaning(fields + k), fields[k].meaning);
        assert_ptr_equal(trop_field_columns(fields + k), fields[k].columns);
    }
    assert_null(trop_field_at(fields, k));
    assert_null(trop_field_at(fields, -1));
}

static void test_hull_fields(void **state)
{
    /* A square with its middle: area 4, diameter 2 sqrt 2, width 2. */
    const double x[] = { -1, -1, 1, -1, 1, 1, -1, 1, 0, 0 }, query[] = { 3, 0 };
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    struct trop_value value;

    (void)state;
    assert_ok(trop_hull_create(&hull, x, 5, 2, 1));
    assert_ok(trop_hull_value(&value, hull, "vertices"));
    assert_int_equal(trop_value_kind(&value), TROP_KIND_INTEGERS);
    assert_int_equal(trop_value_rank(&value), 1);
    assert_int_equal(trop_value_shape(&value, 0), 4);
    assert_int_equal(trop_value_integers(&value)[3], 3);
    assert_string_equal(trop_value_axis(&value, 0), "vertex");
    assert_ok(trop_hull_value(&value, hull, "volume"));
    assert_near(trop_value_number(&value), 4, 1e-15);
    assert_ok(trop_hull_value(&value, hull, "edges"));
    assert_int_equal(trop_value_shape(&value, 0), 4);
    assert_int_equal(trop_value_shape(&value, 1), 2);
    assert_ok(trop_hull_place(&place, NULL, NULL, NULL, hull, query));
    assert_int_equal(trop_hull_position_size(), sizeof place);
    assert_ok(trop_field_value(&value, trop_hull_position_table(), &place, "side"));
    assert_string_equal(trop_value_text(&value, 0), "outside");
    assert_ok(trop_field_value(&value, trop_hull_position_table(), &place, "distance"));
    assert_near(trop_value_number(&value), 2, 1e-15);
    refused("no such field", trop_hull_value(&value, hull, "colour"));
    trop_hull_free(hull);
}

static void test_schedule(void **state)
{
    struct trop_setup *setup = flow_setup();

    (void)state;
    assert_ok(trop_setup_set(setup, "gamma", "fw"));
    assert_near(trop_schedule_at(trop_setup_schedule(setup, "gamma"), 2), .5, 0);
    assert_null(trop_setup_schedule(setup, "steps"));
    assert_null(trop_setup_schedule(setup, "nothing"));
    assert_ok(trop_setup_set(setup, "gamma", "@file.csv"));
    assert_null(trop_setup_schedule(setup, "gamma"));
    trop_setup_free(setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow_arrays), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_data),        cmocka_unit_test(test_start),
        cmocka_unit_test(test_steps),       cmocka_unit_test(test_save),
        cmocka_unit_test(test_entries),     cmocka_unit_test(test_hull_fields),
        cmocka_unit_test(test_schedule),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
