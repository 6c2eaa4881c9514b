/* Works that serve many classes: a copy of rows, and `apply` of a range of lanes. */
#include "lane-plan.h"

#include <string.h>

#include "../core/tensor/memory.h"
#include "../core/tensor/tensor-private.h"

/* ---- a copy ---- */

typedef struct
{
  ReelLaneWork work;
  guint from, to;
  gsize row_bytes;
  gboolean at_resets;
} Copy;

static void
copy_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Copy *self = (const Copy *) work;
  gsize at = (gsize) begin * self->row_bytes;

  memcpy (columns[self->to] + at, columns[self->from] + at,
          (gsize) (end - begin) * self->row_bytes);
}

static void
copy_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Copy *self = (const Copy *) work;

  for (gsize i = 0; i < n; i++)
    memcpy (columns[self->to] + (gsize) lanes[i] * self->row_bytes,
            columns[self->from] + (gsize) lanes[i] * self->row_bytes, self->row_bytes);
}

static void
copy_free (ReelLaneWork *work)
{
  g_free (work);
}

gboolean
reel_lane_plan_add_copy (ReelLanePlan *self, guint from, guint to, GError **error)
{
  const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (self, from);
  Copy *copy = g_new0 (Copy, 1);

  *copy = (Copy){
    .work = { .step = copy_step, .free = copy_free },
    .from = from,
    .to = to,
    .row_bytes = leaf->row_bytes,
  };
  if (leaf->role == REEL_LANE_OBSERVATION)
    copy->work.reset = copy_reset;
  return reel_lane_plan_add (self, &copy->work, 0, error);
}

/* ---- apply ---- */

typedef struct
{
  ReelLaneWork work;
  ReelTransform *transform;
  ReelLaneApply apply;          /* or NULL */
  ReelLaneApplyFrom apply_from; /* then this one */
  guint from, to;
  ReelLaneLeaf in, out; /* without paths */
} Apply;

/* Of rows that begin with @lane. */
static ReelTensor *
make_rows (const Apply *self, ReelTensor *value, gint64 lane, GError **error)
{
  g_autoptr (ReelTensor) made = self->apply
                                    ? self->apply (self->transform, value, error)
                                    : self->apply_from (self->transform, value, lane, error);

  return made ? reel_tensor_in_order (made, error) : NULL;
}

static void
join_shape (gint64 n, const ReelLaneLeaf *leaf, gint64 *shape)
{
  shape[0] = n;
  memcpy (shape + 1, leaf->shape, (gsize) leaf->ndim * sizeof *shape);
}

/* The rows of @n lanes, which are not copied. */
static ReelTensor *
wrap_rows (const Apply *self, guint8 *rows, gint64 n, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];
  gsize bytes = (gsize) n * self->in.row_bytes;
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, rows, bytes, NULL, NULL);

  join_shape (n, &self->in, shape);
  return reel_tensor_new_from_memory (memory, 0, self->in.dtype, self->in.ndim + 1, shape, NULL,
                                      error);
}

/* The result for the rows of a tensor, which must have the form that was found at setup. */
static ReelTensor *
transform_rows (const Apply *self, ReelTensor *rows, gint64 lane, GError **error)
{
  g_autoptr (ReelTensor) made = make_rows (self, rows, lane, error);

  if (made && reel_tensor_nbytes (made) != (gsize) rows->shape[0] * self->out.row_bytes)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s made values of another size",
                   reel_object_get_id (REEL_OBJECT (self->transform)));
      return NULL;
    }
  return g_steal_pointer (&made);
}

static void
apply_run (const Apply *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) rows = wrap_rows (
      self, columns[self->from] + (gsize) begin * self->in.row_bytes, end - begin, &error);
  g_autoptr (ReelTensor) made = rows ? transform_rows (self, rows, begin, &error) : NULL;

  if (made)
    memcpy (columns[self->to] + (gsize) begin * self->out.row_bytes, made->data,
            reel_tensor_nbytes (made));
  else
    reel_lane_plan_report (self->work.plan, begin, error->message);
}

static void
apply_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  apply_run ((const Apply *) work, columns, begin, end);
}

/* Lanes that follow one another are transformed together. */
static void
apply_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  for (gsize i = 0, j; i < n; i = j)
    {
      for (j = i + 1; j < n && lanes[j] == lanes[j - 1] + 1;)
        j++;
      apply_run ((const Apply *) work, columns, lanes[i], lanes[j - 1] + 1);
    }
}

static void
apply_free (ReelLaneWork *work)
{
  g_object_unref (((Apply *) work)->transform);
  g_free (work);
}

/* The form of the result: that of zeros. */
static ReelTensor *
probe (const Apply *self, const char *key, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];
  g_autoptr (ReelTensor) zeros = NULL;
  ReelTensor *made;

  join_shape (1, &self->in, shape);
  zeros = reel_tensor_new (self->in.dtype, self->in.ndim + 1, shape, error);
  made = zeros ? make_rows (self, zeros, 0, error) : NULL;
  if (!made)
    g_prefix_error (error, "\"%s\": ", key);
  return made;
}

/* add: @how with the leaves of both keys. */
static gboolean
add (ReelLanePlan *self, const Apply *how, const char *in, const char *out, GError **error)
{
  gint from = reel_lane_plan_require (self, in, error);
  g_autoptr (ReelTensor) made = NULL;
  Apply draft = *how, *work;

  if (from < 0)
    return FALSE;
  draft.from = (guint) from;
  draft.in = *reel_lane_plan_get_leaf (self, (guint) from);
  made = probe (&draft, in, error);
  if (!made)
    return FALSE;
  draft.work = (ReelLaneWork){ .step = apply_step, .free = apply_free };
  if (draft.in.role == REEL_LANE_OBSERVATION)
    draft.work.reset = apply_reset;
  draft.to = reel_lane_plan_define (self, out, draft.in.role, made->dtype, made->ndim - 1,
                                    made->shape + 1);
  draft.out = *reel_lane_plan_get_leaf (self, draft.to);
  work = g_memdup2 (&draft, sizeof draft);
  g_object_ref (work->transform);
  return reel_lane_plan_add (self, &work->work, 0, error);
}

gboolean
reel_lane_plan_add_apply (ReelLanePlan *self, ReelTransform *transform, ReelLaneApply apply,
                          const char *in, const char *out, GError **error)
{
  return add (self, &(Apply){ .transform = transform, .apply = apply }, in, out, error);
}

gboolean
reel_lane_plan_add_apply_from (ReelLanePlan *self, ReelTransform *transform,
                               ReelLaneApplyFrom apply, const char *in, const char *out,
                               GError **error)
{
  return add (self, &(Apply){ .transform = transform, .apply_from = apply }, in, out, error);
}
