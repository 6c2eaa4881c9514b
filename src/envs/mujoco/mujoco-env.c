#include "mujoco-arguments.h"
#include "mujoco-contacts.h"
#include "mujoco-frames.h"
#include "mujoco-model.h"
#include "mujoco-run.h"
#include "mujoco-specs.h"
#include "mujoco-state.h"
#include "mujoco-terms.h"

#include <math.h>
#include <string.h>

/* Gymnasium's pictures. */
#define FRAME_SIDE 480

/* All that a lane is made of, but for its picture. */
typedef struct
{
  ReelPcg64 rng;
  double marks[REEL_MUJOCO_MARKS];
  double state[];
} Lane;

typedef struct
{
  ReelMujocoArguments arguments;

  mjModel *model;
  gpointer contacts; /* that it refers to; NULL where MuJoCo looks for them itself */
  double dt;
  double *initial;      /* the state of a lane before an episode */
  double *initial_ctrl; /* what controls are then */
  gsize n_state;
  gsize n_observation;

  ReelMujocoPool *pool;
  ReelMujocoFrames *frames;
} ReelMujocoEnvPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelMujocoEnv, reel_mujoco_env, REEL_TYPE_ENV)

#define PRIVATE(self) ((ReelMujocoEnvPrivate *) reel_mujoco_env_get_instance_private (self))

const ReelMujocoArguments *
reel_mujoco_env_get_arguments (ReelMujocoEnv *self)
{
  return &PRIVATE (self)->arguments;
}

const mjModel *
reel_mujoco_env_get_model (ReelMujocoEnv *self)
{
  return PRIVATE (self)->model;
}

double
reel_mujoco_env_get_dt (ReelMujocoEnv *self)
{
  return PRIVATE (self)->dt;
}

/* ---- construction ---- */

static gboolean
load (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  const char *xml_file = priv->arguments.xml_file;
  const char *name = REEL_MUJOCO_ENV_GET_CLASS (self)->models[priv->arguments.rules];
  const char *id = reel_object_get_id (REEL_OBJECT (self));

  if (name != NULL || xml_file != NULL)
    priv->model = reel_mujoco_model_load (name, xml_file, error);
  else
    g_set_error (
        error, REEL_ERROR, REEL_ERROR_VALUE,
        "%s has no model of its own: name one in MuJoCo's XML, as in %s:xml-file=robot.xml", id,
        id);
  return priv->model != NULL;
}

/* check_model: what is looked at in a model is in all that the library brings. */
static gboolean
check_model (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoEnvClass *klass = REEL_MUJOCO_ENV_GET_CLASS (self);
  const mjModel *model = priv->model;
  const char *id = reel_object_get_id (REEL_OBJECT (self));

  if (model->nu == 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: xml-file=%s has no actuators, so that there is nothing to act on; it needs "
                 "one at least",
                 id, priv->arguments.xml_file);
  else if (model->nq < klass->nq || model->nv < klass->nv)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: xml-file=%s has nq=%d, nv=%d, where at least %d and %d are needed", id,
                 priv->arguments.xml_file, (int) model->nq, (int) model->nv, klass->nq, klass->nv);
  else
    return TRUE;
  return FALSE;
}

/* measure: what the first mjData says, which stays in the pool. */
static gboolean
measure (ReelMujocoEnv *self, mjData *data, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoEnvClass *klass = REEL_MUJOCO_ENV_GET_CLASS (self);
  const mjModel *model = priv->model;
  gsize most = (gsize) (model->nq + 2 * model->nv + 22 * model->nbody + model->nsensordata) + 64;
  g_autofree double *row = g_new (double, most);

  if (klass->begin != NULL && !klass->begin (self, model, data, error))
    return FALSE;
  priv->n_state = reel_mujoco_state_size (model);
  priv->initial = g_new (double, priv->n_state);
  reel_mujoco_state_get (model, data, priv->initial);
  priv->initial_ctrl = g_memdup2 (data->ctrl, (gsize) model->nu * sizeof (double));
  priv->n_observation = (gsize) (klass->observe (self, data, row) - row);
  if (priv->n_observation > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: xml-file=%s has no joints, so that there is nothing to observe",
               reel_object_get_id (REEL_OBJECT (self)), priv->arguments.xml_file);
  return FALSE;
}

static gboolean
make_first_data (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoSlot *slot = reel_mujoco_pool_take (PRIVATE (self)->pool);
  gboolean made = reel_mujoco_run_first (self, slot, error) && measure (self, slot->data, error);

  reel_mujoco_pool_give (slot);
  return made;
}

static gboolean
make_frames (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  const ReelMujocoArguments *arguments = &priv->arguments;
  int camera;

  if (!reel_mujoco_view_find_camera (priv->model, arguments->camera, &camera, error))
    {
      g_prefix_error (error, "%s: ", reel_object_get_id (REEL_OBJECT (self)));
      return FALSE;
    }
  priv->frames = reel_mujoco_frames_new (priv->model, reel_env_get_num_envs (REEL_ENV (self)),
                                         &REEL_MUJOCO_ENV_GET_CLASS (self)->views[arguments->rules],
                                         camera, arguments->quality);
  reel_env_take_frame_rate (REEL_ENV (self), MAX ((gint) rint (1 / priv->dt), 1));
  return TRUE;
}

/* prepare_model: what nobody but MuJoCo sees of it, once it is known to be one. */
static void
prepare_model (ReelMujocoEnvPrivate *priv)
{
  if (priv->arguments.old_margins)
    reel_mujoco_model_halve_margins (priv->model);
  if (priv->arguments.xml_file == NULL)
    priv->contacts = reel_mujoco_contacts_list (priv->model);
  priv->dt = priv->model->opt.timestep * (double) priv->arguments.frame_skip;
}

static gboolean
make_lanes (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);

  priv->pool = reel_mujoco_pool_new (reel_env_get_num_envs (REEL_ENV (self)));
  return make_first_data (self, error)
         && reel_env_make_lanes (REEL_ENV (self), sizeof (Lane) + priv->n_state * sizeof (double),
                                 error);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelMujocoEnv *self = REEL_MUJOCO_ENV (env);
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoEnvClass *klass = REEL_MUJOCO_ENV_GET_CLASS (self);

  if (!load (self, error) || !check_model (self, error)
      || !reel_mujoco_state_is_whole (priv->model, priv->arguments.xml_file, error)
      || !reel_mujoco_env_check_ranges (self, error)
      || (klass->prepare != NULL && !klass->prepare (self, priv->model, error)))
    return FALSE;
  prepare_model (priv);
  return make_frames (self, error) && make_lanes (self, error)
         && reel_mujoco_specs_make (env, priv->model, (gint64) priv->n_observation, error);
}

static void
finalize (GObject *object)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (REEL_MUJOCO_ENV (object));

  reel_mujoco_pool_free (priv->pool);
  reel_mujoco_frames_free (priv->frames);
  if (priv->model != NULL)
    mj_deleteModel (priv->model);
  g_free (priv->contacts);
  g_free (priv->initial);
  g_free (priv->initial_ctrl);
  G_OBJECT_CLASS (reel_mujoco_env_parent_class)->finalize (object);
}

/* ---- lanes ---- */

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  reel_pcg64_seed (&((Lane *) reel_env_get_lane (env, lane))->rng, words, n_words);
}

/* Uniform noise is one draw for each number. Normal noise has no such rule, nor have places that
 * are drawn until they fit. */
static gboolean
skip_resets (ReelEnv *env, gint64 lane, gint64 n)
{
  ReelMujocoEnv *self = REEL_MUJOCO_ENV (env);
  const mjModel *model = PRIVATE (self)->model;

  if (REEL_MUJOCO_ENV_GET_CLASS (self)->init_state != reel_mujoco_init_uniform)
    return FALSE;
  reel_pcg64_skip (&((Lane *) reel_env_get_lane (env, lane))->rng,
                   (guint64) n * (guint64) (model->nq + model->nv));
  return TRUE;
}

static void
run (ReelEnv *env, const ReelMujocoWork *work)
{
  ReelMujocoEnv *self = REEL_MUJOCO_ENV (env);

  reel_mujoco_run (self, PRIVATE (self)->pool, work);
}

static void
keep (ReelMujocoEnv *self, const mjData *data, Lane *lane)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoEnvClass *klass = REEL_MUJOCO_ENV_GET_CLASS (self);

  reel_mujoco_state_get (priv->model, data, lane->state);
  if (klass->mark != NULL)
    klass->mark (self, data, lane->marks);
}

static void
observe (ReelMujocoEnv *self, const mjData *data, gint64 lane, guint8 *const *observation)
{
  double *rows = (double *) observation[0];

  REEL_MUJOCO_ENV_GET_CLASS (self)->observe (self, data,
                                             rows + (gsize) lane * PRIVATE (self)->n_observation);
}

/* enter_first_state: what mj_resetData() would clear and mj_forward() does not write
 * is cleared here: it would take as long as some steps, for it clears all that MuJoCo has room for.
 */
static void
enter_first_state (const ReelMujocoEnvPrivate *priv, mjData *data)
{
  reel_mujoco_state_set (priv->model, data, priv->initial);
  memcpy (data->ctrl, priv->initial_ctrl, (gsize) priv->model->nu * sizeof (double));
  memset (data->cfrc_ext, 0, (gsize) priv->model->nbody * 6 * sizeof (double));
}

static void
reset_lane (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 index, gconstpointer io)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  mjData *data = slot->data;
  Lane *lane = reel_env_get_lane (REEL_ENV (self), index);

  enter_first_state (priv, data);
  REEL_MUJOCO_ENV_GET_CLASS (self)->init_state (self, &lane->rng, data->qpos, data->qvel);
  mj_forward (priv->model, data);
  reel_mujoco_frames_begin (priv->frames, index, data);
  keep (self, data, lane);
  observe (self, data, index, io);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  run (env,
       &(ReelMujocoWork){ .func = reset_lane, .lanes = lanes, .n = (gint64) n, .io = observation });
}

static void
step_lane (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 index, gconstpointer step_io)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoEnvClass *klass = REEL_MUJOCO_ENV_GET_CLASS (self);
  const ReelEnvIO *io = step_io;
  const float *action = (const float *) io->action[0] + (gsize) index * (gsize) priv->model->nu;
  Lane *lane = reel_env_get_lane (REEL_ENV (self), index);
  mjData *data = slot->data;
  ReelMujocoStep step = { .data = data, .action = action, .before = lane->marks };

  reel_mujoco_state_set (priv->model, data, lane->state);
  for (int i = 0; i < priv->model->nu; i++)
    data->ctrl[i] = action[i];
  for (gint64 i = 1; i < priv->arguments.frame_skip; i++)
    mj_step (priv->model, data);
  reel_mujoco_frames_note (priv->frames, index, data);
  mj_step (priv->model, data);
  if (klass->uses_contact_forces)
    mj_rnePostConstraint (priv->model, data);
  klass->compute_reward (self, &step);
  io->reward[index] = (float) step.reward;
  io->terminated[index] = (guint8) step.terminated;
  observe (self, data, index, io->observation);
  keep (self, data, lane);
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  run (env, &(ReelMujocoWork){ .func = step_lane, .begin = begin, .n = end - begin, .io = io });
}

/* ---- states: of a lane, and behind it its look, where looks are kept ---- */

static gsize
state_size (ReelEnv *env)
{
  return REEL_ENV_CLASS (reel_mujoco_env_parent_class)->state_size (env)
         + reel_mujoco_frames_state_size (PRIVATE (REEL_MUJOCO_ENV (env))->frames);
}

static void
get_state (ReelEnv *env, gint64 lane, gpointer state)
{
  const ReelEnvClass *parent = REEL_ENV_CLASS (reel_mujoco_env_parent_class);

  parent->get_state (env, lane, state);
  reel_mujoco_frames_get_state (PRIVATE (REEL_MUJOCO_ENV (env))->frames, lane,
                                (guint8 *) state + parent->state_size (env));
}

static void
set_state (ReelEnv *env, gint64 lane, gconstpointer state)
{
  const ReelEnvClass *parent = REEL_ENV_CLASS (reel_mujoco_env_parent_class);

  parent->set_state (env, lane, state);
  reel_mujoco_frames_set_state (PRIVATE (REEL_MUJOCO_ENV (env))->frames, lane,
                                (const guint8 *) state + parent->state_size (env));
}

/* ---- pictures ---- */

typedef struct
{
  gint64 width, height;
  guint8 *pixels;
} Picture;

static void
draw_lane (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 index, gconstpointer io)
{
  const Lane *lane = reel_env_get_lane (REEL_ENV (self), index);
  const Picture *picture = io;
  g_autoptr (GError) error = NULL;

  if (reel_mujoco_frames_draw (PRIVATE (self)->frames, slot, index, lane->state, picture->width,
                               picture->height, picture->pixels, &error))
    return;

  g_autofree char *what = g_strdup_printf ("it has no picture: %s", error->message);

  reel_env_report_fault (REEL_ENV (self), index, what);
}

static void
render (ReelEnv *env, gint64 lane, gint64 width, gint64 height, guint8 *pixels)
{
  const Picture picture = { .width = width, .height = height, .pixels = pixels };

  run (env, &(ReelMujocoWork){ .func = draw_lane, .begin = lane, .n = 1, .io = &picture });
}

static gboolean
prepare_frames (ReelEnv *env, gint64 width, gint64 height, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (REEL_MUJOCO_ENV (env));
  ReelMujocoSlot *slot = reel_mujoco_pool_take (priv->pool);
  gboolean made = reel_mujoco_frames_prepare (priv->frames, slot, width, height, error);

  reel_mujoco_pool_give (slot);
  if (!made)
    g_prefix_error (error, "%s: ", reel_object_get_id (REEL_OBJECT (env)));
  return made;
}

/* show_lane: qpos as it was observed, at rest. */
static void
show_lane (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 index, gconstpointer io)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  const guint8 *const *observation = io;
  const gsize n_excluded = reel_mujoco_count_excluded (self);
  Lane *lane = reel_env_get_lane (REEL_ENV (self), index);
  mjData *data = slot->data;

  enter_first_state (priv, data);
  mj_forward (priv->model, data);
  reel_mujoco_frames_begin (priv->frames, index, data);
  memset (data->qpos, 0, n_excluded * sizeof (double));
  memcpy (data->qpos + n_excluded, observation[0],
          ((gsize) priv->model->nq - n_excluded) * sizeof (double));
  reel_mujoco_state_get (priv->model, data, lane->state);
}

static void
show (ReelEnv *env, gint64 lane, const guint8 *const *observation)
{
  run (env, &(ReelMujocoWork){ .func = show_lane, .begin = lane, .n = 1, .io = observation });
}

/* ---- class ---- */

void
reel_mujoco_env_class_add_task (ReelMujocoEnvClass *klass, const ReelId *ids, const char *source,
                                const char *v4, const char *v5)
{
  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_ENV_CLASS (klass)->source = source;
  klass->models[REEL_MUJOCO_V4] = v4;
  klass->models[REEL_MUJOCO_V5] = v5;
  reel_mujoco_env_class_add_rules (klass);
}

void
reel_mujoco_env_class_observe_positions (ReelMujocoEnvClass *klass, int n_root)
{
  klass->n_root = n_root;
  REEL_ENV_CLASS (klass)->show = show;
}

void
reel_mujoco_env_class_set_view (ReelMujocoEnvClass *klass, double distance, double height,
                                double elevation)
{
  klass->views[REEL_MUJOCO_V4] = (ReelMujocoView){ distance, height, elevation };
  klass->views[REEL_MUJOCO_V5] = klass->views[REEL_MUJOCO_V4];
}

static void
reel_mujoco_env_class_init (ReelMujocoEnvClass *klass)
{
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->skip_resets = skip_resets;
  env_class->reset = reset;
  env_class->step = step;
  env_class->state_size = state_size;
  env_class->get_state = get_state;
  env_class->set_state = set_state;
  env_class->frame_width = FRAME_SIDE;
  env_class->frame_height = FRAME_SIDE;
  env_class->prepare_frames = prepare_frames;
  env_class->render = render;
  reel_mujoco_env_class_set_view (klass, 0, NAN, 0);
  klass->arguments = (gsize) G_PRIVATE_OFFSET (ReelMujocoEnv, arguments);
  reel_mujoco_env_class_add_common (klass);
}

static void
reel_mujoco_env_init (ReelMujocoEnv *self)
{
}
