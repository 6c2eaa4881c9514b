/* New tensors, and the memory that they lie in. */
#include "../src/reel.h"
#include "small-tensors.h"

#include <string.h>

static void
check_new (ReelTensor *tensor)
{
  gint64 stride = 4;

  for (gint i = tensor->ndim - 1; i >= 0; i--)
    {
      g_assert_cmpint (tensor->strides[i], ==, stride);
      stride *= MAX (tensor->shape[i], 1);
    }
  g_assert_true (reel_tensor_is_contiguous (tensor));
  g_assert_cmpuint (reel_tensor_nbytes (tensor), ==, reel_tensor_numel (tensor) * 4);
}

static void
test_new_is_contiguous (void)
{
  for_each_tensor (check_new);
}

static void
assert_value_error (ReelTensor *tensor, GError **error, const char *word)
{
  g_assert_null (tensor);
  g_assert_error (*error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr ((*error)->message, word));
  g_clear_error (error);
}

static void
test_impossible_shapes (void)
{
  const gint64 negative[] = { 2, -1 };
  const gint64 huge[] = { 0, (gint64) 1 << 40, (gint64) 1 << 40 };
  const gint64 many[REEL_MAX_NDIM + 1] = { 0 };
  GError *error = NULL;

  assert_value_error (reel_tensor_new (REEL_DTYPE_BOOL, 2, negative, &error), &error, "[2, -1]");
  assert_value_error (reel_tensor_new (REEL_DTYPE_BOOL, 3, huge, &error), &error, "2^63");
  assert_value_error (reel_tensor_new (REEL_DTYPE_BOOL, REEL_MAX_NDIM + 1, many, &error), &error,
                      "17");
  assert_value_error (reel_tensor_new (REEL_DTYPE_BOOL, -1, many, &error), &error, "-1");
}

static void
test_no_memory (void)
{
  const gint64 shape[] = { G_MAXINT64 };
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensor_new (REEL_DTYPE_BOOL, 1, shape, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_null (reel_memory_new ((gsize) 1 << 50, NULL));
}

static void
test_large_memory_is_zeroed_and_aligned (void)
{
  for (gsize size = 0; size <= (gsize) 8 << 20; size = size ? size * 4 : 1)
    {
      g_autoptr (ReelMemory) memory = reel_memory_new (size, NULL);
      gsize found;
      guint8 *data = reel_memory_get_data (memory, &found);

      g_assert_cmpuint (found, ==, size);
      g_assert_cmpuint ((gsize) data % (size < 4096 ? 64 : 4096), ==, 0);
      g_assert_cmpint (reel_memory_get_kind (memory), ==, REEL_MEMORY_HEAP);
      for (gsize i = 0; i < size; i++)
        if (data[i] != 0)
          g_error ("byte %zu of %zu is not zero", i, size);
      memset (data, 1, size);
    }
}

static void
count_call (gpointer data)
{
  ++*(guint *) data;
}

static void
test_memory_lives_as_long_as_its_views (void)
{
  gint32 elements[6] = { 0, 1, 2, 3, 4, 5 };
  const gint64 shape[] = { 2, 3 };
  guint calls = 0;
  ReelMemory *memory =
      reel_memory_new_wrapped (REEL_MEMORY_FILE, elements, sizeof elements, count_call, &calls);
  ReelTensor *tensor =
      reel_tensor_new_from_memory (memory, 0, REEL_DTYPE_INT32, 2, shape, NULL, NULL);
  reel_memory_unref (memory);
  ReelTensor *row = reel_tensor_select (tensor, 0, 1, NULL);
  reel_tensor_unref (tensor);

  g_assert_cmpuint (calls, ==, 0);
  ((gint32 *) row->data)[2] = 50;
  g_assert_cmpint (elements[5], ==, 50);
  reel_tensor_unref (row);
  g_assert_cmpuint (calls, ==, 1);
}

/* C lets one add 0 to a pointer, and not to NULL. */
static void
test_memory_of_nothing_is_somewhere (void)
{
  g_autoptr (ReelMemory) memory = reel_memory_new_wrapped (REEL_MEMORY_FILE, NULL, 0, NULL, NULL);
  gsize size = 1;

  g_assert_nonnull (reel_memory_get_data (memory, &size));
  g_assert_cmpuint (size, ==, 0);
}

/* Every offset and pair of strides over a small memory: exactly those views that stay inside. */
static void
test_views_stay_within_memory (void)
{
  guint8 bytes[8];
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, bytes, sizeof bytes, NULL, NULL);

  for (gint64 offset = 0; offset < 10; offset++)
    for (gint64 extent = 0; extent < 4; extent++)
      for (gint64 s0 = -5; s0 < 6; s0++)
        for (gint64 s1 = -5; s1 < 6; s1++)
          {
            const gint64 shape[] = { extent, 2 }, strides[] = { s0, s1 };
            gboolean inside = offset <= 8;
            for (gint64 i = 0; i < extent * 2; i++)
              {
                gint64 at = offset + i / 2 * s0 + i % 2 * s1;
                inside &= at >= 0 && at + 2 <= 8;
              }
            g_autoptr (GError) error = NULL;
            g_autoptr (ReelTensor) tensor = reel_tensor_new_from_memory (
                memory, offset, REEL_DTYPE_INT16, 2, shape, strides, &error);
            g_assert_cmpint (tensor != NULL, ==, inside);
            if (!inside)
              g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
          }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensor/new-is-contiguous", test_new_is_contiguous);
  g_test_add_func ("/core/tensor/impossible-shapes", test_impossible_shapes);
  g_test_add_func ("/core/tensor/no-memory", test_no_memory);
  g_test_add_func ("/core/memory/zeroed-and-aligned", test_large_memory_is_zeroed_and_aligned);
  g_test_add_func ("/core/memory/of-nothing-is-somewhere", test_memory_of_nothing_is_somewhere);
  g_test_add_func ("/core/memory/lives-as-long-as-its-views",
                   test_memory_lives_as_long_as_its_views);
  g_test_add_func ("/core/tensor/views-stay-within-memory", test_views_stay_within_memory);

  return g_test_run ();
}
