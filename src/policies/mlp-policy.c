/* A network of linear layers, whose weights come from a file. */
#include "../specs/kinds/non-tensor-spec.h"
#include "../specs/spec-kind.h"
#include "mlp-head.h"
#include "mlp-network.h"

/* A leaf of the observation that the network sees. */
typedef struct
{
  guint place; /* among the leaves of the observation */
  ReelDtype dtype;
  gint64 n; /* elements of a row */
} Input;

struct _ReelMlpPolicy
{
  ReelPolicy parent_instance;

  char *weights, *prefix;
  int activation, head, scale, noise;
  GStrv in_keys;
  gboolean explore;
  gint64 seed;
  double epsilon, epsilon_end, sigma, sigma_end, theta, dt;
  gint64 epsilon_steps, sigma_steps;
  gint64 checksum; /* of the weights; −1 until they are loaded */

  ReelMlpNetwork *network;
  GArray *inputs;
  ReelMlpHead *made_head;
};

G_DECLARE_FINAL_TYPE (ReelMlpPolicy, reel_mlp_policy, REEL, MLP_POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelMlpPolicy, reel_mlp_policy, REEL_TYPE_POLICY)

/* ---- what it sees ---- */

static gboolean
is_seen (const ReelSpec *spec)
{
  return !reel_spec_is_non_tensor (spec)
         && (spec->dtype == REEL_DTYPE_FLOAT32 || spec->dtype == REEL_DTYPE_FLOAT64);
}

static gboolean
add_input (ReelMlpPolicy *self, char *const *paths, const char *key, const ReelSpec *observation,
           GError **error)
{
  for (guint i = 0; paths[i]; i++)
    {
      const ReelSpec *spec = reel_spec_get (observation, paths[i], NULL);

      if (!g_str_equal (paths[i], key))
        continue;
      if (is_seen (spec))
        {
          gint64 n = (gint64) (reel_spec_row_bytes (spec) / reel_dtype_size (spec->dtype));

          g_array_append_val (self->inputs, ((Input){ i, spec->dtype, n }));
          return TRUE;
        }
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "the mlp policy sees float32 and float64, and \"%s\" is a %s spec of %s", key,
                   reel_spec_class_name (spec), reel_dtype_name (spec->dtype));
      return FALSE;
    }

  g_autofree char *list = g_strjoinv (", ", (char **) paths);

  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "in-keys: the environment shows no \"%s\"; it shows %s", key, list);
  return FALSE;
}

/* The keys that are named, or every leaf of floats. */
static gboolean
find_inputs (ReelMlpPolicy *self, const ReelSpec *observation, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (observation);
  gint64 n = 0;

  g_array_set_size (self->inputs, 0);
  for (char **key = self->in_keys ? self->in_keys : paths; *key; key++)
    if ((self->in_keys || is_seen (reel_spec_get (observation, *key, NULL)))
        && !add_input (self, paths, *key, observation, error))
      return FALSE;
  for (guint i = 0; i < self->inputs->len; i++)
    n += g_array_index (self->inputs, Input, i).n;
  if (n == self->network->n_in)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the network of %s has %" G_GINT64_FORMAT " inputs, and the observation "
               "%" G_GINT64_FORMAT " numbers; in-keys=[KEY,...] chooses some",
               self->weights, self->network->n_in, n);
  return FALSE;
}

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  ReelMlpPolicy *self = REEL_MLP_POLICY (policy);
  const ReelMlpHeadOptions options = {
    .kind = (ReelMlpHeadKind) self->head,
    .scale = (ReelMlpScale) self->scale,
    .explore = self->explore,
    .seed = (guint64) self->seed,
    .epsilon = { self->epsilon, self->epsilon_end, self->epsilon_steps },
    .sigma = { self->sigma, self->sigma_end, self->sigma_steps },
    .ou = self->noise == 1,
    .theta = self->theta,
    .dt = self->dt,
  };

  g_clear_pointer (&self->made_head, reel_mlp_head_free);
  if (!find_inputs (self, observation, error))
    return FALSE;
  self->made_head = reel_mlp_head_new (&options, observation, action, self->network->n_out, error);
  return self->made_head && reel_mlp_head_declare (self->made_head, policy, error);
}

/* ---- acting ---- */

static void
gather (const ReelMlpPolicy *self, const ReelPolicyIO *io, gint64 lane, float *row)
{
  for (guint i = 0; i < self->inputs->len; i++)
    {
      const Input *input = &g_array_index (self->inputs, Input, i);
      const guint8 *column = io->observation[input->place];

      for (gint64 k = lane * input->n; k < (lane + 1) * input->n; k++)
        *row++ = input->dtype == REEL_DTYPE_FLOAT32
                     ? ((const float *) (gconstpointer) column)[k]
                     : (float) ((const double *) (gconstpointer) column)[k];
    }
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  const ReelMlpPolicy *self = (const ReelMlpPolicy *) policy;
  gsize width = self->network->width;
  g_auto (ReelMlpTile) tile;

  reel_mlp_tile_init (&tile, self->network);
  for (gint64 first = begin; first < end; first += REEL_MLP_TILE)
    {
      gint64 n = MIN (end - first, REEL_MLP_TILE);

      for (gint64 i = 0; i < n; i++)
        gather (self, io, first + i, tile.rows + (gsize) i * width);
      reel_mlp_network_run (self->network, &tile, n);
      if (!reel_mlp_head_act (self->made_head, step, first, n, tile.rows, width, tile.doubles, io,
                              error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the class ---- */

/* From then on the text of the policy says which weights it had, so that a run is continued with
 * the same or not at all. */
static gboolean
check_weights (ReelMlpPolicy *self, GError **error)
{
  if (self->checksum < 0)
    self->checksum = self->network->checksum;
  if (self->checksum == self->network->checksum)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the weights in %s are others than those of checksum %" G_GINT64_FORMAT
               ": theirs is %u",
               self->weights, self->checksum, self->network->checksum);
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelMlpPolicy *self = REEL_MLP_POLICY (object);

  if (self->weights == NULL)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "the mlp policy needs weights=FILE, a .safetensors file or a saved "
                           "tensordict");
      return FALSE;
    }
  self->network = reel_mlp_network_load (self->weights, self->prefix,
                                         (ReelMlpActivation) self->activation, error);
  return self->network && check_weights (self, error);
}

static void
finalize (GObject *object)
{
  ReelMlpPolicy *self = REEL_MLP_POLICY (object);

  g_clear_pointer (&self->made_head, reel_mlp_head_free);
  g_clear_pointer (&self->network, reel_mlp_network_free);
  g_array_unref (self->inputs);
  G_OBJECT_CLASS (reel_mlp_policy_parent_class)->finalize (object);
}

#define OFFSET(field) G_STRUCT_OFFSET (ReelMlpPolicy, field)

static void
add_network (ReelObjectClass *klass)
{
  static const char *const activations[] = { "tanh",    "relu", "leaky-relu", "elu",
                                             "sigmoid", "silu", NULL };

  reel_object_class_add_path (klass, "weights", OFFSET (weights), NULL,
                              "a .safetensors file or a saved tensordict with the weight and bias "
                              "of each layer",
                              0);
  reel_object_class_add_string (klass, "prefix", OFFSET (prefix), NULL,
                                "the name of the network among the weights, such as actor", 0);
  reel_object_class_add_enum (klass, "activation", OFFSET (activation), activations, 0,
                              "between layers", 0);
  reel_object_class_add_words (klass, "in-keys", OFFSET (in_keys),
                               "the observations that it sees, one behind the other; all floats "
                               "without",
                               0);
  reel_object_class_add_int64 (klass, "checksum", OFFSET (checksum), -1, G_MAXUINT32, -1, NULL,
                               "of the weights, which others do not have; -1 for any", 0);
}

static void
add_head (ReelObjectClass *klass)
{
  static const char *const heads[] = { "deterministic", "normal", "tanh-normal", "categorical",
                                       NULL };
  static const char *const scales[] = { "softplus", "exp", NULL };

  reel_object_class_add_enum (klass, "head", OFFSET (head), heads, 0,
                              "meaning of the outputs: actions (or values of classes), means and "
                              "scales, or logits",
                              0);
  reel_object_class_add_enum (klass, "scale", OFFSET (scale), scales, 0,
                              "how outputs become scales: 1 at 0 by a softplus, or e^x", 0);
  reel_object_class_add_bool (klass, "explore", OFFSET (explore), TRUE,
                              "draw actions and add noise; without, take the likeliest", 0);
  reel_object_class_add_int64 (klass, "seed", OFFSET (seed), 0, G_MAXINT64, 0, NULL,
                               "which stream of random numbers", 0);
}

static void
add_exploration (ReelObjectClass *klass)
{
  static const char *const noises[] = { "gaussian", "ou", NULL };

  reel_object_class_add_double (klass, "epsilon", OFFSET (epsilon), 0, 1, 0, NULL,
                                "chance of a random class in place of the greatest value", 0);
  reel_object_class_add_double (klass, "epsilon-end", OFFSET (epsilon_end), 0, 1, 0, NULL,
                                "where epsilon ends", 0);
  reel_object_class_add_int64 (klass, "epsilon-steps", OFFSET (epsilon_steps), 0, G_MAXINT64, 0,
                               "steps", "steps of each lane until then; 0 for never", 0);
  reel_object_class_add_double (klass, "sigma", OFFSET (sigma), 0, 1e6, 0, NULL,
                                "scale of the noise on deterministic actions", 0);
  reel_object_class_add_double (klass, "sigma-end", OFFSET (sigma_end), 0, 1e6, 0, NULL,
                                "where sigma ends", 0);
  reel_object_class_add_int64 (klass, "sigma-steps", OFFSET (sigma_steps), 0, G_MAXINT64, 0,
                               "steps", "steps of each lane until then; 0 for never", 0);
  reel_object_class_add_enum (klass, "noise", OFFSET (noise), noises, 0,
                              "independent, or an Ornstein-Uhlenbeck process, which is stored as "
                              "ou_noise",
                              0);
  reel_object_class_add_double (klass, "theta", OFFSET (theta), 0, 1e6, 0.15, NULL,
                                "pull of the process towards 0", 0);
  reel_object_class_add_double (klass, "dt", OFFSET (dt), 0, 1e6, 0.01, NULL,
                                "time step of the process", 0);
}

static void
reel_mlp_policy_class_init (ReelMlpPolicyClass *klass)
{
  static const ReelId ids[] = {
    { "mlp", NULL, "a network of linear layers, from a file" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelPolicyClass *policy_class = REEL_POLICY_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  object_class->positional = "weights";
  add_network (object_class);
  add_head (object_class);
  add_exploration (object_class);
  policy_class->lanewise = TRUE;
  policy_class->never_nan = TRUE; /* the head looks at all outputs */
  policy_class->bind = bind;
  policy_class->act = act;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_mlp_policy_init (ReelMlpPolicy *self)
{
  self->inputs = g_array_new (FALSE, FALSE, sizeof (Input));
}
