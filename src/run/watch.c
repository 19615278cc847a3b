/* watch.c -- a progress callback with a time limit around the caller's own. */
#include "run/watch.h"

#include "base/status.h"
#include "run/stamp.h"

#include <math.h>
#include <stdio.h>

struct trop_watch trop_watch_start(trop_progress *progress, void *context, double time_limit)
{
    return (struct trop_watch){
        .progress = progress,
        .context = context,
        .end = time_limit > 0 ? trop_stamp_now() + time_limit : (double)INFINITY,
    };
}

int trop_watch_ask(void *watch, int64_t done, int64_t total)
{
    struct trop_watch *w = watch;

    if (trop_stamp_now() >= w->end) {
        w->reason = "the time limit";
    } else if (w->progress && w->progress(w->context, done, total)) {
        w->reason = "a request";
    }
    return w->reason != NULL;
}

enum trop_status trop_watch_told(const struct trop_watch *watch, enum trop_status status)
{
    char how_far[256];

    if (status != TROP_ERR_STOPPED || !watch->reason) {
        return status;
    }
    snprintf(how_far, sizeof how_far, "%s", trop_error());
    return trop_fail(TROP_ERR_STOPPED, "%s by %s", how_far, watch->reason);
}
