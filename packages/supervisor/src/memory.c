#include "supervisor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must_alloc(size_t size) {
  void *memory = calloc(1, size ? size : 1);
  if (!memory) abort();
  return memory;
}

void *must_grow(void *old, size_t size) {
  void *memory = realloc(old, size);
  if (!memory) abort();
  return memory;
}

char *must_copy(const char *text) {
  char *copy = strdup(text);
  if (!copy) abort();
  return copy;
}

char *must_print(const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text;
  if (vasprintf(&text, format, args) < 0) abort();
  va_end(args);
  return text;
}

void strings_add(struct strings *s, const char *text) {
  s->items = must_grow(s->items, (s->count + 2) * sizeof *s->items);
  s->items[s->count++] = must_copy(text);
  s->items[s->count] = NULL;
}

void strings_free(struct strings *s) {
  for (size_t i = 0; i < s->count; i++) free(s->items[i]);
  free(s->items);
  *s = (struct strings){0};
}
