#ifndef MOCK_GO_JSON_H
#define MOCK_GO_JSON_H

#include <jansson.h>
#include <stdio.h>

/* JSON as Go's encoding/json writes it: compact, object keys sorted by their bytes, `<`, `>`, `&` escaped. */
void write_json(FILE *out, const json_t *value);

void write_json_string(FILE *out, const char *text);

#endif
