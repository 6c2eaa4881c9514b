/* The same action in every step. */
#include "policy.h"

#include <math.h>
#include <string.h>

#include "../specs/kinds/non-tensor-spec.h"
#include "../specs/spec-classes.h"
#include "../specs/spec-kind.h"

/* The action at one leaf, of one lane. */
typedef struct
{
  guint8 *row;
  gsize bytes;
} Leaf;

struct _ReelConstantPolicy
{
  ReelPolicy parent_instance;

  GArray *value; /* of doubles; NULL for the actions nearest to 0 */
  GArray *leaves;
};

G_DECLARE_FINAL_TYPE (ReelConstantPolicy, reel_constant_policy, REEL, CONSTANT_POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelConstantPolicy, reel_constant_policy, REEL_TYPE_POLICY)

static void
clear_leaf (gpointer data)
{
  g_free (((Leaf *) data)->row);
}

/* ---- numbers become actions ---- */

static gboolean
is_one_hot (const ReelSpec *spec)
{
  return spec->kind == &reel_one_hot_spec_kind;
}

/* How many numbers an action takes: one an element, or one a vector. */
static gint64
count_numbers (const ReelSpec *spec)
{
  gint64 elements = (gint64) (reel_spec_row_bytes (spec) / reel_dtype_size (spec->dtype));

  return is_one_hot (spec) ? elements / reel_spec_get_n (spec) : elements;
}

/* Writes a number as element or vector number @i of @row; whether the dtype holds it. */
static gboolean
write_number (const ReelSpec *spec, gint64 i, double number, guint8 *row)
{
  gsize size = reel_dtype_size (spec->dtype);
  guint8 *at = row + (gsize) i * size;

  if (is_one_hot (spec))
    {
      gint64 n = reel_spec_get_n (spec);

      if (!(number >= 0 && number < (double) n && floor (number) == number))
        return FALSE;
      at = row + (gsize) (i * n + (gint64) number) * size;
      number = 1;
    }
  reel_dtype_store_double (spec->dtype, at, number);
  return !isnan (number)
         && (reel_dtype_is_float (spec->dtype)
             || reel_dtype_load_double (spec->dtype, at) == number);
}

/* Writes one leaf of @numbers, which are one for all elements where @n is 1. */
static gboolean
fill (const ReelSpec *spec, const char *path, const double *numbers, gint64 n, ReelTensor *action,
      GError **error)
{
  gint64 count = count_numbers (spec);

  memset (action->data, 0, reel_tensor_nbytes (action));
  for (gint64 i = 0; i < count; i++)
    {
      double number = numbers[n == 1 ? 0 : i];

      if (write_number (spec, i, number, action->data))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the constant policy cannot set \"%s\" to "
                   "%g: it is a %s spec of %s",
                   path, number, reel_spec_class_name (spec), reel_dtype_name (spec->dtype));
      return FALSE;
    }
  return TRUE;
}

static ReelTensor *
make_action (const ReelSpec *spec, const char *path, const double *numbers, gint64 n,
             GError **error)
{
  static const double zero = 0;
  g_autoptr (ReelTensor) action = reel_spec_zero (spec, 0, NULL, error);
  GError *reason = NULL;

  if (action == NULL || !fill (spec, path, n > 0 ? numbers : &zero, MAX (n, 1), action, error))
    return NULL;
  if (n == 0)
    return reel_spec_project (spec, action, error);
  if (reel_spec_is_in (spec, action, &reason))
    return g_steal_pointer (&action);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "the constant policy cannot set \"%s\": %s",
               path, reason->message);
  g_error_free (reason);
  return NULL;
}

/* ---- all leaves ---- */

static gboolean
check_leaves (const ReelSpec *action, char *const *paths, gint64 *n_numbers, GError **error)
{
  *n_numbers = 0;
  for (gsize i = 0; paths[i]; i++)
    {
      const ReelSpec *spec = reel_spec_get (action, paths[i], NULL);

      if (!spec->kind->draw || reel_spec_is_non_tensor (spec))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "the constant policy cannot set \"%s\", a %s spec", paths[i],
                       reel_spec_class_name (spec));
          return FALSE;
        }
      *n_numbers += count_numbers (spec);
    }
  return TRUE;
}

static gboolean
check_count (const ReelConstantPolicy *self, gint64 n_numbers, GError **error)
{
  if (self->value == NULL || self->value->len == 1 || self->value->len == n_numbers)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "value has %u numbers, and the action takes %" G_GINT64_FORMAT
               " (a class is one number), or one for all",
               self->value->len, n_numbers);
  return FALSE;
}

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  ReelConstantPolicy *self = REEL_CONSTANT_POLICY (policy);
  g_auto (GStrv) paths = reel_spec_list_leaves (action);
  gint64 n_numbers, used = 0, given = self->value ? self->value->len : 0;

  if (!check_leaves (action, paths, &n_numbers, error) || !check_count (self, n_numbers, error))
    return FALSE;
  g_array_set_size (self->leaves, 0);
  for (gsize i = 0; paths[i]; i++)
    {
      const ReelSpec *spec = reel_spec_get (action, paths[i], NULL);
      gint64 n = given > 1 ? count_numbers (spec) : given;
      const double *numbers = given > 0 ? (const double *) self->value->data + used : NULL;
      g_autoptr (ReelTensor) value = make_action (spec, paths[i], numbers, n, error);

      if (value == NULL)
        return FALSE;
      used += given > 1 ? n : 0;
      g_array_append_val (self->leaves,
                          ((Leaf){ g_memdup2 (value->data, reel_tensor_nbytes (value)),
                                   reel_tensor_nbytes (value) }));
    }
  return TRUE;
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  ReelConstantPolicy *self = (ReelConstantPolicy *) policy;

  for (guint i = 0; i < self->leaves->len; i++)
    {
      const Leaf *leaf = &g_array_index (self->leaves, Leaf, i);

      for (gint64 lane = begin; lane < end; lane++)
        memcpy (io->action[i] + (gsize) lane * leaf->bytes, leaf->row, leaf->bytes);
    }
  return TRUE;
}

static void
finalize (GObject *object)
{
  g_array_unref (REEL_CONSTANT_POLICY (object)->leaves);
  G_OBJECT_CLASS (reel_constant_policy_parent_class)->finalize (object);
}

static void
reel_constant_policy_class_init (ReelConstantPolicyClass *klass)
{
  static const ReelId ids[] = {
    { "constant", NULL, "the same action in every step" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelPolicyClass *policy_class = REEL_POLICY_CLASS (klass);

  object_class->ids = ids;
  object_class->positional = "value";
  reel_object_class_add_list (object_class, "value", G_STRUCT_OFFSET (ReelConstantPolicy, value),
                              "one number for all elements of the action, or one for each; of a "
                              "class its number; none for the action nearest to 0",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  policy_class->lanewise = TRUE;
  policy_class->never_nan = TRUE;
  policy_class->bind = bind;
  policy_class->act = act;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_constant_policy_init (ReelConstantPolicy *self)
{
  self->leaves = g_array_new (FALSE, FALSE, sizeof (Leaf));
  g_array_set_clear_func (self->leaves, clear_leaf);
}
