// A sandbox without isolation: its processes are plain processes of the user. macOS has no other; elsewhere somebody has
// asked for it by name.
#include "keeper.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_LEADERS 1024

// The path of the build directory as everybody outside of the sandbox knows it.
#define BUILD "/tmp/build"

void leaders_add(const struct plain *plain, pid_t pid) {
  for (size_t i = 0; i < MOST_LEADERS; i++) {
    pid_t none = 0; // several processes may start at once
    if (__atomic_compare_exchange_n(&plain->leaders[i], &none, pid, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
  }
}

void leaders_remove(const struct plain *plain, pid_t pid) {
  for (size_t i = 0; i < MOST_LEADERS; i++) {
    if (plain->leaders[i] == pid) plain->leaders[i] = 0;
  }
}

char *plain_path(const struct plain *plain, const char *path) {
  size_t length = strlen(BUILD);
  if (!*path) return must_copy(plain->build);
  if (strncmp(path, BUILD, length) != 0 || (path[length] && path[length] != '/')) return must_copy(path);
  return must_print("%s%s", plain->build, path + length);
}

char *plain_account(const char *user, struct account *account) {
  const struct passwd *own = getpwuid(geteuid());
  *account = (struct account){.uid = geteuid(), .gid = getegid()};
  account->name = own ? must_copy(own->pw_name) : must_print("%u", account->uid);
  account->home = must_copy(own ? own->pw_dir : "/");
  char *number = must_print("%u", account->uid);
  bool is_own = !*user || strcmp(user, account->name) == 0 || strcmp(user, number) == 0;
  free(number);
  if (is_own) return NULL;
  return must_print("this worker runs steps as plain processes of the user %s, so it cannot run one as \"%s\"", account->name, user);
}

// A supervisor that was killed could not end its processes.
static void end_the_rest(const struct plain *plain) {
  for (size_t i = 0; i < MOST_LEADERS; i++) {
    if (plain->leaders[i]) session_signal(plain->leaders[i], SIGKILL);
  }
  strays_kill(&(struct supervisor){0});
}

void plain_enter(struct plain *plain, const struct keeper *keeper) {
  descriptors_close_from(3); // whatever the caller left open
  keeper_begin(keeper);
  sigset_t signals;
  keeper_block_signals(&signals);
  plain->leaders = mmap(NULL, MOST_LEADERS * sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
  if (plain->leaders == MAP_FAILED) fail("get memory");
  int life[2];
  if (!pipe_open(life)) fail("make a pipe");
  adopt_orphans();
  pid_t child = fork();
  if (child < 0) fail("start the supervisor");
  if (child > 0) {
    close(life[0]);
    int status = keeper_wait(child, &signals);
    end_the_rest(plain);
    keeper_report(keeper, status);
  }
  setsid();
  close(life[1]);
  plain->keeper = life[0];
}
