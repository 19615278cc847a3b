/* test_search.c -- claims with and without counterexamples, attacked: what is found, and what is no
 * refutation. */
#include "claim/search/latent.h"
#include "claim/search/search.h"
#include "support.h"
#include "tropism_lab.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- claims made for this: three normal numbers "x", of which the conclusions speak ---- */

static void draw_three(struct trop_case *c)
{
    double *x = trop_case_absent(c, "tokens", 1, 3, 0);

    for (int64_t k = 0; x && k < 3; k++) {
        x[k] = trop_case_normal(c, 16, k);
    }
}

static void nothing(struct trop_case *c)
{
    (void)c;
}

/* Equal coordinates, to .01; the conclusion sees what is left. */
static void are_equal(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");

    trop_judge_near(judge, "two coordinates", -1, x[0], x[1], .01);
}

static void show_no_difference(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");

    trop_judge_at_most(judge, "difference", -1, fabs(x[0] - x[1]), 0, 1e-8);
}

#define PLANTED(judge) \
    { \
        .id = "fw-lem-planted", .title = "planted", .statement = "Planted.", \
        .status = TROP_CLAIM_PROVED, .inputs = "tokens", .run = { draw_three, nothing, judge }, \
        .trials = 20 \
    }

/* False in a ball of radius .02 about (1.1, -.7, .4). The normal density there is (2 pi)^(-3/2)
 * exp(-.93) = .0251, so that its measure is .0251 * 4/3 pi 8e-6 = 8.4e-7. */
static void beside_a_needle(struct trop_judge *judge, const struct trop_case *c)
{
    static const double needle[] = { 1.1, -.7, .4 };
    double squares = 0;

    for (int k = 0; k < 3; k++) {
        const double by = trop_case_array(c, "tokens")[k] - needle[k];
        squares += by * by;
    }
    trop_judge_at_least(judge, "squared distance", -1, squares, 4e-4, 1e-9);
}

/* (x - y)^2 >= 0, in the form that rounds. */
static void squares_are_positive(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), sum = x[0] * x[0] + x[1] * x[1];

    trop_judge_at_most(judge, "twice the product", -1, 2 * x[0] * x[1], sum, 4 * DBL_EPSILON * sum);
}

/* Violated by up to 100 allowances. */
static void hundred_allowances(struct trop_judge *judge, const struct trop_case *c)
{
    const double size = fabs(trop_case_array(c, "tokens")[0]);

    trop_judge_at_most(judge, "size", -1, 1000 + 100 * fmin(size / 3, 1), 1000, 1);
}

static void far_out(struct trop_judge *judge, const struct trop_case *c)
{
    static const double place[] = { 4.1, -5.2, 6.3 };

    for (int k = 0; k < 3; k++) {
        trop_judge_at_most(judge, "distance of a coordinate", k,
                           fabs(trop_case_array(c, "tokens")[k] - place[k]), 1e-3, 0);
    }
}

static void never(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "a coordinate", -1, trop_case_array(c, "tokens")[0], 3, 1e-12);
}

static const struct trop_claim needle = PLANTED(beside_a_needle),
                               squares = PLANTED(squares_are_positive),
                               hundred = PLANTED(hundred_allowances);

/* ---- a fraction of runs ---- */

#define CHANCE(c) trop_case_uniform(c, 16, 0)

static void draw_runs(struct trop_case *c)
{
    trop_case_default(c, "p", .4 + .2 * CHANCE(c));
    trop_case_default(c, "runs", 100);
}

static void toss(struct trop_case *c)
{
    double heads = 0;

    for (int64_t k = 0; k < trop_case_integer(c, "runs"); k++) {
        heads += trop_case_uniform(c, 17, k) < trop_case_number(c, "p");
    }
    trop_case_put(c, "heads", heads / trop_case_number(c, "runs"));
}

/* The fraction is at least p less `short`; two deviations are allowed. */
static void heads(struct trop_judge *judge, const struct trop_case *c, double more)
{
    const double p = trop_case_number(c, "p"), runs = trop_case_number(c, "runs");

    trop_judge_at_least(judge, "fraction", -1, trop_case_number(c, "heads"), p + more,
                        2 * sqrt(p * (1 - p) / runs));
}

static void heads_fair(struct trop_judge *judge, const struct trop_case *c)
{
    heads(judge, c, 0);
}

static void heads_biased(struct trop_judge *judge, const struct trop_case *c)
{
    heads(judge, c, .1);
}

#define TOSSED(judge) \
    { \
        .id = "fw-lem-tossed", .title = "tossed", .statement = "Tossed.", \
        .status = TROP_CLAIM_PROVED, .inputs = "p runs", .run = { draw_runs, toss, judge }, \
        .trials = 20 \
    }

static const struct trop_claim fair = TOSSED(heads_fair), biased = TOSSED(heads_biased);

/* ---- searching them ---- */

/* So many restarts; the caller frees it and given. */
static struct trop_search searched(const struct trop_claim *claim, int64_t restarts,
                                   int64_t threads, struct trop_case **given)
{
    assert_ok(trop_case_create(given, 1, 0, TROP_CASE_TINY, 1));
    struct trop_search search = {
        .claim = claim, .given = *given, .limit = 1e6, .most = restarts, .threads = threads
    };
    assert_ok(trop_search_run(&search));
    return search;
}

static void finish(struct trop_search *search, struct trop_case *given)
{
    trop_search_free(search);
    trop_case_free(given);
}

static void test_a_rare_violation_is_found_that_sampling_misses(void **state)
{
    struct trop_case *given = NULL;
    int violated = 0;

    (void)state;
    for (int64_t trial = 0; trial < 2000; trial++) {
        struct trop_trial judged = { 0 };
        assert_ok(trop_case_create(&given, 1, trial, TROP_CASE_TINY, 1));
        assert_ok(trop_claim_draw(&needle, given));
        assert_ok(trop_trial_run(&judged, &needle, given, 0));
        violated += judged.verdict == TROP_VERDICT_VIOLATED;
        trop_trial_free(&judged);
        trop_case_free(given);
    }
    assert_int_equal(violated, 0);

    struct trop_search search = searched(&needle, 150, 1, &given);
    assert_int_equal(search.refuted, 1);
    assert_true(search.best.line.measured < 4e-4 - 1e-6);
    assert_true(fabs(trop_case_array(search.nearest, "tokens")[0] - 1.1) < .02);
    finish(&search, given);
}

/* The same as a claim about a limit: its reading is shown, and refutes nothing. */
static void test_no_reading_of_a_limit_refutes_it(void **state)
{
    struct trop_claim limit = needle;
    struct trop_case *given = NULL;

    (void)state;
    limit.asymptotic = 1;
    struct trop_search search = searched(&limit, 150, 1, &given);
    assert_int_equal(search.refuted, 0);
    assert_true(search.best.ratio >= TROP_SEARCH_EXCESS);
    assert_true(search.best.line.measured < 4e-4 - 1e-6);
    finish(&search, given);
}

static void test_a_true_claim_is_not_refuted(void **state)
{
    struct trop_case *given = NULL;

    (void)state;
    struct trop_search search = searched(&squares, 24, 1, &given);
    assert_int_equal(search.refuted, 0);
    assert_int_equal(search.restarts, 24);
    assert_true(search.applicable > 1000);
    /* It came as near as rounding lets it: x = y. */
    assert_true(search.best.ratio <= 1 && search.best.ratio > -1);
    finish(&search, given);
}

static void test_a_small_violation_is_no_refutation(void **state)
{
    struct trop_case *given = NULL;

    (void)state;
    struct trop_search search = searched(&hundred, 12, 1, &given);
    assert_int_equal(search.refuted, 0);
    assert_true(search.best.ratio > 90 && search.best.ratio <= 100);
    finish(&search, given);
}

/* The hypothesis is true of a cube of side .002, far out. */
static void test_it_walks_to_where_the_hypotheses_are_true(void **state)
{
    struct trop_claim claim = PLANTED(never);
    struct trop_case *given = NULL;

    (void)state;
    claim.hypotheses = TROP_HYPOTHESES({ "far", "far out", .judge = far_out });
    struct trop_search search = searched(&claim, 150, 1, &given);
    assert_int_equal(search.refuted, 1);
    assert_true(fabs(trop_case_array(search.nearest, "tokens")[2] - 6.3) <= 1e-3);
    finish(&search, given);
}

/* Within the tolerance of the hypothesis the conclusion fails by 10^6 allowances. */
static void test_the_tolerance_of_an_equality_refutes_nothing(void **state)
{
    struct trop_claim claim = PLANTED(show_no_difference);
    struct trop_case *given = NULL;

    (void)state;
    claim.hypotheses = TROP_HYPOTHESES({ "equal", "equal", .judge = are_equal });
    struct trop_search search = searched(&claim, 24, 1, &given);
    assert_true(search.best.ratio > 1e3);
    assert_int_equal(search.refuted, 0);
    finish(&search, given);
}

static void test_noise_refutes_nothing(void **state)
{
    struct trop_case *given = NULL;

    (void)state;
    struct trop_search search = searched(&fair, 30, 1, &given);
    assert_true(search.best.ratio > 1); /* two deviations are exceeded now and then */
    assert_int_equal(search.refuted, 0);
    finish(&search, given);

    /* A tenth is ten deviations of 100 * 100 runs, less the two that are allowed. */
    search = searched(&biased, 30, 1, &given);
    assert_int_equal(search.refuted, 1);
    assert_true(trop_case_number(search.nearest, "runs") == 1e4);
    finish(&search, given);
}

static void is_equal(const struct trop_case *a, const struct trop_case *b, const char *id)
{
    assert_int_equal(a->count, b->count);
    for (int64_t e = 0; e < a->count; e++) {
        const struct trop_case_entry *x = a->entries + e, *y = b->entries + e;
        int64_t count = 1;
        assert_string_equal(x->name, y->name);
        assert_memory_equal(x->shape, y->shape, sizeof x->shape);
        for (int64_t k = 0; k < x->rank; k++) {
            count *= x->shape[k];
        }
        if (memcmp(x->values, y->values, (size_t)count * sizeof *x->values) != 0) {
            fail_msg("%s: %s differs", id, x->name);
        }
    }
}

static void is_same(const struct trop_claim *claim, int64_t restarts)
{
    struct trop_case *given[2] = { NULL };
    struct trop_search a = searched(claim, restarts, 1, given),
                       b = searched(claim, restarts, 2, given + 1);

    assert_int_equal(a.refuted, b.refuted);
    assert_int_equal(a.evaluations, b.evaluations);
    assert_int_equal(a.applicable, b.applicable);
    assert_int_equal(a.restarts, b.restarts);
    assert_true(a.best.ratio == b.best.ratio);
    is_equal(a.nearest, b.nearest, claim->id);
    finish(&a, given[0]);
    finish(&b, given[1]);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    is_same(&needle, 150);
    is_same(&hundred, 20);
    is_same(&fair, 60); /* the slowest: both workers have some */
}

/* ---- the table of a draw ---- */

static struct trop_case *drawn(const struct trop_claim *claim, int64_t trial,
                               struct trop_latents *latents)
{
    struct trop_case *c = NULL;

    assert_ok(trop_case_create(&c, 3, trial, TROP_CASE_TINY, 1));
    c->latents = latents;
    if (latents) {
        trop_latents_begin(latents);
    }
    assert_ok(trop_claim_draw(claim, c));
    return c;
}

static void test_draws_through_a_table_are_the_plain_ones(void **state)
{
    int64_t asked = 0;

    (void)state;
    for (int64_t k = 0; k < trop_claim_count(); k++) {
        const struct trop_claim *claim = trop_claim_at(k);
        /* Those that are never searched draw much. */
        const int64_t trials = trop_search_check(claim) == TROP_OK ? 4 : 1;
        for (int64_t trial = 0; trial < trials && !trop_claim_needs_data(claim); trial++) {
            struct trop_latents latents = { 0 };
            struct trop_case *plain = drawn(claim, trial, NULL),
                             *first = drawn(claim, trial, &latents),
                             *second = drawn(claim, trial, &latents);
            is_equal(plain, first, claim->id);
            is_equal(plain, second, claim->id);
            asked += latents.count;
            trop_case_free(plain);
            trop_case_free(first);
            trop_case_free(second);
            trop_latents_free(&latents);
        }
    }
    assert_true(asked > 1000);
}

static void test_a_changed_number_changes_the_draw_alone(void **state)
{
    struct trop_latents latents = { 0 };

    (void)state;
    trop_case_free(drawn(&needle, 0, &latents));
    assert_int_equal(latents.count, 3);
    latents.list[1].value = 7;
    struct trop_case *c = drawn(&needle, 5, &latents);
    assert_true(trop_case_array(c, "tokens")[0] == latents.list[0].value);
    assert_true(trop_case_array(c, "tokens")[1] == 7);
    /* What is asked for outside of a draw is the generator's. */
    c->latents = NULL;
    assert_true(trop_case_normal(c, 16, 1) != 7);
    trop_case_free(c);
    trop_latents_free(&latents);
}

/* ---- from options to verdicts ---- */

static void refuses(const char *const *pairs, const char *word)
{
    struct trop_job *job = NULL;

    assert_int_not_equal(trop_job_create_from(&job, "check", pairs), TROP_OK);
    if (!strstr(trop_error(), word)) {
        fail_msg("\"%s\" does not name %s", trop_error(), word);
    }
}

static const char *told_of(const struct trop_job *job, const char *name)
{
    struct trop_value value = { 0 };

    assert_ok(trop_job_value(&value, job, name));
    return value.kind == TROP_KIND_TEXT ? value.text : "";
}

static struct trop_job *checked(const char *const *pairs)
{
    struct trop_job *job = NULL;

    assert_ok(trop_job_create_from(&job, "check", pairs));
    assert_ok(trop_job_run(job, NULL, NULL));
    return job;
}

static void test_a_counterexample_is_one_when_it_is_read(void **state)
{
    char folder[] = "/tmp/trop_search_XXXXXX", path[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/found.h5", folder);
    struct trop_job *job =
        checked((const char *const[]){ "claim", "fw-rem-own-cell-weak", "search", "600", "restarts",
                                       "60", "counterexample", path, "threads", "1", NULL });
    assert_string_equal(told_of(job, "verdict"), "violated");
    assert_string_equal(told_of(job, "counterexample"), path);
    assert_non_null(strstr(told_of(job, "search.instance"), "tokens ("));
    trop_job_free(job);
    job = checked((const char *const[]){ "claim", "fw-rem-own-cell-weak", "instance", path, NULL });
    assert_string_equal(told_of(job, "verdict"), "violated");
    trop_job_free(job);
    unlink(path);
    rmdir(folder);
}

static void test_a_theorem_holds(void **state)
{
    (void)state;
    struct trop_job *job = checked(
        (const char *const[]){ "claim", "fw-rem-limit-repaired", "search", "600", "restarts", "6",
                               "counterexample", "none", "threads", "1", NULL });
    assert_string_equal(told_of(job, "verdict"), "holds");
    assert_string_equal(told_of(job, "counterexample"), "");
    struct trop_value limit;
    assert_ok(trop_job_value(&limit, job, "search.asymptotic"));
    assert_true(limit.kind == TROP_KIND_BOOLEAN && limit.integer == 0);
    trop_job_free(job);
    job = checked((const char *const[]){ "claim", "md-rate-t4", "search", "0.1", "counterexample",
                                         "none", NULL });
    assert_ok(trop_job_value(&limit, job, "search.asymptotic"));
    assert_int_equal(limit.integer, 1);
    trop_job_free(job);
}

static void test_what_cannot_be_searched_is_refused(void **state)
{
    (void)state;
    refuses((const char *const[]){ "claim", "mm-fig-1a", "search", "1", NULL }, "published");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "restarts", "1", NULL }, "search");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "search", "-1", NULL }, "search");
    refuses((const char *const[]){ "claim", "fw-lem-hull", "search", "1", "tokens", "x.csv", NULL },
            "search");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rare_violation_is_found_that_sampling_misses),
        cmocka_unit_test(test_no_reading_of_a_limit_refutes_it),
        cmocka_unit_test(test_a_true_claim_is_not_refuted),
        cmocka_unit_test(test_a_small_violation_is_no_refutation),
        cmocka_unit_test(test_it_walks_to_where_the_hypotheses_are_true),
        cmocka_unit_test(test_the_tolerance_of_an_equality_refutes_nothing),
        cmocka_unit_test(test_noise_refutes_nothing),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_draws_through_a_table_are_the_plain_ones),
        cmocka_unit_test(test_a_changed_number_changes_the_draw_alone),
        cmocka_unit_test(test_a_counterexample_is_one_when_it_is_read),
        cmocka_unit_test(test_a_theorem_holds),
        cmocka_unit_test(test_what_cannot_be_searched_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
