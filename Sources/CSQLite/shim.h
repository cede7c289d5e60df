// SQLite for Swift: its header, and functions for what Swift cannot import: variadic functions, and macros with casts.
#ifndef TW_SQLITE_SHIM_H
#define TW_SQLITE_SHIM_H
#include <sqlite3.h>
#include <sys/resource.h>

// Turns off SQLite's memory statistics, which slow each allocation. To be called before the first connection.
static inline int tw_sqlite_set_up(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

static inline int tw_sqlite_db_config(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// To SQLite a null address is NULL; Swift has a null address for empty bytes. These functions bind empty values then.

// Binds bytes without a copy: they must not change until the parameter is bound again (SQLITE_STATIC).
static inline int tw_sqlite_bind_text_in_place(sqlite3_stmt *statement, int index, const void *text, int count) {
  return sqlite3_bind_text(statement, index, text ? (const char *)text : "", count, SQLITE_STATIC);
}

static inline int tw_sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const void *text, int count) {
  return sqlite3_bind_text(statement, index, text ? (const char *)text : "", count, SQLITE_TRANSIENT);
}

static inline int tw_sqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// Whether a file could not be opened only because SQLite cannot create files beside it. (These codes are expressions,
// which Swift does not import.)
static inline int tw_sqlite_is_unwritable_place(int code) {
  return code == SQLITE_READONLY_DIRECTORY || code == SQLITE_READONLY_CANTINIT || code == SQLITE_READONLY_RECOVERY;
}

// Whether this process may write only files up to some size (ulimit -f).
static inline int tw_has_file_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// The commands of fcntl(2) for a lock that belongs to the open file, not to the process: Linux's F_OFD_SETLK and
// F_OFD_GETLK, which glibc hides without _GNU_SOURCE. On macOS it is private. There a lock of the process is enough,
// since no process opens one store twice for writing.
#ifdef __linux__
static const int tw_set_file_lock = 37;
static const int tw_get_file_lock = 36;
#else
#include <fcntl.h>
static const int tw_set_file_lock = F_SETLK;
static const int tw_get_file_lock = F_GETLK;
#endif

// What lseek(2) looks for: bytes that the file system keeps, and a hole. glibc hides them, too.
#ifdef __linux__
static const int tw_seek_data = 3, tw_seek_hole = 4;
#else
#include <unistd.h>
static const int tw_seek_data = SEEK_DATA, tw_seek_hole = SEEK_HOLE;
#endif
#endif
