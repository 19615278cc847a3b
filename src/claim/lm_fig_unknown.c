/* lm_fig_unknown.c -- the five figures of the localmax paper, whose set-ups are not public.
 *
 * What is known of them is that they are five, on 28 pages. They are registered so that nobody
 * looks for them in vain; the tables of this paper measure what its abstract speaks of.
 */
#include "claim/lm_tables.h"

static const struct trop_published published[] = {
    { "figures of the paper", 5 },
    { "pages of the paper", 28 },
    { 0 },
};

#define FIGURE(number) \
    const struct trop_claim trop_lm_fig_##number = { \
        .id = "lm-fig-" #number, \
        .title = "figure " #number " of the localmax paper", \
        .statement = "Figure " #number " of the paper shows a simulation of localmax whose " \
                     "tokens, parameters and seed are not public.", \
        .status = TROP_CLAIM_NEEDS_DATA, \
        .remark = "Neither the set-up nor the code is published.", \
        .published = published, \
        .trials = 1, \
    }

FIGURE(1);
FIGURE(2);
FIGURE(3);
FIGURE(4);
FIGURE(5);
