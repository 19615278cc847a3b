/* margin_farkas.c -- proofs that no W satisfies the constraints.
 *
 * lambda, not negative on inequalities, with A'lambda = 0 and r'lambda > 0 is such a proof
 * (Farkas): 0 = <A'lambda, W> >= r'lambda > 0 for any W that does. Rounded numbers nearly never
 * satisfy A'lambda = 0, so one of these is shown:
 *
 *   row    a single row is 0 and asks for more;
 *   exact  lambda in whole numbers, tested without rounding (margin_farkas_whole.c);
 *   solve  a verified solve shows that such a lambda exists near the guess
 *          (margin_farkas_solve.c).
 *
 * The candidate says where to look. Rows that ask the same query, number by number, contradict
 * each other when their differences of points do, in far fewer coordinates, and mostly it is one
 * input that cannot be satisfied. So the sets that are tried, until one proves it, are the
 * candidate's rows of one query after the other, all of the candidate's rows, every row of one
 * query after the other (the candidate's first), and every row of the problem. A set is tried in
 * as many coordinates as its exact rank (margin_farkas_rank.c): the others are combinations of
 * these and change nothing. A set of independent rows is passed over. In each set a circuit is
 * sought first (least dependent rows), which is looked at in its own rank again, then a
 * combination of all rows with multipliers well away from 0 (margin_farkas_guess.c).
 */
#include "margin/farkas/margin_farkas_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <string.h>

#define FAINT 1e-14      /* terms of the candidate below this, relative, are left out */
#define MOST_NUMBERS 2e7 /* of a set: rows times coordinates */

struct search {
    const struct trop_problem *problem;
    const double *lambda;
    struct trop_margin_check_data data;
    int64_t *group; /* (queries) the first query with the same numbers */
    double *term;   /* (count) |lambda_j| |A_j|_F of the scaled data, 0: not of the candidate */
    int *tried;     /* (queries) 1: this group was looked at */
    struct trop_margin_farkas_set set;
    struct trop_margin_farkas_guess guess;
    int64_t kind;
};

/* ---- a set is tried ------------------------------------------------------------------------- */

/* Drops rows of a circuit whose terms are negligible; returns how many. */
static int64_t without_faint(struct search *search)
{
    struct trop_margin_farkas_guess *guess = &search->guess;
    const double *size = search->set.size;
    double top = 0.0;
    int64_t kept = 0;

    for (int64_t i = 0; i < guess->count; i++) {
        const double term = guess->weight[i] * size[guess->place[i]];
        top = term > top ? term : top;
    }
    for (int64_t i = 0; i < guess->count; i++) {
        if (guess->weight[i] * size[guess->place[i]] > 1e-9 * top) {
            guess->place[kept] = guess->place[i];
            guess->weight[kept++] = guess->weight[i];
        }
    }
    const int64_t lost = guess->count - kept;
    guess->count = kept;
    guess->free = 0;
    return lost;
}

/* A solve for a circuit, in the coordinates that suffice for its rows. */
static enum trop_status solve_circuit(int *proved, struct search *search)
{
    struct trop_margin_farkas_guess *guess = &search->guess;
    struct trop_margin_farkas_set set = search->set;
    int independent = 0;
    enum trop_status status = TROP_ERR_MEMORY;

    if (guess->count >= set.k + 1) {
        return trop_margin_farkas_solve(proved, guess, &set);
    }
    if (!TROP_ALLOC(TROP_PART(set.across, set.k), TROP_PART(set.down, set.k))) {
        (void)trop_fail(status, "no memory for %lld coordinates", (long long)set.k);
        goto done;
    }
    memcpy(set.across, search->set.across, (size_t)set.k * sizeof *set.across);
    memcpy(set.down, search->set.down, (size_t)set.k * sizeof *set.down);
    status = trop_margin_farkas_rank_rows(&set, &independent, guess);
    if (status == TROP_OK && !independent) {
        status = trop_margin_farkas_solve(proved, guess, &set);
    }
done:
    TROP_FREE(set.across, set.down);
    return status;
}

/* The guess as a circuit: in whole numbers, then by a solve. */
static enum trop_status try_guess(struct search *search)
{
    struct trop_margin_farkas_guess *guess = &search->guess;
    int proved = 0;

    enum trop_status status = trop_margin_farkas_whole(&proved, guess, &search->set);
    search->kind = proved ? TROP_MARGIN_FARKAS_EXACT : TROP_MARGIN_FARKAS_NONE;
    if (status == TROP_OK && !proved) {
        status = solve_circuit(&proved, search);
        search->kind = proved ? TROP_MARGIN_FARKAS_SOLVE : TROP_MARGIN_FARKAS_NONE;
    }
    return status;
}

static enum trop_status try_set(struct search *search)
{
    struct trop_margin_farkas_set *set = &search->set;
    int proved = 0, independent = 0;

    if (set->count < 2) {
        return TROP_OK;
    }
    /* Its coordinates and unit columns; k = 0 when it proves nothing or is too large. */
    enum trop_status status = trop_margin_farkas_coordinates(set);
    if (status == TROP_OK && (double)set->count * (double)set->k > MOST_NUMBERS) {
        set->k = 0;
    }
    if (status == TROP_OK && set->k > 0 && !set->alone) {
        status = trop_margin_farkas_rank_rows(set, &independent, NULL);
        set->k = independent ? 0 : set->k;
    }
    if (status == TROP_OK && set->k > 0) {
        status = trop_margin_farkas_columns(set);
    }
    if (status != TROP_OK || set->k == 0) {
        return status;
    }
    /* A circuit, and it again without its faint rows. */
    status = trop_margin_farkas_circuit(&search->guess, set);
    if (status == TROP_OK && search->guess.count > 0) {
        status = try_guess(search);
        if (status == TROP_OK && search->kind == TROP_MARGIN_FARKAS_NONE &&
            without_faint(search) > 0) {
            status = try_guess(search);
        }
    }
    if (status == TROP_OK && search->kind == TROP_MARGIN_FARKAS_NONE) {
        status = trop_margin_farkas_inside(&search->guess, set);
        if (status == TROP_OK && search->guess.count > 0) {
            status = trop_margin_farkas_solve(&proved, &search->guess, set);
            search->kind = proved ? TROP_MARGIN_FARKAS_SOLVE : TROP_MARGIN_FARKAS_NONE;
        }
    }
    return status;
}

/* Tries the rows of one group (-1: of all groups), only those of the candidate or all of them; a
 * set that was tried as the candidate's is not tried again. */
static enum trop_status try_rows(struct search *search, int64_t group, int candidate)
{
    const struct trop_problem *problem = search->problem;
    struct trop_margin_farkas_set *set = &search->set;
    int64_t first = -1, others = 0;

    set->count = 0;
    set->alone = 1;
    for (int64_t j = 0; j < problem->count; j++) {
        const int64_t at = search->group[problem->asked[j]];
        if ((group < 0 || at == group) && (!candidate || search->term[j] > 0.0)) {
            first = first < 0 ? at : first;
            set->alone &= at == first;
            others += !(search->term[j] > 0.0);
            if (trop_margin_farkas_zero(problem, j)) {
                continue;
            }
            for (int turn = 0; turn < 2; turn++) { /* an equality of unknown sign both ways */
                if (search->term[j] > 0.0 ? turn == (search->lambda[j] < 0.0)
                                          : turn == 0 || problem->equal[j] != 0) {
                    set->row[set->count] = j;
                    set->sign[set->count++] = turn ? -1.0 : 1.0;
                }
            }
        }
    }
    return candidate || others > 0 ? try_set(search) : TROP_OK;
}

/* Tries one group after the other: with candidate only the candidate's rows; without faint only
 * groups in which the candidate has rows. */
static enum trop_status try_groups(struct search *search, int candidate, int faint)
{
    const struct trop_problem *problem = search->problem;

    for (int64_t j = 0; j < problem->count; j++) {
        const int64_t group = search->group[problem->asked[j]];
        if (search->tried[group] || (!faint && !(search->term[j] > 0.0))) {
            continue;
        }
        search->tried[group] = 1;
        enum trop_status status = try_rows(search, group, candidate);
        if (status != TROP_OK || search->kind != TROP_MARGIN_FARKAS_NONE) {
            return status;
        }
    }
    return TROP_OK;
}

static enum trop_status search_run(struct search *search)
{
    const size_t size = (size_t)search->problem->queries * sizeof *search->tried;
    enum trop_status status = try_groups(search, 1, 0);

    if (status == TROP_OK && search->kind == TROP_MARGIN_FARKAS_NONE) {
        status = try_rows(search, -1, 1);
    }
    memset(search->tried, 0, size);
    for (int faint = 0; faint < 2; faint++) {
        if (status == TROP_OK && search->kind == TROP_MARGIN_FARKAS_NONE) {
            status = try_groups(search, 0, faint);
        }
    }
    if (status == TROP_OK && search->kind == TROP_MARGIN_FARKAS_NONE) {
        status = try_rows(search, -1, 0);
    }
    return status;
}

/* ---- the call ------------------------------------------------------------------------------- */

static void search_free(struct search *search)
{
    TROP_FREE(search->data.point.memory, search->data.query.memory, search->group, search->term,
              search->tried, search->set.row, search->set.sign, search->set.across,
              search->set.down, search->set.column, search->set.size, search->guess.place,
              search->guess.weight);
}

static int search_take(struct search *search, const struct trop_problem *problem)
{
    const int64_t points = trop_alloc_product(problem->points, problem->rows);
    const int64_t queries = trop_alloc_product(problem->queries, problem->columns);
    const int64_t entries = trop_alloc_product(problem->rows, problem->columns);
    const int64_t room = 2 * problem->count; /* equalities may stand there twice */

    return TROP_ALLOC(
        TROP_PART(search->data.point.memory, points), TROP_PART(search->data.query.memory, queries),
        TROP_PART(search->group, problem->queries), TROP_PART(search->term, problem->count),
        TROP_PART(search->tried, problem->queries), TROP_PART(search->set.row, room),
        TROP_PART(search->set.sign, room), TROP_PART(search->set.size, room),
        TROP_PART(search->set.across, entries), TROP_PART(search->set.down, entries),
        TROP_PART(search->guess.place, room), TROP_PART(search->guess.weight, room));
}

/* Which queries are the same, number by number. */
static void group_queries(struct search *search)
{
    const struct trop_problem *problem = search->problem;
    const int64_t n = problem->columns;

    for (int64_t q = 0; q < problem->queries; q++) {
        int64_t first = 0;
        for (int same = 0; first < q; first++) {
            same = 1;
            for (int64_t b = 0; same && b < n; b++) {
                same = problem->query[first * n + b] == problem->query[q * n + b];
            }
            if (same) {
                break;
            }
        }
        search->group[q] = first;
    }
}

/* |lambda_j| |A_j|, as far as it counts. */
static void terms(struct search *search)
{
    const struct trop_problem *problem = search->problem;
    double top = 0.0;

    for (int64_t j = 0; j < problem->count; j++) {
        const double lambda = search->lambda[j];
        const double *z = search->data.query.values + problem->asked[j] * problem->columns;
        const int64_t plus = problem->plus[j], minus = problem->minus[j];
        double square = 0.0;
        for (int64_t a = 0; a < problem->rows; a++) {
            const double *x = search->data.point.values + a;
            const double left = (plus >= 0 ? x[plus * problem->rows] : 0.0) -
                                (minus >= 0 ? x[minus * problem->rows] : 0.0);
            square = fma(left, left, square);
        }
        search->term[j] = fabs(lambda) < (double)INFINITY && (problem->equal[j] || lambda > 0.0)
                              ? fabs(lambda) * sqrt(square) * trop_linalg_norm(z, problem->columns)
                              : 0.0;
        top = search->term[j] > top ? search->term[j] : top;
    }
    for (int64_t j = 0; j < problem->count; j++) {
        search->term[j] = search->term[j] > FAINT * top ? search->term[j] : 0.0;
    }
}

/* The multipliers that were found, or the candidate's: tau = |A'lambda|_F / r'lambda, rounded up,
 * and a list of those that are not 0, scaled to r'lambda = 1 when that is positive; whole numbers
 * stay as they are. */
static enum trop_status conclude(struct trop_margin_farkas *found, int64_t *rows, double *weights,
                                 const struct search *search)
{
    const struct trop_problem *problem = search->problem;
    const struct trop_margin_claim claim = { .norm = TROP_MARGIN_CHECK_LP,
                                             .p = 2.0,
                                             .lambda = weights };
    const int is_none = search->kind == TROP_MARGIN_FARKAS_NONE;
    const int is_whole = search->kind == TROP_MARGIN_FARKAS_EXACT;
    struct trop_margin_proof proof;
    double paid = 0.0;

    for (int64_t j = 0; j < problem->count; j++) {
        weights[j] = is_none && search->term[j] > 0.0 ? search->lambda[j] : 0.0;
    }
    for (int64_t i = 0; !is_none && i < search->guess.count; i++) {
        const int64_t place = search->guess.place[i];
        weights[search->set.row[place]] += search->set.sign[place] * search->guess.weight[i];
    }
    found->kind = search->kind;
    found->tau = 0.0;
    if (!is_whole) {
        const enum trop_status status = trop_margin_check(&proof, problem, &claim);
        if (status != TROP_OK) {
            return status;
        }
        found->tau = proof.lower > 0.0 ? trop_margin_check_up(1.0 / proof.lower) : (double)INFINITY;
    }
    for (int64_t j = 0; j < problem->count; j++) {
        paid += weights[j] * problem->right[j];
    }
    for (int64_t j = 0; j < problem->count; j++) {
        if (weights[j] != 0.0) {
            rows[found->count] = j;
            weights[found->count++] = !is_whole && paid > 0.0 ? weights[j] / paid : weights[j];
        }
    }
    return TROP_OK;
}

enum trop_status trop_margin_farkas(struct trop_margin_farkas *out, int64_t *rows, double *weights,
                                    const struct trop_problem *problem, const double *lambda)
{
    struct search search = { .problem = problem, .lambda = lambda, .data.problem = problem };
    struct trop_margin_farkas found = { TROP_MARGIN_FARKAS_NONE, 0, (double)INFINITY };

    for (int64_t j = 0; j < problem->count; j++) { /* a row that is 0 and asks for more */
        const double r = problem->right[j];
        if ((problem->equal[j] ? r != 0.0 : r > 0.0) && trop_margin_farkas_zero(problem, j)) {
            rows[0] = j;
            weights[0] = r > 0.0 ? 1.0 : -1.0;
            *out = (struct trop_margin_farkas){ TROP_MARGIN_FARKAS_ROW, 1, 0.0 };
            return TROP_OK;
        }
    }
    search.set.data = &search.data;
    enum trop_status status = TROP_OK;
    if (!search_take(&search, problem)) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for %lld constraints", (long long)problem->count);
        goto done;
    }
    if (trop_margin_check_scale(&search.data.point, problem->point,
                                problem->points * problem->rows) &&
        trop_margin_check_scale(&search.data.query, problem->query,
                                problem->queries * problem->columns)) {
        group_queries(&search);
        terms(&search);
        status = search_run(&search);
        if (status == TROP_OK) {
            status = conclude(&found, rows, weights, &search);
        }
    }
done:
    search_free(&search);
    if (status == TROP_OK) {
        *out = found;
    }
    return status;
}
