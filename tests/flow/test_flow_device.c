/* test_flow_device.c -- flows on a device against flows on the processor: every number, text and
 * array that a result has, bit by bit.
 *
 * The device is the source that nvcc compiles, on the host (tests/support/standin.h), or a GPU
 * (tests/gpu.sh).
 */
#include "support.h"

#include "flow/flow.h"
#include "standin.h"

#define PAIRS 24

/* A flow of n tokens; more: options as one line. */
static struct trop_flow *flow_on(const char *where, const char *more)
{
    static char words[400];
    const char *pairs[PAIRS + 5] = { "threads", "2", "device", where };
    int count = 4;

    snprintf(words, sizeof words, "%s", more);
    for (char *word = strtok(words, " ="); word && count < PAIRS + 4; word = strtok(NULL, " =")) {
        pairs[count++] = word;
    }
    pairs[count] = NULL;
    if (strcmp(where, "cpu") == 0) {
        pairs[1] = "1"; /* nor do threads matter */
        pairs[count] = "method";
        pairs[count + 1] = "rows";
        pairs[count + 2] = NULL;
    }
    struct trop_flow *flow = NULL;
    assert_ok(trop_flow_create_from(&flow, pairs));
    return flow;
}

/* The value of a field of both flows. */
static void same_field(const struct trop_field *field, const struct trop_flow *a,
                       const struct trop_flow *b, const char *more)
{
    struct trop_value x, y;
    const enum trop_status first = trop_flow_value(&x, a, field->name);

    assert_int_equal(trop_flow_value(&y, b, field->name), first);
    if (first != TROP_OK) {
        return;
    }
    int same = x.kind == y.kind && x.rank == y.rank;
    int64_t count = 1;
    for (int64_t k = 0; k < x.rank && same; k++) {
        same &= x.shape[k] == y.shape[k];
        count *= x.shape[k];
    }
    if (same && x.text) {
        same = strcmp(x.text, y.text) == 0;
    }
    if (same && x.numbers) {
        same = memcmp(x.numbers, y.numbers, (size_t)count * sizeof *x.numbers) == 0;
    }
    if (same && x.integers) {
        same = memcmp(x.integers, y.integers, (size_t)count * sizeof *x.integers) == 0;
    }
    same &= memcmp(&x.number, &y.number, sizeof x.number) == 0 && x.integer == y.integer;
    if (!same) {
        fail_msg("%s: %s differs", more, field->name);
    }
}

static void same_flows(const char *more)
{
    struct trop_flow *a = flow_on("cpu", more), *b = flow_on("cuda", more);
    const size_t bytes = (size_t)(a->n * a->d) * sizeof(double);
    int64_t size = trop_flow_state_size(a);
    int64_t *words[2] = { calloc((size_t)size, sizeof *words[0]),
                          calloc((size_t)size, sizeof *words[0]) };

    enum trop_status status = TROP_OK;

    for (int64_t steps = 1; !trop_flow_done(a) && status == TROP_OK; steps += 1 + steps / 2) {
        status = trop_flow_step(a, steps);
        assert_int_equal(trop_flow_step(b, steps), status);
        if (memcmp(trop_flow_tokens(a), trop_flow_tokens(b), bytes) != 0) {
            fail_msg("%s: the tokens differ at step %lld", more, (long long)a->state.step);
        }
        trop_flow_state_save(words[0], a);
        trop_flow_state_save(words[1], b);
        if (memcmp(words[0], words[1], (size_t)size * sizeof *words[0]) != 0) {
            fail_msg("%s: the states differ at step %lld", more, (long long)a->state.step);
        }
    }
    assert_int_equal(trop_flow_done(b), trop_flow_done(a));
    assert_int_equal(trop_flow_judge(b), trop_flow_judge(a));
    for (const struct trop_field *field = trop_flow_field_table(); field->name && status == TROP_OK;
         field++) {
        same_field(field, a, b, more);
    }
    free(words[0]);
    free(words[1]);
    trop_flow_free(a);
    trop_flow_free(b);
}

static void every_flow_has_the_bits_of_the_processor(void **state)
{
    (void)state;
    static const char *const flows[] = {
        "n=300 d=2 rule=softmax beta=5 steps=30",
        "n=1100 d=2 rule=softmax beta=2 steps=3",
        "n=90 d=5 rule=softmax beta=4 gamma=1 steps=40",
        "n=64 d=3 rule=softmax beta=30 steps=400 until=converged",
        "n=64 d=3 rule=softmax beta=geometric:1,1.05 steps=40",
        "n=80 d=3 rule=softmax beta=1e300 steps=10",
        "n=80 d=3 rule=softmax beta=0 steps=10",
        "n=80 d=2 rule=softmax beta=3 mask=causal steps=25",
        "n=80 d=2 rule=softmax beta=3 merge=auto steps=200 until=converged",
        "n=60 d=4 rule=softmax beta=3 key_query=2 steps=20",
        "n=60 d=4 rule=softmax beta=3 draw_key_query=gaussian steps=20",
        "n=60 d=4 rule=softmax beta=3 value=0.5 steps=20",
        "n=60 d=4 rule=softmax beta=3 draw_value=gram steps=20",
        "n=60 d=4 rule=softmax beta=3 key_query=-0.5 gamma=0.01 steps=300",
        "n=60 d=6 rule=softmax beta=-2 gamma=0.01 steps=100",
        "n=90 d=3 rule=softmax beta=linear:-1,0.02 gamma=harmonic steps=120",
        "n=40 d=2 rule=softmax beta=2 key_query=1e150 steps=30",
        "n=20 d=2 rule=softmax beta=1e-30 value=-1.25 steps=600", /* to the end of double */
        "n=64 d=2 rule=hardmax closed_form=never steps=500",
        "n=30 d=1 rule=softmax beta=2 steps=100",
        "n=1 d=3 rule=softmax beta=2 gamma=1 steps=100",
        "n=200 d=3 rule=hardmax gamma=0.01 steps=300 closed_form=never",
        "n=200 d=3 rule=hardmax ties=first gamma=0.05 steps=300 closed_form=never",
        "n=200 d=3 rule=hardmax key_query=-3 gamma=0.02 steps=200 closed_form=never",
        "n=200 d=2 rule=hardmax gamma=0.01 steps=300",
        "n=300 d=2 rule=hardmax steps=40 closed_form=never",
        "n=300 d=3 rule=hardmax steps=1000 until=converged",
        "n=120 d=3 rule=hardmax gamma=1 steps=30 closed_form=never",
        "n=64 d=2 rule=hardmax init=polygon steps=30 closed_form=never",
        "n=64 d=2 rule=hardmax init=polygon ties=indices steps=30 closed_form=never",
        "n=64 d=2 rule=hardmax init=polygon ties=first steps=30 closed_form=never",
        "n=100 d=2 rule=hardmax key_query=-1 steps=30 closed_form=never",
        "n=100 d=2 rule=hardmax mask=causal steps=30 closed_form=never",
        "n=100 d=2 rule=hardmax merge=auto steps=100 closed_form=never",
        "n=300 d=2 rule=localmax epsilon=0.3 steps=40 closed_form=never",
        "n=120 d=2 rule=localmax epsilon=0.05 steps=300 until=converged",
        "n=90 d=3 rule=localmax epsilon=0.2 form=relative init=sphere steps=10",
        "n=90 d=3 rule=localmax epsilon=0.3 form=probability beta=4 gamma=1 steps=20",
        "n=90 d=6 rule=localmax epsilon=0.5 mask=causal steps=20",
        "n=64 d=2 rule=localmax epsilon=0.5 init=polygon steps=20 closed_form=never",
        "n=70 d=3 rule=localmax epsilon=0.5 dynamics=residual steps=5",
        "n=70 d=3 rule=softmax dynamics=residual beta=2 steps=5",
        "n=70 d=3 rule=hardmax dynamics=residual steps=5",
        "n=70 d=3 rule=softmax dynamics=ode beta=2 time=1 integrator=rk4 dt=0.1",
        "n=70 d=3 rule=softmax dynamics=sa beta=9 time=1 integrator=euler dt=0.05",
        "n=70 d=3 rule=softmax dynamics=sa beta=9 time=1 integrator=rk4 dt=0.1",
        "n=70 d=3 rule=softmax dynamics=sa beta=9 time=1",
        "n=70 d=3 rule=softmax dynamics=usa beta=4 time=1 integrator=rk4 dt=0.1",
        "n=70 d=3 rule=softmax dynamics=usa usa=shifted beta=4 time=1 integrator=euler dt=0.05",
        "n=70 d=3 rule=softmax dynamics=sa-step beta=4 time=1 dt=0.1",
        "n=70 d=4 rule=softmax dynamics=sa draw_value=gram beta=4 time=1 integrator=rk4 dt=0.1",
        "n=70 d=4 rule=softmax dynamics=sa mask=causal beta=4 time=1 integrator=rk4 dt=0.1",
    };

    for (size_t k = 0; k < sizeof flows / sizeof flows[0]; k++) {
        same_flows(flows[k]);
    }
}

static void what_is_watched_has_the_bits_of_the_processor(void **state)
{
    (void)state;
    const char *const rules[] = { "n=90 d=2 rule=softmax beta=6 steps=12",
                                  "n=90 d=2 rule=hardmax closed_form=never steps=12" };
    char names[1000] = "";

    for (const struct trop_field *field = trop_flow_watch_table(); field->name; field++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? "," : "",
                 field->name);
    }
    for (int k = 0; k < 2; k++) {
        struct trop_flow *a = flow_on("cpu", rules[k]), *b = flow_on("cuda", rules[k]);
        assert_ok(trop_flow_watch(a, names));
        assert_ok(trop_flow_watch(b, names));
        while (!trop_flow_done(a)) {
            assert_ok(trop_flow_look(a));
            assert_ok(trop_flow_look(b));
            for (const struct trop_field *f = trop_flow_watch_table(); f->name; f++) {
                double x = 0, y = 0;
                assert_int_equal(trop_flow_number(&x, a, f->name),
                                 trop_flow_number(&y, b, f->name));
                assert_memory_equal(&x, &y, sizeof x);
            }
            assert_memory_equal(&a->seen.margin_min, &b->seen.margin_min, sizeof(double));
            assert_ok(trop_flow_step(a, 1));
            assert_ok(trop_flow_step(b, 1));
        }
        trop_flow_free(a);
        trop_flow_free(b);
    }
}

/* Of a step the device tells by three numbers whether it was sure: one copy back. */
static void tokens_stay_on_the_device_between_steps(void **state)
{
    (void)state;
    const char *const flows[] = {
        "n=200 d=3 rule=softmax beta=4 steps=1000",
        "n=200 d=3 rule=hardmax closed_form=never steps=1000 gamma=0.001"
    };

    if (getenv("TROP_TEST_DEVICE")) {
        skip();
    }
    for (int k = 0; k < 2; k++) {
        struct trop_flow *flow = flow_on("cuda", flows[k]);
        assert_ok(trop_flow_step(flow, 50));
        flow->state.next_try = INT64_MAX; /* no certificate is tried */
        const int64_t before = grid_host_taken;
        assert_ok(trop_flow_step(flow, 100));
        /* At the end the three coordinates, targets, leaders and their changes. */
        assert_int_equal(grid_host_taken - before, 100 + 6);
        trop_flow_free(flow);
    }
}

static void a_result_says_which_rows_it_has(void **state)
{
    (void)state;
    struct trop_flow *flow = flow_on("cuda:0", "n=20 d=2 rule=softmax steps=3");
    struct trop_value value;

    assert_ok(trop_flow_run(flow, NULL, NULL));
    assert_ok(trop_flow_value(&value, flow, "attention"));
    assert_string_equal(value.text, "rows");
    assert_int_equal(flow->options.method, TROP_METHOD_ROWS);
    assert_int_equal(flow->options.device, TROP_DEVICE_CUDA_0);
    trop_flow_free(flow);
    assert_int_equal(grid_host_held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flow_has_the_bits_of_the_processor),
        cmocka_unit_test(what_is_watched_has_the_bits_of_the_processor),
        cmocka_unit_test(tokens_stay_on_the_device_between_steps),
        cmocka_unit_test(a_result_says_which_rows_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
