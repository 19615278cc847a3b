/* study_catalogue.c -- the rows of the logs in one SQLite file. */
#include "run/study/study.h"

#include "base/status.h"

enum trop_status trop_study_merge(const char *folder, const char *const *others,
                                  trop_progress *progress, void *context)
{
    (void)folder;
    (void)others;
    (void)progress;
    (void)context;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}
