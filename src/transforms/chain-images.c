#include "chain-images.h"

#include <string.h>

#include "../core/tensor/memory.h"
#include "../core/tensor/tensor-private.h"
#include "image-pass.h"

/* ---- links ---- */

/* Whether the value at one key is not that of another. */
static gboolean
has_keys_apart (ReelTransform *link)
{
  const char *const *in = reel_transform_get_in_keys (link);
  const char *const *out = reel_transform_get_out_keys (link);

  for (gsize i = 0; out[i]; i++)
    for (gsize j = 0; j < i; j++)
      if (g_str_equal (out[i], out[j]) || g_str_equal (in[i], out[j]))
        return FALSE;
  return *in != NULL;
}

guint
reel_chain_count_image_links (ReelTransform *const *links, guint n)
{
  guint count = 0;

  for (; count < n && REEL_TRANSFORM_GET_CLASS (links[count])->join_pass; count++)
    {
      const char *const *in = reel_transform_get_in_keys (links[count]);

      if (count == 0 ? !has_keys_apart (links[0])
                     : !g_strv_equal (in, reel_transform_get_out_keys (links[count - 1]))
                           || !g_strv_equal (in, reel_transform_get_out_keys (links[count])))
        break;
    }
  return count;
}

/* ---- stored data ---- */

/* The number of links that can be joined for the value at each key; 0 where some are no tensors. */
static guint
count_joined (ReelTransform *const *links, guint n, const ReelTensordict *td)
{
  for (const char *const *in = reel_transform_get_in_keys (links[0]); *in && n > 0; in++)
    {
      const ReelTensor *value = reel_tensordict_get_tensor (td, *in, NULL);
      g_autoptr (ReelImagePass) pass = NULL;

      if (!value)
        return 0;
      pass = reel_image_pass_new (links, n, value->dtype, value->ndim, value->shape);
      n = reel_image_pass_get_n_joined (pass);
    }
  return n;
}

static gboolean
replace (ReelTransform *const *links, guint n, ReelTensordict *td, const char *in, const char *out,
         GError **error)
{
  g_autoptr (ReelTensor) value = reel_tensordict_ref_tensor (td, in, error), made = NULL;
  g_autoptr (ReelImagePass) pass = NULL;

  if (!value)
    return FALSE;
  pass = reel_image_pass_new (links, n, value->dtype, value->ndim, value->shape);
  made = reel_image_pass_run (pass, value, error);
  return made && reel_tensordict_set_tensor (td, out, made, error);
}

gboolean
reel_chain_forward_images (ReelTransform *const *links, guint n, ReelTensordict *td, guint *n_done,
                           GError **error)
{
  guint n_joined = reel_chain_count_image_links (links, n);
  const char *const *in, *const *out;

  *n_done = 0;
  n_joined = n_joined > 1 ? count_joined (links, n_joined, td) : 0;
  if (n_joined < 2)
    return TRUE;
  in = reel_transform_get_in_keys (links[0]);
  out = reel_transform_get_out_keys (links[0]);
  for (; *in; in++, out++)
    if (!replace (links, n_joined, td, *in, *out, error))
      return FALSE;
  *n_done = n_joined;
  return TRUE;
}

/* ---- in an env ---- */

typedef struct
{
  ReelLaneWork work;
  ReelImagePass *pass;
  guint from, to;
  ReelLaneLeaf in; /* without path */
  gsize row_bytes; /* of the result */
} Work;

static ReelTensor *
wrap_rows (const Work *self, guint8 *rows, gint64 n, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1] = { n };
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, rows, (gsize) n * self->in.row_bytes, NULL, NULL);

  memcpy (shape + 1, self->in.shape, (gsize) self->in.ndim * sizeof *shape);
  return reel_tensor_new_from_memory (memory, 0, self->in.dtype, self->in.ndim + 1, shape, NULL,
                                      error);
}

static void
run_lanes (const Work *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) rows = wrap_rows (
      self, columns[self->from] + (gsize) begin * self->in.row_bytes, end - begin, &error);
  g_autoptr (ReelTensor) made = rows ? reel_image_pass_run (self->pass, rows, &error) : NULL;
  g_autoptr (ReelTensor) ordered = made ? reel_tensor_in_order (made, &error) : NULL;

  if (ordered)
    memcpy (columns[self->to] + (gsize) begin * self->row_bytes, ordered->data,
            (gsize) (end - begin) * self->row_bytes);
  else
    reel_lane_plan_report (self->work.plan, begin, error->message);
}

static void
work_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  run_lanes ((const Work *) work, columns, begin, end);
}

/* Lanes that follow one another are transformed together. */
static void
work_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  for (gsize i = 0, j; i < n; i = j)
    {
      for (j = i + 1; j < n && lanes[j] == lanes[j - 1] + 1;)
        j++;
      run_lanes ((const Work *) work, columns, lanes[i], lanes[j - 1] + 1);
    }
}

static void
work_free (ReelLaneWork *work)
{
  reel_image_pass_free (((Work *) work)->pass);
  g_free (work);
}

static ReelImagePass *
plan_leaf (ReelTransform *const *links, guint n, const ReelLaneLeaf *leaf)
{
  gint64 shape[REEL_MAX_NDIM + 1] = { 1 };

  memcpy (shape + 1, leaf->shape, (gsize) leaf->ndim * sizeof *shape);
  return reel_image_pass_new (links, n, leaf->dtype,
                              leaf->ndim < REEL_MAX_NDIM ? leaf->ndim + 1 : 0, shape);
}

/* The number of links that can be joined for each key. */
static guint
count_bound (ReelTransform *const *links, guint n, const ReelLanePlan *plan)
{
  for (const char *const *in = reel_transform_get_in_keys (links[0]); *in && n > 0; in++)
    {
      gint leaf = reel_lane_plan_find (plan, *in);
      g_autoptr (ReelImagePass) pass = NULL;

      if (leaf < 0)
        return 0;
      pass = plan_leaf (links, n, reel_lane_plan_get_leaf (plan, (guint) leaf));
      n = reel_image_pass_get_n_joined (pass);
    }
  return n;
}

/* The form of the result is that of zeros. */
static gboolean
bind_key (ReelTransform *const *links, guint n, ReelLanePlan *plan, const char *in, const char *out,
          GError **error)
{
  guint from = (guint) reel_lane_plan_find (plan, in);
  ReelLaneLeaf leaf = *reel_lane_plan_get_leaf (plan, from);
  g_autofree guint8 *zeros = g_malloc0 (MAX (leaf.row_bytes, 1));
  Work *work = g_new0 (Work, 1);
  g_autoptr (ReelTensor) row = NULL, made = NULL;

  *work = (Work){
    .work = { .step = work_step, .free = work_free },
    .pass = plan_leaf (links, n, &leaf),
    .from = from,
    .in = leaf,
  };
  row = wrap_rows (work, zeros, 1, error);
  made = row ? reel_image_pass_run (work->pass, row, error) : NULL;
  if (!made)
    {
      work_free (&work->work);
      return FALSE;
    }
  if (leaf.role == REEL_LANE_OBSERVATION)
    work->work.reset = work_reset;
  work->to =
      reel_lane_plan_define (plan, out, leaf.role, made->dtype, made->ndim - 1, made->shape + 1);
  work->row_bytes = reel_lane_plan_get_leaf (plan, work->to)->row_bytes;
  return reel_lane_plan_add (plan, &work->work, 0, error);
}

gboolean
reel_chain_bind_images (ReelTransform *const *links, guint n, ReelLanePlan *plan, guint *n_bound,
                        GError **error)
{
  guint n_joined = reel_chain_count_image_links (links, n);
  const char *const *in, *const *out;

  *n_bound = 0;
  n_joined = n_joined > 1 ? count_bound (links, n_joined, plan) : 0;
  if (n_joined < 2)
    return TRUE;
  in = reel_transform_get_in_keys (links[0]);
  out = reel_transform_get_out_keys (links[0]);
  for (; *in; in++, out++)
    if (!bind_key (links, n_joined, plan, *in, *out, error))
      return FALSE;
  *n_bound = n_joined;
  return TRUE;
}
