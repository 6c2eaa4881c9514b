#include "export.h"
#include "normalization.h"

#include "../common/draft.h"

#include <math.h>
#include <string.h>

/* Whether the policy takes the outputs for the numbers of a box, as they are. */
static gboolean
is_plain_box (const Learner *learner, const char *arguments)
{
  return learner->spaces.n_classes == 0
         && (g_str_has_prefix (arguments, "head=deterministic")
             || g_str_has_prefix (arguments, "head=normal"));
}

/* Numbers in [−1, 1] become those between the bounds. */
static void
stretch (Network *network, const Spaces *spaces)
{
  const Layer *last = &network->layers[network->n_layers - 1];
  float *weight = network->parameters + last->weight, *bias = network->parameters + last->bias;

  for (gint o = 0; o < last->n_out; o++)
    {
      for (gint i = 0; i < last->n_in; i++)
        weight[o * last->n_in + i] *= (float) spaces->half[o];
      bias[o] = (float) ((double) bias[o] * spaces->half[o] + spaces->middle[o]);
    }
}

/* The network of the learner, in units of the environment. */
static Network *
make_exported (const Learner *learner)
{
  const LearnerClass *class = learner->class;
  const char *arguments;
  g_autoptr (Network) network = network_copy (class->get_policy (learner, &arguments));
  gboolean plain = is_plain_box (learner, arguments);
  const float *log_scales = class->get_log_scales ? class->get_log_scales (learner) : NULL;
  g_autofree float *stretched = NULL;
  gint n = learner->spaces.n_actions;

  normalization_fold (&learner->spaces, network);
  if (plain)
    stretch (network, &learner->spaces);
  if (!log_scales)
    return g_steal_pointer (&network);
  stretched = g_memdup2 (log_scales, (gsize) n * sizeof *stretched);
  for (gint i = 0; plain && i < n; i++)
    stretched[i] += (float) log (learner->spaces.half[i]);
  return network_widen (network, stretched, n);
}

/* A tensor of a layer, whose place in torch.nn.Sequential is `number`. */
static void
append_tensor (GString *text, guint number, const char *part, gsize begin, const gint *shape,
               gint ndim)
{
  gsize n = 1;

  g_string_append_printf (text, "%s\"%u.%s\":{\"dtype\":\"F32\",\"shape\":[",
                          text->len > 1 ? "," : "", number, part);
  for (gint i = 0; i < ndim; i++)
    {
      n *= (gsize) shape[i];
      g_string_append_printf (text, "%s%d", i > 0 ? "," : "", shape[i]);
    }
  g_string_append_printf (text, "],\"data_offsets\":[%zu,%zu]}", begin * sizeof (float),
                          (begin + n) * sizeof (float));
}

static void
append_layer (GString *text, guint number, const Layer *layer)
{
  const Convolution *windows = &layer->convolution;
  gboolean lstm = layer->kind == LAYER_LSTM, image = layer->kind == LAYER_CONVOLUTION;
  const gint weight[] = { layer->n_units, image ? windows->n_planes : layer->n_in, windows->side,
                          windows->side };
  const gint recurrent[] = { layer->n_units, layer->n_out };

  append_tensor (text, number, lstm ? "weight_ih_l0" : "weight", layer->weight, weight,
                 image ? 4 : 2);
  append_tensor (text, number, lstm ? "bias_ih_l0" : "bias", layer->bias, &layer->n_units, 1);
  if (!lstm)
    return;
  append_tensor (text, number, "weight_hh_l0", layer->recurrent, recurrent, 2);
  append_tensor (text, number, "bias_hh_l0", layer->recurrent_bias, &layer->n_units, 1);
}

/* The order of the parameters is that of the file. An activation is behind each layer, and what
 * flattens images behind the convolutions. */
static GString *
make_header (const Network *network)
{
  GString *text = g_string_new ("{");
  guint number = 0;

  for (guint l = 0; l < network->n_layers; l++, number += 2)
    {
      if (l > 0 && network->layers[l - 1].kind == LAYER_CONVOLUTION
          && network->layers[l].kind != LAYER_CONVOLUTION)
        number++;
      append_layer (text, number, &network->layers[l]);
    }
  g_string_append_c (text, '}');
  while (text->len % 8 != 0)
    g_string_append_c (text, ' ');
  return text;
}

gboolean
export_policy (const Learner *learner, const char *path, GError **error)
{
  g_autoptr (Network) network = make_exported (learner);
  g_autoptr (GString) header = make_header (network);
  guint64 length = header->len;
  g_autoptr (Draft) draft = draft_new (path, FALSE, error);

  return draft && draft_write (draft, &length, sizeof length, error)
         && draft_write (draft, header->str, header->len, error)
         && draft_write (draft, network->parameters, network->n_parameters * sizeof (float), error)
         && draft_keep (draft, error);
}

/* A path as a value of the grammar. */
static char *
quote_value (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "'", -1);
  g_autofree char *inside = g_strjoinv ("''", parts);

  return path[strspn (path, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "/._-")] == 0
             ? g_strdup (path)
             : g_strdup_printf ("'%s'", inside);
}

char *
export_dup_text (const Learner *learner, const char *path)
{
  const char *arguments;
  g_autofree char *weights = quote_value (path);

  if (learner->spaces.image[0] > 0)
    return NULL;
  learner->class->get_policy (learner, &arguments);
  return g_strdup_printf ("mlp:weights=%s,activation=%s,%s,explore=false", weights,
                          learner->activation == ACTIVATION_RELU ? "relu" : "tanh", arguments);
}
