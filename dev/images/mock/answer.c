#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "actions.h"
#include "go-json.h"
#include "log.h"

void write_version(FILE *out, const char *version, const char *privileged) {
    fputs("{\"version\":", out);
    write_json_string(out, version);
    if (*privileged) {
        fputs(",\"privileged\":", out);
        write_json_string(out, privileged);
    }
    fputc('}', out);
}

static const char *member(const json_t *entry, const char *name) {
    const char *text = json_string_value(json_object_get(entry, name));
    return text ? text : "";
}

static void write_metadata(FILE *out, const json_t *metadata) {
    if (!metadata) {
        fputs("null", out);
        return;
    }
    fputc('[', out);
    for (size_t i = 0; i < json_array_size(metadata); i++) {
        const json_t *entry = json_array_get(metadata, i);
        fputs(i > 0 ? ",{\"name\":" : "{\"name\":", out);
        write_json_string(out, member(entry, "name"));
        fputs(",\"value\":", out);
        write_json_string(out, member(entry, "value"));
        fputc('}', out);
    }
    fputc(']', out);
}

void answer(const char *version, const char *privileged, const json_t *metadata) {
    fputs("{\"version\":", stdout);
    write_version(stdout, version, privileged);
    fputs(",\"metadata\":", stdout);
    write_metadata(stdout, metadata);
    fputs("}\n", stdout);
}
