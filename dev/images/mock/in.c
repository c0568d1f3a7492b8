#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actions.h"
#include "files.h"
#include "go-json.h"
#include "log.h"
#include "mirror.h"
#include "privileged.h"

static void write_text(const char *destination, const char *name, const char *text, mode_t mode) {
    char *path = join_path(destination, name);
    write_file(path, text, strlen(text), mode);
    free(path);
}

/* A marker instead of the parentheses lets a pipeline hold a file with variables that it does not fill in itself. */
static void write_unmarked(FILE *out, const char *text) {
    while (*text) {
        if (strncmp(text, "START_VAR", 9) == 0) {
            fputs("((", out);
            text += 9;
        } else if (strncmp(text, "END_VAR", 7) == 0) {
            fputs("))", out);
            text += 7;
        } else {
            fputc(*text++, out);
        }
    }
}

/* Strings are written as they are, anything else as JSON. */
static char *content_of(const json_t *value) {
    char *raw, *text;
    size_t size;
    FILE *out = open_memstream(&raw, &size);
    if (!out) abort();
    if (json_is_string(value)) fputs(json_string_value(value), out);
    else write_json(out, value);
    fclose(out);
    out = open_memstream(&text, &size);
    if (!out) abort();
    write_unmarked(out, raw);
    fclose(out);
    free(raw);
    return text;
}

static void create_files(const char *destination, json_t *files) {
    const char *name;
    json_t *value;
    json_object_foreach(files, name, value) {
        char *path = join_path(destination, name);
        char *parent = strdup(path);
        if (!parent) abort();
        make_directories(dirname(parent), 0755);
        char *text = content_of(value);
        write_file(path, text, strlen(text), 0644);
        free(text);
        free(parent);
        free(path);
    }
}

void run_in(const struct request *request, const char *destination) {
    const struct source *source = &request->source;
    const char *version = request->version.version;
    if (*source->log) log_info("%s", source->log);

    bool privileged = is_privileged();
    if (privileged) log_info("fetching in a privileged container");
    write_text(destination, "privileged", privileged ? "true\n" : "false\n", 0666);

    log_info("fetching version: %s", version);
    char *line;
    if (asprintf(&line, "%s\n", version) < 0) abort();
    write_text(destination, "version", line, 0777);
    free(line);

    if (source->mirror_self || request->get.mirror_self) {
        log_info_with("mirroring self image", "via_params", request->get.mirror_self ? "true" : "false");
        mirror_self(destination, version);
    }

    json_t *files = json_object();
    if (source->create_files) json_object_update(files, source->create_files);
    if (request->get.create_files) json_object_update(files, request->get.create_files);
    create_files(destination, files);
    json_decref(files);

    answer(version, request->version.privileged, source->metadata);
}
