import TweetCore
import TweetDisplay

/// What is known of the links of the tweet that is read.
extension Browser {
  /// Asks tw-linkcheck for what it has stored about the links of the tweet that was painted, once for each time that
  /// the cursor comes to it. No host is asked.
  func lookUpLinks() {
    guard let key = painter.linked else { return linksOf = nil }
    guard !isLookingUpLinks, let entry = records.entry(key), let document = entry.document,
      linksOf != key || !entry.hasVerdicts
    else { return }
    linksOf = key
    records.noteVerdicts(of: key)
    let record = document.read { Array($0.raw) + [0x0A] }
    guard record.count <= Self.mostInPipe else { return }
    isLookingUpLinks = start([tools.knownLinks], input: record, readsOutput: true) { [weak self] _, command in
      self?.isLookingUpLinks = false
      for line in command.takeLines() { self?.take(verdicts: line, of: key) }
    }
    running.commands.last?.isExpendable = true
  }

  /// What a pipe holds on every system, in bytes.
  private static let mostInPipe = 16_384

  private func take(verdicts line: [UInt8], of key: Int) {
    // Its lines are records of the kit. A version that was read meanwhile is asked for again.
    guard let document = try? JSONDocument(line), records.entry(key)?.hasVerdicts == true, LinkRows.hasVerdict(document)
    else { return }
    records.replace(document, of: key)
  }
}
