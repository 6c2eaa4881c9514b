/* The reader of a pickle: its stack and the values on it. Private to pickle-read.c and the files
 * beside it. */
#pragma once

#include "pickle-tree.h"
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
  /* In trees of values alone. */
  REEL_PICKLE_MAP,   /* a dict; its items are keys and values in turn */
  REEL_PICKLE_BYTES, /* bytes, or a string that contains zeros */
  REEL_PICKLE_DTYPE, /* the type of NumPy's elements */
  REEL_PICKLE_ARRAY, /* an array of NumPy; an array of objects becomes a sequence */
} ReelPickleKind;

typedef enum
{
  REEL_PICKLE_ORDERED_DICT,
  REEL_PICKLE_REBUILD_TENSOR,
  REEL_PICKLE_STORAGE_CLASS,
  REEL_PICKLE_NEW_ARRAY,
  REEL_PICKLE_ARRAY_CLASS,
  REEL_PICKLE_DTYPE_CLASS,
  REEL_PICKLE_NEW_SCALAR,
  REEL_PICKLE_ENCODE,
} ReelPickleCallable;

/* A value on the stack. */
struct _ReelPickleItem
{
  gint ref_count;
  ReelPickleKind kind;
  ReelPickleCallable callable; /* of a global */
  ReelDtype dtype;             /* of a class of storages, and of a storage */
  gboolean ordered;            /* of a dict; of a sequence, that it is a tuple; of bytes, that they
                                * are a string; of a type, that it is that of objects */
  guint depth;                 /* containers in it */
  GVariant *value;
  GPtrArray *items;
  ReelTensordict *dict;
  ReelMemory *memory;
  ReelTensor *tensor;
  GBytes *bytes;        /* the elements of an array, too */
  ReelArrayInfo *array; /* NULL for an array that has no elements yet */
};

typedef struct
{
  const guint8 *begin, *at, *end;
  GPtrArray *stack, *memo; /* of ReelPickleItem */
  ReelPickleStorageFunc find;
  gpointer source;
  gboolean stopped;
  gboolean is_tree; /* values, and arrays of NumPy, in place of tensors of PyTorch */
} ReelPickleReader;

/* ---- pickle-stack.c ---- */

/* An item that holds nothing yet. */
ReelPickleItem *reel_pickle_item_new (ReelPickleKind kind);

/* An empty list, tuple, or dict of a tree. */
ReelPickleItem *reel_pickle_container_new (ReelPickleKind kind, gboolean is_tuple);

/* An empty dict, or an OrderedDict. */
ReelPickleItem *reel_pickle_dict_new (gboolean is_ordered);

/* The stack and the memo own what lies in them together. */
ReelPickleItem *reel_pickle_item_ref (ReelPickleItem *self);

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

/* ---- pickle-numpy.c: the same for arrays of NumPy, in trees ---- */

/* Pushes what NumPy's pickles name, and nothing else. */
gboolean reel_pickle_numpy_push_global (ReelPickleReader *self, const char *module,
                                        const char *name, GError **error);

/* Calls @callable, as NumPy's pickles do. */
gboolean reel_pickle_numpy_reduce (ReelPickleReader *self, const ReelPickleItem *callable,
                                   const ReelPickleItem *arguments, GError **error);

/* BUILD: the elements of an array, or the order of the bytes of its type. */
gboolean reel_pickle_numpy_build (ReelPickleReader *self, GError **error);

G_END_DECLS
