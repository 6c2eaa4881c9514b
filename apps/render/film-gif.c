/* Films as GIF. */
#include "config.h"

#include "film.h"

#ifdef REEL_WITH_GIF

#include <gif_lib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../common/draft.h"
#include "palette.h"

/* Hundredths of a second: the shortest time that browsers keep to, and how long the end stays. */
#define SHORTEST 2
#define LAST 100

#define MOST_SIDE 65535

typedef struct
{
  Film base;
  Draft *draft;
  FILE *file;
  GifFileType *gif;
  gint64 width, height;
  double rate;

  gint64 n;      /* pictures given */
  guint8 *shown; /* of the last one that is in the file */
  guint8 *next;  /* of the one to come into it */
  guint8 *last;  /* of one that was left out, which is the end for now */
  gboolean late; /* whether there is such a one */
  gboolean any;  /* whether there is one in the file */
  gint64 begin;  /* when the next one begins */
  guint8 *same;  /* by pixel of a part: whether it stays as it is */
  guint8 *part;  /* the part's pixels */
  guint8 *numbers;
} GifFilm;

/* The part of a picture that is new. */
typedef struct
{
  gint64 left, top, width, height;
} Part;

static int
write_bytes (GifFileType *gif, const GifByteType *bytes, int n)
{
  return (int) fwrite (bytes, 1, (size_t) n, gif->UserData);
}

static gboolean
check (GifFilm *self, gboolean done, GError **error)
{
  if (done && !ferror (self->file))
    return TRUE;
  g_set_error (error, REEL_ERROR, ferror (self->file) ? REEL_ERROR_NO_SPACE : REEL_ERROR_IO,
               "%s could not be written: %s", self->draft->path,
               ferror (self->file) ? "the disk is full, or fails"
                                   : GifErrorString (self->gif->Error));
  return FALSE;
}

/* ---- one picture ---- */

/* The smallest part that holds all pixels that changed; one pixel where none did. */
static Part
find_part (const GifFilm *self)
{
  gint64 left = self->width, right = -1, top = -1, bottom = -1;

  if (!self->any)
    return (Part){ 0, 0, self->width, self->height };
  for (gint64 y = 0; y < self->height; y++)
    {
      const guint8 *old = self->shown + y * self->width * 3,
                   *new = self->next + y * self->width * 3;

      if (memcmp (old, new, (gsize) self->width * 3) == 0)
        continue;
      top = top < 0 ? y : top;
      bottom = y;
      for (gint64 x = 0; x < self->width; x++)
        if (memcmp (old + 3 * x, new + 3 * x, 3) != 0)
          {
            left = MIN (left, x);
            right = MAX (right, x);
          }
    }
  return bottom < 0 ? (Part){ 0, 0, 1, 1 }
                    : (Part){ left, top, right - left + 1, bottom - top + 1 };
}

static void
copy_part (GifFilm *self, const Part *part)
{
  for (gint64 y = 0; y < part->height; y++)
    {
      gint64 at = ((part->top + y) * self->width + part->left) * 3, to = y * part->width;

      memcpy (self->part + to * 3, self->next + at, (gsize) part->width * 3);
      for (gint64 x = 0; x < part->width; x++)
        self->same[to + x] =
            self->any && memcmp (self->next + at + 3 * x, self->shown + at + 3 * x, 3) == 0;
    }
}

static ColorMapObject *
make_map (const Palette *palette)
{
  int size = 2;

  while (size < palette->n + 1)
    size *= 2;

  ColorMapObject *map = GifMakeMapObject (size, NULL);

  for (int i = 0; map && i < palette->n; i++)
    map->Colors[i] =
        (GifColorType){ palette->colours[i][0], palette->colours[i][1], palette->colours[i][2] };
  return map;
}

static gboolean
write_part (GifFilm *self, const Part *part, const Palette *palette, gint64 delay)
{
  const GraphicsControlBlock control = { .DisposalMode = DISPOSE_DO_NOT,
                                         .DelayTime = (int) MIN (delay, 65535),
                                         .TransparentColor = palette->n };
  GifByteType extension[4];
  gsize n = EGifGCBToExtension (&control, extension);
  ColorMapObject *map = make_map (palette);
  gboolean done =
      map && EGifPutExtension (self->gif, GRAPHICS_EXT_FUNC_CODE, (int) n, extension) == GIF_OK
      && EGifPutImageDesc (self->gif, (int) part->left, (int) part->top, (int) part->width,
                           (int) part->height, false, map)
             == GIF_OK;

  for (gint64 y = 0; done && y < part->height; y++)
    done = EGifPutLine (self->gif, self->numbers + y * part->width, (int) part->width) == GIF_OK;
  GifFreeMapObject (map);
  return done;
}

static gboolean
write_next (GifFilm *self, gint64 delay, GError **error)
{
  Part part = find_part (self);
  Palette palette = { .n = 0 };

  copy_part (self, &part);
  palette_map (&palette, self->part, self->same, part.width * part.height, self->numbers);
  for (gint64 i = 0; i < part.width * part.height; i++)
    if (self->same[i])
      self->numbers[i] = (guint8) palette.n;

  gboolean done = write_part (self, &part, &palette, delay);
  guint8 *old = self->shown;

  self->shown = self->next;
  self->next = old;
  self->any = TRUE;
  return check (self, done, error);
}

/* ---- all of them ---- */

/* A picture for which there is no time is left out, unless none follows. */
static gboolean
add (Film *film, ReelTensor *picture, GError **error)
{
  GifFilm *self = (GifFilm *) film;
  gint64 begin = llround (100.0 * (double) self->n / self->rate);

  self->late = self->n > 0 && begin - self->begin < SHORTEST;
  film->n_left_out += self->late;
  if (self->n > 0 && !self->late)
    {
      if (!write_next (self, begin - self->begin, error))
        return FALSE;
      self->begin = begin;
    }
  memcpy (self->late ? self->last : self->next, picture->data,
          (gsize) (self->width * self->height * 3));
  self->n++;
  return TRUE;
}

static gboolean
close_gif (GifFilm *self)
{
  GifFileType *gif = self->gif;

  self->gif = NULL;
  return EGifCloseFile (gif, NULL) == GIF_OK;
}

static gboolean
close_file (GifFilm *self)
{
  FILE *file = self->file;

  self->file = NULL;
  return fclose (file) == 0;
}

static gboolean
finish (Film *film, GError **error)
{
  GifFilm *self = (GifFilm *) film;

  if (self->late)
    memcpy (self->next, self->last, (gsize) (self->width * self->height * 3));
  film->n_left_out -= self->late;
  if (self->n > 0 && !write_next (self, LAST, error))
    return FALSE;
  if (close_gif (self) && close_file (self))
    return draft_keep (self->draft, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "%s could not be written to its end",
               self->draft->path);
  return FALSE;
}

static void
free_film (Film *film)
{
  GifFilm *self = (GifFilm *) film;

  if (self->gif)
    close_gif (self);
  if (self->file)
    close_file (self);
  draft_free (self->draft);
  g_free (self->shown);
  g_free (self->next);
  g_free (self->last);
  g_free (self->same);
  g_free (self->part);
  g_free (self->numbers);
  g_free (self);
}

/* The extension that repeats the film. */
static gboolean
write_head (GifFilm *self)
{
  EGifSetGifVersion (self->gif, true);
  return EGifPutScreenDesc (self->gif, (int) self->width, (int) self->height, 8, 0, NULL) == GIF_OK
         && EGifPutExtensionLeader (self->gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK
         && EGifPutExtensionBlock (self->gif, 11, "NETSCAPE2.0") == GIF_OK
         && EGifPutExtensionBlock (self->gif, 3, "\1\0\0") == GIF_OK
         && EGifPutExtensionTrailer (self->gif) == GIF_OK;
}

Film *
film_new_gif (const char *path, gint64 width, gint64 height, double rate, GError **error)
{
  if (width > MOST_SIDE || height > MOST_SIDE)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "--gif: %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT
                   " pixels are too many; a side has %d at most",
                   width, height, MOST_SIDE);
      return NULL;
    }

  GifFilm *self = g_new0 (GifFilm, 1);
  g_autoptr (Film) owned = &self->base;
  gsize area = (gsize) (width * height);

  self->base = (Film){ .add = add, .finish = finish, .free = free_film };
  self->width = width;
  self->height = height;
  self->rate = rate;
  self->draft = draft_new (path, FALSE, error);
  if (!self->draft)
    return NULL;
  self->shown = g_malloc (area * 3);
  self->next = g_malloc (area * 3);
  self->last = g_malloc (area * 3);
  self->part = g_malloc (area * 3);
  self->same = g_malloc (area);
  self->numbers = g_malloc (area);
  self->file = fopen (self->draft->temporary, "wbe");
  self->gif = self->file ? EGifOpen (self->file, write_bytes, NULL) : NULL;
  if (self->gif && write_head (self))
    return g_steal_pointer (&owned);
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s could not be written", path);
  return NULL;
}

#else

Film *
film_new_gif (const char *path, gint64 width, gint64 height, double rate, GError **error)
{
  set_usage_error (error, "--gif: this render was built without giflib; --mp4 and --png are there");
  return NULL;
}

#endif
