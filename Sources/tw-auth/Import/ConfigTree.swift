import TweetCore

/// The values in another tool's configuration: names that lead to texts or to further names.
///
/// Three forms are read, as far as these tools write them: JSON, YAML with maps and lists of texts only, and `name =
/// value` with sections in brackets. The members of a list are named by their numbers, from 0.
indirect enum ConfigTree: Equatable {
  case text(String)
  case map([(name: String, value: ConfigTree)])

  init(_ text: String) {
    if let document = try? JSONDocument(text), document.isObject {
      self = ConfigTree(document)
    } else if text.split(whereSeparator: \.isNewline).contains(where: Self.isAssignment) {
      self = Self.sections(text)
    } else {
      var lines = Self.yamlLines(text)[...]
      self = Self.yaml(&lines, indent: lines.first?.indent ?? 0)
    }
  }

  private init(_ value: JSONDocument) {
    if value.isObject {
      self = .map(value.members.map { ($0.key.string ?? "", ConfigTree($0.value)) })
    } else if value.isArray {
      self = .map(value.elements.enumerated().map { (String($0), ConfigTree($1)) })
    } else {
      self = .text(value.string ?? value.rawText)
    }
  }

  /// The value of a name.
  subscript(name: String) -> ConfigTree? {
    if case .map(let members) = self { members.first { $0.name == name }?.value } else { nil }
  }

  /// A text that is not empty.
  func text(_ name: String) -> String? {
    if case .text(let text)? = self[name], !text.isEmpty { text } else { nil }
  }

  var members: [(name: String, value: ConfigTree)] {
    if case .map(let members) = self { members } else { [] }
  }

  static func == (left: ConfigTree, right: ConfigTree) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)): left == right
    case (.map(let left), .map(let right)):
      left.map(\.name) == right.map(\.name) && left.map(\.value) == right.map(\.value)
    default: false
    }
  }

  // MARK: name = value

  private static func isAssignment(_ line: Substring) -> Bool {
    guard let equals = line.firstIndex(of: "=") else { return false }
    // A value of YAML may have the sign, after its colon.
    return !line[..<equals].contains(":") && !line.drop(while: \.isWhitespace).hasPrefix("#")
  }

  private static func sections(_ text: String) -> ConfigTree {
    var all: [(name: String, value: ConfigTree)] = []
    var section: (name: String, members: [(name: String, value: ConfigTree)])?
    for line in Settings.lines(of: text) {
      let line = trim(line)
      if line.hasPrefix("["), line.hasSuffix("]") {
        if let section { all.append((section.name, .map(section.members))) }
        section = (line.filter { $0 != "[" && $0 != "]" }, [])
      } else if let (name, value) = Settings.split(Substring(line)) {
        if section != nil {
          section?.members.append((name, .text(unquoted(value))))
        } else {
          all.append((name, .text(unquoted(value))))
        }
      }
    }
    if let section { all.append((section.name, .map(section.members))) }
    return .map(all)
  }

  // MARK: YAML

  private typealias Line = (indent: Int, name: String, value: String)
  /// What a member of a list is called before it has its number.
  private static let item = "- "

  private static func yamlLines(_ text: String) -> [Line] {
    Settings.lines(of: text).compactMap { line in
      let content = trim(line)
      let indent = line.prefix { $0 == " " }.count
      if content.hasPrefix("- ") { return (indent, item, unquoted(trim(content.dropFirst(2)))) }
      guard !content.isEmpty, !content.hasPrefix("#"), content != "---", let colon = content.firstIndex(of: ":")
      else { return nil }
      // Ruby writes names of its symbols with a colon before them.
      let name = unquoted(trim(content[..<colon]))
      return (indent, name, unquoted(trim(content[content.index(after: colon)...])))
    }
  }

  private static func yaml(_ lines: inout ArraySlice<Line>, indent: Int) -> ConfigTree {
    var members: [(name: String, value: ConfigTree)] = []
    while let line = lines.first, line.indent >= indent {
      lines.removeFirst()
      // A list stands as far to the right as the name before it, or further.
      var items: [(name: String, value: ConfigTree)] = []
      while line.value.isEmpty, let next = lines.first, next.name == item, next.indent >= line.indent {
        items.append((String(items.count), .text(next.value)))
        lines.removeFirst()
      }
      if !items.isEmpty {
        members.append((line.name, .map(items)))
      } else if line.value.isEmpty, let next = lines.first, next.indent > line.indent {
        members.append((line.name, yaml(&lines, indent: next.indent)))
      } else {
        members.append((line.name, .text(line.value)))
      }
    }
    return .map(members)
  }

  private static func trim(_ text: some StringProtocol) -> String {
    let start = text.drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }

  private static func unquoted(_ text: String) -> String {
    for quote in ["\"", "'"] where text.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
      return String(text.dropFirst().dropLast())
    }
    return text
  }
}
