#include "CChecksum.h"

#include <sqlite3.h>

// The functions become part of this file: nothing is linked, and nothing is loaded when a tool starts.
#define XXH_INLINE_ALL
#include <xxhash.h>

// Each value is hashed with what came before as the seed (XXH3, 64 bits: github.com/Cyan4973/xxHash,
// doc/xxhash_spec.md; its results do not change since version 0.8.0, on no machine). Type and length are hashed too, so
// that bytes cannot move from one column to the next unnoticed. Numbers are hashed with the lowest byte first.
static XXH64_hash_t add(XXH64_hash_t sum, int type, const void *bytes, int count) {
  unsigned char head[5] = {(unsigned char)type, (unsigned char)count, (unsigned char)(count >> 8),
                           (unsigned char)(count >> 16), (unsigned char)(count >> 24)};
  sum = XXH3_64bits_withSeed(head, sizeof head, sum);
  return count ? XXH3_64bits_withSeed(bytes, (size_t)count, sum) : sum;
}

static void row_sum(sqlite3_context *context, int count, sqlite3_value **values) {
  XXH64_hash_t sum = 0;
  for (int i = 0; i < count; i++) {
    int type = sqlite3_value_type(values[i]);
    if (type == SQLITE_NULL) {
      sum = add(sum, type, 0, 0);
    } else if (type == SQLITE_INTEGER) {
      sqlite3_uint64 number = (sqlite3_uint64)sqlite3_value_int64(values[i]);
      unsigned char bytes[8];
      for (int byte = 0; byte < 8; byte++) bytes[byte] = (unsigned char)(number >> 8 * byte);
      sum = add(sum, type, bytes, sizeof bytes);
    } else {
      // The bytes of a text or a blob as they are stored; a real number, which no column has, as its text.
      const void *bytes = sqlite3_value_blob(values[i]);
      sum = add(sum, type, bytes, sqlite3_value_bytes(values[i]));
    }
  }
  sqlite3_result_int64(context, (sqlite3_int64)sum);
}

int tw_add_row_sum(sqlite3 *database) {
  return sqlite3_create_function_v2(
      database, "row_sum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, row_sum, 0, 0, 0);
}

uint64_t tw_hash(const void *bytes, size_t count, uint64_t seed) { return XXH3_64bits_withSeed(bytes, count, seed); }
