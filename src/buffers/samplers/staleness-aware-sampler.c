/* Rows with chances that fall with the age of the policy that made them. */
#include "../../core/math/random.h"
#include "../storages/racy-copy.h"
#include "sampler.h"
#include "../../core/tensordict/state-values.h"
#include "../storages/item-storage.h"

#include <math.h>

#define CHUNK 512 /* rows on the stack */

/* A row that was picked, and what orders it among the others. */
typedef struct
{
  double order;
  gint64 row;
  float staleness;
} Picked;

struct _ReelStalenessAwareSampler
{
  ReelSampler parent_instance;

  gint64 max_staleness; /* −1: any */
  gint64 consumer_version;
  char *version_key;

  gint column;
  gint64 n_calls;
  Picked *picked; /* room for a draw */
  gint64 room;
};

G_DECLARE_FINAL_TYPE (ReelStalenessAwareSampler, reel_staleness_aware_sampler, REEL,
                      STALENESS_AWARE_SAMPLER, ReelSampler)
G_DEFINE_FINAL_TYPE (ReelStalenessAwareSampler, reel_staleness_aware_sampler, REEL_TYPE_SAMPLER)

typedef ReelStalenessAwareSampler Self;

static Self *
get_self (gpointer sampler)
{
  return REEL_STALENESS_AWARE_SAMPLER (sampler);
}

/* ---- rows ---- */

/* Some rows, how stale they are and what they weigh: 0 for those that are too stale. */
typedef struct
{
  gint64 first_row;
  gint64 n;
  float staleness[CHUNK];
  double weights[CHUNK];
} Rows;

static void
read_rows (const Self *self, ReelStorage *storage, const ReelStorageView *view, gint64 row,
           Rows *rows)
{
  guint n_columns;
  const ReelColumn *column = &reel_storage_get_columns (storage, &n_columns)[self->column];
  gint64 stride = (gint64) column->row_stride, slot = row % view->capacity;

  rows->first_row = row;
  rows->n = MIN (MIN (CHUNK, view->end_row - row), view->capacity - slot);
  for (gint64 i = 0; i < rows->n; i++)
    {
      guint64 value;

      racy_copy ((guint8 *) &value, column->data + (slot + i) * stride, column->row_bytes);
      rows->staleness[i] = (float) ((double) self->consumer_version
                                    - reel_dtype_load_double (column->dtype, &value));
      rows->weights[i] = 1 / (MAX ((double) rows->staleness[i], 0) + 1);
      if (self->max_staleness >= 0 && rows->staleness[i] > (float) self->max_staleness)
        rows->weights[i] = 0;
    }
}

typedef struct
{
  gint64 n_fresh; /* not too stale */
  double total;
} Weighed;

static Weighed
weigh (const Self *self, ReelStorage *storage, const ReelStorageView *view)
{
  Weighed all = { 0 };
  Rows rows;

  for (gint64 row = view->first_row; row < view->end_row; row += rows.n)
    {
      read_rows (self, storage, view, row, &rows);
      for (gint64 i = 0; i < rows.n; i++)
        {
          all.n_fresh += rows.weights[i] > 0;
          all.total += rows.weights[i];
        }
    }
  return all;
}

/* ---- no row twice: those of the n least arrival times, where a row of weight w arrives at rate w
 * (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006) ---- */

static void
sift_down (Picked *heap, gint64 n, gint64 i, Picked item)
{
  for (gint64 child; (child = 2 * i + 1) < n; i = child)
    {
      if (child + 1 < n && heap[child + 1].order > heap[child].order)
        child++;
      if (heap[child].order <= item.order)
        break;
      heap[i] = heap[child];
    }
  heap[i] = item;
}

static void
offer (Picked *heap, gint64 n, gint64 *n_held, Picked item)
{
  if (*n_held == n)
    sift_down (heap, n, 0, item);
  else
    {
      heap[(*n_held)++] = item;
      for (gint64 i = *n_held / 2 - 1; *n_held == n && i >= 0; i--)
        sift_down (heap, n, i, heap[i]);
    }
}

static int
compare_order (const void *a, const void *b)
{
  double x = ((const Picked *) a)->order, y = ((const Picked *) b)->order;

  return (x > y) - (x < y);
}

static gint64
pick_without_replacement (Self *self, ReelStorage *storage, const ReelStorageView *view,
                          ReelRandomKey key, gint64 n)
{
  gint64 n_held = 0;
  Rows rows;

  for (gint64 row = view->first_row; row < view->end_row; row += rows.n)
    {
      double random[CHUNK];

      read_rows (self, storage, view, row, &rows);
      reel_random_fill_doubles (key, row - view->first_row, rows.n, random);
      for (gint64 i = 0; i < rows.n; i++)
        {
          /* The heap holds the n least times, the latest on top. Times are compared multiplied by
           * the weight, which saves a division a row. */
          double latest = n_held == n ? self->picked[0].order * rows.weights[i] : INFINITY;

          /* −log (1 − u) is not less than u, which most rows do not get below. */
          if (rows.weights[i] == 0 || random[i] >= latest || -log1p (-random[i]) >= latest)
            continue;
          offer (self->picked, n, &n_held,
                 (Picked){ -log1p (-random[i]) / rows.weights[i], row + i, rows.staleness[i] });
        }
    }
  qsort (self->picked, (gsize) n_held, sizeof *self->picked, compare_order);
  return n_held;
}

/* ---- each on its own: masses in ascending order, found in one walk, put back in theirs ---- */

static gint64
pick_with_replacement (Self *self, ReelStorage *storage, const ReelStorageView *view,
                       ReelRandomKey key, gint64 n, double total)
{
  gint64 n_found = 0;
  double sum = 0;
  Rows rows;

  for (gint64 i = 0; i < n; i++)
    /* The entries serve twice: rows below n_found, and from there on
     * masses that are still to be found. */
    self->picked[i].order = (1 - reel_random_double (key, i)) * total;
  qsort (self->picked, (gsize) n, sizeof *self->picked, compare_order);
  for (gint64 row = view->first_row; row < view->end_row; row += rows.n)
    {
      read_rows (self, storage, view, row, &rows);
      for (gint64 i = 0; i < rows.n; i++)
        for (sum += rows.weights[i];
             rows.weights[i] > 0 && n_found < n && self->picked[n_found].order <= sum; n_found++)
          self->picked[n_found] =
              (Picked){ reel_random_double (key, n + n_found), row + i, rows.staleness[i] };
    }
  qsort (self->picked, (gsize) n_found, sizeof *self->picked, compare_order);
  return n_found;
}

/* ---- the class ---- */

static gboolean
refuse (const Self *self, const ReelStorageView *view, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "All %" G_GINT64_FORMAT
               " entries in the buffer exceed max_staleness=%" G_GINT64_FORMAT
               " (consumer_version=%" G_GINT64_FORMAT "). Increase max_staleness or update "
               "collector policy weights more frequently.",
               view->end_row - view->first_row, self->max_staleness, self->consumer_version);
  return FALSE;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = get_self (sampler);
  ReelRandomKey key = reel_random_key ((guint64) reel_sampler_get_seed (sampler), self->n_calls++);
  Weighed all = weigh (self, storage, view);

  if (all.n_fresh == 0)
    return refuse (self, view, error);
  if (draw->n > self->room)
    {
      self->room = draw->n;
      self->picked = g_renew (Picked, self->picked, self->room);
    }
  draw->n = draw->n <= all.n_fresh
                ? pick_without_replacement (self, storage, view, key, draw->n)
                : pick_with_replacement (self, storage, view, key, draw->n, all.total);
  for (gint64 i = 0; i < draw->n; i++)
    {
      draw->rows[i] = self->picked[i].row;
      ((float *) draw->info[0])[i] = self->picked[i].staleness;
    }
  return draw->n > 0 || refuse (self, view, error);
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  Self *self = get_self (sampler);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  if (!reel_item_storage_check_columns (storage, "a staleness-aware sampler", error))
    return FALSE;
  if (!columns)
    return TRUE;
  self->column = reel_storage_find_column (storage, self->version_key, error);
  if (self->column < 0)
    {
      g_prefix_error (error,
                      "Could not find key '%s' in the replay buffer storage. Make sure data "
                      "written to the buffer contains this key: ",
                      self->version_key);
      return FALSE;
    }
  if (columns[self->column].row_bytes == reel_dtype_size (columns[self->column].dtype)
      && !reel_dtype_is_complex (columns[self->column].dtype))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "\"%s\" is the key of the version of a policy, one real number a row, not %s with "
               "%" G_GSIZE_FORMAT " bytes a row",
               self->version_key, reel_dtype_name (columns[self->column].dtype),
               columns[self->column].row_bytes);
  return FALSE;
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  static const ReelInfoColumn column = { .path = "staleness", .dtype = REEL_DTYPE_FLOAT32 };

  *n = 1;
  return &column;
}

static void
empty (ReelSampler *sampler)
{
  get_self (sampler)->consumer_version = 0;
}

static char *
to_string (ReelSampler *sampler)
{
  Self *self = get_self (sampler);

  return g_strdup_printf ("StalenessAwareSampler(consumer_version=%" G_GINT64_FORMAT
                          ", max_staleness=%" G_GINT64_FORMAT ")",
                          self->consumer_version, self->max_staleness);
}

static ReelTensordict *
dup_state (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  Self *self = get_self (sampler);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);

  if (reel_state_set (state, "consumer_version", REEL_DTYPE_INT64, 0, 1, &self->consumer_version,
                      error)
      && reel_state_set (state, "max_staleness", REEL_DTYPE_INT64, 0, 1, &self->max_staleness,
                         error))
    return g_steal_pointer (&state);
  return NULL;
}

/* The values of a state. */
typedef struct
{
  gint64 consumer_version;
  gint64 max_staleness;
} State;

static gpointer
read_state (ReelSampler *sampler, gint64 capacity, const ReelTensordict *state, GError **error)
{
  const ReelTensor *version =
      reel_state_get (state, "consumer_version", REEL_DTYPE_INT64, 0, error);
  const ReelTensor *most =
      version ? reel_state_get (state, "max_staleness", REEL_DTYPE_INT64, 0, error) : NULL;

  State *said;

  if (!most)
    return NULL;
  said = g_new (State, 1);
  said->consumer_version = *(const gint64 *) version->data;
  said->max_staleness = MAX (*(const gint64 *) most->data, -1);
  return said;
}

static void
take_state (ReelSampler *sampler, ReelStorage *storage, gpointer said)
{
  const State *state = said;

  get_self (sampler)->consumer_version = state->consumer_version;
  get_self (sampler)->max_staleness = state->max_staleness;
}

static void
finalize (GObject *object)
{
  g_free (get_self (object)->picked);
  G_OBJECT_CLASS (reel_staleness_aware_sampler_parent_class)->finalize (object);
}

static void
reel_staleness_aware_sampler_class_init (ReelStalenessAwareSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "staleness-aware", NULL, "rows of newer policies more often than those of older ones" },
    { "StalenessAwareSampler", NULL, "rows by the age of their policy, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  reel_object_class_add_int64 (
      object_class, "max-staleness", G_STRUCT_OFFSET (Self, max_staleness), -1, G_MAXINT64, -1,
      "versions", "rows that are older are never drawn; -1: any age", REEL_PROPERTY_MUTABLE);
  reel_object_class_add_int64 (object_class, "consumer-version",
                               G_STRUCT_OFFSET (Self, consumer_version), G_MININT64, G_MAXINT64, 0,
                               NULL,
                               "version of the policy that learns; staleness is this less "
                               "that of the row",
                               REEL_PROPERTY_MUTABLE);
  reel_object_class_add_string (object_class, "version-key", G_STRUCT_OFFSET (Self, version_key),
                                "policy_version", "where a row has the version of its policy",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  sampler_class->peer_name = "StalenessAwareSampler";
  sampler_class->bind = bind;
  sampler_class->list_info = list_info;
  sampler_class->sample = sample;
  sampler_class->stream = G_STRUCT_OFFSET (ReelStalenessAwareSampler, n_calls);
  sampler_class->empty = empty;
  sampler_class->to_string = to_string;
  sampler_class->state_form = "staleness-aware";
  sampler_class->dup_state = dup_state;
  sampler_class->read_state = read_state;
  sampler_class->take_state = take_state;
  sampler_class->free_state = g_free;
}

static void
reel_staleness_aware_sampler_init (ReelStalenessAwareSampler *self)
{
}
