#include "go-duration.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    double seconds;
} UNITS[] = {
    {"ns", 1e-9}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"\u03bcs", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600},
};

/* The unit is everything up to the next digit or point, so that `m` and `ms` are not confused. */
static bool read_unit(const char **at, double *seconds) {
    size_t length = strcspn(*at, "0123456789.");
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        if (strlen(UNITS[i].name) == length && strncmp(UNITS[i].name, *at, length) == 0) {
            *at += length;
            *seconds = UNITS[i].seconds;
            return true;
        }
    }
    return false;
}

static bool read_number(const char **at, double *number) {
    const char *begin = *at;
    double scale = 1;
    *number = 0;
    for (; isdigit((unsigned char)**at); ++*at) *number = *number * 10 + (**at - '0');
    size_t digits = *at - begin;
    if (**at == '.') {
        for (++*at; isdigit((unsigned char)**at); ++*at, digits++) *number += (**at - '0') * (scale /= 10);
    }
    return digits > 0;
}

bool parse_duration(const char *text, double *seconds) {
    double sign = *text == '-' ? -1 : 1;
    if (*text == '-' || *text == '+') text++;
    *seconds = 0;
    if (strcmp(text, "0") == 0) return true; /* the only one that needs no unit */
    if (!*text) return false;
    while (*text) {
        double number, unit;
        if (!read_number(&text, &number) || !read_unit(&text, &unit)) return false;
        *seconds += sign * number * unit;
    }
    return true;
}
