/* study_shard.c -- which part of a study a process has, when it is told or when schedulers say so.
 */
#include "run/study/study_work.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS_MAX 1000000000

/* A whole number from 0 on and nothing else; -1: it is none. */
static int64_t whole(const char *text)
{
    char *end;

    if (!text || *text < '0' || *text > '9') {
        return -1;
    }
    const long long value = strtoll(text, &end, 10);
    return *end || value > SHARDS_MAX ? -1 : value;
}

enum trop_status trop_study_shard_read(int64_t *shard, int64_t *shards, const char *text)
{
    const char *slash = strchr(text, '/');
    char first[32] = "";

    if (slash && slash - text < 31) {
        memcpy(first, text, (size_t)(slash - text));
    }
    const int64_t i = whole(first), n = slash ? whole(slash + 1) : -1;
    if (i < 0 || n < 1 || i >= n) {
        return trop_fail(TROP_ERR_ARG, "shard = %.80s: must be I/N with I from 0 to N - 1", text);
    }
    *shard = i;
    *shards = n;
    return TROP_OK;
}

/* Task of a job array: 0, 1, ... of them; count 0: none. */
static enum trop_status array_task(int64_t *task, int64_t *count)
{
    const char *id = getenv("SLURM_ARRAY_TASK_ID"), *step = getenv("SLURM_ARRAY_TASK_STEP");
    const int64_t at = whole(id), tasks = whole(getenv("SLURM_ARRAY_TASK_COUNT"));
    const int64_t least = whole(getenv("SLURM_ARRAY_TASK_MIN"));
    const int64_t most = whole(getenv("SLURM_ARRAY_TASK_MAX")), by = step ? whole(step) : 1;

    *task = *count = 0;
    if (!id) {
        return TROP_OK;
    }
    if (at < 0 || tasks < 1 || least < 0 || by < 1 || at < least || (at - least) % by != 0 ||
        (at - least) / by >= tasks || (most >= 0 && (most - least) / by + 1 != tasks)) {
        return trop_fail(TROP_ERR_ARG,
                         "SLURM_ARRAY_TASK_ID = %.40s: the tasks of the array are not in a row; "
                         "give shard",
                         id);
    }
    *task = (at - least) / by;
    *count = tasks;
    return TROP_OK;
}

/* Process of a step; its variables are there for a lone process as well. */
static const char *process(int64_t *rank, int64_t *count)
{
    static const char *const names[][2] = {
        { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
        { "SLURM_PROCID", "SLURM_NTASKS" },
    };

    for (int k = 0; k < 2; k++) {
        *rank = whole(getenv(names[k][0]));
        *count = whole(getenv(names[k][1]));
        if (*rank >= 0 && *count > 1 && *rank < *count) {
            return names[k][0];
        }
    }
    *rank = 0;
    *count = 1;
    return NULL;
}

enum trop_status trop_study_shard_guess(int64_t *shard, int64_t *shards, char *words, int64_t size,
                                        int alone)
{
    int64_t task, tasks, rank = 0, ranks = 1;
    enum trop_status status = array_task(&task, &tasks);

    words[0] = '\0';
    *shard = 0;
    *shards = 1;
    if (status != TROP_OK) {
        return status;
    }
    const char *from = alone ? process(&rank, &ranks) : NULL;
    const int64_t outer = tasks > 0 ? tasks : 1;
    *shard = task * ranks + rank;
    *shards = outer * ranks;
    if (tasks > 0 || from) {
        snprintf(words, (size_t)size, "shard %lld/%lld, by %s%s%s", (long long)*shard,
                 (long long)*shards, tasks > 0 ? "SLURM_ARRAY_TASK_ID" : "",
                 tasks > 0 && from ? " and " : "", from ? from : "");
    }
    return TROP_OK;
}
