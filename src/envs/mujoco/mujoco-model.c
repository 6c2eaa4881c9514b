#include "mujoco-model.h"

#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/object/object.h"
#include "mujoco-guard.h"

#include <string.h>

/* The XML files of src/envs/models, which make writes into this list. */
static const struct
{
  const char *name;
  const char *xml;
} models[] = {
#include "mujoco-models.inc"
};

#define PROBLEM 1000 /* room that MuJoCo is given for what it has to say */

/* MuJoCo's file system in memory: its calls changed in 3.1.4. */
static void
add_to_vfs (mjVFS *vfs, const char *name, const char *xml)
{
  mj_defaultVFS (vfs);
#if mjVERSION_HEADER >= 314
  mj_addBufferVFS (vfs, name, xml, (int) strlen (xml));
#else
  if (mj_makeEmptyFileVFS (vfs, name, (int) strlen (xml)) == 0)
    memcpy (vfs->filedata[vfs->nfile - 1], xml, strlen (xml));
#endif
}

/* compile: an error that MuJoCo raises instead of returning it is a problem like others. */
static mjModel *
compile (const char *name, const mjVFS *vfs, char *problem)
{
  ReelMujocoGuard guard;
  mjModel *volatile model = NULL;

  reel_mujoco_guard_begin (&guard);
  if (REEL_MUJOCO_CAUGHT (&guard) == 0)
    model = mj_loadXML (name, vfs, problem, PROBLEM);
  else
    g_strlcpy (problem, guard.message, PROBLEM);
  reel_mujoco_guard_end ();
  return model;
}

static mjModel *
compile_ours (const char *name, const char *xml, char *problem)
{
  g_autofree mjVFS *vfs = g_new0 (mjVFS, 1); /* 2 MB in MuJoCo 2 */
  mjModel *model;

  add_to_vfs (vfs, name, xml);
  model = compile (name, vfs, problem);
  mj_deleteVFS (vfs);
  return model;
}

static gboolean
is_there (const char *path, GError **error)
{
  ReelPathKind kind;
  gint64 size;

  if (!reel_path_query (path, &kind, &size, error))
    return FALSE;
  if (kind == REEL_PATH_FILE)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s: %s; xml-file wants a model in MuJoCo's XML",
               path,
               kind == REEL_PATH_MISSING ? "there is no such file" : "this is not a regular file");
  return FALSE;
}

static const char *
find_xml (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    if (g_str_equal (models[i].name, name))
      return models[i].xml;
  g_return_val_if_reached (NULL);
}

mjModel *
reel_mujoco_model_load (const char *name, const char *path, GError **error)
{
  char problem[PROBLEM] = "";

  if (path != NULL && !is_there (path, error))
    return NULL;

  g_autofree char *file = path ? g_strdup (path) : g_strconcat (name, ".xml", NULL);
  mjModel *model =
      path ? compile (file, NULL, problem) : compile_ours (file, find_xml (name), problem);

  if (model == NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s: MuJoCo %s: %s", file,
                 mj_versionString (), g_strchomp (problem));
  return model;
}

int
reel_mujoco_model_find (const mjModel *model, mjtObj type, const char *name, GError **error)
{
  int id = mj_name2id (model, type, name);

  if (id < 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "the model has no %s named %s, which this environment looks at",
                 mju_type2Str (type), name);
  return id;
}

int
reel_mujoco_model_find_either (const mjModel *model, mjtObj type, gint64 n, const char *text)
{
  int id = text != NULL ? mj_name2id (model, type, text) : -1;
  gint64 number;

  if (id < 0 && n > 0 && text != NULL && reel_parse_int64 (text, 0, n - 1, &number, NULL))
    return (int) number;
  return id;
}

/* MuJoCo's version is 340 for 3.4.0 and 3005000 for 3.5.0. */
void
reel_mujoco_model_halve_margins (mjModel *model)
{
  if (mj_version () >= 350)
    for (int i = 0; i < model->ngeom; i++)
      model->geom_margin[i] /= 2;
}
