/// A `Content-Disposition` header's value (RFC 6266), as far as it says what a file is.
struct ContentDisposition: Equatable {
  /// Whether the server wants the file to be saved, not shown.
  private(set) var isAttachment = false
  /// Not percent-decoded: only its extension is used.
  private(set) var fileName: String?

  init(_ header: String?) {
    guard let header else { return }
    var parts = Self.split(header)[...]
    guard let type = parts.popFirst() else { return }
    isAttachment = type.lowercased() == "attachment"
    for part in parts {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = part[..<equals].filter { !$0.isWhitespace }.lowercased()
      let value = part[part.index(after: equals)...].drop { $0 == " " || $0 == "\"" }
      let text = value.last == "\"" ? String(value.dropLast()) : String(value)
      // `filename*=UTF-8''a%20b.mp3` says more than the other.
      if name == "filename*" {
        fileName = text.split(separator: "'", omittingEmptySubsequences: false).last.map(String.init)
        return
      }
      if name == "filename" { fileName = text }
    }
  }

  /// The parts between semicolons that are not in a quoted string.
  private static func split(_ header: String) -> [String] {
    var parts = [""]
    var isQuoted = false
    var isEscaped = false
    for character in header {
      if isEscaped {
        isEscaped = false
      } else if character == "\\", isQuoted {
        isEscaped = true
        continue
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == ";", !isQuoted {
        parts.append("")
        continue
      }
      parts[parts.count - 1].append(character)
    }
    return parts.map {
      String($0.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
  }
}
