#include "tensordict-update.h"
#include "tensordict-keys.h"
#include "tensordict-private.h"

#include <string.h>

/* What an update is going to change, once all of it is known to fit. */
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

static GArray *
new_plan (void)
{
  GArray *plan = g_array_new (FALSE, FALSE, sizeof (Change));

  g_array_set_clear_func (plan, change_clear);
  return plan;
}

static void
carry_out (GArray *plan)
{
  for (guint i = 0; i < plan->len; i++)
    {
      Change *change = &g_array_index (plan, Change, i);
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

static gboolean
copy_value (const ReelTensordictEntry *entry, ReelTensordictValue *value, GError **error)
{
  if (entry->child)
    value->child = reel_tensordict_clone (entry->child, TRUE, error);
  else if (entry->tensor)
    value->tensor = reel_tensor_clone (entry->tensor, error);
  else
    value->non_tensor = reel_non_tensor_ref (entry->non_tensor);
  return reel_tensordict_value_is_set (value);
}

static gboolean
plan_put (GArray *plan, ReelTensordict *td, const ReelTensordictEntry *entry, const char *path,
          gboolean clone, GError **error)
{
  ReelTensordictValue value = { NULL };

  if (!reel_tensordict_check_unlocked (td, error)
      || !reel_tensordict_check_field (td, entry->key, error))
    return FALSE;
  if (!clone)
    value = reel_tensordict_share_value (entry);
  else if (!copy_value (entry, &value, error))
    return FALSE;
  ReelTensordictValue fitting = reel_tensordict_fit_value (td, path, &value, error);
  reel_tensordict_release_value (&value);
  if (!reel_tensordict_value_is_set (&fitting))
    return FALSE;
  Change change = { .level = td, .key = g_strdup (entry->key), .value = fitting };
  g_array_append_val (plan, change);
  return TRUE;
}

static gboolean
plan_update (GArray *plan, ReelTensordict *td, const ReelTensordict *other, const char *prefix,
             gboolean clone, GError **error)
{
  const ReelTensordictEntry *entry;

  if (td == other)
    return TRUE;
  if (!check_batch_sizes (td, other, error))
    return FALSE;
  for (guint i = 0; (entry = reel_tensordict_get_entry (other, i)); i++)
    {
      const ReelTensordictEntry *target = reel_tensordict_find (td, entry->escaped, entry->length);
      gboolean nested = entry->child && target && target->child;
      g_autofree char *path = g_strconcat (prefix, entry->escaped, nested ? "/" : "", NULL);
      gboolean planned = nested
                             ? plan_update (plan, target->child, entry->child, path, clone, error)
                             : plan_put (plan, td, entry, path, clone, error);
      if (!planned)
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_tensordict_update (ReelTensordict *td, const ReelTensordict *other,
                        const char *const *keys_to_update, gboolean clone, GError **error)
{
  g_autoptr (ReelTensordict) part = take_keys (other, keys_to_update);
  g_autoptr (GArray) plan = new_plan ();

  if (!plan_update (plan, td, part, "", clone, error))
    return FALSE;
  carry_out (plan);
  return TRUE;
}

/* ---- in place ---- */

static gboolean
check_dtype (const ReelTensor *destination, const ReelTensor *source, const char *path,
             GError **error)
{
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
set_kind_error (const ReelTensordictEntry *target, const ReelTensordictEntry *entry,
                const char *path, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "\"%s\" is a %s in the dest tensordict and a %s in the other", path,
               reel_tensordict_entry_kind (target), reel_tensordict_entry_kind (entry));
  return FALSE;
}

static gboolean
plan_copy (GArray *plan, const ReelTensor *destination, const ReelTensor *source, const char *path,
           GError **error)
{
  Change change = { .destination = destination };

  if (!check_dtype (destination, source, path, error))
    return FALSE;
  if (!reel_tensor_broadcast (source, destination->ndim, destination->shape, &change.source, NULL))
    return set_failed_error (destination, source, path, REEL_ERROR_RUNTIME, error);
  g_array_append_val (plan, change);
  return TRUE;
}

static gboolean
plan_write (GArray *plan, ReelTensordict *td, const ReelTensordict *other, const char *prefix,
            GError **error)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; td != other && (entry = reel_tensordict_get_entry (other, i)); i++)
    {
      const ReelTensordictEntry *target = reel_tensordict_find (td, entry->escaped, entry->length);
      g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);
      gboolean planned;
      if (!target)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "The key %s was not found in the dest tensordict.", path);
          return FALSE;
        }
      if (target->tensor && entry->tensor)
        planned = plan_copy (plan, target->tensor, entry->tensor, path, error);
      else if (target->child && entry->child)
        {
          g_autofree char *below = g_strconcat (path, "/", NULL);
          planned = plan_write (plan, target->child, entry->child, below, error);
        }
      else if (target->non_tensor && entry->non_tensor)
        planned = reel_non_tensor_equal (target->non_tensor, entry->non_tensor)
                  || plan_put (plan, td, entry, path, FALSE, error);
      else
        planned = set_kind_error (target, entry, path, error);
      if (!planned)
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_tensordict_update_in_place (ReelTensordict *td, const ReelTensordict *other,
                                 const char *const *keys_to_update, GError **error)
{
  g_autoptr (ReelTensordict) part = take_keys (other, keys_to_update);
  g_autoptr (GArray) plan = new_plan ();

  if (!plan_write (plan, td, part, "", error))
    return FALSE;
  carry_out (plan);
  return TRUE;
}

gboolean
reel_tensordict_set_in_place (ReelTensordict *td, const char *path, const ReelTensor *tensor,
                              GError **error)
{
  const ReelTensordict *level;
  const ReelTensor *destination = reel_tensordict_get_tensor (td, path, error);
  ReelTensor expanded;

  if (!destination || !check_dtype (destination, tensor, path, error))
    return FALSE;
  reel_tensordict_walk (td, path, &level);
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

  return destination && check_dtype (destination, tensor, path, error)
         && reel_tensor_assign (destination, index, tensor, error);
}
