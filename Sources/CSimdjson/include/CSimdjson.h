// A C door to simdjson's stage 1: the UTF-8 check and the structural index, for Swift to walk over the original bytes.
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
  TW_INDEX_EMPTY,      // nothing but white space
  TW_INDEX_UTF8,       // some bytes are not UTF-8
  TW_INDEX_CONTROL,    // a control character stands unescaped in a string
  TW_INDEX_UNCLOSED,   // a string has no end
  TW_INDEX_TOO_LARGE,  // more than simdjson takes at once (4 GiB), or no memory for the index
  TW_INDEX_DENSE,      // more structural bytes than were to be found
};

// A new, empty index; NULL when there is no memory. Free it with tw_index_free.
tw_index *tw_index_new(void);
void tw_index_free(tw_index *index);

// Indexes len bytes of JSON text at buf, which must be readable for 64 bytes more. On TW_INDEX_OK *positions holds *count byte
// offsets of the brackets, colons, commas, opening quotes and first bytes of scalars, in order, followed by len
// itself. They are the caller's to change, and stay until the next call with the same index. Text that would have more than
// most of them is not indexed.
int tw_index_build(tw_index *index, const uint8_t *buf, size_t len, size_t most, uint32_t **positions, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
