/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* To be preloaded: GLib's locks as locks of pthread. GLib makes its own from futexes, which
 * ThreadSanitizer does not see, so that it takes everything under them for a race. What GLib itself
 * locks stays as it is: its calls to itself do not come here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* The lock behind *place, which is made when it is first used; all of GLib's are zero before. */
static void *
lock_of (gpointer *place, size_t size, void (*init) (void *lock))
{
  void *lock = __atomic_load_n (place, __ATOMIC_ACQUIRE);
  if (lock == NULL) {
    void *fresh = calloc (1, size);
    init (fresh);
    if (__atomic_compare_exchange_n (place, &lock, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      return fresh;
    }
    free (fresh);
  }
  return lock;
}

static void
init_mutex (void *lock)
{
  pthread_mutex_init (lock, NULL);
}

static void
init_recursive (void *lock)
{
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init (&recursive);
  pthread_mutexattr_settype (&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (lock, &recursive);
}

static void
init_rwlock (void *lock)
{
  pthread_rwlock_init (lock, NULL);
}

static void
init_cond (void *cond)
{
  pthread_condattr_t monotonic;
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (cond, &monotonic);
}

#define MUTEX(m) ((pthread_mutex_t *) lock_of (&(m)->p, sizeof (pthread_mutex_t), init_mutex))
#define RECURSIVE(m)                                                                               \
  ((pthread_mutex_t *) lock_of (&(m)->p, sizeof (pthread_mutex_t), init_recursive))
#define RWLOCK(l) ((pthread_rwlock_t *) lock_of (&(l)->p, sizeof (pthread_rwlock_t), init_rwlock))
#define COND(c) ((pthread_cond_t *) lock_of (&(c)->p, sizeof (pthread_cond_t), init_cond))

/* init, clear and what takes the lock alone. */
#define LIFE(name, Type, destroy)                                                                  \
  EXPORT void name##_init (Type *lock)                                                             \
  {                                                                                                \
    lock->p = NULL;                                                                                \
  }                                                                                                \
  EXPORT void name##_clear (Type *lock)                                                            \
  {                                                                                                \
    if (lock->p != NULL) {                                                                         \
      destroy (lock->p);                                                                           \
      free (lock->p);                                                                              \
      lock->p = NULL;                                                                              \
    }                                                                                              \
  }
#define DO(name, Type, step, of)                                                                   \
  EXPORT void name (Type *lock)                                                                    \
  {                                                                                                \
    step (of (lock));                                                                              \
  }
#define TRY(name, Type, step, of)                                                                  \
  EXPORT gboolean name (Type *lock)                                                                \
  {                                                                                                \
    return step (of (lock)) == 0;                                                                  \
  }

LIFE (g_mutex, GMutex, pthread_mutex_destroy)
DO (g_mutex_lock, GMutex, pthread_mutex_lock, MUTEX)
DO (g_mutex_unlock, GMutex, pthread_mutex_unlock, MUTEX)
TRY (g_mutex_trylock, GMutex, pthread_mutex_trylock, MUTEX)
LIFE (g_rec_mutex, GRecMutex, pthread_mutex_destroy)
DO (g_rec_mutex_lock, GRecMutex, pthread_mutex_lock, RECURSIVE)
DO (g_rec_mutex_unlock, GRecMutex, pthread_mutex_unlock, RECURSIVE)
TRY (g_rec_mutex_trylock, GRecMutex, pthread_mutex_trylock, RECURSIVE)
LIFE (g_rw_lock, GRWLock, pthread_rwlock_destroy)
DO (g_rw_lock_writer_lock, GRWLock, pthread_rwlock_wrlock, RWLOCK)
DO (g_rw_lock_writer_unlock, GRWLock, pthread_rwlock_unlock, RWLOCK)
TRY (g_rw_lock_writer_trylock, GRWLock, pthread_rwlock_trywrlock, RWLOCK)
DO (g_rw_lock_reader_lock, GRWLock, pthread_rwlock_rdlock, RWLOCK)
DO (g_rw_lock_reader_unlock, GRWLock, pthread_rwlock_unlock, RWLOCK)
TRY (g_rw_lock_reader_trylock, GRWLock, pthread_rwlock_tryrdlock, RWLOCK)
LIFE (g_cond, GCond, pthread_cond_destroy)
DO (g_cond_signal, GCond, pthread_cond_signal, COND)
DO (g_cond_broadcast, GCond, pthread_cond_broadcast, COND)

EXPORT void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  pthread_cond_wait (COND (cond), MUTEX (mutex));
}

EXPORT gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_us)
{
  struct timespec end
      = { .tv_sec = end_us / G_USEC_PER_SEC, .tv_nsec = end_us % G_USEC_PER_SEC * 1000 };
  return pthread_cond_timedwait (COND (cond), MUTEX (mutex), &end) != ETIMEDOUT;
}

/* --- What orders threads without a lock --- */

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

/* After all that passed it before. */
static void
pass (void)
{
  pthread_mutex_lock (&order);
  pthread_mutex_unlock (&order);
}

/* The last reference goes after all use under the others. */
#undef g_atomic_ref_count_dec
EXPORT gboolean
g_atomic_ref_count_dec (gatomicrefcount *refs)
{
  pthread_mutex_lock (&order);
  gboolean last = __atomic_sub_fetch (refs, 1, __ATOMIC_SEQ_CST) == 0;
  pthread_mutex_unlock (&order);
  return last;
}

#undef g_once_init_enter
#undef g_once_init_leave
EXPORT
gboolean
g_once_init_enter (volatile void *location)
{
  gboolean (*enter) (volatile void *)
      = (gboolean (*) (volatile void *)) dlsym (RTLD_NEXT, __func__);
  gboolean first = enter (location);
  pass ();
  return first;
}

EXPORT void
g_once_init_leave (volatile void *location, gsize result)
{
  void (*leave) (volatile void *, gsize)
      = (void (*) (volatile void *, gsize)) dlsym (RTLD_NEXT, __func__);
  pass ();
  leave (location, result);
}

EXPORT gpointer
g_once_impl (GOnce *once, GThreadFunc func, gpointer arg)
{
  gpointer (*impl) (GOnce *, GThreadFunc, gpointer)
      = (gpointer (*) (GOnce *, GThreadFunc, gpointer)) dlsym (RTLD_NEXT, __func__);
  gpointer result = impl (once, func, arg);
  pass ();
  return result;
}
