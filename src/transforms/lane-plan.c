#include "lane-plan.h"

#include <string.h>

#include "../core/math/random.h"
#include "../specs/spec.h"

struct _ReelLanePlan
{
  gint64 n_lanes;
  gboolean joined, steps_at_resets;
  guint n_repeated;             /* leaves before the first that depends on earlier episodes */
  const ReelLaneSource *source; /* NULL for a plan of actions */
  gpointer source_data;
  guint reward, done; /* of the source */
  GArray *leaves;     /* of ReelLaneLeaf */
  GPtrArray *works;   /* of ReelLaneWork */
  ReelLaneFault fault;
  gpointer data;
};

/* ---- leaves ---- */

static void
clear_leaf (gpointer leaf)
{
  g_free (((ReelLaneLeaf *) leaf)->path);
}

static void
free_work (gpointer data)
{
  ReelLaneWork *work = data;

  if (work->owns_state)
    g_free (work->state);
  work->free (work);
}

ReelLanePlan *
reel_lane_plan_new (gint64 n_lanes, ReelLaneFault fault, gpointer data)
{
  ReelLanePlan *self = g_new (ReelLanePlan, 1);

  *self = (ReelLanePlan){
    .n_lanes = n_lanes,
    .n_repeated = G_MAXUINT,
    .leaves = g_array_new (FALSE, FALSE, sizeof (ReelLaneLeaf)),
    .works = g_ptr_array_new_with_free_func (free_work),
    .fault = fault,
    .data = data,
  };
  g_array_set_clear_func (self->leaves, clear_leaf);
  return self;
}

void
reel_lane_plan_free (ReelLanePlan *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->leaves);
  g_ptr_array_unref (self->works);
  g_free (self);
}

gint64
reel_lane_plan_get_n_lanes (const ReelLanePlan *self)
{
  return self->n_lanes;
}

guint
reel_lane_plan_get_n_leaves (const ReelLanePlan *self)
{
  return self->leaves->len;
}

const ReelLaneLeaf *
reel_lane_plan_get_leaf (const ReelLanePlan *self, guint leaf)
{
  return &g_array_index (self->leaves, ReelLaneLeaf, leaf);
}

gint
reel_lane_plan_find (const ReelLanePlan *self, const char *path)
{
  for (guint i = 0; i < self->leaves->len; i++)
    if (g_strcmp0 (reel_lane_plan_get_leaf (self, i)->path, path) == 0)
      return (gint) i;
  return -1;
}

gint
reel_lane_plan_require (const ReelLanePlan *self, const char *path, GError **error)
{
  gint leaf = reel_lane_plan_find (self, path);
  g_autoptr (GString) keys = g_string_new (NULL);

  if (leaf >= 0)
    return leaf;
  for (guint i = 0; i < self->leaves->len; i++)
    if (reel_lane_plan_get_leaf (self, i)->path)
      g_string_append_printf (keys, "%s%s", keys->len > 0 ? ", " : "",
                              reel_lane_plan_get_leaf (self, i)->path);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "the env has no \"%s\"; its keys are %s", path,
               keys->str);
  return -1;
}

guint
reel_lane_plan_define (ReelLanePlan *self, const char *path, ReelLaneRole role, ReelDtype dtype,
                       gint ndim, const gint64 *shape)
{
  gint before = path ? reel_lane_plan_find (self, path) : -1;
  ReelLaneLeaf leaf = { .path = g_strdup (path),
                        .role = role,
                        .dtype = dtype,
                        .ndim = ndim,
                        .row_bytes = reel_dtype_size (dtype),
                        .successor = -1 };

  for (gint i = 0; i < ndim; i++)
    {
      leaf.shape[i] = shape[i];
      leaf.row_bytes *= (gsize) shape[i];
    }
  if (before >= 0)
    {
      reel_lane_plan_rename (self, (guint) before, NULL);
      g_array_index (self->leaves, ReelLaneLeaf, before).successor = (gint) self->leaves->len;
    }
  g_array_append_val (self->leaves, leaf);
  return self->leaves->len - 1;
}

guint
reel_lane_plan_define_action (ReelLanePlan *self, const ReelSpec *spec)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);
  guint leaf =
      reel_lane_plan_define (self, NULL, REEL_LANE_ACTION, reel_spec_get_dtype (spec), ndim, shape);

  g_array_index (self->leaves, ReelLaneLeaf, leaf).spec = spec;
  return leaf;
}

guint
reel_lane_plan_replace (ReelLanePlan *self, guint leaf)
{
  ReelLaneLeaf old = *reel_lane_plan_get_leaf (self, leaf);
  g_autofree char *path = g_strdup (old.path);
  guint made = reel_lane_plan_define (self, path, old.role, old.dtype, old.ndim, old.shape);

  g_array_index (self->leaves, ReelLaneLeaf, leaf).successor = (gint) made;
  return made;
}

guint
reel_lane_plan_follow (const ReelLanePlan *self, guint leaf)
{
  gint successor;

  while ((successor = reel_lane_plan_get_leaf (self, leaf)->successor) >= 0)
    leaf = (guint) successor;
  return leaf;
}

void
reel_lane_plan_carry (ReelLanePlan *self, guint leaf)
{
  g_array_index (self->leaves, ReelLaneLeaf, leaf).carried = TRUE;
}

void
reel_lane_plan_rename (ReelLanePlan *self, guint leaf, const char *path)
{
  ReelLaneLeaf *renamed = &g_array_index (self->leaves, ReelLaneLeaf, leaf);
  gint before = path ? reel_lane_plan_find (self, path) : -1;

  if (before >= 0 && before != (gint) leaf)
    reel_lane_plan_rename (self, (guint) before, NULL);
  g_free (renamed->path);
  renamed->path = g_strdup (path);
}

static gboolean
is_below (const char *path, const char *key)
{
  gsize length = strlen (key);

  return strncmp (path, key, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

void
reel_lane_plan_hide (ReelLanePlan *self, const char *path)
{
  for (guint i = 0; i < self->leaves->len; i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (self, i);

      if (leaf->path && is_below (leaf->path, path))
        reel_lane_plan_rename (self, i, NULL);
    }
}

/* ---- works ---- */

gboolean
reel_lane_plan_add (ReelLanePlan *self, ReelLaneWork *work, gsize state_bytes, GError **error)
{
  gsize bytes;

  work->plan = self;
  work->index = self->works->len;
  work->state_bytes = state_bytes;
  g_ptr_array_add (self->works, work);
  if (state_bytes == 0 || work->state)
    return TRUE;
  work->owns_state = TRUE;
  if (g_size_checked_mul (&bytes, (gsize) self->n_lanes, state_bytes))
    work->state = g_try_malloc0 (bytes);
  if (work->state)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "there is no memory for the state of %" G_GINT64_FORMAT " lanes", self->n_lanes);
  return FALSE;
}

void
reel_lane_plan_join_lanes (ReelLanePlan *self)
{
  self->joined = TRUE;
}

gboolean
reel_lane_plan_has_joined_lanes (const ReelLanePlan *self)
{
  return self->joined;
}

void
reel_lane_plan_outlast_episodes (ReelLanePlan *self)
{
  self->n_repeated = MIN (self->n_repeated, self->leaves->len);
}

gboolean
reel_lane_plan_outlasts_episodes (const ReelLanePlan *self)
{
  return self->n_repeated != G_MAXUINT;
}

gboolean
reel_lane_plan_repeats (const ReelLanePlan *self, guint leaf)
{
  return leaf < self->n_repeated;
}

void
reel_lane_plan_set_source (ReelLanePlan *self, const ReelLaneSource *source, gpointer data,
                           guint reward, guint done)
{
  self->source = source;
  self->source_data = data;
  self->reward = reward;
  self->done = done;
}

guint
reel_lane_plan_get_reward (const ReelLanePlan *self)
{
  return reel_lane_plan_follow (self, self->reward);
}

guint
reel_lane_plan_get_done (const ReelLanePlan *self)
{
  return reel_lane_plan_follow (self, self->done);
}

void
reel_lane_plan_step_at_resets (ReelLanePlan *self)
{
  self->steps_at_resets = TRUE;
}

gboolean
reel_lane_plan_steps_at_resets (const ReelLanePlan *self)
{
  return self->steps_at_resets;
}

/* The env, and the first @n_works works. */
static void
step_until (const ReelLanePlan *self, guint n_works, guint8 *const *columns, gint64 begin,
            gint64 end)
{
  if (self->source)
    self->source->step (self->source_data, columns, begin, end);
  for (guint i = 0; i < n_works; i++)
    {
      ReelLaneWork *work = self->works->pdata[i];

      work->step (work, columns, begin, end);
    }
}

static void
reset_until (const ReelLanePlan *self, guint n_works, guint8 *const *columns, const gint64 *lanes,
             gsize n)
{
  if (self->source)
    self->source->reset (self->source_data, columns, lanes, n);
  for (guint i = 0; i < n_works; i++)
    {
      ReelLaneWork *work = self->works->pdata[i];

      if (work->reset)
        work->reset (work, columns, lanes, n);
    }
}

void
reel_lane_plan_step (const ReelLanePlan *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  step_until (self, self->works->len, columns, begin, end);
}

void
reel_lane_plan_reset (const ReelLanePlan *self, guint8 *const *columns, const gint64 *lanes,
                      gsize n)
{
  reset_until (self, self->works->len, columns, lanes, n);
}

void
reel_lane_plan_step_before (const ReelLaneWork *work, guint8 *const *columns, gint64 begin,
                            gint64 end)
{
  step_until (work->plan, work->index, columns, begin, end);
}

void
reel_lane_plan_reset_before (const ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes,
                             gsize n)
{
  reset_until (work->plan, work->index, columns, lanes, n);
}

void
reel_lane_plan_seed (const ReelLanePlan *self, gint64 lane, const guint32 *words, gsize n_words)
{
  ReelSeedSequence sequence;
  guint64 seed;

  reel_seed_sequence_init (&sequence, words, n_words);
  reel_seed_sequence_generate (&sequence, &seed, 1);
  for (guint i = 0; i < self->works->len; i++)
    {
      ReelLaneWork *work = self->works->pdata[i];

      if (work->seed)
        work->seed (work, lane, reel_random_word (reel_random_key (seed, i), 0));
    }
}

gboolean
reel_lane_plan_draws (const ReelLanePlan *self)
{
  for (guint i = 0; i < self->works->len; i++)
    if (((const ReelLaneWork *) self->works->pdata[i])->seed)
      return TRUE;
  return FALSE;
}

void
reel_lane_plan_report (const ReelLanePlan *self, gint64 lane, const char *what)
{
  self->fault (self->data, lane, what);
}

/* ---- states: what a work keeps of the lane, then what its lanes have in common ---- */

gsize
reel_lane_plan_get_state_size (const ReelLanePlan *self)
{
  gsize bytes = 0;

  for (guint i = 0; i < self->works->len; i++)
    {
      const ReelLaneWork *work = self->works->pdata[i];

      bytes += work->state_bytes + work->common_bytes;
    }
  return bytes;
}

void
reel_lane_plan_get_state (const ReelLanePlan *self, gint64 lane, guint8 *state)
{
  for (guint i = 0; i < self->works->len; i++)
    {
      const ReelLaneWork *work = self->works->pdata[i];

      if (work->state_bytes > 0)
        memcpy (state, work->state + (gsize) lane * work->state_bytes, work->state_bytes);
      state += work->state_bytes;
      if (work->common_bytes > 0 && lane == 0)
        memcpy (state, work->common, work->common_bytes);
      else if (work->common_bytes > 0)
        memset (state, 0, work->common_bytes);
      state += work->common_bytes;
    }
}

void
reel_lane_plan_set_state (ReelLanePlan *self, gint64 lane, const guint8 *state)
{
  for (guint i = 0; i < self->works->len; i++)
    {
      const ReelLaneWork *work = self->works->pdata[i];

      if (work->state_bytes > 0)
        memcpy (work->state + (gsize) lane * work->state_bytes, state, work->state_bytes);
      state += work->state_bytes;
      if (work->common_bytes > 0 && lane == 0)
        memcpy (work->common, state, work->common_bytes);
      state += work->common_bytes;
    }
}
