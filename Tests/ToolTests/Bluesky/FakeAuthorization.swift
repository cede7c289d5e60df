// swift-format-ignore-file: NeverForceUnwrap

import CCrypto
import Foundation
import Synchronization
import TestSupport
import Testing

/// A server that signs accounts in as the AT Protocol asks, and what a PDS does to check its tokens. It forgives
/// nothing: what a specification forbids is refused, and noted in ``State/faults``.
final class FakeAuthorization: Sendable {
  struct Proof: Sendable {
    let jwt, method, url: String
    let token: String?
  }

  struct State: Sendable {
    /// What was wrong with requests, beside the first lack of a nonce.
    var faults: [String] = []
    /// All proofs that came, for another judge.
    var proofs: [Proof] = []
    /// The nonce that each server takes.
    var nonces: [String: String] = [:]
    /// How often a server asked for another nonce.
    var asked: [String: Int] = [:]
    var proofIDs: Set<String> = []
    /// Wishes that were pushed, by their references.
    var wishes: [String: [String: String]] = [:]
    /// The wish that a code is for.
    var codes: [String: (wish: [String: String], key: String)] = [:]
    /// The key that pushed a wish.
    var keys: [String: String] = [:]
    /// The key that the tokens are bound to.
    var key = ""
    var scope = ""
    /// The number of the tokens; -1 when there is no session.
    var number = -1
    /// Refresh tokens that were spent.
    var spent: [String] = []
    var revoked: [String] = []
    /// Seconds that a token lives.
    var lifetime = 3600
    /// Whether the PDS takes the tokens that there are.
    var isExpired = false
    var refreshDelay = 0.0
    /// By how many seconds the servers' clocks are ahead.
    var clock = 0
    /// Whether a nonce is for one request.
    var changesNonces = false
    /// Whether a server looks at the time of a proof before it asks for a nonce.
    var looksAtTimeFirst = false
    // What a wrong or a hostile server says.
    var subject = FakePDS.did
    var answersAs: String?
    var tokenType = "DPoP"
    var granted: String?
    /// Members in the place of those of its metadata; an empty text takes one out.
    var metadata: [String: String] = [:]
  }

  let state = Mutex(State())
  private let box = Mutex<LoopbackServer?>(nil)
  var server: LoopbackServer { box.withLock { $0! } }
  var base: String { server.base }

  init() throws {
    let server = try LoopbackServer { [weak self] request, connection in self?.serve(request, connection) }
    box.withLock { $0 = server }
  }

  // MARK: What a person does

  /// Allows what the page asks for.
  ///
  /// - Returns: where the browser goes then.
  func allow(_ page: String) throws -> String {
    let parts = try #require(URLComponents(string: page))
    let names = (parts.queryItems ?? []).map(\.name).sorted()
    guard page.hasPrefix("\(base)/oauth/authorize?"), names == ["client_id", "request_uri"] else {
      throw Misuse("the page is \(page)")
    }
    func value(_ name: String) -> String { parts.queryItems?.first { $0.name == name }?.value ?? "" }
    return try state.withLock { state in
      guard let wish = state.wishes.removeValue(forKey: value("request_uri")), wish["client_id"] == value("client_id")
      else { throw Misuse("no such wish") }
      let code = "cod-\(state.codes.count)"
      state.codes[code] = (wish, state.keys[value("request_uri")] ?? "")
      let form = [("iss", state.answersAs ?? base), ("state", wish["state"] ?? ""), ("code", code)]
      return wish["redirect_uri", default: ""] + "?"
        + form.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)" }
        .joined(separator: "&")
    }
  }

  struct Misuse: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  // MARK: The server

  private func serve(_ request: LoopbackServer.Request, _ connection: TestSupport.Connection) {
    connection.fields += [dateField, "Content-Type: application/json"]
    switch request.path {
    case "/.well-known/oauth-authorization-server":
      connection.answer(200, metadata)
    case "/oauth/par", "/oauth/token", "/oauth/revoke":
      let form = Self.form(request.body)
      if request["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") != true { note("no form") }
      let (fault, key) = check(request, at: base, token: nil)
      connection.fields += nonceField(of: base)
      if let fault {
        return connection.answer(400, #"{"error":"\#(fault.code)","error_description":"\#(fault.text)"}"#)
      }
      switch request.path {
      case "/oauth/par": push(form, key, connection)
      case "/oauth/token": give(form, key, connection)
      default:
        state.withLock { $0.revoked.append(form["token"] ?? "") }
        connection.answer(200)
      }
    default: connection.answer(404)
    }
  }

  private var metadata: String {
    var members = [
      "issuer": "\"\(base)\"", "pushed_authorization_request_endpoint": "\"\(base)/oauth/par\"",
      "authorization_endpoint": "\"\(base)/oauth/authorize\"", "token_endpoint": "\"\(base)/oauth/token\"",
      "revocation_endpoint": "\"\(base)/oauth/revoke\"", "require_pushed_authorization_requests": "true",
      "scopes_supported": #"["atproto","transition:generic"]"#, "response_types_supported": #"["code"]"#,
      "grant_types_supported": #"["authorization_code","refresh_token"]"#,
      "code_challenge_methods_supported": #"["S256"]"#, "dpop_signing_alg_values_supported": #"["ES256"]"#,
      "authorization_response_iss_parameter_supported": "true", "client_id_metadata_document_supported": "true",
    ]
    for (name, value) in state.withLock(\.metadata) { members[name] = value.isEmpty ? nil : value }
    return "{\(members.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
  }

  private func push(_ form: [String: String], _ key: String, _ connection: TestSupport.Connection) {
    let client = URLComponents(string: form["client_id"] ?? "")
    func value(_ name: String) -> String? { client?.queryItems?.first { $0.name == name }?.value }
    let redirect = form["redirect_uri"].flatMap { URLComponents(string: $0) }
    var portless = redirect
    portless?.port = nil
    let scopes = Set((form["scope"] ?? "").split(separator: " "))
    let isRight =
      client?.scheme == "http" && client?.host == "localhost" && client?.port == nil
      && ["", "/"].contains(client?.path) && value("redirect_uri") == portless?.string
      && ["127.0.0.1", "::1"].contains(redirect?.host) && form["response_type"] == "code"
      && form["code_challenge_method"] == "S256" && form["code_challenge"]?.count == 43
      && (form["state"]?.count ?? 0) >= 22 && scopes.contains("atproto")
      && scopes.isSubset(of: (value("scope") ?? "").split(separator: " ")) && form["login_hint"] != nil
    guard isRight else {
      note("the wish is \(form)")
      return connection.answer(400, #"{"error":"invalid_request","error_description":"no"}"#)
    }
    let reference = state.withLock { state in
      let reference = "urn:ietf:params:oauth:request_uri:req-\(state.wishes.count + state.codes.count)"
      (state.wishes[reference], state.keys[reference]) = (form, key)
      return reference
    }
    connection.answer(201, #"{"request_uri":"\#(reference)","expires_in":299}"#)
  }

  private func give(_ form: [String: String], _ key: String, _ connection: TestSupport.Connection) {
    let (answer, delay): (String?, Double) = state.withLock { state in
      switch form["grant_type"] {
      case "authorization_code":
        guard let code = state.codes.removeValue(forKey: form["code"] ?? ""), code.key == key,
          ["redirect_uri", "client_id"].allSatisfy({ form[$0] == code.wish[$0] }),
          Self.hash(form["code_verifier"] ?? "") == code.wish["code_challenge"]
        else { return (nil, 0) }
        (state.key, state.scope) = (key, state.granted ?? code.wish["scope"] ?? "")
        (state.number, state.isExpired) = (state.number + 1, false)
      case "refresh_token":
        let token = form["refresh_token"] ?? ""
        guard token == "ref-\(state.number)", key == state.key else {
          // The session ends when an old token comes again.
          if state.spent.contains(token) { state.number = -1 }
          return (nil, state.refreshDelay)
        }
        state.spent.append(token)
        (state.number, state.isExpired) = (state.number + 1, false)
      default: return (nil, 0)
      }
      return (
        #"{"access_token":"tok-\#(state.number)","token_type":"\#(state.tokenType)","refresh_token":"ref-\#(state.number)","#
          + #""scope":"\#(state.scope)","sub":"\#(state.subject)","expires_in":\#(state.lifetime)}"#, state.refreshDelay
      )
    }
    connection.pause(delay)
    guard let answer else {
      return connection.answer(400, #"{"error":"invalid_grant","error_description":"Refresh token replayed"}"#)
    }
    connection.answer(200, answer)
  }

  // MARK: The part of a PDS

  /// Checks a request to a PDS, and answers it if it is not to be carried out.
  ///
  /// - Returns: whether it is.
  func admits(
    _ request: LoopbackServer.Request, _ method: String, at pds: String, _ connection: TestSupport.Connection
  ) -> Bool {
    connection.fields += [dateField]
    let token = request["Authorization"].map { String($0.dropFirst(5)) }
    let (fault, key) = check(request, at: pds, token: token)
    connection.fields += nonceField(of: pds)
    func refuse(_ code: String, _ text: String) -> Bool {
      connection.answer(
        401, #"{"error":"\#(code)","message":"\#(text)"}"#, headers: ["WWW-Authenticate: DPoP error=\"\(code)\""])
      return false
    }
    if let fault { return refuse(fault.code, fault.text) }
    let (isGood, scope) = state.withLock { state in
      (token == "tok-\(state.number)" && key == state.key && !state.isExpired, state.scope)
    }
    guard isGood else { return refuse("invalid_token", "the token is not valid") }
    guard Self.allows(scope, method, request) else {
      note("\(method) is not in the scopes")
      connection.answer(403, #"{"error":"ScopeMissingError","message":"\#(method)"}"#)
      return false
    }
    return true
  }

  /// Whether scopes allow a method, as "Permissions" of the AT Protocol has it.
  private static func allows(_ scope: String, _ method: String, _ request: LoopbackServer.Request) -> Bool {
    func values(_ kind: String, _ name: String) -> [String] {
      scope.split(separator: " ").filter { $0.hasPrefix(kind + "?") }.flatMap { text in
        (URLComponents(string: "x:/" + text.dropFirst(kind.count))?.queryItems ?? []).filter { $0.name == name }
          .compactMap(\.value)
      }
    }
    if method.hasPrefix("app.bsky.") {
      return values("rpc", "lxm").contains(method) && values("rpc", "aud") == [request["atproto-proxy"] ?? "-"]
    }
    if method == "com.atproto.repo.uploadBlob" {
      let kind = request["Content-Type"]?.split(separator: "/").first.map { "\($0)/*" } ?? "-"
      return values("blob", "accept").contains(kind)
    }
    guard ["com.atproto.repo.putRecord", "com.atproto.repo.deleteRecord"].contains(method) else { return true }
    let input = try? JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any]
    return values("repo", "collection").contains(input?["collection"] as? String ?? "-")
  }

  // MARK: Proofs

  private typealias Fault = (code: String, text: String)

  /// - Returns: what is wrong with the proof of a request, and the key that it is of.
  private func check(
    _ request: LoopbackServer.Request, at origin: String, token: String?
  ) -> (Fault?, String) {
    let fields = request.head.components(separatedBy: "\r\n").filter { $0.lowercased().hasPrefix("dpop:") }
    func wrong(_ text: String) -> (Fault?, String) {
      note("\(request.target): \(text)")
      return (("invalid_dpop_proof", text), "")
    }
    guard fields.count == 1 else { return wrong("\(fields.count) proofs") }
    let jwt = fields[0].dropFirst(5).trimmingCharacters(in: .whitespaces)
    let parts = jwt.components(separatedBy: ".")
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let jwk = header["jwk"] as? [String: String]
    else { return wrong("no JWT") }
    let url = origin + (request.path.components(separatedBy: "?").first ?? "")
    state.withLock { $0.proofs.append(Proof(jwt: jwt, method: request.method, url: url, token: token)) }
    guard header["typ"] as? String == "dpop+jwt", header["alg"] as? String == "ES256", jwk["kty"] == "EC",
      jwk["crv"] == "P-256", jwk.count == 4, let x = Self.bytes(jwk["x"] ?? ""), let y = Self.bytes(jwk["y"] ?? ""),
      let signature = Self.bytes(parts[2])
    else { return wrong("the header is \(header)") }
    guard Self.isSigned("\(parts[0]).\(parts[1])", by: x, y, signature) else { return wrong("the signature is wrong") }
    guard claims["htm"] as? String == request.method, claims["htu"] as? String == url else {
      return wrong("it is for another request: \(claims)")
    }
    guard claims["ath"] as? String == token.map(Self.hash) else { return wrong("it is for another token") }
    let id = claims["jti"] as? String ?? ""
    guard id.count >= 16, state.withLock({ $0.proofIDs.insert(id).inserted }) else { return wrong("it came before") }
    let now = Int(Date.now.timeIntervalSince1970) + state.withLock(\.clock)
    let isTimely = (claims["iat"] as? Int).map { abs($0 - now) <= 60 } ?? false
    let mistimed: (Fault?, String) = (("invalid_dpop_proof", "its time is not now"), "")
    if !isTimely, state.withLock(\.looksAtTimeFirst) { return mistimed }
    let isKnown = state.withLock { state in
      let right = state.nonces[origin]
      if right == nil || state.changesNonces {
        state.nonces[origin] = "nonce-\(origin.suffix(4))-\(state.proofIDs.count)"
      }
      if right == nil || claims["nonce"] as? String != right {
        state.asked[origin, default: 0] += 1
        return false
      }
      return true
    }
    guard isKnown else { return (("use_dpop_nonce", "another nonce is needed"), "") }
    guard isTimely else { return mistimed }
    return (nil, "\(jwk["x"] ?? "").\(jwk["y"] ?? "")")
  }

  private func note(_ fault: String) { state.withLock { $0.faults.append(fault) } }

  private func nonceField(of origin: String) -> [String] {
    state.withLock { $0.nonces[origin] }.map { ["DPoP-Nonce: \($0)"] } ?? []
  }

  private var dateField: String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "GMT")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return "Date: " + format.string(from: Date(timeIntervalSinceNow: Double(state.withLock(\.clock))))
  }

  private static func form(_ text: String) -> [String: String] {
    var form: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.replacing("+", with: " ").removingPercentEncoding ?? ""
      }
      form[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    return form
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    if text.contains("=") || text.contains("+") || text.contains("/") { return nil }
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)).map { Array($0) }
  }

  private static func object(_ text: String) -> [String: Any]? {
    bytes(text).flatMap { try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
  }

  private static func hash(_ text: String) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 0
    EVP_Digest(Array(text.utf8), text.utf8.count, &digest, &length, EVP_sha256(), nil)
    return Data(digest).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }

  /// Whether a signature of ES256 is that of a public key.
  private static func isSigned(_ text: String, by x: [UInt8], _ y: [UInt8], _ signature: [UInt8]) -> Bool {
    guard x.count == 32, y.count == 32, signature.count == 64 else { return false }
    // What stands before the point of each public key of P-256 (RFC 5480).
    let head = bytes("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE") ?? []
    let der = head + x + y
    let pair = ECDSA_SIG_new()
    defer { ECDSA_SIG_free(pair) }
    ECDSA_SIG_set0(
      pair, BN_bin2bn(Array(signature[..<32]), 32, nil), BN_bin2bn(Array(signature[32...]), 32, nil))
    var encoded = [UInt8](repeating: 0, count: 128)
    let length = encoded.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return i2d_ECDSA_SIG(pair, &start)
    }
    let key = der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return d2i_PUBKEY(nil, &start, der.count)
    }
    defer { EVP_PKEY_free(key) }
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    let bytes = Array(text.utf8)
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, encoded, Int(length), bytes, bytes.count) == 1
  }
}
