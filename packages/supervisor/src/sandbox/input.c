// An input of a step that this machine has: its directory is shown, not copied. The step may change what it sees, because
// an overlay takes the changes.
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// A crash of the machine ends the sandbox and whatever its overlays hold: nothing need wait for the disk.
#define OPTIONS ",volatile"

static pid_t number_in(const char *path) {
  FILE *file = fopen(path, "re");
  int number = 0;
  if (file && fscanf(file, "%d", &number) != 1) number = 0;
  if (file) fclose(file);
  return number;
}

// The first process of the keeper's sandbox, as its directory in /proc. While that is open, the process id means no other.
static int first_process(pid_t keeper) {
  char *children = must_print("/proc/%d/task/%d/children", keeper, keeper);
  pid_t child = number_in(children);
  char *path = must_print("/proc/%d", child);
  int process = child > 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (process < 0 || number_in(children) != child) {
    errno = ESRCH;
    fail("find the sandbox of the keeper %d", keeper);
  }
  free(children);
  free(path);
  return process;
}

static int namespace_of(int process, const char *name) {
  int fd = openat(process, name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("open the namespace %s of the sandbox", name);
  return fd;
}

// The input has the owner, the mode and the time of its directory.
static void root_like(const struct sandbox *s, const char *directory) {
  struct stat info;
  if (stat(directory, &info) != 0) fail("use %s", directory);
  overlay_own(s, info.st_mode & 07777, info.st_uid, info.st_gid);
  char *upper = must_print("%s/upper", s->scratch);
  if (utimensat(AT_FDCWD, upper, (struct timespec[]){info.st_atim, info.st_mtim}, 0) != 0) fail("use %s", upper);
  free(upper);
}

int input_show(const struct sandbox *s) {
  int process = first_process(number_in(s->keeper.pid));
  int mounts = namespace_of(process, "ns/mnt"), users = s->id_count ? namespace_of(process, "ns/user") : -1;
  if (unshare(CLONE_NEWNS) != 0) fail("make a mount namespace");
  mounts_leave_host(true);
  root_like(s, s->lowers.items[0]);
  int input = overlay_make(s, users, OPTIONS);
  if (setns(mounts, CLONE_NEWNS) != 0) fail("enter the sandbox");
  struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
  int place = (int)syscall(SYS_openat2, AT_FDCWD, s->at, &how, sizeof how);
  if (place < 0) fail("use %s of the sandbox", s->at);
  mount_attach_to(input, place, s->at);
  return 0;
}
