/* erf_parts.h -- the polynomials of the error function, for the scalar functions (erf.c) and for
 * lanes (kernel_activation_body.c), which have the same bits.
 *
 * |x| < 1: erf x = x + x P(x^2), P of degree 12 for erf(sqrt t) / sqrt t - 1 on [0, 1]; at most
 * 0.13 of x is rounded more than once.
 *
 * 1 <= x: x e^(x^2) erfc x is a smooth function of 1 / (x + 3), which P of degree 12 follows on
 * [1, 3] and one of degree 16 on [3, 28], each around the middle of its range so that high powers
 * stay small. e^(-x^2) = e^(-s) (1 - l), with s the rounded square and l = x^2 - s. At 28, as
 * beyond, erfc rounds to 0.
 *
 * The coefficients, from the constant on, are Chebyshev fits in 60 digits, rounded to double; their
 * errors are below 2^-57 of the result.
 */
#ifndef TROP_BASE_ERF_PARTS_H
#define TROP_BASE_ERF_PARTS_H

static const double trop_erf_near[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b30p-4,  -0x1.b82ce31284e00p-6,
    0x1.565bcd0dbaa38p-8,  -0x1.c02db3dac435fp-11, 0x1.f9a321d5b8e1ep-14, -0x1.f4d1e3183f7aep-17,
    0x1.b9df224ca4b97p-20, -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27, -0x1.389d4f2641625p-30,
    0x1.05ffd737fb32ep-34,
};
static const double trop_erf_middle[] = {
    0x1.00ec1490d570cp-1,  -0x1.342adba1c5c00p+0, -0x1.527431a315d3ep+3,  -0x1.ce273a9614279p+5,
    -0x1.ae4abe09388acp+7, -0x1.051ebb742936dp+9, -0x1.2fdf03b4e36c0p+9,  0x1.391dc53db3ba2p+9,
    0x1.75bcc76a58d05p+11, 0x1.5bb186d3eeb92p+7,  -0x1.85b6c0a23577cp+13, -0x1.b9191f66dd472p+11,
    0x1.bf2ebd8324e76p+15,
};
static const double trop_erf_far[] = {
    0x1.1e08c741c96ccp-1,   -0x1.3b0f382ecb114p-3,  -0x1.a30f2c5087926p+0, -0x1.3300edaa1cbddp+3,
    -0x1.50ef0285ab84cp+5,  -0x1.228c309219e97p+7,  -0x1.7f3ed78b0e2a0p+8, -0x1.527711de4a098p+9,
    -0x1.36312ee364ea5p+8,  0x1.28b21f0b0a6a1p+11,  0x1.b0eaea2ff8ad7p+12, 0x1.c9c30e239b490p+8,
    -0x1.449ba892f45e7p+15, -0x1.05ec48b705249p+16, 0x1.8394cb67b69e6p+17, 0x1.2f457d4110b06p+19,
    -0x1.777fcfc0f53cdp+19,
};
#define TROP_ERF_MIDDLE_CENTRE (213.0 / 1024)
#define TROP_ERF_FAR_CENTRE (102.0 / 1024)
#define TROP_ERF_FAR_FROM 3.0
#define TROP_ERF_MOST 28.0
#define TROP_ERF_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
