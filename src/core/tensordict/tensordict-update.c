#include "tensordict-update.h"
#include "lazy-stack-private.h"
#include "tensordict-keys.h"

#include <string.h>

/* The changes of an update, once all are known to fit. */
typedef struct
{
  ReelTensordict *level;
  char *key;                 /* plain */
  ReelTensordictValue value; /* to be put there, or else: */
  const ReelTensor *destination;
  ReelTensor source; /* to be copied; broadcast, without a reference */
} Change;

static void
change_clear (gpointer data)
{
  Change *change = data;

  g_free (change->key);
  reel_tensordict_release_value (&change->value);
}

/* All changes, and what their sources lie in. */
typedef struct
{
  GArray *changes;
  GPtrArray *held; /* of ReelTensor */
} Plan;

static void
plan_init (Plan *plan)
{
  plan->changes = g_array_new (FALSE, FALSE, sizeof (Change));
  plan->held = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  g_array_set_clear_func (plan->changes, change_clear);
}

static void
plan_clear (Plan *plan)
{
  g_array_unref (plan->changes);
  g_ptr_array_unref (plan->held);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

static void
carry_out (Plan *plan)
{
  for (guint i = 0; i < plan->changes->len; i++)
    {
      Change *change = &g_array_index (plan->changes, Change, i);
      if (change->destination)
        reel_tensor_copy_unchecked (change->destination, &change->source);
      else
        {
          reel_tensordict_put_fitting (change->level, change->key, change->value);
          change->value = (ReelTensordictValue){ NULL };
        }
    }
}

/* The part of @other that an update is about. */
static ReelTensordict *
take_keys (const ReelTensordict *other, const char *const *keys)
{
  return keys ? reel_tensordict_select_keys (other, keys, FALSE, NULL)
              : reel_tensordict_ref ((ReelTensordict *) other);
}

/* ---- update ---- */

static gboolean
check_batch_sizes (const ReelTensordict *td, const ReelTensordict *other, GError **error)
{
  gint common = MIN (td->ndim, other->ndim);

  if (memcmp (td->batch_size, other->batch_size, common * sizeof (gint64)) == 0)
    return TRUE;

  g_autoptr (GString) text =
      g_string_new ("cannot update tensordicts of different batch size, got ");
  reel_tensordict_append_size (text, td->ndim, td->batch_size);
  g_string_append (text, " and ");
  reel_tensordict_append_size (text, other->ndim, other->batch_size);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, text->str);
  return FALSE;
}

/* Element @i of a lazy stack, or of @td cut along the same dimension. */
static ReelTensordict *
cut (const ReelTensordict *td, const ReelTensordict *stack, guint i, GError **error)
{
  return reel_tensordict_select_index ((ReelTensordict *) td, stack->stack_dim, i, error);
}

/* A copy of @value: deep, or of levels alone. */
static ReelTensordictValue
copy_value (const ReelTensordictValue *value, gboolean deep, GError **error)
{
  ReelTensordictValue copy = { NULL };

  if (value->child)
    copy.child = reel_tensordict_clone (value->child, deep, error);
  else if (value->tensor)
    copy.tensor = deep ? reel_tensor_clone (value->tensor, error) : reel_tensor_ref (value->tensor);
  else
    copy.non_tensor = reel_non_tensor_ref (value->non_tensor);
  return copy;
}

static gboolean
plan_put (Plan *plan, ReelTensordict *td, const char *key, const ReelTensordictValue *value,
          const char *path, gboolean clone, GError **error)
{
  if (!reel_tensordict_check_unlocked (td, error) || !reel_tensordict_check_field (td, key, error))
    return FALSE;
  ReelTensordictValue copy = copy_value (value, clone, error);
  if (!reel_tensordict_value_is_set (&copy))
    return FALSE;
  ReelTensordictValue fitting = reel_tensordict_fit_value (td, path, &copy, error);
  reel_tensordict_release_value (&copy);
  if (!reel_tensordict_value_is_set (&fitting))
    return FALSE;
  Change change = { .level = td, .key = g_strdup (key), .value = fitting };
  g_array_append_val (plan->changes, change);
  return TRUE;
}

static gboolean plan_update (Plan *plan, ReelTensordict *td, const ReelTensordict *other,
                             const char *prefix, gboolean clone, GError **error);

static gboolean
plan_update_entry (Plan *plan, ReelTensordict *td, const ReelTensordictEntry *entry,
                   const ReelTensordictValue *value, const char *prefix, gboolean clone,
                   GError **error)
{
  const ReelTensordictEntry *target = reel_tensordict_find (td, entry->escaped, entry->length);
  gboolean nested = value->child && target && target->child;
  g_autofree char *path = g_strconcat (prefix, entry->escaped, nested ? "/" : "", NULL);

  return nested ? plan_update (plan, target->child, value->child, path, clone, error)
                : plan_put (plan, td, entry->key, value, path, clone, error);
}

static gboolean
plan_update_stack (Plan *plan, ReelTensordict *td, const ReelTensordict *other, const char *prefix,
                   gboolean clone, GError **error)
{
  for (guint i = 0; i < td->elements->len; i++)
    {
      g_autoptr (ReelTensordict) part = cut (other, td, i, error);
      if (!part || !plan_update (plan, td->elements->pdata[i], part, prefix, clone, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
plan_update (Plan *plan, ReelTensordict *td, const ReelTensordict *other, const char *prefix,
             gboolean clone, GError **error)
{
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (other);
  gboolean planned = TRUE;

  if (td == other)
    return TRUE;
  if (!check_batch_sizes (td, other, error))
    return FALSE;
  if (reel_tensordict_is_lazy (td))
    return plan_update_stack (plan, td, other, prefix, clone, error);
  for (guint i = 0; i < entries->len && planned; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      ReelTensordictValue value = { NULL };
      planned = reel_tensordict_ref_entry (other, entry->escaped, entry->length, &value, error)
                && plan_update_entry (plan, td, entry, &value, prefix, clone, error);
      reel_tensordict_release_value (&value);
    }
  return planned;
}

gboolean
reel_tensordict_update (ReelTensordict *td, const ReelTensordict *other,
                        const char *const *keys_to_update, gboolean clone, GError **error)
{
  g_autoptr (ReelTensordict) part = take_keys (other, keys_to_update);
  g_auto (Plan) plan;

  plan_init (&plan);
  if (!plan_update (&plan, td, part, "", clone, error))
    return FALSE;
  carry_out (&plan);
  return TRUE;
}

/* ---- in place ---- */

static gboolean
check_target (const ReelTensor *destination, const ReelTensor *source, const char *path,
              GError **error)
{
  if (!reel_tensor_check_writable (destination, error))
    {
      g_prefix_error (error, "cannot write \"%s\": ", path);
      return FALSE;
    }
  if (destination->dtype == source->dtype)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "cannot write %s elements to the %s tensor \"%s\"", reel_dtype_name (source->dtype),
               reel_dtype_name (destination->dtype), path);
  return FALSE;
}

static gboolean
set_failed_error (const ReelTensor *destination, const ReelTensor *source, const char *path,
                  ReelError code, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "Failed to update '%s' in tensordict: value.shape=", path);
  reel_tensordict_append_size (text, source->ndim, source->shape);
  g_string_append (text, " cannot be broadcast to ");
  reel_tensordict_append_size (text, destination->ndim, destination->shape);
  g_set_error_literal (error, REEL_ERROR, (int) code, text->str);
  return FALSE;
}

static gboolean
plan_copy (Plan *plan, const ReelTensor *destination, ReelTensor *source, const char *path,
           GError **error)
{
  Change change = { .destination = destination };

  if (!check_target (destination, source, path, error))
    return FALSE;
  if (!reel_tensor_broadcast (source, destination->ndim, destination->shape, &change.source, NULL))
    return set_failed_error (destination, source, path, REEL_ERROR_RUNTIME, error);
  g_ptr_array_add (plan->held, reel_tensor_ref (source));
  g_array_append_val (plan->changes, change);
  return TRUE;
}

static gboolean plan_write (Plan *plan, ReelTensordict *td, const ReelTensordict *other,
                            const char *prefix, GError **error);

static gboolean
plan_write_entry (Plan *plan, ReelTensordict *td, const ReelTensordictEntry *entry,
                  const ReelTensordictValue *value, const char *prefix, GError **error)
{
  const ReelTensordictEntry *target = reel_tensordict_find (td, entry->escaped, entry->length);
  g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);

  if (!target)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "The key %s was not found in the dest tensordict.", path);
      return FALSE;
    }
  if (target->tensor && value->tensor)
    return plan_copy (plan, target->tensor, value->tensor, path, error);
  if (target->child && value->child)
    {
      g_autofree char *below = g_strconcat (path, "/", NULL);
      return plan_write (plan, target->child, value->child, below, error);
    }
  if (target->non_tensor && value->non_tensor)
    return reel_non_tensor_equal (target->non_tensor, value->non_tensor)
           || plan_put (plan, td, entry->key, value, path, FALSE, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "\"%s\" is a %s in the dest tensordict and a %s in the other", path,
               reel_tensordict_entry_kind (target), reel_tensordict_entry_kind (entry));
  return FALSE;
}

static gboolean
plan_write_stack (Plan *plan, ReelTensordict *td, const ReelTensordict *other, const char *prefix,
                  GError **error)
{
  if (!check_batch_sizes (td, other, error))
    return FALSE;
  for (guint i = 0; i < td->elements->len; i++)
    {
      g_autoptr (ReelTensordict) part = cut (other, td, i, error);
      if (!part || !plan_write (plan, td->elements->pdata[i], part, prefix, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
plan_write (Plan *plan, ReelTensordict *td, const ReelTensordict *other, const char *prefix,
            GError **error)
{
  g_autoptr (GPtrArray) entries = reel_tensordict_list_entries (other);
  gboolean planned = TRUE;

  if (reel_tensordict_is_lazy (td) && td != other)
    return plan_write_stack (plan, td, other, prefix, error);
  for (guint i = 0; td != other && i < entries->len && planned; i++)
    {
      const ReelTensordictEntry *entry = entries->pdata[i];
      ReelTensordictValue value = { NULL };
      planned = reel_tensordict_ref_entry (other, entry->escaped, entry->length, &value, error)
                && plan_write_entry (plan, td, entry, &value, prefix, error);
      reel_tensordict_release_value (&value);
    }
  return planned;
}

gboolean
reel_tensordict_update_in_place (ReelTensordict *td, const ReelTensordict *other,
                                 const char *const *keys_to_update, GError **error)
{
  g_autoptr (ReelTensordict) part = take_keys (other, keys_to_update);
  g_auto (Plan) plan;

  plan_init (&plan);
  if (!plan_write (&plan, td, part, "", error))
    return FALSE;
  carry_out (&plan);
  return TRUE;
}

/* Through a lazy stack: cut along it and written to each element. */
static gboolean
set_in_stack (ReelTensordict *td, const char *path, const ReelTensor *tensor, GError **error)
{
  g_autoptr (ReelTensordict) other = reel_tensordict_new (td->ndim, td->batch_size);

  return reel_tensordict_set_tensor (other, path, (ReelTensor *) tensor, error)
         && reel_tensordict_update_in_place (td, other, NULL, error);
}

gboolean
reel_tensordict_set_in_place (ReelTensordict *td, const char *path, const ReelTensor *tensor,
                              GError **error)
{
  const ReelTensordict *level;
  ReelTensor expanded;

  if (!reel_tensordict_walk (td, path, &level) && reel_tensordict_contains (td, path))
    return set_in_stack (td, path, tensor, error);
  const ReelTensor *destination = reel_tensordict_get_tensor (td, path, error);
  if (!destination || !check_target (destination, tensor, path, error))
    return FALSE;
  ReelTensordictValue value = { .tensor = (ReelTensor *) tensor };
  ReelTensordictValue fitting = reel_tensordict_fit_value (level, path, &value, error);
  if (!reel_tensordict_value_is_set (&fitting))
    return FALSE;
  reel_tensordict_release_value (&fitting);
  if (!reel_tensor_broadcast (tensor, destination->ndim, destination->shape, &expanded, NULL))
    return set_failed_error (destination, tensor, path, REEL_ERROR_VALUE, error);
  reel_tensor_copy_unchecked (destination, &expanded);
  return TRUE;
}

gboolean
reel_tensordict_set_at_in_place (ReelTensordict *td, const char *path, const ReelIndex *index,
                                 const ReelTensor *tensor, GError **error)
{
  ReelTensor *destination = reel_tensordict_get_tensor (td, path, error);

  return destination && check_target (destination, tensor, path, error)
         && reel_tensor_assign (destination, index, tensor, error);
}
