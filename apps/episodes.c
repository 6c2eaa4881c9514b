#include "episodes.h"

Frames *
episodes_open (Episodes *self, gint64 number, GError **error)
{
  return self->klass->open (self, number, error);
}

gboolean
episodes_find (Episodes *self, const char *word, gint64 *number, GError **error)
{
  return self->klass->find (self, word, number, error);
}

void
episodes_look (Episodes *self)
{
  if (self->klass->look)
    self->klass->look (self);
}

void
episodes_free (Episodes *self)
{
  if (self)
    self->klass->free (self);
}

/* A camera is an argument of those envs that have several. */
static gboolean
check_camera (ReelEnv *env, GError **error)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (env), "camera"))
    return TRUE;
  set_usage_error (error, "--camera: %s has no cameras to choose from",
                   reel_object_get_id (REEL_OBJECT (env)));
  return FALSE;
}

ReelEnv *
episodes_open_env (const EpisodesLook *look, const char *text, const char *seed, GError **error)
{
  g_autoptr (ReelEnv) env = reel_object_new_from_text (
      REEL_TYPE_ENV, text, error, "num-envs", "1", "from-pixels", "false", "pixels-only", "false",
      "width", "0", "height", "0", seed ? "seed" : NULL, seed, NULL);

  if (!env || (look->camera && !check_camera (env, error)))
    return NULL;
  if (!look->camera)
    return g_steal_pointer (&env);
  g_clear_object (&env);
  return reel_object_new_from_text (REEL_TYPE_ENV, text, error, "num-envs", "1", "from-pixels",
                                    "false", "pixels-only", "false", "width", "0", "height", "0",
                                    "camera", look->camera, seed ? "seed" : NULL, seed, NULL);
}
