#include "sandbox.h"

#include <stdio.h>

// The first one maps every id to itself.
bool is_initial_user_namespace(void) {
  unsigned inside = 1, outside = 1, count = 0;
  FILE *map = fopen("/proc/self/uid_map", "re");
  if (!map) return true; // a kernel without user namespaces
  bool read = fscanf(map, "%u %u %u", &inside, &outside, &count) == 3;
  fclose(map);
  return read && inside == 0 && outside == 0 && count == 4294967295u;
}
