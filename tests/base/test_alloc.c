/* test_alloc.c -- no memory, at every request in turn.
 *
 * A subject is one function that makes something, uses it, releases it and returns
 * the first status that was not TROP_OK. To add one, write it and add a line to main. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"

/* ---- subjects ---------------------------------------------------------------- */

/* Some fields are found when they are read: a null would not say why. */
static enum trop_status read_all(const struct trop_flow *flow)
{
    enum trop_status status = TROP_OK;

    for (const struct trop_field *f = trop_flow_field_table(); status == TROP_OK && f->name; f++) {
        struct trop_value value;
        status = trop_field_read(&value, f, flow, 0);
    }
    return status;
}

static enum trop_status flow_runs(const char *const *pairs)
{
    struct trop_flow *flow = NULL;
    enum trop_status status = trop_flow_create_from(&flow, pairs);

    if (status == TROP_OK) {
        status = trop_flow_run(flow, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = read_all(flow);
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status hardmax(void)
{
    const char *pairs[] = { "n", "12", "d", "2", "rule", "hardmax", "steps", "20", NULL };
    return flow_runs(pairs);
}

static enum trop_status localmax(void)
{
    const char *pairs[] = { "n",   "12",    "d",  "2",     "rule", "localmax", "epsilon",
                            "0.1", "steps", "20", "merge", "auto", NULL };
    return flow_runs(pairs);
}

static enum trop_status entmax(void)
{
    const char *pairs[] = { "n", "12", "d", "3", "rule", "entmax", "steps", "3", NULL };
    return flow_runs(pairs);
}

static enum trop_status chain(void)
{
    const char *pairs[] = { "n",       "8",    "d", "2",     "dynamics", "chain", "rule",
                            "softmax", "beta", "2", "steps", "5",        NULL };
    return flow_runs(pairs);
}

static enum trop_status sphere(void)
{
    const char *pairs[] = { "n",    "8",       "d",    "3", "init", "sphere", "dynamics", "sa",
                            "rule", "softmax", "beta", "2", "time", "0.1",    NULL };
    return flow_runs(pairs);
}

static enum trop_status leap(void)
{
    const char *pairs[] = { "n",     "3",   "d",     "2",   "init", "polygon", "beta", "12",
                            "gamma", "0.1", "steps", "inf", "leap", "yes",     NULL };
    return flow_runs(pairs);
}

/* Arrays given by the caller are copied: tokens, masses, a matrix, a schedule. */
static enum trop_status copies(void)
{
    double tokens[] = { 1, 0, 0, 1, -1, 0.5 };
    double masses[] = { 1, 2, 3 };
    double matrix[] = { 2, 0.5, 0.5, 1 };
    double gammas[] = { 0.5, 0.25 };
    struct trop_flow_options options = trop_flow_options_default();
    struct trop_flow *flow = NULL;

    options.cloud.n = 3;
    options.cloud.d = 2;
    options.cloud.tokens = tokens;
    options.cloud.masses = masses;
    options.cloud.key_query.values = matrix;
    options.gamma =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES, .values = gammas, .count = 2 };
    enum trop_status status = trop_flow_create(&flow, &options);
    trop_flow_free(flow);
    return status;
}

/* A value matrix that is no multiple of the identity is solved for the step. */
static enum trop_status step_map(void)
{
    double matrix[] = { 1, 0, 0, 3 };
    struct trop_flow_options options = trop_flow_options_default();
    struct trop_flow *flow = NULL;

    options.cloud.n = 4;
    options.cloud.d = 2;
    options.value.values = matrix;
    enum trop_status status = trop_flow_create(&flow, &options);
    trop_flow_free(flow);
    return status;
}

/* Where CVODE is not built in, the flow says so: that is tested with its seam. */
static enum trop_status cvode(void)
{
    const char *pairs[] = { "n",    "6",       "d",    "2", "dynamics",   "ode",   "time", "0.1",
                            "rule", "softmax", "beta", "2", "integrator", "cvode", NULL };
    return flow_runs(pairs);
}

/* ---- tests ------------------------------------------------------------------- */

#define SUBJECT(name) \
    static void name##_survives_every_refusal(void **state) \
    { \
        (void)state; \
        alloc_refuse_each(name); \
    }
SUBJECT(hardmax)
SUBJECT(localmax)
SUBJECT(entmax)
SUBJECT(chain)
SUBJECT(sphere)
SUBJECT(leap)
SUBJECT(copies)
SUBJECT(step_map)

static void cvode_survives_every_refusal(void **state)
{
    (void)state;
    if (cvode() == TROP_ERR_UNSUPPORTED) {
        skip();
    }
    alloc_refuse_each(cvode);
}

/* Everything is taken in create. */
static void steps_ask_for_no_memory(void **state)
{
    const char *pairs[] = {
        "n", "32", "d", "2", "rule", "softmax", "beta", "3", "steps", "20", NULL
    };
    struct trop_flow *flow = NULL;

    (void)state;
    assert_int_equal(trop_flow_create_from(&flow, pairs), TROP_OK);
    alloc_refused = 0;
    assert_int_equal(trop_flow_step(flow, 10), TROP_OK);
    assert_int_equal(trop_flow_run(flow, NULL, NULL), TROP_OK);
    assert_int_equal(alloc_refused, 0);
    alloc_refused = -1;
    trop_flow_free(flow);
    assert_int_equal(alloc_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hardmax_survives_every_refusal),
        cmocka_unit_test(localmax_survives_every_refusal),
        cmocka_unit_test(entmax_survives_every_refusal),
        cmocka_unit_test(chain_survives_every_refusal),
        cmocka_unit_test(sphere_survives_every_refusal),
        cmocka_unit_test(leap_survives_every_refusal),
        cmocka_unit_test(copies_survives_every_refusal),
        cmocka_unit_test(step_map_survives_every_refusal),
        cmocka_unit_test(cvode_survives_every_refusal),
        cmocka_unit_test(steps_ask_for_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
