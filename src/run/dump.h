/* dump.h -- exact max-margin problems in files: what a bug report contains. */
#ifndef TROP_RUN_DUMP_H
#define TROP_RUN_DUMP_H

#include "io/h5/h5.h"
#include "tropism.h"

struct trop_dump;

/* Writes the problem, the norm (enum trop_margin_norm) and p to a .json or .h5 file that
 * trop_dump_read reads back to the same bits. */
enum trop_status trop_dump_write(const char *path, const struct trop_problem *problem, int64_t norm,
                                 double p);
/* The arrays of the problem as datasets of an open file, behind group ("/input/problem/"). */
enum trop_status trop_dump_put(struct trop_h5 *h5, const char *group,
                               const struct trop_problem *problem);
/* Every size, index and number is checked, as trop_model_copy does. */
enum trop_status trop_dump_read(struct trop_dump **out, const char *path);
void trop_dump_free(struct trop_dump *dump);

/* Owned by dump. */
const struct trop_problem *trop_dump_problem(const struct trop_dump *dump);
int64_t trop_dump_norm(const struct trop_dump *dump);
double trop_dump_p(const struct trop_dump *dump);

#endif
