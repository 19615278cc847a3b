/* spoils_fw_figures.c -- figures and tables of the Frank-Wolfe paper made wrong by functions. */
#include "claim/case_work.h"
#include "spoils.h"

#include <math.h>

/* Every median of the runs of the triangle is e^(beta/50) too large: 3% in the slope. */
static void steeper(struct trop_case *c)
{
    const struct trop_view median = trop_case_view(c, "median");

    for (int64_t k = 0; k < median.columns; k++) {
        median.at[k] += .02 * (double)k;
    }
}

static void law_of_the_square(struct trop_case *c)
{
    const struct trop_view token = trop_case_view(c, "token");
    const struct trop_escape *square =
        trop_case_escape(c, "init=polygon n=4 d=2 beta=1:60 gamma=.1 radius=.05 runs=1");

    for (int64_t k = 0; k < token.columns; k++) {
        token.at[k] =
            2.30258509299404568402 * trop_case_told_cell(c, trop_escape_field_table(), square,
                                                         "betas", "bound.log10_exact_token", k);
    }
}

/* The last merge of the first run leaves two clusters. */
static void two_left(struct trop_case *c)
{
    const struct trop_view merges = trop_case_view(c, "merges");
    int64_t k = 0;

    while (k + 2 < merges.depth && !isnan(merges.at[k + 2])) {
        k += 2;
    }
    merges.at[k + 1] = 2;
}

const struct spoiler spoils_fw_figures[] = {
    { "fw-fig-staircase", "two clusters are left at the end of a run", two_left },
    { "fw-tab-slopes", "medians of the runs are e^(beta/50) too large", steeper },
    { "fw-tab-slopes", "the law of the square stands for that of the triangle", law_of_the_square },
    { 0 },
};
