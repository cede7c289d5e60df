import TestSupport
import Testing
import TweetCore

@testable import TwitterText

/// twitter-text's own conformance suites, read at run time.
///
/// Left out are `replies` of the extract suite, and `urls` and `urls_without_protocol` of the validate suite: they are
/// for functions that no tool has a use for (whom a text answers, which records say; whether a form's field is a URL).
@Suite(.enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"))
struct TwitterTextConformanceTests {
  // MARK: extract

  @Test(arguments: [
    ("hashtags", 65, TextEntityKinds.hashtags), ("hashtags_from_astral", 3, .hashtags), ("mentions", 23, .mentions),
    ("cashtags", 8, .cashtags), ("urls", 91, .urls), ("urls_with_directional_markers", 2, .urls),
    ("tco_urls_with_params", 5, .urls),
  ])
  func extract(_ group: String, _ count: Int, _ kinds: TextEntityKinds) throws {
    let cases = try suite("extract", group) { value in
      value.elements.map { ($0["url"] ?? $0).string ?? "" }
    }
    #expect(cases.count == count)
    for (about, text, expected) in cases {
      #expect(found(in: text, kinds).map(\.name) == expected, "\(about)")
    }
  }

  @Test(arguments: [
    ("hashtags_with_indices", 8, TextEntityKinds.hashtags, "hashtag"),
    ("mentions_with_indices", 3, .mentions, "screen_name"),
    ("mentions_or_lists_with_indices", 5, .mentions, "screen_name"),
    ("cashtags_with_indices", 2, .cashtags, "cashtag"), ("urls_with_indices", 10, .urls, "url"),
    ("urls_with_directional_markers", 2, .urls, "url"),
  ])
  func extractWithIndices(_ group: String, _ count: Int, _ kinds: TextEntityKinds, _ key: String) throws {
    let cases = try suite("extract", group) { value in
      value.elements.map { entity in
        Found(
          name: entity.member(named: key)?.string ?? "",
          list: entity["list_slug"]?.nonEmptyString.map { String($0.dropFirst()) },
          range: entity["indices"]?.elements.compactMap(\.integer) ?? [])
      }
    }
    #expect(cases.count == count)
    for (about, text, expected) in cases { #expect(found(in: text, kinds) == expected, "\(about)") }
  }

  // MARK: validate

  @Test(
    arguments: [
      ("tweets", 8, { @Sendable in WeightedLength($0, limits: .v1).isValid }), ("hashtags", 7, Hashtag.isValid),
      ("usernames", 4, { @Sendable in isWhole($0, .mention) }), ("lists", 5, { @Sendable in isWhole($0, .list) }),
    ] as [(String, Int, @Sendable (String) -> Bool)])
  func validate(_ group: String, _ count: Int, _ isValid: @Sendable (String) -> Bool) throws {
    let cases = try suite("validate", group) { $0.bool }
    #expect(cases.count == count)
    for (about, text, expected) in cases { #expect(isValid(text) == expected, "\(about)") }
  }

  /// Whether a text is one entity of a kind and nothing else.
  private static func isWhole(_ text: String, _ kind: TextEntity.Kind) -> Bool {
    text.withBytes { bytes in
      let found = TextEntities.find(in: bytes, .mentions)
      return found.count == 1 && found[0].kind == kind && found[0].bytes == 0..<bytes.count
    }
  }

  @Test(arguments: [
    ("WeightedTweetsCounterTest", 20, LengthLimits.v2), ("WeightedTweetsWithDiscountedEmojiCounterTest", 22, .v3),
    ("UnicodeDirectionalMarkerCounterTest", 2, .v3),
  ])
  func count(_ group: String, _ count: Int, _ limits: LengthLimits) throws {
    struct Expected {
      let weightedLength: Int?, isValid: Bool?, validEnd: Int?
    }
    let cases = try suite("validate", group) { value in
      Expected(
        weightedLength: value["weightedLength"]?.integer, isValid: value["valid"]?.bool,
        validEnd: value["validRangeEnd"]?.integer)
    }
    #expect(cases.count == count)
    for (about, text, expected) in cases {
      let length = WeightedLength(text, limits: limits)
      #expect(length.weightedLength == expected.weightedLength, "\(about)")
      #expect(length.isValid == expected.isValid, "\(about)")
      // The suite counts UTF-16 units and names the last one.
      let end = text.unicodeScalars.prefix(length.validRange.upperBound).reduce(0) { $0 + UTF16.width($1) } - 1
      #expect(end == expected.validEnd, "\(about)")
    }
  }

  // MARK: tlds

  @Test(arguments: [("country", 315), ("generic", 1259)])
  func topLevelDomains(_ group: String, _ count: Int) throws {
    let cases = try suite("tlds", group) { $0.elements.map { $0.string ?? "" } }
    #expect(cases.count == count)
    for (about, text, expected) in cases { #expect(found(in: text, .urls).map(\.name) == expected, "\(about)") }
  }

  // MARK: Reading

  private struct Found: Equatable {
    let name: String
    let list: String?
    let range: [Int]
  }

  private func found(in text: String, _ kinds: TextEntityKinds) -> [Found] {
    text.withBytes { bytes in
      // The suite's mentions are of users only; lists have a group to themselves.
      TextEntities.find(in: bytes, kinds).map { entity in
        Found(
          name: String(decoding: bytes[entity.name], as: UTF8.self),
          list: entity.listName.map { String(decoding: bytes[$0], as: UTF8.self) },
          range: [entity.start, entity.end])
      }
    }
  }

  /// The cases of one group: description, text and what is expected, as `read` takes it.
  private func suite<Expected>(
    _ name: String, _ group: String, _ read: (JSONDocument) -> Expected
  ) throws -> [(String, String, Expected)] {
    let document = try JSONDocument(TestData.bytes("twitter-text/json-from-yaml/\(name).json"))
    let cases = try #require(document["tests"]?.member(named: group))
    return try cases.elements.map { test in
      (
        test["description"]?.string ?? "", try #require(test["text"]?.string), read(try #require(test["expected"]))
      )
    }
  }
}
