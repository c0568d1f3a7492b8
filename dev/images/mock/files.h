#ifndef MOCK_FILES_H
#define MOCK_FILES_H

#include <stddef.h>
#include <sys/types.h>

/* All of these are fatal when they fail. The caller frees what they return. */

char *join_path(const char *directory, const char *name);

/* Creates a directory and those above it, as far as they are missing. */
void make_directories(const char *path, mode_t mode);

void write_file(const char *path, const char *bytes, size_t size, mode_t mode);

/* The whole file as a string, without the white space at its end. */
char *read_trimmed(const char *path);

#endif
