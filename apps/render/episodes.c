#include "episodes.h"

#include <string.h>

/* Cameras that follow the body: MuJoCo's models of Gymnasium have the first, any other that moves
 * away has the second. */
static const char *const following[] = { "track", "follow" };

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

/* Transforms may need the pictures that render draws anew. */
static ReelEnv *
open_transformed (const char *text, const char *seed, const char *camera, GError **error)
{
  return reel_object_new_from_text (REEL_TYPE_ENV, text, error, "num-envs", "1",
                                    seed     ? "seed"
                                    : camera ? "camera"
                                             : NULL,
                                    seed ? seed : camera, seed && camera ? "camera" : NULL, camera,
                                    NULL);
}

/* An env of this camera; NULL, as for what has no cameras, is the one that it has by itself. */
static ReelEnv *
open_with_camera (const EpisodesLook *look, const char *text, const char *seed, const char *camera,
                  GError **error)
{
  if (look->as_written || strchr (text, '|'))
    return open_transformed (text, seed, camera, error);
  return reel_object_new_from_text (REEL_TYPE_ENV, text, error, "num-envs", "1", "from-pixels",
                                    "false", "pixels-only", "false", "width", "0", "height", "0",
                                    seed     ? "seed"
                                    : camera ? "camera"
                                             : NULL,
                                    seed ? seed : camera, seed && camera ? "camera" : NULL, camera,
                                    NULL);
}

/* A camera is an argument of those envs that have several. */
static gboolean
has_cameras (ReelEnv *env)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (env), "camera") != NULL;
}

static gboolean
names_camera (ReelEnv *env)
{
  g_autofree char *camera = NULL;

  g_object_get (env, "camera", &camera, NULL);
  return camera && *camera;
}

/* By a camera that follows the body, unless the text names one. */
static ReelEnv *
follow (const EpisodesLook *look, ReelEnv *env, const char *text, const char *seed)
{
  ReelEnv *other = NULL;

  if (has_cameras (env) && !names_camera (env))
    for (gsize i = 0; i < G_N_ELEMENTS (following) && !other; i++)
      other = open_with_camera (look, text, seed, following[i], NULL);
  if (!other)
    return env;
  g_object_unref (env);
  return other;
}

ReelEnv *
episodes_open_env (const EpisodesLook *look, const char *text, const char *seed, GError **error)
{
  g_autoptr (ReelEnv) env = open_with_camera (look, text, seed, NULL, error);

  if (!env)
    return NULL;
  if (!look->camera)
    return follow (look, g_steal_pointer (&env), text, seed);
  if (!has_cameras (env))
    {
      set_usage_error (error, "--camera %s: %s has no cameras to choose from", look->camera,
                       reel_object_get_id (REEL_OBJECT (env)));
      return NULL;
    }
  return open_with_camera (look, text, seed,
                           strcmp (look->camera, "fixed") == 0 ? "-1" : look->camera, error);
}
