/* Windows around anchors, beside TorchRL's and beside a walk over the rows, step by step. */
#include "../src/core/formats/json.h"
#include "episode-rows.h"
#include "make-batch.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 16
#define ANCHORS 24

static const char *const boundaries[] = { "pad", "stop", "include-reset", "pad,done-key=''" };

typedef struct
{
  gint64 length;
  gint64 burn_in;
  gint64 bootstrap;
  gint64 dilation;
  gint boundary; /* of those above */
} Unit;

static gint64
unit_total (const Unit *unit)
{
  return unit->burn_in + unit->length + unit->bootstrap;
}

static ReelSampler *
unit_sampler (const Unit *unit)
{
  g_autofree char *text = g_strdup_printf (
      "sequence:length=%" G_GINT64_FORMAT ",burn-in=%" G_GINT64_FORMAT
      ",bootstrap=%" G_GINT64_FORMAT ",dilation=%" G_GINT64_FORMAT ",episode-boundary=%s",
      unit->length, unit->burn_in, unit->bootstrap, unit->dilation, boundaries[unit->boundary]);

  return make_sampler (text);
}

/* ---- beside a walk ---- */

typedef struct
{
  const Unit *unit;
  ReelStorageView view;
  const gboolean *ends; /* by row number */
} Walk;

/* Whether there is a next row, or one before; goes there. */
static gboolean
walk_step (const Walk *walk, gint64 *row, gint64 by)
{
  gint64 to = *row + by * walk->view.lanes;

  if (to < walk->view.first_row || to >= walk->view.end_row
      || (walk->unit->boundary < 2 && walk->ends[MIN (*row, to)]))
    return FALSE;
  *row = to;
  return TRUE;
}

/* Goes as far as it can; returns how far that was. */
static gint64
walk_far (const Walk *walk, gint64 *row, gint64 steps)
{
  gint64 n = 0;

  while (n < ABS (steps) && walk_step (walk, row, steps < 0 ? -1 : 1))
    n++;
  return n;
}

/* Where a window that stops begins to learn. */
static gint64
walk_back (const Walk *walk, gint64 anchor)
{
  gint64 needed = walk->unit->dilation * (walk->unit->length + walk->unit->bootstrap - 1);

  while (walk->unit->boundary == 1)
    {
      gint64 last = anchor, before = anchor;
      if (walk_far (walk, &last, needed) == needed || !walk_step (walk, &before, -1))
        break;
      anchor = before;
    }
  return anchor;
}

static void
check_window (const Walk *walk, gint64 anchor, const gint64 *rows, const guint8 *valid)
{
  gint64 from = walk_back (walk, anchor);

  for (gint64 k = 0; k < unit_total (walk->unit); k++)
    {
      gint64 offset = (k - walk->unit->burn_in) * walk->unit->dilation, row = from;
      gboolean whole = walk_far (walk, &row, offset) == ABS (offset);

      g_assert_cmpint (rows[k], ==, row);
      g_assert_cmpint (valid[k], ==, whole);
    }
}

static void
check_batch (const Walk *walk, ReelReplayBuffer *buffer, ReelSampler *sampler)
{
  gint64 total = unit_total (walk->unit), lanes = walk->view.lanes;
  g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, ANCHORS * total);
  const gint64 *number = batch_int64s (batch, "number"), *id = batch_int64s (batch, "sequence_id");
  const gint64 *step = batch_int64s (batch, "step_in_sequence");
  const gint64 *anchor = batch_int64s (batch, "anchor_index");
  const guint8 *valid = batch_bools (batch, "validity_mask");
  const guint8 *learning = batch_bools (batch, "learning_mask");

  g_assert_cmpint (batch_rows (batch), ==, ANCHORS * total);
  for (gint64 i = 0; i < ANCHORS; i++)
    {
      const gint64 *place = anchor + i * total * (lanes > 1 ? 2 : 1);
      gint64 slot = lanes > 1 ? place[0] * lanes + place[1] : place[0];
      gint64 row = walk->view.first_row;
      while (row % walk->view.capacity != slot)
        row++;
      g_assert_cmpint (row, <, walk->view.end_row);
      check_window (walk, row, number + i * total, valid + i * total);
      for (gint64 k = 0, at = i * total; k < total; k++, at++)
        {
          g_assert_cmpint (id[at], ==, i);
          g_assert_cmpint (step[at], ==, k);
          g_assert_cmpint (learning[at], ==,
                           k >= walk->unit->burn_in
                               && k < walk->unit->burn_in + walk->unit->length);
        }
    }
}

static const Unit units[] = {
  { 1, 0, 0, 1, 0 }, { 2, 0, 0, 1, 0 }, { 4, 0, 0, 1, 0 }, { 3, 0, 0, 2, 0 }, { 2, 2, 0, 1, 0 },
  { 1, 1, 1, 1, 0 }, { 2, 1, 2, 1, 0 }, { 2, 1, 1, 3, 0 }, { 1, 3, 0, 2, 0 }, { 7, 2, 3, 1, 0 },
};

typedef struct
{
  gint64 lanes;
  gint64 capacity;
  gint64 n_steps;
  guint pattern;
} Case;

/* Looks after each step with the same samplers, as a learner does. */
static gint64
check_case (const Case *one)
{
  g_autoptr (ReelStorage) storage =
      episode_new_storage (one->lanes > 1 ? 2 : 1, one->capacity, one->lanes);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (GPtrArray) samplers = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean ends[MOST_STEPS * 2] = { FALSE };
  gint64 ids[2] = { 0 }, n = 0;

  for (gint64 step = 0; step < one->n_steps; step++)
    {
      for (gint64 lane = 0; lane < one->lanes; lane++)
        ends[step * one->lanes + lane] = one->pattern >> (step * one->lanes + lane) & 1;
      episode_write_step (storage, ends + step * one->lanes, ids);
      for (guint i = 0; i < G_N_ELEMENTS (units) * G_N_ELEMENTS (boundaries); i++)
        {
          Unit unit = units[i / G_N_ELEMENTS (boundaries)];
          Walk walk = { .unit = &unit, .ends = ends };

          unit.boundary = i % G_N_ELEMENTS (boundaries);
          if (step == 0)
            g_ptr_array_add (samplers, unit_sampler (&unit));
          reel_storage_get_view (storage, &walk.view);
          check_batch (&walk, buffer, samplers->pdata[i]);
          n += ANCHORS;
        }
    }
  return n;
}

static void
test_windows_are_those_of_a_walk (void)
{
  gint64 n = 0;

  for (guint pattern = 0; pattern < 1 << 6; pattern++)
    n += check_case (&(Case){ 1, 4, 6, pattern });
  for (guint pattern = 0; pattern < 1 << 8; pattern += 5)
    n += check_case (&(Case){ 1, 7, 8, pattern }) + check_case (&(Case){ 2, 3, 4, pattern });
  g_test_message ("%" G_GINT64_FORMAT " windows", n);
}

/* ---- beside TorchRL ---- */

/* An anchor's window, whenever it is drawn. Returns whether it was. */
static gboolean
check_golden_window (const json_t *window, const ReelTensordict *batch, gint64 total)
{
  const gint64 *anchor = batch_int64s (batch, "anchor_index");
  const gint64 *index = batch_int64s (batch, "index");
  gint64 wanted = json_integer_value (json_object_get (window, "anchor"));
  gboolean found = FALSE;

  for (gint64 i = 0; i < batch_rows (batch); i++)
    if (anchor[i] == wanted)
      {
        gsize k = (gsize) (i % total);
#define GOLDEN(key) json_integer_value (json_array_get (json_object_get (window, key), k))
        g_assert_cmpint (index[i], ==, GOLDEN ("index"));
        g_assert_cmpint (batch_bools (batch, "validity_mask")[i], ==, GOLDEN ("valid"));
        g_assert_cmpint (batch_bools (batch, "learning_mask")[i], ==, GOLDEN ("learning"));
#undef GOLDEN
        found = TRUE;
      }
  return found;
}

static ReelReplayBuffer *
golden_buffer (const json_t *one)
{
  gint64 n = json_integer_value (json_object_get (one, "written")), ids[1] = { 0 };
  const json_t *done = json_object_get (one, "done_at_write");
  g_autoptr (ReelStorage) storage =
      episode_new_storage (1, json_integer_value (json_object_get (one, "capacity")), 1);

  for (gint64 step = 0; step < n; step++)
    {
      gboolean end = FALSE;
      for (gsize i = 0; i < json_array_size (done); i++)
        end |= json_integer_value (json_array_get (done, i)) == step;
      episode_write_step (storage, &end, ids);
    }
  return reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
}

static ReelSampler *
golden_sampler (const json_t *args, gint64 *total)
{
  g_autoptr (GString) text = g_string_new ("Sequence:seed=2");
  const char *key;
  json_t *value;

  *total = 0;
  json_object_foreach ((json_t *) args, key, value)
  {
    g_autofree char *shown = json_is_string (value) ? g_strdup (json_string_value (value))
                                                    : g_strdup_printf ("%" JSON_INTEGER_FORMAT,
                                                                       json_integer_value (value));
    g_string_append_printf (text, ",%s=%s", key, g_strdelimit (shown, "_", '-'));
    *total += g_str_equal (key, "dilation") ? 0 : json_integer_value (value);
  }
  return make_sampler (text->str);
}

/* T9.1-1 T9.1-2 */
static void
test_golden (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "torchrl", "vectors",
                                                 "sequence-units.json", NULL);
  g_autoptr (json_t) root = reel_json_load_file (path, NULL);
  const json_t *cases = json_object_get (root, "cases");

  g_assert_cmpuint (json_array_size (cases), ==, 18);
  for (gsize i = 0; i < json_array_size (cases); i++)
    {
      const json_t *one = json_array_get (cases, i), *windows = json_object_get (one, "anchors");
      g_autoptr (ReelReplayBuffer) buffer = golden_buffer (one);
      gint64 total;
      g_autoptr (ReelSampler) sampler = golden_sampler (json_object_get (one, "args"), &total);
      g_autoptr (ReelTensordict) batch = make_batch (buffer, sampler, 256 * total);

      for (gsize j = 0; j < json_array_size (windows); j++)
        g_assert_true (check_golden_window (json_array_get (windows, j), batch, total));
    }
}

/* ---- what the anchors' sampler says ---- */

static ReelReplayBuffer *
new_episodes (const char *sampler)
{
  static const gint64 lengths[] = { 3, 5, 2, 6 };
  g_autoptr (ReelReplayBuffer) rows = episode_new_buffer (1, 16, lengths, G_N_ELEMENTS (lengths));
  g_autoptr (ReelSampler) own = make_sampler (sampler);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer =
      reel_replay_buffer_new (reel_replay_buffer_get_storage (rows), own, NULL, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

static void
set_reals (ReelTensordict *batch, const char *path, float first, float by)
{
  gint64 n = batch_rows (batch);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);

  for (gint64 i = 0; i < n; i++)
    ((float *) tensor->data)[i] = first + by * (float) i;
  g_assert_true (reel_tensordict_set_tensor (batch, path, tensor, NULL));
}

/* By how often each of 16 slots is the anchor of 4096 windows. */
static void
count_anchors (ReelReplayBuffer *buffer, gint64 total, double *share)
{
  g_autoptr (ReelTensordict) batch = make_batch (buffer, NULL, 4096 * total);
  const gint64 *anchor = batch_int64s (batch, "anchor_index");

  memset (share, 0, 16 * sizeof *share);
  for (gint64 i = 0; i < batch_rows (batch); i += total)
    share[anchor[i]] += 1.0 / 4096;
}

/* T9.1-3: of what is said of the records the greatest that is valid is the anchor's priority;
 * other rows keep theirs. */
static void
test_priorities_go_to_anchors (void)
{
  g_autoptr (ReelReplayBuffer) buffer =
      new_episodes ("sequence:sampler=(prioritized:alpha=1,beta=1,eps=0),length=4");
  g_autoptr (ReelTensordict) batch = make_batch (buffer, NULL, 64 * 4);
  const gint64 *anchor = batch_int64s (batch, "anchor_index");
  const guint8 *valid = batch_bools (batch, "validity_mask");
  double expected[16], sum = 0, share[16];
  g_autoptr (GError) error = NULL;

  for (gint i = 0; i < 16; i++)
    expected[i] = -1;
  set_reals (batch, "td_error", 1, 0.25f);
  for (gint64 i = 0; i < batch_rows (batch); i++)
    if (valid[i])
      expected[anchor[i]] = MAX (expected[anchor[i]], 1 + 0.25 * (double) i);
  for (gint i = 0; i < 16; i++)
    sum += expected[i] < 0 ? 1 : expected[i];
  reel_replay_buffer_set_priority_key (buffer, "td_error");
  g_assert_true (reel_replay_buffer_update_tensordict_priority (buffer, batch, &error));
  g_assert_no_error (error);
  count_anchors (buffer, 4, share);
  for (gint i = 0; i < 16; i++)
    g_assert_cmpfloat (fabs (share[i] - (expected[i] < 0 ? 1 : expected[i]) / sum), <, 0.03);
}

/* Priorities that only padding tells are none at all. */
static void
test_padding_tells_no_priority (void)
{
  g_autoptr (ReelReplayBuffer) buffer =
      new_episodes ("sequence:sampler=(prioritized:alpha=1,beta=1,eps=0),length=4");
  g_autoptr (ReelTensordict) batch = make_batch (buffer, NULL, 256 * 4);
  const guint8 *valid = batch_bools (batch, "validity_mask");
  double share[16];

  set_reals (batch, "td_error", 1, 0);
  float *error = (float *) reel_tensordict_get_tensor (batch, "td_error", NULL)->data;
  for (gint64 i = 0; i < batch_rows (batch); i++)
    if (!valid[i])
      error[i] = 1e6f;
  reel_replay_buffer_set_priority_key (buffer, "td_error");
  g_assert_true (reel_replay_buffer_update_tensordict_priority (buffer, batch, NULL));
  count_anchors (buffer, 4, share);
  for (gint i = 0; i < 16; i++)
    g_assert_cmpfloat (fabs (share[i] - 1.0 / 16), <, 0.02);
}

/* Info of an anchor holds for all its window. */
static void
test_info_is_repeated (void)
{
  g_autoptr (ReelReplayBuffer) buffer =
      new_episodes ("sequence:sampler=(prioritized:alpha=1,beta=1,eps=0),length=2,burn-in=1");
  const gint64 first[] = { 4 };
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 1, (gint64[]){ 1 }, NULL);
  g_autoptr (ReelTensor) priority = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, (gint64[]){ 1 }, NULL);

  *(gint64 *) index->data = first[0];
  *(double *) priority->data = 4;
  g_assert_true (reel_replay_buffer_update_priority (buffer, index, priority, NULL));
  g_autoptr (ReelTensordict) batch = make_batch (buffer, NULL, 300);
  const gint64 *anchor = batch_int64s (batch, "anchor_index");
  const float *weight =
      (gpointer) reel_tensordict_get_tensor (batch, "priority_weight", NULL)->data;
  for (gint64 i = 0; i < batch_rows (batch); i++)
    g_assert_cmpfloat (weight[i], ==, anchor[i] == 4 ? 0.25 : 1);
}

/* Every row is an anchor once. */
static void
test_passes_are_those_of_the_anchors (void)
{
  g_autoptr (ReelReplayBuffer) buffer =
      new_episodes ("sequence:sampler=(without-replacement),length=3");
  ReelSampler *sampler = reel_replay_buffer_get_sampler (buffer);
  guint seen[16] = { 0 };

  for (gint i = 0; i < 4; i++)
    {
      g_autoptr (ReelTensordict) batch = make_batch (buffer, NULL, 12);
      const gint64 *anchor = batch_int64s (batch, "anchor_index");
      for (gint64 j = 0; j < batch_rows (batch); j += 3)
        seen[anchor[j]]++;
      g_assert_cmpint (reel_sampler_get_ran_out (sampler), ==, i == 3);
      if (i < 3)
        g_assert_cmpint (reel_sampler_get_remaining (sampler, 12), ==, 3 - i);
    }
  for (gint i = 0; i < 16; i++)
    g_assert_cmpuint (seen[i], ==, 1);
  g_assert_cmpstr (reel_sampler_get_state_form (sampler), ==, "without-replacement");
}

/* T3.8-18: one seed and the same operations give the same batches; and around anchors alone are the
 * rows that their sampler draws by itself. */
static void
test_equal_seeds (void)
{
  static const char *const texts[] = { "sequence:sampler=(random:seed=3),length=1",
                                       "sequence:length=1,seed=3", "random:seed=3" };
  ReelTensordict *batches[3];

  for (gint i = 0; i < 3; i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_episodes (texts[i]);
      batches[i] = make_batch (buffer, NULL, 50);
    }
  g_assert_true (reel_tensordict_equal (batches[0], batches[1]));
  for (gint64 i = 0; i < 50; i++)
    g_assert_cmpint (batch_int64s (batches[0], "index")[i], ==,
                     batch_int64s (batches[2], "index")[i]);
  for (gint i = 0; i < 3; i++)
    reel_tensordict_unref (batches[i]);
}

/* Ends that are changed in their place are seen. */
static void
test_ends_that_change_are_seen (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_episodes ("sequence:length=9,burn-in=7");
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ 16, 1 }, NULL);

  for (gint round = 0; round < 2; round++)
    {
      g_autoptr (ReelTensordict) batch = make_batch (buffer, NULL, 16 * 40);
      const gint64 *number = batch_int64s (batch, "number");
      const guint8 *valid = batch_bools (batch, "validity_mask");
      gint64 longest = 0;

      for (gint64 i = 0, n = 0; i < batch_rows (batch); i++)
        {
          n = valid[i] && i % 16 && valid[i - 1] ? n + 1 : valid[i];
          g_assert_true (n < 2 || number[i] == number[i - 1] + 1);
          longest = MAX (longest, n);
        }
      g_assert_cmpint (longest, ==, round ? 16 : 6);
      g_assert_true (reel_replay_buffer_set_in_place (buffer, "next/done", done, NULL));
    }
}

/* ---- what is refused ---- */

static void
assert_not_made (const char *text, ReelError code, const char *message)
{
  GError *error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_SAMPLER, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, (gint) code);
  if (!strstr (error->message, message))
    g_error ("\"%s\" has no \"%s\"", error->message, message);
  g_clear_error (&error);
}

/* Priorities of several elements become one as the sampler within has it. */
static void
test_reduction_is_that_of_the_sampler_within (void)
{
  g_autoptr (ReelSampler) least = reel_object_new_from_text (
      REEL_TYPE_SAMPLER, "sequence:sampler=(prioritized:alpha=1,beta=1,reduction=min),length=2",
      NULL, NULL);
  g_autoptr (ReelSampler) plain =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "sequence:length=2", NULL, NULL);

  g_assert_cmpstr (reel_sampler_get_reduction (least), ==, "min");
  g_assert_cmpstr (reel_sampler_get_reduction (plain), ==, "max");
}

static void
test_refusals (void)
{
  assert_not_made ("sequence", REEL_ERROR_VALUE, "length must be strictly positive, got 0");
  assert_not_made ("sequence:length=-1", REEL_ERROR_VALUE, "length");
  assert_not_made ("sequence:length=1,burn-in=-1", REEL_ERROR_VALUE, "burn-in");
  assert_not_made ("sequence:length=1,bootstrap=-1", REEL_ERROR_VALUE, "bootstrap");
  assert_not_made ("sequence:length=1,dilation=0", REEL_ERROR_VALUE, "dilation");
  assert_not_made ("sequence:length=1,episode-boundary=cross", REEL_ERROR_VALUE, "cross");
  assert_not_made ("sequence:length=1,seed=4,sampler=(prioritized)", REEL_ERROR_VALUE,
                   "sampler=(prioritized:seed=4)");
  assert_not_made ("sequence:length=1,sampler=(sequence:length=2)", REEL_ERROR_VALUE, "anchors");
  assert_not_made ("sequence:length=1,sampler=(consuming:max-sample-count=1)", REEL_ERROR_VALUE,
                   "anchors");
}

static void
test_refused_batches (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_episodes ("sequence:length=2,burn-in=1");
  g_autoptr (ReelSampler) slices = make_sampler ("sequence:length=2,sampler=(slice:slice-len=2)");
  g_autoptr (ReelSampler) key = make_sampler ("sequence:length=2,done-key=next/stop");
  g_autoptr (ReelTensordict) found = make_batch (buffer, key, 4);
  ReelSampler *own = reel_replay_buffer_get_sampler (buffer);

  g_assert_cmpint (batch_rows (found), ==, 4);
  assert_batch_refused (buffer, own, 7, REEL_ERROR_RUNTIME, "*divisible*7*1 + 2 + 0*");
  assert_batch_refused (buffer, own, 2, REEL_ERROR_RUNTIME, "*divisible*");
  assert_batch_refused (buffer, slices, 4, REEL_ERROR_VALUE, "slice marks \"next/done\"*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/samplers/sequence/windows-are-those-of-a-walk",
                   test_windows_are_those_of_a_walk);
  g_test_add_func ("/samplers/sequence/golden", test_golden);
  g_test_add_func ("/samplers/sequence/priorities-go-to-anchors", test_priorities_go_to_anchors);
  g_test_add_func ("/samplers/sequence/padding-tells-no-priority", test_padding_tells_no_priority);
  g_test_add_func ("/samplers/sequence/info-is-repeated", test_info_is_repeated);
  g_test_add_func ("/samplers/sequence/passes-are-those-of-the-anchors",
                   test_passes_are_those_of_the_anchors);
  g_test_add_func ("/samplers/sequence/equal-seeds", test_equal_seeds);
  g_test_add_func ("/samplers/sequence/ends-that-change-are-seen", test_ends_that_change_are_seen);
  g_test_add_func ("/samplers/sequence/reduction-is-that-of-the-sampler-within",
                   test_reduction_is_that_of_the_sampler_within);
  g_test_add_func ("/samplers/sequence/refusals", test_refusals);
  g_test_add_func ("/samplers/sequence/refused-batches", test_refused_batches);

  return g_test_run ();
}
