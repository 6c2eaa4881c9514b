/* A product of matrices as fast as registers allow: fused multiply-adds, blocks of rows and vectors
 * whose sums stay in registers. Matrices that fit the second-level cache need no more. */
#include "gemm-loop.h"

#include <string.h>

#pragma GCC optimize("fp-contract=fast")

#if defined __AVX512F__
#define WIDTH 16
#define ROWS 12
#elif defined __AVX2__
#define WIDTH 8
#define ROWS 6
#else
#define WIDTH 4
#define ROWS 6
#endif
#define VECTORS 2
#define PANEL (VECTORS * WIDTH)

#define INLINE static inline __attribute__ ((always_inline))

typedef float Vector __attribute__ ((vector_size (4 * WIDTH)));

INLINE Vector
load (const float *from)
{
  Vector v;

  memcpy (&v, from, sizeof v);
  return v;
}

/* A panel of columns of @n rows. */
INLINE void
block (int n, int64_t k, const float *a, const float *panel, float *c, int64_t stride)
{
  Vector sums[ROWS][VECTORS] = { 0 };

  for (int64_t i = 0; i < k; i++, panel += PANEL)
    for (int v = 0; v < VECTORS; v++)
      {
        Vector b = load (panel + v * WIDTH);

        for (int r = 0; r < n; r++)
          sums[r][v] += a[r * k + i] * b;
      }
  for (int r = 0; r < n; r++)
    for (int v = 0; v < VECTORS; v++)
      memcpy (c + r * stride + v * WIDTH, &sums[r][v], sizeof (Vector));
}

static void
multiply (int64_t m, int64_t k, int64_t n, const float *a, const float *b, float *c)
{
  int64_t panels = (n + PANEL - 1) / PANEL, stride = panels * PANEL;

  for (int64_t p = 0; p < panels; p++)
    {
      const float *panel = b + p * PANEL * k;
      int64_t row = 0;

      for (; row + ROWS <= m; row += ROWS)
        block (ROWS, k, a + row * k, panel, c + row * stride + p * PANEL, stride);
      for (; row < m; row++)
        block (1, k, a + row * k, panel, c + row * stride + p * PANEL, stride);
    }
}

extern const LimitGemm LIMIT_NAME (limit_gemm);
const LimitGemm LIMIT_NAME (limit_gemm) = { multiply, PANEL };
