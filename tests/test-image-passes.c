/* Transforms of images in one pass: what they make is what they make one after the other, to the
 * last bit, offline and in environments, on every level of instruction sets. */
#include "collecting.h"
#include "make-transform.h"

#include "../src/core/math/isa.h"
#include "../src/core/tensor/tensor-private.h"
#include "../src/transforms/image-kernel.h"
#include "../src/transforms/image-pass.h"

#include <string.h>

/* Chains, how many of their links are one pass over bytes whose last dimension is 3, and over
 * floats. Sizes that fit nothing make two passes, or none. */
static const struct
{
  const char *text;
  guint of_bytes, of_floats;
} chains[] = {
  { "to-tensor-image|gray-scale|resize:w=3,h=4", 3, 3 },
  { "to-tensor-image|gray-scale|resize:w=2,h=5,antialias=false", 3, 3 },
  { "to-tensor-image|gray-scale|resize:w=5,interpolation=bicubic", 3, 3 },
  { "to-tensor-image|gray-scale|resize:w=4,h=3,interpolation=area", 3, 3 },
  { "to-tensor-image|gray-scale|resize:w=3,h=4,interpolation=nearest", 3, 2 },
  { "to-tensor-image|resize:w=3,h=4,interpolation=nearest-exact|gray-scale", 3, 1 },
  { "to-tensor-image|resize:w=3,h=4|gray-scale", 3, 3 },
  { "to-tensor-image|resize:w=4,h=2,antialias=false", 2, 2 },
  { "to-tensor-image|resize:w=7|gray-scale|unsqueeze:in-keys=pixels,dim=-4", 4, 4 },
  { "to-tensor-image|gray-scale", 2, 2 },
  { "to-tensor-image|gray-scale|unsqueeze:in-keys=pixels,dim=-1|resize:w=3", 3, 3 },
  { "to-tensor-image|crop:w=1,h=2,left=1|gray-scale|resize:w=3", 4, 4 },
  { "to-tensor-image|gray-scale|crop:w=2,h=1,top=1|resize:w=3,antialias=false", 4, 4 },
  { "to-tensor-image|center-crop:w=2|resize:w=3", 3, 3 },
  { "to-tensor-image|center-crop:w=2,h=1|crop:w=1,top=1", 3, 3 },
  { "to-tensor-image|resize:w=4|crop:w=2|gray-scale", 2, 2 },
  { "to-tensor-image|resize:w=3|resize:w=4|gray-scale", 2, 2 },
  { "to-tensor-image|sign:in-keys=pixels|gray-scale|resize:w=3", 1, 1 },
  { "to-tensor-image:from-int=true|gray-scale|resize:w=3", 3, 0 },
  { "to-tensor-image:from-int=false|gray-scale|resize:w=3", 0, 3 },
  { "to-tensor-image:dtype=float64|gray-scale|resize:w=3", 0, 0 },
  { "to-tensor-image:w=4,gray=true|resize:w=3", 0, 0 },
};

static ReelTensor *
make_pixels (ReelDtype dtype, gint ndim, const gint64 *shape)
{
  ReelTensor *pixels = reel_tensor_new (dtype, ndim, shape, NULL);
  guint64 state = 7;

  for (gint64 i = 0; i < reel_tensor_numel (pixels); i++)
    {
      state = state * 6364136223846793005 + 1442695040888963407;
      if (dtype == REEL_DTYPE_UINT8)
        pixels->data[i] = (guint8) (state >> 56);
      else
        ((float *) pixels->data)[i] = (float) (state >> 40) * 0x1p-24f - 0.25f;
    }
  return pixels;
}

static ReelTensordict *
wrap (ReelTensor *pixels)
{
  ReelTensordict *td = reel_tensordict_new (0, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, "pixels", pixels, NULL));
  return td;
}

/* One after the other; the first failure ends it. */
static ReelTensordict *
do_apart (ReelCompose *chain, ReelTensordict *td, GError **error)
{
  ReelTensordict *at = reel_tensordict_ref (td);

  for (gint i = 0; at && i < (gint) reel_compose_get_length (chain); i++)
    {
      ReelTensordict *next = reel_transform_forward (reel_compose_get (chain, i, NULL), at, error);

      reel_tensordict_unref (at);
      at = next;
    }
  return at;
}

/* Bits: NaN is equal to itself, and zeros have signs. */
static void
assert_same (const ReelTensordict *found, const ReelTensordict *expected, const char *key,
             const char *what)
{
  g_autoptr (ReelTensor) a =
      reel_tensor_clone (reel_tensordict_get_tensor (found, key, NULL), NULL);
  g_autoptr (ReelTensor) b =
      reel_tensor_clone (reel_tensordict_get_tensor (expected, key, NULL), NULL);

  g_assert_cmpint (a->dtype, ==, b->dtype);
  g_assert_cmpint (a->ndim, ==, b->ndim);
  for (gint i = 0; i < a->ndim; i++)
    g_assert_cmpint (a->shape[i], ==, b->shape[i]);
  if (memcmp (a->data, b->data, (gsize) reel_tensor_nbytes (a)) != 0)
    g_error ("%s: elements differ", what);
}

static void
check (const char *text, ReelTensor *pixels)
{
  g_autoptr (ReelCompose) chain = make_transform (text);
  g_autoptr (ReelTensordict) a = wrap (pixels), b = wrap (pixels), found = NULL, expected = NULL;
  g_autoptr (GError) wrong = NULL, also = NULL;

  expected = do_apart (chain, a, &wrong);
  found = reel_transform_forward (REEL_TRANSFORM (chain), b, &also);
  g_assert_true ((found == NULL) == (expected == NULL));
  if (found)
    assert_same (found, expected, "pixels", text);
  else
    g_assert_true (also->code == wrong->code && g_str_has_suffix (also->message, wrong->message));
}

/* Every small shape, and some that are not, of one, three or four channels. */
static void
check_shapes (const char *text, ReelDtype dtype, gint64 most)
{
  static const gint64 large[][2] = { { 33, 47 }, { 20, 130 }, { 67, 18 } };
  static const gint64 channels[] = { 3, 1, 4 };

  for (gsize c = 0; c < G_N_ELEMENTS (channels); c++)
    {
      for (gint64 height = 1; height <= most; height++)
        for (gint64 width = 1; width <= most; width++)
          {
            const gint64 shape[] = { 2, height, width, channels[c] };
            g_autoptr (ReelTensor) pixels = make_pixels (dtype, 4, shape);

            check (text, pixels);
          }
      for (gsize i = 0; i < G_N_ELEMENTS (large); i++)
        {
          const gint64 shape[] = { 3, large[i][0], large[i][1], channels[c] };
          g_autoptr (ReelTensor) pixels = make_pixels (dtype, 4, shape);

          check (text, pixels);
        }
    }
}

static void
test_one_pass_is_as_many (void)
{
  g_autofree char *saved = g_strdup (g_getenv ("REEL_ISA"));

  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    {
      g_setenv ("REEL_ISA", reel_isa_name (isa), TRUE);
      for (gsize i = 0; i < G_N_ELEMENTS (chains); i++)
        {
          check_shapes (chains[i].text, REEL_DTYPE_UINT8, 6);
          check_shapes (chains[i].text, REEL_DTYPE_FLOAT32, 4);
        }
    }
  if (saved)
    g_setenv ("REEL_ISA", saved, TRUE);
  else
    g_unsetenv ("REEL_ISA");
}

/* Turned images, windows and unaligned bytes are read where they are, or copied. */
static void
test_layouts (void)
{
  const gint64 shape[] = { 2, 9, 11, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (chains); i++)
    for (gint floats = 0; floats < 2; floats++)
      {
        g_autoptr (ReelTensor) whole =
            make_pixels (floats ? REEL_DTYPE_FLOAT32 : REEL_DTYPE_UINT8, 4, shape);
        g_autoptr (ReelTensor) rows = reel_tensor_slice (whole, 1, 2, 8, 1, NULL);
        g_autoptr (ReelTensor) window = reel_tensor_slice (rows, 2, 1, 7, 1, NULL);
        g_autoptr (ReelTensor) second = reel_tensor_slice (whole, 2, 0, 11, 2, NULL);
        const gint dims[] = { 0, 2, 1, 3 };
        g_autoptr (ReelTensor) turned = reel_tensor_permute (whole, dims, NULL);

        check (chains[i].text, rows);
        check (chains[i].text, window);
        check (chains[i].text, second);
        check (chains[i].text, turned);
      }
}

/* Windows of images whose channels come first are no copies either. */
static void
test_windows_of_planes (void)
{
  static const char *const texts[] = { "resize:w=3,h=4", "crop:w=3,left=1|resize:w=4,h=2",
                                       "crop:w=3,top=1|resize:w=5|gray-scale",
                                       "resize:w=3|unsqueeze:in-keys=pixels,dim=-3",
                                       "resize:w=5,interpolation=nearest|gray-scale" };
  const gint64 shape[] = { 2, 3, 7, 8 };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    for (gint floats = 0; floats < 2; floats++)
      {
        g_autoptr (ReelTensor) whole =
            make_pixels (floats ? REEL_DTYPE_FLOAT32 : REEL_DTYPE_UINT8, 4, shape);
        g_autoptr (ReelTensor) rows = reel_tensor_slice (whole, 2, 1, 6, 1, NULL);
        g_autoptr (ReelTensor) window = reel_tensor_slice (rows, 3, 2, 8, 1, NULL);
        g_autoptr (ReelTensor) copy = reel_tensor_clone (window, NULL);
        g_autoptr (ReelTransform) transform = make_transform (texts[i]);
        g_autoptr (ReelTensordict) a = wrap (window), b = wrap (copy);
        g_autoptr (ReelTensordict) found = forward (transform, a),
                                   expected = forward (transform, b);

        assert_same (found, expected, "pixels", texts[i]);
        if (strchr (texts[i], '|'))
          check (texts[i], window);
      }
}

/* ---- what is joined ---- */

static guint
count (const char *text, ReelDtype dtype)
{
  const gint64 shape[] = { 2, 9, 11, 3 };
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (GPtrArray) links = g_ptr_array_new ();
  ReelTransform *const *first;
  guint n;

  for (guint i = 0; i < reel_compose_get_length (REEL_COMPOSE (transform)); i++)
    g_ptr_array_add (links, reel_compose_get (REEL_COMPOSE (transform), (gint) i, NULL));
  first = (ReelTransform *const *) links->pdata;
  n = reel_image_pass_count_links (first, links->len);
  g_autoptr (ReelImagePass) pass = reel_image_pass_new (first, n, dtype, 4, shape);
  return reel_image_pass_get_n_joined (pass);
}

static void
test_what_is_joined (void)
{
  static const char *const apart[] = {
    "to-tensor-image:out-keys=small|gray-scale",
    "to-tensor-image|gray-scale:out-keys=gray",
    "to-tensor-image:in-keys=[pixels,other]|gray-scale",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_assert_cmpuint (count (chains[i].text, REEL_DTYPE_UINT8), ==, chains[i].of_bytes);
      g_assert_cmpuint (count (chains[i].text, REEL_DTYPE_FLOAT32), ==, chains[i].of_floats);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (apart); i++)
    g_assert_cmpuint (count (apart[i], REEL_DTYPE_UINT8), ==, 1);
  g_assert_cmpuint (count ("to-tensor-image:out-keys=a|gray-scale:in-keys=a", REEL_DTYPE_UINT8), ==,
                    2);
}

/* Several keys, of images of several forms; what is read stays. */
static void
test_keys (void)
{
  static const char *const texts[] = {
    "to-tensor-image:in-keys=[pixels,other]|gray-scale:in-keys=[pixels,other]|"
    "resize:w=3,in-keys=[pixels,other]",
    "to-tensor-image:in-keys=[pixels,other],out-keys=[a,b]|resize:w=3,in-keys=[a,b]",
    "to-tensor-image:in-keys=[pixels,other],out-keys=[other,pixels]|resize:w=3,in-keys=[other,"
    "pixels]",
    "to-tensor-image:in-keys=[other,pixels],out-keys=[a,other]|resize:w=3,in-keys=[a,other]",
    "to-tensor-image:out-keys=a|gray-scale:in-keys=a|resize:w=3,in-keys=a,out-keys=b",
  };
  const gint64 shape[] = { 5, 6, 3 }, wide[] = { 2, 4, 9, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    for (gint floats = 0; floats < 2; floats++)
      {
        g_autoptr (ReelCompose) chain = make_transform (texts[i]);
        g_autoptr (ReelTensor) pixels = make_pixels (REEL_DTYPE_UINT8, 3, shape);
        g_autoptr (ReelTensor) other =
            make_pixels (floats ? REEL_DTYPE_FLOAT32 : REEL_DTYPE_UINT8, 4, wide);
        g_autoptr (ReelTensordict) a = wrap (pixels), b = wrap (pixels);
        g_autoptr (ReelTensordict) found = NULL, expected = NULL;

        reel_tensordict_set_tensor (a, "other", other, NULL);
        reel_tensordict_set_tensor (b, "other", other, NULL);
        expected = do_apart (chain, a, NULL);
        found = forward (REEL_TRANSFORM (chain), b);
        g_assert_true (reel_tensordict_equal (found, expected));
      }
}

/* A chain refuses what its links refuse, and names the one that does. */
static void
test_refusals (void)
{
  const gint64 shape[] = { 5, 6, 4 };
  g_autoptr (ReelTensor) pixels = make_pixels (REEL_DTYPE_UINT8, 3, shape);
  g_autoptr (ReelTransform) chain = make_transform ("to-tensor-image|gray-scale|resize:w=3");
  g_autoptr (ReelTensordict) td = wrap (pixels), empty = reel_tensordict_new (0, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (chain, td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_true (g_str_has_prefix (error->message, "transform 1, gray-scale: "));
  g_clear_error (&error);
  g_assert_null (reel_transform_forward (chain, empty, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_null (reel_transform_forward (chain, empty, NULL));
}

/* ---- environments ---- */

static const char *const env_chains[] = {
  "to-tensor-image|gray-scale|resize:w=9,h=8",
  "to-tensor-image|resize:w=9,h=8,antialias=false|gray-scale|unsqueeze:in-keys=pixels,dim=-4",
  "to-tensor-image|crop:w=20,h=15,top=3|resize:w=9",
  "to-tensor-image|gray-scale",
};

/* Live and of stored rows: the same bytes, for the same actions. */
static void
test_live_is_stored (void)
{
  const char *base = "CartPole:num-envs=3,from-pixels=true,width=30,height=28,seed=5";
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };

  for (gsize i = 0; i < G_N_ELEMENTS (env_chains); i++)
    {
      g_autofree char *text = g_strconcat (base, "|", env_chains[i], NULL);
      g_autoptr (ReelEnv) plain = collecting_make (REEL_TYPE_ENV, base);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
      g_autoptr (ReelTransform) chain = make_transform (env_chains[i]);
      g_autoptr (ReelTensordict) stored = reel_env_rollout (plain, 12, &options, NULL);
      g_autoptr (ReelTensordict) live = reel_env_rollout (env, 12, &options, NULL);
      g_autoptr (ReelTensordict) made = forward (chain, stored);

      assert_same (live, made, "pixels", text);
    }
}

/* ---- kernels ---- */

static void
test_bytes_are_divided (void)
{
  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    {
      const ReelImageKernels *kernels = REEL_KERNEL_PICK (reel_image_kernels, isa);
      guint8 bytes[256];
      float parts[256];

      for (gint i = 0; i < 256; i++)
        bytes[i] = (guint8) i;
      kernels->to_unit_u8 (bytes, parts, 256);
      for (gint i = 0; i < 256; i++)
        g_assert_true (parts[i] == (float) i / 255.0f);
    }
}

/* Any length, from any place on; what is beyond stays. */
static void
test_bytes_are_streamed (void)
{
  g_autofree float *memory = g_malloc (200 * sizeof (float));

  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    for (gint first = 0; first < 17; first++)
      for (gint n = 0; n < 150; n++)
        {
          const ReelImageKernels *kernels = REEL_KERNEL_PICK (reel_image_kernels, isa);
          g_autofree guint8 *bytes = g_malloc ((gsize) n);

          for (gint i = 0; i < 200; i++)
            memory[i] = -1;
          for (gint i = 0; i < n; i++)
            bytes[i] = (guint8) (i * 53 + n);
          kernels->stream_unit_u8 (bytes, memory + first, n);
          for (gint i = 0; i < 200; i++)
            if (i < first || i >= first + n)
              g_assert_true (memory[i] == -1);
            else
              g_assert_true (memory[i] == (float) bytes[i - first] / 255.0f);
        }
}

/* A batch that fits no cache has the values of one that does. */
static void
test_large_batches (void)
{
  const gint64 large[] = { 8, 300, 301, 3 }, small[] = { 300, 301, 3 };
  g_autoptr (ReelTransform) transform = make_transform ("to-tensor-image");
  g_autoptr (ReelTensor) pixels = make_pixels (REEL_DTYPE_UINT8, 4, large);
  g_autoptr (ReelTensordict) td = wrap (pixels), found = forward (transform, td);

  for (gint64 i = 0; i < large[0]; i++)
    {
      g_autoptr (ReelTensor) one = reel_tensor_select (pixels, 0, i, NULL);
      g_autoptr (ReelTensor) made = reel_tensor_select (
          (ReelTensor *) reel_tensordict_get_tensor (found, "pixels", NULL), 0, i, NULL);
      g_autoptr (ReelTensordict) alone = wrap (one), expected = forward (transform, alone);
      g_autoptr (ReelTensordict) part = wrap (made);

      g_assert_cmpint (one->ndim, ==, G_N_ELEMENTS (small));
      assert_same (part, expected, "pixels", "a part of a batch");
    }
}

/* All pixels of some bytes, and every length. */
static void
test_gray_bytes_are_gray_floats (void)
{
  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    for (gint n = 0; n < 70; n++)
      {
        const ReelImageKernels *kernels = REEL_KERNEL_PICK (reel_image_kernels, isa);
        g_autofree guint8 *bytes = g_malloc (3 * (gsize) n);
        float parts[3 * 70], found[71], expected[71];

        found[n] = -1;
        for (gint i = 0; i < 3 * n; i++)
          bytes[i] = (guint8) (i * 89 + n * 31);
        kernels->to_unit_u8 (bytes, parts, 3 * n);
        kernels->gray_f32 (parts, parts + 1, parts + 2, 3, expected, n);
        kernels->gray_unit_bytes (bytes, found, n);
        g_assert_true (n == 0 || memcmp (found, expected, sizeof *found * (gsize) n) == 0);
        g_assert_true (found[n] == -1);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/transforms/image-passes/one-is-as-many", test_one_pass_is_as_many);
  g_test_add_func ("/transforms/image-passes/layouts-do-not-matter", test_layouts);
  g_test_add_func ("/transforms/image-passes/windows-of-planes", test_windows_of_planes);
  g_test_add_func ("/transforms/image-passes/what-is-joined", test_what_is_joined);
  g_test_add_func ("/transforms/image-passes/keys", test_keys);
  g_test_add_func ("/transforms/image-passes/refusals", test_refusals);
  g_test_add_func ("/transforms/image-passes/live-is-stored", test_live_is_stored);
  g_test_add_func ("/transforms/image-passes/bytes-are-divided", test_bytes_are_divided);
  g_test_add_func ("/transforms/image-passes/bytes-are-streamed", test_bytes_are_streamed);
  g_test_add_func ("/transforms/image-passes/large-batches", test_large_batches);
  g_test_add_func ("/transforms/image-passes/gray-bytes-are-gray-floats",
                   test_gray_bytes_are_gray_floats);
  return g_test_run ();
}
