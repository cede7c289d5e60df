import Synchronization
import TweetCore

/// What a service knows: rules, and the posts published so far, which the search finds. It answers as X does.
package final class ServiceMemory: Sendable {
  package typealias Rule = (id: String, value: String, tag: String)

  private struct State {
    var rules: [Rule] = []
    var nextRule = 11
    /// Sorted; the time each was published, in milliseconds, beside it.
    var numbers: [Int] = []
    var times: [Int64] = []
    var soak: SoakPlan?
  }

  /// The id of post 0.
  let firstID: Int
  private let pageSize: Int
  private let state: Mutex<State>
  private let foreign: Set<String>

  /// - Parameters:
  ///   - firstID: without it ids grow with time as X's do: 22 bits count within a millisecond of its epoch.
  ///   - pageSize: of a search, at most.
  ///   - rules: those that are there already.
  package init(firstID: Int? = nil, pageSize: Int = 100, rules: [Rule] = []) {
    self.firstID = firstID ?? (Int(Timestamp.now.milliseconds) - 1_288_834_974_657) << 22
    self.pageSize = pageSize
    state = Mutex(State(rules: rules))
    foreign = Set(rules.map(\.id))
  }

  // MARK: Rules

  package var rules: [Rule] { state.withLock(\.rules) }

  /// As another program of the app does.
  package func changeRules(_ change: (inout [Rule]) -> Void) { state.withLock { change(&$0.rules) } }

  /// Answers a request about rules.
  package func rules(_ body: String) -> (code: Int, body: String) {
    guard let document = try? JSONDocument(body) else { return (200, list()) }
    if let add = document["add"] { return (201, self.add(add.elements)) }
    let ids = document["delete"]?["ids"]?.elements.compactMap { $0.string } ?? []
    let deleted = state.withLock { state in
      let before = state.rules.count
      state.rules.removeAll { ids.contains($0.id) }
      return before - state.rules.count
    }
    let summary = "\"deleted\":\(deleted),\"not_deleted\":\(ids.count - deleted)"
    return (200, "{\"meta\":{\"sent\":\"\(Timestamp.now.rfc3339)\",\"summary\":{\(summary)}}}")
  }

  private func list() -> String {
    let rules = rules
    let data = rules.isEmpty ? "" : "\"data\":[\(rules.map(Self.json).joined(separator: ","))],"
    return "{\(data)\"meta\":{\"sent\":\"\(Timestamp.now.rfc3339)\",\"result_count\":\(rules.count)}}"
  }

  private func add(_ wanted: [JSONDocument]) -> String {
    var data: [String] = []
    var errors: [String] = []
    state.withLock { state in
      for rule in wanted {
        let (value, tag) = (rule["value"]?.string ?? "", rule["tag"]?.string ?? "")
        if let known = state.rules.first(where: { $0.value == value }) {
          errors.append(#"{"value":\#(quoted(value)),"id":"\#(known.id)","title":"DuplicateRule"}"#)
        } else {
          state.rules.append((String(state.nextRule), value, tag))
          state.nextRule += 1
          state.rules.last.map { data.append(Self.json($0)) }
        }
      }
    }
    var members = ["\"meta\":{\"summary\":{\"created\":\(data.count),\"not_created\":\(errors.count)}}"]
    if !data.isEmpty { members.append("\"data\":[\(data.joined(separator: ","))]") }
    if !errors.isEmpty { members.append("\"errors\":[\(errors.joined(separator: ","))]") }
    return "{\(members.joined(separator: ","))}"
  }

  /// Whether there are other rules than those of the script.
  var hasAddedRules: Bool { rules.contains { !foreign.contains($0.id) } }

  private static func json(_ rule: Rule) -> String {
    "{\"id\":\"\(rule.id)\",\"value\":\(quoted(rule.value)),\"tag\":\(quoted(rule.tag))}"
  }

  // MARK: Posts

  /// From now on the search finds these.
  package func publish(_ range: ClosedRange<Int>) {
    let now = Timestamp.now.milliseconds
    state.withLock { state in
      for number in range {
        let place = Self.place(of: number, in: state.numbers)
        if place < state.numbers.count, state.numbers[place] == number { continue }
        state.numbers.insert(number, at: place)
        state.times.insert(now, at: place)
      }
    }
  }

  /// A stream message with one post, its end included, as the first rule that somebody added here matches it.
  func message(_ number: Int, padding: Int = 0) -> [UInt8] {
    let (rule, time) = state.withLock { state in
      let time = state.times[Self.place(of: number, in: state.numbers)]
      return (state.rules.first { !foreign.contains($0.id) } ?? state.rules.first, time)
    }
    let matching = rule.map { "{\"id\":\"\($0.id)\",\"tag\":\(quoted($0.tag))}" } ?? ""
    let extra = padding > 0 ? "\"padding\":\"\(String(repeating: "x", count: padding))\"," : ""
    let members = "\"data\":\(post(number, time)),\"includes\":\(Self.includes),\"matching_rules\":[\(matching)]"
    return Array("{\(extra)\(members)}\r\n".utf8)
  }

  private func post(_ number: Int, _ time: Int64) -> String {
    "{\"id\":\"\(firstID + number)\",\"text\":\"post \(number)\",\"author_id\":\"12\","
      + "\"created_at\":\"\(Timestamp(milliseconds: time).rfc3339)\"}"
  }

  private static let includes = #"{"users":[{"id":"12","username":"jack","name":"jack"}]}"#

  /// The first index whose number is not smaller.
  private static func place(of number: Int, in numbers: [Int]) -> Int {
    if let last = numbers.last, last < number { return numbers.count }
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Search

  /// Answers a recent search: newest first, page by page.
  package func search(_ request: LoopbackServer.Request) -> (code: Int, body: String) {
    let size = request.decoded("max_results").map { Int($0) ?? 0 } ?? 10
    let hasIDs = request.decoded("since_id") ?? request.decoded("until_id") != nil
    let hasTimes = request.decoded("start_time") ?? request.decoded("end_time") != nil
    if hasIDs, hasTimes {
      return Self.invalid("Invalid use of 'since_id' or 'until_id' in conjunction with 'start_time' or 'end_time'")
    }
    guard (10...100).contains(size), request.decoded("query")?.isEmpty == false else {
      return Self.invalid("One or more parameters to your request was invalid")
    }
    let token = request.decoded("next_token").flatMap { $0.hasPrefix("p") ? Int($0.dropFirst()) : nil }
    let newerThan = request.decoded("since_id").flatMap { Int($0) } ?? .min
    let olderThan = min(request.decoded("until_id").flatMap { Int($0) } ?? .max, token.map { firstID + $0 } ?? .max)
    let start = request.decoded("start_time").flatMap { Timestamp(parsing: $0)?.milliseconds } ?? .min
    let end = request.decoded("end_time").flatMap { Timestamp(parsing: $0)?.milliseconds } ?? .max
    let (numbers, times) = state.withLock { ($0.numbers, $0.times) }
    var found: [Int] = []
    var isMore = false
    let above = olderThan == .max ? numbers.count : Self.place(of: olderThan - firstID, in: numbers)
    for place in (0..<above).reversed() where (start..<end).contains(times[place]) {
      if firstID + numbers[place] <= newerThan { break }
      isMore = found.count == min(size, pageSize)
      if isMore { break }
      found.append(place)
    }
    return (200, page(found.map { (numbers[$0], times[$0]) }, isMore))
  }

  // On two lines, which JSON allows.
  private func page(_ posts: [(number: Int, time: Int64)], _ isMore: Bool) -> String {
    guard let newest = posts.first, let oldest = posts.last else { return "{\"meta\":{\"result_count\":0}}" }
    let meta =
      "\"newest_id\":\"\(firstID + newest.number)\",\"oldest_id\":\"\(firstID + oldest.number)\","
      + "\"result_count\":\(posts.count)" + (isMore ? ",\"next_token\":\"p\(oldest.number)\"" : "")
    let data = posts.map { post($0.number, $0.time) }.joined(separator: ",")
    return "{\"data\":[\(data)],\n\"includes\":\(Self.includes),\"meta\":{\(meta)}}"
  }

  private static func invalid(_ message: String) -> (code: Int, body: String) {
    let type = "https://api.twitter.com/2/problems/invalid-request"
    return (
      400,
      #"{"errors":[{"message":"\#(message)"}],"title":"Invalid Request","detail":"\#(message).","type":"\#(type)"}"#
    )
  }

  // MARK: Soak

  /// What the next connection of a soak carries.
  func segment(of soak: Soak) -> SoakPlan.Segment {
    state.withLock { state in
      var plan = state.soak ?? SoakPlan(soak)
      defer { state.soak = plan }
      return plan.next()
    }
  }
}

func quoted(_ text: String) -> String {
  var buffer = ByteBuffer(capacity: text.utf8.count + 2)
  buffer.appendJSONString(text)
  return buffer.string
}
