#include "printenv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int printenv(int count, char **arguments) {
    extern char **environ;
    char end = '\n';
    int first = 1;
    if (count > 1 && (strcmp(arguments[1], "-0") == 0 || strcmp(arguments[1], "--null") == 0)) {
        end = '\0';
        first = 2;
    }
    if (first == count) {
        for (char **variable = environ; *variable; variable++) printf("%s%c", *variable, end);
        return 0;
    }
    int status = 0;
    for (int i = first; i < count; i++) {
        const char *value = getenv(arguments[i]);
        if (value) printf("%s%c", value, end);
        else status = 1;
    }
    return status;
}
