// XXH3 with 64 bits: of rows, as a function of SQL, in C since SQLite calls it for each row that is read; and of bytes.
#ifndef TW_CHECKSUM_H
#define TW_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

struct sqlite3;

// Adds row_sum(table, column…) to a connection: 64 bits over the name of the table and the values of the columns, as an
// integer. Values of different types differ, and so do NULL and an empty text. Returns a result code of SQLite.
int tw_add_row_sum(struct sqlite3 *database);

// The hash of `count` bytes. Who knows the seed can make bytes of equal hashes.
uint64_t tw_hash(const void *bytes, size_t count, uint64_t seed);
#endif
