/* Slices of trajectories that begin where priorities say. */
#include "priority-sampler.h"
#include "slices.h"

#include "../../core/tensordict/variant.h"

#include <string.h>

#define MOST_ROUNDS 16 /* of draws among which too few can begin a slice */

struct _ReelPrioritizedSliceSampler
{
  ReelPrioritySampler parent_instance;

  ReelSlices slices;
  ReelInfoColumn columns[6];
  gint64 n_calls;

  /* Room for as many as there are slices. */
  gint64 room;
  gint64 *rows;
  double *weights; /* of all that were drawn */
  double *masses;
  guint8 *corrections;
  ReelSlice *found; /* which begin a slice, and their weights */
  double *found_weights;
};

G_DECLARE_FINAL_TYPE (ReelPrioritizedSliceSampler, reel_prioritized_slice_sampler, REEL,
                      PRIORITIZED_SLICE_SAMPLER, ReelPrioritySampler)
G_DEFINE_FINAL_TYPE (ReelPrioritizedSliceSampler, reel_prioritized_slice_sampler,
                     REEL_TYPE_PRIORITY_SAMPLER)

typedef ReelPrioritizedSliceSampler Self;

static Self *
get_self (gpointer sampler)
{
  return REEL_PRIORITIZED_SLICE_SAMPLER (sampler);
}

/* ---- where slices can begin ---- */

/* The steps that must be left of a trajectory, but where it begins and short ones are allowed. */
static gint64
least_left (const Self *self, gint64 length)
{
  return self->slices.span_right < 0 ? 1 : length - self->slices.span_right;
}

/* Steps of a trajectory at which a slice can begin, from its first on. */
static gint64
count_begins (const Self *self, gint64 n_steps, gint64 length)
{
  gint64 n = n_steps - least_left (self, length) + 1;

  return MAX (n, self->slices.strict_length ? 0 : 1);
}

/* The slice that begins at @row, if one can. */
static gboolean
find_slice (const Self *self, gint64 row, gint64 lanes, gint64 length, ReelSlice *slice)
{
  ReelTrajectory trajectory;
  gint64 step;

  if (!reel_trajectory_index_find (self->slices.index, row, &trajectory))
    return FALSE;
  step = (row - trajectory.first_row) / lanes;
  if (step >= count_begins (self, trajectory.n_steps, length))
    return FALSE;
  slice->first_row = row;
  slice->n_steps = MIN (length, trajectory.n_steps - step);
  return TRUE;
}

/* ---- drawing ---- */

/* Rows drawn by priority that can begin a slice, in order, until there are n. */
static gboolean
draw_and_pick (Self *self, const ReelStorageView *view, const ReelSlicesSize *size, guint64 seed,
               gint64 *n_found, GError **error)
{
  gint64 n = size->n_slices;

  for (gint round = 0; round < MOST_ROUNDS && *n_found < n; round++)
    {
      ReelRandomKey key = reel_random_key (seed, self->n_calls++);

      if (!reel_priorities_draw (reel_priority_sampler_get (self), key, n, self->rows,
                                 self->weights, NULL, error))
        return FALSE;
      /* Rows that cannot begin a slice are rejected, which leaves the
       * others their share of the weight. */
      for (gint64 i = 0; i < n && *n_found < n; i++)
        if (find_slice (self, self->rows[i], view->lanes, size->length, &self->found[*n_found]))
          self->found_weights[(*n_found)++] = self->weights[i];
    }
  return TRUE;
}

static int
compare_masses (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

typedef struct
{
  double total;       /* of what was walked over */
  const double *mass; /* nullable: those to be found, ascending */
  gint64 n;
  gint64 n_found;
  double *weights;
  ReelSlice *found;
} Walk;

/* Over all rows that can begin a slice, in the order of the index: sums their weights, and finds
 * those at which the sum reaches the masses. */
static void
walk (Self *self, const ReelStorageView *view, gint64 length, Walk *to)
{
  const double *weights = reel_priority_tree_weights (reel_priority_sampler_get (self)->tree);
  gint64 n_trajectories = reel_trajectory_index_get_n (self->slices.index);

  for (gint64 k = 0; k < n_trajectories; k++)
    {
      ReelTrajectory one;
      gint64 n_begins;

      reel_trajectory_index_get (self->slices.index, k, &one);
      n_begins = count_begins (self, one.n_steps, length);
      for (gint64 step = 0; step < n_begins; step++)
        {
          gint64 row = one.first_row + step * view->lanes;
          double weight = weights[row % view->capacity];

          to->total += weight;
          for (;
               weight > 0 && to->mass && to->n_found < to->n && to->mass[to->n_found] <= to->total;
               to->n_found++)
            {
              to->found[to->n_found] = (ReelSlice){ row, MIN (length, one.n_steps - step) };
              to->weights[to->n_found] = weight;
            }
        }
    }
}

/* Draws what rejection did not find, because most of the weight lies where no slice can begin.
 * Costs a look at every row. */
static gboolean
draw_the_rest (Self *self, const ReelStorageView *view, const ReelSlicesSize *size, guint64 seed,
               gint64 *n_found)
{
  ReelRandomKey key = reel_random_key (seed, self->n_calls++);
  ReelRandomKey order = reel_random_key (seed, self->n_calls++);
  gint64 n = size->n_slices - *n_found;
  Walk all = { 0 }, chosen = { .mass = self->masses,
                               .n = n,
                               .weights = self->found_weights + *n_found,
                               .found = self->found + *n_found };

  walk (self, view, size->length, &all);
  if (!(all.total > 0))
    return FALSE;
  /* Ascending masses are found in one walk. */
  reel_random_fill_doubles (key, 0, n, self->masses);
  for (gint64 i = 0; i < n; i++)
    self->masses[i] = (1 - self->masses[i]) * all.total;
  qsort (self->masses, (gsize) n, sizeof *self->masses, compare_masses);
  walk (self, view, size->length, &chosen);
  /* They were found in the order of the index. */
  for (gint64 i = 0; i < chosen.n_found; i++)
    {
      gint64 other = i + reel_random_below (order, i, chosen.n_found - i);
      ReelSlice slice = chosen.found[i];
      double weight = chosen.weights[i];

      chosen.found[i] = chosen.found[other];
      chosen.weights[i] = chosen.weights[other];
      chosen.found[other] = slice;
      chosen.weights[other] = weight;
    }
  *n_found += chosen.n_found;
  return chosen.n_found > 0;
}

static void
make_room (Self *self, gint64 n)
{
  if (n <= self->room)
    return;
  self->room = n;
  self->rows = g_renew (gint64, self->rows, n);
  self->weights = g_renew (double, self->weights, n);
  self->masses = g_renew (double, self->masses, n);
  self->corrections = g_realloc (self->corrections, (gsize) n * sizeof (double));
  self->found = g_renew (ReelSlice, self->found, n);
  self->found_weights = g_renew (double, self->found_weights, n);
}

/* Rows and marks of the slices, and for each step what the weight of its slice's first corrects. */
static void
put (Self *self, const ReelStorageView *view, gint64 length, gint64 n, ReelDraw *draw)
{
  const ReelPriorities *priorities = reel_priority_sampler_get (self);
  gsize bytes = priorities->dtype == REEL_PRIORITY_FLOAT32 ? sizeof (float) : sizeof (double);
  guint8 *corrections = draw->info[self->slices.n_columns];
  gint64 at = 0;

  reel_priorities_correct (priorities, self->found_weights, n, self->corrections);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 end = reel_slices_put (&self->slices, draw, at, view->lanes, length, &self->found[i]);

      for (; at < end; at++)
        memcpy (corrections + (gsize) at * bytes, self->corrections + (gsize) i * bytes, bytes);
    }
  draw->n = at;
}

/* Nothing that could begin a slice has any weight. */
static gboolean
refuse (Self *self, ReelStorage *storage, const ReelStorageView *view, const ReelSlicesSize *size,
        ReelDraw *draw, GError **error)
{
  for (gint64 k = 0; k < reel_trajectory_index_get_n (self->slices.index); k++)
    {
      ReelTrajectory one;

      reel_trajectory_index_get (self->slices.index, k, &one);
      if (count_begins (self, one.n_steps, size->length) == 0
          || reel_storage_first_intact_row (storage) > view->first_row)
        continue;
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "non-positive p_sum: every row that a slice could begin with has a "
                           "priority of 0");
      return FALSE;
    }
  return reel_slices_refuse (&self->slices, storage, view, size, draw, error);
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = get_self (sampler);
  guint64 seed = (guint64) reel_sampler_get_seed (sampler);
  ReelSlicesSize size;
  gint64 n_found = 0;

  if (!reel_slices_find_size (&self->slices, draw->n, &size, error)
      || !reel_trajectory_index_follow (self->slices.index, view, 1, error))
    return FALSE;
  make_room (self, size.n_slices);
  if (!draw_and_pick (self, view, &size, seed, &n_found, error))
    return FALSE;
  if (n_found < size.n_slices && !draw_the_rest (self, view, &size, seed, &n_found) && n_found == 0)
    return refuse (self, storage, view, &size, draw, error);
  put (self, view, size.length, n_found, draw);
  return TRUE;
}

/* ---- the class ---- */

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  /* Priorities first: they are known of rows that lack the keys of trajectories too. */
  return REEL_SAMPLER_CLASS (reel_prioritized_slice_sampler_parent_class)
             ->bind (sampler, storage, error)
         && reel_slices_bind (&get_self (sampler)->slices, storage, error);
}

/* Its index has trajectories of any length. */
static gboolean
count_candidates (ReelSampler *sampler, const ReelStorageView *view, gint64 n, gint64 *count,
                  GError **error)
{
  return reel_slices_count (&get_self (sampler)->slices, view, n, 1, count, error);
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  *n = get_self (sampler)->slices.n_columns + 1;
  return get_self (sampler)->columns;
}

static gboolean
build (ReelObject *object, GError **error)
{
  Self *self = get_self (object);
  const ReelInfoColumn *marks;
  guint n;

  if (!REEL_OBJECT_CLASS (reel_prioritized_slice_sampler_parent_class)->build (object, error)
      || !reel_slices_build (&self->slices, error))
    return FALSE;
  marks = reel_slices_list_info (&self->slices, &n);
  memcpy (self->columns, marks, n * sizeof *marks);
  self->columns[n] = reel_priority_sampler_weight_column (self);
  return TRUE;
}

static void
finalize (GObject *object)
{
  Self *self = get_self (object);

  reel_slices_clear (&self->slices);
  g_free (self->rows);
  g_free (self->weights);
  g_free (self->masses);
  g_free (self->corrections);
  g_free (self->found);
  g_free (self->found_weights);
  G_OBJECT_CLASS (reel_prioritized_slice_sampler_parent_class)->finalize (object);
}

static void
append_real (GString *text, const char *name, double value)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_new_double (value));

  g_string_append_printf (text, "%s=", name);
  reel_variant_append_repr (text, variant);
}

static char *
to_string (ReelSampler *sampler)
{
  const ReelPriorities *priorities = reel_priority_sampler_get (sampler);
  g_autoptr (GString) rest = g_string_new (",");

  append_real (rest, "alpha", priorities->alpha);
  append_real (rest, ", beta", priorities->beta);
  append_real (rest, ", eps", priorities->eps);
  g_string_append_c (rest, ')');
  return reel_slices_to_string (&get_self (sampler)->slices, "PrioritizedSliceSampler", FALSE,
                                rest->str);
}

static void
reel_prioritized_slice_sampler_class_init (ReelPrioritizedSliceSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "prioritized-slice", NULL, "slices that begin by priority, with replacement" },
    { "PrioritizedSliceSampler", NULL, "slices that begin by priority, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_slices_add_properties (object_class, G_STRUCT_OFFSET (Self, slices));
  reel_slices_add_span_right (object_class, G_STRUCT_OFFSET (Self, slices));
  sampler_class->peer_name = "PrioritizedSliceSampler";
  sampler_class->bind = bind;
  sampler_class->list_info = list_info;
  sampler_class->sample = sample;
  sampler_class->count_candidates = count_candidates;
  sampler_class->stream = G_STRUCT_OFFSET (ReelPrioritizedSliceSampler, n_calls);
  sampler_class->to_string = to_string;
}

static void
reel_prioritized_slice_sampler_init (ReelPrioritizedSliceSampler *self)
{
  self->slices.cache_values = TRUE;
}

ReelSlices *
reel_prioritized_slice_sampler_get_slices (ReelSampler *self)
{
  return REEL_IS_PRIORITIZED_SLICE_SAMPLER (self) ? &get_self (self)->slices : NULL;
}
