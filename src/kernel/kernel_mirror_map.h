/* kernel_mirror_map.h -- the map sgn(x) |x|^e of a block in the type REAL; part of
 * kernel_mirror_body.c, which includes it for float and for double. No guard: it is read twice. */

/* x <- x^e for x >= 0 and e > 0 a multiple of 1/2: squares of x, those that e asks for multiplied
 * from the lowest on, then the root. */
static void OF(positive)(REAL *x, int64_t n, double e)
{
    REAL square[BLOCK], root[BLOCK];
    const int64_t whole = (int64_t)e;
    const int half = e != (double)whole;
    int begun = 0;

    for (int64_t i = 0; i < n; i++) {
        square[i] = x[i];
        root[i] = half ? REAL_ROOT(x[i]) : 1;
    }
    for (int64_t bits = whole; bits > 0; bits >>= 1) {
        if (bits & 1) {
            for (int64_t i = 0; i < n; i++) {
                x[i] = begun ? x[i] * square[i] : square[i];
            }
            begun = 1;
        }
        for (int64_t i = 0; i < n && bits > 1; i++) {
            square[i] = square[i] * square[i];
        }
    }
    for (int64_t i = 0; i < n && half; i++) {
        x[i] = begun ? x[i] * root[i] : root[i];
    }
}

/* n: at most BLOCK. out may be u. */
static void OF(map)(REAL *out, const REAL *u, int64_t n, double e)
{
    REAL x[BLOCK];

    if (!is_exact(e)) {
        for (int64_t i = 0; i < n; i++) {
            const REAL sign = (REAL)((u[i] > 0) - (u[i] < 0));
            out[i] = (REAL)power((double)REAL_ABS(u[i]), e) * sign;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        x[i] = REAL_ABS(u[i]);
    }
    if (e > 1) { /* x |x|^(e-1) needs no sign */
        OF(positive)(x, n, e - 1);
        for (int64_t i = 0; i < n; i++) {
            out[i] = x[i] * u[i];
        }
    } else if (e == 1) {
        for (int64_t i = 0; i < n; i++) {
            out[i] = u[i];
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            out[i] = REAL_ROOT(x[i]) * (REAL)((u[i] > 0) - (u[i] < 0));
        }
    }
}
