/* Storages of rows that strive for goals: each achieves the number of its own row. */
#pragma once

#include "../src/reel.h"

/* The goal that is stored, and its reward. */
#define GOAL_OWN (-1.0)
#define GOAL_REWARD 7.0f

/* Whether a step is the last of its trajectory. */
typedef gboolean (*GoalEnds) (gint64 t, gint64 lane, guint pattern);

/**
 * goal_new_storage:
 *
 * Leaves: `achieved_goal`, `desired_goal` and `next/desired_goal` float64 [1], `next/reward`
 * float32 [1], `next/done` and `next/terminated` bool [1].
 *
 * Returns: (transfer full): an allocated storage in memory
 */
ReelStorage *goal_new_storage (gint ndim, gint64 steps, gint64 lanes);

/**
 * goal_write_step:
 *
 * Writes step @t of each lane, the next one. Ends are terminated, and done at odd steps.
 */
void goal_write_step (ReelStorage *storage, gint64 t, GoalEnds ends, guint pattern);

/**
 * goal_get:
 *
 * Returns: the element of row @i
 */
double goal_get (ReelTensordict *td, const char *path, gint64 i);
