/* file.h -- whole files in, whole files out. */
#ifndef TROP_IO_FILE_H
#define TROP_IO_FILE_H

#include "tropism.h"

/* Reads all of path. *bytes is owned by the caller (trop_alloc_free) and carries
 * one zero byte more than *size. An empty file is read: *size is then 0. */
enum trop_status trop_file_read(unsigned char **bytes, int64_t *size, const char *path);
/* The same, but a file of more than limit bytes is refused before it is read. */
enum trop_status trop_file_read_limit(unsigned char **bytes, int64_t *size, const char *path,
                                      int64_t limit);

/* Judges what has been read of a file so far; what it refuses is not read on. seen: bytes of it
 * that were judged before; total: bytes of the whole file, -1 when nobody knows, as of a pipe or
 * device. */
typedef enum trop_status trop_file_judge(const unsigned char *bytes, int64_t size, int64_t seen,
                                         int64_t total, const char *path);
#define TROP_FILE_LIMIT (INT64_MAX - 2) /* none: as large as there is memory */
/* The same with a judge, which sees the first bytes before there is room for all. */
enum trop_status trop_file_read_judged(unsigned char **bytes, int64_t *size, const char *path,
                                       int64_t limit, trop_file_judge *judge);
/* A judge: a text has no zero byte. */
enum trop_status trop_file_text(const unsigned char *bytes, int64_t size, int64_t seen,
                                int64_t total, const char *path);

/* Writes beside, syncs, renames: under its final name the file is the old one or
 * the new one, never a part. A device or pipe is written straight, a link to a file stays one. */
enum trop_status trop_file_write(const char *path, const void *bytes, int64_t size);
/* The same without the sync, which takes milliseconds: no kill leaves a part, but a power cut may
 * leave an empty file. */
enum trop_status trop_file_write_one_of_many(const char *path, const void *bytes, int64_t size);
/* The comma that parts the first name of a list from the others; NULL: the list is one name. A
 * comma in front of which is no file or folder, and behind which the name of one goes on, belongs
 * to a name. */
const char *trop_file_comma(const char *list);
/* Whether trop_file_write could start: a wrong folder is known before a long run. */
enum trop_status trop_file_check(const char *path);

/* The same in two halves, for a writer that fills the file itself. beside makes an
 * empty file next to path and gives its name (owned by the caller); for a device
 * or pipe it gives path itself. settle syncs it and renames it to path; whatever
 * fails, the temporary file is gone. discard only removes it. */
enum trop_status trop_file_beside(char **beside, const char *path);
enum trop_status trop_file_settle(const char *beside, const char *path);
void trop_file_discard(const char *beside, const char *path);

#endif
