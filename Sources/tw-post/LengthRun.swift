import KnownAPIs
import KnownServices
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices
import TweetSources

/// Prints how long a text is, and how long it may be. Nobody need be signed in; where somebody is, a server is asked whose rules
/// are its own.
struct LengthRun {
  let way: WritingWay
  let settings: Settings
  let options: AccessOptions
  let isLong: Bool

  /// At the service that the run is for.
  func run(_ text: String) throws(ToolError) -> ExitStatus {
    let name =
      ServiceAccess.serviceName(account: options.identity.account, environment: settings.variable)
      ?? Services.usual.name
    guard let api = ServiceAPIs.named(name) else {
      throw .configuration("TW_SERVICE: service '\(name)' is not one this version knows (\(Services.names))")
    }
    let usual = ServiceAccess(api, base: api.service.usualBase ?? "", token: Secret(""))
    // Most services have the same rules for everybody.
    var access: ServiceAccess?
    if try usual.writing().rulesRequest != nil {
      do throws(ToolError) {
        access = try ServiceAccess.fromEnvironment(
          ServiceAPIs.all, caFile: options.caFile, account: options.identity.account, example: "tw-post length 'Hello'",
          environment: settings.variable)
      } catch {
        guard error.status == .notAllowed, options.identity.account == nil else { throw error }
      }
    }
    var writer = RecordWriter()
    let rules: any PostRules
    if let access { rules = try self.rules(access) } else { rules = try usual.writing() }
    let limit = try TextLimit(rules, of: name, isLong: isLong)
    let length = try limit.length(of: text)
    writer.buffer.append("\(length) of \(limit.longest)\n")
    try writer.flush()
    return length > limit.longest ? .badData : .done
  }

  /// At several, a line each.
  func run(_ text: String, at targets: [CrossTarget]) throws(ToolError) -> ExitStatus {
    var writer = RecordWriter()
    var isTooLong = false
    for target in targets {
      let rules = try rules(target.access)
      let limit = try TextLimit.longest(rules, of: target.access.service, isLong: isLong)
      let length = try limit.length(of: text)
      if length > limit.longest { isTooLong = true }
      writer.buffer.append("\(Printable.line(target.name)): \(length) of \(limit.longest)\n")
    }
    try writer.flush()
    return isTooLong ? .badData : .done
  }

  private func rules(_ access: ServiceAccess) throws(ToolError) -> any PostRules {
    let rules = try access.postRules(way, needsService: false)
    if rules is any WriteAPI, try access.writing().rulesRequest != nil {
      Diagnostics.note("\(access.service) does not answer: it may allow more or less than usual")
    }
    return rules
  }
}
