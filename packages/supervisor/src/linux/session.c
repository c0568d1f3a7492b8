#include "../supervisor.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The session of a process: the sixth field of its stat. The second may hold any bytes, and ends with the last `)`.
static pid_t session_of(pid_t pid) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return -1;
  text[count] = 0;
  const char *rest = strrchr(text, ')');
  int session;
  return rest && sscanf(rest + 1, " %*c %*d %*d %d", &session) == 1 ? session : -1;
}

void session_signal(pid_t leader, int signal) {
  kill(-leader, signal);
  DIR *processes = opendir("/proc");
  if (!processes) return;
  for (struct dirent *entry; (entry = readdir(processes));) {
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid > 1 && session_of(pid) == leader) kill(pid, signal);
  }
  closedir(processes);
}
