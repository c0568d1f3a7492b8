#include "../sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int install(const char *path) {
  char *partial = must_print("%s.partial", path);
  int from = open((const char *)getauxval(AT_EXECFN), O_RDONLY), to = open(partial, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  struct stat info;
  bool ok = from >= 0 && to >= 0 && fstat(from, &info) == 0;
  for (off_t left = ok ? info.st_size : 0; ok && left > 0;) {
    ssize_t count = sendfile(to, from, NULL, (size_t)left);
    ok = count > 0;
    left -= count;
  }
  if (ok && fchmod(to, 0755) == 0 && close(to) == 0 && rename(partial, path) == 0) return 0;
  fprintf(stderr, "supervisor: cannot copy itself to %s: %s\n", path, strerror(errno));
  return 1;
}

const char *const system_usage =
    "supervisor --install PATH   copies itself there\n"
    "supervisor --enter [--lock FILE] [--pid FILE] [--over FILE] --lower DIR ... --scratch DIR [--bind FROM TO] ...\n"
    "    [--robind FROM TO] ... [--ids BASE COUNT] [--userxattr] [--one-id] [--privileged] [--hermetic]\n"
    "    [--cgroup FILE] ... [--hostname NAME] -- ARGUMENT ...   makes a sandbox, and runs in it with the arguments\n"
    "supervisor --input --pid FILE --lower DIR --scratch DIR --at PATH [--ids BASE COUNT] [--userxattr]   shows DIR in a sandbox\n"
    "supervisor --probe --scratch DIR [--ids BASE COUNT]   prints whether this machine can make sandboxes in DIR\n"
    "supervisor --userns -- COMMAND ...   runs the command as root of a user namespace, if the user is not root\n"
    "supervisor --whiteouts [--userxattr] DIR   prepares an unpacked layer of an image for an overlay\n";

const char *why_no_user(int error) {
  unsigned outside;
  if (user_namespace_ids(&outside) != 1) return strerror(error);
  return "the machine has only root for its sandboxes; more users need the program newuidmap and a range in /etc/subuid";
}

static int enter(int argc, char **argv, int *status) {
  struct sandbox sandbox = {0};
  int first = options_read(&sandbox, argc, argv, 2);
  if (first < 0 || !sandbox.scratch || !sandbox.lowers.count) {
    *status = usage();
    return 0;
  }
  sandbox_enter(&sandbox);
  // The command line is for everyone in the sandbox to read, and paths of the machine are not theirs to know.
  for (int i = 1; i < first; i++) memset(argv[i], 0, strlen(argv[i]));
  return first;
}

static int start_probe(int argc, char **argv) {
  struct sandbox sandbox = {0};
  return options_read(&sandbox, argc, argv, 2) == argc && sandbox.scratch ? probe(&sandbox) : usage();
}

static int start_input(int argc, char **argv) {
  struct sandbox sandbox = {0};
  bool known = options_read(&sandbox, argc, argv, 2) == argc;
  return known && sandbox.keeper.pid && sandbox.lowers.count == 1 && sandbox.scratch && sandbox.at ? input_show(&sandbox) : usage();
}

int system_command(int argc, char **argv, int *status) {
  const char *command = argc > 1 ? argv[1] : "";
  if (strcmp(command, "--enter") == 0) return enter(argc, argv, status);
  if (strcmp(command, "--install") == 0 && argc == 3) *status = install(argv[2]);
  else if (strcmp(command, "--input") == 0) *status = start_input(argc, argv);
  else if (strcmp(command, "--probe") == 0) *status = start_probe(argc, argv);
  else if (strcmp(command, "--userns") == 0 && argc > 3 && strcmp(argv[2], "--") == 0) *status = user_namespace_run(argv + 3);
  else if (strcmp(command, "--whiteouts") == 0 && argc == 3) *status = whiteouts_convert(argv[2], false);
  else if (strcmp(command, "--whiteouts") == 0 && argc == 4 && strcmp(argv[2], "--userxattr") == 0) {
    *status = whiteouts_convert(argv[3], true);
  } else return 1;
  return 0;
}
