/* test_check.c -- check and reproduction, from options to verdicts. */
#include "support.h"
#include "tropism_lab.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/trop_check_XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][256];
    static int turn;
    char *out = path[turn++ % 4];

    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static struct trop_setup *setup_of(const char *verb, const char *const *pairs)
{
    struct trop_setup *setup = NULL;

    assert_ok(trop_setup_create(&setup, verb));
    for (; pairs[0]; pairs += 2) {
        assert_ok(trop_setup_set(setup, pairs[0], pairs[1]));
    }
    return setup;
}

/* Made and run; the caller frees it. */
static struct trop_job *checked(const char *const *pairs)
{
    struct trop_setup *setup = setup_of("check", pairs);
    struct trop_job *check = NULL;

    assert_ok(trop_job_create(&check, setup));
    trop_setup_free(setup);
    assert_ok(trop_job_run(check, NULL, NULL));
    return check;
}

static enum trop_status claims_of(struct trop_job **out, const char *id, const char *paper,
                                  const char *status)
{
    const char *pairs[7] = { NULL };
    int used = 0;

    for (int k = 0; k < 3; k++) {
        const char *const names[] = { "claim", "paper", "status" };
        const char *const values[] = { id, paper, status };
        if (values[k]) {
            pairs[used++] = names[k];
            pairs[used++] = values[k];
        }
    }
    return trop_job_create_from(out, "claims", pairs);
}

static void refuses(const char *const *pairs, const char *word)
{
    struct trop_setup *setup = setup_of("check", pairs);
    struct trop_job *check = NULL;

    assert_int_not_equal(trop_job_create(&check, setup), TROP_OK);
    if (!strstr(trop_error(), word)) {
        fail_msg("\"%s\" does not name %s", trop_error(), word);
    }
    trop_setup_free(setup);
}

static struct trop_value value_of(const struct trop_job *check, const char *name)
{
    struct trop_value value = { 0 };

    assert_ok(trop_job_value(&value, check, name));
    return value;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_a_false_claim_is_violated_and_its_repaired_form_holds(void **state)
{
    const char *file = in_folder("hull.h5");
    struct trop_job *check = checked((const char *const[]){
        "claim", "fw-lem-hull", "counterexample", file, "trials", "30", NULL });

    (void)state;
    assert_string_equal(value_of(check, "verdict").text, "violated");
    assert_string_equal(value_of(check, "counterexample").text, file);
    assert_int_equal(value_of(check, "step").integer, 1);
    assert_int_equal(value_of(check, "applicable").integer, 30);
    assert_string_equal(value_of(check, "repaired.verdict").text, "holds");
    assert_int_equal(value_of(check, "repaired.applicable").integer, 30);
    trop_job_free(check);

    check = checked((const char *const[]){ "claim", "fw-lem-hull", "instance", file, NULL });
    assert_string_equal(value_of(check, "verdict").text, "violated");
    assert_int_equal(value_of(check, "step").integer, 1);
    /* The triangle's vertex goes to (.4, .7), .1 / sqrt 2 outside the side x + y = 1. */
    assert_near(value_of(check, "tightest.measured").number, .1 / sqrt(2), 1e-12);
    trop_job_free(check);
    refuses((const char *const[]){ "claim", "fw-lem-hull-repaired", "instance", file, NULL },
            "fw-lem-hull,");
}

/* The judge of another claim would believe shapes that the case does not have. */
static void test_a_case_that_was_given_another_claim_is_refused(void **state)
{
    static const char other[] = "fw-thm-3.1";
    const char *file = in_folder("other.h5");

    (void)state;
    trop_job_free(checked((const char *const[]){ "claim", "fw-lem-hull", "counterexample", file,
                                                 "trials", "5", NULL }));
    hid_t h5 = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    hid_t one = H5Screate(H5S_SCALAR);
    H5Tset_size(type, sizeof other);
    assert_true(h5 >= 0 && H5Adelete(h5, "claim") >= 0);
    hid_t attribute = H5Acreate2(h5, "claim", type, one, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, other) >= 0);
    H5Aclose(attribute);
    H5Sclose(one);
    H5Tclose(type);
    H5Fclose(h5);
    refuses((const char *const[]){ "claim", other, "instance", file, NULL }, "was changed");
}

static void test_the_result_does_not_depend_on_threads(void **state)
{
    static const char *const threads[] = { "1", "3" };
    char *texts[2] = { NULL };

    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *json = NULL;
        struct trop_job *check =
            checked((const char *const[]){ "claim", "fw-lem-hull", "counterexample", "none",
                                           "threads", threads[k], "trials", "70", NULL });
        assert_int_equal(value_of(check, "counterexample").kind, TROP_KIND_NULL);
        assert_ok(trop_job_json(&json, check));
        texts[k] = strdup(json);
        *strstr(texts[k], "\"seconds\"") = '\0';
        trop_job_free(check);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void test_given_instances_are_judged_alone(void **state)
{
    const char *tokens = in_folder("x.csv"), *value = in_folder("v.csv");

    (void)state;
    write_text(tokens, "0,0\n1,0\n0,1\n");
    write_text(value, "2,0\n0,1\n");
    struct trop_job *check =
        checked((const char *const[]){ "claim", "fw-lem-hull-repaired", "tokens", tokens, "value",
                                       value, "counterexample", "none", NULL });
    assert_string_equal(value_of(check, "verdict").text, "hypothesis-fails");
    assert_string_equal(value_of(check, "hypothesis.name").text, "scalar-value");
    assert_int_equal(value_of(check, "applicable").integer, 0);
    trop_job_free(check);

    check = checked((const char *const[]){ "claim", "fw-lem-hull-repaired", "tokens", tokens,
                                           "value", "2", "steps", "5", NULL });
    assert_string_equal(value_of(check, "verdict").text, "holds");
    assert_int_equal(value_of(check, "applicable").integer, 1);
    assert_int_equal(value_of(check, "attempted").integer, 1);
    trop_job_free(check);
}

static void test_what_a_claim_does_not_take_is_refused(void **state)
{
    (void)state;
    refuses((const char *const[]){ "claim", "fw-lem-hul", NULL }, "fw-lem-hull");
    refuses((const char *const[]){ "trials", "3", NULL }, "claim");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "gamma", ".5", NULL }, "gamma");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "data", "attsvm", NULL }, "data");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "set", "nonsense", NULL }, "set");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "set", "radius=2", NULL }, "radius");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "set", "steps=x", NULL }, "steps");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "value", "2", NULL }, "value");
    refuses((const char *const[]){ "claim", "lm-thm-t10", "set", "swing=.15", NULL }, "swing");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "tokens", "/nonexistent.npy", NULL },
            "/nonexistent.npy");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "out", "result.txt", NULL }, "out");
}

static void sees(const char *id, const char *option, const char *file, const char *verdict)
{
    struct trop_job *check =
        checked((const char *const[]){ "claim", id, option, file, "counterexample", "none", NULL });

    assert_string_equal(value_of(check, "verdict").text, verdict);
    trop_job_free(check);
}

/* Odd data leave a hypothesis, or the question open; they violate nothing that is proved. */
static void test_odd_data_violate_nothing(void **state)
{
    const char *one = in_folder("one.json"), *bare = in_folder("bare.json");
    const char *two = in_folder("two.json");

    (void)state;
    /* A single token has no neighbour, and there is no cone to stay in. */
    write_text(one, "{\"X\": [[[0.06]]], \"y\": [-1], \"v\": [-0.43], \"z\": [[-0.84]]}");
    sees("mm-lem-10", "data", one, "holds");
    sees("mm-thm-3", "data", one, "not-decidable");
    /* The figure has labels and a decoder, which the data have not. */
    write_text(bare, "{\"X\": [[[1, 2], [3, 4]], [[5, 6], [8, 7]]]}");
    sees("mm-fig-8", "data", bare, "hypothesis-fails");
    /* Weights that get shorter in the first steps, and grow without bound. */
    write_text(two, "{\"X\": [[[-0.04, -1.45], [0.08, 0.79], [0.5, 0.7]], "
                    "[[0.92, 0.87], [-0.06, -2.1], [-0.78, 0.33]]], "
                    "\"y\": [-1, 1], \"v\": [-0.49, 0.66], \"z\": [[0.78, 0.03], [1.86, -1.0]]}");
    sees("md-thm-2", "data", two, "holds");
}

/* With equal masses the norms decide for a symmetric A alone; instance 0 has equal masses. */
static void test_a_matrix_need_not_be_symmetric(void **state)
{
    const char *matrix = in_folder("skew.csv");

    (void)state;
    write_text(matrix, "2,0.5\n0.3,1\n");
    struct trop_job *check = checked((const char *const[]){
        "claim", "lm-thm-t9", "key_query", matrix, "trials", "1", "counterexample", "none", NULL });
    assert_string_equal(value_of(check, "verdict").text, "holds");
    trop_job_free(check);
}

/* Steps so small that rounding hides them, and signs that a statement excludes. */
static void test_odd_numbers_violate_nothing(void **state)
{
    static const char *const odd[][3] = {
        { "lm-thm-t2", "gamma=1e-308", "not-decidable" },
        { "lm-thm-t4c", "gamma=1e-14", "not-decidable" },
        { "fw-rem-gumbel", "gamma=1e-308", "holds" },
        { "fw-rem-slow-time", "gamma=1e-308", "holds" },
        { "mm-lem-5", "pi=-1", "not-decidable" },
        { "mm-lem-14", "Delta=-1", "not-decidable" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        struct trop_job *check = checked((const char *const[]){
            "claim", odd[k][0], "set", odd[k][1], "trials", "1", "counterexample", "none", NULL });
        assert_string_equal(value_of(check, "verdict").text, odd[k][2]);
        trop_job_free(check);
    }
    const char *const pairs[] = { "claim", "md-fig-4", "set", "share=1e308", NULL };
    struct trop_setup *setup = setup_of("check", pairs);
    struct trop_job *check = NULL;
    assert_ok(trop_job_create(&check, setup));
    trop_setup_free(setup);
    assert_int_equal(trop_job_run(check, NULL, NULL), TROP_ERR_ARG);
    trop_job_free(check);
}

static void test_data_that_no_claim_is_judged_for_are_refused(void **state)
{
    const char *keys = in_folder("keys.json"), *large = in_folder("large.json");

    (void)state;
    write_text(keys, "{\"X\": [[[1, 2], [3, 4]]], \"v\": [1, 0], \"K\": [[[1], [2]]]}");
    refuses((const char *const[]){ "claim", "mm-lem-1", "data", keys, NULL }, "K: is not an input");
    write_text(large, "{\"X\": [[[1e200, 2], [3, 4]]], \"v\": [1, 0]}");
    refuses((const char *const[]){ "claim", "mm-lem-2", "data", large, NULL }, "scale");
}

static void test_a_check_that_is_stopped_tells_what_it_has(void **state)
{
    struct trop_setup *setup =
        setup_of("check", (const char *const[]){ "claim", "fw-lem-hull-repaired", "trials",
                                                 "100000", "time_limit", ".05", NULL });
    struct trop_job *check = NULL;

    (void)state;
    assert_ok(trop_job_create(&check, setup));
    trop_setup_free(setup);
    assert_int_equal(trop_job_run(check, NULL, NULL), TROP_ERR_STOPPED);
    assert_non_null(strstr(trop_error(), "time limit"));
    assert_string_equal(value_of(check, "verdict").text, "not-decidable");
    assert_true(value_of(check, "applicable").integer > 0);
    trop_job_free(check);
}

static void test_only_figures_and_tables_are_reproduced(void **state)
{
    const char *const pairs[] = { "claim", "fw-lem-hull", "out", folder, NULL };
    struct trop_setup *setup = setup_of("reproduce", pairs);
    struct trop_job *r = NULL;

    (void)state;
    assert_int_equal(trop_job_create(&r, setup), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "tropism check fw-lem-hull"));
    trop_setup_free(setup);
}

static struct trop_job *reproduced(const char *const *pairs, trop_progress *progress,
                                   enum trop_status expected)
{
    struct trop_setup *setup = setup_of("reproduce", pairs);
    struct trop_job *r = NULL;

    assert_ok(trop_job_create(&r, setup));
    trop_setup_free(setup);
    assert_int_equal(trop_job_run(r, progress, NULL), expected);
    return r;
}

static int64_t size_of(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 ? (int64_t)about.st_size : -1;
}

static void test_a_figure_is_drawn_and_its_numbers_stand_beside_the_published(void **state)
{
    const char *const pairs[] = { "claim", "fw-fig-erosion", "out", folder, "quick", "yes", NULL };
    struct trop_job *r = reproduced(pairs, NULL, TROP_OK);
    struct trop_value value = { 0 };
    const char *json = NULL;

    (void)state;
    assert_ok(trop_job_value(&value, r, "verdict"));
    assert_string_equal(value.text, "reproduced");
    assert_ok(trop_job_value(&value, r, "rows"));
    assert_true(value.shape[0] >= 3);
    assert_true(size_of(in_folder("fw-fig-erosion.pdf")) > 1000);
    assert_true(size_of(in_folder("fw-fig-erosion.png")) > 1000);
    assert_true(size_of(in_folder("fw-fig-erosion.svg")) > 1000);
    assert_ok(trop_job_json(&json, r));
    assert_non_null(strstr(json, "\"published\": "));
    assert_non_null(strstr(json, "\"difference\": "));
    trop_job_free(r);
}

static void test_what_needs_data_shows_the_published_numbers(void **state)
{
    const char *const pairs[] = { "claim", "md-tab-vit", "out", folder, "quick", "yes", NULL };
    struct trop_job *r = reproduced(pairs, NULL, TROP_OK);
    struct trop_value value = { 0 };
    const char *json = NULL;

    (void)state;
    assert_ok(trop_job_value(&value, r, "verdict"));
    assert_string_equal(value.text, "needs-data");
    assert_ok(trop_job_json(&json, r));
    assert_non_null(strstr(json, "0.8241")); /* CIFAR-10, p = 1.1 */
    assert_non_null(strstr(json, "\"ours\": null"));
    /* Beside them what can be had here, which is not compared. */
    const char *ours = strstr(json, "digits, Adam: accuracy");
    assert_non_null(ours);
    assert_non_null(strstr(ours, "\"published\": null"));
    assert_non_null(strstr(ours, "\"beside\""));
    assert_true(size_of(in_folder("md-tab-vit.svg")) > 1000);
    trop_job_free(r);

    struct trop_job *check =
        checked((const char *const[]){ "claim", "md-tab-vit", "counterexample", "none", NULL });
    assert_string_equal(value_of(check, "verdict").text, "not-decidable");
    assert_int_equal(value_of(check, "attempted").integer, 0);
    trop_job_free(check);
}

/* ---- texts ---- */

/* 60 reviews of two kinds, and the smallest protocol. */
static const char *reviews(void)
{
    const char *path = in_folder("reviews.tsv");
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("label\ttext\n", file);
    for (int k = 0; k < 60; k++) {
        fprintf(file, "%s\t%s film number %d\n", k % 2 ? "pos" : "neg", k % 2 ? "a good" : "a bad",
                k % 7);
    }
    fclose(file);
    return path;
}

#define SMALLEST "coarse=1,fine=0,tuning=1,folds=2,seeds=1,epochs=1,draws=99"

/* A question that experiments decide is asked once, and shows what it rests on when it is open. */
static void test_a_slice_of_the_protocol_leaves_it_open(void **state)
{
    struct trop_job *check =
        checked((const char *const[]){ "claim", "md-tab-imdb", "data", reviews(), "set", SMALLEST,
                                       "counterexample", "none", NULL });

    (void)state;
    assert_string_equal(value_of(check, "verdict").text, "not-decidable");
    assert_int_equal(value_of(check, "attempted").integer, 1);
    struct trop_value holds = { 0 }, name = { 0 };
    int64_t found = 0;
    for (int64_t row = 0; row < value_of(check, "evidence").shape[0]; row++) {
        assert_ok(trop_job_cell(&name, check, "evidence", "name", row));
        assert_ok(trop_job_cell(&holds, check, "evidence", "holds", row));
        found += strstr(name.text, "at this scale") && holds.kind == TROP_KIND_NULL;
    }
    assert_int_equal(found, 1);
    trop_job_free(check);
}

static void test_texts_are_read_or_refused_before_anything_is_run(void **state)
{
    const char *const pairs[][7] = {
        { "claim", "md-tab-imdb", "data", "/nonexistent.tsv", NULL },
        { "claim", "fw-fig-erosion", "data", "mr", NULL },
    };
    const char *const words[] = { "/nonexistent.tsv", "fw-fig-erosion" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct trop_setup *setup = setup_of("reproduce", pairs[k]);
        struct trop_job *r = NULL;
        assert_ok(trop_setup_set(setup, "out", folder));
        assert_int_not_equal(trop_job_create(&r, setup), TROP_OK);
        assert_non_null(strstr(trop_error(), words[k]));
        trop_setup_free(setup);
    }
    refuses((const char *const[]){ "claim", "md-tab-imdb", "data", "/nonexistent.tsv", NULL },
            "/nonexistent.tsv");
}

static void test_a_long_claim_ends_at_its_time_limit(void **state)
{
    struct trop_setup *setup =
        setup_of("check", (const char *const[]){ "claim", "md-tab-weights", "time_limit", ".2",
                                                 "counterexample", "none", NULL });
    struct trop_job *check = NULL;

    (void)state;
    assert_ok(trop_job_create(&check, setup));
    trop_setup_free(setup);
    assert_int_equal(trop_job_run(check, NULL, NULL), TROP_ERR_STOPPED);
    assert_non_null(strstr(trop_error(), "time limit"));
    assert_string_equal(value_of(check, "verdict").text, "not-decidable");
    trop_job_free(check);
}

/* A report that was stopped has what is done, with its pictures inside. */
/* Stops before the third figure or table of many. */
static int two_are_enough(void *context, int64_t done, int64_t total)
{
    (void)context;
    return total > 2 && done >= 2;
}

static void test_a_report_needs_no_other_file(void **state)
{
    const char *const pairs[] = { "claim", "all", "out", folder, "quick", "yes", NULL };
    struct trop_job *r = reproduced(pairs, two_are_enough, TROP_ERR_STOPPED);
    struct trop_value value = { 0 };
    static char text[20000000];

    (void)state;
    assert_ok(trop_job_value(&value, r, "report"));
    FILE *file = fopen(value.text, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "<img alt=\"\" src=\"data:image/svg+xml;base64,"));
    assert_null(strstr(text, "src=\"http"));
    assert_non_null(strstr(text, "id=\"md-tab-vit\"")); /* every one has its place */
    trop_job_free(r);
}

static void test_claims_are_listed_by_paper_and_status(void **state)
{
    struct trop_job *claims = NULL;
    struct trop_value list = { 0 };
    int64_t all = 0, sum = 0;
    static const char *const papers[] = { "fw", "lm", "afz", "mm", "tf", "md", "sp" };

    (void)state;
    assert_ok(claims_of(&claims, NULL, NULL, NULL));
    assert_ok(trop_job_value(&list, claims, "claims"));
    all = list.shape[0];
    trop_job_free(claims);
    for (size_t k = 0; k < sizeof papers / sizeof papers[0]; k++) {
        assert_ok(claims_of(&claims, NULL, papers[k], NULL));
        assert_ok(trop_job_value(&list, claims, "claims"));
        sum += list.shape[0];
        trop_job_free(claims);
    }
    assert_int_equal(sum, all);
    assert_int_equal(claims_of(&claims, NULL, "xx", NULL), TROP_ERR_ARG);
    assert_int_equal(claims_of(&claims, NULL, NULL, "true"), TROP_ERR_ARG);
    assert_int_equal(claims_of(&claims, "fw-thm", NULL, NULL), TROP_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_false_claim_is_violated_and_its_repaired_form_holds),
        cmocka_unit_test(test_the_result_does_not_depend_on_threads),
        cmocka_unit_test(test_given_instances_are_judged_alone),
        cmocka_unit_test(test_a_case_that_was_given_another_claim_is_refused),
        cmocka_unit_test(test_what_a_claim_does_not_take_is_refused),
        cmocka_unit_test(test_odd_data_violate_nothing),
        cmocka_unit_test(test_a_matrix_need_not_be_symmetric),
        cmocka_unit_test(test_odd_numbers_violate_nothing),
        cmocka_unit_test(test_data_that_no_claim_is_judged_for_are_refused),
        cmocka_unit_test(test_a_check_that_is_stopped_tells_what_it_has),
        cmocka_unit_test(test_only_figures_and_tables_are_reproduced),
        cmocka_unit_test(test_a_figure_is_drawn_and_its_numbers_stand_beside_the_published),
        cmocka_unit_test(test_what_needs_data_shows_the_published_numbers),
        cmocka_unit_test(test_a_slice_of_the_protocol_leaves_it_open),
        cmocka_unit_test(test_texts_are_read_or_refused_before_anything_is_run),
        cmocka_unit_test(test_a_long_claim_ends_at_its_time_limit),
        cmocka_unit_test(test_a_report_needs_no_other_file),
        cmocka_unit_test(test_claims_are_listed_by_paper_and_status),
    };

    if (!mkdtemp(folder)) {
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
