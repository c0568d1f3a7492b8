#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static void lock_take(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) fail("open the lock %s", path);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail("lock %s", path);
    fprintf(stderr, "supervisor: the sandbox runs already: %s is locked\n", path);
    _exit(EXIT_LOCKED);
  }
  if (file == LOCK_FD) return;
  if (dup2(file, LOCK_FD) < 0 || fcntl(LOCK_FD, F_SETFD, FD_CLOEXEC) != 0) fail("hold the lock %s", path);
}

void keeper_begin(const struct keeper *keeper) {
  if (keeper->lock) lock_take(keeper->lock);
  failures_go_to(-1, keeper->over);
  if (keeper->over) unlink(keeper->over);
  char *pid = must_print("%d\n", getpid());
  if (keeper->pid && !write_whole(keeper->pid, pid)) fail("write %s", keeper->pid);
  free(pid);
}

void keeper_close_rest(const struct keeper *keeper) { descriptors_close_from(keeper->lock ? LOCK_FD + 1 : LOCK_FD); }

static void heed(int signal) { (void)signal; }

void keeper_block_signals(sigset_t *signals) {
  // macOS drops a signal that is ignored by default, also a blocked one, unless it has a handler. keeper_wait would never return.
  signal(SIGCHLD, heed);
  sigemptyset(signals);
  for (const int *signal = (const int[]){SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE, 0}; *signal; signal++) sigaddset(signals, *signal);
  sigprocmask(SIG_BLOCK, signals, NULL);
}

int keeper_wait(pid_t supervisor, const sigset_t *signals) {
  for (;;) {
    int signal = 0, status;
    sigwait(signals, &signal);
    if (signal == SIGTERM) kill(supervisor, SIGTERM);
    // Orphans of a supervisor that has ended may come to the keeper, too.
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended == supervisor) return status;
    }
  }
}

void keeper_report(const struct keeper *keeper, int status) {
  char *line = WIFEXITED(status) ? must_print("the supervisor exited with status %d", WEXITSTATUS(status))
                                 : must_print("the supervisor was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  over_write(keeper->over, line);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

const char **keeper_option(struct keeper *keeper, const char *name) {
  if (strcmp(name, "--lock") == 0) return &keeper->lock;
  if (strcmp(name, "--pid") == 0) return &keeper->pid;
  if (strcmp(name, "--over") == 0) return &keeper->over;
  return NULL;
}
