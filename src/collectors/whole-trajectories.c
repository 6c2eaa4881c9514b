#include "whole-trajectories.h"

#include "../core/tensordict/shape.h"
#include "../core/tensordict/state-values.h"

#include <string.h>

/* A trajectory, and the steps of it that came so far. */
typedef struct
{
  gint64 id;
  gint64 number;    /* trajectories that began before it */
  GPtrArray *parts; /* of ReelTensordict, `[steps]` */
} Trajectory;

/* A run of one id in a lane of a batch. */
typedef struct
{
  gint64 lane, begin, end;
  gint64 id;
  gboolean done;
} Run;

struct _ReelWholeTrajectories
{
  char *done;
  gint64 n_begun;
  GHashTable *partial; /* of Trajectory, by id */
  GPtrArray *complete; /* of Trajectory */
};

static void
free_trajectory (gpointer data)
{
  Trajectory *self = data;

  g_ptr_array_unref (self->parts);
  g_free (self);
}

static void
unref_part (gpointer data)
{
  reel_tensordict_unref (data);
}

static Trajectory *
begin_trajectory (gint64 id, gint64 number)
{
  Trajectory *self = g_new (Trajectory, 1);

  *self = (Trajectory){ id, number, g_ptr_array_new_with_free_func (unref_part) };
  return self;
}

static GHashTable *
make_partial (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, free_trajectory);
}

ReelWholeTrajectories *
reel_whole_trajectories_new (const char *done)
{
  ReelWholeTrajectories *self = g_new0 (ReelWholeTrajectories, 1);

  self->done = g_strdup (done);
  self->partial = make_partial ();
  self->complete = g_ptr_array_new_with_free_func (free_trajectory);
  return self;
}

ReelWholeTrajectories *
reel_whole_trajectories_new_like (const ReelWholeTrajectories *like)
{
  return reel_whole_trajectories_new (like->done);
}

void
reel_whole_trajectories_free (ReelWholeTrajectories *self)
{
  if (self == NULL)
    return;
  g_free (self->done);
  g_hash_table_unref (self->partial);
  g_ptr_array_unref (self->complete);
  g_free (self);
}

/* ---- steps ---- */

/* as_lanes: `[lanes, T]`. */
static ReelTensordict *
as_lanes (ReelTensordict *steps, GError **error)
{
  gint ndim;

  reel_tensordict_get_batch_size (steps, &ndim);
  if (ndim == 1)
    return reel_tensordict_unsqueeze (steps, 0, error);
  return ndim == 2 ? reel_tensordict_ref (steps)
                   : reel_tensordict_flatten (steps, 0, ndim - 2, error);
}

static const ReelTensor *
find_ids (ReelTensordict *lanes, GError **error)
{
  const ReelTensor *ids = reel_tensordict_get_tensor (lanes, "collector/traj_ids", error);

  if (ids == NULL || (ids->dtype == REEL_DTYPE_INT64 && ids->ndim == 2))
    return ids;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                       "\"collector/traj_ids\" must be int64, one a step");
  return NULL;
}

static gint64
read_id (const ReelTensor *ids, gint64 lane, gint64 step)
{
  gint64 id;

  memcpy (&id, ids->data + lane * ids->strides[0] + step * ids->strides[1], sizeof id);
  return id;
}

static gboolean
read_done (const ReelTensor *done, gint64 lane, gint64 step)
{
  return done->data[lane * done->strides[0] + step * done->strides[1]];
}

/* find_runs: of all lanes, in the order of their first steps, then of the lanes. Runs end where the
 * id changes, and after a flag. Padding, whose id is below 0, is none. */
static GArray *
find_runs (const ReelTensor *ids, const ReelTensor *done)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (Run));
  gint64 n_steps = ids->shape[1];
  g_autofree gint64 *begun = g_new0 (gint64, ids->shape[0]);

  for (gint64 step = 0; step < n_steps; step++)
    for (gint64 lane = 0; lane < ids->shape[0]; lane++)
      {
        Run run = { lane, step, step + 1, read_id (ids, lane, step), FALSE };

        if (run.id < 0 || step < begun[lane])
          continue;
        run.done = read_done (done, lane, step);
        while (!run.done && run.end < n_steps && read_id (ids, lane, run.end) == run.id)
          run.done = read_done (done, lane, run.end++);
        begun[lane] = run.end;
        g_array_append_val (runs, run);
      }
  return runs;
}

static Trajectory *
find_trajectory (ReelWholeTrajectories *self, gint64 id)
{
  Trajectory *trajectory = g_hash_table_lookup (self->partial, &id);

  if (trajectory == NULL)
    {
      trajectory = begin_trajectory (id, self->n_begun++);
      g_hash_table_insert (self->partial, &trajectory->id, trajectory);
    }
  return trajectory;
}

static ReelTensordict *
copy_run (ReelTensordict *lanes, const Run *run, GError **error)
{
  g_autoptr (ReelTensordict) lane = reel_tensordict_select_index (lanes, 0, run->lane, error);
  g_autoptr (ReelTensordict) steps =
      lane ? reel_tensordict_slice (lane, 0, run->begin, run->end, 1, error) : NULL;

  return steps ? reel_tensordict_clone (steps, TRUE, error) : NULL;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Trajectory *first = *(const Trajectory *const *) a;
  const Trajectory *second = *(const Trajectory *const *) b;

  return first->number < second->number ? -1 : first->number > second->number;
}

/* add_runs: @copies are their steps. Trajectories that they complete follow earlier ones. */
static void
add_runs (ReelWholeTrajectories *self, const GArray *runs, GPtrArray *copies)
{
  g_autoptr (GPtrArray) complete = g_ptr_array_new ();

  for (guint i = 0; i < runs->len; i++)
    {
      const Run *run = &g_array_index (runs, Run, i);
      Trajectory *trajectory = find_trajectory (self, run->id);

      g_ptr_array_add (trajectory->parts, reel_tensordict_ref (copies->pdata[i]));
      if (!run->done)
        continue;
      g_hash_table_steal (self->partial, &trajectory->id);
      g_ptr_array_add (complete, trajectory);
    }
  g_ptr_array_sort (complete, compare);
  for (guint i = 0; i < complete->len; i++)
    g_ptr_array_add (self->complete, complete->pdata[i]);
}

gboolean
reel_whole_trajectories_add (ReelWholeTrajectories *self, ReelTensordict *steps, GError **error)
{
  g_autoptr (ReelTensordict) lanes = as_lanes (steps, error);
  const ReelTensor *ids = lanes ? find_ids (lanes, error) : NULL;
  const ReelTensor *done = ids ? reel_tensordict_get_tensor (lanes, self->done, error) : NULL;
  g_autoptr (GPtrArray) copies = g_ptr_array_new_with_free_func (unref_part);
  g_autoptr (GArray) runs = NULL;

  if (done == NULL)
    return FALSE;
  runs = find_runs (ids, done);
  for (guint i = 0; i < runs->len; i++)
    {
      ReelTensordict *copy = copy_run (lanes, &g_array_index (runs, Run, i), error);

      if (copy == NULL)
        return FALSE;
      g_ptr_array_add (copies, copy);
    }
  add_runs (self, runs, copies);
  return TRUE;
}

/* ---- what is complete ---- */

gint64
reel_whole_trajectories_count (const ReelWholeTrajectories *self)
{
  return self->complete->len;
}

ReelTensordict *
reel_whole_trajectories_take (ReelWholeTrajectories *self, gint64 n, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  ReelTensordict *steps;

  for (gint64 i = 0; i < n; i++)
    {
      const Trajectory *trajectory = self->complete->pdata[i];

      for (guint k = 0; k < trajectory->parts->len; k++)
        g_ptr_array_add (parts, trajectory->parts->pdata[k]);
    }
  steps = reel_tensordict_cat ((ReelTensordict *const *) parts->pdata, parts->len, 0, error);
  if (steps)
    g_ptr_array_remove_range (self->complete, 0, (guint) n);
  return steps;
}

void
reel_whole_trajectories_drop (ReelWholeTrajectories *self, gboolean complete)
{
  g_hash_table_remove_all (self->partial);
  if (complete)
    g_ptr_array_set_size (self->complete, 0);
}

/* ---- state ---- */

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  return compare (&a, &b);
}

/* put: its id, number and steps, below a key of its own. */
static gboolean
put (ReelTensordict *list, guint i, const Trajectory *trajectory, GError **error)
{
  const gint64 words[] = { trajectory->id, trajectory->number };
  g_autofree char *key = g_strdup_printf ("%u", i);
  g_autoptr (ReelTensordict) one = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) steps = reel_tensordict_cat (
      (ReelTensordict *const *) trajectory->parts->pdata, trajectory->parts->len, 0, error);

  return steps && reel_state_set (one, "words", REEL_DTYPE_INT64, 1, 2, words, error)
         && reel_tensordict_set_tensordict (one, "steps", steps, error)
         && reel_tensordict_set_tensordict (list, key, one, error);
}

static gboolean
put_list (ReelTensordict *state, const char *name, GPtrArray *trajectories, GError **error)
{
  g_autoptr (ReelTensordict) list = reel_tensordict_new (0, NULL);
  gint64 n = trajectories->len;

  if (!reel_state_set (list, "n", REEL_DTYPE_INT64, 0, 1, &n, error))
    return FALSE;
  for (guint i = 0; i < trajectories->len; i++)
    if (!put (list, i, trajectories->pdata[i], error))
      return FALSE;
  return reel_tensordict_set_tensordict (state, name, list, error);
}

gboolean
reel_whole_trajectories_dup_state (const ReelWholeTrajectories *self, ReelTensordict *state,
                                   GError **error)
{
  g_autoptr (GList) list = g_list_sort (g_hash_table_get_values (self->partial), compare_numbers);
  g_autoptr (GPtrArray) partial = g_ptr_array_new ();

  for (const GList *link = list; link; link = link->next)
    g_ptr_array_add (partial, link->data);
  return reel_state_set (state, "n_begun", REEL_DTYPE_INT64, 0, 1, &self->n_begun, error)
         && put_list (state, "partial", partial, error)
         && put_list (state, "complete", self->complete, error);
}

static Trajectory *
take (const ReelTensordict *list, gint64 i, GError **error)
{
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT, i);
  const ReelTensordict *one = reel_tensordict_get_tensordict (list, key, error);
  const ReelTensor *words = one ? reel_state_get (one, "words", REEL_DTYPE_INT64, 1, error) : NULL;
  ReelTensordict *steps = words ? reel_tensordict_get_tensordict (one, "steps", error) : NULL;
  Trajectory *trajectory;
  gint ndim;

  if (steps == NULL)
    return NULL;
  reel_tensordict_get_batch_size (steps, &ndim);
  if (words->shape[0] != 2 || ndim != 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "trajectory %s of the state is not whole",
                   key);
      return NULL;
    }
  trajectory = begin_trajectory (((const gint64 *) (gconstpointer) words->data)[0],
                                 ((const gint64 *) (gconstpointer) words->data)[1]);
  g_ptr_array_add (trajectory->parts, reel_tensordict_ref (steps));
  return trajectory;
}

static GPtrArray *
take_list (const ReelTensordict *state, const char *name, GError **error)
{
  const ReelTensordict *list = reel_tensordict_get_tensordict (state, name, error);
  const ReelTensor *n = list ? reel_state_get (list, "n", REEL_DTYPE_INT64, 0, error) : NULL;
  g_autoptr (GPtrArray) trajectories = g_ptr_array_new_with_free_func (free_trajectory);

  if (n == NULL)
    return NULL;
  for (gint64 i = 0; i < *(const gint64 *) (gconstpointer) n->data; i++)
    {
      Trajectory *trajectory = take (list, i, error);

      if (trajectory == NULL)
        return NULL;
      g_ptr_array_add (trajectories, trajectory);
    }
  return g_steal_pointer (&trajectories);
}

gboolean
reel_whole_trajectories_set_state (ReelWholeTrajectories *self, const ReelTensordict *state,
                                   GError **error)
{
  const ReelTensor *n_begun = reel_state_get (state, "n_begun", REEL_DTYPE_INT64, 0, error);
  g_autoptr (GPtrArray) partial = n_begun ? take_list (state, "partial", error) : NULL;
  g_autoptr (GPtrArray) complete = partial ? take_list (state, "complete", error) : NULL;

  if (complete == NULL)
    return FALSE;
  g_hash_table_remove_all (self->partial);
  g_ptr_array_set_free_func (partial, NULL);
  for (guint i = 0; i < partial->len; i++)
    {
      Trajectory *trajectory = partial->pdata[i];

      g_hash_table_replace (self->partial, &trajectory->id, trajectory);
    }
  g_ptr_array_unref (self->complete);
  self->complete = g_steal_pointer (&complete);
  memcpy (&self->n_begun, n_begun->data, sizeof self->n_begun);
  return TRUE;
}
