/* test_margin_selections.c -- the noun margin: every selection one by one, its cone, and what the
 * papers assume of it. */
#include "margin_noun.h"

/* ---- the plane ------------------------------------------------------------------------------- */

enum { N = 3, T = 4 };

/* ---- every selection ------------------------------------------------------------------------- */

static double score_of(const struct set *s, int64_t i, int64_t t)
{
    double sum = 0;

    for (int64_t c = 0; c < s->data.d; c++) {
        sum += s->y[i] * s->v[c] * s->x[(i * s->data.T + t) * s->data.d + c];
    }
    return sum;
}

/* Locally optimal: every support token, at a margin of 1, has a lower score. Without weakly active
 * constraints margins are at 1 within the square root of the gap, or well above: the draws that
 * come between are left out. Returns -1 for those. */
static int is_local(const struct trop_margin *margin, const struct set *s)
{
    const struct trop_problem *p = trop_margin_problem(margin);
    const struct trop_value alpha = noun_value(margin, "alpha");
    int local = 1;

    for (int64_t j = 0; j < p->count; j++) {
        const double lead = noun_lead(p, j, trop_margin_weights(margin));
        if (lead > 1 + 1e-9 && lead < 1 + 1e-3) {
            return -1;
        }
        if (lead <= 1 + 1e-9) {
            local &= score_of(s, p->input[j], alpha.integers[p->input[j]]) >
                     score_of(s, p->input[j], p->token[j]);
        }
    }
    return local;
}

static void a_list_of_selections_is_that_of_one_solve_each(void **state)
{
    enum { INPUTS = 2, TOKENS = 3 };
    static struct set s;
    int64_t listed = 0, infeasible = 0;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(25, 400); seed++) {
        const int64_t queries = (int64_t)(seed % 2);
        set_draw(&s, INPUTS, TOKENS, 2, queries, 2000 + seed);
        struct trop_margin_options o = noun_options(&s);
        o.enumerate = 1;
        struct trop_margin *all = noun_run(&o);
        const int64_t count = noun_value(all, "selections").shape[0];
        int64_t found = 0, feasible = 0, doubtful = 0;
        o.enumerate = 0;
        for (int64_t c = 0; c < 9; c++) {
            char text[8];
            sprintf(text, "%d,%d", (int)(c / 3), (int)(c % 3));
            o.select = text;
            struct trop_margin *one = noun_run(&o);
            const int solved = strcmp(noun_text(one, "outcome"), "solved") == 0;
            const int local = solved ? is_local(one, &s) : 0;
            feasible += solved;
            doubtful += local < 0;
            if (local == 1) {
                assert_int_equal(noun_integer(one, "locally_optimal"), 1);
            }
            for (int64_t row = 0; row < count && local == 1; row++) {
                const struct trop_value alpha = noun_cell(all, "selections", "alpha", row);
                if (alpha.integers[0] == c / 3 && alpha.integers[1] == c % 3) {
                    assert_true(noun_cell(all, "selections", "norm", row).number ==
                                noun_number(one, "norm"));
                    assert_true(noun_cell(all, "selections", "score_gap", row).number ==
                                noun_number(one, "score_gap"));
                    assert_string_equal(noun_cell(all, "selections", "outcome", row).text,
                                        "solved");
                    found++;
                }
            }
            trop_margin_free(one);
        }
        assert_int_equal(noun_integer(all, "combinations"), 9);
        assert_int_equal(noun_integer(all, "feasible"), feasible);
        if (doubtful == 0) {
            assert_int_equal(found, count);
        }
        for (int64_t row = 1; row < count; row++) {
            assert_true(noun_cell(all, "selections", "norm", row - 1).number <=
                        noun_cell(all, "selections", "norm", row).number);
        }
        listed += count;
        infeasible += 9 - feasible;
        trop_margin_free(all);
    }
    assert_true(listed > 20 && infeasible > 20);
}

/* ---- cone and assumptions -------------------------------------------------------------------- */

/* P1 equation 32 from the solution. */
static void the_cone_has_its_constants(void **state)
{
    static struct set s;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(20, 200); seed++) {
        double longest = 0, spread = 0, delta = INFINITY, gap = INFINITY;
        set_draw(&s, 3, 4, 5, 1, 4000 + seed);
        struct trop_margin_options o = noun_options(&s);
        struct trop_margin *margin = noun_run(&o);
        const struct trop_problem *p = trop_margin_problem(margin);
        const double norm = noun_number(margin, "norm");
        const int64_t *alpha = noun_value(margin, "alpha").integers;
        if (is_local(margin, &s) < 0) {
            trop_margin_free(margin);
            continue;
        }
        assert_int_equal(noun_integer(margin, "locally_optimal"), 1); /* optimal tokens are */
        for (int64_t j = 0; j < p->count; j++) {
            const double lead = noun_lead(p, j, trop_margin_weights(margin));
            if (lead > 1 + 1e-6) {
                delta = fmin(delta, (lead - 1) / 2);
            } else {
                gap = fmin(gap, score_of(&s, p->input[j], alpha[p->input[j]]) -
                                    score_of(&s, p->input[j], p->token[j]));
            }
        }
        for (int64_t i = 0; i < 3; i++) {
            double low = INFINITY, high = -INFINITY;
            for (int64_t t = 0; t < 4; t++) {
                longest = fmax(longest, noun_frobenius(s.x + (4 * i + t) * 5, 5) *
                                            noun_frobenius(s.z + 5 * i, 5));
                low = fmin(low, score_of(&s, i, t));
                high = fmax(high, score_of(&s, i, t));
            }
            spread = fmax(spread, high - low);
        }
        const double A = longest * norm, ratio = fmin(0.5, delta) / A;
        const double radius = fmax(2, 1 / delta) * norm * log(64 * 4 * spread * A / gap);
        assert_near(noun_number(margin, "cone.theta") * norm, 1, 1e-15);
        if (isfinite(delta)) {
            assert_near(noun_number(margin, "cone.delta") / delta, 1, 1e-9);
        }
        assert_near(noun_number(margin, "cone.mu") / (ratio * ratio / 8), 1, 1e-9);
        assert_near(noun_number(margin, "cone.radius") / radius, 1, 1e-9);
        assert_near(noun_number(margin, "score_gap"), gap, 1e-14);
        trop_margin_free(margin);
    }
}

/* (x_t - x_opt)' grad L(0) z > 0 for all others, logistic loss. */
static int first_step_separates(const struct set *s, const int64_t *alpha)
{
    const int64_t n = s->data.n, m = s->data.T, d = s->data.d;
    double gradient[64] = { 0 };
    int yes = 1;

    for (int64_t i = 0; i < n; i++) {
        double mean = 0;
        for (int64_t t = 0; t < m; t++) {
            mean += score_of(s, i, t) / (double)m;
        }
        for (int64_t t = 0; t < m; t++) {
            const double c = -1 / (1 + exp(mean)) * (score_of(s, i, t) - mean) / (double)(m * n);
            for (int64_t e = 0; e < d * d; e++) {
                gradient[e] += c * s->x[(i * m + t) * d + e / d] * s->z[i * d + e % d];
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = 0; t < m; t++) {
            double value = 0;
            for (int64_t e = 0; e < d * d; e++) {
                value += (s->x[(i * m + t) * d + e / d] - s->x[(i * m + alpha[i]) * d + e / d]) *
                         gradient[e] * s->z[i * d + e % d];
            }
            yes &= t == alpha[i] || value > 0;
        }
    }
    return yes;
}

/* P1's example of assumption C: x_i0 = y_i a with |a| = 5, and shorter tokens; the margin shrinks
 * by |a| less the longest of them, sqrt 2, or sqrt 10 where an input has (1, 3). */
static void a_label_margin_shrinks_where_tokens_mix(void **state)
{
    double x[] = { 3, 4, 1, 1, -3, -4, 0, 1 };
    struct set s;

    (void)state;
    for (int64_t turn = 0; turn < 3; turn++) {
        set_hand(&s, 2, 2, 2, x);
        s.y[0] = 1;
        s.y[1] = turn == 2 ? 1 : -1;
        s.v[0] = .6;
        s.v[1] = .8;
        s.data.y = s.y;
        s.data.labels = 1;
        s.data.v = s.v;
        struct trop_margin_options o = noun_options(&s);
        o.select = "0,0";
        struct trop_margin *margin = noun_run(&o);
        if (turn == 2) { /* y_i x_i0 are two vectors: not decided; and token 0 is the worst */
            assert_true(noun_is_null(margin, "assumptions.margin_shrinks"));
            assert_true(noun_is_null(margin, "assumptions.shrinkage"));
        } else {
            assert_int_equal(noun_integer(margin, "assumptions.margin_shrinks"), 1);
            assert_near(noun_number(margin, "assumptions.shrinkage"), 5 - sqrt(turn ? 10 : 2),
                        1e-14);
        }
        assert_int_equal(noun_integer(margin, "assumptions.mixing_hurts"), 1);
        trop_margin_free(margin);
        x[2] = 1;
        x[3] = 3;
    }
}

static void assumptions_are_those_of_the_data(void **state)
{
    static struct set s;
    int64_t separated = 0, mixed = 0, whole_support = 0;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(60, 600); seed++) {
        double mean = 0;
        int all = 1, two = seed % 3 == 0;
        set_draw(&s, 3, two ? 2 : 4, 6, 1, 5000 + seed);
        struct trop_margin_options o = noun_options(&s);
        struct trop_margin *margin = noun_run(&o);
        const struct trop_problem *p = trop_margin_problem(margin);
        for (int64_t j = 0; j < p->count; j++) {
            const double lead = noun_lead(p, j, trop_margin_weights(margin));
            mean += lead / (double)p->count;
            all &= lead <= 1 + 1e-6;
        }
        if (is_local(margin, &s) >= 0) {
            assert_near(noun_number(margin, "assumptions.mean_margin"), mean, 1e-12 * mean);
            assert_int_equal(noun_integer(margin, "assumptions.all_support"), all);
            whole_support += all;
        }
        /* With two tokens there is one other: its score is its own. */
        assert_int_equal(noun_integer(margin, "assumptions.equal_scores"), two);
        const int yes = first_step_separates(&s, noun_value(margin, "alpha").integers);
        assert_int_equal(noun_integer(margin, "assumptions.first_step"), yes);
        assert_true(noun_is_null(margin, "assumptions.others_blocked"));
        separated += yes;
        mixed += !yes;
        trop_margin_free(margin);
    }
    assert_true(separated > 3 && mixed > 3 && whole_support > 3);
}

/* The data of claim mm-rem-tight have a second one: its input 1 has no neighbour. Without input 0
 * there is none. Of another selection than the optimal one nothing is said. */
static void others_are_blocked_by_optimal_tokens(void **state)
{
    static const double keys[8] = { 1, 0, 0, 0, 0, 0, 2, 1 };
    static const double scores[12] = { 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0 };
    static struct set s;
    (void)state;

    set_hand(&s, 2, 2, 3, scores); /* the third coordinate is the score */
    memcpy(s.k, keys, sizeof keys);
    s.v[2] = 1;
    s.data.v = s.v;
    s.data.k = s.k;
    s.data.dk = 2;
    struct trop_margin_options o = noun_options(&s);
    o.enumerate = 1;
    struct trop_margin *margin = noun_run(&o);
    assert_int_equal(noun_value(margin, "selections").shape[0], 2);
    assert_int_equal(noun_integer(margin, "assumptions.others_blocked"), 0);
    trop_margin_free(margin);
    o.select = "0,1";
    margin = noun_run(&o);
    assert_true(noun_is_null(margin, "assumptions.others_blocked"));
    assert_true(noun_is_null(margin, "assumptions.first_step"));
    trop_margin_free(margin);
    o.select = NULL;
    s.data.n = 1;
    margin = noun_run(&o);
    assert_int_equal(noun_value(margin, "selections").shape[0], 1);
    assert_int_equal(noun_integer(margin, "assumptions.others_blocked"), 1);
    trop_margin_free(margin);
}

/* p_1 >= 1 and p_2 >= 0, or p_2 - p_1 >= 0: at (1, 0) and (1, 1) the row that asks for 0 holds with
 * equality, there without a multiplier. Nothing is said of local optima. */
static void relaxed_inputs_have_support_and_no_local_optimum(void **state)
{
    static const double axes[8] = { 1, 0, 0, 0, 0, 1, 0, 0 },
                        pulled[8] = { 1, 0, 0, 0, 0, 1, 1, 0 };
    static const char *const names[] = { "locally_optimal", "score_gap",
                                         "score_gap_at",    "cone.theta",
                                         "cone.delta",      "cone.mu",
                                         "cone.radius",     "assumptions.all_support" };
    static struct set s;
    (void)state;

    for (int64_t norm = TROP_MARGIN_L2; norm <= TROP_MARGIN_SPECTRAL; norm++) {
        if (noun_is_missing(norm)) {
            continue;
        }
        for (int held = 0; held < 2; held++) {
            set_hand(&s, 2, 2, 2, held ? pulled : axes);
            s.v[0] = s.v[1] = 1;
            s.data.v = s.v;
            struct trop_margin_options o = noun_options(&s);
            o.norm = norm;
            o.p = 3;
            o.select = "0,0";
            o.relaxed = "1";
            struct trop_margin *margin = noun_run(&o);
            assert_int_equal(noun_value(margin, "support").shape[0], 1 + held);
            assert_int_equal(noun_integer(margin, "support_doubtful"), !held);
            assert_near(noun_number(margin, "assumptions.mean_margin"), 1, 1e-14);
            for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
                assert_true(noun_is_null(margin, names[k]));
            }
            trop_margin_free(margin);
        }
    }
}

/* Token 2 is at margin 1 + 5e-8, and scores more than token 0: no neighbour of p = (1, 0). In linf
 * p_2 can be anything down to -5e-5, where it is one. */
static void a_token_next_to_the_margin_is_no_support(void **state)
{
    static const double tokens[3] = { 1, 0, 2 }, keys[6] = { 1, 0, 0, 0, -5e-8, -0.001 };
    static struct set s;
    (void)state;

    set_hand(&s, 1, 3, 1, tokens);
    memcpy(s.k, keys, sizeof keys);
    s.v[0] = 1;
    s.data.v = s.v;
    s.data.k = s.k;
    s.data.dk = 2;
    for (int64_t norm = TROP_MARGIN_L2; norm <= TROP_MARGIN_SPECTRAL; norm++) {
        if (noun_is_missing(norm)) {
            continue;
        }
        struct trop_margin_options o = noun_options(&s);
        if (norm == TROP_MARGIN_LINF) {
            continue;
        }
        o.norm = norm;
        o.select = "0";
        struct trop_margin *margin = noun_run(&o);
        const struct trop_value local = noun_value(margin, "locally_optimal");
        assert_true(local.kind == TROP_KIND_TEXT || local.integer == 1);
        assert_int_equal(noun_value(margin, "support").shape[0], 1);
        assert_int_equal(noun_value(margin, "support").integers[1], 1);
        trop_margin_free(margin);
    }
}

static int all_are_best(const struct set *s, const int64_t *alpha)
{
    int best = 1;

    for (int64_t k = 0; k < s->data.n * s->data.T; k++) {
        const int64_t i = k / s->data.T, t = k % s->data.T;
        best &= t == alpha[i] || score_of(s, i, alpha[i]) > score_of(s, i, t);
    }
    return best;
}

/* Of a solver that ended early nothing is said of the support: with the bounds of l2 for l1, a W
 * far from the optimum has another one. */
static void an_early_end_leaves_the_support_open(void **state)
{
    static const int64_t norms[] = { TROP_MARGIN_L1, TROP_MARGIN_LINF, TROP_MARGIN_NUCLEAR,
                                     TROP_MARGIN_SPECTRAL };
    static struct set s;
    int64_t early = 0, sure = 0;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(20, 200); seed++) {
        set_draw(&s, 3, 4, 5, 1, 7000 + seed);
        struct trop_margin_options o = noun_options(&s);
        struct trop_margin *margin = NULL;
        o.norm = noun_norm(norms[seed % 4]);
        o.iterations = 3 + (int64_t)(seed / 4 % 4);
        o.select = seed % 3 ? "0,1,2" : NULL;
        margin = noun_make(&o);
        const enum trop_status status = trop_margin_run(margin, NULL, NULL);
        if (status == TROP_ERR_STOPPED && !noun_is_null(margin, "norm")) {
            early++;
            assert_int_equal(noun_value(margin, "support").shape[0], 0);
            assert_int_equal(noun_integer(margin, "support_doubtful"),
                             noun_integer(margin, "constraints"));
            /* Tokens that are ahead of all the others are so whatever the support is. */
            const struct trop_value local = noun_value(margin, "locally_optimal");
            const int best = all_are_best(&s, noun_value(margin, "alpha").integers);
            assert_true(best ? local.kind == TROP_KIND_BOOLEAN && local.integer == 1
                             : local.kind == TROP_KIND_TEXT);
            sure += best;
        }
        trop_margin_free(margin);
    }
    assert_true(early > 3 && sure > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_selections_is_that_of_one_solve_each),
        cmocka_unit_test(the_cone_has_its_constants),
        cmocka_unit_test(a_label_margin_shrinks_where_tokens_mix),
        cmocka_unit_test(assumptions_are_those_of_the_data),
        cmocka_unit_test(others_are_blocked_by_optimal_tokens),
        cmocka_unit_test(relaxed_inputs_have_support_and_no_local_optimum),
        cmocka_unit_test(a_token_next_to_the_margin_is_no_support),
        cmocka_unit_test(an_early_end_leaves_the_support_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
