/* head_leaders.c -- the leader graph i -> a_i: who is selected by how many, and its cycles.
 *
 * Every token has one leader, so every path ends in one cycle of its component. A walk from each
 * token in turn marks what it meets; one that meets its own mark has found a cycle. Under a causal
 * mask a_i <= i, and only self-loops are left.
 */
#include "model/head/head_internal.h"

#include "base/sort.h"

static int is_before(const void *context, int64_t a, int64_t b)
{
    const int64_t *degree = context;

    return degree[a] != degree[b] ? degree[a] > degree[b] : a < b;
}

static void sinks(struct trop_head_result *head)
{
    int64_t count = 0;

    for (int64_t t = 0; t < head->n; t++) {
        head->degree[t] = 0;
        head->sink[t] = 0;
    }
    for (int64_t i = 0; i < head->n; i++) {
        head->degree[head->argmax[i]]++;
    }
    for (int64_t t = 0; t < head->n; t++) {
        if (head->degree[t] > 0) {
            head->sink[count++] = t;
        }
    }
    trop_sort(head->sink, count, is_before, head->degree);
}

static void end(struct trop_head_result *head, const struct trop_head_input *input)
{
    int64_t *walk = head->scratch->order; /* the start, counted from 1, of who came here first */

    (void)input;
    sinks(head);
    head->self_loops = head->cycles = 0;
    for (int64_t i = 0; i < head->n; i++) {
        walk[i] = 0;
        head->self_loops += head->argmax[i] == i;
    }
    for (int64_t i = 0; i < head->n; i++) {
        int64_t at = i;
        while (walk[at] == 0) {
            walk[at] = i + 1;
            at = head->argmax[at];
        }
        head->cycles += walk[at] == i + 1 && head->argmax[at] != at;
    }
}

const struct trop_head_measurement trop_head_leaders = { TROP_HEAD_MEASURE_LEADERS, NULL, NULL,
                                                         end };
