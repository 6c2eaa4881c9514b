/* The course of an episode, picture by picture: the numbers that overlays and plots show. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 n;           /* pictures */
  GPtrArray *columns; /* of Column */
} StepRecord;

/* The values of one picture; of the step that led to it. */
typedef struct
{
  char *action; /* NULL where it is not known */
  double reward;
  double total; /* of the rewards up to here */
  gboolean rewarded;
  gboolean terminated, truncated;
} StepNote;

StepRecord *step_record_new (void);
void step_record_free (StepRecord *self);

/* Says what `name` is in the picture at work, one row of any element type. `reward`, `action`,
 * `terminated` and `truncated` are of the step that led here. Complex values and non-numbers are
 * passed over. An action of integers in one-hot form is kept as its index. */
void step_record_say (StepRecord *self, const char *name, const ReelTensor *value);

/* Names the elements of `name`, as many as it has; NULL-terminated, or NULL. */
void step_record_name_elements (StepRecord *self, const char *name, const char *const *elements);

/* The picture is told; what was not said of it is unknown. */
void step_record_next (StepRecord *self);

void step_record_note (const StepRecord *self, gint64 i, StepNote *note);
void step_note_clear (StepNote *note);

/* Draws all but the flags, with picture i marked. */
void step_record_plot (const StepRecord *self, gint64 i, ReelTensor *picture);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (StepRecord, step_record_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StepNote, step_note_clear)

G_END_DECLS
