// Of the headers about mounts only the kernel's is used: it and that of libc define the same names.
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AT_RECURSIVE 0x8000
#define MNT_DETACH 2

int mount_copy(const char *path, bool recursive) {
  int fd = (int)syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (recursive ? AT_RECURSIVE : 0));
  if (fd < 0) fail("use %s in the sandbox", path);
  return fd;
}

int mount_fresh(const char *type) {
  int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  if (context < 0 || syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0) return -1;
  int fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  int error = errno;
  close(context);
  errno = error;
  return fd;
}

static bool set_attributes(int fd, struct mount_attr attributes, bool recursive) {
  int flags = AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0);
  return syscall(SYS_mount_setattr, fd, "", flags, &attributes, sizeof attributes) == 0;
}

void mount_map_ids(int fd, int userns, const char *path) {
  if (userns < 0) return;
  struct mount_attr attributes = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (unsigned long long)userns};
  if (set_attributes(fd, attributes, false)) return;
  fail_with_advice(errno == EINVAL ? "its file system or this kernel maps no ids; Linux 5.19 or newer does for ext4, xfs and btrfs"
                                   : NULL, "map the ids of %s", path);
}

void mount_make_read_only(int fd, bool recursive, const char *path) {
  if (!set_attributes(fd, (struct mount_attr){.attr_set = MOUNT_ATTR_RDONLY}, recursive)) fail("make %s read-only", path);
}

void mount_attach(int fd, const char *path) {
  unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS;
  if (syscall(SYS_move_mount, fd, "", AT_FDCWD, path, flags) != 0) fail("mount on %s of the sandbox", path);
  close(fd);
}

void mount_attach_to(int fd, int directory, const char *path) {
  unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  if (syscall(SYS_move_mount, fd, "", directory, "", flags) != 0) fail("mount on %s of the sandbox", path);
}

bool mount_try(const char *type, const char *path, unsigned long flags, const char *data) {
  return syscall(SYS_mount, type, path, type, flags, data) == 0;
}

void mount_at(const char *type, const char *path, unsigned long flags, const char *data) {
  if (!mount_try(type, path, flags, data)) fail("mount a new %s on %s of the sandbox", type, path);
}

void mounts_leave_host(bool follow) {
  // A mount namespace that follows lets the host unmount its disks.
  unsigned long flags = MS_REC | (follow ? MS_SLAVE : MS_PRIVATE);
  if (syscall(SYS_mount, NULL, "/", NULL, flags, NULL) != 0) fail("keep mounts away from the host");
}

void mounts_pivot(int root) {
  // Any directory that every machine has: the old root is detached at once, so nothing is hidden for long.
  mount_attach(root, "/tmp");
  if (chdir("/tmp") != 0) fail("enter the root of the sandbox");
  if (syscall(SYS_pivot_root, ".", ".") != 0) fail("make the image the root of the sandbox");
  if (syscall(SYS_umount2, ".", MNT_DETACH) != 0) fail("leave the root of the machine");
  if (chdir("/") != 0) fail("enter the root of the sandbox");
}

void mounts_detach(const char *path) { syscall(SYS_umount2, path, MNT_DETACH); }
