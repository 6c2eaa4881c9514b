#include "mlp-network.h"

#include <string.h>

#include "../core/formats/crc32c.h"

/* Of which a layer has a weight. */
#define MOST_SIDE (1 << 20)

/* ---- tensors ---- */

static gboolean
is_side (gint64 extent)
{
  return extent >= 1 && extent <= MOST_SIDE;
}

static const ReelTensor *
get_weight (const char *path, const ReelMlpName *layer, const char *what,
            const ReelTensordict *tensors, GError **error)
{
  g_autofree char *name = NULL;
  const ReelTensor *weight = reel_mlp_name_get (layer, tensors, what, &name);

  if (weight == NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "%s has no weight \"%s\"", path, name);
  else if (!reel_dtype_is_float (weight->dtype))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s: \"%s\" is %s, and weights are floats",
                 path, name, reel_dtype_name (weight->dtype));
  else if (weight->ndim != 2 || !is_side (weight->shape[0]) || !is_side (weight->shape[1]))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: \"%s\" is not the weight of a layer: it has %d dimensions of 1 to %d, "
                 "and must have 2",
                 path, name, weight->ndim, MOST_SIDE);
  else
    return weight;
  return NULL;
}

/* FALSE for a bias that is there and cannot be one. */
static gboolean
get_bias (const char *path, const ReelMlpName *layer, const char *what,
          const ReelTensordict *tensors, gint64 n_out, const ReelTensor **bias, GError **error)
{
  g_autofree char *name = NULL;

  *bias = reel_mlp_name_get (layer, tensors, what, &name);
  if (*bias == NULL
      || (reel_dtype_is_float ((*bias)->dtype) && (*bias)->ndim == 1 && (*bias)->shape[0] == n_out))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: \"%s\" must be floats, one for each of %" G_GINT64_FORMAT " outputs", path,
               name, n_out);
  return FALSE;
}

/* ---- the structure ---- */

static void
set_layer (ReelMlpNetwork *self, ReelMlpLayer *layer, const ReelTensor *weight)
{
  gint64 n_out = weight->shape[0], n_in = weight->shape[1];
  gint64 n_panels = (n_out + REEL_MLP_PANEL - 1) / REEL_MLP_PANEL;
  gsize n_outs = (gsize) n_panels * REEL_MLP_PANEL;

  *layer = (ReelMlpLayer){ .n_in = n_in, .n_out = n_out, .n_panels = n_panels };
  self->n_floats += n_outs * (gsize) (n_in + 1);
  self->width = MAX (self->width, MAX ((gsize) n_in, n_outs));
}

/* Of a linear layer its weight, of a recurrent one that of its inputs. */
static gboolean
check_inputs (const ReelMlpNetwork *self, const char *path, const ReelMlpName *name,
              const ReelTensor *weight, GError **error)
{
  if (self->n_stages == 0 || weight->shape[1] == self->n_out)
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_VALUE,
      "%s: \"%sweight%s%s\" takes %" G_GINT64_FORMAT
      " inputs, and the layer before it has %" G_GINT64_FORMAT
      " outputs; prefix=NAME chooses one of several networks, layers=[NAME,...] their order",
      path, name->stem, name->tail ? "_ih" : "", name->tail ? name->tail : "", weight->shape[1],
      self->n_out);
  return FALSE;
}

/* The kind of a recurrent layer, by its gates. */
static gboolean
find_cell (const ReelMlpNetwork *self, const char *path, const ReelMlpName *name,
           const ReelTensor *input, const ReelTensor *recurrent, ReelMlpCell *cell, GError **error)
{
  gint64 n_gates = recurrent->shape[0], n_hidden = recurrent->shape[1];
  const ReelMlpStage *last = self->n_stages > 0 ? &self->stages[self->n_stages - 1] : NULL;

  *cell = n_gates == 4 * n_hidden ? REEL_MLP_LSTM : REEL_MLP_GRU;
  if ((n_gates != 4 * n_hidden && n_gates != 3 * n_hidden) || input->shape[0] != n_gates)
    g_set_error (
        error, REEL_ERROR, REEL_ERROR_VALUE,
        "%s: \"%sweight_hh%s\" is neither of an LSTM, with 4 gates for each hidden number, "
        "nor of a GRU, with 3: it is [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "], and "
        "weight_ih has %" G_GINT64_FORMAT " gates",
        path, name->stem, name->tail, n_gates, n_hidden, input->shape[0]);
  else if (self->depth > 0
           && (*cell != self->cell || n_hidden != self->n_hidden || last->cell == REEL_MLP_LINEAR))
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "%s: \"%sweight_hh%s\" is of a second recurrent network; one is supported, of "
                 "layers of one kind and size",
                 path, name->stem, name->tail);
  else
    return TRUE;
  return FALSE;
}

static gboolean
add_recurrent (ReelMlpNetwork *self, ReelMlpStage *stage, const char *path, const ReelMlpName *name,
               const ReelTensordict *tensors, GError **error)
{
  const ReelTensor *input = get_weight (path, name, "weight_ih", tensors, error);
  const ReelTensor *recurrent = input ? get_weight (path, name, "weight_hh", tensors, error) : NULL;

  if (recurrent == NULL || !check_inputs (self, path, name, input, error)
      || !find_cell (self, path, name, input, recurrent, &stage->cell, error))
    return FALSE;
  set_layer (self, &stage->input, input);
  set_layer (self, &stage->recurrent, recurrent);
  self->cell = stage->cell;
  self->depth++;
  self->n_hidden = self->n_out = recurrent->shape[1];
  return TRUE;
}

static gboolean
add_linear (ReelMlpNetwork *self, ReelMlpStage *stage, const char *path, const ReelMlpName *name,
            const ReelTensordict *tensors, GError **error)
{
  const ReelTensor *weight = get_weight (path, name, "weight", tensors, error);

  if (weight == NULL || !check_inputs (self, path, name, weight, error))
    return FALSE;
  set_layer (self, &stage->input, weight);
  self->n_out = weight->shape[0];
  return TRUE;
}

static gboolean
add_stage (ReelMlpNetwork *self, const char *path, const ReelMlpName *name,
           const ReelTensordict *tensors, GError **error)
{
  ReelMlpStage *stage = &self->stages[self->n_stages];

  if (!(name->tail ? add_recurrent : add_linear) (self, stage, path, name, tensors, error))
    return FALSE;
  if (self->n_stages++ == 0)
    self->n_in = stage->input.n_in;
  return TRUE;
}

static void
choose_activations (ReelMlpNetwork *self, gboolean activates_memory)
{
  for (gsize i = 0; i + 1 < self->n_stages; i++)
    self->stages[i].activated =
        self->stages[i].cell == REEL_MLP_LINEAR
        && (activates_memory || self->stages[i + 1].cell == REEL_MLP_LINEAR);
}

/* ---- the weights ---- */

static float
get (const ReelTensor *tensor, gint64 i, gint64 k)
{
  const guint8 *at = tensor->data + i * tensor->strides[0];

  if (tensor->ndim > 1)
    at += k * tensor->strides[1];
  return (float) reel_dtype_load_double (tensor->dtype, at);
}

/* Where the bias of a layer is, behind the weights at @floats. */
static float *
find_bias (const ReelMlpLayer *layer, float *floats)
{
  return floats + layer->n_panels * REEL_MLP_PANEL * layer->n_in;
}

static gboolean
pack_layer (const ReelMlpLayer *layer, const char *path, const ReelMlpName *name,
            const char *suffix, const ReelTensordict *tensors, float **floats, GError **error)
{
  g_autofree char *of_weight = g_strconcat ("weight", suffix, NULL);
  g_autofree char *of_bias = g_strconcat ("bias", suffix, NULL);
  const ReelTensor *weight = get_weight (path, name, of_weight, tensors, error), *bias;
  float *biases = find_bias (layer, *floats);

  if (weight == NULL || !get_bias (path, name, of_bias, tensors, layer->n_out, &bias, error))
    return FALSE;
  if (weight->shape[0] != layer->n_out || weight->shape[1] != layer->n_in)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%s: \"%s%s%s\" is [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                   "], and that of the network is [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]",
                   path, name->stem, of_weight, name->tail ? name->tail : "", weight->shape[0],
                   weight->shape[1], layer->n_out, layer->n_in);
      return FALSE;
    }
  for (gint64 o = 0; o < layer->n_out; o++)
    {
      float *panel = *floats + o / REEL_MLP_PANEL * layer->n_in * REEL_MLP_PANEL;

      for (gint64 k = 0; k < layer->n_in; k++)
        panel[k * REEL_MLP_PANEL + o % REEL_MLP_PANEL] = get (weight, o, k);
      biases[o] = bias ? get (bias, o, 0) : 0;
    }
  *floats = biases + layer->n_panels * REEL_MLP_PANEL;
  return TRUE;
}

gboolean
reel_mlp_network_pack (const ReelMlpNetwork *self, const char *path, const ReelTensordict *tensors,
                       float *floats, GError **error)
{
  for (gsize i = 0; i < self->n_stages; i++)
    {
      const ReelMlpStage *stage = &self->stages[i];
      const ReelMlpName *name = &g_array_index (self->names, ReelMlpName, i);
      gboolean is_recurrent = stage->cell != REEL_MLP_LINEAR;

      if (!pack_layer (&stage->input, path, name, is_recurrent ? "_ih" : "", tensors, &floats,
                       error)
          || (is_recurrent
              && !pack_layer (&stage->recurrent, path, name, "_hh", tensors, &floats, error)))
        return FALSE;
    }
  return TRUE;
}

static float *
point (ReelMlpLayer *layer, float *floats)
{
  layer->weights = floats;
  layer->bias = find_bias (layer, floats);
  return layer->bias + layer->n_panels * REEL_MLP_PANEL;
}

static void
point_all (ReelMlpNetwork *self)
{
  float *at = self->floats;

  for (gsize i = 0; i < self->n_stages; i++)
    {
      at = point (&self->stages[i].input, at);
      if (self->stages[i].cell != REEL_MLP_LINEAR)
        at = point (&self->stages[i].recurrent, at);
    }
}

guint32
reel_mlp_network_sum (const ReelMlpNetwork *self)
{
  return reel_crc32c (0, self->floats, self->n_floats * sizeof (float));
}

/* ---- the network ---- */

ReelMlpNetwork *
reel_mlp_network_new (const char *path, const ReelTensordict *tensors,
                      const ReelMlpNetworkOptions *options, GError **error)
{
  g_autoptr (ReelMlpNetwork) self = g_new0 (ReelMlpNetwork, 1);
  ReelIsa isa;

  self->names = reel_mlp_names_new (path, tensors, options->prefix, options->parts, error);
  if (self->names == NULL || !reel_isa_choose (&isa, error))
    return NULL;
  self->activation = options->activation;
  self->kernels = REEL_KERNEL_PICK (reel_mlp_kernels, isa);
  self->exp = REEL_KERNEL_PICK (reel_exp_kernels, isa);
  self->stages = g_new0 (ReelMlpStage, self->names->len);
  for (guint i = 0; i < self->names->len; i++)
    if (!add_stage (self, path, &g_array_index (self->names, ReelMlpName, i), tensors, error))
      return NULL;
  choose_activations (self, options->activates_memory);
  self->floats = g_new0 (float, self->n_floats);
  point_all (self);
  return reel_mlp_network_pack (self, path, tensors, self->floats, error) ? g_steal_pointer (&self)
                                                                          : NULL;
}

void
reel_mlp_network_free (ReelMlpNetwork *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->names, g_array_unref);
  g_free (self->stages);
  g_free (self->floats);
  g_free (self);
}

/* ---- running ---- */

void
reel_mlp_tile_init (ReelMlpTile *self, const ReelMlpNetwork *network)
{
  gsize n = REEL_MLP_TILE * network->width;

  self->rows = g_new (float, n);
  self->others = g_new (float, n);
  self->gates = network->cell == REEL_MLP_LINEAR ? NULL : g_new (float, n);
  self->doubles = g_new (double, n);
}

void
reel_mlp_tile_clear (ReelMlpTile *self)
{
  g_free (self->rows);
  g_free (self->others);
  g_free (self->gates);
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

static void
run_linear (const ReelMlpNetwork *self, const ReelMlpStage *stage, ReelMlpTile *tile, gint64 n)
{
  gsize n_outs = (gsize) stage->input.n_panels * REEL_MLP_PANEL;
  float *from = tile->rows;

  self->kernels->layer (&stage->input, from, self->width, n, tile->others, self->width);
  tile->rows = tile->others;
  tile->others = from;
  for (gint64 row = 0; stage->activated && row < n; row++)
    activate (self, tile->rows + (gsize) row * self->width, n_outs, tile->doubles);
}

/* The memory of layer @level, of a row. */
static ReelMlpMemory
find_memory (const ReelMlpNetwork *self, const ReelMlpMemory *first, gint64 row, gint64 level)
{
  gint64 at = (row * self->depth + level) * self->n_hidden;

  return (ReelMlpMemory){ first->h + at, first->c ? first->c + at : NULL };
}

static void
run_recurrent (const ReelMlpNetwork *self, const ReelMlpStage *stage, ReelMlpTile *tile, gint64 n,
               gint64 level, const ReelMlpMemory *before, const ReelMlpMemory *after)
{
  gsize n_hidden = (gsize) self->n_hidden;

  self->kernels->layer (&stage->input, tile->rows, self->width, n, tile->others, self->width);
  self->kernels->layer (&stage->recurrent, before->h + (gsize) level * n_hidden,
                        (gsize) self->depth * n_hidden, n, tile->gates, self->width);
  for (gint64 row = 0; row < n; row++)
    {
      ReelMlpMemory old = find_memory (self, before, row, level);
      ReelMlpMemory new = find_memory (self, after, row, level);
      const float *input = tile->others + (gsize) row * self->width;
      const float *recurrent = tile->gates + (gsize) row * self->width;

      if (stage->cell == REEL_MLP_LSTM)
        reel_mlp_lstm_step (self->exp, self->n_hidden, input, recurrent, &old, &new, tile->doubles);
      else
        reel_mlp_gru_step (self->exp, self->n_hidden, input, recurrent, &old, &new, tile->doubles);
      memcpy (tile->rows + (gsize) row * self->width, new.h, n_hidden * sizeof (float));
    }
}

void
reel_mlp_network_run (const ReelMlpNetwork *self, ReelMlpTile *tile, gint64 n,
                      const ReelMlpMemory *before, const ReelMlpMemory *after)
{
  gint64 level = 0;

  for (gsize i = 0; i < self->n_stages; i++)
    if (self->stages[i].cell == REEL_MLP_LINEAR)
      run_linear (self, &self->stages[i], tile, n);
    else
      run_recurrent (self, &self->stages[i], tile, n, level++, before, after);
}
