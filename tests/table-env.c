#include "table-env.h"

#include <string.h>

/* A leaf that is observed: rows of tables, or the action that was done. */
typedef struct
{
  const guint8 *reset; /* [episodes, lanes] rows; NULL for an echo */
  const guint8 *step;  /* [episodes, steps, lanes] rows */
  guint action;        /* the leaf that an echo shows */
  gsize row_bytes;
} Leaf;

/* A reward, as rows of tables, or one of the flags. */
typedef struct
{
  const guint8 *rows; /* NULL for a flag */
  guint8 flag;        /* DONE and others */
  gsize row_bytes;
} Result;

enum
{
  TERMINATED = 1,
  TRUNCATED = 2,
};

typedef struct
{
  gint64 episode, step;
} Lane;

struct _ReelTableEnv
{
  ReelEnv parent_instance;

  const json_t *table;
  gboolean follows_seeds;
  gint64 n_episodes, n_steps;
  Leaf *leaves;
  guint n_leaves;
  Result *results;
  guint n_results;
  const float *reward; /* NULL where the lane has none of float32 [1] */
  const guint8 *terminated, *truncated;
};

G_DECLARE_FINAL_TYPE (ReelTableEnv, reel_table_env, REEL, TABLE_ENV, ReelEnv)
G_DEFINE_FINAL_TYPE (ReelTableEnv, reel_table_env, REEL_TYPE_ENV)

static gint64
count_lanes (const json_t *table)
{
  const json_t *batch = json_object_get (table, "batch_size");

  return json_array_size (batch) > 0 ? json_integer_value (json_array_get (batch, 0)) : 1;
}

gboolean
table_env_can_play (const json_t *table)
{
  return !json_is_true (json_object_get (table, "auto_reset"));
}

/* ---- the env ---- */

static guint
find (char *const *paths, const char *path)
{
  guint i = 0;

  while (!g_str_equal (paths[i], path))
    i++;
  return i;
}

static void
fill_leaves (ReelTableEnv *self, const ReelSpec *observation, const ReelSpec *action)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (observation);
  g_auto (GStrv) actions = reel_spec_list_leaves (action);

  self->n_leaves = g_strv_length (paths);
  self->leaves = g_new0 (Leaf, self->n_leaves);
  for (guint i = 0; i < self->n_leaves; i++)
    {
      Leaf *leaf = &self->leaves[i];
      const ReelSpec *spec = reel_spec_get (observation, paths[i], NULL);
      const json_t *echo = json_object_get (json_object_get (self->table, "echo"), paths[i]);
      g_autofree char *reset = g_strconcat ("reset/", paths[i], NULL);
      g_autofree char *step = g_strconcat ("step/", paths[i], NULL);
      gint ndim;
      const gint64 *shape = reel_spec_get_shape (spec, &ndim);

      leaf->row_bytes = reel_dtype_size (reel_spec_get_dtype (spec));
      for (gint d = 0; d < ndim; d++)
        leaf->row_bytes *= (gsize) shape[d];
      if (echo)
        leaf->action = find (actions, json_string_value (echo));
      else
        {
          leaf->reset = golden_array (self->table, reset);
          leaf->step = golden_array (self->table, step);
        }
    }
}

static gboolean
is_usual (const ReelSpec *leaf, ReelDtype dtype)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);

  return reel_spec_get_dtype (leaf) == dtype && ndim == 1 && shape[0] == 1;
}

static void
add_reward (ReelTableEnv *self, const char *path, const ReelSpec *leaf)
{
  g_autofree char *name = g_strconcat ("reward/", path, NULL);
  const guint8 *rows = golden_array (self->table, name);
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);
  gsize row_bytes = reel_dtype_size (reel_spec_get_dtype (leaf));

  if (g_str_equal (path, "reward") && is_usual (leaf, REEL_DTYPE_FLOAT32))
    {
      self->reward = (const float *) (gconstpointer) rows;
      return;
    }
  for (gint d = 0; d < ndim; d++)
    row_bytes *= (gsize) shape[d];
  self->results[self->n_results++] = (Result){ .rows = rows, .row_bytes = row_bytes };
}

static void
add_flag (ReelTableEnv *self, const char *path)
{
  const char *slash = strrchr (path, '/');
  guint8 flag = g_str_equal (slash + 1, "terminated")  ? TERMINATED
                : g_str_equal (slash + 1, "truncated") ? TRUNCATED
                                                       : TERMINATED | TRUNCATED;

  self->results[self->n_results++] = (Result){ .flag = flag, .row_bytes = 1 };
}

/* The rewards and flags of the table, in the order of ReelEnvIO. */
static gboolean
take_results (ReelTableEnv *self, GError **error)
{
  ReelSpec *reward = golden_lane_reward (self->table), *done = golden_lane_done (self->table);
  g_auto (GStrv) rewards = reel_spec_list_leaves (reward);
  g_auto (GStrv) flags = reel_spec_list_leaves (done);

  self->results = g_new0 (Result, g_strv_length (rewards) + g_strv_length (flags) + 1);
  for (char **path = rewards; *path; path++)
    add_reward (self, *path, reel_spec_get (reward, *path, NULL));
  for (char **path = flags; *path; path++)
    if (strchr (*path, '/'))
      add_flag (self, *path);
  return reel_env_take_results (REEL_ENV (self), reward, done, error);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelTableEnv *self = REEL_TABLE_ENV (env);
  ReelSpec *observation = golden_lane_observation (self->table);
  ReelSpec *action = golden_lane_action (self->table);

  self->n_episodes = json_integer_value (json_object_get (self->table, "episodes"));
  self->n_steps = json_integer_value (json_object_get (self->table, "steps"));
  self->terminated = golden_array (self->table, "terminated");
  self->truncated = golden_array (self->table, "truncated");
  fill_leaves (self, observation, action);
  reel_env_take_specs (env, observation, action);
  return take_results (self, error) && reel_env_make_lanes (env, sizeof (Lane), error);
}

/* A lane begins before its first episode, or before the one that the seed says. */
static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  const ReelTableEnv *self = REEL_TABLE_ENV (env);
  guint64 number = words[0] | (n_words > 1 ? (guint64) words[1] << 32 : 0);
  gint64 episode = self->follows_seeds ? (gint64) (number % (guint64) self->n_episodes) : 0;

  *(Lane *) reel_env_get_lane (env, lane) = (Lane){ episode - 1, 0 };
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelTableEnv *self = REEL_TABLE_ENV (env);
  gsize n_lanes = (gsize) reel_env_get_num_envs (env);

  for (gsize i = 0; i < n; i++)
    {
      Lane *lane = reel_env_get_lane (env, lanes[i]);
      gsize row;

      lane->episode++;
      lane->step = 0;
      row = (gsize) (lane->episode % self->n_episodes) * n_lanes + (gsize) lanes[i];
      for (guint k = 0; k < self->n_leaves; k++)
        {
          const Leaf *leaf = &self->leaves[k];
          guint8 *to = observation[k] + (gsize) lanes[i] * leaf->row_bytes;

          if (leaf->reset)
            memcpy (to, leaf->reset + row * leaf->row_bytes, leaf->row_bytes);
          else
            memset (to, 0, leaf->row_bytes);
        }
    }
}

/* Flags are by episode, step and lane, as @row counts. */
static void
write_results (const ReelTableEnv *self, gsize lane, gsize row, const ReelEnvIO *io)
{
  io->reward[lane] = self->reward ? self->reward[row] : 0;
  io->terminated[lane] = self->terminated[row];
  io->truncated[lane] = self->truncated[row];
  io->done[lane] = io->terminated[lane] | io->truncated[lane];
  for (guint i = 0; i < self->n_results; i++)
    {
      const Result *result = &self->results[i];
      guint8 *to = io->results[i] + lane * result->row_bytes;

      if (result->rows)
        memcpy (to, result->rows + row * result->row_bytes, result->row_bytes);
      else
        *to = (result->flag & TERMINATED && self->terminated[row])
              || (result->flag & TRUNCATED && self->truncated[row]);
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelTableEnv *self = REEL_TABLE_ENV (env);
  gsize n_lanes = (gsize) reel_env_get_num_envs (env);

  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = reel_env_get_lane (env, i);
      gsize episode = (gsize) (lane->episode % self->n_episodes), row;

      lane->step = MIN (lane->step + 1, self->n_steps);
      row = (episode * (gsize) self->n_steps + (gsize) lane->step - 1) * n_lanes + (gsize) i;
      for (guint k = 0; k < self->n_leaves; k++)
        {
          const Leaf *leaf = &self->leaves[k];
          const guint8 *from = leaf->step ? leaf->step + row * leaf->row_bytes
                                          : io->action[leaf->action] + (gsize) i * leaf->row_bytes;

          memcpy (io->observation[k] + (gsize) i * leaf->row_bytes, from, leaf->row_bytes);
        }
      write_results (self, (gsize) i, row, io);
    }
}

static void
finalize (GObject *object)
{
  g_free (REEL_TABLE_ENV (object)->leaves);
  g_free (REEL_TABLE_ENV (object)->results);
  G_OBJECT_CLASS (reel_table_env_parent_class)->finalize (object);
}

static void
reel_table_env_class_init (ReelTableEnvClass *klass)
{
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  env_class->writes_flags = TRUE;
  env_class->setup = setup;
  env_class->reset = reset;
  env_class->step = step;
  env_class->seed = seed;
}

static void
reel_table_env_init (ReelTableEnv *self)
{
}

ReelEnv *
table_env_new (const json_t *table)
{
  g_autoptr (ReelTableEnv) self = g_object_new (reel_table_env_get_type (), "id", "table",
                                                "num-envs", count_lanes (table), NULL);

  self->table = table;
  g_assert_true (g_initable_init (G_INITABLE (self), NULL, NULL));
  return REEL_ENV (g_steal_pointer (&self));
}

void
table_env_follow_seeds (ReelEnv *env)
{
  REEL_TABLE_ENV (env)->follows_seeds = TRUE;
}
