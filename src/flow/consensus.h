/* consensus.h -- what the files of the search for consensus share. */
#ifndef TROP_FLOW_CONSENSUS_H
#define TROP_FLOW_CONSENSUS_H

#include "tropism.h"

/* consensus_options.c: what is special to these options; a flow checks the rest. */
enum trop_status trop_consensus_check(const struct trop_consensus_options *options);

#endif
