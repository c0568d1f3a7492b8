#include "privileged.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

bool is_privileged(void) {
    FILE *map = fopen("/proc/self/uid_map", "re");
    if (!map) log_fatal("could not check privilege: %s", strerror(errno));
    bool found = false;
    unsigned long inside, outside, length;
    while (!found && fscanf(map, "%lu %lu %lu", &inside, &outside, &length) == 3) found = inside == 0 && outside == 0;
    fclose(map);
    return found;
}
