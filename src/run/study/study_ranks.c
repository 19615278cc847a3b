/* study_ranks.c -- the processes of one mpirun share the blocks of a study: MPI.
 *
 * The next block is a counter in the memory of rank 0, to which every rank adds one without rank 0
 * taking part (one-sided communication), so that a fast rank takes more blocks than a slow one.
 * Over a network some MPI carry that out only while rank 0 is inside MPI, and rank 0 computes: a
 * thread of it looks in every millisecond. Waiting for the last rank sleeps instead of spinning,
 * for the cores are the other ranks'.
 *
 * MPI can begin and end once in a process. It begins when a study first asks, not in programs that
 * never do, and only where mpirun or its like started the process; it ends with the process, unless
 * it was there before.
 */
#include "run/study/study.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* There is one MPI in a process, and one study at a time. */
static struct {
    pthread_mutex_t lock; /* around calls of MPI, which need not allow several threads */
    int64_t rank, count;
    int64_t next; /* of a process alone; of rank 0 what the others see */
    int shared;   /* 1: from begin to end of a study of several ranks */
    MPI_Comm ranks;
    MPI_Win window;
    int64_t *counter; /* of rank 0 */
    pthread_t server;
    int serves; /* 1: the thread is there */
    atomic_int ends;
} here = { .lock = PTHREAD_MUTEX_INITIALIZER, .count = 1 };

static void sleep_millisecond(void)
{
    const struct timespec millisecond = { .tv_nsec = 1000000 };

    nanosleep(&millisecond, NULL);
}

/* Set by mpirun and by launchers that speak PMI or PMIx, before the program begins. A process
 * without them is alone, and is spared the daemon that MPI would start for it. */
static int started_by_mpi(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                         "PMI_SIZE" };

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (getenv(names[k])) {
            return 1;
        }
    }
    return 0;
}

/* At the exit of the process. One that leaves a study half done would wait here for ranks that wait
 * for it elsewhere: it ends them all. */
static void leave(void)
{
    int finalized = 1;

    MPI_Finalized(&finalized);
    if (finalized) {
        return;
    }
    if (here.shared) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
}

static void *serve(void *context)
{
    (void)context;
    while (!atomic_load(&here.ends)) {
        int waiting;

        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, here.ranks, &waiting, MPI_STATUS_IGNORE);
        sleep_millisecond();
    }
    return NULL;
}

static void share(void)
{
    const MPI_Aint size = here.rank == 0 ? (MPI_Aint)sizeof *here.counter : 0;
    int level;

    MPI_Win_allocate(size, (int)sizeof *here.counter, MPI_INFO_NULL, here.ranks, &here.counter,
                     &here.window);
    MPI_Win_lock_all(0, here.window);
    if (here.rank == 0) {
        const int64_t zero = 0;
        int64_t before;

        MPI_Fetch_and_op(&zero, &before, MPI_INT64_T, 0, 0, MPI_REPLACE, here.window);
        MPI_Win_flush(0, here.window);
    }
    MPI_Barrier(here.ranks);
    here.shared = 1;
    MPI_Query_thread(&level);
    atomic_store(&here.ends, 0);
    here.serves = here.rank == 0 && level == MPI_THREAD_MULTIPLE &&
                  pthread_create(&here.server, NULL, serve, NULL) == 0;
}

void trop_study_ranks_begin(int64_t *rank, int64_t *count)
{
    int there = 0, ended = 0, level, value;

    here.rank = 0;
    here.count = 1;
    here.next = 0;
    MPI_Initialized(&there);
    MPI_Finalized(&ended);
    if (!there && started_by_mpi()) {
        there = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS;
        atexit(leave);
    }
    if (there && !ended) {
        MPI_Comm_size(MPI_COMM_WORLD, &value);
        here.count = value;
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
        here.rank = value;
    }
    if (here.count > 1) {
        MPI_Comm_dup(MPI_COMM_WORLD, &here.ranks);
        share();
    }
    *rank = here.rank;
    *count = here.count;
}

int64_t trop_study_ranks_next(void)
{
    const int64_t one = 1;
    int64_t next;

    pthread_mutex_lock(&here.lock);
    if (here.shared) {
        MPI_Fetch_and_op(&one, &next, MPI_INT64_T, 0, 0, MPI_SUM, here.window);
        MPI_Win_flush(0, here.window);
    } else {
        next = here.next++;
    }
    pthread_mutex_unlock(&here.lock);
    return next;
}

void trop_study_ranks_end(void)
{
    MPI_Request request;
    int all = 0;

    if (!here.shared) {
        return;
    }
    MPI_Ibarrier(here.ranks, &request);
    for (;;) {
        MPI_Test(&request, &all, MPI_STATUS_IGNORE);
        if (all) {
            break;
        }
        sleep_millisecond();
    }
    if (here.serves) {
        atomic_store(&here.ends, 1);
        pthread_join(here.server, NULL);
        here.serves = 0;
    }
    MPI_Win_unlock_all(here.window);
    MPI_Win_free(&here.window);
    MPI_Comm_free(&here.ranks);
    here.shared = 0;
}
