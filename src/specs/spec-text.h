/* Specs as one line of text, and as JSON. */
#pragma once

#include "spec.h"

G_BEGIN_DECLS

/**
 * reel_spec_to_text:
 * @spec: a spec
 *
 * The one-line form: the kind's word, then its parameters: `bounded:low=-1,high=1,shape=[3]`. A
 * list is `[1,2]`, and `[[1,2],[3,4]]` for more dimensions; a list of specs
 * `[(binary),(unbounded)]`. A composite names its entries,
 * `composite:observation=(unbounded:shape=[2,4]),shape=[2]`; `()` is an entry without a spec. Left
 * out are the shape `[]` (but of a non-tensor spec, which has `[1]` without one) and the usual
 * element type: float32 (bounded, unbounded), int64
 * (categorical), bool (one-hot), int8 (binary); and dimensions in front of a list along which all
 * is the same, so that one number may stand for all. Words and keys with a character of `,|'[]()=`
 * are quoted as in every text: `'a,b'`, a quote doubled.
 *
 * Returns: (transfer full): the text, from which reel_spec_new_from_text() makes an equal spec
 */
REEL_API
char *reel_spec_to_text (const ReelSpec *spec);

/**
 * reel_spec_new_from_text:
 * @text: a spec as reel_spec_to_text() prints it. Blanks may stand anywhere between, `-` and `_` of
 *   words are the same, numbers may be written as `1e6`, `1M` or `1_000_000`. TorchRL's class
 *   names, old and new, stand for the words, and `torch.float32` for `float32`. Without a shape it
 *   is that of the bounds, the classes or the numbers of classes
 * @error: VALUE, KEY or TYPE with the place in @text, what is wrong there, and what was probably
 *   meant
 *
 * At most 128 specs lie within each other.
 *
 * Returns: (transfer full): the spec
 */
REEL_API
ReelSpec *reel_spec_new_from_text (const char *text, GError **error);

/**
 * reel_spec_to_json:
 * @spec: a spec
 * @error: VALUE when a key is no UTF-8, which JSON cannot hold
 *
 * The same as reel_spec_to_text() as a JSON object, in which nothing is left out:
 * `{"kind":"bounded","low":-1,"high":1,"dtype":"float32","shape":[3]}`. Entries of a composite are
 * members of `specs`. `"inf"`, `"-inf"` and integers above 2^63 − 1 are strings.
 *
 * Returns: (transfer full): the JSON text, in UTF-8 on one line
 */
REEL_API
char *reel_spec_to_json (const ReelSpec *spec, GError **error);

/**
 * reel_spec_new_from_json:
 * @json: what reel_spec_to_json() gave; what the text form may leave out may be missing here too
 * @error: DAMAGED when it is no JSON object; otherwise as reel_spec_new_from_text(), the place as
 *   the path of keys
 *
 * Returns: (transfer full): the spec
 */
REEL_API
ReelSpec *reel_spec_new_from_json (const char *json, GError **error);

G_END_DECLS
