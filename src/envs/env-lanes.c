/* Steps and resets ranges of lanes: stages around the step and the reset of the class, composed
 * once from the features of the env. */
#include "env-lanes.h"

#include <string.h>

#include "env-private.h"

/* ---- seeds ---- */

/* Adds 1 to a number in base 2^32; there is room for one more word. */
static void
increment (guint32 *words, gsize *n_words)
{
  gsize i = 0;

  while (i < *n_words && ++words[i] == 0)
    i++;
  if (i == *n_words)
    words[(*n_words)++] = 1;
}

void
reel_env_seed (ReelEnv *self, const guint32 *seed, gsize n_words)
{
  g_return_if_fail (REEL_IS_ENV (self));
  g_return_if_fail (seed != NULL && n_words > 0);

  ReelEnvPrivate *priv = reel_env_get_private (self);
  g_autofree guint32 *words = g_new (guint32, n_words + 1);

  memcpy (words, seed, n_words * sizeof *words);
  for (gint64 lane = 0; lane < priv->num_envs; lane++)
    {
      reel_env_seed_lane (self, lane, words, n_words);
      increment (words, &n_words);
    }
}

void
reel_env_seed_lane (ReelEnv *self, gint64 lane, const guint32 *seed, gsize n_words)
{
  g_return_if_fail (REEL_IS_ENV (self));
  g_return_if_fail (seed != NULL && n_words > 0);

  ReelEnvPrivate *priv = reel_env_get_private (self);

  g_return_if_fail (0 <= lane && lane < priv->num_envs);

  while (n_words > 1 && seed[n_words - 1] == 0)
    n_words--;
  if (priv->mixed != NULL)
    {
      reel_env_seed_part_lane (self, lane, seed, n_words);
      return;
    }
  reel_lane_clocks_set (&priv->clocks, lane, -1);
  if (priv->autoreset != NULL)
    reel_env_autoreset_forget (priv->autoreset, lane, lane + 1);
  REEL_ENV_GET_CLASS (self)->seed (self, lane, seed, n_words);
}

gboolean
reel_env_skip_resets (ReelEnv *self, gint64 lane, gint64 n)
{
  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  return klass->skip_resets != NULL && reel_env_get_private (self)->mixed == NULL
         && klass->skip_resets (self, lane, n);
}

/* ---- stages of a reset ---- */

static void
restart_clocks (ReelEnvReset *reset)
{
  for (gsize i = 0; i < reset->n; i++)
    reel_lane_clocks_restart (&reset->priv->clocks, reset->lanes[i]);
}

/* Lanes that the class has reset itself already leave the list. */
static void
reset_autoreset (ReelEnvReset *reset)
{
  reset->n = reel_env_autoreset_reset (reset->priv->autoreset, reset->env, reset->lanes, reset->n,
                                       reset->inner);
}

static void
reset_class (ReelEnvReset *reset)
{
  if (reset->n > 0)
    REEL_ENV_GET_CLASS (reset->env)->reset (reset->env, reset->lanes, reset->n, reset->inner);
}

static void
hide_reset_pixels (ReelEnvReset *reset)
{
  reset->inner = reel_env_pixels_rest (reset->priv->pixels, reset->observation);
}

static void
draw_reset (ReelEnvReset *reset)
{
  for (gsize i = 0; i < reset->n; i++)
    reel_env_pixels_draw (reset->priv->pixels, reset->env, reset->lanes[i], reset->observation[0]);
}

/* ---- stages of a step ---- */

static void
hide_pixels (ReelEnvStep *step)
{
  step->inner = reel_env_pixels_leave_out (step->priv->pixels, step->io);
}

static void
begin_autoreset (ReelEnvStep *step)
{
  reel_env_autoreset_begin (step->priv->autoreset, step->begin, step->end, &step->inner);
}

static void
step_class (ReelEnvStep *step)
{
  REEL_ENV_GET_CLASS (step->env)->step (step->env, step->begin, step->end, &step->inner);
}

/* The observation of the class is the root of the next step, too. */
static void
carry_observation (ReelEnvStep *step)
{
  const ReelEnvPrivate *priv = step->priv;
  gsize n = (gsize) (step->end - step->begin);

  for (gsize i = 0; step->inner.carry != NULL && i < priv->n_observations; i++)
    {
      gsize row = priv->observation_row[i], at = (gsize) step->begin * row;

      memcpy (step->inner.carry[i] + at, step->inner.observation[i] + at, n * row);
    }
}

static void
look_autoreset (ReelEnvStep *step)
{
  reel_env_autoreset_look (step->priv->autoreset, step->begin, step->end, &step->inner);
}

static void
limit_episodes (ReelEnvStep *step)
{
  ReelEnvPrivate *priv = step->priv;
  const ReelEnvIO *io = step->io;

  step->n_done = priv->kernels->finish (step->begin, step->end, priv->limit, &priv->clocks,
                                        io->terminated, io->truncated, io->done);
}

/* Flags are 0 or 1: the sum of eight of them is the highest byte of a product. */
static void
count_done (ReelEnvStep *step)
{
  gint64 lane = step->begin;

  for (; lane + 8 <= step->end; lane += 8)
    {
      guint64 flags;

      memcpy (&flags, step->io->done + lane, sizeof flags);
      step->n_done += (gint64) (flags * G_GUINT64_CONSTANT (0x0101010101010101) >> 56);
    }
  for (; lane < step->end; lane++)
    step->n_done += step->io->done[lane];
}

static void
end_autoreset (ReelEnvStep *step)
{
  step->n_done =
      reel_env_autoreset_end (step->priv->autoreset, step->begin, step->end, &step->inner);
}

static void
finish_groups (ReelEnvStep *step)
{
  reel_env_groups_finish (&step->priv->groups, step->begin, step->end, step->io);
}

static void
cut_results (ReelEnvStep *step)
{
  reel_env_results_cut (&step->priv->results, step->begin, step->end, step->io);
}

static void
draw_step (ReelEnvStep *step)
{
  reel_env_pixels_draw_step (step->priv->pixels, step->env, step->begin, step->end, step->io);
}

/* ---- composition ---- */

static void
compose_reset (ReelEnvPrivate *priv)
{
  ReelEnvResetStage *stage = priv->reset_stages;

  if (priv->pixels != NULL)
    *stage++ = hide_reset_pixels;
  *stage++ = restart_clocks;
  if (priv->autoreset != NULL)
    *stage++ = reset_autoreset;
  *stage++ = reset_class;
  if (priv->pixels != NULL)
    *stage++ = draw_reset;
  *stage = NULL;
}

static void
compose_step (ReelEnvPrivate *priv, const ReelEnvClass *klass)
{
  ReelEnvStepStage *stage = priv->step_stages;

  if (priv->pixels != NULL)
    *stage++ = hide_pixels;
  if (priv->autoreset != NULL)
    *stage++ = begin_autoreset;
  *stage++ = step_class;
  if (!klass->writes_carry)
    *stage++ = carry_observation;
  if (priv->autoreset != NULL)
    *stage++ = look_autoreset;
  *stage++ = klass->writes_flags ? count_done : limit_episodes;
  if (priv->autoreset != NULL)
    *stage++ = end_autoreset;
  if (priv->groups.n > 0 && !klass->writes_flags)
    *stage++ = finish_groups;
  if (priv->results.n_flags > 0 && !klass->writes_flags)
    *stage++ = cut_results;
  if (priv->pixels != NULL)
    *stage++ = draw_step;
  *stage = NULL;
}

void
reel_env_compose_stages (ReelEnv *self)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);

  compose_reset (priv);
  compose_step (priv, REEL_ENV_GET_CLASS (self));
}

/* ---- resets and steps ---- */

void
reel_env_reset_listed (ReelEnv *self, gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);
  ReelEnvReset reset = { self, priv, lanes, n, observation, observation };

  for (const ReelEnvResetStage *stage = priv->reset_stages; *stage; stage++)
    (*stage) (&reset);
}

static gsize
list_lanes (const ReelEnvPrivate *priv, gint64 begin, gint64 end, const guint8 *mask, gint64 *lanes)
{
  if (mask != NULL)
    return priv->kernels->list (begin, end, mask, lanes);
  for (gint64 lane = begin; lane < end; lane++)
    lanes[lane - begin] = lane;
  return (gsize) (end - begin);
}

void
reel_env_reset_lanes (ReelEnv *self, gint64 begin, gint64 end, const guint8 *mask,
                      guint8 *const *observation)
{
  g_return_if_fail (REEL_IS_ENV (self));

  ReelEnvPrivate *priv = reel_env_get_private (self);
  gint64 most = reel_env_get_reset_most (self);
  gint64 few[REEL_ENV_RESET_CHUNK + REEL_LANE_LIST_SLACK];
  g_autofree gint64 *many =
      most > REEL_ENV_RESET_CHUNK ? g_new (gint64, most + REEL_LANE_LIST_SLACK) : NULL;
  gint64 *lanes = many ? many : few;

  g_return_if_fail (0 <= begin && begin <= end && end <= priv->num_envs);
  g_return_if_fail (priv->mixed == NULL);

  for (gint64 chunk = begin; chunk < end; chunk += most)
    {
      gsize n = list_lanes (priv, chunk, MIN (chunk + most, end), mask, lanes);

      reel_env_reset_listed (self, lanes, n, observation);
    }
}

gint64
reel_env_step_lanes (ReelEnv *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);

  ReelEnvPrivate *priv = reel_env_get_private (self);
  ReelEnvStep step = { self, priv, begin, end, io, *io, 0 };

  g_return_val_if_fail (0 <= begin && begin <= end && end <= priv->num_envs, 0);
  g_return_val_if_fail (priv->mixed == NULL, 0);
  g_return_val_if_fail (io->groups != NULL || priv->groups.n == 0, 0);
  g_return_val_if_fail (io->results != NULL || priv->results.n_rewards + priv->results.n_flags == 0,
                        0);

  g_return_val_if_fail (io->state != NULL || priv->states.n == 0, 0);

  for (const ReelEnvStepStage *stage = priv->step_stages; *stage; stage++)
    (*stage) (&step);
  return step.n_done;
}
