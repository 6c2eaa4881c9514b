#include "numpy-types.h"

static const struct
{
  const char *code;
  ReelDtype dtype;
} types[] = {
  { "b1", REEL_DTYPE_BOOL },      { "u1", REEL_DTYPE_UINT8 },       { "i1", REEL_DTYPE_INT8 },
  { "u2", REEL_DTYPE_UINT16 },    { "i2", REEL_DTYPE_INT16 },       { "u4", REEL_DTYPE_UINT32 },
  { "i4", REEL_DTYPE_INT32 },     { "u8", REEL_DTYPE_UINT64 },      { "i8", REEL_DTYPE_INT64 },
  { "f2", REEL_DTYPE_FLOAT16 },   { "f4", REEL_DTYPE_FLOAT32 },     { "f8", REEL_DTYPE_FLOAT64 },
  { "c8", REEL_DTYPE_COMPLEX64 }, { "c16", REEL_DTYPE_COMPLEX128 },
};

gint
reel_numpy_find_type (const char *code)
{
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (types[i].code, code))
      return (gint) types[i].dtype;
  return -1;
}

const char *
reel_numpy_get_code (ReelDtype dtype)
{
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].dtype == dtype)
      return types[i].code;
  return NULL;
}
