#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "actions.h"
#include "go-duration.h"
#include "log.h"
#include "privileged.h"

static void sleep_for(const char *duration) {
    double seconds;
    if (!parse_duration(duration, &seconds)) log_fatal("malformed check_delay duration: %s", duration);
    if (seconds <= 0) return;
    struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
    while (nanosleep(&left, &left) < 0) continue;
}

static const char *initial_version(const struct source *source) {
    const char *mirrored = getenv("MIRRORED_VERSION");
    if (*source->initial_version) return source->initial_version;
    return mirrored && *mirrored ? mirrored : "mock";
}

void run_check(const struct request *request) {
    const struct source *source = &request->source;
    if (*source->log) log_info("%s", source->log);
    if (*source->check_delay) sleep_for(source->check_delay);
    if (*source->check_failure) log_fatal("intentionally failing to check: %s", source->check_failure);

    const char *privileged = is_privileged() ? "true" : "";
    fputc('[', stdout);
    if (*source->force_version) {
        write_version(stdout, source->force_version, privileged);
    } else if (request->version.present) {
        const char *echoed = *privileged ? privileged : request->version.privileged;
        write_version(stdout, request->version.version, echoed);
    } else if (!source->no_initial_version) {
        write_version(stdout, initial_version(source), privileged);
    }
    fputs("]\n", stdout);
}
