import TweetCore
import TweetShapes

/// Maps each document to records, leaves out the types that are not wanted, and counts. A run has one job, or one for
/// each thread.
struct ParseJob: ~Copyable {
  /// The options of the command line.
  struct Options: Sendable {
    var owner: ArchiveOwner?
    var shape: TweetShape?
    var selection = RecordSelection()
    var isCounted = false
    var addsProfiles = false
  }

  private var mapper: TweetMapper
  private let options: Options
  private var profiles = ProfileRecords()
  /// The counts; of documents and records only if `isCounted` is set.
  var summary = ParseSummary()

  /// - Parameter isPart: whether other jobs map other parts of the input.
  init(_ options: Options, isPart: Bool = false) {
    self.options = options
    mapper = TweetMapper(owner: options.owner, shape: options.shape, isPart: isPart)
  }

  /// What earlier documents say about the next one.
  var state: MapperState {
    get { mapper.state }
    set { mapper.state = newValue }
  }

  /// Whether the last document has more records, which another call with the same document appends.
  var hasMore: Bool { mapper.hasMore }

  /// Starts an archive, which names its owner.
  mutating func beginArchive() { mapper.beginArchive(owner: options.owner) }

  /// Starts a file, whose name may say what is in it.
  mutating func beginFile(_ path: String) { mapper.beginFile(path) }

  /// Discards the remaining records of the last document.
  mutating func discardMore() { mapper.discardMore() }

  /// Appends the records of a document as lines, or the next part of them.
  /// - Returns: what is wrong with the document; `nil` when nothing is.
  mutating func map(_ record: Record, into out: inout ByteBuffer) -> String? {
    let start = out.count
    let isNextPart = mapper.hasMore
    let reason = mapper.map(record, into: &out)
    summary.messages += mapper.takeLeftOut()
    if options.addsProfiles { profiles.add(to: &out, from: start) }
    options.selection.apply(to: &out, from: start)
    if options.isCounted, reason == nil || out.count > start {
      summary.count(isNextPart ? nil : mapper.shape, out, from: start)
    }
    return reason
  }
}
