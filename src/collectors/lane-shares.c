#include "lane-shares.h"

#include "../core/system/cpus.h"
#include "../core/system/workers.h"
#include "../envs/env-private.h"

/* find_side_by_side: the environment below transforms, as far as their lanes are apart. */
static ReelEnv *
find_side_by_side (ReelEnv *env)
{
  const ReelEnvPrivate *priv = reel_env_get_private (env);

  while (priv->n_parts == 1 && priv->lane_multiple <= 1)
    {
      env = priv->parts->env;
      priv = reel_env_get_private (env);
    }
  return env;
}

/* take_parts: one each. */
static ReelLaneShare *
take_parts (const ReelEnvPrivate *priv)
{
  ReelLaneShare *shares = g_new (ReelLaneShare, priv->n_parts);

  for (guint i = 0; i < priv->n_parts; i++)
    shares[i] = (ReelLaneShare){ priv->parts[i].first, priv->parts[i].after };
  return shares;
}

static ReelLaneShare *
cut (gint64 n_lanes, gint64 multiple, gint n_workers)
{
  ReelLaneShare *shares = g_new (ReelLaneShare, n_workers);

  for (gint i = 0; i < n_workers; i++)
    reel_workers_partition (n_lanes, multiple, i, n_workers, &shares[i].begin, &shares[i].end);
  return shares;
}

static gint64
count_joined (ReelEnv *env)
{
  return reel_env_joins_lanes (env) ? reel_env_get_lane_multiple (env) : 1;
}

gint64
reel_lane_shares_most (ReelEnv *env)
{
  return MAX (reel_env_get_num_envs (env) / count_joined (env), 1);
}

ReelLaneShare *
reel_lane_shares_new (ReelEnv *env, gint *n_workers, GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (find_side_by_side (env));
  gint64 n_lanes = reel_env_get_num_envs (env);
  gint64 multiple = count_joined (env), most = reel_lane_shares_most (env);

  if (*n_workers == 0 && priv->n_parts > 1)
    *n_workers = (gint) priv->n_parts;
  if (*n_workers == 0)
    *n_workers = (gint) MIN (MIN (reel_cpu_count (), 1024), most);
  if ((gint64) priv->n_parts == *n_workers && *n_workers > 1)
    return take_parts (priv);
  if (*n_workers <= most)
    return cut (n_lanes, multiple, *n_workers);
  if (multiple > 1)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%d workers cannot share the %" G_GINT64_FORMAT " lanes of %s: %" G_GINT64_FORMAT
                 " at a time depend on one another; set workers=%" G_GINT64_FORMAT
                 ", or step environments side by side (serial), one a worker",
                 *n_workers, n_lanes, reel_object_get_id (REEL_OBJECT (env)), multiple, most);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%d workers are more than the %" G_GINT64_FORMAT
                 " lanes of %s; set workers=%" G_GINT64_FORMAT " or less, or more lanes (num-envs)",
                 *n_workers, n_lanes, reel_object_get_id (REEL_OBJECT (env)), most);
  return NULL;
}

gboolean
reel_lane_shares_are_equal (const ReelLaneShare *shares, gint n_workers)
{
  for (gint i = 1; i < n_workers; i++)
    if (shares[i].end - shares[i].begin != shares->end - shares->begin)
      return FALSE;
  return TRUE;
}
