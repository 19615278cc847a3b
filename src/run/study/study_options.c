/* study_options.c -- what the verb study takes; each action has a part of it. */
#include "tropism_lab.h"

#include "base/option.h"

#include <math.h>
#include <stddef.h>

struct trop_study_options trop_study_options_default(void)
{
    return (struct trop_study_options){ .tasks = 100, .time = "1:00:00" };
}

struct trop_study_run_options trop_study_run_options_default(void)
{
    return (struct trop_study_run_options){ 0 };
}

struct trop_study_table_options trop_study_table_options_default(void)
{
    return (struct trop_study_table_options){ 0 };
}

#define AT(member) #member, offsetof(struct trop_study_options, member)
#define SECONDS(member, when, meaning) \
    { \
        AT(member), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL, meaning, "SECONDS", when \
    }
#define TEXT(member, argument, when, meaning) \
    { \
        AT(member), TROP_TYPE_TEXT, 0, 0, 0, NULL, meaning, argument, when \
    }

static const char *const actions[] = { "run", "status", "merge", "table", "slurm", NULL };

static const struct trop_option table[] = {
    { AT(action), TROP_TYPE_CHOICE, 0, 4, 0, actions, "what to do with the study", NULL, NULL },
    TEXT(file, "FILE", NULL,
         "run and slurm: the study, .yaml; other actions: the folder of its results, of merge "
         "several"),
    TEXT(out, "DIR", "action=run|table|slurm",
         "run and slurm: the folder of its results, which is created if needed; table: the file of "
         "the table, .csv or .json"),
    TEXT(shard, "I/N", "action=run",
         "computes only part I = 0 .. N - 1 of the points; when it is not given, the part that a "
         "job array of Slurm or mpirun assigns"),
    SECONDS(point_limit, "action=run|slurm",
            "seconds after which a point is left, with a row that says so; 0: none"),
    SECONDS(time_limit, "action=run", "seconds after which the run ends with what it has; 0: none"),
    { AT(extend), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "takes a changed file whose points are those of before and new ones", NULL, "action=run" },
    TEXT(by, "NAMES", "action=table", "a row for each value of these options, separated by commas"),
    TEXT(mean, "FIELDS", "action=table", "fields whose mean over the points of a row is shown"),
    TEXT(where, "TEXT", "action=table", "takes points alone for which this holds, as SQL"),
    { AT(deviation), TROP_TYPE_FLAG, 0, 0, 0, NULL, "adds the standard deviation to each mean",
      NULL, "action=table" },
    { AT(tasks), TROP_TYPE_INT64, 1, 1e6, 0, NULL, "tasks that share the points", NULL,
      "action=slurm" },
    TEXT(time, "TIME", "action=slurm",
         "time limit of a task, H:MM:SS or another form that Slurm reads"),
    TEXT(report, "FILE.html", "action=run|table",
         "the study as one page to read, which needs no other file"),
    { AT(proof), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "also writes what is proved of each point, into the folder proof of the results, for "
      "tropism_verify.py to check (docs/proofs.md)",
      NULL, "action=run|slurm" },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};

const struct trop_option *trop_study_option_table(void)
{
    return table;
}
