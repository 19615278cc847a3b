/* study_slurm.c -- job scripts. */
#include "run/study/study.h"

#include "base/status.h"

enum trop_status trop_study_slurm(char **out, const struct trop_study *study,
                                  const struct trop_study_options *options)
{
    (void)out;
    (void)study;
    (void)options;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}
