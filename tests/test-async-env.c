/* Lanes that are sent and received apart from one another have the data that they have together,
 * arrive as they are ready, and wait for nobody. */
#include <string.h>

#include "collecting.h"
#include "fragile-env.h"
#include "gated-env.h"
#include "orders.h"

#define STEPS 40

/* ---- rows ---- */

static ReelTensor *
numbers (const gint64 *values, gint64 n)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);

  memcpy (tensor->data, values, (gsize) n * sizeof *values);
  return tensor;
}

static void
set_numbers (ReelTensordict *td, const char *path, const gint64 *values, gint64 n)
{
  g_autoptr (ReelTensor) tensor = numbers (values, n);

  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
}

static const gint64 *
get_numbers (ReelTensordict *td, const char *path)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);

  g_assert_nonnull (tensor);
  g_assert_cmpint (tensor->dtype, ==, REEL_DTYPE_INT64);
  return (const gint64 *) (gpointer) tensor->data;
}

/* row: of a lane, without a batch size. */
static ReelTensordict *
row (ReelTensordict *td, gint64 lane)
{
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  return ndim == 0 ? reel_tensordict_ref (td) : reel_tensordict_select_index (td, 0, lane, NULL);
}

static void
assert_row (ReelTensordict *ours, gint64 i, ReelTensordict *expected, gint64 lane)
{
  g_autoptr (ReelTensordict) bare =
      reel_tensordict_exclude_keys (ours, (const char *const[]){ "env_index", NULL });
  g_autoptr (ReelTensordict) a = row (bare, i), b = row (expected, lane);

  if (!reel_tensordict_equal (a, b))
    {
      g_autofree char *a_text = reel_tensordict_to_string (a);
      g_autofree char *b_text = reel_tensordict_to_string (b);

      g_error ("row %" G_GINT64_FORMAT " of lane %" G_GINT64_FORMAT " is %s, expected %s", i, lane,
               a_text, b_text);
    }
}

/* ---- the same bytes ---- */

/* Steps of an env, all lanes together, with a policy that remembers how often it acted. */
typedef struct
{
  gint64 n_lanes;
  ReelTensordict *first;
  ReelTensordict *steps[STEPS], *begins[STEPS];
} Recording;

static void
set_hidden (ReelTensordict *td, const char *path, const ReelTensordict *from)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  gint64 shape[2] = { ndim > 0 ? size[0] : 1, 1 };
  g_autoptr (ReelTensor) hidden =
      reel_tensor_new (REEL_DTYPE_FLOAT32, ndim + 1, shape + 1 - ndim, NULL);
  float *to = (float *) (gpointer) hidden->data;
  const ReelTensor *known = from ? reel_tensordict_get_tensor (from, "hidden", NULL) : NULL;

  for (gint64 i = 0; i < shape[0]; i++)
    to[i] = known ? ((const float *) (gconstpointer) known->data)[i] + 1 : 0;
  g_assert_true (reel_tensordict_set_tensor (td, path, hidden, NULL));
}

static void
record (const char *text, Recording *recording)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);

  recording->n_lanes = reel_env_get_num_envs (env);
  set_hidden (td, "hidden", NULL);
  recording->first = reel_tensordict_clone (td, TRUE, NULL);
  for (int t = 0; t < STEPS; t++)
    {
      g_autoptr (ReelTensordict) acted = reel_env_rand_action (env, td, NULL);

      set_hidden (acted, "next/hidden", td);
      recording->begins[t] = reel_env_step_and_maybe_reset (env, acted, NULL);
      recording->steps[t] = reel_tensordict_clone (acted, TRUE, NULL);
      g_clear_pointer (&td, reel_tensordict_unref);
      td = reel_tensordict_clone (recording->begins[t], TRUE, NULL);
    }
}

static void
recording_clear (Recording *recording)
{
  reel_tensordict_unref (recording->first);
  for (int t = 0; t < STEPS; t++)
    {
      reel_tensordict_unref (recording->steps[t]);
      reel_tensordict_unref (recording->begins[t]);
    }
}

static const char *const written[] = { "action", "next/hidden", NULL };

/* send_rows: the rows of @begin go on, each with what was recorded for the next step of its lane,
 * unless that was the last. */
static void
send_rows (ReelEnv *env, const Recording *recording, ReelTensordict *begin, const gint64 *lanes,
           gint64 n, const gint64 *counts)
{
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (ReelTensordict) td = NULL;
  gint64 sent[GATED_LANES];
  GError *error = NULL;

  for (gint64 i = 0; i < n; i++)
    if (counts[lanes[i]] < STEPS)
      {
        g_autoptr (ReelTensordict) view = row (begin, i);
        g_autoptr (ReelTensordict) acted = row (recording->steps[counts[lanes[i]]], lanes[i]);
        ReelTensordict *made = reel_tensordict_clone (view, TRUE, NULL);

        g_assert_true (reel_tensordict_update (made, acted, written, TRUE, NULL));
        sent[rows->len] = lanes[i];
        g_ptr_array_add (rows, made);
      }
  if (rows->len == 0)
    return;
  td = reel_tensordict_stack ((ReelTensordict *const *) rows->pdata, rows->len, 0, NULL);
  set_numbers (td, "env_index", sent, rows->len);
  g_assert_true (reel_env_send (env, td, &error));
  g_assert_no_error (error);
}

/* receive: as many as it may, or one. */
static ReelTensordict *
receive (ReelEnv *env, gint64 n, ReelTensordict **begin)
{
  GError *error = NULL;
  ReelTensordict *step = reel_env_recv (env, n, 60000, begin, &error);

  if (step == NULL && g_error_matches (error, REEL_ERROR, REEL_ERROR_VALUE))
    {
      g_clear_error (&error);
      step = reel_env_recv (env, 1, 60000, begin, &error);
    }
  g_assert_no_error (error);
  return step;
}

/* play: @text apart, at most @most lanes at a time. */
static void
play (const char *text, const Recording *recording, gint64 most)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);
  g_autoptr (ReelTensordict) first = NULL;
  gint64 lanes[GATED_LANES], counts[GATED_LANES] = { 0 }, n_rows = 0;

  for (gint64 lane = 0; lane < recording->n_lanes; lane++)
    lanes[lane] = lane;
  set_hidden (td, "hidden", NULL);
  assert_row (td, 0, recording->first, 0);
  send_rows (env, recording, td, lanes, recording->n_lanes, counts);
  while (reel_env_count_sent (env) > 0)
    {
      g_autoptr (ReelTensordict) begin = NULL;
      g_autoptr (ReelTensordict) step =
          receive (env, g_test_rand_int_range (1, (int) most + 1), &begin);
      const gint64 *index = get_numbers (step, "env_index");
      gint ndim;
      gint64 n = reel_tensordict_get_batch_size (step, &ndim)[0];

      g_assert_cmpmem (index, (gsize) n * sizeof *index, get_numbers (begin, "env_index"),
                       (gsize) n * sizeof *index);
      for (gint64 i = 0; i < n; i++)
        {
          g_assert_true (i == 0 || index[i - 1] < index[i]);
          assert_row (step, i, recording->steps[counts[index[i]]], index[i]);
          assert_row (begin, i, recording->begins[counts[index[i]]++], index[i]);
        }
      n_rows += n;
      send_rows (env, recording, begin, index, n, counts);
    }
  g_assert_cmpint (n_rows, ==, recording->n_lanes * STEPS);
}

static const char *const envs[] = {
  "Fragile-v0:num-envs=7",
  "Fragile-v0:num-envs=1",
  "CartPole:num-envs=5|step-counter:max-steps=7|reward-sum",
  "serial:num-envs=6,envs=[MountainCar,''MountainCar:max-episode-steps=5'']",
  "Pendulum:num-envs=4,max-episode-steps=9,from-pixels=true,width=20,height=16",
};

static const char *const workers[] = {
  "workers=1",
  "workers=3",
  "kind=processes,workers=1",
  "kind=processes,workers=2",
  "kind=processes,workers=9,on-error=restart",
};

static void
test_data_are_those_of_all_together (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (envs); i++)
    {
      g_autofree char *bare = g_strdup_printf ("parallel:'%s',workers=1", envs[i]);
      Recording recording = { 0 };

      record (bare, &recording);
      for (guint k = 0; k < G_N_ELEMENTS (workers); k++)
        {
          g_autofree char *text = g_strdup_printf ("parallel:'%s',%s", envs[i], workers[k]);

          g_test_message ("%s", text);
          play (text, &recording, recording.n_lanes);
        }
      recording_clear (&recording);
    }
}

/* ---- the order of arrival ---- */

static ReelEnv *
open_gated (const char *arguments, gint64 n_lanes)
{
  g_autofree char *text =
      g_strdup_printf ("parallel:'Gated-v0:num-envs=%" G_GINT64_FORMAT "',%s", n_lanes, arguments);
  ReelEnv *env = collecting_make (REEL_TYPE_ENV, text);

  gated_env_open ();
  reel_tensordict_unref (reel_env_reset (env, NULL, NULL));
  return env;
}

/* send: an action of each of these lanes. */
static gboolean
send (ReelEnv *env, const gint64 *lanes, gint64 n, GError **error)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, &n);
  gint64 actions[GATED_LANES];

  for (gint64 i = 0; i < n; i++)
    actions[i] = lanes[i] % 3;
  set_numbers (td, "action", actions, n);
  set_numbers (td, "env_index", lanes, n);
  return reel_env_send (env, td, error);
}

static void
send_some (ReelEnv *env, const gint64 *lanes, gint64 n)
{
  GError *error = NULL;

  g_assert_true (send (env, lanes, n, &error));
  g_assert_no_error (error);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return (int) (*(const gint64 *) a - *(const gint64 *) b);
}

/* assert_received: the next @n are these lanes, in the order of their numbers. */
static void
assert_received (ReelEnv *env, const gint64 *lanes, gint64 n)
{
  GError *error = NULL;
  g_autoptr (ReelTensordict) step = reel_env_recv (env, n, 60000, NULL, &error);
  g_autofree gint64 *sorted = g_memdup2 (lanes, (gsize) n * sizeof *lanes);

  g_assert_no_error (error);
  qsort (sorted, (gsize) n, sizeof *sorted, compare);
  g_assert_cmpmem (get_numbers (step, "env_index"), (gsize) n * sizeof *sorted, sorted,
                   (gsize) n * sizeof *sorted);
}

/* Bit i of @cuts says that a batch ends behind the lane that came as number i. */
static void
receive_in_batches (ReelEnv *env, const gint64 *order, int n, guint cuts, gboolean let_through)
{
  for (int from = 0, to; from < n; from = to)
    {
      for (to = from + 1; to < n && !(cuts >> (to - 1) & 1);)
        to++;
      for (int i = from; let_through && i < to; i++)
        gated_env_let_through (order[i]);
      assert_received (env, order + from, to - from);
    }
}

/* Every order in which four lanes become ready, received in every way. */
static void
test_lanes_arrive_as_they_are_ready (void)
{
  static const char *const kinds[] = { "workers=4", "kind=processes,workers=4" };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autoptr (ReelEnv) env = open_gated (kinds[k], 4);

      for (guint cuts = 0; cuts < 8; cuts++)
        {
          gint64 order[] = { 0, 1, 2, 3 };

          do
            {
              for (gint64 lane = 0; lane < 4; lane++)
                gated_env_shut (lane);
              send_some (env, (const gint64[]){ 2, 0, 3, 1 }, 4);
              receive_in_batches (env, order, 4, cuts, TRUE);
            }
          while (orders_next (order, 4));
        }
      gated_env_open ();
    }
}

/* One thread steps lanes as they were sent: the first that are ready are received first, even if
 * all are. */
static void
test_first_ready_is_first_received (void)
{
  g_autoptr (ReelEnv) env = open_gated ("workers=1", 4);

  for (guint cuts = 0; cuts < 8; cuts++)
    {
      gint64 order[] = { 0, 1, 2, 3 };

      do
        {
          send_some (env, order, 1);
          send_some (env, order + 1, 3);
          receive_in_batches (env, order, 4, cuts, FALSE);
        }
      while (orders_next (order, 4));
    }
}

/* Seven lanes do all their steps while one is in its first. */
static void
test_slow_lane_holds_up_nobody (void)
{
  static const char *const kinds[] = { "workers=2", "kind=processes,workers=8" };
  static const gint64 all[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, quick[] = { 0, 1, 2, 4, 5, 6, 7 },
                      slow[] = { 3 };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autoptr (ReelEnv) env = open_gated (kinds[k], 8);
      g_autoptr (GError) error = NULL;

      gated_env_shut (3);
      send_some (env, all, 8);
      for (int t = 0; t < 20; t++)
        {
          assert_received (env, quick, 7);
          send_some (env, quick, 7);
        }
      assert_received (env, quick, 7);
      g_assert_null (reel_env_recv (env, 1, 0, NULL, &error));
      g_assert_true (g_error_matches (error, REEL_ERROR, REEL_ERROR_TIMEOUT));
      g_assert_cmpstr (error->message, ==,
                       "0 of 1 lanes were ready after 0 ms; lane 3 is still at work");
      gated_env_let_through (3);
      assert_received (env, slow, 1);
      g_assert_cmpint (reel_env_count_sent (env), ==, 0);
      gated_env_open ();
    }
}

/* A wait that ends early loses nothing. */
static void
test_lanes_are_received_after_a_timeout (void)
{
  g_autoptr (ReelEnv) env = open_gated ("workers=2", 3);
  static const gint64 all[] = { 0, 1, 2 };
  g_autoptr (GError) error = NULL;

  gated_env_shut (1);
  send_some (env, all, 3);
  g_assert_null (reel_env_recv (env, 3, 30, NULL, &error));
  g_assert_true (g_error_matches (error, REEL_ERROR, REEL_ERROR_TIMEOUT));
  g_assert_nonnull (strstr (error->message, "lane 1 is still at work"));
  gated_env_open ();
  assert_received (env, all, 3);
}

/* The lanes of a process step together: once all of them were sent. */
static void
test_share_of_a_process_steps_together (void)
{
  g_autoptr (ReelEnv) env = open_gated ("kind=processes,workers=2", 5);
  g_autoptr (GError) error = NULL;

  send_some (env, (const gint64[]){ 4, 0 }, 2);
  g_assert_null (reel_env_recv (env, 1, 0, NULL, &error));
  g_assert_cmpstr (error->message, ==,
                   "cannot receive 1 lanes: 0 are on their way; lanes 0 to 2 step together, once "
                   "all of them were sent");
  send_some (env, (const gint64[]){ 3 }, 1);
  assert_received (env, (const gint64[]){ 3, 4 }, 2);
  send_some (env, (const gint64[]){ 2, 1 }, 2);
  assert_received (env, (const gint64[]){ 0, 1 }, 2);
  assert_received (env, (const gint64[]){ 2 }, 1);
}

/* ---- what is refused ---- */

static void
assert_not_sent (ReelEnv *env, ReelTensordict *td, int code, const char *message)
{
  g_autoptr (GError) error = NULL;
  gint64 before = reel_env_count_sent (env);

  g_assert_false (reel_env_send (env, td, &error));
  g_test_message ("%s", error->message);
  g_assert_cmpstr (error->message, ==, message);
  g_assert_cmpint (error->code, ==, code);
  g_assert_cmpint (reel_env_count_sent (env), ==, before);
}

static void
assert_lanes_not_sent (ReelEnv *env, const gint64 *lanes, gint64 n, int code, const char *message)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, &n);
  gint64 actions[GATED_LANES] = { 0 };

  set_numbers (td, "action", actions, n);
  set_numbers (td, "env_index", lanes, n);
  assert_not_sent (env, td, code, message);
}

#define LANES(...)                                                                                 \
  (const gint64[]){ __VA_ARGS__ }, sizeof ((const gint64[]){ __VA_ARGS__ }) / sizeof (gint64)

static void
test_lanes_that_cannot_be_sent (void)
{
  g_autoptr (ReelEnv) env = open_gated ("workers=1", 4);

  assert_lanes_not_sent (env, LANES (0, 4), REEL_ERROR_INDEX,
                         "\"env_index\" has lane 4, the env has lanes 0 to 3");
  assert_lanes_not_sent (env, LANES (-1), REEL_ERROR_INDEX,
                         "\"env_index\" has lane -1, the env has lanes 0 to 3");
  assert_lanes_not_sent (env, LANES (1, 2, 1), REEL_ERROR_RUNTIME,
                         "\"env_index\" has lane 1 twice");
  send_some (env, (const gint64[]){ 2 }, 1);
  assert_lanes_not_sent (env, LANES (0, 2), REEL_ERROR_RUNTIME,
                         "lane 2 was sent already: receive its step before the next is sent");
  assert_received (env, (const gint64[]){ 2 }, 1);
  reel_env_set_seed (env, 0, REEL_SEEDING_LANES);
  assert_lanes_not_sent (env, LANES (1), REEL_ERROR_RUNTIME,
                         "lane 1 was not reset since it was seeded; reset the env before its first "
                         "step");
}

static void
test_data_that_cannot_be_sent (void)
{
  static const gint64 two = 2, lanes[] = { 0, 1 };
  g_autoptr (ReelEnv) env = open_gated ("workers=1", 4);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, &two);
  g_autoptr (ReelTensor) floats = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &two, NULL);

  assert_not_sent (env, td, REEL_ERROR_RUNTIME,
                   "what is sent has a batch size of [2], the env has 4 lanes: name the lanes of "
                   "its rows in \"env_index\"");
  reel_tensordict_set_tensor (td, "env_index", floats, NULL);
  assert_not_sent (env, td, REEL_ERROR_TYPE, "\"env_index\" is float32, and must be int64");
  set_numbers (td, "env_index", lanes, 2);
  reel_tensordict_set_tensor (td, "action", floats, NULL);
  assert_not_sent (env, td, REEL_ERROR_TYPE, "\"action\" is float32, the env has int64 there");
  set_numbers (td, "action", lanes, 2);
  set_numbers (td, "_step", lanes, 2);
  assert_not_sent (env, td, REEL_ERROR_VALUE,
                   "\"_step\" cannot be sent: send the rows of the lanes that step, with "
                   "\"env_index\"");
}

static void
assert_not_received (ReelEnv *env, gint64 n, int code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_env_recv (env, n, 0, NULL, &error));
  g_assert_cmpstr (error->message, ==, message);
  g_assert_cmpint (error->code, ==, code);
}

static void
test_what_cannot_be_received (void)
{
  g_autoptr (ReelEnv) env = open_gated ("workers=1", 4);
  g_autoptr (ReelEnv) bare = collecting_make (REEL_TYPE_ENV, "CartPole");

  assert_not_received (env, 1, REEL_ERROR_RUNTIME,
                       "cannot receive lanes: none was sent since the last were received");
  assert_not_received (env, 0, REEL_ERROR_VALUE, "cannot receive 0 lanes: at least 1");
  send_some (env, (const gint64[]){ 2, 3 }, 2);
  assert_not_received (env, 3, REEL_ERROR_VALUE, "cannot receive 3 lanes: 2 are on their way");
  assert_received (env, (const gint64[]){ 2, 3 }, 2);
  assert_not_received (bare, 1, REEL_ERROR_NOT_IMPLEMENTED,
                       "CartPole-v1 steps its lanes together: lanes are sent and received one by "
                       "one where workers step them, as in parallel:'CartPole|step-counter'");
}

/* Lanes that were sent with other keys are received apart. */
static void
test_keys_of_a_batch_are_the_same (void)
{
  static const gint64 one = 1, lane = 1;
  g_autoptr (ReelEnv) env = open_gated ("workers=1", 2);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, &one);
  g_autoptr (GError) error = NULL;

  set_numbers (td, "action", &lane, 1);
  set_numbers (td, "env_index", &lane, 1);
  set_numbers (td, "more", &lane, 1);
  send_some (env, (const gint64[]){ 0 }, 1);
  g_assert_true (reel_env_send (env, td, NULL));
  g_assert_null (reel_env_recv (env, 2, 60000, NULL, &error));
  g_assert_nonnull (strstr (error->message, "sent with the same keys"));
  assert_received (env, (const gint64[]){ 0 }, 1);
  assert_received (env, (const gint64[]){ 1 }, 1);
}

/* ---- other calls meanwhile ---- */

/* check_columns: steps of ranges, as of collectors, leave lanes alone that were sent. */
static void
check_columns (ReelEnv *env)
{
  gint64 actions[3] = { 0 }, counts[3];
  float reward[3];
  guint8 flags[3][3];
  const guint8 *action = (const guint8 *) actions;
  guint8 *count = (guint8 *) counts;
  const ReelEnvIO io = { .action = &action,
                         .observation = &count,
                         .reward = reward,
                         .terminated = flags[0],
                         .truncated = flags[1],
                         .done = flags[2] };
  g_autoptr (GError) error = NULL;

  reel_env_step_lanes (env, 0, 1, &io);
  g_assert_true (reel_env_check_faults (env, NULL));
  reel_env_step_lanes (env, 1, 3, &io);
  g_assert_false (reel_env_check_faults (env, &error));
  g_assert_nonnull (strstr (error->message, "lane 1 could not be simulated"));
  g_assert_nonnull (strstr (error->message, "it was sent, and must be received first"));
}

static void
test_sent_lane_is_left_alone (void)
{
  g_autoptr (ReelEnv) env = open_gated ("workers=2", 3);
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL), reset = NULL;
  g_autoptr (GError) error = NULL;

  send_some (env, (const gint64[]){ 1, 2 }, 2);
  g_assert_false (reel_env_rand_step (env, td, &error));
  g_assert_cmpstr (error->message, ==,
                   "parallel: 2 lanes were sent: receive them by reel_env_recv() first");
  check_columns (env);
  assert_received (env, (const gint64[]){ 1, 2 }, 2);
  g_assert_true (reel_env_rand_step (env, td, NULL));
}

static void
test_reset_drops_what_was_sent (void)
{
  g_autoptr (ReelEnv) env = open_gated ("workers=2", 3);
  g_autoptr (ReelTensordict) td = NULL, step = NULL;
  g_autoptr (GError) error = NULL;
  static const gint64 all[] = { 0, 1, 2 };

  send_some (env, all, 3);
  assert_received (env, all, 3);
  send_some (env, all, 2);
  td = reel_env_reset (env, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_env_count_sent (env), ==, 0);
  send_some (env, all, 3);
  step = reel_env_recv (env, 3, 60000, NULL, NULL);
  for (int lane = 0; lane < 3; lane++)
    g_assert_cmpint (get_numbers (step, "next/count")[lane], ==, 1);
}

static void
test_state_is_that_after_the_step (void)
{
  g_autoptr (ReelEnv) env = open_gated ("workers=2", 3);
  gsize size = reel_env_get_state_size (env);
  g_autofree gpointer state = g_malloc (size);
  g_autoptr (ReelTensordict) step = NULL;

  send_some (env, (const gint64[]){ 1 }, 1);
  reel_env_get_state (env, 1, state);
  assert_received (env, (const gint64[]){ 1 }, 1);
  send_some (env, (const gint64[]){ 1 }, 1);
  assert_received (env, (const gint64[]){ 1 }, 1);
  reel_env_set_state (env, 1, state);
  send_some (env, (const gint64[]){ 1 }, 1);
  step = reel_env_recv (env, 1, 60000, NULL, NULL);
  g_assert_cmpint (*get_numbers (step, "next/count"), ==, 2);
}

/* What is on its way does not outlive the env. */
static void
test_env_ends_with_lanes_on_their_way (void)
{
  static const char *const kinds[] = { "workers=1", "kind=processes,workers=4" };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (gint64 n = 1; n <= 4; n++)
      {
        g_autoptr (ReelEnv) env = open_gated (kinds[k], 4);

        send_some (env, (const gint64[]){ 3, 2, 1, 0 }, n);
      }
}

/* ---- lanes that fail ---- */

/* play_fragile: 20 steps of each of the lanes 0 to 6; the error of the first that fails. */
static GError *
play_fragile (ReelEnv *env, gint64 *n_truncated)
{
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, NULL);
  gint64 lanes[] = { 0, 1, 2, 3, 4, 5, 6 }, counts[7] = { 0 };
  GError *error = NULL;

  g_assert_nonnull (td);
  *n_truncated = 0;
  send_some (env, lanes, 7);
  while (reel_env_count_sent (env) > 0)
    {
      g_autoptr (ReelTensordict) step = reel_env_recv (env, 1, 60000, NULL, &error);

      if (step == NULL)
        return error;
      *n_truncated += *reel_tensordict_get_tensor (step, "next/truncated", NULL)->data;
      if (++counts[*get_numbers (step, "env_index")] < 20
          && !send (env, get_numbers (step, "env_index"), 1, &error))
        return error;
    }
  return NULL;
}

static void
test_failure_names_lane_step_and_seed (void)
{
  static const char *const kinds[] = { "workers=2", "kind=processes,workers=7" };
  static const FragileHow ways[] = { FRAGILE_REPORT, FRAGILE_ABORT };
  static const gint64 one[] = { 0 };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autofree char *text = g_strdup_printf ("parallel:'Fragile-v0:num-envs=7',%s", kinds[k]);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
      g_autoptr (GError) error = NULL, sent = NULL, received = NULL;
      gint64 n_truncated;

      fragile_env_break (ways[k], 4, 3);
      error = play_fragile (env, &n_truncated);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "lane 4 could not be simulated in step 3"));
      if (k == 1)
        g_assert_nonnull (strstr (error->message, "the seed of the lane was 4"));
      g_assert_false (send (env, one, 1, &sent));
      g_assert_nonnull (strstr (sent->message, "reset the env before it goes on: "));
      g_assert_nonnull (strstr (sent->message, "lane 4 could not be simulated in step 3"));
      g_assert_null (reel_env_recv (env, 1, 60000, NULL, &received));
      g_assert_cmpstr (received->message, ==, sent->message);
      fragile_env_break (FRAGILE_NOWHERE, 0, 0);
      if (k == 0)
        {
          g_assert_null (play_fragile (env, &n_truncated));
          g_assert_cmpint (n_truncated, ==, 0);
        }
    }
}

static void
test_processes_are_replaced (void)
{
  static const char *const reactions[] = { "restart", "drop" };

  for (guint k = 0; k < G_N_ELEMENTS (reactions); k++)
    {
      g_autofree char *text = g_strdup_printf (
          "parallel:'Fragile-v0:num-envs=7',kind=processes,workers=7,on-error=%s", reactions[k]);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
      g_autoptr (GError) error = NULL;
      gint64 n_truncated;

      fragile_env_break (FRAGILE_ABORT, 4, 3);
      error = play_fragile (env, &n_truncated);
      fragile_env_break (FRAGILE_NOWHERE, 0, 0);
      g_assert_cmpint (reel_env_get_n_restarts (env), ==, 1);
      if (k == 0)
        g_assert_nonnull (strstr (error->message, "twice in the same place"));
      else
        {
          g_assert_no_error (error);
          g_assert_cmpint (n_truncated, ==, 1);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_FRAGILE_ENV);
  gated_env_init ();
#define TEST(name, function) g_test_add_func ("/envs/async/" name, function)
  TEST ("data-are-those-of-all-together", test_data_are_those_of_all_together);
  TEST ("lanes-arrive-as-they-are-ready", test_lanes_arrive_as_they_are_ready);
  TEST ("first-ready-is-first-received", test_first_ready_is_first_received);
  TEST ("slow-lane-holds-up-nobody", test_slow_lane_holds_up_nobody);
  TEST ("lanes-are-received-after-a-timeout", test_lanes_are_received_after_a_timeout);
  TEST ("share-of-a-process-steps-together", test_share_of_a_process_steps_together);
  TEST ("lanes-that-cannot-be-sent", test_lanes_that_cannot_be_sent);
  TEST ("data-that-cannot-be-sent", test_data_that_cannot_be_sent);
  TEST ("what-cannot-be-received", test_what_cannot_be_received);
  TEST ("keys-of-a-batch-are-the-same", test_keys_of_a_batch_are_the_same);
  TEST ("sent-lane-is-left-alone", test_sent_lane_is_left_alone);
  TEST ("reset-drops-what-was-sent", test_reset_drops_what_was_sent);
  TEST ("state-is-that-after-the-step", test_state_is_that_after_the_step);
  TEST ("env-ends-with-lanes-on-their-way", test_env_ends_with_lanes_on_their_way);
  TEST ("failure-names-lane-step-and-seed", test_failure_names_lane_step_and_seed);
  TEST ("processes-are-replaced", test_processes_are_replaced);
#undef TEST
  return g_test_run ();
}
