#include "supervisor.h"

#include <stdlib.h>
#include <string.h>

#define HEADER 5
#define LONGEST (64u * 1024 * 1024)

enum frame_result frame_next(const struct buffer *b, struct frame *frame) {
  if (buffer_length(b) < HEADER) return FRAME_NONE;
  const unsigned char *at = buffer_bytes(b);
  uint32_t length = (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
  if (length > LONGEST) return FRAME_BROKEN;
  if (buffer_length(b) < HEADER + (size_t)length) return FRAME_NONE;
  *frame = (struct frame){.type = at[0], .payload = at + HEADER, .length = length};
  return FRAME_COMPLETE;
}

void frame_done(struct buffer *b, const struct frame *frame) { buffer_consume(b, HEADER + frame->length); }

void frame_append(struct buffer *b, enum frame_type type, const void *payload, size_t length) {
  unsigned char header[HEADER] = {(unsigned char)type, (unsigned char)(length >> 24), (unsigned char)(length >> 16),
                                  (unsigned char)(length >> 8), (unsigned char)length};
  buffer_append(b, header, HEADER);
  buffer_append(b, payload, length);
}

void frame_append_text(struct buffer *b, enum frame_type type, const char *text) {
  frame_append(b, type, text, strlen(text));
}

struct reader reader_of(const struct frame *frame) {
  return (struct reader){.at = frame->payload, .end = frame->payload + frame->length, .ok = true};
}

const char *read_string(struct reader *r) {
  const unsigned char *nul = r->ok ? memchr(r->at, 0, (size_t)(r->end - r->at)) : NULL;
  if (!nul) {
    r->ok = false;
    return "";
  }
  const char *text = (const char *)r->at;
  r->at = nul + 1;
  return text;
}

uint64_t read_number(struct reader *r) {
  const char *text = read_string(r);
  char *end;
  uint64_t number = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end) r->ok = false;
  return r->ok ? number : 0;
}

struct strings read_list(struct reader *r) {
  struct strings list = {0};
  uint64_t count = read_number(r);
  for (uint64_t i = 0; i < count && r->ok; i++) strings_add(&list, read_string(r));
  return list;
}
