#include "supervisor.h"

#include <signal.h>
#include <stdlib.h>

#define GRACE_MS 1000
#define END_OF_INPUT "\x04"

void link_free(struct link *link) {
  close_fd(&link->fd);
  buffer_free(&link->in);
  buffer_free(&link->out);
  free(link);
}

// The user has gone: do what a terminal that is closed does to its programs.
static void hang_up(struct process *p) {
  close_fd(&p->link->fd);
  buffer_free(&p->link->out);
  if (p->state == ENDED || p->kill_at) return;
  session_signal(p->pid, SIGHUP);
  p->kill_at = now_ms() + GRACE_MS;
}

static bool handle(struct process *p, const struct frame *frame) {
  struct reader r = reader_of(frame);
  switch (frame->type) {
  case FRAME_STDIN:
    if (p->in >= 0) buffer_append(&p->input, frame->payload, frame->length);
    return true;
  case FRAME_CLOSE_STDIN:
    if (p->tty && p->in >= 0) buffer_append(&p->input, END_OF_INPUT, 1);
    p->close_input = !p->tty;
    return true;
  case FRAME_RESIZE: {
    uint64_t columns = read_number(&r), rows = read_number(&r);
    if (p->tty && p->out >= 0 && r.ok) terminal_resize(p->out, (unsigned short)columns, (unsigned short)rows);
    return r.ok;
  }
  default:
    return false;
  }
}

void hijack_receive(struct process *p) {
  bool open = buffer_fill_from(&p->link->in, p->link->fd);
  struct frame frame;
  enum frame_result result;
  while ((result = frame_next(&p->link->in, &frame)) == FRAME_COMPLETE) {
    bool understood = handle(p, &frame);
    frame_done(&p->link->in, &frame);
    if (!understood) return hang_up(p);
  }
  if (!open || result == FRAME_BROKEN) hang_up(p);
}

void hijack_send(struct process *p) {
  if (p->tell_exit) frame_append_text(&p->link->out, FRAME_EXIT, p->record);
  p->tell_exit = false;
  if (!buffer_drain_to(&p->link->out, p->link->fd)) hang_up(p);
}
