// SQLite for Swift: its header, and what Swift cannot import itself: variadic functions and macros that cast.
#ifndef TW_SQLITE_SHIM_H
#define TW_SQLITE_SHIM_H
#include <sqlite3.h>

// Before the first connection: no bookkeeping of memory, which nobody asks for and every allocation would pay.
static inline int tw_sqlite_set_up(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

static inline int tw_sqlite_db_config(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// A null address would bind NULL; here it is what Swift gives for empty bytes.

// Binds bytes that stay where they are until the statement was run (SQLITE_STATIC).
static inline int tw_sqlite_bind_text_in_place(sqlite3_stmt *statement, int index, const void *text, int count) {
  return sqlite3_bind_text(statement, index, text ? (const char *)text : "", count, SQLITE_STATIC);
}

static inline int tw_sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const void *text, int count) {
  return sqlite3_bind_text(statement, index, text ? (const char *)text : "", count, SQLITE_TRANSIENT);
}

static inline int tw_sqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// Whether a file could not be opened because nothing can be made beside it, though the file itself could be read. (These
// codes are expressions, which Swift does not import.)
static inline int tw_sqlite_is_unwritable_place(int code) {
  return code == SQLITE_READONLY_DIRECTORY || code == SQLITE_READONLY_CANTINIT || code == SQLITE_READONLY_RECOVERY;
}

// fcntl(2)'s command for a lock that belongs to the open file, not to the process (Linux's F_OFD_SETLK, which glibc
// hides without _GNU_SOURCE). macOS keeps it private; there the process's own lock serves, since no process opens one
// store twice for writing.
#ifdef __linux__
static const int tw_set_file_lock = 37;
#else
#include <fcntl.h>
static const int tw_set_file_lock = F_SETLK;
#endif
#endif
