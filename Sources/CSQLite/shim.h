#ifndef TW_SQLITE_SHIM_H
#define TW_SQLITE_SHIM_H
#include <sqlite3.h>
#endif
