/* Passes by a Fisher-Yates shuffle that goes only as far as numbers are taken. */
#include "pass-list.h"

#include "../../core/object/error.h"
#include "../../core/math/random.h"
#include "../../core/tensordict/state-values.h"

#include <string.h>

#define AHEAD 16 /* entries of the list that are fetched before they are needed */

void
reel_pass_list_add_properties (ReelObjectClass *klass, gsize offset, const char *in_order)
{
  reel_object_class_add_bool (
      klass, "drop-last", offset + G_STRUCT_OFFSET (ReelPassList, drop_last), FALSE,
      "end a pass before a batch that would be short", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "shuffle", offset + G_STRUCT_OFFSET (ReelPassList, shuffle),
                              TRUE, in_order, REEL_PROPERTY_CONSTRUCT_ONLY);
}

void
reel_pass_list_clear (ReelPassList *self)
{
  g_clear_pointer (&self->list, g_free);
  self->room = 0;
}

static gboolean
set_no_memory (gint64 n, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "no memory for a pass over %" G_GINT64_FORMAT " rows or trajectories", n);
  return FALSE;
}

/* ---- passes ---- */

/* Puts the list in order. An entry beyond those taken is out of its place only where its number was
 * taken. */
static void
sort_list (ReelPassList *self)
{
  /* A list from a state is a permutation of its own, which the swaps below do not undo. */
  if (self->settled > 0)
    for (gint64 i = 0; i < self->room; i++)
      self->list[i] = i;
  self->settled = 0;
  for (gint64 i = 0; i < self->at; i++)
    if (self->list[i] >= self->at)
      self->list[self->list[i]] = self->list[i];
  for (gint64 i = 0; i < self->at; i++)
    self->list[i] = i;
}

void
reel_pass_list_begin_again (ReelPassList *self)
{
  sort_list (self);
  self->at = 0;
  self->n_passes++;
}

void
reel_pass_list_forget (ReelPassList *self)
{
  reel_pass_list_begin_again (self);
  self->length = 0;
  self->ran_out = FALSE;
}

gboolean
reel_pass_list_begin (ReelPassList *self, gint64 length, GError **error)
{
  if (length > self->room)
    {
      gint64 *list = g_try_realloc_n (self->list, (gsize) length, sizeof *list);

      if (!list)
        return set_no_memory (length, error);
      for (gint64 i = self->room; i < length; i++)
        list[i] = i;
      self->list = list;
      self->room = length;
    }
  reel_pass_list_begin_again (self);
  self->length = length;
  return TRUE;
}

gboolean
reel_pass_list_check (const ReelPassList *self, gint64 n, gint64 length, GError **error)
{
  if (!self->drop_last || length >= n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "The batch size (%" G_GINT64_FORMAT
               ") is greater than the storage capacity (%" G_GINT64_FORMAT
               "). This makes it impossible to return a sample without repeating indices. Consider "
               "changing the sampler class or turn the 'drop_last' argument to False.",
               n, length);
  return FALSE;
}

/* Swaps the entries up to @end of a list for ones that are drawn from all that are left. */
static void
shuffle (const ReelPassList *self, gint64 seed, gint64 *list, gint64 end)
{
  /* The swap at a place depends on seed, pass and place alone, so that
   * batches of any size give one order. */
  ReelRandomKey key = reel_random_key ((guint64) seed, self->n_passes);

  for (gint64 first = MAX (self->at, self->settled), chunk; self->shuffle && first < end;
       first += chunk)
    {
      /* The swaps of a chunk are drawn before the first is made, and their lines fetched
       * meanwhile. */
      gint64 others[AHEAD];

      chunk = MIN (AHEAD, end - first);
      for (gint64 i = 0; i < chunk; i++)
        {
          gint64 at = first + i;

          others[i] = at + reel_random_below (key, at, self->length - at);
          __builtin_prefetch (&list[others[i]], 1);
        }
      for (gint64 i = 0; i < chunk; i++)
        {
          gint64 number = list[others[i]];

          list[others[i]] = list[first + i];
          list[first + i] = number;
        }
    }
}

const gint64 *
reel_pass_list_take (ReelPassList *self, gint64 seed, gint64 *n)
{
  const gint64 *taken = self->list + self->at;

  *n = MIN (*n, self->length - self->at);
  shuffle (self, seed, self->list, self->at + *n);
  self->at += *n;
  return taken;
}

void
reel_pass_list_end_batch (ReelPassList *self, gint64 n)
{
  gint64 left = self->length - self->at;

  self->ran_out = left == 0 || (self->drop_last && left < n);
  if (self->ran_out)
    reel_pass_list_begin_again (self);
}

gint64
reel_pass_list_count_batches (const ReelPassList *self, gint64 n)
{
  gint64 left = self->length - self->at;

  if (self->length == 0)
    return G_MAXINT64;
  return left / n + (!self->drop_last && left % n != 0);
}

double
reel_pass_list_percent (const ReelPassList *self)
{
  double left = (double) (self->length - self->at);

  return self->length > 0 ? left / (double) self->length * 100 : 0;
}

/* ---- what is left ---- */

void
reel_pass_state_clear (ReelPassState *self)
{
  g_free (self->left);
  g_free (self->list);
  *self = (ReelPassState){ 0 };
}

void
reel_pass_state_free (ReelPassState *self)
{
  if (self)
    reel_pass_state_clear (self);
  g_free (self);
}

gboolean
reel_pass_list_get_state (const ReelPassList *self, gint64 seed, ReelPassState *state,
                          GError **error)
{
  gsize n = (gsize) (self->length - self->at);
  gint64 *list = g_try_new (gint64, MAX (self->length, 1));

  if (!list)
    return set_no_memory (self->length, error);
  if (self->length > 0)
    memcpy (list, self->list, (gsize) self->length * sizeof *list);
  /* The numbers that are left, in the order in which they would be taken. */
  shuffle (self, seed, list, self->length);
  memmove (list, list + self->at, n * sizeof *list);
  *state = (ReelPassState){ .length = self->length,
                            .left = list,
                            .n = (gint64) n,
                            .drop_last = self->drop_last,
                            .ran_out = self->ran_out };
  return TRUE;
}

/* Those that were taken come first, in any order. */
gboolean
reel_pass_state_arrange (ReelPassState *self, GError **error)
{
  g_autofree guint8 *is_left = g_try_malloc0 ((gsize) MAX (self->length, 1));
  gint64 *list = g_try_new (gint64, MAX (self->length, 1)), at = 0;

  g_free (self->list);
  self->list = list;
  if (!is_left || !list)
    return set_no_memory (self->length, error);
  for (gint64 i = 0; i < self->n; i++)
    is_left[self->left[i]] = TRUE;
  for (gint64 number = 0; number < self->length; number++)
    if (!is_left[number])
      list[at++] = number;
  if (self->n > 0)
    memcpy (list + at, self->left, (gsize) self->n * sizeof *list);
  return TRUE;
}

static void
take_list (ReelPassList *self, ReelPassState *state)
{
  g_free (self->list);
  self->list = g_steal_pointer (&state->list);
  self->room = self->length = self->settled = state->length;
  self->at = state->length - state->n;
}

void
reel_pass_list_take_state (ReelPassList *self, ReelPassState *state)
{
  gint64 n_passes = self->n_passes;

  if (state->n == 0)
    reel_pass_list_forget (self);
  else
    take_list (self, state);
  self->n_passes = n_passes; /* it is no pass of its own */
  self->drop_last = state->drop_last;
  self->ran_out = state->ran_out;
}

/* ---- as TorchRL has it ---- */

ReelTensordict *
reel_pass_state_write (const ReelPassState *self, GError **error)
{
  g_autoptr (ReelTensordict) to = reel_tensordict_new (0, NULL);
  guint8 drop_last = (guint8) self->drop_last, ran_out = (guint8) self->ran_out;

  if (reel_state_set (to, "len_storage", REEL_DTYPE_INT64, 0, 1, &self->length, error)
      && (self->length > 0
              ? reel_state_set (to, "_sample_list", REEL_DTYPE_INT64, 1, self->n, self->left, error)
              : reel_tensordict_set_value (to, "_sample_list", NULL, error))
      && reel_state_set (to, "drop_last", REEL_DTYPE_BOOL, 0, 1, &drop_last, error)
      && reel_state_set (to, "_ran_out", REEL_DTYPE_BOOL, 0, 1, &ran_out, error))
    return g_steal_pointer (&to);
  return NULL;
}

/* Numbers below the length, once each. */
static gboolean
check_list (const gint64 *list, gint64 n, gint64 length, GError **error)
{
  g_autofree guint8 *seen = g_try_malloc0 ((gsize) MAX (length, 1));

  if (!seen)
    return set_no_memory (length, error);
  for (gint64 i = 0; i < n; i++)
    {
      if (list[i] < 0 || list[i] >= length || seen[list[i]])
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "\"_sample_list\" has %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                       ", another number below %" G_GINT64_FORMAT " expected",
                       list[i], i, length);
          return FALSE;
        }
      seen[list[i]] = TRUE;
    }
  return TRUE;
}

static gboolean
read_list (ReelPassState *self, const ReelTensor *list, gint64 length, GError **error)
{
  const gint64 *numbers = (const gint64 *) list->data;
  gint64 n = reel_tensor_numel (list);

  if (n == 0 || length == 0)
    return TRUE;
  if (!check_list (numbers, n, length, error))
    return FALSE;
  self->left = g_try_new (gint64, n);
  if (!self->left)
    return set_no_memory (n, error);
  memcpy (self->left, numbers, (gsize) n * sizeof *numbers);
  self->length = length;
  self->n = n;
  return TRUE;
}

ReelPassState *
reel_pass_state_read (const ReelTensordict *from, gint64 most, GError **error)
{
  const ReelTensor *length = reel_state_get (from, "len_storage", REEL_DTYPE_INT64, 0, error);
  const ReelTensor *drop_last =
      length ? reel_state_get (from, "drop_last", REEL_DTYPE_BOOL, 0, error) : NULL;
  const ReelTensor *ran_out =
      drop_last ? reel_state_get (from, "_ran_out", REEL_DTYPE_BOOL, 0, error) : NULL;
  g_autoptr (GVariant) none = reel_tensordict_dup_value (from, "_sample_list", NULL);
  g_autoptr (ReelPassState) self = g_new0 (ReelPassState, 1);
  const ReelTensor *list;
  gint64 n;

  if (!ran_out)
    return NULL;
  self->drop_last = *drop_last->data != 0;
  self->ran_out = *ran_out->data != 0;
  n = *(const gint64 *) length->data;
  if (n < 0 || n > most)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"len_storage\" is %" G_GINT64_FORMAT ", 0 to %" G_GINT64_FORMAT " expected", n,
                   most);
      return NULL;
    }
  if (none) /* before the first draw */
    return g_steal_pointer (&self);
  list = reel_state_get (from, "_sample_list", REEL_DTYPE_INT64, 1, error);
  return list && read_list (self, list, n, error) ? g_steal_pointer (&self) : NULL;
}
