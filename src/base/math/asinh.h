/* asinh.h -- the inverse hyperbolic sine, the same bits on every machine. */
#ifndef TROP_BASE_ASINH_H
#define TROP_BASE_ASINH_H

double trop_asinh(double x);

#endif
