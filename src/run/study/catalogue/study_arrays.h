/* study_arrays.h -- arrays of the points of a study, in DIR/arrays.h5. */
#ifndef TROP_RUN_STUDY_ARRAYS_H
#define TROP_RUN_STUDY_ARRAYS_H

#include "io/h5/h5.h"
#include "tropism.h"

struct trop_study_arrays;

/* Nothing is written before the first array comes. anew: 0 goes on from the file that is there. */
enum trop_status trop_study_arrays_create(struct trop_study_arrays **out, const char *dir,
                                          int64_t points, int anew);
/* NULL is fine; what was not settled is gone. */
void trop_study_arrays_free(struct trop_study_arrays *arrays);
enum trop_status trop_study_arrays_put(struct trop_study_arrays *arrays, const char *field,
                                       int64_t point, const struct trop_value *value);
/* The file under its name. *any: 1 when there is one. */
enum trop_status trop_study_arrays_settle(int *any, struct trop_study_arrays *arrays);
/* 1 when dir has the file. */
int trop_study_arrays_exist(const char *dir);
/* For reading; NULL when dir has none. */
enum trop_status trop_study_arrays_open(struct trop_h5 **out, const char *dir);
/* 1 when some point has an array of the field; name: its dataset. */
int trop_study_arrays_has(char name[256], struct trop_h5 *arrays, const char *field);

#endif
