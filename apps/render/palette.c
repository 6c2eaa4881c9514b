#include "palette.h"

#include <stdlib.h>
#include <string.h>

/* ---- few colours ---- */

#define SLOTS 1024

typedef struct
{
  guint32 keys[SLOTS]; /* colour + 1, 0 where free */
  guint8 numbers[SLOTS];
} ColourTable;

static guint32
colour_of (const guint8 *pixel)
{
  return (guint32) pixel[0] << 16 | (guint32) pixel[1] << 8 | pixel[2];
}

/* The number of a colour, a new one where it is new; -1 where there are too many. */
static gint
look_up (ColourTable *table, Palette *palette, guint32 colour)
{
  guint slot = (colour * 2654435761u) >> 22;

  while (table->keys[slot] != 0 && table->keys[slot] != colour + 1)
    slot = (slot + 1) % SLOTS;
  if (table->keys[slot] == 0)
    {
      if (palette->n == PALETTE_MOST)
        return -1;
      table->keys[slot] = colour + 1;
      table->numbers[slot] = (guint8) palette->n;
      palette->colours[palette->n][0] = (guint8) (colour >> 16);
      palette->colours[palette->n][1] = (guint8) (colour >> 8);
      palette->colours[palette->n][2] = (guint8) colour;
      palette->n++;
    }
  return table->numbers[slot];
}

static gboolean
map_exactly (Palette *self, const guint8 *pixels, const guint8 *skip, gint64 n, guint8 *numbers)
{
  ColourTable table = { { 0 }, { 0 } };

  self->n = 0;
  for (gint64 i = 0; i < n; i++)
    {
      gint number = skip[i] ? 0 : look_up (&table, self, colour_of (pixels + 3 * i));
      if (number < 0)
        return FALSE;
      if (!skip[i])
        numbers[i] = (guint8) number;
    }
  return TRUE;
}

/* ---- many ---- */

#define BITS 5
#define BINS (1 << (3 * BITS))

/* The pixels of like colours. */
typedef struct
{
  guint16 key;
  gint64 n;
  gint64 sums[3];
} Bin;

/* Bins [begin, end). */
typedef struct
{
  gint begin, end;
  gint64 n;
  gint axis, spread; /* the widest one, in steps of five bits */
} Box;

static guint16
bin_of (const guint8 *pixel)
{
  return (guint16) ((pixel[0] >> 3) << 10 | (pixel[1] >> 3) << 5 | pixel[2] >> 3);
}

static gint
place_on (const Bin *bin, gint axis)
{
  return bin->key >> (10 - 5 * axis) & 31;
}

static void
measure (Box *box, const Bin *bins)
{
  box->n = 0;
  for (gint i = box->begin; i < box->end; i++)
    box->n += bins[i].n;
  box->spread = -1;
  for (gint axis = 0; axis < 3; axis++)
    {
      gint low = 31, high = 0;

      for (gint i = box->begin; i < box->end; i++)
        {
          low = MIN (low, place_on (&bins[i], axis));
          high = MAX (high, place_on (&bins[i], axis));
        }
      if (high - low > box->spread)
        {
          box->spread = high - low;
          box->axis = axis;
        }
    }
}

static gint
compare_bins (const void *a, const void *b, void *data)
{
  gint axis = GPOINTER_TO_INT (data), order = place_on (a, axis) - place_on (b, axis);

  return order != 0 ? order : ((const Bin *) a)->key - ((const Bin *) b)->key;
}

/* Halves a box by its pixels. */
static Box
cut (Box *box, Bin *bins)
{
  gint64 half = 0;
  gint at = box->begin;

  g_qsort_with_data (bins + box->begin, box->end - box->begin, sizeof *bins, compare_bins,
                     GINT_TO_POINTER (box->axis));
  while (at < box->end - 1 && (half + bins[at].n <= box->n / 2 || at == box->begin))
    half += bins[at++].n;

  Box rest = { .begin = at, .end = box->end };

  box->end = at;
  measure (box, bins);
  measure (&rest, bins);
  return rest;
}

/* The box whose cut helps most: many pixels, far apart. */
static Box *
find_worst (Box *boxes, gint n)
{
  Box *worst = NULL;
  gint64 most = 0;

  for (gint i = 0; i < n; i++)
    {
      gint64 worth = boxes[i].n * boxes[i].spread * boxes[i].spread;
      if (boxes[i].end - boxes[i].begin > 1 && worth > most)
        {
          most = worth;
          worst = &boxes[i];
        }
    }
  return worst;
}

static gint
count_bins (const guint8 *pixels, const guint8 *skip, gint64 n, Bin *bins)
{
  gint n_bins = 0;

  for (gint64 i = 0; i < n; i++)
    {
      Bin *bin = &bins[bin_of (pixels + 3 * i)];
      if (skip[i])
        continue;
      bin->key = bin_of (pixels + 3 * i);
      bin->n++;
      for (gint c = 0; c < 3; c++)
        bin->sums[c] += pixels[3 * i + c];
    }
  for (gint key = 0; key < BINS; key++)
    if (bins[key].n > 0)
      bins[n_bins++] = bins[key];
  return n_bins;
}

static void
take_colour (Palette *self, const Box *box, const Bin *bins, guint8 *numbers_of_bins)
{
  gint64 sums[3] = { 0 };

  for (gint i = box->begin; i < box->end; i++)
    {
      numbers_of_bins[bins[i].key] = (guint8) self->n;
      for (gint c = 0; c < 3; c++)
        sums[c] += bins[i].sums[c];
    }
  for (gint c = 0; c < 3; c++)
    self->colours[self->n][c] = (guint8) ((sums[c] + box->n / 2) / box->n);
  self->n++;
}

static void
map_nearly (Palette *self, const guint8 *pixels, const guint8 *skip, gint64 n, guint8 *numbers)
{
  g_autofree Bin *bins = g_new0 (Bin, BINS);
  g_autofree guint8 *numbers_of_bins = g_new0 (guint8, BINS);
  Box boxes[PALETTE_MOST] = { { .begin = 0, .end = count_bins (pixels, skip, n, bins) } };
  Box *worst;
  gint n_boxes = 1;

  measure (&boxes[0], bins);
  while (n_boxes < PALETTE_MOST && (worst = find_worst (boxes, n_boxes)))
    boxes[n_boxes++] = cut (worst, bins);
  self->n = 0;
  for (gint i = 0; i < n_boxes; i++)
    take_colour (self, &boxes[i], bins, numbers_of_bins);
  for (gint64 i = 0; i < n; i++)
    if (!skip[i])
      numbers[i] = numbers_of_bins[bin_of (pixels + 3 * i)];
}

void
palette_map (Palette *self, const guint8 *pixels, const guint8 *skip, gint64 n, guint8 *numbers)
{
  if (!map_exactly (self, pixels, skip, n, numbers))
    map_nearly (self, pixels, skip, n, numbers);
}
