/* schedule.h -- numbers that vary in time. */
#ifndef TROP_BASE_SCHEDULE_H
#define TROP_BASE_SCHEDULE_H

#include "tropism.h"

/* Reads "0.5" or "name:a,b"; name is the option, for the sentence. "@FILE" is
 * resolved above this layer. */
enum trop_status trop_schedule_parse(struct trop_schedule *out, const char *name, const char *text);
TROP_API int64_t trop_schedule_text(char *out, int64_t size, const struct trop_schedule *schedule);

/* Bounds of the values at t, t+1, t+2, ...: what a certificate about all later
 * times may use. */
void trop_schedule_range(double *low, double *high, const struct trop_schedule *schedule, double t);

/* The largest rho with s(k+1) >= rho s(k) for every k >= t, for s >= 0; 0 when no
 * bound is known. */
double trop_schedule_decay(const struct trop_schedule *schedule, double t);

/* 1 when the values, all >= 0, have an infinite sum: steps that go all the way. */
int trop_schedule_diverges(const struct trop_schedule *schedule);

/* log of prod (1 - s(k)) over whole k, from <= k < to, for values in [0, 1]: what is left of a
 * distance after those steps. -infinity when nothing is. to may be infinity. Its relative
 * error is a few ulp, at a cost that does not grow with to. NaN: no closed form is known. */
double trop_schedule_left(const struct trop_schedule *schedule, double from, double to);

/* The least whole t >= from with trop_schedule_left(schedule, from, t) <= target; infinity
 * when there is none, NaN without a closed form. */
double trop_schedule_reach(const struct trop_schedule *schedule, double from, double target);

/* 1 when the value never changes from t on. */
int trop_schedule_settled(const struct trop_schedule *schedule, double t);

#endif
