/* spoils_md.c -- claims of the mirror-descent paper made wrong by functions. */
#include "spoils.h"

const struct spoiler spoils_md[] = {
    { 0 },
};
