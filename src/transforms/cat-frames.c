/* Each step sees the frames before it too, joined along a dimension. */
#include "cat-frames.h"
#include "compose.h"
#include "exclude-transform.h"
#include "frame-stack.h"
#include "frame-windows.h"
#include "transform-private.h"

#include "../core/tensordict/shape.h"
#include "../core/tensor/tensor-private.h"
#include "../specs/kinds/bounded-spec.h"

#include <string.h>

struct _ReelCatFrames
{
  ReelTransform parent_instance;

  gint64 n;
  gint64 dim;
  gint padding;
  double padding_value;
  gboolean as_inverse;
  char *done_key;
  gboolean future;
  char *mask_key;
  char *trajectory_key;
  gboolean keep_last;
};

G_DECLARE_FINAL_TYPE (ReelCatFrames, reel_cat_frames, REEL, CAT_FRAMES, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelCatFrames, reel_cat_frames, REEL_TYPE_TRANSFORM)

enum
{
  PADDING_SAME,
  PADDING_CONSTANT,
};

static const char *const paddings[] = { "same", "constant", NULL };

/* A batch [*outer, T, *inner] and where its trajectories are. */
typedef struct
{
  gint64 size[REEL_MAX_NDIM];
  ReelFrameWindows windows;
  gint64 numel;
  guint8 *breaks; /* whether what follows a step in its lane is of another trajectory */
} Steps;

static void
steps_clear (Steps *steps)
{
  g_free (steps->windows.edges);
  g_free (steps->windows.rows);
  g_free (steps->breaks);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Steps, steps_clear)

/* ---- where trajectories end ---- */

/* One value a step, in a row. */
static ReelTensor *
get_marks (const Steps *steps, const ReelTensordict *td, const char *path, ReelDtype dtype,
           GError **error)
{
  g_autoptr (ReelTensor) given = reel_tensordict_ref_tensor (td, path, error);

  if (!given)
    return NULL;
  if (given->dtype != dtype)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is of dtype %s, not %s", path,
                   reel_dtype_name (given->dtype), reel_dtype_name (dtype));
      return NULL;
    }
  if (reel_tensor_numel (given) == steps->numel)
    return reel_tensor_in_order (given, error);
  g_autofree char *shape = reel_shape_to_string (given->ndim, given->shape);
  g_autofree char *batch = reel_shape_to_string (steps->windows.ndim, steps->size);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cat-frames takes one \"%s\" a step of the batch %s, not %s", path, batch, shape);
  return NULL;
}

/* A flag behind which another trajectory begins. In the future each lane may be one. */
static gboolean
break_at_flags (ReelCatFrames *self, Steps *steps, const ReelTensordict *td, GError **error)
{
  g_autofree char *path = g_strconcat ("next/", self->done_key, NULL);
  g_autoptr (ReelTensor) done = NULL;

  if (!reel_tensordict_contains (td, path))
    {
      if (self->future)
        return TRUE;
      g_set_error (
          error, REEL_ERROR, REEL_ERROR_KEY,
          "CatFrames.unfolding requires the \"%s\" entry to delimit trajectories, which is "
          "not there",
          path);
      return FALSE;
    }
  done = get_marks (steps, td, path, REEL_DTYPE_BOOL, error);
  if (!done)
    return FALSE;
  for (gint64 i = 0; i < steps->numel; i++)
    steps->breaks[i] |= done->data[i];
  return TRUE;
}

static gboolean
break_at_ids (ReelCatFrames *self, Steps *steps, const ReelTensordict *td, GError **error)
{
  gint64 inner = steps->windows.inner, length = steps->windows.steps;
  g_autoptr (ReelTensor) ids = NULL;

  if (!self->trajectory_key || !reel_tensordict_contains (td, self->trajectory_key))
    return TRUE;
  ids = get_marks (steps, td, self->trajectory_key, REEL_DTYPE_INT64, error);
  if (!ids)
    return FALSE;
  for (gint64 i = 0; i < steps->numel; i++)
    if (i / inner % length < length - 1
        && ((gint64 *) ids->data)[i] != ((gint64 *) ids->data)[i + inner])
      steps->breaks[i] = TRUE;
  return TRUE;
}

/* Rows of a buffer follow one another at one distance, the number of its lanes, up to a flag, which
 * a slice ends with. A row that comes again is padding. Rows drawn one by one make no stacks;
 * ids that differ by chance would hide it. */
static gboolean
check_rows (const Steps *steps, const ReelTensordict *td, GError **error)
{
  gint64 inner = steps->windows.inner, length = steps->windows.steps, apart = 0;
  g_autoptr (ReelTensor) given = NULL;
  const gint64 *rows;

  if (!reel_tensordict_contains (td, REEL_ROW_NUMBERS))
    return TRUE;
  given = get_marks (steps, td, REEL_ROW_NUMBERS, REEL_DTYPE_INT64, error);
  if (!given)
    return FALSE;
  rows = (const gint64 *) given->data;
  for (gint64 i = 0; i < steps->numel; i++)
    {
      gint64 by;

      if (i / inner % length == length - 1 || steps->breaks[i] || rows[i] == rows[i + inner])
        continue;
      by = rows[i + inner] - rows[i];
      apart = apart ? apart : by;
      if (by > 0 && by == apart)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cat-frames: row %" G_GINT64_FORMAT " of the buffer comes after row "
                   "%" G_GINT64_FORMAT " in the batch, with no end of a trajectory between them; "
                   "stacks are made of steps in the order of time, so sample slices "
                   "(slice:slice-len=%" G_GINT64_FORMAT ")",
                   rows[i + inner], rows[i], steps->windows.n);
      return FALSE;
    }
  return TRUE;
}

static void
find_time (Steps *steps, const ReelTensordict *td)
{
  ReelFrameWindows *windows = &steps->windows;
  gint time = 0;

  while (time < windows->ndim - 1 && g_strcmp0 (reel_tensordict_get_name (td, time), "time") != 0)
    time++;
  windows->steps = steps->size[time];
  windows->outer = windows->inner = 1;
  for (gint i = 0; i < windows->ndim; i++)
    {
      windows->outer *= i < time ? steps->size[i] : 1;
      windows->inner *= i > time ? steps->size[i] : 1;
    }
  steps->numel = windows->outer * windows->steps * windows->inner;
}

static gboolean
find_steps (ReelCatFrames *self, const ReelTensordict *td, Steps *steps, GError **error)
{
  gint ndim;

  memcpy (steps->size, reel_tensordict_get_batch_size (td, &ndim), sizeof steps->size);
  if (ndim == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "CatFrames cannot process unbatched tensordict instances: one dimension "
                           "is that of time, named \"time\" or the last one");
      return FALSE;
    }
  steps->windows = (ReelFrameWindows){ .n = self->n,
                                       .future = self->future,
                                       .same = self->padding == PADDING_SAME,
                                       .value = self->padding_value,
                                       .ndim = ndim };
  find_time (steps, td);
  steps->breaks = g_new0 (guint8, steps->numel + 1);
  steps->windows.edges = g_new (gint64, steps->numel + 1);
  if (!break_at_flags (self, steps, td, error) || !check_rows (steps, td, error)
      || !break_at_ids (self, steps, td, error))
    return FALSE;
  reel_frame_windows_find_edges (&steps->windows, steps->breaks);
  return TRUE;
}

/* ---- windows ---- */

static const char *
below_next (const char *key)
{
  return g_str_has_prefix (key, "next/") ? key + 5 : NULL;
}

/* The frames at @key, in a row. */
static ReelTensor *
get_frames (ReelCatFrames *self, const Steps *steps, const ReelTensordict *td, const char *key,
            gint *dim, GError **error)
{
  g_autoptr (ReelTensor) value = reel_tensordict_ref_tensor (td, key, error);

  if (!value)
    return NULL;
  *dim = (gint) (value->ndim + self->dim);
  if (*dim >= steps->windows.ndim)
    return reel_tensor_in_order (value, error);
  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cat-frames: dimension %" G_GINT64_FORMAT " of \"%s\", of shape %s, is not one of a "
               "frame: the first %d are those of the batch",
               self->dim, key, shape, steps->windows.ndim);
  return NULL;
}

static ReelTensor *
stack (ReelCatFrames *self, const Steps *steps, const ReelTensordict *td, const char *key,
       GError **error)
{
  const char *const *in = reel_transform_get_in_keys (REEL_TRANSFORM (self));
  const char *root = below_next (key);
  g_autoptr (ReelTensor) before = NULL, frames = NULL;
  gint dim, other;

  if (root && g_strv_contains (in, root))
    {
      if (self->future)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "CatFrames(future=True) does not support processing \"%s\" alongside its "
                       "root counterpart",
                       key);
          return NULL;
        }
      before = get_frames (self, steps, td, root, &other, error);
      if (!before)
        return NULL;
    }
  frames = get_frames (self, steps, td, key, &dim, error);
  if (!frames)
    return NULL;
  if (before
      && (before->dtype != frames->dtype || before->ndim != frames->ndim
          || memcmp (before->shape, frames->shape, sizeof *before->shape * (gsize) frames->ndim)))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cat-frames: \"%s\" and \"%s\" differ in dtype or shape", root, key);
      return NULL;
    }
  return reel_frame_windows_stack (&steps->windows, frames, before, dim, error);
}

static gboolean
make_stacks (ReelCatFrames *self, const Steps *steps, const ReelTensordict *td, GPtrArray *stacks,
             GError **error)
{
  const char *const *in = reel_transform_get_in_keys (REEL_TRANSFORM (self));

  for (; *in; in++)
    {
      ReelTensor *made = stack (self, steps, td, *in, error);

      if (!made)
        return FALSE;
      g_ptr_array_add (stacks, made);
    }
  return TRUE;
}

static gboolean
set_stacks (ReelCatFrames *self, const GPtrArray *stacks, ReelTensordict *td, GError **error)
{
  const char *const *out = reel_transform_get_out_keys (REEL_TRANSFORM (self));

  for (guint i = 0; i < stacks->len; i++)
    if (!reel_tensordict_set_tensor (td, out[i], stacks->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
set_mask (ReelCatFrames *self, const Steps *steps, ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensor) mask = NULL;

  if (!self->mask_key)
    return TRUE;
  mask = reel_frame_windows_mask (&steps->windows, steps->size, error);
  return mask && reel_tensordict_set_tensor (td, self->mask_key, mask, error);
}

/* The last row of each trajectory, or piece of one. */
static gboolean
choose_last (Steps *steps, GError **error)
{
  ReelFrameWindows *windows = &steps->windows;

  if (windows->ndim != 1)
    {
      g_autofree char *batch = reel_shape_to_string (windows->ndim, steps->size);

      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cat-frames: the last of each slice is kept of slices one behind the other, "
                   "[rows], not of a batch %s",
                   batch);
      return FALSE;
    }
  windows->rows = g_new (gint64, steps->numel + 1);
  for (gint64 i = 0; i < steps->numel; i++)
    if (steps->breaks[i] || i == steps->numel - 1)
      windows->rows[windows->n_rows++] = i;
  return TRUE;
}

/* All stacks are made before one is set: out-keys may be in-keys. */
static ReelTensordict *
unfold (ReelCatFrames *self, ReelTensordict *td, GError **error)
{
  g_auto (Steps) steps = { 0 };
  g_autoptr (GPtrArray) stacks =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  g_autoptr (ReelTensordict) result = NULL;

  if (!find_steps (self, td, &steps, error) || (self->keep_last && !choose_last (&steps, error))
      || !make_stacks (self, &steps, td, stacks, error))
    return NULL;
  result = self->keep_last ? reel_tensordict_gather_rows (td, steps.windows.rows,
                                                          (gsize) steps.windows.n_rows, error)
                           : reel_tensordict_ref (td);
  if (!result || !set_stacks (self, stacks, result, error)
      || !set_mask (self, &steps, result, error))
    return NULL;
  return g_steal_pointer (&result);
}

/* ---- the class ---- */

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelCatFrames *self = REEL_CAT_FRAMES (transform);

  return self->as_inverse ? reel_tensordict_ref (td) : unfold (self, td, error);
}

static gboolean
inverse (ReelTransform *transform, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  ReelCatFrames *self = REEL_CAT_FRAMES (transform);

  *result = self->as_inverse ? unfold (self, td, error) : reel_tensordict_ref (td);
  return *result != NULL;
}

static gboolean
changes_writes (ReelTransform *transform)
{
  return REEL_CAT_FRAMES (transform)->as_inverse;
}

static gboolean
wants_rows (ReelTransform *transform)
{
  return !REEL_CAT_FRAMES (transform)->as_inverse;
}

static gint64
get_demand (ReelTransform *transform)
{
  ReelCatFrames *self = REEL_CAT_FRAMES (transform);

  return self->keep_last ? self->n : 1;
}

/* ---- for rows of a buffer ---- */

/* with_next: @keys, and each below `next`. */
static GStrv
with_next (const char *const *keys)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (gsize i = 0; keys[i]; i++)
    {
      g_autofree char *next = g_strconcat ("next/", keys[i], NULL);

      g_strv_builder_add_many (builder, keys[i], next, NULL);
    }
  return g_strv_builder_end (builder);
}

/* leave_out: what is written lacks the stacks among @out; a key of frames stays. */
static gboolean
leave_out (ReelCompose *chain, GStrv in, GStrv out, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (ReelTransform) exclude = NULL;
  g_auto (GStrv) keys = NULL;

  for (gsize i = 0; out[i]; i++)
    if (!g_strv_contains ((const char *const *) in, out[i]))
      g_strv_builder_add (builder, out[i]);
  keys = g_strv_builder_end (builder);
  if (!*keys)
    return TRUE;
  exclude = reel_exclude_transform_new_inverse ((const char *const *) keys, error);
  return exclude && reel_compose_append (chain, exclude, error);
}

/* check_past: whether stacks are of frames that came before, and made on read. */
static gboolean
check_past (ReelCatFrames *self, GError **error)
{
  if (!self->future && !self->as_inverse && !self->keep_last)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cat-frames: a buffer stacks frames as an env does, without %s",
               self->future       ? "future"
               : self->as_inverse ? "as-inverse"
                                  : "keep-last");
  return FALSE;
}

ReelTransform *
reel_cat_frames_new_for_rows (ReelTransform *transform, gint64 *n, GError **error)
{
  g_autoptr (ReelTransform) stacks = NULL;
  g_autoptr (ReelCompose) chain = reel_compose_new ();
  g_auto (GStrv) in = NULL, out = NULL;

  if (!REEL_IS_CAT_FRAMES (transform))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s is not a cat-frames",
                   reel_object_get_id (REEL_OBJECT (transform)));
      return NULL;
    }
  if (!check_past (REEL_CAT_FRAMES (transform), error))
    return NULL;
  stacks = reel_transform_clone (transform, error);
  if (!stacks)
    return NULL;
  in = with_next (reel_transform_get_in_keys (transform));
  out = with_next (reel_transform_get_out_keys (transform));
  reel_transform_set_keys (stacks, (const char *const *) in, (const char *const *) out);
  REEL_CAT_FRAMES (stacks)->keep_last = TRUE;
  *n = REEL_CAT_FRAMES (stacks)->n;
  if (!reel_compose_append (chain, stacks, error) || !leave_out (chain, in, out, error))
    return NULL;
  return REEL_TRANSFORM (g_steal_pointer (&chain));
}

/* ---- in an env ---- */

/* As many copies as a window has frames. */
static ReelTensor *
repeat (ReelCatFrames *self, ReelTensor *frame, GError **error)
{
  g_autofree ReelTensor **copies = g_new (ReelTensor *, self->n);

  for (gint64 i = 0; i < self->n; i++)
    copies[i] = frame;
  return reel_tensor_cat (copies, (gsize) self->n, (gint) self->dim, error);
}

static ReelSpec *
apply_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelCatFrames *self = REEL_CAT_FRAMES (transform);
  g_autoptr (ReelTensor) low = NULL, high = NULL;
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  if (spec->kind != &reel_bounded_spec_kind)
    {
      low = reel_tensor_new (reel_spec_get_dtype (spec), ndim, shape, error);
      high = low ? repeat (self, low, error) : NULL;
      return high ? reel_unbounded_spec_new (high->dtype, high->ndim, high->shape, error) : NULL;
    }
  low = repeat (self, spec->parameters[REEL_SPEC_LOW], error);
  high = low ? repeat (self, spec->parameters[REEL_SPEC_HIGH], error) : NULL;
  return high ? reel_bounded_spec_new_from_tensors (low, high, high->dtype, high->ndim, high->shape,
                                                    error)
              : NULL;
}

/* check_env: whether frames before a step are all that is asked for. */
static gboolean
check_env (ReelCatFrames *self, GError **error)
{
  if (self->as_inverse)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "CatFrames as inverse is not supported as a transform for environments, "
                         "only for replay buffers.");
  else if (self->future || self->keep_last || self->mask_key)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "cat-frames: %s serves data that are stored, not an environment",
                 self->future      ? "future"
                 : self->keep_last ? "keep-last"
                                   : "mask-key");
  else
    return TRUE;
  return FALSE;
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  return check_env (REEL_CAT_FRAMES (transform), error)
             ? REEL_TRANSFORM_CLASS (reel_cat_frames_parent_class)
                   ->env_spec (transform, spec, error)
             : NULL;
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelCatFrames *self = REEL_CAT_FRAMES (transform);
  const char *const *in = reel_transform_get_in_keys (transform);
  const char *const *out = reel_transform_get_out_keys (transform);
  const ReelFrameStack stack = { self->n, self->dim, self->padding == PADDING_SAME,
                                 self->padding_value };

  if (!check_env (self, error))
    return FALSE;
  for (gsize i = 0; in[i]; i++)
    if (!reel_frame_stack_bind (&stack, plan, in[i], out[i], error))
      return FALSE;
  return TRUE;
}

static char *
to_string (ReelTransform *transform)
{
  ReelCatFrames *self = REEL_CAT_FRAMES (transform);
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));

  return g_strdup_printf ("CatFrames(N=%" G_GINT64_FORMAT ", dim=%" G_GINT64_FORMAT ", keys=%s)",
                          self->n, self->dim, keys);
}

static gboolean
check_arguments (ReelCatFrames *self, GError **error)
{
  if (self->n == 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "cat-frames needs to know how many: cat-frames:n=4,dim=-3");
  else if (self->dim >= 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "dim must be < 0 to accommodate for tensordict of different batch-sizes "
                         "(since negative dims are batch invariant).");
  else if (self->keep_last && (self->as_inverse || self->future))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "keep-last is for reading, and for frames of the past: the last of a "
                         "slice has no frames after it");
  else
    return TRUE;
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelCatFrames *self = REEL_CAT_FRAMES (object);
  const char *const keys[] = { self->done_key, self->trajectory_key ? self->trajectory_key : "x",
                               self->mask_key, NULL };

  if (!check_arguments (self, error) || !reel_key_check_all (keys, error))
    return FALSE;
  reel_transform_default_to_pixels (REEL_TRANSFORM (self));
  return REEL_OBJECT_CLASS (reel_cat_frames_parent_class)->build (object, error);
}

static void
add_key_properties (ReelObjectClass *klass)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_string (klass, "done-key", G_STRUCT_OFFSET (ReelCatFrames, done_key),
                                "done", "key below next of the flag that ends a trajectory", fixed);
  reel_object_class_add_string (
      klass, "trajectory-key", G_STRUCT_OFFSET (ReelCatFrames, trajectory_key),
      "collector/traj_ids", "key of ids, where there are any; a trajectory ends where they change",
      fixed);
  reel_object_class_add_string (
      klass, "mask-key", G_STRUCT_OFFSET (ReelCatFrames, mask_key), NULL,
      "where to say which frames of each window are padding, True for those; nowhere by default",
      fixed);
}

static void
add_properties (ReelObjectClass *klass)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_int64 (klass, "n", G_STRUCT_OFFSET (ReelCatFrames, n), 0, G_MAXINT32, 0,
                               "frames", "frames of a window; to be given", fixed);
  reel_object_class_add_int64 (
      klass, "dim", G_STRUCT_OFFSET (ReelCatFrames, dim), -REEL_MAX_NDIM, REEL_MAX_NDIM, -3, NULL,
      "the dimension of a frame to join along, counted from the end", fixed);
  reel_object_class_add_enum (
      klass, "padding", G_STRUCT_OFFSET (ReelCatFrames, padding), paddings, PADDING_SAME,
      "frames before a trajectory: its first frame, or padding-value", fixed);
  reel_object_class_add_double (
      klass, "padding-value", G_STRUCT_OFFSET (ReelCatFrames, padding_value), -G_MAXDOUBLE,
      G_MAXDOUBLE, 0, NULL, "value of frames that padding=constant adds", fixed);
  reel_object_class_add_bool (klass, "as-inverse", G_STRUCT_OFFSET (ReelCatFrames, as_inverse),
                              FALSE, "whether on write instead of on read", fixed);
  reel_object_class_add_bool (klass, "future", G_STRUCT_OFFSET (ReelCatFrames, future), FALSE,
                              "whether a step sees the frames that follow it, not those before",
                              fixed);
  reel_object_class_add_bool (
      klass, "keep-last", G_STRUCT_OFFSET (ReelCatFrames, keep_last), FALSE,
      "whether to keep the last row of each slice alone, of slices of n rows: as many are drawn",
      fixed);
}

static void
reel_cat_frames_class_init (ReelCatFramesClass *klass)
{
  static const ReelId ids[] = {
    { "cat-frames", NULL, "each step sees the frames before it too" },
    { "CatFrames", NULL, "each step sees the frames before it too, by TorchRL's name" },
    { NULL },
  };
  static const ReelAlias aliases[] = { { "N", "n" }, { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  object_class->aliases = aliases;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  add_properties (object_class);
  add_key_properties (object_class);
  transform_class->peer_name = "CatFrames";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->changes_writes = changes_writes;
  transform_class->wants_rows = wants_rows;
  transform_class->get_demand = get_demand;
  transform_class->env_spec = env_spec;
  transform_class->apply_spec = apply_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
}

static void
reel_cat_frames_init (ReelCatFrames *self)
{
}
