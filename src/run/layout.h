/* layout.h -- what a valid file of tropism is, in one table. */
#ifndef TROP_RUN_LAYOUT_H
#define TROP_RUN_LAYOUT_H

#include "io/h5/h5.h"

/* Judges a result, checkpoint or problem by the rules of its format before a value of it is
 * believed: types and shapes, sizes that must agree, offsets, ranges of indices. What a file lacks
 * is for its reader to say. path is for the sentence. */
enum trop_status trop_layout_check(struct trop_h5 *h5, const char *path);

#endif
