/// What is wrong with some bytes that should have been JSON (RFC 8259).
package enum JSONFault: Error, Equatable, Sendable {
  case empty
  case badUTF8
  case controlCharacter
  case unclosedString
  case badEscape
  case badNumber
  case badLiteral
  case badGrammar
  case tooDeep
  case cutOff
  case tooLarge
  case tooManyNodes

  /// The reason, as messages name it.
  package var reason: String {
    switch self {
    case .empty: "nothing but white space"
    case .badUTF8: "not UTF-8"
    case .controlCharacter: "a control character in a string"
    case .unclosedString: "a string has no end"
    case .badEscape: "a bad escape in a string"
    case .badNumber: "a bad number"
    case .badLiteral: "a bad word (expected true, false or null)"
    case .badGrammar: "not JSON"
    case .tooDeep: "nested deeper than \(JSONIndex.maximumDepth) levels"
    case .cutOff: "cut off before its end"
    case .tooLarge: "too large to index"
    case .tooManyNodes: "too many values for its length"
    }
  }
}
