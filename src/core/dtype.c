#include "dtype.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  gsize size;
} dtypes[REEL_N_DTYPES] = {
  [REEL_DTYPE_BOOL] = { "bool", 1 },           [REEL_DTYPE_UINT8] = { "uint8", 1 },
  [REEL_DTYPE_INT8] = { "int8", 1 },           [REEL_DTYPE_INT16] = { "int16", 2 },
  [REEL_DTYPE_INT32] = { "int32", 4 },         [REEL_DTYPE_INT64] = { "int64", 8 },
  [REEL_DTYPE_UINT16] = { "uint16", 2 },       [REEL_DTYPE_UINT32] = { "uint32", 4 },
  [REEL_DTYPE_UINT64] = { "uint64", 8 },       [REEL_DTYPE_FLOAT16] = { "float16", 2 },
  [REEL_DTYPE_BFLOAT16] = { "bfloat16", 2 },   [REEL_DTYPE_FLOAT32] = { "float32", 4 },
  [REEL_DTYPE_FLOAT64] = { "float64", 8 },     [REEL_DTYPE_COMPLEX32] = { "complex32", 4 },
  [REEL_DTYPE_COMPLEX64] = { "complex64", 8 }, [REEL_DTYPE_COMPLEX128] = { "complex128", 16 },
};

/* Two formats of 16 bits: (mantissa bits, exponent bits). */
#define BINARY16 10, 5
#define BFLOAT16 7, 8

gsize
reel_dtype_size (ReelDtype dtype)
{
  return dtypes[dtype].size;
}

const char *
reel_dtype_name (ReelDtype dtype)
{
  return dtypes[dtype].name;
}

static void
set_unknown_name_error (const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (gsize i = 0; i < REEL_N_DTYPES; i++)
    g_string_append_printf (known, "%s%s", i == 0 ? "" : ", ", dtypes[i].name);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "unknown element type \"%s\": known are %s",
               name, known->str);
}

gboolean
reel_dtype_from_name (const char *name, ReelDtype *dtype, GError **error)
{
  const char *bare = g_str_has_prefix (name, "torch.") ? name + strlen ("torch.") : name;

  for (gsize i = 0; i < REEL_N_DTYPES; i++)
    if (strcmp (dtypes[i].name, bare) == 0)
      {
        *dtype = (ReelDtype) i;
        return TRUE;
      }
  set_unknown_name_error (name, error);
  return FALSE;
}

gboolean
reel_dtype_is_float (ReelDtype dtype)
{
  return dtype >= REEL_DTYPE_FLOAT16 && dtype <= REEL_DTYPE_FLOAT64;
}

gboolean
reel_dtype_is_complex (ReelDtype dtype)
{
  return dtype >= REEL_DTYPE_COMPLEX32;
}

/* The value of a 16-bit float, which a double holds exactly. */
static double
widen (guint16 bits, int mantissa_bits, int exponent_bits)
{
  int bias = (1 << (exponent_bits - 1)) - 1;
  guint64 mantissa = bits & ((1u << mantissa_bits) - 1);
  int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  double magnitude;

  if (exponent == (1 << exponent_bits) - 1)
    {
      guint64 wide = G_GUINT64_CONSTANT (0x7ff) << 52 | mantissa << (52 - mantissa_bits);
      memcpy (&magnitude, &wide, sizeof wide);
    }
  else if (exponent == 0)
    magnitude = ldexp ((double) mantissa, 1 - bias - mantissa_bits);
  else
    magnitude = ldexp ((double) (mantissa | 1u << mantissa_bits), exponent - bias - mantissa_bits);
  return copysign (magnitude, bits >> 15 ? -1.0 : 1.0);
}

/* @significand / 2^@shift, rounded to nearest, ties to even. */
static guint64
shift_rounded (guint64 significand, int shift)
{
  if (shift > 60)
    return 0;
  guint64 half = G_GUINT64_CONSTANT (1) << (shift - 1);
  guint64 odd = significand >> shift & 1;
  return (significand + half - 1 + odd) >> shift;
}

static guint16
narrow (double value, int mantissa_bits, int exponent_bits)
{
  int least_exponent = 2 - (1 << (exponent_bits - 1));
  guint64 infinity = (G_GUINT64_CONSTANT (1) << exponent_bits) - 1;
  guint64 bits;

  infinity <<= mantissa_bits;
  memcpy (&bits, &value, sizeof bits);
  guint64 sign = bits >> 63 << 15;
  guint64 fraction = bits & ((G_GUINT64_CONSTANT (1) << 52) - 1);
  if (isnan (value))
    return sign | infinity | 1u << (mantissa_bits - 1) | fraction >> (52 - mantissa_bits);

  /* value = significand · 2^(exponent − 52); doubles too small to be normal all round to zero. */
  int exponent = (int) (bits >> 52 & 0x7ff) - 1023;
  guint64 significand = fraction | G_GUINT64_CONSTANT (1) << 52;
  int unit_exponent = MAX (exponent, least_exponent);
  int shift = 52 - mantissa_bits + unit_exponent - exponent;

  /* The significand's leading bit, where there is one, and a carry out of it raise the exponent. */
  guint64 magnitude = shift_rounded (significand, shift);
  magnitude += (guint64) (unit_exponent - least_exponent) << mantissa_bits;
  return sign | MIN (magnitude, infinity);
}

#define LOAD(type)                                                                                 \
  {                                                                                                \
    type value;                                                                                    \
    memcpy (&value, element, sizeof value);                                                        \
    return (double) value;                                                                         \
  }

double
reel_dtype_load_double (ReelDtype dtype, gconstpointer element)
{
  guint16 half;

  switch (dtype)
    {
    case REEL_DTYPE_BOOL: return *(const guint8 *) element != 0;
    case REEL_DTYPE_UINT8: return *(const guint8 *) element;
    case REEL_DTYPE_INT8: return *(const gint8 *) element;
    case REEL_DTYPE_INT16: LOAD (gint16)
    case REEL_DTYPE_INT32: LOAD (gint32)
    case REEL_DTYPE_INT64: LOAD (gint64)
    case REEL_DTYPE_UINT16: LOAD (guint16)
    case REEL_DTYPE_UINT32: LOAD (guint32)
    case REEL_DTYPE_UINT64: LOAD (guint64)
    case REEL_DTYPE_FLOAT32: LOAD (float)
    case REEL_DTYPE_FLOAT64: LOAD (double)
    case REEL_DTYPE_FLOAT16: memcpy (&half, element, sizeof half); return widen (half, BINARY16);
    case REEL_DTYPE_BFLOAT16: memcpy (&half, element, sizeof half); return widen (half, BFLOAT16);
    default: g_return_val_if_reached (NAN);
    }
}

/* @value toward zero, within [@low, @limit); @high is the largest integer below @limit. */
#define STORE_INTEGER(type, low, limit, high)                                                      \
  {                                                                                                \
    type integer = value >= (limit) ? (high)                                                       \
                   : value <= (low) ? (type) (low)                                                 \
                   : isnan (value)  ? 0                                                            \
                                    : (type) value;                                                 \
    memcpy (element, &integer, sizeof integer);                                                    \
    return;                                                                                        \
  }

static void
store_integer (ReelDtype dtype, gpointer element, double value)
{
  switch (dtype)
    {
    case REEL_DTYPE_UINT8: STORE_INTEGER (guint8, 0.0, 0x1p8, G_MAXUINT8)
    case REEL_DTYPE_INT8: STORE_INTEGER (gint8, -0x1p7, 0x1p7, G_MAXINT8)
    case REEL_DTYPE_INT16: STORE_INTEGER (gint16, -0x1p15, 0x1p15, G_MAXINT16)
    case REEL_DTYPE_INT32: STORE_INTEGER (gint32, -0x1p31, 0x1p31, G_MAXINT32)
    case REEL_DTYPE_INT64: STORE_INTEGER (gint64, -0x1p63, 0x1p63, G_MAXINT64)
    case REEL_DTYPE_UINT16: STORE_INTEGER (guint16, 0.0, 0x1p16, G_MAXUINT16)
    case REEL_DTYPE_UINT32: STORE_INTEGER (guint32, 0.0, 0x1p32, G_MAXUINT32)
    case REEL_DTYPE_UINT64: STORE_INTEGER (guint64, 0.0, 0x1p64, G_MAXUINT64)
    default: g_return_if_reached ();
    }
}

static void
store_half (gpointer element, guint16 bits)
{
  memcpy (element, &bits, sizeof bits);
}

void
reel_dtype_store_double (ReelDtype dtype, gpointer element, double value)
{
  float single = (float) value;

  switch (dtype)
    {
    case REEL_DTYPE_BOOL: *(guint8 *) element = value != 0; break;
    case REEL_DTYPE_FLOAT16: store_half (element, narrow (value, BINARY16)); break;
    case REEL_DTYPE_BFLOAT16: store_half (element, narrow (value, BFLOAT16)); break;
    case REEL_DTYPE_FLOAT32: memcpy (element, &single, sizeof single); break;
    case REEL_DTYPE_FLOAT64: memcpy (element, &value, sizeof value); break;
    default: store_integer (dtype, element, value);
    }
}
