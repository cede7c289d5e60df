// Stored records: packed with zstd and a dictionary, and unpacked by a function of SQL, in C since SQLite calls it for
// each row that is read.
//
// A packed record is a BLOB. Its first byte has the number of the dictionary (bits 0 to 4), which is 1, and says
// whether the text of the tweet was cut out (bit 5), and in which form it stood there: '/' as "\/" (bit 6), other
// letters than ASCII as "\u" and four digits (bit 7). If it was cut out, its offset follows (LEB128). The rest is one
// frame of zstd (RFC 8878) without its first four bytes. A record that would not become shorter is stored as TEXT.
#ifndef TW_RECORDS_H
#define TW_RECORDS_H
#include <stddef.h>

struct sqlite3;

// Adds record(json, text) to a connection: the record in a column `json`, whose tweet has that text (NULL where none
// was cut out). NULL if it cannot be unpacked. Returns a result code of SQLite.
int tw_add_record(struct sqlite3 *database);

// Packs records. Not for two threads at once.
typedef struct tw_packer tw_packer;

// NULL without memory.
tw_packer *tw_packer_new(void);
void tw_packer_free(tw_packer *packer);

// Packs a record. `raw` are the bytes between the quotes of its text, within the record, and `text` the bytes of the
// column; both NULL if nothing is to be cut out. Returns what is stored, which is valid until the next call, and its
// length; NULL if it would not be shorter than the record.
const void *tw_packer_pack(
    tw_packer *packer, const void *record, size_t count, const void *raw, size_t raw_count, const void *text,
    size_t text_count, size_t *packed);
#endif
