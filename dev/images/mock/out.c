#include <stdlib.h>

#include "actions.h"
#include "files.h"
#include "log.h"
#include "privileged.h"

static const char *new_version(const struct put_params *params, const char *source) {
    if (*params->version) return params->version;
    if (!*params->file) return "";
    return read_trimmed(join_path(source, params->file));
}

void run_out(const struct request *request, const char *source) {
    if (*request->source.log) log_info("%s", request->source.log);

    const char *version = new_version(&request->put, source);
    if (!*version) log_fatal("no version specified");

    bool privileged = is_privileged();
    if (privileged) log_info("pushing in a privileged container");
    log_info("pushing version: %s", version);

    if (request->put.print_env) {
        extern char **environ;
        for (char **variable = environ; *variable; variable++) log_info("env: %s", *variable);
    }
    answer(version, privileged ? "true" : "", request->source.metadata);
}
