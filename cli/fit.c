/* fit.c -- the summary of the verb train on texts and images. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#define WORDS 8 /* listed for a class */
#define WIDTH 79

static double number_of(const struct trop_job *job, const char *name)
{
    return cli_print_value(job, name).number;
}

/* ---- how it went ----------------------------------------------------------------------- */

static void print_splits(const struct trop_job *job)
{
    const int64_t rows = cli_print_value(job, "splits").shape[0];

    printf("\n%-13s%8s%13s%13s\n", "", "items", "loss", "accuracy");
    for (int64_t row = 0; row < rows; row++) {
        printf("%-13s%8lld", cli_print_cell(job, "splits", "split", row).text,
               (long long)cli_print_cell(job, "splits", "items", row).integer);
        cli_print_column(job, "splits", "chosen_loss", row, 12);
        cli_print_column(job, "splits", "chosen_accuracy", row, 12);
        printf("\n");
    }
}

static void print_folds(const struct trop_job *job)
{
    const struct trop_value folds = cli_print_value(job, "folds");
    const struct trop_value deviation = cli_print_value(job, "test_deviation");

    if (folds.kind != TROP_KIND_LIST) {
        return;
    }
    printf("%-13s%lld, accuracy of their tests %.4f", "folds", (long long)folds.shape[0],
           number_of(job, "test_mean"));
    if (deviation.kind == TROP_KIND_NUMBER) {
        printf(" +- %.4f (standard deviation)", deviation.number);
    }
    printf("\n");
}

/* Layers in which tokens attend to each other: of train and test, what hardmax in them changes. */
static void print_layers(const struct trop_job *job)
{
    const struct trop_value a = cli_print_value(job, "weights.a");
    const struct trop_value loss = cli_print_cell(job, "splits", "hardmax_loss", 0);

    if (a.kind != TROP_KIND_NUMBERS || loss.kind != TROP_KIND_NUMBER) {
        return;
    }
    printf("%-13sa = %.4g; with hardmax the train loss changes by %.2g", "layers", a.numbers[0],
           loss.number - cli_print_cell(job, "splits", "chosen_loss", 0).number);
    if (cli_print_cell(job, "splits", "hardmax_accuracy", 2).kind == TROP_KIND_NUMBER) {
        printf(",\n%-13sand the test's accuracy is %.4f", "",
               cli_print_cell(job, "splits", "hardmax_accuracy", 2).number);
    }
    printf("\n");
}

static void print_sparsity(const struct trop_job *job)
{
    const int64_t rows = cli_print_value(job, "sparsity").shape[0];

    for (int64_t row = 0; row < rows; row++) {
        printf("%-13s%s: Hoyer %.3f (start %.3f), 90%% in %.1f%% of the entries (%.1f%%)\n",
               row == 0 ? "sparsity" : "", cli_print_cell(job, "sparsity", "tensor", row).text,
               cli_print_cell(job, "sparsity", "hoyer", row).number,
               cli_print_cell(job, "sparsity", "hoyer_start", row).number,
               100 * cli_print_cell(job, "sparsity", "share", row).number,
               100 * cli_print_cell(job, "sparsity", "share_start", row).number);
    }
}

/* ---- what is attended to ---------------------------------------------------------------- */

static void print_lexicon(const struct trop_job *job)
{
    const struct trop_value auc = cli_print_value(job, "lexicon.auc");

    if (auc.kind == TROP_KIND_NUMBER) {
        printf("%-13sAUC %.3f of attention; controls: %.3f for words as frequent,\n"
               "%-13s%.3f by |v'e|; %.1f%% of the attention on %.1f%% of the tokens\n",
               "lexicon", auc.number, number_of(job, "lexicon.fake"), "",
               number_of(job, "lexicon.value"), 100 * number_of(job, "lexicon.mass"),
               100 * number_of(job, "lexicon.uniform"));
    }
}

static void print_theory(const struct trop_job *job)
{
    const int64_t rows = cli_print_value(job, "theory").shape[0];

    for (int64_t row = 0; row < rows; row++) {
        printf("%-13sp = %-6g divergence from its max-margin solution", row == 0 ? "theory" : "",
               cli_print_cell(job, "theory", "p", row).number);
        cli_print_column(job, "theory", "divergence", row, 12);
        printf("\n");
    }
}

/* The name of a class; where it has none, its number. */
static const char *class_name(char out[80], const struct trop_job *job, int64_t k)
{
    const struct trop_value name = cli_print_cell(job, "classes", "name", k);

    if (name.kind == TROP_KIND_TEXT) {
        snprintf(out, 80, "%s", name.text);
    } else {
        snprintf(out, 80, "class %lld", (long long)k);
    }
    return out;
}

/* The words that get the most attention of those that speak for a class: the sign of their value
 * says which. sign 0: of all, where values have none. */
static void print_words_for(const struct trop_job *job, const char *title, int sign)
{
    const int64_t rows = cli_print_value(job, "words").shape[0];
    int64_t listed = 0, column = 13;

    for (int64_t row = 0; row < rows && listed < WORDS; row++) {
        const struct trop_value word = cli_print_cell(job, "words", "word", row);
        const struct trop_value value = cli_print_cell(job, "words", "value", row);
        if (word.kind != TROP_KIND_TEXT || (sign > 0 && !(value.number > 0)) ||
            (sign < 0 && !(value.number <= 0))) {
            continue;
        }
        char text[320];
        snprintf(text, sizeof text, "%.300s %.1f", word.text,
                 cli_print_cell(job, "words", "attention", row).number);
        const int64_t width = cli_terminal_columns(text, strlen(text));
        if (listed == 0) {
            printf("%-13s", title);
        } else if (column + width + 3 > WIDTH) {
            printf(",\n%13s", "");
            column = 13;
        } else {
            printf(", ");
            column += 2;
        }
        printf("%s", text);
        column += width;
        listed++;
    }
    printf("%s", listed > 0 ? "\n" : "");
}

static void print_words(const struct trop_job *job)
{
    const struct trop_value words = cli_print_value(job, "words");
    char name[80], title[2][96];

    if (words.shape[0] < 1) {
        return;
    }
    if (cli_print_cell(job, "words", "value", 0).kind != TROP_KIND_NUMBER) {
        print_words_for(job, "words", 0);
        return;
    }
    snprintf(title[1], sizeof title[1], "words: %.80s ", class_name(name, job, 1));
    snprintf(title[0], sizeof title[0], "       %.80s ", class_name(name, job, 0));
    print_words_for(job, title[1], 1);
    print_words_for(job, title[0], -1);
}

/* ---- single items ----------------------------------------------------------------------- */

/* Black letters on white paper, whatever the terminal's own colours are; the paper is bluer the
 * more attention a word gets: the nearest power of 2 times an equal share, on the scale of
 * logarithms. Colours of the 256: L* = 100, 84, 67, 39. */
static const struct shade {
    double share; /* from which on */
    int paper, ink;
    const char *name;
} shades[] = { { 0, 231, 16, " 1 " },
               { 1.4, 153, 16, " 2 " },
               { 2.8, 74, 16, " 4 " },
               { 5.7, 25, 231, " 8 or more " } };
#define SHADES (sizeof shades / sizeof shades[0])

static const struct shade *shade_of(double share)
{
    size_t k = SHADES - 1;

    while (k > 0 && !(share >= shades[k].share)) {
        k--;
    }
    return shades + k;
}

static void print_on_paper(const struct shade *shade, const char *text, size_t length)
{
    printf("\033[48;5;%d;38;5;%dm%.*s", shade->paper, shade->ink, (int)length, text);
}

static void print_legend(int colours)
{
    if (!colours) {
        printf("\nin brackets: attention relative to an equal share, from 2 on\n");
        return;
    }
    printf("\nattention relative to an equal share: ");
    for (size_t k = 0; k < SHADES; k++) {
        print_on_paper(shades + k, shades[k].name, strlen(shades[k].name));
    }
    printf("\033[0m\n");
}

/* Ends a line of paper that is so far this wide. */
static void end_line(int64_t column, int64_t width, int colours)
{
    if (colours) {
        print_on_paper(shades, "", 0);
        printf("%*s\033[0m", (int)(column < width ? width - column : 0), "");
    }
    printf("\n");
}

/* The words of an item: on a terminal shaded by their attention, else those that get at least twice
 * an equal share with that number in brackets. */
static void print_item(const char *text, const struct trop_value *weights, int colours,
                       int64_t width)
{
    int64_t column = 0;
    const char *at = text;

    for (int64_t t = 0; *at && t < weights->shape[0]; t++) {
        const size_t length = strcspn(at, " ");
        const double share = weights->numbers[t] * (double)weights->shape[0];
        char mark[24] = "";
        if (!colours && share >= 2) {
            snprintf(mark, sizeof mark, "[%.1f]", share);
        }
        const int64_t wide = cli_terminal_columns(at, length) + (int64_t)strlen(mark);
        if (column > 0 && column + 1 + wide > width) {
            end_line(column, width, colours);
            column = 0;
        }
        if (colours) {
            print_on_paper(shades, column > 0 ? " " : "", 1);
            print_on_paper(shade_of(share), at, length);
        } else {
            printf("%s%.*s%s", column > 0 ? " " : "  ", (int)length, at, mark);
        }
        column += wide + (column > 0);
        at += length + (at[length] == ' ');
    }
    end_line(column, width, colours);
}

static void print_shown(const struct trop_job *job)
{
    const int64_t rows = cli_print_value(job, "shown").shape[0];
    const int colours = cli_terminal_has_colours();
    const int64_t width = colours ? cli_terminal_width() : WIDTH - 2;

    for (int64_t row = 0; row < rows; row++) {
        const struct trop_value text = cli_print_cell(job, "shown", "text", row);
        const struct trop_value weights = cli_print_cell(job, "shown", "attention", row);
        const int64_t label = cli_print_cell(job, "shown", "label", row).integer;
        const int64_t predicted = cli_print_cell(job, "shown", "predicted", row).integer;
        char name[2][80];
        if (row == 0 && text.kind == TROP_KIND_TEXT) {
            print_legend(colours);
        }
        printf("\nitem %lld: %s, %spredicted %s\n",
               (long long)cli_print_cell(job, "shown", "item", row).integer,
               class_name(name[0], job, label), label == predicted ? "" : "wrongly ",
               class_name(name[1], job, predicted));
        if (text.kind == TROP_KIND_TEXT) {
            print_item(text.text, &weights, colours, width);
        } else {
            printf("  weights:");
            for (int64_t t = 0; t < weights.shape[0]; t++) {
                printf(" %.3f", weights.numbers[t]);
            }
            printf("\n");
        }
    }
}

void cli_fit_print(const struct trop_job *job)
{
    printf("%-13s%lld, the weights are those of epoch %lld\n", "epochs",
           (long long)cli_print_value(job, "epochs").integer,
           (long long)cli_print_value(job, "chosen_epoch").integer);
    print_folds(job);
    const struct trop_value looked = cli_print_value(job, "looked");
    if (looked.kind == TROP_KIND_INTEGER) {
        printf("%-13smean of the largest weights %.3f; above 1/2 in %lld of %lld items\n",
               "attention", number_of(job, "saturation"),
               (long long)cli_print_value(job, "decided").integer, (long long)looked.integer);
    }
    print_layers(job);
    print_lexicon(job);
    print_theory(job);
    print_sparsity(job);
    print_words(job);
    cli_print_out(job);
    print_splits(job);
    print_shown(job);
}
