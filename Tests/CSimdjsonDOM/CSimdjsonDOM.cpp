#include "CSimdjsonDOM.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include <simdjson.h>

using namespace simdjson;

static void outline(std::string_view text, std::string &out) {
  out += 's';
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

static void outline(dom::element element, std::string &out) {
  switch (element.type()) {
    case dom::element_type::OBJECT:
      out += '{';
      for (auto member : dom::object(element)) {
        outline(member.key, out);
        outline(member.value, out);
      }
      out += '}';
      break;
    case dom::element_type::ARRAY:
      out += '[';
      for (auto child : dom::array(element)) outline(child, out);
      out += ']';
      break;
    case dom::element_type::STRING: outline(std::string_view(element), out); break;
    case dom::element_type::INT64: out += 'i' + std::to_string(int64_t(element)) + ';'; break;
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE: out += 'd'; break;
    case dom::element_type::BOOL: out += bool(element) ? 't' : 'f'; break;
    case dom::element_type::NULL_VALUE: out += 'n'; break;
  }
}

char *tw_dom_outline(const char *text, size_t len, size_t *written) {
  dom::parser parser;
  dom::element root;
  if (parser.parse(text, len).get(root)) return nullptr;
  std::string out;
  outline(root, out);
  char *copy = static_cast<char *>(malloc(out.size() + 1));
  if (!copy) return nullptr;
  memcpy(copy, out.data(), out.size());
  *written = out.size();
  return copy;
}
