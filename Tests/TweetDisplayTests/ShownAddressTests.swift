import Testing
import TweetCore

@testable import TweetDisplay

struct ShownAddressTests {
  @Test(arguments: [
    ("https://www.example.com/a/b?c#d", 40, "example.com/a/b?c#d"), ("http://example.com/", 40, "example.com"),
    ("https://example.com", 40, "example.com"), ("HTTPS://example.com/ü", 40, "example.com/ü"),
    ("https://example.com/a/very/long/path", 20, "example.com/a/very/…"),
    ("https://paypal.com@evil.example/x", 40, "evil.example/x"),
    ("https://paypal.com\\@evil.example/x", 40, "evil.example/x"),
    ("https://paypal.com.a.b.c.d.e.f.evil.example/x", 16, "…f.evil.example…"),
    ("javascript:alert(1)", 40, "javascript:alert(1)"),
    ("", 40, ""), ("https://", 40, "https://"), ("https:///x", 40, "https:///x"),
  ])
  func addressesShowWhereTheyLead(_ url: String, _ most: Int, _ expected: String) {
    let shown = url.withBytes { bytes in
      var buffer = ByteBuffer()
      ShownAddress.appendShort(bytes, most: most, ellipsis: "…", to: &buffer)
      return buffer.string
    }
    #expect(shown == expected)
  }

  /// An address may be part of a terminal sequence only if no byte of it can end the sequence.
  @Test(arguments: [
    ("https://a.example/b?c=d#e", "https://a.example/b?c=d#e"), ("http://a/ü b", "http://a/%C3%BC%20b"),
    ("https://a.example/\u{1B}\\\u{7}", "https://a.example/%1B\\%07"), ("javascript:alert(1)", ""), ("a.example", ""),
    ("https://", ""),
    (
      "https://a.example/\(String(repeating: "b", count: 2030))",
      "https://a.example/\(String(repeating: "b", count: 2030))"
    ),
    ("https://a.example/\(String(repeating: "b", count: 2031))", ""),
  ])
  func escapedAddresses(_ url: String, _ expected: String) {
    let escaped = url.withBytes { bytes in
      var buffer = ByteBuffer()
      ShownAddress.appendEscaped(bytes, to: &buffer)
      return buffer.string
    }
    #expect(escaped == expected)
  }

  @Test(arguments: [
    ("https://x.com/jack/status/20", "20"), ("https://x.com/jack/status/20?s=21", "20"),
    ("https://x.com/i/web/status/20/", "20"),
    ("https://x.com/jack/status/20/photo/1", "20 media"), ("https://x.com/jack/status/20/video/1", "20 media"),
    ("https://x.com/jack/status/20/photos", "20"), ("https://x.com/jack/status/", nil),
    ("https://x.com/jack/status/a", nil),
    ("https://x.com/jack", nil), ("/jack/status/20", nil), ("https://status/20", nil),
  ])
  func addressesOfPosts(_ url: String, _ expected: String?) {
    let post = url.withBytes { bytes in
      ShownAddress.post(bytes).map { String(decoding: bytes[$0.id], as: UTF8.self) + ($0.isMedia ? " media" : "") }
    }
    #expect(post == expected)
  }
}
