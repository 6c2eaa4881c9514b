#include "lazy-stack-private.h"
#include "shape.h"

#include <string.h>

/* ---- reading ---- */

ReelTensordict *
reel_tensordict_index (ReelTensordict *td, const ReelIndex *index, GError **error)
{
  g_auto (ReelIndexPlan) plan = { 0 };
  const ReelShapeArgs args = { .n_dims = td->ndim, .plan = &plan };

  if (reel_tensordict_is_lazy (td))
    return reel_lazy_stack_index (td, index, error);
  if (!reel_index_plan_init (&plan, index, td->ndim, td->batch_size, error))
    return NULL;
  return reel_tensordict_change (td, &reel_shape_index, &args, error);
}

/* ---- writing: what is assigned ---- */

typedef struct
{
  const ReelIndex *index; /* without ellipsis */
  const ReelIndexPlan *plan;
  gint n_dims;         /* batch dimensions of what is written to */
  const gint64 *whole; /* their extents */
  gint n_value;        /* batch dimensions of the value */
  ReelForm size;       /* the batch size that the index gives */
} Assignment;

static gboolean
set_size_error (const Assignment *assignment, const ReelTensordict *td, const ReelTensordict *value,
                GError **error)
{
  g_autoptr (GString) text = g_string_new ("indexed destination TensorDict batch size is ");
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);

  reel_tensordict_append_size (text, assignment->size.view.ndim, assignment->size.view.shape);
  g_string_append (text, " (batch_size = ");
  reel_tensordict_append_size (text, ndim, shape);
  g_string_append (text, "), which differs from the source batch size ");
  shape = reel_tensordict_get_batch_size (value, &ndim);
  reel_tensordict_append_size (text, ndim, shape);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, text->str);
  return FALSE;
}

static gboolean
assignment_init (Assignment *assignment, const ReelIndexPlan *plan, const ReelTensordict *td,
                 const ReelTensordict *value, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);

  assignment->plan = plan;
  assignment->n_dims = ndim;
  assignment->whole = shape;
  reel_form_init_batch (&assignment->size, ndim, shape);
  if (!reel_index_plan_form (plan, &assignment->size, error))
    return FALSE;
  const gint64 *of_value = reel_tensordict_get_batch_size (value, &assignment->n_value);
  gint added = assignment->size.view.ndim - assignment->n_value;
  if (added < 0
      || memcmp (assignment->size.view.shape + added, of_value,
                 assignment->n_value * sizeof *of_value)
             != 0)
    return set_size_error (assignment, td, value, error);
  return TRUE;
}

/* @value with the shape that the plan gives of @tensor. */
static gboolean
fit_value (const Assignment *assignment, const ReelTensor *tensor, const ReelTensor *value,
           const char *key, ReelTensor *view, GError **error)
{
  const ReelShapeArgs args = { .n_dims = assignment->n_value,
                               .n_shape = assignment->size.view.ndim,
                               .shape = assignment->size.view.shape };
  gint trailing = tensor->ndim - assignment->plan->n_sources;
  ReelForm form;
  gboolean fits;

  /* Only batch dimensions are new: what follows them may not slip into their place. */
  reel_form_init (&form, value);
  fits =
      value->ndim - assignment->n_value == trailing && reel_shape_expand.form (&form, &args, NULL);
  if (!fits)
    {
      g_autofree char *found = reel_shape_to_string (value->ndim, value->shape);
      g_autofree char *expected = reel_shape_to_string (tensor->ndim, tensor->shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot assign a value of shape %s to a part of \"%s\", which has shape %s",
                   found, key, expected);
      return FALSE;
    }
  if (reel_index_plan_broadcast (assignment->plan, tensor, &form.view, view, error))
    return TRUE;
  g_prefix_error (error, "\"%s\": ", key);
  return FALSE;
}

static const char *
kind_of (const ReelTensordictEntry *entry)
{
  return entry->tensor ? "tensor" : entry->child ? "tensordict" : "non-tensor";
}

/* A lazy stack inside: it takes the same index, and a value of all its batch dimensions. */
static gboolean
assign_stack (const Assignment *assignment, ReelTensordict *stack, const ReelTensordict *value,
              const char *key, gboolean check_only, GError **error)
{
  gint inner = stack->ndim - assignment->n_dims, ndim = assignment->n_value + inner;
  g_autoptr (ReelTensordict) widened = reel_tensordict_ref ((ReelTensordict *) value);
  gint64 shape[2 * REEL_MAX_NDIM];
  gboolean fits = TRUE;

  if (value->ndim != ndim)
    {
      memcpy (shape, value->batch_size, assignment->n_value * sizeof *shape);
      memcpy (shape + assignment->n_value, stack->batch_size + assignment->n_dims,
              inner * sizeof *shape);
      reel_tensordict_unref (widened);
      widened = reel_tensordict_clone ((ReelTensordict *) value, FALSE, error);
      fits = widened && reel_tensordict_set_batch_size (widened, ndim, shape, error);
    }
  if (fits && reel_lazy_stack_assign (stack, assignment->index, widened, check_only, error))
    return TRUE;
  g_prefix_error (error, "\"%s\": ", key);
  return FALSE;
}

static gboolean check_values (const Assignment *assignment, const ReelTensordict *td,
                              const ReelTensordict *value, GError **error);

static gboolean
check_value (const Assignment *assignment, const ReelTensordictEntry *to,
             const ReelTensordictEntry *from, GError **error)
{
  ReelTensor view;

  if (to->tensor && from->tensor)
    return fit_value (assignment, to->tensor, from->tensor, to->key, &view, error);
  if (to->child && from->child && reel_tensordict_is_lazy (to->child))
    return assign_stack (assignment, to->child, from->child, to->key, TRUE, error);
  if (to->child && from->child)
    return check_values (assignment, to->child, from->child, error);
  if (to->non_tensor && from->non_tensor)
    return fit_value (assignment, reel_non_tensor_get_which (to->non_tensor),
                      reel_non_tensor_get_which (from->non_tensor), to->key, &view, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "cannot assign a %s to \"%s\", which is a %s",
               kind_of (from), to->key, kind_of (to));
  return FALSE;
}

static gboolean
check_values (const Assignment *assignment, const ReelTensordict *td, const ReelTensordict *value,
              GError **error)
{
  const ReelTensordictEntry *from;

  for (guint i = 0; (from = reel_tensordict_get_entry (value, i)); i++)
    {
      const ReelTensordictEntry *to = reel_tensordict_find (td, from->escaped, from->length);
      if (!to
          && (!reel_tensordict_check_unlocked (td, error)
              || !reel_tensordict_check_field (td, from->key, error)))
        return FALSE;
      if (to && !check_value (assignment, to, from, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- writing: keys that are missing ---- */

/* An entry that is to be. */
typedef struct
{
  ReelTensordict *td;
  const char *key;
  ReelTensordictValue value;
} Missing;

static void
missing_free (gpointer data)
{
  Missing *missing = data;

  reel_tensordict_release_value (&missing->value);
  g_free (missing);
}

/* The shape of an entry that is to be: in place of the value's batch dimensions it has all those of
 * what is written to. */
static gint
get_whole_shape (const Assignment *assignment, gint ndim, const gint64 *of_value, gint64 *shape)
{
  gint trailing = ndim - assignment->n_value;

  memcpy (shape, assignment->whole, assignment->n_dims * sizeof *shape);
  memcpy (shape + assignment->n_dims, of_value + assignment->n_value, trailing * sizeof *shape);
  return assignment->n_dims + trailing;
}

static ReelTensordict *new_zero_tensordict (const Assignment *assignment,
                                            const ReelTensordict *like, GError **error);

static ReelTensordictValue
new_zero_value (const Assignment *assignment, const ReelTensordictEntry *like, GError **error)
{
  const ReelTensor *tensor =
      like->non_tensor ? reel_non_tensor_get_which (like->non_tensor) : like->tensor;
  ReelTensordictValue value = { NULL };
  gint64 shape[2 * REEL_MAX_NDIM];
  gint ndim = tensor ? get_whole_shape (assignment, tensor->ndim, tensor->shape, shape) : 0;

  if (like->tensor)
    value.tensor = reel_tensor_new (tensor->dtype, ndim, shape, error);
  else if (like->non_tensor)
    value.non_tensor = reel_non_tensor_new (NULL, ndim, shape, error);
  else
    value.child = new_zero_tensordict (assignment, like->child, error);
  return value;
}

static ReelTensordict *
new_zero_tensordict (const Assignment *assignment, const ReelTensordict *like, GError **error)
{
  const ReelTensordictEntry *entry;
  gint64 shape[2 * REEL_MAX_NDIM];
  gint ndim = get_whole_shape (assignment, like->ndim, like->batch_size, shape);

  if (ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a tensordict of %d batch dimensions cannot be made: at most %d", ndim,
                   REEL_MAX_NDIM);
      return NULL;
    }
  g_autoptr (ReelTensordict) result = reel_tensordict_new (ndim, shape);
  for (guint i = 0; (entry = reel_tensordict_get_entry (like, i)); i++)
    {
      ReelTensordictValue value = new_zero_value (assignment, entry, error);
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      reel_tensordict_append_like (result, entry, value);
    }
  return g_steal_pointer (&result);
}

/* Makes what is missing, and puts none of it anywhere yet. */
static gboolean
make_missing (const Assignment *assignment, ReelTensordict *td, const ReelTensordict *value,
              GPtrArray *all, GError **error)
{
  const ReelTensordictEntry *from;

  for (guint i = 0; (from = reel_tensordict_get_entry (value, i)); i++)
    {
      const ReelTensordictEntry *to = reel_tensordict_find (td, from->escaped, from->length);
      gboolean inside = to && to->child && !reel_tensordict_is_lazy (to->child);
      if (inside && !make_missing (assignment, to->child, from->child, all, error))
        return FALSE;
      if (to)
        continue;
      Missing *missing = g_new0 (Missing, 1);
      g_ptr_array_add (all, missing);
      missing->td = td;
      missing->key = from->key;
      ReelTensordictValue zero = new_zero_value (assignment, from, error);
      if (!reel_tensordict_value_is_set (&zero))
        return FALSE;
      missing->value = reel_tensordict_fit_value (td, from->escaped, &zero, error);
      reel_tensordict_release_value (&zero);
      if (!reel_tensordict_value_is_set (&missing->value))
        return FALSE;
    }
  return TRUE;
}

static void
put_missing (const GPtrArray *all)
{
  for (guint i = 0; i < all->len; i++)
    {
      Missing *missing = all->pdata[i];
      reel_tensordict_put_fitting (missing->td, missing->key, missing->value);
      missing->value = (ReelTensordictValue){ NULL };
    }
}

/* ---- writing: values ---- */

static gboolean
write_tensor (const Assignment *assignment, const ReelTensor *to, const ReelTensor *from,
              const char *key, GError **error)
{
  ReelTensor view;

  return fit_value (assignment, to, from, key, &view, error)
         && reel_index_plan_set (assignment->plan, to, &view, error);
}

/* Values are immutable: those of both are merged, and the entry gets new ones. */
static gboolean
write_non_tensor (const Assignment *assignment, ReelTensordict *td, const ReelTensordictEntry *to,
                  const ReelTensordictEntry *from, GError **error)
{
  ReelNonTensor *const both[] = { to->non_tensor, from->non_tensor };
  ReelTensor *whiches[G_N_ELEMENTS (both)];
  g_autoptr (ReelNonTensor) merged =
      reel_non_tensor_merge (both, G_N_ELEMENTS (both), whiches, error);

  if (!merged)
    return FALSE;
  g_autoptr (ReelTensor) place = whiches[0];
  g_autoptr (ReelTensor) value = whiches[1];
  /* One value for all lies in one place. */
  g_autoptr (ReelTensor) which = reel_tensor_clone (place, error);
  if (!which || !write_tensor (assignment, which, value, to->key, error))
    return FALSE;
  const ReelTensordictValue result = {
    .non_tensor = reel_non_tensor_new_view (merged, g_steal_pointer (&which)),
  };
  g_autofree char *key = g_strdup (to->key);
  reel_tensordict_put (td, key, result);
  return TRUE;
}

static gboolean
write_values (const Assignment *assignment, ReelTensordict *td, const ReelTensordict *value,
              GError **error)
{
  const ReelTensordictEntry *from;
  gboolean done = TRUE;

  for (guint i = 0; done && (from = reel_tensordict_get_entry (value, i)); i++)
    {
      const ReelTensordictEntry *to = reel_tensordict_find (td, from->escaped, from->length);
      if (to->tensor)
        done = write_tensor (assignment, to->tensor, from->tensor, to->key, error);
      else if (to->child && reel_tensordict_is_lazy (to->child))
        done = assign_stack (assignment, to->child, from->child, to->key, FALSE, error);
      else if (to->child)
        done = write_values (assignment, to->child, from->child, error);
      else
        done = write_non_tensor (assignment, td, to, from, error);
    }
  return done;
}

static gboolean
has_lazy (const ReelTensordict *td)
{
  const ReelTensordictEntry *entry;

  if (reel_tensordict_is_lazy (td))
    return TRUE;
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child && has_lazy (entry->child))
      return TRUE;
  return FALSE;
}

/* @value with lazy stacks only where @td has one too: where it has none they are made dense. */
static ReelTensordict *
match_stacks (const ReelTensordict *td, const ReelTensordict *value, GError **error)
{
  const ReelTensordictEntry *entry;

  if (!has_lazy (value) || (td && reel_tensordict_is_lazy (td)))
    return reel_tensordict_ref ((ReelTensordict *) value);
  if (reel_tensordict_is_lazy (value))
    return reel_tensordict_contiguous ((ReelTensordict *) value, error);
  g_autoptr (ReelTensordict) result =
      reel_tensordict_new_like (value, value->ndim, value->batch_size);
  for (guint i = 0; (entry = reel_tensordict_get_entry (value, i)); i++)
    {
      const ReelTensordictEntry *to =
          td ? reel_tensordict_find (td, entry->escaped, entry->length) : NULL;
      ReelTensordictValue matched = { NULL };
      if (entry->child)
        matched.child = match_stacks (to ? to->child : NULL, entry->child, error);
      else
        matched = reel_tensordict_hold_value (entry);
      if (!reel_tensordict_value_is_set (&matched))
        return NULL;
      reel_tensordict_append_like (result, entry, matched);
    }
  return g_steal_pointer (&result);
}

static gboolean
assign_dense (ReelTensordict *td, const ReelIndex *index, const ReelTensordict *lazy_value,
              gboolean check_only, GError **error)
{
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (missing_free);
  g_autoptr (ReelTensordict) value = match_stacks (td, lazy_value, error);
  g_auto (ReelIndexPlan) plan = { 0 };
  ReelIndex spelled = REEL_INDEX_INIT;
  Assignment assignment = { .index = &spelled };

  if (!value || !reel_index_plan_init (&plan, index, td->ndim, td->batch_size, error)
      || !assignment_init (&assignment, &plan, td, value, error))
    return FALSE;
  reel_index_spell_out (index, td->ndim, &spelled);
  if (!check_values (&assignment, td, value, error)
      || !make_missing (&assignment, td, value, missing, error))
    return FALSE;
  if (check_only)
    return TRUE;
  put_missing (missing);
  return write_values (&assignment, td, value, error);
}

gboolean
reel_tensordict_assign_checked (ReelTensordict *td, const ReelIndex *index,
                                const ReelTensordict *value, gboolean check_only, GError **error)
{
  return reel_tensordict_is_lazy (td) ? reel_lazy_stack_assign (td, index, value, check_only, error)
                                      : assign_dense (td, index, value, check_only, error);
}

gboolean
reel_tensordict_assign (ReelTensordict *td, const ReelIndex *index, const ReelTensordict *value,
                        GError **error)
{
  return (!reel_tensordict_is_lazy (td)
          || reel_tensordict_assign_checked (td, index, value, TRUE, error))
         && reel_tensordict_assign_checked (td, index, value, FALSE, error);
}

/* ---- masks ---- */

static gboolean
check_is_mask (const ReelTensor *mask, GError **error)
{
  if (mask->dtype == REEL_DTYPE_BOOL || mask->dtype == REEL_DTYPE_UINT8)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "a mask must be bool or uint8, not %s",
               reel_dtype_name (mask->dtype));
  return FALSE;
}

ReelTensordict *
reel_tensordict_masked_select (ReelTensordict *td, ReelTensor *mask, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  if (!check_is_mask (mask, error))
    return NULL;
  reel_index_add_tensor (&index, mask);
  return reel_tensordict_index (td, &index, error);
}

/* A mask of fewer dimensions, or of extents of 1, is one for all that it says nothing of. */
static ReelTensor *
widen_mask (const ReelTensordict *td, gint n_dims, ReelTensor *mask, GError **error)
{
  gint n_given = MIN (mask->ndim, n_dims);

  for (gint i = 0; i < n_given; i++)
    if (td->batch_size[i] < 0)
      {
        reel_lazy_stack_check_size (td, error);
        return NULL;
      }
  return reel_tensor_expand_as_right (mask, n_given, td->batch_size, error);
}

ReelTensordict *
reel_tensordict_fill_under (const ReelTensordict *td, gint n_dims,
                            const ReelShapeOperation *operation, ReelTensor *mask, double value,
                            GError **error)
{
  g_auto (ReelIndexPlan) plan = { 0 };
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  ReelShapeArgs args = { .n_dims = n_dims, .plan = &plan, .value = value };
  g_autoptr (ReelTensor) wide = NULL;

  if (!check_is_mask (mask, error))
    return NULL;
  wide = widen_mask (td, n_dims, mask, error);
  if (!wide)
    return NULL;
  args.mask = wide;
  /* Each of its elements has a plan of its own. */
  if (reel_tensordict_is_lazy (td) && td->stack_dim < n_dims)
    return operation->lazy (td, &args, error);
  reel_index_add_tensor (&index, wide);
  if (!reel_index_plan_init (&plan, &index, n_dims, td->batch_size, error))
    return NULL;
  return reel_tensordict_change (td, operation, &args, error);
}

ReelTensordict *
reel_tensordict_masked_fill (ReelTensordict *td, ReelTensor *mask, double value, GError **error)
{
  return reel_tensordict_fill_under (td, td->ndim, &reel_shape_masked_fill, mask, value, error);
}

gboolean
reel_tensordict_masked_fill_in_place (ReelTensordict *td, ReelTensor *mask, double value,
                                      GError **error)
{
  g_autoptr (ReelTensordict) same = reel_tensordict_fill_under (
      td, td->ndim, &reel_shape_masked_fill_in_place, mask, value, error);

  return same != NULL;
}
