/* Element types: names, sizes, and conversions against oracles that try every value. */
#include "../src/reel.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  gsize size;
} golden[] = {
  { "bool", 1 },    { "uint8", 1 },     { "int8", 1 },      { "int16", 2 },
  { "int32", 4 },   { "int64", 8 },     { "uint16", 2 },    { "uint32", 4 },
  { "uint64", 8 },  { "float16", 2 },   { "bfloat16", 2 },  { "float32", 4 },
  { "float64", 8 }, { "complex32", 4 }, { "complex64", 8 }, { "complex128", 16 },
};

static void
test_names_and_sizes (void)
{
  g_assert_cmpuint (G_N_ELEMENTS (golden), ==, REEL_N_DTYPES);
  for (guint i = 0; i < REEL_N_DTYPES; i++)
    {
      g_autofree char *full = g_strconcat ("torch.", golden[i].name, NULL);
      ReelDtype dtype;

      g_assert_cmpstr (reel_dtype_name ((ReelDtype) i), ==, golden[i].name);
      g_assert_cmpuint (reel_dtype_size ((ReelDtype) i), ==, golden[i].size);
      g_assert_true (reel_dtype_from_name (golden[i].name, &dtype, NULL));
      g_assert_cmpint (dtype, ==, i);
      g_assert_true (reel_dtype_from_name (full, &dtype, NULL));
      g_assert_cmpint (dtype, ==, i);
      g_assert_cmpint (reel_dtype_is_float (dtype), ==, strstr (full, "float") != NULL);
      g_assert_cmpint (reel_dtype_is_complex (dtype), ==, strstr (full, "complex") != NULL);
    }
}

static void
test_aliases_are_refused (void)
{
  static const char *const names[] = { "double", "torch.long", "", "torch.", "Float32", "float8" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      ReelDtype dtype;

      g_assert_false (reel_dtype_from_name (names[i], &dtype, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
      g_assert_nonnull (strstr (error->message, names[i]));
      g_assert_nonnull (strstr (error->message, "float32"));
    }
}

/* The meaning of 16 bits, bit by bit; 0x7c00 and the like are the caller's. */
static double
slow_value (guint bits, int mantissa_bits, int exponent_bits)
{
  int exponent = (bits & 0x7fff) >> mantissa_bits;
  double value = exponent > 0 ? 1.0 : 0.0;
  double scale = 1.0;

  for (int i = 0; i < mantissa_bits; i++)
    if (bits >> i & 1)
      value += pow (2.0, i - mantissa_bits);
  for (int i = MAX (exponent, 1); i < (1 << (exponent_bits - 1)) - 1; i++)
    scale /= 2;
  for (int i = (1 << (exponent_bits - 1)) - 1; i < exponent; i++)
    scale *= 2;
  return (bits & 0x8000 ? -1 : 1) * value * scale;
}

static guint16
stored_bits (ReelDtype dtype, double value)
{
  guint16 bits;

  reel_dtype_store_double (dtype, &bits, value);
  return bits;
}

static double
loaded (ReelDtype dtype, guint16 bits)
{
  return reel_dtype_load_double (dtype, &bits);
}

static void
check_half_values (ReelDtype dtype, int mantissa_bits, int exponent_bits)
{
  guint infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  guint quiet = 1u << (mantissa_bits - 1);

  for (guint bits = 0; bits < 0x10000; bits++)
    {
      double value = loaded (dtype, bits);
      guint magnitude = bits & 0x7fff;

      if (magnitude > infinity)
        {
          g_assert_true (isnan (value));
          g_assert_cmphex (stored_bits (dtype, value), ==, bits | quiet);
          continue;
        }
      if (magnitude == infinity)
        g_assert_cmpint (isinf (value), !=, 0);
      else
        g_assert_cmpfloat (value, ==, slow_value (bits, mantissa_bits, exponent_bits));
      g_assert_cmpint (signbit (value) != 0, ==, bits >> 15);
      g_assert_cmphex (stored_bits (dtype, value), ==, bits);
    }
}

/* Between each value and the next: the middle goes to the even one, all else to the nearest. */
static void
check_half_rounding (ReelDtype dtype, int mantissa_bits, int exponent_bits)
{
  guint infinity = ((1u << exponent_bits) - 1) << mantissa_bits;

  for (guint bits = 0; bits < infinity; bits++)
    {
      double low = slow_value (bits, mantissa_bits, exponent_bits);
      double high = slow_value (bits + 1, mantissa_bits, exponent_bits);
      double middle = low + (high - low) / 2;
      guint even = bits & 1 ? bits + 1 : bits;

      g_assert_cmphex (stored_bits (dtype, middle), ==, even);
      g_assert_cmphex (stored_bits (dtype, -middle), ==, even | 0x8000);
      g_assert_cmphex (stored_bits (dtype, nextafter (middle, 0)), ==, bits);
      g_assert_cmphex (stored_bits (dtype, nextafter (middle, INFINITY)), ==, bits + 1);
      g_assert_cmphex (stored_bits (dtype, nextafter (low, INFINITY)), ==, bits);
      g_assert_cmphex (stored_bits (dtype, nextafter (high, 0)), ==, bits + 1);
    }
  g_assert_cmphex (stored_bits (dtype, 1e300), ==, infinity);
  g_assert_cmphex (stored_bits (dtype, -1e300), ==, infinity | 0x8000);
  g_assert_cmphex (stored_bits (dtype, 1e-300), ==, 0);
  g_assert_cmphex (stored_bits (dtype, -0x1p-1074), ==, 0x8000);
}

static void
test_every_float16 (void)
{
  check_half_values (REEL_DTYPE_FLOAT16, 10, 5);
  check_half_rounding (REEL_DTYPE_FLOAT16, 10, 5);
}

static void
test_every_bfloat16 (void)
{
  check_half_values (REEL_DTYPE_BFLOAT16, 7, 8);
  check_half_rounding (REEL_DTYPE_BFLOAT16, 7, 8);
}

static void
check_stored (ReelDtype dtype, double value, double expected)
{
  guint8 room[9] = { 0 };

  /* One past an aligned address: elements need no alignment. */
  reel_dtype_store_double (dtype, room + 1, value);
  g_assert_cmpfloat (reel_dtype_load_double (dtype, room + 1), ==, expected);
  g_assert_cmpuint (room[0], ==, 0);
}

static void
test_integers_truncate_and_saturate (void)
{
  static const struct
  {
    ReelDtype dtype;
    double least, greatest;
  } ranges[] = {
    { REEL_DTYPE_UINT8, 0, 255 },          { REEL_DTYPE_INT8, -128, 127 },
    { REEL_DTYPE_INT16, -32768, 32767 },   { REEL_DTYPE_INT32, -0x1p31, 0x1p31 - 1 },
    { REEL_DTYPE_INT64, -0x1p63, 0x1p63 }, { REEL_DTYPE_UINT16, 0, 65535 },
    { REEL_DTYPE_UINT32, 0, 0x1p32 - 1 },  { REEL_DTYPE_UINT64, 0, 0x1p64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    {
      ReelDtype dtype = ranges[i].dtype;
      double least = ranges[i].least, greatest = ranges[i].greatest;

      check_stored (dtype, greatest, greatest);
      check_stored (dtype, greatest * 4 + 7, greatest);
      check_stored (dtype, INFINITY, greatest);
      check_stored (dtype, least, least);
      check_stored (dtype, least * 4 - 7, least);
      check_stored (dtype, -INFINITY, least);
      check_stored (dtype, NAN, 0);
      check_stored (dtype, 2.999, 2);
      check_stored (dtype, -0.999, 0);
      check_stored (dtype, -2.999, MAX (least, -2));
    }
}

static void
test_every_small_integer (void)
{
  for (int value = -128; value < 256; value++)
    {
      check_stored (REEL_DTYPE_INT8, value, CLAMP (value, -128, 127));
      check_stored (REEL_DTYPE_UINT8, value, MAX (value, 0));
      check_stored (REEL_DTYPE_INT64, value, value);
      check_stored (REEL_DTYPE_BOOL, value, value != 0);
    }
}

static void
test_bool_reads_any_byte (void)
{
  for (guint byte = 0; byte < 256; byte++)
    {
      guint8 element = byte;
      g_assert_cmpfloat (reel_dtype_load_double (REEL_DTYPE_BOOL, &element), ==, byte != 0);
    }
}

static void
test_floats_round (void)
{
  check_stored (REEL_DTYPE_FLOAT32, 0.1, 0.1f);
  check_stored (REEL_DTYPE_FLOAT32, 1e300, INFINITY);
  check_stored (REEL_DTYPE_FLOAT64, 0.1, 0.1);
}

/* torch.promote_types() of the types that it has one for. */
static void
test_promotion (void)
{
  static const ReelDtype types[] = { REEL_DTYPE_BOOL,    REEL_DTYPE_UINT8,    REEL_DTYPE_INT8,
                                     REEL_DTYPE_INT16,   REEL_DTYPE_INT32,    REEL_DTYPE_INT64,
                                     REEL_DTYPE_FLOAT16, REEL_DTYPE_BFLOAT16, REEL_DTYPE_FLOAT32,
                                     REEL_DTYPE_FLOAT64 };
  static const char names[] = "bu1248hBfd"; /* one for each of them */
  static const char *const table[] = { "bu1248hBfd", "uu2248hBfd", "121248hBfd", "222248hBfd",
                                       "444448hBfd", "888888hBfd", "hhhhhhhffd", "BBBBBBfBfd",
                                       "fffffffffd", "dddddddddd" };
  static const ReelDtype wide[] = { REEL_DTYPE_UINT16, REEL_DTYPE_UINT32, REEL_DTYPE_UINT64 };
  ReelDtype result;

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      for (gsize j = 0; j < G_N_ELEMENTS (types); j++)
        {
          g_assert_true (reel_dtype_promote (types[i], types[j], &result, NULL));
          g_assert_cmpint (result, ==, types[strchr (names, table[i][j]) - names]);
        }
      for (gsize j = 0; j < G_N_ELEMENTS (wide); j++)
        {
          gboolean there = reel_dtype_promote (wide[j], types[i], &result, NULL);

          g_assert_cmpint (there, ==, reel_dtype_is_float (types[i]));
          if (there)
            g_assert_cmpint (result, ==, types[i]);
        }
      g_assert_false (reel_dtype_promote (types[i], REEL_DTYPE_COMPLEX64, &result, NULL));
    }
  for (gint i = 0; i < REEL_N_DTYPES; i++)
    {
      g_assert_true (reel_dtype_promote ((ReelDtype) i, (ReelDtype) i, &result, NULL));
      g_assert_cmpint (result, ==, i);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/dtype/names-and-sizes", test_names_and_sizes);
  g_test_add_func ("/core/dtype/aliases-are-refused", test_aliases_are_refused);
  g_test_add_func ("/core/dtype/every-float16", test_every_float16);
  g_test_add_func ("/core/dtype/every-bfloat16", test_every_bfloat16);
  g_test_add_func ("/core/dtype/integers-truncate-and-saturate",
                   test_integers_truncate_and_saturate);
  g_test_add_func ("/core/dtype/every-small-integer", test_every_small_integer);
  g_test_add_func ("/core/dtype/bool-reads-any-byte", test_bool_reads_any_byte);
  g_test_add_func ("/core/dtype/promotion", test_promotion);
  g_test_add_func ("/core/dtype/floats-round", test_floats_round);

  return g_test_run ();
}
