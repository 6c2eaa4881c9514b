#include "mujoco-painter.h"

#include "../../core/object/error.h"
#include "../gl/gl-context.h"
#include "mujoco-guard.h"

#include <string.h>

/* Gymnasium's, and room for more where the model needs it. */
#define LEAST_GEOMS 1000

struct _ReelMujocoPainter
{
  mjModel model;     /* the env's, but for what it says of pictures; arrays are shared */
  double *geom_size; /* NULL where it is the env's */
  ReelGlContext *gl;
  ReelGlInfo info;
  mjrContext renderer;
  mjvScene scene;
  mjvOption options;
  mjvPerturb perturb;
};

/* A guarded call of MuJoCo. */
typedef struct
{
  ReelMujocoPainter *self;
  mjData *data;
  mjvCamera *camera;
  mjrRect size;
  guint8 *pixels;
  int problem;
} Job;

/* do_guarded: in this painter's context; what MuJoCo raises is an error like others. */
static gboolean
do_guarded (void (*func) (Job *job), Job *job, GError **error)
{
  ReelMujocoPainter *self = job->self;
  ReelMujocoGuard guard;
  volatile gboolean done = FALSE;

  if (!reel_gl_context_begin (self->gl))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s takes no context of OpenGL",
                   self->info.renderer);
      return FALSE;
    }
  reel_mujoco_guard_begin (&guard);
  if (REEL_MUJOCO_CAUGHT (&guard) == 0)
    {
      func (job);
      done = TRUE;
    }
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "MuJoCo %s, drawing by %s: %s",
                 mj_versionString (), self->info.renderer, guard.message);
  reel_mujoco_guard_end ();
  reel_gl_context_end (self->gl);
  return done;
}

gboolean
reel_mujoco_painter_fits (const ReelMujocoPainter *self, gint64 width, gint64 height,
                          GError **error)
{
  if (MAX (width, height) <= self->info.most)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a picture of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
               " pixels: %s draws %" G_GINT64_FORMAT
               " a side at most; ask for a smaller width and height",
               width, height, self->info.renderer, self->info.most);
  return FALSE;
}

/* ---- what a picture takes ---- */

/* A plane is a grid of tiles, each lit at its corners, whose size is its third number: on 20 m of
 * floor tiles of 10 cm take most of the time of a small picture. */
static void
widen_floors (ReelMujocoPainter *self, const mjModel *model)
{
  self->geom_size = g_memdup2 (model->geom_size, (gsize) model->ngeom * 3 * sizeof (double));
  self->model.geom_size = self->geom_size;
  for (int i = 0; i < model->ngeom; i++)
    if (model->geom_type[i] == mjGEOM_PLANE)
      {
        double *size = self->geom_size + 3 * i;

        size[2] = MAX (size[2], MAX (size[0], size[1]));
      }
}

static void
take_model (ReelMujocoPainter *self, const mjModel *model, ReelMujocoQuality quality)
{
  self->model = *model;
  if (quality == REEL_MUJOCO_FULL)
    return;
  self->model.vis.quality.shadowsize = 0;
  self->model.vis.quality.offsamples = 0;
  widen_floors (self, model);
}

static int
count_geoms (const mjModel *model)
{
  return MAX (LEAST_GEOMS, 4 * ((int) model->ngeom + (int) model->nsite + (int) model->nwrap));
}

/* MuJoCo frees what was there before. */
static void
make_room (ReelMujocoPainter *self, mjrRect size)
{
  self->model.vis.global.offwidth = size.width;
  self->model.vis.global.offheight = size.height;
  mjr_makeContext (&self->model, &self->renderer, mjFONTSCALE_150);
}

static void
prepare (Job *job)
{
  mjv_makeScene (&job->self->model, &job->self->scene, count_geoms (&job->self->model));
  make_room (job->self, job->size);
}

ReelMujocoPainter *
reel_mujoco_painter_new (const mjModel *model, ReelMujocoQuality quality, gint64 width,
                         gint64 height, GError **error)
{
  ReelMujocoPainter *self = g_new0 (ReelMujocoPainter, 1);
  Job job = { .self = self, .size = { 0, 0, (int) width, (int) height } };

  take_model (self, model, quality);
  mjv_defaultScene (&self->scene);
  mjv_defaultOption (&self->options);
  mjv_defaultPerturb (&self->perturb);
  mjr_defaultContext (&self->renderer);
  self->gl = reel_gl_context_new (&self->info, error);
  if (self->gl != NULL)
    reel_gl_context_finish (self->gl);
  if (self->gl == NULL || !reel_mujoco_painter_fits (self, width, height, error)
      || !do_guarded (prepare, &job, error))
    {
      reel_mujoco_painter_free (self);
      return NULL;
    }
  if (quality == REEL_MUJOCO_FAST)
    {
      self->scene.flags[mjRND_SHADOW] = 0;
      self->scene.flags[mjRND_REFLECTION] = 0;
    }
  return self;
}

static void
clear (Job *job)
{
  mjr_freeContext (&job->self->renderer);
  mjv_freeScene (&job->self->scene);
}

void
reel_mujoco_painter_free (ReelMujocoPainter *self)
{
  Job job = { .self = self };

  if (self == NULL)
    return;
  if (self->gl != NULL)
    do_guarded (clear, &job, NULL);
  reel_gl_context_free (self->gl);
  g_free (self->geom_size);
  g_free (self);
}

/* MuJoCo's first row is the lowest. */
static void
flip (guint8 *pixels, gsize row, gint64 height)
{
  g_autofree guint8 *kept = g_malloc (row);

  for (gint64 y = 0; y < height / 2; y++)
    {
      guint8 *upper = pixels + (gsize) y * row, *lower = pixels + (gsize) (height - 1 - y) * row;

      memcpy (kept, upper, row);
      memcpy (upper, lower, row);
      memcpy (lower, kept, row);
    }
}

static void
draw (Job *job)
{
  ReelMujocoPainter *self = job->self;

  if (job->size.width != self->renderer.offWidth || job->size.height != self->renderer.offHeight)
    make_room (self, job->size);
  mjr_setBuffer (mjFB_OFFSCREEN, &self->renderer);
  mjv_updateScene (&self->model, job->data, &self->options, &self->perturb, job->camera, mjCAT_ALL,
                   &self->scene);
  mjr_render (job->size, &self->scene, &self->renderer);
  mjr_readPixels (job->pixels, NULL, job->size, &self->renderer);
  job->problem = mjr_getError ();
}

static gboolean
has_no_problem (const Job *job, GError **error)
{
  if (job->problem == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s: OpenGL error 0x%x",
               job->self->info.renderer, (guint) job->problem);
  return FALSE;
}

gboolean
reel_mujoco_painter_draw (ReelMujocoPainter *self, mjData *data, mjvCamera *camera, gint64 width,
                          gint64 height, guint8 *pixels, GError **error)
{
  Job job = {
    .self = self,
    .data = data,
    .camera = camera,
    .size = { 0, 0, (int) width, (int) height },
    .pixels = pixels,
  };

  if (!reel_mujoco_painter_fits (self, width, height, error) || !do_guarded (draw, &job, error)
      || !has_no_problem (&job, error))
    {
      memset (pixels, 0, (gsize) (width * height * 3));
      return FALSE;
    }
  flip (pixels, (gsize) width * 3, height);
  return TRUE;
}
