/// The posts of a crosspost by the accounts that have them: a thread each, of one post or more.
struct CopyThreads {
  private(set) var threads: [[OutboxEntry]] = []

  /// - Parameter copies: of one group, in order.
  init(_ copies: [OutboxEntry]) {
    for copy in copies where copy.draft != nil {
      if let index = threads.firstIndex(where: { $0.first?.owner == copy.owner }) {
        threads[index].append(copy)
      } else {
        threads.append([copy])
      }
    }
  }

  /// The posts that stand where a post stands in its thread, itself among them. Texts are split by the limit of each
  /// service, so threads may have different numbers of posts; their first and their last ones then still fit each
  /// other.
  ///
  /// - Parameter isEnd: whether the end of the thread is wanted where a post is both its first and its last.
  /// - Returns: `nil` if another thread has no such post.
  func counterparts(of id: Int, isEnd: Bool = false) -> [OutboxEntry]? {
    guard let own = threads.first(where: { $0.contains { $0.id == id } }),
      let index = own.firstIndex(where: { $0.id == id })
    else { return nil }
    if threads.allSatisfy({ $0.count == own.count }) { return threads.map { $0[index] } }
    let (isFirst, isLast) = (index == 0, index == own.count - 1)
    if isLast, isEnd || !isFirst { return threads.compactMap(\.last) }
    return isFirst ? threads.compactMap(\.first) : nil
  }
}
