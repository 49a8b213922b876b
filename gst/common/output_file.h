/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that a property names, to be written from its beginning: created, or emptied. In a folder
 * that others may write to, a symbolic link of theirs must not choose which file that is: links are
 * refused, but for those in /dev (/dev/stdout). A FIFO or device is written as it is. */
#ifndef GST_WEIR_OUTPUT_FILE_H
#define GST_WEIR_OUTPUT_FILE_H

#include <glib.h>
#include <stdio.h>

/* NULL with errno set; ELOOP: it is a symbolic link. */
FILE *gst_weir_output_file_open (const gchar *location);
/* What to say of that errno. */
const gchar *gst_weir_output_file_why (gint number);
/* Whether it may be renamed: no FIFO, no device. */
gboolean gst_weir_output_file_is_regular (FILE *file);

#endif
