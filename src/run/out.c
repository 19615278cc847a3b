/* out.c -- the file of a result: its name, its ending, how it begins and ends. */
#include "run/out.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "run/setup/setup.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int trop_out_is_h5(const char *path)
{
    return trop_setup_ends(path, ".h5") || trop_setup_ends(path, ".hdf5");
}

const char *trop_out_csv(const char *path)
{
    static const char mark[] = ".csv:";
    const char *found = NULL;

    for (const char *at = strstr(path, mark); at; at = strstr(at + 1, mark)) {
        found = at;
    }
    return found && !strchr(found, '/')    ? found + strlen(mark)
           : trop_setup_ends(path, ".csv") ? path + strlen(path)
                                           : NULL;
}

/* A device or pipe. */
static int is_special(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

enum trop_status trop_out_check(const char *path, const char *const *endings)
{
    char words[64] = "";
    size_t used = 0;

    if (!path || trop_out_is_h5(path) || is_special(path)) {
        return TROP_OK;
    }
    for (int k = 0; endings[k] && used < sizeof words; k++) {
        if (trop_setup_ends(path, endings[k]) ||
            (strcmp(endings[k], ".csv") == 0 && trop_out_csv(path))) {
            return TROP_OK;
        }
        const char *between = !k ? "" : endings[k + 1] ? ", " : " or ";
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", between, endings[k]);
    }
    return trop_fail(TROP_ERR_ARG, "out = %s: must end in %s", path, words);
}

/* The next character of a path; where a name begins, after what means nothing: "/" and "./". */
static const char *step(const char *path, int begins)
{
    while (begins && (path[0] == '/' || (path[0] == '.' && path[1] == '/'))) {
        path++;
    }
    return path;
}

int trop_out_is_same(const char *a, const char *b)
{
    struct stat one, two;

    if (stat(a, &one) == 0 && stat(b, &two) == 0) {
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
    }
    if ((a[0] == '/') != (b[0] == '/')) {
        return 0;
    }
    for (int begins = 1;; a++, b++) {
        a = step(a, begins);
        b = step(b, begins);
        if (*a != *b || !*a) {
            return *a == *b;
        }
        begins = *a == '/';
    }
}

enum trop_status trop_out_copy(char **out, const char *path)
{
    if (!path) {
        return TROP_OK;
    }
    *out = trop_alloc((int64_t)strlen(path) + 1, 1);
    if (!*out) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its name", path);
    }
    strcpy(*out, path);
    return TROP_OK;
}

enum trop_status trop_out_json(const char *path, char *json)
{
    size_t length = strlen(json);

    /* The line ends where the terminating zero was. */
    json[length] = '\n';
    enum trop_status status = trop_file_write(path, json, (int64_t)length + 1);
    json[length] = '\0';
    return status;
}

enum trop_status trop_out_object(const char *path, struct trop_json *json)
{
    char *text = NULL;

    trop_json_close(json, '}');
    enum trop_status status = trop_json_finish(&text, json);
    if (status == TROP_OK) {
        status = trop_out_json(path, text);
        trop_alloc_free(text);
    }
    return status;
}

/* ---- HDF5 ------------------------------------------------------------------------------ */

enum trop_status trop_out_open(struct trop_h5 **h5, const char *path, const char *format)
{
    struct trop_h5 *made = NULL;
    enum trop_status status = trop_h5_create(&made, path);

    if (status == TROP_OK) {
        const struct {
            const char *name;
            struct trop_value value;
        } attributes[] = {
            { "format", { .kind = TROP_KIND_TEXT, .text = format } },
            { "layout", { .kind = TROP_KIND_INTEGER, .integer = 1 } },
            { "version", { .kind = TROP_KIND_TEXT, .text = trop_version() } },
        };
        for (int k = 0; k < 3 && status == TROP_OK; k++) {
            status = trop_h5_attribute(made, "/", attributes[k].name, &attributes[k].value);
        }
    }
    if (status != TROP_OK) {
        trop_h5_abandon(made);
        return status;
    }
    *h5 = made;
    return TROP_OK;
}

enum trop_status trop_out_close(struct trop_h5 *h5, enum trop_status status)
{
    if (status != TROP_OK) {
        trop_h5_abandon(h5);
        return status;
    }
    return trop_h5_close(h5);
}
