/* study.h -- the kinds of studies. */
#ifndef TROP_RUN_STUDY_H
#define TROP_RUN_STUDY_H

#include "io/h5.h"
#include "run/setup.h"

/* What a study computes: the handle of a noun of tropism.h, called numbers here. */
struct trop_study_kind {
    const char *verb;
    enum trop_status (*create)(void **out, struct trop_setup *setup);
    void (*free)(void *numbers);
    /* What is left to compute; NULL: nothing is. */
    enum trop_status (*run)(void *numbers, trop_progress *progress, void *context);
    const double *(*tokens)(const void *numbers); /* (n, d); NULL: it is not about a cloud */
    const struct trop_field *(*fields)(void);
    /* Writes files that belong to its beginning; NULL: none. */
    enum trop_status (*begin)(const void *numbers, struct trop_setup *setup);
    /* Writes to /input what it was made from, beside a cloud; NULL: nothing. */
    enum trop_status (*put)(struct trop_h5 *h5, const void *numbers);
};

/* study_kinds.c: NULL when the verb is no study. */
const struct trop_study_kind *trop_study_kind(const char *verb);

#endif
