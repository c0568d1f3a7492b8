#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// A read-only view of a directory of the image, with the ids of the namespace.
static int lower_open(const char *path, int userns) {
  if (userns < 0) {
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) fail("use the image's directory %s", path);
    return fd;
  }
  int fd = mount_copy(path, false);
  mount_map_ids(fd, userns, path);
  mount_make_read_only(fd, false, path);
  return fd;
}

// Short names without special characters: the options of a mount are one page, in which `,` and `:` separate.
static char *lowers_of(const struct sandbox *s, int userns) {
  char *all = NULL;
  for (size_t i = 0; i < s->lowers.count; i++) {
    char *longer = must_print("%s%s/proc/self/fd/%d", all ? all : "", all ? ":" : "", lower_open(s->lowers.items[i], userns));
    free(all);
    all = longer;
  }
  return all;
}

// The root directory has the owner and the mode of `upper`, whatever the lowers say. The ids of `upper` are not mapped:
// the mounter has none in the namespace, and overlayfs would silently become read-only.
void overlay_own(const struct sandbox *s, mode_t mode, uid_t uid, gid_t gid) {
  char *upper = must_print("%s/upper", s->scratch);
  if (s->id_count) {
    // An id that the namespace lacks is its root.
    uid = s->id_base + (uid < s->id_count ? uid : 0);
    gid = s->id_base + (gid < s->id_count ? gid : 0);
  }
  if (chown(upper, uid, gid) != 0) fail("give %s to the sandbox", upper);
  if (chmod(upper, mode) != 0) fail("use %s", upper);
  free(upper);
}

int overlay_make(const struct sandbox *s, int userns, const char *options) {
  int scratch = open(s->scratch, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (scratch < 0) fail("use %s", s->scratch);
  char *lowers = lowers_of(s, userns);
  // The old mount call: fsconfig takes no string over 255 bytes, and `lowerdir+` needs Linux 6.5.
  char *data = must_print("lowerdir=%s,upperdir=/proc/self/fd/%d/upper,workdir=/proc/self/fd/%d/work%s%s", lowers, scratch,
                          scratch, s->user_xattr ? ",userxattr" : "", options);
  if (strlen(data) >= (size_t)sysconf(_SC_PAGESIZE)) {
    errno = E2BIG;
    fail("make an overlay of %zu layers", s->lowers.count);
  }
  if (!mount_try("overlay", s->scratch, 0, data)) {
    fail_with_advice(advice_for_overlay(s->scratch), "make an overlay in %s", s->scratch);
  }
  struct statvfs info;
  if (statvfs(s->scratch, &info) != 0 || info.f_flag & ST_RDONLY) {
    errno = EROFS;
    fail_with_advice(advice_for_overlay(s->scratch), "write to an overlay in %s", s->scratch);
  }
  int root = mount_copy(s->scratch, false);
  mounts_detach(s->scratch);
  free(lowers);
  free(data);
  return root;
}
