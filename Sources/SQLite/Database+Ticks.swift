import CSQLite
package import TweetCore

/// Receives how far long work is: how many of all steps are done (of 0 if that is not known), and what the steps are,
/// in the plural.
package typealias WorkSteps = (_ done: Int, _ all: Int, _ noun: String) -> Void

extension Database {
  /// How many instructions of SQLite's virtual machine lie between two calls: some tenths of a millisecond.
  private static let instructions: Int32 = 10_000

  /// Runs `body`, and calls `tick` again and again while its statements run. It must not use the database. A signal
  /// that asks the process to stop ends the statement, with ``ToolError/tryLater(_:)``.
  package func withTicks(_ tick: @escaping () -> Void = {}, _ body: () throws(ToolError) -> Void) throws(ToolError) {
    let handler = TickHandler(tick)
    sqlite3_progress_handler(
      connection.handle, Self.instructions,
      { context in
        if let context { Unmanaged<TickHandler>.fromOpaque(context).takeUnretainedValue().tick() }
        // Another value than 0 interrupts the statement.
        return Interruption.signal == nil ? 0 : 1
      }, Unmanaged.passUnretained(handler).toOpaque())
    defer {
      sqlite3_progress_handler(connection.handle, 0, nil, nil)
      withExtendedLifetime(handler) {}
    }
    try body()
  }
}

/// What SQLite gets a pointer to.
private final class TickHandler {
  let tick: () -> Void

  init(_ tick: @escaping () -> Void) { self.tick = tick }
}
