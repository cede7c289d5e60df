import TweetCore

/// Asks tw-linkcheck what it has stored about the links of the tweet that is read, once for each time that the cursor
/// comes to it. No host is asked.
final class LinkLookUp {
  /// What a pipe holds on every system, in bytes.
  private static let mostInPipe = 16_384

  private unowned let model: BrowseModel
  /// The tweet that was asked about last.
  private var last: Int?
  private var isRunning = false

  init(_ model: BrowseModel) { self.model = model }

  /// - Parameter key: of the tweet that was painted; `nil` if it has no links.
  func lookUp(_ key: Int?) {
    guard let key else { return last = nil }
    guard !isRunning, let entry = model.records.entry(key), let document = entry.document,
      last != key || !entry.hasVerdicts
    else { return }
    last = key
    model.records.noteVerdicts(of: key)
    let record = document.line
    guard record.count <= Self.mostInPipe else { return }
    let command = model.start(
      [model.tools.knownLinks], input: record, record: { [weak self] in self?.take($0, of: key) },
      finish: { [weak self] _, _ in self?.isRunning = false })
    command?.isExpendable = true
    isRunning = command != nil
  }

  private func take(_ document: JSONDocument, of key: Int) {
    // A version that was read meanwhile is asked for again.
    guard model.records.entry(key)?.hasVerdicts == true, LinkRows.hasVerdict(document) else { return }
    model.records.replace(document, of: key)
  }
}
