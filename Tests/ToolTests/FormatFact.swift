import TestSupport

@testable import TweetDisplay

/// Something that is known of a tweet, or a record beside it, that every format must show or be named in tw-render(1)
/// as one that does not.
struct FormatFact: Sendable {
  let name: String
  /// Members of a record that has it, and of one that has not.
  let members, without: String
  /// What shows it, whatever the language: one of these.
  let words: [String]
  /// The kit's own word for it, where that shows it.
  let phrase: Phrase?
  /// What shows it in a table and in lines for twarc.
  let cell: String?
  /// A record that stands beside the tweet; `nil` for a fact of the tweet itself.
  let beside: String?

  init(
    _ name: String, _ members: String, without: String = "", words: [String] = [], phrase: Phrase? = nil,
    cell: String? = nil, beside: String? = nil
  ) {
    (self.name, self.members, self.without) = (name, members, without)
    (self.words, self.phrase, self.cell, self.beside) = (words, phrase, cell, beside)
  }

  private static let photo = #""attachments":{"media":[{"type":"photo","url":"https://pbs.example/1.jpg"}]}"#
  private static let link =
    #""text":"see https://t.co/a","entities":{"urls":[{"start":4,"end":18,"url":"https://t.co/a","#
    + #""expanded_url":"https://page.example/a"PLUS}]}"#

  private static func link(_ members: String) -> String {
    link.replacing("PLUS", with: members.isEmpty ? "" : "," + members)
  }

  private static func poll(_ members: String) -> String {
    #""attachments":{"poll":{"id":"5","voting_status":"open"\#(members),"#
      + #""options":[{"position":1,"label":"Tabulators","votes":1},{"position":2,"label":"Spaces","votes":3}]}}"#
  }

  private static func quote(_ type: String, _ members: String) -> String {
    #""referenced_tweets":[{"type":"\#(type)","id":"77","text":"quotedwords","author_id":"12","#
      + #""author":{"id":"12","username":"bobanswered","name":"Bob"}\#(members)}]"#
  }

  static let all: [FormatFact] = [
    FormatFact("deleted", #""deleted_at":"2021-11-04T00:00:00.000Z""#, phrase: .isDeleted),
    FormatFact(
      "withheld", #""withheld":{"copyright":false,"country_codes":["QZ"]}"#, words: ["QZ"], phrase: .withheldIn,
      cell: "QZ"),
    FormatFact("edited", #""edit_history_tweet_ids":["1","20"]"#, words: ["✎"], phrase: .edited, cell: #""1", ""#),
    FormatFact("visibility", #""extra":{"visibility":"private"}"#, phrase: .followersOnly),
    FormatFact("content warning", #""extra":{"spoiler_text":"spoilsafilm"}"#, words: ["spoilsafilm"]),
    FormatFact(
      "sensitive", #""possibly_sensitive":true,\#(photo)"#, without: photo, phrase: .sensitive,
      cell: "rue"),
    FormatFact("place", #""geo":{"place_id":"1","full_name":"Elbonia"}"#, words: ["Elbonia"]),
    FormatFact("poll", poll(""), words: ["Tabulators"]),
    FormatFact(
      "poll's end", poll(#","end_datetime":"2021-11-03T21:00:00.000Z""#),
      without: poll(#","end_datetime":"2100-11-03T21:00:00.000Z""#), phrase: .closed, cell: "2021-11-03T21:00"),
    FormatFact("quoted tweet", quote("quoted", ""), words: ["quotedwords"]),
    FormatFact(
      "quote in a quote",
      quote("quoted", #","referenced_tweets":[{"type":"quoted","id":"78","text":"innerwords"}]"#),
      without: quote("quoted", ""), words: ["innerwords"]),
    FormatFact("quote that is not shown", #""extra":{"quote":{"state":"revoked"}}"#, phrase: .quoteWithdrawn),
    FormatFact("answered", quote("replied_to", ""), words: ["bobanswered"]),
    FormatFact(
      "also addressed",
      #""text":"@bobanswered @catalso yes","entities":{"mentions":[{"start":0,"end":12,"username":"bobanswered","id":"12"},"#
        + #"{"start":13,"end":21,"username":"catalso","id":"13"}]},\#(quote("replied_to", ""))"#,
      without: quote("replied_to", ""), words: ["catalso"], cell: "catalso"),
    FormatFact("retweeted by", quote("retweeted", ""), without: "", words: ["bobanswered"]),
    FormatFact("counts", #""public_metrics":{"like_count":4711}"#, words: ["4711"]),
    FormatFact("media", photo, words: ["https://pbs.example/1.jpg"], phrase: .photo),
    FormatFact(
      "media description", photo.replacing(#"1.jpg""#, with: #"1.jpg","alt_text":"acatonakeyboard""#), without: photo,
      words: ["acatonakeyboard"]),
    FormatFact("link target", link(""), words: ["page.example/a"]),
    FormatFact(
      "link verdict", link(#""verdict":"dead","status":404"#), without: link(""), words: ["✗\u{A0}404"],
      phrase: .linkDead),
    FormatFact(
      "archived copy",
      link(#""verdict":"dead","status":404,"archived":{"url":"https://copies.example/x"}"#),
      without: link(#""verdict":"dead","status":404"#), words: ["copies.example/x"]),
    FormatFact(
      "music", link(#""verdict":"ok","status":200,"link_kind":"music""#),
      without: link(#""verdict":"ok","status":200"#),
      words: ["♫", "#EXTINF"]),
    FormatFact(
      "page title", link(#""verdict":"ok","status":200,"link_kind":"music","title":"Thepagestitle""#),
      without: link(#""verdict":"ok","status":200,"link_kind":"music""#), words: ["Thepagestitle"]),
    FormatFact(
      "notifications", "", words: ["notifiedwords"],
      beside: #"{"tw":"notification","service":"x","account":"jane","id":"1","kind":"like","#
        + #""at":"2021-11-03T21:26:00.000Z","user":{"id":"12","username":"bob","name":"Bob"},"#
        + #""tweet":{"id":"21","text":"notifiedwords"}}"#),
  ]

  /// A record with the fact, or without it.
  func record(_ hasIt: Bool) -> String {
    if hasIt, let beside { return record(false) + "\n" + beside }
    let members = hasIt ? members : without
    let text = members.hasPrefix(#""text":"#) ? "" : #""text":"some words","#
    return #"{"tw":"tweet","id":"20","service":"x","created_at":"2021-11-03T21:25:00.000Z",\#(text)"author_id":"11","#
      + #""author":{"id":"11","username":"jane","name":"Jane"}\#(members.isEmpty ? "" : ",")\#(members)}"#
  }
}
