/* again.h -- the options of a result, for the same run once more. */
#ifndef TROP_RUN_AGAIN_H
#define TROP_RUN_AGAIN_H

#include "run/setup/setup.h"

/* Sets every option that the result (.h5) of the same verb has, as a file of options does. Arrays
 * and data are those in the file, whatever became of the ones that were given; tokens that were
 * drawn are drawn again. What changes no result (threads, out, time limit) is left as it is. */
enum trop_status trop_again_read(struct trop_setup *setup, const char *path);

#endif
