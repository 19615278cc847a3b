/* study_slurm.c -- a job script: points in shards, shards in the tasks of an array of Slurm, and a
 * job behind them that merges or asks again for what is missing.
 *
 * What differs from one study to the next stands at the head of the script: directives that sbatch
 * reads, and variables. The rest is study_slurm.sh as it is. Names of files stand in variables
 * alone, in quotes: in a directive or a comment, a line break in a name would begin a command.
 */
#include "run/study/study_slurm.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/json/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define FIELDS 3
/* Tasks of an array where a site changed nothing (MaxArraySize 1001), for the directive: it is read
 * before the script can ask. */
#define USUAL_ARRAY 1001
#define LONGEST (366LL * 24 * 3600)
#define ROOM 4000 /* bytes of a head without names */

/* ---- times ----------------------------------------------------------------------------------- */

static enum trop_status refuse_time(const char *text)
{
    return trop_fail(
        TROP_ERR_ARG,
        "time = %.40s: must be M, M:SS, H:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS, as Slurm "
        "reads times, above 0 and at most 366 days",
        text);
}

/* The whole number at *at, of at most 6 digits; *at goes behind it. -1: there is none. */
static int64_t take_number(const char **at)
{
    int64_t number = 0;
    int digits = 0;

    for (; **at >= '0' && **at <= '9'; (*at)++, digits++) {
        number = digits < 6 ? 10 * number + (**at - '0') : number;
    }
    return digits >= 1 && digits <= 6 ? number : -1;
}

enum trop_status trop_study_slurm_time(int64_t *seconds, const char *text)
{
    const char *at = text;
    int64_t days = 0, part[FIELDS] = { 0 };
    int count = 0, has_days = 0;

    for (;; at++) {
        const int64_t number = take_number(&at);
        if (number < 0) {
            return refuse_time(text);
        }
        if (*at == '-' && count == 0 && !has_days) {
            has_days = 1;
            days = number;
            continue;
        }
        /* 1:75 would be taken by Slurm, and is more likely a slip. */
        if (count == FIELDS || (count > 0 && number > 59) ||
            (count == 0 && has_days && number > 23)) {
            return refuse_time(text);
        }
        part[count++] = number;
        if (*at != ':') {
            break;
        }
    }
    /* Without days a lone number is minutes, and two are minutes and seconds. */
    const int shift = has_days || count == FIELDS ? 0 : 1;
    int64_t field[FIELDS + 1] = { 0 };
    for (int k = 0; k < count; k++) {
        field[k + shift] = part[k];
    }
    const int64_t sum = ((days * 24 + field[0]) * 60 + field[1]) * 60 + field[2];
    if (*at != '\0' || sum <= 0 || sum > LONGEST) {
        return refuse_time(text);
    }
    *seconds = sum;
    return TROP_OK;
}

/* ---- the text -------------------------------------------------------------------------------- */

struct script {
    char *text;
    int64_t length, size;
};

TROP_PRINTF(2, 3) static void putf(struct script *script, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    script->length += vsnprintf(script->text + script->length,
                                (size_t)(script->size - script->length), format, arguments);
    va_end(arguments);
}

/* name='value', whatever is in value: a quote in it ends the quotes, stands behind a backslash and
 * begins them again. */
static void put_variable(struct script *script, const char *name, const char *value)
{
    putf(script, "%s='", name);
    for (; *value; value++) {
        putf(script, "%s%c", *value == '\'' ? "'\\'" : "", *value);
    }
    putf(script, "'\n");
}

/* The name of a job: that of the file, without folder and ending, and without what a directive
 * could take for something else. */
static void name_job(char out[64], const char *file)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *end = strrchr(name, '.');
    const int64_t length = end && end > name ? end - name : (int64_t)strlen(name);
    int64_t k = 0;

    for (; k < length && k < 63; k++) {
        const char c = name[k];
        const int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || (k > 0 && (c == '-' || c == '.'));
        out[k] = plain ? c : '_';
    }
    out[k] = '\0';
}

static void put_directives(struct script *script, int64_t shards, int64_t seconds,
                           const struct trop_study_options *options)
{
    /* As few tasks as take each the same number of shards. */
    const int64_t each = (shards + USUAL_ARRAY - 1) / USUAL_ARRAY;
    const int64_t tasks = (shards + each - 1) / each;
    const long long minutes = seconds / 60;
    char name[64];

    name_job(name, options->file);
    putf(script, "#!/bin/sh\n#SBATCH --job-name=%s\n#SBATCH --array=0-%lld\n", name,
         (long long)tasks - 1);
    putf(script, "#SBATCH --time=%lld-%02lld:%02lld:%02lld\n", minutes / 1440, minutes / 60 % 24,
         minutes % 60, (long long)seconds % 60);
    putf(script, "#SBATCH --ntasks=1\n");
    if (options->threads > 0) {
        putf(script, "#SBATCH --cpus-per-task=%lld\n", (long long)options->threads);
    }
    putf(script, "#SBATCH --requeue\n#SBATCH --open-mode=append\n");
}

static void put_words(struct script *script, int64_t points, int64_t shards)
{
    putf(script,
         "#\n# A study of %lld points in %lld shards, by tropism %s: tasks of an array compute "
         "shards,"
         "\n# and a job behind them merges the catalogue, or asks again for what is missing.\n#\n"
         "#   sh THIS [OPTION OF SBATCH]...   as large an array as the site takes\n"
         "#   sbatch THIS                     the array above\n#\n"
         "# Started again, it goes on from what is there.\n\n",
         (long long)points, (long long)shards, trop_version());
}

static void put_variables(struct script *script, int64_t shards,
                          const struct trop_study_options *options)
{
    char limit[32] = "";

    if (options->point_limit > 0 && options->point_limit < (double)INFINITY) {
        trop_json_double(limit, options->point_limit);
    }
    put_variable(script, "file", options->file);
    put_variable(script, "out", options->out);
    putf(script, "shards=%lld\n", (long long)shards);
    putf(script, options->threads > 0 ? "threads=%lld\n" : "threads=  # as many as Slurm gives\n",
         (long long)options->threads);
    putf(script,
         "point_limit=%s\n"
         "proof=%s\n"
         "at_once=  # tasks that run at once, where not all should\n"
         "rounds=20 # at most, and only while they get anywhere\n"
         "tropism=tropism\n",
         limit, options->proof ? "yes # of each point" : "");
}

static enum trop_status check(int64_t points, const struct trop_study_options *options)
{
    if (!options->file || !*options->file) {
        return trop_fail(TROP_ERR_ARG, "file: must be given: tasks read it");
    }
    if (!options->out || !*options->out) {
        return trop_fail(TROP_ERR_ARG, "out: must be given: the folder that tasks write to");
    }
    if (options->tasks < 1 || points < 1) {
        return trop_fail(TROP_ERR_ARG, "%lld tasks for %lld points: must be at least 1",
                         (long long)options->tasks, (long long)points);
    }
    return TROP_OK;
}

enum trop_status trop_study_slurm_text(char **out, int64_t points,
                                       const struct trop_study_options *options)
{
    const char *body = (const char *)trop_study_slurm_body;
    int64_t seconds = 0;
    enum trop_status status = check(points, options);

    status = status == TROP_OK ? trop_study_slurm_time(&seconds, options->time) : status;
    if (status != TROP_OK) {
        return status;
    }
    const int64_t shards = options->tasks < points ? options->tasks : points;
    const size_t names = strlen(options->file) + strlen(options->out);
    struct script script = { .size = (int64_t)(ROOM + 4 * names + strlen(body)) };
    script.text = trop_alloc(script.size, 1);
    if (!script.text) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a script of %lld bytes",
                         (long long)script.size);
    }
    put_directives(&script, shards, seconds, options);
    put_words(&script, points, shards);
    put_variables(&script, shards, options);
    putf(&script, "%s", body);
    *out = script.text;
    return TROP_OK;
}

enum trop_status trop_study_slurm(char **out, const struct trop_study *study,
                                  const struct trop_study_options *options)
{
    return trop_study_slurm_text(out, trop_study_points(study), options);
}
