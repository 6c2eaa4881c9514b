#include "env-lanes.h"

#include <string.h>

#include "env-private.h"

/* Lanes that a reset works on at a time; the list of them is on the stack. */
#define RESET_CHUNK 1024

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
  reel_lane_clocks_set (&priv->clocks, lane, -1);
  if (priv->autoreset != NULL)
    reel_env_autoreset_forget (priv->autoreset, lane, lane + 1);
  REEL_ENV_GET_CLASS (self)->seed (self, lane, seed, n_words);
}

/* ---- steps ---- */

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
reel_env_reset_listed (ReelEnv *self, gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelEnvPrivate *priv = reel_env_get_private (self);
  guint8 *const *rest =
      priv->pixels != NULL ? reel_env_pixels_rest (priv->pixels, observation) : observation;

  for (gsize i = 0; i < n; i++)
    reel_lane_clocks_restart (&priv->clocks, lanes[i]);
  if (priv->autoreset != NULL)
    n = reel_env_autoreset_reset (priv->autoreset, self, lanes, n, rest);
  if (n > 0)
    REEL_ENV_GET_CLASS (self)->reset (self, lanes, n, rest);
  for (gsize i = 0; priv->pixels != NULL && i < n; i++)
    reel_env_pixels_draw (priv->pixels, self, lanes[i], observation[0]);
}

void
reel_env_reset_lanes (ReelEnv *self, gint64 begin, gint64 end, const guint8 *mask,
                      guint8 *const *observation)
{
  g_return_if_fail (REEL_IS_ENV (self));

  ReelEnvPrivate *priv = reel_env_get_private (self);
  gint64 lanes[RESET_CHUNK + REEL_LANE_LIST_SLACK];

  g_return_if_fail (0 <= begin && begin <= end && end <= priv->num_envs);

  for (gint64 chunk = begin; chunk < end; chunk += RESET_CHUNK)
    {
      gsize n = list_lanes (priv, chunk, MIN (chunk + RESET_CHUNK, end), mask, lanes);

      reel_env_reset_listed (self, lanes, n, observation);
    }
}

/* The observation of the class is the root of the next step, too. */
static void
carry_observation (const ReelEnvPrivate *priv, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gsize i = 0; i < priv->n_observations; i++)
    {
      gsize row = priv->observation_row[i], at = (gsize) begin * row;

      memcpy (io->carry[i] + at, io->observation[i] + at, (gsize) (end - begin) * row);
    }
}

gint64
reel_env_step_lanes (ReelEnv *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);

  ReelEnvPrivate *priv = reel_env_get_private (self);
  ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  g_return_val_if_fail (0 <= begin && begin <= end && end <= priv->num_envs, 0);
  g_return_val_if_fail (io->groups != NULL || priv->groups.n == 0, 0);

  const ReelEnvIO inner = priv->pixels != NULL ? reel_env_pixels_leave_out (priv->pixels, io) : *io;

  if (priv->autoreset != NULL)
    reel_env_autoreset_begin (priv->autoreset, begin, end, &inner);
  klass->step (self, begin, end, &inner);
  if (inner.carry != NULL && !klass->writes_carry)
    carry_observation (priv, begin, end, &inner);
  if (priv->autoreset != NULL)
    reel_env_autoreset_look (priv->autoreset, begin, end, &inner);

  gint64 n_done = priv->kernels->finish (begin, end, priv->limit, &priv->clocks, io->terminated,
                                         io->truncated, io->done);

  if (priv->autoreset != NULL)
    n_done = reel_env_autoreset_end (priv->autoreset, begin, end, &inner);
  if (priv->groups.n > 0)
    reel_env_groups_finish (&priv->groups, begin, end, io);
  if (priv->pixels != NULL)
    reel_env_pixels_draw_step (priv->pixels, self, begin, end, io);
  return n_done;
}
