/*
 * The mock resource type: one static program that is `check`, `in`, `out` or `printenv` by the name it is called.
 * The rules it follows are in ../SPEC.md.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#include "actions.h"
#include "log.h"
#include "printenv.h"

/* If the answer did not arrive, the program has failed. */
static int finish(int status) {
    if (fflush(stdout) != 0 || ferror(stdout)) log_fatal("failed to write to stdout: %s", strerror(errno));
    return status;
}

int main(int count, char **arguments) {
    log_start();
    const char *name = count > 0 ? basename(arguments[0]) : "";
    struct request request;
    if (strcmp(name, "printenv") == 0) return finish(printenv(count, arguments));
    if (strcmp(name, "check") == 0) {
        read_request(CHECK, &request);
        run_check(&request);
    } else if (strcmp(name, "in") == 0) {
        read_request(IN, &request);
        if (count < 2) log_fatal("destination path not specified");
        run_in(&request, arguments[1]);
    } else if (strcmp(name, "out") == 0) {
        read_request(OUT, &request);
        if (count < 2) log_fatal("source path not specified");
        run_out(&request, arguments[1]);
    } else {
        log_fatal("call this program as check, in, out or printenv, not as '%s'", name);
    }
    return finish(0);
}
