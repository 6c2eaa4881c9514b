/* Values of stacks of different leaves. */
#include "../../core/tensordict/tensordict-private.h"
#include "../spec-classes.h"
#include "stacked-spec.h"

gboolean
reel_stacked_spec_has_one_shape (const ReelSpec *spec)
{
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  for (gsize i = 0; i < n; i++)
    {
      if (reel_spec_is_lazy (members[i]) && !reel_stacked_spec_has_one_shape (members[i]))
        return FALSE;
      for (gint dim = 0; dim < members[i]->ndim; dim++)
        if (members[i]->shape[dim] != members[0]->shape[dim])
          return FALSE;
    }
  return TRUE;
}

/* The value of each member. */
typedef ReelTensor *(*MakePart) (const ReelSpec *member, guint i, gconstpointer data,
                                 GError **error);

static ReelTensor *
stack_parts (const ReelSpec *spec, gint ahead, MakePart make, gconstpointer data, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  if (!reel_stacked_spec_has_one_shape (spec))
    {
      g_autofree char *shape = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "no tensor holds values of shape %s: ask for those of each member", shape);
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    {
      ReelTensor *part = make (members[i], i, data, error);

      if (!part)
        return NULL;
      g_ptr_array_add (parts, part);
    }
  return reel_tensors_stack ("Stacked", (ReelTensor *const *) parts->pdata, n,
                             reel_spec_get_stack_dim (spec) + ahead, error);
}

/* ---- made ---- */

typedef struct
{
  ReelSpecContent content;
  guint64 seed;
  gint64 step;
  gint ndim;
  const gint64 *shape;
} Making;

static ReelTensor *
make_part (const ReelSpec *member, guint i, gconstpointer data, GError **error)
{
  const Making *making = data;

  return reel_spec_make (member, making->content, reel_spec_leaf_seed (making->seed, i),
                         making->step, making->ndim, making->shape, error);
}

ReelTensor *
reel_stacked_spec_make (const ReelSpec *spec, ReelSpecContent content, guint64 seed, gint64 step,
                        gint ndim, const gint64 *shape, GError **error)
{
  Making making = { content, seed, step, ndim, shape };

  return stack_parts (spec, ndim, make_part, &making, error);
}

static ReelTensor *
enumerate_part (const ReelSpec *member, guint i, gconstpointer use_mask, GError **error)
{
  return reel_spec_enumerate (member, GPOINTER_TO_INT (use_mask), error);
}

ReelTensor *
reel_stacked_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error)
{
  return stack_parts (spec, 1, enumerate_part, GINT_TO_POINTER (use_mask), error);
}

/* ---- inside ---- */

gboolean
reel_stacked_spec_is_in (const ReelSpec *spec, const ReelTensor *value, GError **error)
{
  gint dim = value->ndim - spec->ndim + reel_spec_get_stack_dim (spec);
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);

  if (value->ndim < spec->ndim || value->shape[dim] != (gint64) n)
    {
      g_autofree char *has = reel_spec_format_shape (value->ndim, value->shape, ", ");
      g_autofree char *wants = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION, "shape %s does not end in %s", has,
                   wants);
      return FALSE;
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (ReelTensor) part =
          reel_tensor_select ((ReelTensor *) value, dim, (gint64) i, error);

      if (!part)
        return FALSE;
      if (reel_spec_is_in (members[i], part, error))
        continue;
      g_prefix_error (error, "member %" G_GSIZE_FORMAT ": ", i);
      return FALSE;
    }
  return TRUE;
}
