#include "fragile-env.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct
{
  gint64 seed, episode, count;
} Lane;

struct _ReelFragileEnv
{
  ReelEnv parent_instance;
};

G_DEFINE_FINAL_TYPE (ReelFragileEnv, reel_fragile_env, REEL_TYPE_ENV)

static FragileHow broken;
static gint64 broken_lane, broken_step;

void
fragile_env_break (FragileHow how, gint64 lane, gint64 step)
{
  broken = how;
  broken_lane = lane;
  broken_step = step;
}

static void
break_here (ReelEnv *env, gint64 lane)
{
  if (broken == FRAGILE_ABORT || broken == FRAGILE_ABORT_RESET)
    abort ();
  if (broken == FRAGILE_EXIT)
    _exit (7);
  if (broken == FRAGILE_HANG)
    for (;;)
      pause ();
  reel_env_report_fault (env, lane, "it was told to");
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  const gint64 one[] = { 1 }, two[] = { 2 };
  g_autoptr (ReelSpec) count = reel_unbounded_spec_new (REEL_DTYPE_INT64, 1, one, error);
  g_autoptr (ReelSpec) place = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, two, error);
  g_autoptr (ReelSpec) action = reel_categorical_spec_new (3, REEL_DTYPE_INT64, 0, NULL, error);

  reel_env_take_specs (env,
                       reel_composite_spec_new (0, NULL,
                                                (const char *const[]){ "count", "place", NULL },
                                                (ReelSpec *const[]){ count, place }, 2, error),
                       reel_composite_spec_new (0, NULL, (const char *const[]){ "action", NULL },
                                                (ReelSpec *const[]){ action }, 1, error));
  return reel_env_make_lanes (env, sizeof (Lane), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  Lane *self = reel_env_get_lane (env, lane);

  *self = (Lane){ .seed = words[0] + (n_words > 2 ? 1000 * (gint64) words[2] : 0) };
}

static void
show (const Lane *self, gint64 lane, guint8 *const *observation)
{
  float *place = (float *) (gpointer) observation[1] + 2 * lane;

  ((gint64 *) (gpointer) observation[0])[lane] = self->count;
  place[0] = (float) self->seed;
  place[1] = (float) self->episode;
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      Lane *self = reel_env_get_lane (env, lanes[i]);

      self->episode++;
      self->count = 0;
      if (broken == FRAGILE_ABORT_RESET && lanes[i] == broken_lane && self->episode == broken_step)
        break_here (env, lanes[i]);
      show (self, lanes[i], observation);
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      Lane *self = reel_env_get_lane (env, lane);

      self->count++;
      if (broken != FRAGILE_NOWHERE && broken != FRAGILE_ABORT_RESET && lane == broken_lane
          && self->count == broken_step && self->episode == 1)
        break_here (env, lane);
      show (self, lane, io->observation);
      io->reward[lane] = (float) ((const gint64 *) (gconstpointer) io->action[0])[lane];
      io->terminated[lane] = self->count == 7 + lane;
    }
}

static void
reel_fragile_env_class_init (ReelFragileEnvClass *klass)
{
  static const ReelId ids[] = { { "Fragile-v0", NULL, "fails where it is told to" }, { NULL } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->source = "none";
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
}

static void
reel_fragile_env_init (ReelFragileEnv *self)
{
}
