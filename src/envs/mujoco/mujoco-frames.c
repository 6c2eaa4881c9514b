#include "mujoco-frames.h"

#include "../../core/tensor/memory.h"
#include "mujoco-state.h"

#include <string.h>

/* The inputs of a picture besides the lane's state. */
typedef struct
{
  double middle[3]; /* what the free camera looks at, from the first reset on */
  gint32 has_middle;
  gint32 has_last_step; /* not at the beginning of an episode */
  double state[];       /* that before the last of MuJoCo's steps, and then ctrl in it */
} Look;

struct _ReelMujocoFrames
{
  const mjModel *model;
  gint64 n_lanes;
  const ReelMujocoView *view;
  int camera;
  ReelMujocoQuality quality;
  gsize n_state;

  ReelMemory *memory; /* of looks; NULL until pictures are asked for */
  guint8 *looks;
};

ReelMujocoFrames *
reel_mujoco_frames_new (const mjModel *model, gint64 n_lanes, const ReelMujocoView *view,
                        int camera, ReelMujocoQuality quality)
{
  ReelMujocoFrames *self = g_new0 (ReelMujocoFrames, 1);

  self->model = model;
  self->n_lanes = n_lanes;
  self->view = view;
  self->camera = camera;
  self->quality = quality;
  self->n_state = reel_mujoco_state_size (model);
  return self;
}

void
reel_mujoco_frames_free (ReelMujocoFrames *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->memory, reel_memory_unref);
  g_free (self);
}

/* ---- looks ---- */

static gsize
measure_look (const ReelMujocoFrames *self)
{
  return sizeof (Look) + (self->n_state + (gsize) self->model->nu) * sizeof (double);
}

static Look *
get_look (const ReelMujocoFrames *self, gint64 lane)
{
  return (Look *) (gpointer) (self->looks + (gsize) lane * measure_look (self));
}

static gboolean
make_looks (ReelMujocoFrames *self, GError **error)
{
  gsize all;

  if (self->looks != NULL)
    return TRUE;
  if (!g_size_checked_mul (&all, (gsize) self->n_lanes, measure_look (self)))
    all = G_MAXSIZE;
  self->memory = reel_memory_new (all, error);
  if (self->memory == NULL)
    return FALSE;
  self->looks = reel_memory_get_data (self->memory, NULL);
  return TRUE;
}

static void
keep_middle (const ReelMujocoFrames *self, Look *look, const mjData *data)
{
  if (!look->has_middle)
    reel_mujoco_view_find_middle (self->model, data, look->middle);
  look->has_middle = TRUE;
}

void
reel_mujoco_frames_begin (ReelMujocoFrames *self, gint64 lane, const mjData *data)
{
  if (self->looks == NULL)
    return;

  Look *look = get_look (self, lane);

  look->has_last_step = FALSE;
  keep_middle (self, look, data);
}

void
reel_mujoco_frames_note (ReelMujocoFrames *self, gint64 lane, const mjData *data)
{
  if (self->looks == NULL)
    return;

  Look *look = get_look (self, lane);

  reel_mujoco_state_get (self->model, data, look->state);
  memcpy (look->state + self->n_state, data->ctrl, (gsize) self->model->nu * sizeof (double));
  look->has_last_step = TRUE;
}

gsize
reel_mujoco_frames_state_size (const ReelMujocoFrames *self)
{
  return self->looks == NULL ? 0 : measure_look (self);
}

void
reel_mujoco_frames_get_state (const ReelMujocoFrames *self, gint64 lane, gpointer state)
{
  if (self->looks != NULL)
    memcpy (state, get_look (self, lane), measure_look (self));
}

void
reel_mujoco_frames_set_state (ReelMujocoFrames *self, gint64 lane, gconstpointer state)
{
  if (self->looks != NULL)
    memcpy (get_look (self, lane), state, measure_look (self));
}

/* ---- pictures ---- */

static gboolean
make_painter (const ReelMujocoFrames *self, ReelMujocoSlot *slot, gint64 width, gint64 height,
              GError **error)
{
  if (slot->painter == NULL)
    slot->painter = reel_mujoco_painter_new (self->model, self->quality, width, height, error);
  return slot->painter != NULL;
}

gboolean
reel_mujoco_frames_prepare (ReelMujocoFrames *self, ReelMujocoSlot *slot, gint64 width,
                            gint64 height, GError **error)
{
  return make_painter (self, slot, width, height, error)
         && reel_mujoco_painter_fits (slot->painter, width, height, error)
         && make_looks (self, error);
}

/* recall: has MuJoCo derive once more what it had derived when the lane was left. */
static void
recall (const ReelMujocoFrames *self, mjData *data, const double *state, const Look *look)
{
  if (!look->has_last_step)
    {
      reel_mujoco_state_set (self->model, data, state);
      mj_forward (self->model, data);
      return;
    }
  reel_mujoco_state_set (self->model, data, look->state);
  memcpy (data->ctrl, look->state + self->n_state, (gsize) self->model->nu * sizeof (double));
  mj_step (self->model, data);
}

static gboolean
draw (ReelMujocoFrames *self, ReelMujocoSlot *slot, gint64 lane, const double *state, gint64 width,
      gint64 height, guint8 *pixels, GError **error)
{
  Look *look = get_look (self, lane);
  mjvCamera camera;

  recall (self, slot->data, state, look);
  keep_middle (self, look, slot->data);
  reel_mujoco_view_place (self->view, self->model, slot->data, self->camera, look->middle, &camera);
  return make_painter (self, slot, width, height, error)
         && reel_mujoco_painter_draw (slot->painter, slot->data, &camera, width, height, pixels,
                                      error);
}

gboolean
reel_mujoco_frames_draw (ReelMujocoFrames *self, ReelMujocoSlot *slot, gint64 lane,
                         const double *state, gint64 width, gint64 height, guint8 *pixels,
                         GError **error)
{
  if (self->looks == NULL)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "reel_env_prepare_frames() was not called");
  else if (draw (self, slot, lane, state, width, height, pixels, error))
    return TRUE;
  memset (pixels, 0, (gsize) (width * height * 3));
  return FALSE;
}
