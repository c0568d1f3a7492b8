#include "sandbox.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define HIERARCHIES "/sys/fs/cgroup"
#define CGROUP2_MAGIC 0x63677270

void cgroups_join(const struct sandbox *s, pid_t pid) {
  char *text = must_print("%d", pid);
  for (size_t i = 0; i < s->cgroups.count; i++) {
    int file = open(s->cgroups.items[i], O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, strlen(text)) < 0) fail("join the cgroup %s", s->cgroups.items[i]);
    close(file);
  }
  free(text);
}

bool is_cgroup_version_2(void) {
  struct statfs info;
  return statfs(HIERARCHIES, &info) == 0 && info.f_type == CGROUP2_MAGIC;
}

// The directory of a cgroup.procs file, and the name of its hierarchy: `memory` of /sys/fs/cgroup/memory/a/cgroup.procs.
// With version 2 there is only one, without a name. False if the file is elsewhere.
static bool split(const char *file, char **directory, char **hierarchy) {
  size_t prefix = strlen(HIERARCHIES "/");
  if (strncmp(file, HIERARCHIES "/", prefix) != 0) return false;
  *directory = must_print("%.*s", (int)(strrchr(file, '/') - file), file);
  *hierarchy = is_cgroup_version_2() ? must_copy("") : must_print("%.*s", (int)strcspn(file + prefix, "/"), file + prefix);
  return true;
}

struct cgroup_mounts cgroups_copy(const struct sandbox *s) {
  struct cgroup_mounts mounts = {.fds = must_alloc((s->cgroups.count + 1) * sizeof(int))};
  for (size_t i = 0; i < s->cgroups.count; i++) {
    char *directory, *hierarchy;
    if (!split(s->cgroups.items[i], &directory, &hierarchy)) continue;
    mounts.fds[mounts.names.count] = mount_copy(directory, false);
    strings_add(&mounts.names, hierarchy);
    free(directory);
    free(hierarchy);
  }
  return mounts;
}

void cgroups_attach(const struct cgroup_mounts *mounts, bool read_only) {
  bool named = mounts->names.count > 0 && *mounts->names.items[0];
  if (named) mount_at("tmpfs", HIERARCHIES, MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755,size=64k");
  for (size_t i = 0; i < mounts->names.count; i++) {
    char *path = must_print(HIERARCHIES "/%s", mounts->names.items[i]);
    if (named && mkdir(path, 0755) != 0) fail("make %s of the sandbox", path);
    if (read_only) mount_make_read_only(mounts->fds[i], false, path);
    mount_attach(mounts->fds[i], path);
    free(path);
  }
}
