#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static _Noreturn void fail(int status, const char *cause, const char *message) {
  struct buffer words = {0};
  buffer_append(&words, cause, strlen(cause) + 1);
  buffer_append(&words, message, strlen(message));
  // The supervisor reads this at once, so it may be longer than a pipe holds.
  if (write(status, buffer_bytes(&words), buffer_length(&words)) < 0) _exit(126);
  _exit(127);
}

static void become_session_leader(const struct request *request, const struct child_files *files) {
  setsid();
  dup2(files->in, 0);
  dup2(files->out, 1);
  dup2(files->err, 2);
  if (request->tty) ioctl(0, TIOCSCTTY, 0);
  struct sigaction usual = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &usual, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  umask(022);
}

// Gives volumes to the user that works in them. For root only the directories themselves: their content keeps its
// owners.
static void give_directories(const struct request *request, const struct account *account, int status) {
  for (size_t i = 0; i < request->own.count; i++) {
    const char *path = request->own.items[i];
    int error = 0;
    if (account->uid != 0) error = own_tree(path, account->uid, account->gid);
    else if (chown(path, 0, 0) != 0) error = errno;
    if (error) fail(status, "system", must_print("cannot give %s to its user: %s", path, strerror(error)));
  }
}

static int make_directories(const char *path) {
  char *copy = must_copy(path);
  for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(copy, 0755); // a failure shows when the last one is made
    *slash = '/';
  }
  int made = mkdir(copy, 0755) == 0 || errno == EEXIST ? 0 : errno;
  free(copy);
  return made;
}

static void enter_directory(const char *dir, int status) {
  if (!*dir) dir = "/";
  if (chdir(dir) == 0) return;
  int error = errno == ENOENT ? make_directories(dir) : errno;
  if (!error && chdir(dir) != 0) error = errno;
  if (error) fail(status, "directory", must_print("cannot work in the directory \"%s\": %s", dir, strerror(error)));
}

static void become(const struct account *account, int status) {
  // Lets the process open its own /dev/stdout.
  for (int fd = 0; fd < 3; fd++) {
    if (fchown(fd, account->uid, (gid_t)-1) != 0) continue;
  }
  bool same = account->uid == geteuid() && account->gid == getegid();
  // A container without capabilities can still run a process as the user it already has.
  if ((setgroups(account->group_count, account->groups) != 0 || setgid(account->gid) != 0 || setuid(account->uid) != 0) &&
      !(same && errno == EPERM)) {
    const char *why = why_no_user(errno);
    fail(status, "system", must_print("cannot become user %u, group %u: %s", account->uid, account->gid, why));
  }
}

static _Noreturn void report_exec(int status, const char *path, int error) {
  const char *why = strerror(error);
  if (error == ENOENT && !strchr(path, '/')) why = "executable file not found in $PATH";
  else if (error == ENOENT && access(path, F_OK) == 0) why = "the interpreter or loader that it names is not in the image";
  else if (error == ENOENT) why = "no such file or directory";
  else if (error == EACCES) why = "permission denied: is it an executable file?";
  else if (error == ENOEXEC) why = "not an executable: no program for this processor, and no #! line";
  // Any other error is not the fault of the file: too many arguments, for example.
  bool of_the_file = error == ENOENT || error == EACCES || error == ENOEXEC || error == ENOTDIR || error == ELOOP;
  fail(status, of_the_file ? "executable" : "system", must_print("exec: \"%s\": %s", path, why));
}

static _Noreturn void execute(const char *path, char **args, char **environment, int status) {
  if (strchr(path, '/')) {
    execve(path, args, environment);
    report_exec(status, path, errno);
  }
  int error = ENOENT;
  const char *at = environment_get(environment, "PATH");
  for (bool more = *path != 0; more; at += strcspn(at, ":") + 1) {
    int length = (int)strcspn(at, ":");
    more = at[length] == ':';
    char *candidate = must_print("%.*s/%s", length ? length : 1, length ? at : ".", path);
    execve(candidate, args, environment);
    if (errno == ENOENT && access(candidate, F_OK) == 0) report_exec(status, candidate, errno);
    if (errno == EACCES) error = EACCES;
    else if (errno != ENOENT && errno != ENOTDIR) report_exec(status, candidate, errno);
    free(candidate);
  }
  report_exec(status, path, error);
}

void child_main(const struct request *request, struct child_files files) {
  become_session_leader(request, &files);
  const struct plain *plain = request->plain;
  if (plain) leaders_add(plain, getpid());
  struct account account;
  char *problem = plain ? plain_account(request->user, &account) : account_find(request->user, &account);
  if (problem) fail(files.status, "user", problem);
  // The files of a plain process belong to its user already.
  if (!plain) give_directories(request, &account, files.status);
  enter_directory(plain ? plain_path(plain, request->dir) : request->dir, files.status);
  char **environment = environment_of(environ, &request->env, request->user, &account);
  struct strings args = {0};
  strings_add(&args, request->path);
  for (size_t i = 0; i < request->args.count; i++) strings_add(&args, request->args.items[i]);
  if (!plain) become(&account, files.status);
  execute(request->path, args.items, environment, files.status);
}
