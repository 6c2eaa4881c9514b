/* The contract of environments, for each id that the library lists. */
#include "../src/reel.h"
#include "contract.h"
#include "env-text.h"
#include "skipped-resets.h"

#include <string.h>

#include "../src/core/math/isa.h"

/* More than seven ranges of 64 lanes, and no multiple of 64. */
#define LANES 449
#define STEPS 60

/* Where the lane is the unit of work its steps take long, and any cut is as good as another. */
#define FEW_LANES 9

/* ---- a recording: everything that reset and step write, and the actions ---- */

typedef struct
{
  gint64 lanes;
  gsize n_actions, n_observations;
  ReelTensor **action, **root, **observation, **carry; /* [STEPS, lanes, …] of each leaf */
  ReelTensor *reward, *terminated, *truncated, *done;  /* [STEPS, lanes, 1] */
} Recording;

static ReelTensor *
make_column (ReelDtype dtype, gint64 lanes, const gint64 *shape, gint ndim)
{
  gint64 whole[REEL_MAX_NDIM] = { STEPS, lanes };
  g_autoptr (GError) error = NULL;

  memcpy (whole + 2, shape, (gsize) ndim * sizeof *shape);

  ReelTensor *column = reel_tensor_new (dtype, ndim + 2, whole, &error);

  g_assert_no_error (error);
  return column;
}

static ReelTensor **
make_columns (const ReelSpec *spec, gint64 lanes, gsize *n)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);
  g_autoptr (GPtrArray) columns = g_ptr_array_new ();

  for (char **leaf = leaves; *leaf != NULL; leaf++)
    {
      const ReelSpec *leaf_spec = reel_spec_get (spec, *leaf, NULL);
      gint ndim;
      const gint64 *shape = reel_spec_get_shape (leaf_spec, &ndim);

      g_ptr_array_add (columns, make_column (reel_spec_get_dtype (leaf_spec), lanes, shape, ndim));
    }
  *n = columns->len;
  return (ReelTensor **) g_ptr_array_free (g_steal_pointer (&columns), FALSE);
}

static Recording *
recording_new (ReelEnv *env)
{
  const gint64 one[] = { 1 };
  Recording *self = g_new0 (Recording, 1);

  self->lanes = reel_env_get_num_envs (env);
  self->action = make_columns (reel_env_get_action_spec (env), self->lanes, &self->n_actions);
  self->root =
      make_columns (reel_env_get_observation_spec (env), self->lanes, &self->n_observations);
  self->observation =
      make_columns (reel_env_get_observation_spec (env), self->lanes, &self->n_observations);
  self->carry =
      make_columns (reel_env_get_observation_spec (env), self->lanes, &self->n_observations);
  self->reward = make_column (REEL_DTYPE_FLOAT32, self->lanes, one, 1);
  self->terminated = make_column (REEL_DTYPE_BOOL, self->lanes, one, 1);
  self->truncated = make_column (REEL_DTYPE_BOOL, self->lanes, one, 1);
  self->done = make_column (REEL_DTYPE_BOOL, self->lanes, one, 1);
  return self;
}

static void
free_columns (ReelTensor **columns, gsize n)
{
  for (gsize i = 0; i < n; i++)
    reel_tensor_unref (columns[i]);
  g_free (columns);
}

static void
recording_free (Recording *self)
{
  free_columns (self->action, self->n_actions);
  free_columns (self->root, self->n_observations);
  free_columns (self->observation, self->n_observations);
  free_columns (self->carry, self->n_observations);
  reel_tensor_unref (self->reward);
  reel_tensor_unref (self->terminated);
  reel_tensor_unref (self->truncated);
  reel_tensor_unref (self->done);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Recording, recording_free)

/* Where step t of a column begins. */
static guint8 *
at_step (const ReelTensor *column, gint64 t)
{
  return column->data + t * column->strides[0];
}

static void
point_at_step (ReelTensor *const *columns, gsize n, gint64 t, guint8 **pointers)
{
  for (gsize i = 0; i < n; i++)
    pointers[i] = at_step (columns[i], t);
}

/* Fills the actions of a step; those of a lane depend on its number alone. */
static void
draw_actions (ReelEnv *env, Recording *self, gint64 t, guint64 seed)
{
  const ReelSpec *spec = reel_env_get_action_spec (env);
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);

  for (gsize i = 0; i < self->n_actions; i++)
    reel_spec_rand_rows (reel_spec_get (spec, leaves[i], NULL), seed + i, t, 0, self->lanes,
                         at_step (self->action[i], t));
}

/* ---- running: the lanes cut into parts, which are stepped in falling order ---- */

typedef struct
{
  gint64 n_parts;
  guint64 action_seed;
  gint64 first_step; /* 0 resets everything before it */
} Run;

static gint64
part_begin (ReelEnv *env, gint64 part, gint64 n_parts)
{
  gint64 lanes = reel_env_get_num_envs (env), multiple = reel_env_get_lane_multiple (env);
  gint64 units = (lanes + multiple - 1) / multiple;

  return MIN (lanes, units * part / n_parts * multiple);
}

static void
step_parts (ReelEnv *env, Recording *self, gint64 t, gint64 n_parts)
{
  guint8 *action[8], *observation[8], *carry[8];
  gint64 done = 0, expected = 0;

  g_assert_cmpuint (MAX (self->n_actions, self->n_observations), <=, 8);
  point_at_step (self->action, self->n_actions, t, action);
  point_at_step (self->observation, self->n_observations, t, observation);
  point_at_step (self->carry, self->n_observations, t, carry);

  const ReelEnvIO io = {
    .action = (const guint8 *const *) action,
    .observation = observation,
    .carry = carry,
    .reward = (float *) (gpointer) at_step (self->reward, t),
    .terminated = at_step (self->terminated, t),
    .truncated = at_step (self->truncated, t),
    .done = at_step (self->done, t),
  };

  for (gint64 part = n_parts - 1; part >= 0; part--)
    done += reel_env_step_lanes (env, part_begin (env, part, n_parts),
                                 part_begin (env, part + 1, n_parts), &io);
  for (gint64 lane = 0; lane < self->lanes; lane++)
    expected += io.done[lane];
  g_assert_cmpint (done, ==, expected);
}

/* Puts what step t begins with into root: the carried observation, or the first of an episode. */
static void
begin_step (ReelEnv *env, Recording *self, gint64 t, gint64 n_parts)
{
  const guint8 *mask = t > 0 ? at_step (self->done, t - 1) : NULL;
  guint8 *root[8];

  point_at_step (self->root, self->n_observations, t, root);
  if (t > 0)
    for (gsize i = 0; i < self->n_observations; i++)
      memcpy (root[i], at_step (self->carry[i], t - 1), (gsize) self->carry[i]->strides[0]);
  for (gint64 part = n_parts - 1; part >= 0; part--)
    reel_env_reset_lanes (env, part_begin (env, part, n_parts), part_begin (env, part + 1, n_parts),
                          mask, root);
}

static void
record (ReelEnv *env, Recording *self, const Run *run)
{
  for (gint64 t = run->first_step; t < STEPS; t++)
    {
      begin_step (env, self, t, run->n_parts);
      draw_actions (env, self, t, run->action_seed);
      step_parts (env, self, t, run->n_parts);
    }
}

static const Run whole = { .n_parts = 1, .action_seed = 7 };

static ReelEnv *
open_text (const char *text, gint64 lanes)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, lanes);
  g_autoptr (GError) error = NULL;
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, "num-envs", number, NULL);

  g_assert_no_error (error);
  return env;
}

/* An env of so many lanes, or of few. */
static ReelEnv *
open_env (const char *id, gint64 lanes, gint64 seed)
{
  g_autofree char *arguments = g_strdup_printf ("seed=%" G_GINT64_FORMAT, seed);
  g_autofree char *text = env_text (id, arguments);
  g_autoptr (ReelEnv) few = open_text (text, MIN (lanes, FEW_LANES));

  if (reel_env_get_lane_multiple (few) == 1)
    return g_steal_pointer (&few);
  return open_text (text, lanes);
}

static Recording *
record_whole (const char *id, gint64 lanes, gint64 seed)
{
  g_autoptr (ReelEnv) env = open_env (id, lanes, seed);
  Recording *self = recording_new (env);

  record (env, self, &whole);
  return self;
}

static void
assert_same_columns (ReelTensor *const *a, ReelTensor *const *b, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_assert_true (reel_tensor_equal (a[i], b[i]));
}

static void
assert_same (const Recording *a, const Recording *b)
{
  assert_same_columns (a->action, b->action, a->n_actions);
  assert_same_columns (a->root, b->root, a->n_observations);
  assert_same_columns (a->observation, b->observation, a->n_observations);
  g_assert_true (reel_tensor_equal (a->reward, b->reward));
  g_assert_true (reel_tensor_equal (a->terminated, b->terminated));
  g_assert_true (reel_tensor_equal (a->truncated, b->truncated));
  g_assert_true (reel_tensor_equal (a->done, b->done));
}

/* ---- the contract ---- */

static void
test_same_seed_same_bytes (gconstpointer id)
{
  g_autoptr (Recording) once = record_whole (id, LANES, 3), again = record_whole (id, LANES, 3);
  g_autoptr (Recording) other = record_whole (id, LANES, 1000);

  assert_same (once, again);
  g_assert_false (reel_tensor_equal (once->root[0], other->root[0]));
}

static void
test_values_fit_specs (gconstpointer id)
{
  g_autoptr (ReelEnv) env = open_env (id, LANES, 0);
  g_autoptr (Recording) recording = recording_new (env);
  const ReelSpec *spec = reel_env_get_observation_spec (env);
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);
  g_autoptr (GError) error = NULL;

  record (env, recording, &whole);
  for (gsize i = 0; i < recording->n_observations; i++)
    {
      const ReelSpec *leaf = reel_spec_get (spec, leaves[i], NULL);

      reel_spec_is_in (leaf, recording->root[i], &error);
      g_assert_no_error (error);
      reel_spec_is_in (leaf, recording->observation[i], &error);
      g_assert_no_error (error);
    }
  reel_spec_is_in (reel_spec_get (reel_env_get_reward_spec (env), "reward", NULL),
                   recording->reward, &error);
  g_assert_no_error (error);
  for (gint64 row = 0; row < STEPS * recording->lanes; row++)
    g_assert_cmpuint (recording->terminated->data[row] | recording->truncated->data[row]
                          | recording->done->data[row],
                      <=, 1);
}

/* done is either flag; truncated is the length of the episode and nothing else. */
static void
test_flags_are_apart (gconstpointer id)
{
  g_autofree char *text = env_text (id, "max-episode-steps=9");
  g_autoptr (ReelEnv) first = open_env (id, LANES, 0);
  g_autoptr (ReelEnv) env = open_text (text, reel_env_get_num_envs (first));
  gint64 length[LANES] = { 0 };
  g_autoptr (Recording) recording = recording_new (env);

  record (env, recording, &whole);
  for (gint64 t = 0; t < STEPS; t++)
    for (gint64 lane = 0; lane < recording->lanes; lane++)
      {
        gboolean terminated = at_step (recording->terminated, t)[lane];
        gboolean truncated = at_step (recording->truncated, t)[lane];
        gboolean done = at_step (recording->done, t)[lane];

        g_assert_cmpint (truncated, ==, ++length[lane] == 9);
        g_assert_cmpint (done, ==, terminated || truncated);
        if (done)
          length[lane] = 0;
      }
}

/* The observation of a step outlives the reset, which writes the next root; a carried observation
 * is that of the step, and is the next root where no episode began. */
static void
test_last_observation_survives (gconstpointer id)
{
  g_autoptr (Recording) recording = record_whole (id, LANES, 1);
  gint64 n_done = 0;

  assert_same_columns (recording->observation, recording->carry, recording->n_observations);
  for (gint64 t = 0; t + 1 < STEPS; t++)
    for (gint64 lane = 0; lane < recording->lanes; lane++)
      {
        ReelTensor *seen = recording->observation[0];
        gsize row = (gsize) seen->strides[1];
        gboolean done = at_step (recording->done, t)[lane];
        gboolean same = memcmp (at_step (seen, t) + (gsize) lane * row,
                                at_step (recording->root[0], t + 1) + (gsize) lane * row, row)
                        == 0;

        g_assert_cmpint (same, ==, !done);
        n_done += done;
      }
  g_test_message ("%" G_GINT64_FORMAT " episodes ended", n_done);
}

static void
test_instances_are_apart (gconstpointer id)
{
  g_autoptr (Recording) alone = record_whole (id, 70, 4);
  g_autoptr (ReelEnv) env = open_env (id, 70, 4), other = open_env (id, 70, 5);
  g_autoptr (Recording) recording = recording_new (env), disturbance = recording_new (other);

  for (gint64 t = 0; t < STEPS; t++)
    {
      begin_step (env, recording, t, 1);
      begin_step (other, disturbance, t, 1);
      draw_actions (env, recording, t, whole.action_seed);
      draw_actions (other, disturbance, t, 99);
      step_parts (other, disturbance, t, 1);
      step_parts (env, recording, t, 1);
    }
  assert_same (alone, recording);
}

static void
test_partitions_are_alike (gconstpointer id)
{
  static const gint64 parts[] = { 2, 3, 7 };
  g_autoptr (Recording) expected = record_whole (id, LANES, 2);

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (ReelEnv) env = open_env (id, LANES, 2);
      g_autoptr (Recording) recording = recording_new (env);
      const Run run = { .n_parts = parts[i], .action_seed = whole.action_seed };

      record (env, recording, &run);
      assert_same (expected, recording);
    }
}

/* On one thread a range may begin and end anywhere. */
static void
test_ragged_ranges_are_alike (gconstpointer id)
{
  g_autoptr (Recording) expected = record_whole (id, 150, 2);
  g_autoptr (ReelEnv) env = open_env (id, 150, 2);
  g_autoptr (Recording) recording = recording_new (env);
  static const gint64 cuts[] = { 0, 1, 3, 60, 64, 65, 127, 130, 150 };

  for (gint64 t = 0; t < STEPS; t++)
    {
      guint8 *action[8], *observation[8], *carry[8];

      begin_step (env, recording, t, 1);
      draw_actions (env, recording, t, whole.action_seed);
      point_at_step (recording->action, recording->n_actions, t, action);
      point_at_step (recording->observation, recording->n_observations, t, observation);
      point_at_step (recording->carry, recording->n_observations, t, carry);

      const ReelEnvIO io = {
        .action = (const guint8 *const *) action,
        .observation = observation,
        .carry = carry,
        .reward = (float *) (gpointer) at_step (recording->reward, t),
        .terminated = at_step (recording->terminated, t),
        .truncated = at_step (recording->truncated, t),
        .done = at_step (recording->done, t),
      };

      for (gsize k = 0; k + 1 < G_N_ELEMENTS (cuts); k++)
        reel_env_step_lanes (env, MIN (cuts[k], expected->lanes),
                             MIN (cuts[k + 1], expected->lanes), &io);
    }
  assert_same (expected, recording);
}

/* A lane is what it is in a batch of its own. Actions do not matter for the first observation. */
static void
test_first_observation_is_the_seeds (gconstpointer id)
{
  g_autoptr (Recording) batch = record_whole (id, 70, 10);

  for (gint64 lane = 0; lane < batch->lanes; lane += batch->lanes / 3)
    {
      g_autoptr (Recording) single = record_whole (id, 1, 10 + lane);
      gsize row = (gsize) batch->root[0]->strides[1];

      g_assert_cmpmem (single->root[0]->data, row, batch->root[0]->data + (gsize) lane * row, row);
    }
}

/* Saved in the middle of a run and put into a fresh env, every lane goes on as it did. */
static void
test_state_round_trip (gconstpointer id)
{
  g_autoptr (ReelEnv) env = open_env (id, 70, 6), fresh = open_env (id, 70, 77);
  g_autoptr (Recording) recording = recording_new (env), again = NULL;
  gsize size = reel_env_get_state_size (env);
  g_autofree guint8 *states = g_malloc ((gsize) recording->lanes * size), *same = g_malloc (size);

  if (!reel_env_has_state (env))
    {
      g_test_skip ("states of a program are not saved");
      return;
    }

  for (gint64 t = 0; t < STEPS / 2; t++)
    {
      begin_step (env, recording, t, 1);
      draw_actions (env, recording, t, whole.action_seed);
      step_parts (env, recording, t, 1);
    }
  for (gint64 lane = 0; lane < recording->lanes; lane++)
    reel_env_get_state (env, lane, states + (gsize) lane * size);

  const Run rest = { .n_parts = 1, .action_seed = 7, .first_step = STEPS / 2 };
  ReelTensor *done;

  record (env, recording, &rest);
  again = record_whole (id, 70, 6);
  done = reel_tensor_ref (again->done);
  for (gint64 lane = 0; lane < recording->lanes; lane++)
    {
      reel_env_set_state (fresh, lane, states + (gsize) lane * size);
      reel_env_get_state (fresh, lane, same);
      g_assert_cmpmem (same, size, states + (gsize) lane * size, size);
    }
  for (gint64 t = STEPS / 2; t < STEPS; t++)
    memset (at_step (done, t), 0xff, (gsize) done->strides[0]);
  record (fresh, again, &rest);
  reel_tensor_unref (done);
  assert_same (recording, again);
}

static void
test_masked_reset_leaves_the_rest (gconstpointer id)
{
  g_autoptr (ReelEnv) env = open_env (id, 130, 8);
  g_autoptr (Recording) recording = recording_new (env);
  gsize size = reel_env_get_state_size (env);
  g_autofree guint8 *before = g_malloc (130 * size), *after = g_malloc (size);
  guint8 mask[130], *root[8];

  if (!reel_env_has_state (env))
    {
      g_test_skip ("states of a program are not saved");
      return;
    }

  begin_step (env, recording, 0, 1);
  for (gint64 lane = 0; lane < recording->lanes; lane++)
    {
      reel_env_get_state (env, lane, before + (gsize) lane * size);
      mask[lane] = lane % 3 == 0 ? 200 : 0;
    }
  for (gsize i = 0; i < recording->n_observations; i++)
    memset (recording->root[i]->data, 0x5a, (gsize) recording->root[i]->strides[0]);
  point_at_step (recording->root, recording->n_observations, 0, root);
  reel_env_reset_lanes (env, 4, recording->lanes - 2, mask, root);

  for (gint64 lane = 0; lane < recording->lanes; lane++)
    {
      gboolean reset = lane >= 4 && lane < recording->lanes - 2 && mask[lane] != 0;
      gsize row = (gsize) recording->root[0]->strides[1];
      const guint8 *seen = root[0] + (gsize) lane * row;
      gboolean written = FALSE;

      reel_env_get_state (env, lane, after);
      g_assert_cmpint (memcmp (after, before + (gsize) lane * size, size) != 0, ==, reset);
      for (gsize k = 0; k < row; k++)
        written = written || seen[k] != 0x5a;
      g_assert_cmpint (written, ==, reset);
    }
}

static void
test_levels_are_alike (gconstpointer id)
{
  g_autofree char *saved = g_strdup (g_getenv ("REEL_ISA"));
  g_autoptr (Recording) expected = NULL;

  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    {
      g_setenv ("REEL_ISA", reel_isa_name (isa), TRUE);

      g_autoptr (Recording) recording = record_whole (id, LANES, 12);

      if (expected == NULL)
        expected = g_steal_pointer (&recording);
      else
        assert_same (expected, recording);
    }
  if (saved != NULL)
    g_setenv ("REEL_ISA", saved, TRUE);
  else
    g_unsetenv ("REEL_ISA");
}

/* `observation` is as wide as there are names. */
static void
test_observation_names (gconstpointer id)
{
  g_autoptr (ReelEnv) env = open_env (id, 1, 0);
  const char *const *names = reel_env_get_observation_names (env);
  const ReelSpec *observation =
      reel_spec_get (reel_env_get_observation_spec (env), "observation", NULL);

  g_assert_true (names != NULL || !g_str_has_prefix (id, "CartPole"));
  if (names != NULL)
    {
      gint ndim;
      const gint64 *shape = reel_spec_get_shape (observation, &ndim);

      g_assert_cmpint (ndim, ==, 1);
      g_assert_cmpint (shape[0], ==, g_strv_length ((char **) names));
    }
}

static void
test_resets_are_skipped_or_done (gconstpointer id)
{
  g_autofree char *text = env_text (id, "num-envs=4");
  gboolean can = skipped_resets_check (text, 12);

  /* One task whose resets draw the same number of values, and one whose resets do not. */
  g_assert_true (can || !g_str_equal (id, "InvertedPendulum-v5"));
  g_assert_true (!can || !g_str_equal (id, "HalfCheetah-v5"));
}

static const ContractTest contract[] = {
  { "same-seed-same-bytes", test_same_seed_same_bytes },
  { "values-fit-specs", test_values_fit_specs },
  { "flags-are-apart", test_flags_are_apart },
  { "last-observation-survives", test_last_observation_survives },
  { "instances-are-apart", test_instances_are_apart },
  { "partitions-are-alike", test_partitions_are_alike },
  { "ragged-ranges-are-alike", test_ragged_ranges_are_alike },
  { "first-observation-is-the-seeds", test_first_observation_is_the_seeds },
  { "state-round-trip", test_state_round_trip },
  { "masked-reset-leaves-the-rest", test_masked_reset_leaves_the_rest },
  { "resets-are-skipped-or-done", test_resets_are_skipped_or_done },
  { "levels-are-alike", test_levels_are_alike },
  { "observation-names", test_observation_names },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("envs", REEL_TYPE_ENV, contract, G_N_ELEMENTS (contract));

  return g_test_run ();
}
