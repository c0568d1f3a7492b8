#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Root of the machine, without a user namespace of its own, must not run a step that did not ask for it.
static void refuse_root_of_the_machine(const struct sandbox *s) {
  if (s->privileged || s->id_count || !is_initial_user_namespace()) return;
  fail_with_line("root of the machine needs --ids, or --privileged for a step that may do everything");
}

static void write_map(pid_t child, const char *name, const struct sandbox *s) {
  char *path = must_print("/proc/%d/%s", child, name), *map = must_print("0 %u %u\n", s->id_base, s->id_count);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, map, strlen(map)) < 0) fail("map the ids from %u of the sandbox", s->id_base);
  close(file);
  free(path);
  free(map);
}

// The user namespace of the child, with its ids. -1: it has none of its own.
static int userns_of(pid_t child, const struct sandbox *s) {
  if (!s->id_count) return -1;
  write_map(child, "uid_map", s);
  write_map(child, "gid_map", s);
  char *path = must_print("/proc/%d/ns/user", child);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("open the user namespace of the sandbox");
  free(path);
  return fd;
}

static int bind_open(const struct bind *bind, int userns) {
  // The machine's own directories are shown as they are, with everything mounted in them.
  int fd = mount_copy(bind->from, bind->read_only);
  if (bind->read_only) mount_make_read_only(fd, true, bind->from);
  else mount_map_ids(fd, userns, bind->from);
  return fd;
}

// Only the machine's root may map ids and use its files, so the keeper prepares all mounts.
static void prepare(const struct sandbox *s, pid_t child, int socket) {
  cgroups_join(s, child);
  int userns = userns_of(child, s);
  overlay_own(s, 0755, 0, 0);
  descriptor_send(socket, overlay_make(s, userns, ""));
  for (size_t i = 0; i < s->bind_count; i++) descriptor_send(socket, bind_open(&s->binds[i], userns));
}

static _Noreturn void keeper_main(const struct sandbox *s, pid_t child, int socket, const sigset_t *signals) {
  prctl(PR_SET_NAME, "seaplane-keeper");
  prepare(s, child, socket);
  struct buffer words = {0};
  char bytes[1024];
  for (ssize_t count; (count = read(socket, bytes, sizeof bytes)) > 0;) buffer_append(&words, bytes, (size_t)count);
  if (buffer_length(&words)) {
    buffer_append(&words, "", 1);
    waitpid(child, NULL, 0);
    fail_with_line((char *)buffer_bytes(&words));
  }
  keeper_close_rest(&s->keeper);
  keeper_report(&s->keeper, keeper_wait(child, signals));
}

static void become_root(void) {
  // With one id, groups cannot be set, and there is none but our own.
  if (setgroups(0, NULL) != 0 && errno != EPERM) fail("leave the groups of the machine");
  if (setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0) fail("become root of the sandbox");
}

// The kernel kills this process, and so the whole sandbox, when the keeper dies. A change of user would end that.
static void die_with_keeper(int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct pollfd peer = {.fd = socket, .events = 0};
  if (poll(&peer, 1, 0) == 1 && peer.revents & POLLHUP) _exit(EXIT_SANDBOX_FAILED);
}

static void child_enter(const struct sandbox *s, int socket) {
  failures_go_to(socket, NULL);
  int *binds = must_alloc((s->bind_count + 1) * sizeof *binds), root = descriptor_receive(socket);
  for (size_t i = 0; i < s->bind_count; i++) binds[i] = descriptor_receive(socket);
  if (root < 0 || (s->bind_count && binds[s->bind_count - 1] < 0)) _exit(EXIT_SANDBOX_FAILED);
  become_root();
  die_with_keeper(socket);
  setsid();
  // Only now: the keeper has moved this process into its cgroup.
  if (unshare(CLONE_NEWCGROUP) != 0) fail("make a cgroup namespace");
  mounts_leave_host(false);
  root_enter(s, root, binds);
  if (s->hostname && sethostname(s->hostname, strlen(s->hostname)) != 0) fail("set the host name %s", s->hostname);
  if (s->hermetic) network_make_empty();
  if (!s->privileged) {
    system_calls_forbid(); // needs a capability
    capabilities_drop();
  }
  free(binds);
  // Nothing of the machine stays open. The keeper learns by the end of the socket that the sandbox is made.
  failures_go_to(-1, NULL);
  keeper_close_rest(&s->keeper);
}

void sandbox_enter(const struct sandbox *s) {
  descriptors_close_from(3); // whatever the caller left open
  keeper_begin(&s->keeper);
  refuse_root_of_the_machine(s);
  sigset_t signals;
  keeper_block_signals(&signals);
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) fail("make a socket");
  if (unshare(CLONE_NEWNS) != 0) fail_with_advice(advice_for_user_namespaces(), "make a mount namespace");
  mounts_leave_host(true);
  int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | (s->id_count ? CLONE_NEWUSER : 0) | (s->hermetic ? CLONE_NEWNET : 0);
  pid_t child = (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (child < 0) fail_with_advice(advice_for_user_namespaces(), "make the namespaces of a sandbox");
  if (child > 0) {
    close(sockets[1]);
    keeper_main(s, child, sockets[0], &signals);
  }
  close(sockets[0]);
  child_enter(s, sockets[1]);
}
