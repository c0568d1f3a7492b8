#include "keeper/keeper.h"

#include <stdio.h>
#include <string.h>

int usage(void) {
  fprintf(stderr,
          "supervisor [--socket PATH] [--records DIR] [--output DIR]\n"
          "supervisor --plain --build DIR [--lock FILE] [--pid FILE] [--over FILE] -- ARGUMENT ...\n"
          "    runs with the arguments; processes are plain processes of this user, without isolation, and work in DIR\n"
          "supervisor --hold FILE   locks the file until its standard input ends\n%s", system_usage);
  return 2;
}

static int start_plain(struct supervisor *s, int argc, char **argv, int *status) {
  static struct plain plain;
  struct keeper keeper = {0};
  int i = 2;
  for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
    const char **option = strcmp(argv[i], "--build") == 0 ? &plain.build : keeper_option(&keeper, argv[i]);
    if (!option) break;
    *option = argv[i + 1];
  }
  if (i >= argc || strcmp(argv[i], "--") != 0 || !plain.build) {
    *status = usage();
    return 0;
  }
  plain_enter(&plain, &keeper);
  s->plain = &plain;
  return i + 1;
}

int command_run(struct supervisor *s, int argc, char **argv, int *status) {
  const char *command = argc > 1 ? argv[1] : "";
  if (strcmp(command, "--plain") == 0) return start_plain(s, argc, argv, status);
  if (strcmp(command, "--hold") != 0 || argc != 3) return system_command(argc, argv, status);
  *status = hold(argv[2]);
  return 0;
}
