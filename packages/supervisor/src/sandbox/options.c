#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

static bool parse_number(const char *text, unsigned *number) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || value > 0xfffffffe) return false;
  *number = (unsigned)value;
  return true;
}

static bool add_bind(struct sandbox *s, const char *from, const char *to, bool read_only) {
  s->binds = must_grow(s->binds, (s->bind_count + 1) * sizeof *s->binds);
  s->binds[s->bind_count++] = (struct bind){from, to, read_only};
  return *from == '/' && *to == '/';
}

static bool *flag_of(struct sandbox *s, const char *name) {
  if (strcmp(name, "--userxattr") == 0) return &s->user_xattr;
  if (strcmp(name, "--one-id") == 0) return &s->one_id;
  if (strcmp(name, "--privileged") == 0) return &s->privileged;
  if (strcmp(name, "--hermetic") == 0) return &s->hermetic;
  return NULL;
}

static const char **path_of(struct sandbox *s, const char *name) {
  if (strcmp(name, "--scratch") == 0) return &s->scratch;
  if (strcmp(name, "--hostname") == 0) return &s->hostname;
  if (strcmp(name, "--at") == 0) return &s->at;
  return keeper_option(&s->keeper, name);
}

int options_read(struct sandbox *s, int argc, char **argv, int from) {
  for (int i = from; i < argc; i++) {
    const char *name = argv[i];
    int left = argc - i - 1;
    if (strcmp(name, "--") == 0) return i + 1;
    bool *flag = flag_of(s, name);
    const char **path = path_of(s, name);
    bool ok = true;
    if (flag) *flag = true;
    else if (left < 1) return -1;
    else if (path) *path = argv[++i];
    else if (strcmp(name, "--lower") == 0) strings_add(&s->lowers, argv[++i]);
    else if (strcmp(name, "--cgroup") == 0) strings_add(&s->cgroups, argv[++i]);
    else if (left < 2) return -1;
    else if (strcmp(name, "--bind") == 0) ok = add_bind(s, argv[i + 1], argv[i + 2], false), i += 2;
    else if (strcmp(name, "--robind") == 0) ok = add_bind(s, argv[i + 1], argv[i + 2], true), i += 2;
    else if (strcmp(name, "--ids") == 0) ok = parse_number(argv[i + 1], &s->id_base) && parse_number(argv[i + 2], &s->id_count), i += 2;
    else return -1;
    if (!ok) return -1;
  }
  return argc;
}
