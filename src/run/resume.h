/* resume.h -- what runs that can be gone on with share: their parts as files, and the options that
 * may come with --resume. */
#ifndef TROP_RUN_RESUME_H
#define TROP_RUN_RESUME_H

#include "io/h5/h5.h"
#include "run/setup/setup.h"

/* Refuses an out that belongs to a run which is not finished, before anything is computed. */
enum trop_status trop_resume_refuse(const char *out);
/* Refuses options that a resumed run has already. also: one that it may have anew, NULL: none;
 * words: all that may come with resume. */
enum trop_status trop_resume_alone(const struct trop_setup *setup, const char *also,
                                   const char *words);
/* Says that there is nothing to go on with. */
enum trop_status trop_resume_missing(const char *out);
/* A part that is as it was written, as far as its seal goes, and has the layout of one. *sealed: 0
 * when it has no seal. */
enum trop_status trop_resume_open(struct trop_h5 **out, int *sealed, const char *file,
                                  int64_t part);
/* Refuses a part of a version that may round differently. */
enum trop_status trop_resume_version(struct trop_h5 *h5);
/* The array of an option, from /input of a part; the setup owns it, in the place of the option. */
enum trop_status trop_resume_input(struct trop_setup *setup, struct trop_h5 *h5, const char *name);
/* An option of a part back into a setup, where it is kept there and is not what it is already. */
enum trop_status trop_resume_option(struct trop_setup *setup, struct trop_h5 *h5,
                                    const struct trop_option *option);

#endif
