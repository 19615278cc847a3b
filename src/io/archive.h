/* archive.h -- what a file holds: itself, or what is packed in it. */
#ifndef TROP_IO_ARCHIVE_H
#define TROP_IO_ARCHIVE_H

#include "tropism.h"

/* A plain file is its own one member. bytes may be changed, and carry one zero more than size. */
struct trop_archive_member {
    char *name;
    unsigned char *bytes;
    int64_t size;
};

struct trop_archive {
    struct trop_archive_member *member; /* (count) in the order of the file, folders left out */
    int64_t count, room;
};

/* .gz, .xz and .zip are known by their first bytes, whatever the file is called; anything else is
 * plain. What is cut, damaged, encrypted, or unpacks to more than is reasonable is refused with the
 * names of file and member. */
enum trop_status trop_archive_read(struct trop_archive **out, const char *path);
/* The same from memory; name is for the sentence. */
enum trop_status trop_archive_parse(struct trop_archive **out, const unsigned char *bytes,
                                    int64_t size, const char *name);
void trop_archive_free(struct trop_archive *archive);

#endif
