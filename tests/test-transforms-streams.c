/* Transforms in an environment show the values that they make of its stored steps, for every small
 * stream: all places of terminated, with time limits among them. */
#include "collecting.h"
#include "make-transform.h"
#include "scripted-env.h"

#include <string.h>

#define MOST_STEPS 8
#define MOST_LANES 3

typedef struct
{
  gint64 steps, lanes;
  gint64 limit; /* steps of an episode, 0 for none */
  gint64 frames;
} Form;

/* One lane of a rollout by hand: episodes and what is known in each of their steps. */
typedef struct
{
  gint64 episode, step;
} Place;

/* A leaf of a rollout, lanes first, steps side by side. */
static ReelTensor *
get_leaf (ReelTensordict *data, const char *path)
{
  return reel_tensor_clone (reel_tensordict_get_tensor (data, path, NULL), NULL);
}

static ReelEnv *
make_env (const Form *form)
{
  g_autofree char *text =
      g_strdup_printf ("Scripted:num-envs=%" G_GINT64_FORMAT ",max-episode-steps=%" G_GINT64_FORMAT
                       "|step-counter|reward-sum|cat-frames:n=%" G_GINT64_FORMAT
                       ",dim=-1,in-keys=observation,out-keys=last",
                       form->lanes, form->limit, form->frames);

  return collecting_make (REEL_TYPE_ENV, text);
}

/* Other lanes end in other steps. */
static guint32
word_of (guint32 word, gint64 lane)
{
  return lane == 0 ? word : lane == 1 ? ~word : word * 2654435761u >> 11;
}

static ReelTensordict *
play (ReelEnv *env, const Form *form, guint32 word)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  ReelEnv *base = reel_transformed_env_get_base (REEL_TRANSFORMED_ENV (env));
  g_autoptr (GError) error = NULL;
  ReelTensordict *data;

  for (gint64 lane = 0; lane < form->lanes; lane++)
    scripted_env_tell (base, lane, word_of (word, lane), 0);
  reel_env_seed (env, &(guint32){ 0 }, 1);
  data = reel_env_rollout (env, form->steps, &options, &error);
  g_assert_no_error (error);
  return data;
}

/* ---- by hand ---- */

/* Frames of the episode up to a place, the first of them in the place of those before. */
static void
assert_frames (const gint64 *frames, gint64 n, Place place)
{
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (frames[2 * i], ==, place.episode);
      g_assert_cmpint (frames[2 * i + 1], ==, MAX (place.step - (n - 1 - i), 0));
    }
}

/* The reward of step k of a lane is k. */
static void
check_by_hand (const Form *form, ReelTensordict *data)
{
  g_autoptr (ReelTensor) done = get_leaf (data, "next/done"), last = get_leaf (data, "last");
  g_autoptr (ReelTensor) next_last = get_leaf (data, "next/last");
  g_autoptr (ReelTensor) count = get_leaf (data, "step_count");
  g_autoptr (ReelTensor) next_count = get_leaf (data, "next/step_count");
  g_autoptr (ReelTensor) sum = get_leaf (data, "episode_reward");
  g_autoptr (ReelTensor) next_sum = get_leaf (data, "next/episode_reward");
  g_autoptr (ReelTensor) seen = get_leaf (data, "observation"),
                         reward = get_leaf (data, "next/reward");

  for (gint64 lane = 0; lane < form->lanes; lane++)
    {
      Place place = { ((const gint64 *) (gconstpointer) seen->data)[2 * lane * form->steps], 0 };
      float total = 0;

      for (gint64 step = 0; step < form->steps; step++)
        {
          gint64 at = lane * form->steps + step;
          Place next = { place.episode, place.step + 1 };

          g_assert_cmpint (((const gint64 *) (gconstpointer) count->data)[at], ==, place.step);
          g_assert_cmpint (((const gint64 *) (gconstpointer) next_count->data)[at], ==, next.step);
          assert_frames ((const gint64 *) (gconstpointer) last->data + at * 2 * form->frames,
                         form->frames, place);
          assert_frames ((const gint64 *) (gconstpointer) next_last->data + at * 2 * form->frames,
                         form->frames, next);
          g_assert_cmpfloat (((const float *) (gconstpointer) sum->data)[at], ==, total);
          total += ((const float *) (gconstpointer) reward->data)[at];
          g_assert_cmpfloat (((const float *) (gconstpointer) next_sum->data)[at], ==, total);
          place = next;
          if (done->data[at])
            {
              place = (Place){ place.episode + 1, 0 };
              total = 0;
            }
        }
    }
}

/* ---- of stored steps ---- */

static void
assert_same_leaf (ReelTensordict *ours, ReelTensordict *theirs, const char *path)
{
  const ReelTensor *a = reel_tensordict_get_tensor (ours, path, NULL);
  const ReelTensor *b = reel_tensordict_get_tensor (theirs, path, NULL);

  g_assert_true (a && b && reel_tensor_equal (a, b));
}

static void
check_stored (const Form *form, ReelTensordict *data)
{
  static const char *const online[] = { "last",       "next/last",       "episode_reward",
                                        "step_count", "next/step_count", "next/episode_reward",
                                        NULL };
  g_autofree char *text = g_strdup_printf (
      "cat-frames:n=%" G_GINT64_FORMAT ",dim=-1,in-keys=[observation,next/observation],"
      "out-keys=[last,next/last]|reward-sum:in-keys=[next/reward]",
      form->frames);
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) bare = reel_tensordict_exclude_keys (data, online);
  g_autoptr (ReelTensordict) made = forward (transform, bare);

  assert_same_leaf (made, data, "last");
  assert_same_leaf (made, data, "next/last");
  assert_same_leaf (made, data, "next/episode_reward");
}

/* ---- all of them ---- */

static void
check_form (const Form *form)
{
  g_autoptr (ReelEnv) env = make_env (form);

  for (guint32 word = 0; word < 1u << form->steps; word++)
    {
      g_autoptr (ReelTensordict) data = play (env, form, word);

      check_by_hand (form, data);
      check_stored (form, data);
    }
}

static void
test_every_stream (void)
{
  gint64 most = g_test_slow () ? MOST_STEPS : MOST_STEPS - 1;

  for (gint64 steps = 1; steps <= most; steps++)
    for (gint64 lanes = 1; lanes <= MOST_LANES; lanes++)
      for (gint64 limit = 0; limit <= MIN (steps, 3); limit++)
        for (gint64 frames = 1; frames <= 4; frames += steps > 4 ? 2 : 1)
          check_form (&(const Form){ steps, lanes, limit, frames });
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scripted_envs_init ();
  g_test_add_func ("/transforms/streams/stored-steps-are-as-seen", test_every_stream);
  return g_test_run ();
}
