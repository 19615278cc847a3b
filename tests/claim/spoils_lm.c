/* spoils_lm.c -- claims of the localmax paper made wrong by functions. */
#include "claim/edit.h"
#include "claim/lm/lm.h"
#include "spoils.h"

#include <math.h>
#include <string.h>

/* ---- paths ---- */

/* The token of the last step that was farthest out moves outwards from where it was, by 1e-6. */
static void move_token(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    int64_t far = 0;

    for (int64_t i = 1; i < path.columns; i++) {
        const double *x = trop_lm_token(path, path.rows - 2, i);
        const double *most = trop_lm_token(path, path.rows - 2, far);
        far = trop_tokens_norm(x, path.depth) > trop_tokens_norm(most, path.depth) ? i : far;
    }
    for (int64_t a = 0; a < path.depth; a++) {
        trop_lm_token(path, -1, far)[a] = trop_lm_token(path, path.rows - 2, far)[a] * (1 + 1e-6);
    }
}

/* The tokens stop, as if they had arrived. */
static void freeze(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");

    for (int64_t t = 6; t < path.rows; t++) {
        memcpy(trop_case_view_row(path, t), trop_case_view_row(path, 5),
               (size_t)(path.columns * path.depth) * sizeof *path.at);
    }
}

/* The token of most energy jumps back to the origin in the last step. */
static void fall_back(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    double *far = trop_lm_token(path, -1, 0);

    for (int64_t i = 1; i < path.columns; i++) {
        double *x = trop_lm_token(path, -1, i);
        far = trop_lm_score(c, x, x) > trop_lm_score(c, far, far) ? x : far;
    }
    memset(far, 0, (size_t)path.depth * sizeof *far);
}

/* The path of the other kind of epsilon: one that vanishes at once, or one that does not. */
static void other_ratio(struct trop_case *c)
{
    const double ratio = trop_case_number(c, "ratio"), slow = 1 - trop_case_number(c, "gamma");

    trop_case_put(c, "ratio", ratio > slow ? slow / 4 : 1);
    trop_lm_path(c);
    trop_case_put(c, "ratio", ratio);
}

/* 2 x with epsilon as it was: the sets are others. */
static void unscaled(struct trop_case *c)
{
    struct trop_case *other = trop_case_aside(c);
    const struct trop_view path = trop_case_view(c, "path");

    trop_case_try(c, trop_edit(other, NULL, "tokens *= 2"));
    trop_lm_path(other);
    trop_case_put(c, "s", 2);
    trop_case_copy_in(c, "scaled", trop_case_array(other, "path"), path.rows, path.columns,
                      path.depth);
}

/* Tokens of the last step are late, by 1e-9 times their number. */
static void late_tokens(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");

    for (int64_t i = 0; i < path.columns; i++) {
        trop_lm_token(path, -1, i)[0] += 1e-9 * (double)(i + 1);
    }
}

/* ---- limits ---- */

static int64_t farthest(struct trop_view x)
{
    int64_t far = 0;

    for (int64_t i = 1; i < x.rows; i++) {
        far = trop_tokens_norm(trop_case_view_row(x, i), x.columns) >
                      trop_tokens_norm(trop_case_view_row(x, far), x.columns)
                  ? i
                  : far;
    }
    return far;
}

static void move_limit(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "limits");
    double *far = trop_case_view_row(x, farthest(x));

    for (int64_t a = 0; a < x.columns; a++) {
        far[a] *= 1 + 1e-2;
    }
}

/* All limits are shifted, so that the one farthest out, v, lies at 1e-3 (w - v) with another w:
 * then <A v, w - v> is 1e-3 |w - v|_A^2 > 0, and v, still a vertex, is not aligned with itself. */
static void shift(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "limits");
    const double *v = trop_case_view_row(x, farthest(x)), *w = x.at;

    while (trop_tokens_distance(w, v, x.columns) <= 1e-7) {
        w += x.columns;
    }
    for (int64_t a = 0; a < x.columns; a++) {
        const double by = 1e-3 * (w[a] - v[a]) - v[a];
        for (int64_t i = 0; i < x.rows; i++) {
            trop_case_view_row(x, i)[a] += by;
        }
    }
}

/* A token a whose limit another one has too ends between a vertex v and another limit w, so near v
 * that <A v, v - x_a> is half of what it should be. All other limits stay, and so do vertices. */
static void end_between(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "limits");
    const double *v = trop_case_view_row(x, farthest(x)), *w = x.at;
    int64_t a = 0, is_shared = 0;

    while (trop_tokens_distance(w, v, x.columns) <= 1e-7) {
        w += x.columns;
    }
    for (int64_t k = 0; k < x.rows * x.rows && !is_shared; k++) {
        a = k / x.rows;
        is_shared = trop_case_view_row(x, a) != v && trop_case_view_row(x, a) != w &&
                    a != k % x.rows &&
                    trop_tokens_distance(trop_case_view_row(x, a),
                                         trop_case_view_row(x, k % x.rows), x.columns) <= 1e-7;
    }
    const double share = .5 * trop_lm_epsilon_limsup(c) / trop_lm_lead(c, v, w);
    for (int64_t p = 0; p < x.columns && is_shared; p++) {
        trop_case_view_row(x, a)[p] = v[p] + share * (w[p] - v[p]);
    }
}

/* The largest |x - y|_A^2 of two rows. */
static double square_diameter(const struct trop_case *c, struct trop_view v)
{
    double most = 0;

    for (int64_t k = 0; k < v.rows * v.rows; k++) {
        const double *x = trop_case_view_row(v, k / v.rows), *y = trop_case_view_row(v, k % v.rows);
        most = fmax(most, trop_lm_score(c, x, x) - trop_lm_score(c, x, y) + trop_lm_score(c, y, y) -
                              trop_lm_score(c, y, x));
    }
    return most;
}

/* One of the two leads is no more than half of it. */
static void larger_epsilon(struct trop_case *c)
{
    trop_case_drop(c, "swing");
    trop_case_put(c, "epsilon", square_diameter(c, trop_case_view(c, "limits")));
}

/* The same limsup, by swinging: epsilon is 0 again and again. */
static void larger_swing(struct trop_case *c)
{
    const double half = .5 * square_diameter(c, trop_case_view(c, "limits"));

    trop_case_put(c, "epsilon", half);
    trop_case_put(c, "swing", half);
}

/* ---- hypotheses ---- */

static void indefinite(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *A = trop_case_zeros(c, "A", d, d, 0);

    for (int64_t a = 0; a < d; a++) {
        A[a * d + a] = a == d - 1 ? -1 : 1;
    }
}

static void below_diameter(struct trop_case *c)
{
    trop_case_drop(c, "swing");
    trop_case_put(c, "epsilon", .99 * square_diameter(c, trop_case_view(c, "tokens")) / 2);
}

static void below_complete(struct trop_case *c)
{
    trop_case_put(c, "epsilon", .99 * trop_lm_complete(c, trop_case_array(c, "tokens")));
}

/* epsilon is exactly the gap of a pair at step 0. */
static void at_the_cut(struct trop_case *c)
{
    const double *below = trop_lm_below(c, trop_case_array(c, "tokens"));

    trop_case_put(c, "epsilon", fmax(below[0], below[1]));
}

/* The first token goes to the mean of the others of its group. */
static void centre(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    double *sum = trop_case_scratch(c, x.columns), count = 0;

    for (int64_t i = 1; i < x.rows; i++) {
        const double *y = trop_case_view_row(x, i);
        const int is_mate = trop_tokens_distance(x.at, y, x.columns) < .3;
        count += is_mate;
        for (int64_t a = 0; a < x.columns && is_mate; a++) {
            sum[a] += y[a];
        }
    }
    for (int64_t a = 0; a < x.columns && count > 0; a++) {
        x.at[a] = sum[a] / count;
    }
}

/* ---- weights ---- */

/* The lowest score of the widest row gets a weight. */
static void stray_weight(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double *below = trop_lm_below(c, x.at);
    int64_t at = 0;

    for (int64_t k = 0; k < x.rows * x.rows; k++) {
        at = below[k] > below[at] ? k : at;
    }
    trop_case_array(c, "rows")[at] = 1e-6;
}

#define FARTHEST "the farthest token of the last step is 1e-6 farther out than before"
#define SHIFTED "limits shifted until a vertex is near the origin"
#define LARGER "epsilon is the squared diameter of the limit"
#define SWINGING "epsilon swings between 0 and that"
#define INDEFINITE "A = diag(1, ..., 1, -1)"
#define STRAY "the lowest score of the widest row has weight 1e-6"

const struct spoiler spoils_lm[] = {
    { "lm-thm-t1", FARTHEST, move_token },
    { "lm-thm-t2", FARTHEST, move_token },
    { "lm-thm-t2", "the farthest limit is 1 percent farther out", move_limit },
    { "lm-thm-t3", SHIFTED, shift },
    { "lm-thm-t3", LARGER, larger_epsilon },
    { "lm-thm-t3", SWINGING, larger_swing },
    { "lm-thm-t3", "a token ends so near a vertex that only half of epsilon parts them",
      end_between },
    { "lm-thm-t4a", LARGER, larger_epsilon },
    { "lm-thm-t4a", SWINGING, larger_swing },
    { "lm-thm-t4a", INDEFINITE, indefinite },
    { "lm-thm-t4b", INDEFINITE, indefinite },
    { "lm-thm-t4b", "epsilon a hundredth below the bound", below_diameter },
    { "lm-thm-t4d", SHIFTED, shift },
    { "lm-thm-t5", FARTHEST, move_token },
    { "lm-thm-t6", "the path stands still from step 5 on", freeze },
    { "lm-thm-t7", "the token of most energy is at the origin in the last step", fall_back },
    { "lm-thm-t7", INDEFINITE, indefinite },
    { "lm-thm-t8", "the path of a ratio on the other side of 1 - gamma", other_ratio },
    { "lm-thm-t11", "the path of 2 x with epsilon as it was", unscaled },
    { "lm-thm-t11", "epsilon is the gap of a pair at step 0", at_the_cut },
    { "lm-thm-t12", FARTHEST, move_token },
    { "lm-thm-t12", "epsilon a hundredth below the threshold", below_complete },
    { "lm-thm-t13", "the tokens of the last step are off by 1e-9 times their number", late_tokens },
    { "lm-rem-alignment", "a token at the mean of its group", centre },
    { "lm-rem-sparsemax-support", STRAY, stray_weight },
    { "lm-rem-entmax-support", STRAY, stray_weight },
    { 0 },
};
