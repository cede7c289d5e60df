// The limit: simdjson's document model built of every line on standard input, and nothing done with it.
#include <cstdio>
#include <cstring>
#include <vector>

#include <simdjson.h>
#include <unistd.h>

int main() {
  constexpr size_t chunk = 1 << 20;
  std::vector<char> buffer(4 * chunk + simdjson::SIMDJSON_PADDING);
  simdjson::dom::parser parser;
  size_t held = 0, documents = 0;
  while (true) {
    if (buffer.size() - held < chunk + simdjson::SIMDJSON_PADDING) buffer.resize(buffer.size() * 2);
    const ssize_t got = read(0, buffer.data() + held, chunk);
    if (got <= 0) break;
    held += size_t(got);
    char *line = buffer.data();
    char *const end = line + held;
    while (char *newline = static_cast<char *>(memchr(line, '\n', size_t(end - line)))) {
      simdjson::dom::element root;
      // Without a copy: what follows the line in the buffer is its padding.
      if (parser.parse(line, size_t(newline - line), false).get(root)) return 1;
      documents += 1;
      line = newline + 1;
    }
    held = size_t(end - line);
    memmove(buffer.data(), line, held);
  }
  printf("%zu documents\n", documents);
  return held == 0 ? 0 : 1;
}
