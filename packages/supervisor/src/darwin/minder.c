#include "../supervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

bool minder_start(const struct request *request, struct child_files files, struct process *p) {
  p->report = must_alloc(sizeof *p->report);
  pid_t pid = fork();
  if (pid == 0) child_main(request, files);
  p->pid = p->minder = pid > 0 ? pid : 0;
  return pid > 0;
}

void minder_end(struct process *p) { (void)p; }

void minder_reap(struct process *p) {
  int status = 0;
  pid_t reaped;
  do reaped = wait4(p->pid, &status, 0, &p->report->usage);
  while (reaped < 0 && errno == EINTR);
  if (reaped != p->pid) return;
  p->report->end = WIFEXITED(status) ? MINDER_EXITED : MINDER_SIGNALED;
  p->report->value = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

void minder_forget(struct minder_report *report) { free(report); }
