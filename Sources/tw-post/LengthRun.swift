import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// Prints how long a text is, and how long it may be. Nobody need be signed in; where somebody is, a server is asked
/// whose rules are its own.
struct LengthRun {
  let way: WritingWay
  let accounts: CrossTargets
  let isLong: Bool

  /// The rules of one account.
  private typealias Measure = (name: String?, limit: TextLimit)

  /// - Parameter targets: those of `--to`, a line each; `nil` for the service that the run is for.
  func run(_ text: String, at targets: [CrossTarget]?) throws(ToolError) -> ExitStatus {
    let measures = try measures(of: targets)
    var writer = RecordWriter()
    var isTooLong = false
    for measure in measures {
      let (said, isLong) = try Self.answer(text, measure)
      if isLong { isTooLong = true }
      writer.buffer.append(said + "\n")
    }
    try writer.flush()
    return isTooLong ? .badData : .done
  }

  /// Measures each line of standard input, a string in JSON, and prints a line for each at once: what a program asks
  /// that shows the length while a person writes. The rules are read once.
  /// - Parameter targets: those of `--to`; `nil` for the service that the run is for.
  func measureLines(at targets: [CrossTarget]?) throws(ToolError) -> ExitStatus {
    let measures = try measures(of: targets)
    var writer = RecordWriter()
    var pending: [UInt8] = []
    while Interruption.signal == nil, let some = try readSome(0, name: "standard input"), !some.isEmpty {
      pending += some
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(pending[..<end])
        pending.removeFirst(end + 1)
        guard let document = try? JSONDocument(line), let text = document.string else {
          throw .badData("a line on standard input is not a string in JSON")
        }
        let answers = try measures.map { (measure) throws(ToolError) in try Self.answer(text, measure).text }
        writer.buffer.append(answers.joined(separator: "\t") + "\n")
      }
      if pending.count > Self.longestLine { throw .badData("a line on standard input is longer than 1 MiB") }
      try writer.flush()
    }
    return .done
  }

  /// A line of standard input; far above any post or thread.
  private static let longestLine = 1 << 20

  private static func answer(_ text: String, _ measure: Measure) throws(ToolError) -> (text: String, isTooLong: Bool) {
    let length = try measure.limit.length(of: text)
    let name = measure.name.map { Printable.line($0) + ": " } ?? ""
    return ("\(name)\(length) of \(measure.limit.longest)", length > measure.limit.longest)
  }

  private func measures(of targets: [CrossTarget]?) throws(ToolError) -> [Measure] {
    guard let targets else { return [try usual()] }
    return try targets.map { (target) throws(ToolError) in
      (target.name, try TextLimit.longest(rules(target.access), of: target.access.service, isLong: isLong))
    }
  }

  /// The rules of the service that the run is for.
  private func usual() throws(ToolError) -> Measure {
    let (name, account) = (accounts.usualService, accounts.options.identity.account)
    guard let api = ServiceAPIs.named(name) else {
      throw .configuration("TW_SERVICE: service '\(name)' is not one this version knows (\(Services.names))")
    }
    let usual = ServiceAccess(api, base: api.service.usualBase ?? "", token: Secret(""))
    // Most services have the same rules for everybody.
    var access: ServiceAccess?
    if try usual.writing().rulesRequest != nil {
      do throws(ToolError) {
        access = try accounts.access(account, example: "tw-post length 'Hello'")
      } catch {
        guard error.status == .notAllowed, account == nil else { throw error }
      }
    }
    let rules: any PostRules
    if let access { rules = try self.rules(access) } else { rules = try usual.writing() }
    return (nil, try TextLimit(rules, of: name, isLong: isLong))
  }

  private func rules(_ access: ServiceAccess) throws(ToolError) -> any PostRules {
    let rules = try access.postRules(way, needsService: false)
    if rules is any WriteAPI, try access.writing().rulesRequest != nil {
      Diagnostics.note("\(access.service) does not answer: it may allow more or less than usual")
    }
    return rules
  }
}
