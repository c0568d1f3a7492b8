#include "supervisor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LONGEST (1024 * 1024)

void log_write(struct log *log, const void *bytes, size_t count) {
  if (log->left_out || buffer_length(&log->pending) + count > LONGEST) log->left_out += count;
  else buffer_append(&log->pending, bytes, count);
  log_flush(log);
}

void log_flush(struct log *log) {
  if (!buffer_drain_to(&log->pending, STDOUT_FILENO)) buffer_consume(&log->pending, buffer_length(&log->pending));
  if (!log->left_out || log_waits(log)) return;
  char note[96];
  snprintf(note, sizeof note, "\n[%llu bytes are not shown here]\n", (unsigned long long)log->left_out);
  log->left_out = 0;
  buffer_append(&log->pending, note, strlen(note));
  log_flush(log);
}
