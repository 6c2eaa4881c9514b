#include "image-pass.h"

#include <string.h>

#include "../core/tensor/memory.h"
#include "../core/tensor/tensor-private.h"
#include "crop-window.h"
#include "image-layout.h"
#include "transform-private.h"

/* ---- what is joined ---- */

ReelImagePass *
reel_image_pass_new (ReelTransform *const *links, guint n, ReelDtype dtype, gint ndim,
                     const gint64 *shape)
{
  ReelImagePass *self = g_new0 (ReelImagePass, 1);

  *self = (ReelImagePass){
    .dtype = dtype,
    .ndim = ndim,
    .bytes = dtype == REEL_DTYPE_UINT8,
    .how = { .interpolation = REEL_BILINEAR, .sums = TRUE },
    .rest = g_ptr_array_new_with_free_func (g_object_unref),
  };
  memcpy (self->shape, shape, (gsize) ndim * sizeof *shape);
  if (ndim < 3 || !reel_isa_choose (&self->how.isa, NULL))
    return self;
  while (
      self->n_joined < n && !self->closed
      && REEL_TRANSFORM_GET_CLASS (links[self->n_joined])->join_pass (links[self->n_joined], self))
    self->n_joined++;
  self->how.w = self->shape[ndim - 2];
  self->how.h = self->shape[ndim - 1];
  return self;
}

void
reel_image_pass_free (ReelImagePass *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->rest);
  g_free (self);
}

guint
reel_image_pass_get_n_joined (const ReelImagePass *self)
{
  return self->n_joined;
}

/* Images of float32, and still of all dimensions. */
static gboolean
is_open (const ReelImagePass *self)
{
  return self->dtype == REEL_DTYPE_FLOAT32 && self->rest->len == 0;
}

gboolean
reel_image_pass_turn (ReelImagePass *self, gboolean divide)
{
  gint64 *last = self->shape + self->ndim - 3;
  const gint64 height = last[0], width = last[1], channels = last[2];

  if (self->n_joined > 0 || (!self->bytes && self->dtype != REEL_DTYPE_FLOAT32)
      || divide != self->bytes)
    return FALSE;
  last[0] = channels;
  last[1] = height;
  last[2] = width;
  self->turned = TRUE;
  self->how.unit = divide;
  self->dtype = REEL_DTYPE_FLOAT32;
  return TRUE;
}

gboolean
reel_image_pass_cut (ReelImagePass *self, gint64 top, gint64 left, gint64 rows, gint64 columns)
{
  gint64 *last = self->shape + self->ndim - 2;

  if (!is_open (self) || self->resized || rows < 1 || columns < 1 || top < 0 || left < 0
      || top + rows > last[0] || left + columns > last[1])
    return FALSE;
  self->top += top;
  self->left += left;
  self->rows = last[0] = rows;
  self->columns = last[1] = columns;
  self->cut = TRUE;
  return TRUE;
}

/* Of lines whose pixels have their elements side by side, or of the result. */
gboolean
reel_image_pass_make_gray (ReelImagePass *self, ReelTransform *transform)
{
  gint64 *channels = self->shape + self->ndim - 3;

  if (!is_open (self) || *channels != 3 || (!self->turned && !self->resized))
    return FALSE;
  if (self->resized)
    g_ptr_array_add (self->rest, g_object_ref (transform));
  else
    self->how.gray = TRUE;
  *channels = 1;
  return TRUE;
}

gboolean
reel_image_pass_resize (ReelImagePass *self, const ReelResizing *how)
{
  gint64 *last = self->shape + self->ndim - 2;

  if (last[0] == how->w && last[1] == how->h && is_open (self))
    return TRUE;
  if (!is_open (self) || self->resized || last[0] < 1 || last[1] < 1
      || last[1] > REEL_MOST_LINE / MAX (last[-1], 1)
      || (reel_resizing_picks (how) && !self->how.unit))
    return FALSE;
  self->how.interpolation = how->interpolation;
  self->how.antialias = how->antialias;
  last[0] = how->w;
  last[1] = how->h;
  self->resized = TRUE;
  return TRUE;
}

gboolean
reel_image_pass_add_dim (ReelImagePass *self, ReelTransform *transform, gint64 dim)
{
  if (self->n_joined == 0 || self->dtype != REEL_DTYPE_FLOAT32 || self->ndim == REEL_MAX_NDIM
      || dim >= 0 || -dim > self->ndim + 1)
    return FALSE;
  g_ptr_array_add (self->rest, g_object_ref (transform));
  self->closed = TRUE;
  return TRUE;
}

/* ---- what it does ---- */

/* A view of the pixels: channels first, and a window. */
static ReelTensor *
look_at (const ReelImagePass *self, ReelTensor *value, GError **error)
{
  g_autoptr (ReelTensor) ordered = self->turned ? reel_tensor_in_order (value, error) : NULL;
  g_autoptr (ReelTensor) turned = NULL;

  if (self->turned && !ordered)
    return NULL;
  turned = self->turned ? reel_tensor_put_channels_first (ordered, error) : reel_tensor_ref (value);
  return turned && self->cut
             ? reel_crop_window (turned, self->top, self->left, self->rows, self->columns, error)
             : g_steal_pointer (&turned);
}

ReelTensor *
reel_image_pass_run (const ReelImagePass *self, ReelTensor *value, GError **error)
{
  g_autoptr (ReelTensor) pixels = look_at (self, value, error);
  ReelTensor *made = pixels ? reel_image_resize (pixels, &self->how, error) : NULL;

  for (guint i = 0; made && i < self->rest->len; i++)
    {
      ReelTransform *each = self->rest->pdata[i];
      ReelTensor *next = REEL_TRANSFORM_GET_CLASS (each)->apply (each, made, error);

      reel_tensor_unref (made);
      made = next;
    }
  return made;
}

/* ---- chains ---- */

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
reel_image_pass_count_links (ReelTransform *const *links, guint n)
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
      n = pass->n_joined;
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
reel_image_pass_forward (ReelTransform *const *links, guint n, ReelTensordict *td, guint *n_done,
                         GError **error)
{
  guint n_joined = reel_image_pass_count_links (links, n);
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
      n = pass->n_joined;
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
reel_image_pass_bind (ReelTransform *const *links, guint n, ReelLanePlan *plan, guint *n_bound,
                      GError **error)
{
  guint n_joined = reel_image_pass_count_links (links, n);
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
