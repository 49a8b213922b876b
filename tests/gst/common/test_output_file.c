/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _POSIX_C_SOURCE 200809L /* symlink(), mkfifo() */
#include "common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new folder with a file in it that has a text. */
typedef struct
{
  gchar *folder;
  gchar *file;
  gchar *other; /* not there yet */
} Place;

static void
place_init (Place *place)
{
  place->folder = g_dir_make_tmp ("weir-output-XXXXXX", NULL);
  place->file = g_build_filename (place->folder, "file", NULL);
  place->other = g_build_filename (place->folder, "other", NULL);
  g_assert_true (g_file_set_contents (place->file, "old text", -1, NULL));
}

static void
place_clear (Place *place)
{
  g_unlink (place->file);
  g_unlink (place->other);
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_free (place->folder);
  g_free (place->file);
  g_free (place->other);
}

static void
assert_content (const gchar *path, const gchar *wanted)
{
  gchar *content = NULL;
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, wanted);
  g_free (content);
}

static void
write_new (const gchar *path)
{
  FILE *file = gst_weir_output_file_open (path);
  g_assert_nonnull (file);
  g_assert_true (gst_weir_output_file_is_regular (file));
  fputs ("new", file);
  fclose (file);
}

static void
test_a_file_is_created_or_emptied (void)
{
  Place place;
  place_init (&place);
  write_new (place.file);
  write_new (place.other);
  assert_content (place.file, "new");
  assert_content (place.other, "new");
  place_clear (&place);
}

static void
test_a_link_chooses_no_file (void)
{
  Place place;
  place_init (&place);
  g_assert_cmpint (symlink (place.file, place.other), ==, 0);
  g_assert_null (gst_weir_output_file_open (place.other));
  g_assert_cmpint (errno, ==, ELOOP);
  g_assert_nonnull (strstr (gst_weir_output_file_why (ELOOP), "symbolic link"));
  assert_content (place.file, "old text");
  g_unlink (place.file); /* nor does it make one */
  g_assert_null (gst_weir_output_file_open (place.other));
  g_assert_false (g_file_test (place.file, G_FILE_TEST_EXISTS));
  place_clear (&place);
}

static void
test_a_fifo_is_written_as_it_is (void)
{
  Place place;
  char got[4] = "";
  place_init (&place);
  g_assert_cmpint (mkfifo (place.other, 0600), ==, 0);
  int reader = open (place.other, O_RDONLY | O_NONBLOCK);
  FILE *file = gst_weir_output_file_open (place.other);
  g_assert_nonnull (file);
  g_assert_false (gst_weir_output_file_is_regular (file));
  fputs ("new", file);
  fclose (file);
  g_assert_cmpint (read (reader, got, sizeof got), ==, 3);
  g_assert_cmpstr (got, ==, "new");
  close (reader);
  place_clear (&place);
}

/* Links, both. */
static void
test_standard_output_and_descriptors_are_outputs (void)
{
  int ends[2];
  g_assert_cmpint (pipe (ends), ==, 0);
  gchar *name = g_strdup_printf ("/dev/fd/%d", ends[1]);
  const gchar *const names[] = { name, "/dev/stdout", "/dev/null" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    FILE *file = gst_weir_output_file_open (names[i]);
    g_assert_nonnull (file);
    fclose (file);
  }
  g_free (name);
  close (ends[0]);
  close (ends[1]);
}

static void
test_other_reasons_are_the_systems (void)
{
  g_assert_null (gst_weir_output_file_open ("/nowhere/at/all"));
  g_assert_cmpstr (gst_weir_output_file_why (errno), ==, g_strerror (ENOENT));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/output_file/a_file_is_created_or_emptied", test_a_file_is_created_or_emptied);
  g_test_add_func ("/output_file/a_link_chooses_no_file", test_a_link_chooses_no_file);
  g_test_add_func ("/output_file/a_fifo_is_written_as_it_is", test_a_fifo_is_written_as_it_is);
  g_test_add_func ("/output_file/standard_output_and_descriptors_are_outputs",
                   test_standard_output_and_descriptors_are_outputs);
  g_test_add_func ("/output_file/other_reasons_are_the_systems",
                   test_other_reasons_are_the_systems);
  return g_test_run ();
}
