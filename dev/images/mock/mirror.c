#include "mirror.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "go-json.h"
#include "log.h"

static const char *const NOT_COPIED[] = {"tmp", "dev", "proc", "sys"};

static bool is_not_copied(const char *name) {
    for (size_t i = 0; i < sizeof NOT_COPIED / sizeof *NOT_COPIED; i++)
        if (strcmp(name, NOT_COPIED[i]) == 0) return true;
    return false;
}

/* Anywhere else the copy would go on copying itself. */
static void require_outside_the_copy(const char *destination) {
    char *real = realpath(destination, NULL);
    if (!real) log_fatal("failed to find %s: %s", destination, strerror(errno));
    char *top = strndup(real + 1, strcspn(real + 1, "/"));
    if (!top || !is_not_copied(top)) log_fatal("failed to mirror: %s is part of what would be copied into it", real);
    free(top);
    free(real);
}

static void create_empty(const char *source, const char *target) {
    struct stat info;
    if (lstat(source, &info) < 0) log_fatal("failed to stat %s: %s", source, strerror(errno));
    if (mkdir(target, 0700) < 0 && errno != EEXIST) log_fatal("failed to create %s: %s", target, strerror(errno));
    /* chmod, because mkdir's mode is cut by the umask and has no sticky bit on some file systems */
    if (chmod(target, info.st_mode & 07777) < 0) log_fatal("failed to chmod %s: %s", target, strerror(errno));
}

/* `cp -a`, with what it prints sent to stderr: stdout is for the answer. */
static void copy(const char *source, const char *target) {
    extern char **environ;
    char *const arguments[] = {"cp", "-a", (char *)source, (char *)target, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t child;
    int error = posix_spawnp(&child, "cp", &actions, NULL, arguments, environ);
    if (error) log_fatal("failed to run cp: %s", strerror(error));
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) log_fatal("failed to wait for cp: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) log_fatal("failed to copy from %s to %s", source, target);
    posix_spawn_file_actions_destroy(&actions);
}

static void replicate_root(const char *rootfs) {
    DIR *root = opendir("/");
    if (!root) log_fatal("failed to read /: %s", strerror(errno));
    for (struct dirent *entry; (entry = readdir(root));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char *source = join_path("", entry->d_name);
        char *target = join_path(rootfs, entry->d_name);
        if (is_not_copied(entry->d_name)) create_empty(source, target);
        else copy(source, target);
        free(source);
        free(target);
    }
    closedir(root);
}

static void write_metadata(const char *path, const char *version) {
    char *variable, *text;
    size_t size;
    if (asprintf(&variable, "MIRRORED_VERSION=%s", version) < 0) abort();
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    fputs("{\"env\":[", out);
    write_json_string(out, variable);
    fputs("],\"user\":\"root\"}\n", out);
    fclose(out);
    write_file(path, text, size, 0666);
    free(text);
    free(variable);
}

void mirror_self(const char *destination, const char *version) {
    require_outside_the_copy(destination);
    char *rootfs = join_path(destination, "rootfs");
    char *metadata = join_path(destination, "metadata.json");
    make_directories(rootfs, 0755);
    replicate_root(rootfs);
    write_metadata(metadata, version);
    free(metadata);
    free(rootfs);
}
