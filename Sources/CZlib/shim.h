#ifndef TW_ZLIB_SHIM_H
#define TW_ZLIB_SHIM_H
#include <zlib.h>

// A macro, which Swift does not see. 16 more bits of the window stand for gzip's head and tail (zlib.h, deflateInit2).
static inline int tw_deflate_init_gzip(z_stream *stream) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);
}
#endif
