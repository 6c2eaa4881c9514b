/* Rows picked from a column, or from records that hold all columns. A row is a cache miss: the copy
 * is specialised by size, and rows far ahead are fetched, those of the column that comes next at
 * the end of one. They are fetched to the second cache: a CPU has more misses under way there than
 * on the way to the first, and it holds all rows of a batch at once. */

#include "gather-kernel.h"
#include "ring.h"
#include "stream-copy.h"
#include "strided-copy.h"

#define LINE 64
#define AHEAD 256 /* rows of at most a line, and records */
#define AHEAD_LARGE 2
#define AHEAD_RUNS 8
#define ABREAST 8              /* rows that stream side by side */
#define FETCH_RUN 256          /* of a run that comes later */
#define STREAM_LEAST (4 << 20) /* of a batch of such rows that goes past the cache */
#define FETCH_ALL 128          /* rows of which AHEAD are fetched */
#define FETCH_MOST 8192        /* larger rows stream by themselves */
#define PART 32                /* records that are split at a time; as many are fetched ahead */

static inline void
fetch_line (const guint8 *row)
{
  __builtin_prefetch (row, 0, 2);
}

static inline void
fetch (const guint8 *row, gsize bytes)
{
  for (const guint8 *line = row - (gsize) row % LINE; line < row + bytes; line += LINE)
    fetch_line (line);
}

static void
fetch_rows (const ReelRows *rows, const gint64 *restrict slots, gint64 n)
{
  gsize bytes = rows->row_bytes <= FETCH_MOST ? rows->row_bytes : 1;

  for (gint64 i = 0; i < MIN (n, rows->row_bytes <= FETCH_ALL ? AHEAD : AHEAD_LARGE); i++)
    fetch (rows->data + (gsize) slots[i] * rows->stride, bytes);
}

/* Always inlined with a constant size. */
static inline __attribute__ ((always_inline)) void
gather_sized (guint8 *restrict to, const ReelRows *from, gsize bytes, const gint64 *restrict slots,
              gint64 n, const ReelRows *next)
{
  const guint8 *restrict rows = from->data, *restrict later = next->data;
  gsize stride = from->stride, later_stride = next->stride;
  gint64 ahead = MIN (n, AHEAD), i = 0;

  /* The last `ahead` rows of this column fetch the first rows of the next one. */
  for (; i < n - ahead; i++)
    {
      fetch_line (rows + (gsize) slots[i + ahead] * stride);
      racy_copy (to + (gsize) i * bytes, rows + (gsize) slots[i] * stride, bytes);
    }
  for (gint64 k = 0; i < n; i++, k++)
    {
      fetch_line (later + (gsize) slots[k] * later_stride);
      racy_copy (to + (gsize) i * bytes, rows + (gsize) slots[i] * stride, bytes);
    }
}

/* Large rows side by side, past the cache: of one at a time the CPU fetches only so much ahead. Of
 * each row whole lines stream; what is left at its ends is copied. */
static void
gather_abreast (guint8 *restrict to, gsize bytes, const guint8 *const *rows)
{
  /* Streaming stores need whole lines of the destination. As many fit behind the longest head,
   * which is one byte short of a line. */
  gsize body = (bytes - (LINE - 1)) / LINE * LINE, heads[ABREAST];

  for (gint k = 0; k < ABREAST; k++)
    {
      heads[k] = -(gsize) (to + (gsize) k * bytes) % LINE;
      racy_copy (to + (gsize) k * bytes, rows[k], heads[k]);
    }
  for (gsize i = 0; i < body; i += LINE)
    for (gint k = 0; k < ABREAST; k++)
      stream_line (to + (gsize) k * bytes + heads[k] + i, rows[k] + heads[k] + i);
  for (gint k = 0; k < ABREAST; k++)
    {
      gsize done = heads[k] + body;

      racy_copy (to + (gsize) k * bytes + done, rows[k] + done, bytes - done);
    }
}

/* More than would be found in the cache later. */
static void
gather_large (guint8 *restrict to, const ReelRows *from, const gint64 *restrict slots, gint64 n)
{
  gsize bytes = from->row_bytes;
  const guint8 *rows[ABREAST];
  gint64 i = 0;

  for (; i + ABREAST <= n; i += ABREAST)
    {
      for (gint k = 0; k < ABREAST; k++)
        rows[k] = from->data + (gsize) slots[i + k] * from->stride;
      gather_abreast (to + (gsize) i * bytes, bytes, rows);
    }
  for (; i < n; i++)
    stream_copy (to + (gsize) i * bytes, from->data + (gsize) slots[i] * from->stride, bytes);
  reel_ring_fence_writes ();
}

static void
gather_any (guint8 *restrict to, const ReelRows *from, const gint64 *restrict slots, gint64 n)
{
  gsize bytes = from->row_bytes;
  gint64 ahead = bytes <= FETCH_ALL ? AHEAD : AHEAD_LARGE;

  if (bytes > FETCH_MOST && (gsize) n * bytes >= STREAM_LEAST)
    {
      gather_large (to, from, slots, n);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    {
      if (bytes <= FETCH_MOST && i + ahead < n)
        fetch (from->data + (gsize) slots[i + ahead] * from->stride, bytes);
      racy_copy (to + (gsize) i * bytes, from->data + (gsize) slots[i] * from->stride, bytes);
    }
}

/* Whether no row reaches into a line more. */
static inline gboolean
is_within_line (const ReelRows *rows)
{
  return rows->row_bytes <= LINE && (rows->row_bytes & (rows->row_bytes - 1)) == 0;
}

static void
gather (guint8 *restrict to, const ReelRows *from, const gint64 *restrict slots, gint64 n,
        const ReelRows *next)
{
  const ReelRows *later = next && is_within_line (next) ? next : from;

#define GATHER(size) gather_sized (to, from, size, slots, n, later)
  switch (from->row_bytes)
    {
    case 1: GATHER (1); break;
    case 2: GATHER (2); break;
    case 4: GATHER (4); break;
    case 8: GATHER (8); break;
    case 16: GATHER (16); break;
    case 32: GATHER (32); break;
    case 64: GATHER (64); break;
    default: gather_any (to, from, slots, n); later = NULL;
    }
  if (next && later != next)
    fetch_rows (next, slots, n);
}

/* ---- records ---- */

/* Always inlined with a constant size, but for the last resort. */
static inline __attribute__ ((always_inline)) void
split_sized (guint8 *restrict to, const guint8 *const *rows, gsize offset, gsize bytes, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    racy_copy (to + (gsize) i * bytes, rows[i] + offset, bytes);
}

static inline void
split (const ReelGatherField *field, const guint8 *const *rows, gint64 first, gint64 n)
{
  guint8 *to = field->to + (gsize) first * field->row_bytes;

#define SPLIT(size) split_sized (to, rows, field->offset, size, n)
  switch (field->row_bytes)
    {
    case 1: SPLIT (1); break;
    case 2: SPLIT (2); break;
    case 4: SPLIT (4); break;
    case 8: SPLIT (8); break;
    case 16: SPLIT (16); break;
    case 32: SPLIT (32); break;
    case 64: SPLIT (64); break;
    default: SPLIT (field->row_bytes);
    }
}

/* Flags come in numbers and stand side by side: up to eight of eight rows are a square of bytes,
 * which is turned. */
typedef struct
{
  guint8 *to[8]; /* NULL for a byte that is not wanted */
  gsize offset;
} Octet;

typedef guint8 Bytes __attribute__ ((vector_size (16)));
typedef guint16 Pairs __attribute__ ((vector_size (16)));
typedef guint64 Words __attribute__ ((vector_size (16)));
typedef guint32 Fours __attribute__ ((vector_size (16)));

/* By way of a register: of two words in memory a vector would have to wait for both. */
static inline Bytes
load_word (const guint8 *from)
{
  guint64 word;

  racy_copy ((guint8 *) &word, from, sizeof word);
  return (Bytes) (Words){ word, 0 };
}

static inline Bytes
mix_bytes (const guint8 *a, const guint8 *b)
{
  return __builtin_shufflevector (load_word (a), load_word (b), 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                  5, 21, 6, 22, 7, 23);
}

static inline void
mix_pairs (Bytes a, Bytes b, Bytes *low, Bytes *high)
{
  *low = (Bytes) __builtin_shufflevector ((Pairs) a, (Pairs) b, 0, 8, 1, 9, 2, 10, 3, 11);
  *high = (Bytes) __builtin_shufflevector ((Pairs) a, (Pairs) b, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline void
mix_fours (Bytes a, Bytes b, guint8 *low, guint8 *high)
{
  Fours turned = __builtin_shufflevector ((Fours) a, (Fours) b, 0, 4, 1, 5);

  memcpy (low, &turned, sizeof turned);
  turned = __builtin_shufflevector ((Fours) a, (Fours) b, 2, 6, 3, 7);
  memcpy (high, &turned, sizeof turned);
}

/* columns[c] gets byte c of eight rows. */
static inline void
turn (const guint8 *const *rows, gsize offset, guint64 columns[8])
{
  guint8 *to = (guint8 *) columns;
  Bytes ends[4], low[2], high[2];

  for (gint i = 0; i < 4; i++)
    ends[i] = mix_bytes (rows[2 * i] + offset, rows[2 * i + 1] + offset);
  for (gint i = 0; i < 2; i++)
    mix_pairs (ends[2 * i], ends[2 * i + 1], &low[i], &high[i]);
  mix_fours (low[0], low[1], to, to + 16);
  mix_fours (high[0], high[1], to + 32, to + 48);
}

static void
split_octet (const Octet *octet, const guint8 *const *rows, gint64 first, gint64 n)
{
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    {
      guint64 columns[8];

      turn (rows + i, octet->offset, columns);
      for (gint c = 0; c < 8; c++)
        if (octet->to[c])
          memcpy (octet->to[c] + first + i, &columns[c], sizeof columns[c]);
    }
  for (gint c = 0; c < 8; c++)
    if (octet->to[c])
      split_sized (octet->to[c] + first + i, rows + i, octet->offset + (gsize) c, 1, n - i);
}

/* The work on each part of the rows. */
typedef struct
{
  ReelGatherField fields[REEL_MAX_FIELDS];
  guint n_fields;
  Octet octets[REEL_MAX_FIELDS / 8];
  guint n_octets;
} Plan;

/* An octet that reached beyond the record would be that of the next. */
static gboolean
add_byte (Plan *plan, const ReelGatherField *field, gsize first, gsize stride)
{
  guint i = (guint) MIN ((field->offset - first) / 8, G_N_ELEMENTS (plan->octets));
  gsize offset = first + 8 * (gsize) i;

  if (i == G_N_ELEMENTS (plan->octets) || offset + 8 > stride)
    return FALSE;
  for (; plan->n_octets <= i; plan->n_octets++)
    plan->octets[plan->n_octets] = (Octet){ .offset = first + 8 * (gsize) plan->n_octets };
  plan->octets[i].to[field->offset - offset] = field->to;
  return TRUE;
}

static void
make_plan (Plan *plan, const ReelGatherField *fields, guint n_fields, gsize stride)
{
  gsize first = G_MAXSIZE;

  plan->n_fields = plan->n_octets = 0;
  for (guint f = 0; f < n_fields; f++)
    if (fields[f].row_bytes == 1)
      first = MIN (first, fields[f].offset);
  for (guint f = 0; f < n_fields; f++)
    if (fields[f].row_bytes != 1 || !add_byte (plan, &fields[f], first, stride))
      plan->fields[plan->n_fields++] = fields[f];
}

/* Where the rows from @first on lie. Returns how many they are, PART at most. */
static inline gint64
find_part (const ReelRows *records, const gint64 *restrict slots, gint64 first, gint64 n,
           const guint8 **rows)
{
  n = MIN (PART, n - first);
  for (gint64 i = 0; i < n; i++)
    rows[i] = records->data + (gsize) slots[first + i] * records->stride;
  return n;
}

/* Part by part: while one is split, the next is on its way to the first cache, a few rows with each
 * field, for the CPU has as many misses under way as it can and no more. */
static void
gather_records (const ReelGatherField *fields, guint n_fields, const ReelRows *records,
                const gint64 *restrict slots, gint64 n)
{
  const guint8 *parts[2][PART];
  gsize bytes = records->row_bytes <= FETCH_MOST ? records->row_bytes : 1;
  gint64 n_rows = find_part (records, slots, 0, n, parts[0]), n_next, fetched;
  Plan plan;

  make_plan (&plan, fields, n_fields, records->stride);
  for (gint64 i = 0; i < n_rows; i++)
    fetch (parts[0][i], bytes);
  for (gint64 first = 0, part = 0; first < n; first += PART, part ^= 1, n_rows = n_next)
    {
      /* PART fetches, spread evenly over the fields and rounded up. */
      gint64 share = (PART - 1) / (gint64) MAX (plan.n_fields, 1) + 1;

      n_next = find_part (records, slots, first + PART, MAX (n, first + PART), parts[part ^ 1]);
      fetched = 0;
      for (guint f = 0; f < plan.n_fields; f++)
        {
          for (gint64 end = MIN (fetched + share, n_next); fetched < end; fetched++)
            fetch (parts[part ^ 1][fetched], bytes);
          split (&plan.fields[f], parts[part], first, n_rows);
        }
      for (; fetched < n_next; fetched++)
        fetch (parts[part ^ 1][fetched], bytes);
      for (guint o = 0; o < plan.n_octets; o++)
        split_octet (&plan.octets[o], parts[part], first, n_rows);
    }
}

/* ---- runs ---- */

/* The CPU goes on by itself within a run, but does not see the next one. */
static void
fetch_later (const ReelRows *from, const ReelRun *runs, gint64 i, gint64 n_runs)
{
  const ReelRun *run = &runs[i + AHEAD_RUNS];

  if (i + AHEAD_RUNS < n_runs)
    fetch (from->data + (gsize) run->slot * from->stride,
           MIN ((gsize) run->n * from->stride, FETCH_RUN));
}

static void
gather_runs (guint8 *restrict to, const ReelRows *from, const ReelRun *runs, gint64 n_runs)
{
  gsize bytes = from->row_bytes, stride = from->stride;

  for (gint64 i = 0; i < n_runs; i++)
    {
      const guint8 *run = from->data + (gsize) runs[i].slot * stride;

      fetch_later (from, runs, i, n_runs);
      if (stride == bytes)
        racy_copy (to, run, (gsize) runs[i].n * bytes);
      else
        strided_copy (to, (gint64) bytes, run, (gint64) stride, bytes, runs[i].n);
      to += (gsize) runs[i].n * bytes;
    }
}

static void
gather_record_runs (const ReelGatherField *fields, guint n_fields, const ReelRows *records,
                    const ReelRun *runs, gint64 n_runs)
{
  gsize stride = records->stride, first = 0;

  for (gint64 i = 0; i < n_runs; first += (gsize) runs[i++].n)
    {
      fetch_later (records, runs, i, n_runs);
      for (const ReelGatherField *field = fields; field < fields + n_fields; field++)
        strided_copy (field->to + first * field->row_bytes, (gint64) field->row_bytes,
                      records->data + (gsize) runs[i].slot * stride + field->offset,
                      (gint64) stride, field->row_bytes, runs[i].n);
    }
}

const ReelGatherKernels REEL_KERNEL_NAME (reel_gather_kernels) = { fetch_rows, gather, gather_runs,
                                                                   gather_records,
                                                                   gather_record_runs };
