/* How many CPUs this process may use. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_cpu_count:
 *
 * The CPUs in the calling thread's affinity mask, or as many as the quota of the process's control
 * group (version 2 or 1, its parents' too) amounts to, rounded up, where that is less. The mask is
 * asked for at each call, the quota read from its files at the first alone. Any thread.
 *
 * Returns: the number, at least 1
 */
gint reel_cpu_count (void);

/**
 * reel_cpu_quota:
 * @root: what stands before `/proc/self/cgroup` and `/sys/fs/cgroup`: "" but in tests
 *
 * The CPU quota alone. Any thread.
 *
 * Returns: how many CPUs it amounts to, rounded up, or 0 where there is none
 */
gint reel_cpu_quota (const char *root);

G_END_DECLS
