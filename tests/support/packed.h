/* packed.h -- archives in memory, packed by libarchive's writer. */
#ifndef TROP_TESTS_PACKED_H
#define TROP_TESTS_PACKED_H

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

struct packed_member {
    const char *name;
    const void *bytes;
    size_t size;
};

/* kind: 'g' .gz, 'x' .xz (of one member), 'z' .zip. Returns the size; out has room for it. */
static inline size_t pack(unsigned char *out, size_t room, char kind,
                          const struct packed_member *member, int count)
{
    struct archive *to = archive_write_new();
    size_t used = 0;
    int failed = kind == 'z' ? archive_write_set_format_zip(to) : archive_write_set_format_raw(to);

    failed |= kind == 'g'   ? archive_write_add_filter_gzip(to)
              : kind == 'x' ? archive_write_add_filter_xz(to)
                            : 0;
    failed |= archive_write_set_bytes_in_last_block(to, 1);
    failed |= archive_write_open_memory(to, out, room, &used);
    for (int k = 0; k < count; k++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, member[k].name);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, (la_int64_t)member[k].size);
        failed |= archive_write_header(to, entry);
        failed |=
            archive_write_data(to, member[k].bytes, member[k].size) != (la_ssize_t)member[k].size;
        archive_entry_free(entry);
    }
    failed |= archive_write_close(to);
    archive_write_free(to);
    if (failed) {
        abort();
    }
    return used;
}

#endif
