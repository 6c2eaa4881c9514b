#include "dtype.h"

#include "half.h"

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

static gboolean
is_wide_unsigned (ReelDtype dtype)
{
  return dtype >= REEL_DTYPE_UINT16 && dtype <= REEL_DTYPE_UINT64;
}

/* Floats widen in the order of the list; of the two halves neither contains the other. */
static ReelDtype
promote_floats (ReelDtype a, ReelDtype b)
{
  if (!reel_dtype_is_float (a) || !reel_dtype_is_float (b))
    return reel_dtype_is_float (a) ? a : b;
  return MIN (a, b) == REEL_DTYPE_FLOAT16 && MAX (a, b) == REEL_DTYPE_BFLOAT16 ? REEL_DTYPE_FLOAT32
                                                                               : MAX (a, b);
}

/* So do bool and the integers up to int64, but for the two of 8 bits. */
static ReelDtype
promote_integers (ReelDtype a, ReelDtype b)
{
  return MIN (a, b) == REEL_DTYPE_UINT8 && MAX (a, b) == REEL_DTYPE_INT8 ? REEL_DTYPE_INT16
                                                                         : MAX (a, b);
}

/* Whether PyTorch has a type for both. */
static gboolean
meet (ReelDtype a, ReelDtype b)
{
  if (reel_dtype_is_complex (a) || reel_dtype_is_complex (b))
    return FALSE;
  return reel_dtype_is_float (a) || reel_dtype_is_float (b)
         || !(is_wide_unsigned (a) || is_wide_unsigned (b));
}

gboolean
reel_dtype_promote (ReelDtype a, ReelDtype b, ReelDtype *result, GError **error)
{
  if (a != b && !meet (a, b))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "no element type contains both %s and %s: cast one of them", reel_dtype_name (a),
                   reel_dtype_name (b));
      return FALSE;
    }
  if (a == b)
    *result = a;
  else if (reel_dtype_is_float (a) || reel_dtype_is_float (b))
    *result = promote_floats (a, b);
  else
    *result = promote_integers (a, b);
  return TRUE;
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
    case REEL_DTYPE_FLOAT16:
      memcpy (&half, element, sizeof half);
      return reel_half_widen (half, REEL_BINARY16);
    case REEL_DTYPE_BFLOAT16:
      memcpy (&half, element, sizeof half);
      return reel_half_widen (half, REEL_BFLOAT16);
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
    case REEL_DTYPE_FLOAT16: store_half (element, reel_half_narrow (value, REEL_BINARY16)); break;
    case REEL_DTYPE_BFLOAT16: store_half (element, reel_half_narrow (value, REEL_BFLOAT16)); break;
    case REEL_DTYPE_FLOAT32: memcpy (element, &single, sizeof single); break;
    case REEL_DTYPE_FLOAT64: memcpy (element, &value, sizeof value); break;
    default: store_integer (dtype, element, value);
    }
}
