#include "supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>

static void write_hex(char *text, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) sprintf(text + i * 2, "%02x", bytes[i]);
}

void secret_make(char secret[SECRET_SIZE]) {
  prctl(PR_SET_DUMPABLE, 0);
  unsigned char bytes[(SECRET_SIZE - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) abort();
  write_hex(secret, bytes, sizeof bytes);
}

char *secret_seal(const char *secret, const char *json) {
  unsigned char digest[SHA256_SIZE];
  hmac_sha256(secret, json, digest);
  char hex[SHA256_SIZE * 2 + 1];
  write_hex(hex, digest, sizeof digest);
  return must_print("%s\n%s\n", json, hex);
}
