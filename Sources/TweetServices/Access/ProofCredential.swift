import Synchronization
package import TweetAccounts
import TweetCore
package import TweetNet

/// Proves with each request that its sender has the key which tokens are bound to (DPoP, RFC 9449).
///
/// A proof is for one request: its method, its address, the time, and the token. Each server adds a number of its own
/// (a nonce), which changes every few minutes; whoever has an old one is told the new one, and sends the request once
/// more.
package final class ProofCredential: Credential {
  let key: ES256Key
  package let origin: String
  private let servers = Mutex<[String: Server]>([:])

  /// What is known of a server, by its origin.
  private struct Server {
    var nonce: String?
    /// By how many milliseconds this machine's clock is ahead, where that matters.
    var ahead: Int64 = 0
  }

  /// Servers take proofs that are a minute or some minutes old, and date their answers to the second. By less than this
  /// many milliseconds clocks need not agree.
  private static let tolerance: Int64 = 30_000
  /// Bytes. Servers send some forty.
  private static let longestNonce = 1024

  /// - Parameter server: an address of the server that it is for.
  package init(_ key: ES256Key, at server: String) { (self.key, origin) = (key, WebAddress.origin(of: server)) }

  /// Adds the proof. If the request has a token already, it is in it.
  package func authorize(_ request: inout HTTPRequest) throws(TransferError) {
    guard let address = request.address else { throw TransferError(.badURL, "not an http or https URL") }
    let server = servers.withLock { $0[address.origin] ?? Server() }
    let proof: String
    do throws(ToolError) {
      let token = request.authorization?.exposed.split(separator: " ", maxSplits: 1).last.map(String.init)
      let hash = try token.map { (text) throws(ToolError) in try Crypto.digest(text) }
      let id = try Crypto.newToken()
      var claims = ByteBuffer()
      claims.object { out in
        out.member("jti", id)
        out.member("htm", request.method.rawValue)
        out.member("htu", address.origin + address.path)
        out.member("iat", Int((Timestamp.now.milliseconds - server.ahead) / 1000))
        out.member("nonce", server.nonce)
        out.member("ath", hash)
      }
      proof = try key.signed(type: "dpop+jwt", claims: claims.array)
    } catch {
      throw TransferError(credential: error)
    }
    request.setHeaders([HTTPHeader("DPoP", proof)])
    request.secrets.append(Secret(proof))
  }

  package func learn(from answer: HTTPResponse, to request: HTTPRequest) -> Bool {
    guard let origin = request.address?.origin else { return false }
    let nonce = answer.headers["dpop-nonce"].flatMap {
      $0.utf8.count <= Self.longestNonce && Secret($0).isToken ? $0 : nil
    }
    let ahead = answer.clockDifference
    servers.withLock { servers in
      if let nonce { servers[origin, default: Server()].nonce = nonce }
      if let ahead { servers[origin, default: Server()].ahead = abs(ahead) < Self.tolerance ? 0 : ahead }
    }
    switch Self.fault(in: answer) {
    case "use_dpop_nonce": return nonce != nil
    case "invalid_dpop_proof": return Self.wasMistimed(request, ahead)
    default: return false
    }
  }

  /// Whether a refusal is of the proof, and not of the token.
  static func isRefused(_ answer: HTTPResponse) -> Bool {
    ["use_dpop_nonce", "invalid_dpop_proof"].contains(fault(in: answer))
  }

  /// The error of a refusal: at the server that gives out tokens it is in the answer, elsewhere in a field of its head
  /// (RFC 9449 §8, §9).
  private static func fault(in answer: HTTPResponse) -> String? {
    guard [400, 401].contains(answer.status) else { return nil }
    if let field = answer.headers.values("www-authenticate").first(where: { $0.lowercased().hasPrefix("dpop") }),
      let found = field.split(separator: "error=\"", maxSplits: 1).dropFirst().first
    {
      return String(found.prefix { $0 != "\"" })
    }
    return (try? JSONDocument(answer.body))?["error"]?.string
  }

  /// Whether the time of the proof was not the server's.
  private static func wasMistimed(_ request: HTTPRequest, _ ahead: Int64?) -> Bool {
    let parts = request.headers.first { $0.name == "DPoP" }?.value.split(separator: ".") ?? []
    guard let ahead, parts.count == 3, let claims = Crypto.bytes(base64: String(parts[1])),
      let time = (try? JSONDocument(claims))?["iat"]?.integer
    else { return false }
    return abs(Int64(time) * 1000 - (Timestamp.now.milliseconds - ahead)) >= tolerance
  }
}
