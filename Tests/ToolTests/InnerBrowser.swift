import Foundation
import TestSupport
import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

@testable import tw_browse

/// A tw-browse within the test: its keys and its clock are the test's, the store is a real one, and the other tools are
/// scripts.
///
/// `played-tool.sh` says what these do: they note their words as lines of the file `asked`.
final class InnerBrowser {
  let browser: Browser
  private let home: TemporaryDirectory
  private let device: PlayedTerminal
  private var clock = MonotonicClock.milliseconds

  static let tools = ["post", "cache", "stream", "parse", "avatar", "linkcheck"]

  /// - Parameters:
  ///   - sources: the feeds; without one there is a list of all that is stored.
  ///   - refreshes: whether they are refreshed.
  ///   - known: the accounts that are signed in.
  init(
    _ home: TemporaryDirectory, store: String, sources: [String] = [], refreshes: Bool = false, settings: String = "",
    known: [(service: String, name: String)] = [], rows: Int = 24, columns: Int = 80
  ) throws {
    self.home = home
    device = try PlayedTerminal(rows: rows, columns: columns)
    let settings = try Settings(text: settings, path: "config")
    let look = try ScreenStyle(ascii: false, hasAvatars: false, pictures: .none, folder: home.path + "/thumbnails")
    let browse = try BrowseSettings(settings)
    let model = try Self.model(
      home, store: store, sources: sources, refreshes: refreshes, settings: settings, known: known)
    browser = Browser(
      model, settings: browse, reader: try StoreReader(store), terminal: try TerminalScreen(device.path), look: look)
    browser.fitLayout()
  }

  /// What it shows, for this front or another; the parameters are those of the initialiser.
  static func model(
    _ home: TemporaryDirectory, store: String, sources: [String] = [], refreshes: Bool = false,
    settings: Settings? = nil, known: [(service: String, name: String)] = []
  ) throws -> BrowseModel {
    var lists: [TweetList] = []
    for (number, source) in sources.enumerated() {
      var query = TweetQuery()
      query.feeds = [source]
      lists.append(TweetList(id: number, title: source, source: .query(query)))
    }
    if lists.isEmpty { lists = [TweetList(id: 0, title: "all", source: .query(TweetQuery()))] }
    let settings = try settings ?? Settings(text: "", path: "config")
    let accounts = ChosenAccounts(option: nil, settings, known: known)
    return try BrowseModel(
      lists: lists, tools: try tools(in: home, store: store, accounts), keys: try KeyMap(settings),
      refresh: refreshes ? RefreshedSources(sources: sources, every: 60_000, isLive: false) : nil, collector: nil)
  }

  /// The tools, as scripts.
  static func tools(in home: TemporaryDirectory, store: String, _ accounts: ChosenAccounts) throws -> Tools {
    // A script that was written a moment ago cannot always be run: another test's child may still have it open.
    try FileManager.default.createDirectory(atPath: home.path + "/bin", withIntermediateDirectories: true)
    for name in tools where !home.exists("bin/tw-\(name)") {
      try FileManager.default.createSymbolicLink(
        atPath: home.path + "/bin/tw-\(name)", withDestinationPath: Package.root + "/Tests/ToolTests/played-tool.sh")
    }
    return try Tools(
      database: store, media: store, accounts: accounts, state: home.path + "/state",
      programs: Programs(in: home.path + "/bin"))
  }

  /// What the tools were asked, with `tw-NAME` before it.
  var asked: [String] {
    guard let bytes = try? home.read("asked") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// What the scripts of a tool do from now on.
  func have(_ tool: String, do script: String) throws { try home.write("tw-\(tool).do", script + "\n") }

  // MARK: Keys and answers

  func press(_ keys: Key...) { browser.take(keys) }

  /// Types a text, and presses keys after it.
  func type(_ text: String, _ keys: Key...) { browser.take(text.map { .character($0) } + keys) }

  /// Lets a second pass, in which the store is looked at.
  func look() {
    clock += 1_000
    browser.tick(clock)
  }

  /// Takes what has come from the store and from the tools.
  func settle() {
    browser.takeAnswers()
    browser.draw()
  }

  /// Takes what comes until something is so.
  func wait(
    file: String = #fileID, line: Int = #line, until isSo: (Browser) throws -> Bool
  ) throws {
    try waitUntil(file: file, line: line) {
      settle()
      return try isSo(browser)
    }
  }

  /// Waits until the tweets in view were read, and this one is under the cursor.
  func wait(for name: String, file: String = #fileID, line: Int = #line) throws {
    try wait(file: file, line: line) { $0.model.selectedEntry?.name == name }
  }

  /// What the last rows of the screen say: the message or the state, and the hints or the prompt.
  var status: String { text(browser.painter.statusRow(browser.screen, browser.layout, browser.sources.status)) }
  var hints: String { text(browser.painter.lastRow(browser.screen, browser.layout).0) }

  private func text(_ row: [UInt8]) -> String {
    String(decoding: row, as: UTF8.self).replacing(/\u{1B}\[[0-9;]*m/, with: "")
  }

  /// What was sent to the terminal so far.
  var output: String { device.output }
}

extension Browser {
  /// The other tools at work, but what refreshes the sources.
  var running: [BackgroundCommand] { model.jobs.commands.filter { $0 !== model.refresh } }
}

extension [String] {
  /// The line of that number; an empty one if there are not so many.
  func at(_ index: Int) -> String { indices.contains(index) ? self[index] : "" }
  /// The lines of these numbers, as far as they are there.
  func at(_ range: ClosedRange<Int>) -> [String] { range.map { at($0) } }
}
