#include "machine.h"

#include "../src/core/system/cpus.h"
#include "../src/core/math/isa.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double
seconds_of (const struct timeval *time)
{
  return (double) time->tv_sec + (double) time->tv_usec * 1e-6;
}

static double
own_seconds (int who)
{
  struct rusage usage;

  getrusage (who, &usage);
  return seconds_of (&usage.ru_utime) + seconds_of (&usage.ru_stime);
}

/* add_child: the time of a process, where it is a child of this one. */
static void
add_child (const char *pid, double *ticks)
{
  g_autofree char *name = g_build_filename ("/proc", pid, "stat", NULL);
  g_autofree char *text = NULL;
  unsigned long long user, system;
  const char *rest;
  int parent;

  if (!g_file_get_contents (name, &text, NULL, NULL) || !(rest = strrchr (text, ')')))
    return;
  if (sscanf (rest, ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &parent, &user,
              &system)
          == 3
      && parent == getpid ())
    *ticks += (double) (user + system);
}

/* live_seconds: of the children, which getrusage() counts when they have ended. */
static double
live_seconds (void)
{
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  const char *pid;
  double ticks = 0;

  while (processes && (pid = g_dir_read_name (processes)))
    if (g_ascii_isdigit (*pid))
      add_child (pid, &ticks);
  return ticks / (double) sysconf (_SC_CLK_TCK);
}

void
machine_use (MachineUse *use)
{
  g_autofree char *text = NULL;
  long long user = 0, nice = 0, system = 0, idle, wait, irq = 0, softirq = 0, steal = 0;
  double tick = 1.0 / (double) sysconf (_SC_CLK_TCK);
  struct timespec now;

  if (g_file_get_contents ("/proc/stat", &text, NULL, NULL))
    sscanf (text, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system, &idle,
            &wait, &irq, &softirq, &steal);
  clock_gettime (CLOCK_MONOTONIC, &now);
  *use = (MachineUse){
    .busy = (double) (user + nice + system + irq + softirq) * tick,
    .own = own_seconds (RUSAGE_SELF) + own_seconds (RUSAGE_CHILDREN) + live_seconds (),
    .stolen = (double) steal * tick,
    .clock = (double) now.tv_sec + (double) now.tv_nsec * 1e-9,
  };
}

static double
share (double seconds, const MachineUse *from, const MachineUse *to)
{
  double all = (to->clock - from->clock) * (double) sysconf (_SC_NPROCESSORS_ONLN);

  return all > 0 ? CLAMP (seconds / all, 0, 1) : 0;
}

double
machine_foreign (const MachineUse *from, const MachineUse *to)
{
  return share ((to->busy - from->busy) - (to->own - from->own), from, to);
}

double
machine_stolen (const MachineUse *from, const MachineUse *to)
{
  return share (to->stolen - from->stolen, from, to);
}

void
machine_wait (double seconds)
{
  MachineUse begin, from, to;

  machine_use (&begin);
  to = begin;
  do
    {
      from = to;
      g_usleep (200000);
      machine_use (&to);
    }
  while (machine_foreign (&from, &to) > 0.05 && to.clock - begin.clock < seconds);
}

gint
machine_n_cpus (void)
{
  return reel_cpu_count ();
}

gsize
machine_l2 (void)
{
  g_autofree char *text = NULL;
  long size = sysconf (_SC_LEVEL2_CACHE_SIZE);

  if (g_file_get_contents ("/sys/devices/system/cpu/cpu0/cache/index2/size", &text, NULL, NULL))
    return (gsize) g_ascii_strtoull (text, NULL, 10) << (strchr (text, 'M') ? 20 : 10);
  return size > 0 ? (gsize) size : 1 << 20;
}

static char *
cpu_name (void)
{
  g_autofree char *text = NULL;
  char name[96] = "unknown CPU";
  const char *line = NULL;

  if (g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    line = strstr (text, "model name");
  if (line)
    sscanf (line, "model name : %95[^\n]", name);
  return g_strdup (name);
}

const char *
machine_isa (void)
{
  ReelIsa isa;

  reel_isa_choose (&isa, NULL);
  return reel_isa_name (isa);
}

char *
machine_name (void)
{
  g_autofree char *name = cpu_name ();

  return g_strdup_printf ("%s, %d CPUs, L2 %" G_GSIZE_FORMAT " KiB, %s", name, machine_n_cpus (),
                          machine_l2 () >> 10, machine_isa ());
}
