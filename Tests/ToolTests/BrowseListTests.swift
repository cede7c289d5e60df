import TestNumbers
import TestSupport
import Testing
import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

@testable import tw_browse

/// The lists of tw-browse, and how they are laid out on the screen: without a terminal.
@Suite struct BrowseListTests {
  /// A list of these keys.
  private func list(_ keys: [Int], isWhole: Bool = true, cursor: Int? = nil, top: Int = 0, height: Int = 3) -> TweetList
  {
    var list = TweetList(id: 1, title: "t", source: .query(TweetQuery()))
    list.append(keys, isWhole: isWhole)
    list.scroll(top, height: height)
    if let cursor { list.move(to: cursor, height: height) }
    return list
  }

  private func thread(_ keys: [Int]) -> [ThreadRow] {
    keys.map { ThreadRow(key: $0, branch: .init(rails: [], place: .alone, isOrphan: $0 == 4)) }
  }

  // MARK: What comes

  @Test func pagesAreAppendedWithoutWhatIsThere() {
    var list = TweetList(id: 1, title: "t", source: .query(TweetQuery()))
    #expect(list.state == .loading && list.selected == nil && list.place == nil && list.inView(5).isEmpty)
    list.append([9, 8, 7], isWhole: false)
    #expect(list.state == .partial && list.selected == 9)
    list.load()
    #expect(list.state == .loading)
    list.append([8, 7, 6, 5], isWhole: true)
    #expect(list.keys == [9, 8, 7, 6, 5] && list.state == .whole)
    list.append([4], isWhole: false)
    list.load()
    #expect(list.state == .whole, "what is whole stays so")
    list.fail("no")
    #expect(list.state == .whole)
    #expect(list.inView(2) == [9, 8] && list.inView(9).count == 6)
    var failed = TweetList(id: 1, title: "t", source: .query(TweetQuery()))
    failed.fail("why")
    #expect(failed.state == .failed("why"))
  }

  /// What comes above or within the view waits; what is below it, or below all, does not move anything.
  @Test func onlyWhatMovesSomethingWaits() {
    var list = list([90, 80, 70, 60, 50, 40, 30], top: 1, height: 3)
    list.insert([95, 85, 75, 45, 35, 20], height: 3)
    #expect(list.waiting == [95, 85, 75])
    #expect(list.keys == [90, 80, 70, 60, 50, 45, 40, 35, 30, 20])
    // Just below the view is still the row that a half of may be seen of.
    list.insert([55], height: 3)
    #expect(list.waiting.contains(55))
    // What is there does not come a second time.
    list.insert([60, 30], height: 3)
    #expect(list.keys.count == 10 && list.waiting == [95, 85, 75, 55])
    // The whole list is in view: what is older than all of it stands below it.
    var short = self.list([9, 8], height: 10)
    short.insert([5], height: 10)
    #expect(short.keys == [9, 8, 5] && short.waiting.isEmpty)
    // What is after the last known key comes with the next page.
    var partial = self.list([9, 8], isWhole: false, height: 10)
    partial.insert([5], height: 10)
    #expect(partial.keys == [9, 8] && partial.waiting.isEmpty && partial.state == .partial)
    var empty = TweetList(id: 1, title: "t", source: .query(TweetQuery()))
    empty.insert([3, 9, 5], height: 2)
    #expect(empty.keys == [9, 5, 3] && empty.waiting.isEmpty && empty.state == .partial)
    var thread = TweetList(id: 1, title: "t", source: .thread("x:1"))
    thread.take(self.thread([2, 5, 4]), named: 4, height: 9)
    thread.insert([1, 5], height: 9)
    #expect(thread.keys == [2, 5, 4] && thread.waiting == [1])
  }

  @Test func whatWaitsIsShownInItsOrder() {
    var list = list([90, 80, 70, 60, 50, 40], cursor: 4, top: 3, height: 3)
    list.insert([95, 75], height: 3)
    list.remove(60, height: 3)
    list.remove(95, height: 3)
    #expect(list.waiting == [75] && list.gone == [60] && list.keys.contains(60))
    list.showWaiting()
    #expect(list.keys == [90, 80, 75, 70, 50, 40] && list.waiting.isEmpty && list.gone.isEmpty)
    #expect(list.cursor == 0 && list.top == 0)
    var thread = TweetList(id: 1, title: "t", source: .thread("x:1"))
    thread.take(self.thread([2, 5, 4]), named: nil, height: 9)
    thread.insert([1], height: 9)
    thread.showWaiting()
    #expect(thread.keys == [2, 5, 4] && thread.waiting.isEmpty, "its order only the store knows")
  }

  /// Nothing moves when something goes: what is in view is marked, what is above it takes the view along.
  @Test func whatGoesMovesNothing() {
    let all = [90, 80, 70, 60, 50, 40, 30]
    for (key, keys, gone) in [
      (90, [80, 70, 60, 50, 40, 30], []), (80, [90, 70, 60, 50, 40, 30], []), (70, all, [70]), (60, all, [60]),
      (50, all, [50]), (40, [90, 80, 70, 60, 50, 30], []), (30, [90, 80, 70, 60, 50, 40], []), (75, all, [Int]()),
    ] {
      var list = list(all, cursor: 3, top: 2, height: 3)
      list.remove(key, height: 3)
      #expect(list.keys == keys && list.gone == Set(gone), "\(key)")
      #expect(list.selected == 60 && list.inView(3) == [70, 60, 50], "\(key)")
    }
  }

  @Test func aThreadKeepsItsCursor() {
    var list = TweetList(id: 1, title: "t", source: .thread("x:1"))
    list.take(thread([2, 5, 4, 7]), named: 4, height: 2)
    #expect(list.selected == 4 && list.inView(2) == [5, 4] && list.state == .whole)
    #expect(list.branches[4]?.isOrphan == true && list.branches[5]?.isOrphan == false)
    list.insert([8], height: 2)
    list.remove(5, height: 2)
    list.take(thread([2, 8, 5, 4, 7]), named: 7, height: 2)
    #expect(list.selected == 4 && list.waiting.isEmpty && list.gone.isEmpty)
    list.take(thread([2, 8]), named: nil, height: 2)
    #expect(list.cursor == 1)
    var other = TweetList(id: 1, title: "t", source: .thread("x:1"))
    other.take(thread([2, 5]), named: nil, height: 2)
    #expect(other.selected == 2)
  }

  @Test func aPlaceIsRestored() {
    var list = list([20, 19, 18, 17, 16, 15, 14, 13], height: 2)
    list.restore(Place(cursor: 15, newest: 18), height: 2)
    #expect(list.waiting == [20, 19] && list.keys == [18, 17, 16, 15, 14, 13])
    #expect(list.selected == 15 && list.inView(2) == [16, 15])
    #expect(list.place == Place(cursor: 15, newest: 18))
    // Of a list that has nothing else, all is shown.
    var new = self.list([20, 19], height: 2)
    new.restore(Place(cursor: 3, newest: 5), height: 2)
    #expect(new.keys == [20, 19] && new.waiting.isEmpty)
    var same = self.list([5, 3, 1], height: 2)
    same.restore(Place(cursor: 2, newest: 5), height: 2)
    #expect(same.selected == 1 && same.waiting.isEmpty, "the one after it, where the tweet has gone")
    same.restart()
    #expect(same.keys.isEmpty && same.state == .loading)
  }

  // MARK: Moving

  @Test func theViewFollowsTheCursor() {
    var list = list(Array((1...25).reversed()), height: 10)
    list.move(by: 9, height: 10)
    #expect(list.cursor == 9 && list.top == 0)
    list.move(by: 1, height: 10)
    #expect(list.cursor == 10 && list.top == 1)
    list.move(by: -10, height: 10)
    #expect(list.cursor == 0 && list.top == 0)
    list.move(by: -1, height: 10)
    #expect(list.cursor == 0)
    list.move(to: .max, height: 10)
    #expect(list.cursor == 24 && list.top == 15)
    list.move(toKey: 20, height: 10)
    #expect(list.cursor == 5 && list.top == 5)
    list.move(toKey: 26, height: 10)
    #expect(list.cursor == 5)
    list.fit(height: 0)
    #expect(list.cursor == 5 && list.top == 5)
    list.move(to: 24, height: 10)
    list.fit(height: 3)
    #expect(list.cursor == 24 && list.top == 22)
  }

  @Test func pagesGoByTheirHeight() {
    var list = list(Array((1...25).reversed()), height: 10)
    list.move(to: 3, height: 10)
    list.page(1, height: 10)
    #expect(list.top == 9 && list.cursor == 12)
    list.page(1, height: 10)
    #expect(list.top == 15 && list.cursor == 24)
    list.page(-1, height: 10)
    #expect(list.top == 6 && list.cursor == 15)
    list.page(-1, height: 10)
    #expect(list.top == 0 && list.cursor == 0)
    list.page(1, height: 1)
    #expect(list.top == 1 && list.cursor == 1)
    var short = self.list([3, 2, 1], height: 10)
    short.page(1, height: 10)
    #expect(short.top == 0 && short.cursor == 2)
    var empty = self.list([], height: 10)
    empty.page(1, height: 10)
    #expect(empty.cursor == 0 && empty.selected == nil)
  }

  @Test func theWheelMovesTheViewAlone() {
    var list = list(Array((1...25).reversed()), cursor: 5, height: 10)
    list.scroll(3, height: 10)
    #expect(list.top == 3 && list.cursor == 5)
    list.scroll(3, height: 10)
    #expect(list.top == 6 && list.cursor == 6)
    list.scroll(99, height: 10)
    #expect(list.top == 15 && list.cursor == 15)
    list.move(to: 24, height: 10)
    list.scroll(-3, height: 10)
    #expect(list.top == 12 && list.cursor == 21)
    list.scroll(-99, height: 10)
    #expect(list.top == 0 && list.cursor == 9)
  }

  /// Whatever comes, goes and is pressed: keys are in order, the cursor is in view, and only keys move what is in view.
  @Test func nothingMovesButByKeys() {
    var chance = Chance()
    for _ in 0..<40 {
      var list = list((1...chance.below(40) + 1).map { $0 * 10 }.reversed(), isWhole: chance.below(2) == 0)
      let height = chance.below(12) + 1
      list.fit(height: height)
      for _ in 0..<80 {
        let (selected, view) = (list.selected, Array(list.inView(height)))
        switch chance.below(8) {
        case 0: list.move(by: chance.below(9) - 4, height: height)
        case 1: list.page(chance.below(2) * 2 - 1, height: height)
        case 2: list.scroll(chance.below(9) - 4, height: height)
        case 3: list.showWaiting()
        case 4...5:
          list.insert((0...chance.below(4)).map { _ in chance.below(450) }, height: height)
          #expect((selected == nil || list.selected == selected) && list.inView(height).starts(with: view))
        default:
          list.remove(list.keys.isEmpty ? 0 : list.keys[chance.below(list.keys.count)], height: height)
          #expect((selected == nil || list.selected == selected) && list.inView(height).starts(with: view))
        }
        #expect(zip(list.keys, list.keys.dropFirst()).allSatisfy(>), "\(list.keys)")
        #expect(list.keys.isEmpty || list.inView(height).indices.contains(list.cursor))
        #expect(list.waiting.isDisjoint(with: list.keys))
      }
    }
  }

  // MARK: Tabs and columns

  private func screen(_ titles: [String], current: Int = 0) throws -> BrowseState {
    let feeds = titles.enumerated().map {
      FeedTab(TweetList(id: $0, title: $1, source: .query(TweetQuery())), source: nil)
    }
    var screen = BrowseState(feeds: feeds, keys: try KeyMap(Settings(text: "", path: "config")))
    screen.current = current
    return screen
  }

  @Test func tabsSayWhatWaitsAndWhereOneIs() throws {
    var screen = try screen(["home", "#swift"])
    #expect(screen.tabTitle(0) == " 1 home " && screen.tabTitle(1) == " 2 #swift ")
    screen.feeds[1].list.append([5, 4], isWhole: true)
    screen.feeds[1].list.insert([9, 8], height: 5)
    #expect(screen.tabTitle(1) == " 2 #swift (2) ")
    screen.current = 1
    #expect(screen.tabTitle(1) == " 2 #swift ", "the rule below it says how many")
    screen.feeds[1].push(TweetList(id: 7, title: "thread", source: .thread("x:1")))
    #expect(screen.feeds[1].path == "#swift › thread" && screen.list.id == 7)
    #expect(screen.feeds[1].waiting == " (2)")
    var seen: [Int] = []
    screen.feeds[1].eachList { seen.append($0.id) }
    #expect(seen == [1, 7])
    #expect(screen.feeds[1].pop()?.id == 7 && screen.feeds[1].pop() == nil && screen.list.id == 1)
  }

  @Test func theTitleOfWhatIsShownIsInView() throws {
    var screen = try screen(["aaaa", "bbbb", "cccc", "dddd"])
    // Each title takes eight columns.
    for (current, columns, first) in [
      (0, 80, 0), (3, 80, 0), (3, 33, 0), (3, 32, 1), (3, 25, 1), (3, 24, 2), (2, 25, 0), (2, 24, 1), (3, 8, 3),
      (3, 2, 3),
    ] {
      screen.current = current
      #expect(screen.firstTab(columns: columns) == first, "\(current) of \(columns) columns")
    }
  }

  @Test func rowsAndColumnsAreDivided() throws {
    for (rows, body, tweets) in [(24, 20, 10), (30, 26, 13), (25, 21, 10), (8, 4, 2), (5, 1, 1), (2, 1, 1)] {
      let layout = Layout((rows, 80))
      #expect(layout.bodyRows == body && layout.tweets == tweets && layout.body == 2..<2 + body, "\(rows) rows")
    }
    var layout = Layout((24, 80))
    layout.headRows = 7
    #expect(layout.tweets == 6 && layout.body == 9..<22)
    layout.headRows = 30
    #expect(layout.tweets == 1 && layout.body == 32..<33)
    for (columns, count, width) in [
      (80, 1, 80), (99, 1, 99), (100, 1, 48), (120, 1, 54), (160, 1, 72), (200, 1, 80), (200, 2, 48), (200, 3, 48),
      (300, 3, 64), (400, 3, 80),
    ] {
      let layout = Layout((24, columns))
      #expect(layout.listColumns(count) == width && layout.hasPane == (columns > 99), "\(count) in \(columns)")
    }
    var screen = try screen(["a", "b", "c", "d", "e"])
    for (columns, current, shown) in [
      (199, 1, 1..<2), (200, 0, 0..<3), (200, 2, 0..<3), (200, 3, 2..<5), (200, 4, 2..<5),
    ] {
      screen.current = current
      #expect(Layout((24, columns)).shown(screen) == shown, "\(current) in \(columns)")
    }
    let two = try self.screen(["a", "b"], current: 1)
    #expect(Layout((24, 200)).shown(two) == 0..<2)
  }

  // MARK: The thread beside the list

  @Test func thePartOfAThreadAroundTheTweet() {
    let beside = ThreadBeside(entry: 6, own: 6, rows: thread(Array(1...10)))
    for (room, window) in [
      (12, 0..<10), (10, 0..<10), (9, 2..<10), (5, 4..<8), (3, 4..<6), (2, 4..<5), (1, 4..<4), (0, 4..<4), (-3, 4..<4),
    ] {
      #expect(beside.window(room) == window, "\(room) rows")
    }
    #expect(ThreadBeside(entry: 1, own: 1, rows: thread(Array(1...10))).window(4) == 0..<3)
    #expect(ThreadBeside(entry: 1, own: 10, rows: thread(Array(1...10))).window(4) == 7..<10)
    #expect(ThreadBeside(entry: 1, own: nil, rows: thread(Array(1...10))).window(4) == 0..<3)
  }
}
