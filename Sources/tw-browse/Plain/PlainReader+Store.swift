import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

/// What the store has answered.
extension PlainReader {
  var opening: [StoreRequest] {
    feeds.flatMap(\.lists).map { .open(list: $0.id, $0.source, places?.place(in: $0.title)) }
  }

  /// Asks the store, and takes its answers.
  func ask(_ requests: [StoreRequest]) {
    do throws(ToolError) {
      if session == nil {
        guard try TweetStore.isThere(tools.database) else { return }
        session = try StoreSession(try TweetStore(tools.database, .readOnly)) { [answers] in answers.list.append($0) }
        try session?.carryOut(opening)
      }
      try session?.carryOut(requests)
    } catch {
      session = nil
      news.append(error.message ?? "")
    }
    let new = answers.list
    answers.list = []
    for answer in new { take(answer) }
  }

  private func take(_ answer: StoreAnswer) {
    switch answer {
    case .keys(let list, let keys, let isWhole): change(list) { $0.append(keys, isWhole: isWhole) }
    case .thread(let list, let rows, let named): change(list) { $0.take(rows, named: named, height: 1) }
    case .placed(let list, let place): change(list) { $0.restore(place, height: 1) }
    case .sought(let list, let key):
      guard list == self.list.id else { return }
      if let key { self.list.move(toKey: key, height: 1) } else { say("nothing more is found") }
    case .found(let list, let keys): change(list) { $0.insert(keys, height: 1) }
    case .changed(let keys): records.forget(keys)
    case .outdated:
      records.removeAll()
      let places = feeds.flatMap(\.lists).map { ($0, $0.place) }
      for index in feeds.indices { feeds[index].eachList { $0.restart() } }
      ask(places.map { .open(list: $0.id, $0.source, $1) })
    case .deleted(let name):
      if let key = records.key(named: name) {
        for index in feeds.indices { feeds[index].eachList { $0.remove(key, height: 1) } }
      }
    case .records(let read): records.take(read)
    case .failed(let list?, let message): change(list) { $0.fail(message) }
    case .failed(nil, let message): news.append(message)
    case .profile(_, _, let record): person = record
    case .names(let saved, _): queries = saved
    case .missing, .beside, .replaced: return
    }
  }

  private func change(_ id: Int, _ body: (inout TweetList) -> Void) {
    for index in feeds.indices { feeds[index].eachList { if $0.id == id { body(&$0) } } }
  }
}
