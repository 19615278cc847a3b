/* palette.c -- colours of lines, and colours of numbers.
 *
 * Lines. Hues follow the set of Okabe and Ito (2008), whose members differ to all common kinds of
 * colour vision; their lightness is moved, and their order chosen, so that every two differ in
 * CIE L* by at least 4 and neighbours by at least 8, since neighbours meet in most figures. No
 * colour is lighter than L* = 80: it has to be seen on white.
 *
 * Numbers. The map runs in CIE LCh from L* = 14 to 93 while the hue turns from violet (308 degrees)
 * to yellow (98), with the largest chroma that sRGB holds there, smoothed; 33 points at equal
 * distances in CIELAB (7.3 each, the whole is 234 long) are tabulated, and between them the sRGB
 * values are linear. Lightness grows throughout, so that the order of the numbers survives a grey
 * print; equal steps of a number are equal steps to the eye.
 *
 * Numbers with a sign. From white both ways, to a dark blue (L* = 21) and to vermilion (50), which
 * no common kind of colour vision confuses; a grey print keeps sizes on either side and loses signs
 * of small ones.
 */
#include "draw/palette.h"

#include "base/math/pow.h"
#include "draw/figure.h"

static const int32_t lines[TROP_PALETTE_COUNT] = {
    0x0072b2, /* blue, L* = 46 */
    0xe8a300, /* orange, 72 */
    0x7a1f4f, /* wine, 29 */
    0x00a078, /* green, 59 */
    0xcf4e10, /* vermilion, 50 */
    0x8ccbf0, /* sky, 79 */
    0x5a5515, /* olive, 35 */
    0xd685b2, /* pink, 65 */
};

#define STEPS 32
static const int32_t map[STEPS + 1] = {
    0x220476, 0x131479, 0x091d78, 0x062474, 0x062a71, 0x06306f, 0x06386f, 0x074171, 0x084b75,
    0x0a577b, 0x0c6481, 0x0e7188, 0x107e8e, 0x128b93, 0x139695, 0x15a196, 0x16aa95, 0x17b292,
    0x18b98d, 0x19c087, 0x1bc57f, 0x23cb77, 0x3ad06e, 0x58d467, 0x72d961, 0x89dc5c, 0x9ee058,
    0xb3e355, 0xc7e654, 0xdae955, 0xeceb5d, 0xf8ec6c, 0xffed7d,
};

static struct trop_palette_rgb unpack(int32_t hex)
{
    return (struct trop_palette_rgb){ (double)(hex >> 16 & 255) / 255.0,
                                      (double)(hex >> 8 & 255) / 255.0,
                                      (double)(hex & 255) / 255.0 };
}

static struct trop_palette_rgb grey(double level)
{
    return (struct trop_palette_rgb){ level, level, level };
}

struct trop_palette_rgb trop_palette_colour(int64_t index)
{
    if (index >= 0) {
        return unpack(lines[index % TROP_PALETTE_COUNT]);
    }
    switch (index) {
    case TROP_COLOUR_BLACK:
        return grey(0.1); /* L* = 9: softer than ink, and still black in print */
    case TROP_COLOUR_GREY:
        return grey(0.5);
    case TROP_COLOUR_LIGHT:
        return grey(0.8);
    default:
        return grey(1.0);
    }
}

#define SIDES 4
static const int32_t diverging[SIDES + 1] = { 0x06306f, 0x5b9bd0, 0xffffff, 0xf0a868, 0xcf4e10 };

/* At t of a table of steps + 1 colours, linear between them. */
static struct trop_palette_rgb between(const int32_t *table, int64_t steps, double t)
{
    double at = (t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0) * (double)steps;
    int64_t k = (int64_t)at < steps ? (int64_t)at : steps - 1;
    struct trop_palette_rgb a = unpack(table[k]);
    struct trop_palette_rgb b = unpack(table[k + 1]);
    double f = at - (double)k;

    return (struct trop_palette_rgb){ a.red + f * (b.red - a.red),
                                      a.green + f * (b.green - a.green),
                                      a.blue + f * (b.blue - a.blue) };
}

struct trop_palette_rgb trop_palette_map(double t)
{
    return between(map, STEPS, t);
}

struct trop_palette_rgb trop_palette_diverging(double t)
{
    return between(diverging, SIDES, t);
}

/* From the sRGB value to light, IEC 61966-2-1. */
static double light(double value)
{
    return value <= 0.04045 ? value / 12.92 : trop_pow((value + 0.055) / 1.055, 2.4);
}

double trop_palette_lightness(struct trop_palette_rgb colour)
{
    double y =
        0.2126 * light(colour.red) + 0.7152 * light(colour.green) + 0.0722 * light(colour.blue);
    /* Below (6/29)^3 the cube root is replaced by its tangent. */
    return y > 216.0 / 24389.0 ? 116.0 * trop_pow(y, 1.0 / 3.0) - 16.0 : 24389.0 / 27.0 * y;
}
