// The accounts of the image. libc cannot read them here: it loads name service modules, which a static program cannot.
// The rules are those of container runtimes: https://github.com/moby/sys/tree/main/user
#include "supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSWD "/etc/passwd"
#define GROUP "/etc/group"

// Splits a line at its colons, in place. Missing fields are empty.
static void split(char *line, char *fields[], size_t count) {
  line[strcspn(line, "\r\n")] = 0;
  for (size_t i = 0; i < count; i++) {
    fields[i] = line;
    char *colon = i + 1 < count ? strchr(line, ':') : NULL;
    if (colon) *colon = 0;
    line = colon ? colon + 1 : line + strlen(line);
  }
}

static bool parse_id(const char *text, unsigned *id) {
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || number > 0x7fffffff) return false;
  *id = (unsigned)number;
  return true;
}

// Finds the first entry of the file with this name or number, and sets `id` to its number.
static bool find_entry(const char *path, const char *wanted, size_t field_count, char **line, char *fields[]) {
  unsigned wanted_id = 0, id;
  bool by_id = parse_id(wanted, &wanted_id);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  size_t capacity = 0;
  bool found = false;
  while (!found && getline(line, &capacity, file) > 0) {
    split(*line, fields, field_count);
    if (!parse_id(fields[2], &id)) continue;
    found = by_id ? id == wanted_id : strcmp(fields[0], wanted) == 0;
  }
  fclose(file);
  return found;
}

static bool lists(const char *members, const char *name) {
  size_t length = strlen(name);
  for (const char *at = members; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
    if (strcspn(at, ",") == length && strncmp(at, name, length) == 0) return true;
  }
  return false;
}

static void find_supplementary_groups(struct account *account) {
  FILE *file = fopen(GROUP, "re");
  if (!file) return;
  char *line = NULL, *fields[4];
  size_t capacity = 0;
  while (getline(&line, &capacity, file) > 0) {
    unsigned gid;
    split(line, fields, 4);
    if (!parse_id(fields[2], &gid) || !lists(fields[3], account->name)) continue;
    account->groups = must_grow(account->groups, (account->group_count + 1) * sizeof *account->groups);
    account->groups[account->group_count++] = gid;
  }
  free(line);
  fclose(file);
}

static char *find_group(const char *wanted, struct account *account) {
  char *line = NULL, *fields[4], *problem = NULL;
  if (find_entry(GROUP, wanted, 4, &line, fields)) parse_id(fields[2], &account->gid);
  else if (!parse_id(wanted, &account->gid)) problem = must_print("no group \"%s\" in the image's " GROUP, wanted);
  free(line);
  return problem;
}

char *account_find(const char *spec, struct account *account) {
  *account = (struct account){0};
  char *user = must_copy(*spec ? spec : "0"), *problem = NULL;
  char *group = strchr(user, ':');
  if (group) *group++ = 0;

  char *line = NULL, *fields[7];
  if (find_entry(PASSWD, user, 7, &line, fields)) {
    parse_id(fields[2], &account->uid);
    parse_id(fields[3], &account->gid);
    account->name = must_copy(fields[0]);
    account->home = must_copy(*fields[5] ? fields[5] : "/");
  } else if (strcmp(user, "root") != 0 && !parse_id(user, &account->uid)) { // an image may have no accounts
    problem = must_print("no user \"%s\" in the image's " PASSWD, user);
  }
  if (!account->home) account->home = must_copy("/");
  if (!problem && group && *group) problem = find_group(group, account);
  else if (!problem && account->name) find_supplementary_groups(account);
  free(line);
  free(user);
  return problem;
}
