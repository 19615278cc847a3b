/* test_copies_memory.c -- many copies without memory, at every request in turn. */
#include "support.h"

#include "alloc_failing.c"

static struct trop_copies_options options;

static enum trop_status take(void *context, int64_t copy, enum trop_status status,
                             struct trop_flow *flow)
{
    (void)context;
    (void)copy;
    (void)flow;
    return status;
}

/* Makes, runs; releases everything. */
static enum trop_status whole_life(void)
{
    struct trop_copies *copies = NULL;
    enum trop_status status = trop_copies_create(&copies, &options);

    if (status == TROP_OK) {
        status = trop_copies_run(copies, NULL, NULL);
    }
    trop_copies_free(copies);
    return status;
}

static void every_request_can_be_refused(void **state)
{
    (void)state;
    double x[2 * 3 * 2] = { 1, 0, 0, 1, -1, 0.5, 2, 1, 0, 3, 1, 1 };

    options = trop_copies_options_default();
    options.flow.cloud.n = 3;
    options.flow.threads = 1;
    options.flow.steps = (struct trop_count){ .value = 3 };
    options.copies = 2;
    options.tokens = x;
    options.betas = "1,2";
    options.gammas = "0.5,1";
    options.keep = 1;
    alloc_refuse_each(whole_life);
    struct trop_copies_visitor visitor = { .end = take, .fields = "steps" };
    double beta[2] = { 1, 2 };
    uint64_t seed[2] = { 5, 4 };
    options.betas = options.gammas = NULL;
    options.beta = beta;
    options.seed = seed;
    options.visitor = &visitor;
    alloc_refuse_each(whole_life);
    options.visitor = NULL;
    options.flow.rule = rule_index("topk"); /* copy after copy */
    options.tokens = NULL;
    alloc_refuse_each(whole_life);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_request_can_be_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
