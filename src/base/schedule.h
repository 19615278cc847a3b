/* schedule.h -- numbers that vary in time. */
#ifndef TROP_BASE_SCHEDULE_H
#define TROP_BASE_SCHEDULE_H

#include "tropism.h"

/* Reads "0.5" or "name:a,b"; name is the option, for the sentence. "@FILE" is
 * resolved above this layer. */
enum trop_status trop_schedule_parse(struct trop_schedule *out, const char *name, const char *text);
int64_t trop_schedule_text(char *out, int64_t size, const struct trop_schedule *schedule);

/* Bounds of the values at t, t+1, t+2, ...: what a certificate about all later
 * times may use. */
void trop_schedule_range(double *low, double *high, const struct trop_schedule *schedule, double t);

/* The largest rho with s(k+1) >= rho s(k) for every k >= t, for s >= 0; 0 when no
 * bound is known. */
double trop_schedule_decay(const struct trop_schedule *schedule, double t);

/* 1 when the values, all >= 0, have an infinite sum: steps that go all the way. */
int trop_schedule_diverges(const struct trop_schedule *schedule);

/* 1 when the value never changes from t on. */
int trop_schedule_settled(const struct trop_schedule *schedule, double t);

#endif
