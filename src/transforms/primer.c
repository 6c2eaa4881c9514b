/* Entries that an env does not have, such as the state of a recurrent policy: set at resets, and
 * carried along. */
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/tensor/tensor-private.h"
#include "../core/tensordict/variant.h"
#include "../specs/kinds/non-tensor-spec.h"
#include "../specs/spec-attributes.h"
#include "../specs/spec-kind.h"
#include "../specs/spec-shape.h"
#include "../specs/spec-text.h"

#include <string.h>

#define OBSERVATION "output_spec/full_observation_spec"
#define REWARD "output_spec/full_reward_spec"
#define DONE "output_spec/full_done_spec"
#define STATE "input_spec/full_state_spec"
#define ACTION "input_spec/full_action_spec"

struct _ReelPrimer
{
  ReelTransform parent_instance;

  char *primers;
  gboolean random;
  GArray *default_value;
  ReelSpec *spec; /* that @primers describes */
  ReelSpec *seen; /* the same with the batch of the env; NULL until it meets one */
  GStrv keys;     /* of its leaves */
};

G_DECLARE_FINAL_TYPE (ReelPrimer, reel_primer, REEL, PRIMER, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelPrimer, reel_primer, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "primer sets its entries where an environment is reset, and resets of "
                       "stored data are not known; put it behind an environment: 'ENV|primer:…'");
  return NULL;
}

/* ---- specs ---- */

/* The primers with the batch dimensions of the env. */
static ReelSpec *
add_batch (const ReelPrimer *self, const ReelSpec *env, GError **error)
{
  gint ndim, n_own;
  const gint64 *batch = reel_spec_get_shape (env, &ndim);
  const gint64 *own = reel_spec_get_shape (self->spec, &n_own);

  if (n_own == ndim && memcmp (own, batch, (gsize) ndim * sizeof *own) == 0)
    return reel_spec_ref (self->spec);
  if (n_own == 0)
    return reel_spec_batch (self->spec, ndim, batch, error);

  g_autofree char *given = reel_spec_format_shape (n_own, own, ", ");
  g_autofree char *wanted = reel_spec_format_shape (ndim, batch, ", ");

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "primers are of batch size %s, and the specs of the env of %s: give those of one "
               "lane, without a batch size",
               given, wanted);
  return NULL;
}

static gboolean
check_key (const ReelSpec *spec, const char *key, GError **error)
{
  static const char *const parts[] = { OBSERVATION, REWARD, DONE, ACTION };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (reel_spec_get_in_part (spec, parts[i], key))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "primer: the env has \"%s\" already; choose another key", key);
        return FALSE;
      }
  return TRUE;
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelPrimer *self = REEL_PRIMER (transform);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);
  const ReelSpec *observation = reel_spec_get (spec, OBSERVATION, error);
  g_autoptr (ReelSpec) batched = observation ? add_batch (self, observation, error) : NULL;
  ReelSpec *seen =
      batched ? reel_spec_set_device (batched, reel_spec_get_device (observation), error) : NULL;

  if (!seen)
    return NULL;
  g_clear_pointer (&self->seen, reel_spec_unref);
  self->seen = seen;
  for (char **key = self->keys; *key; key++)
    {
      const ReelSpec *primer = reel_spec_get (seen, *key, NULL);

      if (!check_key (spec, *key, error)
          || !reel_spec_set_in_part (&changed, OBSERVATION, *key, primer, error)
          || !reel_spec_set_in_part (&changed, STATE, *key, primer, error))
        return NULL;
    }
  return g_steal_pointer (&changed);
}

/* ---- in an env: each lane keeps what it was reset to ---- */

/* The random numbers of a lane. Its value is behind. */
typedef struct
{
  guint64 seed;
  gint64 n_draws;
} Stream;

typedef struct
{
  ReelLaneWork work;
  const ReelSpec *spec; /* NULL where values are not drawn; of the transform */
  ReelTensor *initial;
  guint leaf;
  gsize row_bytes;
} Prime;

static Stream *
get_stream (const ReelLaneWork *work, gint64 lane)
{
  return (Stream *) (gpointer) (work->state + (gsize) lane * work->state_bytes);
}

static guint8 *
get_value (const ReelLaneWork *work, gint64 lane)
{
  return (guint8 *) (get_stream (work, lane) + 1);
}

static void
prime_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Prime *self = (const Prime *) work;

  for (gint64 lane = begin; lane < end; lane++)
    memcpy (columns[self->leaf] + (gsize) lane * self->row_bytes, get_value (work, lane),
            self->row_bytes);
}

static void
prime_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Prime *self = (const Prime *) work;

  for (gsize i = 0; i < n; i++)
    {
      Stream *stream = get_stream (work, lanes[i]);

      if (self->spec)
        reel_spec_rand_rows (self->spec, stream->seed, stream->n_draws++, 0, 1,
                             get_value (work, lanes[i]));
      else
        memcpy (get_value (work, lanes[i]), self->initial->data, self->row_bytes);
      prime_step (work, columns, lanes[i], lanes[i] + 1);
    }
}

static void
prime_seed (ReelLaneWork *work, gint64 lane, guint64 seed)
{
  *get_stream (work, lane) = (Stream){ .seed = seed };
}

static void
prime_free (ReelLaneWork *work)
{
  reel_tensor_unref (((Prime *) work)->initial);
  g_free (work);
}

/* The value of the leaf number @i that is not drawn. */
static ReelTensor *
make_initial (const ReelPrimer *self, const ReelSpec *spec, guint i, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);
  ReelTensor *initial = reel_tensor_new (reel_spec_get_dtype (spec), ndim, shape, error);
  const GArray *given = self->default_value;

  if (initial && given)
    reel_tensor_fill_unchecked (initial, g_array_index (given, double, given->len == 1 ? 0 : i));
  return initial;
}

static gboolean
bind_leaf (const ReelPrimer *self, ReelLanePlan *plan, guint i, GError **error)
{
  const ReelSpec *spec = reel_spec_get (self->spec, self->keys[i], NULL);
  g_autoptr (ReelTensor) initial = make_initial (self, spec, i, error);
  gsize row_bytes = reel_spec_row_bytes (spec);
  Prime *prime;

  if (!initial)
    return FALSE;
  prime = g_new0 (Prime, 1);
  *prime = (Prime){
    .work = { .step = prime_step, .reset = prime_reset, .seed = prime_seed, .free = prime_free },
    .spec = self->random ? spec : NULL,
    .leaf = reel_lane_plan_define (plan, self->keys[i], REEL_LANE_OBSERVATION, initial->dtype,
                                   initial->ndim, initial->shape),
    .row_bytes = row_bytes,
  };
  prime->initial = g_steal_pointer (&initial);
  reel_lane_plan_carry (plan, prime->leaf);
  return reel_lane_plan_add (plan, &prime->work, sizeof (Stream) + (row_bytes + 7) / 8 * 8, error);
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  const ReelPrimer *self = REEL_PRIMER (transform);

  for (guint i = 0; self->keys[i]; i++)
    if (!bind_leaf (self, plan, i, error))
      return FALSE;
  return TRUE;
}

/* ---- the class ---- */

/* The spec that text describes: of tensors whose shape is known. */
static gboolean
read_primers (ReelPrimer *self, GError **error)
{
  if (!self->primers || *self->primers == '\0')
    {
      g_set_error_literal (
          error, REEL_ERROR, REEL_ERROR_VALUE,
          "primer needs primers: primer:primers=(composite:hidden=(unbounded:shape=[64]))");
      return FALSE;
    }
  self->spec = reel_spec_new_from_text (self->primers, error);
  if (!self->spec)
    {
      g_prefix_error_literal (error, "primers: ");
      return FALSE;
    }
  if (!reel_spec_is_composite (self->spec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "primers are a composite spec, with a key for each, not a %s spec",
                   reel_spec_class_name (self->spec));
      return FALSE;
    }
  g_free (self->primers);
  self->primers = reel_spec_to_text (self->spec);
  self->keys = reel_spec_list_leaves (self->spec);
  return TRUE;
}

static gboolean
check_initial (const ReelPrimer *self, const ReelSpec *spec, guint i, GError **error)
{
  g_autoptr (ReelTensor) initial = make_initial (self, spec, i, error);
  g_autoptr (GError) why = NULL;

  if (!initial || reel_spec_is_in (spec, initial, &why))
    return initial != NULL;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the default value of the primer \"%s\" is outside of its spec: %s; give another "
               "default-value, or random=true",
               self->keys[i], why->message);
  return FALSE;
}

static gboolean
check_leaf (const ReelPrimer *self, guint i, GError **error)
{
  const char *key = self->keys[i];
  const ReelSpec *spec = reel_spec_get (self->spec, key, NULL);

  if (!spec->kind->draw || reel_spec_is_non_tensor (spec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "the primer \"%s\" is a %s spec, and must be one of tensors", key,
                   reel_spec_class_name (spec));
      return FALSE;
    }
  for (gint d = 0; d < spec->ndim; d++)
    if (spec->shape[d] < 0)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "the primer \"%s\" has an extent of -1: its shape must be known", key);
        return FALSE;
      }
  if (self->random)
    return !spec->kind->check_draw || spec->kind->check_draw (spec, error);
  return check_initial (self, spec, i, error);
}

static gboolean
check_values (const ReelPrimer *self, GError **error)
{
  guint n = g_strv_length (self->keys);

  if (n == 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "primers have no key");
  else if (self->random && self->default_value)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "Setting random to True and providing a default_value are incompatible.");
  else if (self->default_value && self->default_value->len != 1 && self->default_value->len != n)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "default-value has %u numbers, and there are %u primers: give one number, or as "
                 "many",
                 self->default_value->len, n);
  else
    return TRUE;
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelPrimer *self = REEL_PRIMER (object);

  if (!REEL_OBJECT_CLASS (reel_primer_parent_class)->build (object, error)
      || !read_primers (self, error) || !check_values (self, error))
    return FALSE;
  for (guint i = 0; self->keys[i]; i++)
    if (!check_leaf (self, i, error))
      return FALSE;
  return TRUE;
}

static char *
to_string (ReelTransform *transform)
{
  const ReelPrimer *self = REEL_PRIMER (transform);
  g_autofree char *spec = reel_spec_to_string (self->seen ? self->seen : self->spec);
  const GArray *given = self->default_value;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "TensorDictPrimer(primers=%s, default_value={", spec);
  for (guint i = 0; self->keys[i]; i++)
    {
      double value = given ? g_array_index (given, double, given->len == 1 ? 0 : i) : 0;
      g_autoptr (GVariant) number = g_variant_ref_sink (g_variant_new_double (value));

      g_string_append (text, i > 0 ? ", " : "");
      reel_key_append_repr (text, self->keys[i], FALSE);
      g_string_append (text, ": ");
      reel_variant_append_repr (text, number);
    }
  g_string_append_printf (text, "}, random=%s)", self->random ? "True" : "None");
  return g_string_free (text, FALSE);
}

static void
finalize (GObject *object)
{
  ReelPrimer *self = REEL_PRIMER (object);

  g_clear_pointer (&self->spec, reel_spec_unref);
  g_clear_pointer (&self->seen, reel_spec_unref);
  g_clear_pointer (&self->keys, g_strfreev);
  G_OBJECT_CLASS (reel_primer_parent_class)->finalize (object);
}

static void
reel_primer_class_init (ReelPrimerClass *klass)
{
  static const ReelId ids[] = {
    { "primer", NULL, "adds entries at resets and carries them along" },
    { "TensorDictPrimer", NULL, "adds entries at resets, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_text (object_class, "primers", G_STRUCT_OFFSET (ReelPrimer, primers),
                              "spec of the entries of one lane, a composite",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "random", G_STRUCT_OFFSET (ReelPrimer, random), FALSE,
                              "whether values are drawn", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_list (
      object_class, "default-value", G_STRUCT_OFFSET (ReelPrimer, default_value),
      "value at a reset, one for all or one each; by default 0", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "TensorDictPrimer";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
}

static void
reel_primer_init (ReelPrimer *self)
{
}
