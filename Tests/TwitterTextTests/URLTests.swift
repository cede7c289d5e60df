import Testing

@testable import TwitterText

/// URLs by twitter-text's rules, each rule with cases of our own.
struct URLTests {
  @Test(arguments: [
    // With a protocol, a domain needs a known top-level domain, in any letters.
    ("http://a.com", ["http://a.com"]), ("HTTPS://A.Com/b", ["HTTPS://A.Com/b"]), ("ftp://a.com", []),
    ("http://a", []), ("http://a.x", []), ("http://a.invalidtld", []), ("http:/a.com", []), ("http://.com", []),
    ("http://日本.com http://a.рф/ж", ["http://日本.com", "http://a.рф/ж"]), ("http://✪x.ws/a", ["http://✪x.ws/a"]),
    ("http://a.みんな/ http://b.中国 http://c.پاکستان/", ["http://a.みんな/", "http://b.中国", "http://c.پاکستان/"]),
    ("http://xn--a.XN--b.la/ http://a.xn--p1ai", ["http://xn--a.XN--b.la/", "http://a.xn--p1ai"]),
    ("http://xn--é.com", []), ("http://a.xn--", []),
    // Labels: hyphens and underscores inside, underscores not in the last before the top-level domain.
    ("http://a-b.c-d.com http://a_b.c.com", ["http://a-b.c-d.com", "http://a_b.c.com"]),
    ("http://-a.com http://a-.com http://-a.b.com http://a-.b.com http://a.-b.com", []),
    ("http://_a.b.com http://a_.b.com http://a.b_.com http://a._b.com", []),
    ("http://a_b.com http://a.c_m http://a.b_c.com", []), ("http://a..com", []),
    // A top-level domain ends where ASCII letters do, not before these.
    ("http://a.comb http://a.com1 http://a.com-b http://a.com+b", []), ("a@b.com a.com@b", []),
    ("http://a.comです", ["http://a.com"]),
    ("http://a.comé", ["http://a.com"]), ("http://a.com_b", ["http://a.com"]),
    // Ports, which need digits.
    ("http://a.com:80 http://a.com:80/b", ["http://a.com:80", "http://a.com:80/b"]),
    ("http://a.com:b", ["http://a.com"]),
    ("http://a.com:", ["http://a.com"]),
  ])
  func domains(_ text: String, _ expected: [String]) {
    #expect(names(text, .urls) == expected)
  }

  @Test(arguments: [
    ("a.com b.co.jp c.museum d.みんな", ["a.com", "b.co.jp", "c.museum", "d.みんな"]), ("a.b a.comm a.tar.bz2 .com", []),
    // Other letters part them.
    ("日本a.comです。b.co.jp/c中c.de", ["a.com", "b.co.jp/c", "c.de"]), (" ÉTÉ.com", ["ÉTÉ.com"]), ("日本.com", []),
    ("a.com。b.com", ["a.com", "b.com"]),
    // These before them say that they are none.
    ("@a.com #a.com $a.com", []), ("＠a.com ＃a.com", ["a.com", "a.com"]), ("-a.com", []), ("_a.com .a.com", []),
    ("a_b.com", []),
    ("(a.com) \"b.com\" ,c.com 、d.com", ["a.com", "b.com", "c.com", "d.com"]), ("/a.com", []),
    // Of several domains only the last has a path, and a port or query needs one.
    ("a.com日本b.com/c", ["a.com", "b.com/c"]), ("a.com?b=c a.com:80", ["a.com", "a.com"]),
    ("a.com:80/", ["a.com:80/"]),
    ("name.al-last.com", ["name.al-last.com"]), ("http:// a.com/b", ["a.com/b"]), ("xhttp://a.com", []),
  ])
  func withoutProtocol(_ text: String, _ expected: [String]) {
    #expect(names(text, .urls) == expected)
  }

  @Test(arguments: [
    // What a path may be made of.
    ("http://a.com/a-z_~!*';:=+,.$%[]@|&#–é/ж b", ["http://a.com/a-z_~!*';:=+,.$%[]@|&#–é/ж"]),
    ("http://a.com/日本", ["http://a.com/"]),
    (
      "http://a.com/b\"c http://a.com/b<c http://a.com/b\\c http://a.com/b^c",
      Array(repeating: "http://a.com/b", count: 4)
    ),
    // It does not end with punctuation.
    (
      "http://a.com/b. http://a.com/b, http://a.com/b! http://a.com/b... http://a.com/,",
      ["http://a.com/b", "http://a.com/b", "http://a.com/b", "http://a.com/b", "http://a.com/"]
    ),
    (
      "http://a.com/. http://a.com/b./ http://a.com/b's http://a.com/b:",
      ["http://a.com/", "http://a.com/b./", "http://a.com/b's", "http://a.com/b"]
    ),
    (
      "http://a.com/b- http://a.com/b+ http://a.com/b= http://a.com/b_ http://a.com/b#",
      ["http://a.com/b-", "http://a.com/b+", "http://a.com/b=", "http://a.com/b_", "http://a.com/b#"]
    ),
    // Parentheses are a part of it if they are balanced, two deep at most.
    ("http://a.com/b_(c)", ["http://a.com/b_(c)"]), ("http://a.com/b_(c(d)e)", ["http://a.com/b_(c(d)e)"]),
    ("http://a.com/b_(c(d(e)))", ["http://a.com/b_"]), ("(http://a.com/b)", ["http://a.com/b"]),
    ("http://a.com/()", ["http://a.com/"]),
    ("http://a.com/(b", ["http://a.com/"]), ("http://a.com/(b(c)", ["http://a.com/"]),
    ("http://a.com/(b())", ["http://a.com/"]),
    ("http://a.com/b:(c)", ["http://a.com/b"]), ("http://a.com/(b)c.d", ["http://a.com/(b)c.d"]),
    // Queries.
    ("http://a.com?b=c&d", ["http://a.com?b=c&d"]),
    ("http://a.com/b?c=1;d=2|3&e='f'", ["http://a.com/b?c=1;d=2|3&e='f"]),
    ("http://a.com? http://a.com/b?", ["http://a.com", "http://a.com/b"]),
    ("http://a.com?b. http://a.com?b!", ["http://a.com?b", "http://a.com?b"]),
    (
      "http://a.com?b- http://a.com?b= http://a.com?b& http://a.com?b/ http://a.com?#b",
      ["http://a.com?b-", "http://a.com?b=", "http://a.com?b&", "http://a.com?b/", "http://a.com?#b"]
    ),
    ("http://a.com/b?c日 http://a.com?é", ["http://a.com/b?c", "http://a.com"]),
    ("http://a.com?b?c~d", ["http://a.com?b?c~d"]),
  ])
  func pathsAndQueries(_ text: String, _ expected: [String]) {
    #expect(names(text, .urls) == expected)
  }

  @Test(arguments: [
    // After the name of a short link there is only a query.
    ("http://t.co/aB1's", ["http://t.co/aB1"]),
    ("https://t.co/a-b https://T.co/a/b", ["https://t.co/a", "https://T.co/a"]),
    ("https://t.co/a?b=c#d&e=f", ["https://t.co/a?b=c#d&e=f"]),
    ("http://t.co http://t.co/", ["http://t.co", "http://t.co/"]),
    ("http://at.co/b-c", ["http://at.co/b-c"]), ("t.co/a-b", ["t.co/a-b"]),
    ("http://t.co/\(String(repeating: "a", count: 40))", ["http://t.co/\(String(repeating: "a", count: 40))"]),
    ("http://t.co/\(String(repeating: "a", count: 41))", []),
    ("http://a.com?b=https://t.co/c-d", ["http://a.com?b=https://t.co/c-d"]),
  ])
  func shortLinks(_ text: String, _ expected: [String]) {
    #expect(names(text, .urls) == expected)
  }

  /// Marks of direction stand around URLs, and are no part of a domain.
  @Test func marksOfDirectionStandAround() {
    #expect(
      names("\u{2066}\u{202A}a.com\u{202C}\u{2069} \u{200F}http://b.com/\u{200E}", .urls) == ["a.com", "http://b.com/"])
    #expect(names("http://a\u{200E}.com", .urls) == [])
  }

  // MARK: Limits

  private func label(_ letter: String, _ count: Int) -> String { String(repeating: letter, count: count) }

  @Test func labelsHave63Characters() {
    #expect(names("http://\(label("a", 63)).com", .urls).count == 1)
    #expect(names("http://\(label("a", 64)).com", .urls).isEmpty)
    #expect(names("\(label("a", 63)).com", .urls).count == 1)
    #expect(names("\(label("a", 64)).com", .urls).isEmpty)
  }

  /// Beyond ASCII, the limit is for the encoded form. The counts are those of Python's `str.encode("punycode")`.
  @Test(arguments: [("あ", 57, 58), ("é", 57, 58), ("aé", 28, 29)])
  func labelsBeyondASCIIAreEncoded(_ letter: String, _ fits: Int, _ doesNot: Int) {
    #expect(names("http://\(label(letter, fits)).com", .urls).count == 1)
    #expect(names("http://\(label(letter, doesNot)).com", .urls).isEmpty)
  }

  /// 4096 UTF-16 units, with `https://` before a URL that has no protocol.
  @Test func urlsHave4096Characters() {
    #expect(names("http://a.com/\(label("b", 4083))", .urls).count == 1)
    #expect(names("http://a.com/\(label("b", 4084))", .urls).isEmpty)
    #expect(names("a.com/\(label("b", 4082))", .urls).count == 1)
    #expect(names("a.com/\(label("b", 4083))", .urls).isEmpty)
    #expect(names("http://a.com/\(label("ж", 4083))", .urls).count == 1)
    #expect(names("http://a.com/\(label("ж", 4084))", .urls).isEmpty)
  }

  @Test func tablesAreInOrder() {
    // A binary search needs order.
    for length in 2...TopLevelDomainTable.longest {
      let letters = Array(TopLevelDomainTable.names(ofLength: length).description.utf8)
      #expect(letters.count % length == 0)
      let names = stride(from: 0, to: letters.count, by: length).map {
        String(decoding: letters[$0..<$0 + length], as: UTF8.self)
      }
      #expect(names == names.sorted())
    }
  }

  /// Each listed top-level domain must be found, so that none is listed that the reader cannot reach.
  @Test func listedTopLevelDomainsAreFound() {
    var all = TopLevelDomainTable.others.description.split(separator: " ").map(String.init)
    for length in 2...TopLevelDomainTable.longest {
      let letters = Array(TopLevelDomainTable.names(ofLength: length).description)
      all += stride(from: 0, to: letters.count, by: length).map { String(letters[$0..<$0 + length]) }
    }
    #expect(all.count > 1500)
    for name in all { #expect(names("http://a.\(name)", .urls) == ["http://a.\(name)"]) }
  }
}
