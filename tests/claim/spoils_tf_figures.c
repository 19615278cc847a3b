/* spoils_tf_figures.c -- figures of "Transformers as Support Vector Machines" made wrong by
 * functions. */
#include "claim/tf/tf_figures.h"
#include "spoils.h"

#include "claim/examples.h"

#include <string.h>

/* A support vector becomes a copy of another token, so that its constraint is left out. */
static void drop_constraint(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "X");
    const int64_t T = x.columns;
    int64_t alpha[2];
    struct trop_data data;

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    for (int64_t k = 0; k < 2 * T; k++) {
        const int64_t i = k / T, t = k % T;
        if (t != alpha[i] &&
            trop_tf_lead(&data, trop_case_array(c, "W_mm"), i, alpha[i], t) < 1 + 1e-6) {
            const int64_t other = t + 1 == alpha[i] ? (t + 2) % T : (t + 1) % T;
            memcpy(x.at + k * 2, x.at + (i * T + other) * 2, 2 * sizeof *x.at);
            break;
        }
    }
    trop_tf_solution(c, "W_mm", NULL, "l2");
}

/* Infeasible instances have no rank; in print they counted as rank 1. */
static void count_infeasible(struct trop_case *c)
{
    const struct trop_view runs = trop_case_view(c, "instances");

    for (int64_t k = 0; k < runs.rows * runs.columns; k++) {
        double *run = runs.at + k * runs.depth;
        run[1] = run[0] == 0 ? 1 : run[1];
        run[2] = run[0] == 0 ? 1 : run[2];
    }
}

const struct spoiler spoils_tf_figures[] = {
    { "tf-fig-1", "the constraint of one support vector is left out", drop_constraint },
    { "tf-fig-4-repaired", "problems without a solution count as rank 1", count_infeasible },
    { 0 },
};
