package import TweetCore

/// What a tool looks up about records, as ``LivePipeline`` drives it. The tool chooses what its keys are, URLs for
/// example.
package protocol LiveLookups: ~Copyable {
  /// A class: the pipeline only hands answers on, and generic code of another module copies other values by way of
  /// their types' metadata.
  associatedtype Answer: AnyObject

  /// What must be looked up to complete this record.
  mutating func keys(of record: JSONValue) throws(ToolError) -> [String]
  /// The record that a line stands for which is none itself, as JSON; `nil` if it is bad input.
  func record(of line: ByteView) -> [UInt8]?
  /// The answer to a key that needs no look-up.
  mutating func storedAnswer(_ key: String) throws(ToolError) -> Answer?
  /// Begins the look-ups of keys. It must not block for long.
  mutating func start(_ keys: [String]) throws(ToolError)
  /// Moves look-ups on until one is answered, a descriptor can be read, or the time is up.
  /// - Returns: those of `reading` that can be read.
  mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32]
  /// Removes the answers that have come since the last call, and returns them.
  mutating func drainAnswers() throws(ToolError) -> [(key: String, answer: Answer)]
  /// Gives up the look-ups whose key meets `condition` and that have made no request yet.
  /// - Returns: their keys.
  mutating func withdraw(where condition: (String) -> Bool) -> [String]
  /// Appends a record with what was found out about it. `answers` may lack some of its keys.
  func append(_ record: JSONValue, _ answers: LiveAnswers<Answer>, to buffer: inout ByteBuffer) throws(ToolError)
  /// Whether a record with these answers is printed.
  func shouldPrint(_ answers: LiveAnswers<Answer>) -> Bool
}

/// The answers for one record, by key.
package struct LiveAnswers<Answer: AnyObject> {
  @usableFromInline let found: [String: AnyObject]

  package init(_ found: [String: AnyObject]) { self.found = found }

  /// The answer to a key; `nil` if it has not come.
  @inlinable package subscript(key: String) -> Answer? { found[key].map { unsafeDowncast($0, to: Answer.self) } }

  /// All of them, in no order.
  @inlinable package var all: some Sequence<Answer> { found.values.lazy.map { unsafeDowncast($0, to: Answer.self) } }
}

extension LiveLookups where Self: ~Copyable {
  package func record(of line: ByteView) -> [UInt8]? { nil }
  package func storedAnswer(_ key: String) throws(ToolError) -> Answer? { nil }
  package func shouldPrint(_ answers: LiveAnswers<Answer>) -> Bool { true }
}
