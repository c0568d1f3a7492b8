#include "supervisor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536
// An empty buffer that held more than this frees it: the memory counts against the step's own limit.
#define KEPT (1024 * 1024)

static void make_room(struct buffer *b, size_t count) {
  if (b->capacity - b->end >= count) return;
  size_t length = buffer_length(b);
  if (b->start > 0) {
    memmove(b->data, buffer_bytes(b), length);
    b->start = 0;
    b->end = length;
  }
  if (b->capacity - length >= count) return;
  while (b->capacity - length < count) b->capacity = b->capacity ? b->capacity * 2 : 4096;
  b->data = must_grow(b->data, b->capacity);
}

void buffer_append(struct buffer *b, const void *bytes, size_t count) {
  if (count == 0) return;
  make_room(b, count);
  memcpy(b->data + b->end, bytes, count);
  b->end += count;
}

void buffer_consume(struct buffer *b, size_t count) {
  b->start += count;
  if (b->start == b->end) b->start = b->end = 0;
  if (b->end == 0 && b->capacity > KEPT) buffer_free(b);
}

void buffer_free(struct buffer *b) {
  // The bytes may have been a secret.
  if (b->data) forget_bytes(b->data, b->capacity);
  free(b->data);
  *b = (struct buffer){0};
}

bool buffer_fill_from(struct buffer *b, int fd) {
  make_room(b, CHUNK);
  ssize_t count = read(fd, b->data + b->end, CHUNK);
  if (count > 0) b->end += (size_t)count;
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

bool buffer_drain_to(struct buffer *b, int fd) {
  if (buffer_length(b) == 0) return true;
  ssize_t count = write(fd, buffer_bytes(b), buffer_length(b));
  if (count > 0) buffer_consume(b, (size_t)count);
  return count >= 0 || errno == EAGAIN || errno == EINTR;
}
