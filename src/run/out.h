/* out.h -- the file of a result. */
#ifndef TROP_RUN_OUT_H
#define TROP_RUN_OUT_H

#include "io/h5/h5.h"
#include "io/json/json.h"
#include "run/stamp.h"

/* Numbers of an array that JSON shows without being asked for. */
#define TROP_OUT_SHOWN 10000

int trop_out_is_h5(const char *path);
/* Of FILE.csv:NAME the name, of FILE.csv ""; NULL: it is none of these. */
const char *trop_out_csv(const char *path);
/* Refuses a name that has none of the endings; a device or pipe takes JSON whatever it
 * is called. endings is NULL-ended; NULL as path is fine. */
enum trop_status trop_out_check(const char *path, const char *const *endings);
/* 1 when two paths name one file: by device and inode, or, while it does not exist, by their
 * letters. */
int trop_out_is_same(const char *a, const char *b);
/* A copy of the name; owned by the caller, NULL for NULL. */
enum trop_status trop_out_copy(char **out, const char *path);
/* Writes the object and the end of its line. */
enum trop_status trop_out_json(const char *path, char *json);
/* Closes the object that was opened first, and writes it. */
enum trop_status trop_out_object(const char *path, struct trop_json *json);

/* A file with the attributes format, layout and version. */
enum trop_status trop_out_open(struct trop_h5 **h5, const char *path, const char *format);
/* Writes it when status is TROP_OK, and drops it otherwise; the first failure. */
enum trop_status trop_out_close(struct trop_h5 *h5, enum trop_status status);

#endif
