/* Indices and masks of tensordicts: nested ones, names, non-tensors, assignment. */
#include "../src/reel.h"

#include <string.h>

/* ---- tensordicts ---- */

static ReelTensor *
new_count (gint ndim, const gint64 *shape)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = i + 1;
  return tensor;
}

static void
set_count (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape)
{
  g_autoptr (ReelTensor) tensor = new_count (ndim, shape);
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_tensor (td, path, tensor, &error);
  g_assert_no_error (error);
}

/* Batch size [2, 2, 2] named p, q, r; a: [2, 2, 2], n/c: [2, 2, 2, 3], s: strings "0" to "7". */
static ReelTensordict *
new_example (void)
{
  static const char *const names[] = { "p", "q", "r" };
  const gint64 shape[] = { 2, 2, 2, 3 };
  ReelTensordict *td = reel_tensordict_new (3, shape);
  g_autoptr (ReelTensor) which = reel_tensor_new (REEL_DTYPE_INT64, 3, shape, NULL);
  g_autoptr (GError) error = NULL;
  GVariant *values[8];

  for (gint i = 0; i < 8; i++)
    {
      values[i] = g_variant_new_printf ("%d", i);
      ((gint64 *) which->data)[i] = i;
    }
  g_autoptr (ReelNonTensor) strings = reel_non_tensor_new_from_which (values, 8, which, &error);
  g_assert_no_error (error);
  set_count (td, "a", 3, shape);
  set_count (td, "n/c", 4, shape);
  reel_tensordict_set_non_tensor (td, "s", strings, &error);
  g_assert_no_error (error);
  reel_tensordict_set_names (td, names, NULL);
  return td;
}

static ReelTensordict *
index_text (ReelTensordict *td, const char *text, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  return reel_index_parse (&index, text, error) ? reel_tensordict_index (td, &index, error) : NULL;
}

static gboolean
assign_text (ReelTensordict *td, const char *text, const ReelTensordict *value, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  return reel_index_parse (&index, text, error)
         && reel_tensordict_assign (td, &index, value, error);
}

static void
assign_ok (ReelTensordict *td, const char *text, const ReelTensordict *value)
{
  g_autoptr (GError) error = NULL;

  assign_text (td, text, value, &error);
  g_assert_no_error (error);
}

static void
assert_shape (ReelTensor *tensor, gint ndim, const gint64 *shape)
{
  g_assert_cmpmem (tensor->shape, tensor->ndim * sizeof *shape, shape, ndim * sizeof *shape);
}

static gint64
int_at (ReelTensordict *td, const char *path, gint64 i)
{
  g_autoptr (ReelTensor) dense =
      reel_tensor_contiguous (reel_tensordict_get_tensor (td, path, NULL), NULL);

  return ((gint64 *) dense->data)[i];
}

/* The values of `s` as GVariant prints them, without the brackets of variants. */
static void
assert_strings (ReelTensordict *td, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) value = reel_tensordict_dup_value (td, "s", &error);
  g_autoptr (GString) found = NULL;

  g_assert_no_error (error);
  found = g_variant_print_string (value, NULL, FALSE);
  g_string_replace (found, "<", "", 0);
  g_string_replace (found, ">", "", 0);
  g_assert_cmpstr (found->str, ==, expected);
}

/* ---- reading ---- */

static char *
names_of (ReelTensordict *td)
{
  GString *names = g_string_new (NULL);
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  for (gint i = 0; i < ndim; i++)
    {
      const char *name = reel_tensordict_get_name (td, i);
      g_string_append (names, name ? name : "-");
    }
  return g_string_free (names, FALSE);
}

static void
check_line (ReelTensordict *td, char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) found = index_text (td, words[0], &error);
  g_autoptr (GString) extents = g_string_new (NULL);
  gint ndim;

  if (g_strv_length (words) == 2)
    {
      g_assert_null (found);
      return;
    }
  g_assert_no_error (error);
  const gint64 *shape = reel_tensordict_get_batch_size (found, &ndim);
  for (gint i = 0; i < ndim; i++)
    g_string_append_printf (extents, "%d", (int) shape[i]);
  g_autofree char *names = names_of (found);
  g_assert_cmpstr (extents->str, ==, words[1]);
  if (strcmp (words[3], "?") != 0)
    g_assert_cmpstr (names, ==, words[3]);

  ReelTensor *a = reel_tensordict_get_tensor (found, "a", NULL);
  ReelTensor *c = reel_tensordict_get_tensor (found, "n/c", NULL);
  assert_shape (a, ndim, shape);
  g_assert_cmpint (c->ndim, ==, ndim + 1);
  for (gsize i = 0; i < strlen (words[2]); i++)
    {
      g_assert_cmpint (int_at (found, "a", (gint64) i), ==, words[2][i] - '0' + 1);
      g_assert_cmpint (int_at (found, "n/c", (gint64) i * 3), ==, (words[2][i] - '0') * 3 + 1);
    }
}

static void
test_gives_what_tensordict_gives (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "index.tsv", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; *lines[i]; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], "\t", -1);
      check_line (td, words);
    }
}

/* Cases without a right answer by the reference. */
static void
test_names_follow_their_dimensions (void)
{
  static const struct
  {
    const char *index, *names;
  } cases[] = {
    { "[[0, 1], [[0], [1]]]", "ppr" },
    { "[[[0, 1]], [0, 1]]", "ppr" },
    { "[True, 1:, [1, 0, 1]]", "qpr" },
    { "[True, None, [True, False]]", "p-qr" },
    { "[None, [0, 1], :, [0, 1]]", "p-q" },
    { "[True, ..., [1, 0]]", "rpq" },
    { "[None, :, [0, 1], None, [0]]", "q-p-" },
    { "[[[True, False], [True, True]], None, [0]]", "--" },
  };
  g_autoptr (ReelTensordict) td = new_example ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensordict) found = index_text (td, cases[i].index, NULL);
      g_autofree char *names = names_of (found);
      g_test_message ("%s", cases[i].index);
      g_assert_cmpstr (names, ==, cases[i].names);
      g_autofree char *nested = names_of (reel_tensordict_get_tensordict (found, "n", NULL));
      g_assert_cmpstr (nested, ==, cases[i].names);
    }
}

static void
test_values_are_indexed_too (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensordict) row = index_text (td, "[1, :, 0]", NULL);
  g_autoptr (ReelTensordict) taken = index_text (td, "[[1, 0], 0, [1, -1]]", NULL);
  g_autoptr (ReelTensordict) one = index_text (td, "[0, 1, 1]", NULL);

  assert_strings (row, "['4', '6']");
  assert_strings (taken, "['5', '1']");
  assert_strings (one, "'3'");
}

static void
test_slices_share_memory (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensordict) view = index_text (td, "[1, ..., None]", NULL);
  g_autoptr (ReelTensordict) copy = index_text (td, "[[1]]", NULL);

  ((gint64 *) reel_tensordict_get_tensor (view, "n/c", NULL)->data)[0] = -5;
  g_assert_cmpint (int_at (td, "n/c", 12), ==, -5);
  g_assert_cmpint (int_at (copy, "n/c", 0), ==, 13);
}

/* ---- assignment ---- */

static void
test_parts_are_assigned (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensordict) source = new_example ();
  g_autoptr (ReelTensordict) value = index_text (source, "[1]", NULL);
  g_autoptr (ReelTensordict) found = NULL;

  reel_tensordict_lock (td);
  assign_ok (td, "[0]", value);
  found = index_text (td, "[0]", NULL);
  g_assert_true (reel_tensordict_equal (found, value));
  assert_strings (td, "[[['4', '5'], ['6', '7']], [['4', '5'], ['6', '7']]]");

  /* Every second index of the last dimension from the first, in other order. */
  g_autoptr (ReelTensordict) turned = index_text (source, "[[1, 0], :, 0]", NULL);
  assign_ok (td, "[:, [0, 1], 1]", turned);
  g_assert_cmpint (int_at (td, "a", 1), ==, 5);
  g_assert_cmpint (int_at (td, "a", 7), ==, 3);
  assert_strings (td, "[[['4', '4'], ['6', '6']], [['4', '0'], ['6', '2']]]");
}

static void
test_values_are_broadcast_over_the_batch (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensordict) value = index_text (td, "[1, 1]", NULL);
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (value, TRUE, NULL);
  g_autoptr (ReelTensordict) one = index_text (copy, "[0]", NULL);

  assign_ok (td, "[:, [0, 1]]", copy);
  assert_strings (td, "[[['6', '7'], ['6', '7']], [['6', '7'], ['6', '7']]]");
  for (gint64 i = 0; i < 8; i++)
    g_assert_cmpint (int_at (td, "a", i), ==, 7 + i % 2);
  for (gint64 i = 0; i < 24; i++)
    g_assert_cmpint (int_at (td, "n/c", i), ==, 19 + i % 6);

  assign_ok (td, "[...]", one);
  for (gint64 i = 0; i < 24; i++)
    g_assert_cmpint (int_at (td, "n/c", i), ==, 19 + i % 3);
}

/* T1.5-1 */
static void
test_missing_keys_are_made (void)
{
  const gint64 shape[] = { 4 }, row[] = { 1, 2 }, whole[] = { 4, 2 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) value = reel_tensordict_new (1, row);
  g_autoptr (GError) error = NULL;

  set_count (td, "a", 1, shape);
  set_count (value, "a", 1, row);
  set_count (value, "d", 2, row);
  set_count (value, "deep/e", 2, row);
  reel_tensordict_set_value (value, "s", g_variant_new_string ("new"), &error);
  g_assert_no_error (error);
  assign_ok (td, "[3:4]", value);

  assert_shape (reel_tensordict_get_tensor (td, "d", NULL), 2, whole);
  assert_shape (reel_tensordict_get_tensor (td, "deep/e", NULL), 2, whole);
  for (gint64 i = 0; i < 8; i++)
    {
      g_assert_cmpint (int_at (td, "d", i), ==, i < 6 ? 0 : i - 5);
      g_assert_cmpint (int_at (td, "deep/e", i), ==, i < 6 ? 0 : i - 5);
    }
  g_assert_cmpint (int_at (td, "a", 2), ==, 3);
  g_assert_cmpint (int_at (td, "a", 3), ==, 1);
  assert_strings (td, "[@mv nothing, @mv nothing, @mv nothing, 'new']");
}

/* Nested tensordicts may have more batch dimensions: those that are there, and those that are made.
 */
static void
test_missing_keys_are_made_below (void)
{
  const gint64 shape[] = { 4, 2, 3 }, row[] = { 1, 2, 3 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) deep = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) value = reel_tensordict_new (1, row);
  g_autoptr (ReelTensordict) deep_value = reel_tensordict_new (2, row);
  g_autoptr (ReelNonTensor) none = reel_non_tensor_new (NULL, 2, row, NULL);
  g_autoptr (GError) error = NULL;
  gint ndim;

  set_count (deep, "a", 3, shape);
  set_count (deep_value, "x", 3, row);
  reel_tensordict_set_non_tensor (deep_value, "s", none, &error);
  reel_tensordict_set_tensordict (td, "deep", deep, &error);
  reel_tensordict_set_tensordict (value, "deep", deep_value, &error);
  reel_tensordict_set_tensordict (value, "new", deep_value, &error);
  g_assert_no_error (error);
  assign_ok (td, "[3:4]", value);

  assert_shape (reel_tensordict_get_tensor (td, "deep/x", NULL), 3, shape);
  assert_shape (reel_tensordict_get_tensor (td, "new/x", NULL), 3, shape);
  for (gint64 i = 0; i < 24; i++)
    g_assert_cmpint (int_at (td, "deep/x", i), ==, i < 18 ? 0 : i - 17);
  reel_tensordict_get_batch_size (reel_tensordict_get_tensordict (td, "new", NULL), &ndim);
  g_assert_cmpint (ndim, ==, 2);
}

/* One that would not begin with the batch size below is found before another is made. */
static void
test_missing_keys_must_fit (void)
{
  const gint64 shape[] = { 4, 2 }, row[] = { 1, 5 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) deep = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) value = reel_tensordict_new (1, row);
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_tensordict (td, "deep", deep, &error);
  set_count (value, "d", 2, row);
  set_count (value, "deep/x", 2, row);
  g_assert_no_error (error);
  reel_index_add_slice (&index, 3, 4, 1);
  g_assert_false (reel_tensordict_assign (td, &index, value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_false (reel_tensordict_contains (td, "d"));
}

static void
test_failures_change_nothing (void)
{
  static const struct
  {
    const char *index, *path;
    gint n;
    gint64 shape[3];
    ReelError code;
  } cases[] = {
    { "[2]", "a", 2, { 2, 2 }, REEL_ERROR_INDEX },
    { "[0]", "a", 1, { 3 }, REEL_ERROR_RUNTIME },
    { "[0]", "a", 2, { 1, 2 }, REEL_ERROR_RUNTIME },
    { "[0]", "n/c", 3, { 2, 2, 4 }, REEL_ERROR_RUNTIME },
    { "[0]", "n/c", 2, { 2, 2 }, REEL_ERROR_RUNTIME },
    { "[0]", "n", 2, { 2, 2 }, REEL_ERROR_TYPE },
    { "[0]", "s", 2, { 2, 2 }, REEL_ERROR_TYPE },
    { "[0]", "new", 2, { 2, 2 }, REEL_ERROR_RUNTIME },
    { "[0]", "n/new", 2, { 2, 2 }, REEL_ERROR_RUNTIME },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensordict) td = new_example ();
      g_autoptr (ReelTensordict) before = reel_tensordict_clone (td, TRUE, NULL);
      g_autoptr (ReelTensordict) value = reel_tensordict_new (MIN (cases[i].n, 2), cases[i].shape);
      g_autoptr (GError) error = NULL;
      const gint64 *shape = cases[i].shape;
      gboolean is_new = g_str_has_suffix (cases[i].path, "new");
      set_count (value, "other", MIN (cases[i].n, 2), shape);
      set_count (value, cases[i].path, cases[i].n, shape);
      if (is_new)
        reel_tensordict_lock (td);
      g_assert_false (assign_text (td, cases[i].index, value, &error));
      g_assert_error (error, REEL_ERROR, (int) cases[i].code);
      g_assert_true (reel_tensordict_equal (td, before));
    }
}

static void
test_sizes_are_named (void)
{
  const gint64 one = 1;
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensordict) value = reel_tensordict_new (1, &one);
  g_autoptr (GError) error = NULL;

  g_assert_false (assign_text (td, "[0]", value, &error));
  g_assert_cmpstr (error->message, ==,
                   "indexed destination TensorDict batch size is torch.Size([2, 2]) (batch_size = "
                   "torch.Size([2, 2, 2])), which differs from the source batch size "
                   "torch.Size([1])");
}

static void
test_types_are_kept (void)
{
  const gint64 shape[] = { 2, 2 };
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensordict) value = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensor) narrow = reel_tensor_new (REEL_DTYPE_INT32, 2, shape, NULL);
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_tensor (value, "a", narrow, NULL);
  g_assert_false (assign_text (td, "[0]", value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==, "\"a\": cannot assign int32 elements to a int64 tensor");
}

/* ---- masks ---- */

static void
test_masks_must_be_masks (void)
{
  const gint64 two[] = { 2 }, deep[] = { 2, 2, 2, 3 }, other[] = { 3 };
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensor) ints = reel_tensor_new (REEL_DTYPE_INT64, 1, two, NULL);
  g_autoptr (ReelTensor) wide = reel_tensor_new (REEL_DTYPE_BOOL, 4, deep, NULL);
  g_autoptr (ReelTensor) bad = reel_tensor_new (REEL_DTYPE_BOOL, 1, other, NULL);
  GError *error = NULL;

  g_assert_null (reel_tensordict_masked_select (td, ints, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_null (reel_tensordict_masked_fill (td, ints, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_null (reel_tensordict_masked_select (td, wide, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_clear_error (&error);
  g_assert_null (reel_tensordict_masked_select (td, bad, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_clear_error (&error);
  g_assert_null (reel_tensordict_masked_fill (td, bad, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_tensordict_masked_fill (td, wide, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
}

static void
test_masks_of_extent_1_are_broadcast (void)
{
  const gint64 shape[] = { 2, 1 };
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);

  mask->data[1] = 1;
  g_autoptr (ReelTensordict) filled = reel_tensordict_masked_fill (td, mask, -1, NULL);
  for (gint64 i = 0; i < 24; i++)
    {
      g_assert_cmpint (int_at (filled, "a", i / 3), ==, i < 12 ? i / 3 + 1 : -1);
      g_assert_cmpint (int_at (filled, "n/c", i), ==, i < 12 ? i + 1 : -1);
    }
  assert_strings (filled, "[[['0', '1'], ['2', '3']], [['4', '5'], ['6', '7']]]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/tensordict-index/gives-what-tensordict-gives",
                   test_gives_what_tensordict_gives);
  g_test_add_func ("/core/tensordict-index/names-follow-their-dimensions",
                   test_names_follow_their_dimensions);
  g_test_add_func ("/core/tensordict-index/values-are-indexed-too", test_values_are_indexed_too);
  g_test_add_func ("/core/tensordict-index/slices-share-memory", test_slices_share_memory);
  g_test_add_func ("/core/tensordict-index/parts-are-assigned", test_parts_are_assigned);
  g_test_add_func ("/core/tensordict-index/values-are-broadcast-over-the-batch",
                   test_values_are_broadcast_over_the_batch);
  g_test_add_func ("/core/tensordict-index/missing-keys-are-made", test_missing_keys_are_made);
  g_test_add_func ("/core/tensordict-index/missing-keys-are-made-below",
                   test_missing_keys_are_made_below);
  g_test_add_func ("/core/tensordict-index/missing-keys-must-fit", test_missing_keys_must_fit);
  g_test_add_func ("/core/tensordict-index/failures-change-nothing", test_failures_change_nothing);
  g_test_add_func ("/core/tensordict-index/sizes-are-named", test_sizes_are_named);
  g_test_add_func ("/core/tensordict-index/types-are-kept", test_types_are_kept);
  g_test_add_func ("/core/tensordict-index/masks-must-be-masks", test_masks_must_be_masks);
  g_test_add_func ("/core/tensordict-index/masks-of-extent-1-are-broadcast",
                   test_masks_of_extent_1_are_broadcast);
  return g_test_run ();
}
