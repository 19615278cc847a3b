/* test_attention.c -- models of attention that are trained: gradients of every model, head and loss
 * against differences of the loss, what is refused, mini-batches, memory. */
#include "attention_support.h"

#include "alloc_failing.c"

#include "base/math/exp.h"

/* ---- every combination ----------------------------------------------------------------------- */

struct combination {
    struct wish wish;
    struct trop_attention_options options;
};

/* Calls visit for every combination of data and options. */
static int64_t each(void (*visit)(const struct combination *c, int64_t number))
{
    static const int64_t queries[] = { 0, 1, 4 }, widths[] = { 1, 2, 3 };
    int64_t number = 0;

    for (int64_t model = TROP_TRAIN_PROMPT; model <= TROP_TRAIN_JOINT; model++) {
        for (int64_t k = 0; k < HEADS * LOSSES * 2 * 3 * 3 * 2 * 2 * 2 * 2; k++) {
            int64_t code = k;
            struct combination c = { .wish = { 3, 4, 3, 0, 0, 1, 1, 0 } };
#define NEXT(count) (code /= (count), code_was % (count))
            int64_t code_was = code;
            c.options = options_for(model, 0, 0);
            c.options.head = NEXT(HEADS), code_was = code;
            c.options.loss = NEXT(LOSSES), code_was = code;
            c.options.mask = NEXT(2) ? TROP_MASK_CAUSAL : TROP_MASK_FULL, code_was = code;
            c.options.width = widths[NEXT(3)], code_was = code;
            c.wish.queries = queries[NEXT(3)], code_was = code;
            c.wish.dk = NEXT(2) ? 2 : 0, code_was = code;
            c.wish.labels = NEXT(2) ? 4 : 1, code_was = code;
            c.wish.heads = NEXT(2) ? 3 : 1, code_was = code;
            c.wish.words = NEXT(2) ? WORDS : 0;
#undef NEXT
            /* Options that the model does not read are varied once. */
            const int idle = (model != TROP_TRAIN_KQ && c.options.width != 2) ||
                             (model != TROP_TRAIN_SEQUENCE && c.options.mask == TROP_MASK_CAUSAL);
            if (!idle) {
                visit(&c, number++);
            }
        }
    }
    return number;
}

/* Why a combination makes no sense, in a word that the sentence must contain; NULL: it does. */
static const char *culprit(const struct combination *c)
{
    const struct trop_attention_options *o = &c->options;
    const int words = c->wish.words > 0, several = c->wish.heads > 1;
    const int one_query =
        o->model == TROP_TRAIN_CROSS || o->model == TROP_TRAIN_KQ || o->model == TROP_TRAIN_JOINT;

    return several && o->head != RELU ? "head"
           : words && (o->head != LINEAR ||
                       (o->model != TROP_TRAIN_CROSS && o->model != TROP_TRAIN_KQ))
               ? "next-token"
           : o->model == TROP_TRAIN_JOINT && o->head == RELU                   ? "joint"
           : o->model == TROP_TRAIN_CROSS && !words && c->wish.queries != 1    ? "query"
           : one_query && c->wish.queries == 4 && o->model != TROP_TRAIN_CROSS ? "query"
           : c->wish.labels > 1 && o->model != TROP_TRAIN_SEQUENCE             ? "label"
           : o->loss == LOG && !words                                          ? "log"
                                                                               : NULL;
}

static int64_t refused, accepted;

static void visit_refusal(const struct combination *c, int64_t number)
{
    static struct sample sample;
    struct trop_attention *attention = NULL;
    const char *why = culprit(c);

    (void)number;
    sample_make(&sample, &c->wish, 7);
    const enum trop_status status = trop_attention_create(&attention, &sample.data, &c->options);
    if (why && (status != TROP_ERR_ARG || !strstr(trop_error(), why))) {
        fail_msg("model %d, head %d, loss %d: expected a refusal about %s, not: %s",
                 (int)c->options.model, (int)c->options.head, (int)c->options.loss, why,
                 status == TROP_OK ? "none" : trop_error());
    }
    if (!why && status != TROP_OK) {
        fail_msg("refused: %s", trop_error());
    }
    refused += why != NULL;
    accepted += why == NULL;
    trop_attention_free(attention);
}

static void a_combination_without_sense_is_refused_with_its_culprit(void **state)
{
    (void)state;
    refused = accepted = 0;
    each(visit_refusal);
    assert_true(refused > 1000 && accepted > 100);
}

static void options_out_of_range_are_refused(void **state)
{
    static struct sample sample;
    struct trop_attention *attention = NULL;
    struct trop_attention_options o = options_for(TROP_TRAIN_SELF, LINEAR, LOGISTIC);

    (void)state;
    sample_make(&sample, &(struct wish){ 3, 4, 3, 0, 0, 1, 1, 0 }, 7);
    o.row = 4;
    assert_int_equal(trop_attention_create(&attention, &sample.data, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "row = 4"));
    o = options_for(TROP_TRAIN_KQ, LINEAR, LOGISTIC);
    o.width = 0;
    assert_int_equal(trop_attention_create(&attention, &sample.data, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "width = 0"));
    sample.data.v = NULL;
    o.width = 2;
    assert_int_equal(trop_attention_create(&attention, &sample.data, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "decoder v"));
    /* A label that no token is: its log-loss is infinite whatever the weights. */
    sample_make(&sample, &(struct wish){ 3, 4, 3, 0, 0, 0, 0, WORDS }, 7);
    o = options_for(TROP_TRAIN_CROSS, LINEAR, LOG);
    for (int64_t t = 0; t < 4; t++) {
        sample.ids[4 + t] = t % 2;
    }
    sample.next[1] = 3;
    assert_int_equal(trop_attention_create(&attention, &sample.data, &o), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "input 1"));
    assert_null(attention);
}

/* ---- gradients ------------------------------------------------------------------------------ */

static double loss_at(struct trained *t, const int64_t *list, int64_t count)
{
    trop_attention_set(t->attention, &t->weights, list, count);
    return trop_attention_loss(t->attention);
}

static int64_t crossed; /* entries at which a kink of the ReLU lies within the steps */

/* Which v_k'o are positive, over all asks. */
static uint64_t pattern(const struct trained *t, const struct sample *sample)
{
    const struct trop_data *data = &sample->data;
    const int64_t asks = trop_attention_asks(t->attention);
    uint64_t signs = 0;

    for (int64_t q = 0; q < asks; q++) {
        const double *x = data->x + q / (asks / data->n) * data->T * data->d;
        const double *log_s = trop_attention_log_weights(t->attention, q);
        for (int64_t k = 0; k < data->heads; k++) {
            double sum = 0;
            for (int64_t e = 0; e < data->T * data->d; e++) {
                sum += exp(log_s[e / data->d]) * x[e] * data->v[k * data->d + e % data->d];
            }
            signs = 2 * signs + (sum > 0);
        }
    }
    return signs;
}

/* dL/dw by central differences of steps h, 2 h and 4 h, extrapolated: with D(h) = L' + c h^2 + d
 * h^4
 *
 *   R(h) = (4 D(h) - D(2h)) / 3 = L' - 4 d h^4,   R(2h) = L' - 64 d h^4,
 *
 * so that |R(2h) - R(h)| is 15 times the error of R(h) from curvature; the rounding of L is some
 * 16 u (1 + |L|) / h. With h = 2^-12 both are below 1e-8: a wrong factor or sign is seen. */
static double difference(double *tolerance, struct trained *t, double *w, const int64_t *list,
                         int64_t count, const struct sample *sample)
{
    const double h = 0x1p-12, was = *w;
    double D[3];
    uint64_t first = 0;
    int same = 1;

    for (int k = 0; k < 3; k++) {
        double loss[2];
        for (int side = 0; side < 2; side++) {
            *w = was + (side ? 1 : -1) * ldexp(h, k);
            loss[side] = loss_at(t, list, count);
            const uint64_t signs = sample ? pattern(t, sample) : 0;
            first = k + side == 0 ? signs : first;
            same = same && signs == first;
        }
        D[k] = (loss[1] - loss[0]) / ldexp(2 * h, k);
        *tolerance = 16 * 0x1p-53 * (1 + fabs(loss[0])) / h;
    }
    *w = was;
    const double near = (4 * D[0] - D[1]) / 3, far = (4 * D[1] - D[2]) / 3;
    *tolerance += fabs(near - far);
    crossed += !same;
    *tolerance = same ? fmin(*tolerance, 1e-8 * (1 + fabs(near))) : INFINITY;
    return near;
}

/* Every entry of every tensor; the gradient is in the weights exp(log_scale) values. */
static void check_gradient(struct trained *t, const int64_t *list, int64_t count,
                           const struct sample *sample)
{
    trop_attention_set(t->attention, &t->weights, list, count);
    trop_attention_gradient(&t->gradient, t->attention);
    for (int64_t k = 0; k < t->weights.count; k++) {
        struct trop_tensor *weight = t->weights.tensor + k;
        const struct trop_tensor *gradient = t->gradient.tensor + k;
        for (int64_t e = 0; e < size_of(weight); e++) {
            double tolerance = 0;
            const double expected =
                difference(&tolerance, t, weight->values + e, list, count, sample);
            const double scale = exp(gradient->log_scale + weight->log_scale);
            const double got = gradient->values[e] == 0 ? 0 : scale * gradient->values[e];
            assert_near(got, expected, tolerance);
        }
    }
}

/* What a straightforward program computes is the same where nothing saturates. An entry is a mean
 * of l' sum_t s_t score_t key_t z of some 64 roundings, scores below 10, key and z below 3.5, and
 * l' at most N L for the exponential loss, exp(N L) for the log-loss, 1 for the others. */
static void check_naive(struct trained *t, const struct combination *c)
{
    struct trop_weights naive;
    const double total = loss_at(t, NULL, 0) * (double)trop_attention_asks(t->attention);
    const double slope = c->options.loss == LOG ? exp(total) : 1 + fabs(total);

    assert_ok(trop_weights_create(&naive, &t->weights));
    trop_attention_gradient(&t->gradient, t->attention);
    for (int64_t order = 0; order < 2; order++) {
        trop_attention_naive(&naive, t->attention, order);
        for (int64_t k = 0; k < naive.count; k++) {
            const struct trop_tensor *gradient = t->gradient.tensor + k;
            const double scale = exp(gradient->log_scale);
            assert_true(naive.tensor[k].log_scale == 0);
            for (int64_t e = 0; e < size_of(naive.tensor + k); e++) {
                const double stable = gradient->values[e] == 0 ? 0 : scale * gradient->values[e];
                assert_near(naive.tensor[k].values[e], stable, 64 * 0x1p-53 * 10 * 12 * slope);
            }
        }
    }
    trop_weights_free(&naive);
}

static uint64_t turn; /* other data every time */

static void visit_gradient(const struct combination *c, int64_t number)
{
    static struct sample sample;
    static const int64_t list[] = { 2, 0 };
    const struct sample *kinks = c->options.head == RELU ? &sample : NULL;
    struct trained t;

    if (culprit(c)) {
        return;
    }
    sample_make(&sample, &c->wish, 100 + (uint64_t)number + turn);
    trained_make(&t, &sample.data, &c->options);
    draw_weights(&t.weights, 0.5, 200 + (uint64_t)number + turn);
    /* Scales that are not 0, one for each tensor. */
    for (int64_t k = 0; k < t.weights.count && number % 2; k++) {
        t.weights.tensor[k].log_scale = k ? -0.25 : 0.5;
    }
    check_gradient(&t, NULL, 0, kinks);
    check_naive(&t, c);
    if (number % 5 == 0) {
        check_gradient(&t, list, 2, kinks);
    }
    accepted++;
    trained_free(&t);
}

static void gradients_are_those_of_the_loss(void **state)
{
    (void)state;
    accepted = crossed = 0;
    for (turn = 0; turn < 10000 * (uint64_t)cases(1, 20); turn += 10000) {
        each(visit_gradient);
    }
    assert_true(accepted > 100 && crossed < accepted / 10);
}

/* ---- mini-batches -------------------------------------------------------------------------- */

/* The mean over a list is that of a model that has only those inputs. */
static void a_batch_is_a_model_of_its_inputs(void **state)
{
    static struct sample all, part;
    static const int64_t list[] = { 4, 1 };
    const struct wish wish = { 5, 4, 3, 0, 4, 4, 1, 0 };
    const struct trop_attention_options o = options_for(TROP_TRAIN_SEQUENCE, LINEAR, LOGISTIC);
    struct trained a, b;

    (void)state;
    sample_make(&all, &wish, 11);
    part = all;
    for (int64_t k = 0; k < 2; k++) { /* in the order of the inputs, as sums go */
        const int64_t from = list[1 - k];
        memcpy(part.x + k * 12, all.x + from * 12, 12 * sizeof(double));
        memcpy(part.z + k * 12, all.z + from * 12, 12 * sizeof(double));
        memcpy(part.y + k * 4, all.y + from * 4, 4 * sizeof(double));
    }
    part.data.n = 2;
    part.data.x = part.x, part.data.z = part.z, part.data.y = part.y, part.data.v = part.v;
    trained_make(&a, &all.data, &o);
    trained_make(&b, &part.data, &o);
    draw_weights(&a.weights, 0.5, 12);
    trop_weights_copy(&b.weights, &a.weights);
    assert_true(loss_at(&a, list, 2) == loss_at(&b, NULL, 0));
    assert_true(trop_attention_infimum(a.attention) == trop_attention_infimum(b.attention));
    assert_true(trop_attention_log_gap(a.attention) == trop_attention_log_gap(b.attention));
    trop_attention_gradient(&a.gradient, a.attention);
    trop_attention_gradient(&b.gradient, b.attention);
    assert_true(a.gradient.tensor[0].log_scale == b.gradient.tensor[0].log_scale);
    assert_memory_equal(a.gradient.memory, b.gradient.memory, 9 * sizeof(double));
    trained_free(&a);
    trained_free(&b);
}

/* ---- what it tells ------------------------------------------------------------------------- */

/* A hand-made softmax: logits 0 and log 3, so weights 1/4 and 3/4. */
static void outputs_of_a_softmax_by_hand(void **state)
{
    const double x[] = { 1, 0, 0, 1 }, v[] = { 2, 5 }, y[] = { 1 };
    const struct trop_data data = {
        .n = 1, .T = 2, .d = 2, .x = x, .y = y, .labels = 1, .v = v, .heads = 1
    };
    struct trop_attention_options o = options_for(TROP_TRAIN_PROMPT, LINEAR, CORRELATION);
    struct trained t;

    (void)state;
    trained_make(&t, &data, &o);
    t.weights.tensor[0].values[1] = log(3);
    assert_near(loss_at(&t, NULL, 0), -4.25, 4 * 0x1p-53 * 4.25);
    assert_int_equal(trop_attention_best(t.attention, 0), 1);
    assert_near(trop_attention_log_weights(t.attention, 0)[0], log(0.25), 4 * 0x1p-53);
    assert_near(trop_attention_log_weights(t.attention, 0)[1], log(0.75), 4 * 0x1p-53);
    assert_near(trop_attention_margin(t.attention), log(3), 4 * 0x1p-53);
    assert_near(trop_attention_infimum(t.attention), -5, 0);
    assert_near(trop_attention_log_gap(t.attention), log(0.75), 4 * 0x1p-53);
    assert_true(trop_attention_scores(t.attention, 0)[0] == 2);
    trop_attention_gradient(&t.gradient, t.attention);
    /* -s_0 s_1 (5 - 2) (e_1 - e_0) */
    assert_near(t.gradient.tensor[0].values[1] * exp(t.gradient.tensor[0].log_scale), -0.5625,
                8 * 0x1p-53);
    assert_near(t.gradient.tensor[0].values[0] * exp(t.gradient.tensor[0].log_scale), 0.5625,
                8 * 0x1p-53);
    trained_free(&t);
}

/* A place of a causal sequence sees itself and what is before it. */
static void causal_places_see_the_past(void **state)
{
    static struct sample sample;
    struct trop_attention_options o = options_for(TROP_TRAIN_SEQUENCE, LINEAR, LOGISTIC);
    struct trained t;

    (void)state;
    sample_make(&sample, &(struct wish){ 2, 4, 3, 0, 0, 1, 1, 0 }, 21);
    o.mask = TROP_MASK_CAUSAL;
    trained_make(&t, &sample.data, &o);
    draw_weights(&t.weights, 1, 22);
    trop_attention_set(t.attention, &t.weights, NULL, 0);
    assert_int_equal(trop_attention_asks(t.attention), 8);
    for (int64_t q = 0; q < 8; q++) {
        double sum = 0;
        for (int64_t s = 0; s < 4; s++) {
            const double log_s = trop_attention_log_weights(t.attention, q)[s];
            assert_true((log_s > -INFINITY) == (s <= q % 4));
            sum += exp(log_s);
        }
        assert_near(sum, 1, 16 * 0x1p-53);
    }
    trained_free(&t);
}

/* A decoder of e^900: the loss is 0 or infinite as far as double goes, and nothing is NaN. */
static void a_decoder_beyond_double_is_held(void **state)
{
    static struct sample sample;
    const struct trop_attention_options o = options_for(TROP_TRAIN_JOINT, LINEAR, LOGISTIC);
    struct trained t;

    (void)state;
    sample_make(&sample, &(struct wish){ 3, 4, 3, 0, 1, 1, 1, 0 }, 51);
    trained_make(&t, &sample.data, &o);
    draw_weights(&t.weights, 0.5, 52);
    t.weights.tensor[1].values[0] = 0;
    t.weights.tensor[1].log_scale = 900;
    assert_true(!isnan(loss_at(&t, NULL, 0)));
    trop_attention_gradient(&t.gradient, t.attention);
    for (int64_t e = 0; e < 12; e++) {
        assert_true(isfinite(t.gradient.memory[e]));
    }
    assert_true(!isnan(t.gradient.tensor[0].log_scale) && !isnan(t.gradient.tensor[1].log_scale));
    trained_free(&t);
}

/* ---- what each model reads ----------------------------------------------------------------- */

/* The weights of ask q of one model are, bit for bit, those of ask r of another. */
static void assert_same_weights(struct trained *a, int64_t q, struct trained *b, int64_t r)
{
    assert_memory_equal(trop_attention_log_weights(a->attention, q),
                        trop_attention_log_weights(b->attention, r), 4 * sizeof(double));
}

/* Cross attention over the first input with the given 4 queries. */
static void cross_of(struct trained *out, struct sample *room, const struct sample *from,
                     const double *queries, const struct trop_tensor *weight)
{
    const struct trop_attention_options o = options_for(TROP_TRAIN_CROSS, LINEAR, LOGISTIC);

    sample_make(room, &(struct wish){ 4, 4, 3, 0, 1, 1, 1, 0 }, 1);
    for (int64_t i = 0; i < 4; i++) {
        memcpy(room->x + 12 * i, from->x, 12 * sizeof(double));
    }
    memcpy(room->z, queries, 12 * sizeof(double));
    trained_make(out, &room->data, &o);
    memcpy(out->weights.memory, weight->values, 9 * sizeof(double));
    trop_attention_set(out->attention, &out->weights, NULL, 0);
}

static void models_read_the_queries_they_should(void **state)
{
    static const int64_t models[] = { TROP_TRAIN_SEQUENCE, TROP_TRAIN_SELF, TROP_TRAIN_JOINT,
                                      TROP_TRAIN_KQ };
    static struct sample sample, room;
    struct trained a, b;

    (void)state;
    for (size_t m = 0; m < 4; m++) {
        for (int64_t queries = 0; queries <= 4; queries += queries ? 3 : 1) {
            struct trop_attention_options o = options_for(models[m], LINEAR, LOGISTIC);
            const int own = queries == (models[m] == TROP_TRAIN_SEQUENCE ? 4 : 1) &&
                            models[m] != TROP_TRAIN_SELF;
            if ((m >= 2 && queries == 4) || (models[m] == TROP_TRAIN_JOINT && queries == 0)) {
                continue; /* refused, or a prompt */
            }
            o.width = 3;
            sample_make(&sample, &(struct wish){ 2, 4, 3, 0, queries, 1, 1, 0 }, 41);
            trained_make(&a, &sample.data, &o);
            draw_weights(&a.weights, 1, 42);
            for (int64_t e = 0; models[m] == TROP_TRAIN_KQ && e < 9; e++) {
                a.weights.tensor[1].values[e] = e % 4 == 0; /* Q = 1: K is W */
            }
            trop_attention_set(a.attention, &a.weights, NULL, 0);
            const double *z = own ? sample.z : sample.x;
            cross_of(&b, &room, &sample, z, a.weights.tensor);
            for (int64_t q = 0; q < (models[m] == TROP_TRAIN_SEQUENCE ? 4 : 1); q++) {
                const int64_t row = models[m] == TROP_TRAIN_SEQUENCE ? q : own ? 0 : o.row;
                assert_same_weights(&a, q, &b, row);
            }
            trained_free(&a);
            trained_free(&b);
        }
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

static enum trop_status make_all(void)
{
    static struct sample sample;
    const struct trop_attention_options o = options_for(TROP_TRAIN_CROSS, LINEAR, LOG);
    struct trop_attention *attention = NULL;
    struct trop_weights weights = { 0 };

    sample_make(&sample, &(struct wish){ 3, 4, 3, 0, 0, 0, 0, WORDS }, 31);
    enum trop_status status = trop_attention_create(&attention, &sample.data, &o);
    if (status == TROP_OK) {
        status = trop_weights_create(&weights, trop_attention_shape(attention));
    }
    if (status == TROP_OK) { /* a read or write past the end is seen by the address sanitizer */
        struct trop_weights gradient = { 0 };
        status = trop_weights_create(&gradient, &weights);
        if (status == TROP_OK) {
            trop_attention_set(attention, &weights, NULL, 0);
            trop_attention_gradient(&gradient, attention);
            trop_weights_free(&gradient);
        }
    }
    trop_weights_free(&weights);
    trop_attention_free(attention);
    return status;
}

static void refused_memory_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    alloc_refuse_each(make_all);
}

static void weights_too_large_for_memory_are_refused(void **state)
{
    struct trop_weights like = { .count = 2,
                                 .tensor = {
                                     { .name = "W", .rows = INT64_MAX / 2, .columns = 1 },
                                     { .name = "v", .rows = INT64_MAX / 2 + 9, .columns = 1 } } };
    struct trop_weights out = { 0 };

    (void)state;
    assert_int_equal(trop_weights_create(&out, &like), TROP_ERR_MEMORY);
    assert_null(out.memory);
    like.tensor[0].columns = INT64_MAX / 2;
    assert_int_equal(trop_weights_create(&out, &like), TROP_ERR_MEMORY);
    like.tensor[0] = (struct trop_tensor){ .name = "W", .rows = 2, .columns = 3 };
    like.tensor[1] = (struct trop_tensor){ .name = "v", .rows = 3, .columns = 1 };
    assert_ok(trop_weights_create(&out, &like));
    assert_true(out.tensor[1].values == out.memory + 6);
    trop_weights_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_combination_without_sense_is_refused_with_its_culprit),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(gradients_are_those_of_the_loss),
        cmocka_unit_test(a_batch_is_a_model_of_its_inputs),
        cmocka_unit_test(outputs_of_a_softmax_by_hand),
        cmocka_unit_test(causal_places_see_the_past),
        cmocka_unit_test(a_decoder_beyond_double_is_held),
        cmocka_unit_test(models_read_the_queries_they_should),
        cmocka_unit_test(refused_memory_is_an_error_and_leaves_nothing),
        cmocka_unit_test(weights_too_large_for_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
