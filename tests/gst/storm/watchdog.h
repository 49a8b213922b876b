/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ends a test that hangs: one of its threads has been in the same step for too long. It says which
 * step, and prints the stack of every thread. Time is what the watchdog itself has lived through: a
 * process that is stopped, or a machine that sleeps, does not hang. */
#ifndef TESTS_GST_STORM_WATCHDOG_H
#define TESTS_GST_STORM_WATCHDOG_H

#include <execinfo.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WATCHED_MAX 64
#define TURNS_PER_S 10

typedef struct
{
  const gchar *doing; /* atomic; NULL: nothing */
  gint since_turn;    /* atomic */
} WatchedStep;

typedef struct
{
  WatchedStep steps[WATCHED_MAX];
  gint turns; /* atomic: how often it has looked */
  gint patience_turns;
  const gchar *repeat; /* the line that runs it again */
  GThread *thread;
  gint stop; /* atomic */
} Watchdog;

/* A sanitizer's stack has lines; backtrace() has addresses. */
extern void __sanitizer_print_stack_trace (void) __attribute__ ((weak));

static void
print_own_stack (G_GNUC_UNUSED int number)
{
  void *frames[64];
  fprintf (stderr, "# thread %ld:\n", (long) syscall (SYS_gettid));
  if (__sanitizer_print_stack_trace != NULL) {
    __sanitizer_print_stack_trace ();
  } else {
    backtrace_symbols_fd (frames, backtrace (frames, G_N_ELEMENTS (frames)), STDERR_FILENO);
  }
}

/* gdb knows all threads at once, with lines; without it each prints its own. */
static void
print_stacks (void)
{
  gchar *pid = g_strdup_printf ("%d", getpid ());
  const gchar *gdb[] = { "gdb", "-batch", "-p", pid, "-ex", "thread apply all backtrace", NULL };
  if (!g_spawn_sync (NULL, (gchar **) (gpointer) gdb, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                     NULL, NULL, NULL)) {
    GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
    const gchar *task;
    signal (SIGUSR2, print_own_stack);
    while (tasks != NULL && (task = g_dir_read_name (tasks)) != NULL) {
      syscall (SYS_tgkill, getpid (), atoi (task), SIGUSR2);
      g_usleep (50000); /* one after the other */
    }
  }
  g_free (pid);
}

static gpointer
watch (gpointer user)
{
  Watchdog *dog = user;
  while (!g_atomic_int_get (&dog->stop)) {
    g_usleep (G_USEC_PER_SEC / TURNS_PER_S);
    gint turn = g_atomic_int_add (&dog->turns, 1);
    for (guint i = 0; i < WATCHED_MAX; i++) {
      const gchar *doing = g_atomic_pointer_get (&dog->steps[i].doing);
      gint waited = turn - g_atomic_int_get (&dog->steps[i].since_turn);
      if (doing != NULL && waited > dog->patience_turns) {
        fprintf (stderr, "# thread %u hangs in: %s\n# %s\n", i, doing, dog->repeat);
        print_stacks ();
        abort ();
      }
    }
  }
  return NULL;
}

static void
watchdog_start (Watchdog *dog, gint patience_s, const gchar *repeat)
{
  *dog = (Watchdog){ .patience_turns = patience_s * TURNS_PER_S, .repeat = repeat };
  dog->thread = g_thread_new ("watchdog", watch, dog);
}

static void
watchdog_stop (Watchdog *dog)
{
  g_atomic_int_set (&dog->stop, TRUE);
  g_thread_join (dog->thread);
}

/* Of the i-th watched thread; the text must last. NULL: nothing. */
static void
watchdog_step (Watchdog *dog, guint i, const gchar *doing)
{
  g_atomic_pointer_set (&dog->steps[i].doing, NULL);
  g_atomic_int_set (&dog->steps[i].since_turn, g_atomic_int_get (&dog->turns));
  g_atomic_pointer_set (&dog->steps[i].doing, doing);
}

#endif
