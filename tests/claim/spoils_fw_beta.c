/* spoils_fw_beta.c -- claims of the Frank-Wolfe paper at finite beta made wrong by functions. */
#include "spoils.h"

const struct spoiler spoils_fw_beta[] = {
    { 0 },
};
