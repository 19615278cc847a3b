/* angle.h -- angles modulo a quarter turn, and sine and cosine within an eighth. */
#ifndef TROP_BASE_ANGLE_H
#define TROP_BASE_ANGLE_H

/* x = n pi / 2 + hi + lo with |hi| <= 0.7854: returns n mod 4, from 0 to 3. The relative error of
 * hi + lo is below 2^-70. x: finite. */
int trop_angle_reduce(double *hi, double *lo, double x);

/* sin(hi + lo) and cos(hi + lo), for |hi| <= 0.7854 and |lo| at most an ulp of hi. */
double trop_angle_sin(double hi, double lo);
double trop_angle_cos(double hi, double lo);

#endif
