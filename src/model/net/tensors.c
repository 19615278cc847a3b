/* tensors.c -- the tensors of a model by name. */
#include "model/net/tensors_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/status.h"

static enum trop_status no_memory(const char *path)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its names", path);
}

/* The first size characters of a path, with a slash behind them where there is none. */
static char *folder_of(const char *path, size_t size)
{
    char *folder = trop_alloc((int64_t)size + 2, 1);

    if (folder) {
        memcpy(folder, path, size);
        if (size > 0 && folder[size - 1] != '/') {
            folder[size] = '/';
        }
    }
    return folder;
}

static int exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0;
}

/* The index, where there is one, or else the one file of a folder. */
static enum trop_status open_folder(struct trop_tensors *weights, const char *path)
{
    static const char *const names[] = { "model.safetensors.index.json", "model.safetensors" };
    const size_t room = strlen(path) + 64;
    char *file = trop_alloc((int64_t)room, 1);
    enum trop_status status = TROP_ERR_IO;
    size_t k = 0;

    weights->folder = folder_of(path, strlen(path));
    if (!file || !weights->folder) {
        trop_alloc_free(file);
        return no_memory(path);
    }
    for (; k < 2; k++) {
        snprintf(file, room, "%s%s", weights->folder, names[k]);
        if (exists(file)) {
            status = trop_safetensors_open(&weights->set, file);
            break;
        }
    }
    if (k == 2) {
        status = trop_fail(TROP_ERR_IO,
                           "%s: a folder without model.safetensors and "
                           "model.safetensors.index.json",
                           path);
    }
    trop_alloc_free(file);
    return status;
}

static int ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);

    return length >= size && strcmp(text + length - size, end) == 0;
}

static enum trop_status open_file(struct trop_tensors *weights, const char *path)
{
    const char *slash = strrchr(path, '/');

    weights->folder = folder_of(path, slash ? (size_t)(slash - path) + 1 : 0);
    if (!weights->folder) {
        return no_memory(path);
    }
    if (ends_with(path, ".bin")) {
        return trop_tensors_llama2(weights, path);
    }
    if (ends_with(path, ".safetensors") || ends_with(path, ".json")) {
        return trop_safetensors_open(&weights->set, path);
    }
    return trop_fail(TROP_ERR_IO,
                     "%s: must be a folder, a file .safetensors or a file .bin of llama2.c", path);
}

enum trop_status trop_tensors_open(struct trop_tensors **out, const char *path)
{
    struct trop_tensors *weights = trop_alloc(1, sizeof *weights);
    struct stat about;

    if (!weights) {
        return no_memory(path);
    }
    const int folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    const enum trop_status status = folder ? open_folder(weights, path) : open_file(weights, path);
    if (status != TROP_OK) {
        trop_tensors_close(weights);
        return status;
    }
    *out = weights;
    return TROP_OK;
}

void trop_tensors_close(struct trop_tensors *weights)
{
    if (weights) {
        trop_safetensors_close(weights->set);
        trop_mapping_close(&weights->mapping);
        TROP_FREE(weights->folder, weights->file, weights->entry, weights->name, weights);
    }
}

const struct trop_safetensors_entry *trop_tensors_find(const struct trop_tensors *weights,
                                                       const char *name)
{
    if (weights->set) {
        return trop_safetensors_find(weights->set, name);
    }
    for (int64_t k = 0; k < weights->count; k++) {
        if (strcmp(weights->entry[k].name, name) == 0) {
            return &weights->entry[k];
        }
    }
    return NULL;
}

const struct trop_tensors_sizes *trop_tensors_sizes(const struct trop_tensors *weights)
{
    return weights->set ? NULL : &weights->sizes;
}

const char *trop_tensors_folder(const struct trop_tensors *weights)
{
    return weights->folder;
}

enum trop_status trop_tensors_copy(double *out, const struct trop_safetensors_entry *entry,
                                   int64_t first, int64_t count)
{
    enum trop_status status = trop_safetensors_copy(out, entry, first, count);

    for (int64_t k = 0; status == TROP_OK && k < count; k++) {
        if (!isfinite(out[k])) {
            status = trop_fail(TROP_ERR_IO, "%s: tensor %.200s: element %lld is not finite",
                               entry->file, entry->name, (long long)(first + k));
        }
    }
    return status;
}
