/* tokens.c -- clouds by name: Gaussian, uniform, spherical, the regular polygon. */
#include "shape/tokens.h"

#include "base/math/cos.h"
#include "base/rng.h"
#include "base/math/sin.h"
#include "base/status.h"

const char *const trop_tokens_name[] = { "gaussian", "uniform", "sphere", "polygon", NULL };

/* Vertex k of the regular n-gon of radius 1. The angle is brought into [0, pi/4] by
 * whole numbers first, so that the polygon has its symmetries to the last bit: the
 * square is (1,0), (0,1), (-1,0), (0,-1). */
static void vertex(double out[2], int64_t k, int64_t n)
{
    const double turn = 0x1.921fb54442d18p+2; /* 2 pi */
    int64_t octant = 8 * k / n;
    int64_t rest = 8 * k - octant * n; /* in [0, n): eighths of a turn over n */
    int64_t folded = octant % 2 ? n - rest : rest;
    double angle = turn * ((double)folded / (8.0 * (double)n));
    double c = trop_cos(angle), s = trop_sin(angle);

    /* Folding an odd octant back swaps the two. */
    int swap = octant % 4 == 1 || octant % 4 == 2;
    double x = swap ? s : c, y = swap ? c : s;
    out[0] = octant >= 2 && octant < 6 ? -x : x;
    out[1] = octant >= 4 ? -y : y;
    if (folded == 0) { /* no negative zeros on the axes */
        out[0] = out[0] == 0 ? 0 : out[0];
        out[1] = out[1] == 0 ? 0 : out[1];
    }
}

enum trop_status trop_tokens_draw(double *out, int64_t init, int64_t n, int64_t d, uint64_t seed)
{
    if (init == TROP_INIT_POLYGON && d != 2) {
        return trop_fail(TROP_ERR_ARG, "init = polygon: needs d = 2, not %lld", (long long)d);
    }
    for (int64_t i = 0; i < n; i++) {
        double *x = out + i * d;
        switch ((enum trop_init)init) {
        case TROP_INIT_GAUSSIAN:
            for (int64_t c = 0; c < d; c++) {
                x[c] = trop_rng_normal(seed, TROP_RNG_TOKENS, (uint64_t)i, (uint64_t)c);
            }
            break;
        case TROP_INIT_UNIFORM:
            for (int64_t c = 0; c < d; c++) {
                x[c] = 2 * trop_rng_uniform(seed, TROP_RNG_TOKENS, (uint64_t)i, (uint64_t)c) - 1;
            }
            break;
        case TROP_INIT_SPHERE:
            trop_rng_sphere(x, d, seed, TROP_RNG_TOKENS, (uint64_t)i);
            break;
        case TROP_INIT_POLYGON:
            vertex(x, i, n);
            break;
        }
    }
    return TROP_OK;
}
