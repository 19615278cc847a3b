/* study_read.h -- what the files that read a study share. */
#ifndef TROP_RUN_STUDY_READ_H
#define TROP_RUN_STUDY_READ_H

#include "run/setup/setup.h"
#include "run/study/study.h"

#define TROP_STUDY_POINTS ((int64_t)1000000000000) /* most that a study may have */
#define TROP_STUDY_TEXT 512 /* most bytes of a value that is no file's name */

/* ---- study_spec.c ---- */

/* Room that lives as long as the spec; NULL: no memory. */
void *trop_study_spec_own(struct trop_study_spec *spec, int64_t count, size_t size);
char *trop_study_spec_copy(struct trop_study_spec *spec, const char *text);
/* Axis number count of the spec, with room for width names; NULL: no memory. */
struct trop_study_axis *trop_study_spec_axis(struct trop_study_spec *spec, int64_t width);

/* Where an option of a study is; refuses names that are none, and options that a study has no use
 * for. */
enum trop_status trop_study_spec_locate(struct trop_setup_place *out,
                                        const struct trop_setup *setup, const char *name);

/* ---- study_range.c: a:b, a:b:step, a..b ---- */

/* *is: 1 when the text is a range, which is then the count and numbers of the axis. */
enum trop_status trop_study_range_read(struct trop_study_axis *axis, int *is, const char *name,
                                       const char *text);
int64_t trop_study_range_text(char *out, int64_t size, const struct trop_study_axis *axis,
                              int64_t value);
/* 1 when the text is a finite number and nothing else. */
int trop_study_range_number(double *out, const char *text);

/* ---- study_points.c ---- */

/* Points one by one, from the text of a table with a header of names: an axis more. */
enum trop_status trop_study_points_read(struct trop_study_spec *spec, struct trop_setup *setup,
                                        const char *text, const char *name);

/* ---- study_together.c ---- */

/* Puts the axes of these names into one; groups: texts one behind the other, of a list of lists
 * with commas between names. */
enum trop_status trop_study_together(struct trop_study_spec *spec, struct trop_setup *setup,
                                     const char *groups, int64_t items);

/* ---- study_refused.c: values that their options refuse ---- */

/* Marks them in the axis; TROP_ERR_ARG when no other is left, and of a long range when an end is
 * one. */
enum trop_status trop_study_refused_judge(struct trop_study_axis *axis,
                                          struct trop_study_spec *spec, struct trop_setup *setup);
/* 1 when the point has such a value. */
int trop_study_refused_point(const struct trop_study_spec *spec, int64_t point);
/* The first point that has none. */
int64_t trop_study_refused_none(const struct trop_study_spec *spec);
/* How many points there are that have one, and why; "": none. */
void trop_study_refused_words(char *out, int64_t size, const struct trop_study_spec *spec);

/* ---- study_keep.c: the fields that are kept ---- */

/* names: texts one behind the other; items 0: every single value of the verb. */
enum trop_status trop_study_keep_read(struct trop_study_spec *spec, struct trop_setup *setup,
                                      const char *names, int64_t items);

/* ---- study_change.c ---- */

/* The id of a spec. */
uint64_t trop_study_change_id(const struct trop_study_spec *spec);

#endif
