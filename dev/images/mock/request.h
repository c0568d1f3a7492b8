#ifndef MOCK_REQUEST_H
#define MOCK_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

/* What Concourse hands a resource script on stdin. A string that is absent or null is "", an object is NULL. */

struct version {
    bool present;
    const char *version;
    const char *privileged;
};

struct source {
    bool mirror_self;
    bool no_initial_version;
    const char *initial_version;
    const char *force_version;
    const char *check_delay;
    const char *check_failure;
    const char *log;
    json_t *create_files; /* path -> any value */
    json_t *metadata;     /* array of {name, value} */
};

struct get_params {
    bool mirror_self;
    json_t *create_files;
};

struct put_params {
    const char *version;
    const char *file;
    bool print_env;
};

struct request {
    struct source source;
    struct version version;
    struct get_params get; /* only `in` reads these */
    struct put_params put; /* only `out` reads these */
};

enum action { CHECK, IN, OUT };

/* Reads the first JSON value on stdin. Unknown fields, wrong types and broken JSON are fatal, at every level. */
void read_request(enum action action, struct request *request);

#endif
