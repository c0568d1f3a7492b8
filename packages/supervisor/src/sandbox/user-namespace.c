#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// The ids that follow 0 in the namespace, as many as a container engine gives.
#define MOST_IDS 65535

struct range {
  unsigned start, count;
};

unsigned user_namespace_ids(unsigned *outside) {
  unsigned inside = 1, first = 1, count = 0, sum = 0;
  *outside = 0;
  FILE *map = fopen("/proc/self/uid_map", "re");
  if (!map) return ~0u; // a kernel without user namespaces
  while (fscanf(map, "%u %u %u", &inside, &first, &count) == 3) {
    if (inside == 0) *outside = first;
    sum += count;
  }
  fclose(map);
  return sum;
}

// The first one maps every id to itself.
bool is_initial_user_namespace(void) {
  unsigned outside;
  return user_namespace_ids(&outside) == ~0u && outside == 0;
}

// The first range of /etc/subuid or /etc/subgid for this user. False if there is none.
static bool find_range(const char *path, const char *name, uid_t uid, struct range *range) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  char *number = must_print("%u", uid), *line = NULL;
  size_t capacity = 0;
  bool found = false;
  while (!found && getline(&line, &capacity, file) > 0) {
    size_t length = strcspn(line, ":");
    if (line[length] != ':' || sscanf(line + length + 1, "%u:%u", &range->start, &range->count) != 2) continue;
    line[length] = 0;
    found = range->count > 0 && ((name && strcmp(line, name) == 0) || strcmp(line, number) == 0);
  }
  if (range->count > MOST_IDS) range->count = MOST_IDS;
  free(number);
  free(line);
  fclose(file);
  return found;
}

// Lets newuidmap or newgidmap, which have the right to it, map the ids of a process.
static bool map_by(const char *program, pid_t pid, unsigned id, struct range range) {
  pid_t child = fork();
  if (child == 0) {
    char *target = must_print("%d", pid), *own = must_print("%u", id), *start = must_print("%u", range.start),
         *count = must_print("%u", range.count);
    // Where one id is the result, nobody needs the words of a program that is not set up.
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, 2);
    execlp(program, program, target, "0", own, "1", "1", start, count, (char *)NULL);
    _exit(127);
  }
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A process in a new user namespace, which waits to be killed. 0 if the machine allows none.
static pid_t start_holder(void) {
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) fail("make a pipe");
  pid_t self = getpid(), holder = fork();
  if (holder == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == self && unshare(CLONE_NEWUSER) == 0 && write(made[1], "", 1) == 1) pause();
    _exit(1);
  }
  close(made[1]);
  char byte;
  bool ready = holder > 0 && read(made[0], &byte, 1) == 1;
  close(made[0]);
  return ready ? holder : 0;
}

// A namespace with the ids that /etc/subuid and /etc/subgid give to this user. False: the machine is not set up for it.
static bool enter_with_many_ids(uid_t uid, gid_t gid) {
  const struct passwd *account = getpwuid(uid);
  struct range users = {0}, groups = {0};
  const char *name = account ? account->pw_name : NULL;
  if (!find_range("/etc/subuid", name, uid, &users) || !find_range("/etc/subgid", name, uid, &groups)) return false;
  pid_t holder = start_holder();
  if (!holder) return false;
  bool entered = false;
  if (map_by("newuidmap", holder, uid, users) && map_by("newgidmap", holder, gid, groups)) {
    char *path = must_print("/proc/%d/ns/user", holder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    entered = fd >= 0 && setns(fd, CLONE_NEWUSER) == 0;
    if (fd >= 0) close(fd);
    free(path);
  }
  kill(holder, SIGKILL);
  waitpid(holder, NULL, 0);
  if (entered && setgroups(0, NULL) != 0) fail("leave the groups of the machine");
  return entered;
}

static void write_own(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) < 0) {
    fail_with_advice(advice_for_user_namespaces(), "map the user to root of a user namespace (%s)", path);
  }
  close(file);
}

static void enter_with_one_id(uid_t uid, gid_t gid) {
  if (unshare(CLONE_NEWUSER) != 0) fail_with_advice(advice_for_user_namespaces(), "make a user namespace");
  char *user = must_print("0 %u 1\n", uid), *group = must_print("0 %u 1\n", gid);
  write_own("/proc/self/setgroups", "deny"); // else a group could be left that a file forbids something to
  write_own("/proc/self/uid_map", user);
  write_own("/proc/self/gid_map", group);
  free(user);
  free(group);
}

void user_namespace_enter(void) {
  uid_t uid = geteuid();
  gid_t gid = getegid();
  if (uid == 0) return;
  if (!enter_with_many_ids(uid, gid)) enter_with_one_id(uid, gid);
  if (setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0) fail("become root of the user namespace");
}

int user_namespace_run(char **command) {
  user_namespace_enter();
  execvp(command[0], command);
  fprintf(stderr, "supervisor: cannot run %s: %s\n", command[0], strerror(errno));
  return 127;
}
