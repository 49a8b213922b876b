/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many threads do at the same time, by chance, all that an application, its pipeline and the
 * network may do to an element: states, flushes, pads, packets, events, queries, properties,
 * encoders, groups. Nothing is judged but that no thread hangs, that GLib and GStreamer find
 * nothing wrong, and that in the end nothing is left: no reference, no object.
 *
 *   test_gst_storm [--seconds N] [--random-seed N] [-p /storm/weirsend]; or tools/storm */
#define _GNU_SOURCE /* syscall() */
#include "storm/moves.h"

#include <glib/gstdio.h>

#define THREADS 8
#define ROUND_S 1

static guint option_seconds = 3;
static guint option_seed;

/* --- Threads --- */

static guint
choose_move (GRand *dice)
{
  guint all = 0, i = 0;
  for (guint k = 0; k < G_N_ELEMENTS (moves); k++) {
    all += moves[k].weight;
  }
  guint at = (guint) g_rand_int_range (dice, 0, (gint) all);
  while (at >= moves[i].weight) {
    at -= moves[i++].weight;
  }
  return i;
}

static gpointer
run_player (gpointer user)
{
  Player *player = user;
  Storm *storm = player->storm;
  while (!g_atomic_int_get (&storm->stop)) {
    guint move = choose_move (player->dice);
    Target *target = &storm->targets[g_rand_int_range (player->dice, 0, (gint) storm->n_targets)];
    watchdog_step (storm->dog, player->number, moves[move].name);
    moves[move].play (player, target);
  }
  watchdog_step (storm->dog, player->number, "release_pad");
  for (guint i = 0; i < MOST_PADS; i++) {
    release_pad (&player->pads[i]);
  }
  watchdog_step (storm->dog, player->number, NULL);
  g_atomic_int_add (&storm->n_playing, -1);
  return NULL;
}

static void
make_targets (Storm *storm)
{
  gboolean has_encoder = strcmp (storm->factory, "weirsend") == 0;
  for (guint i = 0; i < storm->n_targets; i++) {
    GstElement *encoder = has_encoder ? fake_encoder_new ("weirfakeenc") : NULL;
    target_init (&storm->targets[i], storm->factory, encoder);
  }
}

/* weirsend lets a source wait that can: only what ends its run ends that. */
static void
stop_players (Storm *storm)
{
  g_atomic_int_set (&storm->stop, TRUE);
  watchdog_step (storm->dog, THREADS, "going to READY");
  while (g_atomic_int_get (&storm->n_playing) > 0) {
    for (guint i = 0; i < storm->n_targets; i++) {
      gst_element_set_state (storm->targets[i].element, GST_STATE_READY);
    }
    g_usleep (10000);
  }
  watchdog_step (storm->dog, THREADS, NULL);
}

static void
one_round (Storm *storm, guint seed)
{
  Player players[THREADS] = { { .number = 0 } };
  GThread *threads[THREADS];
  make_targets (storm);
  g_atomic_int_set (&storm->stop, FALSE);
  g_atomic_int_set (&storm->n_playing, THREADS);
  for (guint i = 0; i < THREADS; i++) {
    players[i] = (Player){ .storm = storm, .number = i, .dice = g_rand_new_with_seed (seed + i) };
    threads[i] = g_thread_new ("player", run_player, &players[i]);
  }
  g_usleep (ROUND_S * G_USEC_PER_SEC);
  stop_players (storm);
  for (guint i = 0; i < THREADS; i++) {
    g_thread_join (threads[i]);
    g_rand_free (players[i].dice);
  }
  watchdog_step (storm->dog, THREADS, "going to NULL");
  for (guint i = 0; i < storm->n_targets; i++) {
    target_clear (&storm->targets[i]);
  }
  watchdog_step (storm->dog, THREADS, NULL);
  for (guint i = 0; i < THREADS; i++) {
    gst_clear_object (&players[i].own_encoder);
  }
}

/* --- The end --- */

static void
remove_folder (gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    gchar *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
    g_free (path);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_rmdir (folder);
  g_free (folder);
}

/* With the leaks tracer: of what it watches nothing is left. */
static void
assert_nothing_is_left (void)
{
  GList *tracers = gst_tracing_get_active_tracers ();
  for (GList *l = tracers; l != NULL; l = l->next) {
    GstStructure *left = NULL;
    g_signal_emit_by_name (l->data, "get-live-objects", &left);
    const GValue *list = left != NULL ? gst_structure_get_value (left, "live-objects-list") : NULL;
    guint n = list != NULL ? gst_value_list_get_size (list) : 0;
    for (guint i = 0; i < MIN (n, 20); i++) {
      gchar *text = g_strdup_value_contents (gst_value_list_get_value (list, i));
      g_test_message ("left: %s", text);
      g_free (text);
    }
    g_assert_cmpuint (n, ==, 0);
    g_clear_pointer (&left, gst_structure_free);
  }
  g_list_free_full (tracers, gst_object_unref);
}

static guint
n_threads (void)
{
  guint n = 0;
  GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
  while (tasks != NULL && g_dir_read_name (tasks) != NULL) {
    n++;
  }
  g_clear_pointer (&tasks, g_dir_close);
  return n;
}

/* LeakSanitizer finds a thread by its number, and the kernel's numbers come again after 32768
 * threads: what a thread keeps that waits in a pool it then takes for lost, because it looks at one
 * that has ended. So the pools of GStreamer's tasks and elements end too, after which it can start
 * none. What stays are this thread and a few that began before the storm. */
static void
end_idle_threads (void)
{
  gst_task_cleanup_all ();
  g_thread_pool_stop_unused_threads ();
  for (guint i = 0; i < 100 && n_threads () > 3; i++) {
    g_usleep (100000);
  }
}

static void
storm_over (gconstpointer factory)
{
  static const guint n_targets[] = { 1, 4, MOST_TARGETS };
  Storm storm = { .factory = factory };
  Watchdog dog;
  gchar *repeat = g_strdup_printf ("again: tools/storm --element %s --seconds %u --random-seed %u",
                                   (const gchar *) factory, option_seconds, option_seed);
  g_test_message ("%s", repeat);
  storm.folder = g_dir_make_tmp ("storm-XXXXXX", NULL);
  storm.dog = &dog;
  watchdog_start (&dog, 30, repeat);
  for (guint i = 0; i < MAX (option_seconds / ROUND_S, 1); i++) {
    storm.n_targets = n_targets[i % G_N_ELEMENTS (n_targets)];
    one_round (&storm, option_seed + i * THREADS);
  }
  watchdog_stop (&dog);
  assert_nothing_is_left ();
  remove_folder (storm.folder);
  g_free (repeat);
}

static guint
number_after (int argc, char **argv, const gchar *option, guint otherwise)
{
  for (gint i = 1; i + 1 < argc; i++) {
    if (strcmp (argv[i], option) == 0) {
      return (guint) g_ascii_strtoull (argv[i + 1], NULL, 10);
    }
  }
  return otherwise;
}

/* They are about us: data before caps, queries the wrong way. */
static void
ignore_warning (G_GNUC_UNUSED const gchar *domain, G_GNUC_UNUSED GLogLevelFlags level,
                G_GNUC_UNUSED const gchar *text, G_GNUC_UNUSED gpointer user)
{
}

int
main (int argc, char **argv)
{
  static const gchar *const factories[]
      = { "weirsend", "weirrecv", "weirlink", "weirscale", "weirudpsrc" };
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, ignore_warning, NULL);
  option_seconds = number_after (argc, argv, "--seconds", option_seconds);
  option_seed = number_after (argc, argv, "--random-seed", g_random_int ());
  for (guint i = 0; i < G_N_ELEMENTS (factories); i++) {
    gchar *path = g_strdup_printf ("/storm/%s", factories[i]);
    g_test_add_data_func (path, factories[i], storm_over);
    g_free (path);
  }
  gint status = g_test_run ();
  end_idle_threads ();
  return status;
}
