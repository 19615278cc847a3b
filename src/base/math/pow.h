/* pow.h -- x^y, the same bits on every machine. */
#ifndef TROP_BASE_POW_H
#define TROP_BASE_POW_H

#include "tropism.h"

TROP_API double trop_pow(double x, double y);

#endif
