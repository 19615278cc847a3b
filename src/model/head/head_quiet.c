/* head_quiet.c -- hypothetical, since no model iterates a head: into how many sets would its tokens
 * gather?
 *
 * Row i follows every token whose score is within epsilon of its best, i -> j for s_ij >= max_t
 * s_it - epsilon. Sets of tokens that follow one another and nobody else, the closed strong
 * components of that graph, are what hardmax or localmax with these scores would keep apart. More
 * arcs never make more of them: a closed component of the larger graph contains one of the smaller
 * graph. So the least epsilon that leaves one set is found by bisection, over the doubles
 * themselves, whose bits are in the order of the numbers; it is one of the drops, which are right
 * to 5 u.
 *
 * Closed components are those that nobody enters in the graph turned round. A search from every
 * token in turn leaves the tokens in the order in which it was done with them; taken from the last
 * one, each token that no earlier one reaches is in such a component (Sharir 1981).
 */
#include "model/head/head_internal.h"

#include <math.h>
#include <string.h>

static void row(struct trop_head_result *head, const struct trop_head_input *input)
{
    const struct trop_head_row *r = &head->scratch->row;
    double *drops = head->scratch->drops + r->i * head->n;

    (void)input;
    for (int64_t t = 0; t < head->n; t++) {
        const int seen = t >= r->first && t < r->first + r->count;
        drops[t] = seen ? r->drop[t - r->first] : INFINITY;
    }
}

/* From token v on to whoever follows it, and so on; place is where the next token that is done
 * with stands in order. */
static void search(struct trop_head_scratch *s, int64_t n, double epsilon, int64_t v,
                   int64_t *place)
{
    int64_t depth = 0;

    s->mark[v] = 1;
    s->stack[0] = v;
    s->next[0] = 0;
    while (depth >= 0) {
        const int64_t at = s->stack[depth];
        int64_t i = s->next[depth];
        while (i < n && (s->mark[i] || !(s->drops[i * n + at] <= epsilon))) {
            i++;
        }
        s->next[depth] = i + 1;
        if (i < n) {
            s->mark[i] = 1;
            s->stack[++depth] = i;
            s->next[depth] = 0;
        } else {
            s->order[(*place)++] = at;
            depth--;
        }
    }
}

static int64_t sets_at(struct trop_head_scratch *s, int64_t n, double epsilon)
{
    int64_t place = 0, sets = 0;

    memset(s->mark, 0, (size_t)n * sizeof *s->mark);
    for (int64_t v = 0; v < n; v++) {
        if (!s->mark[v]) {
            search(s, n, epsilon, v, &place);
        }
    }
    memcpy(s->done, s->order, (size_t)n * sizeof *s->done);
    memset(s->mark, 0, (size_t)n * sizeof *s->mark);
    place = 0;
    for (int64_t k = n - 1; k >= 0; k--) {
        if (!s->mark[s->done[k]]) {
            search(s, n, epsilon, s->done[k], &place);
            sets++;
        }
    }
    return sets;
}

static void end(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;
    int64_t low, high; /* bits of epsilon: several sets there; one */
    double most = 0;

    (void)input;
    for (int64_t k = 0; k < head->n * head->n; k++) {
        most = isfinite(s->drops[k]) ? fmax(most, s->drops[k]) : most;
    }
    head->quiet_sets = sets_at(s, head->n, 0);
    head->quiet_epsilon = head->quiet_sets == 1           ? 0
                          : sets_at(s, head->n, most) > 1 ? INFINITY
                                                          : most;
    if (head->quiet_epsilon == 0 || isinf(head->quiet_epsilon)) {
        return;
    }
    const double none = 0;
    memcpy(&low, &none, sizeof low);
    memcpy(&high, &most, sizeof high);
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        double epsilon;
        memcpy(&epsilon, &middle, sizeof epsilon);
        if (sets_at(s, head->n, epsilon) == 1) {
            high = middle;
        } else {
            low = middle;
        }
    }
    memcpy(&head->quiet_epsilon, &high, sizeof high);
}

const struct trop_head_measurement trop_head_quiet = { TROP_HEAD_MEASURE_QUIET, NULL, row, end };
