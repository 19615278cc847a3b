/* sin.h -- the sine, the same bits on every machine. */
#ifndef TROP_BASE_SIN_H
#define TROP_BASE_SIN_H

#include "tropism.h"

TROP_API double trop_sin(double x);

#endif
