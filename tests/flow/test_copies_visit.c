/* test_copies_visit.c -- what a visitor of copies sees is what the flow run alone tells.
 *
 * Every field of the result that lanes know, and every number that can be watched, is written out
 * as text, hexadecimal to the last bit, by the visitor and by the flow of the same seed, tokens,
 * beta, epsilon and step size; the two texts are compared.
 */
#include "copies_support.h"
#include "result_text.h"

#include "base/status.h"

#include <pthread.h>

#define MOST 160

/* ---- seen, and alone ------------------------------------------------------------------------- */

struct seen {
    struct trop_copies_visitor visitor;
    struct text end[MOST], look[MOST];
    int64_t ends[MOST], failed[MOST];
    pthread_mutex_t lock;
};

static struct text text_make(void)
{
    return (struct text){ .at = calloc(1, ROOM) };
}

static enum trop_status take_end(void *context, int64_t copy, enum trop_status status,
                                 struct trop_flow *flow)
{
    struct seen *seen = context;

    pthread_mutex_lock(&seen->lock); /* strtok */
    seen->ends[copy]++;
    seen->failed[copy] = status != TROP_OK;
    if (status == TROP_OK) {
        put_fields(&seen->end[copy], trop_flow_field_table(), flow, seen->visitor.fields);
    } else {
        assert_null(flow);
        put(&seen->end[copy], "%d %s", (int)status, trop_error());
    }
    pthread_mutex_unlock(&seen->lock);
    return TROP_OK;
}

static enum trop_status take_look(void *context, int64_t copy, struct trop_flow *flow)
{
    struct seen *seen = context;

    pthread_mutex_lock(&seen->lock);
    put_fields(&seen->look[copy], trop_flow_watch_table(), flow, seen->visitor.watch);
    pthread_mutex_unlock(&seen->lock);
    return TROP_OK;
}

static struct seen *seen_make(int64_t copies, const char *fields, const char *watch, int64_t every)
{
    struct seen *seen = calloc(1, sizeof *seen);

    seen->visitor = (struct trop_copies_visitor){
        .context = seen,
        .end = take_end,
        .fields = fields,
        .look = watch ? take_look : NULL,
        .watch = watch,
        .every = every,
    };
    pthread_mutex_init(&seen->lock, NULL);
    for (int64_t k = 0; k < copies; k++) {
        seen->end[k] = text_make();
        seen->look[k] = text_make();
    }
    return seen;
}

static void seen_free(struct seen *seen)
{
    for (int64_t k = 0; k < MOST; k++) {
        free(seen->end[k].at);
        free(seen->look[k].at);
    }
    free(seen);
}

/* The flow of a copy by itself, as `tropism flow` runs it: record, step. */
static void run_alone(struct text *end, struct text *look, const struct trop_flow_options *o,
                      const struct trop_copies_visitor *visitor)
{
    struct trop_flow *flow = NULL;
    int64_t shown = -1;
    enum trop_status status = trop_flow_create(&flow, o);

    if (status == TROP_OK && visitor->watch) {
        status = trop_flow_watch(flow, visitor->watch);
    }
    while (status == TROP_OK) {
        status = trop_flow_step(flow, 0);
        int64_t step = trop_flow_moves(flow);
        if (status == TROP_OK && visitor->watch && step % visitor->every == 0 && step > shown) {
            shown = step;
            status = trop_flow_look(flow);
            put_fields(look, trop_flow_watch_table(), flow, visitor->watch);
        }
        if (status != TROP_OK || trop_flow_done(flow)) {
            break;
        }
        int64_t more = visitor->watch ? visitor->every - step % visitor->every : 1;
        status = trop_flow_step(flow, trop_flow_jumps(flow) && !visitor->watch ? INT64_MAX : more);
    }
    status = status == TROP_OK ? trop_flow_judge(flow) : status;
    if (status == TROP_OK) {
        put_fields(end, trop_flow_field_table(), flow, visitor->fields);
    } else {
        put(end, "%d %s", (int)status, trop_error());
    }
    trop_flow_free(flow);
}

/* The options of copy k, from the arrays that were given. */
static struct trop_flow_options alone_of(const struct trop_copies_options *o, int64_t k)
{
    struct trop_flow_options one = o->flow;

    one.threads = 1;
    one.cloud.seed = o->seed ? o->seed[k] : o->flow.cloud.seed + (uint64_t)k;
    one.cloud.tokens = o->tokens ? o->tokens + k * one.cloud.n * one.cloud.d : NULL;
    if (o->beta) {
        one.beta = constant(o->beta[k]);
    }
    if (o->epsilon) {
        one.epsilon = constant(o->epsilon[k]);
    }
    if (o->gamma) {
        one.gamma = constant(o->gamma[k]);
    }
    if (o->alpha) {
        one.alpha = o->alpha[k];
    }
    return one;
}

static const char *first_difference(const char *a, const char *b)
{
    static char out[400];
    size_t k = 0, line = 0;

    for (; a[k] && a[k] == b[k]; k++) {
        line = a[k] == '\n' ? k + 1 : line;
    }
    snprintf(out, sizeof out, "%.180s\n...\n%.180s", a + line, b + line);
    return out;
}

/* lanes: 1 and 0 for what must be, -1: either. */
static void expect(struct trop_copies_options *o, const char *fields, const char *watch,
                   int64_t every, int lanes)
{
    struct seen *seen = seen_make(o->copies, fields, watch, every);
    struct trop_copies *copies = NULL;

    o->visitor = &seen->visitor;
    assert_ok(trop_copies_create(&copies, o));
    if (lanes >= 0 && lanes != !trop_copies_alone(copies)[0]) {
        fail_msg("alone: '%s'", trop_copies_alone(copies));
    }
    assert_ok(trop_copies_run(copies, NULL, NULL));
    for (int64_t k = 0; k < o->copies; k++) {
        struct trop_flow_options one = alone_of(o, k);
        struct text end = text_make(), look = text_make();
        run_alone(&end, &look, &one, &seen->visitor);
        assert_int_equal(seen->ends[k], 1);
        if (strcmp(end.at, seen->end[k].at) != 0) {
            fail_msg("copy %lld of %lld: %s", (long long)k, (long long)o->copies,
                     first_difference(seen->end[k].at, end.at));
        }
        if (strcmp(look.at, seen->look[k].at) != 0) {
            fail_msg("copy %lld, on the way: %s", (long long)k,
                     first_difference(seen->look[k].at, look.at));
        }
        free(end.at);
        free(look.at);
    }
    trop_copies_free(copies);
    seen_free(seen);
    o->visitor = NULL;
}

/* ---- copies that differ ---------------------------------------------------------------------- */

struct varied {
    uint64_t seed[MOST];
    double beta[MOST], epsilon[MOST], gamma[MOST];
};

static void vary(struct varied *v)
{
    for (int k = 0; k < MOST; k++) {
        v->seed[k] = (uint64_t)(1000 - 7 * k);
        v->beta[k] = 0.3 + 0.4 * (k % 11);
        v->epsilon[k] = 0.05 + 0.11 * (k % 7);
        v->gamma[k] = k % 5 == 4 ? 1 : 0.2 + 0.15 * (k % 5);
    }
}

#define GATHERED ",leaders,target,switches,last_switch,"
#define PLAIN "clusters,converged,steps,diameter,residual,outcome,certificate.kind,tokens,labels"

/* What the arrays give a copy, and which rules and dynamics take it. */
static const struct {
    const char *text;
    int epsilon, gamma; /* 2: as alpha */
} motions[] = {
    { "rule=softmax steps=40 tolerance=1e-3 init=uniform", 0, 1 },
    { "rule=softmax steps=400 until=converged tolerance=1e-6", 0, 2 },
    { "rule=softmax steps=300 tolerance=1e-2", 0, 1 },
    { "rule=localmax steps=300 until=converged", 1, 1 },
    { "rule=localmax steps=300 until=converged closed_form=never tolerance=1e-4", 1, 2 },
    { "rule=localmax steps=60 closed_form=never tolerance=1e-4", 1, 1 },
    { "rule=localmax form=probability steps=400", 1, 1 },
    { "rule=hardmax steps=100000000000 until=converged", 0, 1 },
    { "rule=hardmax steps=60 tolerance=1e-3 closed_form=never", 0, 1 },
    { "dynamics=sa integrator=euler dt=0.1 time=1.25 init=sphere", 0, 0 },
    { "dynamics=usa integrator=rk4 dt=0.05 time=0.2", 0, 0 },
    { "dynamics=sa-step dt=0.3 time=2", 0, 0 },
    { "dynamics=ode integrator=rk4 dt=0.1 time=12 until=converged tolerance=1e-2", 0, 0 },
};
#define MOTIONS ((int)(sizeof motions / sizeof motions[0]))

static struct trop_copies_options motion_of(int m, const struct varied *v, int64_t n, int64_t d,
                                            int64_t copies)
{
    struct trop_copies_options o = copies_of(n, d, copies, motions[m].text);

    o.seed = v->seed;
    o.beta = strstr(motions[m].text, "hardmax") ? NULL : v->beta;
    o.epsilon = motions[m].epsilon ? v->epsilon : NULL;
    o.gamma = motions[m].gamma == 1 ? v->gamma : NULL;
    o.alpha = motions[m].gamma == 2 ? v->beta : NULL;
    return o;
}

/* Around the eight lanes of a register, in several dimensions, with every field. */
static void every_field_is_that_of_the_flow_alone(void **state)
{
    (void)state;
    static const int64_t counts[] = { 1, 7, 8, 9, 17 };
    static const int64_t ns[] = { 9, 2, 34, 8, 5 }, ds[] = { 2, 3, 1, 2, 4 };
    char fields[2048];
    struct varied v;

    vary(&v);
    for (int m = 0; m < MOTIONS; m++) {
        const int hard = strstr(motions[m].text, "hardmax") != NULL;
        all_but(fields, trop_flow_field_table(), hard ? GATHERED "attention," : GATHERED);
        for (int k = 0; k < 5; k++) {
            struct trop_copies_options o = motion_of(m, &v, ns[k], ds[k], counts[k]);
            expect(&o, fields, NULL, 0, 1);
            o.flow.threads = 3;
            expect(&o, PLAIN, NULL, 0, 1);
        }
    }
}

/* Copies that end at different steps share lanes; with given tokens, and over blocks. */
static void copies_that_end_at_different_times(void **state)
{
    (void)state;
    static double x[MOST * 12];
    struct varied v;

    vary(&v);
    normals(x, MOST * 12, 9);
    for (int m = 1; m < 8; m += m == 1 ? 2 : 4) {
        struct trop_copies_options o = motion_of(m, &v, 6, 2, MOST);
        o.tokens = x;
        expect(&o, PLAIN, NULL, 0, 1);
    }
}

/* On any instruction set and any number of threads. */
static void instruction_sets_show_the_same(void **state)
{
    (void)state;
    struct varied v;

    vary(&v);
    for (int m = 0; m < MOTIONS; m += 3) {
        for (int64_t kernel = 1; trop_kernel_names()[kernel]; kernel++) {
            struct trop_copies_options o = motion_of(m, &v, 13, 3, 19);
            struct trop_flow *probe = NULL;
            o.flow.kernel = kernel;
            if (trop_flow_create(&probe, &o.flow) == TROP_ERR_UNSUPPORTED) {
                continue;
            }
            trop_flow_free(probe);
            o.flow.kernel = 0;
            struct seen *one = seen_make(19, PLAIN, NULL, 0);
            struct trop_copies *copies = NULL;
            o.visitor = &one->visitor;
            o.flow.kernel = kernel;
            o.flow.threads = 1 + kernel;
            assert_ok(trop_copies_create(&copies, &o));
            assert_ok(trop_copies_run(copies, NULL, NULL));
            trop_copies_free(copies);
            o.flow.kernel = 0;
            for (int64_t k = 0; k < 19; k++) {
                struct trop_flow_options alone = alone_of(&o, k);
                struct text end = text_make();
                run_alone(&end, NULL, &alone, &one->visitor);
                assert_string_equal(end.at, one->end[k].at);
                free(end.at);
            }
            seen_free(one);
        }
    }
}

/* ---- on the way ------------------------------------------------------------------------------ */

#define RISES \
    ",leaders,switches,potential_rise,dirichlet_rise,spread_rise,support_rise,energy_fall," \
    "gap_least,gap_bound,gap_ratio,"

static void what_is_watched_is_that_of_the_flow_alone(void **state)
{
    (void)state;
    static const int64_t everies[] = { 1, 3, 10 };
    char watch[2048], fields[2048];
    struct varied v;

    vary(&v);
    all_but(watch, trop_flow_watch_table(), RISES);
    all_but(fields, trop_flow_field_table(), GATHERED "attention,");
    for (int m = 0; m < MOTIONS; m++) {
        if (strstr(motions[m].text, "000")) {
            continue; /* long */
        }
        for (int k = 0; k < 3; k++) {
            struct trop_copies_options o = motion_of(m, &v, 7, 2, 9);
            if (k == 0) {
                expect(&o, fields, "residual,diameter,tokens,clusters,energy", 1, 1);
            } else {
                expect(&o, k == 1 ? "steps" : fields, watch, everies[k], 1);
            }
        }
    }
}

static void what_lanes_do_not_gather_runs_alone(void **state)
{
    (void)state;
    struct varied v;

    vary(&v);
    struct trop_copies_options o = motion_of(3, &v, 7, 2, 9);
    expect(&o, "target,leaders,steps", NULL, 0, 0);
    expect(&o, "steps", "potential_rise,leaders", 5, 0);
    o = motion_of(7, &v, 7, 2, 9);
    expect(&o, "attention,steps", "gap_bound,residual", 4, 0);
    o = copies_of(9, 2, 5, "rule=topk k=3 steps=30");
    expect(&o, PLAIN, "residual,tokens", 7, 0);
    o = copies_of(9, 2, 5, "leap=yes steps=1e6 beta=4 gamma=0.5");
    expect(&o, PLAIN, "residual", 7, 0);
}

/* ---- which lanes know, and why not ----------------------------------------------------------- */

static enum trop_status nothing(void *context, int64_t copy, enum trop_status status,
                                struct trop_flow *flow)
{
    (void)context;
    (void)copy;
    (void)status;
    (void)flow;
    return TROP_OK;
}

static void lanes_say_what_they_do_not_know(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fields, *watch, *sentence;
    } rows[] = {
        { "rule=softmax", "steps,energy,certificate.kind", "tokens", "" },
        { "rule=hardmax", "graph.sinks,cluster_list", NULL, "" },
        { "rule=topk k=2", "steps", NULL, "rule = topk: lanes have softmax, hardmax and localmax" },
        { "rule=localmax form=cosine", "steps", NULL, "form = cosine: lanes have additive" },
        { "dynamics=chain", "steps", NULL, "dynamics = chain: lanes have layer" },
        { "dynamics=sa", "steps", NULL, "integrator = dopri5: lanes have euler and rk4" },
        { "dynamics=ode rule=hardmax", "steps", NULL, "rule = hardmax: lanes have the ODE of" },
        { "mask=causal", "steps", NULL, "mask = causal: lanes have full" },
        { "merge=auto", "steps", NULL, "merge: lanes keep the tokens apart" },
        { "leap=yes", "steps", NULL, "leap: lanes take every step" },
        { "precision=single", "steps", NULL, "precision = single: lanes have double" },
        { "rule=hardmax", "steps,leaders", NULL, "leaders: is gathered from all steps" },
        { "rule=hardmax", "attention", NULL, "attention: is gathered" },
        { "rule=hardmax", "steps", "residual,switches", "switches: is gathered" },
        { "rule=hardmax", NULL, NULL, "leaders: is gathered" },
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trop_copies_options o = copies_of(9, 2, 1, rows[r].text);
        struct trop_copies_visitor visitor = { .end = nothing,
                                               .fields = rows[r].fields,
                                               .look = rows[r].watch ? take_look : NULL,
                                               .watch = rows[r].watch,
                                               .every = 1 };
        struct trop_copies *copies = NULL;
        o.visitor = &visitor;
        assert_ok(trop_copies_create(&copies, &o));
        const char *told = trop_copies_alone(copies);
        if (rows[r].sentence[0] ? !strstr(told, rows[r].sentence) : told[0]) {
            fail_msg("'%s' is not '%s'", told, rows[r].sentence);
        }
        trop_copies_free(copies);
    }
    struct trop_copies_options o = copies_of(1025, 2, 1, "");
    struct trop_copies *copies = NULL;
    assert_ok(trop_copies_create(&copies, &o));
    assert_string_equal(trop_copies_alone(copies),
                        "n = 1025, d = 2: lanes have up to 1024 tokens and n d = 16384");
    trop_copies_free(copies);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* A copy that is refused, or fails on its way, says what it says alone; the others go on. The first
 * of them is refused here, in lanes and not. */
static void a_copy_that_fails_is_shown_and_the_others_go_on(void **state)
{
    (void)state;
    enum { COPIES = 19 };
    static const char *const rows[] = { "rule=localmax form=probability steps=50",
                                        "rule=minp form=probability steps=50" };
    double epsilon[COPIES], gamma[COPIES], beta[COPIES];

    for (int k = 0; k < COPIES; k++) {
        epsilon[k] = k == 0 || k == 9 ? 1.5 : 0.3;
        gamma[k] = k == 3 ? 1.25 : 0.5;
        beta[k] = k == 12 ? -1 : k == 14 ? NAN : 2;
    }
    for (int r = 0; r < 2; r++) {
        struct trop_copies_options o = copies_of(5, 2, COPIES, rows[r]);
        o.epsilon = epsilon;
        o.gamma = gamma;
        o.beta = beta;
        expect(&o, PLAIN, NULL, 0, r == 0);
    }
    /* x grows by 1e7 from step to step: copies leave double at different steps. */
    double x[COPIES * 2];
    for (int k = 0; k < COPIES; k++) {
        x[2 * k] = k % 3 ? 0 : k + 1;
        x[2 * k + 1] = -x[2 * k];
    }
    struct trop_copies_options o = copies_of(2, 1, COPIES, "steps=100 value=-1.0000001 beta=0");
    o.tokens = x;
    expect(&o, PLAIN, NULL, 0, 1);
}

static enum trop_status refuse_third(void *context, int64_t copy, enum trop_status status,
                                     struct trop_flow *flow)
{
    (void)flow;
    ++*(int64_t *)context;
    return copy == 2 ? trop_fail(TROP_ERR_IO, "the disk is full") : status;
}

static void a_visitor_ends_the_run(void **state)
{
    (void)state;
    for (int r = 0; r < 2; r++) {
        struct trop_copies_options o =
            copies_of(5, 2, 60, r ? "rule=topk steps=9" : "rule=softmax steps=9");
        struct trop_copies *copies = NULL;
        int64_t count = 0;
        struct trop_copies_visitor visitor = { .context = &count,
                                               .end = refuse_third,
                                               .fields = "steps" };
        o.visitor = &visitor;
        assert_ok(trop_copies_create(&copies, &o));
        assert_int_equal(trop_copies_run(copies, NULL, NULL), TROP_ERR_IO);
        assert_string_equal(trop_error(), "the disk is full");
        assert_in_range(count, 3, 16);
        trop_copies_free(copies);
    }
}

static void refuse(struct trop_copies_options *o, const char *words)
{
    struct trop_copies *c = NULL;

    assert_int_equal(trop_copies_create(&c, o), TROP_ERR_ARG);
    if (!strstr(trop_error(), words)) {
        fail_msg("'%s' does not say '%s'", trop_error(), words);
    }
}

static void wrong_visitors_and_arrays_are_refused(void **state)
{
    (void)state;
    double two[2] = { 0.5, 2 };
    uint64_t seeds[2] = { 1, 2 };
    struct trop_copies_options o = copies_of(5, 2, 2, "rule=localmax");
    struct trop_copies_visitor visitor = { .end = nothing, .fields = "steps,stepps" };

    o.visitor = &visitor;
    refuse(&o, "fields = stepps: not a result of a flow");
    visitor = (struct trop_copies_visitor){ .end = nothing, .look = take_look, .watch = "residul" };
    refuse(&o, "did you mean residual?");
    visitor.watch = "residual";
    refuse(&o, "every = 0: must be at least 1");
    o.visitor = NULL;
    o.gamma = two;
    refuse(&o, "gamma: entry 1 (from 0) is 2, must be from 0 to 1");
    two[1] = 1;
    o.alphas = "1,2";
    refuse(&o, "alphas and gamma: give one of them");
    o.gamma = NULL;
    o.seed = seeds;
    refuse(&o, "seed: an entry for each copy goes with arrays");
    o.alphas = NULL;
    o.epsilons = "0.1";
    o.epsilon = two;
    refuse(&o, "epsilon and epsilons: give one of them");
    o = copies_of(5, 2, 2, "rule=hardmax");
    o.epsilons = "0.1";
    refuse(&o, "epsilons: rule = hardmax does not use epsilon");
    o = copies_of(5, 2, 2, "dynamics=sa");
    o.gammas = "0.1";
    refuse(&o, "gammas: dynamics = sa does not use gamma");
    o = copies_of(5, 2, 2, "rule=localmax form=probability");
    o.epsilons = "0.5,2";
    refuse(&o, "epsilon = 2: form = probability needs it above 0");
    o = copies_of(5, 2, 2, "");
    o.gammas = "0.5,0";
    refuse(&o, "gamma = 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_that_of_the_flow_alone),
        cmocka_unit_test(copies_that_end_at_different_times),
        cmocka_unit_test(instruction_sets_show_the_same),
        cmocka_unit_test(what_is_watched_is_that_of_the_flow_alone),
        cmocka_unit_test(what_lanes_do_not_gather_runs_alone),
        cmocka_unit_test(lanes_say_what_they_do_not_know),
        cmocka_unit_test(a_copy_that_fails_is_shown_and_the_others_go_on),
        cmocka_unit_test(a_visitor_ends_the_run),
        cmocka_unit_test(wrong_visitors_and_arrays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
