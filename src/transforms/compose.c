/* Chains of transforms as one transform. */
#include "compose.h"

#include "chain-images.h"
#include "transform-private.h"

struct _ReelCompose
{
  ReelTransform parent_instance;

  GPtrArray *transforms;
};

G_DEFINE_FINAL_TYPE (ReelCompose, reel_compose, REEL_TYPE_TRANSFORM)

/* ---- what it does ---- */

static const char *
get_id (ReelCompose *self, guint i)
{
  return reel_object_get_id (REEL_OBJECT (self->transforms->pdata[i]));
}

/* Says which of the transforms it was. */
static void
prefix (ReelCompose *self, guint i, GError **error)
{
  g_prefix_error (error, "transform %u, %s: ", i, get_id (self, i));
}

/* @taker took the row numbers out, if it is one. A transform behind it would take a batch for
 * rows that were not sampled, and leave it as it is. */
static gboolean
check_rows (ReelCompose *self, guint i, gint taker, GError **error)
{
  const char *id = get_id (self, i);

  if (taker < 0 || !reel_transform_wants_rows (self->transforms->pdata[i]))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "wants \"" REEL_ROW_NUMBERS "\", the numbers of the sampled rows, which transform "
               "%d, %s, took out: put %s before %s",
               taker, get_id (self, (guint) taker), id, get_id (self, (guint) taker));
  return FALSE;
}

/* From transform @i on. */
static ReelTransform *const *
get_links (ReelCompose *self, guint i)
{
  return (ReelTransform *const *) self->transforms->pdata + i;
}

/* Neighbours that change images are one pass over them. */
static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelCompose *self = REEL_COMPOSE (transform);
  g_autoptr (ReelTensordict) at = reel_tensordict_ref (td);
  gboolean has_rows = reel_tensordict_contains (td, REEL_ROW_NUMBERS);
  gint taker = -1;
  guint n_joined;

  for (guint i = 0; i < self->transforms->len; i += MAX (n_joined, 1))
    {
      ReelTensordict *next;

      if (!reel_chain_forward_images (get_links (self, i), self->transforms->len - i, at, &n_joined,
                                      error))
        {
          prefix (self, i, error);
          return NULL;
        }
      if (n_joined > 0)
        continue;
      next = check_rows (self, i, taker, error)
                 ? reel_transform_forward (self->transforms->pdata[i], at, error)
                 : NULL;
      if (!next)
        {
          prefix (self, i, error);
          return NULL;
        }
      reel_tensordict_unref (at);
      at = next;
      if (has_rows && taker < 0 && !reel_tensordict_contains (at, REEL_ROW_NUMBERS))
        taker = (gint) i;
    }
  return g_steal_pointer (&at);
}

/* Only the first sees what a caller may hold, and what was given is a copy already. */
static gboolean
inverse (ReelTransform *transform, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  ReelCompose *self = REEL_COMPOSE (transform);
  g_autoptr (ReelTensordict) at = reel_tensordict_ref (td);

  for (guint i = self->transforms->len; at && i-- > 0;)
    {
      ReelTransform *each = self->transforms->pdata[i];
      ReelTensordict *next = NULL;

      if (!REEL_TRANSFORM_GET_CLASS (each)->inverse (each, at, &next, error))
        {
          prefix (self, i, error);
          return FALSE;
        }
      reel_tensordict_unref (at);
      at = next;
    }
  *result = g_steal_pointer (&at);
  return TRUE;
}

static gboolean
changes_reads (ReelTransform *transform)
{
  ReelCompose *self = REEL_COMPOSE (transform);

  for (guint i = 0; i < self->transforms->len; i++)
    if (reel_transform_changes_reads (self->transforms->pdata[i]))
      return TRUE;
  return FALSE;
}

static gboolean
changes_writes (ReelTransform *transform)
{
  ReelCompose *self = REEL_COMPOSE (transform);

  for (guint i = 0; i < self->transforms->len; i++)
    if (reel_transform_changes_writes (self->transforms->pdata[i]))
      return TRUE;
  return FALSE;
}

static gboolean
wants_rows (ReelTransform *transform)
{
  ReelCompose *self = REEL_COMPOSE (transform);

  for (guint i = 0; i < self->transforms->len; i++)
    if (reel_transform_wants_rows (self->transforms->pdata[i]))
      return TRUE;
  return FALSE;
}

static gint64
get_demand (ReelTransform *transform)
{
  ReelCompose *self = REEL_COMPOSE (transform);
  gint64 demand = 1;

  for (guint i = 0; i < self->transforms->len; i++)
    if (__builtin_mul_overflow (demand, reel_transform_get_demand (self->transforms->pdata[i]),
                                &demand))
      return G_MAXINT64;
  return demand;
}

/* Input specs too go from the first to the last: from what the env takes to what is given to it. */
static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelCompose *self = REEL_COMPOSE (transform);
  g_autoptr (ReelSpec) at = reel_spec_ref (spec);

  for (guint i = 0; i < self->transforms->len; i++)
    {
      ReelSpec *next = reel_transform_env_spec (self->transforms->pdata[i], at, error);

      if (!next)
        {
          prefix (self, i, error);
          return NULL;
        }
      reel_spec_unref (at);
      at = next;
    }
  return g_steal_pointer (&at);
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelCompose *self = REEL_COMPOSE (transform);

  guint n_joined;

  for (guint i = 0; i < self->transforms->len; i += MAX (n_joined, 1))
    if (!reel_chain_bind_images (get_links (self, i), self->transforms->len - i, plan, &n_joined,
                                 error)
        || (n_joined == 0 && !reel_transform_bind (self->transforms->pdata[i], plan, error)))
      {
        prefix (self, i, error);
        return FALSE;
      }
  return TRUE;
}

static gboolean
bind_inverse (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelCompose *self = REEL_COMPOSE (transform);

  for (guint i = self->transforms->len; i-- > 0;)
    if (!reel_transform_bind_inverse (self->transforms->pdata[i], plan, error))
      {
        prefix (self, i, error);
        return FALSE;
      }
  return TRUE;
}

static void
empty (ReelTransform *transform)
{
  ReelCompose *self = REEL_COMPOSE (transform);

  for (guint i = 0; i < self->transforms->len; i++)
    reel_transform_empty (self->transforms->pdata[i]);
}

static gboolean
dup_state (ReelTransform *transform, ReelTensordict *state, GError **error)
{
  ReelCompose *self = REEL_COMPOSE (transform);

  for (guint i = 0; i < self->transforms->len; i++)
    {
      g_autofree char *key = g_strdup_printf ("%u", i);
      g_autoptr (ReelTensordict) one = reel_transform_dup_state (self->transforms->pdata[i], error);

      if (!one || !reel_tensordict_set_tensordict (state, key, one, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
set_state (ReelTransform *transform, const ReelTensordict *state, GError **error)
{
  ReelCompose *self = REEL_COMPOSE (transform);
  g_autofree char *beyond = g_strdup_printf ("%u", self->transforms->len);
  g_autofree char *last = g_strdup_printf ("%u", MAX (self->transforms->len, 1) - 1);

  if (reel_tensordict_contains (state, beyond)
      || (self->transforms->len > 0 && !reel_tensordict_contains (state, last)))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the state is of another number of transforms than the %u of this chain",
                   self->transforms->len);
      return FALSE;
    }
  for (guint i = 0; i < self->transforms->len; i++)
    {
      g_autofree char *key = g_strdup_printf ("%u", i);
      const ReelTensordict *one = reel_tensordict_get_tensordict (state, key, error);

      if (!one || !reel_transform_set_state (self->transforms->pdata[i], one, error))
        return FALSE;
    }
  return TRUE;
}

static ReelTransform *
make_clone (ReelTransform *transform, GError **error)
{
  return (ReelTransform *) reel_compose_slice (REEL_COMPOSE (transform), 0, G_MAXINT, 1, error);
}

/* ---- text ---- */

static char *
indent (const char *text)
{
  g_autoptr (GString) indented = g_string_new (text);

  g_string_replace (indented, "\n", "\n        ", 0);
  return g_strconcat ("        ", indented->str, NULL);
}

static char *
to_string (ReelTransform *transform)
{
  ReelCompose *self = REEL_COMPOSE (transform);
  GString *text = g_string_new ("Compose(");

  for (guint i = 0; i < self->transforms->len; i++)
    {
      g_autofree char *one = reel_transform_to_string (self->transforms->pdata[i]);
      g_autofree char *indented = indent (one);

      g_string_append_printf (text, "%s\n%s", i > 0 ? "," : "", indented);
    }
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

/* Brackets where a chain stands in another, or could be taken for its one transform. */
static char *
to_text (ReelObject *object)
{
  ReelCompose *self = REEL_COMPOSE (object);
  GString *text = g_string_new (NULL);

  if (self->transforms->len == 0)
    return g_string_free (g_string_append (text, reel_object_get_id (object)), FALSE);
  for (guint i = 0; i < self->transforms->len; i++)
    {
      g_autofree char *one = reel_object_to_text (self->transforms->pdata[i]);
      gboolean wrap = REEL_IS_COMPOSE (self->transforms->pdata[i]) && *one != '('
                      && REEL_COMPOSE (self->transforms->pdata[i])->transforms->len > 0;

      g_string_append_printf (text, wrap ? "%s(%s)" : "%s%s", i > 0 ? "|" : "", one);
    }
  if (self->transforms->len == 1)
    {
      g_string_prepend_c (text, '(');
      g_string_append_c (text, ')');
    }
  return g_string_free (text, FALSE);
}

/* ---- the class ---- */

static gboolean
hold (ReelCompose *self, guint at, ReelTransform *transform, GError **error)
{
  if (!reel_transform_set_parent (transform, G_OBJECT (self), error))
    return FALSE;
  g_ptr_array_insert (self->transforms, (gint) at, g_object_ref (transform));
  return TRUE;
}

gpointer
reel_compose_chain (GPtrArray *objects, GError **error)
{
  g_autoptr (ReelCompose) self = reel_compose_new ();

  for (guint i = 0; i < objects->len; i++)
    if (!hold (self, i, objects->pdata[i], error))
      return NULL;
  return g_steal_pointer (&self);
}

static void
drop (gpointer transform)
{
  reel_transform_set_parent (transform, NULL, NULL);
  g_object_unref (transform);
}

static void
finalize (GObject *object)
{
  g_ptr_array_unref (REEL_COMPOSE (object)->transforms);
  G_OBJECT_CLASS (reel_compose_parent_class)->finalize (object);
}

static void
reel_compose_class_init (ReelComposeClass *klass)
{
  static const ReelId ids[] = {
    { "compose", NULL, "no change; in text a|b is both" },
    { "Compose", NULL, "no change, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->to_text = to_text;
  transform_class->peer_name = "Compose";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->changes_reads = changes_reads;
  transform_class->changes_writes = changes_writes;
  transform_class->wants_rows = wants_rows;
  transform_class->get_demand = get_demand;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->bind_inverse = bind_inverse;
  transform_class->empty = empty;
  transform_class->dup_state = dup_state;
  transform_class->set_state = set_state;
  transform_class->clone = make_clone;
  transform_class->to_string = to_string;
}

static void
reel_compose_init (ReelCompose *self)
{
  self->transforms = g_ptr_array_new_with_free_func (drop);
}

ReelCompose *
reel_compose_new (void)
{
  return g_initable_new (REEL_TYPE_COMPOSE, NULL, NULL, "id", "compose", NULL);
}

/* ---- its transforms ---- */

guint
reel_compose_get_length (ReelCompose *self)
{
  g_return_val_if_fail (REEL_IS_COMPOSE (self), 0);

  return self->transforms->len;
}

static gboolean
resolve (ReelCompose *self, gint *index, GError **error)
{
  gint n = (gint) self->transforms->len;
  gint at = *index < 0 ? *index + n : *index;

  if (at < 0 || at >= n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "index %d is out of range: the chain has %d transforms", *index, n);
      return FALSE;
    }
  *index = at;
  return TRUE;
}

ReelTransform *
reel_compose_get (ReelCompose *self, gint index, GError **error)
{
  g_return_val_if_fail (REEL_IS_COMPOSE (self), NULL);

  return resolve (self, &index, error) ? self->transforms->pdata[index] : NULL;
}

gboolean
reel_compose_append (ReelCompose *self, ReelTransform *transform, GError **error)
{
  g_return_val_if_fail (REEL_IS_COMPOSE (self), FALSE);
  g_return_val_if_fail (REEL_IS_TRANSFORM (transform), FALSE);
  g_return_val_if_fail (transform != (ReelTransform *) self, FALSE);

  if (!REEL_IS_COMPOSE (transform))
    return hold (self, self->transforms->len, transform, error);

  /* A holder of the chain relies on its contents. */
  if (!reel_transform_set_parent (transform, G_OBJECT (self), error))
    return FALSE;
  reel_transform_set_parent (transform, NULL, NULL);
  while (reel_compose_get_length (REEL_COMPOSE (transform)) > 0)
    {
      g_autoptr (ReelTransform) first = reel_compose_pop (REEL_COMPOSE (transform), 0, NULL);

      hold (self, self->transforms->len, first, NULL);
    }
  return TRUE;
}

gboolean
reel_compose_insert (ReelCompose *self, gint index, ReelTransform *transform, GError **error)
{
  gint n;

  g_return_val_if_fail (REEL_IS_COMPOSE (self), FALSE);
  g_return_val_if_fail (REEL_IS_TRANSFORM (transform), FALSE);
  g_return_val_if_fail (transform != (ReelTransform *) self, FALSE);

  n = (gint) self->transforms->len;
  if (index < -n || index > n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "Index expected to be between [-%d, %d] got index=%d", n, n, index);
      return FALSE;
    }
  return hold (self, (guint) (index < 0 ? index + n : index), transform, error);
}

ReelTransform *
reel_compose_pop (ReelCompose *self, gint index, GError **error)
{
  ReelTransform *transform;

  g_return_val_if_fail (REEL_IS_COMPOSE (self), NULL);

  if (!resolve (self, &index, error))
    return NULL;
  transform = g_ptr_array_steal_index (self->transforms, (guint) index);
  reel_transform_set_parent (transform, NULL, NULL);
  return transform;
}

/* A bound of a slice of @n, as Python's: one walks backwards from n − 1 to −1 at most. */
static gint
clamp_bound (gint bound, gint n, gint step)
{
  gint low = step < 0 ? -1 : 0;

  return CLAMP (bound < 0 ? bound + n : bound, low, n + low);
}

ReelCompose *
reel_compose_slice (ReelCompose *self, gint begin, gint end, gint step, GError **error)
{
  g_autoptr (ReelCompose) made = NULL;
  gint n;

  g_return_val_if_fail (REEL_IS_COMPOSE (self), NULL);

  if (step == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "cannot slice a chain: the step is 0");
      return NULL;
    }
  n = (gint) self->transforms->len;
  step = CLAMP (step, -n - 1, n + 1);
  begin = clamp_bound (begin, n, step);
  end = clamp_bound (end, n, step);
  made = g_initable_new (REEL_TYPE_COMPOSE, NULL, NULL, "id",
                         reel_object_get_id (REEL_OBJECT (self)), NULL);
  for (; step > 0 ? begin < end : begin > end; begin += step)
    {
      g_autoptr (ReelTransform) one = reel_transform_clone (self->transforms->pdata[begin], error);

      if (!one || !hold (made, made->transforms->len, one, error))
        return NULL;
    }
  return g_steal_pointer (&made);
}
