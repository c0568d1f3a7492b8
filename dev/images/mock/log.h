#ifndef MOCK_LOG_H
#define MOCK_LOG_H

/* Log lines on stderr, in the coloured text form of the Go library logrus: what people see in a build's log. */

/* Seconds in log lines count from here. */
void log_start(void);

__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);

/* A line with one `key=value` after its message. */
void log_info_with(const char *message, const char *key, const char *value);

/* Logs and exits with status 1. */
__attribute__((noreturn, format(printf, 1, 2))) void log_fatal(const char *format, ...);

#endif
