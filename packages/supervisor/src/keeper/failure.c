#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int words_to = -1;
static const char *over_file = NULL;

void failures_go_to(int socket, const char *over) {
  words_to = socket;
  over_file = over;
}

bool write_whole(const char *path, const char *text) {
  char *partial = must_print("%s.partial", path);
  int file = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  size_t length = strlen(text);
  bool ok = file >= 0 && write(file, text, length) == (ssize_t)length;
  int error = errno;
  if (file >= 0) close(file);
  errno = error;
  ok = ok && rename(partial, path) == 0;
  free(partial);
  return ok;
}

void over_write(const char *path, const char *line) {
  char *text = must_print("%s\n", line);
  if (path && !write_whole(path, text)) fprintf(stderr, "supervisor: cannot write %s: %s\n", path, strerror(errno));
  free(text);
}

void fail_with_line(const char *line) {
  // The keeper writes it, if it is there: the child can reach neither the file nor, in some cases, stderr.
  if (words_to >= 0) {
    if (write(words_to, line, strlen(line)) < 0) _exit(EXIT_SANDBOX_FAILED);
    _exit(EXIT_SANDBOX_FAILED);
  }
  fprintf(stderr, "supervisor: %s\n", line);
  over_write(over_file, line);
  _exit(EXIT_SANDBOX_FAILED);
}

void fail_with_advice(const char *advice, const char *format, ...) {
  const char *why = strerror(errno);
  va_list args;
  va_start(args, format);
  char *what;
  if (vasprintf(&what, format, args) < 0) abort();
  va_end(args);
  fail_with_line(must_print("cannot %s: %s%s%s", what, why, advice ? "; " : "", advice ? advice : ""));
}
