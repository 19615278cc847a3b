/* model_graph.c -- Graph-SVM: next-token data as priorities between words.
 *
 * An input is a list of words, the last of which, k, asks; the word y that follows is one of
 * the list. Training raises y over every other word x of the list: an edge y -> x of the
 * graph G(k), which all inputs that end in k share. Words on a cycle cannot all win. With
 * i ~ j for words of one strongly connected component and i => j for an edge between two,
 *
 *   (e_i - e_j)' W e_k  = 0  for i ~ j,     >= 1  for i => j.
 *
 * Li, Huang, Ildiz, Rawat, Oymak, "Mechanics of next token prediction with self-attention"
 * (2024). A component of m words needs m - 1 equalities, each with its least word. Several
 * inputs that ask for the same edge ask for it once.
 *
 * Points are the vocabulary; queries are the last words that occur, ascending. input[] is the
 * last word k, token[] the word j. The order: last words, then equalities by word, then edges
 * by (i, j).
 */
#include "margin/model/model_internal.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

#include <string.h>

enum { OPEN = -1, ABSENT = -2 };

/* The edges of all graphs, and what is known of the words of the one being searched. */
struct search {
    int64_t edges;
    int64_t *last, *from, *to; /* (edges) as they were found */
    int64_t *order;            /* (edges) sorted by (last, from, to), equal ones left out */
    int64_t *first, *end;      /* (words) places first .. end - 1 of order leave the word */
    int64_t *place;            /* (words) 1 + when it was found; 0: not yet */
    int64_t *low;              /* (words) the least place known to be reached */
    int64_t *home;             /* (words) least word of its component, or OPEN, or ABSENT */
    int64_t *path, *open;      /* (words) words being searched; found and without component */
    int64_t *word;             /* (words) the words of this graph, ascending */
    int64_t *asks;             /* (words) 1: the last word of some input */
    int64_t paths, opens, found, words;
};

static void search_free(struct search *s)
{
    TROP_FREE(s->last, s->from, s->to, s->order, s->first, s->end, s->place, s->low, s->home,
              s->path, s->open, s->word, s->asks);
}

static enum trop_status search_make(struct search *s, int64_t edges, int64_t words)
{
    *s = (struct search){ 0 };
    if (!TROP_ALLOC(TROP_PART(s->last, edges), TROP_PART(s->from, edges), TROP_PART(s->to, edges),
                    TROP_PART(s->order, edges), TROP_PART(s->first, words),
                    TROP_PART(s->end, words), TROP_PART(s->place, words), TROP_PART(s->low, words),
                    TROP_PART(s->home, words), TROP_PART(s->path, words), TROP_PART(s->open, words),
                    TROP_PART(s->word, words), TROP_PART(s->asks, words))) {
        search_free(s);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the graphs of %lld words",
                         (long long)words);
    }
    return TROP_OK;
}

/* ---- edges --------------------------------------------------------------------------------- */

/* Negative, 0 or positive: edge a before, equal to or after edge b. */
static int compare(const struct search *s, int64_t a, int64_t b)
{
    if (s->last[a] != s->last[b]) {
        return s->last[a] < s->last[b] ? -1 : 1;
    }
    if (s->from[a] != s->from[b]) {
        return s->from[a] < s->from[b] ? -1 : 1;
    }
    return s->to[a] == s->to[b] ? 0 : s->to[a] < s->to[b] ? -1 : 1;
}

/* Equal edges by index, so that the first of them stays. */
static int before(const void *context, int64_t a, int64_t b)
{
    const int order = compare(context, a, b);

    return order < 0 || (order == 0 && a < b);
}

/* ---- components, by Tarjan's algorithm without recursion ----------------------------------- */

static void note_word(struct search *s, int64_t word)
{
    if (s->home[word] == ABSENT) {
        s->home[word] = OPEN;
        s->word[s->words++] = word;
    }
}

static void visit(struct search *s, int64_t word)
{
    s->place[word] = s->low[word] = ++s->found;
    s->path[s->paths++] = word;
    s->open[s->opens++] = word;
}

static void lower(int64_t *low, int64_t value)
{
    *low = value < *low ? value : *low;
}

/* The components of what this word reaches. first[] moves on as edges are taken. */
static void explore(struct search *s, int64_t start)
{
    visit(s, start);
    while (s->paths > 0) {
        const int64_t word = s->path[s->paths - 1];
        if (s->first[word] < s->end[word]) {
            const int64_t next = s->to[s->order[s->first[word]++]];
            if (s->place[next] == 0) {
                visit(s, next);
            } else if (s->home[next] == OPEN) {
                lower(&s->low[word], s->place[next]);
            }
            continue;
        }
        s->paths--;
        if (s->low[word] == s->place[word]) {
            /* The open words from this one on reach each other: a component. */
            int64_t bottom = s->opens, least = word;
            do {
                bottom--;
                least = s->open[bottom] < least ? s->open[bottom] : least;
            } while (s->open[bottom] != word);
            for (int64_t k = bottom; k < s->opens; k++) {
                s->home[s->open[k]] = least;
            }
            s->opens = bottom;
        }
        if (s->paths > 0) {
            lower(&s->low[s->path[s->paths - 1]], s->low[word]);
        }
    }
}

/* ---- constraints ---------------------------------------------------------------------------- */

/* The constraints of the graph of edges begin .. end - 1, all of one last word. */
static void add_graph(struct trop_model_problem *made, struct search *s, int64_t begin, int64_t end,
                      int64_t query)
{
    const int64_t last = s->last[s->order[begin]];

    /* The words of the graph of edges begin .. end - 1, and which of the edges leave each. */
    s->words = 0;
    for (int64_t e = begin; e < end; e++) {
        const int64_t from = s->from[s->order[e]];
        note_word(s, s->to[s->order[e]]);
        note_word(s, from);
        if (s->end[from] == 0) {
            s->first[from] = e;
        }
        s->end[from] = e + 1;
    }
    trop_sort_ascending(s->word, s->words);
    for (int64_t k = 0; k < s->words; k++) {
        if (s->place[s->word[k]] == 0) {
            explore(s, s->word[k]);
        }
    }
    for (int64_t k = 0; k < s->words; k++) {
        const int64_t word = s->word[k], anchor = s->home[word];
        struct trop_model_row row = { anchor, word, query, 1, 0.0, last, word };
        if (word != anchor) {
            trop_model_add(made, &row);
        }
    }
    for (int64_t e = begin; e < end; e++) {
        const int64_t from = s->from[s->order[e]], to = s->to[s->order[e]];
        struct trop_model_row row = { from, to, query, 0, 1.0, last, to };
        if (s->home[from] != s->home[to]) {
            trop_model_add(made, &row);
        }
    }
    for (int64_t k = 0; k < s->words; k++) { /* forgets the graph */
        const int64_t word = s->word[k];
        s->home[word] = ABSENT;
        s->place[word] = s->low[word] = s->first[word] = s->end[word] = 0;
    }
    s->found = 0;
}

/* Query after query in the order of last words, with the edges of each. */
static void add_graphs(struct trop_model_problem *made, struct search *s,
                       const struct trop_data *data)
{
    int64_t query = 0, begin = 0;

    for (int64_t k = 0; k < data->words; k++) {
        int64_t end = begin;
        while (end < s->edges && s->last[s->order[end]] == k) {
            end++;
        }
        if (s->asks[k]) {
            memcpy(trop_model_queries(made) + query * data->d, data->vocabulary + k * data->d,
                   (size_t)data->d * sizeof(double));
        }
        if (end > begin) {
            add_graph(made, s, begin, end, query);
        }
        query += s->asks[k];
        begin = end;
    }
}

enum trop_status trop_model_graph(struct trop_model_problem *out, const struct trop_data *data)
{
    struct trop_model_problem made;
    struct search search;
    enum trop_status status = search_make(&search, data->n * data->T, data->words);

    if (status != TROP_OK) {
        return status;
    }
    int64_t queries = 0;
    for (int64_t i = 0; i < data->n; i++) {
        int64_t *asks = &search.asks[data->ids[(i + 1) * data->T - 1]];
        queries += !*asks;
        *asks = 1;
    }
    for (int64_t k = 0; k < data->words; k++) {
        search.home[k] = ABSENT;
    }
    /* One edge y -> x for every word x other than y of every input, sorted, equal ones once. */
    int64_t kept = 0;
    for (int64_t i = 0; i < data->n; i++) {
        const int64_t *ids = data->ids + i * data->T;
        for (int64_t t = 0; t < data->T; t++) {
            if (ids[t] != data->next[i]) {
                search.last[search.edges] = ids[data->T - 1];
                search.from[search.edges] = data->next[i];
                search.to[search.edges] = ids[t];
                search.edges++;
            }
        }
    }
    for (int64_t e = 0; e < search.edges; e++) {
        search.order[e] = e;
    }
    trop_sort(search.order, search.edges, before, &search);
    for (int64_t e = 0; e < search.edges; e++) {
        if (e == 0 || compare(&search, search.order[e - 1], search.order[e]) != 0) {
            search.order[kept++] = search.order[e];
        }
    }
    search.edges = kept;
    /* A component of m words holds m edges or more and asks for m - 1 equalities, so that
     * edges bound the constraints. */
    struct trop_model_sizes sizes = { data->d, data->d, data->words, queries, search.edges, NULL };
    status = trop_model_begin(&made, &sizes);
    if (status == TROP_OK) {
        memcpy(trop_model_points(&made), data->vocabulary,
               (size_t)(data->words * data->d) * sizeof(double));
        add_graphs(&made, &search, data);
        *out = made;
    }
    search_free(&search);
    return status;
}
