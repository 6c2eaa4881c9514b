/* Names of the dimensions of a tensordict. */
#include "tensordict-private.h"

#include <string.h>

#define ELLIPSIS "..."

/* A list of names as Python prints it: `[None, 'time']`. */
static char *
names_to_string (gint n, const char *const *names)
{
  GString *text = g_string_new ("[");

  for (gint i = 0; i < n; i++)
    {
      g_string_append (text, i == 0 ? "" : ", ");
      if (names[i] && strcmp (names[i], ELLIPSIS) == 0)
        g_string_append (text, "Ellipsis");
      else
        g_string_append_printf (text, names[i] ? "'%s'" : "None", names[i]);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static gboolean
check_unique (gint n, const char *const *names, GError **error)
{
  for (gint i = 0; i < n; i++)
    for (gint j = 0; j < i; j++)
      if (names[i] && g_strcmp0 (names[i], names[j]) == 0)
        {
          g_autofree char *list = names_to_string (n, names);
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "Some dimension names are non-unique: %s.", list);
          return FALSE;
        }
  return TRUE;
}

/* The names of the elements of a lazy stack: all but its own dimension. */
static gint
without_stack_dim (const ReelTensordict *td, gint n, const char *const *names, const char **rest)
{
  gint n_rest = 0;

  for (gint i = 0; i < n; i++)
    if (!td->elements || i != td->stack_dim)
      rest[n_rest++] = names[i];
  return n_rest;
}

static void
name_dims (ReelTensordict *td, gint n, const char *const *names)
{
  const char *below[REEL_MAX_NDIM];
  gint n_below = without_stack_dim (td, n, names, below);
  ReelTensordict *nested;
  guint at = 0;

  for (gint i = 0; i < n; i++)
    {
      g_free (td->names[i]);
      td->names[i] = g_strdup (names[i]);
    }
  while ((nested = reel_tensordict_get_nested (td, &at)))
    name_dims (nested, n_below, below);
}

/* Names the first @n dimensions, here and below. */
static void
name_first_dims (ReelTensordict *td, gint n, const char *const *names)
{
  char *copies[REEL_MAX_NDIM] = { NULL }; /* for @names may be those of @td */

  for (gint i = 0; names && i < n; i++)
    copies[i] = g_strdup (names[i]);
  name_dims (td, n, (const char *const *) copies);
  for (gint i = 0; i < n; i++)
    g_free (copies[i]);
}

gboolean
reel_tensordict_set_names (ReelTensordict *td, const char *const *names, GError **error)
{
  if (names && !check_unique (td->ndim, names, error))
    return FALSE;
  name_first_dims (td, td->ndim, names);
  return TRUE;
}

void
reel_tensordict_copy_names (ReelTensordict *td, const char *const *names)
{
  name_first_dims (td, td->ndim, names);
}

const char *
reel_tensordict_get_name (const ReelTensordict *td, gint dim)
{
  g_return_val_if_fail (dim >= 0 && dim < td->ndim, NULL);

  return td->names[dim];
}

gboolean
reel_tensordict_has_names (const ReelTensordict *td)
{
  for (gint i = 0; i < td->ndim; i++)
    if (td->names[i])
      return TRUE;
  return FALSE;
}

static gboolean
set_coerce_error (const ReelTensordict *td, gint n, const char *const *names, GError **error)
{
  g_autofree char *found = names_to_string (td->ndim, (const char *const *) td->names);
  g_autofree char *wanted = names_to_string (n, names);

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "refine_names: cannot coerce TensorDict names %s with %s.", found, wanted);
  return FALSE;
}

static gint
find_ellipsis (gint n, const char *const *names)
{
  for (gint i = 0; i < n; i++)
    if (names[i] && strcmp (names[i], ELLIPSIS) == 0)
      return i;
  return -1;
}

/* The name of each dimension by @names, its ellipsis filled from @td. */
static gboolean
fill_ellipsis (const ReelTensordict *td, gint n, const char *const *names, const char **full,
               GError **error)
{
  gint at = find_ellipsis (n, names);
  gint filled = at < 0 ? 0 : td->ndim - (n - 1);

  if (filled < 0 || (at < 0 && n > td->ndim))
    return set_coerce_error (td, n, names, error);
  if (at < 0 && n < td->ndim)
    {
      g_autofree char *list = names_to_string (n, names);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the length of the dimension names must equate the tensordict batch_dims "
                   "attribute. Got %s for batch_dims %d.",
                   list, td->ndim);
      return FALSE;
    }
  for (gint i = 0; i < td->ndim; i++)
    if (at >= 0 && i >= at && i < at + filled)
      full[i] = td->names[i];
    else
      full[i] = names[at >= 0 && i >= at ? i - filled + 1 : i];
  return TRUE;
}

gboolean
reel_tensordict_refine_names (ReelTensordict *td, gint n, const char *const *names, GError **error)
{
  const char *full[REEL_MAX_NDIM] = { NULL };

  if (!fill_ellipsis (td, n, names, full, error))
    return FALSE;
  for (gint i = 0; i < td->ndim; i++)
    if (td->names[i] && g_strcmp0 (td->names[i], full[i]) != 0)
      return set_coerce_error (td, n, names, error);
  return reel_tensordict_set_names (td, full, error);
}

static gint
find_name (const ReelTensordict *td, const char *name)
{
  for (gint i = 0; i < td->ndim; i++)
    if (g_strcmp0 (td->names[i], name) == 0)
      return i;
  return -1;
}

gboolean
reel_tensordict_rename_dims (ReelTensordict *td, gint n, const char *const *old_names,
                             const char *const *new_names, GError **error)
{
  const char *names[REEL_MAX_NDIM] = { NULL };

  memcpy (names, td->names, sizeof names);
  for (gint i = 0; i < n; i++)
    {
      gint at = find_name (td, old_names[i]);
      if (at < 0 || !old_names[i])
        {
          g_autofree char *wanted = names_to_string (n, old_names);
          g_autofree char *found = names_to_string (td->ndim, (const char *const *) td->names);
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "Some names to be renamed were not part of the tensordict names: %s vs %s.",
                       wanted, found);
          return FALSE;
        }
      names[at] = new_names[i];
    }
  return reel_tensordict_set_names (td, names, error);
}
