/* Pictures of envs: Gymnasium's to the byte, and the same wherever they are seen. */
#include "../src/reel.h"
#include "contract.h"
#include "env-text.h"
#include "twin-env.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 45
#define HEIGHT 30
#define STEPS 40

/* ---- frames of Gymnasium 1.4.0 with pygame-ce 2.5.8, by tests/tools/make-frames.py ---- */

/* An env of one lane, and where a step of it reads and writes. */
typedef struct
{
  ReelEnv *env;
  gint64 choice;
  float action, reward;
  float observation[8];
  guint8 terminated, truncated, done;
} Lane;

static void
lane_reset (Lane *lane)
{
  guint8 *const observation[] = { (guint8 *) lane->observation };

  reel_env_reset_lanes (lane->env, 0, 1, NULL, observation);
}

static void
lane_step (Lane *lane, double action)
{
  const ReelSpec *spec = reel_spec_get (reel_env_get_action_spec (lane->env), "action", NULL);
  gboolean discrete = reel_spec_get_dtype (spec) == REEL_DTYPE_INT64;
  const guint8 *const actions[] = { discrete ? (const guint8 *) &lane->choice
                                             : (const guint8 *) &lane->action };
  guint8 *const observation[] = { (guint8 *) lane->observation };
  const ReelEnvIO io = {
    .action = actions,
    .observation = observation,
    .reward = &lane->reward,
    .terminated = &lane->terminated,
    .truncated = &lane->truncated,
    .done = &lane->done,
  };

  lane->choice = (gint64) action;
  lane->action = (float) action;
  reel_env_step_lanes (lane->env, 0, 1, &io);
}

/* The numbers of a state stand behind the steps of the episode. */
static void
lane_set (Lane *lane, char **numbers)
{
  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (lane->env));

  reel_env_get_state (lane->env, 0, state);
  for (gsize i = 0; numbers[i] != NULL; i++)
    {
      double value = g_ascii_strtod (numbers[i], NULL);
      memcpy (state + sizeof (gint64) + i * sizeof value, &value, sizeof value);
    }
  reel_env_set_state (lane->env, 0, state);
}

static char *
digest_frame (ReelEnv *env)
{
  gint64 width, height;

  g_assert_true (reel_env_get_frame (env, &width, &height, NULL));

  gsize bytes = (gsize) (width * height * 3);
  g_autofree guint8 *pixels = g_malloc (bytes);

  reel_env_render_lane (env, 0, width, height, pixels);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, pixels, bytes);
}

static void
check_frame (const char *id, const char *how, const char *text, const char *expected)
{
  Lane lane = { 0 };
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) numbers = g_strsplit (text, " ", -1);

  lane.env = reel_object_new_from_text (REEL_TYPE_ENV, id, &error, "math", "libm",
                                        "action-encoding", "categorical", NULL);
  g_assert_no_error (error);
  lane_reset (&lane);
  if (strcmp (how, "state") == 0)
    lane_set (&lane, numbers);
  else
    for (char **number = numbers; *number != NULL; number++)
      lane_step (&lane, g_ascii_strtod (*number, NULL));

  g_autofree char *digest = digest_frame (lane.env);

  g_test_message ("%s %s %s", id, how, text);
  g_assert_cmpstr (digest, ==, expected);
  g_object_unref (lane.env);
}

static void
test_as_gymnasium_draws (gconstpointer id)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "gymnasium", "frames.tsv", NULL);
  g_autofree char *table = NULL;
  g_autoptr (GError) error = NULL;
  gsize n = 0;

  g_file_get_contents (path, &table, NULL, &error);
  g_assert_no_error (error);

  g_auto (GStrv) lines = g_strsplit (table, "\n", -1);

  for (char **line = lines; **line != '\0'; line++)
    {
      g_auto (GStrv) fields = g_strsplit (*line, "\t", -1);

      if (strcmp (fields[0], id) != 0)
        continue;
      check_frame (fields[0], fields[1], fields[2], fields[3]);
      n++;
    }
  if (n == 0)
    g_test_skip ("Gymnasium's pictures of it are not recorded");
}

/* ---- what is observed ---- */

/* OpenGL takes a thousand times as long: fewer steps and lanes do. */
static gboolean
is_drawn_by_opengl (const char *id)
{
  g_autoptr (GPtrArray) infos = reel_object_list_properties (REEL_TYPE_ENV, id, NULL);

  for (guint i = 0; infos != NULL && i < infos->len; i++)
    if (g_str_equal (((const ReelPropertyInfo *) infos->pdata[i])->name, "quality"))
      return TRUE;
  return FALSE;
}

/* Contexts of OpenGL take a while to make; the tasks of MuJoCo share all that draws them, and
 * tests/test-mujoco-pictures.c looks at each. */
static gboolean
stands_for_others (const char *id)
{
  static const char *const tried[] = { "Hopper-v5", "InvertedDoublePendulum-v4", "Pusher-v5",
                                       NULL };

  return !is_drawn_by_opengl (id) || g_strv_contains (tried, id);
}

static gint64
count_steps (const char *id)
{
  return is_drawn_by_opengl (id) ? 4 : STEPS;
}

static ReelEnv *
open_env (const char *id, gint64 lanes, const char *more)
{
  g_autofree char *arguments =
      g_strdup_printf ("num-envs=%" G_GINT64_FORMAT ",seed=5%s", lanes, more);
  g_autofree char *text = env_text (id, arguments);
  g_autoptr (GError) error = NULL;
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

  g_assert_no_error (error);
  return env;
}

static gboolean
has_pictures (ReelEnv *env)
{
  gint64 width, height;
  g_autoptr (GError) error = NULL;

  if (!reel_env_get_frame (env, &width, &height, NULL))
    g_test_skip ("it has no pictures");
  else if (!stands_for_others (reel_object_get_id (REEL_OBJECT (env))))
    g_test_skip ("others are drawn like it");
  else if (reel_env_prepare_frames (env, WIDTH, HEIGHT, &error))
    return TRUE;
  else
    g_test_skip (error->message);
  return FALSE;
}

/* One step of all lanes, by leaf. */
typedef struct
{
  gint64 lanes;
  gsize n;
  gsize row[8];
  guint8 *root[8], *next[8], *carry[8], *action[8];
  float *reward;
  guint8 *flags[3];
} Step;

static gsize
row_bytes (const ReelSpec *leaf)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);
  gsize bytes = reel_dtype_size (reel_spec_get_dtype (leaf));

  for (gint d = 0; d < ndim; d++)
    bytes *= (gsize) shape[d];
  return bytes;
}

static Step *
step_new (ReelEnv *env)
{
  Step *step = g_new0 (Step, 1);
  const ReelSpec *seen = reel_env_get_observation_spec (env);
  const ReelSpec *actions = reel_env_get_action_spec (env);
  g_auto (GStrv) leaves = reel_spec_list_leaves (seen);
  g_auto (GStrv) action_leaves = reel_spec_list_leaves (actions);

  step->lanes = reel_env_get_num_envs (env);
  step->n = g_strv_length (leaves);
  for (gsize i = 0; i < step->n; i++)
    {
      step->row[i] = row_bytes (reel_spec_get (seen, leaves[i], NULL));
      step->root[i] = g_malloc0 (step->row[i] * (gsize) step->lanes);
      step->next[i] = g_malloc0 (step->row[i] * (gsize) step->lanes);
      step->carry[i] = g_malloc0 (step->row[i] * (gsize) step->lanes);
    }
  for (gsize i = 0; action_leaves[i] != NULL; i++)
    step->action[i] = g_malloc0 (row_bytes (reel_spec_get (actions, action_leaves[i], NULL))
                                 * (gsize) step->lanes);
  step->reward = g_new0 (float, step->lanes);
  for (gsize i = 0; i < 3; i++)
    step->flags[i] = g_malloc0 ((gsize) step->lanes);
  return step;
}

static void
step_free (Step *step)
{
  for (gsize i = 0; i < 8; i++)
    {
      g_free (step->root[i]);
      g_free (step->next[i]);
      g_free (step->carry[i]);
      g_free (step->action[i]);
    }
  for (gsize i = 0; i < 3; i++)
    g_free (step->flags[i]);
  g_free (step->reward);
  g_free (step);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Step, step_free)

static void
draw_actions (ReelEnv *env, Step *step, gint64 t)
{
  const ReelSpec *spec = reel_env_get_action_spec (env);
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);

  for (gsize i = 0; leaves[i] != NULL; i++)
    reel_spec_rand_rows (reel_spec_get (spec, leaves[i], NULL), 11 + i, t, 0, step->lanes,
                         step->action[i]);
}

/* The first observation, or the next one with what was done begun anew; lanes in parts of 64, the
 * last ones first. */
static void
begin (ReelEnv *env, Step *step, gint64 t, gint64 part)
{
  for (gsize i = 0; i < step->n; i++)
    memcpy (step->root[i], step->carry[i], step->row[i] * (gsize) step->lanes);
  for (gint64 at = (step->lanes - 1) / part * part; at >= 0; at -= part)
    reel_env_reset_lanes (env, at, MIN (at + part, step->lanes), t > 0 ? step->flags[2] : NULL,
                          step->root);
}

static void
advance (ReelEnv *env, Step *step, gint64 t, gint64 part)
{
  const ReelEnvIO io = {
    .action = (const guint8 *const *) step->action,
    .observation = step->next,
    .carry = step->carry,
    .reward = step->reward,
    .terminated = step->flags[0],
    .truncated = step->flags[1],
    .done = step->flags[2],
  };

  draw_actions (env, step, t);
  for (gint64 at = (step->lanes - 1) / part * part; at >= 0; at -= part)
    reel_env_step_lanes (env, at, MIN (at + part, step->lanes), &io);
}

static void
assert_drawn (ReelEnv *plain, const guint8 *frames)
{
  g_autofree guint8 *pixels = g_malloc (WIDTH * HEIGHT * 3);

  for (gint64 lane = 0; lane < reel_env_get_num_envs (plain); lane++)
    {
      reel_env_render_lane (plain, lane, WIDTH, HEIGHT, pixels);
      g_assert_cmpmem (pixels, WIDTH * HEIGHT * 3, frames + lane * WIDTH * HEIGHT * 3,
                       WIDTH * HEIGHT * 3);
    }
}

static void
assert_same_leaves (const Step *seen, gsize from, const Step *plain, guint8 *const *a,
                    guint8 *const *b)
{
  for (gsize i = from; i < seen->n; i++)
    g_assert_cmpmem (a[i], seen->row[i] * (gsize) seen->lanes, b[i - from],
                     plain->row[i - from] * (gsize) plain->lanes);
}

/* At every root and every next, pixels are what the lane looks like at that moment, the true last
 * one included, and everything else is what an env without them gives. */
static void
watch (const char *id, gboolean only)
{
  const int limit = is_drawn_by_opengl (id) ? 2 : 15;
  g_autofree char *more =
      g_strdup_printf (",max-episode-steps=%d,from-pixels=true,pixels-only=%s,width=%d,height=%d",
                       limit, only ? "true" : "false", WIDTH, HEIGHT);
  g_autofree char *limited = g_strdup_printf (",max-episode-steps=%d", limit);
  g_autoptr (ReelEnv) plain = open_env (id, 5, limited);

  if (!has_pictures (plain))
    return;

  g_autoptr (ReelEnv) env = open_env (id, 5, more);
  g_autoptr (Step) seen = step_new (env), step = step_new (plain);
  g_auto (GStrv) leaves = reel_spec_list_leaves (reel_env_get_observation_spec (env));

  g_assert_cmpstr (leaves[0], ==, "pixels");
  g_assert_cmpuint (seen->n, ==, only ? 1 : step->n + 1);
  for (gint64 t = 0; t < count_steps (id); t++)
    {
      begin (env, seen, t, 64);
      begin (plain, step, t, 64);
      assert_drawn (plain, seen->root[0]);
      assert_same_leaves (seen, 1, step, seen->root, step->root);
      advance (env, seen, t, 64);
      advance (plain, step, t, 64);
      assert_drawn (plain, seen->next[0]);
      assert_same_leaves (seen, 1, step, seen->next, step->next);
      g_assert_cmpmem (seen->flags[2], 5, step->flags[2], 5);
      g_assert_cmpmem (seen->reward, 20, step->reward, 20);
    }
}

static void
test_pixels_beside_the_observation (gconstpointer id)
{
  watch (id, FALSE);
}

static void
test_pixels_alone (gconstpointer id)
{
  watch (id, TRUE);
}

static void
test_partitions_are_alike (gconstpointer id)
{
  const char *more = ",from-pixels=true,pixels-only=true,width=24,height=16";
  g_autoptr (ReelEnv) plain = open_env (id, 1, "");

  if (!has_pictures (plain))
    return;

  const gboolean few = is_drawn_by_opengl (id);
  const gint64 lanes = few ? 5 : 200, part = few ? 2 : 3;
  g_autoptr (ReelEnv) whole = open_env (id, lanes, more), cut = open_env (id, lanes, more);
  g_autoptr (Step) a = step_new (whole), b = step_new (cut);

  for (gint64 t = 0; t < count_steps (id); t++)
    {
      begin (whole, a, t, 256);
      begin (cut, b, t, part);
      assert_same_leaves (a, 0, b, a->root, b->root);
      advance (whole, a, t, 256);
      advance (cut, b, t, part);
      assert_same_leaves (a, 0, b, a->next, b->next);
    }
}

/* ---- other sizes ---- */

/* The mean of the difference to what @whole is averaged over each pixel. */
static double
differ (const guint8 *small, const guint8 *whole, gint64 width, gint64 height, gint64 factor)
{
  double sum = 0;

  for (gint64 y = 0; y < height; y++)
    for (gint64 x = 0; x < width * 3; x++)
      {
        double mean = 0;

        for (gint64 j = 0; j < factor; j++)
          for (gint64 i = 0; i < factor; i++)
            mean += whole[(y * factor + j) * width * factor * 3 + (x / 3 * factor + i) * 3 + x % 3];
        sum += ABS (small[y * width * 3 + x] - mean / (double) (factor * factor));
      }
  return sum / (double) (width * height * 3);
}

static void
test_small_is_the_average (gconstpointer id)
{
  g_autoptr (ReelEnv) env = open_env (id, 1, "");
  gint64 width, height;

  if (!has_pictures (env))
    return;
  if (is_drawn_by_opengl (id))
    {
      g_test_skip ("OpenGL does not average");
      return;
    }
  reel_env_get_frame (env, &width, &height, NULL);

  g_autofree guint8 *whole = g_malloc ((gsize) (width * height * 3));
  g_autofree guint8 *small = g_malloc ((gsize) (width * height * 3));
  g_autoptr (Step) step = step_new (env);

  for (gint64 t = 0; t < count_steps (id); t++)
    {
      begin (env, step, t, 64);
      reel_env_render_lane (env, 0, width, height, whole);
      for (gint64 factor = 2; factor <= 10; factor++)
        if (width % factor == 0 && height % factor == 0)
          {
            reel_env_render_lane (env, 0, width / factor, height / factor, small);
            g_assert_cmpfloat (differ (small, whole, width / factor, height / factor, factor), <,
                               1.0);
          }
      advance (env, step, t, 64);
    }
}

/* The picture of an observation is that of the state, but for what float32 loses of it, for the
 * arrow of Pendulum's torque, and of MuJoCo's tasks for where the body is on the ground, and how
 * far it goes in the last of MuJoCo's own steps. */
static void
test_observation_shows_the_state (gconstpointer id)
{
  g_autoptr (ReelEnv) env = open_env (id, 1, ""), shown = open_env (id, 1, "");
  const double most = is_drawn_by_opengl (id) ? 0.5 : g_str_has_prefix (id, "Pendulum") ? 3 : 0.05;

  if (!has_pictures (env) || !has_pictures (shown))
    return;

  g_autofree guint8 *expected = g_malloc (60 * 40 * 3), *pixels = g_malloc (60 * 40 * 3);
  g_autoptr (Step) step = step_new (env), other = step_new (shown);
  g_autoptr (GError) error = NULL;

  begin (shown, other, 0, 64);
  for (gint64 t = 0; t < count_steps (id); t++)
    {
      begin (env, step, t, 64);
      if (!reel_env_show_observation (shown, 0, (const guint8 *const *) step->root, &error))
        {
          g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
          return;
        }
      reel_env_render_lane (env, 0, 60, 40, expected);
      reel_env_render_lane (shown, 0, 60, 40, pixels);
      g_assert_cmpfloat (differ (pixels, expected, 60, 40, 1), <, most);
      advance (env, step, t, 64);
    }
}

/* ---- what cannot be ---- */

static void
test_properties_of_no_pixels (gconstpointer id)
{
  static const char *const wrong[] = { "pixels-only=true", "width=3", "height=3",
                                       "from-pixels=true,width=8193" };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *text = env_text (id, wrong[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
    }
}

static void
test_no_pictures (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (
      reel_object_new_from_text (REEL_TYPE_ENV, "Twin-v0:from-pixels=true", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
}

static const ContractTest contract[] = {
  { "as-gymnasium-draws", test_as_gymnasium_draws },
  { "pixels-beside-the-observation", test_pixels_beside_the_observation },
  { "pixels-alone", test_pixels_alone },
  { "partitions-are-alike", test_partitions_are_alike },
  { "small-is-the-average", test_small_is_the_average },
  { "observation-shows-the-state", test_observation_shows_the_state },
  { "properties-of-no-pixels", test_properties_of_no_pixels },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("env-pixels", REEL_TYPE_ENV, contract, G_N_ELEMENTS (contract));
  g_type_ensure (REEL_TYPE_TWIN_ENV);
  g_test_add_func ("/env-pixels/no-pictures", test_no_pictures);

  return g_test_run ();
}
