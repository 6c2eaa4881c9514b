/* A network of linear and recurrent layers, whose weights come from a file. */
#include <string.h>

#include "../core/tensordict/tensordict-keys.h"
#include "../specs/kinds/non-tensor-spec.h"
#include "../specs/spec-keys.h"
#include "../specs/spec-kind.h"
#include "mlp-head.h"
#include "mlp-network.h"
#include "shared-weights.h"
#include "weights-board.h"
#include "weights-file.h"

#define WAIT 60 /* seconds, for weights that are being written */

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
  GStrv in_keys, layers, hidden_keys;
  gboolean explore, activate_memory;
  gint64 seed;
  double epsilon, epsilon_end, sigma, sigma_end, theta, dt;
  gint64 epsilon_steps, sigma_steps;
  gint64 checksum; /* of the weights; −1 until they are loaded */

  ReelMlpNetwork *network;
  ReelWeightsBoard *board;  /* the newest weights of a policy that is updated */
  ReelPolicy *owner;        /* of the board, for a share; else NULL */
  ReelTensordict *followed; /* or those that another process writes */
  float *newest;            /* room for a version of these */
  GArray *inputs;
  guint memory[2]; /* places of h and c among the leaves of the state */
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

/* ---- what it writes ---- */

/* The keys of what the network remembers: h and c, or the one of a GRU. */
static const char *const *
list_memory (const ReelMlpPolicy *self)
{
  static const char *const lstm[] = { "recurrent_state_h", "recurrent_state_c", NULL };
  static const char *const gru[] = { "recurrent_state", NULL };

  return self->hidden_keys                      ? (const char *const *) self->hidden_keys
         : self->network->cell == REEL_MLP_LSTM ? lstm
                                                : gru;
}

static ReelSpec *
make_memory (const ReelMlpPolicy *self, GError **error)
{
  const ReelMlpNetwork *network = self->network;
  const gint64 shape[] = { network->depth, network->n_hidden };
  guint n = network->cell == REEL_MLP_LINEAR ? 0 : network->cell == REEL_MLP_LSTM ? 2 : 1;
  g_autoptr (ReelSpec) leaf =
      n > 0 ? reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 2, shape, error) : NULL;
  ReelSpec *const leaves[] = { leaf, leaf };

  return reel_composite_spec_new (0, NULL, list_memory (self), leaves, n, error);
}

static void
place_memory (ReelMlpPolicy *self, const ReelSpec *state)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (state);
  const char *const *keys = list_memory (self);

  for (guint i = 0; i < G_N_ELEMENTS (self->memory) && keys[i]; i++)
    for (guint place = 0; paths[place]; place++)
      if (g_str_equal (paths[place], keys[i]))
        self->memory[i] = place;
}

static gboolean
declare (ReelMlpPolicy *self, GError **error)
{
  g_autoptr (ReelSpec) outputs = reel_mlp_head_make_outputs (self->made_head, error);
  g_autoptr (ReelSpec) noise = outputs ? reel_mlp_head_make_state (self->made_head, error) : NULL;
  g_autoptr (ReelSpec) memory = noise ? make_memory (self, error) : NULL;
  g_autoptr (ReelSpec) state = memory ? reel_spec_update (memory, noise, error) : NULL;

  if (state == NULL)
    return FALSE;
  place_memory (self, state);
  reel_mlp_head_place_state (self->made_head, state);
  reel_policy_declare (REEL_POLICY (self), g_steal_pointer (&outputs), g_steal_pointer (&state));
  return TRUE;
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
  return self->made_head && declare (self, error);
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

/* Memory of lane @lane, in columns of all lanes. */
static ReelMlpMemory
point (const ReelMlpPolicy *self, const guint8 *const *columns, gint64 lane)
{
  gsize at = (gsize) (lane * self->network->depth * self->network->n_hidden);
  ReelMlpMemory memory = { NULL, NULL };

  if (self->network->cell != REEL_MLP_LINEAR)
    memory.h = (float *) (gpointer) columns[self->memory[0]] + at;
  if (self->network->cell == REEL_MLP_LSTM)
    memory.c = (float *) (gpointer) columns[self->memory[1]] + at;
  return memory;
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
      ReelMlpMemory before = point (self, io->state, first);
      ReelMlpMemory after = point (self, (const guint8 *const *) io->next_state, first);

      reel_mlp_network_run (self->network, &tile, n, &before, &after);
      if (!reel_mlp_head_act (self->made_head, step, first, n, tile.rows, width, tile.doubles, io,
                              error))
        return FALSE;
    }
  return TRUE;
}

/* ---- weights ---- */

static gboolean
update_weights (ReelPolicy *policy, const ReelTensordict *weights, const char *source,
                GError **error)
{
  ReelMlpPolicy *self = REEL_MLP_POLICY (policy);
  const char *path = weights ? source : self->weights;
  g_autoptr (ReelTensordict) own = NULL;
  g_autofree float *floats = g_new0 (float, self->network->n_floats);

  if (self->followed)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the mlp policy follows the weights in %s: write them there", self->weights);
      return FALSE;
    }
  if (weights == NULL)
    weights = own = reel_weights_file_load (self->weights, error);
  if (weights == NULL || !reel_mlp_network_pack (self->network, path, weights, floats, error))
    return FALSE;
  reel_weights_board_write (self->board, floats);
  return TRUE;
}

/* Copies the followed weights; FALSE where they were written meanwhile. */
static gboolean
try_to_follow (ReelMlpPolicy *self, gint64 version)
{
  return reel_mlp_network_pack (self->network, self->weights, self->followed, self->newest, NULL)
         && reel_shared_weights_get_version (self->followed) == version;
}

/* The newest weights that are whole; those before where none are, for a writer may be at work. */
static void
follow (ReelMlpPolicy *self, gint64 *version)
{
  gint64 theirs = reel_shared_weights_get_version (self->followed);

  if (theirs % 2 != 0 || theirs / 2 == *version || !try_to_follow (self, theirs))
    return;
  memcpy (self->network->floats, self->newest, self->network->n_floats * sizeof (float));
  *version = theirs / 2;
}

static gboolean
take_weights (ReelPolicy *policy, gint64 *version, GError **error)
{
  ReelMlpPolicy *self = REEL_MLP_POLICY (policy);

  if (self->followed)
    follow (self, version);
  else if (reel_weights_board_get_version (self->board) > (guint64) *version)
    *version = (gint64) reel_weights_board_read (self->board, self->network->floats);
  return TRUE;
}

static gconstpointer
see_weights (ReelPolicy *policy, gsize *n_bytes)
{
  const ReelMlpNetwork *network = REEL_MLP_POLICY (policy)->network;

  *n_bytes = network->n_floats * sizeof (float);
  return network->floats;
}

static void
put_weights (ReelPolicy *policy, gconstpointer bytes)
{
  ReelMlpNetwork *network = REEL_MLP_POLICY (policy)->network;

  memcpy (network->floats, bytes, network->n_floats * sizeof (float));
}

/* share: a policy of the same text that takes the newest weights for itself. It is told the numbers
 * of lanes as any, since it acts lane by lane. */
static ReelPolicy *
share (ReelPolicy *policy, gint64 first, GError **error)
{
  ReelMlpPolicy *self = REEL_MLP_POLICY (policy);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (self));
  ReelMlpPolicy *copy = reel_object_new_from_text (REEL_TYPE_POLICY, text, error, NULL);

  if (copy == NULL || copy->board == NULL)
    return (ReelPolicy *) copy;
  reel_weights_board_free (copy->board);
  copy->board = self->board;
  copy->owner = g_object_ref (policy);
  return REEL_POLICY (copy);
}

/* Weights that another process is writing are waited for, once: before there are any. */
static gboolean
begin_to_follow (ReelMlpPolicy *self, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + WAIT * G_TIME_SPAN_SECOND;

  self->newest = g_new0 (float, self->network->n_floats);
  for (;;)
    {
      gint64 version = reel_shared_weights_get_version (self->followed);

      if (version % 2 == 0 && try_to_follow (self, version))
        break;
      if (g_get_monotonic_time () > deadline)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT,
                       "%s: the weights were not whole for %d s: version is %" G_GINT64_FORMAT
                       ", and their writer makes it even when it is done",
                       self->weights, WAIT, version);
          return FALSE;
        }
      g_usleep (1000);
    }
  memcpy (self->network->floats, self->newest, self->network->n_floats * sizeof (float));
  return TRUE;
}

/* ---- the class ---- */

/* From then on the text of the policy says which weights it had, so that a run is continued with
 * the same or not at all. */
static gboolean
check_weights (ReelMlpPolicy *self, GError **error)
{
  guint32 checksum = reel_mlp_network_sum (self->network);

  if (self->checksum < 0)
    self->checksum = checksum;
  if (self->checksum == checksum)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the weights in %s are others than those of checksum %" G_GINT64_FORMAT
               ": theirs is %u; give the ones that they were, or leave the checksum out to act by "
               "those of now",
               self->weights, self->checksum, checksum);
  return FALSE;
}

/* Weights that another process writes have no checksum: they change. */
static gboolean
make_network (ReelMlpPolicy *self, ReelTensordict *tensors, GError **error)
{
  const ReelMlpNetworkOptions options = {
    .prefix = self->prefix,
    .parts = (const char *const *) self->layers,
    .activation = (ReelMlpActivation) self->activation,
    .activates_memory = self->activate_memory,
  };
  static const char *const version[] = { REEL_SHARED_VERSION, NULL };
  gboolean is_shared = reel_shared_weights_is_shared (tensors);
  g_autoptr (ReelTensordict) weights =
      is_shared ? reel_tensordict_exclude_keys (tensors, version) : reel_tensordict_ref (tensors);

  self->network = reel_mlp_network_new (self->weights, weights, &options, error);
  if (self->network == NULL)
    return FALSE;
  if (is_shared)
    {
      self->followed = reel_tensordict_ref (tensors);
      return begin_to_follow (self, error);
    }
  self->board = reel_weights_board_new (self->network->n_floats, error);
  return self->board && check_weights (self, error);
}

static gboolean
check_hidden_keys (const ReelMlpPolicy *self, GError **error)
{
  ReelMlpCell cell = self->network->cell;
  guint n = cell == REEL_MLP_LINEAR ? 0 : cell == REEL_MLP_LSTM ? 2 : 1;

  if (self->hidden_keys == NULL || g_strv_length (self->hidden_keys) == n)
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_VALUE,
      "hidden-keys has %u keys, and the network of %s takes %u: h and c of an LSTM, one of "
      "a GRU",
      g_strv_length (self->hidden_keys), self->weights, n);
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

  g_autoptr (ReelTensordict) tensors = reel_weights_file_load (self->weights, error);

  return tensors && make_network (self, tensors, error) && check_hidden_keys (self, error);
}

static void
finalize (GObject *object)
{
  ReelMlpPolicy *self = REEL_MLP_POLICY (object);

  g_clear_pointer (&self->made_head, reel_mlp_head_free);
  g_clear_pointer (&self->network, reel_mlp_network_free);
  if (self->owner == NULL)
    g_clear_pointer (&self->board, reel_weights_board_free);
  g_clear_object (&self->owner);
  g_clear_pointer (&self->followed, reel_tensordict_unref);
  g_free (self->newest);
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
                              "of each layer; one with a version is followed",
                              0);
  reel_object_class_add_string (klass, "prefix", OFFSET (prefix), NULL,
                                "the name of the network among the weights, such as actor", 0);
  reel_object_class_add_words (klass, "layers", OFFSET (layers),
                               "the parts of the network in their order, such as [mlp,lstm,head]; "
                               "that of their names without",
                               0);
  reel_object_class_add_enum (klass, "activation", OFFSET (activation), activations, 0,
                              "between linear layers", 0);
  reel_object_class_add_bool (klass, "activate-memory", OFFSET (activate_memory), FALSE,
                              "activate the inputs of a recurrent layer behind a linear one, too",
                              0);
  reel_object_class_add_words (klass, "hidden-keys", OFFSET (hidden_keys),
                               "the state of a recurrent network: recurrent_state_h and "
                               "recurrent_state_c of an LSTM, recurrent_state of a GRU",
                               0);
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
    { "mlp", NULL, "a network of linear and recurrent layers, from a file" },
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
  policy_class->update_weights = update_weights;
  policy_class->take_weights = take_weights;
  policy_class->see_weights = see_weights;
  policy_class->put_weights = put_weights;
  policy_class->share = share;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_mlp_policy_init (ReelMlpPolicy *self)
{
  self->inputs = g_array_new (FALSE, FALSE, sizeof (Input));
}
