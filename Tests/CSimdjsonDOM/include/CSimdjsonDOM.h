// simdjson's own document model, as an oracle for the kit's JSON view. For tests only.
#ifndef TW_SIMDJSON_DOM_H
#define TW_SIMDJSON_DOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Parses len bytes as one document and writes down its structure: brackets as they are, s with length and bytes for
// strings (keys too), i with digits for whole numbers, d for other numbers, t, f and n. NULL when it is not JSON. The
// caller frees it; *written is its length.
char *tw_dom_outline(const char *text, size_t len, size_t *written);

#ifdef __cplusplus
}
#endif
#endif
