import TestSupport
import Testing

/// tw-cache users --also-on: accounts of two networks that have links to each other in their profiles.
@Suite(.onOwnThread) struct CacheAlsoOnTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func user(_ service: String, _ id: String, _ name: String, _ more: String = "") -> String {
    #"{"tw":"user","service":"\#(service)","id":"\#(id)","username":"\#(name)","name":"N"\#(more)}"# + "\n"
  }

  private func field(_ url: String, verified: String? = nil) -> String {
    #"{"name":"Web","value":"<a href=\"\#(url)\" rel=\"me nofollow\">link</a>","verified_at":\#(verified.map { "\"\($0)\"" } ?? "null")}"#
  }

  private func onMastodon(_ host: String, _ id: String, _ name: String, fields: [String]) -> String {
    let page = "https://one.social/@" + (name.split(separator: "@").first ?? "")
    return user(
      "mastodon:\(host)", id, name, #","url":"\#(page)","extra":{"fields":[\#(fields.joined(separator: ","))]}"#)
  }

  private func pairs(_ options: String...) throws -> [String] {
    let result = try Tool.run("tw-cache", ["users", "--also-on"] + options, home: home)
    #expect(result.status == 0, "\(result.errors)")
    return result.lines.map { line in
      let ids = line.matches(of: #/"id":"([^"]*)"/#).map { String($0.1) }
      return ids.joined(separator: " ")
    }
  }

  @Test func linksOfBothJoinTwoAccounts() throws {
    _ = try add(
      onMastodon(
        "two.social", "900", "ann@one.social",
        fields: [field("https://bsky.app/profile/ann.dev"), field("https://x.com/ann")])
        + onMastodon(
          "one.social", "7", "ann",
          fields: [
            field("https://bsky.app/profile/ann.dev", verified: "2026-01-01T00:00:00.000Z"), field("https://ann.dev"),
          ])
        + user(
          "bluesky", "did:plc:ann", "ann.dev",
          #","description":"also one.social/@ann and https://evil.social/@ann"}"#.dropLast().description)
        // X has its own address of a link.
        + user(
          "x", "5", "Ann",
          #","url":"https://t.co/1","entities":{"url":{"urls":[{"url":"https://t.co/1","expanded_url":"https://bsky.app/profile/did:plc:ann"}]}}"#
        )
        // Who links to others, and whom nobody links to.
        + onMastodon(
          "one.social", "8", "eve", fields: [field("https://bsky.app/profile/ann.dev"), field("https://x.com/ann")])
        + user(
          "bluesky", "did:plc:eve", "eve.dev",
          #","description":"https://x.com/Ann https://one.social/@ann"}"#.dropLast().description)
        + user("x", "6", "nobody"))
    let result = try Tool.run("tw-cache", ["users", "--also-on"], home: home)
    #expect(
      result.output
        == #"{"tw":"also_on","user":{"service":"bluesky","id":"did:plc:ann","username":"ann.dev"},"also_on":{"service":"mastodon:one.social","id":"7","username":"ann","url":"https://one.social/@ann"},"links":[{"url":"one.social/@ann","in":"description"}],"links_back":[{"url":"https://bsky.app/profile/ann.dev","in":"fields","verified_at":"2026-01-01T00:00:00.000Z"},{"url":"https://ann.dev","in":"fields"}]}"#
        + "\n", "\(result.output)\(result.errors)")
    #expect(try pairs("--service", "mastodon:one.social") == ["7 did:plc:ann"])
    #expect(try pairs("ann.dev") == ["did:plc:ann 7"] && pairs("@ann") == ["7 did:plc:ann"])
    // Once X links back it is joined with all that link to it.
    _ = try add(
      user(
        "bluesky", "did:plc:ann", "ann.dev",
        #","description":"https://www.twitter.com/ann?s=20 one.social/@ann","retrieved_at":"2026-02-01T00:00:00.000Z""#)
    )
    #expect(try pairs() == ["did:plc:ann 7", "did:plc:ann 5"])
  }

  /// Two accounts of one network are not told to be one person's, and a link to a page below a profile is none to the
  /// profile.
  @Test func nothingIsGuessed() throws {
    _ = try add(
      onMastodon(
        "one.social", "7", "ann",
        fields: [field("https://one.social/@bob"), field("https://bsky.app/profile/ann.dev/post/3k7")])
        + onMastodon(
          "one.social", "9", "bob", fields: [field("https://one.social/@ann"), field("https://x.com/bob/status/1")])
        + user(
          "bluesky", "did:plc:ann", "ann.dev",
          #","description":"https://one.social/@ann https://x.com/i https://ann@one.social/@bob""#)
        + user("x", "5", "bob", #","description":"https://one.social/@bob/7""#)
        + user("x", "55", "i", #","description":"https://bsky.app/profile/ann.dev""#)
        + user("local", "1", "ann", #","url":"https://bsky.app/profile/ann.dev""#))
    let result = try Tool.run("tw-cache", ["users", "--also-on"], home: home)
    #expect(result.output == "" && result.status == 0)
    #expect(try Tool.run("tw-cache", ["users", "--also-on", "zed"], home: home).status == 66)
    #expect(try Tool.run("tw-cache", ["users", "--also-on", "--names"], home: home).status == 64)
  }
}
