// The limit of tw-cache add: the same SQL, fed with rows that were prepared before the clock starts.
//
//   cache_rows FILLED EMPTY     FILLED is a store that tw-cache has filled, EMPTY one that it has made; prints seconds
//                               of processor time and of the clock.
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct { int type; int size; union { sqlite3_int64 number; char *text; } as; } Value;
typedef struct {
  const char *read, *into;  // a table, and its columns unless they are all of them
  int columns, tweet;       // which column names the tweet
  Value *values;
  size_t count, next;
  sqlite3_stmt *insert;
} Table;

static sqlite3 *open_or_die(const char *path) {
  sqlite3 *database;
  if (sqlite3_open(path, &database) != SQLITE_OK) { fprintf(stderr, "cannot open %s\n", path); exit(1); }
  return database;
}

static void run(sqlite3 *database, const char *sql) {
  char *fault = NULL;
  if (sqlite3_exec(database, sql, NULL, NULL, &fault) != SQLITE_OK) { fprintf(stderr, "%s: %s\n", sql, fault); exit(1); }
}

static void load(sqlite3 *source, Table *table) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(source, table->read, -1, &statement, NULL) != SQLITE_OK) { fprintf(stderr, "%s: %s\n", table->read, sqlite3_errmsg(source)); exit(1); }
  table->columns = sqlite3_column_count(statement);
  size_t room = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    if (table->count == room) {
      room = room ? room * 2 : 1024;
      table->values = realloc(table->values, room * (size_t)table->columns * sizeof(Value));
    }
    Value *row = table->values + table->count++ * (size_t)table->columns;
    for (int column = 0; column < table->columns; column++) {
      row[column].type = sqlite3_column_type(statement, column);
      if (row[column].type == SQLITE_TEXT || row[column].type == SQLITE_BLOB) {
        const void *bytes = sqlite3_column_blob(statement, column);
        row[column].size = sqlite3_column_bytes(statement, column);
        row[column].as.text = malloc((size_t)row[column].size + 1);
        if (row[column].size) memcpy(row[column].as.text, bytes, (size_t)row[column].size);
      } else if (row[column].type == SQLITE_INTEGER) {
        row[column].as.number = sqlite3_column_int64(statement, column);
      }
    }
  }
  sqlite3_finalize(statement);
}

// A statement with a value for each column that was read.
static void prepare(sqlite3 *target, Table *table) {
  char sql[1024];
  int length = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", table->into);
  for (int column = 1; column < table->columns; column++) length += snprintf(sql + length, sizeof sql - (size_t)length, ", ?");
  snprintf(sql + length, sizeof sql - (size_t)length, ")");
  if (sqlite3_prepare_v2(target, sql, -1, &table->insert, NULL) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(target));
    exit(1);
  }
}

static Value *row_of(Table *table) { return table->values + table->next * (size_t)table->columns; }

static void insert(Table *table) {
  Value *row = row_of(table);
  table->next++;
  for (int column = 0; column < table->columns; column++) {
    if (row[column].type == SQLITE_TEXT) {
      sqlite3_bind_text(table->insert, column + 1, row[column].as.text, row[column].size, SQLITE_STATIC);
    } else if (row[column].type == SQLITE_BLOB) {
      sqlite3_bind_blob(table->insert, column + 1, row[column].as.text, row[column].size, SQLITE_STATIC);
    } else if (row[column].type == SQLITE_INTEGER) {
      sqlite3_bind_int64(table->insert, column + 1, row[column].as.number);
    } else {
      sqlite3_bind_null(table->insert, column + 1);
    }
  }
  if (sqlite3_step(table->insert) != SQLITE_DONE) {
    fprintf(stderr, "%s: %s\n", table->into, sqlite3_errmsg(sqlite3_db_handle(table->insert)));
    exit(1);
  }
  sqlite3_reset(table->insert);
}

// Inserts the rows that belong to a tweet or, of users, stand up to a key.
static void insert_up_to(Table *table, sqlite3_int64 key) {
  while (table->next < table->count && row_of(table)[table->tweet].as.number <= key) insert(table);
}

static double seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  enum { users, names, tweets, search, recent, tags, mentions, urls, references, feeds, tables };
  Table all[tables] = {
    [users] = {"SELECT * FROM users ORDER BY key", "users"},
    [names] = {"SELECT * FROM user_names ORDER BY user", "user_names"},
    [tweets] = {"SELECT * FROM tweets ORDER BY key", "tweets"},
    [search] = {"SELECT key, text FROM search_source ORDER BY key", "tweet_search (rowid, text)"},
    [recent] = {"SELECT key FROM tweets ORDER BY key", "recent (tweet)"},
    [tags] = {"SELECT * FROM tweet_hashtags ORDER BY tweet", "tweet_hashtags", .tweet = 1},
    [mentions] = {"SELECT * FROM tweet_mentions ORDER BY tweet", "tweet_mentions", .tweet = 1},
    [urls] = {"SELECT * FROM tweet_urls ORDER BY tweet", "tweet_urls", .tweet = 1},
    [references] = {"SELECT * FROM tweet_references ORDER BY tweet", "tweet_references"},
    [feeds] = {"SELECT * FROM tweet_feeds ORDER BY tweet", "tweet_feeds", .tweet = 1},
  };
  sqlite3 *source = open_or_die(arguments[1]), *target = open_or_die(arguments[2]);
  run(target, "PRAGMA synchronous = FULL; PRAGMA cache_size = -20000; PRAGMA wal_autocheckpoint = 2048");
  for (int table = 0; table < tables; table++) {
    load(source, &all[table]);
    prepare(target, &all[table]);
  }
  struct timespec start, end;
  const double before = seconds();
  clock_gettime(CLOCK_MONOTONIC, &start);
  const int author = 3, json = all[tweets].columns - 2;
  size_t held = 0;
  run(target, "BEGIN");
  while (all[tweets].next < all[tweets].count) {
    Value *tweet = row_of(&all[tweets]);
    // A tweet may be nobody's.
    if (tweet[author].type == SQLITE_INTEGER) {
      insert_up_to(&all[users], tweet[author].as.number);
      insert_up_to(&all[names], tweet[author].as.number);
    }
    held += (size_t)tweet[json].size;
    for (int table = tweets; table < tables; table++) insert_up_to(&all[table], tweet[0].as.number);
    if (held >= 8 << 20 || all[tweets].next % 8000 == 0) {
      run(target, "COMMIT; BEGIN");
      held = 0;
    }
  }
  insert_up_to(&all[users], INT64_MAX);
  insert_up_to(&all[names], INT64_MAX);
  run(target, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f %.6f\n", seconds() - before,
    (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
  return 0;
}
