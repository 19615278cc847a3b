/* watch.h -- a progress callback with a time limit around the caller's own. */
#ifndef TROP_RUN_WATCH_H
#define TROP_RUN_WATCH_H

#include "tropism.h"

struct trop_watch {
    trop_progress *progress; /* the caller's; NULL: none */
    void *context;
    double end;         /* of the clock */
    const char *reason; /* to stop; NULL: there was none */
};

/* time_limit: seconds from now; 0: none. */
struct trop_watch trop_watch_start(trop_progress *progress, void *context, double time_limit);
/* A trop_progress; its context is a struct trop_watch. */
int trop_watch_ask(void *watch, int64_t done, int64_t total);
/* The status of what was watched, with the reason in the sentence where it was stopped. */
enum trop_status trop_watch_told(const struct trop_watch *watch, enum trop_status status);

#endif
