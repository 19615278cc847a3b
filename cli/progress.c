/* progress.c -- a bar on stderr, when it is a terminal and the work is long. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 0.5 /* seconds before the bar appears */
#define PAUSE 0.1    /* seconds between two drawings */
#define WIDTH 40

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress_start(struct cli_progress *progress)
{
    *progress = (struct cli_progress){ .start = now() };
}

/* How many a second, and for how long still. */
static void draw_pace(const char *unit, int64_t done, int64_t total, double seconds)
{
    const double pace = (double)done / seconds;

    fprintf(stderr, " %s", unit);
    if (done > 0) {
        fprintf(stderr, ", %.*f a second", pace < 10 ? 2 : 0, pace);
        const double left = (double)(total - done) / pace;
        const int64_t whole = (int64_t)left;
        fprintf(stderr, left < 3600 ? ", %02lld:%02lld left" : ", %lld:%02lld hours left",
                left < 3600 ? (long long)whole / 60 : (long long)whole / 3600,
                left < 3600 ? (long long)whole % 60 : (long long)whole / 60 % 60);
    }
}

static void draw(const char *unit, int64_t done, int64_t total, double seconds)
{
    /* Beyond 1e12 steps a run ends by converging: a bar would never move. */
    if (total <= 0 || total > 1000000000000) {
        fprintf(stderr, "\r\033[Kstep %lld, %.0f s", (long long)done, seconds);
        return;
    }
    char bar[WIDTH + 1];
    int filled = (int)((double)done / (double)total * WIDTH);
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)(filled < WIDTH ? filled : WIDTH));
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r\033[K[%s] %lld of %lld", bar, (long long)done, (long long)total);
    if (unit) {
        draw_pace(unit, done, total, seconds);
    } else {
        fprintf(stderr, " steps, %.0f s", seconds);
    }
}

void cli_progress_show(struct cli_progress *progress, int64_t done, int64_t total)
{
    double clock = now();

    cli_creep_watch(progress, done, clock - progress->start);
    if (clock - progress->start < PATIENCE || clock - progress->last < PAUSE ||
        !isatty(STDERR_FILENO)) {
        return;
    }
    draw(progress->unit, done, total, clock - progress->start);
    fflush(stderr);
    progress->last = clock;
    progress->shown = 1;
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->shown) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
}
