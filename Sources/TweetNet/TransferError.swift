import CCurl
import Libc
package import TweetCore

/// Why a request has no answer.
package struct TransferError: Error, Sendable, Equatable {
  /// What ``code`` is made from.
  package enum Kind: String, Sendable, CaseIterable {
    /// Connecting, or the whole transfer, took too long.
    case timeout
    /// Connected, but not a byte came for `HTTPRequest.silenceTimeout`.
    case silence
    /// The host's name could not be looked up: the resolver failed or was silent. It says nothing of the name.
    case dns
    /// The resolver says that the name does not exist.
    case noSuchHost = "no-such-host"
    /// This machine has no descriptors or memory for it: nothing was sent.
    case noResources = "no-resources"
    case refused
    case unreachable
    case tls
    case privateAddress = "private-address"
    /// The connection broke, or closed before the answer was complete.
    case lostConnection = "lost-connection"
    /// The answer is not HTTP, or breaks its rules.
    case protocolError = "protocol"
    case badURL = "bad-url"
    case proxy
    /// A credential would have been sent in the clear to another machine, or to another server than its own.
    case insecureCredential = "insecure"
    /// Nothing was sent: the host refused other requests, and wants a longer rest than this one waits for.
    case limited
    /// There is no credential to send; ``TransferError/cause`` says how a tool ends for it.
    case noCredential = "no-credential"
    /// Anything else libcurl reports; the text says what.
    case other = "failed"
  }

  /// What is wrong with a certificate or a TLS connection, where that is known.
  package enum TLSFault: String, Sendable, CaseIterable {
    case expired = "tls-expired"
    case notYetValid = "tls-not-yet-valid"
    /// The certificate is that of another host.
    case wrongName = "tls-wrong-name"
    case selfSigned = "tls-self-signed"
    /// Nobody whom this machine trusts has signed the certificate, or the server does not send what lies between.
    case unknownIssuer = "tls-unknown-issuer"
    case revoked = "tls-revoked"
    /// The server speaks only versions of TLS that are not safe any more.
    case oldProtocol = "tls-old-protocol"
    /// The file of certificate authorities on this machine cannot be read.
    case noAuthorities = "tls-no-authorities"
  }

  package var kind: Kind
  /// Of the kind `.tls`.
  package var tlsFault: TLSFault?
  /// A message for people: lower case, no full stop. It can contain a stranger's host name: make it printable before
  /// printing.
  package var text: String
  /// Whether a 2xx answer had begun.
  package var isInsideAnswer = false
  /// Whether surely no byte of the request was sent, on whichever connection.
  package internal(set) var isUnsent = false
  /// Of the kind `.limited`: after how many seconds the host may be asked again.
  package var retryAfter: Int?
  /// The error that ends the tool, where that is known: trying again does not help.
  package var cause: ToolError?

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// That a credential cannot be read, renewed or stored.
  package init(credential error: ToolError) {
    self.init(.noCredential, error.message ?? "no credential")
    cause = error
  }

  /// The same error of a request that was not sent, unless `isSending` says that it may have been.
  func sent(_ isSending: Bool) -> TransferError {
    var error = self
    error.isUnsent = !isSending
    return error
  }

  /// Whether it says something of this machine or its proxy, and nothing of the server.
  package var isLocal: Bool { kind == .noResources || kind == .proxy || tlsFault == .noAuthorities }

  /// The short code that records carry in `error`.
  package var code: String { tlsFault?.rawValue ?? kind.rawValue }
}

extension TransferError {
  /// - Parameters:
  ///   - result: what libcurl ended the transfer with.
  ///   - systemError: the `errno` of the last failed connect, 0 if none.
  ///   - target: where the transfer was going.
  ///   - detail: libcurl's own longer text, empty if it left none.
  init(result: CURLcode, systemError: Int, target: HostPort, detail: String) {
    var text = detail.isEmpty ? String(cString: curl_easy_strerror(result)) : detail
    if result == CURLE_COULDNT_CONNECT, systemError != 0 {
      // libcurl's own text leaves the reason out.
      let reason = describe(errno: Int32(truncatingIfNeeded: systemError))
      text = "cannot connect to '\(target.host)' port \(target.port): \(reason)"
    }
    // An abbreviation such as SSL keeps its capital.
    let isWord = text.dropFirst().first?.isLowercase == true
    self.init(
      Kind(result: result, systemError: systemError), isWord ? text.prefix(1).lowercased() + text.dropFirst() : text)
  }
}

extension TransferError.TLSFault {
  /// - Parameters:
  ///   - result: what libcurl ended the transfer with.
  ///   - verification: CURLINFO_SSL_VERIFYRESULT, which is OpenSSL's (x509_vfy.h). Other TLS libraries give 0.
  ///   - detail: libcurl's own longer text. That a name does not match is in it alone, as is OpenSSL's reason for the
  ///     end
  ///     of a handshake.
  init?(result: CURLcode, verification: Int, detail: String) {
    switch (result, verification) {
    case (CURLE_PEER_FAILED_VERIFICATION, 9): self = .notYetValid
    case (CURLE_PEER_FAILED_VERIFICATION, 10): self = .expired
    case (CURLE_PEER_FAILED_VERIFICATION, 18): self = .selfSigned
    case (CURLE_PEER_FAILED_VERIFICATION, 2), (CURLE_PEER_FAILED_VERIFICATION, 19),
      (CURLE_PEER_FAILED_VERIFICATION, 20),
      (CURLE_PEER_FAILED_VERIFICATION, 21):
      self = .unknownIssuer
    case (CURLE_PEER_FAILED_VERIFICATION, 23): self = .revoked
    case (CURLE_PEER_FAILED_VERIFICATION, 62), (CURLE_PEER_FAILED_VERIFICATION, 64): self = .wrongName
    case (CURLE_PEER_FAILED_VERIFICATION, _) where detail.contains("match"): self = .wrongName
    case (CURLE_SSL_CACERT_BADFILE, _): self = .noAuthorities
    case (CURLE_SSL_CONNECT_ERROR, _)
    where detail.contains("unsupported protocol") || detail.contains("alert protocol version"):
      self = .oldProtocol
    default: return nil
    }
  }
}

extension TransferError.Kind {
  fileprivate init(result: CURLcode, systemError: Int) {
    switch result {
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_COULDNT_RESOLVE_HOST: self = .dns
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxy
    case CURLE_COULDNT_CONNECT:
      switch Int32(truncatingIfNeeded: systemError) {
      case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: self = .unreachable
      case ETIMEDOUT: self = .timeout
      default: self = .refused
      }
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED:
      self = .tls
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = .lostConnection
    // libcurl never sees URLs of other protocols here: an unsupported protocol is an answer in HTTP/0.9.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_CHUNK_FAILED, CURLE_UNSUPPORTED_PROTOCOL:
      self = .protocolError
    case CURLE_URL_MALFORMAT: self = .badURL
    default: self = .other
    }
  }
}
