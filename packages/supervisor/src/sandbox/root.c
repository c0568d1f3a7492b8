#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLAIN (MS_NOSUID | MS_NODEV | MS_NOEXEC)

static const char *const DEVICES[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"};
#define DEVICE_COUNT (sizeof DEVICES / sizeof *DEVICES)
static const char *const FILES[] = {"/etc/resolv.conf", "/etc/hosts"};
#define FILE_COUNT (sizeof FILES / sizeof *FILES)

// All that the sandbox gets from the machine. It is taken before the sandbox's root is entered and placed afterwards, so
// that no link of an image leads out of the sandbox.
struct machine {
  int proc, sys, dev, devices[DEVICE_COUNT];
  struct cgroup_mounts cgroups;
  char *files[FILE_COUNT]; // NULL: not there
};

static char *text_of(const char *path) {
  struct buffer text = {0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  char bytes[4096];
  for (ssize_t count; (count = read(file, bytes, sizeof bytes)) > 0;) buffer_append(&text, bytes, (size_t)count);
  close(file);
  buffer_append(&text, "", 1);
  return (char *)buffer_bytes(&text);
}

// A network namespace of its own has a sysfs of its own. Else the machine's, read-only unless the step is privileged.
static int sys_take(const struct sandbox *s) {
  int sys = s->hermetic ? mount_fresh("sysfs") : -1;
  if (sys < 0) sys = mount_copy("/sys", true);
  if (!s->privileged) mount_make_read_only(sys, true, "/sys");
  return sys;
}

static struct machine machine_take(const struct sandbox *s) {
  struct machine m = {.dev = -1};
  m.proc = mount_fresh("proc");
  if (m.proc < 0) fail_with_advice(advice_for_user_namespaces(), "mount /proc");
  m.sys = sys_take(s);
  m.cgroups = cgroups_copy(s);
  if (s->privileged) m.dev = mount_copy("/dev", true);
  else for (size_t i = 0; i < DEVICE_COUNT; i++) m.devices[i] = mount_copy(DEVICES[i], false);
  for (size_t i = 0; i < FILE_COUNT; i++) m.files[i] = text_of(FILES[i]);
  return m;
}

// The place of a mount, with the directories above it.
static void place_make(const char *path, bool directory) {
  char *above = must_copy(path);
  for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(above, 0755); // a failure shows when the last one is made
    *slash = '/';
  }
  free(above);
  if (directory) {
    if (mkdir(path, 0755) != 0 && errno != EEXIST) fail("make %s of the sandbox", path);
    return;
  }
  int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
  if (file >= 0) close(file);
  else if (access(path, F_OK) != 0) fail("make %s of the sandbox", path);
}

static void attach_at(int fd, const char *path) {
  struct stat info;
  place_make(path, fstat(fd, &info) != 0 || S_ISDIR(info.st_mode));
  mount_attach(fd, path);
}

static void link_make(const char *to, const char *path) {
  if (symlink(to, path) != 0) fail("make %s of the sandbox", path);
}

static void devices_make(const struct machine *m) {
  mount_at("tmpfs", "/dev", MS_NOSUID, "mode=755,size=64k");
  for (size_t i = 0; i < DEVICE_COUNT; i++) attach_at(m->devices[i], DEVICES[i]);
  place_make("/dev/pts", true);
  place_make("/dev/shm", true);
  place_make("/dev/mqueue", true);
  link_make("pts/ptmx", "/dev/ptmx");
  link_make("/proc/self/fd", "/dev/fd");
  link_make("/proc/self/fd/0", "/dev/stdin");
  link_make("/proc/self/fd/1", "/dev/stdout");
  link_make("/proc/self/fd/2", "/dev/stderr");
}

static void dev_place(const struct sandbox *s, const struct machine *m) {
  place_make("/dev", true);
  if (s->privileged) mount_attach(m->dev, "/dev");
  else devices_make(m);
  // Group 5 is tty in most images. With one id there is no such group.
  mount_at("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC,
           s->one_id ? "newinstance,ptmxmode=0666,mode=0620" : "newinstance,ptmxmode=0666,mode=0620,gid=5");
  // The machine's own /dev may lack these two, and nothing is made in it.
  bool shm = mount_try("tmpfs", "/dev/shm", PLAIN, "mode=1777,size=65536k");
  if (!shm && !s->privileged) fail("mount /dev/shm of the sandbox");
  bool mqueue = mount_try("mqueue", "/dev/mqueue", PLAIN, NULL);
  if (!mqueue && !s->privileged) fail("mount /dev/mqueue of the sandbox");
}

static void files_write(const struct machine *m) {
  place_make("/etc", true);
  for (size_t i = 0; i < FILE_COUNT; i++) {
    if (!m->files[i]) continue;
    unlink(FILES[i]); // it may be a link
    int file = open(FILES[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    size_t length = strlen(m->files[i]);
    if (file < 0 || write(file, m->files[i], length) != (ssize_t)length) fail("write %s of the sandbox", FILES[i]);
    close(file);
  }
}

void root_enter(const struct sandbox *s, int root, const int *binds) {
  struct machine m = machine_take(s);
  mounts_pivot(root);
  umask(022);
  attach_at(m.proc, "/proc");
  attach_at(m.sys, "/sys");
  cgroups_attach(&m.cgroups, !s->privileged);
  dev_place(s, &m);
  if (mkdir("/tmp", 01777) == 0 && chmod("/tmp", 01777) != 0) fail("make /tmp of the sandbox");
  for (size_t i = 0; i < s->bind_count; i++) attach_at(binds[i], s->binds[i].to);
  files_write(&m);
}
