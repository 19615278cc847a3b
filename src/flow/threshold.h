/* threshold.h -- what the files of the search for consensus share. */
#ifndef TROP_FLOW_THRESHOLD_H
#define TROP_FLOW_THRESHOLD_H

#include "tropism.h"

/* threshold_options.c: what is special to these options; a flow checks the rest. */
enum trop_status trop_threshold_check(const struct trop_threshold_options *options);

#endif
