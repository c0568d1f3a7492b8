#include "files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"

char *join_path(const char *directory, const char *name) {
    char *path;
    if (asprintf(&path, "%s/%s", directory, name) < 0) abort();
    return path;
}

void make_directories(const char *path, mode_t mode) {
    char *copy = strdup(path);
    if (!copy) abort();
    for (char *at = copy + 1;; at++) {
        if (*at != '/' && *at != '\0') continue;
        char separator = *at;
        *at = '\0';
        if (mkdir(copy, mode) < 0 && errno != EEXIST) log_fatal("failed to create directory '%s': %s", copy, strerror(errno));
        if (separator == '\0') break;
        *at = separator;
    }
    free(copy);
}

void write_file(const char *path, const char *bytes, size_t size, mode_t mode) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (file < 0) log_fatal("failed to create %s: %s", path, strerror(errno));
    for (size_t done = 0; done < size;) {
        ssize_t written = write(file, bytes + done, size - done);
        if (written < 0 && errno != EINTR) log_fatal("failed to write %s: %s", path, strerror(errno));
        if (written > 0) done += written;
    }
    if (close(file) < 0) log_fatal("failed to close %s: %s", path, strerror(errno));
}

char *read_trimmed(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) log_fatal("failed to read %s: %s", path, strerror(errno));
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length = getdelim(&text, &capacity, '\0', file);
    if (length < 0 && ferror(file)) log_fatal("failed to read %s: %s", path, strerror(errno));
    fclose(file);
    if (length < 0) {
        free(text);
        return strdup("");
    }
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    text[length] = '\0';
    return text;
}
