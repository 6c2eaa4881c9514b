#include "shared-weights.h"

#include <stdatomic.h>
#include <string.h>

#include "../core/object/error.h"
#include "../core/system/paths.h"
#include "../core/tensordict-files/tensordict-files.h"
#include "policy.h"

/* ---- reading ---- */

static ReelTensor *
find_version (const ReelTensordict *tensors)
{
  ReelTensor *version = reel_tensordict_get_tensor (tensors, REEL_SHARED_VERSION, NULL);
  gboolean fits = version && version->dtype == REEL_DTYPE_INT64 && reel_tensor_numel (version) == 1;

  return fits ? version : NULL;
}

gboolean
reel_shared_weights_is_shared (const ReelTensordict *tensors)
{
  return find_version (tensors) != NULL;
}

static _Atomic gint64 *
point (const ReelTensordict *tensors)
{
  return (_Atomic gint64 *) (gpointer) find_version (tensors)->data;
}

gint64
reel_shared_weights_get_version (const ReelTensordict *tensors)
{
  atomic_thread_fence (memory_order_acquire);

  gint64 version = atomic_load_explicit (point (tensors), memory_order_acquire);

  atomic_thread_fence (memory_order_acquire);
  return version;
}

/* ---- writing ---- */

static gboolean
create (const char *directory, const ReelTensordict *weights, GError **error)
{
  g_autoptr (ReelTensordict) all = reel_tensordict_clone (weights, FALSE, error);
  g_autoptr (ReelTensor) version = all ? reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, error) : NULL;

  return version && reel_tensordict_set_tensor (all, REEL_SHARED_VERSION, version, error)
         && reel_tensordict_save (all, directory, 0, error);
}

/* The tensors at @name of both; each must fit the other. */
static gboolean
pair (const char *directory, const char *name, const ReelTensordict *from, const ReelTensordict *to,
      const ReelTensor **source, ReelTensor **target, GError **error)
{
  *source = reel_tensordict_get_tensor (from, name, NULL);
  *target = reel_tensordict_get_tensor (to, name, NULL);
  if (*source && *target && (*source)->dtype == (*target)->dtype
      && (*source)->ndim == (*target)->ndim
      && memcmp ((*source)->shape, (*target)->shape, (gsize) (*source)->ndim * sizeof (gint64))
             == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: \"%s\" is not of the same type and shape in the weights that are there and in "
               "the new ones",
               directory, name);
  return FALSE;
}

/* Nothing is written before all of them fit. */
static gboolean
overwrite (const char *directory, const ReelTensordict *from, ReelTensordict *to, GError **error)
{
  g_auto (GStrv) names = reel_tensordict_list_leaves (to);
  _Atomic gint64 *version = point (to);
  gint64 before = atomic_load (version) & ~(gint64) 1; /* odd where a writer died */
  const ReelTensor *source;
  ReelTensor *target;

  for (char **name = names; *name; name++)
    if (!g_str_equal (*name, REEL_SHARED_VERSION)
        && !pair (directory, *name, from, to, &source, &target, error))
      return FALSE;
  atomic_store (version, before + 1);
  atomic_thread_fence (memory_order_seq_cst);
  for (char **name = names; *name; name++)
    if (!g_str_equal (*name, REEL_SHARED_VERSION))
      {
        pair (directory, *name, from, to, &source, &target, NULL);
        if (!reel_tensor_copy (target, source, error))
          return FALSE;
      }
  atomic_store (version, before + 2);
  return TRUE;
}

gboolean
reel_policy_share_weights (const char *directory, const ReelTensordict *weights, GError **error)
{
  g_return_val_if_fail (directory && weights, FALSE);

  ReelPathKind kind;

  if (reel_tensordict_get_tensor (weights, REEL_SHARED_VERSION, NULL))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%s: weights may not have a \"version\", which counts them", directory);
      return FALSE;
    }
  if (!reel_path_query (directory, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return create (directory, weights, error);

  g_autoptr (ReelTensordict) shared =
      reel_tensordict_load (directory, REEL_LOAD_SHARED | REEL_LOAD_TENSORS, error);

  if (shared && reel_shared_weights_is_shared (shared))
    return overwrite (directory, weights, shared, error);
  if (shared)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: it has no leaf \"version\", and so no weights that are shared", directory);
  return FALSE;
}
