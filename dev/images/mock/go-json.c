#include "go-json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

void write_json_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        switch (*at) {
        case '"': fputs("\\\"", out); continue;
        case '\\': fputs("\\\\", out); continue;
        case '\b': fputs("\\b", out); continue;
        case '\f': fputs("\\f", out); continue;
        case '\n': fputs("\\n", out); continue;
        case '\r': fputs("\\r", out); continue;
        case '\t': fputs("\\t", out); continue;
        }
        if (*at < 0x20 || *at == '<' || *at == '>' || *at == '&') {
            fprintf(out, "\\u%04x", *at);
        } else if (at[0] == 0xE2 && at[1] == 0x80 && (at[2] == 0xA8 || at[2] == 0xA9)) {
            fprintf(out, "\\u20%02x", at[2] - 0x80); /* U+2028 and U+2029 end lines in JavaScript */
            at += 2;
        } else {
            fputc(*at, out);
        }
    }
    fputc('"', out);
}

static void write_zeros(FILE *out, int count) {
    while (count-- > 0) fputc('0', out);
}

/* The fewest digits that read back as the same number; with an exponent only below 1e-6 and from 1e21 on. */
static void write_number(FILE *out, double value) {
    char text[40];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, fabs(value));
        if (strtod(text, NULL) == fabs(value)) break;
    }
    char *e = strchr(text, 'e');
    int exponent = atoi(e + 1);
    *e = '\0';
    char digits[40];
    int count = 0;
    for (const char *at = text; *at; at++)
        if (*at != '.') digits[count++] = *at;
    if (signbit(value)) fputc('-', out);
    if (value != 0 && (exponent < -6 || exponent >= 21)) {
        fprintf(out, "%se%c%d", text, exponent < 0 ? '-' : '+', abs(exponent));
    } else if (exponent < 0) {
        fputs("0.", out);
        write_zeros(out, -exponent - 1);
        fprintf(out, "%.*s", count, digits);
    } else {
        int whole = count < exponent + 1 ? count : exponent + 1;
        fprintf(out, "%.*s", whole, digits);
        write_zeros(out, exponent + 1 - whole);
        if (count > whole) fprintf(out, ".%.*s", count - whole, digits + whole);
    }
}

static int compare_keys(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void write_object(FILE *out, const json_t *object) {
    size_t count = 0;
    const char **keys = calloc(json_object_size(object) + 1, sizeof *keys);
    if (!keys) abort();
    for (void *at = json_object_iter((json_t *)object); at; at = json_object_iter_next((json_t *)object, at))
        keys[count++] = json_object_iter_key(at);
    qsort(keys, count, sizeof *keys, compare_keys);
    fputc('{', out);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputc(',', out);
        write_json_string(out, keys[i]);
        fputc(':', out);
        write_json(out, json_object_get(object, keys[i]));
    }
    fputc('}', out);
    free(keys);
}

void write_json(FILE *out, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: write_object(out, value); return;
    case JSON_ARRAY:
        fputc('[', out);
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i > 0) fputc(',', out);
            write_json(out, json_array_get(value, i));
        }
        fputc(']', out);
        return;
    case JSON_STRING: write_json_string(out, json_string_value(value)); return;
    case JSON_INTEGER:
    case JSON_REAL: write_number(out, json_number_value(value)); return;
    case JSON_TRUE: fputs("true", out); return;
    case JSON_FALSE: fputs("false", out); return;
    case JSON_NULL: fputs("null", out); return;
    }
}
