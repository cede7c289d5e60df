// record(json, text) for other programs that use SQLite: sqlite3's .load, Datasette's --load-extension and Python.
// tw-db(5) describes it. SQLite's functions come from the program that loads it, through a table that this header puts
// in their place.
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "../CRecords/record.c"

// As record, but a record that cannot be unpacked is an error: whoever asks for one by hand should see it.
static void sound_record(sqlite3_context *context, int number, sqlite3_value **values) {
  (void)number;
  sqlite3_value *json = values[0];
  if (sqlite3_value_type(json) != SQLITE_BLOB) return sqlite3_result_value(context, json);
  size_t count = (size_t)sqlite3_value_bytes(json), size = 0;
  const void *packed = sqlite3_value_blob(json);
  unsigned char *unpacked =
      count && packed ? unpack(sqlite3_user_data(context), packed, count, values[1], &size) : NULL;
  if (!unpacked) return sqlite3_result_error(context, "record: cannot unpack it: it is damaged, or not a packed record", -1);
  sqlite3_result_text64(context, (char *)unpacked, size, sqlite3_free, SQLITE_UTF8);
}

// SQLite finds it by this name, which it makes from the file's.
__attribute__((visibility("default")))
int sqlite3_twrecord_init(sqlite3 *database, char **message, const sqlite3_api_routines *routines) {
  (void)message;
  SQLITE_EXTENSION_INIT2(routines);
  return add(database, sound_record);
}
