import Testing
import TweetCore

struct SecretTests {
  private struct Holder {
    let secret = Secret("s3cret")
    let all = ["a": [Secret("s3cret")]]
  }

  /// However it is printed, alone or inside of something else.
  @Test func itIsNeverPrinted() {
    let secret = Secret("s3cret")
    var dumped = ""
    dump(secret, to: &dumped)
    dump(Holder(), to: &dumped)
    let ways = [
      "\(secret)", String(describing: secret), String(reflecting: secret), "\(Holder())", String(reflecting: Holder()),
      "\(Optional(secret) as Any)", dumped,
    ]
    for way in ways { #expect(!way.contains("s3cret") && way.contains("(hidden)"), "\(way)") }
    #expect(secret.hidden(in: "token s3cret, again s3cret") == "token (hidden), again (hidden)")
    #expect(secret.exposed == "s3cret")
  }
}
