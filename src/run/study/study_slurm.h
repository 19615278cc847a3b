/* study_slurm.h -- what a job script for Slurm is made of. */
#ifndef TROP_RUN_STUDY_STUDY_SLURM_H
#define TROP_RUN_STUDY_STUDY_SLURM_H

#include "tropism_lab.h"

/* study_slurm.sh: what is the same in every script. */
extern const unsigned char trop_study_slurm_body[];

/* Seconds of a time as Slurm writes it: M, M:S, H:M:S, D-H, D-H:M or D-H:M:S. */
enum trop_status trop_study_slurm_time(int64_t *seconds, const char *text);
/* The script for a study of so many points; owned by the caller (trop_alloc_free). */
enum trop_status trop_study_slurm_text(char **out, int64_t points,
                                       const struct trop_study_options *options);

#endif
