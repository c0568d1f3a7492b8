#include "supervisor.h"

#include <stdio.h>
#include <stdlib.h>

static void write_hex(char *text, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) sprintf(text + i * 2, "%02x", bytes[i]);
}

void secret_make(char secret[SECRET_SIZE]) {
  memory_close();
  unsigned char bytes[(SECRET_SIZE - 1) / 2];
  if (!random_fill(bytes, sizeof bytes)) abort();
  write_hex(secret, bytes, sizeof bytes);
}

char *secret_seal(const char *secret, const char *json) {
  unsigned char digest[SHA256_SIZE];
  hmac_sha256(secret, json, digest);
  char hex[SHA256_SIZE * 2 + 1];
  write_hex(hex, digest, sizeof digest);
  return must_print("%s\n%s\n", json, hex);
}
