/* cos.h -- the cosine, the same bits on every machine. */
#ifndef TROP_BASE_COS_H
#define TROP_BASE_COS_H

#include "tropism.h"

TROP_API double trop_cos(double x);

#endif
