/// The member `tw` of a JSON object, which makes it a record of the kit, however its name is spelled. Only what the kit
/// itself has written may have one (tweet(5), "Authority"): whoever passes on what a service sent asks here first.
package enum RecordMark: Equatable, Sendable {
  /// It is not a record.
  case none
  /// It is a record of this type.
  case type(String)
  /// It has two types, one that is not text, or a name or a type spelled with escapes: readers would not agree on what
  /// it is.
  case unclear

  package init(_ root: JSONValue) {
    self = .none
    for (name, value) in root.members where name.isMark {
      let isPlain = name.spells("tw") && value.isString && !value.rawString.contains(UInt8(ascii: "\\"))
      self = self == .none && isPlain ? value.nonEmptyString.map { .type($0) } ?? .unclear : .unclear
    }
  }

  /// Whether a JSON text is an object with such a member. Most texts do not have its name at all, at any depth, and are
  /// not parsed.
  package static func isMarked(_ json: ByteView) -> Bool {
    guard mayHaveName(json) else { return false }
    // What is no JSON cannot be passed on either.
    return (try? JSONDocument(Array(json)))?.read { RecordMark($0) != .none } ?? true
  }

  /// Whether a text has `"tw"`, or the escape of one of its letters: `\u0074`, `\u0077`.
  private static func mayHaveName(_ json: ByteView) -> Bool {
    var at = 0
    while let letter = json.firstIndex(of: UInt8(ascii: "w"), from: at) {
      if letter >= 2, json.extracting((letter - 2)...).hasPrefix("\"tw\"") { return true }
      at = letter + 1
    }
    at = 0
    while let escape = json.firstIndex(of: UInt8(ascii: "\\"), from: at) {
      if json.extracting(escape...).hasPrefix("\\u007") { return true }
      at = escape + 1
    }
    return false
  }
}

extension JSONValue {
  /// Whether a member's name is `tw`. One that is spelled with an escape has it at one of its first two characters.
  fileprivate var isMark: Bool {
    let escape = UInt8(ascii: "\\")
    guard start[1] == UInt8(ascii: "t") || start[1] == escape else { return false }
    return start[1] == escape || start[2] == escape || start[2] == UInt8(ascii: "w") ? equals("tw") : false
  }
}
