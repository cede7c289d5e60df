import SQLite
package import TweetCore

/// The result of the check of one link: the keys of a link record.
package struct StoredLink: Equatable, Sendable {
  package var url: String
  package var unwoundURL: String?
  /// HTTP status of the last answer; `nil` if none came.
  package var status: Int?
  package var contentType: String?
  package var title: String?
  package var verdict: String
  package var linkKind: String?
  package var linkKindBy: String?
  package var musicID: String?
  package var canonicalURL: String?
  package var redirects: Int
  /// The requested URLs and their answers, as a JSON array.
  package var chain: String?
  package var checkedAt: Timestamp
  package var error: String?
  /// How many checks in a row have failed, this one included, and when the first of them was made.
  package var failures: Int
  package var failingSince: Timestamp?
  /// Whether the page was read for its title.
  package var isPageRead: Bool
  /// The members of the record as they are written, each with a comma before it, but for the URLs, the chain and the
  /// text of the page.
  package var members: String
  /// Of a dead link, where the Internet Archive has a copy, and when that was made.
  package var archivedURL: String?
  package var archivedAt: Timestamp?
  /// When the archive was asked; `nil` if it was not, or gave no answer.
  package var archiveAskedAt: Timestamp?
  /// The verdict before the last one that was another; `nil` if there was none.
  package var was: EarlierVerdict?
  /// The full path of the directory in which the page is saved, and the text of it; `nil` if it is not saved.
  package var savedIn: String?
  package var pageText: String?

  package init(
    url: String, unwoundURL: String? = nil, status: Int? = nil, contentType: String? = nil, title: String? = nil,
    verdict: String, linkKind: String? = nil, linkKindBy: String? = nil, musicID: String? = nil,
    canonicalURL: String? = nil, redirects: Int = 0, chain: String? = nil, checkedAt: Timestamp, error: String? = nil,
    failures: Int = 0, failingSince: Timestamp? = nil, isPageRead: Bool = false, members: String = "",
    archivedURL: String? = nil, archivedAt: Timestamp? = nil, archiveAskedAt: Timestamp? = nil,
    was: EarlierVerdict? = nil, savedIn: String? = nil, pageText: String? = nil
  ) {
    self.url = url
    self.unwoundURL = unwoundURL
    self.status = status
    self.contentType = contentType
    self.title = title
    self.verdict = verdict
    self.linkKind = linkKind
    self.linkKindBy = linkKindBy
    self.musicID = musicID
    self.canonicalURL = canonicalURL
    self.redirects = redirects
    self.chain = chain
    self.checkedAt = checkedAt
    self.error = error
    self.failures = failures
    self.failingSince = failingSince
    self.isPageRead = isPageRead
    self.members = members
    self.archivedURL = archivedURL
    self.archivedAt = archivedAt
    self.archiveAskedAt = archiveAskedAt
    self.was = was
    self.savedIn = savedIn
    self.pageText = pageText
  }
}

/// What a link was before it became what it is.
package struct EarlierVerdict: Equatable, Sendable {
  package var verdict: String
  package var status: Int?
  /// When a check last said so.
  package var checkedAt: Timestamp

  package init(verdict: String, status: Int?, checkedAt: Timestamp) {
    self.verdict = verdict
    self.status = status
    self.checkedAt = checkedAt
  }
}

/// What is read of a link whose last verdict is used again.
package struct StoredAnswer: Equatable, Sendable {
  package var verdict: String
  package var linkKind: String?
  package var checkedAt: Timestamp
  package var unwoundURL: String
  package var canonicalURL: String?
  package var contentType: String?
  package var hasTitle: Bool
  /// As in ``StoredLink``.
  package var members: [UInt8]
  /// A JSON array; empty if it was not asked for.
  package var chain: [UInt8]
  package var isPageRead: Bool
  package var status: Int?
  /// Whether the Internet Archive was asked for a copy, and answered.
  package var isArchiveAsked: Bool
  /// As in ``StoredLink``; the text only if it was asked for.
  package var savedIn: String?
  package var pageText: String?
}

/// A permanent redirect.
package struct StoredHop: Equatable, Sendable {
  package var url: String
  package var target: String

  package init(url: String, target: String) {
    self.url = url
    self.target = target
  }
}

/// What kind of thing a link leads to, as far as the URL and the answer's header show it.
package enum LinkKind: String, CaseIterable, Sendable {
  case page, image, video
  /// Sound that is known not to be music: speech codecs, podcasts, audio books.
  case audio
  /// Other sound files, and the pages of music services.
  case music
  /// A list of things to play.
  case playlist
  case document
  /// News for a feed reader.
  case feed
  /// Packed files.
  case archive
  /// Something to install or to save: a program, an image of a disk, a file whose type says nothing.
  case download
  case other
}
