#include "state-list.h"

#include <string.h>

/* Values, or a buffer. */
typedef struct
{
  char *name;
  ReelDtype dtype;
  gint64 n;
  gpointer values;
  ReelReplayBuffer *buffer;
} Entry;

struct _StateList
{
  GArray *entries;
};

static void
clear_entry (gpointer data)
{
  Entry *entry = data;

  g_free (entry->name);
}

StateList *
state_list_new (void)
{
  StateList *self = g_new0 (StateList, 1);

  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (self->entries, clear_entry);
  return self;
}

void
state_list_free (StateList *self)
{
  if (!self)
    return;
  g_array_unref (self->entries);
  g_free (self);
}

/* ---- entries ---- */

void
state_list_add (StateList *self, const char *name, ReelDtype dtype, gpointer values, gsize n)
{
  const Entry entry = { g_strdup (name), dtype, (gint64) n, values, NULL };

  g_array_append_val (self->entries, entry);
}

void
state_list_add_integer (StateList *self, const char *name, gint64 *value)
{
  state_list_add (self, name, REEL_DTYPE_INT64, value, 1);
}

void
state_list_add_real (StateList *self, const char *name, double *value)
{
  state_list_add (self, name, REEL_DTYPE_FLOAT64, value, 1);
}

void
state_list_add_network (StateList *self, const char *name, Network *network)
{
  state_list_add (self, name, REEL_DTYPE_FLOAT32, network->parameters, network->n_parameters);
}

void
state_list_add_adam (StateList *self, const char *name, Adam *adam)
{
  g_autofree char *mean = g_strconcat (name, "-mean", NULL);
  g_autofree char *square = g_strconcat (name, "-square", NULL);
  g_autofree char *steps = g_strconcat (name, "-steps", NULL);

  state_list_add (self, mean, REEL_DTYPE_FLOAT32, adam->mean, adam->n);
  state_list_add (self, square, REEL_DTYPE_FLOAT32, adam->square, adam->n);
  state_list_add_integer (self, steps, &adam->n_steps);
}

void
state_list_add_random (StateList *self, const char *name, ReelPcg64 *random)
{
  state_list_add (self, name, REEL_DTYPE_UINT8, random, sizeof *random);
}

void
state_list_add_buffer (StateList *self, const char *name, ReelReplayBuffer *buffer)
{
  const Entry entry = { g_strdup (name), REEL_DTYPE_UINT8, 0, NULL, buffer };

  g_array_append_val (self->entries, entry);
}

/* ---- into a state ---- */

static gboolean
save_values (const Entry *entry, ReelTensordict *state, GError **error)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (entry->dtype, 1, &entry->n, error);

  if (!tensor)
    return FALSE;
  memcpy (tensor->data, entry->values, (gsize) entry->n * reel_dtype_size (entry->dtype));
  return reel_tensordict_set_tensor (state, entry->name, tensor, error);
}

static gboolean
save_buffer (const Entry *entry, ReelTensordict *state, GError **error)
{
  g_autoptr (ReelTensordict) part = reel_replay_buffer_dup_state (entry->buffer, error);

  return part && reel_tensordict_set_tensordict (state, entry->name, part, error);
}

ReelTensordict *
state_list_save (const StateList *self, GError **error)
{
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);

  for (guint i = 0; i < self->entries->len; i++)
    {
      const Entry *entry = &g_array_index (self->entries, Entry, i);

      if (!(entry->buffer ? save_buffer : save_values) (entry, state, error))
        return NULL;
    }
  return g_steal_pointer (&state);
}

/* ---- and from it ---- */

static gboolean
check_values (const Entry *entry, const ReelTensordict *state, GError **error)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (state, entry->name, error);

  if (!tensor)
    return FALSE;
  if (tensor->dtype == entry->dtype && tensor->ndim == 1 && tensor->shape[0] == entry->n)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" has %" G_GINT64_FORMAT " values of %s, %" G_GINT64_FORMAT " of %s expected",
               entry->name, reel_tensor_numel (tensor), reel_dtype_name (tensor->dtype), entry->n,
               reel_dtype_name (entry->dtype));
  return FALSE;
}

static gboolean
load_buffer (const Entry *entry, const ReelTensordict *state, GError **error)
{
  const ReelTensordict *part = reel_tensordict_get_tensordict (state, entry->name, error);

  return part && reel_replay_buffer_set_state (entry->buffer, part, error);
}

gboolean
state_list_load (const StateList *self, const ReelTensordict *state, GError **error)
{
  const Entry *entries = (const Entry *) (gconstpointer) self->entries->data;
  guint n = self->entries->len;

  for (guint i = 0; i < n; i++)
    if (!entries[i].buffer && !check_values (&entries[i], state, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (entries[i].buffer && !load_buffer (&entries[i], state, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (!entries[i].buffer)
      memcpy (entries[i].values, reel_tensordict_get_tensor (state, entries[i].name, NULL)->data,
              (gsize) entries[i].n * reel_dtype_size (entries[i].dtype));
  return TRUE;
}
