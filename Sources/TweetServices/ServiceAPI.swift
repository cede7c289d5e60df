package import Services
package import TweetCore
package import TweetNet

/// What a service says to its servers: values that make requests and read answers, and neither wait nor keep anything.
package protocol ServiceAPI: Sendable {
  var service: any ServiceKind { get }
  /// The API of the service of that name; `nil` if it is not this one, nor one of its kind.
  func named(_ name: String) -> (any ServiceAPI)?
  /// How one signs in at an address of the service.
  func signIn(at base: String) -> SignInService
  /// What requests are authorized with, where a service wants more than an account's own credential.
  func credential(over own: any Credential) -> any Credential
  /// What requests for tokens are authorized with, where a service wants more than the application's own credential.
  func clientCredential(over own: any Credential) -> any Credential
  /// A request that costs nothing and shows whether a token of an application is accepted.
  func tokenCheck(_ access: ServiceAccess) -> HTTPRequest
  /// What an answer that is not 2xx means.
  func refusal(_ answer: HTTPResponse) -> Refusal
  /// The options of ``ReadOptions`` that it has a use for, by their names on the command line.
  var readOptions: Set<String> { get }
  func reading(_ access: ServiceAccess, _ options: ReadOptions) -> any ReadAPI
  /// How it is written to; `nil` where the kit only reads.
  func writing(_ access: ServiceAccess) -> (any WriteAPI)?
  /// Whether something of it can be read without an account.
  var isOpen: Bool { get }
  /// Whether each account has a server of its own, which its sign-in finds.
  var findsServers: Bool { get }
}

extension ServiceAPI {
  package func named(_ name: String) -> (any ServiceAPI)? { name == service.name ? self : nil }
  package func credential(over own: any Credential) -> any Credential { own }
  package func clientCredential(over own: any Credential) -> any Credential { own }
  package var readOptions: Set<String> { [] }
  package var isOpen: Bool { false }
  package var findsServers: Bool { false }
  package func writing(_ access: ServiceAccess) -> (any WriteAPI)? { nil }
}

extension ServiceAPI {
  /// Which addresses the server of an account may have, and those that it names: any where the person has named it,
  /// public ones where the account's sign-in has found it, unless that is on this machine.
  package func addresses(ofAccountAt base: String) throws(ToolError) -> AddressPolicy {
    let address = WebAddress(base)
    return findsServers && address?.isLoopback != true ? try .ofStrangers : .any
  }
}

extension ServiceAccess {
  /// How the service is written to.
  package func writing() throws(ToolError) -> any WriteAPI {
    guard let writing = api.writing(self) else {
      throw .usage("this version only reads service '\(service)'")
    }
    return writing
  }
}

/// A version of an API that has several.
package enum ServiceAPIVersion: String, Sendable, CaseIterable {
  case v2 = "2"
  case v1 = "1.1"
}

/// What a command line says of how a service is read, for those that have several ways.
package struct ReadOptions: Sendable {
  package var version = ServiceAPIVersion.v2
  /// Search all posts there ever were.
  package var searchesArchive = false
  /// Leave the rules of a stream at the service at the end.
  package var keepsRules = false
  /// Ask for messages with their lengths before them.
  package var isDelimited = true
  /// Where live streams are, if not at the service's usual place.
  package var streamServers: [String] = []

  package init() {}

  /// The names of those that differ from what is usual.
  package var names: [String] {
    [
      ("--api", version != .v2), ("--archive", searchesArchive), ("--keep-rules", keepsRules),
      ("--undelimited", !isDelimited),
    ].filter(\.1).map(\.0)
  }
}

/// How a service is read by an account.
package protocol ReadAPI: Sendable {
  /// Refuses before the first request what the account is known not to be allowed.
  func require(_ source: Source) throws(ToolError)
  /// The pages of a source.
  ///
  /// - Throws: `ToolError.usage` if there are none.
  func pages(of source: Source) throws(ToolError) -> any PagedSource
  func lookUps() -> any LookUpSource
  /// How the lists of the account are found; `nil` for a service without such lists.
  func lists() throws(ToolError) -> (any ListFinder)?
  /// One live stream.
  ///
  /// - Parameter sources: of the service's live ones: hashtags, or another one alone.
  func stream(_ sources: [Source]) -> LiveStream
  /// Whether it opens live streams for applications alone, and for no user.
  var givesStreamsToApplicationsAlone: Bool { get }
  /// Why this account surely has no live stream of a source, and what to do about it; `nil` if it may have one. A
  /// source that can be polled is then polled.
  func missingStream(of source: Source) -> String?
  /// Whether many of its servers have no live streams, so that what can be polled is polled then without being asked
  /// for.
  var pollsWithoutStream: Bool { get }
  /// Whether what a stream has missed is fetched without being asked for: it costs nothing there.
  var fillsGaps: Bool { get }
  /// Whether one live stream brings any number of hashtags; else each has one of its own.
  var joinsHashtags: Bool { get }
  /// Milliseconds by which a search lags behind the stream.
  var searchLag: Int { get }
}

extension ReadAPI {
  package func lists() throws(ToolError) -> (any ListFinder)? { nil }
  package var givesStreamsToApplicationsAlone: Bool { false }
  package func missingStream(of source: Source) -> String? { nil }
  package var pollsWithoutStream: Bool { false }
  package var fillsGaps: Bool { false }
  package var joinsHashtags: Bool { true }
}
