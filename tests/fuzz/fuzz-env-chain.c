/* A chain of transforms behind a small environment; the first byte says behind which. The text of
 * an env that is made makes its like, and both take the same steps. */
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 3

static const char *
base_of (guint8 letter)
{
  static const char *const bases[] = {
    "CartPole:num-envs=2",
    "Pendulum:num-envs=2",
    "CartPole:num-envs=1,from-pixels=true,width=9,height=7",
    "serial:num-envs=3,envs=[Pendulum,Pendulum]",
  };

  return bases[(guint8) (letter - 'a') % G_N_ELEMENTS (bases)];
}

static ReelEnv *
make (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

  if (!env != (error != NULL) || (error && *error->message == '\0'))
    abort ();
  return env;
}

/* Steps that cannot be simulated, such as where an infinite value is refused, have a reason. */
static ReelTensordict *
play (ReelEnv *env)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  g_autoptr (GError) error = NULL;
  ReelTensordict *data = reel_env_rollout (env, STEPS, &options, &error);

  if (!data != (error != NULL) || (error && *error->message == '\0'))
    abort ();
  return data;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static gsize initialised;
  g_autofree char *text = NULL, *first = NULL;
  g_autoptr (ReelEnv) env = NULL, again = NULL;
  g_autoptr (ReelTensordict) ours = NULL, theirs = NULL;

  if (size == 0)
    return 0;
  if (g_once_init_enter (&initialised))
    {
      reel_init ();
      g_once_init_leave (&initialised, 1);
    }
  text = g_strdup_printf ("%s|%.*s", base_of (*data), (int) size - 1, (const char *) data + 1);
  env = make (text);
  if (!env)
    return 0;
  first = reel_object_to_text (REEL_OBJECT (env));
  again = make (first);
  if (!again)
    abort ();
  ours = play (env);
  theirs = play (again);
  if (!ours != !theirs || (ours && !reel_tensordict_equal (ours, theirs)))
    abort ();
  return 0;
}
