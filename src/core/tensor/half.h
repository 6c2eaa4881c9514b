/* Floats of 16 bits and doubles. Without branches that depend on the value, so that loops over them
 * become vectors. Private. */
#pragma once

#include <glib.h>
#include <string.h>

/* The two formats: (mantissa bits, exponent bits). */
#define REEL_BINARY16 10, 5
#define REEL_BFLOAT16 7, 8

/**
 * reel_half_widen:
 * @bits: a float
 * @mantissa_bits: of its format
 * @exponent_bits: likewise
 *
 * Returns: its value, which a double holds exactly, or its NaN
 */
static inline __attribute__ ((always_inline)) double
reel_half_widen (guint16 bits, gint mantissa_bits, gint exponent_bits)
{
  gint bias = (1 << (exponent_bits - 1)) - 1;
  guint64 most = ((guint64) 1 << exponent_bits) - 1, place = 52 - (guint64) mantissa_bits;
  guint64 mantissa = bits & (((guint64) 1 << mantissa_bits) - 1);
  guint64 exponent = (guint64) bits >> mantissa_bits & most;
  guint64 unit = (guint64) (1023 + 1 - bias - mantissa_bits) << 52, small, wide;
  double least;

  memcpy (&least, &unit, sizeof unit);
  least *= (double) (gint64) mantissa;
  memcpy (&small, &least, sizeof least);
  wide = exponent == most ? 0x7ff : exponent + (guint64) (1023 - bias);
  wide = wide << 52 | mantissa << place;
  wide = (exponent == 0 ? small : wide) | (guint64) bits >> 15 << 63;
  memcpy (&least, &wide, sizeof wide);
  return least;
}

/**
 * reel_half_narrow:
 * @value: any value
 * @mantissa_bits: of the format
 * @exponent_bits: likewise
 *
 * Returns: the nearest float, of two the even one, infinity where it is too large; a quiet NaN of
 *   a NaN, with the first bits of what it says
 */
static inline __attribute__ ((always_inline)) guint16
reel_half_narrow (double value, gint mantissa_bits, gint exponent_bits)
{
  gint64 least_exponent = 2 - (1 << (exponent_bits - 1));
  guint64 infinity = (((guint64) 1 << exponent_bits) - 1) << mantissa_bits;
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  guint64 sign = bits >> 63 << 15;
  guint64 fraction = bits & (((guint64) 1 << 52) - 1);
  guint64 nan = infinity | (guint64) 1 << (mantissa_bits - 1) | fraction >> (52 - mantissa_bits);

  /* value = significand · 2^(exponent − 52); doubles too small to be normal all round to zero. */
  gint64 exponent = (gint64) (bits >> 52 & 0x7ff) - 1023;
  guint64 significand = fraction | (guint64) 1 << 52;
  gint64 unit_exponent = exponent > least_exponent ? exponent : least_exponent;
  gint64 shift = 52 - mantissa_bits + unit_exponent - exponent;

  /* Rounded to nearest even. The significand's leading bit, where there is one, and a carry out of
   * it raise the exponent; what is shifted by more than it is long is less than half. */
  shift = shift < 60 ? shift : 60;
  guint64 half = (guint64) 1 << (shift - 1), odd = significand >> shift & 1;
  guint64 magnitude = (significand + half - 1 + odd) >> shift;
  magnitude += (guint64) (unit_exponent - least_exponent) << mantissa_bits;
  magnitude = magnitude < infinity ? magnitude : infinity;
  return (guint16) (sign | (value != value ? nan : magnitude));
}
