/* test_shrink.c -- counterexamples made small: claims whose least counterexample is known. */
#include "base/alloc.h"
#include "claim/edit.h"
#include "claim/search/shrink.h"
#include "support.h"

#include "tropism_lab.h"

#include <unistd.h>

/* ---- claims about a cloud that somebody gives ---- */

static void draw(struct trop_case *c)
{
    trop_case_default(c, "steps", 1);
}

static void work(struct trop_case *c)
{
    trop_case_put(c, "worked", 1);
}

static struct trop_view tokens_of(const struct trop_case *c)
{
    return trop_case_view(c, "tokens");
}

/* |x_i|^2 */
static double square(struct trop_view x, int64_t i)
{
    double sum = 0;

    for (int64_t k = 0; k < x.columns; k++) {
        sum += x.at[i * x.columns + k] * x.at[i * x.columns + k];
    }
    return sum;
}

static double range(struct trop_view x)
{
    double low = INFINITY, high = -INFINITY;

    for (int64_t i = 0; i < x.rows; i++) {
        low = fmin(low, x.at[i * x.columns]);
        high = fmax(high, x.at[i * x.columns]);
    }
    return high - low;
}

/* Of six tokens or more in two dimensions or more the first coordinates are within 3.5, in 36
 * steps: 4 fails by 500 allowances, and 5 by 1500. So the least counterexample is (5, 0) and five
 * times (0, 0), with 37 steps. */
static void judge_shape(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "tokens", -1, (double)tokens_of(c).rows, 6, 0);
    trop_judge_at_least(judge, "dimensions", -1, (double)tokens_of(c).columns, 2, 0);
}

static void conclude_range(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "range", -1,
                       trop_case_number(c, "steps") > 36 ? range(tokens_of(c)) : 0, 3.5, 1e-3);
}

/* Tokens whose sum is 0 and that are 1 long at least are five at most: three times 1 and -1. */
static void judge_sum(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = tokens_of(c);

    for (int64_t k = 0; k < x.columns; k++) {
        double sum = 0;
        for (int64_t i = 0; i < x.rows; i++) {
            sum += x.at[i * x.columns + k];
        }
        trop_judge_near(judge, "sum", -1, sum, 0, 1e-9);
    }
    for (int64_t i = 0; i < x.rows; i++) {
        trop_judge_at_least(judge, "length", -1, square(x, i), 1, 0);
    }
}

static void conclude_few(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "tokens", -1, (double)tokens_of(c).rows, 5, 0);
}

/* Tokens of one length are on a line: three unit vectors of the plane. */
static void judge_lengths(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t i = 0; i < tokens_of(c).rows; i++) {
        trop_judge_near(judge, "length", -1, square(tokens_of(c), i), square(tokens_of(c), 0),
                        1e-9);
    }
}

static void conclude_line(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = tokens_of(c);
    int64_t different = 0;

    for (int64_t i = 0; i < x.rows; i++) {
        int is_new = 1;
        for (int64_t j = 0; j < i; j++) {
            is_new = is_new && memcmp(trop_case_view_row(x, i), trop_case_view_row(x, j),
                                      (size_t)x.columns * sizeof *x.at) != 0;
        }
        different += is_new;
    }
    trop_judge_at_most(judge, "different tokens", -1, (double)different, 2, 0);
}

/* The first number is a third, up to a thousandth, and is never positive: .3333 would do, but for
 * the tolerance. */
static void judge_third(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_near(judge, "three times the first number", -1, 3 * tokens_of(c).at[0], 1, 1e-3);
}

static void conclude_first(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "first number", -1, tokens_of(c).at[0], 0, 1e-12);
}

/* The first number is between 0 and 2: 0 fails too, but for one number alone. */
static void judge_nothing(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "there are tokens", -1, tokens_of(c).rows > 0);
}

static void conclude_between(struct trop_judge *judge, const struct trop_case *c)
{
    const double x = tokens_of(c).at[0];

    trop_judge_truth(judge, "between 0 and 2", -1, x != 0 && x < 2);
}

/* clang-format off */
#define CLAIM(which, judged, concluded) \
    static const struct trop_hypothesis which##_hypotheses[] = { \
        { .name = "hypothesis", .meaning = "as said", .judge = judged }, { 0 } }; \
    static const struct trop_claim which = { \
        .id = "fw-thm-" #which, .statement = "planted", .inputs = "tokens steps", \
        .hypotheses = which##_hypotheses, .run = { draw, work, concluded } };
/* clang-format on */

CLAIM(ranged, judge_shape, conclude_range)
CLAIM(balanced, judge_sum, conclude_few)
CLAIM(spherical, judge_lengths, conclude_line)
CLAIM(trap, judge_third, conclude_first)
CLAIM(tie, judge_nothing, conclude_between)

/* ---- instances ---- */

static struct trop_case *cloud(int64_t n, int64_t d, uint64_t seed)
{
    struct trop_case *c = NULL;
    double *x = NULL;

    assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
    assert_ok(trop_case_make(&x, c, "tokens", n, d, 0));
    normals(x, n * d, seed);
    assert_ok(trop_case_put(c, "steps", 1000));
    return c;
}

static struct trop_case *shrunk(struct trop_shrink_told *told, const struct trop_claim *claim,
                                struct trop_case *c, int64_t evaluations)
{
    const struct trop_shrink_limits limits = { .evaluations = evaluations };
    struct trop_case *out = NULL;

    assert_ok(trop_shrink(&out, told, claim, c, &limits));
    trop_case_free(c);
    return out;
}

/* The shrunk instance is this text. */
static void becomes(const struct trop_claim *claim, struct trop_case *c, const char *text)
{
    struct trop_shrink_told told = { 0 };
    struct trop_case *out = shrunk(&told, claim, c, 4000);
    char *own = NULL;

    assert_ok(trop_edit_text(&own, claim, out));
    assert_string_equal(own, text);
    assert_int_equal(told.stopped, 0);
    assert_true(told.evaluations > 0 && told.evaluations <= 4000);
    trop_alloc_free(own);
    trop_case_free(out);
}

static struct trop_case *wide_cloud(uint64_t seed)
{
    struct trop_case *c = cloud(40, 5, seed);

    trop_case_array(c, "tokens")[85] = 7.77;
    return c;
}

static void test_a_cloud_of_forty_tokens_becomes_the_least_counterexample(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct trop_shrink_told told = { 0 };
        struct trop_case *out = shrunk(&told, &ranged, wide_cloud(seed), 4000);
        const struct trop_view x = tokens_of(out);
        double total = 0;
        assert_int_equal(x.rows, 6);
        assert_int_equal(x.columns, 2);
        for (int64_t k = 0; k < 12; k++) {
            total += fabs(x.at[k]);
        }
        assert_true(total == 5 && range(x) == 5);
        assert_int_equal(told.before, 200);
        assert_int_equal(told.after, 12);
        assert_int_equal(trop_case_integer(out, "steps"), 37);
        assert_true(told.excess == 1.5 / 1e-3);
        trop_case_free(out);
    }
}

static void test_pairs_stay_pairs(void **state)
{
    struct trop_case *c = cloud(12, 3, 3);
    double *x = trop_case_array(c, "tokens");

    (void)state;
    for (int64_t k = 0; k < 18; k++) {
        x[k] += copysign(1, x[k]);
        x[18 + k] = -x[k];
    }
    /* More than a small instance that is tried in the end has. */
    becomes(&balanced, c, "tokens = {-1; -1; 1; 1; 1; -1}; steps = 1");
}

static void test_lengths_stay_equal(void **state)
{
    struct trop_case *c = cloud(7, 3, 4);
    struct trop_shrink_told told = { 0 };

    (void)state;
    for (int64_t i = 0; i < 7; i++) {
        double *row = trop_case_array(c, "tokens") + 3 * i;
        const double length = sqrt(square(tokens_of(c), i));
        for (int64_t k = 0; k < 3; k++) {
            row[k] /= length;
        }
    }
    struct trop_case *out = shrunk(&told, &spherical, c, 4000);
    const struct trop_view x = tokens_of(out);
    assert_int_equal(x.rows, 3);
    assert_int_equal(x.columns, 2);
    for (int64_t i = 0; i < 3; i++) {
        assert_true(square(x, i) == 1 && x.at[2 * i] == floor(x.at[2 * i]));
    }
    trop_case_free(out);
}

static void test_no_instance_lives_off_the_tolerance_of_a_hypothesis(void **state)
{
    struct trop_case *c = cloud(3, 2, 5);

    (void)state;
    trop_case_array(c, "tokens")[0] = 1. / 3;
    becomes(&trap, c, "tokens = zeros(1, 1); tokens[0,0] = 0.3333333333333333; steps = 1");
}

static void test_a_firm_counterexample_does_not_become_a_tie(void **state)
{
    struct trop_case *c = cloud(3, 2, 5);

    (void)state;
    trop_case_array(c, "tokens")[0] = 2.345;
    becomes(&tie, c, "tokens = zeros(1, 1); tokens[0,0] = 3; steps = 1");
    c = cloud(3, 2, 5);
    trop_case_array(c, "tokens")[0] = 0;
    becomes(&tie, c, "tokens = zeros(1, 1); steps = 1");
}

static int stop(void *context, int64_t done, int64_t total)
{
    (void)total;
    return done >= *(int64_t *)context;
}

static void test_it_ends_where_it_is_asked_to(void **state)
{
    struct trop_shrink_told told = { 0 };
    int64_t most = 7;
    struct trop_case *c = wide_cloud(1), *out = shrunk(&told, &ranged, wide_cloud(1), 25),
                     *other = NULL;
    const struct trop_shrink_limits limits = { 4000, stop, &most };

    (void)state;
    assert_int_equal(told.evaluations, 25);
    assert_true(told.stopped && told.after < 200 && range(tokens_of(out)) > 3.5);
    trop_case_free(out);
    assert_ok(trop_shrink(&other, &told, &ranged, c, &limits));
    assert_int_equal(told.evaluations, 7);
    assert_true(told.stopped && range(tokens_of(other)) > 3.5);
    trop_case_free(other);
    trop_case_free(c);
}

static void test_what_is_no_counterexample_is_refused(void **state)
{
    const struct trop_shrink_limits limits = { .evaluations = 100 };
    struct trop_shrink_told told = { 0 };
    struct trop_case *c = cloud(4, 2, 1), *out = NULL;

    (void)state;
    memset(trop_case_array(c, "tokens"), 0, 8 * sizeof(double));
    assert_int_equal(trop_shrink(&out, &told, &ranged, c, &limits), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "does not violate"));
    assert_null(out);
    trop_case_free(c);
}

/* ---- claims of the papers ---- */

static char folder[] = "/tmp/trop_shrink_XXXXXX";

/* Checks a claim and shrinks its counterexample; the file of it is judged again. */
static void check_small(const char *id, int64_t numbers, int64_t letters)
{
    char file[64];
    struct trop_job *job = NULL;
    struct trop_value value = { 0 };
    struct trop_case *again = NULL;

    snprintf(file, sizeof file, "%s/%s.h5", folder, id);
    assert_ok(trop_job_create_from(&job, "check",
                                   (const char *const[]){ "claim", id, "trials", "1", "shrink",
                                                          "yes", "counterexample", file, NULL }));
    assert_ok(trop_job_run(job, NULL, NULL));
    assert_ok(trop_job_value(&value, job, "shrunk.numbers"));
    assert_int_equal(value.integer, numbers);
    assert_ok(trop_job_value(&value, job, "shrunk.instance"));
    assert_true((int64_t)strlen(value.text) <= letters);
    /* The text alone makes the instance: nothing of what was drawn is left in it. */
    const struct trop_claim *claim = trop_claim_find(id);
    struct trop_trial trial = { 0 };
    assert_ok(trop_case_create(&again, 99, 0, TROP_CASE_QUICK, 1));
    assert_ok(trop_edit(again, claim, value.text));
    assert_ok(trop_claim_draw(claim, again));
    assert_ok(trop_trial_run(&trial, claim, again, 0));
    assert_int_equal(trial.verdict, TROP_VERDICT_VIOLATED);
    trop_trial_free(&trial);
    trop_case_free(again);
    trop_job_free(job);

    assert_ok(trop_job_create_from(&job, "check",
                                   (const char *const[]){ "claim", id, "instance", file, NULL }));
    assert_ok(trop_job_run(job, NULL, NULL));
    assert_ok(trop_job_value(&value, job, "verdict"));
    assert_string_equal(value.text, "violated");
    trop_job_free(job);
    unlink(file);
}

static void test_counterexamples_of_the_papers_become_small(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    /* Two tokens on a line with one digit each, and B. */
    check_small("fw-thm-3.1", 3, 70);
    check_small("fw-lem-hull", 12, 80);
    check_small("fw-rate-exponential", 4, 90);
    check_small("fw-rem-own-cell", 3, 60);
    check_small("fw-prop-collapse-origin", 2, 60);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cloud_of_forty_tokens_becomes_the_least_counterexample),
        cmocka_unit_test(test_pairs_stay_pairs),
        cmocka_unit_test(test_lengths_stay_equal),
        cmocka_unit_test(test_no_instance_lives_off_the_tolerance_of_a_hypothesis),
        cmocka_unit_test(test_a_firm_counterexample_does_not_become_a_tie),
        cmocka_unit_test(test_it_ends_where_it_is_asked_to),
        cmocka_unit_test(test_what_is_no_counterexample_is_refused),
        cmocka_unit_test(test_counterexamples_of_the_papers_become_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
