#include "mlp-network.h"

#include <string.h>

#include "../core/formats/crc32c.h"
#include "../core/formats/safetensors.h"
#include "../core/tensordict-files/tensordict-files.h"

/* Of which a layer has a weight. */
#define MOST_SIDE (1 << 20)

/* ---- names ---- */

/* Compares names as people count: 2 is before 10. */
static gint
compare_names (gconstpointer a, gconstpointer b)
{
  const char *one = *(const char *const *) a, *other = *(const char *const *) b;

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

/* Whether the last part of a name is @part. */
static gboolean
ends_in (const char *name, const char *part)
{
  gsize n = strlen (name), m = strlen (part);

  return g_str_has_suffix (name, part) && (n == m || is_separator (name[n - m - 1]));
}

static gboolean
begins_with (const char *name, const char *prefix)
{
  if (prefix == NULL || *prefix == '\0')
    return TRUE;
  for (; *prefix; name++, prefix++)
    if (*name != *prefix && !(is_separator (*name) && is_separator (*prefix)))
      return FALSE;
  return is_separator (*name) || is_separator (name[-1]);
}

/* ---- layers ---- */

static float
get (const ReelTensor *tensor, gint64 i, gint64 k)
{
  const guint8 *at = tensor->data + i * tensor->strides[0];

  if (tensor->ndim > 1)
    at += k * tensor->strides[1];
  return (float) reel_dtype_load_double (tensor->dtype, at);
}

static void
fill_layer (ReelMlpLayer *layer, const ReelTensor *weight, const ReelTensor *bias)
{
  gsize n_outs;

  layer->n_out = weight->shape[0];
  layer->n_in = weight->shape[1];
  layer->n_panels = (layer->n_out + REEL_MLP_PANEL - 1) / REEL_MLP_PANEL;
  n_outs = (gsize) layer->n_panels * REEL_MLP_PANEL;
  layer->weights = g_new0 (float, n_outs *(gsize) layer->n_in);
  layer->bias = g_new0 (float, n_outs);
  for (gint64 o = 0; o < layer->n_out; o++)
    {
      float *panel = layer->weights + o / REEL_MLP_PANEL * layer->n_in * REEL_MLP_PANEL;

      for (gint64 k = 0; k < layer->n_in; k++)
        panel[k * REEL_MLP_PANEL + o % REEL_MLP_PANEL] = get (weight, o, k);
      layer->bias[o] = bias ? get (bias, o, 0) : 0;
    }
}

static guint32
sum_layer (guint32 checksum, const ReelMlpLayer *layer)
{
  gsize n = (gsize) layer->n_panels * REEL_MLP_PANEL * sizeof (float);

  checksum = reel_crc32c (checksum, layer->weights, n * (gsize) layer->n_in);
  return reel_crc32c (checksum, layer->bias, n);
}

static gboolean
is_side (gint64 extent)
{
  return extent >= 1 && extent <= MOST_SIDE;
}

static gboolean
check_weight (const char *path, const char *name, const ReelTensor *weight, gint64 n_in,
              GError **error)
{
  if (!reel_dtype_is_float (weight->dtype))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s: \"%s\" is %s, and weights are floats",
                 path, name, reel_dtype_name (weight->dtype));
  else if (weight->ndim != 2 || !is_side (weight->shape[0]) || !is_side (weight->shape[1]))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: \"%s\" is not the weight of a linear layer: it has %d dimensions of 1 to %d, "
                 "and must have 2",
                 path, name, weight->ndim, MOST_SIDE);
  else if (n_in > 0 && weight->shape[1] != n_in)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: \"%s\" takes %" G_GINT64_FORMAT " inputs, and the layer before it has "
                 "%" G_GINT64_FORMAT " outputs; prefix=NAME chooses one of several networks",
                 path, name, weight->shape[1], n_in);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_bias (const char *path, const char *name, const ReelTensor *bias, gint64 n_out,
            GError **error)
{
  if (bias == NULL
      || (reel_dtype_is_float (bias->dtype) && bias->ndim == 1 && bias->shape[0] == n_out))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: \"%s\" must be floats, one for each of %" G_GINT64_FORMAT " outputs", path,
               name, n_out);
  return FALSE;
}

static gboolean
add_layer (ReelMlpNetwork *self, const char *path, const ReelTensordict *tensors, const char *name,
           GError **error)
{
  const ReelTensor *weight = reel_tensordict_get_tensor (tensors, name, NULL);
  g_autofree char *bias_name =
      g_strdup_printf ("%.*sbias", (int) (strlen (name) - strlen ("weight")), name);
  const ReelTensor *bias = reel_tensordict_get_tensor (tensors, bias_name, NULL);

  if (!check_weight (path, name, weight, self->n_layers > 0 ? self->n_out : 0, error)
      || !check_bias (path, bias_name, bias, weight->shape[0], error))
    return FALSE;
  self->layers = g_renew (ReelMlpLayer, self->layers, self->n_layers + 1);
  fill_layer (&self->layers[self->n_layers], weight, bias);
  self->checksum = sum_layer (self->checksum, &self->layers[self->n_layers]);
  if (self->n_layers++ == 0)
    self->n_in = weight->shape[1];
  self->n_out = weight->shape[0];
  self->width = MAX (self->width, (gsize) weight->shape[1]);
  self->width =
      MAX (self->width, (gsize) self->layers[self->n_layers - 1].n_panels * REEL_MLP_PANEL);
  return TRUE;
}

/* Whether a name is that of a bias, and its weight is there. */
static gboolean
is_bias (const ReelTensordict *tensors, const char *name)
{
  g_autofree char *weight = NULL;

  if (!ends_in (name, "bias"))
    return FALSE;
  weight = g_strdup_printf ("%.*sweight", (int) (strlen (name) - strlen ("bias")), name);
  return reel_tensordict_get_tensor (tensors, weight, NULL) != NULL;
}

/* The names of weights, in order; all others must be biases of theirs. */
static GPtrArray *
list_weights (const char *path, const ReelTensordict *tensors, const char *prefix, GError **error)
{
  g_auto (GStrv) names = reel_tensordict_list_leaves (tensors);
  g_autoptr (GPtrArray) weights = g_ptr_array_new_with_free_func (g_free);

  for (char **name = names; *name; name++)
    {
      if (!begins_with (*name, prefix))
        continue;
      if (ends_in (*name, "weight"))
        g_ptr_array_add (weights, g_strdup (*name));
      else if (!is_bias (tensors, *name))
        {
          g_set_error (
              error, REEL_ERROR, REEL_ERROR_VALUE,
              "%s: \"%s\" is neither weight nor bias of a linear layer; prefix=NAME chooses "
              "the network",
              path, *name);
          return NULL;
        }
    }
  if (weights->len > 0)
    {
      g_ptr_array_sort (weights, compare_names);
      return g_steal_pointer (&weights);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "%s has no weights%s%s", path,
               prefix ? " below " : "", prefix ? prefix : "");
  return NULL;
}

static ReelTensordict *
load (const char *path, GError **error)
{
  return g_str_has_suffix (path, ".safetensors")
             ? reel_safetensors_load (path, error)
             : reel_tensordict_load (path, REEL_LOAD_READ_ONLY | REEL_LOAD_TENSORS, error);
}

ReelMlpNetwork *
reel_mlp_network_load (const char *path, const char *prefix, ReelMlpActivation activation,
                       GError **error)
{
  g_autoptr (ReelMlpNetwork) self = g_new0 (ReelMlpNetwork, 1);
  g_autoptr (ReelTensordict) tensors = load (path, error);
  g_autoptr (GPtrArray) weights = tensors ? list_weights (path, tensors, prefix, error) : NULL;
  ReelIsa isa;

  if (weights == NULL || !reel_isa_choose (&isa, error))
    return NULL;
  self->activation = activation;
  self->kernels = REEL_KERNEL_PICK (reel_mlp_kernels, isa);
  self->exp = REEL_KERNEL_PICK (reel_exp_kernels, isa);
  for (guint i = 0; i < weights->len; i++)
    if (!add_layer (self, path, tensors, weights->pdata[i], error))
      return NULL;
  return g_steal_pointer (&self);
}

void
reel_mlp_network_free (ReelMlpNetwork *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < self->n_layers; i++)
    {
      g_free (self->layers[i].weights);
      g_free (self->layers[i].bias);
    }
  g_free (self->layers);
  g_free (self);
}

/* ---- running ---- */

void
reel_mlp_tile_init (ReelMlpTile *self, const ReelMlpNetwork *network)
{
  gsize n = REEL_MLP_TILE * network->width;

  self->rows = g_new (float, n);
  self->others = g_new (float, n);
  self->doubles = g_new (double, n);
}

void
reel_mlp_tile_clear (ReelMlpTile *self)
{
  g_free (self->rows);
  g_free (self->others);
  g_free (self->doubles);
}

/* e^(@sign × x), of each. */
static void
exponentials (const ReelMlpNetwork *self, const float *values, gsize n, double sign, double *to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = sign * (double) values[i];
  self->exp->exp (to, (gint64) n, to);
}

static void
activate (const ReelMlpNetwork *self, float *values, gsize n, double *doubles)
{
  switch (self->activation)
    {
    case REEL_MLP_TANH:
      for (gsize i = 0; i < n; i++)
        doubles[i] = (double) values[i];
      self->exp->tanh (doubles, (gint64) n, doubles);
      for (gsize i = 0; i < n; i++)
        values[i] = (float) doubles[i];
      return;
    case REEL_MLP_RELU:
      for (gsize i = 0; i < n; i++)
        values[i] = values[i] < 0 ? 0 : values[i];
      return;
    case REEL_MLP_LEAKY_RELU:
      for (gsize i = 0; i < n; i++)
        values[i] = values[i] < 0 ? values[i] * 0.01f : values[i];
      return;
    case REEL_MLP_ELU:
      exponentials (self, values, n, 1, doubles);
      for (gsize i = 0; i < n; i++)
        values[i] = values[i] < 0 ? (float) (doubles[i] - 1) : values[i];
      return;
    case REEL_MLP_SIGMOID:
    case REEL_MLP_SILU:
      exponentials (self, values, n, -1, doubles);
      for (gsize i = 0; i < n; i++)
        {
          double x = self->activation == REEL_MLP_SILU ? (double) values[i] : 1;

          values[i] = (float) (x / (1 + doubles[i]));
        }
      return;
    }
}

void
reel_mlp_network_run (const ReelMlpNetwork *self, ReelMlpTile *tile, gint64 n)
{
  for (gsize i = 0; i < self->n_layers; i++)
    {
      const ReelMlpLayer *layer = &self->layers[i];
      float *from = tile->rows;
      gsize n_outs = (gsize) layer->n_panels * REEL_MLP_PANEL;

      self->kernels->layer (layer, from, self->width, n, tile->others, self->width);
      tile->rows = tile->others;
      tile->others = from;
      for (gint64 row = 0; i + 1 < self->n_layers && row < n; row++)
        activate (self, tile->rows + (gsize) row * self->width, n_outs, tile->doubles);
    }
}
