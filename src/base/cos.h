/* cos.h -- the cosine, the same bits on every machine. */
#ifndef TROP_BASE_COS_H
#define TROP_BASE_COS_H

double trop_cos(double x);

#endif
