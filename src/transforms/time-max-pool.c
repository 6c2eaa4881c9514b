/* The largest values of the last frames of an episode. */
#include "lane-plan.h"
#include "transform-private.h"

#include <string.h>

struct _ReelTimeMaxPool
{
  ReelTransform parent_instance;

  gint64 n_frames;
};

G_DECLARE_FINAL_TYPE (ReelTimeMaxPool, reel_time_max_pool, REEL, TIME_MAX_POOL, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelTimeMaxPool, reel_time_max_pool, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "time-max-pool looks back at the steps of an environment, and stored rows "
                       "are not in their order; put it behind an environment");
  return NULL;
}

/* ---- in an env: a lane keeps its last frames in a ring, behind the number of its frames ---- */

typedef void (*PoolRow) (guint8 *largest, const guint8 *frame, gsize n);

typedef struct
{
  ReelLaneWork work;
  gint64 n_frames;
  guint from, to;
  PoolRow pool;
  gsize row_bytes, n_values;
} Pool;

/* NaN wins, as with torch.max(). */
#define DEFINE_POOL(name, type)                                                                    \
  static void name (guint8 *largest, const guint8 *frame, gsize n)                                 \
  {                                                                                                \
    type *most = (type *) (gpointer) largest;                                                      \
    const type *values = (const type *) (gconstpointer) frame;                                     \
                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                  \
      most[i] = values[i] > most[i] || values[i] != values[i] ? values[i] : most[i];               \
  }

DEFINE_POOL (pool_u8, guint8)
DEFINE_POOL (pool_i8, gint8)
DEFINE_POOL (pool_i16, gint16)
DEFINE_POOL (pool_i32, gint32)
DEFINE_POOL (pool_i64, gint64)
DEFINE_POOL (pool_f32, float)
DEFINE_POOL (pool_f64, double)

static PoolRow
choose_pool (ReelDtype dtype)
{
  switch (dtype)
    {
    case REEL_DTYPE_BOOL:
    case REEL_DTYPE_UINT8: return pool_u8;
    case REEL_DTYPE_INT8: return pool_i8;
    case REEL_DTYPE_INT16: return pool_i16;
    case REEL_DTYPE_INT32: return pool_i32;
    case REEL_DTYPE_INT64: return pool_i64;
    case REEL_DTYPE_FLOAT32: return pool_f32;
    case REEL_DTYPE_FLOAT64: return pool_f64;
    default: return NULL;
    }
}

static void
pool_lane (const Pool *self, guint8 *const *columns, gint64 lane)
{
  guint8 *state = self->work.state + (gsize) lane * self->work.state_bytes;
  guint8 *ring = state + sizeof (gint64);
  guint8 *out = columns[self->to] + (gsize) lane * self->row_bytes;
  const guint8 *in = columns[self->from] + (gsize) lane * self->row_bytes;
  gint64 n;

  memcpy (&n, state, sizeof n);
  memcpy (ring + (gsize) (n % self->n_frames) * self->row_bytes, in, self->row_bytes);
  n++;
  memcpy (state, &n, sizeof n);
  memcpy (out, ring, self->row_bytes);
  for (gint64 i = 1; i < MIN (n, self->n_frames); i++)
    self->pool (out, ring + (gsize) i * self->row_bytes, self->n_values);
}

static void
pool_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  for (gint64 lane = begin; lane < end; lane++)
    pool_lane ((const Pool *) work, columns, lane);
}

static void
pool_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      memset (work->state + (gsize) lanes[i] * work->state_bytes, 0, work->state_bytes);
      pool_lane ((const Pool *) work, columns, lanes[i]);
    }
}

static void
pool_free (ReelLaneWork *work)
{
  g_free (work);
}

static gboolean
measure (const ReelLaneLeaf *leaf, gint64 n_frames, gsize *bytes, GError **error)
{
  if (g_size_checked_mul (bytes, leaf->row_bytes, (gsize) n_frames)
      && g_size_checked_add (bytes, *bytes, sizeof (gint64) + 7))
    {
      *bytes &= ~(gsize) 7; /* states are aligned for any type */
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "there is no memory for %" G_GINT64_FORMAT " frames of \"%s\"", n_frames,
               leaf->path);
  return FALSE;
}

static gboolean
bind_pool (ReelTimeMaxPool *self, ReelLanePlan *plan, const char *in, const char *out,
           GError **error)
{
  gint from = reel_lane_plan_require (plan, in, error);
  ReelLaneLeaf leaf;
  gsize bytes;
  Pool *pool;

  if (from < 0)
    return FALSE;
  leaf = *reel_lane_plan_get_leaf (plan, (guint) from);
  if (leaf.role != REEL_LANE_OBSERVATION || !choose_pool (leaf.dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "time-max-pool takes observations of whole or real numbers, and \"%s\" is %s %s",
                   in, leaf.role == REEL_LANE_OBSERVATION ? "of dtype" : "no observation, of dtype",
                   reel_dtype_name (leaf.dtype));
      return FALSE;
    }
  if (!measure (&leaf, self->n_frames, &bytes, error))
    return FALSE;
  pool = g_new0 (Pool, 1);
  *pool = (Pool){
    .work = { .step = pool_step, .reset = pool_reset, .free = pool_free },
    .n_frames = self->n_frames,
    .from = (guint) from,
    .to =
        reel_lane_plan_define (plan, out, REEL_LANE_OBSERVATION, leaf.dtype, leaf.ndim, leaf.shape),
    .pool = choose_pool (leaf.dtype),
    .row_bytes = leaf.row_bytes,
    .n_values = leaf.row_bytes / reel_dtype_size (leaf.dtype),
  };
  return reel_lane_plan_add (plan, &pool->work, bytes, error);
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    if (!bind_pool (REEL_TIME_MAX_POOL (self), plan, in[i], out[i], error))
      return FALSE;
  return TRUE;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  reel_transform_default_to (REEL_TRANSFORM (object), "observation");
  return REEL_OBJECT_CLASS (reel_time_max_pool_parent_class)->build (object, error);
}

static void
reel_time_max_pool_class_init (ReelTimeMaxPoolClass *klass)
{
  static const ReelId ids[] = {
    { "time-max-pool", NULL, "the largest values of the last frames" },
    { "TimeMaxPool", NULL, "the largest values of the last frames, by TorchRL's name" },
    { NULL },
  };
  static const ReelAlias aliases[] = { { "T", "t" }, { NULL } };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->aliases = aliases;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  reel_object_class_add_int64 (
      REEL_OBJECT_CLASS (klass), "t", G_STRUCT_OFFSET (ReelTimeMaxPool, n_frames), 1, G_MAXINT32, 1,
      "frames", "how many, the newest among them", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "TimeMaxPool";
  transform_class->forward = forward;
  transform_class->bind = bind;
}

static void
reel_time_max_pool_init (ReelTimeMaxPool *self)
{
}
