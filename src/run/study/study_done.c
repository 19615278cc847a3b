/* study_done.c -- which points of a study have a row. */
#include "run/study/study_work.h"

#include "base/alloc.h"
#include "base/status.h"

#define PIECE ((int64_t)1 << 18) /* points */

enum trop_status trop_study_done_open(struct trop_study_done *out, int64_t points)
{
    const int64_t pieces = points / PIECE + 1;
    unsigned char **piece = trop_alloc(pieces, sizeof *piece);

    if (!piece) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld points", (long long)points);
    }
    out->piece = piece;
    out->pieces = pieces;
    return TROP_OK;
}

void trop_study_done_close(struct trop_study_done *done)
{
    for (int64_t k = 0; k < done->pieces; k++) {
        trop_alloc_free(done->piece[k]);
    }
    trop_alloc_free(done->piece);
    *done = (struct trop_study_done){ 0 };
}

int trop_study_done_at(const struct trop_study_done *done, int64_t point)
{
    const unsigned char *piece = done->piece[point / PIECE];
    const int64_t at = point % PIECE;

    return piece ? piece[at / 4] >> (2 * (at % 4)) & 3 : TROP_STUDY_NONE;
}

int64_t trop_study_done_skip(const struct trop_study_done *done, int64_t point)
{
    return done->piece[point / PIECE] ? point : (point / PIECE + 1) * PIECE;
}

static enum trop_status mark(struct trop_study_done *done, int64_t point, int what)
{
    unsigned char **piece = done->piece + point / PIECE;
    const int64_t at = point % PIECE, shift = 2 * (at % 4);

    if (!*piece) {
        *piece = trop_alloc(PIECE / 4, 1);
    }
    if (!*piece) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the points that are done");
    }
    (*piece)[at / 4] = (unsigned char)(((*piece)[at / 4] & ~(3 << shift)) | what << shift);
    return TROP_OK;
}

enum trop_status trop_study_done_visit(void *context, const struct trop_study_source *source,
                                       const struct trop_study_record *record)
{
    struct trop_study_done *done = context;
    int what = TROP_STUDY_IS_DONE;

    (void)source;
    if (record->state == TROP_STUDY_DONE && done->dir) {
        const int is_there = trop_study_proof_is_there(done->dir, record);
        what = done->proof && !is_there ? TROP_STUDY_NONE : what;
        if (done->proved && is_there && record->proof == TROP_STUDY_PROVED) {
            const enum trop_status status = mark(done->proved, record->point, TROP_STUDY_IS_DONE);
            if (status != TROP_OK) {
                return status;
            }
        }
    } else if (record->state == TROP_STUDY_LATE) {
        const int again = done->limit == 0 || done->limit > record->limit;
        what = again && done->limit >= 0 ? TROP_STUDY_NONE : TROP_STUDY_IS_LATE;
    } else if (record->state != TROP_STUDY_DONE) {
        const int again = record->status == TROP_ERR_MEMORY || record->status == TROP_ERR_IO;
        what = again && done->limit >= 0 ? TROP_STUDY_NONE : TROP_STUDY_IS_FAILED;
    }
    return what == TROP_STUDY_NONE || trop_study_done_at(done, record->point) == TROP_STUDY_IS_DONE
               ? TROP_OK
               : mark(done, record->point, what);
}
