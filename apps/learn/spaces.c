#include "spaces.h"

#include <math.h>
#include <string.h>

#define WIDEST 1e9 /* of a bound */

static gint64
count_numbers (const ReelSpec *spec)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);
  gint64 n = 1;

  for (gint i = 0; i < ndim; i++)
    n *= shape[i];
  return n;
}

/* ---- specs ---- */

/* Whether learners see a leaf. */
static gboolean
is_seen (const ReelSpec *spec, gboolean pixels)
{
  gint ndim;

  reel_spec_get_shape (spec, &ndim);
  return pixels ? reel_spec_get_dtype (spec) == REEL_DTYPE_UINT8 && ndim == 3
                : reel_dtype_is_float (reel_spec_get_dtype (spec));
}

static void
add_observation (Spaces *self, guint place, const char *key, const ReelSpec *spec)
{
  guint n = g_strv_length (self->keys);

  self->places[n] = place;
  self->dtypes[n] = reel_spec_get_dtype (spec);
  self->widths[n] = (gint) count_numbers (spec);
  self->n_inputs += self->widths[n];
  self->keys[n] = g_strdup (key);
}

static gboolean
check_observations (Spaces *self, gboolean pixels, GError **error)
{
  guint n = g_strv_length (self->keys);

  if (n == 0 && !pixels)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                         "cannot learn: the environment shows no floats; a chain such as "
                         "--transform dtype-cast makes some, and learn dqn --pixels sees pixels");
  else if (pixels && n != 1)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "cannot learn from pixels: the environment must show one image of bytes, "
                 "[planes, rows, columns], and it shows %u",
                 n);
  else
    return TRUE;
  return FALSE;
}

static gboolean
find_observations (Spaces *self, const ReelSpec *observation, gboolean pixels, GError **error)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (observation);
  guint n = g_strv_length (leaves);

  self->keys = g_new0 (char *, n + 1);
  self->places = g_new0 (guint, n);
  self->dtypes = g_new0 (ReelDtype, n);
  self->widths = g_new0 (gint, n);
  for (guint i = 0; i < n; i++)
    {
      const ReelSpec *spec = reel_spec_get (observation, leaves[i], NULL);
      gint ndim;

      if (!is_seen (spec, pixels))
        continue;
      add_observation (self, i, leaves[i], spec);
      for (gint k = 0; pixels && k < 3; k++)
        self->image[k] = (gint) reel_spec_get_shape (spec, &ndim)[k];
    }
  return check_observations (self, pixels, error);
}

/* The nearest values of the box to numbers beyond its bounds. */
static double *
find_bound (const ReelSpec *spec, gint n, double beyond, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);
  ReelDtype dtype = reel_spec_get_dtype (spec);
  gsize size = reel_dtype_size (dtype);
  g_autoptr (ReelTensor) values = reel_tensor_new (dtype, ndim, shape, error);
  g_autoptr (ReelTensor) nearest = NULL, whole = NULL;
  double *bound;

  if (!values)
    return NULL;
  for (gint i = 0; i < n; i++)
    reel_dtype_store_double (dtype, values->data + (gsize) i * size, beyond);
  nearest = reel_spec_project (spec, values, error);
  whole = nearest ? reel_tensor_contiguous (nearest, error) : NULL;
  if (!whole)
    return NULL;
  bound = g_new (double, n);
  for (gint i = 0; i < n; i++)
    bound[i] = reel_dtype_load_double (dtype, whole->data + (gsize) i * size);
  return bound;
}

static gboolean
find_box (Spaces *self, const ReelSpec *spec, GError **error)
{
  g_autofree double *low = NULL, *high = NULL;

  self->n_actions = (gint) count_numbers (spec);
  if (!(low = find_bound (spec, self->n_actions, -2 * WIDEST, error))
      || !(high = find_bound (spec, self->n_actions, 2 * WIDEST, error)))
    return FALSE;
  self->middle = g_new (double, self->n_actions);
  self->half = g_new (double, self->n_actions);
  for (gint i = 0; i < self->n_actions; i++)
    {
      self->middle[i] = (low[i] + high[i]) / 2;
      self->half[i] = (high[i] - low[i]) / 2;
      if (low[i] > -WIDEST && high[i] < WIDEST && self->half[i] > 0)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "cannot learn: number %d of \"%s\" has no bounds", i, self->action);
      return FALSE;
    }
  return TRUE;
}

static gboolean
find_action (Spaces *self, const ReelSpec *action, GError **error)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (action);
  guint n = g_strv_length (leaves);
  const ReelSpec *spec = n == 1 ? reel_spec_get (action, leaves[0], NULL) : NULL;

  if (spec)
    {
      self->action = g_strdup (leaves[0]);
      self->action_dtype = reel_spec_get_dtype (spec);
      if (reel_dtype_is_float (self->action_dtype))
        return find_box (self, spec, error);
      self->n_classes = reel_spec_get_n (spec);
      self->one_hot = count_numbers (spec) == self->n_classes;
      if (self->n_classes > 1 && (self->one_hot || count_numbers (spec) == 1))
        return TRUE;
    }
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "cannot learn: the action must be one class or one box of floats");
  return FALSE;
}

/* The observation beside the action whose key ends in `_mask`, as the policies of the library have
 * it. */
static gboolean
find_mask (Spaces *self, const ReelSpec *observation, GError **error)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (observation);
  g_autofree char *key = g_strconcat (self->action, "_mask", NULL);
  const ReelSpec *spec;

  while (leaves[self->mask_place] && !g_str_equal (leaves[self->mask_place], key))
    self->mask_place++;
  if (!leaves[self->mask_place])
    return TRUE;
  spec = reel_spec_get (observation, key, NULL);
  if (self->n_classes > 0 && reel_spec_get_dtype (spec) == REEL_DTYPE_BOOL
      && count_numbers (spec) == self->n_classes)
    {
      self->mask = g_steal_pointer (&key);
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "cannot learn: \"%s\" must be a bool for each class of \"%s\"", key, self->action);
  return FALSE;
}

gboolean
spaces_init (Spaces *self, ReelEnv *env, gboolean pixels, GError **error)
{
  if (reel_env_get_n_groups (env) > 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                           "cannot learn: environments of several agents are unsupported");
      return FALSE;
    }
  return find_observations (self, reel_env_get_observation_spec (env), pixels, error)
         && find_action (self, reel_env_get_action_spec (env), error)
         && find_mask (self, reel_env_get_observation_spec (env), error);
}

void
spaces_clear (Spaces *self)
{
  g_strfreev (self->keys);
  g_free (self->places);
  g_free (self->dtypes);
  g_free (self->widths);
  g_free (self->action);
  g_free (self->mask);
  g_free (self->middle);
  g_free (self->half);
  *self = (Spaces){ 0 };
}

/* ---- lanes ---- */

static void
read_numbers (ReelDtype dtype, const guint8 *from, gint64 n, float *to)
{
  gsize size = reel_dtype_size (dtype);

  if (dtype == REEL_DTYPE_FLOAT32)
    memcpy (to, from, (gsize) n * sizeof (float));
  else if (dtype == REEL_DTYPE_UINT8)
    for (gint64 i = 0; i < n; i++)
      to[i] = from[i];
  else
    for (gint64 i = 0; i < n; i++)
      to[i] = (float) reel_dtype_load_double (dtype, from + (gsize) i * size);
}

/* Pixels become numbers between 0 and 1, how dark they are: the classic environments are drawn on
 * white, and a background of 0 leaves the layers to what is drawn. */
static void
scale_pixels (const Spaces *self, gint64 n_rows, float *to)
{
  for (gint64 i = 0; self->image[0] > 0 && i < n_rows * self->n_inputs; i++)
    to[i] = 1 - to[i] / 255;
}

static void
normalize (const Spaces *self, gint64 n_rows, float *to)
{
  for (gint64 row = 0; self->shift && row < n_rows; row++, to += self->n_inputs)
    for (gint i = 0; i < self->n_inputs; i++)
      to[i] = (to[i] - self->shift[i]) * self->factor[i];
}

void
spaces_read_lanes (const Spaces *self, const ReelPolicyIO *io, gint64 n, float *to)
{
  float *first = to;

  for (gint64 lane = 0; lane < n; lane++)
    for (guint k = 0; self->keys[k]; k++)
      {
        gsize row = (gsize) self->widths[k] * reel_dtype_size (self->dtypes[k]);

        read_numbers (self->dtypes[k], io->observation[self->places[k]] + (gsize) lane * row,
                      self->widths[k], to);
        to += self->widths[k];
      }
  scale_pixels (self, n, first);
  normalize (self, n, first);
}

static void
write_class (const Spaces *self, guint8 *row, gint64 class)
{
  gsize size = reel_dtype_size (self->action_dtype);

  if (!self->one_hot)
    {
      reel_dtype_store_double (self->action_dtype, row, (double) class);
      return;
    }
  memset (row, 0, (gsize) self->n_classes * size);
  reel_dtype_store_double (self->action_dtype, row + (gsize) class * size, 1);
}

void
spaces_write_actions (const Spaces *self, const ReelPolicyIO *io, gint64 n, const double *actions)
{
  gsize size = reel_dtype_size (self->action_dtype);
  gint64 width = self->n_classes == 0 ? self->n_actions : self->one_hot ? self->n_classes : 1;

  for (gint64 lane = 0; lane < n; lane++)
    {
      guint8 *row = io->action[0] + (gsize) (lane * width) * size;

      if (self->n_classes > 0)
        write_class (self, row, (gint64) actions[lane]);
      else
        for (gint i = 0; i < self->n_actions; i++, row += size)
          reel_dtype_store_double (self->action_dtype, row,
                                   self->middle[i]
                                       + self->half[i] * CLAMP (actions[lane * width + i], -1, 1));
    }
}

/* ---- masks ---- */

void
spaces_forbid (const guint8 *masks, gint64 n, float *outputs)
{
  for (gint64 i = 0; i < n; i++)
    if (!masks[i])
      outputs[i] = FORBIDDEN;
}

gboolean
spaces_mask_lanes (const Spaces *self, const ReelPolicyIO *io, gint64 n, float *outputs,
                   GError **error)
{
  const guint8 *masks = self->mask ? io->observation[self->mask_place] : NULL;

  for (gint64 lane = 0; masks && lane < n; lane++)
    if (!memchr (masks + lane * self->n_classes, TRUE, (gsize) self->n_classes))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "lane %" G_GINT64_FORMAT " has no allowed action: all of its \"%s\" is false",
                     lane, self->mask);
        return FALSE;
      }
  if (masks)
    spaces_forbid (masks, n * self->n_classes, outputs);
  return TRUE;
}

/* ---- rows ---- */

/* Contiguous, step after step. */
static ReelTensor *
get_rows (ReelTensordict *rows, const char *path, gint64 n, gint64 width, GError **error)
{
  g_autoptr (ReelTensor) tensor = reel_tensordict_ref_tensor (rows, path, error);
  g_autoptr (ReelTensor) by_step = NULL;
  gint ndim;

  if (!tensor)
    return NULL;
  reel_tensordict_get_batch_size (rows, &ndim);
  if (reel_tensor_numel (tensor) != n * width)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"%s\" has %" G_GINT64_FORMAT " numbers a row, and the environment needs "
                   "%" G_GINT64_FORMAT,
                   path, reel_tensor_numel (tensor) / n, width);
      return NULL;
    }
  by_step = ndim == 2 ? reel_tensor_transpose (tensor, 0, 1, error) : reel_tensor_ref (tensor);
  return by_step ? reel_tensor_contiguous (by_step, error) : NULL;
}

gboolean
spaces_read (ReelTensordict *rows, const char *path, gint64 n, gint64 width, float *to,
             GError **error)
{
  g_autoptr (ReelTensor) tensor = get_rows (rows, path, n, width, error);

  if (tensor)
    read_numbers (tensor->dtype, tensor->data, n * width, to);
  return tensor != NULL;
}

gboolean
spaces_read_flags (ReelTensordict *rows, const char *path, gint64 n, gint64 width, guint8 *to,
                   GError **error)
{
  g_autoptr (ReelTensor) tensor = get_rows (rows, path, n, width, error);
  gsize size = tensor ? reel_dtype_size (tensor->dtype) : 0;

  for (gint64 i = 0; tensor && i < n * width; i++)
    to[i] = reel_dtype_load_double (tensor->dtype, tensor->data + (gsize) i * size) != 0;
  return tensor != NULL;
}

gboolean
spaces_read_masks (const Spaces *self, ReelTensordict *rows, const char *prefix, gint64 n,
                   guint8 *masks, GError **error)
{
  g_autofree char *path = g_strconcat (prefix, self->mask, NULL);

  return spaces_read_flags (rows, path, n, self->n_classes, masks, error);
}

/* Puts one key after the other into each row. */
static gboolean
read_leaves (const Spaces *self, ReelTensordict *rows, const char *prefix, gint64 n, float *to,
             GError **error)
{
  g_autofree float *one = g_new (float, self->keys[1] ? n *(gint64) self->n_inputs : 0);
  gint before = 0;

  for (guint k = 0; self->keys[k]; before += self->widths[k++])
    {
      g_autofree char *path = g_strconcat (prefix, self->keys[k], NULL);
      gint width = self->widths[k];

      if (width == self->n_inputs)
        {
          if (!spaces_read (rows, path, n, width, to, error))
            return FALSE;
          scale_pixels (self, n, to);
          return TRUE;
        }
      if (!spaces_read (rows, path, n, width, one, error))
        return FALSE;
      for (gint64 row = 0; row < n; row++)
        memcpy (to + row * self->n_inputs + before, one + row * width,
                (gsize) width * sizeof (float));
    }
  return TRUE;
}

gboolean
spaces_read_observations (const Spaces *self, ReelTensordict *rows, const char *prefix, gint64 n,
                          float *to, GError **error)
{
  if (!read_leaves (self, rows, prefix, n, to, error))
    return FALSE;
  normalize (self, n, to);
  return TRUE;
}

gboolean
spaces_read_classes (const Spaces *self, ReelTensordict *rows, gint64 n, gint64 *to, GError **error)
{
  gint64 width = self->one_hot ? self->n_classes : 1;
  g_autofree float *numbers = g_new (float, n *width);

  if (!spaces_read (rows, self->action, n, width, numbers, error))
    return FALSE;
  for (gint64 row = 0; row < n; row++)
    {
      gint64 class = 0;

      while (self->one_hot && class < width && numbers[row * width + class] == 0)
        class ++;
      to[row] = self->one_hot ? class : (gint64) numbers[row];
      if (to[row] >= 0 && to[row] < self->n_classes)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"%s\" has no class of %" G_GINT64_FORMAT " in row %" G_GINT64_FORMAT
                   " of a batch",
                   self->action, self->n_classes, row);
      return FALSE;
    }
  return TRUE;
}

gboolean
spaces_read_box (const Spaces *self, ReelTensordict *rows, gint64 n, float *to, GError **error)
{
  if (!spaces_read (rows, self->action, n, self->n_actions, to, error))
    return FALSE;
  for (gint64 i = 0; i < n * self->n_actions; i++)
    {
      gint k = (gint) (i % self->n_actions);

      to[i] = (float) (((double) to[i] - self->middle[k]) / self->half[k]);
    }
  return TRUE;
}

gboolean
spaces_read_numbers (const Spaces *self, ReelTensordict *rows, gint64 n, float *to, GError **error)
{
  gint64 k = self->n_classes;
  g_autofree gint64 *classes = g_new (gint64, n);

  if (k == 0)
    return spaces_read_box (self, rows, n, to, error);
  if (!spaces_read_classes (self, rows, n, classes, error))
    return FALSE;
  memset (to, 0, (gsize) (n * k) * sizeof (float));
  for (gint64 row = 0; row < n; row++)
    to[row * k + classes[row]] = 1;
  return TRUE;
}

gboolean
spaces_read_actions (const Spaces *self, ReelTensordict *rows, gint64 n, float *to, GError **error)
{
  g_autofree gint64 *classes = g_new (gint64, n);

  if (self->n_classes == 0)
    return spaces_read_box (self, rows, n, to, error);
  if (!spaces_read_classes (self, rows, n, classes, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    to[i] = (float) classes[i];
  return TRUE;
}
