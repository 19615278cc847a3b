/* spoils_mm_figures.c -- figures of the max-margin paper made wrong by functions. */
#include "claim/mm/mm_figures.h"
#include "spoils.h"

/* |p| of the run in double. */
static void exact_floats(struct trop_case *c)
{
    const struct trop_view run = trop_case_view(c, "ngd");

    for (int64_t t = 0; t <= 300; t++) {
        trop_case_array(c, "float")[t] = trop_tokens_norm(trop_case_view_row(run, t), 3);
    }
}

const struct spoiler spoils_mm_figures[] = {
    { "mm-fig-4", "the float32 curve is computed in double", exact_floats },
    { 0 },
};
