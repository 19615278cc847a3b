/* study.h -- the kinds of studies. */
#ifndef TROP_RUN_STUDY_H
#define TROP_RUN_STUDY_H

#include "run/setup.h"

/* What a study describes a cloud by: the handle of a noun of tropism.h, called numbers here. */
struct trop_study_kind {
    const char *verb;
    enum trop_status (*create)(void **out, struct trop_setup *setup);
    void (*free)(void *numbers);
    /* What is left to compute; NULL: nothing is. */
    enum trop_status (*run)(void *numbers, trop_progress *progress, void *context);
    const double *(*tokens)(const void *numbers); /* (n, d) */
    const struct trop_field *(*fields)(void);
};

/* study_kinds.c: NULL when the verb is no study. */
const struct trop_study_kind *trop_study_kind(const char *verb);

#endif
