/* test_case_memory.c -- parts of a case without memory, at every request in turn. */
#include "claim/case_work.h"
#include "claim/claim.h"
#include "claim/examples.h"
#include "claim/sample.h"
#include "support.h"
#include "tropism_lab.h"

#include "alloc_failing.c"

static enum trop_status in_a_part(void (*part)(void *context, struct trop_case *c))
{
    struct trop_case *c = NULL;
    enum trop_status status = trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1);

    if (status == TROP_OK) {
        status = trop_case_part(c, part, NULL);
    }
    trop_case_free(c);
    return status;
}

static void side(struct trop_case *c, int64_t k)
{
    trop_case_scratch(c, 100);
    trop_case_put(c, k ? "one" : "zero", (double)k);
}

static void use_entries(void *context, struct trop_case *c)
{
    double *x = trop_case_zeros(c, "tokens", 4, 2, 0);

    (void)context;
    for (int64_t k = 0; k < 8; k++) {
        x[k] = trop_case_normal(c, 1, k);
    }
    trop_case_copy_in(trop_case_aside(c), "tokens", x, 8, 0, 0);
    trop_case_reshape(c, "tokens", 2, 4, 0);
    trop_case_reshape(c, "tokens", 4, 2, 0);
    void *mark = trop_case_mark(c);
    trop_case_path(trop_case_aside(c), "path", 3, "rule=hardmax gamma=.5");
    trop_case_release(c, mark);
}

static enum trop_status entries(void)
{
    return in_a_part(use_entries);
}

/* A set by name is given back when an entry made of it is refused. */
static void use_named(void *context, struct trop_case *c)
{
    (void)context;
    trop_examples_named(c, "mm-fig-8", 0, 0, 0, 1);
}

static enum trop_status named(void)
{
    return in_a_part(use_named);
}

/* A side that fails is made again where its sentence is to be told: a single refusal is none. */
static void use_sides(void *context, struct trop_case *c)
{
    (void)context;
    trop_case_side_by_side(c, 2, side);
}

static void sides_leak_nothing(void **state)
{
    (void)state;
    for (int64_t k = 0; k < 40; k++) {
        const int64_t before = alloc_live;
        alloc_refused = k;
        const enum trop_status status = in_a_part(use_sides);
        alloc_refused = -1;
        assert_true(status == TROP_OK || status == TROP_ERR_MEMORY);
        assert_int_equal(alloc_live, before);
    }
}

/* ---- lines ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    (void)c;
    for (int k = 0; k < 100; k++) {
        trop_judge_at_most(judge, "line", k, 0, 1, 0);
    }
}

/* A list that could not grow is not read as if it had. */
static enum trop_status lines(void)
{
    static const struct trop_claim claim = { .id = "none", .run = { .conclude = conclude } };
    struct trop_judge judge = { .side = TROP_JUDGE_CONCLUSION, .keep = 1 };
    struct trop_case *c = NULL;
    enum trop_status status = trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1);

    if (status == TROP_OK) {
        status = trop_claim_conclude(&claim, &judge, c);
    }
    assert_int_equal(judge.list != NULL, status == TROP_OK);
    for (int64_t k = 0; judge.list && k < judge.count; k++) {
        assert_int_equal(judge.list[k].step, k);
    }
    trop_judge_free(&judge);
    trop_case_free(c);
    return status;
}

/* ---- whole claims ---- */

static enum trop_status judges(const char *id)
{
    const struct trop_claim *claim = trop_claim_find(id);
    struct trop_trial trial = { .judge.keep = 1 };
    struct trop_case *c = NULL;
    enum trop_status status = trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1);

    if (status == TROP_OK) {
        status = trop_claim_draw(claim, c);
    }
    if (status == TROP_OK) {
        status = trop_trial_run(&trial, claim, c, 0);
    }
    trop_trial_free(&trial);
    trop_case_free(c);
    return status;
}

static enum trop_status hull(void)
{
    return judges("fw-lem-hull-repaired");
}

static enum trop_status solution(void)
{
    return judges("tf-lem-1");
}

/* A claim from a shared object, with its spoils and its repaired form. */
static enum trop_status outside(void)
{
    char text[600];
    const char *pairs[] = { "claim",          text,   "trials", "2", "threads", "1",
                            "counterexample", "none", NULL };
    struct trop_job *job = NULL;

    snprintf(text, sizeof text, "%s/claims/verdicts.so:t-violated", getenv("TROP_BUILD"));
    enum trop_status status = trop_job_create_from(&job, "check", pairs);
    if (status == TROP_OK) {
        status = trop_job_run(job, NULL, NULL);
    }
    trop_job_free(job);
    return status;
}

static enum trop_status outside_list(void)
{
    char text[600];
    const char *pairs[] = { "claim", text, NULL };
    struct trop_job *job = NULL;

    snprintf(text, sizeof text, "%s/claims/verdicts.so", getenv("TROP_BUILD"));
    enum trop_status status = trop_job_create_from(&job, "claims", pairs);
    trop_job_free(job);
    return status;
}

#define SUBJECT(name) \
    static void name##_survive_every_refusal(void **state) \
    { \
        (void)state; \
        alloc_refuse_each(name); \
    }
SUBJECT(entries)
SUBJECT(named)
SUBJECT(lines)
SUBJECT(hull)
SUBJECT(solution)
SUBJECT(outside)
SUBJECT(outside_list)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_survive_every_refusal),
        cmocka_unit_test(named_survive_every_refusal),
        cmocka_unit_test(sides_leak_nothing),
        cmocka_unit_test(lines_survive_every_refusal),
        cmocka_unit_test(hull_survive_every_refusal),
        cmocka_unit_test(solution_survive_every_refusal),
        cmocka_unit_test(outside_survive_every_refusal),
        cmocka_unit_test(outside_list_survive_every_refusal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
