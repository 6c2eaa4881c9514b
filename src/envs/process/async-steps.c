/* Sends and receives steps of lanes by tensordicts. */
#include <string.h>

#include "../../core/object/error.h"
#include "../../core/tensordict/tensordict-index.h"
#include "../../core/tensordict/tensordict-keys.h"
#include "../../core/tensordict/tensordict-update.h"
#include "../../core/tensordict/shape.h"
#include "../../specs/spec-kind.h"
#include "../env-private.h"
#include "../env-step.h"
#include "async-lanes.h"

/* The key of lanes in a tensordict, that of TorchRL's AsyncEnvPool. */
#define INDEX "env_index"

/* ---- which lanes are sent ---- */

/* A tensordict that is sent, and its lanes by row. */
typedef struct
{
  ReelTensordict *td; /* `[n, …]`, also for a single lane */
  gint64 *lanes;
  gint64 n;
} Sent;

static void
sent_clear (Sent *sent)
{
  g_clear_pointer (&sent->td, reel_tensordict_unref);
  g_free (sent->lanes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sent, sent_clear)

/* take_all: without an index, the lanes are all in their order. */
static gboolean
take_all (const ReelAsyncLanes *self, ReelTensordict *td, Sent *sent, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self->env);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  if (ndim != leaves->ndim || (ndim == 1 && size[0] != self->n_lanes))
    {
      g_autofree char *given = reel_spec_format_shape (ndim, size, ", ");

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "what is sent has a batch size of %s, the env has %" G_GINT64_FORMAT
                   " lanes: name the lanes of its rows in \"" INDEX "\"",
                   given, self->n_lanes);
      return FALSE;
    }
  sent->n = self->n_lanes;
  sent->lanes = g_new (gint64, sent->n);
  for (gint64 lane = 0; lane < sent->n; lane++)
    sent->lanes[lane] = lane;
  sent->td = ndim == 0 ? reel_tensordict_unsqueeze (td, 0, error) : reel_tensordict_ref (td);
  return sent->td != NULL;
}

static gboolean
take_index (ReelTensordict *td, Sent *sent, GError **error)
{
  g_autoptr (ReelTensor) index = reel_tensordict_ref_tensor (td, INDEX, error), rows = NULL;
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  if (index == NULL)
    return FALSE;
  if (index->dtype != REEL_DTYPE_INT64)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"" INDEX "\" is %s, and must be int64",
                 reel_dtype_name (index->dtype));
  else if (ndim != 1 || reel_tensor_numel (index) != size[0])
    {
      g_autofree char *shape = reel_spec_format_shape (index->ndim, index->shape, ", ");
      g_autofree char *batch = reel_spec_format_shape (ndim, size, ", ");

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "\"" INDEX "\" has shape %s in a batch of %s, and must name one lane a row",
                   shape, batch);
    }
  else
    {
      rows = reel_tensor_clone (index, error);
      sent->n = size[0];
      sent->td = reel_tensordict_ref (td);
    }
  if (rows == NULL)
    return FALSE;
  sent->lanes = g_memdup2 (rows->data, (gsize) sent->n * sizeof *sent->lanes);
  return TRUE;
}

/* ---- what is refused ---- */

static gboolean
check_lane (const ReelAsyncLanes *self, gint64 lane, GError **error)
{
  if (lane < 0 || lane >= self->n_lanes)
    g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                 "\"" INDEX "\" has lane %" G_GINT64_FORMAT
                 ", the env has lanes 0 to %" G_GINT64_FORMAT,
                 lane, self->n_lanes - 1);
  else if (self->states[lane] != REEL_ASYNC_IDLE)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "lane %" G_GINT64_FORMAT
                 " was sent already: receive its step before the next is sent",
                 lane);
  else if (reel_env_get_elapsed (self->env, lane) < 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "lane %" G_GINT64_FORMAT
                 " was not reset since it was seeded; reset the env before its first step",
                 lane);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_twice (const ReelAsyncLanes *self, const Sent *sent, GError **error)
{
  g_autofree guint8 *named = g_new0 (guint8, self->n_lanes);

  for (gint64 i = 0; i < sent->n; i++)
    {
      if (named[sent->lanes[i]])
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "\"" INDEX "\" has lane %" G_GINT64_FORMAT " twice", sent->lanes[i]);
          return FALSE;
        }
      named[sent->lanes[i]] = TRUE;
    }
  return TRUE;
}

static gboolean
check_masks (const ReelTensordict *td, GError **error)
{
  static const char *const masks[] = { "_step", "_reset" };

  for (gsize i = 0; i < G_N_ELEMENTS (masks); i++)
    if (reel_tensordict_contains (td, masks[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "\"%s\" cannot be sent: send the rows of the lanes that step, with \"" INDEX
                     "\"",
                     masks[i]);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_failure (const ReelAsyncLanes *self, GError **error)
{
  if (self->failure == NULL)
    return TRUE;
  g_propagate_prefixed_error (error, g_error_copy (self->failure),
                              "reset the env before it goes on: ");
  return FALSE;
}

static gboolean
take_lanes (const ReelAsyncLanes *self, ReelTensordict *td, Sent *sent, GError **error)
{
  if (!check_failure (self, error) || !check_masks (td, error)
      || !(reel_tensordict_contains (td, INDEX) ? take_index (td, sent, error)
                                                : take_all (self, td, sent, error)))
    return FALSE;
  for (gint64 i = 0; i < sent->n; i++)
    if (!check_lane (self, sent->lanes[i], error))
      return FALSE;
  return check_twice (self, sent, error);
}

/* ---- send ---- */

/* ref_rows: @leaf of the rows that were sent. */
static ReelTensor *
ref_rows (const ReelEnvLeaves *leaves, const ReelEnvLeaf *leaf, const Sent *sent, GError **error)
{
  ReelEnvLeaf rows = *leaf;

  memcpy (rows.shape + 1, leaf->shape + leaves->ndim,
          (gsize) (leaf->ndim - leaves->ndim) * sizeof *rows.shape);
  rows.shape[0] = sent->n;
  rows.ndim = leaf->ndim - leaves->ndim + 1;
  return reel_env_ref_leaf (sent->td, &rows, error);
}

static GPtrArray *
take_actions (const ReelEnvLeaves *leaves, const Sent *sent, GError **error)
{
  g_autoptr (GPtrArray) actions =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  for (gsize i = 0; i < leaves->actions.n; i++)
    {
      ReelTensor *action = ref_rows (leaves, &leaves->actions.list[i], sent, error);

      if (action == NULL)
        return NULL;
      g_ptr_array_add (actions, action);
    }
  return g_steal_pointer (&actions);
}

/* split: what was sent of each lane, as it is now. */
static GPtrArray *
split (const Sent *sent, GError **error)
{
  g_autoptr (ReelTensordict) others =
      reel_tensordict_exclude_keys (sent->td, (const char *const[]){ INDEX, NULL });
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (others, TRUE, error);
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  for (gint64 i = 0; copy != NULL && i < sent->n; i++)
    {
      ReelTensordict *row = reel_tensordict_select_index (copy, 0, i, error);

      if (row == NULL)
        return NULL;
      g_ptr_array_add (rows, row);
    }
  return copy != NULL ? g_steal_pointer (&rows) : NULL;
}

static void
write_action (ReelAsyncLanes *self, const GPtrArray *actions, gint64 row, gint64 lane)
{
  const ReelEnvLeafList *list = &reel_env_get_leaves (self->env)->actions;

  for (gsize i = 0; i < list->n; i++)
    {
      const ReelTensor *from = actions->pdata[i];
      ReelTensor *to = reel_tensordict_get_tensor (self->action, list->paths[i], NULL);
      gsize bytes = list->list[i].row_bytes;

      memcpy (to->data + (gsize) lane * bytes, from->data + (gsize) row * bytes, bytes);
    }
}

gboolean
reel_async_lanes_send (ReelAsyncLanes *self, ReelTensordict *td, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self->env);
  g_auto (Sent) sent = { 0 };
  g_autoptr (GPtrArray) actions = NULL, rows = NULL;

  if (!take_lanes (self, td, &sent, error))
    return FALSE;
  actions = take_actions (leaves, &sent, error);
  rows = actions != NULL ? split (&sent, error) : NULL;
  if (rows == NULL)
    return FALSE;
  for (gint64 i = 0; i < sent.n; i++)
    {
      write_action (self, actions, i, sent.lanes[i]);
      self->rows[sent.lanes[i]] = reel_tensordict_ref (rows->pdata[i]);
    }
  for (gint64 i = 0; i < sent.n; i++)
    reel_async_lanes_post (self, sent.lanes[i]);
  return TRUE;
}

/* ---- what is received ---- */

static int
compare_lanes (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static gboolean
set_index (ReelTensordict *td, const gint64 *lanes, gint64 n, GError **error)
{
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);

  if (index == NULL)
    return FALSE;
  memcpy (index->data, lanes, (gsize) n * sizeof *lanes);
  return reel_tensordict_set_tensor (td, INDEX, index, error);
}

/* add_next: what the steps came to; other keys below next that were sent stay. */
static gboolean
add_next (const ReelAsyncLanes *self, ReelTensordict *step, const gint64 *lanes, gint64 n,
          GError **error)
{
  g_autoptr (ReelTensordict) next =
      reel_tensordict_gather_rows (self->next, lanes, (gsize) n, error);
  g_autoptr (ReelTensordict) sent = NULL, rest = NULL;
  g_auto (GStrv) own = reel_tensordict_list_leaves (self->next);

  if (next == NULL)
    return FALSE;
  if (reel_tensordict_contains (step, "next"))
    {
      sent = reel_tensordict_ref_tensordict (step, "next", error);
      rest = sent ? reel_tensordict_exclude_keys (sent, (const char *const *) own) : NULL;
      if (rest == NULL || !reel_tensordict_update (next, rest, NULL, FALSE, error))
        return FALSE;
    }
  return reel_tensordict_set_tensordict (step, "next", next, error);
}

static ReelTensordict *
make_step (const ReelAsyncLanes *self, const gint64 *lanes, gint64 n, GError **error)
{
  g_autofree ReelTensordict **rows = g_new (ReelTensordict *, n);
  g_autoptr (ReelTensordict) step = NULL;

  for (gint64 i = 0; i < n; i++)
    rows[i] = self->rows[lanes[i]];
  step = reel_tensordict_stack (rows, (gsize) n, 0, error);
  if (step == NULL)
    g_prefix_error (error, "lanes that are received together must have been sent with the same "
                           "keys: ");
  if (step == NULL || !add_next (self, step, lanes, n, error) || !set_index (step, lanes, n, error))
    return NULL;
  return g_steal_pointer (&step);
}

/* make_reset: the root of the lanes of @done that began anew, and that of the others in @begin. */
static ReelTensordict *
make_reset (const ReelAsyncLanes *self, ReelTensordict *begin, ReelTensor *done,
            const gint64 *lanes, gint64 n, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self->env);
  const char *const *observations = (const char *const *) leaves->observations.paths;
  const char *const *flags = (const char *const *) leaves->flags.paths;
  g_autoptr (ReelTensordict) first =
      reel_tensordict_gather_rows (self->first, lanes, (gsize) n, error);
  g_autoptr (ReelTensordict) shown = reel_tensordict_select_keys (begin, observations, TRUE, error);
  g_autoptr (ReelTensordict) known = reel_tensordict_select_keys (begin, flags, TRUE, error);
  g_autoptr (ReelTensordict) reset = NULL, cleared = NULL;

  if (first == NULL || shown == NULL || known == NULL)
    return NULL;
  reset = reel_tensordict_where (done, first, shown, error);
  cleared = reset != NULL ? reel_tensordict_masked_fill (known, done, 0, error) : NULL;
  if (cleared == NULL || !reel_tensordict_update (reset, cleared, NULL, FALSE, error))
    return NULL;
  return g_steal_pointer (&reset);
}

static ReelTensordict *
make_begin (const ReelAsyncLanes *self, const ReelTensordict *step, const gint64 *lanes, gint64 n,
            GError **error)
{
  g_autoptr (ReelTensordict) begin = reel_env_step_mdp (self->env, step, error), reset = NULL;
  g_autoptr (ReelTensor) flags = NULL, done = NULL;

  flags = begin != NULL ? reel_tensordict_ref_tensor (begin, "done", error) : NULL;
  done = flags != NULL ? reel_tensor_view (flags, 1, &n, error) : NULL;
  if (done == NULL)
    return NULL;
  if (memchr (done->data, TRUE, (gsize) n) != NULL)
    {
      reset = make_reset (self, begin, done, lanes, n, error);
      if (reset == NULL || !reel_env_merge_reset (begin, done, reset, error)
          || !set_index (begin, lanes, n, error))
        return NULL;
    }
  return g_steal_pointer (&begin);
}

/* ---- recv ---- */

/* describe_missing: which lanes a unit waits for, if one does. */
static char *
describe_missing (const ReelAsyncLanes *self)
{
  for (gint64 lane = 0; lane < self->n_lanes; lane++)
    {
      gint64 unit = lane / self->unit, first = unit * self->unit;
      gint64 last = MIN (first + self->unit, self->n_lanes) - 1;

      if (self->states[lane] == REEL_ASYNC_SENT && self->n_missing[unit] > 0)
        return g_strdup_printf ("; lanes %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                                " step together, once all of them were sent",
                                first, last);
    }
  return g_strdup ("");
}

static gboolean
check_number (const ReelAsyncLanes *self, gint64 n, GError **error)
{
  if (n < 1)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "cannot receive %" G_GINT64_FORMAT " lanes: at least 1", n);
  else if (reel_env_get_private (self->env)->n_sent == 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "cannot receive lanes: none was sent since the last were received");
  else if (n > self->n_ready + self->n_working)
    {
      g_autofree char *missing = describe_missing (self);

      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot receive %" G_GINT64_FORMAT " lanes: %" G_GINT64_FORMAT
                   " are on their way%s",
                   n, self->n_ready + self->n_working, missing);
    }
  else
    return TRUE;
  return FALSE;
}

static void
set_late (const ReelAsyncLanes *self, gint64 n, gint64 milliseconds, GError **error)
{
  gint64 lane = 0;

  while (self->states[lane] != REEL_ASYNC_SENT || self->n_missing[lane / self->unit] > 0)
    lane++;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT,
               "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
               " lanes were ready after %" G_GINT64_FORMAT " ms; lane %" G_GINT64_FORMAT
               " is still at work",
               self->n_ready, n, milliseconds, lane);
}

static gboolean
await (ReelAsyncLanes *self, gint64 n, gint64 milliseconds, GError **error)
{
  gint64 deadline =
      milliseconds <= 0 ? MAX (milliseconds, -1) : g_get_monotonic_time () + milliseconds * 1000;

  if (!check_failure (self, error) || !check_number (self, n, error))
    return FALSE;
  if (reel_async_lanes_await (self, n, deadline))
    return TRUE;
  if (self->failure != NULL)
    g_propagate_error (error, g_error_copy (self->failure));
  else
    set_late (self, n, milliseconds, error);
  return FALSE;
}

ReelTensordict *
reel_async_lanes_recv (ReelAsyncLanes *self, gint64 n, gint64 milliseconds, ReelTensordict **begin,
                       GError **error)
{
  g_autofree gint64 *lanes = NULL;
  g_autoptr (ReelTensordict) step = NULL, following = NULL;

  if (!await (self, n, milliseconds, error))
    return NULL;
  lanes = g_memdup2 (self->ready, (gsize) n * sizeof *lanes);
  qsort (lanes, (gsize) n, sizeof *lanes, compare_lanes);
  step = make_step (self, lanes, n, error);
  following = step != NULL && begin != NULL ? make_begin (self, step, lanes, n, error) : NULL;
  if (step == NULL || (begin != NULL && following == NULL))
    return NULL;
  reel_async_lanes_release (self, n);
  if (begin != NULL)
    *begin = g_steal_pointer (&following);
  return g_steal_pointer (&step);
}
