#include "supervisor.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DIAL_EVERY_MS 25

// Connects to baggageclaim. Returns -1 on failure.
static int dial(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int fd = socket_open();
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) close_fd(&fd);
  return fd;
}

static void append_field(struct buffer *b, const char *text) { buffer_append(b, text, strlen(text) + 1); }

// Sends the whole state again: baggageclaim may have missed some of it, or may have been restarted.
static void greet(struct supervisor *s) {
  struct buffer hello = {0};
  append_field(&hello, "control");
  append_field(&hello, PROTOCOL_VERSION);
  append_field(&hello, s->secret);
  for (struct process *p = s->processes; p; p = p->next) {
    if (p->link) continue;
    append_field(&hello, p->id);
    append_field(&hello, p->attempt);
    p->tell_grown = true;
    p->tell_exit = p->state == ENDED;
  }
  frame_append(&s->control_out, FRAME_HELLO, buffer_bytes(&hello), buffer_length(&hello));
  buffer_free(&hello);
}

static void hang_up(struct supervisor *s) {
  close_fd(&s->control);
  buffer_free(&s->control_in);
  buffer_free(&s->control_out);
  s->dial_at = now_ms() + DIAL_EVERY_MS;
}

void control_dial(struct supervisor *s) {
  s->control = dial(s->socket_path);
  if (s->control >= 0) greet(s);
  else s->dial_at = now_ms() + DIAL_EVERY_MS;
}

static bool handle(struct supervisor *s, const struct frame *frame) {
  struct reader r = reader_of(frame);
  switch (frame->type) {
  case FRAME_RUN: {
    struct request request;
    bool ok = request_read(&r, &request);
    if (ok) process_run(s, &request);
    request_free(&request);
    return ok;
  }
  case FRAME_HIJACK:
    hijack_start(s, &r);
    return r.ok;
  case FRAME_SIGNAL: {
    struct process *p = process_find(s, read_string(&r));
    uint64_t grace = read_number(&r);
    if (p && r.ok) process_stop(p, (int64_t)grace);
    return r.ok;
  }
  case FRAME_FORGET: {
    const char *id = read_string(&r);
    if (r.ok) process_forget(s, id);
    return r.ok;
  }
  default:
    return false;
  }
}

void control_receive(struct supervisor *s) {
  bool open = buffer_fill_from(&s->control_in, s->control);
  struct frame frame;
  enum frame_result result;
  while ((result = frame_next(&s->control_in, &frame)) == FRAME_COMPLETE) {
    bool understood = handle(s, &frame);
    frame_done(&s->control_in, &frame);
    if (!understood) return hang_up(s);
  }
  if (!open || result == FRAME_BROKEN) hang_up(s);
}

// The messages are made from the state, not from a queue: a slow reader gets fewer of them.
void control_tell(struct supervisor *s) {
  if (s->control < 0) return;
  for (struct process *p = s->processes; p && buffer_length(&s->control_out) < LINK_LIMIT; p = p->next) {
    if (p->link) continue;
    if (p->tell_grown) frame_append(&s->control_out, FRAME_GROWN, p->id, strlen(p->id) + 1);
    if (p->tell_exit) frame_append_text(&s->control_out, FRAME_EXIT, p->record);
    p->tell_grown = p->tell_exit = false;
  }
  // A peer that has gone may have sent a request first, and takes it for done. Read that before closing.
  if (!buffer_drain_to(&s->control_out, s->control)) buffer_free(&s->control_out);
}

static struct link *link_dial(struct supervisor *s, const char *id) {
  struct link *link = must_alloc(sizeof *link);
  link->fd = dial(s->socket_path);
  struct buffer hello = {0};
  append_field(&hello, "hijack");
  append_field(&hello, PROTOCOL_VERSION);
  append_field(&hello, id);
  frame_append(&link->out, FRAME_HELLO, buffer_bytes(&hello), buffer_length(&hello));
  buffer_free(&hello);
  return link;
}

void hijack_start(struct supervisor *s, struct reader *r) {
  struct request request;
  if (request_read(r, &request) && !s->leaving) {
    struct link *link = link_dial(s, request.id);
    if (link->fd >= 0) process_hijack(s, &request, link);
    else link_free(link);
  }
  request_free(&request);
}
