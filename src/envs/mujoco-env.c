#include "mujoco-env.h"

#include "mujoco-contacts.h"
#include "mujoco-guard.h"
#include "mujoco-pool.h"
#include "mujoco-state.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Gymnasium's pictures. */
#define FRAME_SIDE 480

/* All that a lane is made of, with what its picture is made of behind the state. */
typedef struct
{
  ReelPcg64 rng;
  double marks[REEL_MUJOCO_MARKS];
  double state[];
} Lane;

typedef struct
{
  double middle[3]; /* what the free camera looks at, from the first reset on */
  gint32 has_middle;
  gint32 has_last_step; /* not at the beginning of an episode */
  double state[];       /* that before the last of MuJoCo's steps, and then ctrl in it */
} Look;

typedef struct
{
  ReelMujocoArguments arguments;
  gint64 frame_skip;
  char *xml_file;
  gboolean old_margins;
  char *camera;
  int quality;

  mjModel *model;
  gpointer contacts; /* that it refers to; NULL where MuJoCo looks for them itself */
  double dt;
  int camera_number;    /* −1 for the free one */
  double *initial;      /* the state of a lane before an episode */
  double *initial_ctrl; /* what controls are then */
  gsize n_state;
  gsize n_observation;

  ReelMujocoPool *pool;
} ReelMujocoEnvPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelMujocoEnv, reel_mujoco_env, REEL_TYPE_ENV)

#define PRIVATE(self) ((ReelMujocoEnvPrivate *) reel_mujoco_env_get_instance_private (self))

static const char *const rules[] = { "v4", "v5", NULL };
static const char *const qualities[] = { "full", "fast", NULL };

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

/* load: what is looked at in a model is in all that the library brings. */
static gboolean
load (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  const char *name = REEL_MUJOCO_ENV_GET_CLASS (self)->models[priv->arguments.rules];

  if (name == NULL && priv->xml_file == NULL)
    g_set_error (
        error, REEL_ERROR, REEL_ERROR_VALUE,
        "%s has no model of its own: name one in MuJoCo's XML, as in %s:xml-file=robot.xml",
        reel_object_get_id (REEL_OBJECT (self)), reel_object_get_id (REEL_OBJECT (self)));
  else
    priv->model = reel_mujoco_model_load (name, priv->xml_file, error);
  return priv->model != NULL;
}

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
                 id, priv->xml_file);
  else if (model->nq < klass->nq || model->nv < klass->nv)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: xml-file=%s has nq=%d, nv=%d, where at least %d and %d are needed", id,
                 priv->xml_file, (int) model->nq, (int) model->nv, klass->nq, klass->nv);
  else
    return TRUE;
  return FALSE;
}

/* halve_margins: MuJoCo adds the margins of two geoms from 3.5 on, of which it took the larger one.
 * Its version is 340 for 3.4.0 and 3005000 for 3.5.0. */
static void
halve_margins (mjModel *model)
{
  if (mj_version () >= 350)
    for (int i = 0; i < model->ngeom; i++)
      model->geom_margin[i] /= 2;
}

static gboolean
check_range (const GArray *range, const char *name, GError **error)
{
  if (range != NULL && range->len == 2
      && g_array_index (range, double, 0) <= g_array_index (range, double, 1))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s must be two numbers, the lower one first, such as [0.2,1]", name);
  return FALSE;
}

typedef struct
{
  const char *name;
  gsize offset;
  const char *blurb;
} Argument;

#define OFFSET(field) G_STRUCT_OFFSET (ReelMujocoArguments, field)

static const Argument ranges[] = {
  { "healthy-state-range", OFFSET (healthy_state_range),
    "outside of which any element of the state but the first two is unhealthy" },
  { "healthy-z-range", OFFSET (healthy_z_range), "outside of which the height is unhealthy" },
  { "healthy-angle-range", OFFSET (healthy_angle_range),
    "outside of which the pitch is unhealthy" },
  { "contact-force-range", OFFSET (contact_range), "to which forces of contact are clipped" },
  { "contact-cost-range", OFFSET (contact_range), "to which the cost of contact is clipped" },
  { "impact-cost-range", OFFSET (contact_range), "to which the cost of impact is clipped" },
};

static gboolean
check_ranges (ReelMujocoEnv *self, GError **error)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (self);

  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    {
      gpointer at = G_STRUCT_MEMBER_P (&PRIVATE (self)->arguments, ranges[i].offset);

      if (g_object_class_find_property (klass, ranges[i].name) != NULL
          && !check_range (*(GArray **) at, ranges[i].name, error))
        return FALSE;
    }
  return TRUE;
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
               reel_object_get_id (REEL_OBJECT (self)), priv->xml_file);
  return FALSE;
}

static gboolean
make_first_data (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoSlot *slot = reel_mujoco_pool_take (priv->pool);
  ReelMujocoGuard guard;
  gboolean made;

  reel_mujoco_guard_begin (&guard);
  if (REEL_MUJOCO_CAUGHT (&guard) == 0)
    slot->data = mj_makeData (priv->model);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "%s: MuJoCo: %s",
                 reel_object_get_id (REEL_OBJECT (self)), guard.message);
  reel_mujoco_guard_end ();
  made = slot->data != NULL && measure (self, slot->data, error);
  reel_mujoco_pool_give (slot);
  return made;
}

/* An actuator without a range takes any number. */
static ReelSpec *
make_action_spec (const mjModel *model, GError **error)
{
  gint64 shape = model->nu;
  gboolean limited = FALSE;
  g_autofree double *low = g_new (double, shape), *high = g_new (double, shape);

  for (int i = 0; i < model->nu; i++)
    {
      low[i] = model->actuator_ctrllimited[i] ? model->actuator_ctrlrange[2 * i] : -INFINITY;
      high[i] = model->actuator_ctrllimited[i] ? model->actuator_ctrlrange[2 * i + 1] : INFINITY;
      limited = limited || model->actuator_ctrllimited[i];
    }
  if (!limited)
    return reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, &shape, error);
  return reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, &shape, low, shape, high, shape, error);
}

static gboolean
make_specs (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  const char *const observation_key[] = { "observation" }, *const action_key[] = { "action" };
  gint64 shape = (gint64) priv->n_observation;
  g_autoptr (ReelSpec) observation = reel_unbounded_spec_new (REEL_DTYPE_FLOAT64, 1, &shape, error);

  if (observation == NULL)
    return FALSE;

  g_autoptr (ReelSpec) action = make_action_spec (priv->model, error);

  if (action == NULL)
    return FALSE;

  g_autoptr (ReelSpec) observations =
      reel_composite_spec_new (0, NULL, observation_key, &observation, 1, error);
  ReelSpec *actions =
      observations ? reel_composite_spec_new (0, NULL, action_key, &action, 1, error) : NULL;

  if (actions == NULL)
    return FALSE;
  reel_env_take_specs (REEL_ENV (self), g_steal_pointer (&observations), actions);
  return TRUE;
}

static gsize
lane_bytes (const ReelMujocoEnvPrivate *priv)
{
  return sizeof (Lane) + sizeof (Look)
         + (2 * priv->n_state + (gsize) priv->model->nu) * sizeof (double);
}

static gboolean
find_camera (ReelMujocoEnv *self, GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);

  if (reel_mujoco_view_find_camera (priv->model, priv->camera, &priv->camera_number, error))
    return TRUE;
  g_prefix_error (error, "%s: ", reel_object_get_id (REEL_OBJECT (self)));
  return FALSE;
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelMujocoEnv *self = REEL_MUJOCO_ENV (env);
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoEnvClass *klass = REEL_MUJOCO_ENV_GET_CLASS (self);

  if (!load (self, error) || !check_model (self, error)
      || !reel_mujoco_state_is_whole (priv->model, priv->xml_file, error)
      || !check_ranges (self, error) || !find_camera (self, error)
      || (klass->prepare != NULL && !klass->prepare (self, priv->model, error)))
    return FALSE;
  if (priv->old_margins)
    halve_margins (priv->model);
  if (priv->xml_file == NULL)
    priv->contacts = reel_mujoco_contacts_list (priv->model);
  priv->dt = priv->model->opt.timestep * (double) priv->frame_skip;
  reel_env_take_frame_rate (env, MAX ((gint) rint (1 / priv->dt), 1));
  priv->pool = reel_mujoco_pool_new (reel_env_get_num_envs (env));
  return make_first_data (self, error) && reel_env_make_lanes (env, lane_bytes (priv), error)
         && make_specs (self, error);
}

static void
finalize (GObject *object)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (REEL_MUJOCO_ENV (object));

  reel_mujoco_pool_free (priv->pool);
  if (priv->model != NULL)
    mj_deleteModel (priv->model);
  g_free (priv->contacts);
  g_free (priv->initial);
  g_free (priv->initial_ctrl);
  G_OBJECT_CLASS (reel_mujoco_env_parent_class)->finalize (object);
}

/* ---- lanes ---- */

static Look *
get_look (const ReelMujocoEnvPrivate *priv, Lane *lane)
{
  return (Look *) (gpointer) (lane->state + priv->n_state);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  reel_pcg64_seed (&((Lane *) reel_env_get_lane (env, lane))->rng, words, n_words);
}

/* What is to be done with some lanes. */
typedef struct
{
  void (*func) (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 lane, gconstpointer io);
  const gint64 *lanes; /* NULL for those from begin on */
  gint64 begin;
  gint64 n;
  gconstpointer io;
} Work;

static gint64
work_lane (const Work *work, gint64 i)
{
  return work->lanes ? work->lanes[i] : work->begin + i;
}

/* MuJoCo writes the text of a lane's first warning where all threads do: none is the first. */
#define NOT_FIRST (1 << 20)

static void
forget_warnings (mjData *data)
{
  for (int i = 0; i < mjNWARNING; i++)
    data->warning[i].number = NOT_FIRST;
}

/* Where MuJoCo finds a bad number it clears all counters but that one's. A bad control it takes as
 * 0, as the tasks do. */
static void
report (ReelMujocoEnv *self, const mjData *data, gint64 lane)
{
  static const char *const words[mjNWARNING] = {
    [mjWARN_INERTIA] = "the inertia matrix is close to singular at degree of freedom",
    [mjWARN_CONTACTFULL] = "the buffer of contacts is full, nconmax =",
    [mjWARN_CNSTRFULL] = "the buffer of constraints is full, njmax =",
    [mjWARN_BADQPOS] = "NaN, infinite or huge, the simulation is unstable: qpos",
    [mjWARN_BADQVEL] = "NaN, infinite or huge, the simulation is unstable: qvel",
    [mjWARN_BADQACC] = "NaN, infinite or huge, the simulation is unstable: qacc",
  };

  for (int i = 0; i < mjNWARNING; i++)
    {
      int number = data->warning[i].number;

      if (number == NOT_FIRST || number == 0 || words[i] == NULL)
        continue;
      g_autofree char *what = g_strdup_printf ("%s %d", words[i], data->warning[i].lastinfo);
      reel_env_report_fault (REEL_ENV (self), lane, what);
    }
}

/* run: does the work in an mjData of this thread. An error that MuJoCo raises is the fault of the
 * lane at work; the others go on. */
static void
run (ReelMujocoEnv *self, const Work *work)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoSlot *slot = reel_mujoco_pool_take (priv->pool);
  ReelMujocoGuard guard;
  volatile gint64 i = 0;

  reel_mujoco_guard_begin (&guard);
  if (REEL_MUJOCO_CAUGHT (&guard) != 0)
    {
      reel_env_report_fault (REEL_ENV (self), work_lane (work, i), guard.message);
      if (slot->data != NULL)
        mj_resetData (priv->model, slot->data);
      i++;
    }
  for (; i < work->n; i++)
    {
      gint64 lane = work_lane (work, i);

      if (slot->data == NULL)
        slot->data = mj_makeData (priv->model);
      forget_warnings (slot->data);
      work->func (self, slot, lane, work->io);
      report (self, slot->data, lane);
    }
  reel_mujoco_guard_end ();
  reel_mujoco_pool_give (slot);
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

/* reset_lane: what mj_resetData() would clear and mj_forward() does not write is cleared here: it
 * would take as long as some steps, for it clears all that MuJoCo has room for. */
static void
reset_lane (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 index, gconstpointer io)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  const mjModel *model = priv->model;
  mjData *data = slot->data;
  Lane *lane = reel_env_get_lane (REEL_ENV (self), index);
  Look *look = get_look (priv, lane);

  reel_mujoco_state_set (model, data, priv->initial);
  memcpy (data->ctrl, priv->initial_ctrl, (gsize) model->nu * sizeof (double));
  memset (data->cfrc_ext, 0, (gsize) model->nbody * 6 * sizeof (double));
  REEL_MUJOCO_ENV_GET_CLASS (self)->place (self, &lane->rng, data->qpos, data->qvel);
  mj_forward (model, data);
  look->has_last_step = FALSE;
  if (!look->has_middle)
    reel_mujoco_view_find_middle (model, data, look->middle);
  look->has_middle = TRUE;
  keep (self, data, lane);
  observe (self, data, index, io);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  const Work work = { .func = reset_lane, .lanes = lanes, .n = (gint64) n, .io = observation };

  run (REEL_MUJOCO_ENV (env), &work);
}

/* advance: MuJoCo's steps of one step; notes what the last of them begins with. */
static void
advance (const ReelMujocoEnvPrivate *priv, mjData *data, Look *look)
{
  for (gint64 i = 1; i < priv->frame_skip; i++)
    mj_step (priv->model, data);
  reel_mujoco_state_get (priv->model, data, look->state);
  memcpy (look->state + priv->n_state, data->ctrl, (gsize) priv->model->nu * sizeof (double));
  look->has_last_step = TRUE;
  mj_step (priv->model, data);
}

static void
step_lane (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 index, gconstpointer step_io)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  ReelMujocoEnvClass *klass = REEL_MUJOCO_ENV_GET_CLASS (self);
  const ReelEnvStep *io = step_io;
  const float *action = (const float *) io->action[0] + (gsize) index * (gsize) priv->model->nu;
  Lane *lane = reel_env_get_lane (REEL_ENV (self), index);
  mjData *data = slot->data;
  ReelMujocoStep step = { .data = data, .action = action, .before = lane->marks };

  reel_mujoco_state_set (priv->model, data, lane->state);
  for (int i = 0; i < priv->model->nu; i++)
    data->ctrl[i] = action[i];
  advance (priv, data, get_look (priv, lane));
  if (klass->uses_contact_forces)
    mj_rnePostConstraint (priv->model, data);
  klass->judge (self, &step);
  io->reward[index] = (float) step.reward;
  io->terminated[index] = (guint8) step.terminated;
  observe (self, data, index, io->observation);
  keep (self, data, lane);
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvStep *io)
{
  const Work work = { .func = step_lane, .begin = begin, .n = end - begin, .io = io };

  run (REEL_MUJOCO_ENV (env), &work);
}

/* ---- pictures ---- */

typedef struct
{
  gint64 width, height;
  guint8 *pixels;
} Picture;

static gboolean
make_painter (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 width, gint64 height,
              GError **error)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);

  if (slot->painter == NULL)
    slot->painter = reel_mujoco_painter_new (priv->model, priv->quality, width, height, error);
  return slot->painter != NULL;
}

/* recall: has MuJoCo derive once more what it had derived when the lane was left. */
static void
recall (const ReelMujocoEnvPrivate *priv, mjData *data, const Lane *lane, const Look *look)
{
  const double *ctrl = look->state + priv->n_state;

  reel_mujoco_state_set (priv->model, data, look->has_last_step ? look->state : lane->state);
  if (!look->has_last_step)
    {
      mj_forward (priv->model, data);
      return;
    }
  memcpy (data->ctrl, ctrl, (gsize) priv->model->nu * sizeof *ctrl);
  mj_step (priv->model, data);
}

static void
draw_lane (ReelMujocoEnv *self, ReelMujocoSlot *slot, gint64 index, gconstpointer io)
{
  ReelMujocoEnvPrivate *priv = PRIVATE (self);
  const ReelMujocoView *view = &REEL_MUJOCO_ENV_GET_CLASS (self)->views[priv->arguments.rules];
  Lane *lane = reel_env_get_lane (REEL_ENV (self), index);
  const Look *look = get_look (priv, lane);
  const Picture *picture = io;
  g_autoptr (GError) error = NULL;
  mjvCamera camera;

  recall (priv, slot->data, lane, look);
  reel_mujoco_view_place (view, priv->model, priv->camera_number, look->middle, &camera);
  if (make_painter (self, slot, picture->width, picture->height, &error)
      && reel_mujoco_painter_draw (slot->painter, slot->data, &camera, picture->width,
                                   picture->height, picture->pixels, &error))
    return;

  g_autofree char *what = g_strdup_printf ("it has no picture: %s", error->message);

  memset (picture->pixels, 0, (gsize) (picture->width * picture->height * 3));
  reel_env_report_fault (REEL_ENV (self), index, what);
}

static void
render (ReelEnv *env, gint64 lane, gint64 width, gint64 height, guint8 *pixels)
{
  const Picture picture = { .width = width, .height = height, .pixels = pixels };
  const Work work = { .func = draw_lane, .begin = lane, .n = 1, .io = &picture };

  run (REEL_MUJOCO_ENV (env), &work);
}

static gboolean
prepare_frames (ReelEnv *env, gint64 width, gint64 height, GError **error)
{
  ReelMujocoEnv *self = REEL_MUJOCO_ENV (env);
  ReelMujocoSlot *slot = reel_mujoco_pool_take (PRIVATE (self)->pool);
  gboolean made = make_painter (self, slot, width, height, error)
                  && reel_mujoco_painter_fits (slot->painter, width, height, error);

  reel_mujoco_pool_give (slot);
  if (!made)
    g_prefix_error (error, "%s: ", reel_object_get_id (REEL_OBJECT (env)));
  return made;
}

void
reel_mujoco_env_class_set_view (ReelMujocoEnvClass *klass, double distance, double height,
                                double elevation)
{
  klass->views[REEL_MUJOCO_V4] = (ReelMujocoView){ distance, height, elevation };
  klass->views[REEL_MUJOCO_V5] = klass->views[REEL_MUJOCO_V4];
}

/* ---- arguments ---- */

static const Argument weights[] = {
  { "forward-reward-weight", OFFSET (forward_reward_weight), "of the speed ahead in the reward" },
  { "ctrl-cost-weight", OFFSET (ctrl_cost_weight), "of the squares of the action in the cost" },
  { "contact-cost-weight", OFFSET (contact_cost_weight),
    "of the squares of the forces of contact" },
  { "impact-cost-weight", OFFSET (contact_cost_weight), "of the squares of the forces of contact" },
  { "healthy-reward", OFFSET (healthy_reward), "of a step after which the lane is healthy" },
  { "reset-noise-scale", OFFSET (reset_noise_scale), "of what is added to the first state" },
};

static const Argument flags[] = {
  { "terminate-when-unhealthy", OFFSET (terminate_when_unhealthy),
    "whether an episode ends where the lane is unhealthy" },
  { "exclude-current-positions-from-observation", OFFSET (exclude_positions),
    "leave out where the body is on the ground" },
  { "include-cinert-in-observation", OFFSET (include_cinert), "inertia of each body" },
  { "include-cvel-in-observation", OFFSET (include_cvel), "velocity of each body" },
  { "include-qfrc-actuator-in-observation", OFFSET (include_qfrc_actuator),
    "force of the actuators at each joint" },
  { "include-cfrc-ext-in-observation", OFFSET (include_cfrc_ext), "forces of contact" },
};

void
reel_mujoco_env_class_add_task (ReelMujocoEnvClass *klass, const ReelId *ids, const char *source,
                                const char *v4, const char *v5)
{
  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_ENV_CLASS (klass)->source = source;
  klass->models[REEL_MUJOCO_V4] = v4;
  klass->models[REEL_MUJOCO_V5] = v5;
  reel_object_class_add_enum (
      REEL_OBJECT_CLASS (klass), "rules", (gsize) G_PRIVATE_OFFSET (ReelMujocoEnv, arguments.rules),
      rules, REEL_MUJOCO_V5, "whose rewards and observations: Gymnasium's -v4 or -v5",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

static const Argument *
find_argument (const Argument *arguments, gsize n, const char *name)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (arguments[i].name, name))
      return &arguments[i];
  g_return_val_if_reached (NULL);
}

static gsize
get_offset (const Argument *argument)
{
  return (gsize) G_PRIVATE_OFFSET (ReelMujocoEnv, arguments) + argument->offset;
}

void
reel_mujoco_env_class_add_weight (ReelMujocoEnvClass *klass, const char *name, double initial)
{
  const Argument *found = find_argument (weights, G_N_ELEMENTS (weights), name);
  gboolean is_scale = g_str_equal (name, "reset-noise-scale");

  reel_object_class_add_double (REEL_OBJECT_CLASS (klass), name, get_offset (found),
                                is_scale ? 0 : -DBL_MAX, DBL_MAX, initial, NULL, found->blurb,
                                REEL_PROPERTY_CONSTRUCT_ONLY);
}

void
reel_mujoco_env_class_add_flag (ReelMujocoEnvClass *klass, const char *name)
{
  const Argument *found = find_argument (flags, G_N_ELEMENTS (flags), name);

  reel_object_class_add_bool (REEL_OBJECT_CLASS (klass), name, get_offset (found), TRUE,
                              found->blurb, REEL_PROPERTY_CONSTRUCT_ONLY);
}

void
reel_mujoco_env_class_add_body (ReelMujocoEnvClass *klass)
{
  /* All but the first, which is about health. */
  for (gsize i = 1; i < G_N_ELEMENTS (flags); i++)
    reel_mujoco_env_class_add_flag (klass, flags[i].name);
}

void
reel_mujoco_env_class_add_range (ReelMujocoEnvClass *klass, const char *name)
{
  const Argument *found = find_argument (ranges, G_N_ELEMENTS (ranges), name);

  reel_object_class_add_list (REEL_OBJECT_CLASS (klass), name, get_offset (found), found->blurb,
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
add_properties (ReelObjectClass *klass)
{
  reel_object_class_add_int64 (
      klass, "frame-skip", (gsize) G_PRIVATE_OFFSET (ReelMujocoEnv, frame_skip), 1, G_MAXINT32, 1,
      "steps of MuJoCo", "in a step of the environment", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_path (klass, "xml-file", (gsize) G_PRIVATE_OFFSET (ReelMujocoEnv, xml_file),
                              NULL,
                              "a model in MuJoCo's XML, in the place of the one that a task brings",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "old-margins",
                              (gsize) G_PRIVATE_OFFSET (ReelMujocoEnv, old_margins), FALSE,
                              "contacts as before MuJoCo 3.5 on newer ones: margins are halved",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_string (
      klass, "camera", (gsize) G_PRIVATE_OFFSET (ReelMujocoEnv, camera), NULL,
      "of pictures: name or number of one of the model's, such as track; -1, the default, is free "
      "and stands as Gymnasium's",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      klass, "quality", (gsize) G_PRIVATE_OFFSET (ReelMujocoEnv, quality), qualities,
      REEL_MUJOCO_FULL,
      "of pictures: full, as Gymnasium's; fast, without shadows, reflections and smooth edges",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_mujoco_env_class_init (ReelMujocoEnvClass *klass)
{
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
  env_class->frame_width = FRAME_SIDE;
  env_class->frame_height = FRAME_SIDE;
  env_class->prepare_frames = prepare_frames;
  env_class->render = render;
  reel_mujoco_env_class_set_view (klass, 0, NAN, 0);
  add_properties (REEL_OBJECT_CLASS (klass));
}

static void
reel_mujoco_env_init (ReelMujocoEnv *self)
{
}
