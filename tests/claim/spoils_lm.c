/* spoils_lm.c -- claims of the localmax paper made wrong by functions. */
#include "spoils.h"

const struct spoiler spoils_lm[] = {
    { 0 },
};
