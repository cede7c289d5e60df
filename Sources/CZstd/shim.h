#ifndef TW_ZSTD_SHIM_H
#define TW_ZSTD_SHIM_H
#include <zstd.h>
#include <zstd_errors.h>

// These two are macros that Swift does not see.
static inline int tw_zstd_is_size(unsigned long long size) {
  return size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR;
}
#endif
