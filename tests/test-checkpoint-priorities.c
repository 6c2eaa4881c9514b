/* Priorities go on where a checkpoint of TorchRL's has them, and are written back. */
#include "golden-buffer.h"
#include "sampler-state.h"
#include "scratch.h"

#include <math.h>
#include <string.h>

/* ---- priorities that TorchRL wrote ---- */

static const char *const prioritized[] = {
  "rb-per-alpha1",  "rb-per-default", "rb-per-f64",     "rb-per-ndim2", "rb-per-short-capacity",
  "rb-per-updated", "rb-per-within",  "rb-per-wrapped", "rb-pslice"
};

static const json_t *
member (const json_t *expect, const char *part, const char *key)
{
  return json_object_get (json_object_get (expect, part), key);
}

static double
real (const json_t *value)
{
  return g_ascii_strtod (json_string_value (value), NULL);
}

/* Every leaf that TorchRL wrote, rounded as it rounds them, and the greatest. */
static void
assert_priorities (const json_t *expect, ReelReplayBuffer *buffer)
{
  g_autoptr (ReelTensordict) state = sampler_state_get (buffer);
  const double *leaves = (const double *) reel_tensordict_get_tensor (state, "sumtree", NULL)->data;
  const double *greatest =
      (const double *) reel_tensordict_get_tensor (state, "_max_priority", NULL)->data;
  const json_t *theirs = member (expect, "sampler", "sum_leaves"), *leaf;
  gsize i;

  json_array_foreach (theirs, i, leaf)
  {
    g_assert_cmpfloat (leaves[i], ==, (double) (float) real (leaf));
  }
  for (i = 0; i < 2; i++)
    g_assert_cmpfloat (greatest[i], ==,
                       real (json_array_get (member (expect, "sampler", "max_priority"), i)));
}

/* Rows come with the weights that TorchRL gives them. */
static void
assert_weights (const json_t *expect, ReelReplayBuffer *buffer)
{
  const json_t *theirs = member (expect, "sampler", "weight");
  gint64 ndim = json_integer_value (member (expect, "storage", "ndim"));
  gint64 lanes = reel_storage_get_lanes (reel_replay_buffer_get_storage (buffer));
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelTensor) weights = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 *index;

  reel_replay_buffer_sample (buffer, 64, &batch, &error);
  g_assert_no_error (error);
  index = (const gint64 *) reel_tensordict_get_tensor (batch, "index", NULL)->data;
  weights = reel_tensor_ref (reel_tensordict_get_tensor (batch, "priority_weight", NULL));
  for (gint64 i = 0; i < 64; i++)
    {
      gint64 slot = ndim == 1 ? index[i] : index[2 * i] * lanes + index[2 * i + 1];
      double ours = weights->dtype == REEL_DTYPE_FLOAT64 ? ((const double *) weights->data)[i]
                                                         : ((const float *) weights->data)[i];

      if (slot < (gint64) json_array_size (theirs))
        g_assert_cmpfloat_with_epsilon (ours, real (json_array_get (theirs, (gsize) slot)), 1e-6);
    }
}

static void
test_prioritized_goes_on (gconstpointer name)
{
  SamplerStateGolden golden;

  sampler_state_open_golden (name, &golden);
  assert_priorities (golden.expect, golden.buffer);
  assert_weights (golden.expect, golden.buffer);
  sampler_state_close_golden (&golden);
}

static ReelReplayBuffer *
new_prioritized (const json_t *expect)
{
  g_autofree char *storage_text =
      g_strdup_printf ("tensor:capacity=%" JSON_INTEGER_FORMAT ",ndim=%" JSON_INTEGER_FORMAT,
                       json_integer_value (member (expect, "storage", "max_size")),
                       json_integer_value (member (expect, "storage", "ndim")));
  gboolean is_slice = member (expect, "sampler", "slice_len") != NULL;
  g_autofree char *sampler_text =
      g_strdup_printf ("%sdtype=%s", is_slice ? "prioritized-slice:slice-len=3," : "prioritized:",
                       json_string_value (member (expect, "sampler", "dtype")));

  return sampler_state_new_buffer (storage_text, sampler_text, 0);
}

/* T10-1. The leaf that TorchRL loses is there in ours. */
static void
test_prioritized_is_written_back (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_dump (name), *path = scratch_path ("again");
  g_autoptr (ReelReplayBuffer) buffer = new_prioritized (expect);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_loads (buffer, dump, &error);
  g_assert_no_error (error);
  assert_priorities (expect, buffer);
  reel_replay_buffer_dumps (buffer, path, 0, &error);
  g_assert_no_error (error);
  if (!g_str_equal (name, "rb-per-short-capacity"))
    golden_assert_same_files (
        dump, path, json_integer_value (member (expect, "storage", "rows_filled")),
        json_integer_value (json_array_get (member (expect, "storage", "shape"), 0)));
}

static void
test_priorities_that_cannot_be (void)
{
  static const struct
  {
    const char *old, *by, *what;
  } cases[] = {
    { "\"_alpha\": 0.7", "\"_alpha\": -0.7", "_alpha" },
    { "\"_beta\": 0.5", "\"_beta\": \"0.5\"", "_beta" },
    { "\"_max_capacity\": 6.0", "\"_max_capacity\": 6.5", "_max_capacity" },
    { "\"_max_capacity\": 6.0", "\"_max_capacity\": 7.0", "sumtree.memmap" },
    { "\"_max_capacity\": 6.0", "\"_max_capacity\": 1e30", "_max_capacity" },
    { "\"_max_priority\": [", "\"_max_priority\": [2.0, ", "_max_priority" },
    { "\"_max_priority\": [", "\"_max_priority\": [-1.0, 0.0], \"x\": [", "_max_priority" },
    { "\"_max_priority\": [", "\"_max_priority\": [1e300, 0.0], \"x\": [", "is too large" }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *dump = golden_copy ("rb-per-updated");
      g_autofree char *metadata = g_build_filename (dump, "sampler", "sampler_metadata.json", NULL);
      g_autoptr (json_t) expect = golden_expect ("rb-per-updated");
      g_autoptr (ReelReplayBuffer) buffer = new_prioritized (expect);
      g_autoptr (GError) error = NULL;

      replace_text (metadata, cases[i].old, cases[i].by);
      g_assert_false (reel_replay_buffer_loads (buffer, dump, &error));
      g_assert_nonnull (strstr (error->message, cases[i].what));
      g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (buffer)));
    }
}

static void
test_weights_that_cannot_be (void)
{
  static const double weights[] = { -1, INFINITY, NAN };

  for (gsize i = 0; i < G_N_ELEMENTS (weights); i++)
    {
      g_autofree char *dump = golden_copy ("rb-per-updated"), *bytes = NULL;
      g_autofree char *file = g_build_filename (dump, "sampler", "sumtree.memmap", NULL);
      g_autoptr (json_t) expect = golden_expect ("rb-per-updated");
      g_autoptr (ReelReplayBuffer) buffer = new_prioritized (expect);
      g_autoptr (GError) error = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (file, &bytes, &length, NULL));
      memcpy (bytes + sizeof *weights, &weights[i], sizeof *weights);
      g_assert_true (g_file_set_contents (file, bytes, (gssize) length, NULL));
      g_assert_false (reel_replay_buffer_loads (buffer, dump, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, "row slot 1,"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  for (gsize i = 0; i < G_N_ELEMENTS (prioritized); i++)
    {
      g_autofree char *open =
          g_strconcat ("/buffers/sampler-state/priorities/goes-on/", prioritized[i], NULL);
      g_autofree char *write =
          g_strconcat ("/buffers/sampler-state/priorities/written-back/", prioritized[i], NULL);

      scratch_test_with_data (open, test_prioritized_goes_on, prioritized[i]);
      scratch_test_with_data (write, test_prioritized_is_written_back, prioritized[i]);
    }
  scratch_test ("/buffers/sampler-state/priorities/that-cannot-be", test_priorities_that_cannot_be);
  scratch_test ("/buffers/sampler-state/priorities/weights-that-cannot-be",
                test_weights_that_cannot_be);

  return g_test_run ();
}
