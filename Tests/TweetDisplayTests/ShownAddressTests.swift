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
    var url = url
    let shown = url.withUTF8 { bytes in
      var buffer = ByteBuffer()
      ShownAddress.appendShort(bytes, most: most, ellipsis: "…", to: &buffer)
      return buffer.string
    }
    #expect(shown == expected)
  }
}
