#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

struct process *process_find(struct supervisor *s, const char *id) {
  for (struct process *p = s->processes; p; p = p->next) {
    if (!p->link && strcmp(p->id, id) == 0) return p;
  }
  return NULL;
}

static struct process *add(struct supervisor *s, struct request *request, struct link *link) {
  struct process *p = must_alloc(sizeof *p);
  *p = (struct process){.next = s->processes, .state = STARTING, .tty = request->tty, .link = link, .started = now_ms(), .memory_kills = s->plain ? 0 : memory_kills(),
                        .status = -1, .in = -1, .out = -1, .err = -1, .out_file = -1, .err_file = -1};
  p->id = must_copy(request->id);
  p->attempt = must_copy(request->attempt);
  p->input = request->input;
  p->close_input = !link && !request->tty; // a terminal's input stays open, as in Concourse
  request->input = (struct buffer){0};
  s->processes = p;
  return p;
}

static void finish(struct supervisor *s, struct process *p, struct ending *ending) {
  ending->wall_seconds = (double)(now_ms() - p->started) / 1000;
  p->record = record_json(p->id, p->attempt, ending);
  p->state = ENDED;
  p->kill_at = 0;
  p->tell_exit = true;
  close_fd(&p->status);
  close_fd(&p->in);
  close_fd(&p->out);
  close_fd(&p->err);
  close_fd(&p->out_file);
  close_fd(&p->err_file);
  buffer_free(&p->input);
  if (p->link) return;
  // Without a record the step cannot be green. baggageclaim gets the record anyway; a full disk shows in both.
  char *sealed = secret_seal(s->secret, p->record);
  if (!record_write(s->records, p->id, sealed)) {
    char *words = must_print("supervisor: cannot write the exit record of %s: %s\n", p->id, strerror(errno));
    log_write(&s->log, words, strlen(words));
    free(words);
  }
  free(sealed);
}

static void fail_to_start(struct supervisor *s, struct process *p, const char *what, int error) {
  char *message = must_print("%s: %s", what, strerror(error));
  finish(s, p, &(struct ending){.kind = END_NOT_STARTED, .cause = "system", .message = message});
  free(message);
}

static int open_output(struct supervisor *s, const char *id, const char *stream) {
  char *path = must_print("%s/%s.%s", s->output, id, stream);
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  free(path);
  return file;
}

// Opens the pipes or the terminal. The child's ends are in `files`.
static bool connect_streams(struct process *p, const struct request *request, struct child_files *files) {
  int status[2], in[2], out[2], err[2];
  if (!pipe_open(status)) return false;
  p->status = status[0];
  files->status = status[1];
  fcntl(p->status, F_SETFL, O_NONBLOCK);
  if (request->tty) {
    int slave;
    if (!terminal_open(request->columns, request->rows, &p->out, &slave)) return false;
    p->in = fcntl(p->out, F_DUPFD_CLOEXEC, 0);
    files->in = files->out = files->err = slave;
    return p->in >= 0;
  }
  if (!pipe_open(in)) return false;
  p->in = in[1], files->in = in[0];
  if (!pipe_open(out)) return false;
  p->out = out[0], files->out = out[1];
  if (!pipe_open(err)) return false;
  p->err = err[0], files->err = err[1];
  fcntl(p->in, F_SETFL, O_NONBLOCK);
  fcntl(p->out, F_SETFL, O_NONBLOCK);
  fcntl(p->err, F_SETFL, O_NONBLOCK);
  return true;
}

static void start(struct supervisor *s, struct process *p, struct request *request) {
  struct child_files files = {-1, -1, -1, -1};
  request->plain = s->plain;
  if (!connect_streams(p, request, &files)) {
    fail_to_start(s, p, request->tty ? "cannot open a terminal" : "cannot open a pipe", errno);
  } else {
    if (!minder_start(request, files, p)) fail_to_start(s, p, "cannot start a process", errno);
  }
  bool one = files.in == files.out;
  close_fd(&files.status);
  close_fd(&files.in);
  if (!one) close_fd(&files.out), close_fd(&files.err);
}

// Output of this id is there: an earlier supervisor ran it, so it must not run again. A record beside that output proves
// nothing to this supervisor, since any root process could have written it.
static void recall(struct supervisor *s, struct process *p) {
  const char *why = "the supervisor that ran this process has gone";
  finish(s, p, &(struct ending){.kind = END_INTERRUPTED, .message = why});
}

void process_run(struct supervisor *s, struct request *request) {
  struct process *known = process_find(s, request->id);
  if (known) { // asked twice: run once, confirmed twice
    known->tell_grown = true;
    return;
  }
  struct process *p = add(s, request, NULL);
  p->tell_grown = true;
  strings_free(&s->environment);
  for (size_t i = 0; i < request->env.count; i++) strings_add(&s->environment, request->env.items[i]);
  if (s->leaving) {
    return finish(s, p, &(struct ending){.kind = END_INTERRUPTED, .message = "the sandbox is being taken down"});
  }
  p->out_file = open_output(s, p->id, "stdout");
  if (p->out_file < 0 && errno == EEXIST) return recall(s, p);
  if (p->out_file >= 0) p->err_file = open_output(s, p->id, "stderr");
  if (p->err_file < 0) return fail_to_start(s, p, "cannot write output files", errno);
  start(s, p, request);
}

void process_hijack(struct supervisor *s, struct request *request, struct link *link) {
  struct process *p = add(s, request, link);
  struct request full = *request;
  full.env = (struct strings){0};
  for (size_t i = 0; i < s->environment.count; i++) strings_add(&full.env, s->environment.items[i]);
  for (size_t i = 0; i < request->env.count; i++) strings_add(&full.env, request->env.items[i]);
  start(s, p, &full);
  strings_free(&full.env);
}

void process_stop(struct process *p, int64_t grace_ms) {
  if (p->state == ENDED) return;
  int64_t kill_at = now_ms() + grace_ms;
  // Only the process itself, as in Concourse: a shell with a trap can then end its children in order.
  if (grace_ms > 0 && !p->kill_at) kill(p->pid, SIGTERM);
  if (!p->kill_at || kill_at < p->kill_at) p->kill_at = kill_at;
  if (grace_ms == 0) process_kill(p);
}

void process_kill(struct process *p) {
  session_signal(p->pid, SIGKILL);
  kill(p->minder, SIGCONT); // a root process of the step may have stopped it
}

void process_interrupt(struct process *p, const char *why) {
  if (p->state == ENDED || p->interrupted) return;
  p->interrupted = must_copy(why);
}

void process_reap(struct supervisor *s, struct process *p) {
  minder_end(p);
  session_signal(p->pid, SIGKILL);
  output_status(p);
  output_rest(s, p);
  if (s->plain) leaders_remove(s->plain, p->pid);
  minder_reap(p);
  struct ending ending = {.usage = p->report->usage};
  if (p->report->end == MINDER_NONE) process_interrupt(p, "the process that watched over it was killed");
  if (p->interrupted) {
    ending.kind = END_INTERRUPTED;
    ending.message = p->interrupted;
  } else if (buffer_length(&p->failure) > 0) {
    buffer_append(&p->failure, "\0", 2); // ends both cause and message, even if one is missing
    ending.kind = END_NOT_STARTED;
    ending.cause = (char *)buffer_bytes(&p->failure);
    ending.message = ending.cause + strlen(ending.cause) + 1;
  } else {
    ending.kind = p->report->end == MINDER_SIGNALED ? END_SIGNALED : END_EXITED;
    ending.value = p->report->value;
  }
  ending.out_of_memory = !s->plain && memory_kills() > p->memory_kills; // a plain process has no memory of its own
  if (ending.out_of_memory) ending.memory_limit = memory_limit();
  finish(s, p, &ending);
}

void process_forget(struct supervisor *s, const char *id) {
  for (struct process **at = &s->processes; *at; at = &(*at)->next) {
    struct process *p = *at;
    if (p->link || p->state != ENDED || strcmp(p->id, id) != 0) continue;
    char *paths[] = {must_print("%s/%s.exit", s->records, id), must_print("%s/%s.stdout", s->output, id),
                     must_print("%s/%s.stderr", s->output, id)};
    for (size_t i = 0; i < 3; i++) {
      unlink(paths[i]);
      free(paths[i]);
    }
    *at = p->next;
    return process_free(p);
  }
}

void process_free(struct process *p) {
  free(p->id);
  free(p->attempt);
  free(p->interrupted);
  free(p->record);
  buffer_free(&p->input);
  buffer_free(&p->failure);
  minder_forget(p->report);
  if (p->link) link_free(p->link);
  free(p);
}
