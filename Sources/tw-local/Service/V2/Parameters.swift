import TweetCore

/// Reading of parameters, with X's words for what is wrong with them.
extension HTTPRequest {
  /// Refuses parameters the endpoint does not have.
  func allowOnly(_ names: [String]) throws(Problem) {
    let faults = query.filter { !names.contains($0.name) }.map { pair in
      let known = names.joined(separator: ",")
      return (pair.name, [pair.value], "The query parameter [\(pair.name)] is not one of [\(known)]")
    }
    if !faults.isEmpty { throw .invalid(faults) }
  }

  func required(_ name: String) throws(Problem) -> String {
    guard let value = parameter(name) else {
      throw .invalid(name, "", "The `\(name)` query parameter can not be empty")
    }
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

  func id(_ name: String) throws(Problem) -> Int? {
    guard let text = parameter(name) else { return nil }
    return try Self.id(text, of: name)
  }

  /// An id as X accepts it.
  static func id(_ text: String, of parameter: String) throws(Problem) -> Int {
    guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = Int(text)
    else {
      throw .invalid(
        parameter, text, "The `\(parameter)` query parameter value [\(text)] is not valid: must match ^[0-9]{1,19}$")
    }
    return id
  }

  /// A list of 1 to 100 values between commas.
  func list(_ name: String) throws(Problem) -> [String] {
    let values = try required(name).split(separator: ",").map(String.init)
    guard (1...100).contains(values.count) else {
      throw .invalid(name, parameter(name) ?? "", "size must be between 1 and 100")
    }
    return values
  }

  func time(_ name: String) throws(Problem) -> Timestamp? {
    guard let text = parameter(name) else { return nil }
    guard text.hasSuffix("Z"), text.contains("T"), let time = Timestamp(parsing: text) else {
      throw .invalid(name, text, "The `\(name)` query parameter value [\(text)] is not a valid date-time")
    }
    return time
  }
}

/// Where a page of posts begins and ends, as ids that are themselves left out.
struct PageRange {
  var after: Int
  var before: Int
  /// The page's own place, if it is not the first: posts before this id.
  var resume: Int?

  /// Search reaches back this far, in milliseconds.
  static let searchReach: Int64 = 7 * 86_400_000
  /// A time in a parameter must be this much in the past, in milliseconds.
  private static let leastAge: Int64 = 10_000

  init(after: Int, before: Int) {
    self.after = after
    self.before = before
  }

  /// Reads `since_id`, `until_id`, `start_time`, `end_time` and the page's token.
  /// - Parameter tokens: the parameters that may hold the token.
  init(_ request: HTTPRequest, tokens: [String]) throws(Problem) {
    let since = try request.id("since_id")
    let until = try request.id("until_id")
    let start = try request.time("start_time")
    let end = try request.time("end_time")
    if since ?? until != nil, start ?? end != nil {
      let name = since != nil ? "since_id" : "until_id"
      throw .invalid(
        name, request.parameter(name) ?? "",
        "Invalid use of 'since_id' or 'until_id' in conjunction with 'start_time' or 'end_time'.")
    }
    let now = Timestamp.now
    for (name, time) in [("start_time", start), ("end_time", end)] {
      if let time, time.milliseconds > now.milliseconds - Self.leastAge {
        let text = request.parameter(name) ?? ""
        throw .invalid(
          name, text,
          "Invalid '\(name)':'\(text)'. '\(name)' must be a minimum of 10 seconds prior to the request time.")
      }
    }
    if let start, let end, start >= end {
      throw .invalid("end_time", request.parameter("end_time") ?? "", "'end_time' must be after 'start_time'.")
    }
    after = since ?? start.map { Snowflake.first(at: $0) - 1 } ?? 0
    before = until ?? end.map { Snowflake.first(at: $0) } ?? .max
    for name in tokens {
      guard let token = request.parameter(name) else { continue }
      guard let place = Self.place(of: token) else {
        throw .invalid(name, token, "The `\(name)` query parameter value [\(token)] is not valid")
      }
      resume = place
    }
  }

  /// Bounds the range by what search reaches; refuses what asks for more.
  mutating func limitToRecent(_ request: HTTPRequest) throws(Problem) {
    // As X does, told and kept to the minute.
    let minutes = (Timestamp.now.milliseconds - Self.searchReach) / 60_000 + 1
    let oldest = Timestamp(milliseconds: minutes * 60_000)
    let named = oldest.rfc3339.prefix(16) + "Z"
    let first = Snowflake.first(at: oldest)
    for name in ["since_id", "start_time"] {
      guard let text = request.parameter(name), after < first - 1 else { continue }
      let message =
        name == "since_id"
        ? "'since_id' must be a tweet id created after \(named). Please use a 'since_id' that is larger than \(first)"
        : "Invalid 'start_time':'\(text)'. 'start_time' must be on or after \(named)."
      throw .invalid(name, text, message)
    }
    after = max(after, first - 1)
  }

  private static let tokenPrefix = "b26v89c19zqg8o3f"

  /// The token of the page behind a post.
  static func token(after id: Int) -> String { tokenPrefix + String(id, radix: 36) }

  private static func place(of token: String) -> Int? {
    guard token.hasPrefix(tokenPrefix) else { return nil }
    return Int(token.dropFirst(tokenPrefix.count), radix: 36)
  }
}
