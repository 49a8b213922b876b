/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transports of a path: each RTP session counts its packets by itself, and so does each member
 * without one. Members that send through the same session have the same transport, and what comes
 * back on it is read once. All for whom none is left share the last one, whose transport-wide
 * numbers mean nothing. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug
#define LEFT_OVER (WEIR_TRANSPORTS - 1)

static gconstpointer
key_of (const GstWeirSend *self)
{
  return self->session.object != NULL ? (gconstpointer) self->session.object : self;
}

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

/* After the member has joined the path, or its session is another one. */
void
gst_weir_transport_take_locked (GstWeirSend *self)
{
  GstWeirPath *path = self->member.path;
  gst_weir_transport_put_locked (self);
  self->member.transport = find_transport (path, key_of (self));
  GstWeirTransport *transport = &path->transports[self->member.transport];
  if (transport->users++ == 0 && self->member.transport != LEFT_OVER) {
    transport->key = key_of (self);
    transport->results = 0;
    path->transport_newest = path->n_members > 1 ? self->member.transport : LEFT_OVER - 1;
  }
}

/* Accepts that it has none. */
void
gst_weir_transport_put_locked (GstWeirSend *self)
{
  if (self->member.transport != WEIR_TRANSPORTS) {
    self->member.path->transports[self->member.transport].users--;
    self->member.transport = WEIR_TRANSPORTS;
  }
}

/* FALSE: its transport-wide numbers cannot be told from those of others. */
gboolean
gst_weir_transport_counts_locked (const GstWeirSend *self)
{
  return self->member.transport < LEFT_OVER;
}

/* What to tell of a member whose transport-wide numbers do not count although it has some; free
 * it. NULL: nothing, or it was told. */
gchar *
gst_weir_transport_take_complaint_locked (GstWeirSend *self)
{
  gboolean numbered = self->session.object != NULL || self->input.caps.transport_seq_id != 0;
  if (gst_weir_transport_counts_locked (self) || !numbered || self->not_counting_reported) {
    return NULL;
  }
  self->not_counting_reported = TRUE;
  return g_strdup_printf (
      "group \"%s\": the transport-wide numbers of %u RTP sessions, or members without one, can "
      "be told apart, and this one comes after them: only its RFC 8888 feedback and receiver "
      "reports count; use fewer sessions (bundle)",
      self->member.path->group, LEFT_OVER);
}

/* Several members hear the same session: is it this one who hands on what it says? */
gboolean
gst_weir_transport_listens_locked (const GstWeirSend *self)
{
  for (guint i = 0; i < self->member.path->n_members; i++) {
    const GstWeirSend *member = self->member.path->members[i]->send;
    if (member->session.object == self->session.object) {
      return member == self;
    }
  }
  return FALSE;
}

/* An event with results may come by several members. FALSE: it has come before, or says nothing
 * that counts. */
gboolean
gst_weir_transport_takes_results_locked (GstWeirSend *self, guint32 seqnum)
{
  if (!gst_weir_transport_counts_locked (self)) {
    return FALSE;
  }
  GstWeirTransport *transport = &self->member.path->transports[self->member.transport];
  gboolean repeated = transport->results == seqnum && transport->users > 1;
  transport->results = seqnum;
  return !repeated;
}
