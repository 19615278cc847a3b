/* option_nearest.c -- which option was meant by a name that no option has.
 *
 * Either it is what others call the thing, or it was mistyped.
 */
#include "base/option.h"

#include <string.h>

/* ---- other names ----------------------------------------------------------------------------- */

/* What programs of others call an option of ours. Of several rows the first counts whose option the
 * table has. how: what to write, where it is not the same value. */
static const struct {
    const char *theirs, *ours, *how;
} others[] = {
    { "lr", "eta", "" },
    { "lr", "gamma", "" },
    { "learning_rate", "eta", "" },
    { "learning_rate", "gamma", "" },
    { "step_size", "eta", "" },
    { "step_size", "gamma", "" },
    { "temperature", "beta", " = 1/temperature" },
    { "tau", "beta", " = 1/tau" },
    { "eps", "epsilon", "" },
    { "tol", "tolerance", "" },
    { "B", "key_query", "" },
    { "V", "value", "" },
    { "causal", "mask", " = causal" },
    { "is_causal", "mask", " = causal" },
    { "max_iter", "steps", "" },
    { "iterations", "steps", "" },
    { "n_steps", "steps", "" },
    { "num_steps", "steps", "" },
    { "x", "tokens", "" },
    { "X", "tokens", "" },
    { "X", "data", "" },
    { "dim", "d", "" },
    { "random_state", "seed", "" },
    { "n_jobs", "threads", "" },
    { "workers", "threads", "" },
    { "weight_decay", "decay", "" },
    { "batch_size", "batch", "" },
};

#define OTHERS (sizeof others / sizeof others[0])

const char *trop_option_meant(const char **how, const struct trop_option *table, const char *name)
{
    for (size_t k = 0; k < OTHERS; k++) {
        if (trop_option_distance(name, others[k].theirs) == 0 &&
            trop_option_find(table, others[k].ours)) {
            *how = others[k].how;
            return others[k].ours;
        }
    }
    return NULL;
}

/* ---- typing errors --------------------------------------------------------------------------- */

int trop_option_same_letter(char a, char b)
{
    return (a == '_' ? '-' : a) == (b == '_' ? '-' : b);
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b: Damerau's
 * distance by three rows. Names longer than 63 letters are never near. */
int64_t trop_option_distance(const char *a, const char *b)
{
    int64_t rows[3][64];
    int64_t m = (int64_t)strlen(a), n = (int64_t)strlen(b);

    if (m > 63 || n > 63) {
        return INT64_MAX;
    }
    for (int64_t j = 0; j <= n; j++) {
        rows[0][j] = j;
    }
    for (int64_t i = 1; i <= m; i++) {
        int64_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (int64_t j = 1; j <= n; j++) {
            int64_t best = last[j - 1] + !trop_option_same_letter(a[i - 1], b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && trop_option_same_letter(a[i - 1], b[j - 2]) &&
                trop_option_same_letter(a[i - 2], b[j - 1]) && before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            now[j] = best;
        }
    }
    return rows[m % 3][n];
}

const char *trop_option_nearest(const struct trop_option *table, const char *name)
{
    const char *how = "", *nearest = trop_option_meant(&how, table, name);
    int64_t least = 1 + (int64_t)strlen(name) / 3;

    if (nearest) {
        return nearest;
    }
    for (; table->name; table++) {
        int64_t distance = trop_option_distance(name, table->name);
        if (distance <= least && (!nearest || distance < least)) {
            least = distance;
            nearest = table->name;
        }
    }
    return nearest;
}
