#include "turns.h"

void
reel_turns_take (ReelTurns *turns)
{
  guint own = atomic_fetch_add (&turns->next, 1), now;

  while ((now = reel_gate_value (&turns->serving)) != own)
    reel_gate_wait (&turns->serving, now, -1);
}

void
reel_turns_pass (ReelTurns *turns)
{
  reel_gate_advance (&turns->serving);
}
