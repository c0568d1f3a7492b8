#include "supervisor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The container's own memory cgroup, as a runtime mounts it: version 2, then version 1.
static const char *const KILLS[] = {"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"};
static const char *const LIMITS[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};

// A limit above this is none: version 1 writes its largest number for "no limit".
#define NO_LIMIT (1LL << 60)

// Reads the first file that there is. False if there is none.
static bool read_first(const char *const paths[2], char text[512]) {
  for (int i = 0; i < 2; i++) {
    int file = open(paths[i], O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    ssize_t length = read(file, text, 511);
    close(file);
    if (length <= 0) continue;
    text[length] = '\0';
    return true;
  }
  return false;
}

int64_t memory_kills(void) {
  char text[512];
  if (!read_first(KILLS, text)) return 0;
  char *at = strstr(text, "oom_kill ");
  return at ? strtoll(at + strlen("oom_kill "), NULL, 10) : 0;
}

int64_t memory_limit(void) {
  char text[512];
  if (!read_first(LIMITS, text)) return 0;
  int64_t limit = strtoll(text, NULL, 10); // "max" is 0
  return limit < NO_LIMIT ? limit : 0;
}
