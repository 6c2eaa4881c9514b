/* Arguments of collectors: those that are refused, and what the others do to batches. */
#include "collecting.h"
#include "counting-env.h"

#include <string.h>

#define ENV "CartPole:seed=5,num-envs=3"

/* ---- refusals: T14.7-3, T14.8-21, T14.8-23, T14.8-24 ---- */

typedef struct
{
  const char *text, *env, *storage; /* no buffer without a storage */
  ReelError code;
  const char *way_out;
} Refusal;

static const Refusal refusals[] = {
  { "frames-per-batch=0", ENV, NULL, REEL_ERROR_VALUE, "1 to" },
  { "frames-per-batch=-1", ENV, NULL, REEL_ERROR_VALUE, "1 to" },
  { "frames-per-batch=2.5", ENV, NULL, REEL_ERROR_VALUE, "2.5" },
  { "nothing=1", ENV, NULL, REEL_ERROR_KEY, "nothing" },
  { "traj-format=cat", ENV, NULL, REEL_ERROR_VALUE, "set trajs-per-batch" },
  { "traj-format=padded", ENV, NULL, REEL_ERROR_VALUE, "set trajs-per-batch" },
  { "traj-format=nothing", ENV, NULL, REEL_ERROR_VALUE, "padded" },
  { "trajs-per-batch=-1", ENV, NULL, REEL_ERROR_VALUE, "0 to" },
  { "trajs-per-batch=2,track-traj-ids=false", ENV, NULL, REEL_ERROR_KEY, "track-traj-ids=true" },
  { "trajs-per-batch=2,set-truncated=true", ENV, NULL, REEL_ERROR_VALUE, "leave one" },
  { "trajs-per-batch=2,extend-buffer=false", ENV, "tensor:ndim=1", REEL_ERROR_VALUE, "leave one" },
  { "trajs-per-batch=2", ENV, "tensor:ndim=2", REEL_ERROR_VALUE, "ndim=1" },
  { "split-trajs=true,track-traj-ids=false", ENV, NULL, REEL_ERROR_VALUE, "track-traj-ids=true" },
  { "resume=true,track-traj-ids=false", ENV, "tensor:ndim=2", REEL_ERROR_VALUE,
    "track-traj-ids=true" },
  { "resume=true,set-truncated=true", ENV, "tensor:ndim=2", REEL_ERROR_VALUE, "set-truncated" },
  { "resume=true", ENV, "tensor:ndim=1", REEL_ERROR_VALUE, "ndim=2" },
  { "resume=true,extend-buffer=false", ENV, "tensor:ndim=1", REEL_ERROR_VALUE, "in place" },
  { "return-same-td=true", ENV, "tensor:ndim=2", REEL_ERROR_TYPE, "leave it out" },
  { "extend-buffer=false,postproc=(exclude:keys=action)", ENV, "tensor:ndim=2", REEL_ERROR_TYPE,
    "extend-buffer=true" },
  { "extend-buffer=false,split-trajs=true", ENV, "tensor:ndim=2", REEL_ERROR_TYPE,
    "extend-buffer=true" },
  { "frames-per-batch=12,total-frames=20", ENV, "tensor:ndim=1", REEL_ERROR_VALUE,
    "multiple of 12" },
  { "max-frames-per-traj=1", "CartPole:seed=5", "tensor:ndim=2", REEL_ERROR_VALUE, "ndim=1" },
  { "max-frames-per-traj=3", ENV "|step-counter", NULL, REEL_ERROR_VALUE, "max-steps" },
  { "exploration-type=nothing", ENV, NULL, REEL_ERROR_VALUE, "deterministic" },
  { "first-lane=1", ENV, NULL, REEL_ERROR_VALUE, "there are no 3 lanes from there on" },
  { "first-lane=3,all-lanes=5", ENV, NULL, REEL_ERROR_VALUE, "no 3 lanes from there on" },
  { "all-lanes=5,init-random-frames=9", ENV, NULL, REEL_ERROR_VALUE, "leave one of them out" },
};

static ReelReplayBuffer *
make_buffer (const char *storage)
{
  g_autofree char *text =
      g_strdup_printf ("%s%ccapacity=90", storage, strchr (storage, ':') ? ',' : ':');
  g_autoptr (ReelStorage) made = collecting_make (REEL_TYPE_STORAGE, text);

  return reel_replay_buffer_new (made, NULL, NULL, 0, NULL);
}

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      const Refusal *refusal = &refusals[i];
      g_autofree char *text = g_strconcat ("sync:", refusal->text, NULL);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, refusal->env);
      g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
      g_autoptr (ReelReplayBuffer) buffer =
          refusal->storage ? make_buffer (refusal->storage) : NULL;
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", refusal->text);
      g_assert_null (reel_collector_new (text, env, policy, buffer, &error));
      g_assert_error (error, REEL_ERROR, (gint) refusal->code);
      if (strstr (error->message, refusal->way_out) == NULL)
        g_error ("%s: no \"%s\" in \"%s\"", text, refusal->way_out, error->message);
    }
}

/* TorchRL takes these, too. */
static void
test_accepted (void)
{
  static const char *const texts[] = {
    "total-frames=-2",
    "max-frames-per-traj=0",
    "max-frames-per-traj=-1",
    "init-random-frames=-3",
    "extend-buffer=false",
    "trajs-per-write=2",
    "trajs-per-batch=2,split-trajs=true,traj-format=padded",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *text = g_strconcat ("sync:frames-per-batch=6,", texts[i], NULL);
      g_autoptr (ReelCollector) collector = collecting_make_collector (text, ENV, "random", NULL);
      ReelTensordict *batch;

      g_assert_cmpint (collecting_next (collector, &batch), >=, 6);
      g_assert_nonnull (batch);
    }
}

/* T14.8-23: rows of unlike length. */
static void
test_unlike_rows_are_refused (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer ("tensor:ndim=1");
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "sync:frames-per-batch=60,split-trajs=true", ENV, "random", buffer);
  g_autoptr (GError) error = NULL;

  while (reel_collector_next (collector, NULL, &error) > 0)
    ;
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* ---- counts and seeds ---- */

static void
test_batches_are_counted (void)
{
  g_autoptr (ReelCollector) some = collecting_make_collector (
      "sync:frames-per-batch=5,total-frames=12", "CartPole", "random", NULL);
  g_autoptr (ReelCollector) uneven =
      collecting_make_collector ("sync:frames-per-batch=10,total-frames=25", ENV, "random", NULL);
  g_autoptr (ReelCollector) none =
      collecting_make_collector ("sync:total-frames=0", "CartPole", "random", NULL);
  g_autoptr (ReelCollector) endless =
      collecting_make_collector ("sync:total-frames=-7", "CartPole", "random", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (reel_collector_count_batches (some, NULL), ==, 3);
  g_assert_cmpint (reel_collector_count_batches (uneven, NULL), ==, 3);
  g_assert_cmpint (reel_collector_count_batches (none, NULL), ==, 0);
  g_assert_cmpint (collecting_next (none, NULL), ==, 0);
  g_assert_cmpint (reel_collector_count_batches (endless, &error), ==, -1);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
}

static void
test_seeds (void)
{
  static const struct
  {
    const char *env;
    guint64 seed;
    ReelSeeding seeding;
    guint64 next;
  } cases[] = {
    { "CartPole", 0, REEL_SEEDING_CHAIN, 795726461 },
    { "CartPole", 0, REEL_SEEDING_STATIC, 0 },
    { "CartPole:num-envs=2", 0, REEL_SEEDING_CHAIN, 2841183792 },
    { "CartPole", 3, REEL_SEEDING_CHAIN, 2346560485 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelCollector) collector =
          collecting_make_collector ("sync", cases[i].env, "random", NULL);
      guint64 next;

      g_assert_true (
          reel_collector_set_seed (collector, cases[i].seed, cases[i].seeding, &next, NULL));
      g_assert_cmpuint (next, ==, cases[i].next);
    }
}

/* ---- batches that are kept ---- */

#define KEPT "sync:frames-per-batch=12,total-frames=120"

static gpointer
data_of (ReelTensordict *batch)
{
  return reel_tensordict_get_tensor (batch, "observation", NULL)->data;
}

/* A reference to a batch, or to one leaf of it, keeps its values. */
static void
test_kept_batches_stay (void)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (KEPT, ENV, "random", NULL);
  g_autoptr (ReelCollector) other = collecting_make_collector (KEPT, ENV, "random", NULL);
  g_autoptr (GPtrArray) kept = g_ptr_array_new (), copies = g_ptr_array_new ();
  ReelTensordict *batch;

  for (gint i = 0; collecting_next (collector, &batch) > 0; i++)
    {
      ReelTensor *leaf = reel_tensordict_ref_tensor (batch, "next/observation", NULL);

      g_ptr_array_add (kept, leaf);
      if (i % 2 == 0)
        g_clear_pointer (&kept->pdata[i], reel_tensor_unref);
      if (i % 2 == 0)
        kept->pdata[i] = reel_tensordict_ref (batch);
    }
  while (collecting_next (other, &batch) > 0)
    g_ptr_array_add (copies, reel_tensordict_clone (batch, TRUE, NULL));
  g_assert_cmpuint (kept->len, ==, 10);
  for (guint i = 0; i < kept->len; i++)
    {
      ReelTensordict *copy = copies->pdata[i];

      if (i % 2 == 0)
        g_assert_true (reel_tensordict_equal (kept->pdata[i], copy));
      else
        g_assert_true (reel_tensor_equal (
            kept->pdata[i], reel_tensordict_get_tensor (copy, "next/observation", NULL)));
      if (i % 2 == 0)
        reel_tensordict_unref (kept->pdata[i]);
      else
        reel_tensor_unref (kept->pdata[i]);
      reel_tensordict_unref (copy);
    }
}

static void
test_others_share_memory (void)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (KEPT, ENV, "random", NULL);
  g_autoptr (ReelCollector) same =
      collecting_make_collector (KEPT ",return-same-td=true", ENV, "random", NULL);
  ReelTensordict *batch, *first;
  gpointer data;

  collecting_next (collector, &batch);
  data = data_of (batch);
  collecting_next (collector, &batch);
  g_assert_true (data_of (batch) == data);
  collecting_next (same, &first);
  collecting_next (same, &batch);
  g_assert_true (batch == first);
}

/* The rows of a list storage share memory with what extends it. */
static void
test_rows_that_share_stay (void)
{
  g_autoptr (ReelReplayBuffer) list = make_buffer ("list");
  g_autoptr (ReelReplayBuffer) tensor = make_buffer ("tensor");
  g_autoptr (ReelCollector) one = collecting_make_collector (
      "sync:frames-per-batch=12,total-frames=60", "CartPole:seed=5", "random", list);
  g_autoptr (ReelCollector) other = collecting_make_collector (
      "sync:frames-per-batch=12,total-frames=60", "CartPole:seed=5", "random", tensor);
  g_autoptr (ReelTensordict) ours = NULL, wanted = NULL;

  while (collecting_next (one, NULL) > 0)
    collecting_next (other, NULL);
  ours = reel_replay_buffer_get_all (list, NULL);
  wanted = reel_replay_buffer_get_all (tensor, NULL);
  g_assert_true (reel_tensordict_equal (ours, wanted));
}

/* ---- rows of steps and of lanes ---- */

/* T14.8-25: writes count in steps, whatever writes them. */
static void
test_steps_are_rows (void)
{
  static const char *const storages[] = { "tensor:ndim=1", "list" };
  g_autoptr (ReelCollector) plain =
      collecting_make_collector ("sync:frames-per-batch=60,total-frames=60", ENV, "random", NULL);
  ReelTensordict *batch;

  collecting_next (plain, &batch);
  for (gsize i = 0; i < G_N_ELEMENTS (storages); i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = make_buffer (storages[i]);
      g_autoptr (ReelCollector) collector = collecting_make_collector (
          "sync:frames-per-batch=12,total-frames=60,extend-buffer=false", ENV, "random", buffer);
      g_autoptr (ReelTensordict) all = NULL, rows = NULL;

      while (collecting_next (collector, NULL) > 0)
        ;
      g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 20);
      all = reel_replay_buffer_get_all (buffer, NULL);
      rows = reel_tensordict_transpose (batch, 0, 1, NULL);
      g_assert_true (reel_tensordict_set_batch_size (all, 2, (const gint64[]){ 20, 3 }, NULL));
      g_assert_true (reel_tensordict_equal (all, rows));
    }
}

/* ---- T14.8-3, T14.8-4: lanes begin anew, each for itself ---- */

static void
test_done_lanes_begin_anew (void)
{
  static const gint32 wanted[] = { 4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 4, 5 };
  g_autoptr (ReelCollector) counting = collecting_make_collector (
      "sync:frames-per-batch=12", "Counting-v0:max-steps=8,start-val=4", "constant:value=1", NULL);
  g_autoptr (ReelCollector) poles = collecting_make_collector (
      "sync:frames-per-batch=200", "CartPole:num-envs=2|step-counter", "random", NULL);
  ReelTensordict *batch;

  collecting_next (counting, &batch);
  g_assert_cmpmem (reel_tensordict_get_tensor (batch, "observation", NULL)->data, sizeof wanted,
                   wanted, sizeof wanted);
  collecting_next (poles, &batch);
  g_autoptr (ReelTensordict) plain = reel_tensordict_contiguous (batch, NULL);
  const guint8 *done = reel_tensordict_get_tensor (plain, "next/done", NULL)->data;
  const gint64 *count =
      (const gint64 *) (gconstpointer) reel_tensordict_get_tensor (plain, "next/step_count", NULL)
          ->data;
  for (gint64 i = 0; i < 200; i++)
    g_assert_cmpint (count[i] == 1, ==, i % 100 == 0 || done[i - 1]);
}

static void
test_lanes_end_apart (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) two = collecting_make (REEL_TYPE_ENV, "Pendulum:max-episode-steps=2");
  g_autoptr (ReelEnv) three = collecting_make (REEL_TYPE_ENV, "Pendulum:max-episode-steps=3");
  g_autoptr (ReelEnv) env = reel_serial_env_new ((ReelEnv *[]){ two, three }, 2, &error);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
  g_assert_no_error (error);
  g_autoptr (ReelCollector) collector =
      reel_collector_new ("sync:frames-per-batch=100", env, policy, NULL, NULL);
  ReelTensordict *batch;

  collecting_next (collector, &batch);
  g_autoptr (ReelTensordict) plain = reel_tensordict_contiguous (batch, NULL);
  const guint8 *truncated = reel_tensordict_get_tensor (plain, "next/truncated", NULL)->data;
  for (gint64 step = 0; step < 50; step++)
    {
      g_assert_cmpint (truncated[step], ==, step % 2 == 1);
      g_assert_cmpint (truncated[50 + step], ==, step % 3 == 2);
    }
}

/* ---- T14.8-9: without trajectory ids ---- */

static void
test_ids_may_be_left_out (void)
{
  g_autoptr (ReelCollector) plain = collecting_make_collector (
      "sync:frames-per-batch=300", "CartPole:seed=5,num-envs=100", "random", NULL);
  g_autoptr (ReelCollector) without =
      collecting_make_collector ("sync:frames-per-batch=300,track-traj-ids=false,threads=3",
                                 "CartPole:seed=5,num-envs=100", "random", NULL);
  ReelTensordict *batch, *other;

  for (gint i = 0; i < 20; i++)
    {
      g_autoptr (ReelTensordict) copy = NULL;

      collecting_next (plain, &batch);
      collecting_next (without, &other);
      g_assert_false (reel_tensordict_contains (other, "collector"));
      copy = reel_tensordict_clone (batch, FALSE, NULL);
      g_assert_true (reel_tensordict_remove (copy, "collector", NULL));
      g_assert_true (reel_tensordict_equal (other, copy));
    }
}

/* ---- hooks: T14.8-17, T14.8-32 ---- */

typedef struct
{
  GString *events;
  ReelTensordict *seen;
  gboolean fails_before, fails_after;
} Hooks;

static gboolean
refuse (GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "not now");
  return FALSE;
}

static gboolean
before (ReelCollector *collector, gpointer user_data, GError **error)
{
  Hooks *hooks = user_data;

  g_string_append (hooks->events, "<");
  return !hooks->fails_before || refuse (error);
}

static gboolean
after (ReelCollector *collector, ReelTensordict *batch, gpointer user_data, GError **error)
{
  Hooks *hooks = user_data;

  g_string_append (hooks->events, ">");
  g_clear_pointer (&hooks->seen, reel_tensordict_unref);
  hooks->seen = reel_tensordict_ref (batch);
  return !hooks->fails_after || refuse (error);
}

static void
end_hooks (gpointer data)
{
  g_string_append (((Hooks *) data)->events, "|");
}

static void
test_hooks (void)
{
  static const char *const texts[] = { "", ",split-trajs=true", ",postproc=(exclude:keys=action)" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *text = g_strconcat (KEPT, texts[i], NULL);
      g_autoptr (ReelCollector) collector = collecting_make_collector (text, ENV, "random", NULL);
      Hooks hooks = { .events = g_string_new (NULL) };
      g_autoptr (GError) error = NULL;
      ReelTensordict *batch;

      reel_collector_set_hooks (collector, before, after, &hooks, end_hooks);
      collecting_next (collector, &batch);
      g_assert_true (hooks.seen == batch);
      hooks.fails_before = TRUE;
      g_assert_cmpint (reel_collector_next (collector, &batch, &error), ==, -1);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
      g_clear_error (&error);
      hooks.fails_before = FALSE;
      hooks.fails_after = TRUE;
      g_assert_cmpint (reel_collector_next (collector, &batch, &error), ==, -1);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
      g_assert_null (batch);
      g_clear_object (&collector);
      g_assert_cmpstr (hooks.events->str, ==, "<><<>|");
      g_clear_pointer (&hooks.seen, reel_tensordict_unref);
      g_string_free (hooks.events, TRUE);
    }
}

/* Of steps that are written in place the hook sees those that the ring still has. */
static void
test_hook_sees_what_was_written (void)
{
  g_autoptr (ReelReplayBuffer) buffer = make_buffer ("tensor:ndim=2");
  g_autoptr (ReelCollector) collector =
      collecting_make_collector ("sync:frames-per-batch=60", ENV, "random", buffer);
  g_autoptr (ReelCollector) plain =
      collecting_make_collector ("sync:frames-per-batch=60", ENV, "random", NULL);
  Hooks hooks = { .events = g_string_new (NULL) };
  ReelTensordict *batch;

  reel_collector_set_hooks (collector, NULL, after, &hooks, NULL);
  for (gint i = 0; i < 5; i++)
    {
      collecting_next (collector, NULL);
      collecting_next (plain, &batch);
      g_assert_true (reel_tensordict_equal (hooks.seen, batch));
      g_assert_cmpstr (reel_tensordict_get_name (hooks.seen, 1), ==, "time");
    }
  g_clear_pointer (&hooks.seen, reel_tensordict_unref);
  g_string_free (hooks.events, TRUE);
}

/* ---- exploration ---- */

static gboolean
note_exploration (gint64 step, gint64 n_lanes, const ReelPolicyIO *io, gpointer user_data,
                  GError **error)
{
  memset (io->action[0], 0, (gsize) n_lanes * 2 * sizeof (gint64));
  *(ReelExploration *) user_data = io->exploration;
  return TRUE;
}

static void
test_policies_read_the_exploration (void)
{
  static const char *const words[] = { "random", "mode", "mean", "deterministic" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      ReelExploration seen = 99;
      g_autofree char *text =
          g_strdup_printf ("sync:frames-per-batch=3,exploration-type=%s", words[i]);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, ENV);
      g_autoptr (ReelPolicy) policy = reel_policy_new_callback (note_exploration, &seen, NULL);
      g_autoptr (ReelCollector) collector = reel_collector_new (text, env, policy, NULL, NULL);

      collecting_next (collector, NULL);
      g_assert_cmpint (seen, ==, i);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_COUNTING_ENV);

#define TEST(path, function) g_test_add_func ("/collectors/arguments/" path, function)
  TEST ("refusals", test_refusals);
  TEST ("accepted", test_accepted);
  TEST ("unlike-rows-are-refused", test_unlike_rows_are_refused);
  TEST ("batches-are-counted", test_batches_are_counted);
  TEST ("seeds", test_seeds);
  TEST ("kept-batches-stay", test_kept_batches_stay);
  TEST ("others-share-memory", test_others_share_memory);
  TEST ("rows-that-share-stay", test_rows_that_share_stay);
  TEST ("steps-are-rows", test_steps_are_rows);
  TEST ("done-lanes-begin-anew", test_done_lanes_begin_anew);
  TEST ("lanes-end-apart", test_lanes_end_apart);
  TEST ("ids-may-be-left-out", test_ids_may_be_left_out);
  TEST ("hooks", test_hooks);
  TEST ("hook-sees-what-was-written", test_hook_sees_what_was_written);
  TEST ("policies-read-the-exploration", test_policies_read_the_exploration);
  return g_test_run ();
}
