/* Refuses values that are infinite or NaN. */
#include "lane-plan.h"
#include "pointwise-kernel.h"
#include "transform-private.h"

#include "../core/tensor/tensor-private.h"

struct _ReelFiniteCheck
{
  ReelTransform parent_instance;

  ReelIsa isa;
};

G_DECLARE_FINAL_TYPE (ReelFiniteCheck, reel_finite_check, REEL, FINITE_CHECK, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelFiniteCheck, reel_finite_check, REEL_TYPE_TRANSFORM)

/* Infinity and NaN have all bits of the exponent. A complex number is two of them. */
static gboolean
is_finite (const ReelPointwiseKernels *kernels, ReelDtype dtype, gconstpointer data, gint64 n)
{
  switch (dtype)
    {
    case REEL_DTYPE_FLOAT16: return !kernels->any_16 (data, 0x7c00, n);
    case REEL_DTYPE_BFLOAT16: return !kernels->any_16 (data, 0x7f80, n);
    case REEL_DTYPE_FLOAT32: return !kernels->any_32 (data, 0x7f800000, n);
    case REEL_DTYPE_FLOAT64: return !kernels->any_64 (data, G_GUINT64_CONSTANT (0x7ff) << 52, n);
    case REEL_DTYPE_COMPLEX32: return !kernels->any_16 (data, 0x7c00, 2 * n);
    case REEL_DTYPE_COMPLEX64: return !kernels->any_32 (data, 0x7f800000, 2 * n);
    case REEL_DTYPE_COMPLEX128:
      return !kernels->any_64 (data, G_GUINT64_CONSTANT (0x7ff) << 52, 2 * n);
    default: return TRUE;
    }
}

static gboolean
check (ReelFiniteCheck *self, const ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (ReelTensor) leaf = reel_tensordict_ref_tensor (td, path, error);
  g_autoptr (ReelTensor) plain = leaf ? reel_tensor_in_order (leaf, error) : NULL;
  g_autofree char *shape = NULL;

  if (!plain)
    return FALSE;
  if (is_finite (REEL_KERNEL_PICK (reel_pointwise_kernels, self->isa), plain->dtype, plain->data,
                 reel_tensor_numel (plain)))
    return TRUE;
  shape = reel_shape_to_string (plain->ndim, plain->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "Encountered a non-finite tensor: \"%s\" of shape %s has an infinite value or NaN",
               path, shape);
  return FALSE;
}

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);

  for (char **path = leaves; *path; path++)
    if (!check (REEL_FINITE_CHECK (self), td, *path, error))
      return NULL;
  return reel_tensordict_ref (td);
}

/* ---- in an env ---- */

/* One leaf that is looked at. */
typedef struct
{
  ReelLaneWork work;
  const ReelPointwiseKernels *kernels;
  guint leaf;
  char *path;
  ReelDtype dtype;
  gsize row_bytes;
} Look;

static gboolean
are_finite (const Look *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  gint64 n = (end - begin) * (gint64) (self->row_bytes / reel_dtype_size (self->dtype));

  return is_finite (self->kernels, self->dtype,
                    columns[self->leaf] + (gsize) begin * self->row_bytes, n);
}

static void
look_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Look *self = (const Look *) work;

  if (are_finite (self, columns, begin, end))
    return;
  for (gint64 lane = begin; lane < end; lane++)
    if (!are_finite (self, columns, lane, lane + 1))
      {
        g_autofree char *what = g_strdup_printf (
            "Encountered a non-finite tensor: \"%s\" has an infinite value or NaN", self->path);

        reel_lane_plan_report (work->plan, lane, what);
      }
}

static void
look_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    look_step (work, columns, lanes[i], lanes[i] + 1);
}

static void
look_free (ReelLaneWork *work)
{
  g_free (((Look *) work)->path);
  g_free (work);
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  ReelIsa isa = REEL_FINITE_CHECK (self)->isa;

  for (guint i = 0; i < reel_lane_plan_get_n_leaves (plan); i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (plan, i);
      Look *look;

      if (!leaf->path
          || !(reel_dtype_is_float (leaf->dtype) || reel_dtype_is_complex (leaf->dtype)))
        continue;
      look = g_new0 (Look, 1);
      *look = (Look){
        .work = { .step = look_step, .free = look_free },
        .kernels = REEL_KERNEL_PICK (reel_pointwise_kernels, isa),
        .leaf = i,
        .path = g_strdup (leaf->path),
        .dtype = leaf->dtype,
        .row_bytes = leaf->row_bytes,
      };
      if (leaf->role == REEL_LANE_OBSERVATION)
        look->work.reset = look_reset;
      if (!reel_lane_plan_add (plan, &look->work, 0, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  return reel_isa_choose (&REEL_FINITE_CHECK (object)->isa, error)
         && REEL_OBJECT_CLASS (reel_finite_check_parent_class)->build (object, error);
}

static void
reel_finite_check_class_init (ReelFiniteCheckClass *klass)
{
  static const ReelId ids[] = {
    { "finite-check", NULL, "refuses values that are infinite or NaN" },
    { "FiniteTensorDictCheck", NULL, "refuses infinite values and NaN, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  transform_class->peer_name = "FiniteTensorDictCheck";
  transform_class->forward = forward;
  transform_class->bind = bind;
}

static void
reel_finite_check_init (ReelFiniteCheck *self)
{
}
