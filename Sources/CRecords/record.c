#include "CRecords.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

// Stores are packed with it, so not one byte of it may change. Tests/TweetStoreTests/generate-dictionary.py made it.
static const unsigned char dictionary[] = {
#ifdef TW_DICTIONARY
// Its bytes as numbers, for a compiler without #embed.
#include TW_DICTIONARY
#else
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
#embed "records-1.zdict"
#pragma clang diagnostic pop
#endif
};

enum {
  NUMBER = 0x1f,
  // The number of the dictionary.
  DICTIONARY = 1,
  IS_CUT = 0x20,
  HAS_SLASHES = 0x40,
  HAS_ESCAPES = 0x80,
  // Of the magic number, 28 B5 2F FD, which each frame begins with.
  MAGIC_SIZE = 4,
  // The head of a packed record: its first byte, and a number of at most 63 bits.
  MOST_HEAD = 10,
  // Of zstd. Level 5 is 4 % shorter, and makes a bulk load a fifth longer.
  LEVEL = 3
};

static const unsigned char magic[MAGIC_SIZE] = {0x28, 0xb5, 0x2f, 0xfd};
// Bytes of the largest record. A frame may claim more.
static const unsigned long long largest = 500000000;

// Memory that grows.
typedef struct {
  unsigned char *bytes;
  size_t size;
} buffer;

static int grow(buffer *buffer, size_t size) {
  if (size <= buffer->size) return 1;
  unsigned char *bytes = realloc(buffer->bytes, size);
  if (!bytes) return 0;
  buffer->bytes = bytes;
  buffer->size = size;
  return 1;
}

static unsigned char *put_escape(unsigned char *out, unsigned unit) {
  static const char digits[] = "0123456789abcdef";
  *out++ = '\\';
  *out++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *out++ = (unsigned char)digits[unit >> shift & 15];
  return out;
}

// The scalar at `at`, and its length; 0 if the bytes are not UTF-8. Overlong forms give other bytes than those in the
// record, which is noticed when the record is packed.
static unsigned scalar(const unsigned char *text, size_t count, size_t at, size_t *length) {
  unsigned char first = text[at];
  size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  if (!more || at + more >= count) return 0;
  unsigned value = first & (0x3f >> more);
  for (size_t i = 1; i <= more; i++) {
    if ((text[at + i] & 0xc0) != 0x80) return 0;
    value = value << 6 | (text[at + i] & 0x3f);
  }
  *length = more + 1;
  return value;
}

// Writes a text as it stands between the quotes of a JSON string. `out` has room for six times its length. Returns the
// end.
static unsigned char *escape(unsigned char *out, const unsigned char *text, size_t count, int flags) {
  for (size_t at = 0; at < count;) {
    unsigned char byte = text[at];
    size_t length = 0;
    unsigned value = byte >= 0x80 && flags & HAS_ESCAPES ? scalar(text, count, at, &length) : 0;
    if (value) {
      if (value >= 0x10000) {
        out = put_escape(out, 0xd800 + ((value - 0x10000) >> 10));
        out = put_escape(out, 0xdc00 + ((value - 0x10000) & 0x3ff));
      } else {
        out = put_escape(out, value);
      }
      at += length;
      continue;
    }
    at++;
    // RFC 8259 §7.
    const char *names = "\"\"\\\\\bb\ff\nn\rr\tt";
    const char *name = byte && byte < 0x80 ? names : "";
    while (*name && (unsigned char)*name != byte) name += 2;
    if (*name) {
      *out++ = '\\';
      *out++ = (unsigned char)name[1];
    } else if (byte < 0x20) {
      out = put_escape(out, byte);
    } else {
      if (byte == '/' && flags & HAS_SLASHES) *out++ = '\\';
      *out++ = byte;
    }
  }
  return out;
}

// MARK: Unpacking

typedef struct {
  ZSTD_DCtx *context;
  ZSTD_DDict *dictionary;
  buffer frame, text;
} unpacker;

static void unpacker_free(void *pointer) {
  unpacker *unpacker = pointer;
  ZSTD_freeDCtx(unpacker->context);
  ZSTD_freeDDict(unpacker->dictionary);
  free(unpacker->frame.bytes);
  free(unpacker->text.bytes);
  free(unpacker);
}

// Unpacks a record into memory of SQLite; NULL if that fails.
static unsigned char *unpack(
    unpacker *unpacker, const unsigned char *packed, size_t count, sqlite3_value *text, size_t *size) {
  int flags = packed[0];
  if ((flags & NUMBER) != DICTIONARY) return NULL;
  size_t head = 1, offset = 0, text_count = 0;
  if (flags & IS_CUT) {
    int shift = 0;
    do {
      if (head == count || shift > 56) return NULL;
      offset |= (size_t)(packed[head] & 0x7f) << shift;
      shift += 7;
    } while (packed[head++] & 0x80);
    size_t length = (size_t)sqlite3_value_bytes(text);
    if (!grow(&unpacker->text, 6 * length + 1)) return NULL;
    const unsigned char *bytes = sqlite3_value_blob(text);
    text_count = (size_t)(escape(unpacker->text.bytes, bytes, length, flags) - unpacker->text.bytes);
  }
  size_t frame_size = count - head + MAGIC_SIZE;
  if (!grow(&unpacker->frame, frame_size)) return NULL;
  memcpy(unpacker->frame.bytes, magic, MAGIC_SIZE);
  memcpy(unpacker->frame.bytes + MAGIC_SIZE, packed + head, count - head);
  unsigned long long rest = ZSTD_getFrameContentSize(unpacker->frame.bytes, frame_size);
  if (rest > largest || text_count > largest || offset > rest) return NULL;
  unsigned char *record = sqlite3_malloc64(rest + text_count + 1);
  if (!record) return NULL;
  size_t got = ZSTD_decompress_usingDDict(
      unpacker->context, record + text_count, (size_t)rest, unpacker->frame.bytes, frame_size, unpacker->dictionary);
  if (got != rest) {
    sqlite3_free(record);
    return NULL;
  }
  memmove(record, record + text_count, offset);
  if (text_count) memcpy(record + offset, unpacker->text.bytes, text_count);
  *size = (size_t)rest + text_count;
  return record;
}

static void record(sqlite3_context *context, int number, sqlite3_value **values) {
  (void)number;
  sqlite3_value *json = values[0];
  if (sqlite3_value_type(json) != SQLITE_BLOB) return sqlite3_result_value(context, json);
  const void *packed = sqlite3_value_blob(json);
  size_t count = (size_t)sqlite3_value_bytes(json), size = 0;
  unsigned char *unpacked =
      count ? unpack(sqlite3_user_data(context), packed, count, values[1], &size) : NULL;
  if (unpacked) sqlite3_result_text64(context, (char *)unpacked, size, sqlite3_free, SQLITE_UTF8);
}

// Adds record(json, text) to a connection, as one of two functions.
static int add(sqlite3 *database, void (*function)(sqlite3_context *, int, sqlite3_value **)) {
  unpacker *unpacker = calloc(1, sizeof *unpacker);
  if (!unpacker) return SQLITE_NOMEM;
  unpacker->context = ZSTD_createDCtx();
  unpacker->dictionary = ZSTD_createDDict(dictionary, sizeof dictionary);
  if (!unpacker->context || !unpacker->dictionary) {
    unpacker_free(unpacker);
    return SQLITE_NOMEM;
  }
  // SQLite frees the last one also if this fails.
  return sqlite3_create_function_v2(
      database, "record", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, unpacker, function, 0, 0, unpacker_free);
}

int tw_add_record(sqlite3 *database) { return add(database, record); }

// MARK: Packing

struct tw_packer {
  ZSTD_CCtx *context;
  buffer rest, text, packed;
};

void tw_packer_free(tw_packer *packer) {
  ZSTD_freeCCtx(packer->context);
  free(packer->rest.bytes);
  free(packer->text.bytes);
  free(packer->packed.bytes);
  free(packer);
}

tw_packer *tw_packer_new(void) {
  tw_packer *packer = calloc(1, sizeof *packer);
  if (!packer) return NULL;
  packer->context = ZSTD_createCCtx();
  // The number of the dictionary is in the first byte, and the row has a checksum.
  if (!packer->context || ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_dictIDFlag, 0)) ||
      ZSTD_isError(ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, LEVEL)) ||
      ZSTD_isError(ZSTD_CCtx_loadDictionary(packer->context, dictionary, sizeof dictionary))) {
    tw_packer_free(packer);
    return NULL;
  }
  return packer;
}

// The form in which a text stands in its record; 0 if it cannot be put back as it was.
static int form(tw_packer *packer, const unsigned char *raw, size_t raw_count, const unsigned char *text, size_t count) {
  if (!raw || !raw_count || !grow(&packer->text, 6 * count + 1)) return 0;
  int flags = IS_CUT;
  for (size_t i = 0; i + 1 < raw_count; i++) {
    if (raw[i] != '\\') continue;
    i++;
    if (raw[i] == '/') flags |= HAS_SLASHES;
    if (raw[i] == 'u') flags |= HAS_ESCAPES;
  }
  unsigned char *end = escape(packer->text.bytes, text, count, flags);
  size_t made = (size_t)(end - packer->text.bytes);
  return made == raw_count && !memcmp(packer->text.bytes, raw, made) ? flags : 0;
}

const void *tw_packer_pack(
    tw_packer *packer, const void *record, size_t count, const void *raw, size_t raw_count, const void *text,
    size_t text_count, size_t *packed) {
  int flags = form(packer, raw, raw_count, text, text_count);
  const unsigned char *rest = record;
  size_t rest_count = count;
  size_t offset = flags ? (size_t)((const unsigned char *)raw - rest) : 0;
  if (flags) {
    rest_count = count - raw_count;
    if (!grow(&packer->rest, rest_count + 1)) return NULL;
    memcpy(packer->rest.bytes, record, offset);
    memcpy(packer->rest.bytes + offset, (const unsigned char *)raw + raw_count, rest_count - offset);
    rest = packer->rest.bytes;
  }
  size_t room = ZSTD_compressBound(rest_count);
  if (!grow(&packer->packed, MOST_HEAD + room)) return NULL;
  // The frame is put after the longest head. Then the head takes the place of its first bytes.
  unsigned char *frame = packer->packed.bytes + MOST_HEAD;
  size_t size = ZSTD_compress2(packer->context, frame, room, rest, rest_count);
  if (ZSTD_isError(size)) return NULL;
  unsigned char head[MOST_HEAD] = {(unsigned char)(DICTIONARY | flags)};
  size_t head_count = 1;
  for (size_t left = offset; flags;) {
    head[head_count++] = (unsigned char)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    left >>= 7;
    if (!left) break;
  }
  *packed = head_count + size - MAGIC_SIZE;
  if (*packed >= count) return NULL;
  return memcpy(frame + MAGIC_SIZE - head_count, head, head_count);
}
