#include "policy-age-filter.h"

#include "../core/tensor/tensor-private.h"
#include "../core/tensordict/tensordict-index.h"
#include "../specs/element.h"
#include "transform-private.h"

struct _ReelPolicyAgeFilter
{
  ReelTransform parent_instance;

  gint64 current_version; /* atomic */
  gint64 max_policy_lag;
  char *policy_version_key;
  gboolean strict;
};

G_DEFINE_FINAL_TYPE (ReelPolicyAgeFilter, reel_policy_age_filter, REEL_TYPE_TRANSFORM)

void
reel_policy_age_filter_set_current_version (ReelPolicyAgeFilter *self, gint64 version)
{
  g_return_if_fail (REEL_IS_POLICY_AGE_FILTER (self));
  g_return_if_fail (version >= 0);

  __atomic_store_n (&self->current_version, version, __ATOMIC_RELAXED);
}

/* ---- ages ---- */

/* Whether a version is not below the oldest that may stay. */
static gboolean
is_young (ReelDtype dtype, const guint8 *version, gint64 oldest)
{
  return reel_element_is_integer (dtype)
             ? reel_element_load_integer (dtype, version) >= oldest
             : reel_dtype_load_double (dtype, version) >= (double) oldest;
}

/* The versions of rows `[n, …]`. */
static ReelTensor *
take_versions (const ReelPolicyAgeFilter *self, const ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensor) versions =
      reel_tensordict_ref_tensor (td, self->policy_version_key, error);

  if (!versions)
    return NULL;
  if (versions->dtype != REEL_DTYPE_BOOL && !reel_dtype_is_complex (versions->dtype))
    return reel_tensor_in_order (versions, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "policy-age-filter: \"%s\" is %s, and versions are real numbers",
               self->policy_version_key, reel_dtype_name (versions->dtype));
  return NULL;
}

/* Which rows stay: those of which no step is too old. */
static ReelTensor *
find_young (const ReelPolicyAgeFilter *self, const ReelTensor *versions, gint64 *n_young,
            GError **error)
{
  gint64 oldest = __atomic_load_n (&self->current_version, __ATOMIC_RELAXED) - self->max_policy_lag;
  gint64 n = versions->shape[0];
  gint64 n_steps = n > 0 ? reel_tensor_numel (versions) / n : 0;
  gsize size = reel_dtype_size (versions->dtype);
  ReelTensor *young = reel_tensor_new (REEL_DTYPE_BOOL, 1, &n, error);
  const guint8 *at = versions->data;

  *n_young = 0;
  for (gint64 row = 0; young && row < n; row++)
    {
      young->data[row] = TRUE;
      for (gint64 step = 0; step < n_steps; step++, at += size)
        young->data[row] &= is_young (versions->dtype, at, oldest);
      *n_young += young->data[row];
    }
  return young;
}

/* ---- rows ---- */

static ReelTensordict *
filter (ReelPolicyAgeFilter *self, ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensor) versions = NULL, young = NULL;
  gint64 n_young;
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  if (!self->strict && !reel_tensordict_contains (td, self->policy_version_key))
    return reel_tensordict_ref (td);
  versions = take_versions (self, td, error);
  if (!versions)
    return NULL;
  if (ndim == 0)
    return reel_tensordict_ref (td);
  young = find_young (self, versions, &n_young, error);
  if (!young)
    return NULL;
  return n_young == size[0] ? reel_tensordict_ref (td)
                            : reel_tensordict_masked_select (td, young, error);
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  return filter (REEL_POLICY_AGE_FILTER (self), td, error);
}

/* Nothing is written where nothing stays. */
static gboolean
inverse (ReelTransform *self, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  g_autoptr (ReelTensordict) left = filter (REEL_POLICY_AGE_FILTER (self), td, error);

  if (!left)
    return FALSE;
  if (reel_tensordict_numel (left) > 0 || reel_tensordict_numel (td) == 0)
    *result = g_steal_pointer (&left);
  return TRUE;
}

static gboolean
changes_writes (ReelTransform *self)
{
  return TRUE;
}

/* ---- in an env, where it does nothing ---- */

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  return TRUE;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  const char *const key[] = { REEL_POLICY_AGE_FILTER (object)->policy_version_key, NULL };

  if (!key[0])
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "policy-age-filter needs a policy-version-key");
      return FALSE;
    }
  return REEL_OBJECT_CLASS (reel_policy_age_filter_parent_class)->build (object, error)
         && reel_key_check_all (key, error);
}

static void
add_properties (ReelObjectClass *klass)
{
  reel_object_class_add_int64 (
      klass, "current-version", G_STRUCT_OFFSET (ReelPolicyAgeFilter, current_version), 0,
      G_MAXINT64, 0, NULL, "version of the current policy", REEL_PROPERTY_MUTABLE);
  reel_object_class_add_int64 (
      klass, "max-policy-lag", G_STRUCT_OFFSET (ReelPolicyAgeFilter, max_policy_lag), 0, G_MAXINT64,
      0, "versions", "most that the policy of a row may be behind", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_string (
      klass, "policy-version-key", G_STRUCT_OFFSET (ReelPolicyAgeFilter, policy_version_key),
      "policy_version", "key of the version of a row's policy", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "strict", G_STRUCT_OFFSET (ReelPolicyAgeFilter, strict), FALSE,
                              "whether to refuse rows without the key",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_policy_age_filter_class_init (ReelPolicyAgeFilterClass *klass)
{
  static const ReelId ids[] = {
    { "policy-age-filter", NULL, "leaves out rows of old policies" },
    { "PolicyAgeFilter", NULL, "leaves out rows of old policies, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  add_properties (REEL_OBJECT_CLASS (klass));
  transform_class->peer_name = "PolicyAgeFilter";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->changes_writes = changes_writes;
  transform_class->bind = bind;
  transform_class->bind_inverse = bind;
}

static void
reel_policy_age_filter_init (ReelPolicyAgeFilter *self)
{
}
