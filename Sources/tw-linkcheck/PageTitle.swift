/// The title of an HTML page, found in the first part of its bytes.
///
/// The `title` element holds text only (RCDATA), so it ends at the first `</title`, whatever stands before. What a
/// stranger's page says is bounded, on one line and without control characters.
enum PageTitle {
  /// In Unicode scalars; longer ones are cut.
  static let limit = 300

  /// - Parameters:
  ///   - body: the beginning of the page.
  ///   - charset: of the `Content-Type` header. UTF-8 where it is valid, else Latin-1 and its Windows variant are known.
  /// - Returns: `nil` where there is no title, it is cut off, or its characters are not known.
  static func find(in body: [UInt8], charset: String?) -> String? {
    guard let open = position(of: "<title", in: body, from: 0, endsName: true),
      let start = body[open...].firstIndex(of: UInt8(ascii: ">")).map({ $0 + 1 }),
      let end = position(of: "</title", in: body, from: start, endsName: true)
    else { return nil }
    guard let text = decode(body[start..<end], charset: charset) else { return nil }
    return tidy(unescape(text))
  }

  /// - Parameter endsName: whether what follows must not go on the tag's name (`<titlebar`).
  private static func position(of tag: StaticString, in body: [UInt8], from start: Int, endsName: Bool) -> Int? {
    let wanted = UnsafeBufferPointer(start: tag.utf8Start, count: tag.utf8CodeUnitCount)
    var at = start
    while let open = body[at...].firstIndex(of: UInt8(ascii: "<")), open + wanted.count < body.count {
      let matches = wanted.indices.allSatisfy { body[open + $0] | 0x20 == wanted[$0] | 0x20 }
      let isLetter = (0x61...0x7A).contains(body[open + wanted.count] | 0x20)
      if matches, !isLetter { return open }
      at = open + 1
    }
    return nil
  }

  private static func decode(_ bytes: ArraySlice<UInt8>, charset: String?) -> String? {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    guard let charset, ["iso-8859-1", "latin1", "windows-1252", "cp1252"].contains(charset) else { return nil }
    var text = String.UnicodeScalarView()
    // HTML reads Latin-1 as Windows-1252; the 32 places in which they differ are typographic marks.
    for byte in bytes { text.append(Unicode.Scalar(windows1252[byte] ?? UInt16(byte)) ?? "\u{FFFD}") }
    return String(text)
  }

  private static let windows1252: [UInt8: UInt16] = [
    0x80: 0x20AC, 0x82: 0x201A, 0x83: 0x0192, 0x84: 0x201E, 0x85: 0x2026, 0x86: 0x2020, 0x87: 0x2021, 0x88: 0x02C6,
    0x89: 0x2030, 0x8A: 0x0160, 0x8B: 0x2039, 0x8C: 0x0152, 0x8E: 0x017D, 0x91: 0x2018, 0x92: 0x2019, 0x93: 0x201C,
    0x94: 0x201D, 0x95: 0x2022, 0x96: 0x2013, 0x97: 0x2014, 0x98: 0x02DC, 0x99: 0x2122, 0x9A: 0x0161, 0x9B: 0x203A,
    0x9C: 0x0153, 0x9E: 0x017E, 0x9F: 0x0178,
  ]

  private static let names: [Substring: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
    "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "hellip": "…", "middot": "·", "bull": "•", "laquo": "«",
    "raquo": "»", "copy": "©", "reg": "®", "trade": "™", "auml": "ä", "ouml": "ö", "uuml": "ü", "szlig": "ß",
    "eacute": "é", "egrave": "è", "agrave": "à", "ccedil": "ç", "ntilde": "ñ",
  ]

  /// Character references: decimal, hexadecimal, and the names that titles use; others stay as they stand.
  private static func unescape(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = text[...]
    while let ampersand = rest.firstIndex(of: "&") {
      result.append(contentsOf: rest[..<ampersand].unicodeScalars)
      rest = rest[rest.index(after: ampersand)...]
      let name = rest.prefix(12).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "#") }
      let end = name.endIndex
      guard end < rest.endIndex, rest[end] == ";", let scalar = scalar(named: name) else {
        result.append("&")
        continue
      }
      result.append(scalar)
      rest = rest[rest.index(after: end)...]
    }
    result.append(contentsOf: rest.unicodeScalars)
    return String(result)
  }

  private static func scalar(named name: Substring) -> Unicode.Scalar? {
    guard name.first == "#" else { return names[name] }
    let digits = name.dropFirst()
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }

  private static func tidy(_ text: String) -> String? {
    var result = String.UnicodeScalarView()
    var count = 0
    var isGap = false
    for scalar in text.unicodeScalars where count < limit {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: isGap = count > 0
      case .surrogate, .privateUse, .unassigned: continue
      default:
        if isGap { result.append(" ") }
        count += isGap ? 2 : 1
        isGap = false
        result.append(scalar)
      }
    }
    return result.isEmpty ? nil : String(result)
  }
}
