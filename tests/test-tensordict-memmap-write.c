/* Tensordicts written as directories, and what cannot be. */
#include "../src/reel.h"
#include "memmap-example.h"
#include "scratch.h"

#include <string.h>

static void
test_saved_directory (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("some/where/d");
  g_autofree char *metadata = scratch_path ("some/where/d/meta.json");
  g_autofree char *next = scratch_path ("some/where/d/next");

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  scratch_assert_names (path, "a.memmap meta.json next");
  scratch_assert_names (next, "b%20c.memmap meta.json");
  scratch_assert_holds (metadata,
                        "{\"a\":{\"device\":\"cpu\",\"shape\":[2,3],\"dtype\":\"torch.int16\","
                        "\"is_nested\":false},\"next\":{\"type\":\"TensorDict\"},\"shape\":[2],"
                        "\"device\":\"cpu\",\"_type\":\"" TENSORDICT "\"}");
  g_autoptr (ReelTensordict) again = memmap_load (path);
  g_assert_true (reel_tensordict_equal (td, again));
}

static void
test_saving_over_itself (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("d");

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  g_autoptr (ReelTensordict) mapped = memmap_load (path);
  g_autoptr (ReelTensordict) swapped = reel_tensordict_slice (mapped, 0, 1, 2, 1, NULL);
  g_assert_true (reel_tensordict_save (swapped, path, REEL_SAVE_DEFAULT, NULL));
  g_assert_true (reel_tensordict_equal (td, mapped));
  g_autoptr (ReelTensordict) again = memmap_load (path);
  g_assert_true (reel_tensordict_equal (swapped, again));
}

static void
test_writes_reach_the_files (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("d");

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  g_autoptr (ReelTensordict) mapped = memmap_load (path);
  ((gint16 *) reel_tensordict_get_tensor (mapped, "a", NULL)->data)[5] = 500;
  g_autoptr (ReelTensordict) again = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, NULL);
  g_assert_cmpint (((gint16 *) reel_tensordict_get_tensor (again, "a", NULL)->data)[5], ==, 500);
}

/* Unless it is asked for, writing to what was loaded leaves the files alone. */
static void
test_writes_stay_in_memory (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("d");

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  g_autoptr (ReelTensordict) mapped = reel_tensordict_load (path, REEL_LOAD_DEFAULT, NULL);
  ((gint16 *) reel_tensordict_get_tensor (mapped, "a", NULL)->data)[5] = 500;
  g_autoptr (ReelTensordict) again = memmap_load (path);
  g_assert_true (reel_tensordict_equal (again, td));
}

static void
set_scalar (ReelTensordict *td, const char *path)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

static void
assert_key_error (const ReelTensordict *td, const char *word)
{
  g_autofree char *path = scratch_path ("d");
  GError *error = NULL;

  g_assert_false (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_nonnull (strstr (error->message, word));
  g_clear_error (&error);
  g_assert_null (reel_tensordict_save_like (td, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
test_keys_that_cannot_be_stored (void)
{
  static const char *const keys[] = { "shape",   "device",  "_type",
                                      "n/shape", "bad\xff", "meta.json/x" };
  static const char *const clash[] = { "x", "x.memmap/y" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
      set_scalar (td, keys[i]);
      assert_key_error (td, "cannot be stored");
    }
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
      set_scalar (td, clash[i]);
      set_scalar (td, clash[1 - i]);
      assert_key_error (td, "\"x.memmap\"");
    }
}

static void
test_odd_keys_that_can (void)
{
  static const char *const keys[] = { "dtype", "type",   "%",        ".",  "..",
                                      "a%2Fb", "%25",    "x.y",      "é𝄞", "\x7f\x01",
                                      "a:b?*", "n/%/..", "meta.json" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autofree char *path = scratch_path ("d");

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    set_scalar (td, keys[i]);
  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  g_autoptr (ReelTensordict) again = memmap_load (path);
  g_assert_true (reel_tensordict_equal (td, again));
}

static void
test_new_files (void)
{
  const gint64 one[] = { 1, 3 }, big[] = { 1000, 3 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, one, NULL);
  g_autoptr (ReelTensor) expanded = reel_tensor_expand (tensor, 2, big, NULL);
  g_autoptr (ReelTensor) none = reel_tensor_slice (expanded, 1, 0, 0, 1, NULL);
  g_autoptr (ReelTensordict) like = reel_tensordict_new (1, big);
  g_autofree char *path = scratch_path ("d");
  g_autofree char *next = scratch_path ("d/next");
  g_autoptr (GError) error = NULL;

  ((float *) tensor->data)[0] = 1;
  g_assert_true (reel_tensordict_set_tensor (like, "a", expanded, NULL));
  g_assert_true (reel_tensordict_set_tensor (like, "next/n", none, NULL));
  g_autoptr (ReelTensordict) td = reel_tensordict_save_like (like, path, &error);
  g_assert_no_error (error);
  scratch_assert_names (path, "a.memmap meta.json next");
  scratch_assert_names (next, "meta.json");
  ReelTensor *a = reel_tensordict_get_tensor (td, "a", NULL);
  for (gint64 i = 0; i < 3000; i++)
    g_assert_cmpfloat (((float *) a->data)[i], ==, 0);
  ((float *) a->data)[2999] = 7;
  g_autoptr (ReelTensordict) again = memmap_load (path);
  g_assert_true (reel_tensordict_equal (td, again));
  g_assert_true (reel_tensordict_is_locked (td));
  g_assert_null (reel_tensordict_save_like (like, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_assert_cmpfloat (((float *) a->data)[2999], ==, 7);
}

static void
test_no_space (void)
{
  const gint64 huge[] = { (gint64) 1 << 55 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, NULL);
  g_autoptr (ReelTensor) expanded = reel_tensor_expand (tensor, 1, huge, NULL);
  g_autoptr (ReelTensordict) like = reel_tensordict_new (1, huge);
  g_autofree char *path = scratch_path ("d");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_tensor (like, "a", expanded, NULL));
  g_assert_null (reel_tensordict_save_like (like, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_clear_error (&error);
  g_assert_false (reel_tensordict_save (like, path, REEL_SAVE_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  scratch_test ("/core/tensordict-memmap/saved-directory", test_saved_directory);
  scratch_test ("/core/tensordict-memmap/saving-over-itself", test_saving_over_itself);
  scratch_test ("/core/tensordict-memmap/writes-stay-in-memory", test_writes_stay_in_memory);
  scratch_test ("/core/tensordict-memmap/writes-reach-the-files", test_writes_reach_the_files);
  scratch_test ("/core/tensordict-memmap/keys-that-cannot-be-stored",
                test_keys_that_cannot_be_stored);
  scratch_test ("/core/tensordict-memmap/odd-keys-that-can", test_odd_keys_that_can);
  scratch_test ("/core/tensordict-memmap/new-files", test_new_files);
  scratch_test ("/core/tensordict-memmap/no-space", test_no_space);

  return g_test_run ();
}
