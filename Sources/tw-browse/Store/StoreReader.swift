import TweetCore
import TweetStore

/// Reads the store, so that a key is answered while that is busy.
typealias StoreReader = Worker<StoreRequest, StoreAnswer>

extension StoreReader {
  /// - Parameter path: of the store, which need not be there yet.
  convenience init(_ path: String) throws(ToolError) {
    try self.init { Self.read(path, $0, $1) }
  }

  private static func read(_ path: String, _ requests: Mailbox<StoreRequest>, _ answers: Mailbox<StoreAnswer>) {
    // What opens the lists that are shown: they outlive a store that cannot be read for a while.
    var lists: [Int: StoreRequest] = [:]
    // Whether the store that is opened next is another one than that before.
    var isAnother = false
    func next() -> [StoreRequest] {
      let taken = requests.takeAll()
      for request in taken {
        if case .open(let list, _, _) = request { lists[list] = request }
        if case .close(let list) = request { lists[list] = nil }
      }
      return taken
    }
    var asked = next()
    while true {
      do throws(ToolError) {
        if try TweetStore.isThere(path) {
          if isAnother { answers.put(.replaced) }
          isAnother = false
          var session = try StoreSession(try TweetStore(path, .readOnly)) { answers.put($0) }
          try session.carryOut(lists.sorted { $0.key < $1.key }.map(\.value))
          asked.removeAll { if case .open = $0 { true } else { false } }
          while !isAnother {
            try session.carryOut(asked)
            asked = next()
            isAnother = asked.contains { if case .reopen = $0 { true } else { false } }
          }
          continue
        }
        answers.put(.missing)
      } catch {
        answers.put(.failed(list: nil, error.message ?? ""))
      }
      asked = next()
    }
  }
}
