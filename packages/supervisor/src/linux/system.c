// The ways of Linux.
#include "../supervisor.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

bool pipe_open(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

int socket_open(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

void descriptors_close_from(int first) { syscall(SYS_close_range, first, ~0u, 0); }

void descriptors_hide_from(int first) { syscall(SYS_close_range, first, ~0u, CLOSE_RANGE_CLOEXEC); }

int descriptors_wait(struct pollfd *fds, size_t count, int timeout_ms) { return poll(fds, count, timeout_ms); }

int signals_open(void) {
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGCHLD);
  sigaddset(&handled, SIGTERM);
  sigaddset(&handled, SIGINT);
  sigprocmask(SIG_BLOCK, &handled, NULL);
  return signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool signals_take(int fd) {
  bool leave = false;
  for (struct signalfd_siginfo info; read(fd, &info, sizeof info) == sizeof info;) {
    if (info.ssi_signo != SIGCHLD) leave = true;
  }
  return leave;
}

void adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void memory_close(void) { prctl(PR_SET_DUMPABLE, 0); }

bool random_fill(void *bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count; }

void forget_bytes(void *bytes, size_t count) { explicit_bzero(bytes, count); }

int64_t peak_memory_of(const struct rusage *usage) { return (int64_t)usage->ru_maxrss * 1024; }

int terminal_slave(int master) {
  int unlock = 0;
  if (ioctl(master, TIOCSPTLCK, &unlock) != 0) return -1;
  return ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC); // needs no /dev/pts
}
