// The ways of macOS. It was compiled, and not yet tried on a real Mac.
#define __STDC_WANT_LIB_EXT1__ 1
#include "../supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

// Of <sys/ptrace.h>, which the compiler does not bring.
int ptrace(int request, pid_t pid, char *address, int data);
#define PT_DENY_ATTACH 31

// No program of ours opens more.
#define MOST_DESCRIPTORS 10240
// The longest wait before a look for peers that have gone: select does not report them.
#define LOOK_MS 1000

static void hide(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }
static void unblock(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

bool pipe_open(int ends[2]) {
  if (pipe(ends) != 0) return false;
  hide(ends[0]);
  hide(ends[1]);
  return true;
}

int socket_open(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  hide(fd);
  unblock(fd);
  return fd;
}

void descriptors_close_from(int first) {
  for (int fd = first; fd < MOST_DESCRIPTORS; fd++) close(fd);
}

void descriptors_hide_from(int first) {
  for (int fd = first; fd < MOST_DESCRIPTORS; fd++) hide(fd);
}

static void add(fd_set *set, int fd) { ((int32_t *)set)[fd / 32] |= (int32_t)(1u << (fd % 32)); }
static bool has(const fd_set *set, int fd) { return (((const int32_t *)set)[fd / 32] & (int32_t)(1u << (fd % 32))) != 0; }

// poll does not wait for terminals on macOS, and select does. poll then reports everything else.
int descriptors_wait(struct pollfd *fds, size_t count, int timeout_ms) {
  static fd_set reads[MOST_DESCRIPTORS / FD_SETSIZE + 1], writes[MOST_DESCRIPTORS / FD_SETSIZE + 1];
  memset(reads, 0, sizeof reads);
  memset(writes, 0, sizeof writes);
  int highest = -1;
  for (size_t i = 0; i < count; i++) {
    if (fds[i].fd >= MOST_DESCRIPTORS) continue;
    if (fds[i].events & POLLIN) add(reads, fds[i].fd);
    if (fds[i].events & POLLOUT) add(writes, fds[i].fd);
    if (fds[i].fd > highest) highest = fds[i].fd;
  }
  int wait_ms = timeout_ms < 0 || timeout_ms > LOOK_MS ? LOOK_MS : timeout_ms;
  struct timeval wait = {.tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
  if (select(highest + 1, reads, writes, NULL, &wait) < 0) {
    for (size_t i = 0; i < count; i++) fds[i].revents = 0;
    return -1;
  }
  if (poll(fds, (nfds_t)count, 0) < 0) return -1;
  for (size_t i = 0; i < count; i++) {
    fds[i].revents &= (short)~POLLNVAL; // of a terminal
    if (fds[i].fd >= MOST_DESCRIPTORS) continue;
    if (has(reads, fds[i].fd)) fds[i].revents |= POLLIN;
    if (has(writes, fds[i].fd)) fds[i].revents |= POLLOUT;
  }
  return 0;
}

static int signal_ends[2] = {-1, -1};

static void note(int signal) {
  int error = errno;
  char byte = (char)signal;
  if (write(signal_ends[1], &byte, 1) < 0) byte = 0; // the pipe is full of the same news
  errno = error;
}

int signals_open(void) {
  if (!pipe_open(signal_ends)) return -1;
  unblock(signal_ends[0]);
  unblock(signal_ends[1]);
  sigset_t handled;
  sigemptyset(&handled);
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  for (const int *signal = (const int[]){SIGCHLD, SIGTERM, SIGINT, 0}; *signal; signal++) {
    sigaddset(&handled, *signal);
    sigaction(*signal, &action, NULL);
  }
  sigprocmask(SIG_UNBLOCK, &handled, NULL);
  return signal_ends[0];
}

bool signals_take(int fd) {
  bool leave = false;
  for (char byte; read(fd, &byte, 1) == 1;) {
    if (byte != SIGCHLD) leave = true;
  }
  return leave;
}

// Orphans belong to launchd, whatever their parent wants.
void adopt_orphans(void) {}

void memory_close(void) { ptrace(PT_DENY_ATTACH, 0, NULL, 0); }

bool random_fill(void *bytes, size_t count) { return getentropy(bytes, count) == 0; }

void forget_bytes(void *bytes, size_t count) { memset_s(bytes, count, 0, count); }

int64_t peak_memory_of(const struct rusage *usage) { return usage->ru_maxrss; } // in bytes, and not in kilobytes

const char *why_no_user(int error) { return strerror(error); }

int terminal_slave(int master) {
  if (grantpt(master) != 0 || unlockpt(master) != 0) return -1;
  const char *name = ptsname(master);
  return name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
}

const char *const system_usage = "";

// There are no namespaces, so the program does nothing but what all systems have. A step would run with nobody asking for a
// sandbox without isolation by name.
int system_command(int argc, char **argv, int *status) {
  (void)argc, (void)argv;
  *status = usage();
  return 0;
}
