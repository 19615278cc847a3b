/* session.h -- what trainings that are saved on the way share.
 *
 * A checkpoint is the whole state. Two are kept, written in turn, so that one is whole whenever the
 * other is being written; the newer of those that can be believed is gone on from, and the run then
 * takes the way that it would have taken (docs/files.md). */
#ifndef TROP_RUN_SESSION_H
#define TROP_RUN_SESSION_H

#include "run/job.h"
#include "run/parts.h"

/* What is trained, behind a void *. */
struct trop_session_kind {
    const char *format; /* of its checkpoints */
    const char *result; /* of results that have the state too, which their noun puts; NULL: none */
    enum trop_status (*create)(void **out, struct trop_setup *setup);
    void (*free)(void *numbers);
    /* The state to a checkpoint, where the noun does not put it, and back. */
    enum trop_status (*put)(struct trop_h5 *h5, void *numbers);
    enum trop_status (*get)(void *numbers, struct trop_h5 *h5);
    /* How far it had come, at least 0: more is later. */
    enum trop_status (*age)(int64_t *out, struct trop_h5 *h5);
    /* Until the next checkpoint is due, at most; *done: 1 when the run is at its end. */
    enum trop_status (*step)(int *done, void *numbers, int64_t checkpoint, trop_progress *progress,
                             void *context);
    /* Reads the files of the setup of a run that goes on, which has the options of its checkpoint;
     * setup: what came with resume. */
    enum trop_status (*again)(struct trop_setup *out, struct trop_setup *setup, struct trop_h5 *h5);
    const char *changes; /* options that may come with resume, in words */
    const char *steps;   /* one of them, which others have not; NULL: none */
};

struct trop_session {
    const struct trop_session_kind *kind;
    struct trop_job *job;
    void *numbers;
    struct trop_parts parts;
    int64_t checkpoint; /* steps or epochs from one to the next; 0: none */
    int64_t turn;       /* checkpoints that were written */
    char notice[420];
};

/* Functions of a noun (verb.h); that of create for the kind. */
enum trop_status trop_session_check(struct trop_setup *setup);
enum trop_status trop_session_create(void **out, const struct trop_session_kind *kind,
                                     struct trop_setup *setup, struct trop_job *job);
enum trop_status trop_session_begin(void *session, struct trop_setup *setup);
void trop_session_free(void *session);
enum trop_status trop_session_run(void *session, trop_progress *progress, void *context);
void trop_session_end(void *session);
const char *trop_session_notice(const void *session);
int trop_session_resumable(const void *session);

/* train.c, fit.c: both are resumed by one verb, which learns from the checkpoint what it is of. */
extern const struct trop_session_kind trop_train_session, trop_fit_session;

#endif
