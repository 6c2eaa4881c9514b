/* The form of a spec: a JSON object, of which text and JSON are two notations. A
 * kind describes itself in one slot and is read in another; both notations follow. Private. */
#pragma once

#include "../core/formats/json.h"
#include "spec-kind.h"

G_BEGIN_DECLS

/**
 * REEL_SPEC_MAX_DEPTH:
 *
 * How deep specs may lie within specs in what is read.
 */
#define REEL_SPEC_MAX_DEPTH 128

/**
 * REEL_SPEC_FORM_KIND:
 * REEL_SPEC_FORM_DTYPE:
 * REEL_SPEC_FORM_SHAPE:
 * REEL_SPEC_FORM_SPECS:
 *
 * Members that have the same meaning in the form of any kind: its word; the type of the elements;
 * the extents; an object of specs by plain key, in which null stands for a key without a spec.
 */
#define REEL_SPEC_FORM_KIND "kind"
#define REEL_SPEC_FORM_DTYPE "dtype"
#define REEL_SPEC_FORM_SHAPE "shape"
#define REEL_SPEC_FORM_SPECS "specs"

/**
 * ReelSpecSource:
 * @text: (nullable): the text that was parsed; %NULL where the form came as JSON
 * @places: (nullable): where in @text a value of the form stands, as bytes from its beginning + 1
 *
 * Where a form came from, so that a fault can name its place.
 */
typedef struct
{
  const char *text;
  GHashTable *places;
} ReelSpecSource;

/**
 * ReelSpecForm:
 * @kind: what is to be made
 * @members: its form
 * @dtype: the type of its elements, the usual one where none is said
 * @has_shape: whether a shape is said
 * @ndim: dimensions, 0 where none are said
 * @shape: extents
 * @source: where it came from
 * @path: keys that lead to it, for faults in JSON
 * @depth: how many specs it lies in
 * @placed: whether the error that was set names its place
 *
 * The arguments of a kind's `from_form`.
 */
struct _ReelSpecForm
{
  const ReelSpecKind *kind;
  json_t *members;
  ReelDtype dtype;
  gboolean has_shape;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  const ReelSpecSource *source;
  const char *path;
  gint depth;
  gboolean placed;
};

/* ---- for a kind's `describe` ---- */

/**
 * reel_spec_describe:
 * @spec: a spec
 *
 * Returns: (transfer full): its form
 */
json_t *reel_spec_describe (const ReelSpec *spec);

/**
 * reel_spec_form_from_word:
 * @word: a number or a word
 *
 * Returns: (transfer full): an integer or a real where JSON has it; else, as for `inf` and integers
 *   beyond 64 bits, a string of @word
 */
json_t *reel_spec_form_from_word (const char *word);

/**
 * reel_spec_form_from_tensor:
 * @tensor: numbers that are not complex, in any strides
 * @keep: how many of the last dimensions are always written
 *
 * Returns: (transfer full): nested lists of them, or a single one. Dimensions in front are left out
 *   as long as all along the first of them is the same. Where there are no elements, those of what
 *   it is a view of, or ones, so that the kept dimensions can be told
 */
json_t *reel_spec_form_from_tensor (const ReelTensor *tensor, gint keep);

/* ---- for a kind's `from_form` ---- */

/**
 * reel_spec_form_has:
 * @form: a form
 * @name: a parameter
 *
 * Returns: whether it is said
 */
gboolean reel_spec_form_has (const ReelSpecForm *form, const char *name);

/**
 * reel_spec_form_refuse:
 * @form: a form
 * @value: (nullable): the value at fault; %NULL for the whole
 * @code: of the error
 * @error: always set: the place, then the message
 * @format: printf-like
 * @...: what @format asks for
 */
void reel_spec_form_refuse (ReelSpecForm *form, const json_t *value, ReelError code, GError **error,
                            const char *format, ...) G_GNUC_PRINTF (5, 6);

/**
 * reel_spec_form_get_int64:
 * @form: a form
 * @name: a parameter that must be there
 * @value: (out): what it says
 * @error: VALUE
 *
 * Returns: whether it is an integer
 */
gboolean reel_spec_form_get_int64 (ReelSpecForm *form, const char *name, gint64 *value,
                                   GError **error);

/**
 * reel_spec_form_get_tensor:
 * @form: a form
 * @name: a parameter that must be there
 * @dtype: the type to read it as, not complex
 * @error: VALUE when it is no number of @dtype nor nested lists of them, all as long as their
 *   neighbours; for a real type `inf` and `-inf` are numbers too
 *
 * Returns: (transfer full): the numbers
 */
ReelTensor *reel_spec_form_get_tensor (ReelSpecForm *form, const char *name, ReelDtype dtype,
                                       GError **error);

/**
 * reel_spec_form_get_numbers:
 * @form: a form
 * @name: a parameter that must be there
 * @error: as reel_spec_form_get_tensor()
 *
 * Returns: (transfer full): the numbers, as int64 or uint64 where these hold all of them, else as
 *   float64
 */
ReelTensor *reel_spec_form_get_numbers (ReelSpecForm *form, const char *name, GError **error);

/**
 * reel_spec_form_get_string:
 * @form: a form
 * @name: a parameter that must be there
 * @error: VALUE
 *
 * Returns: (transfer none): the string, while @form lives
 */
const char *reel_spec_form_get_string (ReelSpecForm *form, const char *name, GError **error);

/**
 * reel_spec_form_get_specs:
 * @form: a form
 * @name: a parameter that must be a list of specs
 * @error: what reading them may meet
 *
 * Returns: (transfer full) (element-type ReelSpec): the specs
 */
GPtrArray *reel_spec_form_get_specs (ReelSpecForm *form, const char *name, GError **error);

/**
 * reel_spec_form_read_member:
 * @form: a form
 * @key: the key that @member has in it
 * @member: the form of another spec, part of it
 * @error: what reading it may meet
 *
 * Returns: (transfer full): the spec
 */
ReelSpec *reel_spec_form_read_member (ReelSpecForm *form, const char *key, json_t *member,
                                      GError **error);

/* ---- for the notations ---- */

/**
 * reel_spec_list_kinds:
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): every kind there is
 */
const ReelSpecKind *const *reel_spec_list_kinds (gsize *n);

/**
 * reel_spec_find_kind:
 * @word: its word, with `-` or `_`, or one of its other names
 * @dtype: (out) (optional): the type of its elements where none is said
 *
 * Returns: (transfer none) (nullable): the kind
 */
const ReelSpecKind *reel_spec_find_kind (const char *word, ReelDtype *dtype);

/**
 * reel_spec_read_form:
 * @form: a form
 * @source: where it came from
 * @error: VALUE, KEY or TYPE with the place, and whatever the constructors of specs say
 *
 * Returns: (transfer full): the spec that it describes
 */
ReelSpec *reel_spec_read_form (json_t *form, const ReelSpecSource *source, GError **error);

/**
 * reel_spec_format_place:
 * @text: a text
 * @at: bytes from its beginning
 *
 * Returns: (transfer full): `character 9, at "low=abc": `
 */
char *reel_spec_format_place (const char *text, gsize at);

G_END_DECLS
