/* sinh.h -- the hyperbolic sine, the same bits on every machine. */
#ifndef TROP_BASE_SINH_H
#define TROP_BASE_SINH_H

double trop_sinh(double x);

#endif
