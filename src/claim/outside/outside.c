/* outside.c -- a shared object with claims: found, opened, and asked for its rows.
 *
 * What the system's loader says of a file that is none, or one for another machine, is of little
 * help to a person ("cannot open shared object file"), so the first bytes are looked at before.
 */
#include "claim/outside/outside.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/code.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRY "tropism_claims"
#define HEAD 20 /* bytes of an ELF file that say what it is */

struct trop_outside {
    void *handle;
    const struct trop_claim_file *file;
    char notice[512];
};

/* ---- the text ---- */

/* A path with a slash, so that it is not looked for among the system's libraries. */
static enum trop_status split(char path[1024], const char **id, const char *text)
{
    const char *colon = strrchr(text, ':');
    struct stat found;
    const int is_whole = !colon || strchr(colon, '/') || stat(text, &found) == 0;
    const size_t length = is_whole ? strlen(text) : (size_t)(colon - text);

    if (length == 0 || length > 1000) {
        return trop_fail(TROP_ERR_ARG, "claim = %.100s: its path has %s", text,
                         length ? "more than 1000 letters" : "no letters");
    }
    snprintf(path, 1024, "%s%.*s", memchr(text, '/', length) ? "" : "./", (int)length, text);
    *id = is_whole ? NULL : colon + 1;
    return TROP_OK;
}

/* ---- the file ---- */

static int64_t read_head(unsigned char head[HEAD], const char *path)
{
    FILE *file = fopen(path, "rb");
    const size_t got = file ? fread(head, 1, HEAD, file) : 0;

    if (file) {
        fclose(file);
    }
    return (int64_t)got;
}

/* Class, order of bytes, and machine are those of the program that runs. */
static enum trop_status check_head(const char *path)
{
    unsigned char head[HEAD] = { 0 }, own[HEAD] = { 0 };
    struct stat found;

    if (stat(path, &found) != 0) {
        return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
    }
    if (S_ISDIR(found.st_mode)) {
        return trop_fail(TROP_ERR_IO, "%s: is a folder, must be a shared object", path);
    }
    if (read_head(own, "/proc/self/exe") < HEAD) {
        return TROP_OK; /* nothing to compare with: the loader decides */
    }
    if (read_head(head, path) < HEAD || memcmp(head, own, 4) != 0 ||
        head[own[5] == 2 ? 17 : 16] != 3 /* ET_DYN */) {
        return trop_fail(TROP_ERR_IO,
                         "%s: is not a shared object; 'cc -shared -fPIC mine.c -o mine.so' makes "
                         "one",
                         path);
    }
    return memcmp(head + 4, own + 4, 2) == 0 && memcmp(head + 18, own + 18, 2) == 0
               ? TROP_OK
               : trop_fail(TROP_ERR_IO,
                           "%s: is a shared object for another kind of machine: compile it on "
                           "this one",
                           path);
}

/* What the loader says, which mostly begins with the path. */
static enum trop_status loader_refuses(const char *path)
{
    const char *sentence = dlerror();
    const int is_told = sentence && strncmp(sentence, path, strlen(path)) == 0;

    return trop_fail(TROP_ERR_IO, "%s%s%s", is_told ? "" : path, is_told ? "" : ": ",
                     sentence ? sentence : "cannot be loaded");
}

/* ---- what is in it ---- */

/* Of every file abi stands first, and size second. */
static enum trop_status check_version(const char *path, const struct trop_claim_file *file)
{
    static const struct trop_claim_file own = {
        .size = sizeof own,
        .api_size = sizeof(struct trop_claim_api),
        .claim_size = sizeof(struct trop_claim),
        .hypothesis_size = sizeof(struct trop_hypothesis),
        .spoil_size = sizeof(struct trop_spoil),
        .input_size = sizeof(struct trop_input),
    };

    if (!file) {
        return trop_fail(TROP_ERR_IO, "%s: its function " ENTRY " returns nothing", path);
    }
    if (file->abi != TROP_CLAIM_ABI) {
        return trop_fail(TROP_ERR_IO,
                         "%s: was compiled with version %lld of tropism_claim.h, and this program "
                         "has version %d: compile it again with the header of this program",
                         path, (long long)file->abi, TROP_CLAIM_ABI);
    }
    const struct {
        const char *name;
        int64_t theirs, ours;
    } sizes[] = {
        { "trop_claim_file", file->size, own.size },
        { "trop_claim_api", file->size == own.size ? file->api_size : own.api_size, own.api_size },
        { "trop_claim", file->claim_size, own.claim_size },
        { "trop_hypothesis", file->hypothesis_size, own.hypothesis_size },
        { "trop_spoil", file->spoil_size, own.spoil_size },
        { "trop_input", file->input_size, own.input_size },
    };
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        if (sizes[k].theirs != sizes[k].ours) {
            return trop_fail(TROP_ERR_IO,
                             "%s: struct %s has %lld bytes there and %lld in this program, both of "
                             "version %d: compile it again with the header of this program",
                             path, sizes[k].name, (long long)sizes[k].theirs,
                             (long long)sizes[k].ours, TROP_CLAIM_ABI);
        }
    }
    return TROP_OK;
}

/* Points of a study open the same file in several threads; the first one tells it the functions. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

static enum trop_status ask(struct trop_outside *outside, const char *path)
{
    const struct trop_claim_file *(*claims)(const struct trop_claim_api *) = NULL;
    void *symbol = dlsym(outside->handle, ENTRY);

    if (!symbol) {
        return trop_fail(TROP_ERR_IO,
                         "%s: has no function " ENTRY ": TROP_CLAIMS(&claim); makes it, at the end "
                         "of the file",
                         path);
    }
    memcpy(&claims, &symbol, sizeof claims); /* as POSIX has it: ISO C knows no such conversion */
    pthread_mutex_lock(&asking);
    outside->file = claims(&trop_outside_api);
    pthread_mutex_unlock(&asking);
    enum trop_status status = check_version(path, outside->file);
    return status == TROP_OK ? trop_outside_rows(path, outside->file->claims, outside->file->count)
                             : status;
}

enum trop_status trop_outside_open(struct trop_outside **out, const char **id, const char *text)
{
    char path[1024];
    enum trop_status status = split(path, id, text);

    if (status == TROP_OK) {
        status = check_head(path);
    }
    if (status != TROP_OK) {
        return status;
    }
    struct trop_outside *outside = trop_alloc(1, sizeof *outside);
    if (!outside) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a file of claims");
    }
    snprintf(outside->notice, sizeof outside->notice, "%.400s: the code in this file is run", path);
    outside->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    status = outside->handle ? ask(outside, path) : loader_refuses(path);
    if (status != TROP_OK) {
        trop_outside_close(outside);
        return status;
    }
    *out = outside;
    return TROP_OK;
}

void trop_outside_close(struct trop_outside *outside)
{
    if (outside && outside->handle) {
        dlclose(outside->handle);
    }
    trop_alloc_free(outside);
}

/* ---- its claims ---- */

const struct trop_claim *trop_outside_at(const struct trop_outside *outside, int64_t k)
{
    return k < outside->file->count ? outside->file->claims[k] : NULL;
}

const struct trop_claim *trop_outside_find(const struct trop_outside *outside, const char *id)
{
    const struct trop_claim *claim = NULL;

    for (int64_t k = 0; (claim = trop_outside_at(outside, k)) && strcmp(claim->id, id) != 0; k++) {
    }
    return claim;
}

const char *trop_outside_notice(const struct trop_outside *outside)
{
    return outside ? outside->notice : "";
}
