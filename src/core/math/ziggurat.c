/* Normal draws by NumPy's ziggurat, bit for bit. */
#include "random.h"
#include "ziggurat-tables.h"

#include <math.h>

#define TAIL 3.6541528853610087963519472518
#define TAIL_INVERSE 0.27366123732975827203338247596

/* beyond_layers: a draw of the tail, which the lowest layer stands for. */
static double
beyond_layers (ReelPcg64 *rng, gboolean negative)
{
  for (;;)
    {
      double x = -TAIL_INVERSE * log1p (-reel_pcg64_double (rng));
      double y = -log1p (-reel_pcg64_double (rng));

      if (y + y > x * x)
        return negative ? -(TAIL + x) : TAIL + x;
    }
}

double
reel_pcg64_normal (ReelPcg64 *rng)
{
  for (;;)
    {
      guint64 draw = reel_pcg64_uint64 (rng);
      /* One word serves all: 8 bits of layer, one of sign, 52 of magnitude. */
      guint layer = draw & 0xff;
      guint64 magnitude = draw >> 9 & 0xfffffffffffff;
      double x = (double) magnitude * ziggurat_width[layer];

      if (draw >> 8 & 1)
        x = -x;
      if (magnitude < ziggurat_inside[layer])
        return x;
      if (layer == 0)
        return beyond_layers (rng, magnitude >> 8 & 1);

      double low = ziggurat_height[layer], high = ziggurat_height[layer - 1];

      if ((high - low) * reel_pcg64_double (rng) + low < exp (-0.5 * x * x))
        return x;
    }
}
