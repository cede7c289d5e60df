import Foundation
import TestSupport
import Testing
import TweetCore

@testable import tw_render

/// What documents are made of: which addresses they link to, and text that must do no harm where no markup escapes it.
struct MarkupPartsTests {
  private static func made(_ body: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer()
    body(&buffer)
    return buffer.string
  }

  private static let label = String(repeating: "a", count: 63)

  /// An address as it is linked; `nil` for one that no document links to.
  @Test(
    arguments: [
      ("https://Example.COM/A?b#c", "https://example.com/A?b#c"), ("HTTP://a.example", "http://a.example/"),
      ("https://a.example?x", "https://a.example/?x"), ("https://a.example#x", "https://a.example/#x"),
      ("https://a.example/ \"<>^`|", "https://a.example/%20%22%3C%3E%5E%60%7C"),
      ("https://a.example/%zz%4g%41#a#b", "https://a.example/%25zz%254g%41#a%23b"),
      ("https://a.example:65535/", "https://a.example:65535/"), ("https://a.example:65536/", nil),
      ("https://a.example:/", "https://a.example:/"), ("https://a.example:1a/", nil),
      ("https://a.example\\@b.example/", nil), ("https://a.example\\", nil), ("https://a@b.example/", nil),
      ("https://a:b@c.example/", nil), ("https:///a", nil), ("https://", nil), ("https:a.example", nil),
      ("//a.example/", nil),
      ("javascript:alert(1)", nil), ("ftp://a.example/", nil), ("data:text/html,x", nil), (" https://a.example/", nil),
      ("https://1.2.3.4/", "https://1.2.3.4/"), ("https://1.2.3.256/", nil), ("https://1.2.3/", nil),
      ("https://123/", nil),
      ("https://a.0x7f/", nil), ("https://1.2.3.0004/", nil), ("https://[::1]/", "https://[::1]/"),
      ("https://[::g]/", nil),
      ("https://[1]/", nil), ("https://[::1/", nil), ("https://[::1]x/", nil), ("https://a..b/", nil),
      ("https://.a/", nil),
      ("https://\(label).example/", "https://\(label).example/"), ("https://\(label)a.example/", nil),
      ("https://b\u{FC}cher.example/", "https://b\u{FC}cher.example/"), ("https://a\u{3002}example/", nil),
      ("https://a\u{2215}b.example/", nil), ("https://a\u{A0}b.example/", nil), ("https://a\u{200B}b.example/", nil),
      ("https://a.example/\u{FC}", "https://a.example/%C3%BC"),
      ("https://a.example/" + String(repeating: "x", count: 8192), nil),
    ] as [(String, String?)])
  func anAddressIsLinkedOrNot(_ url: String, _ wanted: String?) {
    var isLinked = false
    let found = Self.made { out in isLinked = url.withBytes { SafeAddress.append($0, to: &out) } }
    #expect(isLinked == (wanted != nil) && found == wanted ?? "")
  }

  /// Control characters, also those of C1, are replaced; ends of lines are as it is asked for.
  @Test func textWithoutMarkupDoesNoHarm() {
    let text = "a\tb\r\nc\nd\u{85}e\u{2028}f\u{1B}[31m\u{9B}31m\u{7F}\u{0}g"
    let found = Self.made { out in text.withBytes { out.append(visible: $0) } }
    #expect(found == "a b c d e f\u{FFFD}[31m\u{FFFD}31m\u{FFFD}\u{FFFD}g")
    #expect(Self.made { out in "a\nb".withBytes { out.append(visible: $0, newline: "\n") } } == "a\nb")
    for value in (0..<0x20).map({ UInt32($0) }) + Array(0x7F..<0xA0) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let found = Self.made { out in String(scalar).withBytes { out.append(visible: $0) } }
      #expect(found == "\u{FFFD}" || found == " " && [9, 10, 13, 0x85].contains(value), "\(value)")
    }
  }

  /// A title is one line of so many characters, cut at a space where one is near.
  @Test(arguments: [
    ("  a \n\n b\tc ", 80, "a b c"), ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("ab cd", 4, "ab…"), ("ab cde", 2, "ab…"),
    ("a\u{1B}\u{202E}b", 80, "ab"), (String(repeating: "x", count: 50), 45, String(repeating: "x", count: 45) + "…"),
    ("a " + String(repeating: "x", count: 50), 45, "a " + String(repeating: "x", count: 43) + "…"),
  ])
  func aTitleIsCut(_ text: String, _ most: Int, _ wanted: String) {
    #expect(Self.made { out in text.withBytes { out.append(firstWordsOf: $0, most: most) } } == wanted)
  }

  /// A name in a `tag:` URI has RFC 3986's characters alone, and no two names are one.
  @Test func aNameInAnIDIsEncoded() {
    let names = ["a", "a b", "a%20b", "a%b", "\"<>&'", "a/b:c@d", "~_-.", "\u{E9}", "a?b", "a#b", "a[b]", ""]
    let found = names.map { name in Self.made { out in name.withBytes { out.append(feedName: $0) } } }
    #expect(Set(found).count == names.count)
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%:@/")
    #expect(found.allSatisfy { $0.allSatisfy(allowed.contains) }, "\(found)")
    #expect(found[5] == "a/b:c@d" && found[3] == "a%25b")
  }

  @Test(
    arguments: [
      ("https://a/b.jpg", "image/jpeg"), ("https://a/b.jpg?c=d.png", "image/jpeg"), ("https://a/b#c.mp4", nil),
      ("https://a/b.mp4#t=1", "video/mp4"), ("https://a/b.JPG", nil), ("https://a/b", nil), ("https://a/b.exe", nil),
    ] as [(String, String?)])
  func aMediaTypeIsThatOfTheExtension(_ url: String, _ wanted: String?) {
    #expect(url.withBytes { MediaType($0).map { "\($0.name)" } } == wanted)
  }
}
