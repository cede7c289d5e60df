import Foundation

/// An input that may have any length, made of what might be gone over again and again.
struct GrowthPattern: Sendable {
  let name: String
  /// About this many bytes.
  let make: @Sendable (Int) -> [UInt8]

  init(_ name: String, _ make: @escaping @Sendable (Int) -> [UInt8]) { (self.name, self.make) = (name, make) }

  /// One piece, again and again.
  static func repeating(_ piece: String, named name: String? = nil) -> GrowthPattern {
    GrowthPattern(name ?? piece) { length in
      Array(String(repeating: piece, count: length / piece.utf8.count + 1).utf8)
    }
  }

  /// Something before, elements with commas between them, something after.
  static func list(
    _ name: String, _ head: String, _ tail: String,
    _ element: @escaping @Sendable (_ number: Int, _ count: Int) -> String
  ) -> GrowthPattern {
    GrowthPattern(name) { length in
      let count = max(length / element(1000, 2000).utf8.count, 2)
      return Array((head + (0..<count).map { element($0, count) }.joined(separator: ",") + tail).utf8)
    }
  }

  /// Nested as deep as it may be (1024), several times.
  static func nested(_ name: String, depth: Int, _ open: String, _ inside: String, _ close: String) -> GrowthPattern {
    .repeating(
      String(repeating: open, count: depth) + inside + String(repeating: close, count: depth) + "\n", named: name)
  }

  // MARK: Texts

  /// Pieces of texts: combining marks, words that do not end, directions, what entities begin with, markup.
  static let texts: [GrowthPattern] = [
    "e\u{301}", "\u{301}", "e\(String(repeating: "\u{301}", count: 30))", "\n\u{301}", " \u{301}", "x", "漢", "ab cd ",
    "\u{5D0}\u{5D1} ", "\u{202E}", "\u{2067}a", "a\u{5D0} ", "\u{1F1E6}", "\u{1F468}\u{200D}", "\u{1100}\u{1161}",
    "\u{915}\u{94D}", "👍🏽", "❤\u{FE0F}", "\u{1F3F4}\u{E0067}", "#a ", "#", "#a", "@a ", "@", "@a@b.co ", "$A ", "$A",
    "http://a.co ", "http://", "http://a.co", "http://a.co/(", "https://t.co/a", "a.", "a.co/", "/a", "&", "&amp;",
    "&#x", "&a", "<", "<b", "\n", "\t", " ", "*", "_", "`", "[", "[a](", "!", "> ", "1. ", "- ", "|", "\\", "\"", "=",
    "=?", "\u{9B}", "%41", "From ", "\r\n", "a@b.co ", "…", "\nFrom a\n",
  ].map { .repeating($0) }

  private static func json(_ text: [UInt8]) -> String {
    let bytes = try? JSONEncoder().encode(String(decoding: text, as: UTF8.self))
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }

  /// The texts in documents of a shape, some in each input: a program takes longer to begin than to read one.
  static func texts(in shape: Shape) -> [GrowthPattern] {
    stride(from: 0, to: texts.count, by: 8).map { first in
      let group = texts[first..<min(first + 8, texts.count)]
      return GrowthPattern("\(group.map(\.name)) in \(shape)") { length in
        Array(group.enumerated().map { shape.document($0 + 1, json($1.make(length / 8))) + "\n" }.joined().utf8)
      }
    }
  }

  /// Where texts are read in another way.
  enum Shape: CaseIterable {
    case record, x, archive, mastodon, bluesky

    fileprivate func document(_ id: Int, _ text: String) -> String {
      switch self {
      case .record: GrowthPattern.record(id, #""text":\#(text)"#)
      case .x: #"{"data":{"id":"\#(id)","text":\#(text),"author_id":"7"}}"#
      case .archive:
        #"{"account":{"accountId":"5","username":"m"}}"# + "\n"
          + #"{"noteTweet":{"createdAt":"2023-09-02T07:00:00.000Z","core":{"text":"other"}}}"# + "\n"
          + #"{"tweet":{"id_str":"\#(id)","full_text":\#(text),"created_at":"Sat Sep 02 07:00:00 +0000 2023"}}"#
      case .mastodon: GrowthPattern.status(id, text)
      case .bluesky: #"{"posts":[\#(GrowthPattern.post(id, text: text))]}"#
      }
    }
  }

  // MARK: Shapes

  fileprivate static func record(_ id: Int, _ members: String) -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"x","created_at":"2021-11-03T21:30:00.000Z",\#(members),"#
      + #""author":{"id":"12","username":"jack","name":"jack"}}"#
  }

  fileprivate static func status(_ id: Int, _ content: String, _ more: String = "") -> String {
    #"{"id":"\#(id)","created_at":"2023-06-01T10:00:00.000Z","uri":"https://m.co/users/a/statuses/\#(id)","#
      + #""content":\#(content),"visibility":"public","account":{"id":"7","username":"a","acct":"a"}\#(more)}"#
  }

  fileprivate static func post(_ id: Int, text: String = #""x""#, _ more: String = "") -> String {
    #"{"uri":"at://did:plc:n/app.bsky.feed.post/3k\#(id)","cid":"b","author":{"did":"did:plc:n","handle":"n.example"},"#
      + #""record":{"$type":"app.bsky.feed.post","text":\#(text),"createdAt":"2024-02-01T06:00:00.000Z"\#(more)}}"#
  }

  /// HTML of Mastodon, in the three places where it stands.
  private static let markup: [GrowthPattern] = [
    "<div>", "<p>", "<ol><li>", "<ul><li>x", "<blockquote>", "<b>", "<a href=\\\"x\\\">",
    "<a href=\\\"http://a.co/\\\">x</a> ",
    "<br>", "<!--", "</div>", "<span class=\\\"invisible\\\">x", "<pre>", "&notin", "<x", "<a href=\\\"", "<p> </p>",
    "<script>",
    "<a a a ", "<a href=\\\"https://m.co/@a\\\" class=\\\"u-url mention\\\">@<span>a</span></a> ",
  ].flatMap { piece in
    let html = GrowthPattern.repeating(piece)
    return [
      GrowthPattern("\(piece) in a status") { length in
        Array(status(1, "\"\(String(decoding: html.make(length), as: UTF8.self))\"").utf8)
      },
      GrowthPattern("\(piece) in a warning") { length in
        let text = String(decoding: html.make(length), as: UTF8.self)
        return Array(status(1, "\"x\"", ",\"spoiler_text\":\"\(text)\"").utf8)
      },
    ]
  }

  private static let v1Entities: @Sendable (Int) -> String = { count in
    func list(_ element: (Int) -> String) -> String { (0..<count).map(element).joined(separator: ",") }
    return #""hashtags":[\#(list { #"{"text":"x","indices":[\#($0),\#($0 + 1)]}"# })],"#
      + #""urls":[\#(list { #"{"url":"http://t.co/a","expanded_url":"http://a.co","indices":[\#($0),\#($0 + 13)]}"# })]"#
  }

  /// Documents that tw-parse knows: many elements, many that refer to many, and entities over each other.
  static let documents: [GrowthPattern] =
    markup + [
      .list("v2 page", #"{"data":["#, #"],"includes":{"users":[{"id":"7","username":"a","name":"n"}]}}"#) { id, _ in
        #"{"id":"\#(id)","text":"hello","author_id":"7"}"#
      },
      .list("v2 posts that quote each other", #"{"includes":{"tweets":["#, "]}}") { id, count in
        let quoted = (0..<8).map { #"{"type":"quoted","id":"\#((id * 7 + $0) % count)"}"# }.joined(separator: ",")
        return #"{"id":"\#(id)","text":"hello","author_id":"7","referenced_tweets":[\#(quoted)]}"#
      },
      GrowthPattern("v2 media of all in all") { length in
        let keys = (0..<Int(Double(length / 40).squareRoot()))
        let list = keys.map { #""\#($0)""# }.joined(separator: ",")
        let posts = keys.map { #"{"id":"\#($0)","text":"x","attachments":{"media_keys":[\#(list)]}}"# }
        let media = keys.map { #"{"media_key":"\#($0)","type":"photo","url":"http://a.co/x"}"# }
        return Array(
          #"{"data":[\#(posts.joined(separator: ","))],"includes":{"media":[\#(media.joined(separator: ","))]}}"#.utf8)
      },
      .list("v2 errors", #"{"errors":["#, "]}") { id, _ in #"{"value":"\#(id)","detail":"x","resource_id":"\#(id)"}"# },
      .list(
        "v2 entities", #"{"data":{"id":"1","text":"\#(String(repeating: "x", count: 9999))","entities":{"hashtags":["#,
        "]}}}"
      ) {
        number, _ in #"{"start":\#(number % 9999),"end":\#(number % 9999 + 1),"tag":"x"}"#
      },
      GrowthPattern("v1 entities") { length in
        let text = String(repeating: "é &amp; ", count: length / 40)
        return Array(
          #"{"id_str":"1","full_text":"\#(text)","user":{"id_str":"7"},"entities":{\#(v1Entities(length / 200))}}"#.utf8
        )
      },
      .list("v1 search", #"{"statuses":["#, "]}") { id, _ in
        #"{"id_str":"\#(id)","full_text":"x","user":{"id_str":"7"}}"#
      },
      .nested(
        "v1 quotes in quotes", depth: 300, #"{"id_str":"1","text":"x","user":{"id_str":"7"},"quoted_status":"#, "{}",
        "}"),
      GrowthPattern("gnip") { length in
        let text = String(repeating: "é &amp; ", count: length / 40)
        return Array(
          (#"{"objectType":"activity","id":"tag:search.twitter.com,2005:1","verb":"post","actor":{"id":"id:twitter.com:1"},"#
            + #""body":"\#(text)","twitter_entities":{\#(v1Entities(length / 200))}}"#).utf8)
      },
      .list(
        "mastodon mentions",
        #"{"id":"1","content":"<p>@u1 @u2</p>","visibility":"public","account":{"id":"7","acct":"a"},"mentions":["#,
        "]}"
      ) {
        id, _ in #"{"id":"\#(id)","username":"u\#(id)","acct":"u\#(id)@h.co","url":"https://h.co/@u\#(id)"}"#
      },
      GrowthPattern("mastodon mentions that are linked") { length in
        let ids = 0..<length / 200
        let text = ids.map { #"<a href=\"https://h.co/@u\#($0)\" class=\"u-url mention\">@u\#($0)</a> "# }.joined()
        let list = ids.map {
          #"{"id":"\#($0)","username":"u\#($0)","acct":"u\#($0)@h.co","url":"https://h.co/@u\#($0)"}"#
        }
        return Array(status(1, "\"\(text)\"", ",\"mentions\":[\(list.joined(separator: ","))]").utf8)
      },
      .list("mastodon emojis", String(status(1, "\":e1: :e2:\"").dropLast()) + #","emojis":["#, "]}") { id, _ in
        #"{"shortcode":"e\#(id)","url":"https://m.co/e.png"}"#
      },
      .list("mastodon timeline", "[", "]") { id, _ in status(id, "\"x\"") },
      .nested(
        "mastodon boosts of boosts", depth: 300, #"{"id":"1","account":{"id":"7","acct":"a"},"content":"","reblog":"#,
        "{}", "}"),
      .list("activitypub outbox", #"{"type":"OrderedCollection","orderedItems":["#, "]}") { id, _ in
        #"{"id":"https://b.co/\#(id)/activity","type":"Create","actor":"https://b.co/u","object":{"id":"https://b.co/\#(id)","type":"Note","content":"x"}}"#
      },
      GrowthPattern("bluesky facets over each other") { length in
        let facets = (0..<length / 200).map {
          #"{"index":{"byteStart":0,"byteEnd":\#(length / 4 - 2 * $0)},"features":[{"$type":"app.bsky.richtext.facet#link","uri":"http://a.co"}]}"#
        }
        let text = "\"" + String(repeating: "é", count: length / 8) + "\""
        return Array(#"{"posts":[\#(post(1, text: text, ",\"facets\":[\(facets.joined(separator: ","))]"))]}"#.utf8)
      },
      .list("bluesky posts", #"{"posts":["#, "]}") { id, _ in post(id) },
      .list("bluesky answers", #"{"thread":{"post":\#(post(0)),"replies":["#, "]}}") { id, _ in
        #"{"post":\#(post(id))}"#
      },
      .nested("bluesky thread", depth: 300, #"{"thread":{"post":\#(post(1)),"replies":[{"post":{}"#, "", "}]}}"),
      .list("archive notes of one second", #"{"account":{"accountId":"5","username":"m"}}"# + "\n[", "]") { id, count in
        // Notes first, then tweets that none of them completes.
        id < count / 2
          ? #"{"noteTweet":{"createdAt":"2023-09-02T07:00:00.000Z","core":{"text":"\#(String(repeating: "x", count: 150))"}}}"#
          : #"{"tweet":{"id_str":"\#(id)","full_text":"\#(String(repeating: "x", count: 120))y","created_at":"Sat Sep 02 07:00:00 +0000 2023"}}"#
      },
      .list("users", #"{"data":["#, "]}") { id, _ in
        #"{"id":"\#(id)","username":"u\#(id)","name":"n","description":"a #b @c"}"#
      },
      .repeating("event: update\ndata: {\"tw\":\"refresh\"}\n\n"), .repeating("data: {\"a\":\n"),
      .repeating("event: x\n"),
      .repeating(":\n"), .repeating("17\r\n{\"tw\":\"refresh\"}\r\n"), .repeating("window.YTD.tweets.part0 = [ ]\n"),
      .repeating("window.YTD.a = \n"),
      GrowthPattern("data that does not end") { Array(("data: " + String(repeating: "x", count: $0)).utf8) },
    ]

  /// What any filter may get.
  static let inputs: [GrowthPattern] =
    [
      "\"", "\"\n", "{", "{\n", "{\"a\":\n", "[\n", "[", "}\n", "{}\n", "\n", " ", "x\n", "x", "{\"a\"}\n",
      "{\"a\":1,{\"a\":1}\n",
      "{\"a\":1,", "{\"a\":\"x", "{\n  \"a\": 1,\n", "{\"a\":\"\n{\"tw\":\"refresh\"}\n", "12\n", "[1]",
      "{\"tw\":\"refresh\"}\n",
      "{\n\"tw\":\n\"refresh\"\n}\n", "\u{0}", "http://127.0.0.1:1/\n", "1,", "\\", "\\\"",
    ].map { .repeating($0) } + [
      .nested("deep arrays", depth: 1000, "[", "", "]"), .nested("deep objects", depth: 1000, "{\"a\":", "1", "}"),
      GrowthPattern("a text that does not end") {
        Array((#"{"tw":"tweet","id":"1","text":""# + String(repeating: "x", count: $0)).utf8)
      },
      GrowthPattern("too deep") {
        [UInt8](repeating: UInt8(ascii: "["), count: $0) + [UInt8](repeating: UInt8(ascii: "]"), count: $0)
      },
      .list("many keys", #"{"tw":"tweet","id":"1","service":"x","text":"a","author":{"id":"1"},"#, "}\n") { id, _ in
        "\"k\(id)\":1"
      },
      .list("one key", #"{"tw":"tweet","id":"1","service":"x","text":"a","author":{"id":"1"},"#, "}\n") { _, _ in
        #""text":"a""#
      },
      GrowthPattern("escapes") { length in
        let text = String(repeating: "\\u0041\\n\\\"", count: length / 10)
        return Array((record(1, #""text":"\#(text)""#) + "\n").utf8)
      },
    ]

  /// Pages that links lead to.
  static let pages: [GrowthPattern] = [
    "<title>x", "<meta name=\"a\" content=\"b\">", "<meta ", "<meta content=\"", "<div>", "<!--", "-->", "<script>",
    "&",
    "&notin", " a=b", "<link rel=canonical href=\"x\">", "<meta property=\"og:title\" content=\"x\">", "<!DOCTYPE ",
    "<", "<base href=\"x\">", "<noscript>", "<p>x ", "<meta charset=\"x\">", "\n",
    "<meta name=\"robots\" content=\"a,\">",
  ].map { .repeating($0) }

  /// Records for tw-render: many entities in one, and many in a thread.
  static let records: [GrowthPattern] = [
    GrowthPattern("tags") { length in
      let text = String(repeating: "#a ", count: length / 40)
      let tags = (0..<length / 40).map { #"{"start":\#($0 * 3),"end":\#($0 * 3 + 2),"tag":"a"}"# }
      return Array(
        (record(1, #""text":"\#(text)","entities":{"hashtags":[\#(tags.joined(separator: ","))]}"#) + "\n").utf8)
    },
    GrowthPattern("links over each other") { length in
      let text = String(repeating: "http://a.co ", count: length / 100)
      let links = (0..<length / 100).map {
        #"{"start":\#($0),"end":\#(length / 10 - $0),"url":"http://a.co","expanded_url":"http://b.co/\#($0)"}"#
      }
      return Array(
        (record(1, #""text":"\#(text)","entities":{"urls":[\#(links.joined(separator: ","))]}"#) + "\n").utf8)
    },
    GrowthPattern("media") { length in
      let media = (0..<length / 80).map {
        #"{"media_key":"\#($0)","type":"photo","url":"http://a.co/\#($0)","alt_text":"d"}"#
      }
      return Array((record(1, #""text":"x","attachments":{"media":[\#(media.joined(separator: ","))]}"#) + "\n").utf8)
    },
    GrowthPattern("quotes") { length in
      let quotes = (0..<length / 90).map {
        #"{"type":"quoted","id":"\#($0)","text":"y","author":{"id":"1","username":"b"}}"#
      }
      return Array((record(1, #""text":"x","referenced_tweets":[\#(quotes.joined(separator: ","))]"#) + "\n").utf8)
    },
    lines("a chain") {
      #""text":"x","conversation_id":"1","referenced_tweets":[{"type":"replied_to","id":"\#($0 - 1)"}]"#
    },
    lines("a star") { _ in #""text":"x","conversation_id":"1","referenced_tweets":[{"type":"replied_to","id":"1"}]"# },
    GrowthPattern("updates") { length in
      Array(
        (0..<length / 200).map { record(1, #""text":"x","public_metrics":{"like_count":\#($0)}"#) + "\n" }.joined().utf8
      )
    },
    GrowthPattern("deletions") { length in
      Array(
        (0..<length / 200).map {
          record($0, #""text":"x""#) + "\n" + #"{"tw":"delete","service":"x","id":"\#($0)"}"# + "\n"
        }.joined().utf8)
    },
    GrowthPattern("a long name") { length in
      let name = String(repeating: "e\u{301} ", count: length / 8)
      return Array(
        (#"{"tw":"tweet","id":"1","service":"x","text":"a","author":{"id":"1","username":"a","name":"\#(name)","description":"\#(name)"}}"#
          + "\n").utf8)
    },
  ]

  private static func lines(_ name: String, _ members: @escaping @Sendable (Int) -> String) -> GrowthPattern {
    GrowthPattern(name) { length in
      Array((1..<length / 250 + 2).map { record($0, members($0)) + "\n" }.joined().utf8)
    }
  }
}
