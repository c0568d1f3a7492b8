#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Bytes outside of ASCII are copied: valid UTF-8 remains valid, and a reader replaces the rest.
void append_json_string(struct buffer *json, const char *text) {
  buffer_append(json, "\"", 1);
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    char escaped[8];
    if (byte == '"' || byte == '\\') snprintf(escaped, sizeof escaped, "\\%c", byte);
    else if (byte < 0x20 || byte == 0x7f) snprintf(escaped, sizeof escaped, "\\u%04x", byte);
    else snprintf(escaped, sizeof escaped, "%c", byte);
    buffer_append(json, escaped, strlen(escaped));
  }
  buffer_append(json, "\"", 1);
}

static void append_text(struct buffer *json, const char *text) { buffer_append(json, text, strlen(text)); }

static void append_member(struct buffer *json, const char *before, const char *value) {
  append_text(json, before);
  append_json_string(json, value);
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

char *record_json(const char *id, const char *attempt, const struct ending *e) {
  struct buffer json = {0};
  append_member(&json, "{\"id\":", id);
  append_member(&json, ",\"attempt\":", attempt);
  append_text(&json, ",\"end\":");
  char number[160];
  switch (e->kind) {
  case END_EXITED:
    snprintf(number, sizeof number, "{\"kind\":\"exited\",\"status\":%d}", e->value);
    append_text(&json, number);
    break;
  case END_SIGNALED:
    snprintf(number, sizeof number, "{\"kind\":\"signaled\",\"signal\":%d}", e->value);
    append_text(&json, number);
    break;
  case END_INTERRUPTED:
    append_member(&json, "{\"kind\":\"interrupted\",\"message\":", e->message);
    append_text(&json, "}");
    break;
  case END_NOT_STARTED:
    append_member(&json, "{\"kind\":\"not-started\",\"cause\":", e->cause);
    append_member(&json, ",\"message\":", e->message);
    append_text(&json, "}");
    break;
  }
  snprintf(number, sizeof number, ",\"wallSeconds\":%.3f,\"cpuSeconds\":%.6f,\"peakMemoryBytes\":%lld", e->wall_seconds,
           seconds(e->usage.ru_utime) + seconds(e->usage.ru_stime), (long long)peak_memory_of(&e->usage));
  append_text(&json, number);
  if (e->out_of_memory) {
    snprintf(number, sizeof number, ",\"outOfMemory\":{\"limitBytes\":%lld}", (long long)e->memory_limit);
    append_text(&json, number);
  }
  append_text(&json, "}");
  buffer_append(&json, "", 1);
  return (char *)json.data;
}

bool record_write(const char *directory, const char *id, const char *sealed) {
  char *temporary = must_print("%s/.%s.partial", directory, id), *final = must_print("%s/%s.exit", directory, id);
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  size_t length = strlen(sealed);
  bool ok = file >= 0 && write(file, sealed, length) == (ssize_t)length && fsync(file) == 0;
  ok = (file < 0 || close(file) == 0) && ok && rename(temporary, final) == 0;
  int error = errno;
  if (!ok) unlink(temporary); // a full volume has no room for half a record
  free(temporary);
  free(final);
  errno = error;
  return ok;
}
