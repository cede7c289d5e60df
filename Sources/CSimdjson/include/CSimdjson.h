// A C interface to simdjson's stage 1: the UTF-8 check and the structural index, which Swift walks over the original
// bytes.
#ifndef TW_SIMDJSON_H
#define TW_SIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_index tw_index;

enum {
  TW_INDEX_OK = 0,
  TW_INDEX_EMPTY,      // only white space
  TW_INDEX_UTF8,       // some bytes are not UTF-8
  TW_INDEX_CONTROL,    // a control character stands unescaped in a string
  TW_INDEX_UNCLOSED,   // a string has no end
  TW_INDEX_TOO_LARGE,  // more than simdjson takes at once (4 GiB), or no memory for the index
  TW_INDEX_DENSE,      // more nodes than allowed
};

// A new, empty index; NULL when there is no memory. Free it with tw_index_free.
tw_index *tw_index_new(void);
void tw_index_free(tw_index *index);

// Indexes len bytes of JSON text at buf; 64 more bytes must be readable. On TW_INDEX_OK *offsets has *count nodes: the
// byte offsets of the brackets, colons, commas, opening quotes and first bytes of scalars, in order, and after them
// len. The caller may change them; they stay valid until the next call with the same index. A text with more than most
// nodes is not indexed.
int tw_index_build(tw_index *index, const uint8_t *buf, size_t len, size_t most, uint32_t **offsets, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
