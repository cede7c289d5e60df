import Services
import TweetCore
import TweetNet
import TweetServices

/// An account of the AT Protocol: its DID, the handle that it says it has, and the server that has its records.
struct BlueskyIdentity: Sendable, Equatable {
  let did: String
  /// `nil` where handle and document do not name each other.
  let handle: String?
  /// Its server (PDS): a URL without a slash at its end.
  let server: String
  /// Which addresses the name of that server may have, as others have said which it is.
  let addresses: AddressPolicy
}

/// Finds accounts as AT Protocol says, "Handle" and "DID". It waits for the answers.
struct BlueskyIdentities {
  /// Documents of DIDs have some kilobytes.
  private static let usualDirectory = "https://plc.directory"

  /// An AppView, or another server that resolves handles.
  private let requests: BlueskyRequests
  /// Where the documents of `did:plc` are.
  private let directory: String
  private let caFile: String?

  /// - Parameters:
  ///   - base: the server that resolves handles.
  ///   - directory: where the documents of DIDs are, if not at the usual place.
  init(at base: String, directory: String?, caFile: String?) throws(ToolError) {
    let access = ServiceAccess(anonymous: BlueskyAPI(), base: base, caFile: caFile)
    requests = BlueskyRequests(access)
    self.directory =
      try directory.map { (text) throws(ToolError) in try ServiceAccess.checkedBase(text) }
      ?? Self.usualDirectory
    self.caFile = caFile
  }

  /// The account that a person has named.
  static func find(named name: String, at base: String, caFile: String?) throws(ToolError) -> BlueskyIdentity {
    guard let account = AccountName(name.hasPrefix("@") ? name.dropFirst() : name[...]) else {
      throw .usage("'\(name)' is not the name of an account (a handle such as alice.example, or a DID)")
    }
    let directory = Paths.environment("TW_DIRECTORY_BLUESKY")
    return try BlueskyIdentities(at: base, directory: directory, caFile: caFile).find(account)
  }

  /// The account that a handle or a DID names. The document must name the handle, or anybody could have any name.
  func find(_ name: AccountName) throws(ToolError) -> BlueskyIdentity {
    let did = name.isDID ? name.text : try self.did(of: name.text)
    let document = try self.document(of: did)
    let names = document.list("alsoKnownAs").compactMap(\.string).filter { $0.hasPrefix("at://") }
      .compactMap { AccountName($0.dropFirst(5))?.text }
    if !name.isDID, !names.contains(name.text) {
      throw .notAllowed("the account \(did) does not say that '\(name.text)' is its name: nobody knows whose it is")
    }
    guard document["id"]?.string == did else { throw .refused("the document of \(did) is that of another account") }
    return BlueskyIdentity(
      did: did, handle: name.isDID ? nil : name.text, server: try Self.server(in: document, of: did, near: directory),
      addresses: try addresses())
  }

  /// Strangers' documents name public servers; those of a directory on this machine are for tests.
  private func addresses() throws(ToolError) -> AddressPolicy {
    if Self.isHere(directory) { return .any }
    return try .ofStrangers
  }

  private func did(of handle: String) throws(ToolError) -> String {
    let answer = try SignInRequest.send(requests.resolve(handle))
    if answer.isSuccess, let document = try? JSONDocument(answer.body),
      let did = document["did"]?.string.flatMap({ AccountName($0) }), did.isDID
    {
      return did.text
    }
    // The domain itself may know what that server does not.
    var own = HTTPRequest(.get, "https://\(handle)/.well-known/atproto-did", reaching: try addresses())
    own.caFile = caFile
    let text = (try? SignInRequest.send(own)).flatMap { $0.isSuccess ? String(decoding: $0.body, as: UTF8.self) : nil }
    let line = text?.split(whereSeparator: \.isNewline).first.map { $0.filter { !$0.isWhitespace } }
    if let line, let did = AccountName(line), did.isDID { return did.text }
    let problem = Refusal(bluesky: answer)
    if problem.meaning != .final { throw problem.error }
    throw .refused("there is no account '\(handle)': \(problem.text)")
  }

  private func document(of did: String) throws(ToolError) -> JSONDocument {
    var request: HTTPRequest
    if did.hasPrefix("did:plc:") {
      request = HTTPRequest(.get, "\(directory)/\(did)", reaching: .any)
    } else {
      // did:web:example.com, or with a port on this machine, whose documents only a directory of this machine names.
      let host = PercentEncoding.decode(String(did.dropFirst(8)))
      let isLocal = Self.isHere(directory) && (host == "localhost" || host.hasPrefix("localhost:"))
      request = HTTPRequest(
        .get, "\(isLocal ? "http" : "https")://\(host)/.well-known/did.json",
        reaching: isLocal ? .any : try .ofStrangers)
    }
    request.caFile = caFile
    let answer = try SignInRequest.send(request)
    guard answer.isSuccess, let document = try? JSONDocument(answer.body), document.isObject else {
      throw SignInRequest.refusal(answer, "there is no document of the account \(did) (HTTP \(answer.status))")
    }
    return document
  }

  /// - Parameter directory: a document of the network must not name a server on this machine.
  private static func server(
    in document: JSONDocument, of did: String, near directory: String
  ) throws(ToolError) -> String {
    let services = document.list("service")
    let found = services.first {
      ($0["id"]?.equals("#atproto_pds") == true || $0["id"]?.string == "\(did)#atproto_pds")
        && $0["type"]?.equals("AtprotoPersonalDataServer") == true
    }
    guard let endpoint = found?["serviceEndpoint"]?.string, let address = WebAddress(endpoint),
      address.scheme == "https" || address.isLoopback && isHere(directory)
    else { throw .refused("the account \(did) names no server that has it") }
    return try ServiceAccess.checkedBase(endpoint)
  }

  private static func isHere(_ directory: String) -> Bool { WebAddress(directory)?.isLoopback == true }
}
