/* A model of text of three tables. */
#pragma once

#include "golden-tensor.h"

/* Logits behind an id are its row of @words `[V, V]` and the row of @places `[n, V]` of the tokens
 * so far, from 0 on, modulo n; the score of a text is that of its last token in @values `[V]`. With
 * @answers `[B, T]` they are the tokens that follow the first @block columns. All are float32 but
 * @answers, int64; references are taken. */
ReelTextModel *table_model_new (ReelTensor *words, ReelTensor *places, ReelTensor *values,
                                ReelTensor *answers, gint64 block);
