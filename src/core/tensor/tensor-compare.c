#include "tensor-compare.h"
#include "tensor-private.h"

#include <math.h>
#include <string.h>

/* Holds every element of every type exactly. */
typedef struct
{
  long double real, imaginary;
} Number;

static long double
load_real (ReelDtype dtype, const guint8 *element)
{
  gint64 i;
  guint64 u;

  switch (dtype)
    {
    case REEL_DTYPE_INT64: memcpy (&i, element, sizeof i); return (long double) i;
    case REEL_DTYPE_UINT64: memcpy (&u, element, sizeof u); return (long double) u;
    default: return (long double) reel_dtype_load_double (dtype, element);
    }
}

static ReelDtype
part_dtype (ReelDtype dtype)
{
  switch (dtype)
    {
    case REEL_DTYPE_COMPLEX32: return REEL_DTYPE_FLOAT16;
    case REEL_DTYPE_COMPLEX64: return REEL_DTYPE_FLOAT32;
    case REEL_DTYPE_COMPLEX128: return REEL_DTYPE_FLOAT64;
    default: return dtype;
    }
}

static Number
load_number (ReelDtype dtype, const guint8 *element)
{
  ReelDtype part = part_dtype (dtype);
  Number number = { .real = load_real (part, element) };

  if (part != dtype)
    number.imaginary = load_real (part, element + reel_dtype_size (part));
  return number;
}

/* ---- equal ---- */

#define COMPARE_ALL(type)                                                                          \
  for (gint64 i = 0; i < n; i++)                                                                   \
    {                                                                                              \
      type x, y;                                                                                   \
      memcpy (&x, (const type *) a->data + i, sizeof x);                                           \
      memcpy (&y, (const type *) b->data + i, sizeof y);                                           \
      result[i] = (x == y) == equal;                                                               \
    }                                                                                              \
  break

static void
compare_numbers (const ReelTensor *a, const ReelTensor *b, gint64 n, guint8 equal, guint8 *result)
{
  gsize size_a = reel_dtype_size (a->dtype), size_b = reel_dtype_size (b->dtype);

  for (gint64 i = 0; i < n; i++)
    {
      Number x = load_number (a->dtype, a->data + i * size_a);
      Number y = load_number (b->dtype, b->data + i * size_b);
      result[i] = (x.real == y.real && x.imaginary == y.imaginary) == equal;
    }
}

/* Of contiguous tensors of one shape. */
static void
compare_elements (const ReelTensor *a, const ReelTensor *b, guint8 equal, guint8 *result)
{
  gint64 n = reel_tensor_numel (a);

  switch (a->dtype == b->dtype ? a->dtype : REEL_DTYPE_COMPLEX128)
    {
    case REEL_DTYPE_UINT8:
    case REEL_DTYPE_INT8: COMPARE_ALL (guint8);
    case REEL_DTYPE_INT16:
    case REEL_DTYPE_UINT16: COMPARE_ALL (guint16);
    case REEL_DTYPE_INT32:
    case REEL_DTYPE_UINT32: COMPARE_ALL (guint32);
    case REEL_DTYPE_INT64:
    case REEL_DTYPE_UINT64: COMPARE_ALL (guint64);
    case REEL_DTYPE_FLOAT32: COMPARE_ALL (float);
    case REEL_DTYPE_FLOAT64: COMPARE_ALL (double);
    default: compare_numbers (a, b, n, equal, result);
    }
}

static gboolean
broadcast_shape (const ReelTensor *a, const ReelTensor *b, gint *ndim, gint64 *shape,
                 GError **error)
{
  *ndim = MAX (a->ndim, b->ndim);
  for (gint i = 1; i <= *ndim; i++)
    {
      gint64 x = i > a->ndim ? 1 : a->shape[a->ndim - i];
      gint64 y = i > b->ndim ? 1 : b->shape[b->ndim - i];
      if (x != y && x != 1 && y != 1)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "The size of tensor a (%" G_GINT64_FORMAT
                       ") must match the size of tensor b (%" G_GINT64_FORMAT
                       ") at non-singleton dimension %d",
                       x, y, *ndim - i);
          return FALSE;
        }
      shape[*ndim - i] = x == 1 ? y : x;
    }
  return TRUE;
}

/* @tensor with this shape, end to end. */
static ReelTensor *
spread (const ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error)
{
  ReelTensor view;

  if (!reel_tensor_broadcast (tensor, ndim, shape, &view, error))
    return NULL;
  return reel_tensor_is_contiguous (&view) ? reel_tensor_new_like (&view)
                                           : reel_tensor_clone (&view, error);
}

ReelTensor *
reel_tensor_compare (const ReelTensor *a, const ReelTensor *b, gboolean equal, GError **error)
{
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];

  if (!broadcast_shape (a, b, &ndim, shape, error))
    return NULL;
  g_autoptr (ReelTensor) left = spread (a, ndim, shape, error);
  g_autoptr (ReelTensor) right = left ? spread (b, ndim, shape, error) : NULL;
  ReelTensor *result = right ? reel_tensor_new (REEL_DTYPE_BOOL, ndim, shape, error) : NULL;
  if (result)
    compare_elements (left, right, equal != FALSE, result->data);
  return result;
}

/* ---- true ---- */

static gboolean
find_truth_in_row (const ReelTensor *tensor, const guint8 *row, gint64 n, gint64 stride,
                   gboolean truth)
{
  for (gint64 i = 0; i < n; i++)
    {
      Number x = load_number (tensor->dtype, row + i * stride);
      if ((x.real != 0 || x.imaginary != 0) == truth)
        return TRUE;
    }
  return FALSE;
}

static gboolean
find_truth_below (const ReelTensor *tensor, gint dim, const guint8 *data, gboolean truth)
{
  gint64 n = tensor->shape[dim];
  gint64 stride = tensor->strides[dim];

  if (dim == tensor->ndim - 1)
    {
      if (tensor->dtype == REEL_DTYPE_BOOL && stride == 1)
        return memchr (data, truth, n) != NULL;
      return find_truth_in_row (tensor, data, n, stride, truth);
    }
  for (gint64 i = 0; i < n; i++)
    if (find_truth_below (tensor, dim + 1, data + i * stride, truth))
      return TRUE;
  return FALSE;
}

gboolean
reel_tensor_find_truth (const ReelTensor *tensor, gboolean truth)
{
  if (reel_tensor_numel (tensor) == 0)
    return FALSE;
  if (tensor->ndim == 0)
    return find_truth_in_row (tensor, tensor->data, 1, 0, truth != FALSE);
  return find_truth_below (tensor, 0, tensor->data, truth != FALSE);
}

/* ---- close ---- */

/* PyTorch's, torch/testing/_comparison.py; 0 for what is not there. */
static ReelTolerance
tolerance_for (const ReelTolerance *asked, ReelDtype dtype)
{
  double rtol = 0, atol = 1e-5;

  switch (part_dtype (dtype))
    {
    case REEL_DTYPE_FLOAT16: rtol = 1e-3; break;
    case REEL_DTYPE_BFLOAT16: rtol = 1.6e-2; break;
    case REEL_DTYPE_FLOAT32: rtol = 1.3e-6; break;
    case REEL_DTYPE_FLOAT64: rtol = atol = 1e-7; break;
    default: atol = 0;
    }
  return (ReelTolerance){ .rtol = asked->rtol < 0 ? rtol : asked->rtol,
                          .atol = asked->atol < 0 ? atol : asked->atol,
                          .equal_nan = asked->equal_nan };
}

static gboolean
is_nan (Number x)
{
  return isnan (x.real) || isnan (x.imaginary);
}

/* PyTorch computes in the type of the elements, so a tolerance is rounded to it. */
static long double
round_to (ReelDtype dtype, long double value)
{
  guint8 element[sizeof (double)];

  if (!reel_dtype_is_float (dtype))
    return value;
  reel_dtype_store_double (dtype, element, (double) value);
  return reel_dtype_load_double (dtype, element);
}

static gboolean
is_close (ReelDtype dtype, Number x, Number y, const ReelTolerance *tolerance)
{
  ReelDtype part = part_dtype (dtype);

  if (x.real == y.real && x.imaginary == y.imaginary)
    return TRUE;
  if (is_nan (x) || is_nan (y))
    return tolerance->equal_nan && is_nan (x) && is_nan (y);
  long double apart = round_to (part, hypotl (x.real - y.real, x.imaginary - y.imaginary));
  long double relative = round_to (part, tolerance->rtol * hypotl (y.real, y.imaginary));
  long double allowed = round_to (part, tolerance->atol + relative);
  return isfinite (apart) && apart <= allowed;
}

static void
append_number (GString *text, ReelDtype dtype, Number x)
{
  if (part_dtype (dtype) != dtype)
    g_string_append_printf (text, "%Lg%+Lgj", x.real, x.imaginary);
  else
    g_string_append_printf (text, "%.*Lg", reel_dtype_is_float (dtype) ? 9 : 20, x.real);
}

/* TensorDict's words, and the first element that is not close. */
static gboolean
set_far_error (const ReelTensor *actual, const ReelTensor *expected, gint64 first,
               long double squares, GError **error)
{
  gint64 n = reel_tensor_numel (actual);
  gsize size = reel_dtype_size (actual->dtype);
  gint64 index[REEL_MAX_NDIM], left = first;
  g_autoptr (GString) text = g_string_new (NULL);

  for (gint i = actual->ndim - 1; i >= 0; left /= actual->shape[i--])
    index[i] = left % actual->shape[i];
  g_autofree char *place = reel_shape_to_string (actual->ndim, index);
  g_string_append_printf (
      text, "does not match, got mse = %4.4Lf: ", fabsl (sqrtl (squares / (long double) n)));
  append_number (text, actual->dtype, load_number (actual->dtype, actual->data + first * size));
  g_string_append_printf (text, " at %s, expected ", place);
  append_number (text, actual->dtype, load_number (actual->dtype, expected->data + first * size));
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_ASSERTION, text->str);
  return FALSE;
}

static gboolean
check_elements (const ReelTensor *actual, const ReelTensor *expected,
                const ReelTolerance *tolerance, GError **error)
{
  gint64 n = reel_tensor_numel (actual), first = -1;
  gsize size = reel_dtype_size (actual->dtype);
  long double squares = 0;

  for (gint64 i = 0; i < n; i++)
    {
      Number x = load_number (actual->dtype, actual->data + i * size);
      Number y = load_number (expected->dtype, expected->data + i * size);
      if (first < 0 && !is_close (actual->dtype, x, y, tolerance))
        first = i;
      squares += (x.real - y.real) * (x.real - y.real)
                 + (x.imaginary - y.imaginary) * (x.imaginary - y.imaginary);
    }
  return first < 0 || set_far_error (actual, expected, first, squares, error);
}

static gboolean
check_same_kind (const ReelTensor *actual, const ReelTensor *expected, GError **error)
{
  if (actual->dtype != expected->dtype)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "is of dtype %s, expected %s",
                   reel_dtype_name (actual->dtype), reel_dtype_name (expected->dtype));
      return FALSE;
    }
  if (actual->ndim == expected->ndim
      && memcmp (actual->shape, expected->shape, actual->ndim * sizeof (gint64)) == 0)
    return TRUE;
  g_autofree char *found = reel_shape_to_string (actual->ndim, actual->shape);
  g_autofree char *wanted = reel_shape_to_string (expected->ndim, expected->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
               "is of shape torch.Size(%s), expected torch.Size(%s)", found, wanted);
  return FALSE;
}

gboolean
reel_tensor_check_close (const ReelTensor *actual, const ReelTensor *expected,
                         const ReelTolerance *tolerance, GError **error)
{
  ReelTolerance used = tolerance_for (tolerance, expected->dtype);

  if (!check_same_kind (actual, expected, error))
    return FALSE;
  g_autoptr (ReelTensor) left = spread (actual, actual->ndim, actual->shape, error);
  g_autoptr (ReelTensor) right =
      left ? spread (expected, actual->ndim, actual->shape, error) : NULL;
  return right && check_elements (left, right, &used, error);
}
