import Foundation
import TestSupport
import Testing
import TweetCore

@testable import tw_render

/// What messages are made of, by the table of their RFCs.
struct MailPartsTests {
  private static func made(_ body: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer()
    body(&buffer)
    return buffer.string
  }

  /// RFC 2045 §6.7, and what programs on the way take for something else.
  @Test(arguments: [
    ("a b\n", "a b\n"), ("From me\nFor\n", "=46rom me\n=46or\n"), ("a From\n", "a From\n"),
    (".\n.a\na.\n", "=2E\n=2Ea\na.\n"),
    ("a \nb\n", "a=20\nb\n"), ("a  \n", "a =20\n"), ("a ", "a=20"), ("=\t\u{7F}\n", "=3D=09=7F\n"),
    ("\u{E9}", "=C3=A9"),
    (String(repeating: "a", count: 80), String(repeating: "a", count: 75) + "=\n" + "aaaaa"),
    (String(repeating: "a", count: 74) + "\u{E9}b", String(repeating: "a", count: 74) + "=\n=C3=A9b"),
    (String(repeating: "a", count: 75) + "F", String(repeating: "a", count: 75) + "=\n=46"),
  ])
  func textIsQuotedPrintable(_ text: String, _ wanted: String) {
    for size in [1, 3, 1000] {
      let found = Self.made { output in
        var encoder = QuotedPrintable()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
          Array(bytes[start..<min(start + size, bytes.count)]).withBytes { encoder.append($0, to: &output) }
        }
        encoder.finish(&output)
      }
      #expect(found == wanted, "\(size)")
    }
  }

  /// RFC 2047: what is not ASCII, or looks like an encoded word, becomes words of whole characters.
  @Test func aSubjectIsEncoded() throws {
    for text in ["plain = ? text", "1?=2"] {
      #expect(Self.made { out in text.withBytes { MailHeader.append(text: $0, to: &out) } } == text)
    }
    for text in ["=?UTF-8?B?eA==?=", "\u{FC}ber", String(repeating: "a\u{E9}\u{1F389}", count: 30), "tab\there"] {
      let words = Self.made { out in text.withBytes { MailHeader.append(text: $0, to: &out) } }.components(
        separatedBy: "\n ")
      let decoded = try words.map { word in
        #expect(word.hasPrefix("=?UTF-8?B?") && word.hasSuffix("?=") && word.utf8.count <= 75, "\(word)")
        let data = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
        return try #require(String(data: data, encoding: .utf8), "\(word) ends within a character")
      }
      #expect(decoded.joined() == text)
    }
  }

  /// RFC 5322 §3.3 and ctime(3), also of times before 1970.
  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 +0000", "Thu Jan  1 00:00:00 1970"),
      (1_635_974_700_000, "Wed, 03 Nov 2021 21:25:00 +0000", "Wed Nov  3 21:25:00 2021"),
      (-1, "Wed, 31 Dec 1969 23:59:59 +0000", "Wed Dec 31 23:59:59 1969"),
      (-86_400_000 * 8, "Wed, 24 Dec 1969 00:00:00 +0000", "Wed Dec 24 00:00:00 1969"),
      (951_825_600_000, "Tue, 29 Feb 2000 12:00:00 +0000", "Tue Feb 29 12:00:00 2000"),
    ] as [(Int64, String, String)])
  func aTimeIsThatOfMail(_ milliseconds: Int64, _ date: String, _ postmark: String) {
    let time = MailTime(Timestamp(milliseconds: milliseconds))
    #expect(Self.made { time.appendDate(to: &$0) } == date)
    #expect(Self.made { time.appendPostmark(to: &$0) } == postmark)
  }

  /// Ids and services that differ have names that differ, of the characters that a name may have.
  @Test func noTwoIDsAreOneName() throws {
    let ids = ["1", "a%b", "a%25b", "a b", "a_b", "at://did:plc:a/b", "a\"b", "a@b", "<a>", "\u{E9}"]
    let services = [
      "x", "local", "mastodon:a.b", "mastodon:a-2Eb", "mastodon:a..b", "mastodon:a b", "bluesky", "a_b", "a-b",
    ]
    var names: Set<String> = []
    for id in ids {
      for service in services {
        let document = try JSONDocument(try JSONSerialization.data(withJSONObject: ["i": id, "s": service]).map { $0 })
        let name = document.read { root in
          Self.made { MailHeader.append(messageID: root["i"], of: root["s"], to: &$0) }
        }
        #expect(name.hasPrefix("<") && name.hasSuffix(".invalid>") && name.count { "<>@".contains($0) } == 3, "\(name)")
        #expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(name)")
        names.insert(name)
      }
    }
    #expect(names.count == ids.count * services.count)
  }
}
