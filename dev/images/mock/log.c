#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RED = 31, CYAN = 36, MESSAGE_WIDTH = 44 };

static struct timespec start;

void log_start(void) { clock_gettime(CLOCK_MONOTONIC, &start); }

static int seconds_since_start(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int)(now.tv_sec - start.tv_sec - (now.tv_nsec < start.tv_nsec ? 1 : 0));
}

/* Columns are counted in characters, not bytes. */
static int characters(const char *text) {
    int count = 0;
    for (; *text; text++) count += (*text & 0xC0) != 0x80;
    return count;
}

static void line(int colour, const char *level, const char *message, const char *key, const char *value) {
    size_t length = strlen(message);
    if (length > 0 && message[length - 1] == '\n') length--; /* one line end of the message's own is dropped */
    int missing = MESSAGE_WIDTH - characters(message) + (message[length] == '\n');
    fprintf(stderr, "\x1b[%dm%s\x1b[0m[%04d] %.*s%*s ", colour, level, seconds_since_start(), (int)length, message,
            missing > 0 ? missing : 0, "");
    if (key) fprintf(stderr, " \x1b[%dm%s\x1b[0m=%s", colour, key, value);
    fputc('\n', stderr);
}

static char *format_message(const char *format, va_list arguments) {
    char *message;
    if (vasprintf(&message, format, arguments) < 0) abort();
    return message;
}

void log_info(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *message = format_message(format, arguments);
    va_end(arguments);
    line(CYAN, "INFO", message, NULL, NULL);
    free(message);
}

void log_info_with(const char *message, const char *key, const char *value) {
    line(CYAN, "INFO", message, key, value);
}

void log_fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    line(RED, "FATA", format_message(format, arguments), NULL, NULL);
    exit(1);
}
