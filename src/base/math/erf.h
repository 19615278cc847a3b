/* erf.h -- the error function and its complement, the same bits on every machine. */
#ifndef TROP_BASE_ERF_H
#define TROP_BASE_ERF_H

#include "tropism.h"

/* erf x = 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. */
TROP_API double trop_erf(double x);

/* 1 - erf x, accurate where that is small. */
TROP_API double trop_erfc(double x);

#endif
