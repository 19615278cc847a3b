/* spoils_md.c -- claims of the mirror-descent paper made wrong by functions. */
#include "claim/md/md.h"
#include "spoils.h"

#include <math.h>
#include <string.h>

/* ---- other runs ---- */

static void longer_normalised(struct trop_case *c)
{
    trop_md_run(c, "ngd", "optimizer=ngd eta=%.17g steps=200 start=normal seed=%lld",
                .3 * (1 + 1e-7), (long long)c->trial + 1);
}

static void longer_from_zero(struct trop_case *c)
{
    trop_md_run(c, "run", "optimizer=nmirror p=@p eta=%.17g steps=@steps", .1 * (1 + 1e-3));
}

static void normalised(struct trop_case *c)
{
    trop_md_run(c, "run", "optimizer=nmirror p=@p eta=4 steps=@steps");
}

static void unnormalised(struct trop_case *c)
{
    trop_md_run(c, "run", "optimizer=mirror p=@p eta=1 steps=@steps");
}

/* ---- other paths: of another p with every point at the norm R of p ---- */

static void scale_path(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), radius = trop_case_view(c, "radius");

    for (int64_t row = 0; row < path.rows; row++) {
        double *w = trop_case_view_row(path, row);
        const double norm = trop_md_norm(w, path.columns, trop_case_number(c, "p"));
        for (int64_t k = 0; k < path.columns; k++) {
            w[k] *= radius.at[row] / norm;
        }
    }
}

static void path_of_more(struct trop_case *c)
{
    trop_md_radii(c, "p=%.17g radius=50,100,200,400,800,1600 tolerance=1e-10",
                  trop_case_number(c, "p") + 1);
    scale_path(c);
}

static void aligned_path_of_more(struct trop_case *c)
{
    trop_md_radii(c, "p=%.17g radius=4,20 tolerance=1e-10", trop_case_number(c, "p") + .5);
    scale_path(c);
}

static void joint_path_of_more(struct trop_case *c)
{
    trop_md_radii(c, "model=joint p=%.17g radius=10,100,1000", trop_case_number(c, "p") + 1);
}

static void path_of_other(struct trop_case *c)
{
    trop_case_radii(c, "weights=path0", "p=1.76 radius=10,20,50");
}

/* Entries up and down by 1e-3 of the norm, which is kept. */
static void turn_point(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double norm = trop_md_norm(path.at, path.columns, trop_case_number(c, "p"));

    for (int64_t k = 0; k < path.columns; k++) {
        path.at[k] += 1e-3 * norm * (k % 2 ? 1 : -1);
    }
    const double after = trop_md_norm(path.at, path.columns, trop_case_number(c, "p"));
    for (int64_t k = 0; k < path.columns; k++) {
        path.at[k] *= norm / after;
    }
}

/* ---- other solutions ---- */

static void solution_of_more(struct trop_case *c)
{
    trop_md_solution(c, "again", trop_case_number(c, "p") + .25);
}

/* The token of the largest multiplier takes the place of a copy of another one, so that its
 * constraint is gone: fewer constraints, a smaller norm. */
static void drop_constraint(struct trop_case *c)
{
    const struct trop_view lambda = trop_case_view(c, "lambda"), x = trop_case_view(c, "X");
    const int64_t T = x.columns, d = x.depth;
    struct trop_case *aside = trop_case_aside(c);
    int64_t most = 0, row = 0;

    for (int64_t j = 1; j < lambda.rows; j++) {
        most = lambda.at[j] > lambda.at[most] ? j : most;
    }
    for (int64_t i = 0; i < x.rows; i++) {
        const int64_t alpha = (int64_t)trop_case_array(c, "alpha")[i];
        double *tokens = trop_case_view_row(trop_case_view(aside, "X"), i);
        for (int64_t t = 0; t < T; t++) {
            if (t != alpha && row++ == most) {
                const int64_t other = (t + 1) % T == alpha ? (t + 2) % T : (t + 1) % T;
                memcpy(tokens + t * d, tokens + other * d, (size_t)d * sizeof *tokens);
            }
        }
    }
    trop_md_solution(aside, "W_mm", trop_case_number(c, "p"));
    trop_case_put(c, "W_mm_lower", trop_case_number(aside, "W_mm_lower"));
    trop_case_put(c, "W_mm_upper", trop_case_number(aside, "W_mm_upper"));
}

/* The projection of |.|_2 for p = 1.75 is also radial; the one of the box is not. */
static void clip(struct trop_case *c)
{
    const struct trop_view at = trop_case_view(c, "projection");
    const double *w = trop_case_array(c, "W"), R = trop_case_number(c, "R");
    const int64_t n = at.rows * at.columns;
    double most = R;

    for (int64_t turn = 0; turn < 200; turn++) {
        for (int64_t k = 0; k < n; k++) {
            at.at[k] = copysign(fmin(fabs(w[k]), most), w[k]);
        }
        most *= trop_md_norm(at.at, n, trop_case_number(c, "p")) > R ? .95 : 1;
    }
}

static void exchange_arguments(struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");

    *trop_case_view_row(trop_case_view(c, "bregman"), -1) = trop_md_direction(
        trop_case_view_row(w, -1), trop_case_array(c, "W_mm"), w.columns, trop_case_number(c, "p"));
}

static void stand_still(struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");

    for (int64_t row = 2 * w.rows / 3; row < w.rows; row++) {
        memcpy(trop_case_view_row(w, row), trop_case_view_row(w, 2 * w.rows / 3 - 1),
               (size_t)w.columns * sizeof *w.at);
    }
}

/* From a hundredth of the steps on weights are the solution with entries larger and smaller by
 * turns, so much that D is .1. */
static void keep_distance(struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "run_weights");
    const double *solution = trop_case_array(c, "W_mm"), p = trop_case_number(c, "p");
    double low = 0, high = 100;

    for (int64_t turn = 0; turn < 60; turn++) {
        const double s = (low + high) / 2;
        for (int64_t row = w.rows - 21; row < w.rows; row++) {
            for (int64_t k = 0; k < w.columns; k++) {
                trop_case_view_row(w, row)[k] = solution[k] * (1 + (k % 2 ? s : -s));
            }
        }
        const double *last = trop_case_view_row(w, -1);
        *(trop_md_direction(solution, last, w.columns, p) < .1 ? &low : &high) = s;
    }
}

static void transpose_last(struct trop_case *c)
{
    double *w = trop_case_view_row(trop_case_view(c, "run_weights"), -1);
    const int64_t d = trop_case_size(c, "X", 2);

    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = 0; b < a; b++) {
            const double kept = w[a * d + b];
            w[a * d + b] = w[b * d + a];
            w[b * d + a] = kept;
        }
    }
}

const struct spoiler spoils_md[] = {
    { "md-thm-2", "the weights stand still for the last third of the records", stand_still },
    { "md-thm-3", "a run whose D is .1 from a hundredth of the steps on", keep_distance },
    { "md-thm-4", "a run whose D is .1 from a hundredth of the steps on", keep_distance },
    { "md-thm-3", "the last weights transposed", transpose_last },
    { "md-thm-4", "the last weights transposed", transpose_last },
    { "md-rate-t4", "the last weights transposed", transpose_last },
    { "md-rem-gd", "normalised gradient descent with steps longer by 1e-7", longer_normalised },
    { "md-rate-normalised", "a run from zero with steps longer by 1e-3 of them", longer_from_zero },
    { "md-rate-normalised-repaired", "a run from zero with steps longer by 1e-3 of them",
      longer_from_zero },
    { "md-rate-log", "the run of the normalised method", normalised },
    { "md-rate-square", "the unnormalised run", unnormalised },
    { "md-thm-1", "the path of p + 1 in the place of that of p", path_of_more },
    { "md-rem-alignment", "the path of p + 1/2 in the place of that of p", aligned_path_of_more },
    { "md-thm-5", "the path of p + 1 in the place of that of p", joint_path_of_more },
    { "md-tab-path", "the path of p = 1.76 for that of 1.75", path_of_other },
    { "md-rem-alignment", "the first point of the path turned by 1e-3", turn_point },
    { "md-rem-unique", "the solution of p + 1/4 in its place", solution_of_more },
    { "md-rem-certificate", "the problem solved without the constraint of the largest multiplier",
      drop_constraint },
    { "md-rem-projection", "entries of W cut at one size until they fit", clip },
    { "md-rem-bregman", "D of the last record with its arguments exchanged", exchange_arguments },
    { 0 },
};
