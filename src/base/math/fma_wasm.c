/* fma_wasm.c -- one fma, and those beyond the range of the quick form. */
#include "base/math/fma_wasm.h"

#undef fma /* here it is libc's */

double trop_fma(double a, double b, double c)
{
    return trop_fma_two(TROP_FMA_ALL(a), TROP_FMA_ALL(b), TROP_FMA_ALL(c))[0];
}

float trop_fma_single(float a, float b, float c)
{
    return trop_fma_four((lanes_four){ a }, (lanes_four){ b }, (lanes_four){ c })[0];
}

/* A product that rounds to 0 keeps its sign beside a 0, which libc forgets. */
static double apart(double a, double b, double c)
{
    return c == 0 && a != 0 && b != 0 ? a * b : fma(a, b, c);
}

lanes_two trop_fma_apart(lanes_two a, lanes_two b, lanes_two c)
{
    return (lanes_two){ apart(a[0], b[0], c[0]), apart(a[1], b[1], c[1]) };
}
