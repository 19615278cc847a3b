/* spoils_tf.c -- claims of "Transformers as Support Vector Machines" made wrong by functions. */
#include "claim/tf/tf.h"
#include "claim/tokens.h"
#include "spoils.h"

#include <string.h>

/* The second token of input 0 becomes its best one, so that both score the same. */
static void double_best(struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    double *x = trop_case_array(c, "X");

    memcpy(x + (m.best[0] == 0 ? 1 : 0) * m.d, x + m.best[0] * m.d, (size_t)m.d * sizeof *x);
}

/* ---- tf-lem-1 ---- */

/* Adds 1e-3 |W| in a direction that no query sees. */
static void leave(struct trop_case *c, const char *name)
{
    const struct trop_view w = trop_case_view(c, name);
    const int64_t size = w.rows * w.columns;
    double *random = trop_case_scratch(c, size), *across = trop_case_scratch(c, size);

    for (int64_t k = 0; k < size; k++) {
        random[k] = trop_case_normal(c, 42, k);
    }
    trop_tf_across(across, random, c);
    const double by = 1e-3 * trop_tokens_norm(w.at, size) / trop_tokens_norm(across, size);
    for (int64_t k = 0; k < size; k++) {
        w.at[k] += by * across[k];
    }
}

static void leave_frobenius(struct trop_case *c)
{
    leave(c, "W_mm");
}

static void leave_nuclear(struct trop_case *c)
{
    leave(c, "W_nuc");
}

static void double_best_and_work(struct trop_case *c)
{
    double_best(c);
    trop_case_try(c, trop_claim_work(&trop_tf_lem_1, c));
}

/* ---- other solutions ---- */

/* "one" becomes the solution for another token of input 0; returns it. */
static const double *solve_other(struct trop_case *c)
{
    struct trop_tf m = trop_tf_of(c);

    m.alpha[0] = m.alpha[0] == 0 ? 1 : 0;
    trop_tf_solution(c, "one", m.alpha, "l2");
    return trop_case_array(c, "one");
}

static void other_solution(struct trop_case *c)
{
    const double *one = solve_other(c);
    const struct trop_view w = trop_case_view(c, "W_mm");

    memcpy(w.at, one, (size_t)(w.rows * w.columns) * sizeof *w.at);
}

/* w has this length and the direction of that solution. */
static void take_other(struct trop_case *c, double *w, double length, int64_t size)
{
    const double *one = solve_other(c);

    for (int64_t k = 0; k < size; k++) {
        w[k] = length * one[k] / trop_case_number(c, "one_upper");
    }
}

static void other_limit(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t size = path.columns * path.depth;
    double *w = trop_case_view_row(path, -1);

    take_other(c, w, trop_tokens_norm(w, size), size);
}

static void other_point(struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W");

    take_other(c, w.at, trop_case_number(c, "radius"), w.rows * w.columns);
}

/* ---- other data ---- */

/* Keeps the first d coordinates of each row. */
static void crop(struct trop_case *c, const char *name, int64_t d)
{
    const int64_t rank = trop_case_size(c, name, 2) > 0 ? 3 : 2, a = trop_case_size(c, name, 0);
    const int64_t b = rank == 3 ? trop_case_size(c, name, 1) : 1;
    const int64_t before = trop_case_size(c, name, rank - 1);
    double *kept = trop_case_scratch(c, a * b * d);

    for (int64_t k = 0; k < a * b * d; k++) {
        kept[k] = trop_case_array(c, name)[k / d * before + k % d];
    }
    trop_case_copy_in(c, name, kept, a, rank == 3 ? b : d, rank == 3 ? d : 0);
}

static void too_flat(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    const int64_t d = (n > T - 1 ? n : T - 1) - 1;

    crop(c, "X", d);
    crop(c, "z", d);
    trop_case_copy_in(c, "v", trop_case_view(trop_case_aside(c), "v").at, d, 0, 0);
}

/* Scores differ by .1, and W_mm grows by a tenth. */
static void leave_assumption(struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    double *token = trop_case_array(c, "X") + (m.alpha[0] == 0 ? 1 : 0) * m.d;

    for (int64_t k = 0; k < m.d; k++) {
        token[k] -= .1 * m.data.y[0] * m.data.v[k];
    }
    for (int64_t k = 0; k < m.size; k++) {
        trop_case_array(c, "W_mm")[k] *= 1.1;
    }
}

/* One token more for every input, which is the last one moved along v against the label: its score
 * is lower by .01. */
static void uneven(struct trop_case *c)
{
    const struct trop_view old = trop_case_view(trop_case_aside(c), "X");
    const double *y = trop_case_array(c, "y"), *v = trop_case_array(c, "v");
    const int64_t T = old.columns, d = old.depth;
    double *x = trop_case_zeros(c, "X", old.rows, T + 1, d);

    for (int64_t k = 0; k < old.rows * (T + 1) * d; k++) {
        const int64_t i = k / ((T + 1) * d), t = k / d % (T + 1), a = k % d;
        x[k] = t < T ? old.at[(i * T + t) * d + a]
                     : old.at[(i * T + T - 1) * d + a] - .01 * y[i] * v[a];
    }
}

static void input_twice(struct trop_case *c)
{
    static const char *const names[] = { "X", "y", "z" };
    const struct trop_case *before = trop_case_aside(c);

    for (int64_t k = 0; k < 3; k++) {
        const struct trop_view old = trop_case_view(before, names[k]);
        const int64_t size = old.columns * old.depth;
        double *out = trop_case_zeros(c, names[k], 2, trop_case_size(before, names[k], 1),
                                      trop_case_size(before, names[k], 2));
        memcpy(out, old.at, (size_t)size * sizeof *out);
        memcpy(out + size, old.at, (size_t)size * sizeof *out);
    }
}

/* ---- other results ---- */

/* The best selection is always locally optimal, and its cone everything. */
static void deny(struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    int64_t k = 0;

    for (int64_t i = m.n - 1; i >= 0; i--) {
        k = k * m.T + m.best[i];
    }
    trop_case_array(c, "all_local")[k] = 0;
}

static void exchange_attention(struct trop_case *c)
{
    const struct trop_view s = trop_case_view(c, "s");
    int64_t most = 0, least = 0;

    for (int64_t t = 0; t < s.rows; t++) {
        most = s.at[t] > s.at[most] ? t : most;
        least = s.at[t] < s.at[least] ? t : least;
    }
    const double kept = s.at[most];
    s.at[most] = s.at[least];
    s.at[least] = kept;
}

/* Twice as far from the ray of W_mm. */
static void outside(struct trop_case *c)
{
    const struct trop_view mm = trop_case_view(c, "W_mm");
    const int64_t size = mm.rows * mm.columns;
    double *w = trop_case_array(c, "path");
    const double along = trop_tokens_dot(w, mm.at, size) / trop_tokens_dot(mm.at, mm.at, size);

    for (int64_t k = 0; k < size; k++) {
        w[k] = along * mm.at[k] + 2 * (w[k] - along * mm.at[k]);
    }
}

static void move_weights(struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W");

    for (int64_t k = 0; k < w.rows * w.columns; k++) {
        w.at[k] += 1e-3 * trop_case_normal(c, 142, k);
    }
}

static void longer_and_moved(struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "W");

    for (int64_t k = 0; k < w.rows * w.columns; k++) {
        w.at[k] *= 1.1;
    }
    move_weights(c);
}

const struct spoiler spoils_tf[] = {
    { "tf-", "two tokens of an input are equal and best", double_best },
    { "tf-lem-1", "1e-3 of the norm is added to the Frobenius solution across the queries",
      leave_frobenius },
    { "tf-lem-1", "1e-3 of the norm is added to the nuclear solution across the queries",
      leave_nuclear },
    { "tf-lem-1", "a token equals the best one of its input", double_best_and_work },
    { "tf-", "one coordinate too few is kept", too_flat },
    { "tf-thm-2", "the solution for another token of input 0 stands for W_mm", other_solution },
    { "tf-thm-3", "scores differ by .1 and leads are 1.1", leave_assumption },
    { "tf-thm-", "a further token whose score is lower by .01", uneven },
    { "tf-thm-", "the input twice", input_twice },
    { "tf-thm-7", "the last direction is that of another selection", other_limit },
    { "tf-thm-7", "the start is twice as far from the ray", outside },
    { "tf-thm-9", "the point of another selection", other_point },
    { "tf-", "the best selection is called not locally optimal", deny },
    { "tf-lem-6", "the most and the least attended token are exchanged", exchange_attention },
    { "tf-rem-graph", "every weight moved by 1e-3", move_weights },
    { "tf-rem-graph", "the same, with W longer by a tenth", longer_and_moved },
    { 0 },
};
