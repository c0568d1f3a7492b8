#include "supervisor.h"

#include <stdlib.h>
#include <string.h>

#define ROOT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define USER_PATH "/usr/local/bin:/usr/bin:/bin"

static size_t name_length(const char *variable) { return strcspn(variable, "="); }

static bool same_name(const char *a, const char *b) {
  return name_length(a) == name_length(b) && strncmp(a, b, name_length(a)) == 0;
}

const char *environment_get(char *const *environment, const char *name) {
  for (; environment && *environment; environment++) {
    if (same_name(*environment, name) && (*environment)[strlen(name)] == '=') return *environment + strlen(name) + 1;
  }
  return NULL;
}

// Of two variables with the same name, the later one counts.
static void set(struct strings *environment, const char *variable) {
  if (name_length(variable) == 0 || variable[name_length(variable)] != '=') return;
  for (size_t i = 0; i < environment->count; i++) {
    if (!same_name(environment->items[i], variable)) continue;
    free(environment->items[i]);
    environment->items[i] = must_copy(variable);
    return;
  }
  strings_add(environment, variable);
}

static void set_value(struct strings *environment, const char *name, const char *value) {
  char *variable = must_print("%s=%s", name, value);
  set(environment, variable);
  free(variable);
}

// The container runtime sets HOME to that of root, since the supervisor runs as root. Any other HOME was set by the
// image.
static bool home_is_of_the_image(char **inherited) {
  const char *home = environment_get(inherited, "HOME");
  struct account root;
  if (!home || account_find("0", &root) != NULL) return false;
  return strcmp(home, root.home) != 0 && strcmp(home, "/") != 0 && strcmp(home, "/root") != 0;
}

char **environment_of(char **inherited, const struct strings *asked, const char *user, const struct account *account) {
  struct strings environment = {0};
  bool keep_home = home_is_of_the_image(inherited);
  for (char **variable = inherited; *variable; variable++) {
    // Set by the cluster, not by the image.
    if (strncmp(*variable, "KUBERNETES_", 11) == 0) continue;
    if (!keep_home && same_name(*variable, "HOME")) continue;
    set(&environment, *variable);
  }
  for (size_t i = 0; i < asked->count; i++) set(&environment, asked->items[i]);
  if (!environment_get(environment.items, "PATH")) set_value(&environment, "PATH", account->uid ? USER_PATH : ROOT_PATH);
  if (!environment_get(environment.items, "HOME")) set_value(&environment, "HOME", account->home);
  if (account->name && (*user || !environment_get(environment.items, "USER"))) {
    set_value(&environment, "USER", account->name);
  } else if (!environment_get(environment.items, "USER")) {
    set_value(&environment, "USER", *user ? user : "root");
  }
  return environment.items;
}
