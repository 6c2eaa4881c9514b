/* The state of a buffer goes into memory and back, of every composition of classes that are
 * listed. */
#include "../src/reel.h"
#include "buffer-parts.h"
#include "contract.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <string.h>

/* ---- every composition ---- */

typedef struct
{
  const char *storage;
  const char *sampler;
  const char *writer;
  gint64 capacity;
  gint ndim;
  gint64 prefetch;
} Parts;

static const char *
sampler_properties (const char *id)
{
  if (strstr (id, "lice"))
    return ",slice-len=1,end-key=next/flag";
  return strstr (id, "tale") ? ",version-key=id,consumer-version=100" : "";
}

/* NULL where the parts refuse each other. */
static ReelReplayBuffer *
new_buffer (const Parts *parts)
{
  g_autofree char *storage_text = g_strdup_printf ("%s:ndim=%d,capacity=%" G_GINT64_FORMAT,
                                                   parts->storage, parts->ndim, parts->capacity);
  g_autofree char *sampler_text =
      strstr (parts->sampler, "equence")
          ? g_strdup_printf ("%s:length=1,done-key=next/flag,sampler=(prioritized:seed=3)",
                             parts->sampler)
          : g_strdup_printf ("%s:seed=3%s", parts->sampler, sampler_properties (parts->sampler));
  g_autofree char *writer_text =
      g_strdup_printf ("%s%s", parts->writer, strstr (parts->writer, "ax") ? ":rank-key=id" : "");

  return buffer_parts_new (storage_text, sampler_text, writer_text, 3, parts->prefetch);
}

/* Whether threads copy rows before they are overwritten is theirs: a state waits for them. */
static void
wait_for_copies (ReelReplayBuffer *buffer)
{
  reel_tensordict_unref (buffer_parts_get_state (buffer));
}

static void
extend_both (ReelReplayBuffer *a, ReelReplayBuffer *b, gint ndim, gint64 n, gint64 *step)
{
  g_autoptr (ReelTensordict) data = counted_new_batch (ndim, ndim > 1 ? 2 : 1, n, *step);
  g_autoptr (ReelTensor) one = NULL, other = NULL;
  g_autoptr (GError) error = NULL;

  wait_for_copies (a);
  wait_for_copies (b);
  g_assert_true (reel_replay_buffer_extend (a, data, &one, &error));
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_extend (b, data, &other, &error));
  g_assert_no_error (error);
  g_assert_true (reel_tensor_equal (one, other));
  *step += n;
}

static void
sample_both (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = NULL, other = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_sample (a, 0, &one, &error));
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_sample (b, 0, &other, &error));
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_equal (one, other));
}

static void
set_state (ReelReplayBuffer *buffer, const ReelTensordict *state)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_set_state (buffer, state, &error));
  g_assert_no_error (error);
}

/* Both go on alike, in writes and in draws. */
static void
assert_same_future (ReelReplayBuffer *a, ReelReplayBuffer *b, gint ndim, gint64 step)
{
  assert_equal_buffers (a, b);
  for (gint times = 0; times < 7; times++)
    {
      sample_both (a, b);
      if (times % 2 == 1)
        extend_both (a, b, ndim, 1 + times % 3, &step);
    }
  assert_equal_buffers (a, b);
}

static void
overwrite (const ReelTensordict *state)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (state);

  for (char **path = leaves; *path; path++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (state, *path, NULL);

      if (leaf && reel_tensor_is_contiguous (leaf) && reel_tensor_nbytes (leaf) > 0)
        memset (leaf->data, 0x55, reel_tensor_nbytes (leaf));
    }
}

/* After @n steps and @draws batches. */
static void
run_case (const Parts *parts, gint64 n, gint draws)
{
  g_autoptr (ReelReplayBuffer) a = new_buffer (parts), b = new_buffer (parts);
  g_autoptr (ReelTensordict) state = NULL, kept = NULL, again = NULL;
  gint64 step = 0;

  counted_extend (a, parts->ndim > 1 ? 2 : 1, n, 0);
  step = n;
  for (gint i = 0; i < draws; i++)
    {
      g_autoptr (ReelTensordict) batch = NULL;

      g_assert_true (reel_replay_buffer_sample (a, 0, &batch, NULL));
    }
  state = buffer_parts_get_state (a);
  kept = reel_tensordict_clone (state, TRUE, NULL);
  set_state (b, state);
  again = buffer_parts_get_state (b);
  g_assert_true (reel_tensordict_equal (again, kept));
  overwrite (state);
  assert_same_future (a, b, parts->ndim, step);
  set_state (b, kept);
  g_clear_pointer (&again, reel_tensordict_unref);
  again = buffer_parts_get_state (b);
  g_assert_true (reel_tensordict_equal (again, kept));
}

/* T6.6-3, T8-4, T10-1, T3.8-17, T3.8-18: rings not full, full and wrapped, before and after draws.
 */
static void
test_every_composition (void)
{
  gsize n_storages, n_samplers, n_writers;
  g_autofree const ReelId **storages = contract_list_kinds (REEL_TYPE_STORAGE, &n_storages);
  g_autofree const ReelId **samplers = contract_list_kinds (REEL_TYPE_SAMPLER, &n_samplers);
  g_autofree const ReelId **writers = contract_list_kinds (REEL_TYPE_WRITER, &n_writers);
  static const gint64 steps[] = { 2, 5, 6, 8 };
  gint n_cases = 0;

  for (gsize i = 0; i < n_storages * n_samplers * n_writers; i++)
    for (gint kind = 0; kind < 4; kind++)
      {
        Parts parts = { storages[i % n_storages]->id,
                        samplers[i / n_storages % n_samplers]->id,
                        writers[i / n_storages / n_samplers]->id,
                        6 * (1 + kind % 2),
                        1 + kind % 2,
                        kind / 2 * 2 };
        g_autoptr (ReelReplayBuffer) buffer = new_buffer (&parts);

        if (!buffer || !reel_writer_may_write (reel_replay_buffer_get_writer (buffer), NULL)
            || strstr (parts.sampler, "onsuming"))
          continue;
        for (gsize k = 0; k < G_N_ELEMENTS (steps); k++, n_cases++)
          run_case (&parts, steps[k], (gint) (n_cases % 4));
      }
  g_assert_cmpint (n_cases, >, 400);
  g_test_message ("%d cases", n_cases);
}

/* ---- states that are refused ---- */

static ReelTensor *
reshape (const ReelTensor *tensor, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  ReelTensor *other = reel_tensor_new (dtype, ndim, shape, NULL);

  if (reel_tensor_is_contiguous (tensor))
    memcpy (other->data, tensor->data,
            MIN (reel_tensor_nbytes (tensor), reel_tensor_nbytes (other)));
  return other;
}

#define N_DAMAGES 6

/* FALSE where the leaf cannot be so. */
static gboolean
damage_leaf (ReelTensordict *state, const char *path, gint how)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (state, path, NULL);
  g_autoptr (ReelTensor) other = NULL;
  gint64 shape[REEL_MAX_NDIM + 1] = { 1 };

  if (how == 0)
    return reel_tensordict_remove (state, path, NULL);
  if (!leaf || reel_tensor_nbytes (leaf) == 0 || leaf->ndim == REEL_MAX_NDIM)
    return FALSE;
  memcpy (shape + 1, leaf->shape, (gsize) leaf->ndim * sizeof *shape);
  if (how == 1)
    other = reshape (leaf, REEL_DTYPE_INT16, leaf->ndim, shape + 1);
  else if (how == 2)
    other = reshape (leaf, leaf->dtype, leaf->ndim + 1, shape);
  else if (how == 3 && leaf->ndim > 0 && shape[1] > 1)
    {
      shape[1] /= 2;
      other = reshape (leaf, leaf->dtype, leaf->ndim, shape + 1);
    }
  if (how < 4)
    return other && reel_tensordict_set_tensor (state, path, other, NULL);
  memset (leaf->data, how == 4 ? 0x55 : 0xff, reel_tensor_nbytes (leaf));
  return TRUE;
}

/* With rows from @first on, and drawn from, where @n is no 0. */
static ReelReplayBuffer *
new_used_buffer (const Parts *parts, gint64 n, gint64 first)
{
  ReelReplayBuffer *buffer = new_buffer (parts);
  g_autoptr (ReelTensordict) batch = NULL;

  if (n == 0)
    return buffer;
  counted_extend (buffer, parts->ndim > 1 ? 2 : 1, n, first);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  wait_for_copies (buffer);
  return buffer;
}

/* One of so many is tried, another one in each composition; all of them with -m slow. */
static gint
stride (void)
{
  return g_test_slow () ? 1 : 11;
}

/* A buffer that is refused a state of @parts, each leaf damaged in every way:
 * it; returns how many were. */
static gint
refuse_every_leaf (const Parts *parts, gint64 n)
{
  static gint n_calls;
  g_autoptr (ReelReplayBuffer) from = new_used_buffer (parts, 5, 0);
  g_autoptr (ReelReplayBuffer) to = new_used_buffer (parts, n, 20);
  g_autoptr (ReelTensordict) state = buffer_parts_get_state (from),
                             before = buffer_parts_get_state (to);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (state);
  gint n_refused = 0;

  for (gint i = n_calls++ % stride (); i < (gint) g_strv_length (leaves) * N_DAMAGES;
       i += stride ())
    {
      g_autoptr (ReelTensordict) damaged = reel_tensordict_clone (state, TRUE, NULL);
      g_autoptr (ReelTensordict) after = NULL;
      g_autoptr (GError) error = NULL;

      if (!damage_leaf (damaged, leaves[i / N_DAMAGES], i % N_DAMAGES))
        continue;
      if (reel_replay_buffer_set_state (to, damaged, &error))
        {
          g_object_unref (to);
          to = new_used_buffer (parts, n, 20);
          continue;
        }
      g_assert_nonnull (error);
      after = buffer_parts_get_state (to);
      g_assert_true (reel_tensordict_equal (before, after));
      n_refused++;
    }
  if (n > 0 && !strstr (parts->sampler, "onsuming"))
    {
      g_autoptr (ReelReplayBuffer) twin = new_used_buffer (parts, n, 20);

      assert_same_future (to, twin, parts->ndim, 20 + n);
    }
  return n_refused;
}

/* Whichever part says last that it cannot, the others have not changed. */
static void
test_what_is_refused_changes_nothing (void)
{
  static const char *const writers[] = { "round-robin", "round-robin:track-generations=true",
                                         "tensordict-round-robin", "max-value" };
  gsize n_storages, n_samplers;
  g_autofree const ReelId **storages = contract_list_kinds (REEL_TYPE_STORAGE, &n_storages);
  g_autofree const ReelId **samplers = contract_list_kinds (REEL_TYPE_SAMPLER, &n_samplers);
  gint n_refused = 0, n_cases = 0;

  for (gsize i = 0; i < n_storages * n_samplers * G_N_ELEMENTS (writers); i++)
    for (gint kind = 0; kind < 2; kind++)
      {
        Parts parts = { storages[i % n_storages]->id,
                        samplers[i / n_storages % n_samplers]->id,
                        writers[i / n_storages / n_samplers],
                        6 * (1 + kind),
                        1 + kind,
                        (gint64) (i + (gsize) kind) % 2 * 2 };
        g_autoptr (ReelReplayBuffer) buffer = new_buffer (&parts);

        if (!buffer)
          continue;
        n_refused += refuse_every_leaf (&parts, 0) + refuse_every_leaf (&parts, 8);
        n_cases++;
      }
  g_test_message ("%d compositions, %d states refused", n_cases, n_refused);
  g_assert_cmpint (n_cases, >, 50);
  g_assert_cmpint (n_refused, >, 50 * n_cases / stride ());
}

/* ---- numbers that are no numbers of a state ---- */

static ReelReplayBuffer *
new_listed (gint64 prefetch)
{
  ReelReplayBuffer *buffer = counted_new_buffer ("list", 8, 1);

  reel_replay_buffer_set_batch_size (buffer, 3);
  g_assert_true (reel_replay_buffer_set_prefetch (buffer, prefetch, NULL));
  counted_extend (buffer, 1, 5, 0);
  return buffer;
}

static void
assert_set (ReelReplayBuffer *buffer, const ReelTensordict *state, gboolean expected)
{
  g_autoptr (ReelTensordict) before = buffer_parts_get_state (buffer), after = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (reel_replay_buffer_set_state (buffer, state, &error), ==, expected);
  if (expected)
    return;
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  after = buffer_parts_get_state (buffer);
  g_assert_true (reel_tensordict_equal (before, after));
}

/* Of 5 rows that have slots of their own. */
static void
test_capacity_of_a_list (void)
{
  static const struct
  {
    gint64 capacity;
    gboolean is_one;
  } cases[] = {
    { G_MININT64, FALSE },
    { -1, FALSE },
    { 0, FALSE },
    { 1, FALSE },
    { 4, FALSE },
    { 5, TRUE },
    { 1000, TRUE },
    { G_MAXINT64 / 4, TRUE },
    { G_MAXINT64 / 4 + 1, FALSE },
    { G_MAXINT64, FALSE },
  };
  g_autoptr (ReelReplayBuffer) from = new_listed (0), to = new_listed (0);
  g_autoptr (ReelTensordict) state = reel_replay_buffer_dup_state (from, NULL), empty = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ReelTensor *capacity = reel_tensordict_get_tensor (state, "_storage/_capacity", &error);

      g_assert_no_error (error);
      *(gint64 *) capacity->data = cases[i].capacity;
      assert_set (to, state, cases[i].is_one);
    }
  g_assert_true (reel_tensordict_remove (state, "_storage/_capacity", NULL));
  assert_set (to, state, TRUE);
  g_assert_true (reel_replay_buffer_empty (from, TRUE, NULL));
  empty = reel_replay_buffer_dup_state (from, NULL);
  if (reel_tensordict_contains (empty, "_storage/_capacity"))
    g_assert_true (reel_tensordict_remove (empty, "_storage/_capacity", NULL));
  assert_set (to, empty, TRUE);
  g_assert_cmpint (reel_replay_buffer_get_length (to), ==, 0);
}

static void
set_number (ReelTensordict *state, const char *path, gint64 number)
{
  *(gint64 *) reel_tensordict_get_tensor (state, path, NULL)->data = number;
}

/* Steps stand in the slots of their numbers, of which the state has the first 5 of 8. */
static void
test_steps_of_a_list (void)
{
  static const struct
  {
    gint64 begin;
    gint64 end;
    gboolean are_there;
  } cases[] = {
    { 0, 5, TRUE },           { 8, 13, TRUE },   { 80, 85, TRUE }, { 0, 6, FALSE },
    { 3, 8, FALSE },          { 13, 14, FALSE }, { 7, 9, FALSE },  { 5, 13, FALSE },
    { 3, 2, FALSE },          { 0, 9, FALSE },   { -1, 4, FALSE }, { -8, -3, FALSE },
    { 0, G_MAXINT64, FALSE },
  };
  g_autoptr (ReelReplayBuffer) from = new_listed (0), to = new_listed (0);
  g_autoptr (ReelTensordict) state = reel_replay_buffer_dup_state (from, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      set_number (state, "_storage/_begin", cases[i].begin);
      set_number (state, "_storage/_end", cases[i].end);
      assert_set (to, state, cases[i].are_there);
    }
  set_number (state, "_storage/_end", 0);
  set_number (state, "_storage/_capacity", 0);
  assert_set (to, state, FALSE);
}

/* A queue keeps as many batches as it says. */
static void
test_too_many_batches (void)
{
  g_autoptr (ReelReplayBuffer) from = new_listed (2), to = new_listed (2);
  g_autoptr (ReelTensordict) batch = NULL, state = NULL, one = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_sample (from, 0, &batch, NULL));
  state = reel_replay_buffer_dup_state (from, NULL);
  assert_set (to, state, TRUE);
  g_assert_false (reel_tensordict_contains (state, "_prefetch_state/2"));
  one = reel_tensordict_clone (reel_tensordict_get_tensordict (state, "_prefetch_state/1", &error),
                               TRUE, NULL);
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_set_tensordict (state, "_prefetch_state/2", one, NULL));
  assert_set (to, state, FALSE);
}

/* ---- other buffers ---- */

/* Rows come in order of time, and rows that hold their slot hold the new one. */
static void
test_other_capacities (void)
{
  gint n_cases = 0;

  for (gint64 n = 1; n <= 12; n++)
    for (gint64 capacity = 1; capacity <= 9; capacity++, n_cases++)
      {
        Parts small = { "tensor", "without-replacement", "tensordict-round-robin", 5, 1, 0 };
        Parts other = { "memmap", "without-replacement", "tensordict-round-robin", capacity, 1, 0 };
        g_autoptr (ReelReplayBuffer) a = new_buffer (&small), b = new_buffer (&other);
        g_autoptr (ReelTensordict) state = NULL, rows = NULL, batch = NULL;
        g_autoptr (GError) error = NULL;
        gint64 held = MIN (n, 5);

        counted_extend (a, 1, n, 0);
        g_assert_true (reel_replay_buffer_sample (a, 0, &batch, NULL));
        state = buffer_parts_get_state (a);
        if (capacity < held)
          {
            g_assert_false (reel_replay_buffer_set_state (b, state, &error));
            g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
            g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (b)));
            continue;
          }
        set_state (b, state);
        g_assert_cmpint (reel_replay_buffer_get_write_count (b), ==, n);
        g_assert_cmpint (reel_replay_buffer_get_cursor (b), ==,
                         capacity == 5 ? n % 5 : held % capacity);
        rows = reel_replay_buffer_get_rows (b, 0, held, &error);
        g_assert_no_error (error);
        for (gint64 i = 0; i < held; i++)
          {
            gint64 slot = capacity == 5 ? (n - held + i) % 5 : i;

            g_assert_cmpint (counted_get_number (rows, &i), ==, n - held + i);
            g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (rows, "index", NULL)->data)[i],
                             ==, slot);
          }
      }
  g_test_message ("%d cases", n_cases);
}

/* T3.8-17: another number of batches is refused before anything is touched; a state without any
 * clears the queue. */
static void
test_prefetch_capacity (void)
{
  Parts two = { "tensor", "random", "round-robin", 6, 1, 2 };
  Parts three = { "tensor", "random", "round-robin", 6, 1, 3 };
  Parts none = { "tensor", "random", "round-robin", 6, 1, 0 };
  g_autoptr (ReelReplayBuffer) a = new_buffer (&two), b = new_buffer (&three);
  g_autoptr (ReelReplayBuffer) plain = new_buffer (&none);
  g_autoptr (ReelTensordict) state = NULL, before = NULL, after = NULL, without = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  ReelReplayBufferStats stats;

  counted_extend (a, 1, 6, 0);
  counted_extend (b, 1, 4, 10);
  counted_extend (plain, 1, 6, 0);
  g_assert_true (reel_replay_buffer_sample (a, 0, &batch, NULL));
  g_clear_pointer (&batch, reel_tensordict_unref);
  g_assert_true (reel_replay_buffer_sample (b, 0, &batch, NULL));
  reel_replay_buffer_get_stats (a, &stats);
  g_assert_cmpint (stats.n_prefetched, ==, 2);
  state = buffer_parts_get_state (a);
  before = buffer_parts_get_state (b);
  g_assert_false (reel_replay_buffer_set_state (b, state, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "prefetch queue with capacity 2"));
  after = buffer_parts_get_state (b);
  g_assert_true (reel_tensordict_equal (before, after));

  without = buffer_parts_get_state (plain);
  set_state (b, without);
  reel_replay_buffer_get_stats (b, &stats);
  g_assert_cmpint (stats.n_prefetched, ==, 0);
  g_assert_cmpint (stats.size, ==, 6);
}

/* T3.8-17: in files too. */
static void
test_prefetched_batches_are_dumped (void)
{
  static const char *const samplers[] = { "random", "without-replacement", "prioritized" };

  for (gsize i = 0; i < G_N_ELEMENTS (samplers); i++)
    for (gint taken = 0; taken < 5; taken++)
      {
        Parts parts = { "tensor", samplers[i], "round-robin", 8, 1, 2 };
        Parts other = parts, none = parts;
        g_autofree char *path = scratch_path ("ahead");
        g_autoptr (ReelReplayBuffer) a = new_buffer (&parts), b = new_buffer (&parts), c, d, e;
        g_autoptr (GError) error = NULL;
        ReelReplayBufferStats stats;

        other.prefetch = 3;
        none.prefetch = 0;
        c = new_buffer (&other);
        d = new_buffer (&none);
        counted_extend (a, 1, 7, 0);
        for (gint k = 0; k < taken; k++)
          {
            g_autoptr (ReelTensordict) batch = NULL;

            reel_replay_buffer_next (a, &batch, &error); /* FALSE behind a pass */
            g_assert_no_error (error);
          }
        wait_for_copies (a);
        counted_extend (a, 1, 3, 7);
        g_assert_true (reel_replay_buffer_dumps (a, path, REEL_CHECKPOINT_FORCE, &error));
        g_assert_no_error (error);
        g_assert_true (reel_replay_buffer_loads (b, path, &error));
        g_assert_no_error (error);
        reel_replay_buffer_get_stats (a, &stats);
        g_assert_cmpint (reel_replay_buffer_get_prefetch (b), ==, 2);
        assert_same_future (a, b, 1, 10);

        g_assert_false (reel_replay_buffer_loads (c, path, &error));
        g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
        g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (c)));
        g_clear_error (&error);
        g_assert_false (reel_replay_buffer_loads (d, path, &error));
        g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
        e = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
        g_assert_nonnull (e);
      }
}

/* They are not of these rows: none of them is given out, and the rows are there. */
static void
test_batches_that_do_not_fit_are_left_out (void)
{
  Parts parts = { "tensor", "random", "round-robin", 8, 1, 2 };
  g_autofree char *path = scratch_path ("unfit"), *text = NULL;
  g_autofree char *file = g_build_filename (path, "prefetch/1/batch/meta.json", NULL);
  g_autoptr (ReelReplayBuffer) a = new_buffer (&parts), b = new_buffer (&parts);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GString) changed = NULL;
  g_auto (GStrv) warnings = NULL;
  ReelReplayBufferStats stats;

  counted_extend (a, 1, 7, 0);
  g_assert_true (reel_replay_buffer_next (a, &batch, NULL));
  g_assert_true (reel_replay_buffer_dumps (a, path, REEL_CHECKPOINT_FORCE, NULL));
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  changed = g_string_new (text);
  g_assert_cmpuint (g_string_replace (changed, "torch.int64", "torch.float64", 0), >, 0);
  g_assert_true (g_file_set_contents (file, changed->str, -1, NULL));

  g_assert_true (reel_replay_buffer_loads (b, path, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (b), ==, 7);
  reel_replay_buffer_get_stats (b, &stats);
  g_assert_cmpint (stats.n_prefetched, ==, 0);
  warnings = reel_replay_buffer_dup_warnings (b);
  g_assert_cmpuint (g_strv_length (warnings), ==, 1);
  g_assert_nonnull (strstr (warnings[0], "/prefetch: "));
  g_assert_true (reel_replay_buffer_next (b, &batch, NULL));
}

/* Files of one without a queue load into any. */
static void
test_files_without_a_queue (void)
{
  Parts none = { "tensor", "random", "round-robin", 8, 1, 0 };
  Parts three = { "tensor", "random", "round-robin", 8, 1, 3 };
  g_autofree char *path = scratch_path ("none");
  g_autoptr (ReelReplayBuffer) a = new_buffer (&none), b = new_buffer (&three);

  counted_extend (a, 1, 7, 0);
  g_assert_true (reel_replay_buffer_dumps (a, path, 0, NULL));
  g_assert_true (reel_replay_buffer_loads (b, path, NULL));
  for (gint i = 0; i < 5; i++)
    sample_both (a, b);
}

/* ---- parts alone ---- */

/* T8-4 */
static void
test_counts_come_back (void)
{
  Parts parts = { "tensor", "random", "round-robin", 10, 1, 0 };
  g_autoptr (ReelReplayBuffer) a = new_buffer (&parts), b = new_buffer (&parts);
  g_autoptr (ReelTensordict) state = NULL, writer = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (a, 1, 15, 0);
  writer = reel_writer_dup_state (reel_replay_buffer_get_writer (a),
                                  reel_replay_buffer_get_storage (a), NULL);
  g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (writer, "_cursor", NULL)->data, ==, 5);
  g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (writer, "_write_count", NULL)->data, ==,
                   15);
  g_assert_false (reel_writer_set_state (reel_replay_buffer_get_writer (b),
                                         reel_replay_buffer_get_storage (b), writer, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  state = buffer_parts_get_state (a);
  set_state (b, state);
  g_assert_cmpint (reel_replay_buffer_get_cursor (b), ==, 5);
  g_assert_cmpint (reel_replay_buffer_get_write_count (b), ==, 15);
  counted_extend (b, 1, 2, 15);
  g_assert_true (reel_tensordict_remove (writer, "_write_count", NULL));
  *(gint64 *) reel_tensordict_get_tensor (writer, "_cursor", NULL)->data = 7;
  g_assert_true (reel_writer_set_state (reel_replay_buffer_get_writer (b),
                                        reel_replay_buffer_get_storage (b), writer, NULL));
  g_assert_cmpint (reel_replay_buffer_get_write_count (b), ==, 17);
}

/* Kinds of storages take each other's, and nothing is shared. */
static void
test_storages_interchange (void)
{
  static const char *const kinds[] = { "tensor:capacity=6", "memmap:capacity=6" };

  for (gint i = 0; i < 4; i++)
    {
      g_autoptr (ReelStorage) a =
          reel_object_new_from_text (REEL_TYPE_STORAGE, kinds[i % 2], NULL, NULL);
      g_autoptr (ReelStorage) b =
          reel_object_new_from_text (REEL_TYPE_STORAGE, kinds[i / 2], NULL, NULL);
      g_autoptr (ReelReplayBuffer) from = reel_replay_buffer_new (a, NULL, NULL, 0, NULL);
      g_autoptr (ReelReplayBuffer) to = reel_replay_buffer_new (b, NULL, NULL, 0, NULL);
      g_autoptr (ReelTensordict) empty = NULL, state = NULL, rows = NULL;

      empty = reel_storage_dup_state (a, NULL);
      g_assert_false (*reel_tensordict_get_tensor (empty, "initialized", NULL)->data);
      g_assert_true (reel_storage_set_state (b, empty, NULL));
      g_assert_false (reel_storage_is_allocated (b));
      counted_extend (from, 1, 4, 0);
      state = reel_storage_dup_state (a, NULL);
      g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (state, "_len", NULL)->data, ==, 4);
      g_assert_true (reel_tensordict_remove (state, "_begin", NULL));
      g_assert_true (reel_storage_set_state (b, state, NULL));
      overwrite (state);
      rows = reel_replay_buffer_get_rows (to, 0, 4, NULL);
      for (gint64 k = 0; k < 4; k++)
        counted_assert_row (rows, &k, k);
      g_assert_true (reel_storage_set_state (b, empty, NULL));
      g_assert_cmpint (reel_storage_get_length (b), ==, 0);
    }
}

/* Impossible states are refused, and the buffer is as before. */
static void
test_bad_states_are_refused (void)
{
  static const struct
  {
    const char *path;
    gint64 number; /* −1: the key is taken out */
  } cases[] = {
    { "_storage/_begin", 7 },       { "_storage/_end", 99 }, { "_storage/_end", G_MAXINT64 },
    { "_batch_size", -3 },          { "_storage/_end", -1 }, { "_storage", -1 },
    { "_sampler/len_storage", 77 }, { "_sampler", -1 },      { "_writer", -1 },
    { "_transforms", -1 },
  };
  Parts parts = { "tensor", "without-replacement", "round-robin", 6, 1, 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelReplayBuffer) a = new_buffer (&parts), b = new_buffer (&parts);
      g_autoptr (ReelTensordict) state = NULL, before = NULL, after = NULL, batch = NULL;
      g_autoptr (GError) error = NULL;

      counted_extend (a, 1, 4, 0);
      g_assert_true (reel_replay_buffer_sample (a, 0, &batch, NULL));
      counted_extend (b, 1, 5, 10);
      state = buffer_parts_get_state (a);
      before = buffer_parts_get_state (b);
      if (cases[i].number == -1)
        g_assert_true (reel_tensordict_remove (state, cases[i].path, NULL));
      else
        set_number (state, cases[i].path, cases[i].number);
      g_assert_false (reel_replay_buffer_set_state (b, state, &error));
      g_assert_nonnull (error);
      after = buffer_parts_get_state (b);
      g_assert_true (reel_tensordict_equal (before, after));
    }
}

/* Transforms go on with what they held back. */
static void
test_transforms_go_on (void)
{
  for (gint64 n = 1; n <= 6; n++)
    {
      Parts parts = { "tensor", "random", "round-robin", 20, 1, 0 };
      g_autoptr (ReelReplayBuffer) first = new_buffer (&parts), second = new_buffer (&parts);
      ReelReplayBuffer *const buffers[2] = { first, second };
      g_autoptr (ReelReplayBuffer) other = new_buffer (&parts);
      g_autoptr (ReelTensordict) state = NULL, one = NULL, two = NULL;
      g_autoptr (GError) error = NULL;

      for (gint i = 0; i < 2; i++)
        {
          g_autoptr (ReelTransform) transform =
              reel_object_new_from_text (REEL_TYPE_TRANSFORM, "multi-step:n-steps=3", NULL, NULL);

          g_assert_true (reel_replay_buffer_append_transform (buffers[i], transform, FALSE, NULL));
        }
      for (gint part = 0; part < 2; part++)
        {
          g_autoptr (ReelTensordict) data = NULL;
          gint64 shape[1] = { n }, wide[2] = { n, 1 };
          g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, wide, NULL);
          g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, wide, NULL);

          for (gint64 i = 0; i < n; i++)
            ((float *) reward->data)[i] = (float) (part * n + i);
          data = reel_tensordict_new (1, shape);
          g_assert_true (reel_tensordict_set_tensor (data, "next/reward", reward, NULL));
          g_assert_true (reel_tensordict_set_tensor (data, "next/done", done, NULL));
          g_assert_true (reel_replay_buffer_extend (buffers[0], data, NULL, &error));
          g_assert_no_error (error);
          if (part == 0)
            {
              state = buffer_parts_get_state (buffers[0]);
              set_state (buffers[1], state);
              g_assert_false (reel_replay_buffer_set_state (other, state, &error));
              g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
              g_clear_error (&error);
            }
          else
            g_assert_true (reel_replay_buffer_extend (buffers[1], data, NULL, NULL));
        }
      one = buffer_parts_get_state (buffers[0]);
      two = buffer_parts_get_state (buffers[1]);
      g_assert_true (reel_tensordict_equal (one, two));
    }
}

/* A buffer without rows, emptied before the first ones come: the passes of its sampler are those
 * that they were. */
static void
test_state_without_rows (void)
{
  Parts parts = { "tensor", "without-replacement", "round-robin", 9, 1, 0 };
  g_autoptr (ReelReplayBuffer) a = new_buffer (&parts), b = new_buffer (&parts);
  g_autoptr (ReelTensordict) state = NULL;
  ReelReplayBuffer *const both[] = { a, b };

  for (gint i = 0; i < 3; i++)
    g_assert_true (reel_replay_buffer_empty (a, TRUE, NULL));
  state = buffer_parts_get_state (a);
  set_state (b, state);
  for (gint i = 0; i < 2; i++)
    {
      g_assert_true (reel_replay_buffer_empty (both[i], TRUE, NULL));
      counted_extend (both[i], 1, 9, 0);
    }
  assert_same_future (a, b, 1, 9);
}

/* ---- ensembles ---- */

/* An ensemble of two buffers, and one of one. */
static ReelReplayBufferEnsemble *
new_ensemble (void)
{
  Parts kinds[] = { { "tensor", "random", "round-robin", 9, 1, 0 },
                    { "tensor", "without-replacement", "round-robin", 7, 1, 0 },
                    { "tensor", "without-replacement", "round-robin", 5, 1, 0 } };
  const ReelEnsembleOptions options = { .batch_size = 4, .num_buffer_sampled = 2, .seed = 3 };
  const ReelEnsembleOptions inner = { .num_buffer_sampled = 1, .seed = 5 };
  g_autoptr (ReelReplayBuffer) first = new_buffer (&kinds[0]), second = new_buffer (&kinds[1]);
  g_autoptr (ReelReplayBuffer) third = new_buffer (&kinds[2]);
  ReelReplayBuffer *const pair[] = { first, second };
  g_autoptr (ReelReplayBufferEnsemble) two =
      reel_replay_buffer_ensemble_new (pair, 2, &inner, NULL);
  g_autoptr (ReelReplayBufferEnsemble) one =
      reel_replay_buffer_ensemble_new (&third, 1, &inner, NULL);
  GObject *members[] = { G_OBJECT (two), G_OBJECT (one) };

  counted_extend (first, 1, 9, 0);
  counted_extend (second, 1, 7, 0);
  counted_extend (third, 1, 5, 0);
  return reel_replay_buffer_ensemble_new_mixed (members, 2, &options, NULL);
}

static void
draw_of_ensemble (ReelReplayBufferEnsemble *ensemble, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_ensemble_sample (ensemble, 0, batch, &error);
  g_assert_no_error (error);
}

/* After any number of draws another ensemble draws what follows. */
static void
test_ensembles_draw_on (void)
{
  for (gint n = 0; n < 9; n++)
    {
      g_autoptr (ReelReplayBufferEnsemble) a = new_ensemble (), b = new_ensemble ();
      g_autoptr (ReelTensordict) state = NULL, one = NULL, other = NULL;
      g_autoptr (GError) error = NULL;

      for (gint i = 0; i < n; i++)
        draw_of_ensemble (a, &one);
      state = reel_replay_buffer_ensemble_dup_sampler_state (a, &error);
      g_assert_no_error (error);
      draw_of_ensemble (b, &other);
      g_assert_true (reel_replay_buffer_ensemble_set_sampler_state (b, state, &error));
      g_assert_no_error (error);
      for (gint i = 0; i < 9; i++)
        {
          draw_of_ensemble (a, &one);
          draw_of_ensemble (b, &other);
          g_assert_true (reel_tensordict_equal (one, other));
        }
    }
}

/* A state that is refused leaves all members as they were. */
static void
test_ensembles_refuse (void)
{
  g_autoptr (ReelReplayBufferEnsemble) a = new_ensemble (), b = new_ensemble ();
  static const char *const missing[] = {
    "_stream", "0", "1", "1/0", "0/_stream", "0/1/_sample_list"
  };
  g_autoptr (ReelTensordict) batch = NULL, before = NULL, beyond = NULL;

  draw_of_ensemble (a, &batch);
  before = reel_replay_buffer_ensemble_dup_sampler_state (b, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (missing) + 2; i++)
    {
      g_autoptr (ReelTensordict) state = reel_replay_buffer_ensemble_dup_sampler_state (a, NULL);
      g_autoptr (ReelTensordict) after = NULL, more = reel_tensordict_new (0, NULL);
      g_autoptr (GError) error = NULL;

      if (i < G_N_ELEMENTS (missing))
        g_assert_true (reel_tensordict_remove (state, missing[i], NULL));
      else if (i == G_N_ELEMENTS (missing))
        g_assert_true (reel_tensordict_set_tensordict (state, "2", more, NULL));
      else
        set_number (state, "_stream", -1);
      g_assert_false (reel_replay_buffer_ensemble_set_sampler_state (b, state, &error));
      g_assert_nonnull (error);
      after = reel_replay_buffer_ensemble_dup_sampler_state (b, NULL);
      g_assert_true (reel_tensordict_equal (before, after));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/state/" name, function)
  TEST ("capacity-of-a-list", test_capacity_of_a_list);
  TEST ("steps-of-a-list", test_steps_of_a_list);
  TEST ("too-many-batches", test_too_many_batches);
  TEST ("of-every-composition-goes-on", test_every_composition);
  TEST ("loads-into-other-capacities", test_other_capacities);
  TEST ("holds-batches-that-are-ready", test_prefetch_capacity);
  TEST ("batches-that-are-ready-are-dumped", test_prefetched_batches_are_dumped);
  TEST ("batches-that-do-not-fit-are-left-out", test_batches_that_do_not_fit_are_left_out);
  TEST ("files-without-a-queue-load-into-any", test_files_without_a_queue);
  TEST ("holds-counts", test_counts_come_back);
  TEST ("of-storages-interchange", test_storages_interchange);
  TEST ("that-cannot-be-is-refused", test_bad_states_are_refused);
  TEST ("that-is-refused-changes-nothing", test_what_is_refused_changes_nothing);
  TEST ("holds-what-transforms-hold-back", test_transforms_go_on);
  TEST ("of-no-rows-holds-the-pass", test_state_without_rows);
  TEST ("of-ensembles-draws-on", test_ensembles_draw_on);
  TEST ("of-ensembles-is-refused-as-a-whole", test_ensembles_refuse);
  return g_test_run ();
}
