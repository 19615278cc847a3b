/* spoils_fw.c -- claims of the Frank-Wolfe paper made wrong by functions. */
#include "spoils.h"

const struct spoiler spoils_fw[] = {
    { 0 },
};
