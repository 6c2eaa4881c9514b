/* Observations and actions of an environment as rows of floats, for networks. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

typedef struct
{
  GStrv keys;    /* leaves of floats of the observation, one behind the other */
  guint *places; /* of each among all leaves */
  ReelDtype *dtypes;
  gint *widths;
  gint n_inputs; /* numbers that the network sees */
  char *action;  /* key of the action */
  ReelDtype action_dtype;
  gint64 n_classes; /* 0 for a box */
  gboolean one_hot;
  gint n_actions;        /* numbers of a box */
  double *middle, *half; /* of each: its bounds are middle ± half */
} Spaces;

/* Reads the specs of an environment. NOT_IMPLEMENTED names what no learner takes. */
gboolean spaces_init (Spaces *self, ReelEnv *env, GError **error);
void spaces_clear (Spaces *self);

/* The numbers that a row of the network's actions has: one for a class. */
static inline gint
spaces_count_actions (const Spaces *self)
{
  return self->n_classes > 0 ? 1 : self->n_actions;
}

/* The observations of all lanes of a step, [n, n_inputs]. */
void spaces_read_lanes (const Spaces *self, const ReelPolicyIO *io, gint64 n, float *to);

/* Writes actions: the number of a class, or numbers in [−1, 1] that become those of the box. */
void spaces_write_actions (const Spaces *self, const ReelPolicyIO *io, gint64 n,
                           const double *actions);

/* Reads a leaf of rows, each of `width` numbers of any type. Of data [B, T] the rows come step by
   step. KEY or VALUE names the leaf. */
gboolean spaces_read (ReelTensordict *rows, const char *path, gint64 n, gint64 width, float *to,
                      GError **error);
gboolean spaces_read_flags (ReelTensordict *rows, const char *path, gint64 n, guint8 *to,
                            GError **error);

/* The observations of rows, with "next/" as prefix those after them. */
gboolean spaces_read_observations (const Spaces *self, ReelTensordict *rows, const char *prefix,
                                   gint64 n, float *to, GError **error);

/* Actions of rows: classes, or of a box numbers in [−1, 1]. */
gboolean spaces_read_classes (const Spaces *self, ReelTensordict *rows, gint64 n, gint64 *to,
                              GError **error);
gboolean spaces_read_box (const Spaces *self, ReelTensordict *rows, gint64 n, float *to,
                          GError **error);

/* Either: the number of a class, or the numbers of a box. */
gboolean spaces_read_actions (const Spaces *self, ReelTensordict *rows, gint64 n, float *to,
                              GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Spaces, spaces_clear)

G_END_DECLS
