import Libc
package import TweetCore
package import TweetNet

extension ServiceAccess {
  /// The token that the environment or the settings have of a service.
  package static func givenToken(_ variables: ServiceVariables) throws(ToolError) -> Secret? {
    var text = variables.token
    if text == nil, let path = variables.tokenFile { text = try readToken(from: path) }
    guard let text else { return nil }
    let token = Secret(bearer: text)
    guard token.isToken else {
      throw .configuration(
        "the token for service '\(variables.service)' has white space or other characters that no token has")
    }
    return token
  }

  /// The first line of the file, without the white space around it.
  private static func readToken(from path: String) throws(ToolError) -> String {
    guard let file = Descriptor(path, O_RDONLY) else {
      throw .configuration("TW_TOKEN_FILE: cannot open '\(path)'", errno)
    }
    try FileTrust.require(file.number, at: path)
    // Tokens have some hundred bytes; a file that does not fit is another kind of file.
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = read(file.number, &bytes, bytes.count)
    guard count >= 0 else { throw .configuration("TW_TOKEN_FILE: cannot read '\(path)'", errno) }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    guard let line = text.split(whereSeparator: \.isNewline).first(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw .configuration("TW_TOKEN_FILE: '\(path)' holds no token")
    }
    return String(line)
  }
}

extension Credential {
  /// The token that requests to an address carry; `nil` where each request is signed or proved.
  package func token(for base: String) throws(TransferError) -> Secret? {
    var request = HTTPRequest(.get, base, reaching: .any)
    try authorize(&request)
    // A token that is bound to a key is of no use to others.
    guard let field = request.authorization, field.exposed.hasPrefix("Bearer ") else { return nil }
    return Secret(bearer: field.exposed)
  }
}

extension Secret {
  /// A token as people keep it: `AAA`, `Bearer AAA` or `bearer AAA`, with white space around it.
  package init(bearer text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard words.count == 2, words[0].lowercased() == "bearer" else {
      self.init(words.count == 1 ? String(words[0]) : text)
      return
    }
    self.init(String(words[1]))
  }
}
