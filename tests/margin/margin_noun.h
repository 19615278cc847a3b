/* margin_noun.h -- training data and solved problems for tests of the noun margin, and what can be
 * checked of any answer: feasibility, multipliers and norms, recomputed from the problem. */
#ifndef TROP_TESTS_MARGIN_NOUN_H
#define TROP_TESTS_MARGIN_NOUN_H

#include "support.h"

#include "base/lapack.h"

#define NOUN_MOST 4000 /* numbers of an array */

/* Data with their arrays. */
struct set {
    struct trop_data data;
    double x[NOUN_MOST], z[NOUN_MOST], y[64], v[64], k[NOUN_MOST];
};

/* Normal tokens and decoder, labels of both signs; queries: of an input, 0: none. */
static inline void set_draw(struct set *s, int64_t n, int64_t T, int64_t d, int64_t queries,
                            uint64_t seed)
{
    *s = (struct set){ .data = { .n = n, .T = T, .d = d, .labels = 1 } };
    normals(s->x, n * T * d, 16 * seed);
    normals(s->v, d, 16 * seed + 1);
    normals(s->z, n * queries * d, 16 * seed + 2);
    for (int64_t i = 0; i < n; i++) {
        s->y[i] = normal(16 * seed + 3, (uint64_t)i) > 0 ? 1 : -1;
    }
    s->data.x = s->x;
    s->data.v = s->v;
    s->data.y = s->y;
    if (queries > 0) {
        s->data.z = s->z;
        s->data.queries = queries;
    }
}

/* Tokens by hand, without anything else. */
static inline void set_hand(struct set *s, int64_t n, int64_t T, int64_t d, const double *x)
{
    *s = (struct set){ .data = { .n = n, .T = T, .d = d } };
    memcpy(s->x, x, (size_t)(n * T * d) * sizeof *x);
    s->data.x = s->x;
}

static inline struct trop_margin_options noun_options(const struct set *s)
{
    struct trop_margin_options o = trop_margin_options_default();

    o.data = &s->data;
    o.threads = 1;
    return o;
}

static inline struct trop_margin *noun_make(const struct trop_margin_options *o)
{
    struct trop_margin *margin = NULL;

    assert_ok(trop_margin_create(&margin, o));
    return margin;
}

static inline struct trop_margin *noun_run(const struct trop_margin_options *o)
{
    struct trop_margin *margin = noun_make(o);

    assert_ok(trop_margin_run(margin, NULL, NULL));
    return margin;
}

static inline struct trop_value noun_value(const struct trop_margin *margin, const char *name)
{
    struct trop_value value = { 0 };

    assert_ok(trop_margin_value(&value, margin, name));
    return value;
}

static inline double noun_number(const struct trop_margin *margin, const char *name)
{
    const struct trop_value value = noun_value(margin, name);

    if (value.kind != TROP_KIND_NUMBER) {
        fail_msg("%s is not a number", name);
    }
    return value.number;
}

static inline int64_t noun_integer(const struct trop_margin *margin, const char *name)
{
    const struct trop_value value = noun_value(margin, name);

    if (value.kind != TROP_KIND_INTEGER && value.kind != TROP_KIND_BOOLEAN) {
        fail_msg("%s is not an integer", name);
    }
    return value.integer;
}

static inline const char *noun_text(const struct trop_margin *margin, const char *name)
{
    const struct trop_value value = noun_value(margin, name);

    if (value.kind != TROP_KIND_TEXT) {
        fail_msg("%s is not a text", name);
    }
    return value.text;
}

static inline int noun_is_null(const struct trop_margin *margin, const char *name)
{
    return noun_value(margin, name).kind == TROP_KIND_NULL;
}

/* A cell of a list. */
static inline struct trop_value noun_cell(const struct trop_margin *margin, const char *list,
                                          const char *column, int64_t row)
{
    struct trop_value value = { 0 };

    assert_int_equal(trop_field_cell(&value, trop_margin_field_table(), margin, list, column, row),
                     TROP_OK);
    return value;
}

/* ---- the problem, evaluated ---------------------------------------------------------------- */

/* Entry (a, b) of A_j, differences and products rounded to 64 bits. */
static inline long double noun_entry(const struct trop_problem *p, int64_t j, int64_t a, int64_t b)
{
    const long double plus = p->plus[j] < 0 ? 0 : p->point[p->plus[j] * p->rows + a];
    const long double minus = p->minus[j] < 0 ? 0 : p->point[p->minus[j] * p->rows + a];

    return (plus - minus) * (long double)p->query[p->asked[j] * p->columns + b];
}

static inline double noun_lead(const struct trop_problem *p, int64_t j, const double *w)
{
    long double sum = 0;

    for (int64_t e = 0; e < p->rows * p->columns; e++) {
        sum += noun_entry(p, j, e / p->columns, e % p->columns) * (long double)w[e];
    }
    return (double)sum;
}

static inline double noun_frobenius(const double *w, int64_t count)
{
    long double sum = 0;

    for (int64_t e = 0; e < count; e++) {
        sum += (long double)w[e] * (long double)w[e];
    }
    return (double)sqrtl(sum);
}

/* |A' lambda|_F. */
static inline double noun_dual(const struct trop_problem *p, const double *lambda)
{
    long double sum = 0;

    for (int64_t e = 0; e < p->rows * p->columns; e++) {
        long double entry = 0;
        for (int64_t j = 0; j < p->count; j++) {
            entry += noun_entry(p, j, e / p->columns, e % p->columns) * (long double)lambda[j];
        }
        sum += entry * entry;
    }
    return (double)sqrtl(sum);
}

/* A solved l2 problem of ordinary numbers: W keeps the constraints and has the norm that is told,
 * and the multipliers prove that there is no smaller one. Margins, norms and sums of a few dozen
 * terms of size kappa are exact to 64 bits here and were rounded to 53 there: 1e-14 kappa. */
static inline void noun_certify(const struct trop_margin *margin)
{
    const struct trop_problem *p = trop_margin_problem(margin);
    const double *w = trop_margin_weights(margin);
    const struct trop_value lambda = noun_value(margin, "multipliers");
    const double norm = noun_number(margin, "norm"),
                 room = 1e-14 * (1 + noun_number(margin, "kappa"));
    long double total = 0;

    assert_string_equal(noun_text(margin, "outcome"), "solved");
    assert_string_equal(noun_text(margin, "certificate.kind"), "duality");
    assert_int_equal(lambda.shape[0], p->count);
    for (int64_t j = 0; j < p->count; j++) {
        const double lead = noun_lead(p, j, w);
        assert_true(p->equal[j] ? fabs(lead - p->right[j]) <= room : lead >= p->right[j] - room);
        assert_true(p->equal[j] || lambda.numbers[j] >= 0);
        total += (long double)lambda.numbers[j] * (long double)p->right[j];
    }
    assert_near(noun_frobenius(w, p->rows * p->columns), norm, room * norm);
    assert_true(noun_dual(p, lambda.numbers) <= 1 + room);
    assert_near((double)total, noun_number(margin, "lower"), room * norm);
    assert_true(noun_number(margin, "lower") <= noun_number(margin, "upper"));
    assert_true(noun_number(margin, "gap") <= noun_number(margin, "tolerance"));
    assert_true(norm == noun_number(margin, "upper"));
    assert_true(noun_number(margin, "margin") == 1 / norm);
}

/* The minimal build has no CLP, and with it neither l1 nor linf. */
static inline int noun_is_missing(int64_t norm)
{
    return strcmp(trop_lapack_core(), "none") == 0 &&
           (norm == TROP_MARGIN_L1 || norm == TROP_MARGIN_LINF);
}

/* The norm, or one that every build has in its place. */
static inline int64_t noun_norm(int64_t norm)
{
    return noun_is_missing(norm) ? TROP_MARGIN_NUCLEAR : norm;
}

#endif
