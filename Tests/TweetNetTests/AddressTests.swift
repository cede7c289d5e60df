import Testing
import TweetCore
import TweetNet

struct IPAddressTests {
  @Test(arguments: [
    "0.0.0.0", "10.255.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1",
    "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::192.168.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:1ff::1",
    "2001:db8::1", "2002:7f00:1::", "3fff:fff::1", "5f00::1", "fc00::1", "fd12::1", "fe80::1", "fec0::1", "ff02::1",
  ])
  func isNotPublic(_ text: String) throws {
    #expect(try !#require(IPAddress(text)).isPublic)
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "11.0.0.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1",
    "192.167.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    "2001:200::1", "2606:4700::1111", "2a00:1450::1", "3ffe::1",
  ])
  func isPublic(_ text: String) throws {
    #expect(try #require(IPAddress(text)).isPublic)
  }

  @Test(arguments: ["", "1.2.3", "1.2.3.4.5", "256.0.0.1", "[::1]", "::1%lo", "localhost", "1.2.3.4 "])
  func isNoAddress(_ text: String) { #expect(IPAddress(text) == nil) }
}

struct HostPortTests {
  @Test func spellingsOfOneHostAreEqual() throws {
    #expect(HostPort("LocalHost:80") == HostPort(host: "localhost", port: 80))
    #expect(HostPort("[0:0::1]:80") == HostPort(host: "::1", port: 80))
  }

  @Test(arguments: ["", "host", "host:", ":80", "host:0", "host:65536", "host:x", "::1:80", "a:b:80"])
  func isNoHostAndPort(_ text: String) throws {
    #expect(HostPort(text) == nil)
    guard !text.isEmpty else { return }
    #expect(throws: ToolError.configuration("TW_ALLOW_PRIVATE: '\(text)' is not host:port")) {
      try AddressPolicy.publicOnly(allowingList: text)
    }
  }
}

struct WebAddressTests {
  @Test(arguments: [
    ("/c", "http://h.example/c"), ("c?d=e#f", "http://h.example/a/c?d=e#f"), ("../c", "http://h.example/c"),
    ("//other.example/x", "http://other.example/x"), ("https://o.example", "https://o.example/"),
    ("?q", "http://h.example/a/b?q"), ("/with space", "http://h.example/with%20space"),
    ("/\u{e9}", "http://h.example/%c3%a9"),
  ])
  func resolvesReferences(_ reference: String, _ expected: String) {
    #expect(WebAddress(reference, relativeTo: "http://h.example/a/b")?.url == expected)
  }

  @Test(arguments: ["javascript:alert(1)", "mailto:a@b.example", "ftp://h.example/", "http://", "http://a b/"])
  func refusesOtherSchemes(_ reference: String) {
    #expect(WebAddress(reference, relativeTo: "http://h.example/a/b") == nil)
  }

  @Test func takesAURLApart() throws {
    let address = try #require(WebAddress("HTTPS://Api.X.com/2/tweets?ids=1"))
    #expect((address.scheme, address.host, address.port) == ("https", "api.x.com", 443))
    #expect((address.path, address.query) == ("/2/tweets", "ids=1"))
    #expect(WebAddress("http://[::1]:8080")?.isLoopback == true)
    #expect(WebAddress("http://127.9.9.9/")?.isLoopback == true)
    #expect(WebAddress("http://localhost.example/")?.isLoopback == false)
  }

  @Test(arguments: [
    ("http://user:pass@h.example/a?b", "http://h.example/a?b"), ("http://user@h.example", "http://h.example/"),
    ("http://:pass@h.example/", "http://h.example/"), ("http://user:p%40ss@h.example/", "http://h.example/"),
    ("http://user:p\u{E4}ss@b\u{FC}cher.example/", "http://xn--bcher-kva.example/"),
  ])
  func userAndPasswordAreLeftOut(_ text: String, _ expected: String) throws {
    let address = try #require(WebAddress(text))
    #expect(address.url == expected && address.hasCredentials)
    let reached = try #require(WebAddress(text, relativeTo: "http://o.example/"))
    #expect(reached.url == expected && reached.hasCredentials)
  }

  @Test(arguments: [
    ("http://b\u{FC}cher.example/", "xn--bcher-kva.example"), ("http://B%C3%9Ccher.example/", "xn--bcher-kva.example"),
    ("http://stra\u{DF}e.example/", "xn--strae-oqa.example"), ("http://p\u{430}ypal.example/", "xn--pypal-4ve.example"),
    ("http://\u{FF11}\u{FF12}\u{FF17}.0.0.1:8080/", "127.0.0.1"), ("http://127\u{3002}1/", "127.0.0.1"),
    ("http://\u{FF10}x7f000001/", "127.0.0.1"), ("http://\u{24DB}ocalhost/", "localhost"),
  ])
  func hostsOfOtherAlphabets(_ text: String, _ expected: String) throws {
    let address = try #require(WebAddress(text))
    #expect(address.host == expected && address.url.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test(arguments: ["http://\u{AD}/", "http://\u{FFFD}/", "http://\u{E4}\u{2025}/"])
  func namesThatDNSCannotHave(_ text: String) { #expect(WebAddress(text) == nil) }

  @Test func encodesQueryValues() {
    #expect(PercentEncoding.encode("#a b&c=\u{e9}~\n") == "%23a%20b%26c%3D%C3%A9~%0A")
  }
}
