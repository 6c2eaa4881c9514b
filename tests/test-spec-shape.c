/* Specs of other shapes. A box whose elements can have but one value each, its number, shows where
 * domains go: what is drawn from the changed spec must be the changed tensor of numbers. */
#include "../src/reel.h"
#include "make-spec.h"

#include <string.h>

static ReelTensor *
number (gint ndim, const gint64 *shape)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) (gpointer) tensor->data)[i] = i;
  return tensor;
}

static ReelSpec *
make_numbered (gint ndim, const gint64 *shape)
{
  g_autoptr (ReelTensor) numbers = number (ndim, shape);
  gsize n = (gsize) reel_tensor_numel (numbers);
  g_autofree double *bounds = g_new (double, n + 1);
  ReelSpec *spec;

  for (gsize i = 0; i < n; i++)
    bounds[i] = (double) i;
  spec = reel_bounded_spec_new (REEL_DTYPE_INT64, ndim, shape, bounds, n, bounds, n, NULL);
  g_assert_nonnull (spec);
  return spec;
}

/* Draws from @spec are inside @expected. Both are taken. */
static void
check_drawn (ReelSpec *given, ReelTensor *given_tensor)
{
  g_autoptr (ReelSpec) spec = given;
  g_autoptr (ReelTensor) expected = given_tensor;
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (spec);
  g_assert_nonnull (expected);
  g_autoptr (ReelTensor) drawn = reel_spec_rand (spec, 1, 0, SCALAR, &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensor_equal (drawn, expected));
}

static void
check_shape (ReelSpec *given, gint ndim, const gint64 *shape)
{
  g_autoptr (ReelSpec) spec = given;
  gint has_ndim;

  g_assert_nonnull (spec);
  const gint64 *has = reel_spec_get_shape (spec, &has_ndim);
  g_assert_cmpmem (has, (gsize) has_ndim * sizeof *has, shape, (gsize) ndim * sizeof *shape);
}

static void
check_refused (ReelSpec *spec, GError **error, gint code, const char *message)
{
  g_assert_null (spec);
  g_assert_error (*error, REEL_ERROR, code);
  g_assert_cmpstr ((*error)->message, ==, message);
  g_clear_error (error);
}

/* ---- domains go where the elements go ---- */

static const gint64 shapes[][3] = {
  { 2, 3, 4 }, { 1, 3, 1 }, { 2, 1, 3 }, { 1, 1, 1 }, { 0, 2, 1 }
};

static void
test_expand (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (gint grown = 0; grown < 8; grown++)
      for (gint ahead = 0; ahead <= 2; ahead++)
        {
          g_autoptr (ReelSpec) spec = make_numbered (3, shapes[s]);
          g_autoptr (ReelTensor) numbers = number (3, shapes[s]);
          gint64 to[5] = { 2, 3 };

          for (gint i = 0; i < 3; i++)
            to[ahead + i] = shapes[s][i] == 1 && grown >> i & 1 ? 2 + i : shapes[s][i];
          check_drawn (reel_spec_expand (spec, ahead + 3, to, NULL),
                       reel_tensor_expand (numbers, ahead + 3, to, NULL));
        }
}

static void
test_squeeze_and_unsqueeze (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (gint dim = -4; dim <= 3; dim++)
      {
        g_autoptr (ReelSpec) spec = make_numbered (3, shapes[s]);
        g_autoptr (ReelTensor) numbers = number (3, shapes[s]);
        g_autoptr (ReelTensor) more = reel_tensor_unsqueeze (numbers, dim, NULL);
        g_autoptr (ReelSpec) unsqueezed = reel_spec_unsqueeze (spec, dim, NULL);
        g_autoptr (ReelSpec) back = reel_spec_squeeze (unsqueezed, dim, NULL);

        check_drawn (reel_spec_ref (unsqueezed), reel_tensor_ref (more));
        g_assert_true (reel_spec_equal (back, spec));
      }
}

static void
test_squeeze_all (void)
{
  g_autoptr (ReelSpec) leaf = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (1, 3, 1, 1, 2));
  g_autoptr (ReelSpec) ones = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (1, 1));
  g_autoptr (ReelSpec) one = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (1));
  g_autoptr (ReelSpec) two = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  const char *const keys[] = { "a" };
  g_autoptr (ReelSpec) composite = make_composite (SHAPE (1), keys, &one, 1);
  g_autoptr (ReelSpec) same = reel_spec_squeeze (two, 0, NULL);
  g_autoptr (ReelSpec) squeezed = reel_spec_squeeze_all (composite, NULL);

  check_shape (reel_spec_squeeze_all (leaf, NULL), SHAPE (3, 2));
  check_shape (reel_spec_squeeze_all (ones, NULL), SCALAR);
  /* A single dimension of a leaf stays, a composite's goes. */
  check_shape (reel_spec_squeeze_all (one, NULL), SHAPE (1));
  check_shape (reel_spec_ref (squeezed), SCALAR);
  check_shape (reel_spec_ref (reel_spec_get (squeezed, "a", NULL)), SCALAR);
  g_assert_true (same == two);
}

static void
test_reshape (void)
{
  static const gint64 to[][3] = { { 24, 1, 1 }, { 4, 3, 2 }, { -1, 2, 6 }, { 6, -1, 1 } };
  g_autoptr (ReelSpec) spec = make_numbered (3, shapes[0]);
  g_autoptr (ReelSpec) scalar = make_unbounded (REEL_DTYPE_FLOAT32, SCALAR);
  g_autoptr (ReelTensor) numbers = number (3, shapes[0]);

  for (gsize i = 0; i < G_N_ELEMENTS (to); i++)
    {
      gint64 whole[3];

      for (gint k = 0; k < 3; k++)
        whole[k] = to[i][k] == -1 ? (i == 2 ? 2 : 4) : to[i][k];
      check_drawn (reel_spec_reshape (spec, 3, to[i], NULL),
                   reel_tensor_view (numbers, 3, whole, NULL));
    }
  check_drawn (reel_spec_flatten (spec, 0, 1, NULL), number (SHAPE (6, 4)));
  check_drawn (reel_spec_flatten (spec, 0, -1, NULL), number (SHAPE (24)));
  check_drawn (reel_spec_flatten (spec, 1, 1, NULL), number (SHAPE (2, 3, 4)));
  check_drawn (reel_spec_unflatten (spec, -1, SHAPE (2, 2), NULL), number (SHAPE (2, 3, 2, 2)));
  check_drawn (reel_spec_unflatten (spec, 0, SHAPE (-1, 1), NULL), number (SHAPE (2, 1, 3, 4)));
  check_shape (reel_spec_flatten (scalar, 0, -1, NULL), SHAPE (1));
}

/* A box of a million rows keeps the bounds of one. */
static void
test_batch_repeats (void)
{
  g_autoptr (ReelSpec) spec = make_numbered (SHAPE (3));
  g_autoptr (ReelSpec) batch = reel_spec_batch (spec, SHAPE (1000000, 1000000), NULL);
  g_autofree char *text = reel_spec_to_text (batch);

  g_assert_cmpstr (text, ==,
                   "bounded:low=[0,1,2],high=[0,1,2],dtype=int64,shape=[1000000,1000000,3]");
}

/* ---- index, index_select, unbind ---- */

/* Both give the same, or both refuse for the same reason. */
static void
check_index (const ReelSpec *spec, ReelTensor *numbers, const char *text)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) parse_error = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) expected_error = NULL;

  reel_index_parse (&index, text, &parse_error);
  g_assert_no_error (parse_error);
  g_autoptr (ReelTensor) expected = reel_tensor_index (numbers, &index, &expected_error);
  g_autoptr (ReelSpec) spec_there = reel_spec_index (spec, &index, &error);
  if (expected)
    check_drawn (g_steal_pointer (&spec_there), g_steal_pointer (&expected));
  else
    g_assert_error (error, REEL_ERROR, expected_error->code);
}

/* Every index of up to three of these, over shapes with and without dimensions of extent 1 and 0.
 */
static void
test_index (void)
{
  static const char *const items[] = { "0",   "-1",     "2",           ":",
                                       "1:",  "::2",    ":-1",         "None",
                                       "...", "[0, 1]", "[[-1], [0]]", "[True, False]" };
  const guint n = G_N_ELEMENTS (items);

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      g_autoptr (ReelSpec) spec = make_numbered (3, shapes[s]);
      g_autoptr (ReelTensor) numbers = number (3, shapes[s]);

      check_index (spec, numbers, "[]");
      for (guint i = 0; i < n * n * n; i++)
        {
          g_autofree char *one = g_strdup_printf ("[%s]", items[i % n]);
          g_autofree char *two = g_strdup_printf ("[%s, %s]", items[i % n], items[i / n % n]);
          g_autofree char *three =
              g_strdup_printf ("[%s, %s, %s]", items[i % n], items[i / n % n], items[i / n / n]);
          if (i < n)
            check_index (spec, numbers, one);
          if (i < n * n)
            check_index (spec, numbers, two);
          check_index (spec, numbers, three);
        }
    }
}

static ReelSpec *
index_by (const ReelSpec *spec, const char *text, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  g_assert_true (reel_index_parse (&index, text, NULL));
  return reel_spec_index (spec, &index, error);
}

/* A batch dimension takes its entries along, also where an ellipsis ends before theirs. */
static void
test_index_of_a_composite (void)
{
  static const char *const texts[] = { "[1]", "[..., 1]", "[:, [2, 0]]", "[None, ..., 0:2]" };
  static const char *const names[] = { "a", "b" };
  g_autoptr (ReelSpec) leaf = make_numbered (SHAPE (2, 3, 4));
  g_autoptr (ReelSpec) flags = make_binary (REEL_DTYPE_INT8, SHAPE (2, 3));
  g_autoptr (ReelTensor) numbers = number (SHAPE (2, 3, 4));
  const char *const keys[] = { "leaf", "flags", "none" };
  ReelSpec *const entries[] = { leaf, flags, NULL };
  g_autoptr (ReelSpec) plain = make_composite (SHAPE (2, 3), keys, entries, 3);
  g_autoptr (ReelSpec) spec = reel_spec_set_names (plain, 2, names, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      static const char *const whole[] = { "[1]", "[:, 1]", "[:, [2, 0]]", "[None, :, 0:2]" };
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (ReelSpec) part = index_by (spec, texts[i], NULL);

      g_assert_true (reel_index_parse (&index, whole[i], NULL));
      check_drawn (reel_spec_ref (reel_spec_get (part, "leaf", NULL)),
                   reel_tensor_index (numbers, &index, NULL));
      g_assert_null (reel_spec_get (part, "none", NULL));
    }
  g_autoptr (ReelSpec) part = index_by (spec, "[None, :, 1]", NULL);
  g_assert_cmpstr (reel_spec_get_name (part, 1), ==, "a");
  g_assert_null (reel_spec_get_name (part, 0));
  check_shape (reel_spec_ref (reel_spec_get (part, "flags", NULL)), SHAPE (1, 2));
}

static void
test_index_of_vectors (void)
{
  g_autoptr (ReelSpec) spec = make_one_hot (4, REEL_DTYPE_BOOL, SHAPE (2, 3, 4));
  g_autoptr (ReelSpec) flags = make_binary (REEL_DTYPE_INT8, SHAPE (3, 4));
  g_autoptr (ReelSpec) scalar = make_binary (REEL_DTYPE_INT8, SCALAR);
  GError *error = NULL;

  check_shape (index_by (spec, "[1]", NULL), SHAPE (3, 4));
  check_shape (index_by (spec, "[..., 1]", NULL), SHAPE (2, 4));
  check_shape (index_by (spec, "[:, [0, 0]]", NULL), SHAPE (2, 2, 4));
  check_shape (index_by (flags, "[..., 1]", NULL), SHAPE (4));
  check_refused (index_by (spec, "[0, 0, 0]", &error), &error, REEL_ERROR_INDEX,
                 "too many indices for tensor of dimension 2: the index has 3");
  check_refused (index_by (scalar, "[...]", &error), &error, REEL_ERROR_VALUE,
                 "Cannot index a Binary spec with an empty shape");
}

static void
test_index_of_any_extent (void)
{
  g_autoptr (ReelSpec) spec = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (-1, 3, -1));
  const char *message = "cannot slice a dynamic (-1) dimension: its extent is not known";
  GError *error = NULL;

  check_shape (index_by (spec, "[7]", NULL), SHAPE (3, -1));
  check_shape (index_by (spec, "[:, 1]", NULL), SHAPE (-1, -1));
  check_shape (index_by (spec, "[..., [9, 2]]", NULL), SHAPE (-1, 3, 2));
  check_shape (index_by (spec, "[None, :, ::2]", NULL), SHAPE (1, -1, 2, -1));
  check_refused (index_by (spec, "[1:]", &error), &error, REEL_ERROR_INDEX, message);
  check_refused (index_by (spec, "[..., :-1]", &error), &error, REEL_ERROR_INDEX, message);
  check_refused (index_by (spec, "[[True]]", &error), &error, REEL_ERROR_INDEX, message);
}

static ReelTensor *
make_indices (gsize n, const gint64 *values)
{
  const gint64 shape[] = { (gint64) n };
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);

  for (gsize i = 0; i < n; i++)
    ((gint64 *) (gpointer) tensor->data)[i] = values[i];
  return tensor;
}

/* T15.6-15 */
static void
test_index_select (void)
{
  const gint64 picks[] = { 1, 0, 1 }, beyond[] = { 0, 3 }, negative[] = { -1 };
  g_autoptr (ReelTensor) index = make_indices (3, picks);
  g_autoptr (ReelTensor) out = make_indices (2, beyond);
  g_autoptr (ReelTensor) below = make_indices (1, negative);
  g_autoptr (ReelTensor) none = make_indices (0, NULL);
  g_autoptr (ReelSpec) spec = make_numbered (SHAPE (2, 3, 4));
  g_autoptr (ReelSpec) vectors = make_one_hot (4, REEL_DTYPE_BOOL, SHAPE (3, 4));
  g_autoptr (ReelSpec) flags = make_binary (REEL_DTYPE_INT8, SHAPE (3));
  g_autoptr (ReelSpec) nested = make_nested ();
  g_autoptr (ReelTensor) numbers = number (SHAPE (2, 3, 4));
  GError *error = NULL;

  for (gint dim = -3; dim < 3; dim++)
    {
      g_auto (ReelIndex) items = REEL_INDEX_INIT;

      for (gint i = 0; i < (dim + 3) % 3; i++)
        reel_index_add_slice (&items, 0, G_MAXINT64, 1);
      reel_index_add_tensor (&items, index);
      check_drawn (reel_spec_index_select (spec, dim, index, NULL),
                   reel_tensor_index (numbers, &items, NULL));
    }
  check_shape (reel_spec_index_select (spec, 1, none, NULL), SHAPE (2, 0, 4));
  check_shape (reel_spec_index_select (vectors, 0, none, NULL), SHAPE (0, 4));
  check_shape (reel_spec_index_select (nested, 0, index, NULL), SHAPE (3));
  check_refused (reel_spec_index_select (spec, 1, out, &error), &error, REEL_ERROR_INDEX,
                 "index 3 is out of bounds for dimension 1 with size 3");
  check_refused (reel_spec_index_select (spec, 1, below, &error), &error, REEL_ERROR_INDEX,
                 "index -1 is out of bounds for dimension 1 with size 3");
  check_refused (reel_spec_index_select (vectors, -1, index, &error), &error, REEL_ERROR_VALUE,
                 "Cannot index_select along the last dimension of OneHot spec, as it represents "
                 "the domain.");
  check_refused (reel_spec_index_select (flags, 0, index, &error), &error, REEL_ERROR_VALUE,
                 "Cannot index_select along the last dimension of Binary spec, as it represents "
                 "the domain.");
}

static void
test_unbind (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (gint dim = -3; dim < 3; dim++)
      {
        g_autoptr (ReelSpec) spec = make_numbered (3, shapes[s]);
        g_autoptr (ReelTensor) numbers = number (3, shapes[s]);
        g_autoptr (GPtrArray) parts = reel_spec_unbind (spec, dim, NULL);

        g_assert_cmpint (parts->len, ==, shapes[s][(dim + 3) % 3]);
        for (guint i = 0; i < parts->len; i++)
          check_drawn (reel_spec_ref (parts->pdata[i]),
                       reel_tensor_select (numbers, (dim + 3) % 3, i, NULL));
      }
}

static void
check_not_unbound (const ReelSpec *spec, gint dim, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_spec_unbind (spec, dim, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_unbind_refuses (void)
{
  g_autoptr (ReelSpec) vectors = make_one_hot (4, REEL_DTYPE_BOOL, SHAPE (3, 4));
  g_autoptr (ReelSpec) any = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2, -1));

  check_not_unbound (vectors, -1, REEL_ERROR_VALUE,
                     "Final dimension of OneHot must remain unchanged");
  check_not_unbound (any, 1, REEL_ERROR_VALUE,
                     "Provided dim 1 is not valid for unbinding shape [2, -1]");
  check_not_unbound (any, 2, REEL_ERROR_INDEX,
                     "Dimension out of range: a UnboundedContinuous spec of 2 dimensions has none "
                     "of number 2");
}

/* Batch dimensions may reach as far as a vector, as long as it stays whole. */
static void
test_composite_over_vectors (void)
{
  g_autoptr (ReelSpec) vector = make_one_hot (4, REEL_DTYPE_BOOL, SHAPE (2, 4));
  const char *const keys[] = { "v" };
  g_autoptr (ReelSpec) spec = make_composite (SHAPE (2, 4), keys, &vector, 1);
  g_autoptr (ReelSpec) more = reel_spec_unsqueeze (spec, 0, NULL);
  g_autoptr (ReelSpec) many = reel_spec_expand (spec, SHAPE (3, 2, 4), NULL);
  g_autoptr (ReelSpec) flat = reel_spec_flatten (many, 0, 1, NULL);
  g_autoptr (GPtrArray) parts = reel_spec_unbind (spec, 0, NULL);
  const char *message = "Final dimension of OneHot must remain unchanged";
  GError *error = NULL;

  check_shape (reel_spec_ref (reel_spec_get (more, "v", NULL)), SHAPE (1, 2, 4));
  check_shape (reel_spec_ref (reel_spec_get (flat, "v", NULL)), SHAPE (6, 4));
  check_shape (reel_spec_ref (reel_spec_get (parts->pdata[0], "v", NULL)), SHAPE (4));
  check_refused (reel_spec_unsqueeze (spec, -1, &error), &error, REEL_ERROR_VALUE, message);
  check_refused (reel_spec_flatten (spec, 0, -1, &error), &error, REEL_ERROR_VALUE, message);
  check_refused (index_by (spec, "[:, 0]", &error), &error, REEL_ERROR_VALUE, message);
  g_assert_null (reel_spec_unbind (spec, 1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
}

/* ---- masks ---- */

static void
check_text (ReelSpec *given, const char *expected)
{
  g_autoptr (ReelSpec) spec = given;
  g_autofree char *text = NULL;

  g_assert_nonnull (spec);
  text = reel_spec_to_text (spec);
  g_assert_cmpstr (text, ==, expected);
}

/* TorchRL drops them in many of these. */
static void
test_masks_follow (void)
{
  const gint64 picks[] = { 1, 0, 1 };
  g_autoptr (ReelTensor) index = make_indices (3, picks);
  g_autoptr (ReelSpec) spec =
      reel_spec_new_from_text ("categorical:n=2,mask=[[1,0],[0,1]],shape=[2]", NULL);
  g_autoptr (ReelSpec) vectors =
      reel_spec_new_from_text ("one-hot:n=2,mask=[[1,0],[0,1]],shape=[2,2]", NULL);

  check_text (index_by (spec, "[1]", NULL), "categorical:n=2,mask=[0,1]");
  check_text (reel_spec_index_select (spec, 0, index, NULL),
              "categorical:n=2,mask=[[0,1],[1,0],[0,1]],shape=[3]");
  check_text (reel_spec_index_select (vectors, 0, index, NULL),
              "one-hot:n=2,mask=[[0,1],[1,0],[0,1]],shape=[3,2]");
  check_text (reel_spec_unsqueeze (spec, 0, NULL),
              "categorical:n=2,mask=[[1,0],[0,1]],shape=[1,2]");
  check_text (reel_spec_batch (vectors, SHAPE (7), NULL),
              "one-hot:n=2,mask=[[1,0],[0,1]],shape=[7,2,2]");
  check_text (reel_spec_unflatten (spec, 0, SHAPE (1, 2), NULL),
              "categorical:n=2,mask=[[1,0],[0,1]],shape=[1,2]");
  g_autoptr (GPtrArray) parts = reel_spec_unbind (vectors, 0, NULL);
  check_text (reel_spec_ref (parts->pdata[1]), "one-hot:n=2,mask=[0,1],shape=[2]");
}

/* A spec without places still knows their classes. */
static void
test_empty_batches_keep_classes (void)
{
  g_autoptr (ReelTensor) none = make_indices (0, NULL);
  g_autoptr (ReelSpec) vectors =
      reel_spec_new_from_text ("multi-one-hot:nvec=[2,3],mask=[1,1,1,0,1],shape=[4,5]", NULL);
  g_autoptr (ReelSpec) integers =
      reel_spec_new_from_text ("multi-categorical:nvec=[[2,3],[4,5]],shape=[2,2]", NULL);
  g_autoptr (ReelSpec) empty = reel_spec_index_select (vectors, 0, none, NULL);
  g_autoptr (ReelSpec) more = reel_spec_unsqueeze (empty, 0, NULL);
  g_autoptr (ReelSpec) other = reel_spec_to_categorical_spec (more, NULL);
  g_autoptr (ReelSpec) plain = reel_spec_with_mask (more, NULL, NULL);
  g_autofree char *printed = reel_spec_to_string (more);

  check_text (reel_spec_with_mask (empty, NULL, NULL), "multi-one-hot:nvec=[2,3],shape=[0,5]");
  g_assert_nonnull (strstr (printed, "[CategoricalBox(n=2), CategoricalBox(n=3)]"));
  check_text (reel_spec_with_mask (other, NULL, NULL),
              "multi-categorical:nvec=[2,3],shape=[1,0,2]");
  check_text (reel_spec_flatten (plain, 0, 1, NULL), "multi-one-hot:nvec=[2,3],shape=[0,5]");
  check_text (index_by (integers, "[2:]", NULL), "multi-categorical:nvec=[2,3],shape=[0,2]");
}

/* ---- what is refused ---- */

static void
test_refusals (void)
{
  g_autoptr (ReelSpec) leaf = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2, 3));
  GError *error = NULL;

  check_refused (reel_spec_expand (leaf, SHAPE (4, 3), &error), &error, REEL_ERROR_VALUE,
                 "The last 2 of the expanded shape [4, 3] must match the shape [2, 3] of the "
                 "UnboundedContinuous spec in expand()");
  check_refused (reel_spec_expand (leaf, SHAPE (3), &error), &error, REEL_ERROR_VALUE,
                 "The last 2 of the expanded shape [3] must match the shape [2, 3] of the "
                 "UnboundedContinuous spec in expand()");
  check_refused (reel_spec_expand (leaf, SHAPE (-2, 2, 3), &error), &error, REEL_ERROR_VALUE,
                 "The last 2 of the expanded shape [-2, 2, 3] must match the shape [2, 3] of the "
                 "UnboundedContinuous spec in expand()");
  check_refused (reel_spec_squeeze (leaf, 2, &error), &error, REEL_ERROR_INDEX,
                 "Dimension out of range: a UnboundedContinuous spec of 2 dimensions has none of "
                 "number 2");
  check_refused (reel_spec_unsqueeze (leaf, -4, &error), &error, REEL_ERROR_VALUE,
                 "Dimension out of range, expected value in the range [-3, 2], but got -4");
  check_refused (reel_spec_unsqueeze (leaf, 3, &error), &error, REEL_ERROR_VALUE,
                 "Dimension out of range, expected value in the range [-3, 2], but got 3");
  check_refused (reel_spec_reshape (leaf, SHAPE (7), &error), &error, REEL_ERROR_RUNTIME,
                 "shape [7] is invalid for a UnboundedContinuous spec of shape [2, 3]");
  check_refused (reel_spec_reshape (leaf, SHAPE (-1, 4), &error), &error, REEL_ERROR_RUNTIME,
                 "shape [-1, 4] is invalid for a UnboundedContinuous spec of shape [2, 3]");
  check_refused (reel_spec_reshape (leaf, SHAPE (-1, -1), &error), &error, REEL_ERROR_RUNTIME,
                 "shape [-1, -1] is invalid for a UnboundedContinuous spec of shape [2, 3]");
  check_refused (reel_spec_flatten (leaf, 1, 0, &error), &error, REEL_ERROR_RUNTIME,
                 "cannot flatten dimensions 1 to 0: the last must not come before the first");
  check_refused (reel_spec_unflatten (leaf, 1, SHAPE (2, 2), &error), &error, REEL_ERROR_RUNTIME,
                 "sizes [2, 2] do not multiply up to the size of dimension 1 (3) of a "
                 "UnboundedContinuous spec");
}

static void
test_last_dimension_of_vectors_stays (void)
{
  const char *message = "Final dimension of OneHot must remain unchanged";
  g_autoptr (ReelSpec) spec = make_one_hot (4, REEL_DTYPE_BOOL, SHAPE (3, 4));
  g_autoptr (ReelSpec) single = make_one_hot (1, REEL_DTYPE_BOOL, SHAPE (3, 1));
  GError *error = NULL;

  check_refused (reel_spec_unsqueeze (spec, -1, &error), &error, REEL_ERROR_VALUE, message);
  check_refused (reel_spec_unsqueeze (spec, 2, &error), &error, REEL_ERROR_VALUE, message);
  check_refused (reel_spec_squeeze (single, -1, &error), &error, REEL_ERROR_VALUE, message);
  check_refused (reel_spec_squeeze_all (single, &error), &error, REEL_ERROR_VALUE, message);
  check_refused (reel_spec_reshape (spec, SHAPE (12), &error), &error, REEL_ERROR_VALUE, message);
  check_refused (reel_spec_flatten (spec, 0, 1, &error), &error, REEL_ERROR_VALUE, message);
  check_refused (reel_spec_unflatten (spec, 1, SHAPE (2, 2), &error), &error, REEL_ERROR_VALUE,
                 message);
  g_assert_null (reel_spec_expand (single, SHAPE (3, 4), &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  check_shape (reel_spec_unsqueeze (spec, 1, NULL), SHAPE (3, 1, 4));
  check_shape (reel_spec_reshape (spec, SHAPE (-1, 1, 4), NULL), SHAPE (3, 1, 4));
  check_shape (reel_spec_expand (spec, SHAPE (2, 3, 4), NULL), SHAPE (2, 3, 4));
}

/* ---- dimensions of any extent ---- */

/* T15.6-10 */
static void
test_any_extent (void)
{
  g_autoptr (ReelSpec) spec = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (-1, 1, 2));
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (3, 1, 2), NULL);
  g_autoptr (ReelTensor) drawn = reel_spec_rand (spec, 1, 0, SHAPE (5), NULL);
  GError *error = NULL;

  g_assert_true (reel_spec_is_in (spec, value, NULL));
  g_assert_cmpint (drawn->ndim, ==, 4);
  g_assert_cmpint (drawn->shape[1], ==, 1);
  check_shape (reel_spec_expand (spec, SHAPE (-1, 4, 2), NULL), SHAPE (-1, 4, 2));
  check_shape (reel_spec_expand (spec, SHAPE (3, -1, 1, 2), NULL), SHAPE (3, -1, 1, 2));
  check_shape (reel_spec_expand (spec, SHAPE (-1, -1, 1, 2), NULL), SHAPE (-1, -1, 1, 2));
  check_shape (reel_spec_squeeze (spec, 1, NULL), SHAPE (-1, 2));
  check_shape (reel_spec_unsqueeze (spec, 0, NULL), SHAPE (1, -1, 1, 2));
  check_shape (reel_spec_squeeze_all (spec, NULL), SHAPE (-1, 2));
  check_shape (reel_spec_reshape (spec, SHAPE (2, -1), NULL), SHAPE (2, -1));
  check_shape (reel_spec_flatten (spec, 0, 1, NULL), SHAPE (-1, 2));
  check_refused (reel_spec_expand (spec, SHAPE (3, 3, 1, 2), &error), &error, REEL_ERROR_VALUE,
                 "The last 3 of the expanded shape [3, 3, 1, 2] must match the shape [-1, 1, 2] of "
                 "the UnboundedContinuous spec in expand()");
  check_refused (reel_spec_reshape (spec, SHAPE (2), &error), &error, REEL_ERROR_RUNTIME,
                 "shape [2] is invalid for a UnboundedContinuous spec of shape [-1, 1, 2]");
}

/* ---- composites ---- */

static void
test_composite (void)
{
  g_autoptr (ReelSpec) spec = make_nested ();
  g_autoptr (ReelSpec) more = reel_spec_unsqueeze (spec, -1, NULL);
  g_autoptr (ReelSpec) back = reel_spec_squeeze (more, 1, NULL);
  g_autoptr (ReelSpec) split = reel_spec_unflatten (spec, 0, SHAPE (1, 3), NULL);
  g_autoptr (ReelSpec) many = reel_spec_expand (more, SHAPE (2, 3, 5), NULL);
  g_autoptr (ReelSpec) flat = reel_spec_flatten (many, 0, -1, NULL);

  g_autoptr (ReelSpec) deep = make_composite (SHAPE (3, 4), NULL, NULL, 0);
  g_autoptr (ReelSpec) with_deep = reel_spec_set (spec, "deep", deep, NULL);
  g_autoptr (ReelSpec) deeper = reel_spec_batch (with_deep, SHAPE (2), NULL);

  check_shape (reel_spec_ref (reel_spec_get (deeper, "deep", NULL)), SHAPE (2, 3, 4));
  check_shape (reel_spec_ref (reel_spec_get (more, "obs", NULL)), SHAPE (3, 1, 2));
  check_shape (reel_spec_ref (reel_spec_get (more, "n", NULL)), SHAPE (3, 1));
  check_shape (reel_spec_ref (reel_spec_get (split, "obs", NULL)), SHAPE (1, 3, 2));
  check_shape (reel_spec_ref (reel_spec_get (many, "n/act", NULL)), SHAPE (2, 3, 5));
  check_shape (reel_spec_ref (reel_spec_get (flat, "obs", NULL)), SHAPE (30, 2));
  g_assert_true (reel_spec_equal (back, spec));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/shape/expand", test_expand);
  g_test_add_func ("/specs/shape/squeeze-and-unsqueeze", test_squeeze_and_unsqueeze);
  g_test_add_func ("/specs/shape/squeeze-all", test_squeeze_all);
  g_test_add_func ("/specs/shape/reshape", test_reshape);
  g_test_add_func ("/specs/shape/batch-repeats", test_batch_repeats);
  g_test_add_func ("/specs/shape/index", test_index);
  g_test_add_func ("/specs/shape/index-of-a-composite", test_index_of_a_composite);
  g_test_add_func ("/specs/shape/index-of-vectors", test_index_of_vectors);
  g_test_add_func ("/specs/shape/index-of-any-extent", test_index_of_any_extent);
  g_test_add_func ("/specs/shape/index-select", test_index_select);
  g_test_add_func ("/specs/shape/unbind", test_unbind);
  g_test_add_func ("/specs/shape/unbind-refuses", test_unbind_refuses);
  g_test_add_func ("/specs/shape/composite-over-vectors", test_composite_over_vectors);
  g_test_add_func ("/specs/shape/masks-follow", test_masks_follow);
  g_test_add_func ("/specs/shape/empty-batches-keep-classes", test_empty_batches_keep_classes);
  g_test_add_func ("/specs/shape/refusals", test_refusals);
  g_test_add_func ("/specs/shape/last-dimension-of-vectors-stays",
                   test_last_dimension_of_vectors_stays);
  g_test_add_func ("/specs/shape/any-extent", test_any_extent);
  g_test_add_func ("/specs/shape/composite", test_composite);

  return g_test_run ();
}
