/* Contract tests: what every class below a base type promises, run over all ids that are listed. */
#pragma once

#include "../src/reel.h"

typedef struct
{
  const char *name;
  GTestDataFunc run; /* is given the id */
} ContractTest;

/* Adds every test for every id of @base, as /FOLDER/ID/NAME; there must be an id. After
 * reel_init(). */
void contract_add (const char *folder, GType base, const ContractTest *tests, gsize n_tests);

/* The same, but for the ids of classes below @other. */
void contract_add_but (const char *folder, GType base, GType other, const ContractTest *tests,
                       gsize n_tests);

/* The ids of reel_object_list_ids(), but for further names of the same class and preset: for tests
 * that combine classes. */
const ReelId **contract_list_kinds (GType base, gsize *n);
