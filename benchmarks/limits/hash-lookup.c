#include "memory-limits.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a of the key, a table twice as large as needed, one comparison: what any map of strings must
 * do. */
struct LimitHash
{
  size_t mask;
  const char **keys;
  const void **values;
};

static uint64_t
hash (const char *key)
{
  uint64_t h = 0xcbf29ce484222325;

  for (; *key; key++)
    h = (h ^ (uint8_t) *key) * 0x100000001b3;
  return h ^ (h >> 32);
}

static size_t
find (const LimitHash *self, const char *key)
{
  size_t i = hash (key) & self->mask;

  while (self->keys[i] && strcmp (self->keys[i], key) != 0)
    i = (i + 1) & self->mask;
  return i;
}

LimitHash *
limit_hash_new (const char *const *keys, const void *const *values, size_t n)
{
  LimitHash *self = malloc (sizeof *self);
  size_t size = 4;

  while (size < 2 * n)
    size *= 2;
  self->mask = size - 1;
  self->keys = calloc (size, sizeof *self->keys);
  self->values = calloc (size, sizeof *self->values);
  for (size_t k = 0; k < n; k++)
    {
      size_t i = find (self, keys[k]);
      self->keys[i] = keys[k];
      self->values[i] = values[k];
    }
  return self;
}

void
limit_hash_free (LimitHash *self)
{
  free (self->keys);
  free (self->values);
  free (self);
}

const void *
limit_hash_get (const LimitHash *self, const char *key)
{
  return self->values[find (self, key)];
}
