#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST_STOPPED "the host took the sandbox down while the process ran"
#define EXIT_ON_TERM 143

// The descriptors to wait for, each with its owner.
struct poll_set {
  struct pollfd *fds;
  size_t count, capacity;
};

static void watch(struct poll_set *set, int fd, short events) {
  if (fd < 0) return;
  if (set->count == set->capacity) {
    set->capacity = set->capacity ? set->capacity * 2 : 16;
    set->fds = must_grow(set->fds, set->capacity * sizeof *set->fds);
  }
  set->fds[set->count++] = (struct pollfd){.fd = fd, .events = events};
}

static short happened(const struct poll_set *set, int fd) {
  for (size_t i = 0; fd >= 0 && i < set->count; i++) {
    if (set->fds[i].fd == fd) return set->fds[i].revents;
  }
  return 0;
}

static bool has_link(const struct process *p) { return p->link && p->link->fd >= 0; }

// poll reports a peer that has gone whatever events were asked for.
static short link_events(const struct process *p) {
  bool reads = buffer_length(&p->input) < LINK_LIMIT;
  return (short)((reads ? POLLIN : 0) | (buffer_length(&p->link->out) ? POLLOUT : 0));
}

static void watch_all(struct supervisor *s, struct poll_set *set) {
  set->count = 0;
  watch(set, s->signals, POLLIN);
  if (s->plain && !s->leaving) watch(set, s->plain->keeper, POLLIN);
  watch(set, s->control, (short)(POLLIN | (buffer_length(&s->control_out) ? POLLOUT : 0)));
  if (log_waits(&s->log)) watch(set, STDOUT_FILENO, POLLOUT);
  for (struct process *p = s->processes; p; p = p->next) {
    if (has_link(p)) watch(set, p->link->fd, link_events(p));
    if (p->state == ENDED) continue;
    watch(set, p->status, POLLIN);
    bool held_back = p->link && buffer_length(&p->link->out) > LINK_LIMIT;
    if (!held_back && now_ms() >= p->look_again) watch(set, p->out, POLLIN);
    if (!held_back) watch(set, p->err, POLLIN);
    if (buffer_length(&p->input) || p->close_input) watch(set, p->in, POLLOUT);
  }
}

static void serve_process(struct supervisor *s, struct poll_set *set, struct process *p) {
  if (has_link(p) && happened(set, p->link->fd) & ~POLLOUT) hijack_receive(p);
  if (p->state == ENDED) return;
  if (happened(set, p->status)) output_status(p);
  if (happened(set, p->out)) output_read(s, p, &p->out);
  if (happened(set, p->err)) output_read(s, p, &p->err);
  if (happened(set, p->in)) input_write(p);
}

// Reaps everything that has ended: minders with their processes, and strays, which have come to us when their minder ended.
static void reap(struct supervisor *s) {
  bool any = false;
  for (;; any = true) {
    siginfo_t info = {0};
    // A zombie keeps its process id, so the rest of its group and session can still be signalled by it.
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) break;
    struct process *p = s->processes;
    while (p && (p->state == ENDED || (p->pid != info.si_pid && p->minder != info.si_pid))) p = p->next;
    if (p) process_reap(s, p);
    else waitpid(info.si_pid, NULL, WNOHANG);
  }
  if (any) strays_kill(s);
}

// The kubelet deletes the pod. From here on, no end of a process counts as a result.
static void leave(struct supervisor *s) {
  s->leaving = true;
  s->leave_at = now_ms() + GRACE_WHEN_LEAVING_MS * 2;
  for (struct process *p = s->processes; p; p = p->next) {
    if (p->state == ENDED) continue;
    process_interrupt(p, HOST_STOPPED);
    p->kill_at = 0; // an earlier stop must not delay this one
    process_stop(p, GRACE_WHEN_LEAVING_MS);
  }
}

static void take_signals(struct supervisor *s) {
  if (signals_take(s->signals) && !s->leaving) leave(s);
  reap(s);
}

// Nobody can delete this sandbox any more, so it ends. An isolated one ends by the kernel.
static void lose_keeper(struct supervisor *s) {
  leave(s);
  for (struct process *p = s->processes; p; p = p->next) process_stop(p, 0);
}

static void keep_deadlines(struct supervisor *s) {
  int64_t now = now_ms();
  if (s->control < 0 && now >= s->dial_at) control_dial(s);
  for (struct process *p = s->processes; p; p = p->next) {
    if (p->state == ENDED || !p->kill_at || now < p->kill_at) continue;
    p->kill_at = now + 1000; // again, until it is reaped
    process_kill(p);
  }
}

static int time_to_wait(const struct supervisor *s) {
  int64_t next = s->leaving ? s->leave_at : INT64_MAX;
  if (s->control < 0 && s->dial_at < next) next = s->dial_at;
  for (struct process *p = s->processes; p; p = p->next) {
    if (p->state == ENDED) continue;
    if (p->kill_at && p->kill_at < next) next = p->kill_at;
    if (p->look_again > now_ms() && p->look_again < next) next = p->look_again;
  }
  if (next == INT64_MAX) return -1;
  int64_t wait = next - now_ms();
  return wait < 0 ? 0 : wait > 60000 ? 60000 : (int)wait;
}

// Sends pending messages, and frees hijacked processes whose connection baggageclaim has closed. It does so when it has the
// record: if the connection were closed here, a message of the user's that is on its way could cost the record.
static void tell(struct supervisor *s) {
  control_tell(s);
  for (struct process **at = &s->processes; *at;) {
    struct process *p = *at;
    if (has_link(p)) hijack_send(p);
    bool over = p->link && p->state == ENDED && p->link->fd < 0;
    if (!over) {
      at = &p->next;
      continue;
    }
    *at = p->next;
    process_free(p);
  }
}

static bool may_leave(const struct supervisor *s) {
  if (!s->leaving) return false;
  if (now_ms() >= s->leave_at) return true;
  for (struct process *p = s->processes; p; p = p->next) {
    if (p->state != ENDED) return false;
  }
  return (s->control < 0 || buffer_length(&s->control_out) == 0) && !log_waits(&s->log);
}

static void run(struct supervisor *s) {
  struct poll_set set = {0};
  for (;;) {
    keep_deadlines(s);
    tell(s);
    if (may_leave(s)) return;
    watch_all(s, &set);
    if (descriptors_wait(set.fds, set.count, time_to_wait(s)) < 0 && errno != EINTR) abort();
    if (happened(&set, STDOUT_FILENO)) log_flush(&s->log);
    for (struct process *p = s->processes; p; p = p->next) serve_process(s, &set, p);
    if (happened(&set, s->control) & ~POLLOUT) control_receive(s);
    if (happened(&set, s->signals)) take_signals(s);
    if (s->plain && !s->leaving && happened(&set, s->plain->keeper)) lose_keeper(s);
  }
}

// Keeps 0, 1 and 2 open, so that no stream of a process gets one of these numbers.
static void open_standard_streams(void) {
  int fd;
  do fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= 2);
  if (fd > 2) close(fd);
}

int main(int argc, char **argv) {
  struct supervisor s = {.socket_path = "/tmp/seaplane/supervisor.sock", .records = "/tmp/seaplane/records",
                         .output = "/tmp/build/.seaplane", .control = -1};
  open_standard_streams();
  int status = 0, first = command_run(&s, argc, argv, &status);
  if (!first) return status;
  for (int i = first; i < argc; i += 2) {
    if (i + 1 == argc) return usage();
    if (strcmp(argv[i], "--socket") == 0) s.socket_path = argv[i + 1];
    else if (strcmp(argv[i], "--records") == 0) s.records = argv[i + 1];
    else if (strcmp(argv[i], "--output") == 0) s.output = argv[i + 1];
    else return usage();
  }
  secret_make(s.secret);
  descriptors_hide_from(3);
  mkdir(s.records, 0700); // baggageclaim makes it, too; whoever is first
  mkdir(s.output, 0700);
  if (getpid() != 1) adopt_orphans();
  fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
  signal(SIGPIPE, SIG_IGN);
  s.signals = signals_open();
  if (s.signals < 0) {
    perror("supervisor: cannot take signals");
    return 1;
  }
  run(&s);
  return EXIT_ON_TERM;
}
