/* log.c -- natural logarithms by table and series.
 *
 * Reduction: x = 2^k m with m in [181/256, 181/128), a range cut into 128 cells at multiples of
 * 1/256 below 1 and of 1/128 above. Each cell has a c near the reciprocal of its middle, rounded
 * to a multiple of 1/512, and
 *
 *   log x = k ln 2 - log c + log(1 + z),   z = m c - 1.
 *
 * z is exact as a pair, and |z| < 2^-7.7, except in the two cells that touch 1: there c = 1, so
 * that nothing cancels as x goes to 1, and |z| <= 2^-7. The table holds -log c in two doubles
 * (computed in 400 bits and rounded), good to 2^-107.
 *
 * trop_log sums z^2 (-1/2 + z/3 - ... + z^7/9), Taylor's series: the first term left out is below
 * 2^-66 |z|. The large terms are added as pairs, so their roundings are kept; what is rounded is
 * below 2^-7 of the result. Error: 0.5 ulp for the last addition, under 0.02 for the rest.
 *
 * trop_log_pair takes the series to z^14 (left out: 2^-98 / 15 relative to z), up to z^7 with
 * pairs and above that with doubles, which costs 2^-49-53 / 8 relative to z. Sums and products of
 * pairs lose about 2^-103 each; a result is never smaller than half the larger of its terms.
 *
 * log10(x) is that pair times 1/ln 10: its relative error is below 2^-97 before the last rounding,
 * so that whole numbers come out whole.
 *
 * log(1 + x) adds 1 and x exactly, as a pair, and reduces that; where 1 + x is in the two cells
 * about 1, z is x itself.
 */
#include "base/math/log.h"

#include "base/math/dd.h"
#include "base/math/exp.h"

#include <math.h>
#include <stdint.h>

#define CELLS 128
#define CELL_BITS 7
#define FIRST 0x3fe6a00000000000u /* the bits of 181/256 */

struct row {
    double c;
    struct trop_dd log; /* -log c */
};

static const struct row table[CELLS] = {
    { 722 / 512.0, { -0x1.5ff3070a793d4p-2, 0x1.bc60efafc6f6ep-57 } },
    { 718 / 512.0, { -0x1.5a42ab0f4cfe2p-2, 0x1.8ebcb7dee9a3dp-56 } },
    { 714 / 512.0, { -0x1.548a2c3add263p-2, 0x1.819cf7e308ddbp-57 } },
    { 710 / 512.0, { -0x1.4ec973260026ap-2, 0x1.42a87d977dc5ep-56 } },
    { 707 / 512.0, { -0x1.4a7373cecf997p-2, -0x1.cb140cabb6bdbp-56 } },
    { 703 / 512.0, { -0x1.44a41b463c47cp-2, 0x1.d70c8309edcfcp-56 } },
    { 699 / 512.0, { -0x1.3ecc460ef5f50p-2, 0x1.4313e09807affp-58 } },
    { 695 / 512.0, { -0x1.38ebdb38ed321p-2, 0x1.3e8cc159afd10p-56 } },
    { 692 / 512.0, { -0x1.347dd9a987d55p-2, 0x1.4dd4c580919f8p-57 } },
    { 688 / 512.0, { -0x1.2e8e2bae11d31p-2, 0x1.8f4cdb95ebdf9p-56 } },
    { 684 / 512.0, { -0x1.2895a13de86a3p-2, -0x1.7ad24c13f040ep-56 } },
    { 681 / 512.0, { -0x1.241558bfd1404p-2, 0x1.9bae06a5c872dp-65 } },
    { 677 / 512.0, { -0x1.1e0d0c33716bep-2, -0x1.e55361a93fe61p-57 } },
    { 674 / 512.0, { -0x1.1980d2dd4236fp-2, -0x1.9d3d1b0e4d147p-56 } },
    { 670 / 512.0, { -0x1.136870293a8b0p-2, -0x1.7b66298edd24ap-56 } },
    { 667 / 512.0, { -0x1.0ed005f657da4p-2, -0x1.c56bd2abfe82ap-56 } },
    { 664 / 512.0, { -0x1.0a324e27390e3p-2, -0x1.7dcfde8061c03p-56 } },
    { 660 / 512.0, { -0x1.0402594b4d041p-2, 0x1.28ec217a5022dp-57 } },
    { 657 / 512.0, { -0x1.feb0233e607ccp-3, -0x1.6e32d5e8c707fp-57 } },
    { 654 / 512.0, { -0x1.f550a564b7b37p-3, -0x1.c5f6dfd018c37p-61 } },
    { 650 / 512.0, { -0x1.e8c0252aa5a60p-3, 0x1.6e03a39bfc89bp-59 } },
    { 647 / 512.0, { -0x1.df46c0c722d2fp-3, -0x1.05616f20722e7p-57 } },
    { 644 / 512.0, { -0x1.d5c216b4fbb91p-3, -0x1.6e443597e4d40p-57 } },
    { 641 / 512.0, { -0x1.cc320c0176502p-3, -0x1.039a653793a85p-57 } },
    { 638 / 512.0, { -0x1.c2968558c18c1p-3, 0x1.73dee38a3fb6bp-57 } },
    { 635 / 512.0, { -0x1.b8ef670420c3bp-3, 0x1.999bd0ee3fe88p-57 } },
    { 632 / 512.0, { -0x1.af3c94e80bff3p-3, 0x1.398cff3641985p-58 } },
    { 629 / 512.0, { -0x1.a57df28244dcdp-3, 0x1.b9af132a24e39p-59 } },
    { 626 / 512.0, { -0x1.9bb362e7dfb83p-3, -0x1.575e31f003e0cp-57 } },
    { 623 / 512.0, { -0x1.91dcc8c340bdep-3, -0x1.aaf77bfd17182p-58 } },
    { 620 / 512.0, { -0x1.87fa06520c911p-3, 0x1.bf7fdbfa08d9ap-57 } },
    { 617 / 512.0, { -0x1.7e0afd630c274p-3, 0x1.83e270efcc373p-58 } },
    { 614 / 512.0, { -0x1.740f8f54037a5p-3, 0x1.b264062a84cdbp-58 } },
    { 611 / 512.0, { -0x1.6a079d0f7aad2p-3, 0x1.eedcbac2a7f18p-62 } },
    { 608 / 512.0, { -0x1.5ff3070a793d4p-3, 0x1.bc60efafc6f6ep-58 } },
    { 605 / 512.0, { -0x1.55d1ad4232d6fp-3, 0x1.ac8966e060839p-58 } },
    { 603 / 512.0, { -0x1.4f099f4a230b2p-3, -0x1.a0a02a1b24794p-61 } },
    { 600 / 512.0, { -0x1.44d2b6ccb7d1ep-3, -0x1.9f4f6543e1f88p-57 } },
    { 597 / 512.0, { -0x1.3a8eb2d31a376p-3, 0x1.220a8abf098f4p-60 } },
    { 594 / 512.0, { -0x1.303d718e47fd3p-3, 0x1.6b9c7d96091fap-63 } },
    { 592 / 512.0, { -0x1.29552f81ff523p-3, -0x1.301771c407dbfp-57 } },
    { 589 / 512.0, { -0x1.1eed90e2dc2c3p-3, 0x1.4e47b44db8540p-57 } },
    { 586 / 512.0, { -0x1.14785846742acp-3, -0x1.a28813e3a7f07p-57 } },
    { 584 / 512.0, { -0x1.0d77e7cd08e59p-3, -0x1.9a5dc5e9030acp-57 } },
    { 581 / 512.0, { -0x1.02ebb42bf3d4bp-3, 0x1.f4b9c01cb92c6p-59 } },
    { 579 / 512.0, { -0x1.f7b79fec37ddfp-4, 0x1.87e897ed01783p-59 } },
    { 576 / 512.0, { -0x1.e27076e2af2e6p-4, 0x1.61578001e0162p-60 } },
    { 574 / 512.0, { -0x1.d4313d66cb35dp-4, -0x1.790dd951d90fap-58 } },
    { 571 / 512.0, { -0x1.beba818146765p-4, 0x1.e2db7c7d5a130p-58 } },
    { 569 / 512.0, { -0x1.b05b49bee43fep-4, -0x1.160c7c252f298p-58 } },
    { 566 / 512.0, { -0x1.9ab42462033adp-4, 0x1.2099e1c184e8ep-59 } },
    { 564 / 512.0, { -0x1.8c345d6319b21p-4, 0x1.4a697ab3424a9p-61 } },
    { 561 / 512.0, { -0x1.765bf23a6be13p-4, -0x1.0ff28ef6a592fp-58 } },
    { 559 / 512.0, { -0x1.67bb0726ec0fcp-4, 0x1.b692c214ddbecp-58 } },
    { 557 / 512.0, { -0x1.590cafdf01c28p-4, -0x1.3d5c8aaea76d2p-58 } },
    { 554 / 512.0, { -0x1.42edcbea646f0p-4, -0x1.ddd4f935996c9p-59 } },
    { 552 / 512.0, { -0x1.341d7961bd1d1p-4, 0x1.b599f227becbbp-58 } },
    { 550 / 512.0, { -0x1.253f62f0a1417p-4, 0x1.c125963fc4cfdp-62 } },
    { 547 / 512.0, { -0x1.0ed839b5526fep-4, -0x1.7256ea8988a68p-61 } },
    { 545 / 512.0, { -0x1.ffae9119b9303p-5, -0x1.ba13162a9c446p-60 } },
    { 543 / 512.0, { -0x1.e19070c276016p-5, 0x1.19918a7a17dc1p-59 } },
    { 541 / 512.0, { -0x1.c355dd0921f2dp-5, 0x1.9b2a03e3be3a7p-60 } },
    { 538 / 512.0, { -0x1.95c830ec8e3ebp-5, -0x1.f5a0e80520bf2p-59 } },
    { 536 / 512.0, { -0x1.77458f632dcfcp-5, -0x1.18d3ca87b9296p-59 } },
    { 534 / 512.0, { -0x1.58a5bafc8e4d5p-5, 0x1.ce55c2b4e2b72p-59 } },
    { 532 / 512.0, { -0x1.39e87b9febd60p-5, 0x1.5bfa937f551bbp-59 } },
    { 530 / 512.0, { -0x1.1b0d98923d980p-5, 0x1.e9ae889bac481p-60 } },
    { 527 / 512.0, { -0x1.d91a66c543cc4p-6, 0x1.d34e608cbdaabp-62 } },
    { 525 / 512.0, { -0x1.9ace7551cc514p-6, -0x1.3409c1df8167fp-60 } },
    { 523 / 512.0, { -0x1.5c45a51b8d389p-6, 0x1.b10b6c3ec21b4p-60 } },
    { 521 / 512.0, { -0x1.1d7f7eb9eebe7p-6, 0x1.d41fe63d2dbf9p-61 } },
    { 519 / 512.0, { -0x1.bcf712c74384cp-7, 0x1.f6842688f499ap-62 } },
    { 517 / 512.0, { -0x1.3e7295d25a7d9p-7, 0x1.ff29a11443a06p-65 } },
    { 515 / 512.0, { -0x1.7ee11ebd82e94p-8, 0x1.61e96e2fc5d90p-62 } },
    { 512 / 512.0, { 0.0, 0.0 } },
    { 512 / 512.0, { 0.0, 0.0 } },
    { 506 / 512.0, { 0x1.82448a388a2aap-7, 0x1.04b16137f09a0p-62 } },
    { 502 / 512.0, { 0x1.432a925980cc1p-6, -0x1.8cdaf39004192p-60 } },
    { 498 / 512.0, { 0x1.c63d2ec14aaf2p-6, -0x1.ce030a686bd86p-60 } },
    { 495 / 512.0, { 0x1.149e3e4005a8dp-5, -0x1.53482d1f9d7d7p-61 } },
    { 491 / 512.0, { 0x1.5715c4c03ceefp-5, -0x1.bbf88ec501b56p-61 } },
    { 487 / 512.0, { 0x1.9a187b573de7cp-5, -0x1.727626c86b3abp-59 } },
    { 484 / 512.0, { 0x1.ccb73cdddb2ccp-5, -0x1.e48fb0500efd4p-59 } },
    { 480 / 512.0, { 0x1.08598b59e3a07p-4, -0x1.dd7009902bf32p-58 } },
    { 477 / 512.0, { 0x1.2207b5c78549ep-4, -0x1.cc0fbce104eaap-58 } },
    { 473 / 512.0, { 0x1.4485e03dbdfadp-4, 0x1.1ba349aadbc6ep-58 } },
    { 470 / 512.0, { 0x1.5e95a4d9791cbp-4, 0x1.f38745c5c450ap-58 } },
    { 466 / 512.0, { 0x1.8197e2f40e3f0p-4, 0x1.b9f2dffbeed43p-60 } },
    { 463 / 512.0, { 0x1.9c0c32d4d2548p-4, 0x1.fb0be3ccc1532p-59 } },
    { 460 / 512.0, { 0x1.b6ac88dad5b1cp-4, -0x1.0057eed1ca59fp-59 } },
    { 457 / 512.0, { 0x1.d179788219364p-4, 0x1.9daf7df76ad2ap-59 } },
    { 454 / 512.0, { 0x1.ec739830a1120p-4, -0x1.a2bf991780d3fp-59 } },
    { 450 / 512.0, { 0x1.08598b59e3a07p-3, -0x1.dd7009902bf32p-57 } },
    { 447 / 512.0, { 0x1.160c8024b27b1p-3, -0x1.2d56ff61c2bfbp-57 } },
    { 444 / 512.0, { 0x1.23d712a49c202p-3, -0x1.6e38161051d69p-57 } },
    { 441 / 512.0, { 0x1.31b994d3a4f85p-3, -0x1.c4716bdfc0cc9p-58 } },
    { 438 / 512.0, { 0x1.3fb45a59928ccp-3, -0x1.d87e6a354d056p-57 } },
    { 435 / 512.0, { 0x1.4dc7b897bc1c8p-3, -0x1.927d47803c5f4p-57 } },
    { 433 / 512.0, { 0x1.5737cc9018cddp-3, 0x1.4f4d710fec38ep-57 } },
    { 430 / 512.0, { 0x1.6574ebe8c133ap-3, -0x1.d34f0f4621bedp-60 } },
    { 427 / 512.0, { 0x1.73cb9074fd14dp-3, -0x1.521a000b4cf01p-57 } },
    { 424 / 512.0, { 0x1.823c16551a3c2p-3, -0x1.1232ce70be781p-57 } },
    { 421 / 512.0, { 0x1.90c6db9fcbcd9p-3, 0x1.054473941ad99p-57 } },
    { 419 / 512.0, { 0x1.9a8778debaa38p-3, 0x1.f47dfd871f87fp-57 } },
    { 416 / 512.0, { 0x1.a93ed3c8ad9e3p-3, 0x1.bcafa9de97203p-57 } },
    { 413 / 512.0, { 0x1.b811730b823d2p-3, 0x1.a0ee735d9f0ecp-60 } },
    { 411 / 512.0, { 0x1.c2028ab17f9b4p-3, 0x1.f11aa3853a5f1p-57 } },
    { 408 / 512.0, { 0x1.d1037f2655e7bp-3, 0x1.60629242471a2p-57 } },
    { 406 / 512.0, { 0x1.db13db0d48940p-3, 0x1.aa11d49f96cb9p-58 } },
    { 403 / 512.0, { 0x1.ea4449f04aaf5p-3, -0x1.d33919ab94074p-57 } },
    { 401 / 512.0, { 0x1.f474b134df229p-3, -0x1.27c77ded76aadp-58 } },
    { 398 / 512.0, { 0x1.01eae5626c691p-2, -0x1.18290bd2932e2p-59 } },
    { 396 / 512.0, { 0x1.07138604d5862p-2, 0x1.cdb16ed4e9138p-56 } },
    { 394 / 512.0, { 0x1.0c42d676162e3p-2, 0x1.162c79d5d11eep-58 } },
    { 391 / 512.0, { 0x1.14167ef367783p-2, 0x1.e0936abd4fa6ep-62 } },
    { 389 / 512.0, { 0x1.1956d3b9bc2fap-2, 0x1.7b9d68d50a15dp-56 } },
    { 387 / 512.0, { 0x1.1e9e1678899f4p-2, 0x1.512c3749a1e4ep-56 } },
    { 384 / 512.0, { 0x1.269621134db92p-2, 0x1.e0efadd9db02bp-56 } },
    { 382 / 512.0, { 0x1.2bef07cdc9354p-2, -0x1.82dad7fd86088p-56 } },
    { 380 / 512.0, { 0x1.314f1e1d35ce4p-2, -0x1.3d69909e5c3dcp-56 } },
    { 378 / 512.0, { 0x1.36b6776be1117p-2, -0x1.324f0e883858ep-58 } },
    { 376 / 512.0, { 0x1.3c25277333184p-2, -0x1.2ad27e50a8ec6p-56 } },
    { 373 / 512.0, { 0x1.44591e0539f49p-2, -0x1.2b125247b0fa5p-56 } },
    { 371 / 512.0, { 0x1.49da7f3bcc41fp-2, -0x1.9964a168ccacap-57 } },
    { 369 / 512.0, { 0x1.4f637ebba9810p-2, -0x1.58cb3124b9245p-56 } },
    { 367 / 512.0, { 0x1.54f431b7be1a9p-2, -0x1.aacfdbbdab914p-56 } },
    { 365 / 512.0, { 0x1.5a8cadbbedfa1p-2, -0x1.e6c2bdfb3e037p-58 } },
    { 363 / 512.0, { 0x1.602d08af091ecp-2, -0x1.6e8920c09b73fp-58 } },
};

static const struct row one = { 1.0, { 0.0, 0.0 } };

/* Sums and products whose results need not be normal: low is at most about an ulp of high. */
static struct trop_dd pair_sum(struct trop_dd a, struct trop_dd b)
{
    const struct trop_dd hi = trop_dd_sum(a.high, b.high);
    const struct trop_dd lo = trop_dd_sum(a.low, b.low);
    const struct trop_dd sum = trop_dd_sum(hi.high, hi.low + lo.high);
    return trop_dd_sum(sum.high, sum.low + lo.low);
}

static struct trop_dd pair_product(struct trop_dd a, struct trop_dd b)
{
    const double hi = a.high * b.high;
    const double lo = fma(a.high, b.high, -hi) + fma(a.high, b.low, a.low * b.high);
    return trop_dd_sum(hi, lo);
}

/* x = 2^k m: returns the row of m's cell. x: positive, finite. */
static const struct row *reduce(double *k, double *m, double x)
{
    const int subnormal = x < 0x1p-1022;
    const uint64_t bits = trop_exp_bits(subnormal ? x * 0x1p54 : x);

    /* 1024 more in the exponent keeps the difference positive. */
    const uint64_t above = bits - FIRST + ((uint64_t)1024 << 52);
    const int64_t power = (int64_t)(above >> 52) - 1024;
    *m = trop_exp_value(bits - ((uint64_t)power << 52));
    *k = (double)(subnormal ? power - 54 : power);
    return &table[(above >> (52 - CELL_BITS)) % CELLS];
}

/* z = m c - 1, exactly. */
static struct trop_dd remainder_of(double m, double c)
{
    const double product = m * c;
    return trop_dd_sum(product - 1.0, fma(m, c, -product));
}

/* k ln 2 - log c + log(1 + z), rounded to double. */
static double combine(double k, const struct row *row, struct trop_dd z)
{
    double p = 1.0 / 9;
    p = fma(p, z.high, -1.0 / 8);
    p = fma(p, z.high, 1.0 / 7);
    p = fma(p, z.high, -1.0 / 6);
    p = fma(p, z.high, 1.0 / 5);
    p = fma(p, z.high, -1.0 / 4);
    p = fma(p, z.high, 1.0 / 3);
    p = fma(p, z.high, -1.0 / 2);

    const struct trop_dd large = trop_dd_sum(k * TROP_EXP_LN2_HI, row->log.high);
    const struct trop_dd sum = trop_dd_sum(large.high, z.high);
    const double low = (large.low + sum.low) + fma(k, TROP_EXP_LN2_LO, row->log.low);
    /* log(1 + z) = log(1 + z.high) + z.low (1 - z.high) + ...; z.low can be 2^-53. */
    const double z_lo = fma(-z.low, z.high, z.low);
    return sum.high + (low + fma(z.high * z.high, p, z_lo));
}

double trop_log(double x)
{
    if (!(x > 0.0 && x < INFINITY)) {
        return x == 0.0 ? -INFINITY : x < 0.0 ? NAN : x + x;
    }
    double k, m;
    const struct row *row = reduce(&k, &m, x);
    return combine(k, row, remainder_of(m, row->c));
}

double trop_log1p_pair(double x, double x_lo)
{
    if (x >= -0x1p-8 && x < 0x1p-7) {
        return combine(0.0, &one, (struct trop_dd){ x, x_lo });
    }
    const struct trop_dd u = trop_dd_sum(1.0, x);
    double k, m;
    const struct row *row = reduce(&k, &m, u.high);
    struct trop_dd z = remainder_of(m, row->c);
    z.low = fma((u.low + x_lo) * (m / u.high), row->c, z.low); /* m / u.high is 2^-k exactly */
    return combine(k, row, z);
}

double trop_log1p(double x)
{
    if (fabs(x) < 0x1p-54) {
        return x; /* also keeps the sign of zero */
    }
    if (!(x > -1.0 && x < INFINITY)) {
        return x == -1.0 ? -INFINITY : x < -1.0 ? NAN : x + x;
    }
    return trop_log1p_pair(x, 0.0);
}

void trop_log_pair(double *hi, double *lo, double x)
{
    static const struct trop_dd ln2 = { 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 };
    static const struct trop_dd series[] = {
        { 0x1.2492492492492p-3, 0x1.2492492492492p-57 },   /*  1/7 */
        { -0x1.5555555555555p-3, -0x1.5555555555555p-57 }, /* -1/6 */
        { 0x1.999999999999ap-3, -0x1.999999999999ap-57 },  /*  1/5 */
        { -0.25, 0.0 },
        { 0x1.5555555555555p-2, 0x1.5555555555555p-56 }, /*  1/3 */
        { -0.5, 0.0 },
        { 1.0, 0.0 },
    };
    double k, m;
    const struct row *row = reduce(&k, &m, x);
    const struct trop_dd z = remainder_of(m, row->c);

    double high = -1.0 / 14;
    for (int n = 13; n >= 8; n--) {
        high = fma(high, z.high, (n % 2 ? 1.0 : -1.0) / n);
    }
    struct trop_dd sum = { high, 0.0 };
    for (int i = 0; i < (int)(sizeof series / sizeof *series); i++) {
        sum = pair_sum(series[i], pair_product(z, sum));
    }

    const struct trop_dd large = pair_sum(pair_product((struct trop_dd){ k, 0.0 }, ln2), row->log);
    const struct trop_dd result = pair_sum(large, pair_product(z, sum));
    *hi = result.high;
    *lo = result.low;
}

double trop_log10(double x)
{
    static const struct trop_dd per_ln10 = { 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57 };
    struct trop_dd log;

    if (!(x > 0.0 && x < INFINITY)) {
        return trop_log(x);
    }
    trop_log_pair(&log.high, &log.low, x);
    return pair_product(log, per_ln10).high;
}

double trop_log_add(double a, double b)
{
    const double high = fmax(a, b), low = fmin(a, b);

    return low == -INFINITY || high == INFINITY ? high : high + trop_log1p(trop_exp(low - high));
}
