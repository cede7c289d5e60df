package import TweetCore

/// A post that is to be made.
package struct PostDraft: Sendable, Equatable {
  package struct Poll: Sendable, Equatable {
    package var options: [String]
    package var minutes: Int
    /// Whether several answers may be chosen.
    package var isMultiple = false
    /// Whether nobody sees before its end how many have chosen what.
    package var hidesTotals = false

    package init(options: [String], minutes: Int) {
      self.options = options
      self.minutes = minutes
    }
  }

  /// A picture or video that the post shows.
  package struct Media: Sendable, Equatable {
    /// The absolute path of the file, as the user named it.
    package var path: String
    /// What is in it, for those who do not see it.
    package var altText: String?
    /// The SHA-256 of its bytes in hexadecimal digits, once the outbox has a copy.
    package var digest: String?
    /// What the service has of it, once it is uploaded.
    package var upload: MediaUpload?
    /// Which post of a thread shows it, from 1 on; known only until the thread is split.
    package var post = 1
    /// What is opened in place of ``path`` until the outbox has a copy: a copy of what came from a pipe.
    package var source: String?

    package init(path: String, altText: String?) {
      self.path = path
      self.altText = altText
    }
  }

  /// Who may answer the post.
  package enum Repliers: String, Sendable, CaseIterable {
    /// Accounts that the author follows, and those that the post mentions.
    case following
    /// Accounts that follow the author, and those that the post mentions.
    case followers
    case mentioned
    case nobody
    case subscribers
    case verified
  }

  /// Who sees the post.
  package enum Visibility: String, Sendable, CaseIterable {
    /// Everybody, in public timelines too.
    case `public`
    /// Everybody, but it is in no public timeline.
    case unlisted
    /// The author's followers.
    case `private`
    /// The accounts that it mentions.
    case direct
  }

  /// Who may quote the post.
  package enum Quoters: String, Sendable, CaseIterable {
    case everybody, followers, nobody
  }

  /// What is shown of a page that the post links to, where the service does not look for it itself.
  package struct Card: Sendable, Equatable {
    /// The address of the page.
    package var address: String
    /// What the page calls itself; `nil` until it was read.
    package var title: String?
    package var description: String?
    /// Its picture, whose copy is in the outbox.
    package var picture: Media?

    package init(address: String) { self.address = address }

    func append(to buffer: inout ByteBuffer) {
      buffer.object("card") { out in
        out.member("address", address)
        out.member("title", title)
        out.member("description", description)
        if let picture { out.object("picture") { picture.appendMembers(to: &$0) } }
      }
    }

    init(_ object: JSONDocument) {
      self.init(address: object["address"]?.string ?? "")
      (title, description) = (object["title"]?.string, object["description"]?.string)
      picture = object["picture"].map { Media($0) }
    }
  }

  package var text: String
  /// The id of the post that it answers.
  package var replyTo: String?
  /// What the service has said of other posts and accounts, which the post must name: ``WriteParts/facts``; and of the
  /// post itself, once it is made.
  package var facts: [String: String] = [:]
  /// What tells the service that a request is one that it had before; the same for each try.
  package var key: String?
  /// ``PostRules/keyMemory`` of the server.
  package var keyMemory: Int?
  /// Until when the server surely knows ``key``, if it was sent; `nil` if it does not, or nobody can say.
  package var keyUntil: Timestamp?
  /// Whether it is a later post of a thread: it answers the one before it, whose readers are its own.
  package var continues = false
  /// Whether an answer begins with no names.
  package var namesNobody = false
  /// The id of the post that it quotes.
  package var quoteOf: String?
  package var poll: Poll?
  package var media: [Media]
  /// `nil` for everybody.
  package var repliers: Repliers?
  /// `nil` for what the account has chosen at the service.
  package var quoters: Quoters?
  /// The id of the post that it takes the place of, under the same id; `nil` for a post of its own.
  package var editOf: String?
  /// What is in the pictures of the post that is edited, in their order; those after the last keep what was said of
  /// them.
  package var altTexts: [String] = []
  /// What is shown of a page that the post links to.
  package var card: Card?
  /// When the service itself publishes it; `nil` for at once.
  package var scheduledAt: Timestamp?
  /// Whether its pictures are covered until a reader opens them.
  package var isSensitive = false
  /// `nil` for what the account has chosen at the service.
  package var visibility: Visibility?
  /// What is shown before its text and its pictures, which a reader has to open.
  package var warning: String?
  /// The languages of its text, as tags of BCP 47.
  package var languages: [String] = []
  /// The language that it is in most of all.
  package var language: String? {
    get { languages.first }
    set { languages = newValue.map { [$0] } ?? [] }
  }

  package init(
    text: String, replyTo: String? = nil, quoteOf: String? = nil, poll: Poll? = nil, media: [Media] = []
  ) {
    self.text = text
    self.replyTo = replyTo
    self.quoteOf = quoteOf
    self.poll = poll
    self.media = media
  }

  /// All files that it shows.
  package var files: [Media] { media + (card?.picture.map { [$0] } ?? []) }

  /// How many files the post of a thread shows that shows the most.
  package var mostMedia: Int { Dictionary(grouping: media, by: \.post).values.lazy.map(\.count).max() ?? 0 }

  /// The draft as the person asked for it, without what was found on the page of its card: that may be another one the
  /// next time, and the command is the same.
  package var asked: PostDraft {
    var draft = self
    if let address = card?.address { draft.card = Card(address: address) }
    // What the server has, or whether it was there to say it.
    (draft.keyMemory, draft.facts) = (nil, [:])
    // `2h` is another time when the command is said again.
    draft.scheduledAt = nil
    return draft
  }
}

extension PostDraft {
  /// The draft as a JSON object, as a file keeps it.
  package var json: String {
    var buffer = ByteBuffer(capacity: text.utf8.count + 128)
    buffer.object { out in
      out.member("text", text)
      out.member("reply_to", replyTo)
      if !facts.isEmpty {
        out.object("facts") { out in
          for fact in facts.sorted(by: { $0.key < $1.key }) {
            out.append(",")
            out.appendJSONString(fact.key)
            out.append(":")
            out.appendJSONString(fact.value)
          }
        }
      }
      out.member("key", key)
      if let keyMemory { out.member("key_memory", keyMemory) }
      out.member("key_until", keyUntil?.rfc3339)
      if continues { out.member("continues", true) }
      if namesNobody { out.member("no_mentions", true) }
      out.member("quote_of", quoteOf)
      if let poll {
        out.object("poll") { out in
          out.key("options")
          out.appendJSONStrings(poll.options)
          out.member("minutes", poll.minutes)
          if poll.isMultiple { out.member("multiple", true) }
          if poll.hidesTotals { out.member("hide_totals", true) }
        }
      }
      out.array("media") { out in
        for file in media { file.append(to: &out) }
      }
      if let card { card.append(to: &out) }
      out.member("scheduled_at", scheduledAt)
      out.member("edit_of", editOf)
      if !altTexts.isEmpty {
        out.key("alt_texts")
        out.appendJSONStrings(altTexts)
      }
      if isSensitive { out.member("sensitive", true) }
      out.member("quoters", quoters?.rawValue)
      out.member("repliers", repliers?.rawValue)
      out.member("visibility", visibility?.rawValue)
      out.member("warning", warning)
      if languages.count > 1 {
        out.key("languages")
        out.appendJSONStrings(languages)
      } else {
        out.member("language", language)
      }
    }
    return buffer.string
  }

  /// Reads what ``json`` writes; `nil` for anything else.
  package init?(json: String) {
    guard let document = try? JSONDocument(json), let text = document["text"]?.string else { return nil }
    self.init(text: text)
    replyTo = document["reply_to"]?.string
    for (name, fact) in document["facts"]?.members ?? [] { facts[name.string ?? ""] = fact.string }
    key = document["key"]?.string
    keyMemory = document["key_memory"]?.integer
    keyUntil = document["key_until"]?.string.flatMap { Timestamp(parsing: $0) }
    continues = document["continues"]?.bool ?? false
    namesNobody = document["no_mentions"]?.bool ?? false
    quoteOf = document["quote_of"]?.string
    media = document.list("media").map { Media($0) }
    repliers = document["repliers"]?.string.flatMap { Repliers(rawValue: $0) }
    visibility = document["visibility"]?.string.flatMap { Visibility(rawValue: $0) }
    warning = document["warning"]?.string
    language = document["language"]?.string
    if document["languages"] != nil { languages = document.list("languages").compactMap(\.string) }
    card = document["card"].map { Card($0) }
    scheduledAt = document["scheduled_at"]?.string.flatMap { Timestamp(parsing: $0) }
    editOf = document["edit_of"]?.string
    altTexts = document.list("alt_texts").compactMap(\.string)
    isSensitive = document["sensitive"]?.bool ?? false
    quoters = document["quoters"]?.string.flatMap { Quoters(rawValue: $0) }
    if let poll = document["poll"] {
      self.poll = Poll(options: poll.list("options").compactMap(\.string), minutes: poll["minutes"]?.integer ?? 0)
      self.poll?.isMultiple = poll["multiple"]?.bool ?? false
      self.poll?.hidesTotals = poll["hide_totals"]?.bool ?? false
    }
  }
}

extension PostDraft.Media {
  /// Appends it as an element.
  fileprivate func append(to buffer: inout ByteBuffer) { buffer.element { appendMembers(to: &$0) } }

  func appendMembers(to out: inout ByteBuffer) {
    out.member("path", path)
    out.member("alt_text", altText)
    out.member("digest", digest)
    out.member("id", upload?.id)
    out.member("key", upload?.key)
    out.member("type", upload?.type)
    if let width = upload?.width, let height = upload?.height {
      out.member("width", width)
      out.member("height", height)
    }
  }

  init(_ object: JSONDocument) {
    self.init(path: object["path"]?.string ?? "", altText: object["alt_text"]?.string)
    digest = object["digest"]?.string
    guard let id = object["id"]?.string, let type = object["type"]?.string else { return }
    var upload = MediaUpload(id: id, key: object["key"]?.string, type: type)
    (upload.width, upload.height) = (object["width"]?.integer, object["height"]?.integer)
    self.upload = upload
  }
}

extension ByteBuffer {
  /// Appends texts as a JSON array of strings.
  package mutating func appendJSONStrings(_ texts: [String]) {
    array { for text in texts { $0.element(text) } }
  }
}
