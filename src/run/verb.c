/* verb.c -- the verbs: a row of the table below each.
 *
 * A row says what a verb is called and takes, what computes it (a noun of tropism.h, its functions
 * behind a void *), and which pictures its results have. The command line, its help, completions
 * and manual, Python and the runner (job.c) follow from it.
 */
#include "run/verb.h"

#include "base/status.h"
#include "run/dump.h"
#include "run/job.h"
#include "run/proof/proof.h"

#include <string.h>

/* ---- kinds of options ------------------------------------------------------------------------ */

#define KIND(noun) \
    static void noun##_fill(void *options) \
    { \
        *(struct trop_##noun##_options *)options = trop_##noun##_options_default(); \
    } \
    static const struct trop_setup_kind noun##_kind = { \
        .table = trop_##noun##_option_table, \
        .fill = noun##_fill, \
        .size = sizeof(struct trop_##noun##_options), \
    };
/* How a verb meets files: its part of one struct. */
#define FILES(verb) \
    static const struct trop_option *verb##_files(void) \
    { \
        return trop_job_option_table(#verb); \
    } \
    static const struct trop_setup_kind verb##_files_kind = { \
        .table = verb##_files, \
        .fill = job_fill, \
        .size = sizeof(struct trop_job_options), \
    };

static void job_fill(void *options)
{
    *(struct trop_job_options *)options = trop_job_options_default();
}

KIND(flow)
KIND(cells)
KIND(threshold)
KIND(escape)
KIND(margin)
KIND(train)
KIND(fit)
KIND(corpus)
KIND(path)
KIND(inspect)
KIND(plot)
KIND(claims)
KIND(check)
KIND(reproduction)
KIND(study)
FILES(flow)
FILES(cells)
FILES(threshold)
FILES(escape)
FILES(margin)
FILES(train)
FILES(path)
FILES(inspect)
#undef KIND
#undef FILES

/* ---- nouns ----------------------------------------------------------------------------------- */

#define NOUN(noun) \
    static enum trop_status noun##_create(void **out, struct trop_setup *setup, \
                                          struct trop_job *job) \
    { \
        struct trop_##noun *made = NULL; \
        enum trop_status status = trop_##noun##_create(&made, trop_setup_##noun(setup)); \
        (void)job; \
        *out = made; \
        return status; \
    } \
    static void noun##_free(void *numbers) \
    { \
        trop_##noun##_free(numbers); \
    }
#define RUN(noun) \
    static enum trop_status noun##_run(void *numbers, trop_progress *progress, void *context) \
    { \
        return trop_##noun##_run(numbers, progress, context); \
    }
#define CLOUD(noun) \
    static const double *noun##_cloud(const void *numbers) \
    { \
        return trop_##noun##_tokens(numbers); \
    }

NOUN(cells)
NOUN(threshold)
NOUN(escape)
NOUN(margin)
NOUN(path)
RUN(threshold)
RUN(escape)
RUN(margin)
RUN(path)
CLOUD(cells)
CLOUD(threshold)
CLOUD(escape)
#undef NOUN
#undef RUN
#undef CLOUD

static enum trop_status margin_check(struct trop_setup *setup)
{
    const struct trop_job_options *o = trop_setup_job(setup);

    return o->out && o->dump && trop_out_is_same(o->out, o->dump)
               ? trop_fail(TROP_ERR_ARG, "out and dump: %s is one file, must be two", o->out)
               : TROP_OK;
}

/* The dump is there before the solver starts, for the case that it does not come back. */
static enum trop_status margin_begin(void *numbers, struct trop_setup *setup)
{
    const char *path = trop_setup_job(setup)->dump;
    const struct trop_margin_options *o = trop_setup_margin(setup);
    double several = 0;

    if (!path) {
        return TROP_OK;
    }
    enum trop_status status = trop_margin_number(&several, numbers, "combinations");
    if (status == TROP_OK && several > 1) {
        return trop_fail(TROP_ERR_ARG,
                         "dump: %.0f selections are problems of their own: name one token for each "
                         "input",
                         several);
    }
    if (status == TROP_OK) {
        status = trop_dump_write(path, trop_margin_problem(numbers), o->norm, o->p);
    }
    return status == TROP_OK ? TROP_OK : trop_fail(status, "dump: %s", trop_error());
}

static enum trop_status margin_put(struct trop_h5 *h5, const void *numbers)
{
    return trop_dump_put(h5, "/input/problem/", trop_margin_problem(numbers));
}

static const char *const cells_answer[] = {
    "{vertices} tokens are vertices of the hull, which has dimension {dimension}.",
    "The hypotheses of theorem 4.2 hold: {generic}.",
    "They do not hold because: {obstacle}.",
    "The cells are Voronoi cells in the form of B: {voronoi}.",
    "The hull contains 0: {contains_origin}.",
    NULL
};
static const char *const threshold_answer[] = {
    "At epsilon = {high} the cloud comes to consensus, by proof ({certificate.high}).",
    "At epsilon = {low} it keeps several limits, by proof ({certificate.low}).",
    "Above {bound} consensus is certain when gamma < 1.", NULL
};
static const char *const escape_answer[] = {
    "First exits at {betas} values of beta, under the dynamics {dynamics}.",
    "The logarithm of the median grows by {exponent.fit} for each unit of beta.",
    "(Standard error of this: {exponent.standard_error}.)", "{advice}", NULL
};
static const char *const margin_answer[] = {
    "Outcome: {outcome}.",
    "The least norm is {norm}, the margin {margin}; it is proved that the least norm is at least "
    "{lower} and at most {upper}.",
    "{support} of {constraints} inequalities hold with equality.",
    "Certificate: {certificate.kind}.",
    "Locally optimal selection: {locally_optimal}.",
    "The given direction selects its tokens by a margin of {direction.norm_margin} in this norm; "
    "in {direction.others} inputs that is not the token of the solution.",
    "In the constraints of the solution it has {direction.ratio} of the best margin, and their "
    "cosine is {direction.cosine}.",
    NULL
};
static const char *const path_answer[] = {
    "The minimum of the loss at {radii} radii.", "Its infimum is {loss_infimum}.",
    "The max-margin solution that the path is compared with has the norm {solution.norm} (proved: "
    "at least {solution.lower}).",
    NULL
};

static const struct trop_noun cells_noun = {
    .answer = cells_answer,
    .format = "tropism cells",
    .endings = { ".h5", ".json", ".csv" },
    .csv = "token",
    .proofs = trop_proof_cells,
    .create = cells_create,
    .free = cells_free,
    .fields = trop_cells_field_table,
    .cloud = cells_cloud,
};
static const struct trop_noun threshold_noun = {
    .answer = threshold_answer,
    .format = "tropism threshold",
    .endings = { ".h5", ".json" },
    .proofs = trop_proof_threshold,
    .create = threshold_create,
    .free = threshold_free,
    .run = threshold_run,
    .fields = trop_threshold_field_table,
    .cloud = threshold_cloud,
};
static const struct trop_noun escape_noun = {
    .answer = escape_answer,
    .format = "tropism escape",
    .endings = { ".h5", ".json", ".csv" },
    .csv = "betas",
    .create = escape_create,
    .free = escape_free,
    .run = escape_run,
    .fields = trop_escape_field_table,
    .cloud = escape_cloud,
};
static const struct trop_noun margin_noun = {
    .answer = margin_answer,
    .format = "tropism margin",
    .endings = { ".h5", ".json", ".csv" },
    .csv = "weights.W weights.p weights.v",
    .check = margin_check,
    .create = margin_create,
    .begin = margin_begin,
    .free = margin_free,
    .run = margin_run,
    .fields = trop_margin_field_table,
    .put = margin_put,
    .proofs = trop_proof_margin,
};
static const struct trop_noun path_noun = {
    .answer = path_answer,
    .format = "tropism path",
    .endings = { ".h5", ".json", ".csv" },
    .csv = "radii",
    .create = path_create,
    .free = path_free,
    .run = path_run,
    .fields = trop_path_field_table,
    .proofs = trop_proof_path,
};

static const struct trop_noun *copies_instead(struct trop_setup *setup)
{
    const struct trop_job_options *o = trop_setup_job(setup);

    const int lists = o->betas || o->epsilons || o->alphas || o->gammas;

    return o->copies > 0 || lists ? &trop_copies_noun : NULL;
}

static const struct trop_noun *fit_instead(struct trop_setup *setup)
{
    return trop_setup_is_corpus(setup) ? &trop_fit_noun : NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct trop_verb verbs[] = {
    { .name = "flow",
      .meaning = "runs a token flow",
      .kinds = { &flow_files_kind, &flow_kind },
      .noun = &trop_run_noun,
      .other = copies_instead,
      .again = trop_run_again,
      .plots = "paths energy graph attention clusters staircase" },
    { .name = "cells",
      .meaning = "describes a cloud: its hull and the cells of its vertices",
      .kinds = { &cells_files_kind, &cells_kind },
      .noun = &cells_noun,
      .plots = "cells energy" },
    { .name = "threshold",
      .meaning = "finds the least epsilon that brings a cloud to consensus",
      .kinds = { &threshold_files_kind, &threshold_kind },
      .noun = &threshold_noun,
      .plots = "" },
    { .name = "escape",
      .meaning = "studies how long tokens stay near their vertices at finite beta",
      .kinds = { &escape_files_kind, &escape_kind },
      .noun = &escape_noun,
      .plots = "survival" },
    { .name = "margin",
      .meaning = "solves a max-margin problem, in any norm, with a certificate",
      .kinds = { &margin_files_kind, &margin_kind },
      .noun = &margin_noun,
      .plots = "" },
    { .name = "train",
      .meaning = "trains attention, and compares it with max-margin solutions",
      .kinds = { &train_files_kind, &corpus_kind, &fit_kind, &train_kind },
      .noun = &trop_train_noun,
      .other = fit_instead,
      .again = trop_session_again,
      .plots = "bregman training correlation loss norm outcomes",
      .others = { "fit", "train on sequences", "learning sentences words sparsity" } },
    { .name = "path",
      .meaning = "follows the minimum of the loss as the bound on the norm grows",
      .kinds = { &path_files_kind, &path_kind },
      .noun = &path_noun,
      .plots = "bregman correlation loss" },
    { .name = "inspect",
      .meaning = "shows what the heads of a transformer select, and how firmly",
      .subject = "model",
      .kinds = { &inspect_files_kind, &inspect_kind },
      .noun = &trop_inspect_noun,
      .plots = "heads" },
    { .name = "plot",
      .meaning = "draws a result: PDF, SVG, PNG, and GIF of what moves",
      .subject = "file",
      .kinds = { &plot_kind },
      .noun = &trop_plot_noun,
      .alone = 1 },
    { .name = "claims",
      .meaning = "lists the papers' theorems and figures, and the status of each",
      .subject = "claim",
      .kinds = { &claims_kind },
      .noun = &trop_claims_noun,
      .alone = 1 },
    { .name = "check",
      .meaning = "tests a claim on instances, yours or random ones",
      .subject = "claim",
      .kinds = { &check_kind },
      .noun = &trop_check_noun },
    { .name = "reproduce",
      .meaning = "computes figures and tables of the papers, and compares numbers",
      .subject = "claim",
      .kinds = { &reproduction_kind },
      .noun = &trop_reproduction_noun,
      .alone = 1 },
    { .name = "study",
      .meaning = "runs a verb at every point of a grid of options",
      .subject = "action",
      .object = "file",
      .kinds = { &study_kind },
      .noun = &trop_study_noun,
      .alone = 1 },
    { .name = "doctor",
      .meaning = "says what this build and machine can do, and tests it",
      .noun = &trop_doctor_noun,
      .alone = 1 },
};

#define VERBS ((int64_t)(sizeof verbs / sizeof verbs[0]))

const struct trop_verb *trop_verb_find(const char *name)
{
    for (int64_t k = 0; k < VERBS; k++) {
        if (strcmp(verbs[k].name, name) == 0) {
            return verbs + k;
        }
    }
    return NULL;
}

const char *trop_verb_name(int64_t k)
{
    return k >= 0 && k < VERBS ? verbs[k].name : NULL;
}

const char *trop_verb_meaning(const char *verb)
{
    const struct trop_verb *found = trop_verb_find(verb);

    return found ? found->meaning : NULL;
}

const char *trop_verb_subject(const char *verb)
{
    const struct trop_verb *found = trop_verb_find(verb);

    return found ? found->subject : NULL;
}

const char *trop_verb_object(const char *verb)
{
    const struct trop_verb *found = trop_verb_find(verb);

    return found ? found->object : NULL;
}

const struct trop_field *trop_verb_field_table(const char *verb)
{
    const struct trop_verb *found = trop_verb_find(verb);

    return found && found->noun->fields ? found->noun->fields() : NULL;
}
