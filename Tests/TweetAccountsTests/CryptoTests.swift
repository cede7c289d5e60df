import Testing

@testable import TweetAccounts

struct CryptoTests {
  /// A key that begins with `-` is an option to every command line that it is pasted into; one in 64 would.
  @Test func newTokensAreNoOptions() throws {
    for _ in 1...2_000 {
      let token = try Crypto.newToken()
      #expect(token.utf8.count == 32 && !token.hasPrefix("-"))
    }
  }
}
