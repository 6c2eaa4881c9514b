/* Input of people, as a value of a spec. */
#include "../src/reel.h"
#include "make-spec.h"

#include <math.h>
#include <string.h>

/* T15.6-1 */
static void
test_encode_boxes (void)
{
  g_autoptr (ReelSpec) spec = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (10), -1, 1);
  g_autoptr (ReelSpec) batch = reel_spec_batch (spec, SHAPE (5), NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 0, SHAPE (5), NULL);
  double numbers[10] = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_spec_encode_array (spec, value, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "Shape mismatch: the value has shape torch.Size([5, 10]) which is incompatible "
                   "with the spec shape torch.Size([10]).");
  g_clear_error (&error);
  g_autoptr (ReelTensor) again = reel_spec_encode_array (batch, value, TRUE, &error);
  g_assert_no_error (error);
  g_assert_true (again == value);

  numbers[3] = 2;
  g_autoptr (ReelTensor) outside = reel_spec_encode_doubles (spec, numbers, 10, FALSE, NULL);
  g_assert_cmpfloat (get_element (outside, 3), ==, 2);
  g_assert_null (reel_spec_encode_doubles (spec, numbers, 10, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_assert_cmpstr (error->message, ==,
                   "Encoding failed because value is not in space. Consider calling project(val) "
                   "first: element [3] is 2, not at most 1");
  g_clear_error (&error);
  g_assert_null (reel_spec_to_plain (spec, outside, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
}

/* T15.6-2 */
static void
test_encode_classes (void)
{
  static const gint64 numbers[] = { 5, 9, 11 };

  for (gsize i = 0; i < 3; i++)
    for (guint kind = 0; kind < 2; kind++)
      {
        g_autoptr (ReelSpec) spec = make_from_text (kind ? "one-hot:n=10" : "categorical:n=10");
        g_autoptr (ReelTensor) raw = make_integers (SCALAR, (int) numbers[i]);
        g_autoptr (GError) error = NULL;
        g_autoptr (ReelTensor) value = reel_spec_encode_array (spec, raw, TRUE, &error);

        if (numbers[i] == 11)
          g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
        else
          g_assert_cmpint (reel_tensor_numel (value), ==, kind ? 10 : 1);
      }
}

static void
check_not_encoded (const ReelSpec *spec, const char *text, ReelError code, const char *message)
{
  g_autoptr (GVariant) raw = g_variant_parse (NULL, text, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (raw);
  g_assert_null (reel_spec_encode (spec, raw, FALSE, &error));
  g_assert_error (error, REEL_ERROR, (gint) code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_what_cannot_be_encoded (void)
{
  g_autoptr (ReelSpec) spec = make_unbounded (REEL_DTYPE_INT64, SHAPE (2));
  g_autoptr (ReelSpec) multi = make_from_text ("multi-one-hot:nvec=[2,3],shape=[2,5]");

  check_not_encoded (spec, "'five'", REEL_ERROR_TYPE,
                     "'five' cannot be encoded: it is not a number");
  check_not_encoded (
      spec, "[<[1,2]>,<[3]>]", REEL_ERROR_RUNTIME,
      "cannot encode lists of different lengths: in dimension 1 not all have 2 items");
  check_not_encoded (
      spec, "[<[1,2]>,<3>]", REEL_ERROR_RUNTIME,
      "cannot encode lists of different lengths: in dimension 1 not all have 2 items");
  check_not_encoded (
      multi, "[1, 2]", REEL_ERROR_RUNTIME,
      "Shape mismatch: the value has shape torch.Size([5]) which is incompatible with "
      "the spec shape torch.Size([2, 5]).");
  check_not_encoded (multi, "[[1, 2], [0, -1]]", REEL_ERROR_RUNTIME,
                     "value -1 is less than 0: the classes of component 1 are 0 to 2; clip it");
  check_not_encoded (
      multi, "[[1, 2], [2, 0]]", REEL_ERROR_RUNTIME,
      "value 2 is greater than the allowed max 2: the classes of component 0 are 0 to 1; clip it, "
      "or make the spec with a greater nvec");
}

static void
test_encode_typed_lists (void)
{
  static const char *const lists[] = { "[1, 2]",       "[byte 1, 2]",   "[@n 1, 2]", "[@q 1, 2]",
                                       "[@u 1, 2]",    "[@x 1, 2]",     "[@t 1, 2]", "[1.0, 2.0]",
                                       "[<1>, <2.5>]", "<[<<1>>, <2>]>" };
  g_autoptr (ReelSpec) spec = make_unbounded (REEL_DTYPE_INT16, SHAPE (2));

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_autoptr (GVariant) raw = g_variant_parse (NULL, lists[i], NULL, NULL, NULL);
      g_autoptr (ReelTensor) value = reel_spec_encode (spec, raw, TRUE, NULL);

      g_assert_cmpfloat (get_element (value, 0), ==, 1);
      g_assert_cmpfloat (get_element (value, 1), ==, 2);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/encode/boxes", test_encode_boxes);
  g_test_add_func ("/specs/encode/classes", test_encode_classes);
  g_test_add_func ("/specs/encode/what-cannot-be", test_what_cannot_be_encoded);
  g_test_add_func ("/specs/encode/typed-lists", test_encode_typed_lists);

  return g_test_run ();
}
