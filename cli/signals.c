/* signals.c -- Ctrl-C once ends a run with what it has, twice kills. */
#include "cli.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t seen;

static void note(int signal)
{
    (void)signal;
    seen = 1;
}

void cli_signals_ignore(void)
{
    /* A file that grows past its limit is an error to report, not a death. */
    signal(SIGXFSZ, SIG_IGN);
}

void cli_signals_catch(void)
{
    static const int signals[] = { SIGINT, SIGTERM };
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    /* After the first one the system's own way is back: the second kills. */
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
        sigaction(signals[k], &action, NULL);
    }
}

int cli_signals_seen(void)
{
    return seen;
}
