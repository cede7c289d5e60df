import Libc
package import TweetCore
package import TweetNet

/// A service, its address, and the credential for it.
package struct ServiceAccess: Sendable {
  /// The id space of its posts, as records name it: `x`, `local`.
  package let service: String
  /// Its URL without a slash at the end.
  package let base: String
  package let token: Secret
  /// The account's name, if it is known: the token does not tell it.
  package let account: String?
  /// Certificate authorities in place of the system's.
  package let caFile: String?

  package init(service: String, base: String, token: Secret, account: String? = nil, caFile: String? = nil) {
    self.service = service
    self.account = account
    self.base = base
    self.token = token
    self.caFile = caFile
  }

  /// What reading costs, for people; `nil` if it costs nothing. X's price since 2026-02 (docs.x.com, "Pricing").
  package var price: String? { service == "x" ? "$0.005 a post as of 2026-02" : nil }

  /// What a person can do who has no token, or whose token the service does not accept.
  static let signInAdvice = "save a valid token in a file and run 'tw config set token-file FILE', or set TW_TOKEN"

  private static let xBase = "https://api.x.com"

  /// Reads `TW_SERVICE`, `TW_ACCOUNT`, `TW_ENDPOINT`, `TW_TOKEN`, `TW_TOKEN_FILE` and `TW_CA_FILE`.
  ///
  /// - Parameters:
  ///   - caFile: the `--cacert` option, which goes before `TW_CA_FILE`.
  ///   - environment: looks a variable up; `nil` when it is unset or empty.
  /// - Throws: `ToolError.notAllowed` without a token, `ToolError.configuration` for a variable that cannot be used,
  ///   `ToolError.noInput` for certificate authorities that cannot be read.
  package static func fromEnvironment(
    caFile: String?, environment: (String) -> String? = Paths.environment
  ) throws(ToolError) -> ServiceAccess {
    let service = environment("TW_SERVICE") ?? "x"
    guard Settings.services.contains(service) else {
      throw .configuration("TW_SERVICE: service '\(service)' is not one this version knows (x, local)")
    }
    guard let endpoint = environment("TW_ENDPOINT") ?? (service == "x" ? xBase : nil) else {
      throw .configuration("TW_ENDPOINT: service 'local' needs its address; 'tw-local -- COMMAND' sets it")
    }
    guard let address = WebAddress(endpoint), address.query == nil, !address.url.contains("#") else {
      throw .configuration("TW_ENDPOINT: '\(endpoint)' is not an http or https address")
    }
    // Every context record contains the address.
    guard !address.hasCredentials else {
      throw .configuration("TW_ENDPOINT: no user name or password may stand in the address; tokens go into TW_TOKEN")
    }
    guard address.scheme == "https" || address.isLoopback else {
      throw .configuration("TW_ENDPOINT: credentials go only over https or to this machine, not to '\(endpoint)'")
    }
    var token = environment("TW_TOKEN")
    if token == nil, let path = environment("TW_TOKEN_FILE") { token = try readToken(from: path) }
    guard let token else {
      throw .notAllowed(
        "not signed in to service '\(service)': \(Self.signInAdvice); or try it all without an account: "
          + "tw-local --demo -- \(CommandLine.arguments.first.map(lastComponent(of:)) ?? "tw-stream") '#swift'")
    }
    guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .configuration("the token for service '\(service)' has white space or other characters that no token has")
    }
    var base = address.url
    while base.hasSuffix("/") { base.removeLast() }
    let authorities = caFile ?? environment("TW_CA_FILE")
    if let authorities { try checkReadable(authorities) }
    return ServiceAccess(
      service: service, base: base, token: Secret(token), account: environment("TW_ACCOUNT"), caFile: authorities)
  }

  private static func lastComponent(of path: String) -> String {
    String(path.split(separator: "/").last ?? "tw-stream")
  }

  /// Checks what libcurl would report only at the first connection, as a fault of the service's certificate.
  private static func checkReadable(_ path: String) throws(ToolError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .noInput("cannot open '\(path)': \(describe(errno: errno))") }
    close(descriptor)
  }

  /// The first line of the file, without the white space around it.
  private static func readToken(from path: String) throws(ToolError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .configuration("TW_TOKEN_FILE: cannot open '\(path)': \(describe(errno: errno))")
    }
    defer { close(descriptor) }
    // Tokens have some hundred bytes; a file that does not fit is another kind of file.
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .configuration("TW_TOKEN_FILE: cannot read '\(path)': \(describe(errno: errno))") }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    guard let line = text.split(whereSeparator: \.isNewline).first(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw .configuration("TW_TOKEN_FILE: '\(path)' holds no token")
    }
    return String(line.drop(while: \.isWhitespace).prefix { !$0.isWhitespace })
  }
}
