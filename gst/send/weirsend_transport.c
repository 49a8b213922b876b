/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transports of a path: each RTP session counts its packets by itself, and so does each member
 * without one. Members that send through the same session have the same transport, and what comes
 * back on it is read once. All for whom none is left share the last one, whose transport-wide
 * numbers mean nothing. */
#include "send/weirsend_path.h"

#define LEFT_OVER (WEIR_TRANSPORTS - 1)

/* That of the same key, or a free one: the one behind that given out last, since reports on the
 * former user of a transport may still be on their way. */
static guint32
find_transport (const GstWeirPath *path, gconstpointer key)
{
  guint32 found = LEFT_OVER;
  for (guint32 i = 0; i < LEFT_OVER; i++) {
    guint32 k = (path->transport_newest + 1 + i) % LEFT_OVER;
    if (path->transports[k].users > 0 && path->transports[k].key == key) {
      return k;
    }
    found = path->transports[k].users == 0 && found == LEFT_OVER ? k : found;
  }
  return found;
}

void
gst_weir_transport_take_locked (GstWeirMember *self, gconstpointer session)
{
  GstWeirPath *path = self->path;
  gst_weir_transport_put_locked (self);
  self->transport_key = session != NULL ? session : self;
  self->transport = find_transport (path, self->transport_key);
  GstWeirTransport *transport = &path->transports[self->transport];
  if (transport->users++ == 0 && self->transport != LEFT_OVER) {
    transport->key = self->transport_key;
    transport->results = 0;
    path->transport_newest = path->n_members > 1 ? self->transport : LEFT_OVER - 1;
  }
}

void
gst_weir_transport_put_locked (GstWeirMember *self)
{
  if (self->transport != WEIR_TRANSPORTS) {
    self->path->transports[self->transport].users--;
    self->transport = WEIR_TRANSPORTS;
  }
}

gboolean
gst_weir_transport_counts_locked (const GstWeirMember *self)
{
  return self->transport < LEFT_OVER;
}

gchar *
gst_weir_transport_take_complaint_locked (GstWeirMember *self)
{
  if (gst_weir_transport_counts_locked (self) || self->not_counting_reported) {
    return NULL;
  }
  self->not_counting_reported = TRUE;
  return g_strdup_printf (
      "group \"%s\": the transport-wide numbers of %u RTP sessions, or members without one, can "
      "be told apart, and this one comes after them: only its RFC 8888 feedback and receiver "
      "reports count; use fewer sessions (bundle)",
      self->path->group, LEFT_OVER);
}

gboolean
gst_weir_transport_listens_locked (const GstWeirMember *self)
{
  for (guint i = 0; i < self->path->n_members; i++) {
    const GstWeirMember *member = self->path->members[i];
    if (member->transport_key == self->transport_key) {
      return member == self;
    }
  }
  return FALSE;
}

gboolean
gst_weir_transport_takes_results_locked (GstWeirMember *self, guint32 seqnum)
{
  if (!gst_weir_transport_counts_locked (self)) {
    return FALSE;
  }
  GstWeirTransport *transport = &self->path->transports[self->transport];
  gboolean repeated = transport->results == seqnum && transport->users > 1;
  transport->results = seqnum;
  return !repeated;
}
