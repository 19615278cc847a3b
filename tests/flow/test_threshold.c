/* test_threshold.c -- the least epsilon of consensus against closed forms, runs and statistics.
 *
 * Two tokens x and y, B = I, any alpha and masses. While <x, x - y> > epsilon and <y, y - x> >
 * epsilon each hears itself alone, forever. Otherwise one of them, say y, hears x; while x
 * rests, y = x + s w, and y hears x as long as <y, y - x> = s <x, w> + s^2 |w|^2 <= epsilon,
 * which is convex in s, true at s = 1 and at s = 0: y comes to x, x begins to hear it, and they
 * meet. So consensus begins exactly at max(0, min(<x, x - y>, <y, y - x>)), and goes on for
 * ever above.
 *
 * Three tokens 1, -1, c with 0 < c < 1 stay apart below 1 - c. Token -1 hears nobody: the next
 * is 1 + c away or more, and epsilon < 1. Token 1 hears c only when that has come to 1 - epsilon.
 * If 2 c <= epsilon, the token c hears both ends, goes to 0 and never comes there. If 2 c >
 * epsilon, then epsilon < 2/3; c goes to 1 and comes within 1 - epsilon, and from then on the
 * two, p <= q, stay as far from -1 as they are: p (q + 1) >= 2 (1 - epsilon) > epsilon, rising
 * as they meet. That they meet with -1 at 1 - c depends on gamma and is simulated. */
#include "threshold_support.h"

static double b[16];

/* ---- asking ---------------------------------------------------------------------------------- */

static const char *text(const struct trop_threshold *c, const char *name)
{
    struct trop_value value;
    assert_ok(trop_threshold_value(&value, c, name));
    assert_int_equal(value.kind, TROP_KIND_TEXT);
    return value.text;
}

/* ---- another way --------------------------------------------------------------------------- */

/* Localmax with B = I, as it is written down; how many clusters are left after many steps. */
static int64_t simulated(int64_t n, int64_t d, double alpha, double epsilon)
{
    static double now[MOST * 4], after[MOST * 4];
    double gamma = alpha / (1 + alpha);
    int64_t clusters = 0;

    memcpy(now, x, sizeof now);
    for (int step = 0; step < 1000; step++) {
        for (int64_t i = 0; i < n; i++) {
            double score[MOST], best = -INFINITY, sum[4] = { 0 }, count = 0;
            for (int64_t j = 0; j < n; j++) {
                score[j] = 0;
                for (int64_t k = 0; k < d; k++) {
                    score[j] += now[i * d + k] * now[j * d + k];
                }
                best = fmax(best, score[j]);
            }
            for (int64_t j = 0; j < n; j++) {
                for (int64_t k = 0; k < d && score[j] >= best - epsilon; k++) {
                    sum[k] += now[j * d + k];
                }
                count += score[j] >= best - epsilon;
            }
            for (int64_t k = 0; k < d; k++) {
                after[i * d + k] = (1 - gamma) * now[i * d + k] + gamma * sum[k] / count;
            }
        }
        memcpy(now, after, sizeof now);
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t j = 0;
        for (; j < i; j++) {
            double square = 0;
            for (int64_t k = 0; k < d; k++) {
                square += (now[i * d + k] - now[j * d + k]) * (now[i * d + k] - now[j * d + k]);
            }
            if (square < 1e-12) {
                break;
            }
        }
        clusters += j == i;
    }
    return clusters;
}

/* ---- closed forms -------------------------------------------------------------------------- */

/* Consensus begins at epsilon, a number that double holds exactly. */
static void assert_begins_at(const struct trop_threshold *c, double epsilon)
{
    double low = epsilon > 0 ? field(c, "low") : NAN;

    if (field(c, "high") != epsilon || (epsilon > 0 && low != nextafter(epsilon, 0))) {
        fail_msg("from %.17g to %.17g, must be at %.17g", low, field(c, "high"), epsilon);
    }
    assert_true(epsilon > 0 || is_null(c, "low")); /* where it meets, it does not keep apart */
    assert_true(is_null(c, "undecided"));
    assert_string_equal(text(c, "certificate.kind"), epsilon > 0 ? "bracket" : "least");
}

static void two_tokens_meet_from_the_closed_form_on(void **state)
{
    static const double alphas[] = { 0, 0.1, 1, 10 };
    const double masses[] = { 3, 0.5 };
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)cases(60, 2000); seed++) {
        int64_t d = 1 + whole(seed, 100, 3);
        struct trop_threshold_options o = options_for(2, d);
        double first = 0, second = 0;
        for (int64_t k = 0; k < 2 * d; k++) {
            x[k] = 0.125 * (double)(whole(seed, (uint64_t)k, 33) - 16); /* products are exact */
        }
        for (int64_t k = 0; k < d; k++) {
            first += x[k] * (x[k] - x[d + k]);
            second += x[d + k] * (x[d + k] - x[k]);
        }
        o.alpha = alphas[seed % 4];
        o.cloud.masses = seed % 3 ? NULL : masses;
        struct trop_threshold *c = searched(&o);
        assert_begins_at(c, fmax(0, fmin(first, second)));
        assert_true(field(c, "complete") == fmax(fabs(first), fabs(second)));
        trop_threshold_free(c);
    }
}

/* G2 of claim lm-rem-golden: 1 - c, rounded upwards where it is no double. */
static void a_token_between_two_joins_them_when_it_is_in_reach(void **state)
{
    static const double exact[] = { 0.0625, 0.25, 0.3125 };
    (void)state;
    x[0] = 1;
    x[1] = -1;
    struct trop_threshold_options o = options_for(3, 1);
    for (int k = 0; k < 3; k++) {
        x[2] = exact[k];
        struct trop_threshold *c = searched(&o);
        assert_begins_at(c, 1 - exact[k]);
        assert_int_equal(simulated(3, 1, 1, 1 - exact[k]), 1);
        trop_threshold_free(c);
    }
    x[2] = 0.05; /* 1 - 0.05 lies between the doubles 0.95 and the next: 0.05 is a bit more */
    struct trop_threshold *c = searched(&o);
    assert_begins_at(c, nextafter(0.95, 1));
    assert_string_equal(text(c, "certificate.low"), "fixed-point");
    trop_threshold_free(c);
}

/* G1 of claim lm-rem-golden: hardmax takes (1, .5) to 1; so does every epsilon. */
static void leaders_and_followers_meet_at_zero(void **state)
{
    (void)state;
    x[0] = 1;
    x[1] = 0.5;
    struct trop_threshold_options o = options_for(2, 1);
    struct trop_threshold *c = searched(&o);
    assert_begins_at(c, 0);
    assert_true(field(c, "complete") == 0.5 && field(c, "first") == 0.25);
    assert_true(field(c, "bound") >= 0.125 && field(c, "bound") < 0.12500001);
    assert_true(field(c, "runs") == 1);
    assert_true(is_null(c, "certificate.low"));
    trop_threshold_free(c);
}

/* One point, one token, B = 0: every score is the same, and no run is needed. */
static void equal_tokens_have_met(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct trop_threshold_options o = options_for(kind == 0 ? 1 : 5, 2);
        for (int64_t k = 0; k < 10; k++) {
            x[k] = kind == 2 ? (double)k : k % 2 ? 0.1 : -7;
        }
        o.cloud.key_query.scale = kind == 2 ? 0 : 1;
        struct trop_threshold *c = searched(&o);
        assert_begins_at(c, 0);
        assert_true(field(c, "complete") == 0 && field(c, "runs") == 0);
        assert_true(field(c, "first") == INFINITY);
        assert_string_equal(text(c, "certificate.high"), "T12");
        trop_threshold_free(c);
    }
}

/* The ends of an interval around 0 hear each other from complete on, and not before. */
static void opposite_tokens_need_the_complete_graph(void **state)
{
    (void)state;
    x[0] = 1;
    x[1] = -1;
    struct trop_threshold_options o = options_for(2, 1);
    struct trop_threshold *c = searched(&o);
    assert_begins_at(c, 2);
    assert_string_equal(text(c, "certificate.high"), "T12");
    assert_string_equal(text(c, "certificate.low"), "quiescence");
    trop_threshold_free(c);
}

/* T4c: (B + B')/2 <= 0 is consensus for every epsilon > 0; for B = -I at 0 too, as two vertices
 * of the limit would have -|v - w|^2 >= 0. */
static void repulsion_brings_together(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)cases(20, 500); seed++) {
        int64_t n = 2 + whole(seed, 1000, 20);
        struct trop_threshold_options o = options_for(n, 2);
        fill_uniform(2 * n, seed);
        o.width = 1e-6;
        o.cloud.key_query.scale = -1;
        struct trop_threshold *c = searched(&o);
        assert_begins_at(c, 0);
        assert_true(field(c, "bound") == 0);
        trop_threshold_free(c);
        memcpy(b, (double[]){ 0, 1, -1, 0 }, sizeof(double[4]));
        o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = b };
        c = searched(&o);
        assert_true(field(c, "bound") == 0);
        assert_true(field(c, "high") <= 1e-6 * field(c, "complete"));
        trop_threshold_free(c);
    }
}

/* B = diag(1, 0) does not see the second coordinate: in the first the tokens 1 and -1 are those
 * of two_tokens. B = diag(1, -1): (1, 1), (-1, 1) score as 1 and -1 do but for a constant. */
static void some_other_scores_are_known(void **state)
{
    static const double second[][2] = { { 0, 3 }, { -1, 1 } };
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct trop_threshold_options o = options_for(2, 2);
        memcpy(x, (double[]){ 1, 1, -0.5, second[kind][1] }, sizeof(double[4]));
        memcpy(b, (double[]){ 1, 0, 0, second[kind][0] }, sizeof(double[4]));
        o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = b };
        struct trop_threshold *c = searched(&o);
        assert_begins_at(c, 0.75);
        trop_threshold_free(c);
    }
}

/* ---- proofs -------------------------------------------------------------------------------- */

static int count_steps(void *context, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return ++*(int64_t *)context > 100;
}

/* B = -1 and gamma = 1: tokens 1 and -1 change places forever below complete, T4 or not. */
static void what_goes_round_is_not_decided(void **state)
{
    struct trop_value band;
    struct trop_threshold *c = NULL;
    int64_t steps = 0;
    (void)state;
    x[0] = 1;
    x[1] = -1;
    struct trop_threshold_options o = options_for(2, 1);
    o.cloud.key_query.scale = -1;
    o.gamma = constant(1);
    o.width = 1e-3;
    assert_ok(trop_threshold_create(&c, &o));
    assert_ok(trop_threshold_run(c, count_steps, &steps)); /* a few for each of eleven runs */
    assert_ok(trop_threshold_value(&band, c, "undecided"));
    assert_int_equal(band.kind, TROP_KIND_NUMBERS);
    assert_true(band.numbers[0] == 0 && band.numbers[1] < 2 && band.numbers[1] >= 2 - 2e-3);
    assert_true(is_null(c, "low") && is_null(c, "certificate.kind"));
    assert_true(field(c, "high") == 2);
    trop_threshold_free(c);
}

/* Brute force over the scores. */
static double widest_row(int64_t n, int64_t d)
{
    double widest = 0;
    for (int64_t i = 0; i < n; i++) {
        double most = -INFINITY, least = INFINITY;
        for (int64_t j = 0; j < n; j++) {
            double score = 0;
            for (int64_t k = 0; k < d; k++) {
                score += x[i * d + k] * x[j * d + k];
            }
            most = fmax(most, score);
            least = fmin(least, score);
        }
        widest = fmax(widest, most - least);
    }
    return widest;
}

static void a_simulation_agrees_with_both_ends(void **state)
{
    int64_t narrow = 0, all = cases(40, 1000);
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)all; seed++) {
        int64_t d = 1 + whole(seed, 1000, 3), n = 2 + whole(seed, 1001, 18);
        struct trop_threshold_options o = options_for(n, d);
        fill_uniform(n * d, seed);
        o.width = 1e-4;
        o.alpha = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 0.5 : 4;
        struct trop_threshold *c = searched(&o);
        double high = field(c, "high"), complete = field(c, "complete");
        double low = high > 0 ? field(c, "low") : 0;
        /* Scores of a few numbers at most 1: a few ulps. */
        assert_near(complete, widest_row(n, d), 8 * 0x1p-53 * (double)d);
        assert_true(high <= complete && high <= nextafter(field(c, "bound"), INFINITY) * 1.0001);
        assert_int_equal(simulated(n, d, o.alpha, high), 1);
        assert_true(high == 0 || simulated(n, d, o.alpha, low) > 1);
        narrow += high - low <= 1e-4 * fmin(complete, field(c, "bound"));
        trop_threshold_free(c);
    }
    /* Two clouds in a hundred have a band that is not decided. */
    assert_true(narrow >= all - 2 - all / 20);
}

/* (4, 1), (4, -1), (3, 0): the first token scores 17, 15, 12, so complete is 5, and bound is
 * 2^2/2 = 2. After the run at 0, where the first two lead, 2.5 is above bound and needs no run;
 * 1.25 does, and the bracket is below width * 2 then. */
static void far_from_the_origin_the_bound_serves(void **state)
{
    (void)state;
    memcpy(x, (double[]){ 4, 1, 4, -1, 3, 0 }, sizeof(double[6]));
    struct trop_threshold_options o = options_for(3, 2);
    o.width = 1;
    struct trop_threshold *c = searched(&o);
    assert_true(field(c, "complete") == 5 && field(c, "runs") == 2);
    assert_near(field(c, "bound"), 2, 1e-13);
    assert_true(field(c, "low") == 0 && field(c, "high") == 1.25);
    assert_int_equal(simulated(3, 2, 1, 1.25), 1);
    trop_threshold_free(c);
}

/* A mass of 3 is three tokens at one place, up to the rounding of means; the bracket is wider. */
static void masses_count_as_tokens(void **state)
{
    double ends[3][2];
    int64_t moved = 0;
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)cases(10, 200); seed++) {
        for (int kind = 0; kind < 3; kind++) { /* masses, copies, neither */
            const double masses[] = { 3, 3, 1, 1, 1, 1, 1, 1 };
            struct trop_threshold_options o = options_for(kind == 1 ? 12 : 8, 2);
            fill_uniform(16, seed);
            for (int k = 0; k < 4; k++) {
                memcpy(x + 16 + 2 * k, x + 2 * (k % 2), 2 * sizeof *x);
            }
            o.cloud.masses = kind == 0 ? masses : NULL;
            o.width = 1e-6;
            struct trop_threshold *c = searched(&o);
            ends[kind][1] = field(c, "high");
            ends[kind][0] = ends[kind][1] > 0 ? field(c, "low") : 0;
            trop_threshold_free(c);
        }
        assert_true(ends[0][0] == ends[1][0] && ends[0][1] == ends[1][1]);
        moved += ends[0][1] != ends[2][1];
    }
    assert_true(moved > 0);
}

/* As wide as the cloud itself: a point from the start, where no proof says otherwise; one does at
 * 0, and at no epsilon above. */
static void a_tolerance_of_one_sees_a_point(void **state)
{
    (void)state;
    fill_uniform(40, 1);
    struct trop_threshold_options o = options_for(20, 2);
    o.tolerance = 1;
    o.width = 1e-3;
    struct trop_threshold *c = searched(&o);
    assert_true(field(c, "low") == 0 && field(c, "high") <= 1e-3 * field(c, "complete"));
    assert_string_equal(text(c, "certificate.high"), "consensus");
    trop_threshold_free(c);
}

/* ---- statistics ---------------------------------------------------------------------------- */

/* n = 20 on [-1, 1]^2, alpha = 1: claim lm-tab-clusters has 9.1% consensus at .3 and 85.3% at .5,
 * from 1000 runs. Both samples vary, by sqrt(p (1 - p) (1/runs + 1/1000)); four times that. */
static void the_square_has_the_known_statistics(void **state)
{
    static const double at[] = { 0.3, 0.5 }, expected[] = { 0.091, 0.853 };
    int64_t all = cases(150, 2000), count[2] = { 0 };
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)all; seed++) {
        struct trop_threshold_options o = options_for(20, 2);
        fill_uniform(40, 5000 + seed);
        o.width = 1e-3;
        o.alpha = 1;
        struct trop_threshold *c = searched(&o);
        for (int k = 0; k < 2; k++) {
            count[k] += field(c, "high") <= at[k];
        }
        trop_threshold_free(c);
    }
    for (int k = 0; k < 2; k++) {
        double p = expected[k], share = (double)count[k] / (double)all;
        assert_near(share, p, 4 * sqrt(p * (1 - p) * (1 / (double)all + 1e-3)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_tokens_meet_from_the_closed_form_on),
        cmocka_unit_test(a_token_between_two_joins_them_when_it_is_in_reach),
        cmocka_unit_test(leaders_and_followers_meet_at_zero),
        cmocka_unit_test(equal_tokens_have_met),
        cmocka_unit_test(opposite_tokens_need_the_complete_graph),
        cmocka_unit_test(repulsion_brings_together),
        cmocka_unit_test(some_other_scores_are_known),
        cmocka_unit_test(what_goes_round_is_not_decided),
        cmocka_unit_test(a_simulation_agrees_with_both_ends),
        cmocka_unit_test(far_from_the_origin_the_bound_serves),
        cmocka_unit_test(masses_count_as_tokens),
        cmocka_unit_test(a_tolerance_of_one_sees_a_point),
        cmocka_unit_test(the_square_has_the_known_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
