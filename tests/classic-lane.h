/* One lane of a task of classic control: its action by number or force, its physics as doubles. */
#pragma once

#include "../src/reel.h"

/* The head of a lane's state: the steps of the episode, then the physics. */
typedef struct
{
  gint64 elapsed;
  double physics[6];
} StateHead;

typedef struct
{
  ReelEnv *env;
  gint n_state, n_observed, n_actions; /* actions: 0 for a force */
  gint64 one_hot[3];
  float force;
  float observation[6], reward;
  guint8 terminated, truncated, done;
} Lane;

/* Opens an env of one lane with one-hot actions; @math is a value of that property. */
void lane_open (Lane *lane, const char *text, const char *math);
void lane_close (Lane *lane);
void lane_reset (Lane *lane);
void lane_step (Lane *lane, double action);
void lane_get_head (Lane *lane, StateHead *head);

/* Puts the lane into a state of the physics, episode and stream as they are. */
void lane_set_physics (Lane *lane, const double *physics);
