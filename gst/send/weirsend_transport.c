/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transports of a path: each RTP session counts its packets by itself, and so does each member
 * without one. Members that send through the same session have the same transport, and what comes
 * back on it is read once. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug

static gconstpointer
key_of (const GstWeirSend *self)
{
  return self->session.object != NULL ? (gconstpointer) self->session.object : self;
}

/* That of the same key, or a free one: the one behind that given out last, since reports on the
 * former user of a transport may still be on their way. WEIR_TRANSPORTS: none is free. */
static guint32
find_transport (const GstWeirPath *path, gconstpointer key)
{
  guint32 found = WEIR_TRANSPORTS;
  for (guint32 i = 0; i < WEIR_TRANSPORTS; i++) {
    guint32 k = (path->transport_newest + 1 + i) % WEIR_TRANSPORTS;
    if (path->transports[k].users > 0 && path->transports[k].key == key) {
      return k;
    }
    found = path->transports[k].users == 0 && found == WEIR_TRANSPORTS ? k : found;
  }
  return found;
}

/* After the member has joined the path, or its session is another one. FALSE: there are too many,
 * and what is numbered by this one cannot be told apart. */
gboolean
gst_weir_transport_take_locked (GstWeirSend *self)
{
  GstWeirPath *path = self->path;
  gst_weir_transport_put_locked (self);
  guint32 transport = find_transport (path, key_of (self));
  if (transport == WEIR_TRANSPORTS) {
    return FALSE;
  }
  if (path->transports[transport].users++ == 0) {
    path->transports[transport].key = key_of (self);
    path->transports[transport].results = 0;
    path->transport_newest = path->n_members > 1 ? transport : WEIR_TRANSPORTS - 1;
  }
  self->transport = transport;
  return TRUE;
}

/* Accepts that it has none. */
void
gst_weir_transport_put_locked (GstWeirSend *self)
{
  if (self->transport != WEIR_TRANSPORTS) {
    self->path->transports[self->transport].users--;
    self->transport = WEIR_TRANSPORTS;
  }
}

/* For what comes back. */
guint32
gst_weir_transport_of_locked (const GstWeirSend *self)
{
  return self->transport < WEIR_TRANSPORTS ? self->transport : 0;
}

/* Several members hear the same session: is it this one who hands on what it says? */
gboolean
gst_weir_transport_listens_locked (const GstWeirSend *self)
{
  for (guint i = 0; i < self->path->n_members; i++) {
    const GstWeirSend *member = self->path->members[i];
    if (member->session.object == self->session.object) {
      return member == self;
    }
  }
  return FALSE;
}

/* An event with results may come by several members. TRUE: it has come before. */
gboolean
gst_weir_transport_is_repeated_locked (GstWeirSend *self, guint32 seqnum)
{
  if (self->transport == WEIR_TRANSPORTS) {
    return FALSE;
  }
  GstWeirTransport *transport = &self->path->transports[self->transport];
  gboolean repeated = transport->results == seqnum && transport->users > 1;
  transport->results = seqnum;
  return repeated;
}
