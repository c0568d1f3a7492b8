#include "supervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536
// More than a pipe can still hold when its writer has ended.
#define LONGEST_REST (4 * 1024 * 1024)
#define LOOK_AGAIN_MS 100

void output_status(struct process *p) {
  if (p->status < 0 || buffer_fill_from(&p->failure, p->status)) return;
  close_fd(&p->status);
  if (p->state == STARTING) p->state = RUNNING;
}

static bool write_all(int file, const unsigned char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes += written;
    count -= (size_t)written;
  }
  return true;
}

// A step whose output cannot be kept must not be green. End it; its record says why.
static void lose_output(struct process *p) {
  char *why = must_print("its output could not be written: %s", strerror(errno));
  process_interrupt(p, why);
  free(why);
  close_fd(&p->out_file);
  close_fd(&p->err_file);
  process_stop(p, 0);
}

static void keep(struct supervisor *s, struct process *p, bool is_err, const unsigned char *bytes, size_t count) {
  if (p->link) {
    if (p->link->fd >= 0) frame_append(&p->link->out, is_err ? FRAME_STDERR : FRAME_STDOUT, bytes, count);
    return;
  }
  int file = is_err ? p->err_file : p->out_file;
  if (file >= 0 && !write_all(file, bytes, count)) lose_output(p);
  p->tell_grown = true;
  // The stdout of a resource script is its answer, not a text for people.
  if (is_err || p->tty) log_write(&s->log, bytes, count);
}

// Returns the number of bytes read; 0 when there are none now, or no more at all.
static size_t read_some(struct supervisor *s, struct process *p, int *fd) {
  unsigned char bytes[CHUNK];
  ssize_t count = read(*fd, bytes, sizeof bytes);
  if (count > 0) {
    keep(s, p, fd == &p->err, bytes, (size_t)count);
    return (size_t)count;
  }
  // Reading a terminal that no process has open fails with EIO. A process may open it again, and closing our end
  // would hang that process up.
  if (count < 0 && errno == EIO && p->tty) p->look_again = now_ms() + LOOK_AGAIN_MS;
  else if (count == 0 || (errno != EAGAIN && errno != EINTR)) close_fd(fd);
  return 0;
}

void output_read(struct supervisor *s, struct process *p, int *fd) { read_some(s, p, fd); }

void output_rest(struct supervisor *s, struct process *p) {
  int *fds[] = {&p->out, &p->err};
  for (size_t i = 0; i < 2; i++) {
    for (size_t total = 0, count = 1; *fds[i] >= 0 && count > 0 && total < LONGEST_REST; total += count) {
      count = read_some(s, p, fds[i]);
    }
  }
}

void input_write(struct process *p) {
  if (p->in < 0) return;
  // A process need not read its input: its exit status counts.
  if (!buffer_drain_to(&p->input, p->in)) {
    buffer_free(&p->input);
    close_fd(&p->in);
  } else if (buffer_length(&p->input) == 0 && p->close_input) {
    buffer_free(&p->input);
    close_fd(&p->in);
  }
}
