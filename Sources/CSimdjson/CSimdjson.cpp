#include "CSimdjson.h"

#include <memory>
#include <new>

#include <simdjson.h>

using simdjson::internal::dom_parser_implementation;

struct tw_index {
  std::unique_ptr<dom_parser_implementation> parser;
};

tw_index *tw_index_new(void) { return new (std::nothrow) tw_index(); }

void tw_index_free(tw_index *index) { delete index; }

// Grows by half, so that texts of slowly growing length do not reallocate each time. The depth is one, because the
// document model is not used.
static bool reserve(tw_index *index, size_t len) {
  auto &parser = index->parser;
  if (parser && parser->capacity() >= len) return true;
  size_t wanted = len < 4096 ? 4096 : len + len / 2;
  if (wanted > simdjson::SIMDJSON_MAXSIZE_BYTES) wanted = simdjson::SIMDJSON_MAXSIZE_BYTES;
  if (len > wanted) return false;
  parser.reset();
  return simdjson::get_active_implementation()->create_dom_parser_implementation(wanted, 1, parser) ==
         simdjson::SUCCESS;
}

// Whether the index of buf would have more than most nodes. Only a text of more bytes is looked at: a node has one at
// least.
static bool is_dense(const uint8_t *buf, size_t len, size_t most) {
  if (len <= most) return false;
  size_t found = 0;
  bool in_scalar = false;
  for (const uint8_t *at = buf, *end = buf + len; at < end; at++) {
    switch (*at) {
      case '"':
        found++;
        in_scalar = false;
        for (at++; at < end && *at != '"'; at++) at += *at == '\\';
        break;
      case '{': case '}': case '[': case ']': case ',': case ':':
        found++;
        in_scalar = false;
        break;
      case ' ': case '\t': case '\n': case '\r':
        in_scalar = false;
        break;
      default:
        found += !in_scalar;
        in_scalar = true;
    }
  }
  return found > most;
}

int tw_index_build(tw_index *index, const uint8_t *buf, size_t len, size_t most, uint32_t **offsets, size_t *count) {
  if (len == 0) return TW_INDEX_EMPTY;
  if (is_dense(buf, len, most)) return TW_INDEX_DENSE;
  if (!reserve(index, len)) return TW_INDEX_TOO_LARGE;
  auto &parser = *index->parser;
  switch (parser.stage1(buf, len, simdjson::stage1_mode::regular)) {
    case simdjson::SUCCESS: break;
    case simdjson::EMPTY: return TW_INDEX_EMPTY;
    case simdjson::UTF8_ERROR: return TW_INDEX_UTF8;
    case simdjson::UNESCAPED_CHARS: return TW_INDEX_CONTROL;
    case simdjson::UNCLOSED_STRING: return TW_INDEX_UNCLOSED;
    default: return TW_INDEX_TOO_LARGE;
  }
  // simdjson ends the index with the length twice and a zero. The grammar check needs one sentinel.
  parser.structural_indexes[parser.n_structural_indexes] = static_cast<uint32_t>(len);
  *offsets = parser.structural_indexes.get();
  *count = parser.n_structural_indexes;
  return TW_INDEX_OK;
}
