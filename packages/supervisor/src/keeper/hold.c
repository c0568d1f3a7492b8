#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int hold(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (file >= 0 && errno == EWOULDBLOCK) return EXIT_LOCKED;
    fprintf(stderr, "supervisor: cannot lock %s: %s\n", path, strerror(errno));
    return 1;
  }
  signal(SIGINT, SIG_IGN); // it is for the program that the lock is held for
  if (write(STDOUT_FILENO, "held\n", 5) != 5) return 1;
  char byte;
  ssize_t count;
  do count = read(STDIN_FILENO, &byte, 1);
  while (count > 0 || (count < 0 && errno == EINTR));
  return 0;
}
