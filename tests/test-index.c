/* Indices: their text, and what they give of tensors, against PyTorch's table and a naive oracle.
 */
#include "../src/reel.h"
#include "small-tensors.h"

#include <string.h>

static ReelTensor *
index_text (ReelTensor *tensor, const char *text, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  return reel_index_parse (&index, text, error) ? reel_tensor_index (tensor, &index, error) : NULL;
}

static gboolean
assign_text (ReelTensor *tensor, const char *text, const ReelTensor *value, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  return reel_index_parse (&index, text, error)
         && reel_tensor_assign (tensor, &index, value, error);
}

/* ---- PyTorch's table ---- */

/* [2, 2, 2] of bytes 0 to 7, in memory of this order of dimensions. */
static ReelTensor *
new_cube (const gint *order)
{
  const gint64 shape[] = { 2, 2, 2 };
  g_autoptr (ReelTensor) dense = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, NULL);
  ReelTensor *cube = reel_tensor_permute (dense, order, NULL);

  for (gint64 i = 0; i < 8; i++)
    {
      const gint64 place[] = { i >> 2, i >> 1 & 1, i & 1 };
      *(guint8 *) reel_tensor_element (cube, place) = i;
    }
  return cube;
}

/* Extents or elements as digits. */
static char *
digits_of (const ReelTensor *tensor)
{
  g_autoptr (GArray) places = tensor_places (tensor);
  GString *digits = g_string_new (NULL);

  for (guint i = 0; i < places->len; i++)
    g_string_append_printf (digits, "%d", *g_array_index (places, guint8 *, i));
  return g_string_free (digits, FALSE);
}

static char *
extents_of (const ReelTensor *tensor)
{
  GString *digits = g_string_new (NULL);

  for (gint i = 0; i < tensor->ndim; i++)
    g_string_append_printf (digits, "%d", (int) tensor->shape[i]);
  return g_string_free (digits, FALSE);
}

/* Assigned values are found again at their place, and nothing else is written. */
static void
check_assign (ReelTensor *cube, const char *text, const ReelTensor *value)
{
  const gint order[] = { 1, 0, 2 };
  g_autoptr (ReelTensor) target = new_cube (order);
  GError *error = NULL;

  for (gint i = 0; i < 8; i++)
    target->data[i] = 9;
  assign_text (target, text, value, &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensor) found = index_text (target, text, NULL);
  g_assert_true (reel_tensor_equal (found, value));

  g_autofree char *elements = digits_of (target);
  g_autofree char *written = digits_of (value);
  for (gint i = 0; i < 8; i++)
    g_assert_cmpint (elements[i], ==, strchr (written, '0' + i) ? '0' + i : '9');
}

static void
check_line (ReelTensor *cube, char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) found = index_text (cube, words[0], &error);

  if (g_strv_length (words) == 2)
    {
      gint code = strcmp (words[1], "IndexError") == 0 ? REEL_ERROR_INDEX : REEL_ERROR_VALUE;
      g_assert_error (error, REEL_ERROR, code);
      g_assert_null (found);
      return;
    }
  g_assert_no_error (error);
  g_autofree char *extents = extents_of (found);
  g_autofree char *elements = digits_of (found);
  g_autofree char *result = g_strjoin ("\t", words[0], extents, elements, words[3], NULL);
  g_autofree char *expected = g_strjoinv ("\t", words);
  g_assert_cmpstr (result, ==, expected);
  check_assign (cube, words[0], found);
}

static void
test_gives_what_pytorch_gives (void)
{
  const gint orders[][3] = { { 0, 1, 2 }, { 2, 0, 1 } };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "index.tsv", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint order = 0; order < G_N_ELEMENTS (orders); order++)
    {
      g_autoptr (ReelTensor) cube = new_cube (orders[order]);
      for (guint i = 0; *lines[i]; i++)
        {
          g_auto (GStrv) words = g_strsplit (lines[i], "\t", -1);
          check_line (cube, words);
        }
    }
}

/* ---- every small tensor ---- */

/* The element that two columns of indices and what is left of the place choose, spelled out. */
static gconstpointer
find_gathered (const ReelTensor *tensor, const gint64 *column, gint dim, const gint64 *place)
{
  gint64 source[REEL_MAX_NDIM];

  memcpy (source, place, sizeof source);
  source[dim] = column[place[dim]];
  if (source[dim] < 0)
    source[dim] += tensor->shape[dim];
  return reel_tensor_element (tensor, source);
}

static void
check_column (ReelTensor *tensor)
{
  gint64 column[] = { 2, -1, 0, 0, -3 };
  const gint64 n = G_N_ELEMENTS (column);

  for (gint dim = 0; dim < tensor->ndim; dim++)
    {
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (ReelTensor) rows = reel_tensor_new (REEL_DTYPE_INT32, 1, &n, NULL);
      GError *error = NULL;
      for (gint64 i = 0; i < n; i++)
        ((gint32 *) rows->data)[i] = (gint32) column[i];
      for (gint i = 0; i < dim; i++)
        reel_index_add_slice (&index, 0, G_MAXINT64, 1);
      reel_index_add_tensor (&index, rows);
      g_autoptr (ReelTensor) found = reel_tensor_index (tensor, &index, &error);
      if (tensor->shape[dim] < 3)
        {
          assert_index_error (found, &error);
          continue;
        }
      g_assert_cmpint (found->shape[dim], ==, n);
      g_assert_true (reel_tensor_is_contiguous (found));
      gint64 place[REEL_MAX_NDIM] = { 0 };
      for (gint64 left = reel_tensor_numel (found); left > 0; left--)
        {
          g_assert_cmpint (*(gint32 *) reel_tensor_element (found, place), ==,
                           *(const gint32 *) find_gathered (tensor, column, dim, place));
          for (gint i = found->ndim - 1; i >= 0 && ++place[i] == found->shape[i]; i--)
            place[i] = 0;
        }
    }
}

static void
check_columns_of_strided (ReelTensor *tensor)
{
  for_each_strided (tensor, check_column);
}

static void
test_gathers_along_any_dimension (void)
{
  for_each_tensor (check_columns_of_strided);
}

/* Slices by index are slices by call: one is proven against Python's rule elsewhere. */
static void
check_slices (ReelTensor *tensor)
{
  for (gint64 begin = -4; begin <= 4; begin++)
    for (gint64 end = -4; end <= 4; end++)
      for (gint64 step = 1; step <= 3; step++)
        {
          g_auto (ReelIndex) index = REEL_INDEX_INIT;
          if (tensor->ndim == 0)
            return;
          reel_index_add_ellipsis (&index);
          reel_index_add_slice (&index, begin, end, step);
          g_autoptr (ReelTensor) found = reel_tensor_index (tensor, &index, NULL);
          g_autoptr (ReelTensor) expected = reel_tensor_slice (tensor, -1, begin, end, step, NULL);
          g_autoptr (GArray) places = tensor_places (expected);
          assert_same_places (found, places);
        }
}

static void
test_slices_are_views (void)
{
  for_each_tensor (check_slices);
}

/* More places than are worked out at a time, and blocks of every width. */
static void
test_long_columns (void)
{
  for (gint64 width = 1; width <= 24; width++)
    {
      const gint64 shape[] = { 3, 700, width }, n = 1500;
      g_autoptr (ReelTensor) tensor = new_counting_tensor (REEL_DTYPE_INT32, 3, shape);
      g_autoptr (ReelTensor) rows = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      for (gint64 i = 0; i < n; i++)
        ((gint64 *) rows->data)[i] = i * 37 % 700 - (i % 2 ? 700 : 0);
      reel_index_add_slice (&index, 0, G_MAXINT64, 2);
      reel_index_add_tensor (&index, rows);
      g_autoptr (ReelTensor) found = reel_tensor_index (tensor, &index, NULL);
      for (gint64 i = 0; i < reel_tensor_numel (found); i++)
        {
          gint64 row = i / width % n * 37 % 700, outer = i / width / n * 2;
          g_assert_cmpint (((gint32 *) found->data)[i], ==,
                           (outer * 700 + row) * width + i % width + 1);
        }
    }
}

/* ---- assignment ---- */

static void
test_values_are_broadcast (void)
{
  static const struct
  {
    const char *index, *value_shape, *expected;
  } cases[] = {
    { "[0]", "", "00004567" },
    { "[:, 1]", "2", "01014501" },
    { "[[1, 0]]", "12", "01010101" },
    { "[[1, 0]]", "211", "11110000" },
    { "[[0, 1], :, [0, 1]]", "21", "01034161" },
    { "[True]", "1111", "00000000" },
    { "[[[True, False], [False, True]]]", "21", "00234511" },
    { "[[1, 1], 0, 0]", "2", "01231567" },
    { "[[0, 1], [1, 0]]", "12", "01010167" },
    { "[[], 0]", "01", "01234567" },
  };
  const gint order[] = { 0, 1, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensor) cube = new_cube (order);
      gint64 shape[4];
      gint ndim = (gint) strlen (cases[i].value_shape);
      GError *error = NULL;
      for (gint j = 0; j < ndim; j++)
        shape[j] = cases[i].value_shape[j] - '0';
      g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_UINT8, ndim, shape, NULL);
      for (gint64 j = 0; j < reel_tensor_numel (value); j++)
        value->data[j] = (guint8) j;
      g_test_message ("%s", cases[i].index);
      assign_text (cube, cases[i].index, value, &error);
      g_assert_no_error (error);
      g_autofree char *elements = digits_of (cube);
      g_assert_cmpstr (elements, ==, cases[i].expected);
    }
}

static void
test_bad_values_write_nothing (void)
{
  const gint order[] = { 0, 1, 2 };
  const gint64 shape[] = { 3 };
  g_autoptr (ReelTensor) cube = new_cube (order);
  g_autoptr (ReelTensor) wide = new_counting_tensor (REEL_DTYPE_UINT8, 1, shape);
  g_autoptr (ReelTensor) other = new_counting_tensor (REEL_DTYPE_INT32, 0, NULL);
  GError *error = NULL;

  g_assert_false (assign_text (cube, "[[0]]", wide, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (assign_text (cube, "[0]", other, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_false (assign_text (cube, "[[0, 2]]", wide, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_clear_error (&error);
  g_autofree char *elements = digits_of (cube);
  g_assert_cmpstr (elements, ==, "01234567");
}

/* ---- errors and text ---- */

static void
test_errors_name_what_they_found (void)
{
  static const struct
  {
    const char *index, *message;
    ReelError code;
  } cases[] = {
    { "[2]", "index 2 is out of bounds for dimension 0 with size 2", REEL_ERROR_INDEX },
    { "[:, [0, -3]]", "index -3 is out of bounds for dimension 1 with size 2", REEL_ERROR_INDEX },
    { "[0, 0, 0, 0]", "too many indices for tensor of dimension 3: the index has 4",
      REEL_ERROR_INDEX },
    { "[:, [[True], [False]]]",
      "The shape of the mask [2, 1] at index 1 does not match the shape of the indexed tensor [2, "
      "2, 2] at index 2",
      REEL_ERROR_INDEX },
    { "[[0, 1], [0, 1, 0]]",
      "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
      REEL_ERROR_INDEX },
    { "[..., ...]", "An index can only have one ellipsis at most.", REEL_ERROR_RUNTIME },
    { "[::0]", "the step of a slice must be at least 1, not 0", REEL_ERROR_VALUE },
    { "[::-1]", "the step of a slice must be at least 1, not -1", REEL_ERROR_VALUE },
  };
  const gint order[] = { 0, 1, 2 };
  g_autoptr (ReelTensor) cube = new_cube (order);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_null (index_text (cube, cases[i].index, &error));
      g_assert_error (error, REEL_ERROR, (int) cases[i].code);
      g_assert_cmpstr (error->message, ==, cases[i].message);
    }
}

static void
test_types_of_indices (void)
{
  const gint order[] = { 0, 1, 2 };
  const gint64 two = 2;
  g_autoptr (ReelTensor) cube = new_cube (order);

  for (guint dtype = 0; dtype < REEL_N_DTYPES; dtype++)
    for (gint ndim = 0; ndim <= 1; ndim++)
      {
        g_auto (ReelIndex) index = REEL_INDEX_INIT;
        g_autoptr (ReelTensor) tensor = reel_tensor_new (dtype, ndim, &two, NULL);
        gboolean mask = dtype == REEL_DTYPE_BOOL || dtype == REEL_DTYPE_UINT8;
        GError *error = NULL;
        reel_index_add_tensor (&index, tensor);
        g_autoptr (ReelTensor) found = reel_tensor_index (cube, &index, &error);
        if (!mask && dtype != REEL_DTYPE_INT64 && dtype != REEL_DTYPE_INT32)
          {
            assert_index_error (found, &error);
            continue;
          }
        g_autofree char *extents = extents_of (found);
        g_assert_cmpstr (extents, ==, mask ? ndim ? "022" : "0222" : ndim ? "222" : "22");
        g_assert_cmpint (found->data == cube->data, ==, !mask && ndim == 0);
      }
}

static void
test_dimensions_are_limited (void)
{
  g_autoptr (GString) text = g_string_new ("[None");
  const gint order[] = { 0, 1, 2 };
  g_autoptr (ReelTensor) cube = new_cube (order);

  for (gint n = 1; n <= REEL_MAX_INDEX_ITEMS; n++, g_string_append (text, ", None"))
    {
      g_autofree char *whole = g_strconcat (text->str, "]", NULL);
      GError *error = NULL;
      g_autoptr (ReelTensor) view = index_text (cube, whole, &error);
      if (n + 3 > REEL_MAX_NDIM)
        assert_index_error (view, &error);
      else
        g_assert_cmpint (view->ndim, ==, n + 3);
    }
}

static void
test_text_goes_round (void)
{
  static const char *const texts[][2] = {
    { "[2:8:2, ..., None]", NULL },
    { "[]", NULL },
    { "[-1, :, 3:, :-3, ::2]", NULL },
    { "[ 1 : 2 ,Ellipsis, 3, ]", "[1:2, ..., 3]" },
    { "[0:9223372036854775807:1]", "[:]" },
    { "[[0, 2], [[-1], [5]]]", "[tensor([0, 2]), tensor([[-1],\n        [ 5]])]" },
    { "[[True, False], True]", "[tensor([ True, False]), tensor(True)]" },
    { "[range(5), range(2, 4), range(4, 0, -3)]",
      "[tensor([0, 1, 2, 3, 4]), tensor([2, 3]), tensor([4, 1])]" },
    { "[range(9223372036854775800, 9223372036854775807, 5)]",
      "[tensor([9223372036854775800, 9223372036854775805])]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      GError *error = NULL;
      reel_index_parse (&index, texts[i][0], &error);
      g_assert_no_error (error);
      g_autofree char *text = reel_index_to_string (&index);
      g_assert_cmpstr (text, ==, texts[i][1] ? texts[i][1] : texts[i][0]);
    }
}

static void
test_bad_text (void)
{
  static const char *const texts[] = {
    "",
    "0",
    "[0",
    "[,]",
    "[0, , 1]",
    "[a]",
    "[1.5]",
    "[1:2:3:4]",
    "[1:a]",
    "[[0, True]]",
    "[[0, [1]]]",
    "[[[1], 0]]",
    "[[[0], [1, 2]]]",
    "[range()]",
    "[range(1, 2, 0)]",
    "[range 3]",
    "[range(1, 2, 3, 4)]",
    "[range(-1, 9223372036854775807)]",
    "[none]",
    "[9223372036854775808]",
    "[[0]]]",
    "[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (GError) error = NULL;
      g_test_message ("%s", texts[i]);
      g_assert_false (reel_index_parse (&index, texts[i], &error));
      g_assert_true (g_error_matches (error, REEL_ERROR, REEL_ERROR_INDEX)
                     || g_error_matches (error, REEL_ERROR, REEL_ERROR_VALUE));
      g_assert_cmpint (index.n_items, ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/index/gives-what-pytorch-gives", test_gives_what_pytorch_gives);
  g_test_add_func ("/core/index/gathers-along-any-dimension", test_gathers_along_any_dimension);
  g_test_add_func ("/core/index/slices-are-views", test_slices_are_views);
  g_test_add_func ("/core/index/long-columns", test_long_columns);
  g_test_add_func ("/core/index/values-are-broadcast", test_values_are_broadcast);
  g_test_add_func ("/core/index/bad-values-write-nothing", test_bad_values_write_nothing);
  g_test_add_func ("/core/index/errors-name-what-they-found", test_errors_name_what_they_found);
  g_test_add_func ("/core/index/types-of-indices", test_types_of_indices);
  g_test_add_func ("/core/index/dimensions-are-limited", test_dimensions_are_limited);
  g_test_add_func ("/core/index/text-goes-round", test_text_goes_round);
  g_test_add_func ("/core/index/bad-text", test_bad_text);
  return g_test_run ();
}
