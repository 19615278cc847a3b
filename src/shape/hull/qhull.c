/* qhull.c -- the seam to Qhull (Barber, Dobkin, Huhdanpaa 1996), reentrant library.
 *
 * Every call has a state of its own. Qhull leaves an error by longjmp, to where we catch it;
 * its words go to a stream in memory, never to the terminal, and their first line ends up in
 * the error sentence.
 *
 * The number of facets can grow like n^(d/2). So that it stays within a limit, vertices are
 * first added in rounds: Qhull, which adds the farthest points first, stops after m of them; m
 * starts where even a cyclic polytope has at most about `limit` facets, and doubles as long as
 * the count found is within the limit. Such a round only counts: told to stop, Qhull neither
 * merges facets nor looks how far points lie outside of them at its end, even when it never
 * had to stop. Once a round has met every vertex, a run without a stop makes the answer. Rounds
 * start anew, so all of them together cost about three times as much as the last.
 *
 * Whether a round met every vertex is read off facet_next, the place where the search for a
 * further point stands: at the end of the facets if there is none. (num_outside will not do: the
 * point at which Qhull stops is already taken off it.)
 */
#include "shape/hull/qhull.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

#include <libqhull_r/qhull_ra.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORDS 4096

/* ---- what was found, copied out ------------------------------------------------------------ */

static enum trop_status copy_out(struct trop_qhull **out, qhT *qh, int64_t d)
{
    int64_t f = 0, at = 0, facets = 0, corners = 0;
    struct trop_qhull *made;
    facetT *facet;
    vertexT *vertex, **vertexp;

    FORALLfacets
    {
        facets++;
        corners += qh_setsize(qh, facet->vertices);
    }
    enum trop_status status = trop_qhull_allocate(&made, d, facets, corners);
    if (status != TROP_OK) {
        return status;
    }
    FORALLfacets
    {
        memcpy(made->normals + f * d, facet->normal, (size_t)d * sizeof(double));
        made->offsets[f] = facet->offset;
        FOREACHvertex_(facet->vertices)
        {
            made->corners[at++] = qh_pointid(qh, vertex->point);
        }
        trop_sort_ascending(made->corners + made->start[f], at - made->start[f]);
        made->start[++f] = at;
    }
    made->volume = qh->totvol;
    /* Outer planes lie at most max_outside above, corners at most -min_vertex below; each
     * distance was computed with an error of DISTround. */
    made->thickness = fmax(qh->max_outside, -qh->min_vertex) + 2 * qh->DISTround;
    *out = made;
    return TROP_OK;
}

/* ---- running it ---------------------------------------------------------------------------- */

/* Qhull's first line of words, as our sentence. */
static enum trop_status complain(int code, char words[WORDS])
{
    words[WORDS - 1] = 0;
    words[strcspn(words, "\n")] = 0;
    if (code == qh_ERRmem) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for Qhull: %s", words);
    }
    return trop_fail(TROP_ERR_NUMERIC, "Qhull gave up (code %d): %s", code, words);
}

/* Areas and volume can fail as well, outside of what qh_new_qhull guards. */
static int measure(qhT *qh)
{
    int code = setjmp(qh->errexit);

    if (code == 0) {
        qh->NOerrexit = False;
        qh_getarea(qh, qh->facet_list);
    }
    qh->NOerrexit = True;
    return code;
}

/* One run, up to `most` added vertices (0: all of them, and the answer goes to *out). *left is 1
 * when the run stopped before it had met every vertex. */
static enum trop_status run_of(struct trop_qhull **out, const double *x, int64_t n, int64_t d,
                               int64_t limit, int64_t most, int *left)
{
    enum trop_status status = TROP_OK;
    char words[WORDS] = "", command[64] = "qhull Qc Pp";
    FILE *stream = fmemopen(words, sizeof words, "w");
    qhT *qh = trop_alloc(1, sizeof *qh);
    int freed_long, freed_short;

    if (!stream || !qh) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for Qhull");
        goto done;
    }
    if (most > 0) {
        snprintf(command, sizeof command, "qhull Qc Pp TA%lld", (long long)most);
    }
    qh_zero(qh, stream);
    /* Qhull does not write to the points, without options that say so. */
    int code = qh_new_qhull(qh, (int)d, (int)n, (coordT *)x, False, command, NULL, stream);
    *left = code == 0 && qh->facet_next != qh->facet_tail;
    if (code == 0 && qh->num_facets > limit) {
        status = trop_fail(TROP_ERR_UNSUPPORTED, "more than %lld facets", (long long)limit);
    } else if (code == 0 && most == 0) {
        code = measure(qh);
        status = code == 0 ? copy_out(out, qh, d) : TROP_OK;
    }
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &freed_long, &freed_short);
    if (code != 0) {
        fflush(stream);
        status = complain(code, words);
    }
done:
    if (stream) {
        fclose(stream);
    }
    trop_alloc_free(qh);
    return status;
}

/* The largest m whose cyclic polytope has about limit facets: m (m / 2) / 2 in four and five
 * dimensions, m^3 / 6 in six; in three every m has 2 m - 4. */
static int64_t first_round(int64_t d, int64_t limit)
{
    double facets = (double)limit;

    if (d <= 3) {
        return 0;
    }
    double m = d <= 5 ? sqrt(facets) : sqrt(sqrt(facets));
    return (int64_t)m + 16;
}

enum trop_status trop_qhull_create(struct trop_qhull **out, const double *x, int64_t n, int64_t d,
                                   int64_t limit)
{
    enum trop_status status;
    int left = 1;

    if (n > INT_MAX) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "Qhull takes at most %d points", INT_MAX);
    }
    for (int64_t most = first_round(d, limit); 0 < most && most < n && left; most *= 2) {
        status = run_of(out, x, n, d, limit, most, &left);
        if (status != TROP_OK) {
            return status;
        }
    }
    return run_of(out, x, n, d, limit, 0, &left);
}
