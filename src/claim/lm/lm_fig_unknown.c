/* lm_fig_unknown.c -- the five figures of the localmax paper, whose set-ups are not public.
 *
 * What is known of them is that they are five. They are registered so that nobody
 * looks for them in vain; the tables of this paper measure what its abstract speaks of.
 */
#include "claim/lm/lm_tables.h"

#define FIGURE(number) \
    static const struct trop_published published_##number[] = { \
        { "number of the figure", number }, { 0 } \
    }; \
    const struct trop_claim trop_lm_fig_##number = { \
        .id = "lm-fig-" #number, \
        .title = "figure " #number " of the localmax paper", \
        .statement = "Figure " #number " of the paper shows a simulation of localmax whose " \
                     "tokens, parameters and seed are not public.", \
        .status = TROP_CLAIM_NEEDS_DATA, \
        .remark = "Neither the set-up nor the code is published.", \
        .published = published_##number, \
        .trials = 1, \
    }

FIGURE(1);
FIGURE(2);
FIGURE(3);
FIGURE(4);
FIGURE(5);
