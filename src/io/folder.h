/* folder.h -- what a folder holds. */
#ifndef TROP_IO_FOLDER_H
#define TROP_IO_FOLDER_H

#include "tropism.h"

/* 1 when path is a folder; links are followed. */
int trop_folder_is(const char *path);
/* folder/name, owned by the caller (trop_alloc_free); NULL when there is no memory. */
char *trop_folder_path(const char *folder, const char *name);
/* 1 when there is such a file, whether or not it can be read. */
int trop_folder_has(const char *folder, const char *name);
/* The folder that path stands in, "." without a slash; owned by the caller, NULL: no memory. */
char *trop_folder_of(const char *path);
/* The path of the one file whose name contains `part` and ends in `end`; NULL when there is none,
 * and refused when there are several, of which the sentence names the first two by their bytes. */
enum trop_status trop_folder_find(char **out, const char *folder, const char *part,
                                  const char *end);

#endif
