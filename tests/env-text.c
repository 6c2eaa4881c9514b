#include "env-text.h"

#include "collecting.h"

/* Any model is an env; this one has something of all. */
static char *
tell (const char *id)
{
  g_autofree char *path = NULL;

  if (g_str_equal (id, "serial"))
    return g_strdup ("envs=[CartPole,CartPole],");
  if (g_str_equal (id, "SerialEnv"))
    return g_strdup ("envs=['Pendulum:g=9','Pendulum:g=9'],");
  if (g_str_equal (id, "parallel"))
    return g_strdup ("CartPole,kind=processes,workers=3,on-error=restart,");
  if (g_str_equal (id, "ParallelEnv"))
    return g_strdup ("Pendulum,workers=3,");
  if (g_str_equal (id, "exec"))
    {
      path = g_test_build_filename (G_TEST_BUILT, "exec-child", NULL);
      return g_strdup_printf ("'\"%s\" terminating',", path);
    }
  if (!g_str_equal (id, "MuJoCo"))
    return g_strdup ("");
  path = g_test_build_filename (G_TEST_DIST, "data", "all-kinds.xml", NULL);
  return g_strdup_printf ("xml-file='%s',include-sensors-in-observation=true,"
                          "reset-noise-scale=0.05,",
                          path);
}

char *
env_text (const char *id, const char *arguments)
{
  g_autofree char *told = tell (id);

  return g_strconcat (id, ":", told, arguments, NULL);
}

gboolean
env_text_has_state (const char *id)
{
  g_autofree char *text = env_text (id, "num-envs=1");
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);

  return reel_env_has_state (env);
}
