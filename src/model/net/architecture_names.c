/* architecture_names.c -- from a role and a layer to a tensor: prefixes, {l}, other spellings. */
#include "model/net/architecture.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"

#define NAME 256

/* In the order of enum trop_architecture_role, and what says the family. */
static const char *const roles[] = { "tokens",
                                     "positions",
                                     "types",
                                     "first_norm",
                                     "first_norm_bias",
                                     "attention_norm",
                                     "attention_norm_bias",
                                     "qkv",
                                     "qkv_bias",
                                     "query",
                                     "query_bias",
                                     "key",
                                     "key_bias",
                                     "value",
                                     "value_bias",
                                     "out",
                                     "out_bias",
                                     "mlp_norm",
                                     "mlp_norm_bias",
                                     "gate",
                                     "gate_bias",
                                     "up",
                                     "up_bias",
                                     "down",
                                     "down_bias",
                                     "last_norm",
                                     "last_norm_bias",
                                     "logits",
                                     "model_type",
                                     NULL };
_Static_assert(sizeof roles / sizeof roles[0] == TROP_ARCHITECTURE_ROLES + 2, "a word a role");

enum trop_status trop_architecture_rename(struct trop_architecture_names *names, const char **type,
                                          const struct trop_json_read *doc)
{
    enum trop_status status = trop_json_read_keys(doc, roles);

    *type = NULL;
    for (int k = 0; k <= TROP_ARCHITECTURE_ROLES && status == TROP_OK; k++) {
        if (trop_json_read_has(doc, roles[k])) {
            status = trop_json_read_text(k < TROP_ARCHITECTURE_ROLES ? names->name + k : type, doc,
                                         roles[k]);
        }
    }
    return status;
}

/* name with prefix before it and the layer for {l}; what does not fit is cut and then not found. */
static void expand(char out[NAME], const char *prefix, const char *name, int64_t layer)
{
    const char *at = strstr(name, "{l}");

    if (at) {
        snprintf(out, NAME, "%s%.*s%lld%s", prefix, (int)(at - name), name, (long long)layer,
                 at + 3);
    } else {
        snprintf(out, NAME, "%s%s", prefix, name);
    }
}

/* Under this name, or one of the other spellings of its end. */
static const struct trop_safetensors_entry *
find_spelled(const struct trop_architecture_names *names, const struct trop_tensors *weights,
             char name[NAME])
{
    const struct trop_safetensors_entry *entry = trop_tensors_find(weights, name);

    for (int k = 0; !entry && k < 2 && names->instead[k][0]; k++) {
        const size_t length = strlen(name), end = strlen(names->instead[k][0]);
        if (length >= end && strcmp(name + length - end, names->instead[k][0]) == 0) {
            char other[NAME + 32];
            snprintf(other, sizeof other, "%.*s%s", (int)(length - end), name,
                     names->instead[k][1]);
            entry = trop_tensors_find(weights, other);
        }
    }
    return entry;
}

static enum trop_status check_shape(const struct trop_safetensors_entry *entry, int64_t rows,
                                    int64_t columns)
{
    const int64_t rank = columns > 0 ? 2 : 1;
    const int fits =
        entry->rank == rank && entry->shape[0] == rows && (rank == 1 || entry->shape[1] == columns);

    if (fits) {
        return TROP_OK;
    }
    char has[256] = "";
    for (int64_t k = 0; k < entry->rank; k++) {
        const size_t used = strlen(has);
        snprintf(has + used, sizeof has - used, "%s%lld", k ? " x " : "",
                 (long long)entry->shape[k]);
    }
    char wants[64];
    snprintf(wants, sizeof wants, rank == 1 ? "%lld" : "%lld x %lld", (long long)rows,
             (long long)columns);
    return trop_fail(TROP_ERR_IO, "%s: tensor %.200s: has shape %s: must have %s by config.json",
                     entry->file, entry->name, entry->rank ? has : "()", wants);
}

enum trop_status trop_architecture_find(const struct trop_safetensors_entry **out,
                                        const struct trop_architecture_names *names,
                                        const struct trop_tensors *weights, int64_t role,
                                        int64_t layer, int64_t rows, int64_t columns)
{
    const struct trop_safetensors_entry *entry = NULL;
    char name[NAME];

    for (int k = 0; !entry && k < 4 && names->prefix[k]; k++) {
        expand(name, names->prefix[k], names->name[role], layer);
        entry = find_spelled(names, weights, name);
    }
    if (!entry) {
        expand(name, "", names->name[role], layer);
        entry = find_spelled(names, weights, name);
    }
    if (!entry) {
        return trop_fail(TROP_ERR_IO, "%s: tensor %s: is missing, with and without prefix",
                         trop_tensors_folder(weights)[0] ? trop_tensors_folder(weights) : ".",
                         name);
    }
    *out = entry;
    return check_shape(entry, rows, columns);
}
