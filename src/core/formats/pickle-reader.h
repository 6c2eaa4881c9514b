/* The reader of a pickle: its stack and the values on it. Private to pickle-read.c and the files
 * beside it. */
#pragma once

#include "pickle.h"

#include "../object/error.h"

G_BEGIN_DECLS

typedef enum
{
  REEL_PICKLE_MARK,
  REEL_PICKLE_GLOBAL,
  REEL_PICKLE_VALUE,
  REEL_PICKLE_SEQUENCE,
  REEL_PICKLE_DICT,
  REEL_PICKLE_STORAGE,
  REEL_PICKLE_TENSOR,
} ReelPickleKind;

typedef enum
{
  REEL_PICKLE_ORDERED_DICT,
  REEL_PICKLE_REBUILD_TENSOR,
  REEL_PICKLE_STORAGE_CLASS,
} ReelPickleCallable;

/* A value on the stack. */
typedef struct
{
  gint ref_count;
  ReelPickleKind kind;
  ReelPickleCallable callable; /* of a global */
  ReelDtype dtype;             /* of a class of storages, and of a storage */
  gboolean ordered;            /* of a dict; of a sequence, that it is a tuple */
  guint depth;                 /* containers in it */
  GVariant *value;
  GPtrArray *items;
  ReelTensordict *dict;
  ReelMemory *memory;
  ReelTensor *tensor;
} ReelPickleItem;

typedef struct
{
  const guint8 *begin, *at, *end;
  GPtrArray *stack, *memo; /* of ReelPickleItem */
  ReelPickleStorageFunc find;
  gpointer source;
  gboolean stopped;
} ReelPickleReader;

/* ---- pickle-stack.c ---- */

/* An item that holds nothing yet. */
ReelPickleItem *reel_pickle_item_new (ReelPickleKind kind);

/* An empty dict, or an OrderedDict. */
ReelPickleItem *reel_pickle_dict_new (gboolean is_ordered);

/* The stack and the memo own what lies in them together. */
ReelPickleItem *reel_pickle_item_ref (ReelPickleItem *self);

/* Drops what reel_pickle_item_ref() took; a pointer of any type, to free arrays with. */
void reel_pickle_item_unref (gpointer self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelPickleItem, reel_pickle_item_unref)

/* Sets an error that tells the place, and returns FALSE. */
gboolean reel_pickle_fail (const ReelPickleReader *self, gint code, GError **error,
                           const char *format, ...) G_GNUC_PRINTF (4, 5);

/* The same for a file that is damaged, with @what. */
gboolean reel_pickle_fail_damaged (const ReelPickleReader *self, const char *what, GError **error);

/* Takes @item, and returns TRUE. */
gboolean reel_pickle_push (ReelPickleReader *self, ReelPickleItem *item);

/* The one on top, which must be of @kind; left there. */
ReelPickleItem *reel_pickle_peek (ReelPickleReader *self, ReelPickleKind kind, GError **error);

/* The same, taken. */
ReelPickleItem *reel_pickle_pop (ReelPickleReader *self, ReelPickleKind kind, GError **error);

/* The last @n, taken from the stack; NULL where there are fewer, or a mark among them. */
GPtrArray *reel_pickle_pop_last (ReelPickleReader *self, guint n, GError **error);

/* ---- pickle-classes.c: opcodes, which stand behind what @self->at has passed ---- */

/* GLOBAL: a class or function by two lines. */
gboolean reel_pickle_read_global (ReelPickleReader *self, GError **error);

/* STACK_GLOBAL: the same by two strings on the stack. */
gboolean reel_pickle_read_stack_global (ReelPickleReader *self, GError **error);

/* BINPERSID: a storage in another file of the archive. */
gboolean reel_pickle_read_persistent (ReelPickleReader *self, GError **error);

/* REDUCE: a call, of which two are known. */
gboolean reel_pickle_read_reduce (ReelPickleReader *self, GError **error);

/* BUILD: attributes of an OrderedDict, of which one is known. */
gboolean reel_pickle_read_build (ReelPickleReader *self, GError **error);

G_END_DECLS
