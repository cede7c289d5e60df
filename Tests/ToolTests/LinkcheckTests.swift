import Foundation
import MediaStore
import TestSupport
import Testing
import TweetCLI
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
    ("https://a.example/x", "application/zip", "archive content-type"),
    ("https://a.example/x.tar.gz", "application/octet-stream", "archive extension"),
    ("https://a.example/x", "application/octet-stream", "download content-type"),
    ("https://a.example/x.AppImage", nil, "download extension"),
    ("https://a.example/x", "application/x-odd", "other content-type"),
    ("https://a.example/x", "application/rss+xml", "feed content-type"),
    ("https://a.example/x.atom", "text/xml", "feed extension"),
    ("https://a.example/x", "text/xml", "document content-type"),
    // Servers that do not know an extension send text.
    ("https://a.example/x.mp3", "text/plain", "music extension"),
    ("https://a.example/x.m3u", "text/plain", "playlist extension"),
    ("https://a.example/x.txt", "text/plain", "document content-type"),
    ("https://a.example/x.html", "text/plain", "document content-type"),
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

  @Test(arguments: [
    ("application/octet-stream", "attachment; filename=\"a;b.mp3\"", "music content-disposition"),
    (
      "application/octet-stream", "attachment; filename=x.bin; filename*=UTF-8''%e2%82%ac.flac",
      "music content-disposition"
    ),
    ("text/plain", "inline; filename=list.m3u", "playlist content-disposition"),
    ("text/html", "attachment", "download content-disposition"), ("text/html", "inline", "page content-type"),
    ("text/html", "ATTACHMENT; FileName=x.zip", "archive content-disposition"),
    ("application/pdf", "attachment; filename=x.mp3", "document content-type"),
    ("application/x-odd", "attachment; filename=\"x\\\".mp3", "music content-disposition"),
    ("application/x-odd", "attachment", "download content-disposition"),
    ("application/x-odd", ";;=\"", "other content-type"),
  ])
  func namesInHeadersCount(type: String, header: String, expected: String) {
    var result = result("https://a.example/get", type)
    let disposition = ContentDisposition(header)
    (result.fileName, result.isAttachment) = (disposition.fileName, disposition.isAttachment)
    #expect(LinkKind.find(result).map { "\($0.kind.rawValue) \($0.evidence.rawValue)" } == expected)
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
    ("https://a.example/?ref=1&si=2&GCLID=3&mtm_x=4&a=", "https://a.example/?ref=1&si=2&a="),
    ("https://www.soundcloud.com/a/b?si=1&in=x/sets/y&t=3", "https://soundcloud.com/a/b?t=3"),
    ("https://www.tiktok.com/@a/video/1?_t=2&lang=en", "https://www.tiktok.com/@a/video/1?lang=en"),
    ("mailto:a", nil),
  ])
  func canonicalURLs(url: String, expected: String?) {
    #expect(CanonicalURL.make(url) == expected)
  }
}

@Suite struct PageTitleTests {
  private func title(_ page: String, charset: String? = nil) -> String? {
    PageHead(Array(page.utf8), charset: charset).title
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

  @Test func sharedTitles() {
    let shared = "<meta property=\"og:title\" content='A &amp; B'>"
    #expect(title(shared) == "A & B")
    #expect(title(shared + "<title>Own</title>") == "Own")
    #expect(title("<title> </title>" + shared) == "A & B")
    #expect(title("<svg><title>Icon</title></svg><meta content=B name=og:title>" + shared) == "B")
    #expect(title("<title>cut off" + shared) == nil)
  }

  @Test(
    arguments: [
      ("0; url=https://a.example/", 0, "https://a.example/"), ("5;URL='x y'z", 5, "x y"), ("0,/x", 0, "/x"),
      (" 3 ; Url = \"/a?b=c\"", 3, "/a?b=c"), (".5;url=x", 0, "x"), ("2.9 x", 2, "x"), ("0;url=url", 0, "url"),
      ("99999999999999999999;url=x", .max, "x"), ("300", nil, nil), ("", nil, nil), ("url=x", nil, nil),
      ("0;", nil, nil),
      ("0;url=", nil, nil), ("0url=x", nil, nil), ("-1;url=x", nil, nil),
    ] as [(String, Int?, String?)])
  func refreshes(text: String, delay: Int?, url: String?) {
    let refresh = PageRefresh(text)
    #expect(refresh?.delay == delay && refresh?.url == url)
  }

  /// What X's shortener sends to browsers, and pages for browsers without scripts, which look alike.
  @Test func refreshesForBrowsersWithoutScriptsCountIfAScriptDoesTheSame() {
    func head(_ script: String) -> PageHead {
      let meta = #"<noscript><META http-equiv="refresh" content="0;URL=https://a.example/x"></noscript>"#
      return PageHead(
        Array("<head>\(meta)<title>https://a.example/x</title></head><script>\(script)</script>".utf8), charset: nil)
    }
    #expect(
      head(#"window.opener = null; location.replace("https:\/\/a.example\/x")"#).refresh?.url == "https://a.example/x")
    #expect(head("f()").refresh == nil)
    let plain = PageHead(
      Array("<meta http-equiv=Refresh content=0;url=/a><meta http-equiv=refresh content='0;/b'>".utf8), charset: nil)
    #expect(plain.refresh?.url == "/a")
  }

  @Test func canonicalAddresses() {
    func canonical(_ page: String) -> String? { PageHead(Array(page.utf8), charset: nil).canonical }
    #expect(
      canonical("<link rel='nofollow Canonical' href='/a?b=1&amp;c=2'><link rel=canonical href=/b>") == "/a?b=1&c=2")
    #expect(canonical("<link rel=icon href=/a><!-- <link rel=canonical href=/b> -->") == nil)
  }
}

/// Heads of pages as they are found in the web, in many encodings.
@Suite struct PageHeadTests {
  private static let titles: [(encoding: String.Encoding, label: String, title: String)] = [
    (.utf8, "utf-8", "Über uns – Straße & Café · 日本"), (.utf8, "UTF-8", "Новости дня: погода в Москве"),
    (.utf8, "utf8", "العربية – موقع الأخبار"), (.isoLatin1, "ISO-8859-1", "Café à la crème"),
    (.isoLatin1, "latin1", "Señor Núñez y la niña"), (.windowsCP1252, "windows-1252", "Preis: 5 € – „gut“"),
    (.windowsCP1251, "windows-1251", "Главная страница"), (.windowsCP1251, "cp1251", "Български новини"),
    (.windowsCP1250, "windows-1250", "Příliš žluťoučký kůň"), (.isoLatin2, "iso-8859-2", "Zażółć gęślą jaźń"),
    (.windowsCP1253, "windows-1253", "Ειδήσεις και καιρός"), (.windowsCP1254, "iso-8859-9", "Güneşli günler, İstanbul"),
    (.shiftJIS, "Shift_JIS", "ソフトウェア表示の能力"), (.shiftJIS, "x-sjis", "東京の天気"),
    (.iso2022JP, "iso-2022-jp", "日本語メール"),
  ]

  private func head(_ start: String, _ title: String, _ end: String, _ encoding: String.Encoding) throws -> [UInt8] {
    Array(
      try #require(
        "\(start)<title>\(title)</title>\(end)</head><body>...</body>".data(using: encoding, allowLossyConversion: true)
      ))
  }

  /// The header, a `meta` element of either form, and text before it.
  @Test(arguments: titles.indices) func titlesInTheirEncoding(row: Int) throws {
    let (encoding, label, title) = Self.titles[row]
    let page = try head("<!DOCTYPE html>\n<html lang=xx>\n<head>", title, "", encoding)
    #expect(PageHead(page, charset: label.lowercased()).title == title)
    let short = try head("<html><head><meta charset=\"\(label)\">", title, "", encoding)
    #expect(PageHead(short, charset: nil).title == title)
    let long = try head(
      "<html><head><meta name=x content=y><META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=\(label)' />",
      title,
      "", encoding)
    #expect(PageHead(long, charset: nil).title == title)
    // The header counts before the page.
    let wrong = try head("<meta charset=windows-1257>", title, "", encoding)
    #expect(PageHead(wrong, charset: label.lowercased()).title == title)
  }

  /// Encodings that Foundation has no name for, as bytes.
  @Test(
    arguments: [
      ("gb2312", [0xD6, 0xD0, 0xCE, 0xC4, 0xCD, 0xF8, 0xD2, 0xB3], "中文网页"), ("gbk", [0x96, 0x7C, 0xBE, 0xA9], "東京"),
      ("big5", [0xA4, 0xA4, 0xA4, 0xE5], "中文"), ("euc-kr", [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE], "한국어"),
      ("ks_c_5601-1987", [0xB4, 0xBA, 0xBD, 0xBA], "뉴스"), ("koi8-r", [0xED, 0xCF, 0xD3, 0xCB, 0xD7, 0xC1], "Москва"),
      ("windows-1255", [0xF9, 0xEC, 0xE5, 0xED], "שלום"), ("windows-1256", [0xE3, 0xD1, 0xCD, 0xC8, 0xC7], "مرحبا"),
      ("tis-620", [0xCA, 0xC7, 0xD1, 0xCA, 0xB4, 0xD5], "สวัสดี"),
      ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC], "日本語"), ("iso-8859-15", [0xA4, 0x20, 0xBD], "€ œ"),
    ] as [(String, [UInt8], String)])
  func titlesAsBytes(label: String, bytes: [UInt8], title: String) {
    let page = Array("<head><meta charset=\(label)><title>".utf8) + bytes + Array("</title>".utf8)
    #expect(PageHead(page, charset: nil).title == title)
  }

  @Test func theSystemKnowsEveryEncoding() {
    for name in Set(CharsetTable.names.values) {
      #expect(TextDecoder(name)?.decode([0x41]) == [0x41] || name.hasPrefix("UTF-16"), "\(name)")
    }
  }

  @Test func byteOrderMarksCountFirst() throws {
    let text = "<title>Ä 漢</title>"
    #expect(PageHead([0xEF, 0xBB, 0xBF] + Array(text.utf8), charset: "shift_jis").title == "Ä 漢")
    let wide = Array(try #require(text.data(using: .utf16LittleEndian)))
    #expect(PageHead([0xFF, 0xFE] + wide, charset: "utf-8").title == "Ä 漢")
    #expect(
      PageHead([0xFE, 0xFF] + Array(try #require(text.data(using: .utf16BigEndian))), charset: nil).title == "Ä 漢")
    // A page that can be read as ASCII is not UTF-16.
    #expect(PageHead(Array("<meta charset=utf-16>\(text)".utf8), charset: nil).title == "Ä 漢")
  }

  @Test func pagesThatSayNothingOrNonsense() {
    let latin = Array("<title>Caf".utf8) + [0xE9, 0x20, 0x96] + Array("</title>".utf8)
    for charset in [nil, "iso-8859-1", "x-unknown", "../../etc/passwd"] {
      #expect(PageHead(latin, charset: charset).title == "Café –")
    }
    // It says UTF-8, and is not.
    #expect(PageHead(latin, charset: "utf-8").title == "Caf\u{FFFD} \u{FFFD}")
    // A broken character does not swallow what follows it.
    let broken = Array("<title>a".utf8) + [0x81] + Array("</title>".utf8)
    #expect(PageHead(broken, charset: "shift_jis").title?.hasPrefix("a") == true)
    // A page that is cut off inside a character.
    let cut = Array("<title>é</title><p>".utf8) + [0xE6, 0xBC]
    #expect(PageHead(cut, charset: nil).title == "é")
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
    _ url: String, left: Int = 10_000, retries: Int = 0, wantsTitle: Bool = false,
    failure: TransferError.Kind = .lostConnection,
    _ answers: (String) -> HTTPResponse?
  ) -> (result: LinkResult, asked: [String]) {
    let check = LinkCheck(url, wantsTitle: wantsTitle, retries: retries)
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

  private func page(_ text: String, _ headers: [String: String] = [:]) -> HTTPResponse {
    var response = answer(200, page.merging(headers) { $1 })
    response.body = Array(text.utf8)
    return response
  }

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
    #expect(lost.verdict == .error && lost.error == "lost-connection" && lost.status == nil)
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
    #expect(loop.verdict == .error && loop.error == "redirect-loop")
    var count = 0
    let deep = check("http://a.example/") { _ in
      count += 1
      return answer(302, ["Location": "/\(count)"])
    }.result
    #expect(deep.error == "too-many-redirects" && deep.redirects == 20 && deep.chain.count == 21)
    let app = check("http://a.example/") { _ in answer(302, ["Location": "spotify:track:1"]) }.result
    #expect(app.verdict == .ok && app.unwoundURL == "spotify:track:1" && app.error == nil && app.redirects == 1)
    let other = check("http://a.example/") { _ in answer(302, ["Location": "intent://x"]) }.result
    #expect(other.verdict == .unknown && other.unwoundURL == "intent://x" && other.error == "unsupported-scheme")
    #expect(check("http://a.example/") { _ in answer(301) }.result.error == "bad-redirect")
    #expect(check("http://a.example/") { _ in answer(301, ["Location": "http://"]) }.result.error == "bad-redirect")
    #expect(check("file:///etc/passwd") { _ in answer(200) }.result.error == "unsupported-scheme")
    for target in ["file:///etc/passwd", "JavaScript:alert(1)", "data:,x"] {
      let end = check("http://a.example/") { _ in answer(301, ["Location": target]) }
      #expect(end.result.verdict == .error && end.result.error == "bad-redirect")
      #expect(end.asked == ["HEAD http://a.example/", "GET http://a.example/"])
    }
  }

  /// The schemes of the recorded music links.
  @Test(arguments: [
    "itms", "itmss", "itms-podcasts", "itms-podcastss", "music", "musics", "spotify", "deezer", "tidal", "soundcloud",
    "rhapsody", "mms", "mmsh", "mmst", "rtsp", "rtmp", "rtp", "icy", "icyx", "pnm", "uvox", "MMS",
  ])
  func musicNeedsNoRequest(scheme: String) {
    let (result, asked) = check("\(scheme)://a.example/x") { _ in answer(404) }
    #expect(asked.isEmpty && result.verdict == .ok && result.error == nil)
    #expect(LinkKind.find(result) == LinkKind.Finding(kind: .music, evidence: .scheme))
  }

  /// A permanent redirect that leads elsewhere: the link can be replaced.
  @Test(arguments: [
    (["301 /b"], "moved permanent"), (["308 //b.example/a"], "moved permanent"),
    (["301 /b", "308 /c"], "moved permanent"),
    (["302 /b"], "ok temporary"), (["301 /b", "302 /c"], "ok temporary"), (["307 /b", "301 /c"], "ok temporary"),
    ([], "ok -"), (["301 https://www.a.example/a/"], "ok permanent"), (["301 /a?b"], "moved permanent"),
    (["301 spotify:track:1"], "moved permanent"), (["302 spotify:track:1"], "ok temporary"),
  ])
  func movedLinks(hops: [String], expected: String) {
    var hops = hops[...]
    let (result, _) = check("http://a.example/a") { _ in
      guard let hop = hops.popFirst()?.split(separator: " ") else { return answer(200, page) }
      return answer(Int(hop[0]) ?? 0, ["Location": String(hop[1])])
    }
    #expect("\(result.verdict.rawValue) \(result.redirectKind?.rawValue ?? "-")" == expected)
  }

  @Test func downgradesAreNamed() {
    func result(_ url: String, _ target: String) -> LinkResult {
      check(url) { $0.hasSuffix("/1") ? answer(302, ["Location": target]) : answer(200, page) }.result
    }
    #expect(result("https://a.example/1", "http://b.example/2").isDowngraded)
    #expect(!result("http://a.example/1", "https://b.example/2").isDowngraded)
    #expect(!result("https://a.example/1", "/2").isDowngraded)
  }

  @Test func refreshesAreFollowed() {
    let byHeader = check("http://a.example/1") { $0.hasSuffix("/1") ? page("", ["Refresh": "0; url=/2"]) : page("") }
    #expect(byHeader.asked == ["HEAD http://a.example/1", "HEAD http://a.example/2"])
    #expect(byHeader.result.redirectKind == .temporary && byHeader.result.verdict == .ok)
    let meta = "<meta http-equiv=refresh content='0; url=/2'>"
    let byPage = check("http://a.example/1", wantsTitle: true) {
      $0.hasSuffix("/1") ? page(meta) : page("<title>b</title>")
    }
    #expect(
      byPage.result.unwoundURL == "http://a.example/2" && byPage.result.title == "b" && byPage.result.redirects == 1)
    // Slides, and a page that loads itself again.
    let slides = check("http://a.example/1", wantsTitle: true) {
      $0.hasSuffix("/1") ? page(meta) : page("<meta http-equiv=refresh content='1;/1'>")
    }
    #expect(slides.result.verdict == .ok && slides.result.unwoundURL == "http://a.example/2" && slides.asked.count == 2)
    let clock = check("http://a.example/1") { _ in page("", ["Refresh": "0; url=/1"]) }
    #expect(clock.result.verdict == .ok && clock.asked.count == 1)
    let slow = check("http://a.example/1") { _ in page("", ["Refresh": "30; url=/2"]) }
    #expect(slow.result.unwoundURL == "http://a.example/1")
    // X's shortener, to what it takes for a browser.
    let short = check("https://t.co/1") { request in
      request.hasSuffix("t.co/1")
        ? page("<head><meta http-equiv=refresh content=0;url=https://a.example/></head>") : page("")
    }
    #expect(short.asked == ["HEAD https://t.co/1", "GET https://t.co/1", "GET https://a.example/"])
    #expect(short.result.unwoundURL == "https://a.example/" && short.result.verdict == .ok)
  }

  @Test func canonicalAddressesAreTold() {
    func canonical(_ href: String) -> String? {
      check("http://a.example/x?s=1", wantsTitle: true) { _ in page("<link rel=canonical href='\(href)'>") }.result
        .relCanonical
    }
    #expect(canonical("/x") == "http://a.example/x")
    #expect(canonical("http://a.example/x?s=1") == nil && canonical("javascript:x") == nil)
  }

  @Test(
    arguments: [
      ("/a/b", ["/"], "", "home-page"), ("/a/b", ["//www.a.example"], "", "home-page"),
      ("/a", ["//b.example/"], "", nil),
      ("/index.html", ["/"], "", nil), ("/a", ["/404.html"], "", "address"),
      ("/404", [], "", nil),
      ("/a", ["/Not-Found?x"], "", "address"), ("/a", [], "404 Not Found", "title"),
      ("/a", [], "Seite nicht gefunden – X", "title"),
      ("/a", [], "X | 404", "title"), ("/a", [], "Peugeot 404 for sale", nil),
      ("/a", [], "What was not found in the cave", nil),
    ] as [(String, [String], String, String?)])
  func missingPagesThatSayOK(path: String, hops: [String], title: String, expected: String?) {
    var hops = hops[...]
    let (result, _) = check("http://a.example\(path)", wantsTitle: true) { _ in
      hops.popFirst().map { answer(302, ["Location": $0]) } ?? page("<title>\(title)</title>")
    }
    #expect(result.softNotFound?.rawValue == expected && result.verdict == .ok)
  }

  /// How long the host rests, and how often it is asked, is the matter of `HostLanes`.
  @Test func aRefusalIsNotTriedAgainHere() {
    let (result, asked) = check("http://a.example/", retries: 1) { _ in answer(429, retryAfter: 3) }
    #expect(asked == ["HEAD http://a.example/", "GET http://a.example/"])
    let wait = result.retryAt.map { $0.milliseconds - result.checkedAt.milliseconds } ?? 0
    #expect(result.verdict == .limited && (2000...3000).contains(wait))
    #expect(check("http://a.example/") { _ in answer(429) }.result.retryAt == nil)
    let (none, once) = check("http://a.example/", failure: .limited) { _ in nil }
    #expect(none.verdict == .limited && none.error == "limited" && once.count == 1)
  }

  @Test func whatMayPassIsTriedAgainWithLongerPauses() {
    let (result, asked) = check("http://a.example/", retries: 2) { _ in answer(500) }
    let get = "GET http://a.example/"
    #expect(asked == ["HEAD http://a.example/", get, "pause 500", get, "pause 1000", get])
    #expect(result.status == 500 && result.verdict == .error)
    #expect(check("http://a.example/", left: 700, retries: 2) { _ in answer(500) }.asked.count == 4)
    for status in [408, 425] {
      #expect(check("http://a.example/", retries: 2) { _ in answer(status) }.asked.count == 6, "\(status)")
    }
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
      .merging([
        999: .blocked, 429: .limited, 500: .error, 503: .error, 304: .error, 400: .error, 418: .error, 600: .error,
      ]) { $1 }
    for (status, verdict) in statuses { #expect(LinkVerdict(status: status) == verdict, "\(status)") }
    #expect(LinkCheck.verdict(of: .noSuchHost, isOnline: true) == .dead)
    #expect(LinkCheck.verdict(of: .noSuchHost, isOnline: false) == .unknown)
    #expect(LinkCheck.verdict(of: .dns, isOnline: true) == .error)
    for failure in [TransferError.Kind.noResources, .proxy] {
      #expect(check("http://a.example/", failure: failure) { _ in nil }.result.verdict == .unknown)
    }
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

/// Which cookies go where.
@Suite struct LinkCookieTests {
  /// A cookie goes back to its host alone, and one that is marked so only over an encrypted connection.
  @Test func aCookieIsOfItsHostAndItsScheme() throws {
    var cookies = LinkCookies()
    let https = try #require(WebAddress("https://tea.example/a"))
    #expect((cookies.take(["plain=1", "secret=2; Path=/; SECURE; HttpOnly", "other=3;secure"], from: https)) == true)
    func field(_ url: String) throws -> String? { cookies.field(for: try #require(WebAddress(url))) }
    #expect(try field("https://tea.example/b") == "plain=1; secret=2; other=3")
    #expect(try field("http://tea.example/a") == "plain=1")
    #expect(try field("http://tea.example:8080/a") == "plain=1")
    for url in ["https://www.tea.example/", "https://example/", "https://milk.example/", "https://tea.example.milk/"] {
      #expect(try field(url) == nil, "\(url)")
    }
    // A new value without the mark goes everywhere.
    #expect((cookies.take(["secret=4"], from: https)) == true)
    #expect(try field("http://tea.example/") == "plain=1; secret=4")
    #expect((cookies.take(["plain=; Max-Age=0"], from: https)) == false)
    #expect(try field("http://tea.example/") == "secret=4")
  }
}

@Suite struct PlainAddressTests {
  @Test(arguments: [
    ("https://a.example/x", "https://a.example/x"), ("SPOTIFY:track:1", "SPOTIFY:track:1"), ("ftp://a/", "ftp://a/"),
    ("a.example/x", "http://a.example/x"), ("a.example:80", "http://a.example:80"),
    ("a.example?x", "http://a.example?x"),
    ("bücher.example/", "http://bücher.example/"), ("192.0.2.1", "http://192.0.2.1"), ("[::1]/x", "http://[::1]/x"),
    ("localhost:8080/x", "http://localhost:8080/x"), ("swift.org", "http://swift.org"),
    ("пример.рф", "http://пример.рф"), ("xn--e1afmkfd.xn--p1ai", "http://xn--e1afmkfd.xn--p1ai"),
    // Names of files, words, and what is not an http address.
    ("tweets.ndjson", nil), ("localhost", nil), ("a", nil), ("dir/a.example", nil), ("./a.example/x", nil), ("/x", nil),
    ("..", nil), ("1.2.3.4.5/x", nil), ("300.1.1.1/x", nil), ("12.5", nil), ("user@a.example/x", nil),
    ("mailto:a@b.example", nil), ("a.example:99999/x", nil), ("a b.example/", nil), ("", nil),
    ("{\"a\":\"b://c\"}", nil),
  ])
  func addresses(text: String, expected: String?) {
    #expect(PlainAddress.url(text) == expected)
  }
}

@Suite struct LinkRecordTests {
  private func write(_ record: String, _ results: [String: LinkResult], chain: Bool = false) throws -> String {
    let document = try JSONDocument(record)
    var buffer = ByteBuffer()
    let answers = results.mapValues { LinkAnswer($0, LinkKind.find($0)) }
    document.read { LinkRecord(showsChain: chain, showsText: false).append($0, LiveAnswers(answers), to: &buffer) }
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
    #""unwound_url":"http://a.example/x#f","canonical_url":"http://a.example/x","status":200,"#
    + #""content_type":"text/html","verdict":"ok","link_kind":"page","link_kind_by":"content-type","redirects":0,"#
    + #""checked_at":"1970-01-01T00:00:00.000Z""#

  @Test func onlyLinksAreTouched() throws {
    let link = #"{"start":0.10,"url":"http://t.co/1","expanded_url":"http:\/\/a.example/x#f"}"#
    let tweet =
      #"{"tw":"tweet", "n":1.000,"entities":{"urls":[LINK,{"url":"http://other.example/"}]},"#
      + #""referenced_tweets":[{"type":"quoted","entities":{"urls":[LINK]}},{"type":"retweeted","entities":{"urls":[LINK]}}]}"#
    let record = tweet.replacing("LINK", with: link)
    let document = try JSONDocument(record)
    #expect(
      document.read { LinkRecord.links(in: $0).links.map { LinkRecord.key(of: $0.url) } }
        == ["http://a.example/x", "http://other.example/", "http://a.example/x", "http://a.example/x"])
    let done = link.dropLast() + "," + Self.checked + "}"
    let expected = tweet.split(separator: "LINK", omittingEmptySubsequences: false)
    #expect(
      try write(record, ["http://a.example/x": result("http://a.example/x")])
        == expected[0] + done + expected[1] + done + expected[2] + done + expected[3])
  }

  /// The links to a tweet's own pictures and to the tweet that it quotes; what the quoted tweet links to is checked.
  @Test func linksIntoTheRecordAreNotChecked() throws {
    func url(_ url: String, _ more: String = "") -> String {
      #"{"url":"https://t.co/1","expanded_url":"\#(url)"\#(more)}"#
    }
    let own = [
      url("https://twitter.com/ann/status/10/photo/1"), url("https://x.com/bob/status/20?s=20"),
      url("https://mobile.twitter.com/i/web/status/20"), url("https://a.example/clip", #","media_key":"3_1""#),
      url("https://social.example/@cy/30"),
    ]
    let others = [url("https://x.com/bob/status/21"), url("https://a.example/ann/status/10"), url("https://x.com/ann")]
    let inner = #"{"type":"quoted","id":"30","url":"https://social.example/@cy/30"},{"type":"replied_to","id":"21"}"#
    let quoted =
      #"{"type":"quoted","id":"20","entities":{"urls":[\#(url("https://b.example/"))]},"referenced_tweets":[\#(inner)]}"#
    let urls = (own + others).joined(separator: ",")
    let record = #"{"tw":"tweet","id":"10","entities":{"urls":[\#(urls)]},"referenced_tweets":[\#(quoted)]}"#
    let document = try JSONDocument(record)
    #expect(
      document.read { LinkRecord.links(in: $0).links.map(\.url) } == [
        "https://x.com/bob/status/21", "https://a.example/ann/status/10", "https://x.com/ann", "https://b.example/",
      ])
  }

  @Test func manyLinksOfARecordAreBounded() throws {
    func record(_ count: Int) -> String {
      let urls = (0..<count).map { #"{"url":"http://a.example/\#($0)"}"# }.joined(separator: ",")
      return #"{"tw":"tweet","id":"1","entities":{"urls":[\#(urls)]}}"#
    }
    for (count, isComplete) in [(LinkRecord.maxLinks, true), (LinkRecord.maxLinks + 1, false)] {
      let document = try JSONDocument(record(count))
      document.read { record in
        let found = LinkRecord.links(in: record)
        #expect(found.links.count == LinkRecord.maxLinks && found.isComplete == isComplete)
      }
    }
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
      second == #"{"tw":"link","url":"http://a.example/x#f","unwound_url":"http://a.example/x#f","#
        + #""canonical_url":"http://a.example/x","verdict":"error","redirects":0,"checked_at":"1970-01-01T00:00:00.000Z","error":"timeout"}"#
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
