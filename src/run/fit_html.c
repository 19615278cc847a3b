/* fit_html.c -- a fit as one page: how it went, what it attends to, sentences with shaded words.
 *
 * The page needs no other file, no script and no network. Shades are those of tropism plot
 * --kind sentences (draw/passage.c); a word tells its weight when it is pointed at.
 */
#include "learn/fit/fit.h"

#include "base/alloc.h"
#include "draw/figure.h"
#include "io/html.h"
#include "run/job.h"
#include "run/plot/plot_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORDS 30 /* listed */

static const char style[] =
    ".learning img{width:100%;max-width:46rem}\n"
    "table.words td:nth-child(2){text-align:left}\n"
    ".bar{height:.8rem;line-height:.8rem;min-width:1px;overflow:hidden}\n"
    ".c0{background:#e8a300}.c1,.c{background:#0072b2}\n"
    ".sentence{display:grid;grid-template-columns:10rem 1fr;gap:0 1rem;margin:1.1rem 0}\n"
    ".sentence>div{line-height:1.8}.sentence small{color:#555;display:block;line-height:1.4}\n"
    ".sentence small.wrong{color:#a33b00;font-weight:600}\n"
    ".sentence span[style]{padding:.1em .12em}\n"
    ".scale{color:#555;font-size:.93rem}.scale span{padding:.1em .5em;color:#222}\n"
    "span.dark,.scale span.dark{color:#fff}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1.2rem;font-size:.93rem}"
    "dd{margin:0}\n"
    "@media(max-width:40rem){.sentence{grid-template-columns:1fr}}\n"
    "@media print{body{margin:0;max-width:none}"
    "span,.bar{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n";

/* ---- parts of it ----------------------------------------------------------------------------- */

static void put_class(struct trop_html *page, const struct trop_fit *fit, int64_t k)
{
    if (k < fit->class_count && fit->classes[k].name) {
        trop_html_words(page, fit->classes[k].name);
    } else {
        trop_html_putf(page, "class %lld", (long long)k);
    }
}

/* A cell of a table; what is not known is left empty. */
static void put_cell(struct trop_html *page, const char *format, double value)
{
    char text[48];

    snprintf(text, sizeof text, format, value); /* one of the formats below */
    trop_html_put(page, "<td>");
    trop_html_put(page, isfinite(value) ? text : "");
    trop_html_put(page, "</td>");
}

/* What the option was, also where results do not tell it, as they do not where data came from. */
static const char *option_of(const struct trop_job *job, const char *name)
{
    const struct trop_kept_text *kept = job->kept.options;

    for (size_t k = 0; k < sizeof job->kept.options / sizeof *kept && kept[k].name; k++) {
        if (strcmp(kept[k].name, name) == 0) {
            return kept[k].text[0] ? kept[k].text : NULL;
        }
    }
    return NULL;
}

/* ---- how it went ----------------------------------------------------------------------------- */

static void put_head(struct trop_html *page, const struct trop_job *job, const struct trop_fit *fit)
{
    const char *data = option_of(job, "data");
    char title[256];

    snprintf(title, sizeof title, "What attention learnt%s%.200s", data ? " from " : "",
             data ? data : "");
    trop_html_begin(page, title, style);
    trop_html_put(page, "<h1>");
    trop_html_words(page, title);
    trop_html_putf(page, "</h1>\n<p>%lld items of %lld classes (", (long long)fit->sequences->n,
                   (long long)fit->class_count);
    for (int64_t k = 0; k < fit->class_count && k < 12; k++) {
        trop_html_put(page, k > 0 ? ", " : "");
        put_class(page, fit, k);
    }
    trop_html_putf(page, "%s), tokens in %lld dimensions. ", fit->class_count > 12 ? ", ..." : "",
                   (long long)fit->shape.d);
    trop_html_putf(page, "%lld epochs; the weights are those of epoch %lld.</p>\n",
                   (long long)(fit->epoch > 0 ? fit->epoch : 0), (long long)fit->chosen);
    if (!fit->ended) {
        trop_html_put(page, "<p class=\"remark\">The run was stopped: what follows is its state "
                            "then.</p>\n");
    }
}

static void put_splits(struct trop_html *page, const struct trop_fit *fit)
{
    trop_html_put(page, "<h2>How it went</h2>\n<table><tr><th>split</th><th>items</th>"
                        "<th>mean loss</th><th>accuracy</th></tr>\n");
    for (int64_t k = 0; k < fit->split_count; k++) {
        const struct trop_fit_split *split = fit->split + k;
        trop_html_putf(page, "<tr><td>%s</td><td>%lld</td>", split->name, (long long)split->items);
        put_cell(page, "%.4f", split->chosen_loss);
        put_cell(page, "%.4f", split->chosen_accuracy);
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table>\n");
}

static void put_folds(struct trop_html *page, const struct trop_fit *fit)
{
    if (fit->options.folds < 1 || fit->fold_count < 1) {
        return;
    }
    trop_html_put(page, "<h3>Folds</h3>\n<table><tr><th>fold</th><th>epochs</th><th>chosen</th>"
                        "<th>validation</th><th>test</th></tr>\n");
    for (int64_t k = 0; k < fit->fold_count; k++) {
        const struct trop_fit_fold *fold = fit->folds + k;
        trop_html_putf(page, "<tr><td>%lld</td><td>%lld</td><td>%lld</td>", (long long)fold->fold,
                       (long long)fold->epochs, (long long)fold->chosen);
        put_cell(page, "%.4f", fold->validation);
        put_cell(page, "%.4f", fold->test);
        trop_html_put(page, "</tr>\n");
    }
    trop_html_putf(page, "</table>\n<p>Mean accuracy of the tests %.4f", fit->test_mean);
    if (isfinite(fit->test_deviation)) {
        trop_html_putf(page, ", standard deviation %.4f", fit->test_deviation);
    }
    trop_html_put(page, ". Everything else here is of the last fold.</p>\n");
}

static enum trop_status put_learning(struct trop_html *page, const struct trop_fit *fit)
{
    struct trop_plot_fit_run run = { .epochs = fit->recorded, .chosen = fit->chosen };
    struct trop_figure *figure = NULL;
    char *svg = NULL;
    int64_t size = 0;

    if (fit->recorded < 1) {
        return TROP_OK;
    }
    for (int k = 0; k < TROP_PLOT_FIT_SPLITS; k++) {
        run.loss[k] = fit->split[k].loss;
        run.accuracy[k] = fit->split[k].accuracy;
    }
    enum trop_status status =
        trop_figure_create(&figure, TROP_PLOT_FIT_WIDTH, TROP_PLOT_FIT_HEIGHT);
    if (status == TROP_OK) {
        status = trop_plot_fit_learning(figure, &run, 1);
    }
    if (status == TROP_OK) {
        status = trop_figure_svg(&svg, &size, figure);
    }
    if (status == TROP_OK) {
        trop_html_put(page, "<div class=\"learning\">");
        trop_html_svg(page, svg, size, "Mean loss and accuracy of each split over the epochs");
        trop_html_put(page, "</div>\n");
    }
    trop_figure_free(figure);
    trop_alloc_free(svg);
    return status;
}

/* ---- what is attended to --------------------------------------------------------------------- */

static void put_attention(struct trop_html *page, const struct trop_fit *fit)
{
    if (!fit->ended || fit->looked < 1) {
        return;
    }
    trop_html_putf(page,
                   "<p>Of %lld items that were looked at, %lld give one token more than half of "
                   "their attention; the mean of the largest weights is %.3f.</p>\n",
                   (long long)fit->looked, (long long)fit->decided, fit->saturation);
}

static void put_words(struct trop_html *page, const struct trop_fit *fit)
{
    const int64_t rows = fit->word_count < WORDS ? fit->word_count : WORDS;
    const int signs = rows > 0 && isfinite(fit->words[0].value);

    if (rows < 1 || !fit->words[0].text) {
        return;
    }
    const double most = fit->words[0].attention > 0 ? fit->words[0].attention : 1;
    trop_html_putf(page,
                   "<p>The words of at least 10 tokens that get the most of it. An equal share, "
                   "1 over the length of the item, is 1 here%s.</p>\n<table class=\"words\">"
                   "<tr><th>word</th><th></th><th>attention</th><th>tokens</th>%s</tr>\n",
                   signs ? "; colours are the class that a word speaks for" : "",
                   signs ? "<th>speaks for</th>" : "");
    for (int64_t k = 0; k < rows; k++) {
        const struct trop_fit_word *word = fit->words + k;
        const int c = word->value > 0;
        trop_html_put(page, "<tr><td>");
        trop_html_words(page, word->text ? word->text : "");
        trop_html_putf(page,
                       "</td><td><div class=\"bar c%s\" style=\"width:%.2frem\">&nbsp;</div></td>"
                       "<td>%.2f</td><td>%lld</td>",
                       !signs ? ""
                       : c    ? "1"
                              : "0",
                       14 * word->attention / most, word->attention, (long long)word->count);
        if (signs) {
            trop_html_put(page, "<td>");
            put_class(page, fit, c);
            trop_html_putf(page, " (%+.2f)</td>", word->value);
        }
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table>\n");
}

static void put_lexicon(struct trop_html *page, const struct trop_job *job,
                        const struct trop_fit *fit)
{
    const struct trop_fit_lexicon *l = &fit->lexicon;
    const char *name = option_of(job, "lexicon");

    if (!fit->ended || !fit->sequences->lexicon || !isfinite(l->auc)) {
        return;
    }
    trop_html_put(page, "<h2>Does it look at the words of the lexicon?</h2>\n<p>");
    trop_html_words(page, name ? name : "Lexicon");
    trop_html_putf(
        page,
        ": the chance that a word of the lexicon gets more than another word of the "
        "same item, a mean over %lld items. One half is no preference; what the controls have "
        "too is not about the lexicon.</p>\n",
        (long long)l->items);
    trop_html_put(page, "<table><tr><th></th><th>AUC</th></tr>\n<tr><td>attention, words of the "
                        "lexicon</td>");
    put_cell(page, "%.3f", l->auc);
    trop_html_put(page, "</tr>\n<tr><td>control: attention, other words that are as frequent</td>");
    put_cell(page, "%.3f", l->fake);
    trop_html_put(page, "</tr>\n<tr><td>control: size of the value, |&lt;v, e&gt;|, in the place "
                        "of attention</td>");
    put_cell(page, "%.3f", l->value);
    trop_html_putf(page,
                   "</tr>\n</table>\n<p>%.1f%% of the attention is on words of the lexicon, which "
                   "are %.1f%% of the tokens.</p>\n",
                   100 * l->mass, 100 * l->uniform);
}

/* ---- sentences ------------------------------------------------------------------------------- */

static void put_shade(struct trop_html *page, double share)
{
    double rgb[3];
    const int is_dark = trop_passage_colour(rgb, share);

    if (share > 1) {
        trop_html_putf(page, "%s style=\"background:#%02x%02x%02x\"",
                       is_dark ? " class=\"dark\"" : "", (int)(255 * rgb[0] + .5),
                       (int)(255 * rgb[1] + .5), (int)(255 * rgb[2] + .5));
    }
}

static void put_sentence(struct trop_html *page, const struct trop_fit *fit,
                         const struct trop_fit_shown *shown)
{
    const int is_right = shown->label == shown->predicted;
    const char *at = shown->text;

    trop_html_put(page, "<div class=\"sentence\"><div><strong>");
    put_class(page, fit, shown->label);
    trop_html_putf(page, "</strong><small%s>%s predicted ", is_right ? "" : " class=\"wrong\"",
                   is_right ? "✓" : "✗");
    put_class(page, fit, shown->predicted);
    trop_html_putf(page, "</small><small>item %lld</small></div>\n<div>", (long long)shown->item);
    for (int64_t t = 0, before = 0; t < shown->tokens && *at; t++) {
        const int64_t length = (int64_t)strcspn(at, " ");
        const int glued = trop_passage_is_glued(at - before - (t > 0), before, at, length);
        const double share = shown->attention[t] * (double)shown->tokens;
        trop_html_put(page, t == 0 || glued ? "" : "\n");
        before = length;
        trop_html_putf(page, "<span title=\"%.4f, %.2f of an equal share\"", shown->attention[t],
                       share);
        put_shade(page, share);
        trop_html_put(page, ">");
        trop_html_word(page, at, length);
        trop_html_put(page, "</span>");
        at += length + (at[length] == ' ');
    }
    trop_html_put(page, "</div></div>\n");
}

static void put_shown(struct trop_html *page, const struct trop_fit *fit)
{
    static const struct {
        const char *text;
        double share;
    } steps[] = { { "1", 1 }, { "2", 2 }, { "4", 4 }, { "8 or more", 8 } };

    if (fit->shown_count < 1 || !fit->shown[0].text) {
        return;
    }
    trop_html_put(page, "<h2>Sentences</h2>\n<p class=\"scale\">Attention relative to an equal "
                        "share: ");
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        trop_html_put(page, "<span");
        put_shade(page, steps[k].share);
        trop_html_putf(page, ">%s</span>\n", steps[k].text);
    }
    trop_html_put(page, "</p>\n");
    for (int64_t k = 0; k < fit->shown_count; k++) {
        put_sentence(page, fit, fit->shown + k);
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

static void put_sparsity(struct trop_html *page, const struct trop_fit *fit)
{
    if (fit->sparsity_count < 1) {
        return;
    }
    trop_html_put(page, "<h2>How sparse the weights are</h2>\n<table><tr><th>tensor</th>"
                        "<th>Hoyer sparsity</th><th>at the start</th>"
                        "<th>entries that carry 90% of the l1 norm</th><th>at the start</th></tr>"
                        "\n");
    for (int64_t k = 0; k < fit->sparsity_count; k++) {
        const struct trop_fit_sparsity *s = fit->sparsity + k;
        trop_html_putf(page, "<tr><td>%s</td>", s->name);
        put_cell(page, "%.3f", s->hoyer);
        put_cell(page, "%.3f", s->hoyer_start);
        put_cell(page, "%.1f%%", 100 * s->share);
        put_cell(page, "%.1f%%", 100 * s->share_start);
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table>\n");
    if (fit->pruned_count < 1) {
        return;
    }
    trop_html_put(page, "<table><tr><th>largest entries of the attention that are kept</th>"
                        "<th>accuracy then</th></tr>\n");
    for (int64_t k = 0; k < fit->pruned_count; k++) {
        trop_html_putf(page, "<tr><td>%g%%</td>", 100 * fit->pruned[k].share);
        put_cell(page, "%.4f", fit->pruned[k].accuracy);
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table>\n");
}

static void put_theory(struct trop_html *page, const struct trop_fit *fit)
{
    if (fit->theory_count < 1) {
        return;
    }
    trop_html_put(page, "<h2>Against max-margin solutions</h2>\n<table><tr><th>p</th>"
                        "<th>constraints</th><th>norm</th><th>divergence</th><th>cosine</th></tr>"
                        "\n");
    for (int64_t k = 0; k < fit->theory_count; k++) {
        const struct trop_fit_theory *t = fit->theory + k;
        trop_html_putf(page, "<tr><td>%g</td><td>%lld</td>", t->p, (long long)t->constraints);
        put_cell(page, "%.6g", t->norm);
        put_cell(page, "%.6g", t->divergence);
        put_cell(page, "%.4f", t->cosine);
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table>\n");
}

static void put_option(struct trop_html *page, const char *name, const char *text)
{
    if (text) {
        trop_html_putf(page, "<dt><code>%s</code></dt><dd>", name);
        trop_html_words(page, text);
        trop_html_put(page, "</dd>\n");
    }
}

static void put_options(struct trop_html *page, const struct trop_job *job)
{
    static const char *const first[] = { "data", "seed" }; /* are not among those that are told */
    const char *text = NULL, *name;

    trop_html_putf(page,
                   "<h2>How it was made</h2>\n<p>tropism %s, verb train, %.1f seconds. The same "
                   "options give the same numbers on any machine.</p>\n<dl>\n",
                   trop_version(), job->stamp.seconds);
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
        put_option(page, first[k], option_of(job, first[k]));
    }
    for (int64_t k = 0; (name = trop_job_option(&text, job, k)); k++) {
        put_option(page, name, text);
    }
    trop_html_put(page, "</dl>\n");
}

enum trop_status trop_fit_html(const struct trop_job *job, const char *path)
{
    const struct trop_fit *fit = trop_job_result(job);
    struct trop_html page = { 0 };

    put_head(&page, job, fit);
    put_splits(&page, fit);
    put_folds(&page, fit);
    enum trop_status status = put_learning(&page, fit);
    if (status != TROP_OK) {
        trop_alloc_free(page.text);
        return status;
    }
    trop_html_put(&page, "<h2>What it attends to</h2>\n");
    put_attention(&page, fit);
    put_words(&page, fit);
    put_lexicon(&page, job, fit);
    put_shown(&page, fit);
    put_sparsity(&page, fit);
    put_theory(&page, fit);
    put_options(&page, job);
    return trop_html_write(&page, path);
}
