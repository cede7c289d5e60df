import Foundation
import TestSupport

/// Records for tests of documents: each case that a format may get wrong, most of them hostile.
enum DocumentSample {
  /// Texts with what means something in one of the formats.
  static let texts = [
    #"]]> </script><script>alert(1)</script> <!-- --> <b onclick='x'> &amp; &#0; \"q\" 'a'"#,
    (0..<0x20).map { #"\u00"# + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + #"\u007f\u0085\u009b31m"#,
    #"\ufffe\uffff\ufdd0\ud800 half \udc00 pairs \u2028 \u2029"#,
    #"\u202egnp.exe \u2066isolate\u2069 \u200fمرحبا\u200e \u05d0\u05d1"#,
    "=1+1", "+1", "-1", "@x", #"\t=1"#, #"\r\n=1"#, "＝1",
    #"From the start\nFrom here\n>From there\n.\n\r\nend\rlone"#,
    #"# heading\n- item\n+ item\n* item\n1. one\n2) two\n> quote\n```\ncode\n    indented\n---\n===\n"#
      + #"[x](javascript:alert(1)) ![](x) <http://a.example> *b* _c_ `d` ~~e~~ |f| $g$ \\ http://x.example &copy; <br>"#,
    #"hello https://t.co/js #tag @bob"#, "",
    #"\n\n   spaces   \n\n"#,
  ]

  /// Addresses that no document may link to, and some that it may.
  static let addresses = [
    "javascript:alert(1)", "data:text/html,<script>", "JAVASCRIPT:alert(1)", #"java\nscript:x"#, "//evil.example",
    "https:",
    #"https://good.example\\@evil.example/"#, "https://good.example@evil.example/",
    #"https://evil.example/\"onclick=\"x"#,
    "https://evil.example/'><script>", "https://a b.example/", "https://example.com/%zz?a=b&c=|#x#y",
    "file:///etc/passwd",
    "https://example.com:99999999/", "http://[::1]/", "https://ex\u{E4}mple.com/\u{FC}",
    "https://example.com/(a)[b]{c}`d`",
    "HTTPS://EXAMPLE.com/", #"https://example.com/\u0000\u0009\u007f"#,
  ]

  /// Writes the records to the file `records`, two tweets with pictures after them, and the pictures.
  static func writeWithPictures(to home: TemporaryDirectory) throws {
    let key = String(repeating: "0123456789abcdef", count: 4)
    let folder = home.path + "/.local/share/tw/thumbnails/01"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try home.write(".local/share/tw/thumbnails/01/\(key).png", PNGPicture(96, 64).bytes)
    let shown = (1...2).map { number in
      #"{"tw":"tweet","id":"9000\#(number)","service":"x","text":"a picture","author":{"id":"1","username":"ann","avatar":"#
        + #"{"key":"\#(key)"}},"attachments":{"media":[{"type":"photo","url":"https://example.com/1.jpg","alt_text":"a <b>","#
        + #""picture":{"key":"\#(key)"}}]}}"#
    }
    try home.write("records", (lines + shown).joined(separator: "\n"))
  }

  static let lines: [String] = {
    var lines: [String] = []
    func add(_ members: String) {
      lines.append(#"{"tw":"tweet","id":"\#(100 + lines.count)","service":"x","# + members + "}")
    }
    let jane = #""author_id":"11","author":{"id":"11","username":"jane","name":"Jane Smith","verified":true}"#
    for text in texts {
      add(#""created_at":"2021-11-03T21:25:00.000Z","text":"\#(text)",\#(jane)"#)
      // The same as a name.
      add(#""text":"hello","author_id":"12","author":{"id":"12","username":"\#(text)","name":"\#(text)"}"#)
    }
    for address in addresses {
      let urls = #"[{"start":6,"end":22,"url":"https://t.co/js16","expanded_url":"\#(address)"}]"#
      add(
        #""url":"\#(address)","text":"hello https://t.co/js16 ok",\#(jane),"entities":{"urls":\#(urls)},"#
          + #""attachments":{"media":[{"type":"photo","url":"\#(address)","alt_text":"a \"b\" <c>"}]}"#)
    }
    add(#""text":"long name",\#(jane.replacing("Jane Smith", with: String(repeating: "n\u{301}é ", count: 25_000)))"#)
    add(#""text":"\#(String(repeating: "wide ", count: 25_000))",\#(jane)"#)
    add(#""text":"\#(String(repeating: "W", count: 30_000))",\#(jane)"#)
    // Members of wrong types.
    for wrong in [#""x""#, "5", "true", "null", "{}", "[]", "[[]]", #"[{}]"#, #"{"a":{"b":1}}"#] {
      let names = [
        "author", "entities", "attachments", "public_metrics", "geo", "referenced_tweets", "created_at", "url", "lang",
        "in_reply_to_user", "matching_rules", "edit_history_tweet_ids", "withheld", "retrieved_at", "author_id",
        "possibly_sensitive", "conversation_id", "__twarc", "extra", "viewer",
      ]
      add(#""text":"wrong types","# + names.map { #""\#($0)":\#(wrong)"# }.joined(separator: ","))
      add(
        #""text":"wrong types","author":{"id":"1","username":\#(wrong),"name":\#(wrong),"avatar":\#(wrong),"#
          + #""entities":{"url":\#(wrong),"description":\#(wrong)}},"#
          + #""entities":{"urls":\#(wrong),"hashtags":\#(wrong),"mentions":\#(wrong)},"#
          + #""attachments":{"media":\#(wrong),"poll":{"options":\#(wrong)}},"geo":{"geo":\#(wrong)}"#)
    }
    // What else a service says beside a text.
    for text in texts[..<3] + [#"\"<&>'"#] {
      add(
        #""text":"a #tag @bob https://t.co/js16 ok",\#(jane),"lang":"\#(text)","source":"\#(text)","entities":{"#
          + #""hashtags":[{"start":2,"end":6,"tag":"\#(text)"}],"mentions":[{"start":7,"end":11,"username":"\#(text)"}],"#
          + #""urls":[{"start":12,"end":28,"url":"https://t.co/js16","expanded_url":"https://example.com/a","#
          + #""title":"\#(text)","description":"\#(text)","verdict":"\#(text)","link_kind":"\#(text)"}]},"#
          + #""geo":{"full_name":"\#(text)"},"extra":{"spoiler_text":"\#(text)"},"feeds":["\#(text)"],"#
          + #""attachments":{"media":[{"type":"\#(text)","url":"https://example.com/1.jpg","alt_text":"\#(text)"}],"#
          + #""poll":{"options":[{"position":1,"label":"\#(text)","votes":1}]}}"#)
    }
    // Tweets in tweets.
    let inner = #""id":"7","text":"inner <b> ]]>","author_id":"14","author":{"id":"14","username":"bob","name":"Bob"}"#
    for type in ["retweeted", "quoted", "replied_to", "other", "<x>"] {
      add(#""text":"RT @bob: inner",\#(jane),"referenced_tweets":[{"type":"\#(type)",\#(inner)}]"#)
      add(#""text":"only an id",\#(jane),"referenced_tweets":[{"type":"\#(type)","id":"8","author_id":"9"}]"#)
    }
    let deep = (0..<30).reduce(#"{"type":"quoted",\#(inner)}"#) { nested, _ in
      #"{"type":"quoted",\#(inner),"referenced_tweets":[\#(nested)]}"#
    }
    add(#""text":"deep",\#(jane),"referenced_tweets":[\#(deep)]"#)
    lines += [
      #"{"tw":"tweet","id":"at://did:plc:abc/app.bsky.feed.post/3k","service":"bluesky","text":"sky","#
        + #""author":{"id":"did:plc:abc","username":"a.bsky.social"}}"#,
      #"{"tw":"tweet","id":"a b\"<>&%\n\u0000","service":"mastodon:evil host\"><script>","text":"ids","#
        + #""author":{"id":"1"}}"#,
      #"{"tw":"tweet","id":"5","service":"mastodon:m.example","url":"https://m.example/@a/5","text":"toot","#
        + #""author":{"id":"1","username":"a"}}"#,
      #"{"tw":"user","service":"x","id":"11","username":"jane","name":"<b>","url":"javascript:x","description":"]]>"}"#,
      #"{"tw":"link","url":"javascript:alert(1)","verdict":"dead","status":404,"title":"<b>"}"#,
      #"{"tw":"link","url":"https://ok.example/","verdict":"ok","status":200,"title":"A \"title\""}"#,
      #"{"tw":"notice","level":"error","code":"x","message":"</script>\u0000"}"#,
      #"{"tw":"delete","service":"x","id":"100"}"#, #"{"tw":"delete","service":"x","id":"never seen"}"#,
      #"{"tw":"query","feed":"a"}"#, #"{"tw":"refresh","feed":"a","at":"2021-11-03T21:30:00.000Z","new":3}"#,
      #"{"tw":"context","feed":"a"}"#, #"{"tw":"checkpoint"}"#, #"{"tw":"unknown"}"#,
    ]
    return lines
  }()

  static let input = ToolInput(lines.joined(separator: "\n") + "\n")
  static var tweets: Int { lines.count { $0.hasPrefix(#"{"tw":"tweet""#) } }
  /// Without the one that is deleted by the records themselves.
  static var lasting: Int { tweets - 1 }

  /// Records of the recordings, if they are there: what services really send.
  static func recorded() throws -> String {
    let files = [
      "v2/pages/twarc-csv/flat.jsonl", "v2/pages/twarc-csv/noflat.jsonl", "v2/pages/twarc-csv/geo_tweets.jsonl",
      "v2/pages/twarc-csv/edited.jsonl", "v2/pages/twarc-csv/media_tweet.jsonl", "v1/simdjson/twitter.json",
    ].map { "\(TestData.directory ?? "")/\($0)" }
    return try Tool.run("tw-parse", ["--quiet"] + files).output
  }
}
