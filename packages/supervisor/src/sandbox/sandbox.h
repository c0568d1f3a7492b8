// A sandbox of its own for the supervisor, on a machine without Kubernetes. The rules are in SPEC.md; each file is one part.
#pragma once

#include "../keeper/keeper.h"

// A directory or file of the machine at a path of the sandbox.
struct bind {
  const char *from, *to;
  bool read_only;
};

struct sandbox {
  struct strings lowers; // directories of the image, the top one first
  const char *scratch;   // has upper/ and work/
  struct bind *binds;
  size_t bind_count;
  unsigned id_base, id_count; // count 0: no user namespace of its own
  bool user_xattr, one_id, privileged, hermetic;
  struct strings cgroups; // cgroup.procs files to join
  struct keeper keeper;
  const char *hostname;
  const char *at; // where an input goes in the sandbox
};

// options.c: reads options up to `--` or the end. Returns the index behind them, or -1 if one of them is not known or
// lacks its value.
int options_read(struct sandbox *s, int argc, char **argv, int from);

// enter.c: makes the sandbox. Returns in it, as PID 1. The calling process stays outside as its keeper and never returns.
void sandbox_enter(const struct sandbox *s);

// advice.c: the line to type when the machine forbids something; NULL if nothing is known. Keeps errno.
const char *advice_for_user_namespaces(void);
char *advice_for_overlay(const char *directory);

// descriptors.c: descriptors go from the keeper to the child over a socket, one message each.
void descriptor_send(int socket, int fd);
int descriptor_receive(int socket);

// mounts.c: the mount calls of Linux. They fail with words where nothing else is said.
// A detached copy of what is mounted at a path.
int mount_copy(const char *path, bool recursive);
// A new file system, detached. -1, with errno, on failure.
int mount_fresh(const char *type);
void mount_map_ids(int fd, int userns, const char *path);
void mount_make_read_only(int fd, bool recursive, const char *path);
// Closes fd.
void mount_attach(int fd, const char *path);
void mount_at(const char *type, const char *path, unsigned long flags, const char *data);
bool mount_try(const char *type, const char *path, unsigned long flags, const char *data);
// The same on a directory that is open; no link is followed.
void mount_attach_to(int fd, int directory, const char *path);
void mounts_detach(const char *path);
// No mount of this namespace reaches the host. `follow`: those of the host still reach this namespace.
void mounts_leave_host(bool follow);
// Makes the detached mount the root, and leaves the old one.
void mounts_pivot(int root);

// user-namespace.c: that of an ordinary user, in which the user is root.
bool is_initial_user_namespace(void);
// How many ids this namespace has, and which id of the machine is its root.
unsigned user_namespace_ids(unsigned *outside);
// Enters a namespace with the ids that newuidmap gives to this user, else with the user's own alone. Nothing for root.
void user_namespace_enter(void);
// The same, then runs the command. Returns if the command cannot be run.
int user_namespace_run(char **command);

// overlay.c: gives the root directory of the overlay an owner and a mode.
void overlay_own(const struct sandbox *s, mode_t mode, uid_t uid, gid_t gid);
// The overlay as a detached mount. `userns` is -1 or maps the ids of the lowers. `options`: more of the mount's, or "".
int overlay_make(const struct sandbox *s, int userns, const char *options);

// input.c: shows a directory in a sandbox that lives, under an overlay of its own. Returns the exit status.
int input_show(const struct sandbox *s);

// root.c: fills the sandbox with /proc, /dev, /sys, volumes and files of the machine, and moves into it.
void root_enter(const struct sandbox *s, int root, const int *binds);

// cgroups.c
void cgroups_join(const struct sandbox *s, pid_t pid);
// The sandbox's own cgroups, as detached mounts, and the places in /sys/fs/cgroup where they belong.
struct cgroup_mounts {
  struct strings names; // "" is /sys/fs/cgroup itself
  int *fds;
};
bool is_cgroup_version_2(void);
struct cgroup_mounts cgroups_copy(const struct sandbox *s);
void cgroups_attach(const struct cgroup_mounts *mounts, bool read_only);

// network.c: an empty network: only the loopback interface, and everything else is dropped without an answer.
void network_make_empty(void);

// whiteouts.c: prepares an unpacked layer for an overlay. Returns the exit status.
int whiteouts_convert(const char *path, bool user_xattr);

// probe.c: prints as JSON whether this machine can make sandboxes in the directory --scratch. Returns the exit status.
int probe(const struct sandbox *asked);

// system-calls.c
void system_calls_forbid(void);

// privileges.c: the capabilities that container engines give by default, and no more.
void capabilities_drop(void);
