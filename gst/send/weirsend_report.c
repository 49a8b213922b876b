/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_report.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug
#define MAX_COMPLAINTS 16

void
gst_weir_report_init (GstWeirReport *self, GstElement *element)
{
  *self = (GstWeirReport){ .element = element,
                           .complaints = g_ptr_array_new_with_free_func (g_free) };
  g_mutex_init (&self->lock);
}

void
gst_weir_report_clear (GstWeirReport *self)
{
  g_ptr_array_unref (self->complaints);
  g_mutex_clear (&self->lock);
}

void
gst_weir_report_complain (GstWeirReport *self, gchar *text)
{
  if (text == NULL) {
    return;
  }
  GstBus *bus = gst_element_get_bus (self->element);
  if (bus != NULL) {
    gst_object_unref (bus);
    GST_ELEMENT_WARNING (self->element, RESOURCE, SETTINGS, ("%s", text), (NULL));
    g_free (text);
    return;
  }
  GST_WARNING_OBJECT (self->element, "%s", text);
  g_mutex_lock (&self->lock);
  if (self->complaints->len < MAX_COMPLAINTS) {
    g_ptr_array_add (self->complaints, g_steal_pointer (&text));
  }
  g_mutex_unlock (&self->lock);
  g_free (text);
}

void
gst_weir_report_post_complaints (GstWeirReport *self)
{
  g_mutex_lock (&self->lock);
  GPtrArray *complaints = self->complaints;
  self->complaints = g_ptr_array_new_with_free_func (g_free);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < complaints->len; i++) {
    const gchar *text = g_ptr_array_index (complaints, i);
    GST_ELEMENT_WARNING (self->element, RESOURCE, SETTINGS, ("%s", text), (NULL));
  }
  g_ptr_array_unref (complaints);
}
