/* test_model.c -- the constraints that each model makes of data, against their definition. */
#include "support.h"

#include "margin/model/model_internal.h"

#define MOST 4096

static double x[MOST], z[MOST], v[MOST], keys[MOST], y[MOST], w[MOST], weights[MOST];
static int64_t chosen[MOST], relaxed[MOST];

/* Small whole numbers, so that every sum of products below is exact. */
static void wholes(double *out, int64_t count, uint64_t seed)
{
    for (int64_t k = 0; k < count; k++) {
        out[k] = (double)(whole(seed, (uint64_t)k, 19) - 9);
    }
}

/* n inputs of T tokens in R^d with queries (n, queries, d), labels, keys of dimension dk. */
static struct trop_data data_of(int64_t n, int64_t T, int64_t d, int64_t queries, uint64_t seed)
{
    wholes(x, n * T * d, seed);
    wholes(z, n * T * d, seed + 1);
    wholes(keys, n * T * (d + 1), seed + 2);
    wholes(v, d, seed + 3);
    for (int64_t i = 0; i < n * T; i++) {
        y[i] = uniform(seed, (uint64_t)i) < 0.5 ? -1 : 1;
        chosen[i] = whole(seed + 4, (uint64_t)i, T);
        weights[i] = uniform(seed + 5, (uint64_t)i) < 0.5 ? 0 : uniform(seed + 6, (uint64_t)i);
    }
    for (int64_t i = 0; i < n; i++) {
        weights[i * T + whole(seed + 7, (uint64_t)i, T)] = 0.25;
        relaxed[i] = whole(seed + 8, (uint64_t)i, 2);
    }
    return (struct trop_data){ .n = n,
                               .T = T,
                               .d = d,
                               .x = x,
                               .y = y,
                               .labels = 1,
                               .z = queries ? z : NULL,
                               .queries = queries,
                               .v = v };
}

static struct trop_model_choice choice_of(int64_t model)
{
    return (struct trop_model_choice){ .model = model, .select = chosen };
}

/* <A_j, W> of the problem as it stands. */
static double value_of(const struct trop_problem *p, int64_t j)
{
    double sum = 0;
    for (int64_t a = 0; a < p->rows; a++) {
        double left = p->plus[j] < 0 ? 0 : p->point[p->plus[j] * p->rows + a];
        left -= p->minus[j] < 0 ? 0 : p->point[p->minus[j] * p->rows + a];
        for (int64_t b = 0; b < p->columns; b++) {
            sum += left * w[a * p->columns + b] * p->query[p->asked[j] * p->columns + b];
        }
    }
    return sum;
}

/* k' W q, or k' W when q is NULL. */
static double logit(const double *k, int64_t rows, const double *q, int64_t columns)
{
    double sum = 0;
    for (int64_t a = 0; a < rows; a++) {
        for (int64_t b = 0; b < columns; b++) {
            sum += k[a] * w[a * columns + b] * (q ? q[b] : 1.0);
        }
    }
    return sum;
}

/* ---- what the constraints say --------------------------------------------------------------- */

/* Every constraint of an attention model, in order, from the definition: a lead of the selected
 * token over each other that query k of input i sees. */
static void check_wins(const struct trop_problem *p, const struct trop_data *data,
                       const struct trop_model_choice *choice)
{
    const int prompt = choice->model == TROP_MODEL_PROMPT;
    const int sequence = choice->model == TROP_MODEL_SEQUENCE;
    const int64_t n = data->n, T = data->T, d = data->d, asks = sequence ? T : 1;
    const double *k = prompt && data->k ? data->k : data->x;
    const int64_t rows = prompt && data->k ? data->dk : d, columns = prompt ? 1 : d;
    int64_t j = 0;

    assert_int_equal(p->rows, rows);
    assert_int_equal(p->columns, columns);
    for (int64_t q = 0; q < n * asks; q++) {
        const int64_t i = q / asks;
        const double *asking = prompt                             ? NULL
                               : choice->model == TROP_MODEL_SELF ? x + (i * T + choice->row) * d
                               : sequence && !data->z             ? x + q * d
                                                                  : z + q * d;
        const double won = logit(k + (i * T + choice->select[q]) * rows, rows, asking, columns);
        for (int64_t t = 0; t < T; t++) {
            if (t == choice->select[q] || (choice->mask == TROP_MASK_CAUSAL && t > q % asks)) {
                continue;
            }
            assert_true(j < p->count);
            assert_int_equal(p->input[j], q);
            assert_int_equal(p->token[j], t);
            assert_int_equal(p->equal[j], 0);
            assert_true(p->right[j] == (choice->relaxed && relaxed[i] ? 0 : 1));
            assert_true(value_of(p, j) ==
                        won - logit(k + (i * T + t) * rows, rows, asking, columns));
            j++;
        }
    }
    assert_int_equal(j, p->count);
}

static void a_selected_token_leads_over_every_other(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)cases(200, 5000); seed++) {
        const int64_t n = 1 + whole(seed, 1, 4), T = 1 + whole(seed, 2, 5),
                      d = 1 + whole(seed, 3, 4);
        const int64_t models[] = { TROP_MODEL_PROMPT, TROP_MODEL_CROSS, TROP_MODEL_SELF };
        for (int k = 0; k < 3; k++) {
            struct trop_data data = data_of(n, T, d, 1, seed * 10);
            struct trop_model_choice choice = choice_of(models[k]);
            struct trop_model_problem made;
            data.k = seed % 2 ? keys : NULL;
            data.dk = d + 1;
            choice.row = whole(seed, 4, T);
            choice.relaxed = seed % 3 ? relaxed : NULL;
            wholes(w, (d + 1) * d, seed);
            assert_ok(trop_model_build(&made, &data, &choice));
            assert_int_equal(made.problem.count, n * (T - 1));
            check_wins(&made.problem, &data, &choice);
            trop_model_free(&made);
        }
    }
}

static void every_place_of_a_sequence_selects_for_itself(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)cases(200, 5000); seed++) {
        const int64_t n = 1 + whole(seed, 1, 3), T = 1 + whole(seed, 2, 5),
                      d = 1 + whole(seed, 3, 4);
        for (int64_t mask = TROP_MASK_FULL; mask <= TROP_MASK_CAUSAL; mask++) {
            struct trop_data data = data_of(n, T, d, seed % 2 ? T : 0, seed * 10);
            struct trop_model_choice choice = choice_of(TROP_MODEL_SEQUENCE);
            struct trop_model_problem made;
            choice.mask = mask;
            choice.relaxed = seed % 3 ? relaxed : NULL;
            for (int64_t q = 0; mask == TROP_MASK_CAUSAL && q < n * T; q++) {
                chosen[q] = whole(seed + 9, (uint64_t)q, q % T + 1);
            }
            wholes(w, d * d, seed);
            assert_ok(trop_model_build(&made, &data, &choice));
            assert_int_equal(made.problem.count,
                             mask == TROP_MASK_CAUSAL ? n * T * (T - 1) / 2 : n * T * (T - 1));
            check_wins(&made.problem, &data, &choice);
            trop_model_free(&made);
        }
    }
}

static void a_label_of_minus_one_turns_its_token_round(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct trop_data data = data_of(7, 3, 4, 0, seed);
        struct trop_model_choice choice = choice_of(TROP_MODEL_LABEL);
        struct trop_model_problem made;
        wholes(w, 4, seed + 50);
        assert_ok(trop_model_build(&made, &data, &choice));
        assert_int_equal(made.problem.count, 7);
        assert_int_equal(made.problem.points, 7);
        for (int64_t i = 0; i < 7; i++) {
            double truth = y[i] * logit(x + (i * 3 + chosen[i]) * 4, 4, NULL, 1);
            assert_true(value_of(&made.problem, i) == truth);
            assert_true(made.problem.right[i] == 1 && !made.problem.equal[i]);
            assert_int_equal(made.problem.input[i], i);
            assert_int_equal(made.problem.token[i], chosen[i]);
        }
        trop_model_free(&made);
    }
}

/* With one anchor, n (T - 1) constraints say what all pairs say: any W is feasible for both or
 * for neither. Here: the values of all pairs are differences of those of the anchor. */
static void weights_make_tokens_share_their_input(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const int64_t n = 3, T = 2 + whole(seed, 1, 4), d = 3;
        struct trop_data data = data_of(n, T, d, 1, seed);
        struct trop_model_choice choice = { .model = TROP_MODEL_CROSS, .weights = weights };
        struct trop_model_problem made, finite;
        int64_t j = 0, f = 0;
        wholes(w, d * d, seed + 50);
        choice.relaxed = seed % 2 ? relaxed : NULL;
        assert_ok(trop_model_build(&made, &data, &choice));
        assert_ok(trop_model_finite(&finite, &data, &choice));
        for (int64_t i = 0; i < n; i++) {
            int64_t anchor = 0;
            while (weights[i * T + anchor] == 0) {
                anchor++;
            }
            double lead = logit(x + (i * T + anchor) * d, d, z + i * d, d);
            for (int64_t t = 0; t < T; t++) {
                if (t == anchor) {
                    continue;
                }
                const struct trop_problem *p = &made.problem;
                double other = logit(x + (i * T + t) * d, d, z + i * d, d);
                int shares = weights[i * T + t] > 0;
                assert_int_equal(p->equal[j], shares);
                assert_true(value_of(p, j) == (shares ? other - lead : lead - other));
                assert_true(p->right[j] == (shares || (choice.relaxed && relaxed[i]) ? 0 : 1));
                assert_true(p->input[j] == i && p->token[j] == t);
                j++;
                if (shares) {
                    long double truth = logl((long double)weights[i * T + t]) -
                                        logl((long double)weights[i * T + anchor]);
                    assert_int_equal(finite.problem.equal[f], 1);
                    assert_true(value_of(&finite.problem, f) == other - lead);
                    /* One rounding of a difference that long double knows to 2^-60. */
                    assert_near((double)(finite.problem.right[f] - truth), 0,
                                0x1p-53 * fabs((double)truth) + 0x1p-60);
                    f++;
                }
            }
        }
        assert_int_equal(j, made.problem.count);
        assert_int_equal(f, finite.problem.count);
        trop_model_free(&made);
        trop_model_free(&finite);
    }
}

static void equal_weights_have_no_finite_part(void **state)
{
    (void)state;
    struct trop_data data = data_of(1, 3, 2, 1, 5);
    double equal[] = { 0.3, 0.3, 0x1.3333333333334p-2 };
    struct trop_model_choice choice = { .model = TROP_MODEL_CROSS, .weights = equal };
    struct trop_model_problem made;

    assert_ok(trop_model_finite(&made, &data, &choice));
    assert_int_equal(made.problem.count, 2);
    assert_true(made.problem.right[0] == 0);
    /* One ulp, 2^-54, above 0.3: log(1 + e) = e - e^2 / 2, e = 2^-54 / 0.3. */
    assert_near(made.problem.right[1], 0x1p-54 / 0.3, 1e-30);
    trop_model_free(&made);
}

static void auto_is_the_model_that_the_data_suggest(void **state)
{
    (void)state;
    const int64_t words[] = { 0, 1, 2, 0, 1, 2 }, next[] = { 0, 1 };
    for (int64_t queries = 0; queries <= 3; queries++) {
        struct trop_data data = data_of(2, 3, 4, queries == 2 ? 0 : queries, 1);
        struct trop_model_choice choice = choice_of(TROP_MODEL_AUTO);
        struct trop_model_problem made;
        data.vocabulary = queries == 2 ? x : NULL;
        data.words = 3;
        data.ids = words;
        data.next = next;
        const int64_t truth = queries == 0   ? TROP_MODEL_PROMPT
                              : queries == 1 ? TROP_MODEL_CROSS
                              : queries == 2 ? TROP_MODEL_GRAPH
                                             : TROP_MODEL_SEQUENCE;
        assert_int_equal(trop_margin_auto(&data), truth);
        assert_ok(trop_model_build(&made, &data, &choice));
        assert_int_equal(made.problem.columns, truth == TROP_MODEL_PROMPT ? 1 : 4);
        assert_int_equal(made.problem.queries, truth == TROP_MODEL_PROMPT     ? 1
                                               : truth == TROP_MODEL_CROSS    ? 2
                                               : truth == TROP_MODEL_SEQUENCE ? 6
                                                                              : 1);
        trop_model_free(&made);
    }
}

/* ---- published problems --------------------------------------------------------------------- */

/* P1, figure 1(a): the solution for token 0 is (-0.1, 1) / 1.01, and only the third token is at
 * margin 1: it is lambda A_j of that one constraint. */
static void figure_1_of_p1_has_its_solution(void **state)
{
    (void)state;
    double k[] = { -0.1, 1, 1, 0, 0, 0 };
    struct trop_data data = { .n = 1, .T = 3, .d = 2, .x = k };
    int64_t first = 0;
    struct trop_model_choice choice = { .model = TROP_MODEL_AUTO, .select = &first };
    struct trop_model_problem made;

    assert_ok(trop_model_build(&made, &data, &choice));
    w[0] = -0.1 / 1.01;
    w[1] = 1 / 1.01;
    assert_int_equal(made.problem.count, 2);
    assert_near(value_of(&made.problem, 0), 1.11 / 1.01, 4e-16);
    assert_near(value_of(&made.problem, 1), 1, 4e-16);
    assert_near((w[0] * w[0] + w[1] * w[1]) / 2, 0.49505, 5e-6);
    trop_model_free(&made);
}

/* The counterexample to global convergence: GMM (1, -3), LMM (1, 0) with margins 1 and 2. */
static void the_counterexample_has_its_two_solutions(void **state)
{
    (void)state;
    double k[] = { 1, 0, 0, 0, 0, 0, 2, 1 };
    struct trop_data data = { .n = 2, .T = 2, .d = 2, .x = k };
    int64_t global[] = { 0, 0 }, local[] = { 0, 1 };
    struct trop_model_choice choice = { .model = TROP_MODEL_PROMPT, .select = global };
    struct trop_model_problem made;

    assert_ok(trop_model_build(&made, &data, &choice));
    w[0] = 1;
    w[1] = -3;
    assert_true(value_of(&made.problem, 0) == 1 && value_of(&made.problem, 1) == 1);
    trop_model_free(&made);
    choice.select = local;
    assert_ok(trop_model_build(&made, &data, &choice));
    w[1] = 0;
    assert_true(value_of(&made.problem, 0) == 1 && value_of(&made.problem, 1) == 2);
    trop_model_free(&made);
}

/* ---- scores ---------------------------------------------------------------------------------- */

static void scores_do_not_depend_on_the_order_of_coordinates(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const int64_t d = 12;
        double tokens[36], out[3];
        struct trop_data data = {
            .n = 1, .T = 3, .d = d, .x = tokens, .v = v, .y = y, .labels = 1
        };
        y[0] = seed % 2 ? 1 : -1;
        for (int64_t c = 0; c < d; c++) {
            v[c] = ldexp(1.0, (int)whole(seed, (uint64_t)c, 5)); /* products below are exact */
            double product =
                normal(seed, (uint64_t)c) * pow(10, (double)whole(seed, 99, 3) * (double)c);
            int64_t turned = (c + 5) % d;
            tokens[c] = product / v[c];
            tokens[d + turned] = 0;
            tokens[2 * d + c] = c == 0   ? 1e16 / v[c]
                                : c == 1 ? 1 / v[c]
                                : c == 2 ? -1e16 / v[c]
                                         : 0;
        }
        for (int64_t c = 0; c < d; c++) {
            tokens[d + (c + 5) % d] = tokens[c] * v[c] / v[(c + 5) % d];
        }
        trop_model_scores(out, &data);
        long double truth = 0, size = 0;
        for (int64_t c = 0; c < d; c++) {
            truth += (long double)tokens[c] * v[c];
            size += fabsl((long double)tokens[c] * v[c]);
        }
        assert_true(out[0] == out[1]);
        assert_true(out[2] == y[0]);
        /* An ulp of ours, and 12 roundings of long double. */
        assert_near(out[0], y[0] * (double)truth,
                    0x1p-52 * fabs((double)truth) + 0x1p-60 * (double)size);
    }
}

/* Ties included. Half of the tokens are the first one in another order of coordinates. */
static void the_best_tokens_are_those_of_the_best_scores(void **state)
{
    (void)state;
    enum { T = 7, D = 19 };
    int64_t ties = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        double tokens[T * D], out[T], best[T], about[T];
        struct trop_data data = {
            .n = 1, .T = T, .d = D, .x = tokens, .v = v, .y = y, .labels = 1
        };
        const double range = seed % 3 ? 1 : 1e12, size = seed % 5 ? 1 : 1e-200;
        y[0] = seed % 2 ? 1 : -1;
        for (int64_t c = 0; c < D; c++) {
            v[c] = 1;
        }
        double largest = 0;
        for (int64_t k = 0; k < T * D; k++) {
            tokens[k] = normal(seed, (uint64_t)k) * (k % D < 4 ? range : 1) * size;
            largest = fmax(largest, 2 * fabs(tokens[k]));
        }
        for (int64_t t = 1; t < T; t += 2) { /* a rotation; of some one coordinate is moved */
            for (int64_t c = 0; c < D; c++) {
                tokens[t * D + c] = tokens[(c + t) % D];
            }
            tokens[t * D + 5] = t == 5 ? nextafter(tokens[t * D + 5], 1e300) : tokens[t * D + 5];
        }
        trop_model_scores(out, &data);
        trop_model_scores_best(best, about, &data, largest);
        double top = out[0], other = best[0];
        for (int64_t t = 1; t < T; t++) {
            top = fmax(top, out[t]);
            other = fmax(other, best[t]);
        }
        int64_t winners = 0;
        for (int64_t t = 0; t < T; t++) {
            assert_int_equal(out[t] == top, best[t] == other);
            winners += out[t] == top;
        }
        ties += winners > 1;
    }
    assert_true(ties > 20 && ties < 280);
}

static void scores_of_a_sequence_have_a_label_for_each_place(void **state)
{
    (void)state;
    const int64_t n = 2, T = 3, d = 4;
    struct trop_data data = data_of(n, T, d, 0, 3);
    double out[2 * 3 * 3];
    data.labels = T;
    trop_model_scores(out, &data);
    for (int64_t q = 0; q < n * T; q++) {
        for (int64_t t = 0; t < T; t++) {
            double sum = 0;
            for (int64_t c = 0; c < d; c++) {
                sum += v[c] * x[(q / T * T + t) * d + c];
            }
            assert_true(out[q * T + t] == y[q] * sum);
        }
    }
    data.heads = 1;
    trop_model_scores(out, &data);
    assert_true(out[17] == out[17]);
    data.heads = 2; /* a head that is not linear */
    trop_model_scores(out, &data);
    assert_true(isnan(out[0]) && isnan(out[17]));
    data.heads = 0;
    data.v = NULL;
    trop_model_scores(out, &data);
    assert_true(isnan(out[0]) && isnan(out[17]));
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* The last call was refused with these words. */
static void assert_refused(enum trop_status status, const char *words)
{
    assert_int_equal(status, TROP_ERR_ARG);
    if (!strstr(trop_error(), words)) {
        fail_msg("\"%s\" does not say \"%s\"", trop_error(), words);
    }
}

static void data_that_a_model_cannot_use_are_refused(void **state)
{
    (void)state;
    const struct trop_data good = data_of(3, 4, 2, 1, 1);
    const int64_t ids[] = { 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2 }, next[] = { 0, 2, 1 };
    struct trop_data data;
#define REFUSED(change, model, words) \
    data = good; \
    change; \
    assert_refused(trop_model_check(&data, model), words)

    assert_refused(trop_model_check(NULL, TROP_MODEL_CROSS), "data: missing");
    REFUSED((void)0, 7, "model = 7: must be from 0 to 6");
    REFUSED((void)0, -1, "model = -1");
    REFUSED(data.n = 0, TROP_MODEL_CROSS, "data: n = 0, must be at least 1");
    REFUSED(data.T = -2, TROP_MODEL_CROSS, "data: T = -2, must be at least 1");
    REFUSED(data.d = 0, TROP_MODEL_CROSS, "data: d = 0, must be at least 1");
    REFUSED(data.k = keys, TROP_MODEL_PROMPT, "data: dk = 0, must be at least 1");
    REFUSED(data.n = INT64_MAX / 4, TROP_MODEL_CROSS, "are too large");
    REFUSED(data.heads = INT64_MAX, TROP_MODEL_CROSS, "are too large");
    REFUSED((data.T = (int64_t)1 << 32, data.queries = 1), TROP_MODEL_CROSS, "are too large");
    REFUSED(data.labels = 2, TROP_MODEL_CROSS, "data: labels = 2 with y, must be 1 or T = 4");
    REFUSED(data.queries = 3, TROP_MODEL_CROSS, "data: queries = 3 with z, must be 1 or T = 4");
    REFUSED(data.x = NULL, TROP_MODEL_CROSS, "data: tokens x are missing, the cross model");
    REFUSED(data.x = NULL, TROP_MODEL_PROMPT, "data: tokens x are missing, the prompt model");
    REFUSED(data.x = NULL, TROP_MODEL_SELF, "data: tokens x are missing, the self model");
    REFUSED(data.x = NULL, TROP_MODEL_SEQUENCE, "data: tokens x are missing, the sequence model");
    REFUSED(data.x = NULL, TROP_MODEL_LABEL, "data: tokens x are missing, the label model");
    REFUSED(data.z = NULL, TROP_MODEL_CROSS, "data: queries z are missing, the cross model");
    REFUSED(data.queries = 4, TROP_MODEL_CROSS,
            "data: 4 queries of an input, the cross model needs 1");
    REFUSED((void)0, TROP_MODEL_SEQUENCE,
            "data: 1 queries of an input, the sequence model needs 4");
    REFUSED(data.y = NULL, TROP_MODEL_LABEL, "data: labels y are missing, the label model");
    REFUSED(data.labels = 4, TROP_MODEL_LABEL,
            "data: 4 labels of an input, the label model needs 1");
    REFUSED(data.labels = 4, TROP_MODEL_CROSS,
            "data: 4 labels of an input, the cross model needs 1; a label for each token is for");
    REFUSED((void)0, TROP_MODEL_GRAPH, "data: vocabulary is missing, the graph model");
    REFUSED((data.vocabulary = x, data.words = 0), TROP_MODEL_GRAPH, "data: words = 0, must be");
    REFUSED((data.vocabulary = x, data.words = 3), TROP_MODEL_GRAPH, "data: ids are missing");
    REFUSED((data.vocabulary = x, data.words = 3, data.ids = ids), TROP_MODEL_GRAPH,
            "data: next words are missing");
    REFUSED((data.vocabulary = x, data.words = 2, data.ids = ids, data.next = next),
            TROP_MODEL_GRAPH, "data: ids has word 2 at entry 2 (from 0), must be from 0 to 1");
    const int64_t wrong[] = { 0, 2, 3 }, unseen[] = { 0, 2, 3 };
    REFUSED((data.vocabulary = x, data.words = 3, data.ids = ids, data.next = wrong),
            TROP_MODEL_GRAPH, "data: next has word 3 at entry 2 (from 0), must be from 0 to 2");
    REFUSED((data.vocabulary = x, data.words = 4, data.ids = ids, data.next = unseen),
            TROP_MODEL_GRAPH, "data: word 3 follows input 2, must be one of its words");
    v[3] = NAN;
    REFUSED(data.heads = 2, TROP_MODEL_CROSS,
            "data: v has nan at entry 3 (from 0), must be finite");
    v[3] = 0;
    y[1] = 0.5;
    REFUSED((void)0, TROP_MODEL_CROSS, "data: label 0 of input 1 is 0.5, must be -1 or 1");
    y[1] = 1;
    double *arrays[] = { x, z, v, keys, x };
    const char *words[] = { "data: x has inf at entry 1", "data: z has", "data: v has",
                            "data: k has", "data: vocabulary has" };
    for (int k = 0; k < 5; k++) {
        double kept = arrays[k][1];
        arrays[k][1] = INFINITY;
        data = good;
        data.k = keys;
        data.dk = 3;
        if (k == 4) {
            data.x = NULL;
            data.vocabulary = x;
            data.words = 3;
        }
        assert_refused(trop_model_check(&data, TROP_MODEL_PROMPT), words[k]);
        arrays[k][1] = kept;
    }
#undef REFUSED
}

static void choices_that_a_model_cannot_use_are_refused(void **state)
{
    (void)state;
    struct trop_data data = data_of(3, 8, 2, 1, 1);
    struct trop_data sequence = data;
    struct trop_model_problem made;
    struct trop_model_choice c;
    sequence.z = NULL;
#define REFUSED(from, kind, change, words) \
    c = choice_of(kind); \
    change; \
    assert_refused(trop_model_build(&made, &(from), &c), words)

    REFUSED(data, TROP_MODEL_CROSS, c.select = NULL, "select: missing, the cross model needs");
    chosen[2] = 9;
    REFUSED(data, TROP_MODEL_CROSS, (void)0, "select: input 2 has token 9, must be from 0 to 7");
    REFUSED(data, TROP_MODEL_LABEL, (void)0, "select: input 2 has token 9, must be from 0 to 7");
    REFUSED(sequence, TROP_MODEL_SEQUENCE, (void)0,
            "select: query 2 of input 0 has token 9, must be from 0 to 7");
    chosen[2] = -1;
    REFUSED(data, TROP_MODEL_AUTO, (void)0, "select: input 2 has token -1, must be from 0 to 7");
    chosen[0] = chosen[1] = 0;
    chosen[2] = 3;
    REFUSED(sequence, TROP_MODEL_SEQUENCE, c.mask = TROP_MASK_CAUSAL,
            "select: query 2 of input 0 has token 3, must be from 0 to 2 (causal mask)");
    REFUSED(data, TROP_MODEL_CROSS, c.mask = TROP_MASK_CAUSAL,
            "causal mask: not for the cross model");
    REFUSED(data, TROP_MODEL_CROSS, c.mask = 2, "mask = 2: must be 0 or 1");
    REFUSED(data, TROP_MODEL_SELF, c.row = 8, "row = 8: must be from 0 to 7");
    REFUSED(data, TROP_MODEL_SELF, c.row = -1, "row = -1: must be from 0 to 7");
    relaxed[1] = 2;
    REFUSED(data, TROP_MODEL_CROSS, c.relaxed = relaxed, "relaxed: input 1 has 2, must be 0 or 1");
    REFUSED(data, TROP_MODEL_LABEL, c.relaxed = relaxed, "relaxed: not for the label model");
    REFUSED(data, TROP_MODEL_LABEL, c.weights = weights, "weights: not for the label model");
    REFUSED(sequence, TROP_MODEL_SEQUENCE, c.weights = weights,
            "weights: not for the sequence model");
    weights[9] = -0.5;
    REFUSED(data, TROP_MODEL_CROSS, c.weights = weights,
            "weights: token 1 of input 1 has -0.5, must be finite and not negative");
    weights[9] = NAN;
    REFUSED(data, TROP_MODEL_CROSS, c.weights = weights, "must be finite and not negative");
    weights[9] = INFINITY;
    REFUSED(data, TROP_MODEL_CROSS, c.weights = weights, "token 1 of input 1 has inf");
    memset(weights + 8, 0, 8 * sizeof *weights);
    REFUSED(data, TROP_MODEL_CROSS, c.weights = weights,
            "weights: input 1 has no token of positive weight");
    c = choice_of(TROP_MODEL_CROSS);
    assert_refused(trop_model_finite(&made, &data, &c), "weights: missing, the finite part");
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_selected_token_leads_over_every_other),
        cmocka_unit_test(every_place_of_a_sequence_selects_for_itself),
        cmocka_unit_test(a_label_of_minus_one_turns_its_token_round),
        cmocka_unit_test(weights_make_tokens_share_their_input),
        cmocka_unit_test(equal_weights_have_no_finite_part),
        cmocka_unit_test(auto_is_the_model_that_the_data_suggest),
        cmocka_unit_test(figure_1_of_p1_has_its_solution),
        cmocka_unit_test(the_counterexample_has_its_two_solutions),
        cmocka_unit_test(scores_do_not_depend_on_the_order_of_coordinates),
        cmocka_unit_test(the_best_tokens_are_those_of_the_best_scores),
        cmocka_unit_test(scores_of_a_sequence_have_a_label_for_each_place),
        cmocka_unit_test(data_that_a_model_cannot_use_are_refused),
        cmocka_unit_test(choices_that_a_model_cannot_use_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
