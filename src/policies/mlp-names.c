#include "mlp-names.h"

#include <string.h>

#include "../core/object/error.h"

/* ---- names ---- */

/* Compares names as people count: 2 is before 10. */
static gint
compare_names (const char *one, const char *other)
{
  for (; *one && *other; one++, other++)
    if (g_ascii_isdigit (*one) && g_ascii_isdigit (*other))
      {
        char *one_end, *other_end;
        guint64 x = g_ascii_strtoull (one, &one_end, 10);
        guint64 y = g_ascii_strtoull (other, &other_end, 10);

        if (x != y)
          return x < y ? -1 : 1;
        one = one_end - 1;
        other = other_end - 1;
      }
    else if (*one != *other)
      return *one < *other ? -1 : 1;
  return (*one != 0) - (*other != 0);
}

static gboolean
is_separator (char c)
{
  return c == '.' || c == '/';
}

/* The rest of @name behind @prefix and a separator; NULL where it begins otherwise. */
static const char *
skip_prefix (const char *name, const char *prefix)
{
  if (prefix == NULL || *prefix == '\0')
    return name;
  for (; *prefix; name++, prefix++)
    if (*name != *prefix && !(is_separator (*name) && is_separator (*prefix)))
      return NULL;
  return is_separator (*name) ? name + 1 : is_separator (name[-1]) ? name : NULL;
}

/* Whether it is `_l` and a number, or nothing. */
static gboolean
is_tail (const char *text)
{
  return *text == '\0'
         || (g_str_has_prefix (text, "_l") && text[2]
             && strspn (text + 2, "0123456789") == strlen (text + 2));
}

/* The layer that a tensor of this name belongs to; FALSE for one of another kind. */
static gboolean
parse (const char *name, ReelMlpName *layer)
{
  static const char *const words[] = { "weight", "bias" };
  gsize n = strlen (name);

  while (n > 0 && !is_separator (name[n - 1]))
    n--;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      const char *rest = name + n + strlen (words[i]);

      if (!g_str_has_prefix (name + n, words[i]))
        continue;
      if (*rest != '\0'
          && !((g_str_has_prefix (rest, "_ih") || g_str_has_prefix (rest, "_hh"))
               && is_tail (rest + 3)))
        return FALSE;
      *layer = (ReelMlpName){ g_strndup (name, n), *rest ? g_strdup (rest + 3) : NULL };
      return TRUE;
    }
  return FALSE;
}

static void
clear_name (gpointer data)
{
  ReelMlpName *self = data;

  g_free (self->stem);
  g_free (self->tail);
}

/* ---- their tensors ---- */

/* @name with each `from` as `to`. */
static char *
exchange (const char *name, char from, char to)
{
  return g_strdelimit (g_strdup (name), (char[]){ from, '\0' }, to);
}

const ReelTensor *
reel_mlp_name_get (const ReelMlpName *self, const ReelTensordict *tensors, const char *what,
                   char **name)
{
  *name = g_strconcat (self->stem, what, self->tail, NULL);

  g_autofree char *nested = exchange (*name, '.', '/'), *flat = exchange (*name, '/', '.');
  const ReelTensor *tensor = reel_tensordict_get_tensor (tensors, *name, NULL);

  if (tensor == NULL)
    tensor = reel_tensordict_get_tensor (tensors, nested, NULL);
  return tensor ? tensor : reel_tensordict_get_tensor (tensors, flat, NULL);
}

static gboolean
has_weight (const ReelMlpName *layer, const ReelTensordict *tensors)
{
  g_autofree char *name = NULL;

  return reel_mlp_name_get (layer, tensors, layer->tail ? "weight_ih" : "weight", &name) != NULL;
}

/* ---- their order ---- */

typedef struct
{
  const char *prefix;
  const char *const *parts;
} Order;

/* The number of the part that a layer belongs to, -1 for none. */
static gint
find_part (const Order *order, const ReelMlpName *layer)
{
  const char *rest = skip_prefix (layer->stem, order->prefix);

  for (gint i = 0; order->parts && order->parts[i]; i++)
    if (skip_prefix (rest, order->parts[i]))
      return i;
  return order->parts ? -1 : 0;
}

static gint
compare_layers (gconstpointer a, gconstpointer b, gpointer order)
{
  const ReelMlpName *one = a, *other = b;
  gint difference = find_part (order, one) - find_part (order, other);

  if (difference == 0)
    difference = compare_names (one->stem, other->stem);
  return difference ? difference
                    : compare_names (one->tail ? one->tail : "", other->tail ? other->tail : "");
}

static gboolean
has_layer (const GArray *layers, const ReelMlpName *layer)
{
  for (guint i = 0; i < layers->len; i++)
    {
      const ReelMlpName *other = &g_array_index (layers, ReelMlpName, i);

      if (g_str_equal (other->stem, layer->stem) && g_strcmp0 (other->tail, layer->tail) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Takes the layer of the tensor @name, unless it is there. */
static gboolean
add (GArray *layers, const char *path, const char *name, const ReelTensordict *tensors,
     const Order *order, GError **error)
{
  ReelMlpName layer = { 0 };
  gboolean parsed = parse (name, &layer) && has_weight (&layer, tensors);

  if (parsed && find_part (order, &layer) >= 0)
    {
      if (has_layer (layers, &layer))
        clear_name (&layer);
      else
        g_array_append_val (layers, layer);
      return TRUE;
    }
  clear_name (&layer);
  if (parsed)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s: \"%s\" is in none of the layers=[…]",
                 path, name);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: \"%s\" is neither weight nor bias of a linear layer, an LSTM or a GRU of one "
                 "direction; prefix=NAME chooses the network",
                 path, name);
  return FALSE;
}

GArray *
reel_mlp_names_new (const char *path, const ReelTensordict *tensors, const char *prefix,
                    const char *const *parts, GError **error)
{
  g_auto (GStrv) names = reel_tensordict_list_leaves (tensors);
  g_autoptr (GArray) layers = g_array_new (FALSE, FALSE, sizeof (ReelMlpName));
  Order order = { prefix, parts };

  g_array_set_clear_func (layers, clear_name);
  for (char **name = names; *name; name++)
    if (skip_prefix (*name, prefix) && !add (layers, path, *name, tensors, &order, error))
      return NULL;
  if (layers->len > 0)
    {
      g_array_sort_with_data (layers, compare_layers, &order);
      return g_steal_pointer (&layers);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "%s has no weights%s%s", path,
               prefix ? " below " : "", prefix ? prefix : "");
  return NULL;
}
