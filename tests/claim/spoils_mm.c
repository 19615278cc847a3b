/* spoils_mm.c -- claims of the max-margin paper made wrong by functions. */
#include "claim/mm/mm.h"
#include "spoils.h"

#include <math.h>

static void move_gradient(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *points = trop_case_array(c, "points");
    double apart = 0;

    for (int64_t k = 0; k < m.dk; k++) {
        apart += (points[k] - points[k + m.dk]) * (points[k] - points[k + m.dk]);
    }
    trop_case_array(c, "gradients")[0] += 2.1 * trop_mm_smoothness(&m, .25, 1) * sqrt(apart);
}

/* Turns p in the planes of coordinates 0 and 1, 2 and 3, ..., by an angle of this tangent. */
static void turn(double *p, int64_t d, double tangent)
{
    const double size = trop_tokens_norm(p, d);

    for (int64_t k = 0; k + 1 < d; k += 2) {
        const double a = p[k], b = p[k + 1];
        p[k] = a - tangent * b;
        p[k + 1] = b + tangent * a;
    }
    const double now = trop_tokens_norm(p, d);
    for (int64_t k = 0; k < d; k++) {
        p[k] *= size / now;
    }
}

static void turn_last(struct trop_case *c, const char *entry, double tangent)
{
    const struct trop_view p = trop_case_view(c, entry);

    turn(trop_case_view_row(p, -1), p.columns, tangent);
}

static void turn_path(struct trop_case *c)
{
    turn_last(c, "path", .02);
}

static void turn_solution(struct trop_case *c)
{
    turn_last(c, "own", 1.5574);
}

/* p_mm without the constraints of the first of its rows: that token's key moves out of the way. */
static void drop_row(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct trop_view path = trop_case_view(c, "path");
    double *key = trop_case_array(c, "K"), *last = trop_case_view_row(path, -1);
    double *kept = trop_case_scratch(c, m.dk);
    int64_t t = 0;

    while (t < m.T - 1 && trop_mm_best_is(&m, 0, t)) {
        t++;
    }
    for (int64_t k = 0; k < m.dk; k++) {
        kept[k] = key[t * m.dk + k];
        key[t * m.dk + k] -= 100 * m.p_mm[k];
    }
    trop_mm_best_solve(c);
    const double *wrong = trop_case_array(c, "p_mm"), size = trop_tokens_norm(wrong, m.dk);
    for (int64_t k = 0; k < m.dk; k++) {
        key[t * m.dk + k] = kept[k];
        last[k] = wrong[k] * trop_case_array(c, "radius")[path.rows - 1] / size;
    }
}

/* Input 0 takes its worst token, and the run ends along the solution of that selection. */
static void select_worst(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    double *end = trop_case_view_row(trop_case_view(c, "p"), -1);
    int64_t worst = 0;

    for (int64_t t = 1; t < m.T; t++) {
        worst = trop_mm_score(&m, 0, t) < trop_mm_score(&m, 0, worst) ? t : worst;
    }
    trop_case_array(c, "alpha")[0] = (double)worst;
    trop_mm_solve(c);
    for (int64_t k = 0; k < m.dk; k++) {
        end[k] = 1e4 * trop_case_array(c, "p_mm")[k];
    }
}

static void end_turned(struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "p");

    for (int64_t k = 0; k < p.columns; k++) {
        trop_case_view_row(p, -1)[k] = 1e4 * trop_case_array(c, "p_mm")[k];
    }
    turn_last(c, "p", .2 / .98);
}

/* The prompt of the joint path at the last radius. */
static void end_along(struct trop_case *c)
{
    const struct trop_view best = trop_case_view(c, "p_mm");

    for (int64_t k = 0; k < best.rows; k++) {
        trop_case_view_row(trop_case_view(c, "path"), -1)[k] = 100 * best.at[k];
    }
}

static void end_shorter(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "p_mm", 0); k++) {
        trop_case_view_row(trop_case_view(c, "path"), -1)[k] *= .95;
    }
}

const struct spoiler spoils_mm[] = {
    { "mm-lem-smooth", "a gradient moved by 2.1 L_p times the distance of its pair",
      move_gradient },
    { "mm-thm-1", "the point of the last radius is turned by .02", turn_path },
    { "mm-thm-1", "the solution without one constraint, and the last point along it", drop_row },
    { "mm-thm-8", "the solution of the last choice is turned by 1", turn_solution },
    { "mm-thm-8", "the point of the last radius is turned by .02", turn_path },
    { "mm-thm-4", "the run ends along the solution of a selection with the worst token",
      select_worst },
    { "mm-thm-4", "the run ends at an angle of about .2 to its solution", end_turned },
    { "mm-thm-5", "p of the last radius is shorter by 5%", end_shorter },
    { "mm-thm-6", "the path ends along p_mm", end_along },
    { "mm-thm-6-repaired", "the path ends along p_mm", end_along },
    { "mm-thm-6-repaired", "p of the last radius is shorter by 5%", end_shorter },
    { 0 },
};
