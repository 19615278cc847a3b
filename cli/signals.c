/* signals.c -- Ctrl-C once ends a run with what it has, twice kills. So does SIGTERM; SIGHUP, the
 * end of a terminal, comes twice by itself and never kills. */
#include "cli.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t seen;

static void note(int number)
{
    (void)number;
    seen = 1;
    /* The default handling is restored, so that the second request kills. */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

void cli_signals_ignore(void)
{
    /* A file that grows past its limit is an error to report, not a death. */
    signal(SIGXFSZ, SIG_IGN);
}

void cli_signals_catch(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action, before;

    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
        /* nohup: the run is to outlive its terminal. SIGINT is ignored for every command that a
         * script puts in the background, and is caught all the same. */
        const int kept = signals[k] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 &&
                         before.sa_handler == SIG_IGN;
        if (!kept) {
            sigaction(signals[k], &action, NULL);
        }
    }
}

int cli_signals_seen(void)
{
    return seen;
}
