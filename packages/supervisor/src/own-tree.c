#include "supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int own_entries(int directory, uid_t uid, gid_t gid) {
  DIR *entries = fdopendir(directory); // takes over the descriptor
  if (!entries) {
    close(directory);
    return errno;
  }
  int error = 0;
  for (struct dirent *entry; !error && (errno = 0, entry = readdir(entries));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    // Never follow a link: it may lead anywhere.
    if (fchownat(directory, entry->d_name, uid, gid, AT_SYMLINK_NOFOLLOW) != 0) {
      error = errno == ENOENT ? 0 : errno;
      continue;
    }
    if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) continue;
    int below = openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (below >= 0) error = own_entries(below, uid, gid);
    else if (errno != ENOTDIR && errno != ELOOP && errno != ENOENT && errno != ENXIO) error = errno;
  }
  if (!error) error = errno;
  closedir(entries);
  return error;
}

int own_tree(const char *path, uid_t uid, gid_t gid) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return errno;
  if (fchown(directory, uid, gid) != 0) {
    int error = errno;
    close(directory);
    return error;
  }
  return own_entries(directory, uid, gid);
}
