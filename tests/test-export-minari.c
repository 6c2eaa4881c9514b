/* The environment and the spaces in the metadata of a dataset of Minari. */
#include "../src/datasets/gymnasium-specs.h"
#include "../src/datasets/minari-spaces.h"
#include "golden-datasets.h"
#include "scratch.h"

#include <string.h>

/* ---- environments ---- */

static void
test_environments_are_those_of_gymnasium (void)
{
  static const struct
  {
    const char *text, *has;
  } cases[] = {
    { "CartPole-v0:seed=3", "\"max_episode_steps\": 200" },
    { "CartPole-v1:max-episode-steps=7,num-envs=2", "\"max_episode_steps\": 7," },
    { "CartPole-v1:max-episode-steps=0", "\"max_episode_steps\": null" },
    { "CartPole-v1:sutton-barto-reward=true", "\"kwargs\": {\"sutton_barto_reward\": true}" },
    { "Pendulum-v1:g=9.5", "\"kwargs\": {\"g\": 9.5}" },
    { "Hopper-v5:healthy-z-range=[0.5,1]", "\"healthy_z_range\": [0.5, 1.0]" },
    { "Hopper-v4", "gymnasium.envs.mujoco.hopper_v4:HopperEnv" },
    { "Pusher-v5", "\"reward_threshold\": 0.0" },
    { "Hopper-v4:ctrl-cost-weight=1", NULL },
    { "CartPole-v1:gravity=9", NULL },
    { "CartPole-v1|reward-sum", NULL },
    { "NoSuch-v1", NULL },
    { "CartPole", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *why = NULL, *spec = reel_gymnasium_spec_new (cases[i].text, &why);

      g_test_message ("%s: %s", cases[i].text, spec ? spec : why);
      g_assert_true ((spec != NULL) == (cases[i].has != NULL));
      g_assert_true ((why == NULL) == (spec != NULL));
      g_assert_true (!spec || strstr (spec, cases[i].has));
    }
}

/* The JSON that Gymnasium itself wrote. */
static void
test_specs_are_those_that_gymnasium_wrote (void)
{
  static const char *const names[][2] = { { "CartPole-v1:num-envs=8", "cartpole-hdf5-v0" },
                                          { "Pendulum-v1:max-episode-steps=25",
                                            "pendulum-hdf5-v0" } };
  g_autoptr (json_t) golden = golden_dataset_open ("minari");
  g_autofree char *root = golden_dataset_raw ("minari", "root");

  g_assert_nonnull (golden);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path =
          g_build_filename (root, "golden", names[i][1], "data", "metadata.json", NULL);
      g_autofree char *why = NULL, *spec = reel_gymnasium_spec_new (names[i][0], &why);
      g_autoptr (json_t) metadata = json_load_file (path, 0, NULL);

      g_assert_nonnull (metadata);
      g_assert_cmpstr (spec, ==, json_string_value (json_object_get (metadata, "env_spec")));
    }
}

/* ---- spaces ---- */

static void
check_space (const char *spec, ReelDtype dtype, gint ndim, const gint64 *shape, gint64 n_classes,
             ReelMinariForm form, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (ReelSpec) made = spec ? reel_spec_new_from_text (spec, NULL) : NULL;
  g_autofree char *json = made ? reel_spec_to_json (made, NULL) : NULL;
  g_autoptr (json_t) described = json ? json_loads (json, 0, NULL) : NULL;

  g_assert_true (!spec || described);
  g_assert_cmpint (reel_minari_space_put (text, described, dtype, ndim, shape, n_classes), ==,
                   form);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_spaces_are_those_of_specs (void)
{
  const gint64 two = 2, three = 3, matrix[] = { 2, 1 };

  check_space ("bounded:low=[-1,-inf],high=2,shape=[2]", REEL_DTYPE_FLOAT32, 1, &two, 0,
               REEL_MINARI_AS_IS,
               "{\"type\": \"Box\", \"dtype\": \"float32\", \"shape\": [2], \"low\": [-1.0, "
               "-Infinity], \"high\": [2.0, 2.0]}");
  check_space ("bounded:low=0,high=9,dtype=int64", REEL_DTYPE_INT64, 0, NULL, 5, REEL_MINARI_AS_IS,
               "{\"type\": \"Box\", \"dtype\": \"int64\", \"shape\": [], \"low\": 0, \"high\": 9}");
  check_space ("unbounded:shape=[2,1]", REEL_DTYPE_FLOAT32, 2, matrix, 0, REEL_MINARI_AS_IS,
               "{\"type\": \"Box\", \"dtype\": \"float32\", \"shape\": [2, 1], \"low\": "
               "[[-Infinity], [-Infinity]], \"high\": [[Infinity], [Infinity]]}");
  check_space ("one-hot:n=3,dtype=int64", REEL_DTYPE_INT64, 1, &three, 0, REEL_MINARI_CLASS,
               "{\"type\": \"Discrete\", \"dtype\": \"int64\", \"start\": 0, \"n\": 3}");
  check_space ("categorical:n=4", REEL_DTYPE_INT64, 0, NULL, 2, REEL_MINARI_INTEGER,
               "{\"type\": \"Discrete\", \"dtype\": \"int64\", \"start\": 0, \"n\": 4}");
  check_space ("multi-categorical:nvec=[2,5]", REEL_DTYPE_INT64, 1, &two, 0, REEL_MINARI_INTEGER,
               "{\"type\": \"MultiDiscrete\", \"dtype\": \"int64\", \"nvec\": [2, 5], \"start\": "
               "[0, 0]}");
  check_space ("binary:shape=[3]", REEL_DTYPE_INT8, 1, &three, 0, REEL_MINARI_BITS,
               "{\"type\": \"MultiBinary\", \"n\": 3}");
  check_space (NULL, REEL_DTYPE_INT32, 0, NULL, 6, REEL_MINARI_INTEGER,
               "{\"type\": \"Discrete\", \"dtype\": \"int64\", \"start\": 0, \"n\": 6}");
  check_space (
      NULL, REEL_DTYPE_UINT8, 1, &two, 0, REEL_MINARI_AS_IS,
      "{\"type\": \"Box\", \"dtype\": \"uint8\", \"shape\": [2], \"low\": [0, 0], \"high\": "
      "[255, 255]}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/datasets/export-minari/environments-are-those-of-gymnasium",
                   test_environments_are_those_of_gymnasium);
  scratch_test ("/datasets/export-minari/specs-are-those-that-gymnasium-wrote",
                test_specs_are_those_that_gymnasium_wrote);
  g_test_add_func ("/datasets/export-minari/spaces-are-those-of-specs",
                   test_spaces_are_those_of_specs);
  return g_test_run ();
}
