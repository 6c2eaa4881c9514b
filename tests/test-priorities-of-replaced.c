/* Priorities beside a writer that puts rows in the place of others, against a list. */
#include "../src/reel.h"
#include "../src/buffers/samplers/priority-sampler.h"
#include "make-batch.h"

#define MOST_SLOTS 3
#define N_CODES 7

typedef struct
{
  gint64 capacity;
  gboolean stored; /* the data tell priorities */
  ReelReplayBuffer *buffer;
  gint64 n_rows;
  double greatest;
  gint64 filled;
  gboolean is_new[MOST_SLOTS]; /* since the sampler looked */
  double told[MOST_SLOTS];     /* by the data */
  double priority[MOST_SLOTS];
} Model;

static void
set_leaf (ReelTensordict *row, const char *path, double value)
{
  const gint64 shape[1] = { 1 };
  g_autoptr (ReelTensor) leaf = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, shape, NULL);

  *(double *) leaf->data = value;
  g_assert_true (reel_tensordict_set_tensor (row, path, leaf, NULL));
}

static void
extend (Model *model, double rank)
{
  const gint64 shape[1] = { 1 };
  g_autoptr (ReelTensordict) row = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (GError) error = NULL;
  double told = 2 + (double) (model->n_rows++ % 5);
  gint64 slot;

  set_leaf (row, "rank", rank);
  if (model->stored)
    set_leaf (row, "td_error", told);
  reel_replay_buffer_extend (model->buffer, row, &index, &error);
  g_assert_no_error (error);
  slot = *(const gint64 *) index->data;
  if (slot < 0)
    return;
  model->is_new[slot] = TRUE;
  model->told[slot] = told;
  model->filled = MAX (model->filled, slot + 1);
}

/* New rows have the greatest priority there ever was, or their own. */
static void
look (Model *model)
{
  for (gint64 slot = 0; slot < model->capacity; slot++)
    if (model->is_new[slot])
      {
        model->priority[slot] = model->stored ? model->told[slot] : model->greatest;
        model->is_new[slot] = FALSE;
      }
  for (gint64 slot = 0; slot < model->capacity && model->stored; slot++)
    model->greatest = MAX (model->greatest, model->priority[slot]);
}

static void
update (Model *model, gint64 slot, double priority)
{
  g_autoptr (GError) error = NULL;

  if (slot >= model->filled)
    return;
  look (model);
  reel_sampler_update_priority (reel_replay_buffer_get_sampler (model->buffer),
                                reel_replay_buffer_get_storage (model->buffer), &slot, 1, &priority,
                                &error);
  g_assert_no_error (error);
  model->priority[slot] = priority;
  model->greatest = MAX (model->greatest, priority);
}

static void
run_call (Model *model, gint what)
{
  g_autoptr (ReelTensordict) batch = NULL;

  if (what < 3)
    extend (model, what);
  else if (what < 6)
    update (model, (what - 3) % model->capacity, what == 4 ? 0.25 : 5 + what);
  else if (model->filled > 0)
    {
      look (model);
      batch = make_batch (model->buffer, NULL, 2);
    }
}

static void
assert_equal (Model *model)
{
  ReelPriorities *priorities =
      reel_priority_sampler_get (reel_replay_buffer_get_sampler (model->buffer));
  g_autoptr (ReelTensordict) batch = NULL;
  const double *weights;

  if (model->filled == 0)
    return;
  look (model);
  batch = make_batch (model->buffer, NULL, 2);
  weights = reel_priority_tree_weights (priorities->tree);
  for (gint64 slot = 0; slot < model->capacity; slot++)
    g_assert_cmpfloat (weights[slot], ==, model->priority[slot]);
}

/* Rows of three ranks, updates of each slot and draws, in every order of five; with -m slow, of
 * six. */
static void
test_every_short_run (void)
{
  const gint n_calls = g_test_slow () ? 6 : 5;
  gint64 n_cases = 0, n_codes = 1;

  for (gint i = 0; i < n_calls; i++)
    n_codes *= N_CODES;
  for (gint64 capacity = 1; capacity <= MOST_SLOTS; capacity++)
    for (gint stored = 0; stored < 2; stored++)
      for (gint64 code = 0; code < n_codes; code++, n_cases++)
        {
          g_autofree char *storage = g_strdup_printf ("tensor:capacity=%d", (int) capacity);
          g_autoptr (ReelReplayBuffer) buffer = make_buffer (
              storage, "prioritized:alpha=1,eps=0,dtype=float64", "max-value:rank-key=rank", 0);
          Model model = { .capacity = capacity, .stored = stored, .buffer = buffer, .greatest = 1 };

          for (gint64 i = 0, rest = code; i < n_calls; i++, rest /= N_CODES)
            run_call (&model, (gint) (rest % N_CODES));
          assert_equal (&model);
        }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
}

/* More rows were replaced between two looks than are remembered: all are new. */
static void
test_more_than_are_kept (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (
      "tensor:capacity=3", "prioritized:alpha=1,eps=0,dtype=float64", "max-value:rank-key=rank", 0);
  Model model = { .capacity = 3, .buffer = buffer, .greatest = 1 };

  for (gint i = 0; i < 3; i++)
    extend (&model, i);
  update (&model, 2, 0.25);
  update (&model, 1, 7);
  for (gint i = 0; i < 10; i++)
    extend (&model, 10 + i);
  for (gint i = 0; i < 3; i++)
    model.is_new[i] = TRUE;
  assert_equal (&model);
}

/* As in TorchRL, rows that are changed in their place keep their priority. */
static void
test_changes_in_place (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer (
      "tensor:capacity=3", "prioritized:alpha=1,eps=0,dtype=float64", "max-value:rank-key=rank", 0);
  Model model = { .capacity = 3, .buffer = buffer, .greatest = 1 };
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  for (gint i = 0; i < 3; i++)
    extend (&model, i);
  update (&model, 1, 7);
  reel_index_add_slice (&index, 0, 2, 1);
  g_assert_true (reel_replay_buffer_fill_at (buffer, &index, 3, NULL));
  assert_equal (&model);
  g_assert_cmpfloat (model.priority[1], ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/samplers/prioritized/replaced/every-short-run", test_every_short_run);
  g_test_add_func ("/samplers/prioritized/replaced/more-than-are-kept", test_more_than_are_kept);
  g_test_add_func ("/samplers/prioritized/replaced/changes-in-place-keep-theirs",
                   test_changes_in_place);
  return g_test_run ();
}
