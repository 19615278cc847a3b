/* rule_uniform.c -- every visible token, by its mass. */
#include "attend/rule.h"

static void weigh(struct trop_row *row)
{
    for (int64_t j = 0; j < row->n; j++) {
        row->support[j] = j;
    }
    row->count = row->n;
    trop_row_level(row);
}

const struct trop_rule trop_rule_uniform = {
    .name = "uniform",
    .meaning = "every token by its mass",
    .continuous = 1,
    .weigh = weigh,
};
