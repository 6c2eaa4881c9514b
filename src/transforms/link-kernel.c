/* Loops over lanes that the compiler turns into vectors, and rows that are joined word by word. */
#include "link-kernel.h"

#include "../core/math/vector.h"

static void
count (gint64 *restrict counts, gint64 *restrict out, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      gint64 next = counts[i] + 1;

      counts[i] = next;
      out[i] = next;
    }
}

static void
limit (const gint64 *counts, gint64 most, const guint8 *truncated, guint8 *restrict truncated_after,
       gsize n)
{
  for (gsize i = 0; i < n; i++)
    truncated_after[i] = truncated[i] | (counts[i] >= most);
}

static void
either (const guint8 *a, const guint8 *b, guint8 *restrict out, gsize n)
{
  for (gsize i = 0; i < n; i++)
    out[i] = a[i] | b[i];
}

#define SUM(name, Type)                                                                            \
  static void name (Type *restrict sums, const Type *rewards, Type *restrict out, gsize n)         \
  {                                                                                                \
    for (gsize i = 0; i < n; i++)                                                                  \
      {                                                                                            \
        Type sum = sums[i] + rewards[i];                                                           \
                                                                                                   \
        sums[i] = sum;                                                                             \
        out[i] = sum;                                                                              \
      }                                                                                            \
  }

SUM (sum_f32, float)
SUM (sum_f64, double)

REEL_VECTOR_INLINE void
place_pieces (const guint8 *from, gsize bytes, guint8 *restrict to, gsize stride, gsize n)
{
#pragma GCC unroll 4
  for (gsize i = 0; i < n; i++, to += stride)
    memcpy (to, from + i * bytes, bytes);
}

/* Pieces of a constant size are moved by an instruction or two, others by a call. */
static void
place (const guint8 *from, gsize bytes, guint8 *restrict to, gsize stride, gsize n)
{
  switch (bytes)
    {
    case 1: place_pieces (from, 1, to, stride, n); break;
    case 4: place_pieces (from, 4, to, stride, n); break;
    case 8: place_pieces (from, 8, to, stride, n); break;
    case 16: place_pieces (from, 16, to, stride, n); break;
    case 32: place_pieces (from, 32, to, stride, n); break;
    default: place_pieces (from, bytes, to, stride, n); break;
    }
}

static void
place_lanes (const guint8 *from, gsize bytes, guint8 *restrict to, gsize stride,
             const gint64 *lanes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      const guint8 *piece = from + (gsize) lanes[i] * bytes;
      guint8 *at = to + (gsize) lanes[i] * stride;

      switch (bytes)
        {
        case 4: memcpy (at, piece, 4); break;
        case 8: memcpy (at, piece, 8); break;
        case 16: memcpy (at, piece, 16); break;
        default: memcpy (at, piece, bytes);
        }
    }
}

/* ---- words ---- */

/* As many rows as a vector has words are whole vectors of the result: each is made of a vector of
 * each source. */
#define N_WORDS (2 * REEL_SIMD_WIDTH)
#define MOST_SOURCES 4
#define MOST_WORDS 16 /* of a joined row */

/* Periods that are in the first-level cache while their vectors are made. */
#define SOME_PERIODS 16

typedef gint32 Words __attribute__ ((vector_size (4 * N_WORDS), aligned (4), may_alias));

/* Of one source in one vector of the result: the first word of what is loaded, which of these
 * become which, and whether they do. */
typedef struct
{
  gint32 from[N_WORDS];
  gint32 taken[N_WORDS];
} Pick;

struct _ReelWordPlan
{
  guint n;                 /* sources */
  guint words;             /* of a joined row: vectors of as many rows as a vector has words */
  guint own[MOST_SOURCES]; /* words of a row of each source */
  gint64 first[MOST_SOURCES * MOST_WORDS];
  Pick picks[] __attribute__ ((aligned (64))); /* by vector, by source */
};

/* The words of vector @v that come from a source with @own words a row, from word @begin of a
 * joined row on. No load exceeds the rows. Returns the first that is loaded. */
static gint64
pick_words (Pick *pick, guint v, guint words, guint begin, guint own)
{
  gint64 most = (gint64) (N_WORDS * own) - N_WORDS, first = -1;

  for (guint i = 0; i < N_WORDS; i++)
    {
      guint at = v * N_WORDS + i, row = at / words, word = at % words;
      gint64 source = (gint64) (row * own + word) - begin;

      pick->taken[i] = begin <= word && word < begin + own ? -1 : 0;
      if (pick->taken[i] && first < 0)
        first = MIN (source, most);
      pick->from[i] = pick->taken[i] ? (gint32) (source - first) : 0;
    }
  return MAX (first, 0);
}

static ReelWordPlan *
plan_words (const gsize *bytes, guint n)
{
  ReelWordPlan *plan;
  gsize words = 0;
  guint begin = 0;

  for (guint s = 0; s < n; s++)
    {
      if (bytes[s] == 0 || bytes[s] % 4 != 0)
        return NULL;
      words += bytes[s] / 4;
    }
  if (N_WORDS < 8 || n > MOST_SOURCES || words > MOST_WORDS)
    return NULL;
  plan = g_aligned_alloc0 (1, sizeof *plan + words * n * sizeof (Pick), 64);
  plan->n = n;
  plan->words = (guint) words;
  for (guint s = 0; s < n; s++)
    {
      plan->own[s] = (guint) (bytes[s] / 4);
      for (guint v = 0; v < plan->words; v++)
        plan->first[v * n + s] =
            pick_words (&plan->picks[v * n + s], v, plan->words, begin, plan->own[s]);
      begin += plan->own[s];
    }
  return plan;
}

/* The words at these places. clang, which fuzzes, has no instruction for them. */
REEL_VECTOR_INLINE Words
shuffle (Words words, Words from)
{
#if __has_builtin(__builtin_shuffle)
  return __builtin_shuffle (words, from);
#else
  for (gint i = 0; i < N_WORDS; i++)
    from[i] = words[from[i] % N_WORDS];
  return from;
#endif
}

/* One vector of the result in each of @n_periods: where its words come from stays in registers. */
REEL_VECTOR_INLINE void
join_vector (const ReelWordPlan *plan, guint v, guint n_sources, const gint32 *const *sources,
             guint8 *restrict out, gsize n_periods)
{
  const Pick *picks = &plan->picks[v * n_sources];
  const gint64 *first = &plan->first[v * n_sources];

  for (gsize p = 0; p < n_periods; p++)
    {
      Words joined = { 0 };

      for (guint s = 0; s < n_sources; s++)
        joined |= shuffle (*(const Words *) (sources[s] + first[s] + p * N_WORDS * plan->own[s]),
                           *(const Words *) picks[s].from)
                  & *(const Words *) picks[s].taken;
      *(Words *) (gpointer) (out + (p * plan->words + v) * sizeof joined) = joined;
    }
}

REEL_VECTOR_INLINE gsize
join_sources (const ReelWordPlan *plan, guint n_sources, const guint8 *const *from,
              guint8 *restrict out, gsize n)
{
  const gint32 *sources[MOST_SOURCES];
  gsize n_periods = n / N_WORDS;

  for (gsize p = 0, some; p < n_periods; p += some)
    {
      some = MIN (n_periods - p, SOME_PERIODS);
      for (guint s = 0; s < n_sources; s++)
        sources[s] = (const gint32 *) (gconstpointer) from[s] + p * N_WORDS * plan->own[s];
      for (guint v = 0; v < plan->words; v++)
        join_vector (plan, v, n_sources, sources, out + p * plan->words * sizeof (Words), some);
    }
  return n_periods * N_WORDS;
}

static gsize
join_words (const ReelWordPlan *plan, const guint8 *const *from, guint8 *restrict out, gsize n)
{
  switch (plan->n)
    {
    case 2: return join_sources (plan, 2, from, out, n);
    case 3: return join_sources (plan, 3, from, out, n);
    default: return join_sources (plan, plan->n, from, out, n);
    }
}

const ReelLinkKernels REEL_KERNEL_NAME (reel_link_kernels) = {
  count, limit, either, sum_f32, sum_f64, place, place_lanes, plan_words, join_words,
};
