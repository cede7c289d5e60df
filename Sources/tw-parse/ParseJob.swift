import TweetCore
import TweetShapes

/// What is done with each document: mapped to records, those not wanted left out, all of it counted. One for the run, or
/// one for each thread of it.
struct ParseJob: ~Copyable {
  /// What a job is set up with.
  struct Options: Sendable {
    var owner: ArchiveOwner?
    var shape: TweetShape?
    var selection = RecordSelection()
    var isCounted = false
    var givesProfiles = false
  }

  private var mapper: TweetMapper
  private let options: Options
  private var profiles = ProfileRecords()
  /// What was read and given, if it is counted.
  var summary = ParseSummary()

  init(_ options: Options) {
    self.options = options
    mapper = TweetMapper(owner: options.owner, shape: options.shape)
  }

  /// Whether something has come that what follows depends on.
  var hasContext: Bool { mapper.hasContext }

  /// Whether the document mapped last has more, for another call with the same record to append.
  var hasMore: Bool { mapper.hasMore }

  /// Forgets what more the document has.
  mutating func dropRest() { mapper.dropRest() }

  /// Appends what `record` holds as record lines, or the next part of it.
  /// - Returns: what is wrong with it, `nil` for nothing.
  mutating func map(_ record: Record, into out: inout ByteBuffer) -> String? {
    let start = out.count
    let goesOn = mapper.hasMore
    let reason = mapper.map(record, into: &out)
    if options.givesProfiles { profiles.add(to: &out, from: start) }
    options.selection.apply(to: &out, from: start)
    if options.isCounted, reason == nil || out.count > start {
      summary.count(goesOn ? nil : mapper.shape, out, from: start)
    }
    return reason
  }
}
