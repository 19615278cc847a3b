/* test_margin_oracle.c -- max-margin problems against other people's solvers (tests/oracle.h).
 *
 * Random problems in every norm, whose bounds must overlap and be as tight as issue 5 promises;
 * problems without a solution, which is to be proved; and problems that nearly have none. All but a
 * part of the first lie on a grid of 2^-16, so that the oracle reads them exactly. */
#include "oracle.h"

/* Rounds to a multiple of 2^-16: 19 bits for what a normal number can be. */
static void to_grid(double *values, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        values[k] = floor(values[k] * 0x1p16 + 0.5) * 0x1p-16;
    }
}

static void put_on_grid(struct sample *s)
{
    to_grid(s->point, s->problem.points * s->problem.rows);
    to_grid(s->query, s->problem.queries * s->problem.columns);
}

/* A cross or prompt problem on the grid, n <= 6 inputs of T <= 8 tokens in R^d, d <= 8. */
static void draw(struct instance *out, int64_t norm, uint64_t seed)
{
    const int64_t n = 1 + whole(seed, 0, 6), T = 2 + whole(seed, 1, 7), d = 2 + whole(seed, 2, 7);

    *out = (struct instance){ .norm = norm, .p = 2, .exact = 1, .kind = "plain" };
    if (norm == TROP_MARGIN_LP) {
        out->p = exponents[whole(seed, 3, (int64_t)(sizeof exponents / sizeof exponents[0]))];
    }
    if (whole(seed, 4, 3) == 0) {
        sample_prompt(&out->sample, 1 + n / 2, 2 + T / 2, d, seed);
    } else {
        sample_cross(&out->sample, n, T, d, seed);
    }
    put_on_grid(&out->sample);
}

/* Draws again for data off the grid. */
static void leave_grid(struct instance *it, uint64_t seed)
{
    struct sample *s = &it->sample;

    normals(s->point, s->problem.points * s->problem.rows, seed);
    it->kind = "off the grid";
    it->exact = 0;
}

/* Some right sides become 0; the first stays 1. */
static void relax(struct instance *it, uint64_t seed)
{
    for (int64_t j = 1; j < it->sample.problem.count; j++) {
        it->sample.right[j] = whole(seed, (uint64_t)(20 + j), 3) == 0 ? 0 : 1;
    }
    it->kind = "right sides 0";
}

/* Up to three equalities, with right sides k / 8 that are not 0. */
static void equate(struct instance *it, uint64_t seed)
{
    struct sample *s = &it->sample;
    const int64_t most = s->problem.count < 6 ? 1 : 3, count = 1 + whole(seed, 10, most);

    for (int64_t j = 0; j < count; j++) {
        const int64_t eighths = whole(seed, (uint64_t)(20 + j), 16) - 8;
        s->equal[j] = 1;
        s->right[j] = (double)(eighths >= 0 ? eighths + 1 : eighths) / 8;
    }
    it->kind = "equalities";
}

static void copy_constraint(struct sample *s, int64_t to, int64_t from)
{
    s->plus[to] = s->plus[from];
    s->minus[to] = s->minus[from];
    s->asked[to] = s->asked[from];
    s->equal[to] = s->equal[from];
    s->right[to] = s->right[from];
}

/* Every third constraint says what the one before it says. */
static void repeat(struct instance *it)
{
    for (int64_t j = 1; j < it->sample.problem.count; j += 3) {
        copy_constraint(&it->sample, j, j - 1);
    }
    it->kind = "repeated rows";
}

/* Token t of input i becomes x_i0 + 2^e g, g its place so far: row t scaled by 2^e, |e| <= range.
 * With range 26 the points have 45 bits, and their differences 19 again. */
static void stretch(struct instance *it, uint64_t seed)
{
    struct sample *s = &it->sample;
    const int64_t range = whole(seed, 10, 4) == 0 ? 26 : 8, d = s->problem.rows;

    for (int64_t j = 0; j < s->problem.count; j++) {
        const double scale =
            ldexp(1, (int)(whole(seed, (uint64_t)(20 + j), 2 * range + 1) - range));
        for (int64_t c = 0; c < d; c++) {
            double *x = s->point + s->minus[j] * d + c;
            *x = s->point[s->plus[j] * d + c] + scale * *x;
        }
    }
    it->kind = range > 8 ? "rows from 2^-26 to 2^26" : "rows from 2^-8 to 2^8";
}

/* Tokens in a hyperplane: the last coordinate is the sum of the others. */
static void flatten(struct instance *it)
{
    struct sample *s = &it->sample;
    const int64_t d = s->problem.rows;

    for (int64_t i = 0; i < s->problem.points; i++) {
        double sum = 0;
        for (int64_t c = 0; c + 1 < d; c++) {
            sum += s->point[i * d + c];
        }
        s->point[i * d + d - 1] = sum;
    }
    it->kind = "rank-deficient";
}

static void make_random(struct instance *out, int64_t norm, int64_t k)
{
    const uint64_t seed = (uint64_t)(7000003 * (norm + 1) + 11 * k);

    draw(out, norm, seed);
    switch (k % 7) {
    case 0:
        leave_grid(out, seed);
        break;
    case 1:
        relax(out, seed);
        break;
    case 2:
        equate(out, seed);
        break;
    case 3:
        repeat(out);
        break;
    case 4:
        stretch(out, seed);
        break;
    case 5:
        flatten(out);
        break;
    default:
        break;
    }
}

/* ---- problems without a solution, for certain ------------------------------------------------ */

/* Token b of the first input goes to the other side of token 0 from token a, at 2^e the distance;
 * aside (count: coordinates) moves it off that line. */
static void oppose(struct sample *s, int64_t a, int64_t b, int e, double aside)
{
    const int64_t d = s->problem.rows;

    for (int64_t c = 0; c < d; c++) {
        const double left = s->point[a * d + c] - s->point[c];
        s->point[b * d + c] = s->point[c] - ldexp(left, e) + aside * s->point[b * d + c];
    }
}

/* Rows a, b and -(a + b): x_3 - x_0 = -((x_1 - x_0) + (x_2 - x_0)). */
static void oppose_sum(struct sample *s)
{
    const int64_t d = s->problem.rows;

    for (int64_t c = 0; c < d; c++) {
        s->point[3 * d + c] = 3 * s->point[c] - s->point[d + c] - s->point[2 * d + c];
    }
}

/* Constraint 1 says of the row of constraint 0 what cannot be true beside it. */
static void contradict(struct sample *s, uint64_t seed)
{
    copy_constraint(s, 1, 0);
    s->equal[0] = 1;
    s->right[0] = (double)(whole(seed, 11, 16) - 8) / 8; /* less than 1 */
    s->equal[1] = whole(seed, 12, 2) == 1;
    s->right[1] = 1;
}

static void make_infeasible(struct instance *out, int64_t k)
{
    const uint64_t seed = 50000017 + 13 * (uint64_t)k;
    const int64_t d = 3 + whole(seed, 2, 4), n = 1 + whole(seed, 0, 4);
    struct sample *s = &out->sample;

    *out = (struct instance){ .norm = k % NORMS, .p = 3, .exact = 1 };
    if (k % 6 == 0) { /* 20 constraints in R^4: 3 in 1000 draws have a solution, others are drawn */
        sample_cross(s, 5, 5, 2, seed);
    } else if (k % 6 == 1) { /* 25 and more in R^2 or R^3 */
        sample_prompt(s, 5, 6 + whole(seed, 1, 3), 2 + whole(seed, 3, 2), seed);
    } else if (whole(seed, 4, 3) == 0) {
        sample_prompt(s, n, 4, d, seed);
    } else {
        sample_cross(s, n, 4, d, seed);
    }
    put_on_grid(s);
    static const char *const kinds[] = { "cross, d = 2", "prompt, d = 2 or 3",     "antipodal",
                                         "equal tokens", "contradicting equality", "three rows" };
    out->kind = kinds[k % 6];
    switch (k % 6) {
    case 2:
        oppose(s, 1, 2, (int)whole(seed, 5, 9) - 4, 0);
        break;
    case 3:
        memcpy(s->point + 2 * d, s->point, (size_t)d * sizeof(double));
        break;
    case 4:
        contradict(s, seed);
        break;
    case 5:
        oppose_sum(s);
        s->right[0] = s->right[1] = 0; /* r' lambda > 0 by the third alone */
        break;
    default:
        break;
    }
}

/* An antipodal pair moved off its line by 2^-6 .. 2^-20 of a token: feasible, with a large norm.
 * The points have 36 bits at most, and their products with a query on the grid of 2^-12 fit in 53.
 */
static void make_near(struct instance *out, int64_t k)
{
    const uint64_t seed = 90000049 + 17 * (uint64_t)k;
    const int64_t d = 3 + whole(seed, 2, 4), n = 1 + whole(seed, 0, 3);
    struct sample *s = &out->sample;

    *out =
        (struct instance){ .norm = k % NORMS, .p = 1.5, .exact = 1, .kind = "nearly infeasible" };
    if (whole(seed, 4, 3) == 0) {
        sample_prompt(s, 1, 4, d, seed);
    } else {
        sample_cross(s, n, 4, d, seed);
    }
    put_on_grid(s);
    for (int64_t c = 0; c < s->problem.queries * s->problem.columns; c++) {
        s->query[c] = floor(s->query[c] * 0x1p12) * 0x1p-12;
    }
    s->query[0] = s->query[0] == 0 ? 1 : s->query[0];
    oppose(s, 1, 2, 0, ldexp(1, -6 - (int)whole(seed, 5, 15)));
}

/* An oracle with wide bounds decides nothing: no more than percent of them may be wider than 1e-6,
 * or undecided. Off the grid it may be undecided where there is no solution: the rows of one query,
 * once rounded, are not exactly dependent any more. */
static void check_oracle(const struct instance *list, int64_t count, const char *of,
                         int64_t percent)
{
    double worst = 0;
    int64_t wide = 0;

    for (int64_t k = 0; k < count; k++) {
        if (list[k].answer == 'b') {
            const double gap = list[k].upper / list[k].lower - 1;
            assert_true(gap >= 0);
            worst = fmax(worst, gap);
            wide += !(gap <= 1e-6);
        } else if (list[k].answer == 'u' && list[k].exact) {
            wide++;
        }
    }
    print_message("oracle, %s: %lld bounded, %lld infeasible, worst gap %.2g, %lld too wide\n", of,
                  (long long)count_answers(list, count, 'b'),
                  (long long)count_answers(list, count, 'i'), worst, (long long)wide);
    wrong += wide * 100 > percent * count;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* One constraint: the least norm is 1 / |A|_dual, by duality. Both, ours and the oracle's. */
static void one_constraint_has_the_norm_that_duality_says(void **state)
{
    struct instance *list = calloc(8 * NORMS, sizeof *list);
    (void)state;

    for (int64_t k = 0; k < 8 * NORMS; k++) {
        struct instance *it = &list[k];
        const uint64_t seed = 31 * (uint64_t)k + 5;
        *it = (struct instance){
            .norm = k % NORMS, .p = exponents[k % 9], .exact = 1, .kind = "one"
        };
        sample_cross(&it->sample, 1, 2, 1 + k % 8, seed);
        put_on_grid(&it->sample);
    }
    ask(list, 8 * NORMS, "one");
    for (int64_t k = 0; k < 8 * NORMS; k++) {
        const double expected = 1 / dual_size(&list[k].sample.problem, 0, list[k].norm, list[k].p);
        assert_int_equal(list[k].answer, 'b');
        assert_near(list[k].upper / expected, 1, 1e-7); /* of cvxopt's sdp; the others 1e-14 */
        assert_near(list[k].lower / expected, 1, 1e-7);
        assert_true(list[k].lower <= expected * (1 + 1e-14)); /* pow and quotients in double */
        assert_true(list[k].upper >= expected * (1 - 1e-14));
        judge(&list[k], k, list[k].norm);
    }
    finish(list, 8 * NORMS);
}

/* 1,000 of l2 and 300 of each other norm that have a solution: a quarter of what is drawn has none.
 */
static void bounds_overlap_those_of_other_solvers(void **state)
{
    const int64_t few[2] = { 42, 28 }, full[2] = { 1400, 434 }, least[2] = { 1000, 300 };
    int64_t first[NORMS + 1] = { 0 };
    (void)state;

    for (int64_t norm = 0; norm < NORMS; norm++) {
        first[norm + 1] = first[norm] + cases(few[norm > 0], full[norm > 0]);
    }
    struct instance *list = calloc((size_t)first[NORMS], sizeof *list);
    for (int64_t norm = 0; norm < NORMS; norm++) {
        for (int64_t k = first[norm]; k < first[norm + 1]; k++) {
            make_random(&list[k], norm, k - first[norm]);
        }
    }
    ask(list, first[NORMS], "random");
    for (int64_t norm = 0; norm < NORMS; norm++) {
        const int64_t count = first[norm + 1] - first[norm];
        for (int64_t k = first[norm]; k < first[norm + 1]; k++) {
            judge(&list[k], k, norm);
        }
        check_oracle(list + first[norm], count, norm_names[norm], 1);
        assert_true(count_answers(list + first[norm], count, 'b') >= cases(15, least[norm > 0]));
    }
    finish(list, first[NORMS]);
}

/* In every norm, since none of them matters. */
static void what_has_no_solution_is_proved_to_have_none(void **state)
{
    const int64_t drawn = cases(24, 312);
    struct instance *list = calloc((size_t)drawn, sizeof *list);
    (void)state;

    for (int64_t k = 0; k < drawn; k++) {
        make_infeasible(&list[k], k);
    }
    ask(list, drawn, "infeasible");
    for (int64_t k = 0; k < drawn; k++) {
        for (int64_t norm = 0; norm < NORMS && list[k].answer == 'i'; norm++) {
            judge(&list[k], k, norm);
        }
    }
    assert_true(count_answers(list, drawn, 'i') >= cases(22, 300));
    finish(list, drawn);
}

/* Here cvxopt has its limits too: 3 of 300 semidefinite ones are wider than 1e-6. */
static void what_nearly_has_no_solution_is_solved(void **state)
{
    const int64_t drawn = cases(18, 300);
    struct instance *list = calloc((size_t)drawn, sizeof *list);
    (void)state;

    for (int64_t k = 0; k < drawn; k++) {
        make_near(&list[k], k);
    }
    ask(list, drawn, "near");
    for (int64_t k = 0; k < drawn; k++) {
        judge(&list[k], k, list[k].norm);
    }
    check_oracle(list, drawn, "nearly infeasible", 2);
    finish(list, drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_constraint_has_the_norm_that_duality_says),
        cmocka_unit_test(bounds_overlap_those_of_other_solvers),
        cmocka_unit_test(what_has_no_solution_is_proved_to_have_none),
        cmocka_unit_test(what_nearly_has_no_solution_is_solved),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
