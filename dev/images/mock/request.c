#include "request.h"

#include <stdio.h>
#include <string.h>

#include "log.h"

enum kind { STRING, BOOLEAN, OBJECT, ARRAY, NESTED };

struct field {
    const char *name;
    enum kind kind;
    void *into; /* const char **, bool *, json_t **; a NESTED one has a decoder instead */
    void (*nested)(const char *path, json_t *value, void *into);
};

static const char *type_name(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a string";
    case JSON_TRUE:
    case JSON_FALSE: return "a boolean";
    case JSON_NULL: return "null";
    default: return "a number";
    }
}

__attribute__((noreturn)) static void wrong_type(const char *path, const char *wanted, const json_t *value) {
    log_fatal("invalid payload: %s must be %s, not %s", path, wanted, type_name(value));
}

static void decode_field(const char *path, json_t *value, const struct field *field) {
    if (json_is_null(value)) return; /* the same as leaving it out */
    switch (field->kind) {
    case STRING:
        if (!json_is_string(value)) wrong_type(path, "a string", value);
        *(const char **)field->into = json_string_value(value);
        return;
    case BOOLEAN:
        if (!json_is_boolean(value)) wrong_type(path, "a boolean", value);
        *(bool *)field->into = json_is_true(value);
        return;
    case OBJECT:
        if (!json_is_object(value)) wrong_type(path, "an object", value);
        *(json_t **)field->into = value;
        return;
    case ARRAY:
        if (!json_is_array(value)) wrong_type(path, "an array", value);
        *(json_t **)field->into = value;
        return;
    case NESTED: field->nested(path, value, field->into); return;
    }
}

/* `fields` ends with one that has no name. */
static void decode(const char *path, json_t *value, const struct field *fields) {
    if (!json_is_object(value)) wrong_type(path, "an object", value);
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member) {
        const struct field *field = fields;
        while (field->name && strcmp(field->name, key) != 0) field++;
        if (!field->name) log_fatal("invalid payload: unknown field \"%s\" in %s", key, path);
        char member_path[256];
        snprintf(member_path, sizeof member_path, "%s.%s", path, key);
        decode_field(member_path, member, field);
    }
}

static void check_metadata(const json_t *metadata) {
    size_t index;
    json_t *entry;
    json_array_foreach(metadata, index, entry) {
        const char *ignored;
        const struct field fields[] = {{"name", STRING, &ignored, NULL}, {"value", STRING, &ignored, NULL}, {0}};
        if (!json_is_null(entry)) decode("source.metadata[]", entry, fields);
    }
}

static void decode_source(const char *path, json_t *value, void *into) {
    struct source *source = into;
    const struct field fields[] = {
        {"mirror_self", BOOLEAN, &source->mirror_self, NULL},
        {"no_initial_version", BOOLEAN, &source->no_initial_version, NULL},
        {"initial_version", STRING, &source->initial_version, NULL},
        {"force_version", STRING, &source->force_version, NULL},
        {"check_delay", STRING, &source->check_delay, NULL},
        {"check_failure", STRING, &source->check_failure, NULL},
        {"log", STRING, &source->log, NULL},
        {"create_files", OBJECT, &source->create_files, NULL},
        {"metadata", ARRAY, &source->metadata, NULL},
        {0},
    };
    decode(path, value, fields);
    check_metadata(source->metadata);
}

static void decode_version(const char *path, json_t *value, void *into) {
    struct version *version = into;
    const struct field fields[] = {
        {"version", STRING, &version->version, NULL}, {"privileged", STRING, &version->privileged, NULL}, {0}};
    decode(path, value, fields);
    version->present = true;
}

static void decode_get_params(const char *path, json_t *value, void *into) {
    struct get_params *params = into;
    const struct field fields[] = {{"mirror_self_via_params", BOOLEAN, &params->mirror_self, NULL},
                                   {"create_files_via_params", OBJECT, &params->create_files, NULL},
                                   {0}};
    decode(path, value, fields);
}

static void decode_put_params(const char *path, json_t *value, void *into) {
    struct put_params *params = into;
    const struct field fields[] = {{"version", STRING, &params->version, NULL},
                                   {"file", STRING, &params->file, NULL},
                                   {"print_env", BOOLEAN, &params->print_env, NULL},
                                   {0}};
    decode(path, value, fields);
}

void read_request(enum action action, struct request *request) {
    *request = (struct request){
        .source = {.initial_version = "", .force_version = "", .check_delay = "", .check_failure = "", .log = ""},
        .version = {.version = "", .privileged = ""},
        .put = {.version = "", .file = ""},
    };
    json_error_t error;
    /* Whole numbers are read as doubles, as Go does for a value of no declared type. */
    json_t *payload = json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);
    if (!payload) log_fatal("invalid payload: %s (line %d, column %d)", error.text, error.line, error.column);
    if (json_is_null(payload)) return;
    const struct field params = action == IN    ? (struct field){"params", NESTED, &request->get, decode_get_params}
                                : action == OUT ? (struct field){"params", NESTED, &request->put, decode_put_params}
                                                : (struct field){0};
    const struct field fields[] = {{"source", NESTED, &request->source, decode_source},
                                   {"version", NESTED, &request->version, decode_version},
                                   params,
                                   {0}};
    decode("request", payload, fields);
}
