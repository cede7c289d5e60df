import Services
import TweetCore
import TweetServices

/// Counts the posts that a plugin prints, if its service bills them or the command line bounds them. The plugin is told
/// at its start how many it may read, and is ended when it has printed those.
struct PluginReads {
  /// Nothing may be read for a while.
  struct Pause {
    let milliseconds: Int
    /// `nil` for a short one.
    let notice: Notice?
    /// The error of a run that does not wait.
    let error: ToolError
  }

  private let bound: PluginBudget
  private var price: Money?
  private var meter: ReadMeter?
  /// How many posts might be read today when the plugin was started, for one whose service bills them; `nil` for no
  /// bound.
  private(set) var left: Int?

  init(_ bound: PluginBudget) { self.bound = bound }

  private var isCounted: Bool { bound.isWanted || price != nil }

  /// Reserves the first posts.
  ///
  /// - Returns: the pause, if none may be read.
  mutating func begin(_ writer: inout FeedWriter) throws(ToolError) -> Pause? {
    guard isCounted else {
      // A plugin that names no price needs no ledger.
      left = try? bound.budget(price: .zero)?.postsLeft()
      return nil
    }
    try open(&writer)
    left = try bound.budget(price: price)?.postsLeft()
    try meter?.advance()
    return try pause()
  }

  /// Takes note of what a post costs: from now on posts are counted.
  mutating func setPrice(_ price: Money, _ writer: inout FeedWriter) throws(ToolError) {
    guard self.price == nil else { return }
    self.price = price
    guard meter == nil else { return }
    try open(&writer)
    try meter?.advance()
  }

  private mutating func open(_ writer: inout FeedWriter) throws(ToolError) {
    guard meter == nil, let budget = bound.budget(price: price) else { return }
    if let text = try budget.open() { try writer.write(Notice(.warning, "budget", text)) }
    meter = ReadMeter(budget)
  }

  mutating func count(_ posts: Int) {
    guard meter != nil else { return }
    for _ in 0..<posts { meter?.countPost(nil) }
  }

  /// When posts are due to be recorded.
  var dueAt: Int? { meter?.dueAt }

  mutating func record() throws(ToolError) { try meter?.advance() }

  /// Whether all that may be read has come.
  mutating func isUsedUp() throws(ToolError) -> Bool {
    if dueAt == 0 { try record() }
    return meter?.isUsedUp ?? false
  }

  /// - Returns: how long nothing may be read; `nil` if something may.
  func pause() throws(ToolError) -> Pause? {
    guard let meter, meter.isUsedUp else { return nil }
    if let until = meter.waitsUntil {
      return Pause(milliseconds: max(0, until - MonotonicClock.milliseconds), notice: nil, error: meter.usedUp)
    }
    return Pause(milliseconds: meter.wait, notice: meter.notice, error: meter.usedUp)
  }

  /// Records what came, and gives back what was reserved beyond it.
  mutating func settle() throws(ToolError) { try meter?.settle() }
}
