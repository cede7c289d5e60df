// The checksum of a row: a function of SQL, in C since SQLite calls it for each row that is read.
#ifndef TW_CHECKSUM_H
#define TW_CHECKSUM_H

struct sqlite3;

// Adds row_sum(table, column…) to a connection: 64 bits over the name of the table and the values of the columns, as an
// integer. Values of different types differ, and so do NULL and an empty text. Returns a result code of SQLite.
int tw_add_row_sum(struct sqlite3 *database);
#endif
