/*
 * hello [--sleep SECONDS] [--exit CODE] [ANYTHING...]
 *
 * Prints one line with its user and its arguments, sleeps if asked to, and exits with the code given, or 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments) {
    int code = 0;
    unsigned int seconds = 0;
    printf("hello from scratch, uid=%d gid=%d args=[", getuid(), getgid());
    for (int i = 1; i < count; i++) {
        printf("%s%s", i > 1 ? " " : "", arguments[i]);
        if (strcmp(arguments[i], "--exit") == 0 && i + 1 < count) code = atoi(arguments[i + 1]);
        if (strcmp(arguments[i], "--sleep") == 0 && i + 1 < count) seconds = (unsigned int)atoi(arguments[i + 1]);
    }
    printf("]\n");
    fflush(stdout);
    while (seconds > 0) seconds = sleep(seconds);
    return code;
}
