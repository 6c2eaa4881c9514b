/* Streams of Gymnasium's vector environments, in each of its three autoreset modes: whichever it
 * is, rows are those of our own env, and none is of a step that nobody took. */
#include "env-steps.h"
#include "golden-tensor.h"

#include <math.h>
#include <string.h>

/* An env that reads a recorded stream; the state of a lane is the call that comes next. The call
 * that it is told to do is what was done. */
typedef struct
{
  ReelEnv parent_instance;
  const json_t *trace;
} ReelStreamEnv;

typedef struct
{
  ReelEnvClass parent_class;
} ReelStreamEnvClass;

GType reel_stream_env_get_type (void);
GType reel_next_stream_env_get_type (void);
GType reel_same_stream_env_get_type (void);
G_DEFINE_TYPE (ReelStreamEnv, reel_stream_env, REEL_TYPE_ENV)

/* The id says which env's specs it has, `Stream-CartPole-v0`. */
static gboolean
is_pendulum (ReelEnv *env)
{
  return strstr (reel_object_get_id (REEL_OBJECT (env)), "Pendulum") != NULL;
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  const char *observation = is_pendulum (env) ? "composite:observation=(unbounded:shape=[3])"
                                              : "composite:observation=(unbounded:shape=[4])";
  const char *action = is_pendulum (env) ? "composite:action=(bounded:low=-2,high=2,shape=[1])"
                                         : "composite:action=(categorical:n=2)";

  reel_env_take_specs (env, reel_spec_new_from_text (observation, error),
                       reel_spec_new_from_text (action, error));
  return reel_env_make_lanes (env, sizeof (gint64), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
}

static const json_t *
at_call (const ReelStreamEnv *self, gint64 call)
{
  return json_array_get (json_object_get (self->trace, "steps"), (gsize) call);
}

static void
observe (const json_t *rows, gint64 lane, guint8 *const *observation)
{
  const json_t *row = json_array_get (rows, (gsize) lane);
  gsize n = json_array_size (row);

  for (gsize i = 0; i < n; i++)
    ((float *) (gpointer) observation[0])[(gsize) lane * n + i] =
        (float) json_number_value (json_array_get (row, i));
}

/* At first, and where who reads the stream asked for it. */
static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelStreamEnv *self = (ReelStreamEnv *) env;

  for (gsize i = 0; i < n; i++)
    {
      gint64 cursor = *(gint64 *) reel_env_get_lane (env, lanes[i]);
      const json_t *call = at_call (self, cursor);

      observe (cursor == 0 ? json_object_get (json_object_get (self->trace, "reset"), "obs")
                           : json_object_get (call, "masked_reset_obs"),
               lanes[i], observation);
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelStreamEnv *self = (ReelStreamEnv *) env;

  for (gint64 lane = begin; lane < end; lane++)
    {
      const json_t *call = at_call (self, (*(gint64 *) reel_env_get_lane (env, lane))++);
      gsize i = (gsize) lane;

      observe (json_object_get (call, "obs"), lane, io->observation);
      io->reward[lane] =
          (float) json_number_value (json_array_get (json_object_get (call, "reward"), i));
      io->terminated[lane] =
          json_integer_value (json_array_get (json_object_get (call, "terminated"), i)) != 0;
      io->truncated[lane] =
          json_integer_value (json_array_get (json_object_get (call, "truncated"), i)) != 0;
    }
}

static void
reel_stream_env_class_init (ReelStreamEnvClass *klass)
{
  static const ReelId ids[] = {
    { "DisabledCartPole-v1", "action-encoding=categorical", "a stream" },
    { "DisabledPendulum-v1", NULL, "a stream" },
    { NULL },
  };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
}

static void
reel_stream_env_init (ReelStreamEnv *self)
{
}

typedef ReelStreamEnv ReelNextStreamEnv, ReelSameStreamEnv;
typedef ReelStreamEnvClass ReelNextStreamEnvClass, ReelSameStreamEnvClass;
G_DEFINE_TYPE (ReelNextStreamEnv, reel_next_stream_env, reel_stream_env_get_type ())
G_DEFINE_TYPE (ReelSameStreamEnv, reel_same_stream_env, reel_stream_env_get_type ())

static void
reel_next_stream_env_class_init (ReelNextStreamEnvClass *klass)
{
  static const ReelId ids[] = {
    { "NextStepCartPole-v1", "action-encoding=categorical", "a stream" },
    { "NextStepPendulum-v1", NULL, "a stream" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_ENV_CLASS (klass)->autoreset = REEL_AUTORESET_NEXT_STEP;
}

static void
reel_next_stream_env_init (ReelNextStreamEnv *self)
{
}

static void
reel_same_stream_env_class_init (ReelSameStreamEnvClass *klass)
{
  static const ReelId ids[] = {
    { "SameStepCartPole-v1", "action-encoding=categorical", "a stream" },
    { "SameStepPendulum-v1", NULL, "a stream" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_ENV_CLASS (klass)->autoreset = REEL_AUTORESET_SAME_STEP;
}

static void
reel_same_stream_env_init (ReelSameStreamEnv *self)
{
}

/* ---- reading ---- */

/* The kind of the call that each lane comes to. */
static ReelTensordict *
act_as_recorded (ReelTensordict *td, gpointer env, GError **error)
{
  ReelStreamEnv *self = env;

  env_steps_set_action (env, td, 0);
  ReelTensor *action = reel_tensordict_get_tensor (td, "action", NULL);
  for (gint64 lane = 0; lane < reel_env_get_num_envs (env); lane++)
    {
      const json_t *done =
          json_object_get (at_call (self, *(gint64 *) reel_env_get_lane (env, lane)), "action");
      const json_t *own = json_array_get (done, (gsize) lane);

      reel_dtype_store_double (
          action->dtype, action->data + (gsize) lane * reel_dtype_size (action->dtype),
          json_number_value (json_is_array (own) ? json_array_get (own, 0) : own));
    }
  return reel_tensordict_ref (td);
}

/* Our own env, seeded as the recorded one. */
static ReelEnv *
open_own (const json_t *trace)
{
  gint64 lanes = json_integer_value (json_object_get (trace, "num_envs"));
  const json_t *limit = json_object_get (trace, "max_episode_steps");
  const json_t *seeds = json_object_get (trace, "seed");
  const char *id = json_string_value (json_object_get (trace, "id"));
  g_autofree char *text =
      g_strdup_printf ("%s:num-envs=%d,action-encoding=categorical%s", id, (int) lanes,
                       json_is_integer (limit) ? ",max-episode-steps=" : "");
  g_autofree char *whole = json_is_integer (limit)
                               ? g_strdup_printf ("%s%d", text, (int) json_integer_value (limit))
                               : g_strdup (text);
  ReelEnv *env = env_steps_open (whole);

  for (gint64 lane = 0; lane < lanes; lane++)
    {
      gint64 own = json_is_array (seeds) ? json_integer_value (json_array_get (seeds, (gsize) lane))
                                         : json_integer_value (seeds) + lane;

      reel_env_seed_lane (env, lane, (guint32[]){ (guint32) own }, 1);
    }
  return env;
}

static void
assert_near (const ReelTensordict *found, const ReelTensordict *expected, const char *path,
             const guint8 *lost)
{
  ReelTensor *a = reel_tensordict_get_tensor (found, path, NULL);
  ReelTensor *b = reel_tensordict_get_tensor (expected, path, NULL);
  gint64 n = reel_tensor_numel (a), rows = reel_tensordict_numel (found);

  g_assert_cmpint (a->dtype, ==, b->dtype);
  g_assert_cmpint (n, ==, reel_tensor_numel (b));
  for (gint64 i = 0; i < n; i++)
    {
      gsize size = reel_dtype_size (a->dtype);
      double x = reel_dtype_load_double (a->dtype, a->data + (gsize) i * size);
      double y = reel_dtype_load_double (b->dtype, b->data + (gsize) i * size);

      if (lost != NULL && lost[i / (n / rows)])
        g_assert_true (isnan (x));
      else
        g_assert_cmpfloat (fabs (x - y), <=, 2e-5);
    }
}

static void
check_trace (const json_t *trace)
{
  static const char *const paths[] = { "observation",     "done",
                                       "next/reward",     "next/done",
                                       "next/terminated", "next/truncated" };
  const char *mode = json_string_value (json_object_get (trace, "autoreset_mode"));
  gint64 lanes = json_integer_value (json_object_get (trace, "num_envs"));
  gint64 calls = (gint64) json_array_size (json_object_get (trace, "steps"));
  gboolean disabled = g_str_equal (mode, "Disabled");
  /* The caller that resets a stream truncates it. */
  g_autofree char *text = g_strdup_printf (
      "%s%s:num-envs=%d,max-episode-steps=%d", mode,
      json_string_value (json_object_get (trace, "id")), (int) lanes,
      disabled ? (int) json_integer_value (json_object_get (trace, "max_episode_steps")) : 0);
  g_autoptr (ReelEnv) stream = env_steps_open (text), own = open_own (trace);
  gboolean next = g_str_equal (mode, "NextStep"), same = g_str_equal (mode, "SameStep");
  ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS,
                                 .act = act_as_recorded,
                                 .act_data = stream };
  g_autoptr (ReelTensordict) td = NULL, expected = NULL;
  g_autoptr (GError) error = NULL;

  ((ReelStreamEnv *) stream)->trace = trace;
  /* Of the calls of a lane that resets itself in the next step, some are no steps. */
  td = reel_env_rollout (stream, next ? calls - calls / 3 : calls, &options, &error);
  g_assert_no_error (error);
  options = (ReelRolloutOptions){ .end = REEL_ROLLOUT_MAX_STEPS, .actions = td };
  expected = reel_env_rollout (own, 1000, &options, &error);
  g_assert_no_error (error);

  g_autoptr (ReelTensordict) found = reel_tensordict_transpose (td, 0, 1, NULL);
  g_autoptr (ReelTensordict) ours = reel_tensordict_transpose (expected, 0, 1, NULL);
  ReelTensor *done = reel_tensordict_get_tensor (found, "next/done", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    assert_near (found, ours, paths[i], NULL);
  assert_near (found, ours, "next/observation", same ? done->data : NULL);
  g_assert_nonnull (memchr (done->data, TRUE, (gsize) reel_tensor_numel (done)));
}

/* ---- our own env, read in each mode ---- */

static void
assert_rows (const ReelTensordict *td, const char *path, const json_t *rows)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);
  gint64 lanes = reel_tensordict_numel (td), n = reel_tensor_numel (tensor) / lanes;

  for (gint64 i = 0; i < lanes * n; i++)
    {
      const json_t *row = json_array_get (rows, (gsize) (i / n));
      const json_t *number = json_is_array (row) ? json_array_get (row, (gsize) (i % n)) : row;
      double found = reel_dtype_load_double (
          tensor->dtype, tensor->data + (gsize) i * reel_dtype_size (tensor->dtype));

      if (!json_is_null (row))
        g_assert_cmpfloat (fabs (found - json_number_value (number)), <=, 2e-5);
    }
}

static void
act (ReelEnv *env, ReelTensordict *td, const json_t *actions)
{
  env_steps_set_action (env, td, 0);
  ReelTensor *action = reel_tensordict_get_tensor (td, "action", NULL);

  for (gint64 lane = 0; lane < reel_env_get_num_envs (env); lane++)
    {
      const json_t *own = json_array_get (actions, (gsize) lane);

      reel_dtype_store_double (
          action->dtype, action->data + (gsize) lane * reel_dtype_size (action->dtype),
          json_number_value (json_is_array (own) ? json_array_get (own, 0) : own));
    }
}

/* Where nothing is reset by itself: the lanes that are done, as the recording did before
 * @call. */
static void
reset_done (ReelEnv *env, ReelTensordict *td, const json_t *call)
{
  ReelTensor *done = reel_tensordict_get_tensor (td, "done", NULL);
  g_autoptr (ReelTensordict) refused = NULL, reset = NULL;
  g_autoptr (GError) error = NULL;

  if (memchr (done->data, TRUE, (gsize) reel_tensor_numel (done)) == NULL)
    return;
  refused = reel_env_vector_step (env, REEL_AUTORESET_DISABLED, td, &error);
  g_assert_null (refused);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "is done"));
  g_clear_error (&error);
  g_assert_true (reel_tensordict_set_tensor (td, "_reset", done, &error));
  reset = reel_env_reset (env, td, &error);
  g_assert_no_error (error);
  assert_rows (td, "observation", json_object_get (call, "masked_reset_obs"));
}

static void
read_trace (const json_t *trace)
{
  const char *name = json_string_value (json_object_get (trace, "autoreset_mode"));
  ReelAutoreset mode = g_str_equal (name, "NextStep")   ? REEL_AUTORESET_NEXT_STEP
                       : g_str_equal (name, "SameStep") ? REEL_AUTORESET_SAME_STEP
                                                        : REEL_AUTORESET_DISABLED;
  g_autoptr (ReelEnv) env = open_own (trace);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, &error);
  const json_t *call;
  gsize i;

  assert_rows (td, "observation", json_object_get (json_object_get (trace, "reset"), "obs"));
  json_array_foreach (json_object_get (trace, "steps"), i, call)
  {
    g_autoptr (ReelTensordict) last = g_steal_pointer (&td);
    const json_t *final = json_object_get (json_object_get (call, "info"), "final_obs");

    if (mode == REEL_AUTORESET_DISABLED)
      reset_done (env, last, call);
    act (env, last, json_object_get (call, "action"));
    td = reel_env_vector_step (env, mode, last, &error);
    g_assert_no_error (error);
    assert_rows (td, "observation", json_object_get (call, "obs"));
    assert_rows (td, "reward", json_object_get (call, "reward"));
    assert_rows (td, "terminated", json_object_get (call, "terminated"));
    assert_rows (td, "truncated", json_object_get (call, "truncated"));
    g_assert_cmpint (reel_tensordict_contains (td, "final"), ==, mode == REEL_AUTORESET_SAME_STEP);
    if (final != NULL)
      assert_rows (td, "final/observation", final);
  }
}

static void
test_streams (gconstpointer check)
{
  g_autoptr (json_t) file = golden_load ("gymnasium/vector.json");
  const json_t *trace;
  gsize i;
  gint n = 0;

  json_array_foreach (
      json_object_get (file, "traces"), i,
      trace) if (g_strcmp0 (json_string_value (json_object_get (trace, "vectorization_mode")),
                            "sync")
                 == 0)
  {
    ((void (*) (const json_t *)) check) (trace);
    n++;
  }
  g_assert_cmpint (n, ==, 9);
}

/* A single lane, whose rewards and flags are those of the mode; what is given stays as it is. */
static void
test_single (gconstpointer data)
{
  ReelAutoreset mode = GPOINTER_TO_INT (data);
  g_autoptr (ReelEnv) env = env_steps_open ("CartPole:max-episode-steps=2");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, &error);

  for (gint call = 0; call < 5; call++)
    {
      gboolean ghost = mode == REEL_AUTORESET_NEXT_STEP && call % 3 == 2;
      gint done = mode == REEL_AUTORESET_NEXT_STEP ? call % 3 == 1 : call % 2;
      g_autoptr (ReelTensordict) last = g_steal_pointer (&td), before = NULL;

      act (env, last, NULL);
      before = reel_tensordict_clone (last, TRUE, NULL);
      td = reel_env_vector_step (env, mode, last, &error);
      g_assert_no_error (error);
      g_assert_true (reel_tensordict_equal (before, last));
      g_assert_cmpint (*reel_tensordict_get_tensor (td, "done", NULL)->data, ==, done);
      g_assert_cmpfloat (
          reel_dtype_load_double (REEL_DTYPE_FLOAT32,
                                  reel_tensordict_get_tensor (td, "reward", NULL)->data),
          ==, ghost ? 0 : 1);
      g_assert_false (reel_tensordict_contains (td, "action"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (reel_stream_env_get_type ());
  g_type_ensure (reel_next_stream_env_get_type ());
  g_type_ensure (reel_same_stream_env_get_type ());

  g_test_add_data_func ("/envs/streams/as-our-own-env", check_trace, test_streams);
  g_test_add_data_func ("/envs/streams/read-in-each-mode", read_trace, test_streams);
  g_test_add_data_func ("/envs/streams/single-lane/next-step",
                        GINT_TO_POINTER (REEL_AUTORESET_NEXT_STEP), test_single);
  g_test_add_data_func ("/envs/streams/single-lane/same-step",
                        GINT_TO_POINTER (REEL_AUTORESET_SAME_STEP), test_single);
  return g_test_run ();
}
