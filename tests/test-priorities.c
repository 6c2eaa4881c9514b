/* Priorities of rows against the real library's, operation by operation. */
#include "../src/buffers/samplers/priority-sampler.h"
#include "counted-rows.h"
#include "golden-tensor.h"

#include <math.h>

static const json_t *
get (const json_t *json, const char *name)
{
  const json_t *value = json_object_get (json, name);

  g_assert_nonnull (value);
  return value;
}

static double
real (const json_t *json, const char *name)
{
  return golden_double (get (json, name));
}

static gint64
integer (const json_t *json, const char *name)
{
  return json_integer_value (get (json, name));
}

/* The tolerance of the last place of the reference's powers, and of a power of a root where the
 * greatest priority was found back from its weight. */
#define DOUBLES 4e-16
#define FLOATS 1.2e-7
#define ROOTS 5e-7

static void
assert_close (double found, double expected, double tolerance)
{
  if (found != expected)
    g_assert_cmpfloat_with_epsilon (found, expected, fabs (expected) * tolerance);
}

static void
assert_weights (const ReelPriorities *priorities, const json_t *expected, double tolerance)
{
  const double *weights = reel_priority_tree_weights (priorities->tree);
  const json_t *item;
  gsize i;

  json_array_foreach (expected, i, item) assert_close (weights[i], golden_double (item), tolerance);
}

static void
assert_greatest (const ReelPriorities *priorities, const json_t *expected)
{
  assert_close (priorities->greatest, golden_double (json_array_get (expected, 0)), ROOTS);
  g_assert_true ((double) priorities->greatest_slot
                 == golden_double (json_array_get (expected, 1)));
}

/* Masses on a border may fall on either side of it: the peer's sums are of float32. */
static void
assert_draws (const ReelPriorities *priorities, const json_t *masses, const json_t *expected,
              double tolerance)
{
  const double *weights = reel_priority_tree_weights (priorities->tree);
  const json_t *item;
  gsize i;

  json_array_foreach (masses, i, item)
  {
    double mass = golden_double (item), kept = mass, weight, border = 0;
    gint64 slot, theirs = json_integer_value (json_array_get (expected, i));

    if (mass <= 0 || mass > reel_priority_tree_total (priorities->tree))
      continue;
    reel_priority_tree_find (priorities->tree, &mass, 1, &slot, &weight, NULL);
    if (slot == theirs)
      continue;
    for (gint64 k = 0; k < MAX (slot, theirs); k++)
      border += weights[k];
    assert_close (border, kept, tolerance);
  }
}

/* ---- operations on a sampler ---- */

static ReelSampler *
new_sampler (const json_t *json, const char *dtype, gboolean within_buffer)
{
  g_autofree char *text = g_strdup_printf (
      "prioritized:alpha=%.17g,beta=%.17g,eps=%.17g,dtype=%s,max-priority-within-buffer=%s",
      real (json, "alpha"), real (json, "beta"), real (json, "eps"), dtype,
      within_buffer ? "true" : "false");
  g_autoptr (GError) error = NULL;
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, &error, NULL);

  g_assert_no_error (error);
  return sampler;
}

static gint64
load_updates (const json_t *json, gint64 *slots, double *priorities)
{
  const json_t *item;
  gsize i;

  json_array_foreach (get (json, "index"), i, item) slots[i] = json_integer_value (item);
  json_array_foreach (json_object_get (json, "priority"), i, item) priorities[i] =
      golden_double (item);
  return (gint64) json_array_size (get (json, "index"));
}

/* The table extends a sampler without a storage: first the greatest is forgotten where it is
 * overwritten, then rows are marked. Here all rows are there from the beginning. */
static void
apply (ReelPriorities *priorities, const json_t *op)
{
  g_autoptr (GError) error = NULL;
  double values[16];
  gint64 slots[16], n = load_updates (op, slots, values);
  gboolean is_update = g_str_equal (json_string_value (get (op, "op")), "update");

  for (gint64 i = 0; i < n && !is_update && priorities->within_buffer; i++)
    if (priorities->has_greatest && slots[i] == priorities->greatest_slot)
      priorities->has_greatest = FALSE;
  reel_priorities_update (priorities, slots, n, is_update ? values : NULL, &error);
  g_assert_no_error (error);
}

static void
check_operations (const json_t *json)
{
  gint64 capacity = integer (json, "capacity");
  gboolean within = json_is_true (get (json, "max_priority_within_buffer"));
  g_autoptr (ReelSampler) sampler = new_sampler (json, "float32", within);
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", capacity, 1);
  ReelPriorities *priorities = reel_priority_sampler_get (sampler);
  double tolerance = within ? ROOTS : FLOATS;
  const json_t *op;
  gsize i;

  counted_extend (buffer, 1, capacity, 0);
  g_assert_true (reel_sampler_bind (sampler, reel_replay_buffer_get_storage (buffer), NULL));
  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &priorities->seen);
  json_array_foreach (get (json, "ops"), i, op)
  {
    apply (priorities, op);
    assert_weights (priorities, get (op, "sum_leaves"), tolerance);
    assert_greatest (priorities, get (op, "max_priority"));
    assert_close (reel_priorities_default (priorities), real (op, "default_priority"), ROOTS);
    assert_close (reel_priority_tree_total (priorities->tree), real (op, "p_sum"), tolerance);
    assert_close (reel_priority_tree_least (priorities->tree), real (op, "p_min"), tolerance);
  }
  assert_draws (priorities, get (json, "mass"), get (json, "scan_lower_bound"), tolerance);
}

static void
test_operations (void)
{
  g_autoptr (json_t) file = golden_load ("prioritized.json");
  const json_t *json;
  gsize i;

  json_array_foreach (get (file, "cases"), i, json) check_operations (json);
  g_assert_cmpint (i, ==, 5);
}

/* ---- operations on a buffer ---- */

/* `[n]` or `[lanes, n]` with a priority `p` of 1 + lane × n + step where it is asked for. */
static void
extend (ReelReplayBuffer *buffer, const json_t *json, gint64 n)
{
  gint64 lanes = integer (json, "lanes"), shape[2] = { lanes, n };
  gint ndim = (gint) integer (json, "ndim");
  g_autoptr (ReelTensordict) data = counted_new_batch (ndim, lanes, n, 0);
  g_autoptr (ReelTensor) p =
      reel_tensor_new (REEL_DTYPE_FLOAT32, ndim, ndim > 1 ? shape : shape + 1, NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < lanes * n; i++)
    ((float *) p->data)[i] = (float) (i + 1);
  if (json_is_true (get (json, "key")))
    reel_tensordict_set_tensor (data, "p", p, &error);
  g_assert_no_error (error);
  reel_replay_buffer_extend (buffer, data, NULL, &error);
  g_assert_no_error (error);
}

static void
follow (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;

  reel_sampler_update_priority (reel_replay_buffer_get_sampler (buffer),
                                reel_replay_buffer_get_storage (buffer), NULL, 0, NULL, &error);
  g_assert_no_error (error);
}

static void
update (ReelReplayBuffer *buffer, const json_t *updates)
{
  const json_t *item;
  gsize i;

  json_array_foreach (updates, i, item)
  {
    g_autoptr (GError) error = NULL;
    double values[16];
    gint64 slots[16], n = load_updates (item, slots, values);

    reel_sampler_update_priority (reel_replay_buffer_get_sampler (buffer),
                                  reel_replay_buffer_get_storage (buffer), slots, n, values,
                                  &error);
    g_assert_no_error (error);
  }
}

static void
assert_corrections (const ReelPriorities *priorities, const json_t *expected, double tolerance)
{
  const json_t *item;
  gsize i;

  json_array_foreach (expected, i, item)
  {
    gboolean is_float64 = priorities->dtype == REEL_PRIORITY_FLOAT64;
    double weight = reel_priority_tree_weights (priorities->tree)[i], found;
    float narrow;

    reel_priorities_correct (priorities, &weight, 1,
                             is_float64 ? (guint8 *) &found : (guint8 *) &narrow);
    assert_close (is_float64 ? found : narrow, golden_double (item), 3 * tolerance);
  }
}

static void
check_buffer (const json_t *json)
{
  double tolerance =
      g_str_equal (json_string_value (get (json, "dtype")), "float64") ? DOUBLES : FLOATS;
  g_autoptr (ReelSampler) sampler = new_sampler (json, json_string_value (get (json, "dtype")),
                                                 json_is_true (get (json, "within")));
  g_autofree char *text = g_strdup_printf (
      "tensor:capacity=%d,ndim=%d", (int) integer (json, "capacity"), (int) integer (json, "ndim"));
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, sampler, NULL, 4, NULL);
  ReelPriorities *priorities = reel_priority_sampler_get (sampler);
  const json_t *n;
  gsize i;

  reel_replay_buffer_set_priority_key (buffer, "p");
  json_array_foreach (get (json, "extend"), i, n)
  {
    extend (buffer, json, json_integer_value (n));
    follow (buffer);
    if (i == 0)
      update (buffer, get (json, "updates"));
  }
  assert_weights (priorities, get (json, "sum_leaves"), tolerance);
  assert_greatest (priorities, get (json, "max_priority"));
  assert_close (reel_priority_tree_total (priorities->tree), real (json, "p_sum"), tolerance);
  assert_close (reel_priority_tree_least (priorities->tree), real (json, "p_min"), tolerance);
  assert_corrections (priorities, get (json, "weight"), tolerance);
  assert_draws (priorities, get (json, "mass"), get (json, "scan_lower_bound"), tolerance);
}

/* T4.3-3 */
static void
test_buffers (void)
{
  g_autoptr (json_t) file = golden_load ("prioritized-buffers.json");
  const json_t *json;
  gsize i;

  json_array_foreach (get (file, "cases"), i, json)
  {
    g_test_message ("%s", json_string_value (get (json, "case")));
    check_buffer (json);
  }
  g_assert_cmpint (i, ==, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/priorities/operations", test_operations);
  g_test_add_func ("/buffers/priorities/buffers", test_buffers);

  return g_test_run ();
}
