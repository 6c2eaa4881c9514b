/* Observations and actions of an environment as rows of floats, for networks. Pixels, which are
 * bytes in buffers, become numbers between 0, for white, and 1. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

typedef struct
{
  GStrv keys;    /* leaves of the observation, one behind the other: of floats, or one of pixels */
  guint *places; /* of each among all leaves */
  ReelDtype *dtypes;
  gint *widths;
  gint n_inputs;         /* numbers that the network sees */
  gint image[3];         /* planes, rows and columns of pixels; 0 without */
  float *shift, *factor; /* it sees (x − shift) factor, see normalization.h; NULL for x */
  char *action;          /* key of the action */
  ReelDtype action_dtype;
  gint64 n_classes; /* 0 for a box */
  gboolean one_hot;
  char *mask;            /* key of the observation that says which classes are allowed, or NULL */
  guint mask_place;      /* of it among all leaves */
  gint n_actions;        /* numbers of a box */
  double *middle, *half; /* of each: its bounds are middle ± half */
} Spaces;

/* Reads the specs of an environment, which shows floats, or pixels. NOT_IMPLEMENTED names what no
   learner takes. */
gboolean spaces_init (Spaces *self, ReelEnv *env, gboolean pixels, GError **error);
void spaces_clear (Spaces *self);

/* The numbers that a row of the network's actions has: one for a class. */
static inline gint
spaces_count_actions (const Spaces *self)
{
  return self->n_classes > 0 ? 1 : self->n_actions;
}

/* The same as the networks of learners see them as boxes: one for each class. */
static inline gint
spaces_count_numbers (const Spaces *self)
{
  return self->n_classes > 0 ? (gint) self->n_classes : self->n_actions;
}

/* The observations of all lanes of a step, [n, n_inputs]. */
void spaces_read_lanes (const Spaces *self, const ReelPolicyIO *io, gint64 n, float *to);

/* Writes actions: the number of a class, or numbers in [−1, 1] that become those of the box. */
void spaces_write_actions (const Spaces *self, const ReelPolicyIO *io, gint64 n,
                           const double *actions);

/* The output of a class that is not allowed, which no choice takes: nothing of it is left in a sum
   of exponentials. */
#define FORBIDDEN (-1e30f)

/* Forbids what the masks of all lanes do not allow. VALUE names a lane where nothing is allowed. */
gboolean spaces_mask_lanes (const Spaces *self, const ReelPolicyIO *io, gint64 n, float *outputs,
                            GError **error);

/* The masks of rows, [n, n_classes], with "next/" as prefix those after them; and what they forbid.
 */
gboolean spaces_read_masks (const Spaces *self, ReelTensordict *rows, const char *prefix, gint64 n,
                            guint8 *masks, GError **error);
void spaces_forbid (const guint8 *masks, gint64 n, float *outputs);

/* Reads a leaf of rows, each of `width` numbers of any type. Of data [B, T] the rows come step by
   step. KEY or VALUE names the leaf. */
gboolean spaces_read (ReelTensordict *rows, const char *path, gint64 n, gint64 width, float *to,
                      GError **error);
gboolean spaces_read_flags (ReelTensordict *rows, const char *path, gint64 n, gint64 width,
                            guint8 *to, GError **error);

/* The observations of rows, with "next/" as prefix those after them. */
gboolean spaces_read_observations (const Spaces *self, ReelTensordict *rows, const char *prefix,
                                   gint64 n, float *to, GError **error);

/* Actions of rows: classes, or of a box numbers in [−1, 1]. */
gboolean spaces_read_classes (const Spaces *self, ReelTensordict *rows, gint64 n, gint64 *to,
                              GError **error);
gboolean spaces_read_box (const Spaces *self, ReelTensordict *rows, gint64 n, float *to,
                          GError **error);

/* Numbers of a box, or one for each class: 1 for that of the row, else 0. */
gboolean spaces_read_numbers (const Spaces *self, ReelTensordict *rows, gint64 n, float *to,
                              GError **error);

/* Either: the number of a class, or the numbers of a box. */
gboolean spaces_read_actions (const Spaces *self, ReelTensordict *rows, gint64 n, float *to,
                              GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Spaces, spaces_clear)

G_END_DECLS
