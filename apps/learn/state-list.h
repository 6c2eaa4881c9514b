/* The memory that a state consists of, by name: to be saved, and to be set again. */
#pragma once

#include "network.h"

G_BEGIN_DECLS

typedef struct _StateList StateList;

StateList *state_list_new (void);
void state_list_free (StateList *self);

/* Names n values of a type. Both ways, the memory must outlive the list. */
void state_list_add (StateList *self, const char *name, ReelDtype dtype, gpointer values, gsize n);

/* The same for one number of that type. */
void state_list_add_integer (StateList *self, const char *name, gint64 *value);
void state_list_add_real (StateList *self, const char *name, double *value);

/* Parameters, and the moments and steps of an Adam. */
void state_list_add_network (StateList *self, const char *name, Network *network);
void state_list_add_adam (StateList *self, const char *name, Adam *adam);

void state_list_add_random (StateList *self, const char *name, ReelPcg64 *random);

/* Rows, and the states of sampler and transforms. */
void state_list_add_buffer (StateList *self, const char *name, ReelReplayBuffer *buffer);

/* Copies all of it. */
ReelTensordict *state_list_save (const StateList *self, GError **error);

/* Sets all of it, or nothing: KEY, TYPE or VALUE name what does not fit. */
gboolean state_list_load (const StateList *self, const ReelTensordict *state, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (StateList, state_list_free)

G_END_DECLS
