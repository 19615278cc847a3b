/* tree_softmax_order.c -- interpolation of exponentials at Chebyshev nodes: what is proved.
 *
 * All errors are relative to the exponential itself, in one coordinate, t in [-1, 1],
 * e(t) = exp(s t) with |s| <= rho; I is interpolation at the p zeros of T_p.
 *
 * One interpolation. e = I_0(s) + 2 sum_k I_k(s) T_k, and a T_k with k >= p is replaced by
 * one of lower degree and size 1, so |I e - e| <= 4 sum_{k >= p} I_k(rho). By its series
 * I_k(r) <= (r/2)^k / k! exp(r^2 / (4 (k + 1))), and terms fall at least by r / (2 (p + 1)):
 *
 *   error = e^rho 4 (rho/2)^p / p! exp(rho^2 / (4 (p + 1))) / (1 - rho / (2 (p + 1))).
 *
 * Several coordinates: interpolation of a product is the product of the interpolants, so
 * factors 1 + error multiply, and no Lebesgue constant enters.
 *
 * Numbers at the nodes that are off by a relative nu give an interpolant off by
 * lebesgue * nu, lebesgue = max_t sum_a |l_a(t)| exp(rho (tau_a - t)): convex in s, so
 * that s = rho and, by symmetry, -rho are the worst.
 *
 * A chain of boxes. From T to T', a part of it in this coordinate, the interpolant P on T
 * is multiplied by an exponential E and interpolated again: P' = I' [E P]. Write P = I e + v
 * with a polynomial v of degree below p. Then v' = I' [E (I e - e)] + I' [E v], the first at
 * most lebesgue * error. The second is at most lebesgue * |v| always. Where T' is at most a
 * quarter of T it is much less, because v is smooth there. Write v = sum_a v(tau_a) l_a with the
 * cardinal functions l_a of T, |v(tau_a)| <= |v| e(tau_a) <= |v| e(t) exp(rho |tau_a - t|): at a
 * place t of T', relative to E(t) e(t),
 *
 *   |I' [E v] - E v| <= drift |v|,
 *   drift = max sum_a |(I' - 1) [E l_a] (t)| / E(t) exp(rho |tau_a - t|)
 *
 * over t, over the places of T' = [c - h, c + h] in T, h <= 1/4, and over E(t) = exp(g (t - c) / h)
 * with |g| <= (1 + h) rho, which is all that takes e of T to one of T'. It is the largest at an end
 * of T, h = 1/4, |g| = 5/4 rho, t = c - h or c + h, and falls with h.
 *
 * So an error grows by little from box to box, and by no Lebesgue constant.
 *
 * tests/attend/test_tree_softmax_bits.c computes the three columns again.
 */
#include "attend/tree/tree_softmax_internal.h"

#include "base/math/cos.h"

#define PI 0x1.921fb54442d18p+1

const struct trop_tree_softmax_order trop_tree_softmax_orders[] = {
    { .p = 8, .rho = 0.5, .lebesgue = 2.75, .drift = 0.00135, .error = 2.7e-9 },
    { .p = 12, .rho = 1.25, .lebesgue = 4.35, .drift = 0.0043, .error = 1.15e-10 },
    { .p = 16, .rho = 2.2, .lebesgue = 10.5, .drift = 0.032, .error = 9.5e-12 },
    { .p = 16, .rho = 1.75, .lebesgue = 6.65, .drift = 0.0027, .error = 1.5e-13 },
    { .p = 16, .rho = 1.5, .lebesgue = 5.4, .drift = 0.00062, .error = 9.4e-15 },
    { .p = 16, .rho = 1.25, .lebesgue = 4.55, .drift = 0.000126, .error = 3.9e-16 },
    { .p = 0 },
};

void trop_tree_softmax_order_nodes(double *node, double *scale, int64_t p)
{
    for (int64_t a = 0; a < p; a++) {
        node[a] = trop_cos((double)(2 * a + 1) * PI / (double)(2 * p));
    }
    for (int64_t a = 0; a < p; a++) {
        double product = 1;
        for (int64_t b = 0; b < p; b++) {
            product *= b == a ? 1 : node[a] - node[b];
        }
        scale[a] = 1 / product;
    }
}
