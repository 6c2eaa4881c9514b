/* Processes that others forked, as /proc has them. */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* forked_children: the pids of the children of @parent that run. */
GArray *forked_children (pid_t parent);

/* forked_child_is_gone: whether no process of this pid runs. */
gboolean forked_child_is_gone (pid_t pid);

/* forked_children_await_end: that all of @pids are gone, at most 10 s from now. */
void forked_children_await_end (const GArray *pids);

/* forked_children_assert_none: that this process has no child left, running or ended. */
void forked_children_assert_none (void);

G_END_DECLS
