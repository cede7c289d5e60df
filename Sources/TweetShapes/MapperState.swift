import TweetCore

/// What documents say about those after them: all that a mapper keeps from one document to the next.
package struct MapperState: Equatable, Sendable {
  var context = FeedContext()
  /// The author of tweets without a user.
  var owner: ArchiveOwner?
  /// The long posts of an X archive.
  var notes = ArchiveNotes()
  /// What belongs to the tweets of the file, and stands in another one.
  var companion = CompanionFile()
  /// What the posts of the file are that lists them by their addresses.
  var mark: ArchiveMark?
  /// The account of a Mastodon export; that of a Bluesky repository.
  var outboxOwner: OutboxOwner?
  var repositoryOwner: RepositoryOwner?

  package init() {}

  /// Takes over what a line says if it is a `context` record.
  package mutating func read(context line: [UInt8]) {
    guard let document = try? JSONDocument(line), document["tw"]?.equals("context") ?? false else { return }
    context = document.read { FeedContext($0) }
  }
}
