import CCrypto
import Dispatch
import Synchronization
import TweetAccounts
import TweetCore

/// A password as it is stored: `scrypt$LOG2N$R$P$SALT$HASH` (RFC 7914), salt and hash in base64url.
struct PasswordHash: Sendable {
  let stored: String

  /// OWASP's parameters for 32 MiB: N = 2^15, r = 8, p = 3 (Password Storage Cheat Sheet). A fifth of a second.
  private static let cost = (log2N: 15, r: 8, p: 3)
  private static let saltLength = 16
  private static let hashLength = 32
  /// scrypt needs 128 · N · r bytes and a little more; libcrypto refuses to use more than this.
  private static let maxMemory: UInt64 = 64 << 20

  /// The password `tw-local`, which the accounts of the demo have. It is not a secret: the manual page names it.
  static let demo = PasswordHash(
    stored: "scrypt$15$8$3$dHctbG9jYWwgZGVtbyAwMQ$8TwG8vK5UgXvYdIiNbl4zVIpRSTpeTIRxj2Per2EpxU")

  init(stored: String) { self.stored = stored }

  init(of password: String) throws(ToolError) {
    let salt = try Crypto.random(Self.saltLength)
    let hash = try Self.hash(password, salt, log2N: Self.cost.log2N, r: Self.cost.r, p: Self.cost.p)
    stored =
      "scrypt$\(Self.cost.log2N)$\(Self.cost.r)$\(Self.cost.p)$\(Crypto.base64URL(salt))$\(Crypto.base64URL(hash))"
  }

  /// Whether this is the hash of a password. A stored text that is not a hash fits none.
  func isHash(of password: String) throws(ToolError) -> Bool {
    let parts = stored.split(separator: "$").map(String.init)
    guard parts.count == 6, parts[0] == "scrypt", let log2N = Int(parts[1]), let r = Int(parts[2]),
      let p = Int(parts[3]),
      (1...20).contains(log2N), let salt = Crypto.bytes(base64: parts[4]), let hash = Crypto.bytes(base64: parts[5])
    else { return false }
    return Crypto.areEqual(try Self.hash(password, salt, log2N: log2N, r: r, p: p), hash)
  }

  private static func hash(
    _ password: String, _ salt: [UInt8], log2N: Int, r: Int, p: Int
  ) throws(ToolError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: hashLength)
    guard
      EVP_PBE_scrypt(
        password, password.utf8.count, salt, salt.count, 1 << UInt64(log2N), UInt64(r), UInt64(p), maxMemory, &hash,
        hash.count) == 1
    else { throw .bug("libcrypto cannot compute scrypt") }
    return hash
  }
}

/// Computes hashes of passwords one after the other on a thread of its own: each takes a fifth of a second and 32 MiB,
/// and the requests of other clients must not wait for it.
final class PasswordQueue: Sendable {
  /// Most passwords that wait. What comes on top is refused. Those of names that are not known may have half of the
  /// places, so that they keep nobody out who has an account.
  private static let capacity = 32

  private let queue = DispatchQueue(label: "passwords")
  private let waiting = Atomic<Int>(0)

  /// - Parameter isStranger: whether there is no account of the name.
  /// - Throws: ``SignInFault/busy`` where too many wait, ``SignInFault/failed(_:)`` for an error of libcrypto.
  func run<Result: Sendable>(
    isStranger: Bool, _ body: @escaping @Sendable () throws(ToolError) -> Result
  ) async throws(SignInFault) -> Result {
    defer { waiting.subtract(1, ordering: .relaxed) }
    let places = isStranger ? Self.capacity / 2 : Self.capacity
    guard waiting.add(1, ordering: .relaxed).newValue <= places else { throw .busy }
    let result = await withCheckedContinuation { continuation in
      queue.async {
        do throws(ToolError) {
          continuation.resume(returning: Swift.Result<Result, SignInFault>.success(try body()))
        } catch {
          continuation.resume(returning: .failure(SignInFault(error)))
        }
      }
    }
    return try result.get()
  }
}
