#include "../supervisor.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/sysctl.h>
#include <unistd.h>

// Processes may start between the two calls.
#define MORE 64

static struct kinfo_proc *processes_of_user(size_t *count) {
  int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_UID, (int)geteuid()};
  size_t size = 0;
  if (sysctl(name, 4, NULL, &size, NULL, 0) != 0) return NULL;
  size += MORE * sizeof(struct kinfo_proc);
  struct kinfo_proc *all = must_alloc(size);
  if (sysctl(name, 4, all, &size, NULL, 0) != 0) size = 0;
  *count = size / sizeof *all;
  return all;
}

void session_signal(pid_t leader, int signal) {
  if (leader <= 0) return;
  kill(-leader, signal);
  size_t count = 0;
  struct kinfo_proc *all = processes_of_user(&count);
  for (size_t i = 0; all && i < count; i++) {
    pid_t pid = all[i].kp_proc.p_pid;
    if (pid > 1 && getsid(pid) == leader) kill(pid, signal);
  }
  free(all);
}

// Processes that have left their session are not known here: macOS has nothing that would adopt them.
void strays_kill(const struct supervisor *s) { (void)s; }
