import TestSupport
import Testing
import TweetCore
import TweetStore

@testable import TweetNet
@testable import tw_linkcheck

@Suite struct LinkKindTests {
  private func result(_ url: String, _ type: String?, verdict: LinkVerdict = .ok) -> LinkResult {
    LinkResult(
      url: url, unwoundURL: url, status: 200, contentType: type, verdict: verdict,
      checkedAt: Timestamp(milliseconds: 0))
  }

  @Test(arguments: [
    // The type decides, unless it says little.
    ("https://a.example/x", "audio/mpeg", "music content-type"),
    ("https://a.example/x.mp3", "text/html", "page content-type"),
    ("https://a.example/x.mp3", "application/octet-stream", "music extension"),
    ("https://a.example/x.MP3?y=z.png#a.gif", nil, "music extension"),
    ("https://a.example/x.pdf", "application/pdf", "document content-type"),
    ("https://a.example/x.png", "image/png", "image content-type"),
    ("https://a.example/x", "application/zip", "other content-type"),
    ("https://a.example/x", "application/octet-stream", "other content-type"),
    // HLS is mostly video; for Ogg and MP4 the extension decides.
    ("https://a.example/x.m3u8", "application/vnd.apple.mpegurl", "video content-type"),
    ("https://a.example/x.m3u", "audio/x-mpegurl", "playlist content-type"),
    ("https://a.example/x.ogg", "application/ogg", "music content-type"),
    ("https://a.example/x.ogv", "application/ogg", "video extension"),
    ("https://a.example/x.m4a", "video/mp4", "music extension"),
    ("https://a.example/x.mp4", "video/mp4", "video content-type"),
    ("https://a.example/x", "audio/amr", "audio content-type"),
    // Host names and queries that end like a file.
    ("https://foo.it/", "text/html", "page content-type"), ("https://foo.ra", nil, ""),
    ("https://a.example/?f=x.mp3", nil, ""), ("https://a.example/.mp3", nil, ""),
    // Services.
    ("https://open.spotify.com/track/1", "text/html", "music host"),
    ("https://open.spotify.com/episode/1", "text/html", "audio host"),
    ("https://open.spotify.com/playlist/1", "text/html", "playlist host"),
    ("https://someone.bandcamp.com/track/x", "text/html", "music host"),
    ("https://notbandcamp.com/track/x", "text/html", "page content-type"),
    ("https://music.amazon.co.uk/albums/1", "text/html", "music host"),
    ("https://www.youtube.com/watch?v=1", "text/html", "video host"),
    ("https://music.youtube.com/watch?v=1", "text/html", "music host"),
    ("https://www.youtube.com/about", "text/html", "page content-type"),
    ("spotify:track:1", nil, "music scheme"), ("mailto:a@b.example", nil, ""),
  ])
  func kinds(url: String, type: String?, expected: String) {
    // Without a type there was no answer.
    let found = LinkKind.find(result(url, type, verdict: type == nil ? .error : .ok))
    #expect(found.map { "\($0.kind.rawValue) \($0.evidence.rawValue)" } ?? "" == expected)
  }

  @Test func typeOfAnErrorPageIsIgnored() {
    #expect(LinkKind.find(result("https://a.example/x.mp3", "text/html", verdict: .dead))?.kind == .music)
    #expect(LinkKind.find(result("https://a.example/x", "text/html", verdict: .dead)) == nil)
  }

  @Test func musicBehindAConsentPageIsStillMusic() {
    var found = result("https://music.youtube.com/watch?v=1", "text/html")
    found.unwoundURL = "https://consent.youtube.example/m"
    #expect(LinkKind.find(found) == LinkKind.Finding(kind: .music, evidence: .host))
  }

  @Test(arguments: [
    ("https://open.spotify.com/track/4uLU6h?si=abc", "spotify:track:4uLU6h"),
    ("https://open.spotify.com/intl-de/album/4uLU6h", "spotify:album:4uLU6h"),
    ("https://open.spotify.com/embed/track/4uLU6h", "spotify:track:4uLU6h"),
    ("https://play.spotify.com/user/x/playlist/3c", "spotify:playlist:3c"),
    ("spotify:track:4uLU6h", "spotify:track:4uLU6h"), ("https://open.spotify.com/track/%22", nil),
    ("https://music.youtube.com/watch?list=x&v=dQw4w9", "youtube:dQw4w9"),
    ("https://music.apple.com/us/album/name/1440?i=1441", "apple:song:1441"),
    ("https://itunes.apple.com/de/album/name/id1440", "apple:album:1440"),
    ("https://www.deezer.com/fr/track/3135556", "deezer:track:3135556"),
    ("https://tidal.com/browse/track/77646170", "tidal:track:77646170"),
    ("https://m.soundcloud.com/user/song", "soundcloud:user/song"),
    ("https://soundcloud.com/user/sets/list", "soundcloud:user/sets/list"), ("https://soundcloud.com/discover/x", nil),
    ("https://someone.bandcamp.com/track/song", "bandcamp:someone/track/song"),
    ("https://a.example/track/1", nil),
  ])
  func musicIdentifiers(url: String, expected: String?) {
    #expect(MusicServices.identifier(of: url) == expected)
  }

  @Test(arguments: [
    ("https://a.example/x?utm_source=t&b=1&fbclid=2#frag", "https://a.example/x?b=1"),
    ("http://A.example:80/x", "http://a.example/x"), ("http://a.example:8080/x", "http://a.example:8080/x"),
    ("https://youtu.be/ID?t=5", "https://www.youtube.com/watch?v=ID"),
    ("https://m.youtube.com/watch?feature=share&v=ID", "https://www.youtube.com/watch?v=ID"),
    ("https://open.spotify.com/intl-de/track/1?si=2", "https://open.spotify.com/track/1"),
    ("https://twitter.com/a/status/1?s=20", "https://x.com/a/status/1"), ("http://[2600::1]/", "http://[2600::1]/"),
    ("mailto:a", nil),
  ])
  func canonicalURLs(url: String, expected: String?) {
    #expect(CanonicalURL.make(url) == expected)
  }
}

@Suite struct PageTitleTests {
  private func title(_ page: String, charset: String? = nil) -> String? {
    PageTitle.find(in: Array(page.utf8), charset: charset)
  }

  @Test func titles() {
    #expect(title("<html><TITLE lang=de>\n A \u{1B}[31m\t\u{A0} b </title>") == "A [31m b")
    #expect(title("<titlebar>no</titlebar><title data-x='>' >yes</title><title>no</title>") == "yes")
    #expect(title("<title></title>") == nil)
    #expect(title("<title>cut off") == nil)
    #expect(title("<title") == nil)
    #expect(title("") == nil)
    let long = title("<title>" + String(repeating: "ab ", count: 1000) + "</title>")
    #expect((long?.unicodeScalars.count).map { $0 <= PageTitle.limit } == true)
  }

  @Test(arguments: [
    ("&Uuml;ber &rarr; A&amp;B", "Über → A&B"), ("&copy 2024 &notit; &AMP", "© 2024 ¬it; &"),
    ("it&#39;s &#8217;&#x1F600;&#X2014;&#65 &#150;", "it's ’😀—A –"), ("&amp;lt;", "&lt;"),
    ("&unknown; & &; &# &#x; &#xD800;", "&unknown; & &; &# &#x; \u{FFFD}"), ("&nbsp;a&#10;&Tab;b&#27;c", "a b c"),
  ])
  func referencesAreResolved(text: String, expected: String) {
    #expect(title("<title>\(text)</title>") == expected)
  }

  @Test func tagsInATitleAreText() {
    #expect(title("<title>a <b>b</b> <!-- c --> </titles></tit</TITLE >") == "a <b>b</b> <!-- c --> </titles></tit")
    #expect(title("<title><![CDATA[a]]><title>b</title\n>c</title>") == "<![CDATA[a]]><title>b")
  }

  @Test(arguments: [
    "<svg><title>no</title></svg>", "<SCRIPT>'<title>no</title>'</SCRIPT>", "<style><title>no</title></style>",
    "<!-- <title>no</title> -->", "<textarea><title>no</title></textarea>", "<meta content='<title>no</title>'>",
    "<math><title>no</title></math>", "<!doctype html>", "<script></scripts><title>no</title></script>",
  ])
  func titlesElsewhereAreNone(before: String) {
    #expect(title(before) == nil)
    #expect(title(before + "<title>yes</title>") == "yes")
  }

  @Test func charsets() {
    let latin = Array("<title>Caf".utf8) + [0xE9, 0x20, 0x96] + Array("</title>".utf8)
    #expect(PageTitle.find(in: latin, charset: "iso-8859-1") == "Café –")
    #expect(PageTitle.find(in: latin, charset: nil) == nil)
    #expect(PageTitle.find(in: latin, charset: "shift_jis") == nil)
  }
}

@Suite(.onOwnThread) struct LinkCheckTests {
  private func answer(_ status: Int, _ headers: [String: String] = [:], retryAfter: Int? = nil) -> HTTPResponse {
    var response = HTTPResponse(
      status: status, headers: HTTPHeaders(headers.map { HTTPHeader($0.key, $0.value) }), url: "")
    response.retryAfter = retryAfter
    return response
  }

  /// Runs a check with a function from "METHOD URL" to the answer.
  /// - Returns: the result, and the requests and pauses.
  private func check(
    _ url: String, left: Int = 10_000, retries: Int = 0, failure: TransferError.Kind = .lostConnection,
    _ answers: (String) -> HTTPResponse?
  ) -> (result: LinkResult, asked: [String]) {
    var check = LinkCheck(url, wantsTitle: false, retries: retries)
    var asked: [String] = []
    var step = check.begin()
    // A check that goes on for ever is a failure, not an endless test.
    while asked.count < 100 {
      switch step {
      case .done(let result): return (result, asked)
      case .pause(let milliseconds):
        asked.append("pause \(milliseconds)")
        fallthrough
      case .request:
        asked.append("\(check.method.rawValue) \(check.url)")
        let error = TransferError(failure, "")
        step = check.receive(
          answers(asked[asked.count - 1]).map { .success($0) } ?? .failure(error), millisecondsLeft: left)
      }
    }
    Issue.record("\(url): no end after 100 steps")
    return (LinkResult(url: url, unwoundURL: url, verdict: .unknown, checkedAt: Timestamp(milliseconds: 0)), asked)
  }

  private let page = ["Content-Type": "Text/HTML; charset=utf-8"]

  @Test func headIsEnoughWhereItAnswers() {
    let (result, asked) = check("http://a.example") { _ in answer(200, page) }
    #expect(asked == ["HEAD http://a.example/"])
    #expect(result.verdict == .ok && result.contentType == "text/html" && result.redirects == 0)
  }

  @Test(arguments: [400, 403, 404, 405, 410, 429, 500, 501, 503, 999])
  func refusedHeadIsAskedByGet(status: Int) {
    let (result, asked) = check("http://a.example/") { $0.hasPrefix("HEAD") ? answer(status) : answer(200, page) }
    #expect(asked == ["HEAD http://a.example/", "GET http://a.example/"])
    #expect(result.verdict == .ok)
    #expect(result.chain == [LinkHop(url: "http://a.example/", status: 200)])
  }

  @Test func lostHeadAndMissingTypeAreAskedByGet() {
    for failure in [TransferError.Kind.lostConnection, .protocolError, .silence, .timeout] {
      let answered = check("http://a.example/", failure: failure) { $0.hasPrefix("HEAD") ? nil : answer(200, page) }
      #expect(answered.result.verdict == .ok)
    }
    #expect(check("http://a.example/") { $0.hasPrefix("HEAD") ? answer(200) : answer(200, page) }.asked.count == 2)
    #expect(check("http://a.example/") { _ in answer(204) }.asked.count == 1)
    let (lost, asked) = check("http://a.example/") { _ in nil }
    #expect(asked.count == 2)
    #expect(lost.verdict == .error && lost.error == "lost-connection" && lost.status == nil && lost.isSettled)
    #expect(check("http://a.example/", failure: .refused) { _ in nil }.asked.count == 1)
  }

  /// A server may redirect HEAD to a page that refuses it, or in circles, and answer GET where the link is.
  @Test(arguments: ["404", "loop", "nowhere", "silent"]) func redirectsOfHeadAreNotBelieved(end: String) {
    let (result, asked) = check("http://a.example/1", failure: .silence) { request in
      switch request {
      case "HEAD http://a.example/1": answer(302, ["Location": "/2"])
      case "HEAD http://a.example/2" where end == "loop": answer(302, ["Location": "/1"])
      case "HEAD http://a.example/2" where end == "nowhere": answer(302)
      case "HEAD http://a.example/2": end == "silent" ? nil : answer(404, page)
      default: answer(200, page)
      }
    }
    #expect(asked == ["HEAD http://a.example/1", "HEAD http://a.example/2", "GET http://a.example/1"])
    #expect(result.verdict == .ok && result.unwoundURL == "http://a.example/1" && result.redirects == 0)
    #expect(result.chain == [LinkHop(url: "http://a.example/1", status: 200)])
  }

  @Test func redirectsAreFollowedFromHostToHost() {
    let (result, asked) = check("http://a.example/1") { request in
      switch request {
      case "HEAD http://a.example/1": answer(405)
      case "GET http://a.example/1": answer(301, ["Location": "//b.example/2?x#frag"])
      case "GET http://b.example/2?x": answer(307, ["Location": "3"])
      default: answer(200, page)
      }
    }
    #expect(asked.last == "GET http://b.example/3")
    #expect(result.unwoundURL == "http://b.example/3#frag" && result.url == "http://a.example/1")
    #expect(result.redirects == 2)
    #expect(result.chain.map(\.status) == [301, 307, 200])
  }

  /// RFC 9110 §10.2.2, and what browsers do (Fetch, HTTP-redirect fetch).
  @Test(arguments: [
    ("#mine", [], "http://a.example/#mine"), ("#mine", ["/1"], "http://a.example/1#mine"),
    ("#mine", ["/1#own"], "http://a.example/1#own"), ("", ["/1#own", "2"], "http://a.example/2#own"),
    ("#mine", ["/1#own", "2#last"], "http://a.example/2#last"), ("", ["/1"], "http://a.example/1"),
    ("#mine", ["/1#own", "app:x"], "app:x#mine"),
  ])
  func fragmentsOfRedirectsReplaceTheOneBefore(own: String, locations: [String], expected: String) throws {
    let url = "http://a.example/" + own
    var locations = locations[...]
    let (result, asked) = check(LinkRecord.key(of: url)) { _ in
      locations.popFirst().map { answer(302, ["Location": $0]) } ?? answer(200, page)
    }
    #expect(!asked.contains { $0.contains("#") } && !result.chain.contains { $0.url.contains("#") })
    #expect(LinkAddress.inheritingFragment(result.unwoundURL, from: url) == expected)
  }

  @Test func redirectsEnd() {
    let loop = check("http://a.example/") { _ in answer(302, ["Location": "/"]) }.result
    #expect(loop.verdict == .error && loop.error == "redirect-loop" && loop.isSettled)
    var count = 0
    let deep = check("http://a.example/") { _ in
      count += 1
      return answer(302, ["Location": "/\(count)"])
    }.result
    #expect(deep.error == "too-many-redirects" && deep.redirects == 10 && deep.chain.count == 11)
    let app = check("http://a.example/") { _ in answer(302, ["Location": "spotify:track:1"]) }.result
    #expect(app.verdict == .ok && app.unwoundURL == "spotify:track:1" && app.error == nil && app.redirects == 1)
    let other = check("http://a.example/") { _ in answer(302, ["Location": "intent://x"]) }.result
    #expect(other.verdict == .unknown && other.unwoundURL == "intent://x" && other.error == "unsupported-scheme")
    #expect(check("http://a.example/") { _ in answer(301) }.result.error == "bad-redirect")
    #expect(check("http://a.example/") { _ in answer(301, ["Location": "http://"]) }.result.error == "bad-redirect")
    #expect(check("file:///etc/passwd") { _ in answer(200) }.result.error == "unsupported-scheme")
    #expect(check("http://a.example/") { _ in answer(301, ["Location": "file:///etc/passwd"]) }.asked.count == 1)
  }

  /// The schemes of the recorded music links.
  @Test(arguments: [
    "itms", "itmss", "itms-podcasts", "itms-podcastss", "music", "musics", "spotify", "deezer", "tidal", "soundcloud",
    "rhapsody", "mms", "mmsh", "mmst", "rtsp", "rtmp", "rtp", "icy", "icyx", "pnm", "uvox", "MMS",
  ])
  func musicNeedsNoRequest(scheme: String) {
    let (result, asked) = check("\(scheme)://a.example/x") { _ in answer(404) }
    #expect(asked.isEmpty && result.verdict == .ok && result.error == nil && result.isSettled)
    #expect(LinkKind.find(result) == LinkKind.Finding(kind: .music, evidence: .scheme))
  }

  @Test func retryAfterIsHonouredInTime() {
    let (patient, asked) = check("http://a.example/", retries: 1) { _ in answer(429, retryAfter: 3) }
    #expect(asked == ["HEAD http://a.example/", "pause 3000", "GET http://a.example/"])
    #expect(patient.verdict == .limited)
    #expect(check("http://a.example/", left: 2000, retries: 1) { _ in answer(429, retryAfter: 3) }.asked.count == 1)
    #expect(check("http://a.example/", retries: 1) { _ in answer(429, retryAfter: .max) }.asked.count == 1)
    #expect(check("http://a.example/") { _ in answer(429, retryAfter: 3) }.asked.count == 1)
  }

  @Test func whatMayPassIsTriedAgainWithLongerPauses() {
    let (result, asked) = check("http://a.example/", retries: 2) { _ in answer(503) }
    let get = "GET http://a.example/"
    #expect(asked == ["HEAD http://a.example/", get, "pause 500", get, "pause 1000", get])
    #expect(result.status == 503 && result.verdict == .error)
    #expect(check("http://a.example/", left: 700, retries: 2) { _ in answer(503) }.asked.count == 4)
    #expect(check("http://a.example/", retries: 2) { _ in nil }.asked.count == 6)
    for status in [404, 403, 501, 505, 511] {
      #expect(check("http://a.example/", retries: 2) { _ in answer(status) }.asked.count == 2, "\(status)")
    }
    for (failure, count) in [(TransferError.Kind.dns, 5), (.noSuchHost, 1), (.timeout, 2), (.tls, 1), (.refused, 1)] {
      #expect(check("http://a.example/", retries: 2, failure: failure) { _ in nil }.asked.count == count, "\(failure)")
    }
  }

  @Test func verdicts() {
    let statuses = [200: LinkVerdict.ok, 204: .ok, 404: .dead, 410: .dead, 401: .blocked, 403: .blocked, 451: .blocked]
      .merging([999: .blocked, 429: .limited, 500: .error, 503: .error, 304: .unknown, 418: .unknown]) { $1 }
    for (status, verdict) in statuses { #expect(LinkVerdict(status: status) == verdict, "\(status)") }
    #expect(LinkCheck.verdict(of: .noSuchHost, isOnline: true) == .dead)
    #expect(LinkCheck.verdict(of: .noSuchHost, isOnline: false) == .unknown)
    #expect(LinkCheck.verdict(of: .dns, isOnline: true) == .error)
    #expect(LinkCheck.verdict(of: .noResources, isOnline: true) == .unknown)
    #expect(LinkCheck.verdict(of: .tls, isOnline: false) == .error)
  }

  @Test(arguments: [
    ("text/html", "text/html", nil), ("Text/HTML;Charset=\"UTF-8\"", "text/html", "utf-8"), ("", nil, nil),
    ("text", nil, nil), ("a/b/c", nil, nil), ("text/\"x", nil, nil),
  ])
  func contentTypes(header: String, essence: String?, charset: String?) {
    #expect(ContentType(header)?.essence == essence)
    #expect(ContentType(header)?.charset == charset)
  }
}

@Suite struct PlainAddressTests {
  @Test(arguments: [
    ("https://a.example/x", "https://a.example/x"), ("SPOTIFY:track:1", "SPOTIFY:track:1"), ("ftp://a/", "ftp://a/"),
    ("a.example/x", "http://a.example/x"), ("a.example:80", "http://a.example:80"), ("a.example?x", "http://a.example?x"),
    ("bücher.example/", "http://bücher.example/"), ("192.0.2.1", "http://192.0.2.1"), ("[::1]/x", "http://[::1]/x"),
    ("localhost:8080/x", "http://localhost:8080/x"), ("swift.org", "http://swift.org"),
    ("пример.рф", "http://пример.рф"), ("xn--e1afmkfd.xn--p1ai", "http://xn--e1afmkfd.xn--p1ai"),
    // Names of files, words, and what is no http address.
    ("tweets.ndjson", nil), ("localhost", nil), ("a", nil), ("dir/a.example", nil), ("./a.example/x", nil), ("/x", nil),
    ("..", nil), ("1.2.3.4.5/x", nil), ("300.1.1.1/x", nil), ("12.5", nil), ("user@a.example/x", nil),
    ("mailto:a@b.example", nil), ("a.example:99999/x", nil), ("a b.example/", nil), ("", nil), ("{\"a\":\"b://c\"}", nil),
  ])
  func addresses(text: String, expected: String?) {
    #expect(PlainAddress.url(text) == expected)
  }
}

@Suite struct LinkRecordTests {
  private func write(_ record: String, _ results: [String: LinkResult], chain: Bool = false) throws -> String {
    let document = try JSONDocument(record)
    var buffer = ByteBuffer()
    LinkRecord(showsChain: chain).append(document.root, results, to: &buffer)
    return buffer.string
  }

  private func result(_ url: String, _ change: (inout LinkResult) -> Void = { _ in }) -> LinkResult {
    var result = LinkResult(
      url: url, unwoundURL: url, status: 200, contentType: "text/html", verdict: .ok,
      chain: [LinkHop(url: url, status: 200)], checkedAt: Timestamp(milliseconds: 0))
    change(&result)
    return result
  }

  private static let checked =
    #""unwound_url":"http://a.example/x#f","status":200,"content_type":"text/html","verdict":"ok","#
    + #""link_kind":"page","link_kind_by":"content-type","canonical_url":"http://a.example/x","redirects":0,"#
    + #""checked_at":"1970-01-01T00:00:00.000Z""#

  @Test func onlyLinksAreTouched() throws {
    let link = #"{"start":0.10,"url":"http://t.co/1","expanded_url":"http:\/\/a.example/x#f"}"#
    let tweet =
      #"{"tw":"tweet", "n":1.000,"entities":{"urls":[LINK,{"url":"http://other.example/"}]},"#
      + #""referenced_tweets":[{"type":"quoted","entities":{"urls":[LINK]}},{"type":"retweeted","entities":{"urls":[LINK]}}]}"#
    let record = tweet.replacing("LINK", with: link)
    let document = try JSONDocument(record)
    #expect(
      LinkRecord.links(in: document.root).map { LinkRecord.key(of: $0.url) }
        == ["http://a.example/x", "http://other.example/", "http://a.example/x"])
    let done = link.dropLast() + "," + Self.checked + "}"
    let expected = tweet.split(separator: "LINK", omittingEmptySubsequences: false)
    #expect(
      try write(record, ["http://a.example/x": result("http://a.example/x")])
        == expected[0] + done + expected[1] + link + expected[2] + done + expected[3])
  }

  @Test func keysThatNoLongerHoldAreRemoved() throws {
    let first = try write(
      #"{"tw":"link","url":"http://a.example/x#f"}"#, ["http://a.example/x": result("http://a.example/x")])
    #expect(first == #"{"tw":"link","url":"http://a.example/x#f",\#(Self.checked)}"#)
    let dead = result("http://a.example/x") {
      $0.status = nil
      $0.contentType = nil
      $0.verdict = .error
      $0.error = "timeout"
    }
    let second = try write(first, ["http://a.example/x": dead])
    #expect(
      second == #"{"tw":"link","url":"http://a.example/x#f","unwound_url":"http://a.example/x#f","verdict":"error","#
        + #""canonical_url":"http://a.example/x","redirects":0,"checked_at":"1970-01-01T00:00:00.000Z","error":"timeout"}"#
    )
    let third = try write(second, ["http://a.example/x": result("http://a.example/x")])
    #expect(!third.contains("error") && third.contains(#""status":200"#))
  }

  @Test func chainsAreKept() throws {
    let chain = [LinkHop(url: "http://a.example/\"x", status: 301), LinkHop(url: "http://b.example/", status: 200)]
    let text = String(decoding: LinkChain.encode(chain), as: UTF8.self)
    #expect(text == #"[{"url":"http://a.example/\"x","status":301},{"url":"http://b.example/","status":200}]"#)
    #expect(LinkChain.decode(text) == chain)
    #expect(LinkChain.decode("[{}]") == nil)
  }
}
