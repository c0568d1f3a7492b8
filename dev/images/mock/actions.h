#ifndef MOCK_ACTIONS_H
#define MOCK_ACTIONS_H

#include "request.h"

/* The three scripts of the resource type. They return only when they have succeeded. */

void run_check(const struct request *request);

void run_in(const struct request *request, const char *destination);

void run_out(const struct request *request, const char *source);

/* Parts they share. */

void write_version(FILE *out, const char *version, const char *privileged);

/* `{"version": ..., "metadata": ...}`, the answer of `in` and `out`. */
void answer(const char *version, const char *privileged, const json_t *metadata);

#endif
