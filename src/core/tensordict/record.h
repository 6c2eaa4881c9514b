/* C structs of columns, as typed tensordicts and back. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * REEL_FIELD_MAX_NDIM:
 *
 * Dimensions that a field may have beside those of the batch.
 */
#define REEL_FIELD_MAX_NDIM 4

/**
 * REEL_FIELD_ANY:
 *
 * As an extent of a field: whatever it is. As its number of dimensions: however many.
 */
#define REEL_FIELD_ANY -1

/**
 * ReelFieldKind:
 * @REEL_FIELD_TENSOR: the member is a `ReelTensor *`
 * @REEL_FIELD_NON_TENSOR: a `ReelNonTensor *`
 * @REEL_FIELD_TENSORDICT: a `ReelTensordict *`
 * @REEL_FIELD_RECORD: a pointer to the struct of another record
 *
 * The kind of a field of a record.
 */
typedef enum
{
  REEL_FIELD_TENSOR,
  REEL_FIELD_NON_TENSOR,
  REEL_FIELD_TENSORDICT,
  REEL_FIELD_RECORD,
} ReelFieldKind;

typedef struct _ReelRecordType ReelRecordType;

/**
 * ReelField:
 * @name: plain key in the tensordict
 * @offset: bytes from the beginning of the struct to the member, a pointer
 * @kind: what it points to
 * @optional: whether it may be %NULL, Python's None
 * @dtype: of a tensor
 * @ndim: dimensions of a tensor after those of the batch, or %REEL_FIELD_ANY
 * @shape: their extents, each may be %REEL_FIELD_ANY
 * @record: of a record, which
 *
 * One field of a record.
 */
typedef struct
{
  const char *name;
  gsize offset;
  ReelFieldKind kind;
  gboolean optional;
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_FIELD_MAX_NDIM];
  const ReelRecordType *record;
} ReelField;

/**
 * ReelRecordType:
 * @name: dotted name of the class, such as `torchrl.data.PromptData`
 * @size: bytes of the struct
 * @fields: (array length=n_fields): its fields, as declared
 * @n_fields: how many
 *
 * A kind of record, what TorchRL calls a tensorclass: a constant table, beside the struct that it
 * describes, whose members are all pointers:
 *
 * |[<!-- language="C" -->
 * typedef struct { ReelTensor *ids, *labels; } Prompt;
 *
 * static const ReelField prompt_fields[] = {
 *   REEL_FIELD (Prompt, ids, .dtype = REEL_DTYPE_INT64, .ndim = 1, .shape = { REEL_FIELD_ANY }),
 *   REEL_FIELD (Prompt, labels, .dtype = REEL_DTYPE_INT64, .optional = TRUE),
 * };
 * static const ReelRecordType prompt_type = REEL_RECORD_TYPE ("my.Prompt", Prompt, prompt_fields);
 * ]|
 */
struct _ReelRecordType
{
  const char *name;
  gsize size;
  const ReelField *fields;
  gsize n_fields;
};

/**
 * REEL_FIELD:
 * @Struct: the struct
 * @member: one of its members, which gives the field its name
 * @...: the other fields of #ReelField, as designated initialisers
 *
 * A row of a table of fields.
 */
#define REEL_FIELD(Struct, member, ...)                                                            \
  {                                                                                                \
    .name = #member, .offset = G_STRUCT_OFFSET (Struct, member), __VA_ARGS__                       \
  }

/**
 * REEL_RECORD_TYPE:
 * @dotted_name: name of the class
 * @Struct: the struct
 * @table: its array of #ReelField
 *
 * Initialises a #ReelRecordType.
 */
#define REEL_RECORD_TYPE(dotted_name, Struct, table)                                               \
  {                                                                                                \
    (dotted_name), sizeof (Struct), (table), G_N_ELEMENTS (table)                                  \
  }

/**
 * reel_record_to_tensordict:
 * @type: what @record is
 * @record: a struct
 * @ndim: batch dimensions
 * @batch_size: (array length=ndim): their extents
 * @error: KEY naming a field that is %NULL and not optional; TYPE, VALUE naming one of another
 *   dtype or shape; RUNTIME for one that does not begin with the batch size
 *
 * Returns: (transfer full): a tensordict of the class, of the same columns: nothing is copied
 */
REEL_API
ReelTensordict *reel_record_to_tensordict (const ReelRecordType *type, gconstpointer record,
                                           gint ndim, const gint64 *batch_size, GError **error);

/**
 * reel_record_from_tensordict:
 * @type: what to make
 * @td: a tensordict, of the class or of none; the module of the class is not looked at
 * @record: (out caller-allocates): the struct, to be cleared with reel_record_clear(); whatever was
 *   in it is overwritten
 * @error: KEY naming a key that is no field, or a field that is missing; TYPE for another class,
 *   kind or dtype; VALUE for another shape
 *
 * Returns: whether @record was set, with references to the columns of @td: nothing is copied. On
 *   failure it is all zero
 */
REEL_API
gboolean reel_record_from_tensordict (const ReelRecordType *type, const ReelTensordict *td,
                                      gpointer record, GError **error);

/**
 * reel_record_clear:
 * @type: what @record is
 * @record: a struct
 *
 * Drops what its members refer to, frees nested structs, and makes it all zero.
 */
REEL_API
void reel_record_clear (const ReelRecordType *type, gpointer record);

G_END_DECLS
