/* A network of linear and recurrent layers: its weights, and its outputs for rows of inputs.
 * Private. */
#pragma once

#include "../core/math/exp-kernel.h"
#include "../core/object/error.h"
#include "mlp-cell.h"
#include "mlp-kernel.h"
#include "mlp-names.h"

G_BEGIN_DECLS

/* Rows of a tile. */
#define REEL_MLP_TILE 64

/**
 * ReelMlpActivation:
 * @REEL_MLP_TANH: hyperbolic tangent
 * @REEL_MLP_RELU: x, 0 below 0
 * @REEL_MLP_LEAKY_RELU: x, x / 100 below 0
 * @REEL_MLP_ELU: x, e^x − 1 below 0
 * @REEL_MLP_SIGMOID: 1 / (1 + e^−x)
 * @REEL_MLP_SILU: x × sigmoid (x)
 *
 * A function between two layers, with PyTorch's defaults.
 */
typedef enum
{
  REEL_MLP_TANH,
  REEL_MLP_RELU,
  REEL_MLP_LEAKY_RELU,
  REEL_MLP_ELU,
  REEL_MLP_SIGMOID,
  REEL_MLP_SILU,
} ReelMlpActivation;

/**
 * ReelMlpStage:
 * @cell: which kind
 * @input: the linear layer, or the gates of a recurrent one from its inputs
 * @recurrent: the gates from the hidden state
 * @activated: whether the activation follows
 *
 * A layer of a network.
 */
typedef struct
{
  ReelMlpCell cell;
  ReelMlpLayer input, recurrent;
  gboolean activated;
} ReelMlpStage;

/**
 * ReelMlpNetwork:
 * @stages: (array length=n_stages): its layers, in order
 * @n_stages: at least 1
 * @n_in: inputs of the first
 * @n_out: outputs of the last
 * @width: floats of a row that any layer reads or writes
 * @cell: kind of its recurrent layers, %REEL_MLP_LINEAR where there are none
 * @depth: its recurrent layers
 * @n_hidden: hidden numbers of each
 * @floats: (array length=n_floats): weights and biases of all layers, as they are laid out
 * @n_floats: how many
 * @names: of the layers
 * @activation: between layers
 *
 * Any thread may run it while @floats are not written.
 */
typedef struct
{
  ReelMlpStage *stages;
  gsize n_stages;
  gint64 n_in, n_out;
  gsize width;
  ReelMlpCell cell;
  gint64 depth, n_hidden;
  float *floats;
  gsize n_floats;
  GArray *names;
  ReelMlpActivation activation;
  const ReelMlpKernels *kernels;
  const ReelExpKernels *exp;
} ReelMlpNetwork;

/**
 * ReelMlpNetworkOptions:
 * @prefix: (nullable): what the names of the weights begin with, such as `actor`
 * @parts: (nullable): see reel_mlp_names_new()
 * @activation: between linear layers that follow one another, not behind the last
 * @activates_memory: whether it is also between a linear layer and a recurrent one
 */
typedef struct
{
  const char *prefix;
  const char *const *parts;
  ReelMlpActivation activation;
  gboolean activates_memory;
} ReelMlpNetworkOptions;

/**
 * reel_mlp_network_new:
 * @path: where @tensors come from, for messages
 * @tensors: weights and biases
 * @options: how
 * @error: as reel_mlp_names_new(); VALUE for layers that do not follow one another and for
 *   recurrent layers of unlike kind or size; TYPE for weights that are no floats
 *
 * Layers are the tensors `…weight` `[out, in]` and `…bias` `[out]` of one name, in the order of
 * their names: those of `torch.nn.Sequential`; and those of `torch.nn.LSTM` and `torch.nn.GRU`,
 * `…weight_ih_l0` and so on, also without the number, of which one has one or several layers.
 *
 * Returns: (transfer full): the network
 */
ReelMlpNetwork *reel_mlp_network_new (const char *path, const ReelTensordict *tensors,
                                      const ReelMlpNetworkOptions *options, GError **error);

/**
 * reel_mlp_network_pack:
 * @self: a network
 * @path: where @tensors come from, for messages
 * @tensors: weights of the same names and shapes
 * @floats: (array): filled in as #ReelMlpNetwork.floats
 * @error: KEY for one that is missing; VALUE for another shape; TYPE
 *
 * Returns: whether all were there
 */
gboolean reel_mlp_network_pack (const ReelMlpNetwork *self, const char *path,
                                const ReelTensordict *tensors, float *floats, GError **error);

/**
 * reel_mlp_network_sum:
 * @self: a network
 *
 * Returns: CRC-32C of its floats
 */
guint32 reel_mlp_network_sum (const ReelMlpNetwork *self);

/**
 * reel_mlp_network_free:
 * @self: (transfer full) (nullable): a network
 */
void reel_mlp_network_free (ReelMlpNetwork *self);

/**
 * ReelMlpTile:
 * @rows: (array): inputs to be filled in, %REEL_MLP_TILE rows of the network's width; later the
 *   outputs
 * @others: (array): likewise, of every other layer
 * @gates: (array): likewise, from hidden states; %NULL where there are none
 * @doubles: (array): as many doubles as @rows has floats
 *
 * The memory of a thread that runs a network.
 */
typedef struct
{
  float *rows, *others, *gates;
  double *doubles;
} ReelMlpTile;

/**
 * reel_mlp_tile_init:
 * @self: (out caller-allocates): a tile; free with reel_mlp_tile_clear()
 * @network: of what
 */
void reel_mlp_tile_init (ReelMlpTile *self, const ReelMlpNetwork *network);

/**
 * reel_mlp_tile_clear:
 * @self: a tile
 */
void reel_mlp_tile_clear (ReelMlpTile *self);

/**
 * reel_mlp_network_run:
 * @self: a network
 * @tile: a tile, with inputs in its rows
 * @n: rows, at most %REEL_MLP_TILE
 * @before: memory of the first row, `[depth, n_hidden]`, of the next rows behind it; not read where
 *   the network has none
 * @after: likewise, to be written
 *
 * Puts the outputs in the place of the inputs. A row depends on its own inputs and memory alone, to
 * the bit.
 */
void reel_mlp_network_run (const ReelMlpNetwork *self, ReelMlpTile *tile, gint64 n,
                           const ReelMlpMemory *before, const ReelMlpMemory *after);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelMlpNetwork, reel_mlp_network_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelMlpTile, reel_mlp_tile_clear)

G_END_DECLS
