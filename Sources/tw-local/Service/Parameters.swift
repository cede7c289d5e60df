import TweetCore

/// Reads the parameters of a request. Faults are described in X's words.
extension ServerRequest {
  /// Refuses parameters that the endpoint does not have.
  func allowOnly(_ names: [String]) throws(Problem) {
    let faults = parameters.filter { !names.contains($0.name) }.map { pair in
      Problem.ParameterFault(
        parameter: pair.name, values: [pair.value],
        message: "The query parameter [\(pair.name)] is not one of [\(names.joined(separator: ","))]")
    }
    if !faults.isEmpty { throw .invalid(faults) }
  }

  /// A value that must be there and must not be empty.
  func required(_ name: String) throws(Problem) -> String {
    let value = parameter(name) ?? ""
    guard !value.isEmpty else { throw .invalid(name, value, "The `\(name)` query parameter can not be empty") }
    return value
  }

  func number(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws(Problem) -> Int {
    guard let text = parameter(name) else { return fallback }
    guard let number = Int(text), range.contains(number) else {
      throw .invalid(
        name, text,
        "The `\(name)` query parameter value [\(text)] is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return number
  }

  /// `true` or `false`, which is also what a missing parameter means.
  func flag(_ name: String) throws(Problem) -> Bool {
    switch parameter(name) {
    case nil, "false"?: return false
    case "true"?: return true
    case let text?: throw .invalid(name, text, value: text, isNotOneOf: ["true", "false"])
    }
  }

  func id(_ name: String) throws(Problem) -> Int? {
    guard let text = parameter(name) else { return nil }
    return try Self.id(text, of: name)
  }

  /// Parses an id. X takes 1 to 19 digits.
  /// - Parameter parameter: where the id comes from, for the message.
  static func id(_ text: String, of parameter: String) throws(Problem) -> Int {
    guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit), let id = Int(text)
    else {
      throw .invalid(
        parameter, text, "The `\(parameter)` query parameter value [\(text)] is not valid: must match ^[0-9]{1,19}$")
    }
    return id
  }

  /// 1 to 100 values between commas.
  func list(_ name: String) throws(Problem) -> [String] {
    let text = try required(name)
    let values = text.split(separator: ",").map(String.init)
    guard (1...100).contains(values.count) else {
      throw .invalid(name, text, "size must be between 1 and 100")
    }
    return values
  }

  /// Names between commas, each of which must be known.
  func choices(_ name: String, of known: [String]) throws(Problem) -> Set<String> {
    guard let text = parameter(name) else { return [] }
    var chosen: Set<String> = []
    for choice in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard known.contains(String(choice)) else { throw .invalid(name, text, value: choice, isNotOneOf: known) }
      chosen.insert(String(choice))
    }
    return chosen
  }

  func time(_ name: String) throws(Problem) -> Timestamp? {
    guard let text = parameter(name) else { return nil }
    guard text.hasSuffix("Z"), text.contains("T"), let time = Timestamp(parsing: text) else {
      throw .invalid(name, text, "The `\(name)` query parameter value [\(text)] is not a valid date-time")
    }
    return time
  }

  /// The id that a page token holds.
  func pageToken(_ name: String = "pagination_token") throws(Problem) -> Int? {
    guard let text = parameter(name) else { return nil }
    guard let id = PageToken.id(in: text) else {
      throw .invalid(name, text, "The `\(name)` query parameter value [\(text)] is not valid")
    }
    return id
  }
}

/// Page tokens: the id of the last object of a page, in a form that clients do not look into.
enum PageToken {
  private static let prefix = "b26v89c19zqg8o3f"

  /// The token that asks for the page after this id.
  static func token(after id: Int) -> String { prefix + String(id, radix: 36) }

  static func id(in token: String) -> Int? {
    token.hasPrefix(prefix) ? Int(token.dropFirst(prefix.count), radix: 36) : nil
  }
}
