/* spoils_mm_figures.c -- figures of the max-margin paper made wrong by functions. */
#include "claim/mm/mm_figures.h"
#include "spoils.h"

const struct spoiler spoils_mm_figures[] = {
    { 0 },
};
