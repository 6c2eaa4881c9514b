/* Rebuilds the next observation of stored rows from the row behind. */
#include "transform-private.h"

#include "../core/tensor/tensor-private.h"

#include <math.h>
#include <string.h>

struct _ReelNextState
{
  ReelTransform parent_instance;

  GStrv keys;
  char *traj_key;
  char *done_key;
  char *step_count_key;
  GArray *fill_value;
  gboolean strict;
};

G_DECLARE_FINAL_TYPE (ReelNextState, reel_next_state, REEL, NEXT_STATE, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelNextState, reel_next_state, REEL_TYPE_TRANSFORM)

/* ---- rows that follow one another ---- */

/* Whether the row at @i + 1 follows the one at @i, by their marks. */
typedef gboolean (*FollowsFunc) (ReelDtype dtype, const guint8 *mark, const guint8 *next);

static gboolean
is_same (ReelDtype dtype, const guint8 *mark, const guint8 *next)
{
  return reel_dtype_is_float (dtype)
             ? reel_dtype_load_double (dtype, mark) == reel_dtype_load_double (dtype, next)
             : memcmp (mark, next, reel_dtype_size (dtype)) == 0;
}

static gboolean
goes_on (ReelDtype dtype, const guint8 *mark, const guint8 *next)
{
  return reel_dtype_load_double (dtype, mark) == 0;
}

static gboolean
is_one_more (ReelDtype dtype, const guint8 *mark, const guint8 *next)
{
  gint64 a, b;

  if (dtype != REEL_DTYPE_INT64)
    return reel_dtype_load_double (dtype, mark) + 1 == reel_dtype_load_double (dtype, next);
  memcpy (&a, mark, sizeof a);
  memcpy (&b, next, sizeof b);
  return a < G_MAXINT64 && a + 1 == b;
}

/* The first mark of each row is compared. */
static gboolean
compare_marks (ReelNextState *self, const ReelTensordict *td, const char *key, const char *kind,
               FollowsFunc follows, guint8 *valid, GError **error)
{
  g_autoptr (ReelTensor) given = NULL, marks = NULL;
  gint64 rows, stride;

  if (!key || (!self->strict && !reel_tensordict_contains (td, key)))
    return TRUE;
  if (!reel_tensordict_contains (td, key))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "next-state: the %s \"%s\" is not among the rows; name another, '' for none, "
                   "or strict=false to do without it",
                   kind, key);
      return FALSE;
    }
  given = reel_tensordict_ref_tensor (td, key, error);
  marks = given ? reel_tensor_contiguous (given, error) : NULL;
  if (!marks)
    return FALSE;
  if (reel_dtype_is_complex (marks->dtype) || reel_tensor_numel (marks) == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "next-state: the %s \"%s\" has no numbers to compare", kind, key);
      return FALSE;
    }
  rows = marks->shape[0];
  stride = reel_tensor_numel (marks) / rows * (gint64) reel_dtype_size (marks->dtype);
  for (gint64 i = 0; i + 1 < rows; i++)
    valid[i] &=
        (guint8) follows (marks->dtype, marks->data + i * stride, marks->data + (i + 1) * stride);
  return TRUE;
}

/* The last row has none behind it. */
static guint8 *
find_valid (ReelNextState *self, const ReelTensordict *td, gint64 rows, GError **error)
{
  g_autofree guint8 *valid = g_new (guint8, rows);

  memset (valid, 1, (gsize) rows);
  valid[rows - 1] = 0;
  return compare_marks (self, td, self->traj_key, "trajectory key", is_same, valid, error)
                 && compare_marks (self, td, self->done_key, "done key", goes_on, valid, error)
                 && compare_marks (self, td, self->step_count_key, "step-count key", is_one_more,
                                   valid, error)
             ? g_steal_pointer (&valid)
             : NULL;
}

/* ---- values ---- */

static double
get_fill (ReelNextState *self)
{
  return self->fill_value ? g_array_index (self->fill_value, double, 0) : NAN;
}

/* Runs of rows are copied at once; what is left is filled. */
static void
shift (const ReelTensor *from, const guint8 *valid, double fill, ReelTensor *to)
{
  gint64 rows = from->shape[0];
  gsize size = reel_dtype_size (from->dtype);
  gsize row = (gsize) (reel_tensor_numel (from) / rows) * size;
  guint8 element[REEL_MAX_ELEMENT_SIZE];

  reel_element_from_double (from->dtype, element, fill);
  for (gint64 i = 0, end; i < rows; i = end)
    {
      for (end = i + 1; end < rows && valid[end] == valid[i]; end++)
        ;
      if (valid[i])
        memcpy (to->data + (gsize) i * row, from->data + (gsize) (i + 1) * row,
                (gsize) (end - i) * row);
      else
        for (gsize at = (gsize) i * row; at < (gsize) end * row; at += size)
          memcpy (to->data + at, element, size);
    }
}

static gboolean
rebuild (ReelNextState *self, ReelTensordict *td, const char *key, const guint8 *valid,
         GError **error)
{
  g_autofree char *path = g_strconcat ("next/", key, NULL);
  g_autoptr (ReelTensor) given = reel_tensordict_ref_tensor (td, key, error);
  g_autoptr (ReelTensor) root = given ? reel_tensor_contiguous (given, error) : NULL;
  g_autoptr (ReelTensor) next = NULL;

  if (!root)
    return FALSE;
  if (!reel_dtype_is_float (root->dtype) && isnan (get_fill (self)))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "next-state: \"%s\" has the non-floating dtype %s, which has no NaN: give a "
                   "fill-value",
                   key, reel_dtype_name (root->dtype));
      return FALSE;
    }
  next = reel_tensor_new_unfilled (root->dtype, root->ndim, root->shape, error);
  if (!next)
    return FALSE;
  shift (root, valid, get_fill (self), next);
  return reel_tensordict_set_tensor (td, path, next, error);
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelNextState *self = REEL_NEXT_STATE (transform);
  g_autofree guint8 *valid = NULL;
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  if (ndim != 1)
    {
      g_autofree char *shape = reel_shape_to_string (ndim, size);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "next-state takes a flat batch of rows, not one of shape %s", shape);
      return NULL;
    }
  if (size[0] == 0)
    return reel_tensordict_ref (td);
  valid = find_valid (self, td, size[0], error);
  for (gsize i = 0; valid && self->keys[i]; i++)
    if (!rebuild (self, td, self->keys[i], valid, error))
      return NULL;
  return valid ? reel_tensordict_ref (td) : NULL;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "next-state rebuilds rows that are read from a buffer, not those of an "
                       "environment");
  return NULL;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  ReelNextState *self = REEL_NEXT_STATE (object);
  const char *const marks[] = { self->traj_key ? self->traj_key : "x",
                                self->done_key ? self->done_key : "x",
                                self->step_count_key ? self->step_count_key : "x", NULL };

  if (!self->keys)
    self->keys = g_strdupv ((char **) (const char *[]){ "observation", NULL });
  if (self->fill_value && self->fill_value->len > 1)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                           "next-state: fill-value is a single number, not a list");
      return FALSE;
    }
  return REEL_OBJECT_CLASS (reel_next_state_parent_class)->build (object, error)
         && reel_key_check_all ((const char *const *) self->keys, error)
         && reel_key_check_all (marks, error);
}

static void
add_properties (ReelObjectClass *klass)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_words (klass, "keys", G_STRUCT_OFFSET (ReelNextState, keys),
                               "keys to rebuild below next; by default observation", fixed);
  reel_object_class_add_string (klass, "traj-key", G_STRUCT_OFFSET (ReelNextState, traj_key),
                                "collector/traj_ids", "key of ids of trajectories; '' for none",
                                fixed);
  reel_object_class_add_string (klass, "done-key", G_STRUCT_OFFSET (ReelNextState, done_key),
                                "next/done", "key of the flag that ends a trajectory; '' for none",
                                fixed);
  reel_object_class_add_string (klass, "step-count-key",
                                G_STRUCT_OFFSET (ReelNextState, step_count_key), NULL,
                                "key of a count that grows by 1 with each step", fixed);
  reel_object_class_add_list (klass, "fill-value", G_STRUCT_OFFSET (ReelNextState, fill_value),
                              "value where no row follows, one number; by default NaN", fixed);
  reel_object_class_add_bool (klass, "strict", G_STRUCT_OFFSET (ReelNextState, strict), TRUE,
                              "whether to refuse rows without these keys", fixed);
}

static void
reel_next_state_class_init (ReelNextStateClass *klass)
{
  static const ReelId ids[] = {
    { "next-state", NULL, "rebuilds next observations from the rows behind" },
    { "NextStateReconstructor", NULL, "rebuilds next observations, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  add_properties (REEL_OBJECT_CLASS (klass));
  transform_class->peer_name = "NextStateReconstructor";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
}

static void
reel_next_state_init (ReelNextState *self)
{
}
