/* archive.c -- the one file that sees libarchive.
 *
 * A file may be a bomb: a few bytes that unpack to more than there is memory. Unpacked, a file may
 * have FREE bytes, and RATIO bytes more for each of its own; texts shrink 3 to 10 times, tables of
 * numbers up to 100 times, bombs 1000 times and more. MOST ends what is honest and too large.
 *
 * libarchive leaves the check sum at the end of a .gz unread: it is compared here.
 */
#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"

#define FREE ((int64_t)16 << 20)
#define RATIO 200
#define MOST ((int64_t)4 << 30)
#define MEMBERS 10000
#define GZ_LEAST 18 /* bytes of a .gz: header and trailer */

enum kind { PLAIN, GZ, XZ, ZIP };

static const struct {
    const char *magic;
    size_t size;
    enum kind kind;
} magics[] = {
    { "\x1f\x8b", 2, GZ },
    { "\xfd"
      "7zXZ",
      6, XZ },
    { "PK\3\4", 4, ZIP },
    { "PK\5\6", 4, ZIP }, /* without members */
};

/* A file that is being unpacked. */
struct unpacking {
    const char *name; /* of the file */
    const unsigned char *bytes;
    int64_t size;
    enum kind kind;
    struct archive *from;
    struct trop_archive *to;
    int64_t left; /* bytes that may still come out */
};

static enum kind kind_of(const unsigned char *bytes, int64_t size)
{
    for (size_t k = 0; k < sizeof magics / sizeof *magics; k++) {
        if (size >= (int64_t)magics[k].size &&
            memcmp(bytes, magics[k].magic, magics[k].size) == 0) {
            return magics[k].kind;
        }
    }
    return PLAIN;
}

static enum trop_status refuse_memory(const char *name, int64_t size)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld bytes", name, (long long)size);
}

/* What libarchive says, with the member that it is about. */
static enum trop_status refuse(const struct unpacking *u, const char *member)
{
    const char *why = archive_error_string(u->from);

    if (archive_errno(u->from) == ENOMEM) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory to unpack it", u->name);
    }
    return trop_fail(TROP_ERR_IO, "%s: %s%sis damaged or cut: %s", u->name, member ? member : "",
                     member ? ": " : "", why ? why : "its end is missing");
}

static enum trop_status refuse_bomb(const struct unpacking *u)
{
    return trop_fail(TROP_ERR_IO,
                     "%s: its %lld bytes unpack to more than %lld: at most %d for each byte, after "
                     "%lld that are free, and %lld in all",
                     u->name, (long long)u->size, (long long)(u->left), RATIO, (long long)FREE,
                     (long long)MOST);
}

static char *copy_text(const char *text, size_t length)
{
    char *out = trop_alloc((int64_t)length + 1, 1);

    if (out) {
        memcpy(out, text, length);
    }
    return out;
}

/* A further member, empty; NULL without memory. */
static struct trop_archive_member *push(struct trop_archive *to, const char *name, size_t length)
{
    if (to->count == to->room) {
        int64_t room = to->room ? 2 * to->room : 4;
        struct trop_archive_member *more = trop_alloc(room, sizeof *more);
        if (!more) {
            return NULL;
        }
        if (to->count > 0) {
            memcpy(more, to->member, (size_t)to->count * sizeof *more);
        }
        trop_alloc_free(to->member);
        to->member = more;
        to->room = room;
    }
    struct trop_archive_member *member = to->member + to->count;
    member->name = copy_text(name, length);
    if (!member->name) {
        return NULL;
    }
    to->count++;
    return member;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* Room for a zero behind the bytes, and for at least one byte more. */
static enum trop_status grow(struct trop_archive_member *member, int64_t *room, const char *name)
{
    int64_t larger = *room ? 2 * *room : 1 << 16;
    unsigned char *bytes = trop_alloc(larger, 1);

    if (!bytes) {
        return refuse_memory(name, larger);
    }
    if (member->size > 0) {
        memcpy(bytes, member->bytes, (size_t)member->size);
    }
    trop_alloc_free(member->bytes);
    member->bytes = bytes;
    *room = larger;
    return TROP_OK;
}

/* The size that a header promises is not believed: room grows with what comes. */
static enum trop_status unpack_data(struct unpacking *u, struct trop_archive_member *member)
{
    const int64_t allowed = u->left;
    int64_t room = 0;

    for (;;) {
        if (member->size + 1 >= room) {
            enum trop_status status = grow(member, &room, u->name);
            if (status != TROP_OK) {
                return status;
            }
        }
        la_ssize_t got = archive_read_data(u->from, member->bytes + member->size,
                                           (size_t)(room - member->size - 1));
        if (got < 0) {
            return refuse(u, u->kind == ZIP ? member->name : NULL);
        }
        if (got == 0) {
            return TROP_OK;
        }
        member->size += got;
        u->left -= got;
        if (u->left < 0) {
            u->left = allowed;
            return refuse_bomb(u);
        }
    }
}

/* The name of what a .gz or .xz holds is its own, without folder and ending. */
static struct trop_archive_member *push_single(struct unpacking *u)
{
    const char *slash = strrchr(u->name, '/');
    const char *base = slash ? slash + 1 : u->name;
    size_t length = strlen(base);
    const char *ending = u->kind == GZ ? ".gz" : ".xz";

    if (length > 3 && strcmp(base + length - 3, ending) == 0) {
        length -= 3;
    }
    return push(u->to, base, length);
}

static enum trop_status unpack_entry(struct unpacking *u, struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    char unnamed[32];

    if (u->kind == ZIP && archive_entry_filetype(entry) != AE_IFREG) {
        return TROP_OK;
    }
    if (u->to->count == MEMBERS) {
        return trop_fail(TROP_ERR_IO, "%s: has more than %d members", u->name, MEMBERS);
    }
    if (!name) { /* a name that the present locale cannot say */
        snprintf(unnamed, sizeof unnamed, "member %lld", (long long)u->to->count);
        name = unnamed;
    }
    struct trop_archive_member *member =
        u->kind == ZIP ? push(u->to, name, strlen(name)) : push_single(u);
    return member ? unpack_data(u, member) : refuse_memory(u->name, (int64_t)strlen(name));
}

static enum trop_status unpack_entries(struct unpacking *u)
{
    for (;;) {
        struct archive_entry *entry;
        int code = archive_read_next_header(u->from, &entry);
        if (code == ARCHIVE_EOF) {
            return TROP_OK;
        }
        if (code < ARCHIVE_WARN) {
            return refuse(u, NULL);
        }
        enum trop_status status = unpack_entry(u, entry);
        if (status != TROP_OK) {
            return status;
        }
    }
}

/* Only the seeking reader of zip insists on the directory at the end: a file that was cut has
 * none. */
static enum trop_status unpack(struct unpacking *u)
{
    u->from = archive_read_new();
    if (!u->from) {
        return refuse_memory(u->name, u->size);
    }
    int code = u->kind == ZIP  ? archive_read_support_format_zip_seekable(u->from)
               : u->kind == GZ ? archive_read_support_filter_gzip(u->from)
                               : archive_read_support_filter_xz(u->from);
    if (code == ARCHIVE_OK && u->kind != ZIP) {
        code = archive_read_support_format_raw(u->from);
    }
    if (code == ARCHIVE_OK) {
        code = archive_read_open_memory(u->from, u->bytes, (size_t)u->size);
    }
    enum trop_status status = code == ARCHIVE_OK ? unpack_entries(u) : refuse(u, NULL);
    archive_read_free(u->from);
    return status;
}

/* ---- the end of a .gz ------------------------------------------------------------------------ */

/* CRC-32 of RFC 1952, a byte at a time. */
static uint32_t crc32_of(const unsigned char *bytes, int64_t size)
{
    uint32_t table[256], crc = 0xffffffffu;

    for (uint32_t k = 0; k < 256; k++) {
        table[k] = k;
        for (int bit = 0; bit < 8; bit++) {
            table[k] = table[k] & 1 ? table[k] >> 1 ^ 0xedb88320u : table[k] >> 1;
        }
    }
    for (int64_t k = 0; k < size; k++) {
        crc = crc >> 8 ^ table[(crc ^ bytes[k]) & 0xff];
    }
    return ~crc;
}

static uint32_t little(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* The last eight bytes are the sum and the size of what was packed. */
static enum trop_status check_gz(const struct unpacking *u)
{
    const unsigned char *end = u->bytes + u->size - 8;
    const struct trop_archive_member *member = u->to->member;

    if (u->size >= GZ_LEAST && u->to->count == 1 && little(end + 4) == (uint32_t)member->size &&
        little(end) == crc32_of(member->bytes, member->size)) {
        return TROP_OK;
    }
    return trop_fail(TROP_ERR_IO,
                     "%s: is damaged or cut: the check sum at its end is that of other contents",
                     u->name);
}

/* ---- whole files ----------------------------------------------------------------------------- */

static enum trop_status copy_plain(struct unpacking *u)
{
    const char *slash = strrchr(u->name, '/');
    const char *base = slash ? slash + 1 : u->name;
    struct trop_archive_member *member = push(u->to, base, strlen(base));

    if (member) {
        member->bytes = trop_alloc(u->size + 1, 1);
    }
    if (!member || !member->bytes) {
        return refuse_memory(u->name, u->size);
    }
    if (u->size > 0) {
        memcpy(member->bytes, u->bytes, (size_t)u->size);
    }
    member->size = u->size;
    return TROP_OK;
}

enum trop_status trop_archive_parse(struct trop_archive **out, const unsigned char *bytes,
                                    int64_t size, const char *name)
{
    struct unpacking u = { .name = name, .bytes = bytes, .size = size };
    const int64_t ratio = size > MOST / RATIO ? MOST : FREE + RATIO * size;

    u.left = ratio < MOST ? ratio : MOST;
    u.kind = kind_of(bytes, size);
    u.to = trop_alloc(1, sizeof *u.to);
    if (!u.to) {
        return refuse_memory(name, (int64_t)sizeof *u.to);
    }
    const int vacant = u.kind == ZIP && bytes[2] == 5; /* a directory alone */
    enum trop_status status = u.kind == PLAIN ? copy_plain(&u) : vacant ? TROP_OK : unpack(&u);
    if (status == TROP_OK && u.kind == GZ) {
        status = check_gz(&u);
    }
    if (status == TROP_OK && u.to->count == 0) {
        status = trop_fail(TROP_ERR_IO, "%s: holds no file", name);
    }
    if (status != TROP_OK) {
        trop_archive_free(u.to);
        return status;
    }
    *out = u.to;
    return TROP_OK;
}

enum trop_status trop_archive_read(struct trop_archive **out, const char *path)
{
    unsigned char *bytes;
    int64_t size;
    enum trop_status status = trop_file_read_limit(&bytes, &size, path, MOST);

    if (status != TROP_OK) {
        return status;
    }
    status = trop_archive_parse(out, bytes, size, path);
    trop_alloc_free(bytes);
    return status;
}

void trop_archive_free(struct trop_archive *archive)
{
    for (int64_t k = 0; archive && k < archive->count; k++) {
        TROP_FREE(archive->member[k].name, archive->member[k].bytes);
    }
    if (archive) {
        TROP_FREE(archive->member, archive);
    }
}
