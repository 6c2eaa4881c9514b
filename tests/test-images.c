/* Transforms of images, against torch and TorchRL, however images lie in memory, on every level. */
#include "golden-tensor.h"
#include "make-spec.h"
#include "make-transform.h"

#include "../src/core/math/isa.h"
#include "../src/core/tensor/tensor-private.h"

#include <math.h>
#include <string.h>

/* ---- images ---- */

/* The pixels of the table, times @part. */
static ReelTensor *
new_image (ReelDtype dtype, gint ndim, const gint64 *shape, double part)
{
  ReelTensor *image = reel_tensor_new (dtype, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (image); i++)
    reel_dtype_store_double (dtype, image->data + i * (gint64) reel_dtype_size (dtype),
                             (double) ((i * 37 + i * i % 101) % 256) * part);
  return image;
}

static ReelTensor *
new_table_image (ReelDtype dtype, gint ndim, const gint64 *shape)
{
  g_autoptr (ReelTensor) image = new_image (REEL_DTYPE_FLOAT64, ndim, shape, 1);

  for (gint64 i = 0; reel_dtype_is_float (dtype) && i < reel_tensor_numel (image); i++)
    ((double *) image->data)[i] /= 255;
  return reel_tensor_convert (image, dtype, NULL);
}

static ReelTensor *
read_image (const json_t *json)
{
  const json_t *extents = json_object_get (json, "shape");
  gint64 shape[REEL_MAX_NDIM];
  ReelDtype dtype;

  for (gsize i = 0; i < json_array_size (extents); i++)
    shape[i] = json_integer_value (json_array_get (extents, i));
  g_assert_true (
      reel_dtype_from_name (json_string_value (json_object_get (json, "dtype")), &dtype, NULL));
  return new_table_image (dtype, (gint) json_array_size (extents), shape);
}

static ReelTensor *
apply (const char *text, ReelTensor *image)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL), result = NULL;

  g_assert_true (reel_tensordict_set_tensor (td, "pixels", image, NULL));
  result = forward (transform, td);
  return reel_tensordict_ref_tensor (result, "pixels", NULL);
}

/* The same elements; of floats of one width, within @within of 1. */
static void
assert_close (const ReelTensor *found, const ReelTensor *expected, double within, const char *what)
{
  g_autoptr (ReelTensor) a = reel_tensor_clone (found, NULL);
  g_autoptr (ReelTensor) b = reel_tensor_clone (expected, NULL);

  g_assert_cmpint (found->dtype, ==, expected->dtype);
  g_assert_cmpint (found->ndim, ==, expected->ndim);
  for (gint i = 0; i < found->ndim; i++)
    g_assert_cmpint (found->shape[i], ==, expected->shape[i]);
  for (gint64 i = 0; i < reel_tensor_numel (a); i++)
    {
      gint64 at = i * (gint64) reel_dtype_size (a->dtype);
      double x = reel_dtype_load_double (a->dtype, a->data + at);
      double y = reel_dtype_load_double (a->dtype, b->data + at);

      if (!(fabs (x - y) <= within))
        g_error ("%s: element %d is %.17g, not %.17g", what, (gint) i, x, y);
    }
}

/* ---- the real library ---- */

static void
test_resize_golden (void)
{
  g_autoptr (json_t) file = golden_load ("images.json");
  const json_t *json;
  gsize i;

  json_array_foreach (json_object_get (file, "resize"), i, json)
  {
    g_autoptr (ReelTensor) image = read_image (json), found = NULL;
    g_autoptr (ReelTensor) expected = golden_tensor (json_object_get (json, "output"));
    g_autofree char *text =
        g_strdup_printf ("resize:w=%d,h=%d,interpolation=%s,antialias=%s",
                         (gint) json_integer_value (json_object_get (json, "w")),
                         (gint) json_integer_value (json_object_get (json, "h")),
                         json_string_value (json_object_get (json, "interpolation")),
                         json_is_true (json_object_get (json, "antialias")) ? "true" : "false");

    /* torch divides the sums of areas at the end: what lies between two integers may go the other
     * way. */
    double within = image->dtype != REEL_DTYPE_UINT8 ? 2e-7 : strstr (text, "area") ? 1 : 0;

    found = apply (text, image);
    assert_close (found, expected, within, text);
  }
  g_assert_cmpint (i, ==, 98);
}

static void
test_gray_scale_golden (void)
{
  g_autoptr (json_t) file = golden_load ("images.json");
  const json_t *json;
  gsize i;

  json_array_foreach (json_object_get (file, "gray-scale"), i, json)
  {
    g_autoptr (ReelTensor) image = read_image (json), found = apply ("gray-scale", image);
    g_autoptr (ReelTensor) expected = golden_tensor (json_object_get (json, "output"));

    assert_close (found, expected, 0, "gray-scale");
  }
  g_assert_cmpint (i, ==, 8);
}

/* T12.2-1 and its like: which pixels are divided by 255, where the channels go. */
static void
test_to_tensor_image_golden (void)
{
  g_autoptr (json_t) file = golden_load ("images.json");
  const json_t *json;
  gsize i;

  json_array_foreach (json_object_get (file, "to-tensor-image"), i, json)
  {
    const char *arguments = json_string_value (json_object_get (json, "arguments"));
    g_autofree char *text = g_strconcat ("to-tensor-image", *arguments ? ":" : "", arguments, NULL);
    g_autoptr (ReelTensor) image = read_image (json), found = apply (text, image);
    g_autoptr (ReelTensor) expected = golden_tensor (json_object_get (json, "output"));

    assert_close (found, expected, 0, text);
  }
  g_assert_cmpint (i, ==, 54);
}

/* ---- memory ---- */

static ReelTensor *
turn (ReelTensor *tensor, gint a, gint b, gint c, gboolean copy)
{
  const gint dims[3] = { a, b, c };
  g_autoptr (ReelTensor) view = reel_tensor_permute (tensor, dims, NULL);

  return copy ? reel_tensor_clone (view, NULL) : g_steal_pointer (&view);
}

/* Channels that lie last, every second row, a turned image: the same pixels, the same result. */
static void
test_layouts_do_not_matter (void)
{
  static const char *const texts[] = { "resize:w=5,h=4",
                                       "resize:w=9,h=17,interpolation=bicubic",
                                       "resize:w=5,h=6,interpolation=nearest",
                                       "gray-scale",
                                       "resize:w=3,h=2,antialias=false",
                                       "resize:w=4,h=3|gray-scale" };
  static const ReelDtype dtypes[] = { REEL_DTYPE_UINT8, REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64,
                                      REEL_DTYPE_INT16, REEL_DTYPE_FLOAT16 };
  const gint64 shape[3] = { 3, 11, 13 };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
      {
        g_autoptr (ReelTensor) image = new_table_image (dtypes[d], 3, shape);
        g_autoptr (ReelTensor) lasting = turn (image, 1, 2, 0, TRUE);
        g_autoptr (ReelTensor) last = turn (lasting, 2, 0, 1, FALSE);
        g_autoptr (ReelTensor) columns = turn (image, 0, 2, 1, TRUE);
        g_autoptr (ReelTensor) turned = turn (columns, 0, 2, 1, FALSE);
        g_autoptr (ReelTensor) a = apply (texts[i], image), b = apply (texts[i], last);
        g_autoptr (ReelTensor) c = apply (texts[i], turned);

        g_assert_false (reel_tensor_is_contiguous (last));
        g_assert_true (reel_tensor_equal (a, b));
        g_assert_true (reel_tensor_equal (a, c));
      }
}

/* One transform does in one pass what three do, up to the rounding of what is between. */
static void
test_one_pass (void)
{
  static const char *const texts[][2] = {
    { "to-tensor-image:w=5,h=7,gray=true", "to-tensor-image|resize:w=5,h=7|gray-scale" },
    { "to-tensor-image:w=20,interpolation=bicubic", "to-tensor-image|resize:w=20,interpolation="
                                                    "bicubic" },
    { "to-tensor-image:w=6,antialias=false,gray=true",
      "to-tensor-image|resize:w=6,antialias=false|gray-scale" },
    { "to-tensor-image:w=5,h=3,antialias=false,gray=true",
      "to-tensor-image|resize:w=5,h=3,antialias=false|gray-scale" },
    { "to-tensor-image:gray=true", "to-tensor-image|gray-scale" },
    { "to-tensor-image:w=4,h=3,interpolation=area,gray=true,dtype=float64",
      "to-tensor-image:dtype=float64|resize:w=4,h=3,interpolation=area|gray-scale" },
    { "to-tensor-image:w=4,from-int=false", "to-tensor-image:from-int=false|resize:w=4" },
    { "to-tensor-image:w=9,interpolation=nearest", "to-tensor-image|resize:w=9,interpolation="
                                                   "nearest" },
  };
  static const ReelDtype dtypes[] = { REEL_DTYPE_UINT8, REEL_DTYPE_FLOAT32, REEL_DTYPE_INT32 };
  const gint64 shape[4] = { 2, 11, 13, 3 };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
      {
        g_autoptr (ReelTensor) image = new_table_image (dtypes[d], 4, shape);
        g_autoptr (ReelTensor) one = apply (texts[i][0], image), three = apply (texts[i][1], image);
        gboolean divided = dtypes[d] == REEL_DTYPE_FLOAT32 || !strstr (texts[i][0], "from-int");

        assert_close (one, three, divided ? 5e-7 : 1e-4, texts[i][0]);
      }
  refuse_transform ("to-tensor-image:gray=true,interpolation=nearest", REEL_ERROR_VALUE,
                    "to-tensor-image: pixels that are picked, by interpolation=nearest, are made "
                    "gray by gray-scale behind it");
  refuse_transform (
      "to-tensor-image:w=3,shape-tolerant=true", REEL_ERROR_VALUE,
      "to-tensor-image: use resize and gray-scale after it for images with channels in any place");
}

/* Of a slope two neighbours give what it is between them, also where most pixels are not read. */
static void
test_few_pixels_of_many (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_UINT8, REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64 };
  const gint64 height = 20, rows = 18, shape[3] = { height, 40, 3 };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gint64 n = 1; n <= 20; n++)
      {
        g_autofree char *text = g_strdup_printf ("to-tensor-image:w=%d,h=%d,antialias=false,"
                                                 "from-int=false",
                                                 (gint) rows, (gint) n);
        g_autoptr (ReelTensor) image = reel_tensor_new (dtypes[d], 3, shape, NULL), made = NULL;

        for (gint64 i = 0; i < reel_tensor_numel (image); i++)
          reel_dtype_store_double (dtypes[d],
                                   image->data + i * (gint64) reel_dtype_size (dtypes[d]),
                                   (double) (3 * (i / 120) + 2 * (i / 3 % 40) + 5 * (i % 3)));
        made = apply (text, image);
        for (gint64 i = 0; i < 3 * rows * n; i++)
          {
            double y = ((double) (i / n % rows) + 0.5) * (double) height / (double) rows - 0.5;
            double x = ((double) (i % n) + 0.5) * 40 / (double) n - 0.5;
            gint64 at = i / n / rows * made->strides[0] + i / n % rows * made->strides[1]
                        + i % n * made->strides[2];

            g_assert_cmpfloat_with_epsilon (*(const float *) (made->data + at),
                                            3 * y + 2 * x + 5 * (double) (i / n / rows), 1e-4);
          }
      }
}

/* Infinite values and NaN stay where they are. */
static void
test_infinity_stays_where_it_is (void)
{
  const gint64 shape[2] = { 64, 64 };
  g_autoptr (ReelTensor) image = new_image (REEL_DTYPE_FLOAT32, 2, shape, 1);
  static const char *const texts[] = { "resize:w=16,h=16", "resize:w=16,h=16,interpolation=area",
                                       "resize:w=16,h=16,antialias=false" };

  ((float *) image->data)[0] = INFINITY;
  ((float *) image->data)[64 * 64 - 1] = NAN;
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelTensor) made = apply (texts[i], image);
      const float *pixels = (const float *) made->data;

      for (gint k = 0; k < 256; k++)
        if (k / 16 > 1 && k / 16 < 14 && k % 16 > 1 && k % 16 < 14)
          g_assert_true (isfinite (pixels[k]));
    }
}

static void
test_levels_agree (void)
{
  static const char *const texts[] = { "resize:w=5,h=40",
                                       "resize:w=9,h=17,interpolation=bicubic",
                                       "resize:w=50,h=71,antialias=false",
                                       "resize:w=18,h=4,antialias=false",
                                       "gray-scale",
                                       "to-tensor-image|resize:w=20,h=21|gray-scale",
                                       "to-tensor-image:w=17,h=3,antialias=false,gray=true",
                                       "to-tensor-image:w=5,h=21,gray=true" };
  static const ReelDtype dtypes[] = { REEL_DTYPE_UINT8, REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64 };
  g_autofree char *saved = g_strdup (g_getenv ("REEL_ISA"));

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
      for (gint64 width = 30; width < 37; width++)
        {
          const gint64 first[3] = { 3, 33, width }, last[3] = { 33, width, 3 };
          g_autoptr (ReelTensor) image =
              new_table_image (dtypes[d], 3, *texts[i] == 't' ? last : first);
          g_autoptr (ReelTensor) plain = NULL;

          for (ReelIsa isa = REEL_ISA_GENERIC; isa <= reel_isa_detect (); isa++)
            {
              g_autoptr (ReelTensor) made = NULL;

              g_setenv ("REEL_ISA", reel_isa_name (isa), TRUE);
              made = apply (texts[i], image);
              if (!plain)
                plain = reel_tensor_ref (made);
              g_assert_true (reel_tensor_equal (made, plain));
            }
        }
  if (saved)
    g_setenv ("REEL_ISA", saved, TRUE);
  else
    g_unsetenv ("REEL_ISA");
}

/* ---- arguments ---- */

static void
assert_fails (const char *text, ReelDtype dtype, gint ndim, const gint64 *shape, gint code,
              const char *message)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) image = reel_tensor_new (dtype, ndim, shape, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_tensor (td, "pixels", image, NULL));
  g_assert_null (reel_transform_forward (transform, td, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_refusals (void)
{
  const gint64 shape[3] = { 2, 4, 5 }, none[2] = { 0, 4 };

  refuse_transform ("resize", REEL_ERROR_VALUE,
                    "resize needs to know to which size: resize:w=64,h=64");
  assert_fails ("resize:w=3", REEL_DTYPE_BOOL, 3, shape, REEL_ERROR_TYPE, "interpolation=nearest");
  assert_fails ("resize:w=3", REEL_DTYPE_COMPLEX64, 3, shape, REEL_ERROR_TYPE, "complex64");
  assert_fails ("resize:w=3", REEL_DTYPE_UINT8, 1, shape, REEL_ERROR_VALUE, "[2]");
  assert_fails ("resize:w=3", REEL_DTYPE_UINT8, 2, none, REEL_ERROR_VALUE, "no pixels");
  assert_fails ("gray-scale", REEL_DTYPE_UINT8, 3, shape, REEL_ERROR_TYPE, "found 2");
  assert_fails ("gray-scale", REEL_DTYPE_UINT8, 2, shape, REEL_ERROR_TYPE, "found 2");
  assert_fails ("gray-scale", REEL_DTYPE_BOOL, 3, shape, REEL_ERROR_TYPE, "bool");
  assert_fails ("to-tensor-image", REEL_DTYPE_UINT8, 2, shape, REEL_ERROR_VALUE, "[2, 4]");
  assert_fails ("to-tensor-image", REEL_DTYPE_COMPLEX64, 3, shape, REEL_ERROR_TYPE, "complex64");
}

/* T12.2-6: channels that are last, of stored rows and in an environment. */
static void
test_channels_last (void)
{
  const gint64 rows[4] = { 2, 12, 10, 3 }, gray[4] = { 2, 12, 10, 1 }, narrow[4] = { 2, 4, 12, 3 };
  const gint64 flat[3] = { 12, 10, 3 };
  static const struct
  {
    gint n_batch;
    gint ndim;
    gboolean refused;
  } cases[] = { { 0, 4, TRUE }, { 1, 4, TRUE }, { 2, 4, FALSE } };
  g_autoptr (ReelTransform) resize = make_transform ("resize:w=3");
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gint k = 0; k < 3; k++)
      {
        const gint64 *shape = k == 0 ? rows : k == 1 ? gray : narrow;
        g_autoptr (ReelTensordict) td = reel_tensordict_new (cases[i].n_batch, shape),
                                   result = NULL;

        set_leaf (td, "pixels", REEL_DTYPE_UINT8, cases[i].ndim, shape);
        result = reel_transform_forward (resize, td, &error);
        g_assert_cmpint (result == NULL, ==, cases[i].refused && k < 2);
        if (!result)
          {
            g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
            g_assert_nonnull (strstr (error->message, "12, 10, "));
            g_clear_error (&error);
          }
      }
  assert_fails ("resize:w=3", REEL_DTYPE_UINT8, 3, flat, REEL_ERROR_VALUE, "channels are last");
  g_assert_null (reel_object_new_from_text (
      REEL_TYPE_ENV, "CartPole:from-pixels=true,width=20,height=12|resize:w=5", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "transform 0, resize: "));
}

/* An image of that size is returned as it is; of one number that is given both sides are. */
static void
test_sizes (void)
{
  const gint64 shape[3] = { 1, 4, 4 };
  g_autoptr (ReelTensor) image = new_table_image (REEL_DTYPE_UINT8, 3, shape);
  g_autoptr (ReelTensor) same = apply ("resize:w=4,h=4", image), both = apply ("resize:w=4", image);
  g_autoptr (ReelTensor) none = reel_tensor_slice (image, 0, 0, 0, 1, NULL);
  g_autoptr (ReelTensor) still_none = apply ("resize:w=3", none);

  g_assert_true (same->data == image->data && both->data == image->data);
  g_assert_cmpint (reel_tensor_numel (still_none), ==, 0);
  g_assert_cmpint (still_none->shape[1], ==, 3);
}

/* The range of a box of pixels; a cubic overshoots it. */
static void
test_specs (void)
{
  static const struct
  {
    const char *text, *spec, *expected;
  } cases[] = {
    { "to-tensor-image|resize:w=3,h=2", "bounded:dtype=uint8,shape=[4,6,3],low=[0],high=[255]",
      "bounded:shape=[3,3,2],low=[0],high=[1]" },
    { "resize:w=3", "unbounded:dtype=uint8,shape=[3,4,6]", "unbounded:dtype=uint8,shape=[3,3,3]" },
    { "resize:w=3,interpolation=bicubic", "bounded:shape=[3,4,6],low=[0],high=[1]",
      "unbounded:shape=[3,3,3]" },
    { "gray-scale", "bounded:shape=[3,4,6],low=[0],high=[0]",
      "bounded:shape=[1,4,6],low=[0],high=[0]" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTransform) transform = make_transform (cases[i].text);
      g_autoptr (ReelSpec) spec = make_env_spec (), with = NULL, seen = NULL;
      g_autoptr (ReelSpec) given = make_from_text (cases[i].spec);
      g_autoptr (ReelSpec) expected = make_from_text (cases[i].expected);
      g_autoptr (GError) error = NULL;

      with = reel_spec_set (spec, "output_spec/full_observation_spec/pixels", given, &error);
      g_assert_no_error (error);
      seen = reel_transform_env_spec (transform, with, &error);
      g_assert_no_error (error);
      g_assert_true (reel_spec_equal (
          reel_spec_get (reel_env_spec_get_part (seen, "observation"), "pixels", NULL), expected));
    }
}

static void
test_specs_of_no_images (void)
{
  static const char *const texts[] = { "to-tensor-image", "resize:w=3",
                                       "resize:w=3,interpolation=bicubic", "gray-scale" };
  static const char *const specs[] = { "unbounded:shape=[4]",
                                       "bounded:shape=[4],low=[0],high=[1]" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts) * G_N_ELEMENTS (specs); i++)
    {
      g_autoptr (ReelTransform) transform = make_transform (texts[i / 2]);
      g_autoptr (ReelSpec) spec = make_env_spec (), given = make_from_text (specs[i % 2]);
      g_autoptr (ReelSpec) with = NULL, seen = NULL;
      g_autoptr (GError) error = NULL;

      with = reel_spec_set (spec, "output_spec/full_observation_spec/pixels", given, &error);
      g_assert_no_error (error);
      seen = reel_transform_env_spec (transform, with, &error);
      g_assert_null (seen);
      g_assert_true (error && error->domain == REEL_ERROR);
      g_test_message ("%s", error->message);
    }
}

/* ---- two buffers of images ---- */

static ReelReplayBuffer *
new_member (gint64 side)
{
  const gint64 size[1] = { 20 }, shape[4] = { 20, side, side, 3 }, one[2] = { 20, 1 };
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:capacity=20", NULL, NULL);
  g_autoptr (ReelTransform) chain = make_transform ("to-tensor-image:in-keys=[pixels,next/pixels]|"
                                                    "resize:w=32,in-keys=[pixels,next/pixels]|"
                                                    "rename:in-keys=[some/key],out-keys=[renamed]");
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, size);
  g_autoptr (ReelTensor) image = new_image (REEL_DTYPE_UINT8, 4, shape, 1);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, &error);

  g_assert_no_error (error);
  g_assert_true (reel_tensordict_set_tensor (rows, "pixels", image, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "next/pixels", image, NULL));
  set_leaf (rows, "some/key", REEL_DTYPE_FLOAT32, 1, size);
  set_leaf (rows, "next/done", REEL_DTYPE_BOOL, 2, one);
  g_assert_true (reel_replay_buffer_append_transform (buffer, chain, FALSE, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, &error));
  g_assert_no_error (error);
  return buffer;
}

static void
assert_images (const ReelTensordict *td, const char *path, gint64 side)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);
  const gint64 shape[5] = { 2, 5, 3, side, side };

  g_assert_nonnull (tensor);
  g_assert_cmpint (tensor->ndim, ==, 5);
  for (gint i = 0; i < 5; i++)
    g_assert_cmpint (tensor->shape[i], ==, shape[i]);
}

/* T5-1: members whose images differ in size give batches of one size, through their transforms. */
static void
test_members_of_an_ensemble (void)
{
  g_autoptr (ReelReplayBuffer) large = new_member (244), small = new_member (64);
  ReelReplayBuffer *const members[] = { large, small };
  const double weights[] = { 0.5, 0.5 };
  g_autoptr (ReelTransform) common =
      make_transform ("resize:w=33,in-keys=pixels,out-keys=pixels33");
  ReelEnsembleOptions options = { .p = weights, .transform = common };
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new (members, 2, &options, &error);
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_no_error (error);
  for (gint i = 0; i < 4; i++)
    {
      const ReelTensor *renamed;

      reel_replay_buffer_ensemble_sample (ensemble, 10, &batch, &error);
      g_assert_no_error (error);
      assert_images (batch, "pixels", 32);
      assert_images (batch, "next/pixels", 32);
      assert_images (batch, "pixels33", 33);
      renamed = reel_tensordict_get_tensor (batch, "renamed", NULL);
      g_assert_cmpint (renamed->ndim, ==, 2);
      g_assert_cmpint (renamed->shape[0] * 10 + renamed->shape[1], ==, 25);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/images/resize-as-torch", test_resize_golden);
  g_test_add_func ("/images/gray-scale-as-torchrl", test_gray_scale_golden);
  g_test_add_func ("/images/to-tensor-image-as-torchrl", test_to_tensor_image_golden);
  g_test_add_func ("/images/layouts-do-not-matter", test_layouts_do_not_matter);
  g_test_add_func ("/images/one-pass", test_one_pass);
  g_test_add_func ("/images/few-pixels-of-many", test_few_pixels_of_many);
  g_test_add_func ("/images/infinity-stays-where-it-is", test_infinity_stays_where_it_is);
  g_test_add_func ("/images/levels-agree", test_levels_agree);
  g_test_add_func ("/images/refusals", test_refusals);
  g_test_add_func ("/images/channels-last", test_channels_last);
  g_test_add_func ("/images/sizes", test_sizes);
  g_test_add_func ("/images/specs", test_specs);
  g_test_add_func ("/images/specs-of-no-images", test_specs_of_no_images);
  g_test_add_func ("/images/members-of-an-ensemble", test_members_of_an_ensemble);

  return g_test_run ();
}
