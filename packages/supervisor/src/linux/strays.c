#include "../supervisor.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PASSES 100

struct kin {
  pid_t pid, parent;
  bool stray, zombie;
};

// The fields of a stat after the name, which may hold any bytes and ends with the last `)`: state, parent.
static bool read_kin(pid_t pid, struct kin *kin) {
  char path[64], text[1024], state;
  int parent;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return false;
  text[count] = 0;
  const char *rest = strrchr(text, ')');
  if (!rest || sscanf(rest + 1, " %c %d", &state, &parent) != 2) return false;
  *kin = (struct kin){.pid = pid, .parent = parent, .zombie = state == 'Z' || state == 'X'};
  return true;
}

static struct kin *read_all(size_t *count) {
  struct kin *all = NULL;
  DIR *entries = opendir("/proc");
  *count = 0;
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    all = must_grow(all, (*count + 1) * sizeof *all);
    if (pid > 0 && read_kin(pid, all + *count)) (*count)++;
  }
  if (entries) closedir(entries);
  return all;
}

static bool is_kept(const struct supervisor *s, pid_t pid) {
  for (struct process *p = s->processes; p; p = p->next) {
    if (p->state != ENDED && p->minder == pid) return true;
  }
  return false;
}

// Kills what it finds in one look. False when there was nothing to kill.
static bool kill_once(const struct supervisor *s) {
  size_t count;
  struct kin *all = read_all(&count);
  pid_t self = getpid();
  for (size_t i = 0; i < count; i++) all[i].stray = all[i].parent == self && !is_kept(s, all[i].pid);
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < count; i++) {
      for (size_t j = 0; !all[i].stray && j < count; j++) {
        if (all[j].stray && all[i].parent == all[j].pid) all[i].stray = more = true;
      }
    }
  }
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    if (all[i].stray && !all[i].zombie && kill(all[i].pid, SIGKILL) == 0) any = true;
  }
  free(all);
  return any;
}

void strays_kill(const struct supervisor *s) {
  // A process may fork while it is being looked for. Its children are found by the next look.
  for (int i = 0; i < PASSES && kill_once(s); i++) continue;
}
