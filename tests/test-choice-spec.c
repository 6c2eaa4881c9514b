/* Choices, and specs of values that are no tensors. */
#include "../src/reel.h"
#include "make-spec.h"

#include <string.h>

static ReelSpec *
make_choice (void)
{
  g_autoptr (ReelSpec) low = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (1), 0, 1);
  g_autoptr (ReelSpec) high = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (1), 10, 11);
  ReelSpec *const choices[] = { low, high };
  ReelSpec *choice = reel_choice_spec_new (choices, 2, NULL);

  g_assert_nonnull (choice);
  return choice;
}

/* T15.6-16 */
static void
test_choices_that_cannot_be (void)
{
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (1), 0, 1);
  g_autoptr (ReelSpec) wide = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), 0, 1);
  g_autoptr (ReelSpec) fine = make_bounded (REEL_DTYPE_FLOAT64, SHAPE (1), 0, 1);
  g_autoptr (ReelSpec) class = make_categorical (3, REEL_DTYPE_INT64, SHAPE (1));
  g_autoptr (ReelSpec) nested = make_nested ();
  const struct
  {
    ReelSpec *specs[2];
    gsize n;
    ReelError code;
    const char *message;
  } cases[] = {
    { { NULL }, 0, REEL_ERROR_VALUE, "a choice must have at least one member" },
    { { nested },
      1,
      REEL_ERROR_TYPE,
      "Each choice must be a spec of tensors or a value, but got a Composite" },
    { { box, class }, 2, REEL_ERROR_TYPE, "All choices must be the same type" },
    { { box, wide }, 2, REEL_ERROR_VALUE, "All choices must have the same shape" },
    { { box, fine }, 2, REEL_ERROR_VALUE, "All choices must have the same dtype" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_choice_spec_new (cases[i].specs, cases[i].n, &error));
      g_assert_error (error, REEL_ERROR, (gint) cases[i].code);
      g_assert_cmpstr (error->message, ==, cases[i].message);
    }
}

/* T15.6-16 */
static void
test_a_choice_of_boxes (void)
{
  g_autoptr (ReelSpec) choice = make_choice ();
  g_autoptr (ReelTensor) value = reel_spec_rand (choice, 3, 0, SHAPE (1000), NULL);
  g_autoptr (ReelTensor) between = reel_spec_zero (choice, SCALAR, NULL);
  g_autoptr (GError) error = NULL;
  gint64 n;
  gint high = 0;

  g_assert_true (reel_spec_is_in (choice, value, &error));
  g_assert_no_error (error);
  for (gint64 i = 0; i < 1000; i++)
    high += get_element (value, i) >= 10;
  g_assert_cmpint (high, >, 400);
  g_assert_cmpint (high, <, 600);
  g_assert_true (reel_spec_is_in (choice, between, NULL));
  *(float *) (gpointer) between->data = 5;
  g_assert_false (reel_spec_is_in (choice, between, &error));
  g_assert_cmpstr (error->message, ==,
                   "element [0] begins a value that is in none of the 2 choices");
  g_clear_error (&error);
  g_assert_null (reel_spec_project (choice, between, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_true (reel_spec_cardinality (choice, &n, NULL));
  g_assert_cmpint (n, ==, G_MAXINT64);
  g_assert_cmpint (reel_choice_spec_get_n_choices (choice), ==, 2);
}

static void
test_a_choice_of_classes (void)
{
  g_autoptr (ReelSpec) choice = make_from_text (
      "choice:choices=[(categorical:n=4,mask=[1,0,0,0],shape=[2]),(categorical:n=3,shape=[2])],"
      "shape=[2]");
  g_autoptr (ReelSpec) batch = reel_spec_batch (choice, SHAPE (5), NULL);
  g_autoptr (ReelSpec) member = reel_spec_batch (choice, SHAPE (5), NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (batch, 2, 0, SCALAR, NULL);
  g_autoptr (ReelTensor) values = reel_spec_enumerate (choice, TRUE, NULL);
  gint64 n;

  g_assert_true (reel_spec_cardinality (choice, &n, NULL));
  g_assert_cmpint (n, ==, 7);
  g_assert_cmpint (values->shape[0], ==, 4);
  g_assert_true (reel_spec_equal (batch, member));
  g_assert_false (reel_spec_equal (batch, choice));
  g_assert_true (reel_spec_is_in (batch, value, NULL));
}

static ReelSpec *
make_words (void)
{
  g_autoptr (ReelNonTensor) a = reel_non_tensor_new (g_variant_new_string ("a"), 0, NULL, NULL);
  g_autoptr (ReelNonTensor) b = reel_non_tensor_new (g_variant_new_string ("b"), 0, NULL, NULL);
  g_autoptr (ReelNonTensor) none = reel_non_tensor_new (NULL, 0, NULL, NULL);
  ReelNonTensor *const words[] = { a, b, none };
  ReelSpec *choice = reel_choice_spec_new_from_non_tensors (words, 3, NULL);

  g_assert_nonnull (choice);
  return choice;
}

/* T15.6-16 */
static void
test_a_choice_of_values (void)
{
  g_autoptr (ReelSpec) choice = make_words ();
  g_autoptr (ReelNonTensor) many = reel_spec_rand_non_tensor (choice, 1, 0, SHAPE (300), NULL);
  g_autoptr (ReelNonTensor) zero = reel_spec_zero_non_tensor (choice, SCALAR, NULL);
  g_autoptr (ReelNonTensor) one = reel_spec_one_non_tensor (choice, SHAPE (2), NULL);
  g_autoptr (ReelNonTensor) other =
      reel_non_tensor_new (g_variant_new_string ("c"), SHAPE (2), NULL);
  g_autoptr (GVariant) zero_data = reel_non_tensor_dup_data (zero);
  g_autoptr (GVariant) one_data = reel_non_tensor_dup_data (one);
  g_autofree char *one_text = g_variant_print (one_data, FALSE);
  g_autoptr (GError) error = NULL;
  guint counts[3] = { 0 };

  g_assert_true (reel_spec_is_non_tensor (choice));
  g_assert_true (reel_spec_is_in_non_tensor (choice, many, &error));
  g_assert_no_error (error);
  for (gint64 i = 0; i < 300; i++)
    {
      GVariant *value = reel_non_tensor_get_value (many, &i);
      const char *text = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
                             ? g_variant_get_string (value, NULL)
                             : "c";
      counts[*text - 'a']++;
    }
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (counts[i], >, 60);
  g_assert_cmpstr (g_variant_get_string (zero_data, NULL), ==, "a");
  g_assert_cmpstr (one_text, ==, "[<'b'>, <'b'>]");
  g_assert_false (reel_spec_is_in_non_tensor (choice, other, &error));
  g_assert_cmpstr (error->message, ==, "row 0 is none of the 3 choices");
  g_clear_error (&error);
  g_assert_null (reel_spec_rand (choice, 0, 0, SCALAR, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
}

/* ---- non-tensors ---- */

static ReelSpec *
make_non_tensor (gboolean batched, gint feature_dims, gint ndim, const gint64 *shape)
{
  return reel_non_tensor_spec_new (g_variant_new_string ("word"), batched, feature_dims, ndim,
                                   shape, NULL);
}

/* T15.6-16: which dimensions share a value. */
static void
test_what_is_one_value (void)
{
  static const struct
  {
    gboolean batched;
    gint feature_dims;
    gint n_ahead;
    gboolean single;
  } cases[] = {
    { FALSE, REEL_SPEC_ALL_DIMS, 0, TRUE },
    { FALSE, REEL_SPEC_ALL_DIMS, 1, FALSE },
    { FALSE, 1, 0, FALSE },
    { TRUE, REEL_SPEC_ALL_DIMS, 0, FALSE },
    { FALSE, 0, 1, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelSpec) spec =
          make_non_tensor (cases[i].batched, cases[i].feature_dims, SHAPE (3, 2));
      const gint64 ahead[] = { 4 };
      g_autoptr (ReelNonTensor) value =
          reel_spec_rand_non_tensor (spec, 0, 0, cases[i].n_ahead, ahead, NULL);
      gint ndim;

      reel_non_tensor_get_batch_size (value, &ndim);
      g_assert_cmpint (ndim, ==, 2 + cases[i].n_ahead);
      g_assert_cmpint (reel_non_tensor_is_single (value), ==, cases[i].single);
      g_assert_true (reel_spec_is_in_non_tensor (spec, value, NULL));
    }
}

/* T15.6-16 */
static void
test_non_tensors (void)
{
  g_autoptr (ReelSpec) spec = make_non_tensor (FALSE, REEL_SPEC_ALL_DIMS, SHAPE (3));
  g_autoptr (ReelSpec) same = make_non_tensor (FALSE, REEL_SPEC_ALL_DIMS, SHAPE (3));
  g_autoptr (ReelSpec) other =
      reel_non_tensor_spec_new (NULL, FALSE, REEL_SPEC_ALL_DIMS, SHAPE (3), NULL);
  g_autoptr (ReelNonTensor) number =
      reel_spec_encode_non_tensor (spec, g_variant_new_int64 (5), NULL);
  g_autoptr (ReelNonTensor) wide = reel_non_tensor_new (NULL, SHAPE (4), NULL);
  g_autoptr (ReelTensor) tensor = make_integers (SHAPE (3), 1, 2, 3);
  g_autoptr (GError) error = NULL;
  gint64 n;

  g_assert_true (reel_spec_equal (spec, same));
  g_assert_false (reel_spec_equal (spec, other));
  g_assert_true (reel_spec_is_in_non_tensor (spec, number, NULL));
  g_assert_true (reel_spec_is_in_non_tensor (other, number, NULL));
  g_assert_false (reel_spec_is_in_non_tensor (spec, wide, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_assert_false (reel_spec_is_in (spec, tensor, NULL));
  g_clear_error (&error);
  g_assert_false (reel_spec_cardinality (spec, &n, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_clear_error (&error);
  g_assert_null (reel_spec_enumerate (spec, FALSE, &error));
  g_assert_cmpstr (error->message, ==, "Cannot enumerate a NonTensor");
  g_clear_error (&error);
  g_assert_null (reel_non_tensor_spec_new (NULL, TRUE, 1, SHAPE (3), &error));
  g_assert_cmpstr (error->message, ==, "Cannot specify both batched and feature_dims.");
  g_clear_error (&error);
  g_assert_null (reel_spec_new_from_text ("non-tensor:example=it", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* A composite fills, checks and widens them. */
static void
test_in_a_composite (void)
{
  g_autoptr (ReelSpec) word = make_non_tensor (FALSE, REEL_SPEC_ALL_DIMS, SCALAR);
  g_autoptr (ReelSpec) number = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3));
  const char *const keys[] = { "word", "number" };
  ReelSpec *const specs[] = { word, number };
  g_autoptr (ReelSpec) spec = make_composite (SHAPE (3), keys, specs, 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_spec_rand_tensordict (spec, 0, 0, SHAPE (2), &error);

  g_assert_no_error (error);
  ReelNonTensor *value = reel_tensordict_get_non_tensor (td, "word", &error);
  g_assert_no_error (error);
  gint ndim;
  reel_non_tensor_get_batch_size (value, &ndim);
  g_assert_cmpint (ndim, ==, 2);
  g_assert_true (reel_spec_is_in_tensordict (spec, td, &error));
  g_assert_no_error (error);
}

static void
test_there_and_back (void)
{
  static const char *const texts[] = {
    "non-tensor:example=\"a string\",shape=[2]",
    "non-tensor:example='{\"a\":[1,null]}',batched=1,shape=[2,3]",
    "non-tensor:feature-dims=1,shape=[-1,3]",
    "choice:choices=[(bounded:low=0,high=1),(bounded:low=10,high=11)]",
    "choice:values=[{\"data\":\"a\"},{\"data\":5}],shape=[2]",
    "choice:values=['{\"list\":[\"a\",\"b\"]}',{\"data\":5}],shape=[2]",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelSpec) spec = make_from_text (texts[i]);
      g_autofree char *text = reel_spec_to_text (spec);
      g_autoptr (GError) error = NULL;
      g_autofree char *json = reel_spec_to_json (spec, NULL);
      g_autoptr (ReelSpec) again = reel_spec_new_from_json (json, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (text, ==, texts[i]);
      g_assert_true (reel_spec_equal (spec, again));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/choice/that-cannot-be", test_choices_that_cannot_be);
  g_test_add_func ("/specs/choice/of-boxes", test_a_choice_of_boxes);
  g_test_add_func ("/specs/choice/of-classes", test_a_choice_of_classes);
  g_test_add_func ("/specs/choice/of-values", test_a_choice_of_values);
  g_test_add_func ("/specs/non-tensor/what-is-one-value", test_what_is_one_value);
  g_test_add_func ("/specs/non-tensor/values", test_non_tensors);
  g_test_add_func ("/specs/non-tensor/in-a-composite", test_in_a_composite);
  g_test_add_func ("/specs/non-tensor/there-and-back", test_there_and_back);

  return g_test_run ();
}
