/* test_margin_theorem.c -- Theorem 1 of "Transformers as support vector machines" (Tarzanagh, Li,
 * Thrampoulidis, Oymak 2023): when d >= max(T - 1, n), cross and self attention can select any
 * token of every input, for almost all data.
 *
 * The reason: T - 1 differences x_alpha - x_t in general position are independent, so some u_i has
 * <x_alpha - x_t, u_i> = 1 for all of them; n queries in general position are independent, so some
 * W has W z_i = u_i for all i. Self attention asks with one of the input's own tokens.
 *
 * For given data every selection, T^n of them, must be solved, in norms that share no solver; and
 * the smallest d is the limit: one dimension less than T - 1 leaves selections without a solution.
 */
#include "support.h"

enum { MOST = 4 }; /* n and T */

struct drawn {
    struct trop_data data;
    double x[MOST * MOST * (MOST + 3)], z[MOST * (MOST + 3)];
};

/* n inputs of T normal tokens; queries apart from them, or none. */
static void draw(struct drawn *out, int64_t n, int64_t T, int64_t d, int is_self, uint64_t seed)
{
    *out = (struct drawn){ .data = { .n = n, .T = T, .d = d } };
    normals(out->x, n * T * d, seed);
    normals(out->z, n * d, seed + 500000003);
    out->data.x = out->x;
    if (!is_self) {
        out->data.z = out->z;
        out->data.queries = 1;
    }
}

/* "2,0,1": the digits of k in base T. */
static void write_selection(char *out, size_t size, int64_t k, int64_t n, int64_t T)
{
    size_t used = 0;

    for (int64_t i = 0; i < n; i++, k /= T) {
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i > 0 ? "," : "",
                                 (long long)(k % T));
    }
}

static int64_t selections_of(int64_t n, int64_t T)
{
    int64_t count = 1;

    for (int64_t i = 0; i < n; i++) {
        count *= T;
    }
    return count;
}

/* The outcome of one selection, and what a solution does: 1 when the selected token wins by a
 * margin of 1 in every input, evaluated here from the data. */
struct seen {
    char outcome[32];
    int selects;
};

static double logit(const struct trop_data *data, const double *W, int64_t i, int64_t t,
                    const double *z)
{
    const double *x = data->x + (i * data->T + t) * data->d;
    double sum = 0;

    for (int64_t a = 0; a < data->d; a++) {
        for (int64_t b = 0; b < data->d; b++) {
            sum += x[a] * W[a * data->d + b] * z[b];
        }
    }
    return sum;
}

/* Margins are 1 up to the rounding of these sums: d^2 terms, of which none is larger than |x| |W|
 * |z|; that is below 1e9 here (asserted), so 1e-5 is more than 64 u of it. */
static int wins(const struct trop_data *data, const double *W, int64_t k, int64_t row)
{
    for (int64_t i = 0; i < data->n; i++, k /= data->T) {
        const double *z = data->z ? data->z + i * data->d : data->x + (i * data->T + row) * data->d;
        const double best = logit(data, W, i, k % data->T, z);
        assert_true(fabs(best) < 1e9);
        for (int64_t t = 0; t < data->T; t++) {
            if (t != k % data->T && !(best - logit(data, W, i, t, z) >= 1 - 1e-5)) {
                return 0;
            }
        }
    }
    return 1;
}

static struct seen solve(const struct drawn *drawn, int64_t k, int64_t row, int64_t norm)
{
    const struct trop_data *data = &drawn->data;
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct trop_value value = { 0 };
    struct seen out = { 0 };
    char select[64];

    write_selection(select, sizeof select, k, data->n, data->T);
    o.data = data;
    o.model = data->z ? TROP_MODEL_CROSS : TROP_MODEL_SELF;
    o.row = row;
    o.select = select;
    o.norm = norm;
    o.p = norm == TROP_MARGIN_LP ? 3 : o.p;
    o.threads = 1;
    assert_ok(trop_margin_create(&margin, &o));
    enum trop_status status = trop_margin_run(margin, NULL, NULL);
    if (status == TROP_ERR_UNSUPPORTED && strcmp(trop_lapack_core(), "none") == 0) {
        trop_margin_free(margin); /* l1 and linf in the minimal build, which has no CLP */
        return (struct seen){ "absent", 1 };
    }
    if (status != TROP_ERR_STOPPED) { /* the outcome says what it means */
        assert_ok(status);
    }
    assert_ok(trop_margin_value(&value, margin, "outcome"));
    snprintf(out.outcome, sizeof out.outcome, "%s", value.text);
    if (strcmp(out.outcome, "solved") == 0) {
        out.selects = wins(data, trop_margin_weights(margin), k, row);
    }
    trop_margin_free(margin);
    return out;
}

/* Every selection of one data set. */
static void check_all(const struct drawn *drawn, int64_t row, int64_t norm, uint64_t seed)
{
    const struct trop_data *data = &drawn->data;

    for (int64_t k = 0; k < selections_of(data->n, data->T); k++) {
        const struct seen seen = solve(drawn, k, row, norm);
        if ((strcmp(seen.outcome, "solved") != 0 && strcmp(seen.outcome, "absent") != 0) ||
            !seen.selects) {
            fail_msg("seed %llu, n = %lld, T = %lld, d = %lld, %s, norm %lld, selection %lld: %s%s",
                     (unsigned long long)seed, (long long)data->n, (long long)data->T,
                     (long long)data->d, data->z ? "cross" : "self", (long long)norm, (long long)k,
                     seen.outcome, seen.selects ? "" : ", and W does not select these tokens");
        }
    }
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* 1,000 data sets in full: half cross, half self; d at the limit and up to 2 above it. */
static void every_selection_has_a_solution_from_the_dimension_of_theorem_1_on(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(60, 1000); k++) {
        const uint64_t seed = 4000037 + 7 * (uint64_t)k;
        const int64_t n = 1 + whole(seed, 0, MOST), T = 2 + whole(seed, 1, MOST - 1);
        const int64_t more = whole(seed, 2, 4), d = larger(T - 1, n) + (more < 3 ? more : 0);
        struct drawn drawn;

        draw(&drawn, n, T, d, k % 2 == 1, seed);
        check_all(&drawn, k % 2 == 1 ? whole(seed, 3, T) : 0, TROP_MARGIN_L2, seed);
    }
}

/* Feasibility does not depend on the norm: the other solvers, on the smallest d. */
static void the_other_norms_solve_them_too(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(5, 50); k++) {
        const uint64_t seed = 5000011 + 7 * (uint64_t)k;
        const int64_t n = 1 + whole(seed, 0, 2), T = 2 + whole(seed, 1, 2);
        struct drawn drawn;

        draw(&drawn, n, T, larger(T - 1, n), k % 3 == 1, seed);
        check_all(&drawn, 0, TROP_MARGIN_LP + k % TROP_MARGIN_SPECTRAL, seed);
    }
}

/* One input, T = 4 tokens in the plane, a dimension too few: the token inside the triangle of the
 * others is in their convex hull, and no direction selects it; each vertex can be selected. */
static void a_token_inside_the_others_is_not_selected(void **state)
{
    static const double corners[] = { 0, 0, 4, 0, 0, 4, 1, 1 };
    struct drawn drawn;
    (void)state;

    draw(&drawn, 1, 4, 2, 0, 3);
    memcpy(drawn.x, corners, sizeof corners);
    for (int64_t norm = 0; norm <= TROP_MARGIN_SPECTRAL; norm++) {
        for (int64_t k = 0; k < 3; k++) {
            assert_true(solve(&drawn, k, 0, norm).selects);
        }
        assert_string_equal(solve(&drawn, 3, 0, norm).outcome, "infeasible");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_selection_has_a_solution_from_the_dimension_of_theorem_1_on),
        cmocka_unit_test(the_other_norms_solve_them_too),
        cmocka_unit_test(a_token_inside_the_others_is_not_selected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
