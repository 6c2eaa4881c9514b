/* A network of linear layers with an activation between them: its weights, and its outputs for rows
 * of inputs. Private. */
#pragma once

#include "../core/math/exp-kernel.h"
#include "../core/object/error.h"
#include "mlp-kernel.h"

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
 * ReelMlpNetwork:
 * @layers: (array length=n_layers): in order
 * @n_layers: at least 1
 * @n_in: inputs of the first
 * @n_out: outputs of the last
 * @width: floats of a row that any layer reads or writes
 * @checksum: CRC-32C of all weights and biases, as they are laid out
 * @activation: between layers, not behind the last
 *
 * Immutable: any thread may use it.
 */
typedef struct
{
  ReelMlpLayer *layers;
  gsize n_layers;
  gint64 n_in, n_out;
  gsize width;
  guint32 checksum;
  ReelMlpActivation activation;
  const ReelMlpKernels *kernels;
  const ReelExpKernels *exp;
} ReelMlpNetwork;

/**
 * reel_mlp_network_load:
 * @path: a `.safetensors` file, or a tensordict as reel_tensordict_load() takes it
 * @prefix: (nullable): what the names of the weights begin with, such as `actor`
 * @activation: between layers
 * @error: VALUE naming a tensor that is no weight or bias of a linear layer, or layers that do not
 *   follow one another; KEY where there are none; as the readers
 *
 * Layers are the tensors `…weight` `[out, in]` and `…bias` `[out]` of one name, in the order of
 * their names, numbers by value: those of `torch.nn.Sequential`.
 *
 * Returns: (transfer full): the network
 */
ReelMlpNetwork *reel_mlp_network_load (const char *path, const char *prefix,
                                       ReelMlpActivation activation, GError **error);

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
 * @doubles: (array): as many doubles
 *
 * The memory of a thread that runs a network.
 */
typedef struct
{
  float *rows, *others;
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
 *
 * Puts the outputs in the place of the inputs. A row depends on its own inputs alone, to the bit.
 */
void reel_mlp_network_run (const ReelMlpNetwork *self, ReelMlpTile *tile, gint64 n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelMlpNetwork, reel_mlp_network_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelMlpTile, reel_mlp_tile_clear)

G_END_DECLS
