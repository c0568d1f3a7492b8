#include "supervisor.h"

#include <stdlib.h>
#include <string.h>

// Ids are file names: letters, digits, `.`, `_` and `-`; the first character is not a point.
bool is_safe_id(const char *id) {
  size_t length = strlen(id);
  if (length == 0 || length > 128 || id[0] == '.') return false;
  return strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == length;
}

bool request_read(struct reader *r, struct request *request) {
  *request = (struct request){0};
  request->id = must_copy(read_string(r));
  request->attempt = must_copy(read_string(r));
  request->path = must_copy(read_string(r));
  request->dir = must_copy(read_string(r));
  request->user = must_copy(read_string(r));
  uint64_t columns = read_number(r), rows = read_number(r);
  request->tty = columns > 0 && rows > 0;
  request->columns = (unsigned short)columns;
  request->rows = (unsigned short)rows;
  request->args = read_list(r);
  request->env = read_list(r);
  request->own = read_list(r);
  if (r->ok) buffer_append(&request->input, r->at, (size_t)(r->end - r->at));
  return r->ok && is_safe_id(request->id);
}

void request_free(struct request *request) {
  free(request->id);
  free(request->attempt);
  free(request->path);
  free(request->dir);
  free(request->user);
  strings_free(&request->args);
  strings_free(&request->env);
  strings_free(&request->own);
  buffer_free(&request->input);
  *request = (struct request){0};
}
