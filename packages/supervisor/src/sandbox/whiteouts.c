// A layer of an image marks a deleted file by `.wh.NAME`, and a directory that hides the one below by `.wh..wh..opq`.
// The kernel's overlay wants a device 0:0 and an attribute instead.
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MARK ".wh."
#define OPAQUE ".wh..wh..opq"

static int make_opaque(int directory, const char *attribute) {
  return fsetxattr(directory, attribute, "y", 1, 0) == 0 ? 0 : errno;
}

static int open_directory(int parent, const char *name) {
  return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

// The layer may have a file of its own with the name of a deleted one. A file hides what is below by itself.
static int hide(int directory, const char *name, const char *attribute) {
  if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return EINVAL;
  if (mknodat(directory, name, S_IFCHR, makedev(0, 0)) == 0) return 0;
  if (errno != EEXIST) return errno;
  int own = open_directory(directory, name);
  if (own < 0) return errno == ENOTDIR || errno == ELOOP || errno == ENXIO ? 0 : errno;
  int error = make_opaque(own, attribute);
  close(own);
  return error;
}

static int convert_mark(int directory, const char *name, const char *attribute) {
  if (unlinkat(directory, name, 0) != 0) return errno;
  if (strcmp(name, OPAQUE) == 0) return make_opaque(directory, attribute);
  const char *hidden = name + strlen(MARK);
  // Other names of this form are the bookkeeping of an older file system.
  return strncmp(hidden, MARK, strlen(MARK)) == 0 ? 0 : hide(directory, hidden, attribute);
}

static int convert(int directory, const char *attribute) {
  DIR *entries = fdopendir(directory); // takes over the descriptor
  if (!entries) {
    int error = errno;
    close(directory);
    return error;
  }
  struct strings marks = {0};
  int error = 0;
  for (struct dirent *entry; !error && (errno = 0, entry = readdir(entries));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    int below = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN ? open_directory(directory, entry->d_name) : -1;
    if (below >= 0) error = convert(below, attribute);
    else if (entry->d_type == DT_DIR) error = errno;
    else if (strncmp(entry->d_name, MARK, strlen(MARK)) == 0) strings_add(&marks, entry->d_name);
    errno = 0;
  }
  if (!error) error = errno;
  for (size_t i = 0; !error && i < marks.count; i++) error = convert_mark(directory, marks.items[i], attribute);
  strings_free(&marks);
  closedir(entries);
  return error;
}

int whiteouts_convert(const char *path, bool user_xattr) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int error = directory < 0 ? errno : convert(directory, user_xattr ? "user.overlay.opaque" : "trusted.overlay.opaque");
  if (!error) return 0;
  fprintf(stderr, "supervisor: cannot prepare the layer %s for an overlay: %s\n", path, strerror(error));
  return 1;
}
