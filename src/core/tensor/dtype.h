/* Element types. */
#pragma once

#include "../object/error.h"

G_BEGIN_DECLS

/**
 * ReelDtype:
 * @REEL_DTYPE_BOOL: one byte, 0 or 1
 * @REEL_DTYPE_UINT8: 8 bits, unsigned
 * @REEL_DTYPE_INT8: 8 bits, signed
 * @REEL_DTYPE_INT16: 16 bits, signed
 * @REEL_DTYPE_INT32: 32 bits, signed
 * @REEL_DTYPE_INT64: 64 bits, signed
 * @REEL_DTYPE_UINT16: 16 bits, unsigned
 * @REEL_DTYPE_UINT32: 32 bits, unsigned
 * @REEL_DTYPE_UINT64: 64 bits, unsigned
 * @REEL_DTYPE_FLOAT16: IEEE binary16
 * @REEL_DTYPE_BFLOAT16: the upper half of a FLOAT32
 * @REEL_DTYPE_FLOAT32: IEEE binary32
 * @REEL_DTYPE_FLOAT64: IEEE binary64
 * @REEL_DTYPE_COMPLEX32: a pair (real, imaginary) of FLOAT16
 * @REEL_DTYPE_COMPLEX64: a pair of FLOAT32
 * @REEL_DTYPE_COMPLEX128: a pair of FLOAT64
 *
 * Element types, named as in PyTorch. All that TorchRL's memory-mapped files may hold; in memory
 * and on disk little-endian. FLOAT16 and BFLOAT16 are stored, printed and converted, not computed
 * with.
 */
typedef enum
{
  REEL_DTYPE_BOOL,
  REEL_DTYPE_UINT8,
  REEL_DTYPE_INT8,
  REEL_DTYPE_INT16,
  REEL_DTYPE_INT32,
  REEL_DTYPE_INT64,
  REEL_DTYPE_UINT16,
  REEL_DTYPE_UINT32,
  REEL_DTYPE_UINT64,
  REEL_DTYPE_FLOAT16,
  REEL_DTYPE_BFLOAT16,
  REEL_DTYPE_FLOAT32,
  REEL_DTYPE_FLOAT64,
  REEL_DTYPE_COMPLEX32,
  REEL_DTYPE_COMPLEX64,
  REEL_DTYPE_COMPLEX128,
} ReelDtype;

/**
 * REEL_N_DTYPES:
 *
 * How many element types there are.
 */
#define REEL_N_DTYPES (REEL_DTYPE_COMPLEX128 + 1)

/**
 * reel_dtype_size:
 * @dtype: an element type
 *
 * Returns: bytes of one element, 1 to 16
 */
REEL_API
gsize reel_dtype_size (ReelDtype dtype);

/**
 * reel_dtype_name:
 * @dtype: an element type
 *
 * Returns: (transfer none): PyTorch's name without its prefix, such as `float32`
 */
REEL_API
const char *reel_dtype_name (ReelDtype dtype);

/**
 * reel_dtype_from_name:
 * @name: a name as PyTorch writes it, `torch.float32` or `float32`
 * @dtype: (out): the type it names
 * @error: TYPE when the name is not one of the table, with all that are
 *
 * Aliases such as `double` or `long` are refused, as TorchRL's loader refuses them.
 *
 * Returns: whether @dtype was set
 */
REEL_API
gboolean reel_dtype_from_name (const char *name, ReelDtype *dtype, GError **error);

/**
 * reel_dtype_is_float:
 * @dtype: an element type
 *
 * Returns: whether @dtype is one of the four real floating types
 */
REEL_API
gboolean reel_dtype_is_float (ReelDtype dtype);

/**
 * reel_dtype_is_complex:
 * @dtype: an element type
 *
 * Returns: whether @dtype is one of the three complex types
 */
REEL_API
gboolean reel_dtype_is_complex (ReelDtype dtype);

/**
 * reel_dtype_promote:
 * @a: an element type
 * @b: another
 * @result: (out): the type that both are converted to where they meet
 * @error: TYPE for a complex type with another one, and for uint16, uint32 or uint64 with another
 *   integer type, which PyTorch refuses too
 *
 * PyTorch's `torch.promote_types()`: a float wins over integers of any width, float16 with bfloat16
 * is float32, uint8 with int8 is int16. So an int64 beyond 2^24 is rounded where it meets a
 * float32.
 *
 * Returns: whether there is one
 */
REEL_API
gboolean reel_dtype_promote (ReelDtype a, ReelDtype b, ReelDtype *result, GError **error);

/**
 * reel_dtype_load_double:
 * @dtype: a type that is not complex
 * @element: (not nullable): one element, of any alignment
 *
 * Returns: the element's value; 64-bit integers beyond 2^53 are rounded
 */
REEL_API
double reel_dtype_load_double (ReelDtype dtype, gconstpointer element);

/**
 * reel_dtype_store_double:
 * @dtype: a type that is not complex
 * @element: (not nullable): where to store one element, of any alignment
 * @value: the value; integers take its truncation toward zero, saturated to their range (NaN gives
 *   0), bool takes whether it differs from 0, floats round to nearest even
 *
 * Converts a number to an element type and stores it.
 */
REEL_API
void reel_dtype_store_double (ReelDtype dtype, gpointer element, double value);

G_END_DECLS
