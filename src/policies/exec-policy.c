/* A policy that a program of any language computes, in a child process. docs/policies.md has the
 * protocol. */
#include "policy.h"

#include <string.h>

#include "../specs/child/child-columns.h"
#include "../specs/child/child-talk.h"
#include "../specs/spec-kind.h"
#include "../specs/spec-text.h"

#define BLANK 0xff /* in each byte that the process is to write: NaN, and -1 */

/* Messages: a byte, and its echo once the lanes acted. */
static const char messages[] = {
  [REEL_EXPLORATION_RANDOM] = 'a',
  [REEL_EXPLORATION_MODE] = 'o',
  [REEL_EXPLORATION_MEAN] = 'm',
  [REEL_EXPLORATION_DETERMINISTIC] = 'd',
};

/* A group of leaves that the process writes. */
typedef struct
{
  const char *prefix; /* of its keys in messages */
  ReelChildLeaves leaves;
  gboolean *refuses_blank; /* by leaf: whether blank bytes are no value of it */
} Written;

enum
{
  ACTION,
  OUTPUT,
  NEXT_STATE,
  N_WRITTEN,
};

struct _ReelExecPolicy
{
  ReelPolicy parent_instance;

  char *command;
  gint64 timeout, seed;

  ReelChildProcess *child;
  ReelSpec *observation, *action; /* what it is bound to */
  ReelSpec *output, *state;       /* what the process declared */
  ReelChildPlaces places;
  ReelChildLeaves seen, before; /* the observation, and the state before the step */
  Written written[N_WRITTEN];
  GError *failure; /* the reason why no message is sent any more */
};

G_DECLARE_FINAL_TYPE (ReelExecPolicy, reel_exec_policy, REEL, EXEC_POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelExecPolicy, reel_exec_policy, REEL_TYPE_POLICY)

/* ---- the beginning: specs ---- */

static void
end (ReelExecPolicy *self)
{
  g_clear_pointer (&self->child, reel_child_process_free);
  reel_child_leaves_clear (&self->seen);
  reel_child_leaves_clear (&self->before);
  for (gint i = 0; i < N_WRITTEN; i++)
    {
      reel_child_leaves_clear (&self->written[i].leaves);
      g_clear_pointer (&self->written[i].refuses_blank, g_free);
    }
  g_clear_pointer (&self->observation, reel_spec_unref);
  g_clear_pointer (&self->action, reel_spec_unref);
  g_clear_pointer (&self->output, reel_spec_unref);
  g_clear_pointer (&self->state, reel_spec_unref);
  g_clear_error (&self->failure);
}

static json_t *
spec_to_json (const ReelSpec *spec, GError **error)
{
  g_autofree char *text = reel_spec_to_json (spec, error);

  return text ? json_loads (text, 0, NULL) : NULL;
}

static gboolean
say_hello (ReelExecPolicy *self, GError **error)
{
  json_t *observation = spec_to_json (self->observation, error);
  json_t *action = observation ? spec_to_json (self->action, error) : NULL;

  if (action == NULL)
    {
      json_decref (observation);
      return FALSE;
    }
  return reel_child_send_json (self->child,
                               json_pack ("{s:i, s:I, s:I, s:o, s:o}", "protocol", 1, "num_envs",
                                          (json_int_t) self->places.n_lanes, "seed",
                                          (json_int_t) self->seed, "observation", observation,
                                          "action", action),
                               error);
}

/* An empty composite where the process declares nothing. */
static ReelSpec *
parse_optional (const json_t *answer, const char *name, GError **error)
{
  return json_object_get (answer, name) ? reel_child_spec_parse (answer, name, error)
                                        : reel_composite_spec_new (0, NULL, NULL, NULL, 0, error);
}

static char *
describe (const ReelSpec *spec)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);
  GString *text = g_string_new (reel_dtype_name (reel_spec_get_dtype (spec)));

  for (gint i = 0; i < ndim; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? " [" : ", ", shape[i]);
  return g_string_free (g_string_append (text, ndim > 0 ? "]" : ""), FALSE);
}

static gboolean
check_action (const ReelSpec *ours, const ReelSpec *theirs, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (ours);

  for (char **path = paths; *path; path++)
    {
      const ReelSpec *leaf = reel_spec_get (theirs, *path, NULL);
      g_autofree char *expected = describe (reel_spec_get (ours, *path, NULL));
      g_autofree char *found =
          leaf && !reel_spec_is_composite (leaf) ? describe (leaf) : g_strdup ("nothing");

      if (g_str_equal (expected, found))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "its process writes %s as \"%s\", and the action of the environment is %s",
                   found, *path, expected);
      return FALSE;
    }
  return TRUE;
}

static gboolean
hear_specs (ReelExecPolicy *self, GError **error)
{
  g_autofree char *line = reel_child_process_read_line (self->child, error);
  json_t *answer = line ? reel_child_answer_parse (line, error) : NULL;
  g_autoptr (ReelSpec) action = answer ? reel_child_spec_parse (answer, "action", error) : NULL;

  if (action != NULL && check_action (self->action, action, error))
    self->output = parse_optional (answer, "output", error);
  if (self->output != NULL)
    self->state = parse_optional (answer, "state", error);
  json_decref (answer);
  return self->state != NULL;
}

/* ---- the beginning: memory ---- */

static gboolean
place (ReelExecPolicy *self, GError **error)
{
  const ReelSpec *const specs[N_WRITTEN] = { self->action, self->output, self->state };
  static const char *const prefixes[N_WRITTEN] = { "", "", "next/" };

  if (!reel_child_leaves_place (&self->seen, &self->places, self->observation, error)
      || !reel_child_leaves_place (&self->before, &self->places, self->state, error))
    return FALSE;
  for (gint i = 0; i < N_WRITTEN; i++)
    {
      self->written[i].prefix = prefixes[i];
      if (!reel_child_leaves_place (&self->written[i].leaves, &self->places, specs[i], error))
        return FALSE;
    }
  /* Even a policy of no leaves has memory to map. */
  self->places.bytes = MAX (self->places.bytes, 1);
  return TRUE;
}

static gboolean
refuses_blank (const ReelChildColumn *column)
{
  ReelDtype dtype = reel_spec_get_dtype (column->spec);
  g_autoptr (ReelTensor) row = reel_spec_zero (column->spec, 0, NULL, NULL);

  if (row == NULL || reel_tensor_numel (row) == 0)
    return FALSE;
  memset (row->data, BLANK, column->row_bytes);
  return dtype == REEL_DTYPE_BOOL || reel_dtype_is_float (dtype) || reel_dtype_is_complex (dtype)
         || !reel_spec_is_in (column->spec, row, NULL);
}

static gboolean
map (ReelExecPolicy *self, int fd, GError **error)
{
  g_autoptr (ReelMemory) memory = reel_child_memory_map (&self->places, fd, error);
  gint64 n = self->places.n_lanes;

  if (memory == NULL || !reel_child_leaves_map (&self->seen, memory, n, error)
      || !reel_child_leaves_map (&self->before, memory, n, error))
    return FALSE;
  for (gint i = 0; i < N_WRITTEN; i++)
    {
      Written *written = &self->written[i];

      if (!reel_child_leaves_map (&written->leaves, memory, n, error))
        return FALSE;
      written->refuses_blank = g_new (gboolean, written->leaves.n + 1);
      for (gsize leaf = 0; leaf < written->leaves.n; leaf++)
        written->refuses_blank[leaf] = refuses_blank (&written->leaves.columns[leaf]);
    }
  return TRUE;
}

static gboolean
share (ReelExecPolicy *self, GError **error)
{
  const Written *written = self->written;
  int fd = reel_child_process_share (self->child, self->places.bytes, error);

  if (fd < 0 || !map (self, fd, error))
    return FALSE;
  return reel_child_send_json (
      self->child,
      json_pack ("{s:I, s:o, s:o, s:o, s:o, s:o}", "bytes", (json_int_t) self->places.bytes,
                 "observation", reel_child_leaves_to_json (&self->seen), "state",
                 reel_child_leaves_to_json (&self->before), "action",
                 reel_child_leaves_to_json (&written[ACTION].leaves), "output",
                 reel_child_leaves_to_json (&written[OUTPUT].leaves), "next_state",
                 reel_child_leaves_to_json (&written[NEXT_STATE].leaves)),
      error);
}

static gboolean
begin (ReelExecPolicy *self, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
       GError **error)
{
  self->observation = reel_spec_ref ((ReelSpec *) observation);
  self->action = reel_spec_ref ((ReelSpec *) action);
  self->places = (ReelChildPlaces){ .n_lanes = n_lanes };
  self->child = reel_child_process_new (self->command, (gint) self->timeout, error);
  if (self->child && say_hello (self, error) && hear_specs (self, error) && place (self, error)
      && share (self, error))
    return TRUE;
  g_prefix_error (error, "exec:'%s': ", self->command);
  end (self);
  return FALSE;
}

/* A program that serves these specs already goes on. */
static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  ReelExecPolicy *self = REEL_EXEC_POLICY (policy);
  gboolean same = self->child && self->failure == NULL && self->places.n_lanes == n_lanes
                  && reel_spec_equal (self->observation, observation)
                  && reel_spec_equal (self->action, action);

  if (!same)
    {
      end (self);
      if (!begin (self, observation, action, n_lanes, error))
        return FALSE;
    }
  reel_policy_declare (policy, reel_spec_ref (self->output), reel_spec_ref (self->state));
  return TRUE;
}

/* ---- acting ---- */

static void
show (const ReelChildLeaves *leaves, gint64 n_lanes, const guint8 *const *columns)
{
  for (gsize i = 0; i < leaves->n; i++)
    memcpy (reel_child_column_row (&leaves->columns[i], 0), columns[i],
            (gsize) n_lanes * leaves->columns[i].row_bytes);
}

static void
blank (const Written *written, gint64 n_lanes)
{
  for (gsize i = 0; i < written->leaves.n; i++)
    memset (reel_child_column_row (&written->leaves.columns[i], 0), BLANK,
            (gsize) n_lanes * written->leaves.columns[i].row_bytes);
}

static gboolean
is_blank (const ReelChildColumn *column, gint64 lane)
{
  const guint8 *row = reel_child_column_row (column, lane);

  for (gsize i = 0; i < column->row_bytes; i++)
    if (row[i] != BLANK)
      return FALSE;
  return TRUE;
}

static gboolean
are_bools (const ReelChildColumn *column, gint64 begin, gint64 end)
{
  const guint8 *row = reel_child_column_row (column, begin);

  for (gsize i = 0; i < (gsize) (end - begin) * column->row_bytes; i++)
    if (row[i] > 1)
      return FALSE;
  return TRUE;
}

static gboolean
are_values (const ReelChildColumn *column, gint64 begin, gint64 end, GError **error)
{
  g_autoptr (ReelTensor) rows = reel_tensor_slice (column->rows, 0, begin, end, 1, error);

  if (rows == NULL)
    return FALSE;
  if (column->rows->dtype != REEL_DTYPE_BOOL || are_bools (column, begin, end))
    return reel_spec_is_in (column->spec, rows, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "a bool is a byte of 0 or 1");
  return FALSE;
}

static gboolean
check_leaf (const Written *written, gsize leaf, gint64 n_lanes, GError **error)
{
  const ReelChildColumn *column = &written->leaves.columns[leaf];

  for (gint64 lane = 0; written->refuses_blank[leaf] && lane < n_lanes; lane++)
    if (is_blank (column, lane))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "its process wrote nothing to \"%s%s\" of lane %" G_GINT64_FORMAT,
                     written->prefix, column->path, lane);
        return FALSE;
      }
  if (are_values (column, 0, n_lanes, NULL))
    return TRUE;
  for (gint64 lane = 0; lane < n_lanes; lane++)
    if (!are_values (column, lane, lane + 1, error))
      {
        g_prefix_error (
            error, "its process wrote \"%s%s\" of lane %" G_GINT64_FORMAT " outside of its spec: ",
            written->prefix, column->path, lane);
        return FALSE;
      }
  return TRUE;
}

static gboolean
exchange (ReelExecPolicy *self, const ReelPolicyIO *io, GError **error)
{
  gint64 n_lanes = self->places.n_lanes;

  show (&self->seen, n_lanes, io->observation);
  show (&self->before, n_lanes, io->state);
  for (gint i = 0; i < N_WRITTEN; i++)
    blank (&self->written[i], n_lanes);
  if (!reel_child_exchange (self->child, (guint8) messages[io->exploration], error))
    return FALSE;
  for (gint i = 0; i < N_WRITTEN; i++)
    for (gsize leaf = 0; leaf < self->written[i].leaves.n; leaf++)
      if (!check_leaf (&self->written[i], leaf, n_lanes, error))
        return FALSE;
  return TRUE;
}

static void
take (const ReelExecPolicy *self, const ReelPolicyIO *io)
{
  guint8 *const *const columns[N_WRITTEN] = { io->action, io->output, io->next_state };

  for (gint i = 0; i < N_WRITTEN; i++)
    for (gsize leaf = 0; leaf < self->written[i].leaves.n; leaf++)
      {
        const ReelChildColumn *column = &self->written[i].leaves.columns[leaf];

        memcpy (columns[i][leaf], reel_child_column_row (column, 0),
                (gsize) self->places.n_lanes * column->row_bytes);
      }
}

/* After a failure the process is not asked again. */
static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  ReelExecPolicy *self = (ReelExecPolicy *) policy;

  g_return_val_if_fail (begin == 0 && end == self->places.n_lanes, FALSE);

  if (self->failure == NULL && !exchange (self, io, &self->failure))
    g_prefix_error (&self->failure, "exec:'%s': in step %" G_GINT64_FORMAT ": ", self->command,
                    step);
  if (self->failure == NULL)
    take (self, io);
  else
    g_propagate_error (error, g_error_copy (self->failure));
  return self->failure == NULL;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  return reel_child_check_command (REEL_EXEC_POLICY (object)->command,
                                   "exec:'python3 my_policy.py'", error);
}

static void
finalize (GObject *object)
{
  end (REEL_EXEC_POLICY (object));
  G_OBJECT_CLASS (reel_exec_policy_parent_class)->finalize (object);
}

static void
reel_exec_policy_class_init (ReelExecPolicyClass *klass)
{
  static const ReelId ids[] = {
    { "exec", NULL, "a program of any language, such as a network of PyTorch" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  object_class->positional = "command";
  reel_object_class_add_string (object_class, "command", G_STRUCT_OFFSET (ReelExecPolicy, command),
                                NULL, "the program and its arguments, quoted as for a shell",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "timeout", G_STRUCT_OFFSET (ReelExecPolicy, timeout),
                               1, 86400, 60, "seconds", "the longest wait for an answer",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "seed", G_STRUCT_OFFSET (ReelExecPolicy, seed), 0,
                               G_MAXINT64, 0, NULL, "which stream of random numbers",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  REEL_POLICY_CLASS (klass)->bind = bind;
  REEL_POLICY_CLASS (klass)->act = act;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_exec_policy_init (ReelExecPolicy *self)
{
}
