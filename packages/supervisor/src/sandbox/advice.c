#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

// The first number of a file, or -1.
static long number_in(const char *path) {
  char text[32] = {0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  return count > 0 ? strtol(text, NULL, 10) : -1;
}

const char *advice_for_user_namespaces(void) {
  int error = errno;
  const char *advice = NULL;
  if (number_in("/proc/sys/user/max_user_namespaces") == 0) {
    advice = "this machine allows no user namespaces; to allow them, type: sudo sysctl -w user.max_user_namespaces=15000";
  } else if (number_in("/proc/sys/kernel/unprivileged_userns_clone") == 0) {
    advice = "this machine allows user namespaces to root only; to allow them, type: "
             "sudo sysctl -w kernel.unprivileged_userns_clone=1";
  } else if (number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1) {
    advice = "AppArmor takes all rights from user namespaces; to allow them, type: "
             "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
  } else if (error == EPERM || error == EACCES) {
    advice = "a container engine or a security module may forbid it: this needs a machine, or a container with "
             "--security-opt seccomp=unconfined --security-opt systempaths=unconfined";
  }
  errno = error;
  return advice;
}

// The file systems that cannot hold the upper directory of an overlay, by the numbers of linux/magic.h.
static const char *unfit_file_system(const char *directory) {
  struct statfs info;
  if (statfs(directory, &info) != 0) return NULL;
  switch ((unsigned long)info.f_type & 0xffffffff) {
  case 0x794c7630: return "overlay";
  case 0x6969: return "nfs";
  case 0x4d44: return "vfat";
  case 0x65735546: return "fuse";
  case 0xff534d42: case 0xfe534d42: return "cifs";
  case 0x01021997: return "9p";
  default: return NULL;
  }
}

char *advice_for_overlay(const char *directory) {
  int error = errno;
  const char *type = unfit_file_system(directory);
  struct statvfs info;
  char *advice = NULL;
  if (type) {
    advice = must_print("the file system of %s is %s, which takes no overlay; choose a data directory on ext4, xfs or btrfs",
                        directory, type);
  } else if (error == ENODEV) {
    advice = must_print("the kernel has no overlay file system; type: sudo modprobe overlay");
  } else if (error == EROFS || (statvfs(directory, &info) == 0 && info.f_flag & ST_RDONLY)) {
    advice = must_print("the file system of %s is mounted read-only", directory);
  } else if (error == EPERM || error == EACCES) {
    const char *forbidden = advice_for_user_namespaces();
    if (forbidden) advice = must_copy(forbidden);
  }
  errno = error;
  return advice;
}
