/* threshold.h -- what the files of the search for consensus share. */
#ifndef TROP_FLOW_THRESHOLD_H
#define TROP_FLOW_THRESHOLD_H

#include "flow/flow.h"
#include "shape/tolerance.h"

/* threshold_options.c: what is special to these options; a flow checks the rest. */
enum trop_status trop_threshold_check(const struct trop_threshold_options *options);

/* What proves the ends of a bracket, for proof files. Owned by the threshold. */
struct trop_threshold_ends {
    const struct trop_flow *cloud; /* never stepped, epsilon open */
    const struct trop_flow *low;   /* the run that proved low, judged; NULL: there is none */
    const struct trop_flow *high;  /* likewise; NULL: a theorem proves high, without a run */
    double epsilon;                /* high */
    int complete;                  /* 1: the theorem is T12, 0: T4 */
    struct trop_tolerance tolerance;
};
TROP_API struct trop_threshold_ends trop_threshold_ends(const struct trop_threshold *threshold);

#endif
