/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _POSIX_C_SOURCE 200809L /* O_NOFOLLOW, fdopen() */
#include "common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAGS (O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)

/* Only root can put links there; not so in /dev/shm. */
static gboolean
is_in_dev (const gchar *location)
{
  g_autofree gchar *folder = g_path_get_dirname (location);
  return g_str_equal (folder, "/dev") || g_str_equal (folder, "/dev/fd");
}

FILE *
gst_weir_output_file_open (const gchar *location)
{
  int fd = open (location, FLAGS | (is_in_dev (location) ? 0 : O_NOFOLLOW), 0666);
  FILE *file = fd >= 0 ? fdopen (fd, "wb") : NULL;
  if (fd >= 0 && file == NULL) { /* for want of memory */
    int number = errno;
    close (fd);
    errno = number;
  }
  return file;
}

const gchar *
gst_weir_output_file_why (gint number)
{
  return number == ELOOP ? "it is a symbolic link; give the name of the file itself"
                         : g_strerror (number);
}

gboolean
gst_weir_output_file_is_regular (FILE *file)
{
  struct stat about;
  return fstat (fileno (file), &about) == 0 && S_ISREG (about.st_mode);
}
