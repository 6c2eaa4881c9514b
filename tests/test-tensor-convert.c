/* Elements of every type made of those of every other, against long doubles, which hold each value
 * of each type as it is. */
#include "../src/core/tensor/convert-kernel.h"
#include "../src/core/tensor/tensor-private.h"
#include "../src/reel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define N_REAL REEL_DTYPE_COMPLEX32

/* ---- what types are, in another way than the library's ---- */

typedef struct
{
  gint bits;     /* of a significand; 0 for integers */
  gint exponent; /* the largest */
  gint size;
} Format;

static Format
format_of (ReelDtype dtype)
{
  switch (dtype)
    {
    case REEL_DTYPE_FLOAT16: return (Format){ 11, 15, 2 };
    case REEL_DTYPE_BFLOAT16: return (Format){ 8, 127, 2 };
    case REEL_DTYPE_FLOAT32: return (Format){ 24, 127, 4 };
    case REEL_DTYPE_FLOAT64: return (Format){ 53, 1023, 8 };
    default: return (Format){ 0, 0, (gint) reel_dtype_size (dtype) };
    }
}

static gboolean
is_signed (ReelDtype dtype)
{
  return dtype == REEL_DTYPE_INT8 || dtype == REEL_DTYPE_INT16 || dtype == REEL_DTYPE_INT32
         || dtype == REEL_DTYPE_INT64;
}

static guint64
load_bits (const guint8 *element, gint size)
{
  guint64 bits = 0;

  memcpy (&bits, element, size);
  return bits;
}

static long double
decode_float (Format format, guint64 bits)
{
  gint stored = format.bits - 1, width = format.size * 8 - 1 - stored;
  guint64 exponent = bits >> stored & (((guint64) 1 << width) - 1);
  guint64 mantissa = bits & (((guint64) 1 << stored) - 1);
  long double value;

  if (exponent == ((guint64) 1 << width) - 1)
    value = mantissa ? (long double) NAN : (long double) INFINITY;
  else if (exponent == 0)
    value = ldexpl ((long double) mantissa, 1 - format.exponent - stored);
  else
    value = ldexpl ((long double) (mantissa | (guint64) 1 << stored),
                    (gint) exponent - format.exponent - stored);
  return bits >> (format.size * 8 - 1) ? -value : value;
}

static long double
decode (ReelDtype dtype, const guint8 *element)
{
  Format format = format_of (dtype);
  guint64 bits = load_bits (element, format.size);

  if (dtype == REEL_DTYPE_BOOL)
    return bits != 0;
  if (format.bits > 0)
    return decode_float (format, bits);
  if (is_signed (dtype))
    return (long double) ((gint64) (bits << (64 - 8 * format.size)) >> (64 - 8 * format.size));
  return (long double) bits;
}

/* The value of the nearest number of a type. */
static long double
expect_float (Format format, long double value)
{
  gint exponent;
  long double unit, rounded;

  if (isnan (value) || isinf (value) || value == 0)
    return value;
  exponent = MAX (ilogbl (value), 1 - format.exponent);
  unit = ldexpl (1, exponent - format.bits + 1);
  rounded = rintl (value / unit) * unit;
  if (fabsl (rounded) >= ldexpl (1, format.exponent + 1))
    return copysignl ((long double) INFINITY, value);
  return copysignl (rounded, value);
}

static long double
expect (ReelDtype dtype, long double value)
{
  Format format = format_of (dtype);
  gint bits = 8 * format.size;
  long double least = is_signed (dtype) ? -ldexpl (1, bits - 1) : 0;
  long double most = ldexpl (1, is_signed (dtype) ? bits - 1 : bits) - 1;

  if (dtype == REEL_DTYPE_BOOL)
    return value != 0;
  if (format.bits > 0)
    return expect_float (format, value);
  return isnan (value) ? 0 : value <= least ? least : value >= most ? most : truncl (value) + 0.0L;
}

/* ---- elements ---- */

/* Around every power of two and of all that is halfway between two values of narrower types. */
static void
add_integers (GArray *words)
{
  for (gint k = 0; k < 64; k++)
    for (gint j = -1; j < k; j++)
      for (gint64 d = -2; d <= 2; d++)
        {
          guint64 word = ((guint64) 1 << k) + (j < 0 ? 0 : (guint64) 1 << j) + (guint64) d;
          guint64 negative = -word, odd = word | ((guint64) 3 << k >> 9);
          g_array_append_val (words, word);
          g_array_append_val (words, negative);
          g_array_append_val (words, odd);
        }
}

static guint64
bits_of (ReelDtype dtype, double value)
{
  float single = (float) value;

  return dtype == REEL_DTYPE_FLOAT32 ? load_bits ((const guint8 *) &single, 4)
                                     : load_bits ((const guint8 *) &value, 8);
}

/* Around every power of two, halfway between two values of every narrower type, and beyond. */
static void
add_floats (ReelDtype dtype, GArray *words)
{
  for (gint k = -1074; k < 1024; k += ABS (k) < 160 ? 1 : 13)
    for (gint j = 0; j < 54; j++)
      for (gint sign = -1; sign <= 1; sign += 2)
        for (gint d = -1; d <= 1; d++)
          {
            double value = ldexp (sign, k) + (j ? ldexp (sign, k - j) : 0);
            guint64 word = bits_of (dtype, value) + (guint64) d;
            g_array_append_val (words, word);
          }
  for (gint k = -70000; k <= 70000; k += 7)
    {
      guint64 word = bits_of (dtype, (double) k / 4);
      g_array_append_val (words, word);
    }
}

/* All of 16 bits and less; of more, edges and some at random, an odd number. */
static GArray *
list_words (ReelDtype dtype)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (guint64));
  gint bits = 8 * (gint) reel_dtype_size (dtype);
  ReelRandomKey key = reel_random_key (5, dtype);
  guint64 one = 1;

  if (bits <= 16)
    for (guint64 word = 0; word < (guint64) 1 << bits; word++)
      g_array_append_val (words, word);
  else
    {
      if (reel_dtype_is_float (dtype))
        add_floats (dtype, words);
      else
        add_integers (words);
      for (guint64 i = 0; i < 5000; i++)
        {
          guint64 word = reel_random_word (key, i) >> i % 64;
          g_array_append_val (words, word);
        }
    }
  if (words->len % 2 == 0)
    g_array_append_val (words, one);
  return words;
}

/* The elements, which begin @offset bytes into memory. */
static ReelTensor *
make_elements (ReelDtype dtype, gsize offset)
{
  g_autoptr (GArray) words = list_words (dtype);
  gsize size = reel_dtype_size (dtype);
  gint64 n = words->len;
  g_autoptr (ReelMemory) memory = reel_memory_new (words->len * size + offset, NULL);
  ReelTensor *tensor = reel_tensor_new_from_memory (memory, offset, dtype, 1, &n, NULL, NULL);

  for (gint64 i = 0; i < n; i++)
    memcpy (tensor->data + (gsize) i * size, &g_array_index (words, guint64, i), size);
  return tensor;
}

/* ---- pairs ---- */

static void
check_pair (const ReelTensor *from, ReelDtype to)
{
  g_autoptr (ReelTensor) made = reel_tensor_convert (from, to, NULL);
  gsize from_size = reel_dtype_size (from->dtype), to_size = reel_dtype_size (to);

  g_assert_cmpint (made->dtype, ==, to);
  g_assert_cmpint (reel_tensor_numel (made), ==, reel_tensor_numel (from));
  for (gsize i = 0; i < (gsize) reel_tensor_numel (from); i++)
    {
      long double value = decode (from->dtype, from->data + i * from_size);
      long double expected = expect (to, value), found = decode (to, made->data + i * to_size);

      if (!(isnan (expected) ? isnan (found) : found == expected)
          || (reel_dtype_is_float (to) && !isnan (found) && signbit (found) != signbit (expected)))
        g_error ("%s %.21Lg becomes %s %.21Lg, not %.21Lg", reel_dtype_name (from->dtype), value,
                 reel_dtype_name (to), found, expected);
    }
}

static void
test_pairs (gconstpointer data)
{
  ReelDtype from = (ReelDtype) GPOINTER_TO_INT (data);
  g_autoptr (ReelTensor) elements = make_elements (from, 0), unaligned = make_elements (from, 1);

#if LDBL_MANT_DIG < 64
  g_test_skip ("a long double does not hold 64 bits here");
  return;
#endif
  for (ReelDtype to = 0; to < N_REAL; to++)
    {
      g_autoptr (ReelTensor) made = reel_tensor_convert (elements, to, NULL);
      g_autoptr (ReelTensor) same = reel_tensor_convert (unaligned, to, NULL);

      check_pair (elements, to);
      g_assert_true (reel_tensor_equal (made, same));
    }
}

/* Every instruction set, NaNs to the bit, every remainder of a vector. */
static void
test_levels (void)
{
  const ReelConvertKernels *plain = REEL_KERNEL_PICK (reel_convert_kernels, REEL_ISA_GENERIC);
  ReelIsa best = reel_isa_detect ();

  for (ReelDtype from = 0; from < N_REAL; from++)
    {
      g_autoptr (ReelTensor) elements = make_elements (from, 0);
      gsize n = (gsize) reel_tensor_numel (elements);
      g_autofree guint8 *expected = g_malloc (n * 8), *found = g_malloc (n * 8);

      for (ReelDtype to = 0; to < N_REAL; to++)
        for (ReelIsa isa = REEL_ISA_GENERIC; isa <= best; isa++)
          for (gsize skip = 0; skip < n; skip = skip * 2 + (skip < 200 ? 1 : 1000))
            {
              const guint8 *data = elements->data + skip * reel_dtype_size (from);
              gsize size = (n - skip) * reel_dtype_size (to);

              plain->convert (from, data, to, expected, n - skip);
              REEL_KERNEL_PICK (reel_convert_kernels, isa)
                  ->convert (from, data, to, found, n - skip);
              g_assert_cmpmem (found, size, expected, size);
            }
    }
}

/* One element by itself is what it is among others, where a double holds it. */
static void
test_single (void)
{
  for (ReelDtype from = 0; from < N_REAL; from++)
    for (ReelDtype to = 0; to < N_REAL; to++)
      {
        g_autoptr (ReelTensor) elements = make_elements (from, 0);
        g_autoptr (ReelTensor) made = reel_tensor_convert (elements, to, NULL);

        for (gint64 i = 0; from != to && i < reel_tensor_numel (made); i += 3)
          {
            const guint8 *element = elements->data + (gsize) i * reel_dtype_size (from);
            double value = reel_dtype_load_double (from, element);
            guint8 single[8];

            if ((long double) value != decode (from, element))
              continue;
            reel_dtype_store_double (to, single, value);
            g_assert_cmpmem (single, reel_dtype_size (to),
                             made->data + (gsize) i * reel_dtype_size (to), reel_dtype_size (to));
          }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  for (ReelDtype from = 0; from < N_REAL; from++)
    {
      g_autofree char *path = g_strconcat ("/core/tensor-convert/", reel_dtype_name (from), NULL);
      g_test_add_data_func (path, GINT_TO_POINTER (from), test_pairs);
    }
  g_test_add_func ("/core/tensor-convert/every-level-gives-the-same", test_levels);
  g_test_add_func ("/core/tensor-convert/one-by-one-is-the-same", test_single);
  return g_test_run ();
}
