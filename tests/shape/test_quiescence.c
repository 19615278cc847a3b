/* test_quiescence.c -- the certificate against the exact flow: sets that stay, and the closed form.
 *
 * The exact flow is rational_flow.h's: ties, duplicates and steps are what they are and not
 * what rounding makes of them. T5 and T8 are claims lm-thm-t5 and lm-thm-t8; G2 and G5 are runs of
 * lm-rem-golden. */
#include "support.h"

#include "alloc_failing.c"
#include "base/schedule.h"
#include "flow/flow.h"
#include "rational_flow.h"
#include "shape/quiescence.h"

#define STEPS 9
#define ROUNDINGS (4 * 0x1p-53) /* of four numbers below 1 */

/* ---- the certificate ---------------------------------------------------------------------- */

static void certify(struct trop_quiescence *out, double *limits, const struct scenario *s)
{
    struct trop_attend *attend;
    struct trop_quiescence_scratch *scratch;
    struct trop_attend_note notes[N];
    struct trop_quiescence_future future = { 0 };
    double displacement[N * D];

    trop_schedule_range(&future.gamma_low, &future.gamma_high, &s->gamma, 0);
    if (s->numbers.rule != &trop_rule_hardmax) {
        future.epsilon_now = s->numbers.epsilon;
        trop_schedule_range(&future.epsilon_low, &future.epsilon_high, &s->epsilon, 0);
        future.decays_slowly = future.gamma_low == future.gamma_high &&
                               trop_schedule_decay(&s->epsilon, 0) >= 1 - future.gamma_low;
    }
    assert_ok(trop_attend_create(&attend, s->n, D, 1, trop_kernel_choose(0), 0));
    assert_ok(trop_quiescence_create(&scratch, s->n, D));
    assert_ok(
        trop_attend_load(attend, s->x, s->weighted ? s->mass : NULL, s->n, &s->b, &s->numbers));
    assert_ok(trop_attend_rows(displacement, notes, attend, 0));
    /* Without slacks: hardmax sends all to single points, or nothing is proved. */
    struct trop_quiescence noted;
    double same[N * D];
    trop_quiescence_check(&noted, same, scratch, attend, notes, &s->b, &future, 0);
    trop_quiescence_check(out, limits, scratch, attend, notes, &s->b, &future, 1);
    int hardmax = out->kind == TROP_QUIESCENCE_THEOREM_4_2;
    assert_int_equal(noted.kind, hardmax && s->numbers.mask != TROP_MASK_CAUSAL
                                     ? TROP_QUIESCENCE_THEOREM_4_2
                                     : TROP_QUIESCENCE_NONE);
    if (noted.kind != TROP_QUIESCENCE_NONE) {
        assert_memory_equal(same, limits, (size_t)(s->n * D) * sizeof *same);
        assert_true(isnan(noted.q2) && noted.q1 == out->q1 && noted.groups == out->groups);
        assert_true(noted.rate == out->rate && noted.plain == out->plain);
        assert_true(noted.distance == out->distance && noted.decays == out->decays);
    }
    trop_quiescence_free(scratch);
    trop_attend_free(attend);
}

/* 1 when tokens j and k are at one point. */
static int together(struct exact *e, int64_t j, int64_t k)
{
    int same = 1;
    for (int64_t c = 0; c < D; c++) {
        same &= mpq_equal(e->x[j * D + c], e->x[k * D + c]) != 0;
    }
    return same;
}

/* The set of token i has kept its members, and whoever has joined them is at a member's own
 * place: a step of gamma = 1 takes followers there. */
static int same_points(const int *first, struct exact *e, const int *now, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        int found = now[j] == first[j];
        for (int64_t k = 0; k < n && !found; k++) {
            found = now[j] && first[k] && together(e, j, k);
        }
        if (!found) {
            return 0;
        }
    }
    return 1;
}

/* How far the exact flow is from limit + prod (1 - gamma) (x - limit), at most, over STEPS
 * steps whose sets must be those of the first. */
static double deviation(const struct scenario *s, const double *limits)
{
    struct exact e;
    int first[N][N];
    double worst = 0, left = 1;

    exact_create(&e, s);
    for (int t = 0; t < STEPS; t++) {
        double gamma = trop_schedule_at(&s->gamma, t);
        int hardmax = s->numbers.rule == &trop_rule_hardmax;
        exact_sets(&e, s, hardmax ? 0 : trop_schedule_at(&s->epsilon, t));
        if (t == 0) {
            memcpy(first, e.in, sizeof first);
        }
        for (int64_t i = 0; i < s->n; i++) {
            assert_true(same_points(first[i], &e, e.in[i], s->n));
        }
        exact_step(&e, s, gamma);
        left *= 1 - gamma;
        for (int64_t k = 0; k < s->n * D; k++) {
            double form = limits[k] + left * (s->x[k] - limits[k]);
            worst = fmax(worst, fabs(mpq_get_d(e.x[k]) - form));
        }
    }
    exact_free(&e);
    return worst;
}

/* Coordinates are at most 3. A limit is a mean of up to N means of up to N differences of
 * at most 6, twice rounded: (2 N + 4) u 6; the form adds STEPS u for the product and 4 u. */
static double tolerance(void)
{
    return 0x1p-53 * 6 * (2 * N + 4 + STEPS + 4);
}

/* The slacks over tokens, from exact scores. A query at a limit, which is a mean, has none
 * smaller in a closed group; in an open one it may have. Rounding: scores of at most 3 times
 * 13, doubles of exact ones, and a limit that is off by a few u in each coordinate. */
static void check_slacks(const struct trop_quiescence *proof, const struct scenario *s)
{
    struct exact e;
    double low, high, q1 = INFINITY, q2 = INFINITY, small = 0x1p-53 * 39 * 16;
    int hardmax = s->numbers.rule == &trop_rule_hardmax;

    trop_schedule_range(&low, &high, &s->epsilon, 0);
    low = hardmax ? 0 : proof->decays ? s->numbers.epsilon : low;
    high = hardmax ? 0 : high;
    exact_create(&e, s);
    exact_sets(&e, s, hardmax ? 0 : s->numbers.epsilon);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t visible = s->numbers.mask == TROP_MASK_CAUSAL ? i + 1 : s->n;
        double least = INFINITY, most = -INFINITY, outside = -INFINITY;
        exact_scores(&e, s, i);
        for (int64_t j = 0; j < visible; j++) {
            double score = mpq_get_d(e.score[j]);
            if (e.in[i][j]) {
                least = fmin(least, score);
                most = fmax(most, score);
            } else {
                outside = fmax(outside, score);
            }
        }
        q1 = fmin(q1, low - (most - least));
        q2 = fmin(q2, least - outside - high);
    }
    exact_free(&e);
    assert_true(proof->q1 <= q1 + small && proof->q1 >= 0);
    assert_true(proof->q2 <= q2 + small && proof->q2 > 0);
    if (proof->kind != TROP_QUIESCENCE_FIXED && !(s->numbers.mask == TROP_MASK_CAUSAL)) {
        assert_near(proof->q1, q1, small);
        assert_true(proof->q2 == q2 || fabs(proof->q2 - q2) <= small);
    }
}

static const double matrices[][D * D] = { { 1, 0, 0, 1 },   { 1, 0, 0, 0 },  { 0, 0, 0, 0 },
                                          { 1, 1, 0, 1 },   { 0, 1, -1, 0 }, { 2, 1, 1, 1 },
                                          { -1, 0, 0, -1 }, { 1, 0, 0, -1 } };

/* Whole and half coordinates, so that ties and duplicates abound. */
static void draw(struct scenario *s, uint64_t seed)
{
    static const struct trop_schedule gammas[] = { { TROP_SCHEDULE_CONSTANT, 0.5, 0, NULL, 0 },
                                                   { TROP_SCHEDULE_CONSTANT, 0.3, 0, NULL, 0 },
                                                   { TROP_SCHEDULE_CONSTANT, 1, 0, NULL, 0 },
                                                   { TROP_SCHEDULE_FW, 0, 0, NULL, 0 },
                                                   { TROP_SCHEDULE_GEOMETRIC, 0.5, 0.5, NULL, 0 } };
    static const struct trop_schedule epsilons[] = { { TROP_SCHEDULE_CONSTANT, 0, 0, NULL, 0 },
                                                     { TROP_SCHEDULE_CONSTANT, 0.25, 0, NULL, 0 },
                                                     { TROP_SCHEDULE_CONSTANT, 0.5, 0, NULL, 0 },
                                                     { TROP_SCHEDULE_CONSTANT, 1, 0, NULL, 0 },
                                                     { TROP_SCHEDULE_GEOMETRIC, 0.5, 0.5, NULL, 0 },
                                                     { TROP_SCHEDULE_GEOMETRIC, 1, 0.75, NULL, 0 },
                                                     { TROP_SCHEDULE_CONSTANT, 2, 0, NULL, 0 } };
    int64_t matrix = whole(seed, 1, 12);

    *s = (struct scenario){ .n = 2 + whole(seed, 2, N - 1) };
    for (int64_t i = 0; i < s->n; i++) {
        s->x[D * i] = (double)(whole(seed, (uint64_t)(20 + i), 7) - 3) / (double)(1 + seed % 2);
        s->x[D * i + 1] = (double)(whole(seed, (uint64_t)(40 + i), 5) - 2) / (double)(1 + seed % 2);
        s->mass[i] = (double)(1 + whole(seed, (uint64_t)(60 + i), 3));
        if (i > 0 && whole(seed, (uint64_t)(80 + i), 4) == 0) { /* a duplicate */
            memcpy(s->x + D * i, s->x + D * (i - 1), D * sizeof *s->x);
        }
    }
    memcpy(s->values, matrices[matrix < 8 ? matrix : 0], sizeof s->values);
    s->b = (struct trop_matrix){ .scale = NAN, .values = s->values };
    s->weighted = whole(seed, 3, 2) == 0;
    s->gamma = gammas[whole(seed, 4, 5)];
    s->epsilon = epsilons[whole(seed, 5, 7)];
    s->numbers = (struct trop_rule_numbers){
        .rule = whole(seed, 6, 2) ? &trop_rule_hardmax : &trop_rule_localmax,
        .epsilon = trop_schedule_at(&s->epsilon, 0),
        .ties = whole(seed, 7, 3),
        .mask = whole(seed, 8, 3) == 0 ? TROP_MASK_CAUSAL : TROP_MASK_FULL,
    };
}

static void certified_sets_stay_and_plain_tokens_move_by_the_form(void **state)
{
    (void)state;
    int64_t seen[4][2] = { { 0 } }, causal = 0;
    for (uint64_t seed = 0; seed < (uint64_t)cases(20000, 400000); seed++) {
        struct scenario s;
        struct trop_quiescence proof;
        double limits[N * D];
        draw(&s, seed);
        certify(&proof, limits, &s);
        if (proof.kind == TROP_QUIESCENCE_NONE) {
            continue;
        }
        double worst = deviation(&s, limits);
        check_slacks(&proof, &s);
        if (proof.plain ? worst > tolerance() : worst <= tolerance()) {
            fail_msg("seed %llu: kind %lld, plain %lld, off by %g", (unsigned long long)seed,
                     (long long)proof.kind, (long long)proof.plain, worst);
        }
        seen[proof.kind][proof.plain]++;
        causal += s.numbers.mask == TROP_MASK_CAUSAL;
    }
    /* Every kind is there, and those that can be without the plain form too. */
    assert_true(seen[TROP_QUIESCENCE_THEOREM_4_2][1] > 100);
    assert_true(seen[TROP_QUIESCENCE_T5][1] > 100 && seen[TROP_QUIESCENCE_T5][0] > 10);
    assert_true(seen[TROP_QUIESCENCE_FIXED][1] > 10 && seen[TROP_QUIESCENCE_FIXED][0] > 10);
    assert_true(causal > 100);
}

/* ---- single cases ------------------------------------------------------------------------- */

static struct scenario line(int64_t n, const double *at, double epsilon)
{
    struct scenario s = { .n = n, .b = { .scale = 1 } };
    for (int64_t i = 0; i < n; i++) {
        s.x[D * i] = at[i];
    }
    s.gamma = constant(0.5);
    s.epsilon = constant(epsilon);
    s.numbers = (struct trop_rule_numbers){ .rule = &trop_rule_localmax, .epsilon = epsilon };
    return s;
}

static struct trop_quiescence proof_of(const struct scenario *s)
{
    struct trop_quiescence proof;
    double limits[N * D];
    certify(&proof, limits, s);
    return proof;
}

static void each_kind_has_tokens_that_are_not_plain(void **state)
{
    (void)state;
    /* T5, causal: the second token hears both and comes by 3/4 a step, not 1/2. */
    struct scenario s = line(2, (double[]){ 1, 0.9 }, 0.2);
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_T5);
    assert_int_equal(proof_of(&s).plain, 1);
    s.numbers.mask = TROP_MASK_CAUSAL;
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_T5);
    assert_int_equal(proof_of(&s).plain, 0);
    s.x[D] = 1; /* two tokens at one place stay */
    assert_int_equal(proof_of(&s).plain, 1);
    /* Fixed: G2's third token has a share of its own; at 0 it is at its limit. */
    s = line(3, (double[]){ 1, -1, 0.05 }, 0.2);
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_FIXED);
    assert_int_equal(proof_of(&s).plain, 0);
    s.x[2 * D] = 0;
    assert_int_equal(proof_of(&s).plain, 1);
    /* Two that hear each other and both leaders, about 0: their mean rests, so they are plain. */
    s = line(4, (double[]){ 1, -1, 0.05, -0.05 }, 0.2);
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_FIXED);
    assert_int_equal(proof_of(&s).plain, 1);
    /* Fixed hardmax: on the wall between two corners, without a share. */
    s = line(3, (double[]){ 1, 1, 0.5 }, 0);
    s.x[1] = 1;
    s.x[3] = -1;
    s.numbers.rule = &trop_rule_hardmax;
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_FIXED);
    assert_int_equal(proof_of(&s).plain, 1);
}

static void edges_of_sets_are_no_proof(void **state)
{
    (void)state;
    /* ties = first, causal: the last token, at 0, ties with all that it sees and moves to token
     * 0; after that it ties no more. */
    struct scenario s = line(5, (double[]){ -1, -1.5, -1.5, 1.5, 0 }, 0);
    s.x[1] = s.x[3] = s.x[5] = 1;
    s.x[7] = -1;
    s.numbers.rule = &trop_rule_hardmax;
    s.numbers.ties = TROP_TIES_FIRST;
    s.numbers.mask = TROP_MASK_CAUSAL;
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_NONE);
    /* gamma = 1: token 0 jumps to (-1.2, -.6), where <x, x> = <x, x_1> = <x, x_2> in real
     * numbers: it is in its own set then, whatever the rounding of -1.2 says. */
    s = line(4, (double[]){ -1, -1.5, -1, 0 }, 0);
    s.x[1] = -0.5;
    s.x[5] = -1;
    s.x[7] = 1;
    memcpy(s.mass, (double[]){ 1, 2, 3, 3 }, 4 * sizeof *s.mass);
    s.weighted = 1;
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_FIXED);
    s.gamma = constant(1);
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_NONE);
}

static void slow_decay_is_told_from_a_constant_bound(void **state)
{
    (void)state;
    /* G5: the spread is .1 at 1 and .09 at .9. Epsilon = .2 forever leaves .1; falling to 0 it
     * leaves .1 now, by T8, when it falls no faster than 1/2 a step. */
    struct scenario s = line(2, (double[]){ 1, 0.9 }, 0.2);
    struct trop_quiescence proof = proof_of(&s);
    assert_int_equal(proof.decays, 0);
    assert_near(proof.q1, 0.1, 1e-16);
    assert_true(proof.q2 == INFINITY);
    s.epsilon = (struct trop_schedule){ TROP_SCHEDULE_GEOMETRIC, 0.2, 0.5, NULL, 0 };
    proof = proof_of(&s);
    assert_int_equal(proof.kind, TROP_QUIESCENCE_T5);
    assert_int_equal(proof.decays, 1);
    assert_near(proof.q1, 0.1, 1e-16);
    s.epsilon.b = 0.49;
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_NONE);
    /* Under a causal mask the second token comes by 3/4 only: T8 does not serve. */
    s.epsilon.b = 0.5;
    s.numbers.mask = TROP_MASK_CAUSAL;
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_NONE);
    /* A third token far off: <1, 1> - <1, .9> fits, and .9 - (-1) - .2 at .9 is the Q2. */
    s = line(3, (double[]){ 1, 0.9, -1 }, 0.2);
    assert_near(proof_of(&s).q2, 0.81 + 0.9 - 0.2, 1e-15);
}

static void rates_count_points_where_the_rule_does(void **state)
{
    (void)state;
    /* One token at 0 between four corners, two of them twice: a fifth of its average is its
     * own when points are counted, a seventh by mass. */
    double corners[] = { 1, 1, 1, -1, -1, -1, -1, 1, 0, 0, 1, 1 };
    struct scenario s = line(6, (double[]){ 0, 0, 0, 0, 0, 0 }, 0);
    memcpy(s.x, corners, sizeof corners);
    s.numbers.rule = &trop_rule_hardmax;
    assert_near(proof_of(&s).rate, 0.6, ROUNDINGS);
    s.numbers.ties = TROP_TIES_INDICES;
    s.x[D * 5] = -1; /* so that the mean by tokens is 0 as well */
    s.x[D * 5 + 1] = 1;
    assert_int_equal(proof_of(&s).kind, TROP_QUIESCENCE_NONE);
    s.x[D * 5] = s.x[D * 5 + 1] = 0;
    assert_near(proof_of(&s).rate, 2.0 / 3, ROUNDINGS);
}

/* ---- the flow itself, judged where it starts ------------------------------------------------ */

static struct trop_flow *judged(const struct trop_flow_options *o)
{
    struct trop_flow *flow = flow_of(o);
    assert_ok(trop_flow_judge(flow));
    return flow;
}

static void sets_that_do_not_tell_the_averages_are_not_certified(void **state)
{
    (void)state;
    /* B = 0: all tie. With ties = first all go to token 0, which is not their mean; by points
     * they go to the mean of the places 0 and 1, of which one is taken twice. */
    double line[] = { 0, 0, 1 };
    struct trop_value limits;
    struct trop_flow_options o = options_of(line, 3, 1, "hardmax");
    o.cloud.key_query.scale = 0;
    struct trop_flow *flow = judged(&o);
    assert_ok(trop_flow_value(&limits, flow, "limits"));
    assert_true(limits.numbers[0] == 0.5 && limits.numbers[2] == 0.5);
    trop_flow_free(flow);
    o.ties = TROP_TIES_FIRST;
    flow = judged(&o);
    assert_string_equal(text_of(flow, "certificate.kind"), "none");
    trop_flow_free(flow);
    /* Causal: token 0 stays at (0, .1) forever, and the last token hears it and two others. */
    double star[] = { 0, .1, 1, 0, -1, 0, 0, .01 };
    o = options_of(star, 4, 2, "localmax");
    o.mask = TROP_MASK_CAUSAL;
    o.epsilon = constant(0.2);
    flow = judged(&o);
    assert_string_equal(text_of(flow, "certificate.kind"), "none");
    trop_flow_free(flow);
    /* Causal, epsilon = .2 2^-t: token 1 comes to token 0 by 3/4 a step, is lost on the way
     * and rests at .95625. */
    double pair[] = { 0.9, 1 };
    o = options_of(pair, 2, 1, "localmax");
    o.mask = TROP_MASK_CAUSAL;
    o.gamma = constant(0.5);
    o.epsilon = (struct trop_schedule){ TROP_SCHEDULE_GEOMETRIC, 0.2, 0.5, NULL, 0 };
    flow = judged(&o);
    assert_string_equal(text_of(flow, "certificate.kind"), "none");
    trop_flow_free(flow);
    /* The last token ties with itself, token 0 and token 1, which leaves for token 2. */
    double tied[] = { 0.5, -1, -1, 0.5, -1, 1, 0, -0.5 }, b[] = { 1, 1, 0, 1 };
    double masses[] = { 2, 1, 1, 2 };
    o = options_of(tied, 4, 2, "localmax");
    o.cloud.masses = masses;
    o.gamma = constant(0.5);
    o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = b };
    o.epsilon = constant(0);
    flow = judged(&o);
    assert_string_equal(text_of(flow, "certificate.kind"), "none");
    trop_flow_free(flow);
}

/* ---- steps against the form ------------------------------------------------------------------ */

#define TOKENS 14
#define LATER 25

/* A step is off by at most u R for its last rounding, and by gamma <= 1 times the error of
 * an average: n products and sums of at most 2 R, and three roundings more. Averages do not
 * enlarge errors, so that LATER steps add up; the form itself has the error of a limit,
 * which is such an average. */
static double bound(const double *tokens, int64_t d)
{
    double r = 0;
    for (int64_t k = 0; k < TOKENS * d; k++) {
        r = fmax(r, fabs(tokens[k]));
    }
    return 0x1p-53 * r * (LATER + 2) * (2 * (TOKENS + 4) + 5);
}

static struct trop_schedule step_size(uint64_t seed)
{
    static const struct trop_schedule all[] = {
        { TROP_SCHEDULE_CONSTANT, 0.5, 0, NULL, 0 }, { TROP_SCHEDULE_CONSTANT, 0.07, 0, NULL, 0 },
        { TROP_SCHEDULE_FW, 0, 0, NULL, 0 },         { TROP_SCHEDULE_HARMONIC, 0, 0, NULL, 0 },
        { TROP_SCHEDULE_SUPEREXP, 0.2, 0, NULL, 0 },
    };
    return all[whole(seed, 7000, 5)];
}

/* Steps from a plain state on, against the form; 0 when the run has none, or one that
 * rounding could upset: a tie, or an edge of a set within 1e-9. */
static int follows_the_form(uint64_t seed)
{
    int64_t d = 2 + (int64_t)(seed % 2);
    double x[TOKENS * 3], mass[TOKENS], from[TOKENS * 3], limits[TOKENS * 3], left = 1;
    int hardmax = seed % 3 == 0, found = 0;

    for (int64_t k = 0; k < TOKENS * d; k++) {
        x[k] = seed % 4 < 2 ? normal(seed, (uint64_t)k)
                            : (double)(whole(seed, (uint64_t)k, 9) - 4) / 4;
    }
    for (int64_t i = 0; i < TOKENS; i++) {
        mass[i] = 0.5 + uniform(seed, (uint64_t)i);
    }
    struct trop_flow_options o = options_of(x, TOKENS, d, hardmax ? "hardmax" : "localmax");
    o.gamma = step_size(seed);
    o.epsilon = constant(0.05 + uniform(seed, 8000));
    o.ties = (int64_t)(seed / 3 % 3);
    o.cloud.masses = seed % 5 < 2 ? mass : NULL;
    struct trop_flow *flow = flow_of(&o);
    for (int t = 0; t < 30 && !found; t++) {
        assert_ok(trop_flow_step(flow, 1));
        assert_ok(trop_flow_judge(flow));
        found = flow->state.has_limits && flow->state.proof.plain &&
                flow->state.proof.distance > 1e-3 &&
                (hardmax ? flow->state.proof.kind == TROP_QUIESCENCE_THEOREM_4_2
                         : flow->state.proof.q1 > 1e-9 && flow->state.proof.q2 > 1e-9);
    }
    memcpy(from, trop_flow_tokens(flow), (size_t)(TOKENS * d) * sizeof *from);
    memcpy(limits, flow->state.limits, (size_t)(TOKENS * d) * sizeof *limits);
    for (int t = 0; t < LATER && found; t++) {
        left *= 1 - trop_schedule_at(&flow->gamma, (double)flow->state.step);
        assert_ok(trop_flow_step(flow, 1));
        for (int64_t k = 0; k < TOKENS * d; k++) {
            assert_near(trop_flow_tokens(flow)[k], limits[k] + left * (from[k] - limits[k]),
                        bound(x, d) + flow->state.merge_bound);
        }
    }
    trop_flow_free(flow);
    return found;
}

static void flows_step_as_the_form_says(void **state)
{
    (void)state;
    int64_t runs = cases(200, 5000), followed = 0;
    for (int64_t seed = 0; seed < runs; seed++) {
        followed += follows_the_form((uint64_t)seed);
    }
    assert_true(followed > runs / 3);
}

static enum trop_status attempt(void)
{
    struct trop_quiescence_scratch *scratch = NULL;
    enum trop_status status = trop_quiescence_create(&scratch, 5, 3);
    assert_true((status == TROP_OK) == (scratch != NULL));
    trop_quiescence_free(scratch);
    return status;
}

static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
    trop_quiescence_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certified_sets_stay_and_plain_tokens_move_by_the_form),
        cmocka_unit_test(each_kind_has_tokens_that_are_not_plain),
        cmocka_unit_test(edges_of_sets_are_no_proof),
        cmocka_unit_test(slow_decay_is_told_from_a_constant_bound),
        cmocka_unit_test(rates_count_points_where_the_rule_does),
        cmocka_unit_test(sets_that_do_not_tell_the_averages_are_not_certified),
        cmocka_unit_test(flows_step_as_the_form_says),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
