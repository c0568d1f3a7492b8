#include "../supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The report is in memory that the minder and the supervisor share.
static struct minder_report *report_make(void) {
  struct minder_report *report =
      mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return report == MAP_FAILED ? NULL : report;
}

void minder_forget(struct minder_report *report) {
  if (report) munmap(report, sizeof *report);
}

// Reaps orphans of the process until the process itself ends. It is left a zombie, so that its id is not used again
// before the supervisor has seen its end.
static void report_end(struct minder_report *report) {
  for (;;) {
    siginfo_t info = {0};
    struct rusage usage;
    // The system call has the usage, which the function of libc leaves out.
    if (syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOWAIT, &usage) != 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (info.si_pid != report->pid) {
      waitpid(info.si_pid, NULL, WNOHANG);
      continue;
    }
    report->usage = usage;
    report->value = info.si_status;
    report->end = info.si_code == CLD_EXITED ? MINDER_EXITED : MINDER_SIGNALED;
    return;
  }
}

static _Noreturn void minder_main(const struct request *request, struct child_files files, struct minder_report *report,
                                  int started) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid == 0) child_main(request, files);
  report->pid = pid;
  report->error = pid < 0 ? errno : 0;
  if (write(started, "", 1) < 0) _exit(1);
  descriptors_close_from(0); // the streams are the process's alone
  if (pid > 0) report_end(report);
  _exit(0);
}

bool minder_start(const struct request *request, struct child_files files, struct process *p) {
  int started[2];
  p->report = report_make();
  if (!p->report || !pipe_open(started)) return false;
  p->minder = fork();
  if (p->minder == 0) minder_main(request, files, p->report, started[1]);
  int error = errno;
  close(started[1]);
  char byte;
  ssize_t count = 0;
  if (p->minder > 0) {
    do count = read(started[0], &byte, 1);
    while (count < 0 && errno == EINTR);
  }
  close(started[0]);
  if (p->minder > 0) error = count == 1 ? p->report->error : ECHILD;
  p->pid = error ? 0 : p->report->pid;
  errno = error;
  return p->pid > 0;
}

void minder_end(struct process *p) {
  while (waitpid(p->minder, NULL, 0) < 0 && errno == EINTR) continue; // it is ending, and has nothing to wait for
}

void minder_reap(struct process *p) { waitpid(p->pid, NULL, WNOHANG); }
