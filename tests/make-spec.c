#include "make-spec.h"

static ReelSpec *
taken (ReelSpec *spec)
{
  g_assert_nonnull (spec);
  return spec;
}

ReelSpec *
make_bounded (ReelDtype dtype, gint ndim, const gint64 *shape, double low, double high)
{
  g_autoptr (GError) error = NULL;
  ReelSpec *spec = reel_bounded_spec_new (dtype, ndim, shape, &low, 1, &high, 1, &error);

  g_assert_no_error (error);
  return spec;
}

ReelSpec *
make_bounded_pair (double low0, double high0, double low1, double high1)
{
  const double low[] = { low0, low1 };
  const double high[] = { high0, high1 };

  return taken (reel_bounded_spec_new (REEL_DTYPE_FLOAT32, SHAPE (2), low, 2, high, 2, NULL));
}

ReelSpec *
make_unbounded (ReelDtype dtype, gint ndim, const gint64 *shape)
{
  return taken (reel_unbounded_spec_new (dtype, ndim, shape, NULL));
}

ReelSpec *
make_categorical (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  return taken (reel_categorical_spec_new (n, dtype, ndim, shape, NULL));
}

ReelSpec *
make_one_hot (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  return taken (reel_one_hot_spec_new (n, dtype, ndim, shape, NULL));
}

ReelSpec *
make_binary (ReelDtype dtype, gint ndim, const gint64 *shape)
{
  return taken (reel_binary_spec_new (dtype, ndim, shape, NULL));
}

ReelSpec *
make_composite (gint ndim, const gint64 *shape, const char *const *keys, ReelSpec *const *specs,
                gsize n)
{
  return taken (reel_composite_spec_new (ndim, shape, keys, specs, n, NULL));
}

ReelSpec *
make_from_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelSpec *spec = reel_spec_new_from_text (text, &error);

  g_assert_no_error (error);
  return spec;
}

static ReelTensor *
make_tensor (ReelDtype dtype, gint ndim, const gint64 *shape, va_list numbers)
{
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    reel_dtype_store_double (dtype, tensor->data + (gsize) i * reel_dtype_size (dtype),
                             va_arg (numbers, int));
  return tensor;
}

ReelTensor *
make_integers (gint ndim, const gint64 *shape, ...)
{
  va_list numbers;
  ReelTensor *tensor;

  va_start (numbers, shape);
  tensor = make_tensor (REEL_DTYPE_INT64, ndim, shape, numbers);
  va_end (numbers);
  return tensor;
}

ReelTensor *
make_bools (gint ndim, const gint64 *shape, ...)
{
  va_list numbers;
  ReelTensor *tensor;

  va_start (numbers, shape);
  tensor = make_tensor (REEL_DTYPE_BOOL, ndim, shape, numbers);
  va_end (numbers);
  return tensor;
}

ReelSpec *
make_nested (void)
{
  g_autoptr (ReelSpec) obs = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3, 2));
  g_autoptr (ReelSpec) act = make_categorical (4, REEL_DTYPE_INT64, SHAPE (3));
  const char *const inner_keys[] = { "act" };
  const char *const keys[] = { "obs", "n" };
  g_autoptr (ReelSpec) inner = make_composite (SHAPE (3), inner_keys, &act, 1);
  ReelSpec *const specs[] = { obs, inner };

  return make_composite (SHAPE (3), keys, specs, 2);
}

double
get_element (const ReelTensor *tensor, gint64 i)
{
  return reel_dtype_load_double (tensor->dtype,
                                 tensor->data + (gsize) i * reel_dtype_size (tensor->dtype));
}
