/* test_margin_choices.c -- the noun margin: which tokens win. Several that may (ATT-SVM'), every
 * selection one by one, what a direction selects, and what the papers assume.
 *
 * In the plane the largest margin of any choice is known: the margin f(u) of a unit vector u is
 * made of maxima and minima of linear functions d'u, d a difference of two keys of one input, so
 * its largest value is at some d / |d| or where two of them are equal, u orthogonal to d - d'. */
#include "margin_noun.h"

/* ---- the plane ------------------------------------------------------------------------------- */

enum { N = 3, T = 4 };

/* Tokens that may win, as bits for each input. */
static double margin_of(const double *x, const int *picks, const double *u)
{
    double least = INFINITY;

    for (int i = 0; i < N; i++) {
        double best = -INFINITY;
        for (int a = 0; a < T; a++) {
            double lead = INFINITY;
            for (int b = 0; b < T; b++) {
                const double *p = x + 2 * (T * i + a), *m = x + 2 * (T * i + b);
                if (!(picks[i] >> b & 1)) {
                    lead = fmin(lead, (p[0] - m[0]) * u[0] + (p[1] - m[1]) * u[1]);
                }
            }
            best = picks[i] >> a & 1 ? fmax(best, lead) : best;
        }
        least = fmin(least, best);
    }
    return least;
}

/* The margin of the tokens won over those that may not win. */
static double margin_of_these(const double *x, const int *picks, const int *won, const double *u)
{
    double least = INFINITY;

    for (int k = 0; k < N * T; k++) {
        const double *p = x + 2 * (T * (k / T) + won[k / T]), *m = x + 2 * k;
        if (!(picks[k / T] >> k % T & 1)) {
            least = fmin(least, (p[0] - m[0]) * u[0] + (p[1] - m[1]) * u[1]);
        }
    }
    return least;
}

static double try_line(const double *x, const int *picks, double a, double b)
{
    const double size = hypot(a, b);
    const double up[2] = { a / size, b / size }, down[2] = { -a / size, -b / size };

    return size > 0 ? fmax(margin_of(x, picks, up), margin_of(x, picks, down)) : -INFINITY;
}

/* The largest margin over all directions. */
static double largest_margin(const double *x, const int *picks)
{
    double d[N * T * T][2], best = -INFINITY;
    int count = 0;

    for (int i = 0; i < N; i++) {
        for (int a = 0; a < T; a++) {
            for (int b = 0; b < T; b++) {
                const double *p = x + 2 * (T * i + a), *m = x + 2 * (T * i + b);
                if ((picks[i] >> a & 1) && !(picks[i] >> b & 1)) {
                    d[count][0] = p[0] - m[0];
                    d[count++][1] = p[1] - m[1];
                }
            }
        }
    }
    for (int k = 0; k < count; k++) {
        best = fmax(best, try_line(x, picks, d[k][0], d[k][1]));
        for (int l = 0; l < k; l++) {
            best = fmax(best, try_line(x, picks, d[l][1] - d[k][1], d[k][0] - d[l][0]));
        }
    }
    return best;
}

/* "0|2,1,3" from bits. */
static int64_t write_picks(char *out, const int *picks)
{
    int64_t combinations = 1;

    for (int i = 0; i < N; i++) {
        int64_t count = 0;
        for (int t = 0; t < T; t++) {
            if (picks[i] >> t & 1) {
                out += sprintf(out, "%s%d", count ? "|" : i ? "," : "", t);
                count++;
            }
        }
        combinations *= count;
    }
    return combinations;
}

static void any_of_several_tokens_may_win(void **state)
{
    static struct set s;
    int64_t infeasible = 0, solved = 0;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(150, 3000); seed++) {
        int picks[N];
        char text[64];
        set_draw(&s, N, T, 2, 0, 1000 + seed);
        for (int i = 0; i < N; i++) {
            picks[i] = 1 + (int)whole(seed, (uint64_t)i, (1 << T) - 2); /* not none, not all */
        }
        struct trop_margin_options o = noun_options(&s);
        const int64_t combinations = write_picks(text, picks);
        const double best = largest_margin(s.x, picks);
        o.select = text;
        struct trop_margin *margin = noun_run(&o);
        assert_int_equal(noun_integer(margin, "combinations"), combinations);
        if (best > 1e-9) {
            const double *w = trop_margin_weights(margin), norm = noun_number(margin, "norm");
            const double unit[2] = { w[0] / norm, w[1] / norm };
            /* The margin of a unit vector is off by a few u of the tokens' size, below 8; the norm
             * is larger by the gap of the solution, 1e-10 at most. */
            assert_near(norm * best, 1, 1e-10 + 1e-14 * norm);
            assert_true(noun_number(margin, "lower") * best <= 1 + 1e-14 * norm);
            assert_near(margin_of(s.x, picks, unit), best, 1e-10 * best + 1e-14);
            assert_string_equal(noun_text(margin, "outcome"), "solved");
            assert_true(noun_number(margin, "gap") <= noun_number(margin, "tolerance"));
            assert_true(noun_integer(margin, "feasible") >= 1);
            int won[N]; /* the tokens that are told, one of each input: with all others that may */
            for (int i = 0; i < N; i++) {
                const int64_t a = noun_value(margin, "alpha").integers[i];
                assert_true(picks[i] >> a & 1);
                won[i] = (int)a;
            }
            assert_near(margin_of_these(s.x, picks, won, unit), best, 1e-10 * best + 1e-14);
            solved++;
        } else if (best < -1e-9) {
            assert_string_equal(noun_text(margin, "outcome"), "infeasible");
            assert_int_equal(noun_integer(margin, "feasible"), 0);
            infeasible++;
        }
        trop_margin_free(margin);
    }
    assert_true(solved > 20 && infeasible > 5);
}

/* Several best tokens (claim mm-thm-8): keys 1 and -1 are optimal, 0 is not: the solutions are 1
 * and -1. */
static void opposite_tokens_have_two_solutions(void **state)
{
    static const double k[3] = { 1, -1, 0 }, x[3] = { 1, 1, 0 }, one[1] = { 1 };
    static const char *const select[] = { NULL, "optimal", "0|1", "1|0" };
    static struct set s;
    (void)state;

    set_hand(&s, 1, 3, 1, x);
    s.data.k = k;
    s.data.dk = 1;
    s.data.v = one;
    for (int c = 0; c < 4; c++) {
        struct trop_margin_options o = noun_options(&s);
        o.select = select[c];
        struct trop_margin *margin = noun_run(&o);
        noun_certify(margin);
        assert_near(noun_number(margin, "norm"), 1, 4e-15); /* rounded up, some 7 ulp */
        assert_near(fabs(trop_margin_weights(margin)[0]), 1, 1e-15);
        assert_int_equal(noun_integer(margin, "combinations"), 2);
        assert_int_equal(noun_integer(margin, "feasible"), 2);
        assert_int_equal(noun_integer(margin, "constraints"), 1);
        trop_margin_free(margin);
    }
}

/* Far from the origin kappa is a million, and with it what can be told. Of the two choices for
 * input 1, the better one has the smaller kappa: the other does not loosen what it is held to. */
static void the_tolerance_is_that_of_the_choice_taken(void **state)
{
    static const double x[20] = { 0, 1,  1,  0,  1,  0,  -1, 1,  0,  0,
                                  1, -1, -2, -1, -2, -1, -1, -1, -2, 0 };
    static const double y[2] = { 1, -1 };
    static const char *const select[] = { "1,0", "1,0|1", "1,1" };
    static struct set s;
    double tolerance[3], kappa[3], far[20];
    (void)state;

    for (int k = 0; k < 20; k++) {
        far[k] = x[k] + 0x1p20;
    }
    set_hand(&s, 2, 2, 5, far);
    s.data.y = y;
    s.data.labels = 1;
    for (int c = 0; c < 3; c++) {
        struct trop_margin_options o = noun_options(&s);
        o.model = TROP_MODEL_LABEL;
        o.select = select[c];
        struct trop_margin *margin = noun_run(&o);
        tolerance[c] = noun_number(margin, "tolerance");
        kappa[c] = noun_number(margin, "kappa");
        trop_margin_free(margin);
    }
    assert_true(kappa[1] == kappa[0] && kappa[2] > 1.5 * kappa[0]);
    assert_true(tolerance[1] == tolerance[0] && tolerance[2] > tolerance[0]);
}

/* Nothing is left to lose: W = 0 for any choice, and a gap of 0. */
static void a_choice_among_all_tokens_asks_nothing(void **state)
{
    static struct set s;
    (void)state;

    set_draw(&s, 1, 2, 2, 0, 5);
    struct trop_margin_options o = noun_options(&s);
    o.select = "0|1";
    struct trop_margin *margin = noun_run(&o);
    assert_string_equal(noun_text(margin, "outcome"), "solved");
    assert_true(noun_number(margin, "norm") == 0 && noun_number(margin, "gap") == 0);
    assert_true(isinf(noun_number(margin, "margin")));
    trop_margin_free(margin);
}

/* ---- stopping among choices ------------------------------------------------------------------ */

static int stop(void *context, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return (*(int64_t *)context)-- <= 0;
}

/* Token 0 is in the middle of its rivals and cannot win; token 1 can. However early the search
 * ends, it must not say that no choice can win, and its bounds hold. */
static void a_search_that_is_stopped_does_not_call_a_choice_infeasible(void **state)
{
    static const double x[4] = { 0, 3, 1, -1 };
    static struct set s;
    (void)state;

    set_hand(&s, 1, 4, 1, x);
    for (int64_t calls = 0; calls < 12; calls++) {
        struct trop_margin_options o = noun_options(&s);
        int64_t left = calls;
        o.select = "0|1";
        struct trop_margin *margin = noun_make(&o);
        enum trop_status status = trop_margin_run(margin, stop, &left);
        const int over = strcmp(noun_text(margin, "outcome"), "solved") == 0;
        assert_int_equal(status, over ? TROP_OK : TROP_ERR_STOPPED);
        assert_true(over || strcmp(noun_text(margin, "outcome"), "iteration-limit") == 0);
        assert_true(noun_number(margin, "lower") <= 0.5);
        assert_true(noun_number(margin, "upper") >= 0.5);
        assert_true(over || noun_is_null(margin, "certificate.rows"));
        assert_true(calls < 11 || over);
        assert_int_equal(trop_margin_run(margin, NULL, NULL), status); /* the answer stays */
        trop_margin_free(margin);
    }
}

static void a_list_that_is_stopped_says_how_far_it_came(void **state)
{
    static struct set s;
    int64_t stopped = 0;
    (void)state;

    set_draw(&s, 2, 3, 3, 0, 8);
    for (int64_t calls = 0; calls < 60; calls++) {
        struct trop_margin_options o = noun_options(&s);
        int64_t left = calls;
        o.enumerate = 1;
        struct trop_margin *margin = noun_make(&o);
        enum trop_status status = trop_margin_run(margin, stop, &left);
        if (status == TROP_ERR_STOPPED && strcmp(noun_text(margin, "outcome"), "solved") == 0) {
            char sentence[64];
            sprintf(sentence, "stopped after %d selections",
                    (int)noun_integer(margin, "combinations"));
            assert_non_null(strstr(trop_error(), sentence));
            assert_true(noun_integer(margin, "combinations") < 9);
            assert_int_equal(trop_margin_run(margin, NULL, NULL), TROP_ERR_STOPPED);
            stopped++;
        } else if (status == TROP_OK) {
            assert_int_equal(noun_integer(margin, "combinations"), 9);
        }
        trop_margin_free(margin);
    }
    assert_true(stopped > 0);
}

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

/* ---- a direction ----------------------------------------------------------------------------- */

static void a_direction_selects_its_largest_logits(void **state)
{
    static struct set s;
    (void)state;

    for (uint64_t seed = 0; seed < (uint64_t)cases(20, 300); seed++) {
        double w[9], least = INFINITY;
        int64_t expected[3];
        set_draw(&s, 3, 4, 3, 1, 3000 + seed);
        normals(w, 9, 77 + seed);
        for (int64_t i = 0; i < 3; i++) {
            double logit[4];
            for (int64_t t = 0; t < 4; t++) {
                logit[t] = 0;
                for (int64_t e = 0; e < 9; e++) {
                    logit[t] += s.x[(4 * i + t) * 3 + e / 3] * w[e] * s.z[3 * i + e % 3];
                }
            }
            expected[i] = 0;
            for (int64_t t = 1; t < 4; t++) {
                expected[i] = logit[t] > logit[expected[i]] ? t : expected[i];
            }
            for (int64_t t = 0; t < 4; t++) {
                least = t == expected[i] ? least : fmin(least, logit[expected[i]] - logit[t]);
            }
        }
        struct trop_margin_options o = noun_options(&s);
        o.direction = w;
        struct trop_margin *margin = noun_run(&o);
        assert_memory_equal(noun_value(margin, "direction.alpha").integers, expected,
                            sizeof expected);
        /* Sums of 9 products below 100, rounded: 1e-13. */
        assert_near(noun_number(margin, "direction.margin"), least / noun_frobenius(w, 9), 1e-13);
        assert_int_equal(noun_integer(margin, "direction.neighbours"), 1);
        trop_margin_free(margin);
    }
}

/* Two tokens of the same logit: -1, and no margin. A direction of 0 selects nothing. */
static void tied_tokens_are_not_selected(void **state)
{
    static const double x[12] = { 1, 5, 1, -5, 0, 0, 2, 0, 1, 0, 0, 0 }, v[2] = { 1, 0.1 };
    static const double along[2] = { 3, 0 }, nowhere[2] = { 0, 0 };
    static struct set s;
    (void)state;

    set_hand(&s, 2, 3, 2, x);
    s.data.v = v;
    struct trop_margin_options o = noun_options(&s);
    o.direction = along;
    struct trop_margin *margin = noun_run(&o);
    assert_int_equal(noun_value(margin, "direction.alpha").integers[0], -1);
    assert_int_equal(noun_value(margin, "direction.alpha").integers[1], 0);
    assert_true(noun_number(margin, "direction.margin") == 0);
    assert_int_equal(noun_integer(margin, "direction.neighbours"), 0);
    assert_true(noun_is_null(margin, "direction.optimal"));
    trop_margin_free(margin);
    o.direction = nowhere;
    margin = noun_run(&o);
    assert_int_equal(noun_value(margin, "direction.alpha").integers[0], -1);
    assert_int_equal(noun_value(margin, "direction.alpha").integers[1], -1);
    trop_margin_free(margin);
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
        cmocka_unit_test(any_of_several_tokens_may_win),
        cmocka_unit_test(opposite_tokens_have_two_solutions),
        cmocka_unit_test(the_tolerance_is_that_of_the_choice_taken),
        cmocka_unit_test(a_choice_among_all_tokens_asks_nothing),
        cmocka_unit_test(a_search_that_is_stopped_does_not_call_a_choice_infeasible),
        cmocka_unit_test(a_list_that_is_stopped_says_how_far_it_came),
        cmocka_unit_test(a_list_of_selections_is_that_of_one_solve_each),
        cmocka_unit_test(a_direction_selects_its_largest_logits),
        cmocka_unit_test(tied_tokens_are_not_selected),
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
