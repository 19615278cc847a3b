/* creep.c -- says, once, that an adaptive integrator gets on so slowly that it will take long.
 *
 * Rules with kinks (entmax, sparsemax, localmax) and large beta make its steps tiny: the run does
 * not fail, and would be silent for minutes or days.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define SOON 1.0  /* seconds before anything is said */
#define LONG 60.0 /* seconds that are left, from which on it is */
#define TINY .01  /* of a step: tokens move by a part of their distances in a time of 1 */

static const char *option_of(const struct trop_job *job, const char *name)
{
    const char *text, *found;

    for (int64_t k = 0; (found = trop_job_option(&text, job, k)); k++) {
        if (strcmp(found, name) == 0) {
            return text;
        }
    }
    return "";
}

/* 1 when the run is of an adaptive integrator. */
static int is_adaptive(const struct trop_job *job)
{
    const char *integrator = option_of(job, "integrator");

    /* The flow of hardmax is solved piece by piece by auto. */
    return strcmp(integrator, "dopri5") == 0 || strcmp(integrator, "cvode") == 0 ||
           (strcmp(integrator, "auto") == 0 && strcmp(option_of(job, "rule"), "hardmax") != 0);
}

static int is_cvode(const struct trop_job *job)
{
    return strcmp(option_of(job, "integrator"), "cvode") == 0;
}

static void tell(const struct cli_progress *progress, double time, double seconds)
{
    const struct trop_job *job = progress->job;
    const int has_limit = strcmp(option_of(job, "rule"), "softmax") == 0 &&
                          strcmp(option_of(job, "dynamics"), "ode") == 0;

    fprintf(stderr,
            "%stropism: %s: time %.3g of %s after %.0f s. Where the "
            "field has kinks or is stiff, fixed steps (--integrator rk4 --dt 0.01, without "
            "--accuracy) or a larger --accuracy (1e-3) get on%s\n",
            progress->shown ? "\r\033[K" : "",
            is_cvode(job) ? "CVODE takes many steps of its own within a dt"
                          : "the integrator takes tiny steps",
            time, option_of(job, "time"), seconds,
            has_limit ? "; --rule hardmax, the limit of large beta, is solved exactly" : "");
}

void cli_creep_watch(struct cli_progress *progress, int64_t done, double seconds)
{
    struct trop_value time;
    double end;

    if (progress->told || !progress->job) {
        return;
    }
    if (trop_job_value(&time, progress->job, "time") != TROP_OK || time.kind != TROP_KIND_NUMBER ||
        !is_adaptive(progress->job) || sscanf(option_of(progress->job, "time"), "%lf", &end) != 1) {
        progress->told = 1; /* there is nothing to tell */
        return;
    }
    if (!progress->begun) {
        progress->begun = 1;
        progress->from = time.number;
        progress->first = done;
    }
    const double way = time.number - progress->from;
    const double steps = (double)(done - progress->first);
    if (steps == 0 && !is_cvode(progress->job)) {
        return; /* asked within the first step, which takes several fields */
    }
    if (seconds >= SOON && way <= TINY * steps && (end - time.number) * seconds > LONG * way) {
        tell(progress, time.number, seconds);
        progress->told = 1;
    }
}
