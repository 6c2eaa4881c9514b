#include "mujoco-view.h"

#include "../../core/object/error.h"
#include "mujoco-model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cameras ---- */

static gboolean
can_travel (const mjModel *model, int body)
{
  for (int i = 0; i < model->body_jntnum[body]; i++)
    {
      int joint = model->body_jntadr[body] + i;

      if (model->jnt_type[joint] == mjJNT_FREE
          || (model->jnt_type[joint] == mjJNT_SLIDE && !model->jnt_limited[joint]))
        return TRUE;
    }
  return FALSE;
}

/* The first body that moves, where it can leave its place: a robot, and no arm. −1 for none. */
static int
find_traveller (const mjModel *model)
{
  for (int body = 1; body < model->nbody; body++)
    if (model->body_parentid[body] == 0 && model->body_weldid[body] != 0)
      return can_travel (model, body) ? body : -1;
  return -1;
}

static char *
list_cameras (const mjModel *model)
{
  GString *text = g_string_new ("-1 (free)");

  if (find_traveller (model) >= 0)
    g_string_append (text, ", follow");

  for (int i = 0; i < model->ncam; i++)
    {
      const char *name = mj_id2name ((mjModel *) model, mjOBJ_CAMERA, i);

      g_string_append_printf (text, ", %d", i);
      if (name != NULL && *name != '\0')
        g_string_append_printf (text, " (%s)", name);
    }
  return g_string_free (text, FALSE);
}

gboolean
reel_mujoco_view_find_camera (const mjModel *model, const char *text, int *camera, GError **error)
{
  *camera = REEL_MUJOCO_CAMERA_FREE;
  if (text == NULL || *text == '\0' || g_str_equal (text, "-1"))
    return TRUE;
  *camera = reel_mujoco_model_find_either (model, mjOBJ_CAMERA, model->ncam, text);
  if (*camera >= 0)
    return TRUE;
  if (g_str_equal (text, "follow") && find_traveller (model) >= 0)
    {
      *camera = REEL_MUJOCO_CAMERA_FOLLOW;
      return TRUE;
    }

  g_autofree char *cameras = list_cameras (model);

  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "camera=%s: the model has no such camera, but %s",
               text, cameras);
  return FALSE;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* The mean of the two in the middle where their number is even, as np.median has it. */
void
reel_mujoco_view_find_middle (const mjModel *model, const mjData *data, double *middle)
{
  gsize n = (gsize) model->ngeom;
  g_autofree double *places = g_new (double, MAX (n, 1));

  for (gsize axis = 0; axis < 3; axis++)
    {
      for (gsize i = 0; i < n; i++)
        places[i] = data->geom_xpos[3 * i + axis];
      qsort (places, n, sizeof *places, compare);
      middle[axis] = n == 0 ? 0 : n % 2 ? places[n / 2] : (places[n / 2 - 1] + places[n / 2]) / 2;
    }
}

void
reel_mujoco_view_place (const ReelMujocoView *view, const mjModel *model, const mjData *data,
                        int number, const double *middle, mjvCamera *camera)
{
  mjv_defaultCamera (camera);
  if (number >= 0)
    {
      camera->type = mjCAMERA_FIXED;
      camera->fixedcamid = number;
      return;
    }
  camera->distance = view->distance > 0 ? view->distance : model->stat.extent;
  if (view->elevation != 0)
    camera->elevation = view->elevation;
  if (number == REEL_MUJOCO_CAMERA_FOLLOW)
    {
      memcpy (camera->lookat, data->subtree_com + 3 * find_traveller (model),
              sizeof camera->lookat);
      return;
    }
  for (int i = 0; i < 3; i++)
    camera->lookat[i] = isnan (view->height) ? middle[i] : i < 2 ? 0 : view->height;
}
