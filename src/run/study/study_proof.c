/* study_proof.c -- proofs of the points of a study, a file for each.
 *
 *   DIR/proof/000/000061.json   what is proved of point 61 (docs/proofs.md)
 *   DIR/proof-1/...             of points that were computed after the study was extended, and so
 * on
 *
 * A file is written beside and renamed before the record of its point goes to a log, and the record
 * says whether there is one. So a kill leaves either both, or a point that is computed again; its
 * proof has the same bytes, for a point is its options and nothing else. (A power cut may leave
 * empty files, which count as missing.) Numbers of points change when a study is extended: which
 * folder a record means follows from the study of its log.
 */
#include "run/study/study_work.h"

#include "base/status.h"
#include "io/file.h"
#include "io/folder.h"
#include "run/job.h"
#include "run/proof/proof.h"
#include "run/study/spec/study_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TOGETHER 1000 /* files of a folder */

/* DIR/proof, DIR/proof-1, ...; returns its length. */
static int put_folder(char out[TROP_STUDY_PROOF_PATH], const char *dir, int64_t folder)
{
    const int used = snprintf(out, TROP_STUDY_PROOF_PATH, "%.4000s/proof", dir);

    return folder == 0 ? used
                       : used + snprintf(out + used, TROP_STUDY_PROOF_PATH - (size_t)used, "-%lld",
                                         (long long)folder);
}

void trop_study_proof_path(char out[TROP_STUDY_PROOF_PATH], const char *dir, int64_t folder,
                           int64_t point)
{
    const int used = put_folder(out, dir, folder);

    snprintf(out + used, TROP_STUDY_PROOF_PATH - (size_t)used, "/%03lld/%06lld.json",
             (long long)(point / TOGETHER), (long long)point);
}

int64_t trop_study_proof_folder(const char *dir)
{
    char path[TROP_STUDY_PROOF_PATH];
    struct stat about;
    int64_t count = 0;

    do {
        snprintf(path, sizeof path, "%.4000s/study-%lld.yaml", dir, (long long)++count);
    } while (stat(path, &about) == 0);
    return count - 1;
}

int trop_study_proof_is_there(const char *dir, const struct trop_study_record *record)
{
    char path[TROP_STUDY_PROOF_PATH];
    struct stat about;

    trop_study_proof_path(path, dir, record->proof_folder, record->proof_point);
    return record->proof == TROP_STUDY_UNPROVED ||
           (record->proof == TROP_STUDY_PROVED && stat(path, &about) == 0 && about.st_size > 0);
}

/* The first point that is not refused stands for all. */
enum trop_status trop_study_proof_check(const struct trop_study_spec *spec)
{
    struct trop_setup *setup = NULL;

    if (trop_study_point_setup(&setup, spec, trop_study_refused_none(spec), 1) != TROP_OK) {
        return TROP_OK; /* its row says why */
    }
    const enum trop_status status = trop_proof_possible(trop_job_noun(setup), spec->verb);
    trop_setup_free(setup);
    return status;
}

/* Folders that are there are fine. */
static enum trop_status make(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && trop_folder_is(path))) {
        return TROP_OK;
    }
    return trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno == EEXIST ? ENOTDIR : errno));
}

static enum trop_status make_folders(char path[TROP_STUDY_PROOF_PATH],
                                     const struct trop_study_work *work)
{
    char *slash = strrchr(path, '/');
    struct stat about;

    *slash = '\0';
    enum trop_status status = TROP_OK;
    if (stat(path, &about) != 0) {
        char above[TROP_STUDY_PROOF_PATH];
        put_folder(above, work->proof_dir, work->proof_folder);
        status = make(above);
        status = status == TROP_OK ? make(path) : status;
    }
    *slash = '/';
    return status;
}

enum trop_status trop_study_proof_put(struct trop_study_record *record,
                                      const struct trop_study_work *work,
                                      const struct trop_job *job)
{
    char path[TROP_STUDY_PROOF_PATH];
    int64_t claims = 0;

    if (!work->proof_dir) {
        return TROP_OK;
    }
    trop_study_proof_path(path, work->proof_dir, work->proof_folder, record->point);
    enum trop_status status = make_folders(path, work);
    if (status == TROP_OK) {
        status = trop_proof_write_by(&claims, job, path, trop_file_write_one_of_many);
    }
    record->proof = claims > 0 ? TROP_STUDY_PROVED : TROP_STUDY_UNPROVED;
    return status;
}
