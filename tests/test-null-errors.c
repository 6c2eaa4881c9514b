/* Public functions fail as usual where the caller passes NULL for the error.
 * tests/test-error-arguments.sh compares the calls of this file with the declarations. */
#include "../src/core/formats/arrow.h"
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "make-spec.h"
#include "scratch.h"
#include "small-tensordicts.h"
#include "small-tensors.h"
#include "small-tokenizer.h"
#include "table-model.h"

#define HUGE_SHAPE SHAPE (G_MAXINT64 / 4, 16)

static const char *const no_such[] = { "no-such", NULL };

static ReelTensor *
new_floats (void)
{
  return new_counting_tensor (REEL_DTYPE_FLOAT32, SHAPE (2, 3));
}

/* Batch size [2], one leaf "a" of [2, 3]. */
static ReelTensordict *
new_pair (void)
{
  ReelTensordict *td = reel_tensordict_new (SHAPE (2));

  set_counting (td, "a", SHAPE (2, 3));
  return td;
}

static ReelTensordict *
new_triple (void)
{
  ReelTensordict *td = reel_tensordict_new (SHAPE (3));

  set_counting (td, "b", SHAPE (3));
  return td;
}

/* An element behind the end of every dimension here. */
static void
set_beyond (ReelIndex *index)
{
  g_assert_true (reel_index_parse (index, "[99]", NULL));
}

/* A path below a file, in the test's directory. */
static char *
new_nowhere (void)
{
  g_autofree char *file = scratch_path ("file");

  scratch_put (file, "");
  return scratch_path ("file/below");
}

static gpointer
new_object (GType base, const char *text)
{
  gpointer object = reel_object_new_from_text (base, text, NULL, NULL);

  g_assert_nonnull (object);
  return object;
}

/* ---- tensors ---- */

static void
test_tensors (void)
{
  g_autoptr (ReelTensor) floats = new_floats ();
  g_autoptr (ReelTensor) bools = make_bools (SHAPE (2), 1, 0);
  g_autoptr (ReelTensor) places = make_integers (SHAPE (1), 99);
  g_autoptr (ReelMemory) memory = reel_memory_new (8, NULL);
  g_auto (ReelIndex) beyond = REEL_INDEX_INIT, wrong = REEL_INDEX_INIT;
  ReelTensor *const both[] = { floats, bools };
  const gint twice[] = { 0, 0 };
  const gint64 rows[] = { 99 };
  gint64 number;
  ReelDtype dtype;
  ReelTensor *start, *stop, *length;
  g_autoptr (ReelTensor) one = new_counting_tensor (REEL_DTYPE_FLOAT32, SHAPE (1));
  g_autoptr (ReelTensor) endless = reel_tensor_expand (one, SHAPE (G_MAXINT64 / 8), NULL);

  set_beyond (&beyond);
  g_assert_false (reel_dtype_from_name ("no-such", &dtype, NULL));
  g_assert_false (reel_dtype_promote (REEL_DTYPE_COMPLEX64, REEL_DTYPE_BOOL, &dtype, NULL));
  g_assert_false (reel_parse_int64 ("x", 0, 1, &number, NULL));
  g_assert_false (reel_plugin_load ("/no-such-plugin.so", NULL));
  g_assert_null (reel_memory_new (G_MAXSIZE / 2, NULL));
  g_assert_null (reel_tensor_new (REEL_DTYPE_FLOAT32, HUGE_SHAPE, NULL));
  g_assert_null (
      reel_tensor_new_from_memory (memory, 0, REEL_DTYPE_FLOAT32, SHAPE (99), NULL, NULL));
  g_assert_null (reel_tensor_select (floats, 0, 99, NULL));
  g_assert_null (reel_tensor_slice (floats, 9, 0, 1, 1, NULL));
  g_assert_null (reel_tensor_permute (floats, twice, NULL));
  g_assert_null (reel_tensor_transpose (floats, 0, 9, NULL));
  g_assert_null (reel_tensor_unsqueeze (floats, 9, NULL));
  g_assert_null (reel_tensor_expand (floats, SHAPE (5, 3), NULL));
  g_assert_null (reel_tensor_view (floats, SHAPE (7), NULL));
  g_assert_false (reel_tensor_copy (bools, floats, NULL));
  g_assert_null (reel_tensor_gather_rows (floats, rows, 1, NULL));
  g_assert_null (reel_tensor_squeeze (floats, 9, NULL));
  g_assert_null (reel_tensor_reshape (floats, SHAPE (7), NULL));
  g_assert_null (reel_tensor_flatten (floats, 0, 9, NULL));
  g_assert_null (reel_tensor_unflatten (floats, 1, SHAPE (2, 2), NULL));
  g_assert_null (reel_tensor_pad (floats, 1, rows, 0, NULL));
  g_assert_null (reel_tensor_repeat_interleave (floats, 9, 1, rows, NULL));
  g_assert_null (reel_tensor_roll (floats, 9, 1, NULL));
  g_assert_null (reel_tensor_gather (floats, 0, places, NULL));
  g_assert_null (reel_tensor_expand_as_right (floats, SHAPE (7), NULL));
  g_assert_null (reel_tensor_cat (both, 2, 0, NULL));
  g_assert_null (reel_tensor_where (floats, floats, floats, NULL));
  g_assert_false (reel_index_parse (&wrong, "a", NULL));
  g_assert_null (reel_tensor_index (floats, &beyond, NULL));
  g_assert_false (reel_tensor_assign (floats, &beyond, floats, NULL));
  g_assert_null (reel_episode_bounds_from_flags (floats, 9, NULL));
  g_assert_null (reel_episode_bounds_from_ids (places, 9, NULL));
  g_assert_false (reel_find_start_stop_traj (floats, bools, TRUE, 0, &start, &stop, &length, NULL));
  g_assert_null (reel_reward_to_go (floats, bools, 0.5, 0, NULL));
  g_assert_nonnull (endless);
  g_assert_null (reel_tensor_clone (endless, NULL));
  g_assert_null (reel_tensor_contiguous (endless, NULL));
}

/* ---- tensors of others ---- */

typedef struct
{
  ReelTensor *x;
} One;

static void
test_exchange (void)
{
  g_autofree char *nowhere = new_nowhere ();
  g_autoptr (ReelTensordict) scalar = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) bools = make_bools (SHAPE (2), 1, 0);
  g_autofree char *path = scratch_path ("picture.png");
  struct ArrowSchema schema = { 0 };
  struct ArrowArray array = { 0 };
  g_autoptr (ReelMemory) memory = reel_memory_new (8, NULL);
  g_autoptr (ReelTensor) uneven =
      reel_tensor_new_from_memory (memory, 1, REEL_DTYPE_FLOAT32, SHAPE (1), NULL, NULL);
  g_autoptr (ReelTensordict) pair = new_pair ();
  const ReelField fields[] = { REEL_FIELD (One, x, .ndim = REEL_FIELD_ANY) };
  const ReelRecordType type = REEL_RECORD_TYPE ("tests.One", One, fields);
  One record = { NULL };

  g_assert_false (reel_tensordict_to_arrow (scalar, &schema, &array, NULL));
  g_assert_null (reel_image_encode_png (bools, NULL));
  g_assert_null (reel_image_decode_png ("x", 1, "x", NULL));
  g_assert_null (reel_image_decode_jpeg ("x", 1, "x", NULL));
  g_assert_false (reel_image_write_png (bools, path, NULL));
  g_assert_null (reel_image_read_png (nowhere, NULL));
  g_assert_nonnull (uneven);
  g_assert_null (reel_tensor_to_dlpack (uneven, NULL));
  g_assert_null (reel_tensor_to_dlpack_versioned (uneven, NULL));
  g_assert_null (reel_record_to_tensordict (&type, &record, 0, NULL, NULL));
  g_assert_false (reel_record_from_tensordict (&type, pair, &record, NULL));
}

/* ---- values ---- */

static void
test_values (void)
{
  g_autoptr (GVariant) number = g_variant_ref_sink (g_variant_new_int64 (1));
  g_autoptr (ReelTensor) which = make_integers (SHAPE (1), 9);
  GVariant *const values[] = { number };
  g_autoptr (GVariant) handle = g_variant_ref_sink (g_variant_new_handle (1));

  g_assert_null (reel_non_tensor_new_from_list (number, 1, NULL));
  g_assert_null (reel_non_tensor_new_from_which (values, 1, which, NULL));
  g_assert_null (reel_non_tensor_new (handle, 0, NULL, NULL));
  g_assert_null (reel_non_tensor_new_meta (handle, 0, NULL, NULL));
  g_assert_null (reel_tree_new_single_value (handle, NULL));
}

/* ---- tensordicts ---- */

static void
test_tensordicts (void)
{
  g_autoptr (ReelTensordict) pair = new_pair (), locked = new_pair (), triple = new_triple ();
  g_autoptr (ReelTensordict) square = reel_tensordict_new (SHAPE (2, 2)), inner = new_pair ();
  g_autoptr (ReelNonTensor) value = reel_non_tensor_new (g_variant_new_int64 (1), 0, NULL, NULL);
  g_autoptr (ReelTensor) lone = new_counting_tensor (REEL_DTYPE_FLOAT32, SHAPE (7));
  g_auto (ReelIndex) beyond = REEL_INDEX_INIT;
  ReelTensordict *const tds[] = { pair, triple };
  const char *const names[] = { "x", "y", NULL }, *const twice[] = { "x", "x", NULL };
  const gint64 rows[] = { 99 };

  set_beyond (&beyond);
  g_assert_true (reel_tensordict_set_tensordict (locked, "inner", inner, NULL));
  g_assert_false (reel_tensordict_set_device (pair, "", NULL));
  g_assert_false (reel_tensordict_refine_names (pair, 2, names, NULL));
  g_assert_false (reel_tensordict_rename_dims (pair, 1, no_such, names, NULL));
  g_assert_false (reel_tensordict_set_batch_size (pair, SHAPE (7), NULL));
  g_assert_false (reel_tensordict_set_tensor (pair, "b", lone, NULL));
  g_assert_false (reel_tensordict_set_tensordict (pair, "b", triple, NULL));
  g_assert_null (reel_tensordict_get_tensor (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_get_tensordict (pair, "no-such", NULL));
  g_assert_false (reel_tensordict_set_non_tensor (pair, "", value, NULL));
  g_assert_null (reel_tensordict_get_non_tensor (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_dup_value (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_ref_tensor (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_ref_tensordict (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_ref_non_tensor (pair, "no-such", NULL));
  g_assert_false (reel_tensordict_remove (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_select_index (pair, 0, 99, NULL));
  g_assert_null (reel_tensordict_slice (pair, 9, 0, 1, 1, NULL));
  g_assert_null (reel_tensordict_gather_rows (pair, rows, 1, NULL));
  g_assert_null (reel_tensordict_transpose (pair, 0, 9, NULL));
  g_assert_null (reel_tensordict_stack (tds, 2, 0, NULL));
  g_assert_null (reel_lazy_stack_new (tds, 2, 9, NULL));
  g_assert_null (reel_tensordict_maybe_dense_stack (tds, 2, 9, NULL));
  g_assert_null (reel_tensordict_eq (pair, triple, NULL));
  g_assert_null (reel_tensordict_ne (pair, triple, NULL));
  g_assert_false (reel_tensordict_all_close (pair, triple, 0, 0, FALSE, NULL));
  g_assert_null (reel_tensordict_index (pair, &beyond, NULL));
  g_assert_false (reel_tensordict_assign (pair, &beyond, pair, NULL));
  g_assert_null (reel_tensordict_masked_select (pair, lone, NULL));
  g_assert_null (reel_tensordict_masked_fill (pair, lone, 0, NULL));
  g_assert_false (reel_tensordict_masked_fill_in_place (pair, lone, 0, NULL));

  g_assert_false (reel_tensordict_set_names (square, twice, NULL));

  reel_tensordict_lock (locked);
  g_assert_false (reel_tensordict_unlock (inner, NULL));
  g_assert_false (reel_tensordict_set_value (locked, "b", g_variant_new_int64 (1), NULL));
  g_assert_false (reel_tensordict_set_class (pair, "a.B", no_such, NULL));
  g_assert_null (reel_tensordict_unflatten_keys (pair, "", NULL));
}

static gboolean
take_first (const char *path, ReelTensor *const *tensors, gsize n, ReelTensor **result,
            gpointer user_data, GError **error)
{
  *result = reel_tensor_ref (tensors[0]);
  return TRUE;
}

static void
test_keys (void)
{
  g_autoptr (ReelTensordict) pair = new_pair (), triple = new_triple ();
  g_autoptr (ReelTensor) lone = new_counting_tensor (REEL_DTYPE_FLOAT32, SHAPE (7));
  g_auto (ReelIndex) beyond = REEL_INDEX_INIT;
  g_autoptr (ReelTensordict) wide = reel_tensordict_new (SHAPE (2));
  g_autoptr (ReelTensor) endless = reel_tensor_expand (lone, SHAPE (2, G_MAXINT64 / 64, 7), NULL);
  ReelTensordict *const uneven[] = { pair, wide }, *const unlike[] = { pair, triple };
  g_autoptr (ReelTensordict) lazy = NULL;

  set_beyond (&beyond);
  g_assert_null (reel_tensordict_pop_tensor (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_pop_tensordict (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_pop_non_tensor (pair, "no-such", NULL));
  g_assert_null (reel_tensordict_select_keys (pair, no_such, TRUE, NULL));
  g_assert_false (reel_tensordict_rename_key (pair, "no-such", "c", FALSE, NULL));
  g_assert_false (reel_tensordict_update (pair, triple, NULL, FALSE, NULL));
  g_assert_false (reel_tensordict_update_in_place (pair, triple, NULL, NULL));
  g_assert_false (reel_tensordict_set_in_place (pair, "a", lone, NULL));
  g_assert_false (reel_tensordict_set_at_in_place (pair, "a", &beyond, lone, NULL));
  set_counting (wide, "a", SHAPE (2, 4));
  lazy = reel_lazy_stack_new (uneven, 2, 0, NULL);
  g_assert_null (reel_tensordict_contiguous (lazy, NULL));
  g_assert_null (reel_tensordict_apply (unlike, 2, SHAPE (2), FALSE, take_first, NULL, NULL));
  g_assert_true (reel_tensordict_set_tensor (wide, "endless", endless, NULL));
  g_assert_null (reel_tensordict_clone (wide, TRUE, NULL));
}

static void
test_shapes (void)
{
  g_autoptr (ReelTensordict) pair = new_pair (), triple = new_triple ();
  g_autoptr (ReelTensor) lone = new_counting_tensor (REEL_DTYPE_FLOAT32, SHAPE (7));
  ReelTensordict *const tds[] = { pair, triple };
  const gint out[] = { 9 };
  const gint64 sizes[] = { 99 };

  g_assert_null (reel_tensordict_squeeze (pair, 9, NULL));
  g_assert_null (reel_tensordict_unsqueeze (pair, 9, NULL));
  g_assert_null (reel_tensordict_permute (pair, out, NULL));
  g_assert_null (reel_tensordict_expand (pair, SHAPE (5), NULL));
  g_assert_null (reel_tensordict_view (pair, SHAPE (7), NULL));
  g_assert_null (reel_tensordict_reshape (pair, SHAPE (7), NULL));
  g_assert_null (reel_tensordict_flatten (pair, 0, 9, NULL));
  g_assert_null (reel_tensordict_unflatten (pair, 0, SHAPE (3, 3), NULL));
  g_assert_null (reel_tensordict_pad (pair, 1, sizes, 0, NULL));
  g_assert_null (reel_tensordict_repeat_interleave (pair, 9, 1, sizes, NULL));
  g_assert_null (reel_tensordict_roll (pair, 9, 1, NULL));
  g_assert_null (reel_tensordict_gather (pair, 0, lone, NULL));
  g_assert_null (reel_tensordict_cat (tds, 2, 0, NULL));
  g_assert_null (reel_tensordict_where (lone, pair, pair, NULL));
  g_assert_null (reel_tensordict_split (pair, 0, 0, NULL));
  g_assert_null (reel_tensordict_split_sizes (pair, 1, sizes, 0, NULL));
  g_assert_null (reel_tensordict_chunk (pair, 0, 0, NULL));
  g_assert_null (reel_tensordict_unbind (pair, 9, NULL));
  g_assert_null (reel_step_mdp (pair, NULL, 0, NULL, NULL));
  g_assert_null (reel_split_trajectories (pair, NULL, FALSE, NULL));
  g_assert_null (reel_multi_step (pair, &(ReelMultiStep){ .n_steps = 0 }, NULL));
}

static void
test_files (void)
{
  g_autofree char *nowhere = new_nowhere ();
  g_autoptr (ReelTensordict) pair = new_pair ();
  g_auto (GStrv) left_out = NULL;
  gint64 length;

  g_assert_null (reel_tensordict_load (nowhere, 0, NULL));
  g_assert_null (reel_safetensors_load (nowhere, NULL));
  g_assert_null (reel_tensordict_load_partial (nowhere, 0, &left_out, NULL));
  g_assert_false (reel_tensordict_save (pair, nowhere, 0, NULL));
  g_assert_null (reel_tensordict_save_like (pair, nowhere, NULL));
  g_assert_false (reel_tree_save (pair, nowhere, 2, NULL));
  g_assert_null (reel_tree_load (nowhere, pair, 0, &length, NULL));
}

/* Two keys that flatten to one. */
static void
test_flat_keys (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL),
                             inner = reel_tensordict_new (0, NULL);

  set_counting (inner, "b", 0, NULL);
  set_counting (td, "a.b", 0, NULL);
  g_assert_true (reel_tensordict_set_tensordict (td, "a", inner, NULL));
  g_assert_null (reel_tensordict_flatten_keys (td, ".", NULL));
}

/* ---- trees ---- */

static void
test_trees (void)
{
  g_autoptr (ReelTensordict) pair = new_pair (), triple = new_triple ();
  g_autoptr (ReelTensor) lone = new_counting_tensor (REEL_DTYPE_FLOAT32, SHAPE (7));

  g_assert_false (reel_tree_append_tensor (pair, lone, NULL));
  g_assert_false (reel_tree_append_value (pair, g_variant_new_int64 (1), NULL));
  g_assert_false (reel_tree_append (pair, triple, NULL));
  g_assert_false (reel_tree_set_tensor (pair, 99, lone, NULL));
  g_assert_false (reel_tree_set (pair, 99, triple, NULL));
}

/* ---- objects ---- */

static void
test_objects (void)
{
  g_autoptr (ReelObject) sampler = new_object (REEL_TYPE_SAMPLER, "random");

  g_assert_null (reel_object_new_from_text (REEL_TYPE_SAMPLER, "no-such", NULL, NULL));
  g_assert_null (reel_object_new_like (sampler, REEL_TYPE_SAMPLER, "random:no-such=1", NULL, NULL));
  g_assert_null (reel_object_list_properties (REEL_TYPE_SAMPLER, "no-such", NULL));
  g_assert_null (reel_object_describe (REEL_TYPE_SAMPLER, "no-such", NULL));
}

/* ---- specs ---- */

static void
test_specs (void)
{
  g_autoptr (ReelSpec) floats = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3));
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), 0, 1);
  g_autoptr (ReelSpec) four = make_categorical (4, REEL_DTYPE_INT64, 0, NULL);
  g_autoptr (ReelSpec) nested = make_nested ();
  g_autoptr (ReelTensor) lone = new_counting_tensor (REEL_DTYPE_FLOAT64, SHAPE (7));
  g_autoptr (ReelTensor) low = new_counting_tensor (REEL_DTYPE_FLOAT32, SHAPE (7));
  const char *const x[] = { "x" };
  g_autoptr (ReelSpec) five = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (5));
  g_autoptr (ReelSpec) one_x = make_composite (0, NULL, x, &floats, 1);
  g_autoptr (ReelSpec) wide = make_composite (SHAPE (5), x, &five, 1);
  g_autoptr (ReelSpec) same_keys = reel_env_spec_new (one_x, one_x, one_x, one_x, NULL);
  ReelSpec *const specs[] = { floats, four };
  const double bounds[] = { 1, 0, 1 };
  const gint64 nvec[] = { 0 };
  const char *const names[] = { "x", "y", NULL };
  gint64 n;
  const char *const not_utf8[] = { "\xff" };
  g_autoptr (ReelSpec) nameless = make_composite (0, NULL, not_utf8, &floats, 1);
  const char *const y[] = { "y" };
  g_autoptr (ReelSpec) one_y = make_composite (0, NULL, y, &floats, 1);
  g_autoptr (ReelSpec) other_y = make_composite (0, NULL, y, &four, 1);
  ReelSpec *const members[] = { one_x, one_y, other_y };
  g_autoptr (ReelSpec) stack = reel_spec_stack (members, 3, 0, NULL);

  g_assert_null (reel_bounded_spec_new (REEL_DTYPE_FLOAT32, SHAPE (2), bounds, 3, bounds, 3, NULL));
  g_assert_null (
      reel_bounded_spec_new_from_tensors (low, low, REEL_DTYPE_FLOAT32, SHAPE (2), NULL));
  g_assert_null (reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, HUGE_SHAPE, NULL));
  g_assert_null (reel_categorical_spec_new (0, REEL_DTYPE_INT64, 0, NULL, NULL));
  g_assert_null (reel_one_hot_spec_new (0, REEL_DTYPE_INT64, SHAPE (0), NULL));
  g_assert_null (reel_multi_categorical_spec_new (lone, REEL_DTYPE_INT64, SHAPE (7), FALSE, NULL));
  g_assert_null (reel_multi_one_hot_spec_new (nvec, 1, REEL_DTYPE_INT64, SHAPE (0), NULL));
  g_assert_null (reel_binary_spec_new (REEL_DTYPE_INT8, HUGE_SHAPE, NULL));
  g_assert_null (reel_composite_spec_new (SHAPE (7), names, specs, 2, NULL));
  g_assert_null (reel_choice_spec_new (specs, 0, NULL));
  g_assert_null (reel_choice_spec_new_from_non_tensors (NULL, 0, NULL));
  g_assert_null (reel_spec_new_from_text ("no-such", NULL));
  g_assert_null (reel_spec_new_from_json ("{", NULL));
  g_assert_null (reel_env_spec_new (wide, one_x, one_x, one_x, NULL));
  g_assert_null (reel_env_spec_to_rows (same_keys, NULL));

  g_assert_null (reel_spec_set_shape (wide, SHAPE (7), NULL));
  g_assert_null (reel_spec_set_device (wide, "", NULL));
  g_assert_null (reel_spec_set_names (nested, 2, names, NULL));
  g_assert_null (reel_spec_refine_names (nested, 2, names, NULL));
  g_assert_null (reel_spec_with_mask (four, lone, NULL));
  g_assert_null (reel_spec_with_provisional_n (floats, 4, NULL));
  g_assert_false (reel_spec_cardinality (floats, &n, NULL));
  g_assert_null (reel_spec_get (nested, "no-such", NULL));
  g_assert_null (reel_spec_set (nested, "", floats, NULL));
  g_assert_null (reel_spec_remove (nested, "no-such", NULL));
  g_assert_null (reel_spec_update (wide, one_x, NULL));
  g_assert_null (reel_spec_stack (specs, 0, 0, NULL));
  g_assert_null (reel_spec_to_json (nameless, NULL));
  g_assert_null (reel_non_tensor_spec_new (NULL, TRUE, 2, SHAPE (2), NULL));
  g_assert_null (reel_spec_consolidate (stack, TRUE, TRUE, NULL));
}

static void
test_spec_shapes (void)
{
  g_autoptr (ReelSpec) floats = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3));
  g_autoptr (ReelTensor) ninth = make_integers (SHAPE (1), 99);
  g_auto (ReelIndex) beyond = REEL_INDEX_INIT;
  const gint64 sizes[] = { 5, 5 };

  set_beyond (&beyond);
  g_assert_null (reel_spec_expand (floats, SHAPE (7), NULL));
  g_assert_null (reel_spec_batch (floats, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_squeeze (floats, 9, NULL));
  g_assert_null (reel_spec_unsqueeze (floats, 9, NULL));
  g_assert_null (reel_spec_reshape (floats, SHAPE (7), NULL));
  g_assert_null (reel_spec_flatten (floats, 0, 9, NULL));
  g_assert_null (reel_spec_unflatten (floats, 0, 2, sizes, NULL));
  g_assert_null (reel_spec_index (floats, &beyond, NULL));
  g_assert_null (reel_spec_index_select (floats, 0, ninth, NULL));
  g_assert_null (reel_spec_unbind (floats, 9, NULL));
}

static void
test_spec_values (void)
{
  g_autoptr (ReelSpec) floats = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3));
  g_autoptr (ReelSpec) four = make_categorical (4, REEL_DTYPE_INT64, 0, NULL);
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT64, SHAPE (2), 0, 1);
  g_autoptr (ReelSpec) nested = make_nested ();
  g_autoptr (ReelTensordict) pair = new_pair ();
  g_autoptr (ReelTensor) lone = new_counting_tensor (REEL_DTYPE_FLOAT64, SHAPE (7));
  g_autoptr (GVariant) text = g_variant_ref_sink (g_variant_new_string ("x"));
  g_autoptr (ReelNonTensor) value = reel_non_tensor_new (text, 0, NULL, NULL);
  g_autoptr (ReelSpec) texts = reel_non_tensor_spec_new (text, FALSE, 0, SHAPE (5), NULL);
  const double raw[] = { 9, 9 };
  const gint64 integers[] = { 9, 9 };
  g_autoptr (GVariant) handle = g_variant_ref_sink (g_variant_new_handle (1));

  g_assert_null (reel_spec_enumerate (floats, FALSE, NULL));
  g_assert_null (reel_spec_enumerate_tensordict (nested, FALSE, NULL));
  g_assert_null (reel_spec_to_one_hot (floats, lone, TRUE, NULL));
  g_assert_null (reel_spec_to_categorical (floats, lone, TRUE, NULL));
  g_assert_null (reel_spec_to_one_hot_spec (floats, NULL));
  g_assert_null (reel_spec_to_categorical_spec (floats, NULL));
  g_assert_null (reel_spec_pick (four, lone, lone, NULL));
  g_assert_null (reel_spec_rand (floats, 0, 0, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_zero (floats, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_one (floats, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_rand_tensordict (nested, 0, 0, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_zero_tensordict (nested, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_one_tensordict (nested, HUGE_SHAPE, NULL));
  g_assert_false (reel_spec_is_in (four, lone, NULL));
  g_assert_false (reel_spec_is_in_tensordict (nested, pair, NULL));
  g_assert_null (reel_spec_project (box, lone, NULL));
  g_assert_null (reel_spec_project_tensordict (nested, pair, NULL));
  g_assert_false (reel_spec_assert_is_in (four, lone, NULL));
  g_assert_false (reel_spec_type_check (four, lone, NULL));
  g_assert_false (reel_spec_type_check_tensordict (nested, pair, NULL));
  g_assert_null (reel_spec_encode (four, text, TRUE, NULL));
  g_assert_null (reel_spec_encode_array (four, lone, TRUE, NULL));
  g_assert_null (reel_spec_encode_tensor (four, lone, TRUE, NULL));
  g_assert_null (reel_spec_encode_doubles (four, raw, 2, TRUE, NULL));
  g_assert_null (reel_spec_encode_integers (four, integers, 2, TRUE, NULL));
  g_assert_null (reel_spec_encode_tensordict (nested, pair, TRUE, NULL));
  g_assert_null (reel_spec_to_plain (four, lone, TRUE, NULL));
  g_assert_null (reel_spec_to_variant (four, lone, TRUE, NULL));
  g_assert_false (reel_spec_is_in_non_tensor (texts, value, NULL));
  g_assert_null (reel_spec_rand_non_tensor (texts, 0, 0, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_zero_non_tensor (texts, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_one_non_tensor (texts, HUGE_SHAPE, NULL));
  g_assert_null (reel_spec_encode_non_tensor (texts, handle, NULL));
}

/* ---- buffers ---- */

/* Four rows in a ring of eight, drawn uniformly. */
static ReelReplayBuffer *
new_buffer (void)
{
  ReelReplayBuffer *buffer = counted_new_buffer ("tensor", 8, 1);

  counted_extend (buffer, 1, 4, 0);
  return buffer;
}

/* Four rows that are drawn by priority. */
static ReelReplayBuffer *
new_buffer_by_priority (void)
{
  ReelReplayBuffer *buffer = new_buffer ();
  g_autoptr (ReelSampler) sampler = new_object (REEL_TYPE_SAMPLER, "prioritized");

  g_assert_true (reel_replay_buffer_set_sampler (buffer, sampler, NULL, NULL));
  return buffer;
}

static void
test_rows (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (), empty = counted_new_buffer ("tensor", 8, 1);
  g_autoptr (ReelTensordict) pair = new_pair (), batch = NULL;
  g_autoptr (ReelTensor) beyond_all = make_integers (SHAPE (1), 99);
  g_autoptr (ReelTensor) lone = new_counting_tensor (REEL_DTYPE_FLOAT64, SHAPE (7));
  g_auto (ReelIndex) beyond = REEL_INDEX_INIT;
  ReelTensordict *const items[] = { pair };
  ReelReservation block;
  g_autoptr (ReelReplayBuffer) by_priority = new_buffer_by_priority ();
  g_autoptr (ReelSampler) sampler = new_object (REEL_TYPE_SAMPLER, "random");

  set_beyond (&beyond);
  g_assert_null (reel_replay_buffer_index (buffer, &beyond, NULL));
  g_assert_null (reel_replay_buffer_get_key (buffer, "no-such", NULL));
  g_assert_false (reel_replay_buffer_set_at (buffer, &beyond, pair, NULL));
  g_assert_false (reel_replay_buffer_fill_at (buffer, &beyond, 0, NULL));
  g_assert_false (reel_replay_buffer_write_all (buffer, pair, 1, NULL));
  g_assert_false (reel_replay_buffer_set_in_place (buffer, "no-such", lone, NULL));
  g_assert_false (reel_replay_buffer_set_at_in_place (buffer, "no-such", &beyond, lone, NULL));
  g_assert_false (reel_replay_buffer_update_in_place (buffer, pair, NULL, NULL));
  g_assert_false (reel_replay_buffer_add (buffer, pair, NULL, NULL));
  g_assert_false (reel_replay_buffer_extend (buffer, pair, NULL, NULL));
  g_assert_false (reel_replay_buffer_extend_items (buffer, items, 1, NULL, NULL));
  g_assert_false (reel_replay_buffer_reserve (empty, 1, &block, NULL));
  g_assert_false (reel_replay_buffer_sample (empty, 2, &batch, NULL));
  g_assert_false (reel_replay_buffer_next (empty, &batch, NULL));
  g_assert_false (reel_replay_buffer_update_tensordict_priority (by_priority, pair, NULL));
  g_assert_null (reel_replay_buffer_get_rows (buffer, 99, 1, NULL));
  g_assert_null (reel_replay_buffer_get_numbered_rows (buffer, 99, 1, NULL));
  g_assert_null (reel_replay_buffer_get_at (buffer, beyond_all, NULL));
  g_assert_null (reel_replay_buffer_get_item (buffer, 99, NULL));
  g_assert_null (reel_replay_buffer_get_all (empty, NULL));
  g_assert_false (reel_replay_buffer_sample_with (empty, sampler, 2, &batch, NULL));
  g_assert_null (reel_replay_buffer_dup_batch_info (buffer, NULL));
  g_assert_false (reel_replay_buffer_update_priority (by_priority, beyond_all, lone, NULL));
  g_assert_false (reel_replay_buffer_mark_update (by_priority, lone, NULL));
  g_assert_null (reel_replay_buffer_get_slice (buffer, 0, 2, 0, NULL));
}

static void
test_parts (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ();
  g_autoptr (ReelTensordict) pair = new_pair ();
  g_autoptr (ReelSampler) of_nothing =
      new_object (REEL_TYPE_SAMPLER, "slice:num-slices=2,traj-key=no-such");
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  ReelSampler *sampler = reel_replay_buffer_get_sampler (buffer);
  ReelWriter *writer = reel_replay_buffer_get_writer (buffer);
  g_autoptr (ReelReplayBuffer) empty = counted_new_buffer ("tensor", 8, 1);
  g_autoptr (ReelReplayBuffer) unsized = counted_new_buffer ("tensor", 8, 1);
  g_autoptr (ReelReplayBuffer) taken = new_buffer ();
  g_autoptr (ReelSampler) by_priority = new_object (REEL_TYPE_SAMPLER, "prioritized");
  g_autoptr (ReelSampler) consuming = new_object (REEL_TYPE_SAMPLER, "consuming");
  g_autoptr (ReelSampler) slices =
      new_object (REEL_TYPE_SAMPLER, "slice:num-slices=2,cache-values=true");
  g_autoptr (ReelStorage) square = new_object (REEL_TYPE_STORAGE, "tensor:max-size=8,ndim=2");
  g_autoptr (ReelStorage) untouched = new_object (REEL_TYPE_STORAGE, "tensor:max-size=8");
  g_autoptr (ReelWriter) immutable = new_object (REEL_TYPE_WRITER, "immutable");
  g_autoptr (ReelWriter) highest = new_object (REEL_TYPE_WRITER, "max-value");
  g_autoptr (ReelTransform) transform = new_object (REEL_TYPE_TRANSFORM, "exclude:excluded-keys=a");
  g_autoptr (ReelTensor) lone = new_counting_tensor (REEL_DTYPE_FLOAT64, SHAPE (7));
  g_autoptr (ReelTensordict) scalar = reel_tensordict_new (0, NULL);
  g_autoptr (ReelScheduler) scheduler =
      new_object (REEL_TYPE_SCHEDULER, "step:parameter=no-such,gamma=2,n-steps=1");
  g_autoptr (ReelReplayBuffer) of_square = reel_replay_buffer_new (square, NULL, NULL, 2, NULL);
  g_autoptr (ReelReplayBuffer) read_only =
      reel_replay_buffer_new (untouched, slices, immutable, 2, NULL);
  const ReelTrajectoryKeys keys = { .trajectory = "no-such", .ends = no_such };
  const ReelStorageView nothing = { 0 };
  const gint64 slot = 0;
  const double negative = -1;
  gint64 count;
  ReelDraw draw = { 0 };
  ReelReservation block;

  g_assert_null (reel_replay_buffer_new_from_text ("no-such", NULL, 2, NULL));
  g_assert_false (reel_replay_buffer_set_state (buffer, pair, NULL));
  g_assert_false (reel_replay_buffer_set_sampler (buffer, of_nothing, NULL, NULL));
  g_assert_false (reel_sampler_bind (of_nothing, storage, NULL));
  g_assert_false (reel_sampler_set_state (by_priority, storage, pair, NULL));
  g_assert_false (reel_storage_allocate (storage, pair, NULL));
  g_assert_cmpint (reel_storage_find_column (storage, "no-such", NULL), <, 0);
  g_assert_false (reel_storage_set_state (storage, pair, NULL));
  g_assert_false (reel_writer_extend (writer, storage, pair, NULL, NULL));
  g_assert_false (reel_writer_set_state (writer, storage, pair, NULL));
  g_assert_null (reel_replay_buffer_new (square, by_priority, highest, 2, NULL));
  g_assert_true (reel_replay_buffer_append_transform (taken, transform, FALSE, NULL));
  g_assert_false (reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL));
  g_assert_false (reel_replay_buffer_insert_transform (buffer, 9, transform, FALSE, NULL));
  g_assert_false (reel_replay_buffer_set_writer (of_square, highest, NULL, NULL));
  g_assert_false (reel_replay_buffer_set_prefetch (unsized, 2, NULL));
  g_assert_false (reel_replay_buffer_empty (read_only, TRUE, NULL));
  g_assert_false (reel_sampler_sample (sampler, untouched, &nothing, &draw, NULL));
  g_assert_false (reel_sampler_count_sampleable (slices, storage, 3, &count, NULL));
  g_assert_false (reel_sampler_update_priority (by_priority, storage, &slot, 1, &negative, NULL));
  g_assert_false (reel_scheduler_attach (scheduler, REEL_OBJECT (sampler), NULL));
  g_assert_false (reel_scheduler_step (scheduler, NULL));
  g_assert_false (reel_slice_sampler_set_marks (slices, lone, lone, NULL));
  g_assert_null (reel_trajectory_index_new (storage, &keys, NULL));
  g_assert_cmpint (reel_storage_count_bytes (storage, scalar, NULL), <, 0);
  g_assert_null (reel_storage_new_from_data (pair, 99, 1, NULL));
  g_assert_null (reel_storage_get_generations (storage, lone, NULL));
  g_assert_false (reel_storage_reserve (untouched, 1, &block, NULL));
  g_assert_false (reel_storage_cleanup (storage, NULL));
  g_assert_false (reel_writer_reserve (highest, storage, 1, &block, NULL));
  g_assert_false (reel_writer_check (highest, square, NULL));
  g_assert_false (reel_writer_bind (highest, square, NULL));
  g_assert_false (reel_writer_may_write (immutable, NULL));
}

static void
test_checkpoints (void)
{
  g_autofree char *nowhere = new_nowhere ();
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ();
  g_autoptr (ReelTensordict) step = counted_new_step (1, 1, 0);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  ReelWriter *writer = reel_replay_buffer_get_writer (buffer);
  ReelOrderedDump dump = { 0 };
  gint64 n = 1, n_rows;
  g_autoptr (ReelSampler) by_priority = new_object (REEL_TYPE_SAMPLER, "prioritized");
  g_autoptr (ReelReplayBuffer) empty = counted_new_buffer ("tensor", 8, 1);
  const char *const not_utf8[] = { "\xff" }, *const x[] = { "x" };
  g_autoptr (ReelSpec) floats = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3));
  g_autoptr (ReelSpec) nameless = make_composite (0, NULL, not_utf8, &floats, 1);
  g_autoptr (ReelSpec) one_x = make_composite (0, NULL, x, &floats, 1);
  g_autoptr (ReelSpec) specs = reel_env_spec_new (nameless, one_x, one_x, one_x, NULL);

  g_assert_null (reel_checkpoint_read_specs (nowhere, NULL, NULL));
  g_assert_null (reel_checkpoint_read_form (nowhere, NULL));
  g_assert_null (reel_checkpoint_verify (nowhere, NULL));
  g_assert_null (reel_checkpoint_verify_files (nowhere, NULL));
  g_assert_false (reel_replay_buffer_dumps (buffer, nowhere, 0, NULL));
  g_assert_false (reel_checkpoint_check_target ("/dev/null", 0, NULL));
  g_assert_false (reel_replay_buffer_dumps_in_order (buffer, nowhere, &dump, 0, NULL));
  g_assert_false (reel_replay_buffer_check_dumps (buffer, nowhere, 0, NULL));
  g_assert_false (reel_replay_buffer_loads (buffer, nowhere, NULL));
  g_assert_null (reel_replay_buffer_open (nowhere, 0, NULL));
  g_assert_false (reel_replay_buffer_make_live (buffer, nowhere, step, 0, NULL));
  g_assert_null (reel_replay_buffer_create_live (nowhere, 8, step, 0, NULL));
  g_assert_false (reel_replay_buffer_save_batches (buffer, 2, n, nowhere, &n_rows, NULL));
  g_assert_false (reel_replay_buffer_set_info (buffer, "key", "{", NULL));
  g_assert_false (reel_storage_dumps (storage, NULL, nowhere, 0, NULL, NULL));
  g_assert_false (reel_storage_loads (storage, NULL, nowhere, NULL, NULL));
  g_assert_false (reel_sampler_dumps (by_priority, storage, nowhere, 0, NULL));
  g_assert_false (reel_sampler_loads (by_priority, storage, nowhere, NULL));
  g_assert_false (reel_writer_dumps (writer, storage, nowhere, 0, NULL));
  g_assert_false (reel_writer_loads (writer, storage, nowhere, NULL));
  g_assert_null (reel_replay_buffer_dup_specs (buffer, NULL));
  g_assert_null (reel_replay_buffer_copy_in_order (empty, &dump, NULL));
  g_assert_false (reel_replay_buffer_set_specs (buffer, specs, NULL));
}

static void
test_ensembles (void)
{
  g_autofree char *nowhere = new_nowhere ();
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (), second = new_buffer ();
  ReelReplayBuffer *const buffers[] = { buffer, second };
  const double none[] = { 0, 0 }, negative[] = { -1, 1 };
  const ReelEnsembleOptions of_none = { .p = none, .batch_size = 2 };
  const ReelEnsembleOptions options = { .batch_size = 2 };
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_new (buffers, 2, &options, NULL);
  g_autoptr (ReelTensordict) pair = new_pair (), batch = NULL;
  g_auto (ReelIndex) beyond = REEL_INDEX_INIT;
  const gint64 ids[] = { 9 };
  const ReelEnsembleOptions unsized = { 0 };
  g_autoptr (ReelReplayBufferEnsemble) without_size =
      reel_replay_buffer_ensemble_new (buffers, 2, &unsized, NULL);
  g_autoptr (ReelOfflineToOnlineBuffer) offline =
      reel_offline_to_online_buffer_new (buffer, second, 0.5, 0, NULL);

  set_beyond (&beyond);
  g_assert_null (reel_replay_buffer_ensemble_new (buffers, 2, &of_none, NULL));
  g_assert_null (
      reel_replay_buffer_ensemble_new_mixed ((GObject *const *) buffers, 2, &of_none, NULL));
  g_assert_false (reel_replay_buffer_ensemble_set_weights (ensemble, negative, TRUE, NULL));
  g_assert_null (reel_replay_buffer_ensemble_get (ensemble, 9, NULL));
  g_assert_null (reel_replay_buffer_ensemble_select (ensemble, ids, 1, NULL));
  g_assert_null (reel_replay_buffer_ensemble_index (ensemble, &beyond, NULL));
  g_assert_null (reel_replay_buffer_ensemble_index_some (ensemble, &beyond, &beyond, NULL));
  g_assert_false (
      reel_replay_buffer_ensemble_extend_by_key (ensemble, pair, "no-such", NULL, NULL));
  g_assert_false (reel_replay_buffer_ensemble_extend_by_dim (ensemble, pair, 9, NULL, NULL));
  g_assert_false (reel_replay_buffer_ensemble_sample (ensemble, 3, &batch, NULL));
  g_assert_false (reel_replay_buffer_ensemble_dumps (ensemble, nowhere, 0, NULL));
  g_assert_false (reel_replay_buffer_ensemble_loads (ensemble, nowhere, NULL));
  g_assert_null (reel_replay_buffer_ensemble_open (nowhere, 0, NULL));
  g_assert_false (reel_replay_buffer_ensemble_set_sampler_state (ensemble, pair, NULL));
  g_assert_null (reel_offline_to_online_buffer_new (buffer, second, 2.0, 4, NULL));
  g_assert_null (reel_replay_buffer_ensemble_dup_batch_info (ensemble, NULL));
  g_assert_false (reel_replay_buffer_ensemble_next (without_size, &batch, NULL));
  g_assert_false (reel_replay_buffer_ensemble_set_prefetch (without_size, 2, NULL));
  g_assert_false (reel_offline_to_online_buffer_sample (offline, 0, &batch, NULL));
  reel_replay_buffer_empty (buffer, TRUE, NULL);
  reel_replay_buffer_empty (second, TRUE, NULL);
  g_assert_null (reel_replay_buffer_ensemble_flatten (ensemble, NULL, NULL));
}

/* ---- environments ---- */

static void
test_envs (void)
{
  g_autoptr (ReelEnv) env = new_object (REEL_TYPE_ENV, "CartPole-v1:num-envs=2");
  g_autoptr (ReelTensordict) triple = new_triple ();
  g_autoptr (ReelPolicy) policy = new_object (REEL_TYPE_POLICY, "random");
  gboolean wanted[3];

  g_assert_null (reel_env_rollout (env, -1, NULL, NULL));
  g_assert_null (reel_env_reset (env, triple, NULL));
  g_assert_false (reel_env_step (env, triple, NULL));
  g_assert_false (reel_env_act (env, policy, 0, triple, NULL));
  g_assert_null (reel_env_step_mdp (env, triple, NULL));
  g_assert_false (reel_env_maybe_reset (env, triple, NULL));
  g_assert_null (reel_env_step_and_maybe_reset (env, triple, NULL));
  g_assert_null (reel_env_rand_action (env, triple, NULL));
  g_assert_false (reel_env_rand_step (env, triple, NULL));
  g_assert_null (reel_env_vector_step (env, 0, triple, NULL));
  {
    g_autoptr (ReelTransform) unfit = reel_object_new_from_text (
        REEL_TYPE_TRANSFORM, "rename:in-keys=none,out-keys=other", NULL, NULL);

    g_assert_null (reel_transformed_env_new (env, unfit, NULL));
    g_assert_false (
        reel_observation_norm_init_stats (unfit, env, &(ReelStatsOptions){ .num_iter = 9 }, NULL));
  }
  {
    g_autoptr (ReelEnv) other = reel_object_new_from_text (REEL_TYPE_ENV, "Acrobot", NULL, NULL);

    g_autoptr (ReelEnv) both = reel_serial_env_new ((ReelEnv *[]){ env, other }, 2, NULL);

    g_assert_false (reel_env_check_alike (both, NULL));
    g_assert_null (
        reel_parallel_env_new (other, REEL_PARALLEL_THREADS, 1, REEL_ON_ERROR_DROP, NULL));
    g_assert_false (reel_env_send (other, triple, NULL));
    g_assert_null (reel_env_recv (other, 1, 0, NULL, NULL));
  }
  {
    const char *const done[] = { "done" };
    g_autoptr (ReelEnv) other = reel_object_new_from_text (REEL_TYPE_ENV, "Acrobot", NULL, NULL);
    g_autoptr (ReelSpec) flag = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (1));

    g_assert_false (
        reel_env_take_results (other, NULL, make_composite (0, NULL, done, &flag, 1), NULL));
  }
  g_assert_null (reel_single_lane_new (env, NULL));
  g_setenv ("MUJOCO_GL", "no-such", TRUE);
  g_assert_false (reel_gl_get_wanted (wanted, NULL));
  g_unsetenv ("MUJOCO_GL");
}

/* ---- collectors ---- */

static void
test_collectors (void)
{
  g_autofree char *nowhere = new_nowhere ();
  g_autoptr (ReelEnv) env = new_object (REEL_TYPE_ENV, "CartPole-v1:num-envs=2");
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ();
  g_autoptr (ReelTensordict) triple = new_triple ();
  g_autoptr (ReelPolicy) policy = new_object (REEL_TYPE_POLICY, "random");
  const ReelTrajectory first = { 0, 1 };
  g_autoptr (ReelCollector) collector = reel_collector_new ("sync", env, policy, NULL, NULL);

  g_assert_false (reel_policy_update_weights (policy, triple, NULL));
  g_assert_false (reel_policy_load_weights (policy, nowhere, NULL));
  g_assert_false (reel_policy_share_weights (nowhere, triple, NULL));
  g_assert_false (reel_collector_update_policy_weights (collector, triple, NULL));
  g_assert_null (reel_collector_new ("no-such", env, policy, buffer, NULL));
  g_assert_null (reel_collector_make_step ("no-such", env, policy, NULL));
  g_assert_null (reel_collector_new_live (nowhere, 8, NULL, "no-such", NULL, 0, NULL));
  {
    g_autoptr (ReelCollector) ended = reel_collector_new ("sync", env, policy, NULL, NULL);
    g_autoptr (ReelTensordict) nothing = reel_tensordict_new (0, NULL);

    g_assert_cmpint (reel_collector_count_batches (ended, NULL), ==, -1);
    g_assert_false (reel_collector_start (ended, NULL));
    g_assert_false (reel_collector_pause (ended, NULL));
    g_assert_false (reel_collector_set_state (ended, nothing, NULL));
    reel_collector_shutdown (ended, 0, NULL);
    g_assert_false (reel_collector_reset (ended, NULL));
    g_assert_false (reel_collector_set_seed (ended, 1, REEL_SEEDING_LANES, NULL, NULL));
    g_assert_null (reel_collector_dup_state (ended, NULL));
  }
  g_assert_null (reel_recorded_states_new (buffer, &first, env, NULL));
  g_assert_true (reel_ranks_open (NULL, NULL, NULL));
  g_assert_false (reel_ranks_serve (NULL));
  {
    g_autoptr (GError) failure = g_error_new_literal (REEL_ERROR, REEL_ERROR_IO, "a rank fails");

    g_assert_false (reel_ranks_agree (failure, NULL, NULL));
  }
  g_assert_false (reel_ranks_find_failure (NULL, NULL));
  g_assert_null (reel_remote_buffer_new (NULL));
  g_assert_true (reel_ranks_serve_buffer (buffer, NULL));
}

/* ---- transforms ---- */

static ReelTensordict *
burn (ReelTensordict *td, gpointer user_data, GError **error)
{
  return reel_tensordict_ref (td);
}

static void
test_transforms (void)
{
  g_autoptr (ReelCompose) chain = reel_compose_new ();
  g_autoptr (ReelCompose) other = reel_compose_new ();
  g_autoptr (ReelTransform) taken = reel_object_new_from_text (
      REEL_TYPE_TRANSFORM, "cat-frames:n=2,dim=-1,in-keys=no-such", NULL, NULL);
  g_autoptr (ReelTransform) none = NULL;
  g_autoptr (ReelSampler) sampler = NULL;
  g_autoptr (ReelTensordict) pair = new_pair (), result = NULL;
  const char *const x[] = { "x" };
  g_autoptr (ReelSpec) floats = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3));
  g_autoptr (ReelSpec) one_x = make_composite (0, NULL, x, &floats, 1);
  g_autoptr (ReelSpec) specs = reel_env_spec_new (one_x, one_x, one_x, one_x, NULL);

  g_assert_null (reel_compose_get (chain, 9, NULL));
  g_assert_null (reel_compose_pop (chain, 9, NULL));
  g_assert_null (reel_compose_slice (chain, 0, 1, 0, NULL));
  g_assert_null (reel_transform_forward (taken, pair, NULL));
  g_assert_true (reel_compose_append (other, taken, NULL));
  g_assert_false (reel_compose_append (chain, taken, NULL));
  g_assert_false (reel_compose_insert (chain, 9, taken, NULL));
  g_assert_false (reel_cat_frames_make_transform_and_sampler (REEL_TRANSFORM (chain), NULL, &none,
                                                              &sampler, NULL));
  g_assert_false (reel_transform_set_parent (taken, G_OBJECT (chain), NULL));
  g_assert_null (reel_transform_new_inverted (taken, NULL));
  g_assert_false (reel_transform_set_state (REEL_TRANSFORM (other), pair, NULL));
  g_assert_null (reel_transform_env_spec (taken, specs, NULL));
  g_assert_null (reel_burn_in_transform_new (burn, NULL, NULL, 0, x, NULL));
  g_assert_null (reel_vec_norm_dup_stats (taken, NULL));
  g_assert_false (reel_vec_norm_set_stats (taken, pair, NULL));
  g_assert_false (reel_vec_norm_freeze (taken, TRUE, NULL));
}

/* ---- datasets ---- */

static void
test_datasets (void)
{
  g_assert_null (reel_dataset_list_available ("no-such", NULL, NULL));
  g_assert_null (reel_dataset_dup_root ("no-such", NULL));

  g_autoptr (ReelReplayBuffer) empty =
      reel_replay_buffer_new_from_text ("tensor:capacity=1", NULL, 0, NULL);
  g_assert_false (reel_replay_buffer_export (empty, "csv", "nowhere.csv", NULL,
                                             REEL_CHECKPOINT_DEFAULT, NULL, NULL));
}

/* ---- text ---- */

static void
test_text (void)
{
  g_autoptr (ReelTokenizer) tokenizer = small_tokenizer_new ("", "");
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree char *nowhere = new_nowhere ();
  const gint64 beyond[] = { 1000 };

  g_assert_null (reel_tokenizer_load (nowhere, NULL));
  g_assert_cmpint (reel_tokenizer_find (tokenizer, "no such", NULL), ==, -1);
  g_assert_null (reel_tokenizer_decode (tokenizer, beyond, 1, FALSE, NULL, NULL));
  g_assert_false (reel_tokenizer_encode (tokenizer, "", (gssize) 1 << 40, -1, ids, NULL));

  const char *const texts[] = { "a" };
  const ReelTokenizeOptions form = { .max_length = 0 };
  const ReelTextOptions options = REEL_TEXT_OPTIONS_DEFAULT;
  g_autoptr (ReelKLController) controller = new_object (REEL_TYPE_KL_CONTROLLER, "adaptive");
  g_autoptr (ReelTensordict) pair = new_pair ();
  ReelPromptData prompts = { NULL }, masked;
  ReelPairwiseDataset pairs;
  g_assert_null (reel_tokenize_texts (tokenizer, &form, texts, 1, NULL));
  g_assert_null (reel_tokenize_prompts (tokenizer, &form, texts, texts, 1, NULL));
  g_assert_null (reel_text_dataset_new (tokenizer, nowhere, &options, NULL));
  g_assert_null (reel_text_dataloader_new (nowhere, 1, 0, NULL));
  g_assert_false (reel_prompt_data_from_rows (pair, &prompts, NULL));
  g_assert_false (reel_pairwise_dataset_from_rows (pair, &pairs, NULL));
  g_assert_false (reel_prompt_data_mask_label (&prompts, 0, &masked, NULL));
  g_assert_false (reel_kl_controller_update (controller, NULL, 0, NULL));
}

static void
test_text_models (void)
{
  g_autoptr (ReelTextModel) model = new_object (REEL_TYPE_TEXT_MODEL, "exec:no-such-program");
  g_autoptr (ReelRolloutFromModel) rollout =
      new_object (REEL_TYPE_ROLLOUT_FROM_MODEL,
                  "rollout:model=(exec:a),ref-model=(exec:a),reward-model=(exec:a)");
  const ReelPromptData prompts = { NULL };
  ReelGeneratedText generated = { NULL };

  g_assert_cmpint (reel_text_model_prepare (model, 1, 1, NULL), ==, -1);
  g_assert_cmpint (reel_text_model_prepare (model, 0, 1, NULL), ==, -1);

  const gint64 shape[] = { 1, 1 }, beyond = 5;
  const guint8 mask = 1;
  const ReelTextBatch batch = { 1, 1, &beyond, &mask };
  g_autoptr (ReelTensor) words = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autoptr (ReelTextModel) table = table_model_new (words, words, words, NULL, 1);
  float value;
  g_assert_cmpint (reel_text_model_prepare (table, 1, 1, NULL), ==, 1);
  g_assert_false (reel_text_model_next_logits (table, &batch, &value, NULL));
  g_assert_false (reel_text_model_log_probs (table, &batch, &value, NULL));
  g_assert_false (reel_text_model_end_scores (table, &batch, &value, NULL));
  g_assert_false (reel_rollout_from_model_generate (rollout, &prompts, &generated, NULL));
  g_assert_null (reel_rollout_from_model_create_rollout_td (rollout, &prompts, &generated, NULL));
  g_assert_null (reel_rollout_from_model_rollout_from_data (rollout, &prompts, NULL));
  g_assert_false (reel_rollout_from_model_step_scheduler (rollout, NULL));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/core/null-errors/tensors", test_tensors);
  scratch_test ("/core/null-errors/exchange", test_exchange);
  g_test_add_func ("/core/null-errors/values", test_values);
  g_test_add_func ("/core/null-errors/tensordicts", test_tensordicts);
  g_test_add_func ("/core/null-errors/keys", test_keys);
  g_test_add_func ("/core/null-errors/shapes", test_shapes);
  g_test_add_func ("/core/null-errors/flat-keys", test_flat_keys);
  scratch_test ("/core/null-errors/files", test_files);
  g_test_add_func ("/core/null-errors/trees", test_trees);
  g_test_add_func ("/core/null-errors/objects", test_objects);
  g_test_add_func ("/specs/null-errors/specs", test_specs);
  g_test_add_func ("/specs/null-errors/spec-shapes", test_spec_shapes);
  g_test_add_func ("/specs/null-errors/values", test_spec_values);
  g_test_add_func ("/buffers/null-errors/rows", test_rows);
  g_test_add_func ("/buffers/null-errors/parts", test_parts);
  scratch_test ("/buffers/null-errors/checkpoints", test_checkpoints);
  scratch_test ("/buffers/null-errors/ensembles", test_ensembles);
  scratch_test ("/envs/null-errors/envs", test_envs);
  scratch_test ("/collectors/null-errors/collectors", test_collectors);
  scratch_test ("/datasets/null-errors/text", test_text);
  scratch_test ("/datasets/null-errors/text-models", test_text_models);
  g_test_add_func ("/transforms/null-errors/transforms", test_transforms);
  g_test_add_func ("/datasets/null-errors/datasets", test_datasets);
  return g_test_run ();
}
