/* fit_walk.c -- the state of a run that is under way, array by array, for checkpoints. */
#include "learn/fit/fit.h"

#include "base/status.h"

#include <stdio.h>

static enum trop_status walk_tensor(struct trop_fit_tensor *t, trop_fit_visit *visit, void *context)
{
    char name[32];
    const int64_t size = t->rows * t->columns;
    double *const arrays[] = { t->values, t->start, t->best };
    static const char *const suffix[] = { "", ".start", ".best" };
    enum trop_status status = TROP_OK;

    for (int k = 0; k < 3 && status == TROP_OK; k++) {
        snprintf(name, sizeof name, "%s%s", t->name, suffix[k]);
        status = visit(context, name, arrays[k], NULL, size);
    }
    for (int64_t k = 0; t->trained && k < t->optimizer->states && status == TROP_OK; k++) {
        snprintf(name, sizeof name, "%s.state%lld", t->name, (long long)k);
        status = visit(context, name, t->state[k], NULL, size);
    }
    if (status == TROP_OK) {
        snprintf(name, sizeof name, "%s.numbers", t->name);
        status = visit(context, name, t->number, NULL, TROP_OPTIMIZER_NUMBERS);
    }
    if (status == TROP_OK && t->shrunk) {
        snprintf(name, sizeof name, "%s.shrunk", t->name);
        status = visit(context, name, t->shrunk, NULL, t->rows);
    }
    if (status == TROP_OK && t->shrunk) {
        snprintf(name, sizeof name, "%s.log_shrunk", t->name);
        status = visit(context, name, &t->log_shrunk, NULL, 1);
    }
    return status;
}

/* What is known of the folds that are done. */
static enum trop_status walk_folds(struct trop_fit *fit, trop_fit_visit *visit, void *context)
{
    const int64_t count = fit->options.fold < 0 ? fit->options.folds : 1;
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        struct trop_fit_fold *f = fit->folds + k;
        double told[] = { (double)f->fold, (double)f->epochs, (double)f->chosen,
                          f->validation,   f->test,           f->loss };
        char name[32];
        snprintf(name, sizeof name, "fold%lld", (long long)k);
        status = visit(context, name, told, NULL, 6);
        *f = (struct trop_fit_fold){ (int64_t)told[0], (int64_t)told[1], (int64_t)told[2],
                                     told[3],          told[4],          told[5] };
    }
    return status;
}

enum trop_status trop_fit_walk(struct trop_fit *fit, trop_fit_visit *visit, void *context)
{
    int64_t counts[] = { fit->fold,  fit->epoch,      fit->k,    fit->chosen,
                         fit->since, fit->fold_count, fit->ended };
    enum trop_status status = visit(context, "counts", NULL, counts, 7);

    fit->fold = counts[0];
    fit->epoch = counts[1];
    fit->k = counts[2];
    fit->chosen = counts[3];
    fit->since = counts[4];
    fit->fold_count = counts[5];
    fit->ended = counts[6] != 0;
    if (status == TROP_OK) {
        status = visit(context, "best", fit->best, NULL, 2);
    }
    if (status == TROP_OK && fit->options.folds > 0) {
        status = walk_folds(fit, visit, context);
    }
    for (int k = 0; k < TROP_FIT_SPLITS && status == TROP_OK; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s.loss", fit->split[k].name);
        status = visit(context, name, fit->split[k].loss, NULL, fit->options.epochs + 1);
        snprintf(name, sizeof name, "%s.accuracy", fit->split[k].name);
        status = status == TROP_OK
                     ? visit(context, name, fit->split[k].accuracy, NULL, fit->options.epochs + 1)
                     : status;
    }
    for (int k = 0; k < TROP_FIT_LETTERS && status == TROP_OK; k++) {
        status = fit->tensor[k].name ? walk_tensor(fit->tensor + k, visit, context) : TROP_OK;
    }
    return status;
}

enum trop_status trop_fit_resume(struct trop_fit *fit)
{
    const struct trop_fit_options *o = &fit->options;

    if (fit->fold < 0 || (o->folds == 0 ? fit->fold > 0 : fit->fold >= o->folds) ||
        fit->epoch < -1 || fit->epoch > o->epochs || fit->k < 0 || fit->chosen < 0 ||
        fit->chosen > o->epochs || fit->since < 0 || fit->fold_count < 0 ||
        fit->fold_count > fit->fold + fit->ended) {
        return trop_fail(TROP_ERR_IO, "the checkpoint is not one of this run");
    }
    trop_fit_split_draw(fit);
    trop_fit_touch(fit);
    fit->recorded = fit->epoch + 1;
    for (int k = 0; k < TROP_FIT_SPLITS && fit->epoch >= 0; k++) {
        fit->split[k].chosen_loss = fit->split[k].loss[fit->chosen];
        fit->split[k].chosen_accuracy = fit->split[k].accuracy[fit->chosen];
    }
    return fit->ended ? trop_fit_tell(fit) : TROP_OK;
}
