import TweetCore

extension PostDraft {
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
