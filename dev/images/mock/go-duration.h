#ifndef MOCK_GO_DURATION_H
#define MOCK_GO_DURATION_H

#include <stdbool.h>

/* Reads a duration as Go writes it (`10s`, `1h2m3.5s`, `100ms`, `0`). False if it is none. */
bool parse_duration(const char *text, double *seconds);

#endif
