#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

// Makes a sandbox that ends at once. Returns NULL, or why it cannot be made.
static char *why_not(const struct sandbox *s) {
  int words[2];
  if (pipe2(words, O_CLOEXEC) != 0) return must_print("cannot make a pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child == 0) {
    dup2(words[1], 2);
    sandbox_enter(s);
    _exit(0);
  }
  close(words[1]);
  struct buffer said = {0};
  char bytes[1024];
  for (ssize_t count; (count = read(words[0], bytes, sizeof bytes)) > 0;) buffer_append(&said, bytes, (size_t)count);
  close(words[0]);
  int status = 0;
  waitpid(child, &status, 0);
  buffer_append(&said, "", 1);
  char *text = (char *)buffer_bytes(&said);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return NULL;
  text[strcspn(text, "\n")] = 0;
  const char *prefix = "supervisor: ";
  if (!*text) return must_print("a sandbox ended with status %d", status);
  return must_copy(strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : text);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at) {
  (void)info, (void)kind, (void)at;
  return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

// Names the directory whose mount forbids programs.
static char *why_no_programs(const char *directory) {
  struct statvfs info;
  if (statvfs(directory, &info) != 0) return must_print("cannot use %s: %s", directory, strerror(errno));
  if (!(info.f_flag & ST_NOEXEC)) return NULL;
  return must_print("the file system of %s is mounted noexec, so no step can run in it; choose another data directory, or "
                    "type: sudo mount -o remount,exec \"$(findmnt -n -o TARGET -T '%s')\"", directory, directory);
}

static void print_json_string(const char *text) {
  struct buffer json = {0};
  append_json_string(&json, text);
  fwrite(buffer_bytes(&json), 1, buffer_length(&json), stdout);
  buffer_free(&json);
}

static void print_cgroup(const char *name, const char *directory, bool *any) {
  char *inside = must_print("%s/seaplane-probe-%d", directory, getpid());
  bool made = mkdir(inside, 0755) == 0;
  if (made && rmdir(inside) == 0) {
    printf("%s", *any ? "," : "");
    print_json_string(name);
    printf(":");
    print_json_string(directory);
    *any = true;
  }
  free(inside);
}

// The directories in which cgroups can be made, by controller; for version 2 the one directory, as `unified`.
static void print_cgroups(void) {
  printf("{");
  bool any = false;
  FILE *file = fopen("/proc/self/cgroup", "re");
  char *line = NULL;
  size_t capacity = 0;
  while (file && getline(&line, &capacity, file) > 0) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) continue;
    *path++ = 0;
    controllers++;
    if (strcmp(path, "/") == 0) path++;
    bool unified = !*controllers && is_cgroup_version_2();
    if (!unified && strcmp(controllers, "memory") != 0 && strcmp(controllers, "pids") != 0 && strncmp(controllers, "cpu", 3) != 0) continue;
    if (strncmp(controllers, "cpuset", 6) == 0 || strcmp(controllers, "cpuacct") == 0) continue;
    char *directory = unified ? must_print("/sys/fs/cgroup%s", path) : must_print("/sys/fs/cgroup/%s%s", controllers, path);
    print_cgroup(unified ? "unified" : strncmp(controllers, "cpu", 3) == 0 ? "cpu" : controllers, directory, &any);
    free(directory);
  }
  free(line);
  if (file) fclose(file);
  printf("}");
}

static int print_failure(const char *why) {
  printf("{\"works\":false,\"why\":");
  print_json_string(why);
  printf("}\n");
  return 1;
}

static char *try_in(const char *place, struct sandbox *s, char **why_no_empty_network) {
  char *lower = must_print("%s/lower", place), *upper = must_print("%s/upper", place), *work = must_print("%s/work", place);
  if (mkdir(lower, 0755) != 0 || mkdir(upper, 0755) != 0 || mkdir(work, 0755) != 0) {
    return must_print("cannot make directories in %s: %s", place, strerror(errno));
  }
  strings_add(&s->lowers, lower);
  s->scratch = place;
  s->hermetic = true;
  *why_no_empty_network = why_not(s);
  s->hermetic = false;
  return *why_no_empty_network ? why_not(s) : NULL;
}

int probe(const struct sandbox *asked) {
  unsigned outside;
  bool root_of_machine = is_initial_user_namespace();
  if (geteuid() != 0) return print_failure("this needs root, or a user namespace: supervisor --userns -- supervisor --probe ...");
  char *why = why_no_programs(asked->scratch);
  if (why) return print_failure(why);
  struct sandbox s = {.user_xattr = !root_of_machine, .one_id = user_namespace_ids(&outside) == 1};
  if (root_of_machine) s.id_base = asked->id_base, s.id_count = asked->id_count;
  char *place = must_print("%s/probe-XXXXXX", asked->scratch), *why_no_empty_network = NULL;
  if (!mkdtemp(place)) return print_failure(must_print("cannot write to %s: %s", asked->scratch, strerror(errno)));
  why = try_in(place, &s, &why_no_empty_network);
  nftw(place, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
  if (why) return print_failure(why);
  printf("{\"works\":true,\"privileged\":%s,\"userxattr\":%s,\"oneId\":%s,\"hermetic\":%s,\"cgroups\":",
         root_of_machine ? "true" : "false", s.user_xattr ? "true" : "false", s.one_id ? "true" : "false",
         why_no_empty_network ? "false" : "true");
  print_cgroups();
  printf("}\n");
  return 0;
}
