/* md_run.c -- what the claims of the mirror-descent paper draw, solve and train. */
#include "claim/md/md.h"

#include "base/math/log.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- what a person gave ---- */

static void check_size(const struct trop_case *c, const char *name, int64_t first, int64_t second)
{
    if (trop_case_size(c, name, 0) != first || trop_case_size(c, name, 1) != second ||
        trop_case_size(c, name, 2) != 0) {
        trop_case_refuse(c, "%s: does not fit X, or is missing", name);
    }
}

void trop_md_check(const struct trop_case *c, int decoder)
{
    const struct trop_view x = trop_case_view(c, "X"), alpha = trop_case_view(c, "alpha");

    if (x.rows < 1 || x.rows > 64 || x.columns < 2 || trop_case_size(c, "X", 2) < 1) {
        trop_case_refuse(c, "X: must be (n, T, d) with up to 64 inputs of two tokens or more");
    }
    if (trop_case_has(c, "K")) {
        trop_case_refuse(c, "data: have keys apart from their tokens; this claim is about logits "
                            "x' W z");
    }
    check_size(c, "y", x.rows, 0);
    check_size(c, "z", x.rows, x.depth);
    if (decoder) {
        check_size(c, "v", x.depth, 0);
    }
    if (alpha.at) {
        check_size(c, "alpha", x.rows, 0);
    }
    for (int64_t i = 0; i < alpha.rows; i++) {
        if (!(alpha.at[i] >= 0 && alpha.at[i] < (double)x.columns)) {
            trop_case_refuse(c, "alpha: %g is no token, they count from 0 to %lld", alpha.at[i],
                             (long long)x.columns - 1);
        }
    }
}

void trop_md_check_matrix(const struct trop_case *c, const char *name, int64_t rows,
                          int64_t columns)
{
    const int64_t a = trop_case_size(c, name, 0), b = trop_case_size(c, name, 1);

    if (trop_case_has(c, name) && (a < 1 || b < 1 || trop_case_size(c, name, 2) > 0 ||
                                   (rows > 0 && (a != rows || b != columns)))) {
        trop_case_refuse(c, "%s: must be a matrix of the size of the others", name);
    }
}

/* ---- drawing ---- */

void trop_md_optimal(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "X", 0);

    if (!trop_case_has(c, "alpha")) {
        int64_t *best = trop_case_scratch_integers(c, n);
        double *alpha = trop_case_zeros(c, "alpha", n, 0, 0);
        trop_examples_optimal(best, c);
        for (int64_t i = 0; i < n; i++) {
            alpha[i] = (double)best[i];
        }
    }
}

void trop_md_draw(struct trop_case *c, int64_t n, int64_t T, int64_t d)
{
    static const double exponents[] = { 1.75, 3, 2, 1.5 };

    trop_case_default(c, "p", exponents[c->trial % 4]);
    trop_case_try(c, trop_examples_sphere(c, n, T, d, 1));
    trop_md_check(c, 1);
    trop_md_optimal(c);
}

void trop_md_named(struct trop_case *c, const char *name, uint64_t seed, int decoder)
{
    trop_case_try(c, trop_examples_named(c, name, 0, 0, 0, seed));
    trop_md_check(c, decoder);
}

void trop_md_draw_matrix(struct trop_case *c, const char *name, int64_t d,
                         double (*entry)(const struct trop_case *c, int64_t k))
{
    if (trop_case_has(c, name)) {
        return;
    }
    double *w = trop_case_zeros(c, name, d, d, 0);
    for (int64_t k = 0; k < d * d; k++) {
        w[k] = entry(c, k);
    }
}

/* ---- solving, training, paths ---- */

struct trop_margin *trop_md_solution(struct trop_case *c, const char *entry, double p)
{
    return trop_case_solve(c, entry, "lower upper outcome",
                           "model=cross norm=lp p=%.17g select=@alpha", p);
}

/* What is too large to be kept at every record has no values. */
static void refuse_unkept(const struct trop_case *c, const char *weights)
{
    if (trop_case_size(c, weights, 1) == 0) {
        trop_case_refuse(c, "weights: too many to keep at every record");
    }
}

struct trop_train *trop_md_run(struct trop_case *c, const char *prefix, const char *format, ...)
{
    char text[512], columns[128], entry[32];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct trop_train *train = trop_case_train(c, "%s", text);
    snprintf(columns, sizeof columns, "step=%s_step norm=%s_norm weights=%s_weights", prefix,
             prefix, prefix);
    trop_case_records(c, train, columns);
    snprintf(entry, sizeof entry, "%s_weights", prefix);
    refuse_unkept(c, entry);
    snprintf(entry, sizeof entry, "%s_alpha", prefix);
    trop_case_take(c, entry, trop_train_field_table(), train, "alpha");
    return train;
}

double *trop_md_after(const struct trop_case *c, int64_t step)
{
    return trop_case_view_row(trop_case_view(c, "run_weights"), trop_case_row(c, "run_step", step));
}

const double *trop_md_last(const struct trop_case *c, const char *selected)
{
    const struct trop_view v = trop_case_view(c, selected);

    return v.at ? v.at + v.rows * v.columns - trop_case_size(c, "X", 0) : NULL;
}

void trop_md_select(struct trop_case *c, const char *selected)
{
    const int64_t n = trop_case_size(c, "X", 0);
    double *alpha = trop_case_copy_in(c, "alpha", trop_md_last(c, selected), n, 0, 0);

    for (int64_t i = 0; i < n; i++) {
        alpha[i] = fmax(0, alpha[i]);
    }
}

void trop_md_radii(struct trop_case *c, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trop_case_radii(c, "radius weights=path alpha=path_alpha misalignment=path_off", "%s", text);
    refuse_unkept(c, "path");
}

double trop_md_gain(const struct trop_case *c, int64_t k)
{
    const double *alpha = trop_case_array(c, "alpha");

    return (trop_md_least(c, trop_md_after(c, k), alpha) -
            trop_md_least(c, trop_md_after(c, k / 10), alpha)) /
           trop_log(10);
}

double trop_md_distance(const struct trop_case *c, int64_t row)
{
    const struct trop_view w = trop_case_view(c, "run_weights");

    return trop_md_direction(trop_case_array(c, "W_mm"), trop_case_view_row(w, row), w.columns,
                             trop_case_number(c, "p"));
}

/* ---- hypotheses ---- */

void trop_md_is_exponent(struct trop_judge *judge, const struct trop_case *c)
{
    const double p = trop_case_number(c, "p");

    trop_judge_truth(judge, "p is above 1", -1, p > 1);
    trop_judge_truth(judge, "p is finite", -1, p < INFINITY);
}

void trop_md_is_unique(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "X");

    for (int64_t i = 0; i < x.rows; i++) {
        double first = -INFINITY, second = -INFINITY;
        for (int64_t t = 0; t < x.columns; t++) {
            const double score = trop_md_score(c, i, t);
            second = fmax(second, fmin(first, score));
            first = fmax(first, score);
        }
        trop_judge_at_least(judge, "lead of the best token of an input", -1, first - second, 1e-9,
                            0);
    }
}

void trop_md_is_long(struct trop_judge *judge, const struct trop_case *c)
{
    const double steps = trop_case_number(c, "steps");
    double power = 1e4;

    while (power < steps && power < 1e15) {
        power *= 10;
    }
    trop_judge_at_least(judge, "steps", -1, steps, 1e4, 0);
    trop_judge_truth(judge, "they are a power of ten", -1, !(steps >= 1e4) || steps == power);
}

void trop_md_is_selected(struct trop_judge *judge, const struct trop_case *c, const char *selected)
{
    const double *best = trop_case_array(c, "alpha"), *alpha = trop_md_last(c, selected);

    for (int64_t i = 0; alpha && i < trop_case_size(c, "X", 0); i++) {
        trop_judge_truth(judge, "the best token is selected", -1, alpha[i] == best[i]);
    }
}
