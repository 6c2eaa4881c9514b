/* Tensors of safetensors files, and files that are none. */
#include "../src/reel.h"
#include "scratch.h"

#include <string.h>

/* A file of a header and some bytes. */
static char *
put (const char *header, gconstpointer data, gsize size)
{
  char *path = scratch_path ("a.safetensors");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 length = GUINT64_TO_LE (strlen (header));

  g_byte_array_append (bytes, (const guint8 *) &length, 8);
  g_byte_array_append (bytes, (const guint8 *) header, (guint) strlen (header));
  g_byte_array_append (bytes, data, (guint) size);
  g_assert_true (g_file_set_contents (path, (char *) bytes->data, bytes->len, NULL));
  return path;
}

static void
test_reads (void)
{
  static const float values[] = { 1, 2, 3, 4, 5, 6, -7, 8 };
  g_autofree char *path =
      put ("{\"__metadata__\":{\"format\":\"pt\"},"
           "\"0.bias\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[24,32]},"
           "\"0.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}   ",
           values, sizeof values);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) tensors = reel_safetensors_load (path, &error);

  g_assert_no_error (error);
  const ReelTensor *weight = reel_tensordict_get_tensor (tensors, "0.weight", NULL);
  const ReelTensor *bias = reel_tensordict_get_tensor (tensors, "0.bias", NULL);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (tensors);
  g_assert_cmpuint (g_strv_length (leaves), ==, 2);
  g_assert_cmpint (weight->ndim, ==, 2);
  g_assert_cmpint (weight->shape[1], ==, 3);
  g_assert_cmpmem (weight->data, 24, values, 24);
  g_assert_cmpmem (bias->data, 8, values + 6, 8);
}

static void
expect (const char *header, gsize size, int code, const char *message)
{
  static const guint8 data[64];
  g_autofree char *path = put (header, data, size);
  g_autofree char *expected = g_strconcat (path, ": ", message, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_safetensors_load (path, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, expected);
  g_assert_null (reel_safetensors_load (path, NULL));
}

#define TENSOR(name, dtype, shape, offsets)                                                        \
  "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void
test_refuses (void)
{
  expect ("{" TENSOR ("a", "F32", "[2]", "[0,8]") "," TENSOR ("b", "F32", "[2]", "[4,12]") "}", 12,
          REEL_ERROR_DAMAGED, "\"b\" begins at byte 4, and the tensors before it end at 8");
  expect ("{" TENSOR ("a", "F32", "[1]", "[4,8]") "}", 8, REEL_ERROR_DAMAGED,
          "\"a\" begins at byte 4, and the tensors before it end at 0");
  expect ("{" TENSOR ("a", "F32", "[1]", "[0,4]") "}", 5, REEL_ERROR_DAMAGED,
          "5 bytes follow the header, and its tensors end at 4");
  expect ("{" TENSOR ("a", "F32", "[3]", "[0,8]") "}", 64, REEL_ERROR_DAMAGED,
          "\"a\" has 8 bytes, and its dtype and shape need 12");
  expect ("{" TENSOR ("a", "F32", "[1]", "[0,8]") "}", 8, REEL_ERROR_DAMAGED,
          "\"a\" has 8 bytes, and its dtype and shape need 4");
  expect ("{" TENSOR ("a", "F32", "[99]", "[0,8]") "}", 8, REEL_ERROR_DAMAGED,
          "\"a\" has a shape that needs more than the 8 bytes behind the header");
  expect ("{" TENSOR ("a", "F8_E5M2", "[1]", "[0,1]") "}", 1, REEL_ERROR_NOT_IMPLEMENTED,
          "\"a\" is of dtype \"F8_E5M2\", which cannot be read");
  expect ("{" TENSOR ("a", "F32", "[2]", "[0,8]") "}", 4, REEL_ERROR_DAMAGED,
          "\"a\": \"data_offsets\": expected [BEGIN, END] within the 4 bytes behind the header, "
          "found an array");
  expect ("{" TENSOR ("a/b", "F32", "[1]", "[0,4]") "," TENSOR ("a", "F32", "[1]", "[4,8]") "}", 8,
          REEL_ERROR_DAMAGED, "two names clash, as a and a/b do");
  expect ("[]", 0, REEL_ERROR_DAMAGED, "expected an object, found an array");
}

static void
test_refuses_headers (void)
{
  g_autofree char *path = scratch_path ("short.safetensors");
  g_autoptr (GError) error = NULL;

  scratch_put (path, "1234567");
  g_assert_null (reel_safetensors_load (path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_true (
      g_str_has_suffix (error->message, ": a header of 0 bytes does not fit the file of 7"));
  g_clear_error (&error);
  scratch_put (path, "1234567890");
  g_assert_null (reel_safetensors_load (path, &error));
  g_assert_true (strstr (error->message, "does not fit the file of 10") != NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  scratch_test ("/core/safetensors/reads", test_reads);
  scratch_test ("/core/safetensors/refuses", test_refuses);
  scratch_test ("/core/safetensors/refuses-headers", test_refuses_headers);
  return g_test_run ();
}
