/* train_state.c -- the whole state of a training run as words of 64 bits, for checkpoints.
 *
 * One list has every piece of it; saving, loading and checking walk that list. What a run is made
 * of (data, options, weights at the start) is no part of the state but for a sum over each, by
 * which a state of another run is known. Left out as well is what the next step makes before it
 * reads it (gradient, attention, copies for backtracking, order of the inputs), and max-margin
 * solutions, which are solved again: they are functions of the selection.
 *
 *   head, pieces, sum over all words before it
 */
#include "learn/train.h"

#include "base/checksum.h"
#include "base/option.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define MAGIC 0x74726f70747261 /* "troptra" */

/* Over what a run is made of. */
enum sum { SUM_DATA, SUM_OPTIONS, SUM_START, SUMS };

/* What stands at the front. */
enum head {
    HEAD_MAGIC,
    HEAD_SUMS,
    HEAD_STEPS = HEAD_SUMS + SUMS, /* that the run was to take */
    HEAD_ROWS,                     /* records */
    HEAD_KEPT,                     /* which arrays of rows are there: */
    HEAD_SIZE
};
enum kept { HISTORY = 1, ALPHAS = 2 };

/* ---- sums over what a run is made of --------------------------------------------------------- */

static uint64_t sum_of(uint64_t sum, const void *array, int64_t count)
{
    return array ? trop_checksum_words(sum, array, count) : sum;
}

static uint64_t sum_of_data(const struct trop_data *q)
{
    const int64_t sizes[] = { q->n,      q->T,      q->d,      q->labels,  q->queries,
                              q->dk,     q->words,  q->heads,  q->x != 0,  q->y != 0,
                              q->z != 0, q->v != 0, q->k != 0, q->ids != 0 };
    uint64_t sum = trop_checksum_words(0, sizes, sizeof sizes / sizeof sizes[0]);

    sum = sum_of(sum, q->x, q->n * q->T * q->d);
    sum = sum_of(sum, q->y, q->n * q->labels);
    sum = sum_of(sum, q->z, q->n * q->queries * q->d);
    sum = sum_of(sum, q->v, trop_data_heads(q) * q->d);
    sum = sum_of(sum, q->k, q->n * q->T * q->dk);
    sum = sum_of(sum, q->vocabulary, q->words * q->d);
    sum = sum_of(sum, q->ids, q->n * q->T);
    return sum_of(sum, q->next, q->n);
}

/* Every option that is not left at its default, but those that change no step: its name, and the
 * text that reads back to the same bits. So a state outlives options that come after it. */
static uint64_t sum_of_options(const struct trop_train *train)
{
    const struct trop_train_options usual = trop_train_options_default();
    uint64_t sum = 0;

    for (const struct trop_option *o = trop_train_option_table(); o->name; o++) {
        char text[256] = "", left[256] = "";
        if (o->type == TROP_TYPE_ARRAY || strcmp(o->name, "steps") == 0 ||
            strcmp(o->name, "threads") == 0) {
            continue;
        }
        trop_option_text(text, sizeof text, &train->options, o);
        trop_option_text(left, sizeof left, &usual, o);
        if (strcmp(text, left) != 0) {
            sum = trop_checksum_bytes(sum, o->name, (int64_t)strlen(o->name));
            sum = trop_checksum_bytes(sum, text, (int64_t)strlen(text));
        }
    }
    return sum_of(sum, train->list, train->options.eta_schedule.count);
}

/* What it is begun with is gone after the first step; the rest is summed up when a state is saved.
 */
void trop_train_state_begin(struct trop_train *train)
{
    train->start_sum = sum_of(0, train->weights.memory, train->total);
}

static void sum_up(uint64_t sums[SUMS], const struct trop_train *train)
{
    sums[SUM_DATA] = sum_of_data(&train->data.data);
    sums[SUM_OPTIONS] = sum_of_options(train);
    sums[SUM_START] = train->start_sum;
}

/* ---- the list -------------------------------------------------------------------------------- */

#define WORDS(type) ((int64_t)(sizeof(type) / sizeof(int64_t)))

/* A new member of a step or of a run is noticed here: whether it belongs to the list. */
_Static_assert(sizeof(void *) != 8 ||
                   sizeof(struct trop_optimizer_step) ==
                       8 * (6 + TROP_OPTIMIZER_STATES + TROP_OPTIMIZER_NUMBERS + 1),
               "every member of an optimiser's step is listed, or set before it");
_Static_assert(sizeof(void *) != 8 ||
                   sizeof(struct trop_train) ==
                       sizeof(struct trop_train_options) + sizeof(struct trop_data_copy) +
                           2 * sizeof(struct trop_optimizer_settings) +
                           3 * sizeof(struct trop_weights) +
                           TROP_WEIGHTS_MAX * (sizeof(struct trop_optimizer_step) +
                                               TROP_OPTIMIZER_STATES * sizeof(double *)) +
                           sizeof(struct trop_train_solutions) + sizeof(struct trop_train_several) +
                           TROP_TRAIN_LETTERS * sizeof(struct trop_tensor) +
                           sizeof(struct trop_data) + 8 * 27,
               "every member of a run is listed, or made of what is");

static void add(struct trop_train_pieces *list, const char *name, void *at, int64_t count,
                int64_t least, int64_t most)
{
    list->piece[list->count++] = (struct trop_train_piece){ name, at, count, least, most };
}

/* kept: which of history and alphas are among the words. */
static void list_pieces(struct trop_train_pieces *list, struct trop_train *train, int64_t rows,
                        int64_t kept)
{
    list->count = 0;
    add(list, "k", &train->k, 1, 0, train->options.steps);
    add(list, "passing", &train->passing, 1, 0, rows > 0);
    add(list, "shrink", &train->shrink, 1, TROP_TRAIN_FINITE, 0);
    for (int64_t t = 0; t < train->weights.count; t++) {
        struct trop_tensor *tensor = train->weights.tensor + t;
        struct trop_optimizer_step *step = train->state + t;
        const int64_t size = tensor->rows * tensor->columns;
        add(list, "weights", tensor->values, size, TROP_TRAIN_FINITE, 0);
        add(list, "log_scale", &tensor->log_scale, 1, TROP_TRAIN_NUMBER, 0);
        add(list, "number", step->number, TROP_OPTIMIZER_NUMBERS, TROP_TRAIN_NUMBER, 0);
        for (int64_t s = 0; s < train->optimizer->states; s++) {
            add(list, s ? "state1" : "state0", step->state[s], size, TROP_TRAIN_NUMBER, 0);
        }
    }
    add(list, "records", train->records, rows * WORDS(struct trop_train_record), TROP_TRAIN_ANY, 0);
    add(list, "history", train->history, kept & HISTORY ? rows * train->total : 0, TROP_TRAIN_ANY,
        0);
    add(list, "alphas", train->alphas, kept & ALPHAS ? rows * train->asks : 0, -1, INT64_MAX);
    add(list, "alpha", train->alpha, train->asks, -1, INT64_MAX);
    add(list, "shown", train->shown, train->total, TROP_TRAIN_ANY, 0);
    add(list, "several", &train->several, WORDS(struct trop_train_several), TROP_TRAIN_ANY, 0);
}

static int64_t kept_of(const struct trop_train *train)
{
    return (train->history ? HISTORY : 0) | (train->alphas ? ALPHAS : 0);
}

void trop_train_state_list(struct trop_train_pieces *list, struct trop_train *train)
{
    list_pieces(list, train, train->count, kept_of(train));
}

/* ---- saving ---------------------------------------------------------------------------------- */

static int64_t size_of(const struct trop_train_pieces *list)
{
    int64_t size = HEAD_SIZE + 1;

    for (int64_t k = 0; k < list->count; k++) {
        size += list->piece[k].count;
    }
    return size;
}

int64_t trop_train_state_size(const struct trop_train *train)
{
    struct trop_train_pieces list;

    trop_train_state_list(&list, (struct trop_train *)train);
    return size_of(&list);
}

void trop_train_state_save(int64_t *words, const struct trop_train *train)
{
    struct trop_train_pieces list;
    int64_t *at = words + HEAD_SIZE;

    trop_train_state_list(&list, (struct trop_train *)train);
    words[HEAD_MAGIC] = MAGIC;
    uint64_t sums[SUMS];
    sum_up(sums, train);
    memcpy(words + HEAD_SUMS, sums, sizeof sums);
    words[HEAD_STEPS] = train->options.steps;
    words[HEAD_ROWS] = train->count;
    words[HEAD_KEPT] = kept_of(train);
    for (int64_t k = 0; k < list.count; k++) {
        if (list.piece[k].count > 0) {
            memcpy(at, list.piece[k].at, (size_t)list.piece[k].count * sizeof *at);
        }
        at += list.piece[k].count;
    }
    const uint64_t sum = trop_checksum_words(0, words, at - words);
    memcpy(at, &sum, sizeof sum);
}

/* ---- loading --------------------------------------------------------------------------------- */

static int is_sound(const struct trop_train_piece *piece, const int64_t *words)
{
    for (int64_t k = 0; k < piece->count; k++) {
        double number;
        memcpy(&number, words + k, sizeof number);
        const int fine = piece->least == TROP_TRAIN_ANY      ? 1
                         : piece->least == TROP_TRAIN_NUMBER ? !isnan(number)
                         : piece->least == TROP_TRAIN_FINITE
                             ? isfinite(number)
                             : words[k] >= piece->least && words[k] <= piece->most;
        if (!fine) {
            return 0;
        }
    }
    return 1;
}

/* Refuses words of another run, and damaged ones, by what is at their front. */
static enum trop_status check_head(const struct trop_train *train, const int64_t *words,
                                   int64_t count)
{
    static const char *const other[] = {
        [SUM_DATA] = "on other data",
        [SUM_OPTIONS] = "with other options",
        [SUM_START] = "from other weights",
    };
    uint64_t sum = 0;

    if (count <= HEAD_SIZE || words[HEAD_MAGIC] != MAGIC) {
        return trop_fail(TROP_ERR_ARG, "state: is not of a training run");
    }
    memcpy(&sum, words + count - 1, sizeof sum);
    if (sum != trop_checksum_words(0, words, count - 1)) {
        return trop_fail(TROP_ERR_ARG, "state: its words are damaged");
    }
    uint64_t sums[SUMS];
    sum_up(sums, train);
    for (int k = 0; k < SUMS; k++) {
        if (memcmp(words + HEAD_SUMS + k, sums + k, sizeof *words) != 0) {
            return trop_fail(TROP_ERR_ARG, "state: is of a run %s", other[k]);
        }
    }
    return words[HEAD_STEPS] > train->options.steps
               ? trop_fail(TROP_ERR_ARG,
                           "steps = %lld: the state is of a run of %lld, must be at least as many",
                           (long long)train->options.steps, (long long)words[HEAD_STEPS])
               : TROP_OK;
}

enum trop_status trop_train_state_load(struct trop_train *train, const int64_t *words,
                                       int64_t count)
{
    struct trop_train_pieces list;
    enum trop_status status = check_head(train, words, count);

    if (status != TROP_OK) {
        return status;
    }
    const int64_t rows = words[HEAD_ROWS], kept = words[HEAD_KEPT];
    int sound = rows >= 0 && rows <= train->capacity && (kept | kept_of(train)) == kept;
    list_pieces(&list, train, sound ? rows : 0, kept);
    sound = sound && count == size_of(&list);
    const int64_t *at = words + HEAD_SIZE;
    for (int64_t k = 0; k < list.count && sound; at += list.piece[k++].count) {
        sound = is_sound(list.piece + k, at);
    }
    if (!sound) {
        return trop_fail(TROP_ERR_ARG, "state: its words are damaged");
    }
    at = words + HEAD_SIZE;
    for (int64_t k = 0; k < list.count; at += list.piece[k++].count) {
        if (list.piece[k].at && list.piece[k].count > 0) {
            memcpy(list.piece[k].at, at, (size_t)list.piece[k].count * sizeof *at);
        }
    }
    trop_train_keep(train, rows);
    /* What is told at the last step goes when there are more steps than there were. */
    if (train->k == words[HEAD_STEPS] && train->k < train->options.steps && rows > 0) {
        train->passing = train->last->step == train->k;
    }
    return trop_train_compare_again(train);
}
