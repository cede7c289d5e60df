/// What the store answers.
extension Browser {
  func takeAnswers() {
    for answer in reader.takeAnswers() {
      switch answer {
      case .keys(let list, let keys, let isWhole):
        screen.hasNoStore = false
        change(list) { $0.append(keys, isWhole: isWhole) }
        if list == goingToEnd, list == screen.list.id { screen.list.move(to: .max, height: layout.tweets) }
      case .thread(let list, let rows, let named):
        screen.hasNoStore = false
        let height = layout.tweets
        change(list) { $0.take(rows, named: named, height: height) }
      case .beside(let entry, let rows, let own): screen.beside = ThreadBeside(entry: entry, own: own, rows: rows)
      case .placed(let list, let place):
        let height = layout.tweets
        change(list) { $0.restore(place, height: height) }
      case .sought(let list, let key): found(key, in: list)
      case .found(let list, let keys):
        let height = layout.tweets
        change(list) { $0.insert(keys, height: height) }
      case .changed(let keys):
        let shown = records.outdated(keys)
        if !shown.isEmpty { reader.ask(.records(shown)) }
        outdateThread()
      case .outdated:
        records.removeAll()
        forEachList { list in
          let place = list.place
          list.restart()
          reader.ask(.open(list: list.id, list.source, place))
        }
      case .deleted(let name):
        let height = layout.tweets
        if let key = records.key(named: name) { forEachList { $0.remove(key, height: height) } }
      case .records(let read):
        records.take(read)
        let height = layout.tweets
        // Somebody has it forgotten, or pruned.
        for record in read where record.bytes.isEmpty { forEachList { $0.remove(record.key, height: height) } }
      case .failed(let list?, let message): change(list) { $0.fail(message) }
      case .failed(nil, let message):
        records.forgetQuestions()
        screen.message = message
      case .names(let queries, let labels):
        screen.queries = queries
        (screen.names.queries, screen.names.labels) = (queries.map(\.name), labels)
      case .profile(let service, let id, let record): take(profile: record, service: service, id: id)
      case .missing:
        screen.hasNoStore = true
        if screen.feeds.contains(where: { !$0.lists[0].keys.isEmpty }) {
          screen.message = "there is no store '\(tools.database)' any more: this was read before"
        }
      case .replaced:
        records.removeAll()
        forEachList { $0.restart() }
        screen.message = "another store has the name '\(tools.database)' now"
      }
    }
  }

  private func change(_ id: Int, _ body: (inout TweetList) -> Void) {
    forEachList { if $0.id == id { body(&$0) } }
  }

  func forEachList(_ body: (inout TweetList) -> Void) {
    for index in screen.feeds.indices { screen.feeds[index].eachList(body) }
  }

  private func found(_ key: Int?, in list: Int) {
    guard list == screen.list.id else { return }
    guard let key else { return screen.message = "nothing more is found" }
    screen.list.move(toKey: key, height: layout.tweets)
  }

  /// Shows a list that the reader comes to from the one that is shown.
  func push(_ title: String, _ source: ListSource) {
    let list = TweetList(id: nextList, title: title, source: source)
    nextList += 1
    screen.feeds[screen.current].push(list)
    screen.place = .list
    reader.ask(.open(list: list.id, source, nil))
  }

  /// Goes back to the list before, if there is one.
  func pop() {
    if let left = screen.feeds[screen.current].pop() {
      reader.ask(.close(list: left.id))
      screen.heads[left.id] = nil
    }
    screen.list.fit(height: layout.tweets)
  }
}
