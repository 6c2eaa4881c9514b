/* An env that a program of any language simulates, in a child process. docs/your-own-env.md has the
 * protocol. */

#include <string.h>

#include "../../specs/child/child-talk.h"
#include "../env-private.h"
#include "exec-columns.h"

/* Messages: a byte, and its echo once the lanes are simulated. */
#define RESET 'r'
#define STEP 's'

struct _ReelExecEnv
{
  ReelEnv parent_instance;

  char *command;
  gint64 timeout;

  ReelChildProcess *child;
  ReelExecColumns columns;
  gint64 *lanes; /* all of them, in order */
  gint64 *seeds; /* by lane: the last one */
  char *failure; /* the reason why no message is sent any more */
};

#define REEL_TYPE_EXEC_ENV (reel_exec_env_get_type ())
G_DECLARE_FINAL_TYPE (ReelExecEnv, reel_exec_env, REEL, EXEC_ENV, ReelEnv)
G_DEFINE_FINAL_TYPE (ReelExecEnv, reel_exec_env, REEL_TYPE_ENV)

/* ---- setup ---- */

void
reel_env_forbid_programs (gboolean forbid)
{
  reel_child_forbid (forbid);
}

static gboolean
ask_specs (ReelExecEnv *self, GError **error)
{
  ReelEnv *env = REEL_ENV (self);
  const char *encoding =
      reel_env_get_action_encoding (env) == REEL_ACTION_ONE_HOT ? "one-hot" : "categorical";
  json_t *hello = json_pack ("{s:i, s:I, s:s}", "protocol", 1, "num_envs",
                             (json_int_t) reel_env_get_num_envs (env), "action_encoding", encoding);
  ReelSpec *observation, *action;
  g_autofree char *answer = NULL;

  if (!reel_child_send_json (self->child, hello, error))
    return FALSE;
  answer = reel_child_process_read_line (self->child, error);
  if (answer == NULL || !reel_exec_specs_parse (answer, &observation, &action, error))
    return FALSE;
  reel_env_take_specs (env, observation, action);
  return TRUE;
}

static gboolean
share_columns (ReelExecEnv *self, GError **error)
{
  ReelEnv *env = REEL_ENV (self);
  gint64 n_lanes = reel_env_get_num_envs (env);
  int fd;

  if (!reel_exec_columns_init (&self->columns, n_lanes, reel_env_get_observation_spec (env),
                               reel_env_get_action_spec (env), error))
    return FALSE;
  fd = reel_child_process_share (self->child, self->columns.places.bytes, error);
  return fd >= 0 && reel_exec_columns_map (&self->columns, fd, error)
         && reel_child_send_json (self->child, reel_exec_columns_to_json (&self->columns), error);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelExecEnv *self = REEL_EXEC_ENV (env);

  if (!reel_child_check_command (self->command, "exec:'python3 my_env.py'", error))
    return FALSE;
  self->child = reel_child_process_new (self->command, (gint) self->timeout, error);
  if (self->child == NULL || !ask_specs (self, error) || !share_columns (self, error))
    {
      g_prefix_error (error, "exec:'%s': ", self->command);
      return FALSE;
    }
  self->lanes = g_new (gint64, self->columns.places.n_lanes);
  self->seeds = g_new0 (gint64, self->columns.places.n_lanes);
  for (gint64 lane = 0; lane < self->columns.places.n_lanes; lane++)
    self->lanes[lane] = lane;
  /* One socket: one thread, and one message for all lanes where they can be simulated at once. */
  reel_env_take_lane_multiple (env, reel_env_get_num_envs (env));
  return TRUE;
}

/* ---- messages ---- */

/* check_lanes: lanes in order; FALSE for the first that the process wrote outside of its specs. */
static gboolean
check_lanes (ReelExecEnv *self, const gint64 *lanes, gsize n, gboolean outcome, GError **error)
{
  for (gsize from = 0, to; from < n; from = to)
    {
      for (to = from + 1; to < n && lanes[to] == lanes[to - 1] + 1;)
        to++;
      if (!reel_exec_columns_check (&self->columns, lanes[from], lanes[to - 1] + 1, outcome, error))
        return FALSE;
    }
  return TRUE;
}

static void
mark (ReelExecEnv *self, const gint64 *lanes, gsize n)
{
  guint8 *marks = reel_child_column_row (&self->columns.lanes, 0);

  memset (marks, FALSE, (gsize) self->columns.places.n_lanes);
  for (gsize i = 0; i < n; i++)
    marks[lanes[i]] = TRUE;
}

static void
report_lane (ReelExecEnv *self, gint64 lane)
{
  g_autofree char *what = g_strdup_printf ("%s; the seed of the lane was %" G_GINT64_FORMAT,
                                           self->failure, self->seeds[lane]);

  reel_env_report_fault (REEL_ENV (self), lane, what);
}

/* simulate: has the process reset or step lanes. After a failure the process is not asked again,
 * and each lane reports the reason. */
static void
simulate (ReelExecEnv *self, guint8 message, const gint64 *lanes, gsize n)
{
  g_autoptr (GError) failure = NULL;

  mark (self, lanes, n);
  if (self->failure == NULL
      && (!reel_child_exchange (self->child, message, &failure)
          || !check_lanes (self, lanes, n, message == STEP, &failure)))
    self->failure = g_strdup (failure->message);
  for (gsize i = 0; i < n && self->failure != NULL; i++)
    report_lane (self, lanes[i]);
}

/* ---- lanes ---- */

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  ReelExecEnv *self = REEL_EXEC_ENV (env);
  guint64 low = words[0] | (n_words > 1 ? (guint64) words[1] << 32 : 0);
  gint64 seed = (gint64) (low & G_MAXINT64);

  if (n_words > 2 || low > G_MAXINT64)
    reel_env_report_fault (env, lane, "a process takes seeds of at most 63 bits");
  self->seeds[lane] = seed;
  memcpy (reel_child_column_row (&self->columns.seeds, lane), &seed, sizeof seed);
}

static void
copy_rows (const ReelChildColumn *column, gint64 lane, gint64 n, guint8 *to)
{
  memcpy (to + (gsize) lane * column->row_bytes, reel_child_column_row (column, lane),
          (gsize) n * column->row_bytes);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelExecEnv *self = REEL_EXEC_ENV (env);
  const gint64 none = -1;

  simulate (self, RESET, lanes, n);
  for (gsize i = 0; i < n; i++)
    {
      memcpy (reel_child_column_row (&self->columns.seeds, lanes[i]), &none, sizeof none);
      for (gsize leaf = 0; leaf < self->columns.observation.n; leaf++)
        copy_rows (&self->columns.observation.columns[leaf], lanes[i], 1, observation[leaf]);
    }
}

/* write_flags: those of the process, or the limit of an episode. */
static void
write_flags (ReelExecEnv *self, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  const ReelEnvPrivate *priv = reel_env_get_private (REEL_ENV (self));

  for (gint64 lane = begin; lane < end; lane++)
    {
      gboolean late = reel_lane_clocks_count (&priv->clocks, lane) >= priv->limit;

      io->terminated[lane] = *reel_child_column_row (&self->columns.terminated, lane) != 0;
      io->truncated[lane] = late || *reel_child_column_row (&self->columns.truncated, lane) != 0;
      io->done[lane] = io->terminated[lane] | io->truncated[lane];
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelExecEnv *self = REEL_EXEC_ENV (env);
  const ReelExecColumns *columns = &self->columns;
  gint64 n = end - begin;

  for (gsize i = 0; i < columns->action.n; i++)
    memcpy (reel_child_column_row (&columns->action.columns[i], begin),
            io->action[i] + (gsize) begin * columns->action.columns[i].row_bytes,
            (gsize) n * columns->action.columns[i].row_bytes);
  simulate (self, STEP, self->lanes + begin, (gsize) n);
  for (gsize i = 0; i < columns->observation.n; i++)
    copy_rows (&columns->observation.columns[i], begin, n, io->observation[i]);
  copy_rows (&columns->reward, begin, n, (guint8 *) io->reward);
  write_flags (self, begin, end, io);
}

/* ---- the object ---- */

static void
finalize (GObject *object)
{
  ReelExecEnv *self = REEL_EXEC_ENV (object);

  g_clear_pointer (&self->child, reel_child_process_free);
  reel_exec_columns_clear (&self->columns);
  g_free (self->lanes);
  g_free (self->seeds);
  g_free (self->failure);
  G_OBJECT_CLASS (reel_exec_env_parent_class)->finalize (object);
}

static void
reel_exec_env_class_init (ReelExecEnvClass *klass)
{
  static const ReelId ids[] = {
    { "exec", NULL, "an environment that a program simulates, in any language" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->positional = "command";
  reel_object_class_add_string (object_class, "command", G_STRUCT_OFFSET (ReelExecEnv, command),
                                NULL, "the program and its arguments, quoted as for a shell",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "timeout", G_STRUCT_OFFSET (ReelExecEnv, timeout), 1,
                               86400, 60, "seconds", "the longest wait for an answer",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  env_class->source = "the program that it runs";
  env_class->writes_flags = TRUE;
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
  env_class->state_size = NULL;
}

static void
reel_exec_env_init (ReelExecEnv *self)
{
}
