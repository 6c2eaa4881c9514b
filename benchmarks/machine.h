/* The conditions of a figure: the machine, and its other users. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * MachineUse:
 * @busy: CPU seconds that anyone used, summed over CPUs
 * @own: those of this process and its children that it waited for
 * @stolen: those that the host gave to other guests
 * @clock: seconds since some moment
 *
 * The use of the machine up to one moment. The kernel counts in ticks of 10 ms.
 */
typedef struct
{
  double busy;
  double own;
  double stolen;
  double clock;
} MachineUse;

/**
 * machine_use:
 * @use: (out): what was used up to now; zeros where the system does not say
 */
void machine_use (MachineUse *use);

/**
 * machine_foreign:
 * @from: an earlier moment
 * @to: a later one
 *
 * Returns: share of all CPUs that others used between the two, 0 to 1
 */
double machine_foreign (const MachineUse *from, const MachineUse *to);

/**
 * machine_stolen:
 * @from: an earlier moment
 * @to: a later one
 *
 * Returns: share of all CPUs that the host took away between the two, 0 to 1
 */
double machine_stolen (const MachineUse *from, const MachineUse *to);

/**
 * machine_wait:
 * @seconds: how long at most
 *
 * Returns when others use less than a twentieth of the machine.
 */
void machine_wait (double seconds);

/**
 * machine_n_cpus:
 *
 * Returns: CPUs that this process may use
 */
gint machine_n_cpus (void);

/**
 * machine_l2:
 *
 * Returns: bytes of one CPU's second-level cache; 1 MiB where the system does not say
 */
gsize machine_l2 (void);

/**
 * machine_isa:
 *
 * Returns: (transfer none): the name of the instruction set that is used
 */
const char *machine_isa (void);

/**
 * machine_name:
 *
 * Returns: (transfer full): the CPU's name, how many, cache, instruction set that is used
 */
char *machine_name (void);

G_END_DECLS
