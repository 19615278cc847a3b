/* md_real_run.c -- one run on real sequences, to its end or to where it diverges. */
#include "claim/md/md_real.h"

#include "base/math/pow.h"
#include "base/status.h"

double trop_md_real_eta(double tau, double p, double sigma)
{
    return tau * (p - 1) * trop_pow(sigma, p - 2);
}

static void free_fit(void *run)
{
    trop_fit_free(((struct trop_md_real_run *)run)->fit);
}

struct trop_md_real_run *trop_md_real_begin(const struct trop_case *c)
{
    const int64_t size = (int64_t)(sizeof(struct trop_md_real_run) / sizeof(double) + 1);
    struct trop_md_real_run *run = (struct trop_md_real_run *)trop_case_scratch(c, size);

    trop_case_keep(c, run, free_fit);
    return run;
}

/* Asked before each epoch: the weights are those of the one before, if there was one. */
static int look(void *context, int64_t done, int64_t total)
{
    struct trop_md_real_run *run = context;

    (void)done;
    (void)total;
    if (run->look && run->fit->epoch >= 0) {
        run->look(run->context, run->fit);
    }
    return run->stop && run->stop(run->context);
}

static enum trop_status train(struct trop_md_real_run *run, const struct trop_fit_options *o)
{
    enum trop_status status = trop_fit_create(&run->fit, o);

    return status == TROP_OK ? trop_fit_run(run->fit, look, run) : status;
}

/* A run that diverges is made again up to the epoch before, bit for bit, and ends there as any
 * other. */
enum trop_status trop_md_real_train(struct trop_md_real_run *run,
                                    const struct trop_fit_options *options)
{
    struct trop_fit_options o = *options;
    enum trop_status status = train(run, &o);

    run->diverged = status == TROP_ERR_NUMERIC && run->fit && run->fit->epoch >= 0;
    if (run->diverged) {
        o.epochs = run->fit->epoch;
        trop_fit_free(run->fit);
        run->fit = NULL;
        status = train(run, &o);
    }
    return status;
}
